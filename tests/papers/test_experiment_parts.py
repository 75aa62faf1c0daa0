"""Parts of the long experiments, on designs so small that they need not be marked slow."""

import numpy as np
import pytest

import costboot as cb
from costboot.coverages.exact_paired import shifted_pair
from costboot.papers import assessment_chapter, roc_paper
from costboot.papers.registry import run_experiment
from costboot.papers.assessment_chapter import _TestSet, _interval_trial
from costboot.laws.fixed_fpr_paired import paired_ranks


# --- intervals of assessments ----------------------------------------------------------------------------------------
def test_one_trial_of_the_intervals():
    "Differences are differences, standard errors are positive, and the truth of the error rate is near the best possible."
    classes, rng = cb.Multinormal(2, 4.0), np.random.default_rng(3)
    test = _TestSet.draw(classes, 400, rng)
    found = _interval_trial(classes, 15, 60, test, rng)
    assert set(found) == {(m, r) for m in ("auc", "error") for r in ("LDA", "QDA", "difference")}
    for metric in ("auc", "error"):
        one, two, gap = (found[metric, rule] for rule in ("LDA", "QDA", "difference"))
        np.testing.assert_allclose(gap[:2], np.subtract(one[:2], two[:2]), rtol=0, atol=1e-12)
        assert min(one[3:]) >= 0 and one[3] > 0 and np.isfinite(one[3:]).all()
    assert classes.bayes_error - 0.05 < found["error", "LDA"][0] < 0.4 and 0.6 < found["auc", "LDA"][0] <= 1


def test_coverage_of_intervals_with_known_standard_errors(monkeypatch):
    "Normal estimates: a right standard error covers 95 %, one of zero nothing, one that is not available has no row."
    def trial(classes, n, n_resamples, test, rng): return {("auc", "LDA"): (rng.normal(0, 1e-9), rng.normal(), np.nan, 1.0, 0.0, 1e9)}
    monkeypatch.setattr(assessment_chapter, "_interval_trial", trial)
    found = assessment_chapter.intervals(quick=False, progress=False)
    rows = {(row["size"], row["se"]): row for row in found["rows"]}
    assert set(rows) == {(n, kind) for n in (20, 50, 100) for kind in ("plain", "corrected", "direct")} and found["settings"]["trials"] == 1000
    for n in (20, 50, 100):
        for kind, expected in (("plain", 0.95), ("corrected", 0.0), ("direct", 1.0)):
            for name in ("covers_mean", "covers_own_mean", "covers_conditional"): assert rows[n, kind][name] == pytest.approx(expected, abs=0.035)
        assert rows[n, "plain"]["sd"] == pytest.approx(1, abs=0.1) and rows[n, "plain"]["mean_se"] == 1 and rows[n, "plain"]["sd_se"] == 0


# --- times -----------------------------------------------------------------------------------------------------------
def test_the_algorithms_that_are_timed_give_the_laws():
    "Limits are in order, probabilities are probabilities, and all thresholds together have probability one."
    calls = roc_paper._timed_calls(12)
    for name in ("Alg. 1", "Alg. 3"):
        for low, high in calls[name](): assert (low <= high).all()
    for name in ("Alg. 4", "Alg. 5, here"):
        low, high = calls[name]()
        assert (low <= high).all()
    quadrants = calls["Alg. 2"]()
    assert np.all(np.asarray(quadrants) >= 0) and np.all(np.asarray(quadrants) <= 1 + 1e-12)
    table = calls["Alg. 5, as printed"]()
    y, s, z = shifted_pair(1.0, 0.6).sample(12, rng=1)
    partner = paired_ranks(y, s, z, 1, None)[2]
    assert sorted(partner) == list(range(1, 13)) and table.shape == (13, 13, 13)
    np.testing.assert_allclose(table[1:, 12, 12], 1, atol=1e-12)


def test_times_are_taken_at_every_size(monkeypatch):
    asked = []
    monkeypatch.setattr(roc_paper, "_timed_calls", lambda n: {name: lambda name=name: asked.append((name, n)) for name in ("Alg. 1", "Alg. 2", "Alg. 3", "Alg. 4", "Alg. 5, here", "Alg. 5, as printed")})
    rows = run_experiment("roc-table1", quick=True, progress=False)["rows"]
    assert [(r["algorithm"], r["n"]) for r in rows][-2:] == [("Alg. 5, as printed", 2), ("Alg. 5, as printed", 5)] and len(rows) == 12
    assert all(r["seconds"] >= 0 for r in rows) and len(asked) == 4 * 12, "once to compile, three times for the clock"
    assert len(run_experiment("roc-table1", progress=False)["rows"]) == 18
