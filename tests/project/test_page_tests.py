"""The runner of the pages: what it replaces, what it reports, and that one page cannot harm another; stale outputs are found."""

import json

import caches
import page_tests
import pytest
import run_notebooks

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
    monkeypatch.setattr(page_tests, "surroundings", lambda: "the package has changed")
    assert not page_tests.unchanged(page, known)
    monkeypatch.undo()
    notebook(page, "y")
    assert not page_tests.unchanged(page, known)
    other = notebook(tmp_path / "explorers" / "b.ipynb", "x")  # it reads other pages
    assert not page_tests.unchanged(other, {str(other): (page_tests.digest(other), 1.0)})


def test_the_surroundings_of_a_page_are_its_package_and_settings(tmp_path):
    (tmp_path / "costboot").mkdir()
    (tmp_path / "settings.ini").write_text("a")
    seen = [page_tests.surroundings(tmp_path)]
    for path in (tmp_path / "costboot" / "module.py", tmp_path / "settings.ini", tmp_path / "costboot" / "data.json"):
        path.write_text("changed")
        page_tests.surroundings.cache_clear()
        seen.append(page_tests.surroundings(tmp_path))
    (tmp_path / "costboot" / "page.ipynb").write_text("a page's text counts for itself")
    page_tests.surroundings.cache_clear()
    assert len(set(seen)) == 4 and page_tests.surroundings(tmp_path) == seen[-1]
    page_tests.surroundings.cache_clear()


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
