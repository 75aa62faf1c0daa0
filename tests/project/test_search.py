"""The search of the site: what readers type finds the page that answers, and finds it first.

The index is searched by Fuse, the program that Quarto's pages use, with Quarto's settings; it comes from npm, as MathJax does. Without npm and node the test is skipped
with a sentence; under continuous integration (`CI` set) it fails instead.
"""

import json
import os
import shutil

import check_pages
import pytest
import search_index


@pytest.fixture(scope="module")
def search():
    "The search, where it can run."
    if not shutil.which("node") or not search_index.fuse():
        if not os.environ.get("CI"): pytest.skip("no Fuse: npm or node is not installed or not connected")
        pytest.fail("Fuse is missing; continuous integration has to install npm")
    return search_index.search


def test_twenty_words_find_their_page(trial, project_copy, search):
    index = search_index.entries(project_copy / "_proc", search_index.read_synonyms(project_copy))
    wrong = list(search_index.misses(index))
    assert len(search_index.WORDS) >= 20 and not wrong, "\n".join(wrong)
    assert len(json.dumps(index)) < 1_250_000 and not any("import " in e["text"] and "numpy as np" in e["text"] for e in index), "code is in the index"
    assert next(search_index.misses(index, {"mcnemar": "api/report"})).startswith("the search for 'mcnemar' finds ['api/exact_cost_difference")


def test_what_is_not_there_is_not_found(search):
    index = [dict(href="a.html", title="Costs", section="", text="x"), dict(href="b.html", title="Curves", section="Costs of errors", text="y")]
    assert search(index, ["costs", "zebra"]) == {"costs": ["a.html", "b.html"], "zebra": []}


def test_entries(tmp_path):
    "A page, its sections and its phrases; no code, no formulas, no marks."
    cells = [dict(cell_type="raw", metadata={}, source="---\ntitle: Laws\ndescription: What they are.\noutput-file: laws.html\n---\n"),
             dict(cell_type="markdown", metadata={}, source="A *law* of [costs](x.ipynb), $$ x^2 $$ {#eq-x}\n\n```python\nimport numpy as np\n```\n\n## One `name`\n\nText with $p$."),
             dict(cell_type="code", metadata={}, source="hidden_code()", outputs=[])]
    (tmp_path / "laws").mkdir()
    (tmp_path / "laws" / "00_laws.ipynb").write_text(json.dumps(dict(cells=cells, metadata={}, nbformat=4, nbformat_minor=5)))
    found = search_index.entries(tmp_path, {"laws/00_laws.ipynb": ["McNemar"]})
    assert [(e["href"], e["title"], e["section"], e["text"]) for e in found] == [
        ("laws/laws.html", "Laws", "", "What they are. A law of costs,"), ("laws/laws.html#one-name", "Laws", "One name", "Text with p ."), ("laws/laws.html", "Laws", "McNemar", "What they are.")]
    assert len({e["objectID"] for e in found}) == 3 and check_pages.heading_id("One `name`") == "one-name"
    with pytest.raises(ValueError, match=r"`synonyms` must name pages; got gone\.ipynb"): search_index.entries(tmp_path, {"gone.ipynb": ["x"]})
