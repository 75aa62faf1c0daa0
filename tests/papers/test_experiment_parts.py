"""Parts of the long experiments, on designs so small that they need not be marked slow."""

import numpy as np
import pytest
from scipy import stats

import costboot as cb
from costboot.coverages import interval_grid
from costboot.coverages.exact_paired import shifted_pair
from costboot.coverages.interval_grid import (
    GRID, _Design, _grid_costs, _grid_differences, _grid_rates, _grid_vertical,
    proportion_coverage,
)
from costboot.papers import assessment_chapter, roc_paper
from costboot.papers.registry import run_experiment
from costboot.papers.assessment_chapter import _TestSet, _interval_trial
from costboot.laws.fixed_fpr_paired import paired_ranks

DESIGN = _Design(40, 0.5, 1.5)


def rows_by_name(rows): return {(row["target"], row["method"]): row for row in rows}


# --- which interval --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("limits", [cb.laws.wilson_interval, cb.laws.clopper_pearson_interval])
def test_coverage_of_an_interval_of_a_proportion_by_brute_force(limits):
    n, rates = 9, np.array([0.1, 0.5, 0.83])
    low, high = limits(np.arange(n + 1), n, 0.8)
    pmf = stats.binom.pmf(np.arange(n + 1), n, rates[:, None])
    covered, width = proportion_coverage(limits, rates, n, 0.8)
    np.testing.assert_allclose(covered, (pmf * ((low <= rates[:, None]) & (rates[:, None] <= high))).sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(width, pmf @ (high - low), rtol=1e-12)


def test_the_grid_of_costs_and_of_rates():
    "Every method has a row; clopper-pearson never covers less than it promises, and is the widest interval of a rate."
    costs, rates = rows_by_name(_grid_costs(DESIGN, 0.9)), rows_by_name(_grid_rates(DESIGN, 0.9))
    assert set(costs) == {("cost", m) for m in ("wald", "agresti", "exact", "agresti-caffo")}
    assert set(rates) == {(t, m) for t in ("tpr", "fpr") for m in ("wald", "agresti", "exact", "wilson", "clopper-pearson")}
    assert all(len(row["coverage"]) == len(row["x"]) == len(row["width"]) and row["n"] == 40 and row["n_simulations"] == 0 for row in (*costs.values(), *rates.values()))
    for target in ("tpr", "fpr"):
        assert min(rates[target, "clopper-pearson"]["coverage"]) >= 0.9
        assert (np.array(rates[target, "clopper-pearson"]["width"]) >= np.array(rates[target, "wilson"]["width"]) - 1e-9).all()


def test_the_grid_of_differences():
    "Sums where there are sums, a simulation where there is none, and both cover about as often as they promise in the middle."
    found = rows_by_name(_grid_differences(DESIGN, 0.9, 60, np.random.SeedSequence(1)))
    assert set(found) == {(t, m) for t in ("equal costs", "cost difference") for m in ("wald", "agresti", "exact")}
    for (_, method), row in found.items():
        assert row["n_simulations"] == (60 if method == "exact" else 0)
        assert row["coverage"][3] > 0.9 - 5 * np.sqrt(0.09 / 60) and 0 < row["width"][3] < 1


def test_the_grid_of_vertical_rates():
    "The simulated exact intervals include the kernel's where there are enough positives, and not for large test sets."
    few = rows_by_name(_grid_vertical(_Design(40, 0.5, 1.5), 0.9, 60, np.random.SeedSequence(2)))
    enough = rows_by_name(_grid_vertical(_Design(60, 0.5, 1.5), 0.9, 60, np.random.SeedSequence(2)))
    assert ("vertical tpr", "kernel") not in few and enough["vertical tpr", "kernel"]["n_simulations"] == 6
    np.testing.assert_allclose(20 * np.array(few["vertical tpr", "wald"]["x"]), [1, 2, 4, 10, 16])  # whole numbers of negatives
    for row in few.values(): assert row["coverage"][3] > 0.9 - 5 * np.sqrt(0.09 / 60)


def test_the_whole_grid_asks_for_every_design(monkeypatch):
    asked = []
    for name in ("_grid_costs", "_grid_rates", "_grid_differences", "_grid_vertical"):
        monkeypatch.setattr(interval_grid, name, lambda design, level, *more, name=name: asked.append((name, design, level, *(m.entropy if hasattr(m, "entropy") else m for m in more))) or [name])
    quick, whole = (interval_grid.measure_intervals(GRID.chosen(quick=q), progress=False) for q in (True, False))
    assert len(quick["rows"]) == 2 * 6 and len(whole["rows"]) == 24 * 6
    assert quick["settings"]["n_simulations"] == 100 and whole["settings"]["n_simulations"] == 500
    whole = asked[12:]
    assert len({a[1] for a in whole}) == 24 and {a[1].n for a in whole} == {50, 500, 5000} and {a[2] for a in whole if a[0] == "_grid_rates"} == {0.9, 0.95}
    seeds = [a[4] for a in whole if len(a) > 4]
    assert len(seeds) == 48 and len(set(map(tuple, seeds))) == 48, "every simulation has its own seed"


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
