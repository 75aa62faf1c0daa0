"""What a reader sees fits the column: equations and printed outputs, set in Chromium as the site sets them.

Without Chromium or MathJax (from npm) the tests are skipped with a sentence; under continuous integration (`CI` set) they fail instead.
"""

import os

import book
import check_pages
import layout
import pytest
import reference
from conftest import CHROMIUM

import costboot as cb

CI = os.environ.get("CI")
if CHROMIUM is None and not CI: pytest.skip("no Chromium: nothing is set in a browser", allow_module_level=True)


def piece(kind, text, label=""): return layout.Piece("page.ipynb", 1, kind, text, label)


@pytest.fixture(scope="module")
def browser():
    "One page for all tests: a second browser cannot be driven beside it."
    with layout.chromium() as page: yield page


@pytest.fixture(scope="module")
def found(browser, tmp_path_factory):
    "A function that names what does not fit."
    if not (script := layout.mathjax()):
        if not CI: pytest.skip("no MathJax: npm, which brings it, is not installed or not connected")
        pytest.fail("MathJax is missing; continuous integration has to install npm")
    file = tmp_path_factory.mktemp("layout") / "page.html"
    return lambda pieces, style=None: list(layout.overflows(browser, pieces, file, script, style))


LONG = r"a = \frac{b + c}{d} \qquad " * 12


def test_what_does_not_fit_is_found(found):
    "Each in the column that it does not fit; a short equation, 88 columns of text and a long path on a telephone fit."
    good = [piece("equation", r"a = \frac bc", "eq-short"), piece("output", "x" * 88), piece("output", "word " * 17)]
    bad = [piece("equation", LONG, "eq-long"), piece("equation", LONG), piece("output", "x" * 120), piece("equation", r"\frac{a"), piece("equation", r"\nosuch a")]
    said = found(good + bad)
    line = "a + b = c, " * 20
    assert [s.split(": ", 1)[1].split(" is ")[0] for s in found([piece("formula", line), piece("formula", "a + b = c, " * 5)])] == ["formula"], "one that scrolls on a telephone; too wide for a page"
    wide = [s for s in said if "800" in s]
    assert [s.split(": ", 1)[1].split(" is ")[0] for s in wide] == ["equation eq-long", "equation", "output"]
    assert len(said) == 5 and sum("is not TeX" in s for s in said) == 2, said
    assert sum("360" in s for s in found([piece("formula", "a + b = c, " * 5)], style="")) == 1
    without = found(good + bad, style="")  # the browser's own style: nothing scrolls by itself, nothing wraps
    assert sum("360" in s for s in without) == 2


def test_everything_fits(trial, found, project_copy):
    pieces = layout.in_folder(project_copy / "_proc")
    assert sum(p.kind == "equation" for p in pieces) > 200 and sum(p.kind == "output" for p in pieces) > 200 and sum(p.kind == "formula" for p in pieces) > 200
    wrong = found(pieces)
    assert not wrong, "\n".join(wrong)


def test_one_click_opens_all_source(browser, root, tmp_path):
    "The script of every page; a page without source gets no button."
    script = (root / "nbs" / "site.html").read_text(encoding="utf8")
    def page(body): return f'<!DOCTYPE html><header id="title-block-header"><h1>T</h1></header><main>{body}</main>{script}'
    source, file = '<details class="code-fold"><summary>Source</summary>x</details>', tmp_path / "page.html"
    def opened(): return browser.evaluate("[...document.querySelectorAll('details')].map(d => d.open)")
    file.write_text(page(2 * source + "<details>another kind</details>"))
    browser.goto(file.as_uri())
    button = browser.locator("button.open-sources")
    assert button.inner_text() == "Open all source (2)" and opened() == [False] * 3
    button.click()
    assert opened() == [True, True, False] and button.inner_text() == "Close all source"
    button.click()
    assert opened() == [False] * 3
    file.write_text(page("no source"))
    browser.goto(file.as_uri())
    assert button.count() == 0


def test_shown_code_is_narrow():
    "Code that is too wide is broken by ruff; directives, and what is not Python, stay."
    long = "x = function(" + ", ".join(f"argument_{i}='value'" for i in range(6)) + ")"
    made = book.narrow(f'#| fig-alt: "{"word " * 30}"\n{long}').split("\n")
    assert made[0].startswith('#| fig-alt: "word') and max(map(len, made[1:])) <= 88 and "".join("".join(made[1:]).split()).replace(",)", ")") == long.replace(" ", "")
    for kept in "if x: y = 1", "%time " + long, "#| echo: false\nx = 1": assert book.narrow(kept) == kept


def test_links_stay_out_of_code():
    class Lookup:
        def link_line(self, line): return line.replace("`f`", "[`f`](f.html)")
    text = "`f`\n\n```python\n# `f`\n```\n\n`f`\n\n> ```\n> `f`\n> ```\n"
    assert book.linked(text, Lookup()) == text.replace("`f`\n\n", "[`f`](f.html)\n\n")


def test_reference_of_a_name():
    def f(a, b=1, *, c: int | None = None, **kwargs): """Do it.\n\nParameters\n----------\na\n    the first\n    one\nc : int | None, default None\n    a | b\n\nReturns\n-------\nfloat\n    a number"""
    assert reference.signature(f, "f") == "f(a, b=1, *, c=None, **kwargs)"
    assert reference.entry(f, "f").splitlines() == [
        "```python", "f(a, b=1, *, c=None, **kwargs)", "```", "", "Do it.", "", "::: {.parameters}", "", "| name | type, default | meaning |", "|:-----|:-----|:------------|",
        "| <code>a</code> |  | the first one |", r"| <code>c</code> | `int or None, default None` | a \| b |", "| **returns** | `float` | a number |", "", ":::"]
    assert reference.signature(cb.Interval, "Interval") == "Interval(low, high)"
    assert max(map(len, reference.signature(cb.report, "report").splitlines())) <= 88
    assert reference.exported("costboot.laws.auc", "AucLaw.interval") and reference.exported("costboot.laws.auc", "nothing") is None


def test_long_prints_go_on_in_the_next_line():
    "At a word, four spaces further in; nothing is lost, and what fits stays as it is."
    table = "a    b\n1    2\n\n"
    message = "  ValueError: `method` must be one of " + ", ".join(f"'number {i}'" for i in range(12)) + "; got 'bayes'."
    assert book.fold(table) == table and book.fold("x" * 88) == "x" * 88
    lines = book.fold(table + message).removeprefix(table).splitlines()
    assert len(lines) == 3 and max(map(len, lines)) <= 88 and all(s.startswith("      ") for s in lines[1:])
    assert " ".join(" ".join(lines).split()) == message.strip()
    assert max(map(len, book.fold("y" * 200).splitlines())) <= 88
    cell = dict(outputs=[dict(output_type="stream", text=["z " * 80]), dict(data={"text/plain": ["w " * 80]}), dict(data={"text/plain": ["v " * 80], "image/png": ""})])
    book.fold_prints(cell)
    assert [len(o.get("text") or o["data"]["text/plain"]) for o in cell["outputs"]] == [2, 2, 1]


def test_pieces():
    "Outputs that a picture or a table replaces are not text, nor is what Quarto is told to leave out."
    def shown(source, **data): return dict(cell_type="code", source=source, outputs=[dict(output_type="display_data", data=data)])
    picture = shown("f()", **{"text/plain": "<Figure>", "image/png": ""})
    hidden, plain = shown("#| output: false\nf()", **{"text/plain": "x"}), shown("f()", **{"text/plain": "x"})
    text = dict(cell_type="markdown", source=f"$$ a $$ {{#eq-a}}\n\n```\n$$ no $$\n```\n\n$$\nb\n$$ and $c$, ${'d' * 30}$ at 5 $")
    nb = dict(cells=[text, picture, hidden, plain, dict(cell_type="code", source="print()", outputs=[dict(output_type="stream", text=["one\n", "two\n"])])])
    assert [p[1:] for p in layout.pieces(nb)] == [(1, "equation", "a", "eq-a"), (1, "equation", "b", ""), (1, "formula", "d" * 30, ""), (4, "output", "x", ""), (5, "output", "one\ntwo", "")]
    assert check_pages.options(dict(source="#| output: false"))["output"] == "false"
