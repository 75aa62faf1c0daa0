"""The derivations that are printed on the pages are judged by the checker: which ones, and that a misprint in them would be seen.

A cell that begins with `# checked: eq-..., eq-...` states the displayed equations of its page as a derivation; the pages run these cells. Here is the list,
so that none gets lost, and the negative control.
"""

import ast
import json
import re

import pytest
from conftest import ROOT

from costboot.teaching.derivation_checks import check_derivation

CHECKED = {  # page -> equations that a cell of the page puts to the checker
    "core/05_lattice_laws": ["eq-binomial-moments", "eq-trinomial-moments"],
    "folds/02_operating_points": ["eq-dependent"],
    "laws/00_cost_stratified": ["eq-cost-moments", "eq-cost-difference", "eq-difference-moments"],
    "laws/01_cost_full": ["eq-full-cost", "eq-form-moments", "eq-paper-full", "eq-full-difference"],
    "laws/03_thresholds": ["eq-naive", "eq-dominance"],
    "laws/04_fixed_fpr": ["eq-threshold-law", "eq-mixture", "eq-vertical-moments"],
    "laws/05_fixed_fpr_paired": ["eq-both"],
    "laws/07_auc": ["eq-auc-star", "eq-auc-var"],
    "numerics/04_threshold_pairs": ["eq-reach"],
    "retrained/00_statistics": ["eq-jackknife", "eq-linear", "eq-influence", "eq-ij"],
    "retrained/02_error_rate": ["eq-loob"],
}
MARK = re.compile(r"\A# checked: (eq-[\w-]+(?:, eq-[\w-]+)*)\n")


def cells(page): return json.loads((ROOT / "nbs" / f"{page}.ipynb").read_text(encoding="utf8"))["cells"]


def lessons(page):
    "The equations and the derivation of each marked cell of a page, and its setting."
    for cell in cells(page):
        text = "".join(cell["source"])
        if cell["cell_type"] != "code" or not (mark := MARK.match(text)): continue
        call = next(n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "check_derivation")
        yield mark[1].split(", "), ast.literal_eval(call.args[0]), {k.arg: ast.literal_eval(k.value) for k in call.keywords}


def test_the_list_is_that_of_the_pages():
    pages = sorted(p.relative_to(ROOT / "nbs").with_suffix("").as_posix() for p in (ROOT / "nbs").glob("*/*.ipynb"))
    found = {page: [name for names, _, _ in lessons(page) for name in names] for page in pages}
    assert {page: names for page, names in found.items() if names} == CHECKED


@pytest.mark.parametrize("page", CHECKED)
def test_a_misprint_would_be_seen(page):
    "The equations are on the page; the derivation holds; and no step of it can be changed without being refused."
    text = "".join("".join(c["source"]) for c in cells(page) if c["cell_type"] == "markdown")
    for names, derivation, setting in lessons(page):
        assert all(f"{{#{name}}}" in text for name in names)
        verdict = check_derivation(derivation, **setting)
        assert verdict, verdict.message
        lines = derivation.rstrip().split("\n")
        for line in {step.line for step in verdict.steps}:
            after = next((k for k in range(line, len(lines)) if not lines[k].lstrip().startswith(("+", "-"))), len(lines))
            misprint = "\n".join([*lines[:after], "  + 1/7", *lines[after:]])  # the right side of the last step of that line is off by a seventh
            assert not check_derivation(misprint, **setting), misprint
