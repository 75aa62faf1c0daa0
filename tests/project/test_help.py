"""What `help` shows: every public function explains its parameters and its result, every name of the front door has an example that runs."""

import ast
import contextlib
import doctest
import inspect
import io
import json
import os
import re
import warnings

import pytest

import docstrings

import costboot as cb

FRONT = {name: getattr(cb, name) for name in cb.__all__ if callable(getattr(cb, name))}
FUNCTIONS = {name: value for name, value in FRONT.items() if inspect.isfunction(value)}


def sections(thing):
    "The sections of a docstring: title -> lines; the summary has the title ''."
    found, title = {"": []}, ""
    lines = inspect.getdoc(thing).splitlines()
    for line, below in zip(lines, [*lines[1:], ""]):
        if below and set(below) == {"-"} and len(below) == len(line): title, found[line] = line, []
        elif not (line and set(line) == {"-"}): found[title].append(line)
    return found


def entries(lines):
    "The entries of a section: name -> (type, text)."
    found, name = {}, ""
    for line in lines:
        if line.startswith("    "): found[name] = found[name][0], f"{found[name][1]} {line.strip()}".strip()
        elif line:
            name, _, kind = line.partition(" : ")
            found[name] = kind, ""
    return found


@pytest.mark.parametrize("name", FUNCTIONS)
def test_help_explains_parameters_and_result(name):
    told = sections(FUNCTIONS[name])
    assert len(told[""][0]) > 20
    listed = entries(told["Parameters"])
    kinds = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    signature = inspect.signature(FUNCTIONS[name]).parameters.values()
    assert list(listed) == [kinds.get(p.kind, "") + p.name for p in signature]
    assert [n for n, (_, text) in listed.items() if not text] == []
    for p in signature:
        if p.default is not p.empty: assert listed[p.name][0].endswith(f"default {p.default!r}") or isinstance(p.default, float)
    assert any(line.strip() for line in told["Returns"])


@pytest.mark.parametrize("name", [n for n, v in FRONT.items() if inspect.isclass(v)])
def test_help_explains_classes(name):
    wanted = [p for p in inspect.signature(FRONT[name]).parameters if not p.startswith("_")]
    listed = entries(sections(FRONT[name]).get("Parameters", []))
    assert list(listed) == wanted and [n for n, (_, text) in listed.items() if not text] == []


def shape(text): return re.sub(r"[-+]?[\d.]+(e[-+]?\d+)?", "#", re.sub(r"\s+", "", text.replace("<BLANKLINE>", "")))  # a shown result, whatever its numbers


@pytest.mark.parametrize("name", FRONT)
def test_the_example_runs(name):
    "In an empty namespace, as if typed into a fresh interpreter. The pages keep the numbers; here a result must look like the one that is shown."
    if name == "load_uci" and not os.environ.get("COSTBOOT_DATA"): pytest.skip("needs the UCI data")
    parts = doctest.DocTestParser().get_examples("\n".join(sections(FRONT[name])["Examples"]))
    assert "import costboot as cb\n" in [p.source for p in parts] and any(re.search(rf"\bcb\.{name}\b", p.source) for p in parts)
    space, shown = {}, io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(shown):
        warnings.simplefilter("error")
        for part in parts: exec(compile(part.source, f"<help of {name}>", "single"), space)
    assert parts[-1].want and shape("".join(p.want for p in parts)) == shape(shown.getvalue())


def test_examples_are_cells_of_the_pages(root):
    "A page runs its examples with all its other cells; so none of them may share a cell with an import, and each stands once."
    cells = [c for page in sorted((root / "nbs").glob("*/*.ipynb")) for c in json.loads(page.read_text(encoding="utf8"))["cells"] if c["cell_type"] == "code"]
    named = [m[1] for c in cells if (m := docstrings.EXAMPLE.search("".join(c["source"])))]
    assert sorted(named) == sorted(FRONT)


# --- the tool itself --------------------------------------------------------------------------------------------------
MODULE = '''"Subtitle."
__all__ = ["f", "Pair", "fast"]

def f(
    x: int,  # a number, with \\\\alpha
    *others,  # more of them
    # a comment above, in
    # two lines
    scale: float = 2.0,
    name="a",  # a word  # noqa: X
    **rest,  # what is left
) -> float:  # a result
    "One line."
    return x

def helper(
    x,  # a number
):  # nothing
    "Stays short."

def _private(
    x,  # a number
):  # nothing
    "Stays short."

@njit
def fast(
    x,  # a number
):  # nothing
    "Stays short."

class _Base:
    def shared(
        self,
        y,  # something
    ):  # a list
        "Lent to a public class."

    @property
    def size(self) -> int:  # a number
        "Stays short."

@dataclass(frozen=True)
class Pair(_Base):
    "Two numbers."
    a: int  # the first
    b: int = field(default=3)  # the second
    _hidden: int = 0
    c: float = field(init=False)  # their sum
'''


def test_a_docstring_is_made_of_comments():
    made = docstrings.explained(MODULE, {"f": [">>> f(1)", "2.0"]})
    tree = ast.parse(made)
    told = {n.name: ast.get_docstring(n) for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    assert told["f"] == "\n".join([
        "One line.", "", "Parameters", "----------", "x : int", "    a number, with \\\\alpha", "*others", "    more of them", "scale : float, default 2.0", "    a comment above, in two lines",
        "name : default 'a'", "    a word", "**rest", "    what is left", "", "Returns", "-------", "float", "    a result", "", "Examples", "--------", ">>> f(1)", "2.0"])
    assert told["helper"] == told["_private"] == told["fast"] == told["size"] == "Stays short."
    assert told["shared"].splitlines()[2:] == ["Parameters", "----------", "y", "    something", "", "Returns", "-------", "a list"]
    assert told["Pair"].splitlines()[2:] == ["Parameters", "----------", "a : int", "    the first", "b : int, default 3", "    the second", "", "Attributes", "----------", "c : float", "    their sum"]
    assert docstrings.explained(made) == made, "doing it again changes nothing"


def test_code_is_left_alone():
    def bare(text):
        "The syntax tree without docstrings."
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node): node.body[0].value.value = ""
        return ast.dump(tree)
    assert bare(docstrings.explained(MODULE)) == bare(MODULE)


def test_examples_of_nothing_are_refused():
    with pytest.raises(ValueError, match="g"): docstrings.explained(MODULE, {"g": [">>> 1"]})


def test_an_example_is_written_for_users():
    source = "#| example f\ny = np.ones(3)\nresult = f(\n    y, Other(1),\n)\n\n# shown\nresult"
    cell = dict(cell_type="code", source=source, outputs=[dict(output_type="execute_result", data={"text/plain": ["a\n", "\n", "b"]})])
    lines = docstrings.as_example(cell, {"np": "import numpy as np"}, {"f": "cb.", "Other": "cb.room."}, "page")
    assert lines == [">>> import numpy as np", ">>> import costboot as cb", ">>> y = np.ones(3)", ">>> result = cb.f(", "...     y, cb.room.Other(1),", "... )", ">>> # shown", ">>> result",
                     "a", "<BLANKLINE>", "b"]
    with pytest.raises(ValueError, match="'np'"): docstrings.as_example(cell, {}, {"f": "cb.", "Other": "cb."}, "page")


def test_the_site_shows_parameters_once():
    from nbdev.showdoc import show_doc
    for value in FRONT.values():
        text = show_doc(value)._repr_markdown_()
        assert ">>>" not in text and "Parameters\n" not in text and "Returns\n" not in text
