"""The documentation: configuration, preparation of the pages, the README and the template for new pages."""

import configparser
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

import api_pages
import check_pages
import docs
import lite
import pytest
import readme
import run_notebooks
import yaml
from doors import ROOMS

import costboot as cb

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


SECTIONS = {"Learn": ["Tutorials", "Curves", "Laws", "Comparisons", "Operating points", "Retrained rules", "Explorers", "Teaching tools"],
            "Use": ["API", "Reports", "Look up"], "Check": ["Coverage", "Papers"], "Inside": ["Data", "Core", "Numerics"]}
PLAIN = {"index.ipynb", "api.ipynb", "references.ipynb"}  # lists rather than lessons


def test_quarto_file(quarto, root):
    html = quarto["format"]["html"]
    assert quarto["project"]["type"] == "website" and list(quarto["format"]) == ["html"]  # a second format would double the warnings and the size
    assert html["theme"].keys() == {"light", "dark"} and quarto["website"]["search"]
    for name in html["css"], html["include-after-body"], quarto["bibliography"], quarto["website"]["favicon"], "404.qmd": assert (root / "nbs" / name).is_file()
    assert (root / "nbs" / "_quarto.yml").read_bytes() == (root / "_quarto.yml").read_bytes()


def test_sidebar_lists_every_page(quarto, root):
    inside, there = list(listed(quarto["website"]["sidebar"]["contents"])), docs.pages(root / "nbs")
    assert not set(there) - set(inside), f"pages that the sidebar of _quarto.yml does not list: {sorted(set(there) - set(inside))}"
    assert not set(inside) - set(there), f"pages that _quarto.yml lists and that do not exist: {sorted(set(inside) - set(there))}"
    assert len(inside) == len(set(inside)), "a page is listed twice"


def test_sidebar_has_three_doors(quarto):
    "The home page, then learn, use, check, and what lies under them; sections are closed, numerics come last; the navbar leads to the same doors."
    sidebar, doors = quarto["website"]["sidebar"], {}
    assert sidebar["collapse-level"] == 1 and sidebar["contents"][0] == "index.ipynb"
    for entry in (e for e in sidebar["contents"] if not isinstance(e, str)):
        if entry.get("text", "---") != "---": doors[entry["text"]] = []
        elif "section" in entry: doors[list(doors)[-1]].append(entry["section"])
    assert doors == SECTIONS
    assert list(listed(sidebar["contents"]))[1] == "tutorials/01_tour.ipynb", "what comes after the home page"
    assert [entry["text"] for entry in quarto["website"]["navbar"]["left"]][:3] == ["Learn", "Use", "Check"]


def test_navbar_links_exist(quarto, root):
    for entry in quarto["website"]["navbar"].get("left", []): assert (root / "nbs" / entry["href"]).is_file(), entry


def test_pages_say_what_one_learns_and_where_to_go(root):
    wrong = [f"{name}:{line}" for name, path in docs.pages(root / "nbs").items() if name not in PLAIN for line in check_pages.omissions(check_pages.read(path))]
    assert not wrong, "\n".join(wrong)


# --- references ------------------------------------------------------------------------------------------------------
def test_references_are_those_of_the_list(root):
    "Every entry is complete, and the page shows the list as it is."
    text = (root / "nbs" / "references.bib").read_text(encoding="utf8")
    entries = re.findall(r"^@(\w+)\{([^,\s]+),\n(.*?)^\}", text, flags=re.M | re.S)
    keys = [key for _, key, _ in entries]
    assert len(keys) == len(set(keys)) == text.count("\n@") == len(docs.bibliography(root)) > 20
    wanted = {"article": "journal", "book": "publisher", "incollection": "booktitle", "inproceedings": "booktitle", "misc": "title", "phdthesis": "school", "techreport": "number"}
    for kind, key, body in entries:
        for doi in re.findall(r"^  doi = \{(.+)\},?$", body, flags=re.M): assert re.fullmatch(r"10\.\d{4,5}/[\w.()/:;<>-]+", doi), (key, doi)
        for field in ("author", "title", "year", wanted[kind]): assert re.search(rf"^  {field} = \{{.+\}},?$", body, flags=re.M), (key, field)
    assert text.count("  doi = {") >= 50
    page = check_pages.read(root / "nbs" / "references.ipynb")
    assert set(keys) <= check_pages.anchors(page), "the page is not up to date: make notebooks ARGS=nbs/references.ipynb"
    shown = "".join(t for _, t in check_pages.texts(page))
    for title in re.findall(r"^  title = \{([^`]+?)\},?$", text, flags=re.M): assert re.sub("[{}]", "", title) in shown, title
    entries = shown.partition("## References")[2]
    assert "für Wahrscheinlichkeitstheorie" in entries and "the Kolmogorov statistics" in entries and not re.search(r"[{}\\]", entries), "BibTeX in the list"


def test_citation_file(root):
    cff = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf8"))
    settings = configparser.ConfigParser(interpolation=None)
    settings.read(root / "settings.ini", encoding="utf8")
    assert cff["cff-version"] == "1.2.0" and cff["version"] == settings["DEFAULT"]["version"] and cff["authors"] and cff["message"]
    assert all(r.keys() >= {"type", "title", "authors"} for r in cff["references"])
    assert f"version = {{{cff['version']}}}" in (root / "nbs" / "references.ipynb").read_text(encoding="utf8")


# --- preparation of the pages ----------------------------------------------------------------------------------------
def test_pages_prepare_cleanly(trial, project_copy):
    "Links, anchors, references, pictures, directives: whatever check_pages.py knows is right."
    assert trial.returncode == 0, trial.stdout + trial.stderr
    assert f"{len(docs.pages(project_copy / 'nbs')) + len(api_pages.listed())} pages prepared" in trial.stdout


def test_prepared_pages_have_their_buttons(trial, project_copy):
    "Lessons can be run, derivations typed, every notebook downloaded: below the title, or at the end."
    for page in docs.pages(project_copy / "nbs"):
        cells = check_pages.read(project_copy / "_proc" / page)["cells"]
        if text := lite.above(page): assert "".join(cells[1]["source"]) == text, page
        if text := lite.below(page): assert "".join(cells[-1]["source"]) == text, page
        assert f"notebooks/{page})" in "".join("".join(cells[i]["source"]) for i in (1, -1)), page


@pytest.mark.parametrize("page, start", [("laws/02_cost.ipynb", "def exact_cost("), ("teaching/00_exercises.ipynb", "def seal_answer("), ("teaching/00_exercises.ipynb", "def _digest(")])
def test_pages_show_their_code(trial, project_copy, page, start):
    "Exported code stays on the page, folded; nbdev's directives do not."
    code = ["".join(c["source"]) for c in check_pages.read(project_copy / "_proc" / page)["cells"] if c["cell_type"] == "code"]
    [cell] = [c for c in code if f"\n{start}" in c]
    assert cell.startswith("#| code-fold: true") and "export" not in cell.lower().split("def ")[0].replace("exported source", "")
    assert not any("import numpy" in c for c in code), "exported imports are plumbing"


def test_names_are_links(trial, project_copy):
    "In the text to the page that derives them, in the reference to the line of the source."
    if not any(e.name == "costboot" for e in entry_points(group="nbdev")): pytest.skip("costboot is not installed, and then nbdev makes no links")
    def shown(page): return "".join(text for _, text in check_pages.texts(check_pages.read(project_copy / "_proc" / page)))
    derived = shown("laws/02_cost.ipynb")
    assert f"[`exact_cost`]({docs.address(project_copy)}/laws/cost.html#exact_cost)" in shown("index.ipynb")
    assert re.search(r"blob/main/costboot/laws/cost\.py#L\d+\)", derived) and "LNone" not in derived


def test_api_page_has_every_public_name(trial, project_copy):
    "Those of the front door and the results have a page, and those of the rooms a line with a link to the page that derives them."
    page = check_pages.read(project_copy / "_proc" / "api.ipynb")
    shown = "".join(text for _, text in check_pages.texts(page))
    entries = [name for name in cb.__all__ if not inspect.ismodule(getattr(cb, name))]
    assert sorted(api_pages.listed()) == sorted([*entries, *api_pages.results()]) and {"Law", "AucLaw", "Comparison"} <= set(api_pages.results())
    assert [name for name in api_pages.listed() if f"](api/{api_pages.stem(name)}.ipynb)" not in shown] == []
    assert {p.stem for p in (project_copy / "_proc" / "api").glob("*.ipynb")} == set(map(api_pages.stem, api_pages.listed()))
    for room in ROOMS:
        names = set(import_module(f"costboot.{room}").__all__)
        assert names and not {name for name in names if not re.search(rf"^\|.*\b{name}\b.*\.(ipynb|html)", shown, flags=re.M)}, room


def test_page_of_a_name(trial, project_copy):
    "Signature, every parameter in the table, an example with what it shows, what the result can do, others of the task, the derivation."
    folder = project_copy / "_proc" / "api"
    assert len({stem.lower() for stem in map(api_pages.stem, api_pages.listed())}) == len(api_pages.listed()), "two files that differ in capitals only"
    lacking = []
    for name in (n for names in api_pages.tasks().values() for n in names):
        nb, value = check_pages.read(folder / f"{name}.ipynb"), getattr(cb, name)
        text = "\n".join(t for _, t in check_pages.texts(nb))
        told = [p.name for p in inspect.signature(value).parameters.values()] if inspect.isfunction(value) else []
        outputs = [o for c in nb["cells"] for o in c.get("outputs", [])]
        wanted = {"signature": f"cb.{name}(" in text, "derivation": "Derived and checked on the page [" in text, "parameters": all(re.search(rf"<code>(?:&#42;)*{p}</code>", text) for p in told),
                  "example": any("cb." in "".join(c["source"]) for c in nb["cells"] if c["cell_type"] == "code"), "output": bool(outputs), "see also": "## See also" in text, "title": f"title: {name}" in nb["cells"][0]["source"]}
        lacking += [f"{name}: {what}" for what, there in wanted.items() if not there]
    assert lacking == []
    auc = "\n".join(t for _, t in check_pages.texts(check_pages.read(folder / "exact_auc.ipynb")))
    assert "| `interval` |" in auc and "(../laws/07_auc.ipynb#exact_auc)" in auc and "exact_auc_difference.ipynb" in auc
    assert any("image/svg+xml" in json.dumps(c.get("outputs", [])) for c in check_pages.read(folder / "exact_auc.ipynb")["cells"])
    law = "\n".join(t for _, t in check_pages.texts(check_pages.read(folder / "Law.ipynb")))
    assert "### Law.interval" in law and "interval(confidence_level=0.9" in law


# --- the checks can fail ---------------------------------------------------------------------------------------------
def figure(*mimes): return [dict(output_type="display_data", metadata={}, data={m: "iVBORw0KGgo="}) for m in mimes or ("image/png",)]


def test_leaks_are_found(tmp_path):
    good = "#| echo: false\n#| label: fig-x\nx = 1  # | not one"
    widget = dict(output_type="display_data", metadata={}, data={"application/vnd.jupyter.widget-view+json": {}, "text/plain": "interactive()"})
    stub = dict(output_type="execute_result", metadata={}, data={"text/plain": "interactive(children=(IntSlider(value=1), Output()))"})
    page = notebook(tmp_path / "page.ipynb", "# Title", (good,), ("x = 1\n#| export\n#|hide",), ("w", widget), ("w", stub))
    assert list(check_pages.leaks(check_pages.read(page))) == [
        "3: directive #| export", "3: directive #|hide", "4: the output of a widget", "5: the text that stands for a widget"]


def test_open_sources_labels_and_links_in_code_are_found(tmp_path):
    def shown(text): return dict(output_type="display_data", metadata={}, data={"text/markdown": text})
    good = ("#| code-fold: true\nx = 1  # equation (3)", shown("[a](https://b.org)\n\n```python\nf(x)\n```\n")), ("#| echo: false\nf('@eq-a')",)
    bad = [("#| code-fold: show\nx = 1",), ("def f(): 'By @eq-a.'",), ("f()", shown("By @eq-b.")), ("f()", shown("```python\n[`f`](https://b.org)\n```\n")), ("def g(): 'Text (eq-c).'",)]
    page = check_pages.read(notebook(tmp_path / "page.ipynb", "# Title", "@eq-a", *good, *bad, "```\n[`f`](https://b.org)\n```"))
    assert list(check_pages.sources(page)) == ["5: source that stands open", "6: the label @eq-a in code or in a docstring", "7: the label @eq-b in code or in a docstring",
                                               "8: a link inside of code, which shows its brackets", "9: the label eq-c in code or in a docstring", "10: a link inside of code, which shows its brackets"]


@pytest.mark.parametrize("source, pictures, wrong", [
    ('#| fig-alt: "A curve that rises and falls: twice."\nplot()', 1, 0),
    ('#| fig-alt: ["A curve that rises and falls.", "The same curve once more, below."]\nplot()', 2, 0),
    ("#| output: false\nplot()", 1, 0),
    ("plot()", 1, 1), ("plot()", 0, 0),
    ('#| fig-alt: "A curve."\nplot()', 1, 1),  # too short to help
    ("#| fig-alt: A curve: it rises and falls.\nplot()", 1, 1),  # a colon without quotes is not YAML
    ('#| fig-alt: ["A curve that rises and falls.", "And one more that does not."]\nplot()', 3, 1),
])
def test_pictures_without_description_are_found(tmp_path, source, pictures, wrong):
    page = notebook(tmp_path / "page.ipynb", "# Title", (source, *figure() * pictures))
    assert len(list(check_pages.descriptions(check_pages.read(page)))) == wrong


def problems(tmp_path, text, other="# Other\n\n## A place\n\n## A place", **options):
    "What is wrong with a page of the given text, beside another page."
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.png").write_bytes(b"")
    notebook(tmp_path / "page.ipynb", "# Title", text)
    notebook(tmp_path / "sub" / "other.ipynb", other)
    return [s.split(": ", 1)[1] for s in check_pages.problems(tmp_path, "https://site.org/book", **options) if s.startswith("page")]


@pytest.mark.parametrize("text", [
    "[x](sub/other.ipynb), [x](sub/other.ipynb#a-place), [x](./sub/other.ipynb#a-place-1), [x](#here), [x](https://elsewhere.org/y)\n\n## Here",
    "![a dot](a.png), [`code`](sub/other.ipynb), [x](https://site.org/book/sub/other.html#a-place), [x](https://site.org/book)",
    "$$ a = b $$ {#eq-one}\n\nBy @eq-one and [@known]. `@eq-two` and\n\n```\n[x](nowhere.ipynb) @eq-three\n```",
    "<a id='there'></a>[x](#there), mail a@eq-uity.org",
])
def test_good_links_are_left_alone(tmp_path, text): assert problems(tmp_path, text, bib={"known"}) == []


@pytest.mark.parametrize("text, told", [
    ("[x](nowhere.ipynb)", "nowhere.ipynb: there is no such page"),
    ("[x](sub/other.ipynb#a-plaice)", "sub/other.ipynb#a-plaice: sub/other.ipynb has no place called a-plaice"),
    ("[x](#gone)", "#gone: page.ipynb has no place called gone"),
    ("[x](../other.ipynb)", "../other.ipynb: outside of the book"),
    ("[`f`](https://site.org/book/other.html#f)", "https://site.org/book/other.html#f: there is no such page"),
    ("[`f`](https://site.org/book/sub/other.html#f)", "https://site.org/book/sub/other.html#f: sub/other.ipynb has no place called f"),
    ("![a dot](b.png)", "b.png: there is no such file"),
    ("![](a.png)", "the picture a.png has no description"),
    ("By @eq-two.", "@eq-two has no target on this page"),
    ("$$ a $$ {#eq-one}\n\n$$ b $$ {#eq-one}", "the label eq-one occurs twice"),
    ("As in [@unknown].", "@unknown is not in references.bib"),
])
def test_bad_links_are_found(tmp_path, text, told): assert problems(tmp_path, text, bib={"known"}) == [told]


def test_omissions_are_found(tmp_path):
    first, last = "# Title\n\n> Subtitle.", "**Read next:** [x](y.ipynb)."
    def found(*cells): return [s.split(": ", 1)[1][:20] for s in check_pages.omissions(check_pages.read(notebook(tmp_path / "p.ipynb", *cells)))]
    assert found(first, "**What you will learn.** Much.", last) == []
    assert found(first + "\n\n**What you will learn.** Much.", last) == ["text beside title an"]
    assert found(first, last) == ["no **What you will l"]
    assert found(first, "**What you will learn.** Much.") == ["the page does not end"[:20]]


TITLES = "Laws", "The oracle: list every resample", "`assess`", ".632 and .632+", "Figure 3 and equation (63): weak correlation", "1 is one", "Two *words*, one_name", "A [link](x.ipynb) here", "Called {#so}", "a -- b", "CostLaw.plot"


def test_heading_identifiers_are_those_of_pandoc():
    if not shutil.which("pandoc"): pytest.skip("pandoc is not installed")
    made = subprocess.run(["pandoc", "-f", "markdown", "-t", "html"], input="\n\n".join(f"## {t}" for t in TITLES), text=True, capture_output=True, check=True)
    assert [check_pages.heading_id(t) for t in TITLES] == re.findall(r'id="([^"]+)"', made.stdout)


def test_without_quarto_the_command_says_so(monkeypatch, capsys):
    monkeypatch.setattr(docs.shutil, "which", lambda name: None)
    monkeypatch.setattr(docs, "trial", lambda: 0)
    assert docs.main([]) == 0
    assert "needs Quarto, which is not on the PATH" in capsys.readouterr().out


@pytest.mark.parametrize("argv", [[], ["--quick"], ["--lite"]])
def test_quick_reaches_the_explorers(monkeypatch, capsys, tmp_path, argv):
    "And figures are drawn without it; the heaviest pages are named, the index of the search is ours, both checks are run, and a warning that is ours is a mistake."
    import check_site

    for folder in ("_docs", "_proc"): (tmp_path / folder).mkdir()
    (tmp_path / "_docs" / "a.html").write_text("x" * 5000)
    (tmp_path / "nbs" / "laws").mkdir(parents=True)
    (tmp_path / "nbs" / "laws" / "01_a.ipynb").write_text("{}")
    said, warnings, quick = [], [], argv == ["--quick"]
    monkeypatch.setattr(docs, "ROOT", tmp_path)
    monkeypatch.setattr(docs, "address", lambda root: "")
    monkeypatch.setattr(docs.shutil, "which", lambda name: name)
    monkeypatch.setattr(docs.search_index, "write", lambda pages, out, root: said.append(out.name))
    monkeypatch.setattr(docs.check_pages, "problems", lambda *args, sharp: said.append(f"pages, sharp: {sharp}") or [])
    monkeypatch.setattr(check_site, "problems", lambda *args, sharp: said.append(f"site, sharp: {sharp}") or [])
    monkeypatch.setattr(docs, "run", lambda step: said.append(step) or (0, warnings))
    assert docs.main(argv) == 0
    assert (tmp_path / "_docs" / "notebooks" / "laws" / "01_a.ipynb").read_text() == "{}"
    assert said == [["tools/static_explorers.py", *["--quick"] * quick], *([] if quick else [["tools/figures.py"]]), ["tools/book.py", "render"], ["tools/readme.py"],
                    *([["tools/lite.py", "_docs/lite"]] if argv == ["--lite"] else []), "search.json", f"pages, sharp: {not quick}", f"site, sharp: {not quick}"]
    assert "5 kB  a.html" in capsys.readouterr().out
    warnings.append("WARN: Unable to resolve link target: x.ipynb")
    assert docs.main(argv) == 1 and "x.ipynb" in capsys.readouterr().out


def test_warnings_that_are_ours(tmp_path, capfd):
    "Of Quarto about our pages; not those of its tools about themselves."
    lines = ["[1/3] index.ipynb", "WARN: Unable to resolve link target: laws/x.ipynb", "[WARNING] Div at line 5 unclosed", "/lib/site-packages/a.py:1: UserWarning: WARNING", "DeprecationWarning: warn", "ERROR: no"]
    (tmp_path / "say.py").write_text(f"print(*{lines!r}, sep='\\n')\nraise SystemExit(3)")
    assert docs.run([str(tmp_path / "say.py")]) == (3, [lines[1], lines[2], lines[5]])
    assert capfd.readouterr().out.splitlines() == lines


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
    page = project / "nbs" / "laws" / "99_template.ipynb"
    shutil.copy(project / "nbs" / "_template.ipynb", page)
    for command in ["nbdev_export", "--path", page], ["nbdev_test", "--path", page, "--n_workers", "0"]:
        done = subprocess.run([BIN / command[0], *map(str, command[1:])], cwd=project, env=environment(project), text=True,
                              capture_output=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "def resampled_mean(" in (project / "costboot" / "laws" / "template.py").read_text()


# --- the text is read as it was meant ------------------------------------------------------------------------------------
def strays(block):
    "Words of a parsed text that look like mathematics which was not recognised, or like a broken table."
    if isinstance(block, list): return [s for b in block for s in strays(b)]
    if not isinstance(block, dict): return []
    kind, content = block.get("t"), block.get("c")
    if kind == "Str": return [content] if re.search(r"\$|\\[a-z]+|[\^_]\{", content) or content.startswith("|") else []
    return [content[1]] if kind in ("RawInline", "RawBlock") and content[0] == "tex" else strays(content)


def parsed(text): return json.loads(subprocess.run(["pandoc", "-f", "markdown", "-t", "json"], input=text, text=True, capture_output=True, check=True).stdout)["blocks"]


@pytest.mark.skipif(not shutil.which("pandoc"), reason="pandoc is not installed")
def test_formulas_and_tables_are_recognised(root):
    assert strays(parsed("A $ broken$ formula $x_{1}$.")) and strays(parsed("Some text\n| a | b |\n|---|---|\n| 1 | 2 |\n")) and not strays(parsed("$x_{1}$ and `$`"))
    wrong = []
    for name, path in docs.pages(root / "nbs").items():
        cells = ["".join(c["source"]) for c in check_pages.read(path)["cells"] if c["cell_type"] == "markdown"]
        wrong += [f"{name}: {word}" for word in strays(parsed("\n\n<!-- -->\n\n".join(cells)))]
    assert not wrong, "\n".join(wrong)


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
    assert "image/png" in shown(4)[0]["data"] and b"Matplotlib" not in run_notebooks.base64.b64decode(shown(4)[0]["data"]["image/png"])
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


def test_what_is_skipped_without_data_is_not_stale():
    "A page that is stored with the data sets is compared elsewhere, too; anything else that changes is named."
    def cells(*said): return {"cells": [{"cell_type": "code", "source": "", "outputs": [{"text": text}]} for text in said]}
    stored = cells("1500 cases", "three")
    assert list(run_notebooks.differences(stored, cells("skipped: the digits are not on this machine\n", "three"))) == []
    assert list(run_notebooks.differences(stored, cells("skipped: a test", "four"))) == [
        "cell 1: stored '1500 cases', now 'skipped: a test'", "cell 2: stored 'three', now 'four'"]


# --- the README ------------------------------------------------------------------------------------------------------
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
    [name] = files
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
    assert name.startswith("index_files") and files[name] == b"\x89PNG\r\n\x1a\n"
