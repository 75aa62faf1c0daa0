"""The grid of intervals, on designs so small that they need not be marked slow; designs as data."""

import numpy as np
import pytest
from scipy import stats

import costboot as cb
from costboot.coverages import interval_grid
from costboot.coverages.interval_grid import (
    GRID, _Design, _grid_costs, _grid_differences, _grid_rates, _grid_vertical,
    proportion_coverage,
)
from costboot.coverages.simulated import Design, setting_seed

DESIGN = _Design(40, 0.5, 1.5)


def rows_by_name(rows): return {(row["target"], row["method"]): row for row in rows}


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


# --- designs ---------------------------------------------------------------------------------------------------------
def test_settings_are_numbered_in_the_whole_list():
    design = Design("a test", seed=3, varied={"a": (1, 2), "b": ("x", "y", "z")}, quick={"only": (4,), "n_simulations": 5})
    assert [s.values for s in design.settings()] == [{"a": a, "b": b} for a in (1, 2) for b in "xyz"]
    (one,) = design.chosen(quick=True).settings()
    assert one == design.settings()[4] and one.number == 4 and one.place == (1, 1)
    assert design.chosen(quick=True, seed=8).seed == 8 and design.chosen().n_simulations == 1000 and len(design.x) == 99


def test_a_quick_run_replaces_known_entries_only():
    with pytest.raises((TypeError, ValueError)): Design("a test", seed=3, varied={}, quick={"simulations": 5}).chosen(quick=True)


def test_settings_have_seeds_of_their_own():
    states = {tuple(setting_seed(7, i, j).generate_state(4)) for i in range(4) for j in range(4)}
    assert len(states) == 16
