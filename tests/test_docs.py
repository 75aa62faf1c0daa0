"""The documentation: configuration, preparation of the pages, the README and the template for new pages."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import docs
import pytest
import readme
import run_notebooks
import yaml

BIN = Path(sys.executable).parent


def listed(contents):
    "The pages of a Quarto sidebar."
    for entry in contents:
        if isinstance(entry, str): yield entry
        else: yield from listed(entry.get("contents", []))


def environment(project): return {k: v for k, v in os.environ.items() if k != "IN_TEST"} | {"PYTHONPATH": str(project)}


def notebook(path, *cells):
    "Write a notebook; a cell is its text, or its text and its outputs for code."
    made = []
    for i, cell in enumerate(cells):
        made.append(dict(cell_type="markdown", id=f"m{i}", metadata={}, source=cell) if isinstance(cell, str) else
                    dict(cell_type="code", id=f"c{i}", metadata={}, execution_count=None, source=cell[0], outputs=list(cell[1:])))
    path.write_text(json.dumps(dict(cells=made, nbformat=4, nbformat_minor=5,
                                    metadata={"kernelspec": dict(display_name="python3", language="python", name="python3")})))
    return path


# --- configuration ---------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def quarto(root): return yaml.safe_load((root / "_quarto.yml").read_text(encoding="utf8"))


def test_quarto_file(quarto, root):
    assert quarto["project"]["type"] == "website" and {"html", "commonmark"} <= quarto["format"].keys()
    assert quarto["format"]["html"]["keep-md"] is True  # html and commonmark together need it
    assert (root / "nbs" / quarto["format"]["html"]["css"]).is_file()
    assert (root / "nbs" / "_quarto.yml").read_bytes() == (root / "_quarto.yml").read_bytes()


def test_sidebar_lists_every_page(quarto, root):
    inside, there = list(listed(quarto["website"]["sidebar"]["contents"])), docs.pages(root / "nbs")
    assert sorted(set(there) - set(inside)) == [], "pages that the sidebar of _quarto.yml does not list"
    assert sorted(set(inside) - set(there)) == [], "pages that _quarto.yml lists and that do not exist"
    assert len(inside) == len(set(inside)), "a page is listed twice"


def test_navbar_links_exist(quarto, root):
    for entry in quarto["website"]["navbar"].get("left", []): assert (root / "nbs" / entry["href"]).is_file(), entry


# --- preparation of the pages ----------------------------------------------------------------------------------------
def test_pages_prepare_cleanly(project_copy):
    "Also proves that everything works in a folder whose name has a space, and without Quarto."
    done = subprocess.run([sys.executable, "tools/docs.py", "--trial"], cwd=project_copy, env=environment(project_copy),
                          text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(docs.pages(project_copy / 'nbs'))} pages prepared" in done.stdout


def test_leaks_are_found(tmp_path):
    good = "#| echo: false\n#| label: fig-x\nx = 1  # | not one"
    page = notebook(tmp_path / "page.ipynb", "# Title", (good,), ("x = 1\n#| export\n#|hide",))
    assert [s.split(": ", 1)[1] for s in docs.leaks(page)] == ["#| export", "#|hide"]


def test_without_quarto_the_command_says_so(monkeypatch, capsys):
    monkeypatch.setattr(docs.shutil, "which", lambda name: None)
    monkeypatch.setattr(docs, "trial", lambda: 0)
    assert docs.main([]) == 0
    assert "needs Quarto, which is not on the PATH" in capsys.readouterr().out


@pytest.mark.quarto
@pytest.mark.slow
def test_site_builds(project_copy):
    subprocess.run([sys.executable, "tools/docs.py"], cwd=project_copy, env=environment(project_copy), check=True)
    assert (project_copy / "_docs" / "index.html").is_file()


# --- the template for new pages --------------------------------------------------------------------------------------
def test_template_runs(project_copy, tmp_path):
    "Exported, cleaned and tested as the page of a new estimator would be."
    project = tmp_path / "project"
    shutil.copytree(project_copy, project, symlinks=True, ignore=shutil.ignore_patterns("_proc"))
    page = project / "nbs" / "99_template.ipynb"
    shutil.copy(project / "nbs" / "_template.ipynb", page)
    for command in ["nbdev_export", "--path", page], ["nbdev_test", "--path", page, "--n_workers", "0"]:
        done = subprocess.run([BIN / command[0], *map(str, command[1:])], cwd=project, env=environment(project), text=True,
                              capture_output=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "def resampled_mean(" in (project / "costboot" / "template.py").read_text()


# --- storing outputs -------------------------------------------------------------------------------------------------
def test_run_notebooks(tmp_path, monkeypatch):
    "Runs in the notebook's folder, keeps what a reader sees, drops widgets, and gives the same bytes again."
    monkeypatch.chdir(run_notebooks.ROOT)
    page = notebook(tmp_path / "page.ipynb", "# Title",
                    ("import os\nfrom pathlib import Path",), ("Path.cwd().name",), ("import ipywidgets as w\nw.IntSlider()",),
                    ("import matplotlib.pyplot as plt\nplt.plot([1, 2]);",), ("object()",),
                    ("#| eval: false\n1 / 0", dict(output_type="stream", name="stdout", text="kept")))
    assert run_notebooks.run(page) is True
    first = page.read_bytes()
    cells = json.loads(first)["cells"]
    def shown(i): return cells[i]["outputs"]
    assert "".join(shown(2)[0]["data"]["text/plain"]) == repr(tmp_path.name)
    assert shown(3) == [] and "widgets" not in json.loads(first)["metadata"]
    assert "image/png" in shown(4)[0]["data"] and b"Matplotlib" not in readme.base64.b64decode(shown(4)[0]["data"]["image/png"])
    assert "".join(shown(5)[0]["data"]["text/plain"]) == "<object>"
    assert "".join(shown(6)[0]["text"]) == "kept" and cells[6]["metadata"] == {}
    assert all(c.get("execution_count") is None for c in cells)
    assert run_notebooks.run(page) is False and page.read_bytes() == first


def test_failing_notebook_is_left_alone(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(run_notebooks.ROOT)
    page = notebook(tmp_path / "page.ipynb", "# Title", ("1 / 0",))
    before = page.read_bytes()
    assert run_notebooks.main([str(page)]) == 1
    assert page.read_bytes() == before and "ZeroDivisionError" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == [page]


# --- the README ------------------------------------------------------------------------------------------------------
MARKDOWN = """
## A "title" -- and so on...

It's a paragraph with `code that has spaces` and [a link](a.html) that is long enough to be wrapped at some point.

- one item whose text is long enough that it has to be continued on a second line, indented
    - nested
- two

1. first
2. second

| a | b |
|:--|--:|
| `x` | "y" |

```sh
make demo
```

```
plain
```

> An array in [0, 1]; if x > 0.
"""

EXPECTED = """\
## A “title” – and so on…

It’s a paragraph with `code that has spaces` and [a link](a.html) that
is long enough to be wrapped at some point.

- one item whose text is long enough that it has to be continued on a
  second line, indented
  - nested
- two

1.  first
2.  second

| a   |   b |
|:----|----:|
| `x` | “y” |

``` sh
make demo
```

    plain

> An array in \\[0, 1\\]; if x \\> 0.
"""  # pandoc -f markdown -t gfm, which is what Quarto calls; checked again below where pandoc is installed


def test_markdown(): assert "\n".join(readme.markdown(MARKDOWN.splitlines())) + "\n" == EXPECTED


def test_markdown_is_what_pandoc_writes():
    told = subprocess.run(["pandoc", "--version"], text=True, capture_output=True, check=False).stdout if shutil.which("pandoc") else ""
    if not told.startswith("pandoc 3"): pytest.skip("pandoc 3, which Quarto contains, is not installed")
    made = subprocess.run(["pandoc", "-f", "markdown", "-t", "gfm"], input=MARKDOWN, text=True, capture_output=True, check=True)
    assert made.stdout == EXPECTED


def test_readme_from_notebook(tmp_path, monkeypatch):
    monkeypatch.chdir(readme.ROOT)
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "a.png").write_bytes(b"")
    out = dict(output_type="stream", name="stdout", text="one\n\ntwo\n")
    value = dict(output_type="execute_result", metadata={}, execution_count=None, data={"text/plain": "3", "text/markdown": "**3**"})
    picture = dict(output_type="display_data", metadata={}, data={"image/png": "iVBORw0KGgo=", "text/plain": "<Figure>"})
    page = notebook(tmp_path / "index.ipynb", "# costboot\n\n> Not shown.", "Text with `Path` and ![a picture](images/a.png), [b](b.md).",
                    ("#| hide\nimport os", out), ("x = 1\nprint(x)", out), ("#| echo: false\nx + 2", value), ("plot()", picture))
    text, files = readme.readme(page)
    name = "index_files/figure-commonmark/cell-4-output-1.png"
    assert text == f"""\
# costboot


<!-- WARNING: THIS FILE WAS AUTOGENERATED! DO NOT EDIT! -->

Text with `Path` and ![a picture]({tmp_path.name}/images/a.png), [b](b.md).

``` python
x = 1
print(x)
```

    one

    two

**3**

``` python
plot()
```

![]({name})
"""
    assert files == {name: b"\x89PNG\r\n\x1a\n"}
