"""The search of the site: what readers type finds the page that answers, and finds it first.

The index is searched by Fuse, the program that Quarto's pages use, with Quarto's settings; it comes from npm, as MathJax does. Without npm and node the test is skipped
with a sentence; under continuous integration (`CI` set) it fails instead.
"""

import json
import os
import shutil
import subprocess

import check_pages
import layout
import pytest
import search_index

FUSE = "fuse.js@6.6.2"
SEARCH = """
const Fuse = require(process.argv[1]), fs = require("fs"), told = JSON.parse(fs.readFileSync(0, "utf8"));
const fuse = new Fuse(told.index, { keys: [{ name: "title", weight: 20 }, { name: "section", weight: 20 }, { name: "text", weight: 10 }],
                                    ignoreLocation: true, threshold: 0.1, isCaseSensitive: false, shouldSort: true, minMatchCharLength: 2 });
console.log(JSON.stringify(told.words.map(w => fuse.search(w, { limit: 20 }).map(r => r.item.href))));
"""
WORDS = {  # what is typed, and the page that must come first
    "exact_cost": "api/exact_cost", "exact_auc": "api/exact_auc", "compare roc curves": "api/exact_auc_difference", "compare two ROC curves": "api/exact_auc_difference",
    "mcnemar": "api/exact_cost_difference", "delong": "api/exact_auc_difference", "sample size": "api/exact_coverage", "decision curve": "api/exact_net_benefit", "net benefit": "api/exact_net_benefit",
    "precision": "api/exact_measure", "f1": "api/exact_measure", "kappa": "api/exact_measure", "auroc": "api/exact_auc", "holm": "api/compare_costs", "top k": "api/exact_rates_at_budget",
    "cross-validation": "api/assess", "youden": "api/optimal_thresholds", "clustered data": "laws/clusters", "confidence band": "laws/bands", "which interval": "coverages/which_interval", "PR curve": "laws/precision_recall",
    "load_uci": "api/load_uci", "law.interval": "api/Law"}


@pytest.fixture(scope="module")
def search():
    "A function that gives the pages for each word, the best one first."
    node, script = shutil.which("node"), layout.package(FUSE, "dist/fuse.common.js")
    if not node or not script:
        if not os.environ.get("CI"): pytest.skip("no Fuse: npm or node is not installed or not connected")
        pytest.fail("Fuse is missing; continuous integration has to install npm")
    def found(index, words):
        done = subprocess.run([node, "-e", SEARCH, str(script)], input=json.dumps(dict(index=index, words=list(words))), text=True, capture_output=True, check=True)
        return dict(zip(words, json.loads(done.stdout)))
    return found


def test_twenty_words_find_their_page(trial, project_copy, search):
    index = search_index.entries(project_copy / "_proc", search_index.read_synonyms(project_copy))
    wrong = [f"{word}: {found[:3]} instead of {WORDS[word]}" for word, found in search(index, WORDS).items() if not found or found[0].split(".html")[0] != WORDS[word]]
    assert len(WORDS) >= 20 and not wrong, "\n".join(wrong)
    assert len(json.dumps(index)) < 1_250_000 and not any("import " in e["text"] and "numpy as np" in e["text"] for e in index), "code is in the index"


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
