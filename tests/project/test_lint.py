"""The lint finds what it says it finds, and leaves good pages alone."""

import json

import lint
import pytest

TITLE = dict(cell_type="markdown", metadata={}, source=["# A title\n", "\n", "> A subtitle.\n"])


def code(source, outputs=()):
    return dict(cell_type="code", metadata={}, execution_count=None, source=source.splitlines(True), outputs=list(outputs))


@pytest.fixture
def findings(tmp_path):
    "A function that writes a notebook of the given cells and lints it."
    def run(*cells, title=TITLE, metadata=None):
        path = tmp_path / "page.ipynb"
        cells = [c for c in (title, *cells) if c]
        path.write_text(json.dumps(dict(cells=cells, metadata=metadata or {}, nbformat=4, nbformat_minor=5)))
        return lint.lint([path], tmp_path)
    return run


def errors(found): return [f for f in found if f.error]
def advice(found): return [f.message for f in found if not f.error]


def test_good_page(findings):
    assert findings(code("#| export\nimport numpy as np\n"), TITLE, code("#| export\ndef f():\n    import pandas\n    return pandas\n")) == []


def test_line_format(findings):
    [found] = errors(findings(code("import os\nos.getcwd()")))
    assert str(found) == "page.ipynb:2: imports and other code share a cell; give the imports a cell of their own"


@pytest.mark.parametrize("mime", ["application/vnd.jupyter.widget-view+json", "application/vnd.jupyter.widget-state+json"])
def test_widget_output(findings, mime):
    shown = dict(output_type="display_data", metadata={}, data={mime: {"model_id": "0"}, "text/plain": ["interactive()"]})
    [found] = errors(findings(code("w", [shown])))
    assert found.place == 2 and "widget" in found.message


@pytest.mark.parametrize("text", ["<function f at 0x7f32ab34cd10>", "&lt;A object at 0x7f32ab34cd10&gt;", "RandomState(MT19937) at 0x7FA5F64D1440"])
def test_memory_address(findings, text):
    [found] = errors(findings(code("f", [dict(output_type="execute_result", metadata={}, data={"text/html": [text]})])))
    assert found.place == 2 and "memory address" in found.message
    assert errors(findings(code("f", [dict(output_type="stream", name="stdout", text=["the register at 0x7f32ab34cd10"])]))) == []


def test_widget_state(findings):
    state = {"widgets": {"application/vnd.jupyter.widget-state+json": {"state": {}, "version_major": 2}}}
    [found] = errors(findings(metadata=state))
    assert found.place == 0 and "widget state" in found.message


def test_size(findings):
    def page(n): return code("x", [dict(output_type="stream", name="stdout", text=["a" * n])])
    [found] = errors(findings(page(400_000)))
    assert "the limit is 400 kB" in found.message
    assert errors(findings(page(390_000))) == []


@pytest.mark.parametrize("source", [
    "import os\nx = 1",
    "from os import path\nprint(path)",
    "x = 1\nimport os",
    "#| export\nimport os\n\ndef f(): return os",
    "def f():\n    import os\n    return os",  # not exported: nbdev would run the cell for the documentation
    "if True:\n    import os",
    "%matplotlib inline\nimport os\nos.getcwd()",
])
def test_mixed_imports(findings, source): assert len(errors(findings(code(source)))) == 1


@pytest.mark.parametrize("source", [
    "import os\nfrom sys import path  # a comment",
    "#| export\nimport os\n",
    "%matplotlib inline\nimport os",
    "#| export\ndef f():\n    import os\n    return os",
    "#| exporti\nclass A:\n    def f(self):\n        import os\n        return os",
    "%%bash\nimport os\nls",
    "x = 'import os'",
    "",
])
def test_unmixed_imports(findings, source): assert errors(findings(code(source))) == []


@pytest.mark.parametrize("lines, directive, failed, advised", [
    (60, "#| export", 0, 1), (61, "#| export", 1, 0), (61, "#|exporti", 1, 0), (61, "#| exports", 1, 0),
    (40, "#| export", 0, 0), (200, "#| hide", 0, 0), (200, "", 0, 0),
])
def test_long_cells(findings, lines, directive, failed, advised):
    found = findings(code(f"{directive}\ndef f():\n" + "    x = 1\n" * (lines - 1)))
    assert (len(errors(found)), len(advice(found))) == (failed, advised)


@pytest.mark.parametrize("text, count", [("Some text.", 2), ("# Title\n\nNo subtitle", 1), ("> No title", 1)])
def test_title(findings, text, count):
    found = findings(title=dict(cell_type="markdown", metadata={}, source=[text]))
    assert errors(found) == [] and len(advice(found)) == count


def test_machine_paths_and_registries(findings, tmp_path):
    folder, index, option = "/" + "home/somebody/data", "https://" + "pypi.example.org/simple", "--" + "index-url"
    found = findings(code(f"open('{folder}')"), code("x", [dict(output_type="stream", name="stderr", text=[f"{folder}: warning"])]))
    assert [len(errors(found)), len(advice(found))] == [1, 1]  # what a page shows comes from a run, what its code says may be an example
    text = tmp_path / "a.md"
    text.write_text(f"first\npip install {option} {index}\nsee {folder}\nand nbs/home/x, ~/tmp/y, https://a.org/home/z\n")
    assert [f.place for f in lint.lint([text], tmp_path)] == [2, 3]


def test_advice_on_the_page(findings):
    found = findings(*[code("x")] * 3)
    assert "less than one text cell" in " ".join(advice(found))
    assert "long page" in " ".join(advice(findings(*[TITLE] * 81)))
    assert "assert" in " ".join(advice(findings(code("#| export\ndef f(x):\n    assert x"))))


def test_not_a_notebook(tmp_path):
    (tmp_path / "bad.ipynb").write_text("{")
    assert len(errors(lint.lint([tmp_path / "bad.ipynb"], tmp_path))) == 1


def test_exit_status(findings, tmp_path, capsys):
    findings(code("import os\nx = 1"))
    assert lint.main([str(tmp_path / "page.ipynb")]) == 1
    assert "1 notebooks, 0 other files: 1 errors, 0 remarks" in capsys.readouterr().out
    findings(code("x = 1"))
    assert lint.main([str(tmp_path / "page.ipynb")]) == 0
