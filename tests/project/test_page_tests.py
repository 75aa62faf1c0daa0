"""The runner of the pages: what it replaces, what it reports, and that one page cannot harm another; stale outputs are found."""

import json

import caches
import check
import page_tests
import pytest
import run_notebooks
import seen

CELL = "@entry\ndef twice(x): return 2 * x"


@pytest.fixture
def package(tmp_path):
    "A package with one compiled module, two folders down."
    module = tmp_path / "costboot" / "room" / "kernels.py"
    module.parent.mkdir(parents=True)
    module.write_text(f"from costboot.numerics.compiled import entry\n\n# %% a\n{CELL}\n\n# %% b\nplain = 1\n")
    page_tests.module_text.cache_clear()
    return tmp_path


@pytest.mark.parametrize(("source", "expected"), [
    (f"#| export\n{CELL}", "from costboot.room.kernels import twice"),
    ("#| export\nplain = 1", "#| export\nplain = 1"),  # nothing to compile
    (f"#| export\n{CELL} + 1", f"#| export\n{CELL} + 1"),  # not what stands in the module
    (f"{CELL}\ntwice(1)", f"{CELL}\ntwice(1)"),
])
def test_only_compiled_cells_of_the_module_are_imported(source, expected, package):
    assert page_tests.instead(source, "room.kernels", package) == expected
    assert page_tests.instead(source, "room.other", package) == source


def test_a_cell_that_does_more_than_define_is_run():
    import ast
    assert page_tests.bound_names(ast.parse("a = njit(f)\nb: int = 2\ndef c(): pass")) == ["a", "b", "c"]
    assert page_tests.bound_names(ast.parse("a = njit(f)\na(1)")) is None


def test_the_place_of_compiled_code_follows_the_kernels(package):
    before = caches.kernel_version(package)
    (package / "costboot" / "plain.py").write_text("x = 1\n")
    assert caches.kernel_version(package) == before and len(caches.compiled_modules(package)) == 1
    (package / "costboot" / "room" / "kernels.py").write_text("@compilable\ndef f(): pass\n")
    assert caches.kernel_version(package) != before


def notebook(path, *sources):
    cells = [dict(cell_type="code", id=f"c{i}", metadata={}, execution_count=None, source=s, outputs=[]) for i, s in enumerate(sources)]
    path.write_text(json.dumps(dict(cells=cells, nbformat=4, nbformat_minor=5, metadata={"kernelspec": dict(display_name="python3", language="python", name="python3")})))
    return path


def test_a_bad_page_is_named_and_harms_no_other(tmp_path):
    good = "import os\nimport costboot\nassert not hasattr(costboot, 'spoiled') and 'SPOILED' not in os.environ and 'x' not in globals()"
    pages = [notebook(tmp_path / "spoils.ipynb", "import os\nimport costboot\ncostboot.spoiled = os.environ['SPOILED'] = 'yes'\nx = 1", "#| eval: false\n1 / 0"),
             notebook(tmp_path / "good.ipynb", good), notebook(tmp_path / "fails.ipynb", "x = 1", "x / 0"),
             notebook(tmp_path / "dies.ipynb", "import os\nos._exit(3)"), notebook(tmp_path / "hangs.ipynb", "import time\ntime.sleep(600)"),
             notebook(tmp_path / "last.ipynb", good)]
    told = {path.stem: (passed, said) for path, passed, _, said in page_tests.run_pages(pages, jobs=1, limit=12)}
    assert {name for name, (passed, _) in told.items() if passed} == {"spoils", "good", "last"}
    assert "Cell #2" in told["fails"][1] and "ZeroDivisionError" in told["fails"][1]
    assert "dies.ipynb ended its process with status 3" in told["dies"][1] and "hangs.ipynb ran for more than 12" in told["hangs"][1]


def test_changed_pages_come_first_then_the_slowest(tmp_path):
    a, b, c = (notebook(tmp_path / f"{name}.ipynb", name) for name in "abc")
    known = {str(a): (page_tests.digest(a), 1.0), str(b): (page_tests.digest(b), 9.0), str(c): ("before the change", 0.1)}
    assert page_tests.in_order([a, b, c], known) == [c, b, a]


def test_a_page_is_skipped_only_while_nothing_changes(tmp_path, monkeypatch):
    for room in ("laws", "explorers"): (tmp_path / room).mkdir()
    page = notebook(tmp_path / "laws" / "a.ipynb", "x")
    known = {str(page): (page_tests.digest(page), 1.0)}
    assert page_tests.unchanged(page, known) and not page_tests.unchanged(page, {}) and not page_tests.unchanged(page, {str(page): (None, 1.0)})
    monkeypatch.setattr(seen, "surroundings", lambda *_: "the package has changed")
    assert not page_tests.unchanged(page, known)
    monkeypatch.undo()
    notebook(page, "y")
    assert not page_tests.unchanged(page, known)
    other = notebook(tmp_path / "explorers" / "b.ipynb", "x")  # it reads other pages
    assert not page_tests.unchanged(other, {str(other): (page_tests.digest(other), 1.0)})


@pytest.mark.parametrize(("source", "room"), [
    ("import numpy as np\nnp.zeros(3)", "laws"),
    ("import costboot as cb\ncb.exact_cost", "laws"),
    ("import costboot as cb\ncb.report([])", "reporting"),
    ("import costboot as cb\ncb.folds.fold_outputs", "folds"),
    ("from costboot import exact_cost, exact_coverage", "coverages"),
    ("from costboot.core.law import Law", "laws"),
    ("import costboot.papers.cost_paper", "papers"),
    ("import costboot as cb\nvars(cb)", None),  # the package itself is handed on
    ("import costboot as cb\ncb.no_such_name", None),
    ("import subprocess", None),
    ("from importlib import import_module", None),
    ("import sys\nsys.executable", None),
    ("def test(root): pass", None),
    ("import page_tests", None),
    ("open('nbs/coverages/results/study.npz')", None),
    ("open('../coverages/results/study.npz')", None),
    ("x = (", None),
])
def test_how_far_a_source_of_the_laws_can_see(source, room):
    assert seen.deepest(source, "laws") == (None if room is None else seen.ORDER.index(room))
    assert seen.deepest("x = 1", "project") is None


@pytest.fixture
def small_house(tmp_path):
    "Three rooms, a page and a test in each of them."
    for room in ("core", "laws", "reporting"):
        for folder in ("costboot", "nbs", "tests"): (tmp_path / folder / room).mkdir(parents=True)
        (tmp_path / "costboot" / room / "module.py").write_text("x = 1\n")
        notebook(tmp_path / "nbs" / room / "page.ipynb", "x = 1")
        (tmp_path / "tests" / room / "test_it.py").write_text("def test(): pass\n")
    (tmp_path / "settings.ini").write_text("a")
    (tmp_path / "tools").mkdir()
    return tmp_path


@pytest.mark.parametrize(("changed", "pages", "tests"), [
    ("costboot/reporting/module.py", "reporting", "reporting"),
    ("costboot/laws/module.py", "laws reporting", "laws reporting"),
    ("nbs/core/results.json", "core laws reporting", "core laws reporting"),
    ("nbs/core/page.ipynb", "core", ""),  # a page's text counts for itself, its module for the others
    ("tests/conftest.py", "", "core laws reporting"),
    ("tests/laws/answers.toml", "", "laws"),
    ("tools/page_tests.py", "core laws reporting", ""),
    ("settings.ini", "core laws reporting", "core laws reporting"),
])
def test_a_change_is_seen_in_its_room_and_below(changed, pages, tests, small_house):
    def digests():
        for function in (seen.files_in, seen.places): function.cache_clear()
        return {(kind, room): seen.digest(small_house / kind / room / name, kind == "tests", small_house)
                for kind, name in (("nbs", "page.ipynb"), ("tests", "test_it.py")) for room in ("core", "laws", "reporting")}

    before = digests()
    path = small_house / changed
    if path.suffix == ".ipynb": notebook(path, "y = 2")
    else: path.write_text("changed")
    after = digests()
    assert {key for key in before if before[key] != after[key]} == {("nbs", room) for room in pages.split()} | {("tests", room) for room in tests.split()}
    for function in (seen.files_in, seen.places): function.cache_clear()


def test_outcomes_of_test_files(tmp_path):
    report = tmp_path / "tests.xml"
    report.write_text("""<testsuites><testsuite><testcase file="tests/a/test_a.py" name="x"/><testcase file="tests/a/test_a.py" name="y"><failure/></testcase>
        <testcase file="tests/b/test_b.py" name="x"><skipped/></testcase><testcase classname="tests.c.test_c" name=""><error/></testcase></testsuite></testsuites>""")
    assert check.outcomes(report) == {"tests/a/test_a.py": False, "tests/b/test_b.py": True, "tests/c/test_c.py": False}


def test_a_stale_text_is_found():
    def page(text, picture): return dict(cells=[dict(cell_type="code", outputs=[dict(output_type="display_data", data={"text/plain": text, "image/png": picture})])])
    assert list(run_notebooks.differences(page("same\nold", "a"), page("same\nnew", "b"))) == ["cell 1: stored 'old', now 'new'"]
    assert list(run_notebooks.differences(page("same", "a"), page("same", "b"))) == []


def test_check_writes_nothing(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(run_notebooks.ROOT)
    page = notebook(tmp_path / "page.ipynb", "print('now')")
    before = page.read_bytes()
    assert run_notebooks.main(["--check", str(page)]) == 1
    assert "cell 1: stored '(nothing)', now 'now'" in capsys.readouterr().out and page.read_bytes() == before
