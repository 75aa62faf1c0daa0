"""One page for each name that a user types, and for each class that such a name returns, made from its docstring.

    python tools/api_pages.py [folder]

`book.py` calls `write` when the other pages are prepared; the pages are `api/<name>.ipynb` and are never committed. A page has the signature, a table of the
parameters, an example with its output and, where the result can draw itself, its figure; the methods of the result; what else serves the same task; and
the page that derives it. `nbs/api.ipynb` is their index.
"""

import ast
import base64
import contextlib
import doctest
import inspect
import io
import json
import re
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import reference
from doors import ROOMS

import costboot as cb

ROOT = Path(__file__).resolve().parent.parent
FIGURE = dict(format="svg", transparent=True, bbox_inches="tight")


@cache
def public():
    "Every public name of the package, and what it is."
    rooms = [__import__(f"costboot.{room}", fromlist=["x"]) for room in ROOMS]
    found = {name: getattr(door, name) for door in (*rooms, cb) for name in door.__all__}
    return {name: value for name, value in found.items() if not isinstance(value, ModuleType)}


@cache
def tasks():
    "The names of the front door under the comments above them, without the rooms."
    stub = Path(cb.__file__).with_suffix(".pyi").read_text(encoding="utf8")
    parts = re.split(r"^# (.+)\n", stub, flags=re.M)[1:]
    found = {title: re.findall(r"\b(\w+) as \1\b", text) for title, text in zip(parts[::2], parts[1::2])}
    return {title: names for title, names in found.items() if names and names[0] in public()}


@cache
def derivations(nbs=ROOT / "nbs"):
    "The page that makes each module, and its title."
    found = {}
    for path in sorted(nbs.glob("*/[0-9][0-9]_*.ipynb")):
        first = "".join(json.loads(path.read_text(encoding="utf8"))["cells"][0]["source"])
        found[f"costboot.{path.parent.name}.{path.stem[3:]}"] = path.relative_to(nbs).as_posix(), re.search(r"^# (.+)$", first, re.M)[1]
    return found


def methods(cls):
    "The public methods and properties of a class that the package writes, those of its ancestors included: name -> what it is."
    found = {}
    for base in cls.__mro__:
        if not base.__module__.startswith("costboot"): continue
        for name, value in vars(base).items():
            shown = inspect.isfunction(value) or isinstance(value, (property, classmethod, staticmethod))
            if name[0] != "_" and shown and name not in found and inspect.getdoc(getattr(value, "__func__", value)): found[name] = value
    return found


@cache
def results():
    "The public classes that have methods and do not stand at the front door."
    return {name: value for name, value in public().items() if inspect.isclass(value) and name not in cb.__all__ and methods(value)}


def listed():
    "The names that get a page."
    return [*(name for names in tasks().values() for name in names), *results()]


def unlabelled(text):
    "Text without the labels of equations, which stand on another page."
    return re.sub(r"[,:]? ?\(?@eq-[\w-]*\w(?:(?:,| and) @eq-[\w-]*\w)*\)?| ?\(eq-[a-z][\w-]*(?:, eq-[\w-]+)*\)", "", text)


def stem(name):
    "The file of a name; a class and a function that differ in a capital letter only are one file on some computers."
    twins = [n for n in listed() if n.lower() == name.lower()]
    return name if name in cb.__all__ or len(twins) == 1 else f"{name}-class"


def first_sentence(value):
    "What a name is, in a sentence, without labels of equations."
    text = unlabelled(" ".join(reference.parts(inspect.getdoc(value))[0].split()))
    return re.split(r"(?<=[.!?])\s(?=[A-Z`])", text)[0]


def returned(value):
    "The class of the package that a function returns, by name; None where it returns something else."
    said = [name for name, *_ in reference.entries(reference.parts(inspect.getdoc(value))[1].get("Returns", ""))]
    return next((name for s in said for name in re.findall(r"\w+", s) if name in results()), None)


# --- the parts of a page ---------------------------------------------------------------------------------------------
def markdown(text): return dict(cell_type="markdown", metadata={}, source=unlabelled(text))


def code(text, *outputs): return dict(cell_type="code", metadata={}, execution_count=None, source=text, outputs=list(outputs))


def example(value):
    "The cells of an example: code up to what it shows, and that; the last cell may have a figure."
    doc, cells, lines = reference.parts(inspect.getdoc(value))[1].get("Examples", ""), [], []
    for part in doctest.DocTestParser().get_examples(doc):
        lines.append(part.source.rstrip("\n"))
        if not part.want: continue
        shown = part.want.replace("<BLANKLINE>", "")
        cells.append(code("\n".join(lines), dict(output_type="stream", name="stdout", text=shown.splitlines(keepends=True))))
        lines = []
    return [*cells, *([code("\n".join(lines))] if lines else [])], "\n".join(part.source for part in doctest.DocTestParser().get_examples(doc))


class Kept(ast.NodeTransformer):
    "Every call of an example hands its value to `_keep`, too."

    def visit_Call(self, node):
        self.generic_visit(node)
        return ast.copy_location(ast.Call(ast.Name("_keep", ast.Load()), [node], []), node)


@cache
def made_by(text):
    "What the calls of an example make, in their order; nothing where they need data that are not here."
    found = []
    def keep(value):
        found.append(value)
        return value
    try:
        tree = ast.fix_missing_locations(Kept().visit(ast.parse(text)))
        with contextlib.redirect_stdout(io.StringIO()): exec(compile(tree, "<example>", "exec"), {"_keep": keep})
    except Exception: return ()
    return tuple(found)


def example_of(cls):
    "An example of the front door that makes an instance of a class: its cells and its text; an instance of that very class before one of a class below it."
    texts = [example(public()[name]) for names in tasks().values() for name in names if not inspect.isclass(public()[name])]
    for fits in (lambda v: type(v) is cls, lambda v: isinstance(v, cls)):
        for cells, text in texts:
            if cells and any(map(fits, made_by(text))): return cells, text
    return [], ""


def picture(text, cls):
    "The figure of the result of an example, as SVG that has no ground of its own; None where there is none."
    if not text or not hasattr(cls, "plot"): return None
    from matplotlib import pyplot as plt

    try:
        made = next((v for v in made_by(text) if isinstance(v, cls)), None)
        if made is None: return None
        figure, ax = plt.subplots(figsize=(5, 3.2))
        made.plot(ax=ax)
    except Exception: return None  # an example may need data that are not here; the page is complete without a figure
    stream = io.BytesIO()
    with plt.rc_context({"svg.hashsalt": "costboot", "svg.fonttype": "path"}): figure.savefig(stream, metadata={"Date": None}, **FIGURE)
    plt.close("all")
    return stream.getvalue().decode("utf8")


def drawn(name, svg):
    "A cell that shows a figure."
    image = f'<img src="data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}" alt="What {name} returned in the example, as its method plot draws it." class="figure-img">'
    return code("#| echo: false\nresult.plot()", dict(output_type="display_data", metadata={}, data={"text/html": [image]}))


def where(value):
    "The page that derives a name, and its title."
    return derivations().get(value.__module__)


def see_also(name):
    "Names of the same task, those that share a word with this one first."
    own = next((names for names in tasks().values() if name in names), [])
    words = set(name.split("_"))
    return sorted((n for n in own if n != name), key=lambda n: -len(words & set(n.split("_"))))[:6]


def row(name, value, text=None): return f"| [`{name}`]({stem(name)}.ipynb) | {reference.escaped(text or first_sentence(value))} |"


def method_cells(name, cls):
    "Every method of a class: signature, what it does, its parameters."
    for method, value in methods(cls).items():
        plain = getattr(value, "__func__", value)
        yield markdown(f"### {name}.{method}\n\n{reference.entry(plain, method)}")


def cells_of(name):
    "The cells of a page."
    value = public()[name]
    front = "cb." if name in cb.__all__ else f"cb.{value.__module__.split('.')[1]}."
    yield dict(cell_type="raw", metadata={}, source="---\n" + f"title: {name}\ndescription: {json.dumps(first_sentence(value), ensure_ascii=False)}\noutput-file: {stem(name)}.html\n" + "---\n")
    derived = f"\n\nDerived and checked on the page [{where(value)[1]}](../{where(value)[0]}#{name.lower()})." if where(value) else ""
    yield markdown(reference.entry(value, front + name, said=False) + derived)
    cells, text = example(value)
    if not cells and inspect.isclass(value): cells, text = example_of(value)
    result = returned(value)
    if cells:
        yield markdown("## Example")
        yield from cells
        if svg := picture(text, value if inspect.isclass(value) else results().get(result)): yield drawn(name, svg)
    if inspect.isclass(value):
        if methods(value): yield markdown("## Methods")
        yield from method_cells(name, value)
    elif result:
        lines = [f"| `{method}` | {reference.escaped(first_sentence(v))} |" for method, v in methods(results()[result]).items()]
        yield markdown("\n".join([f"## What the result can do\n\nThe result is a [`{result}`]({stem(result)}.ipynb).\n", "| method or property | what it does |", "|:---|:--------|", *lines]))
    makers = [n for names in tasks().values() for n in names if returned(public()[n]) == name]
    others = [*makers, *see_also(name)]
    if others: yield markdown("\n".join(["## See also\n", "| name | what it does |", "|:---|:--------|", *(row(n, public()[n]) for n in dict.fromkeys(others))]))
    yield markdown("All names by task: [API](../api.ipynb).")


def page(name):
    "The notebook of a name."
    cells = [cell | {"id": f"{name.lower()[:40]}-{i}"} for i, cell in enumerate(cells_of(name))]
    return dict(cells=cells, metadata={"kernelspec": dict(display_name="python3", language="python", name="python3")}, nbformat=4, nbformat_minor=5)


def write(folder, change=lambda nb: nb):
    "Write all pages below a folder; `change` is applied to each notebook before."
    (folder / "api").mkdir(parents=True, exist_ok=True)
    for name in listed():
        (folder / "api" / f"{stem(name)}.ipynb").write_text(json.dumps(change(page(name)), indent=1, ensure_ascii=False), encoding="utf8")
    return listed()


if __name__ == "__main__": print(len(write(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "_proc")), "pages of names")
