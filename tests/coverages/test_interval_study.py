"""The study of intervals: stored numbers computed again, designs by brute force, the command; designs of experiments as data."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

import costboot as cb
from costboot.coverages.exact import exact_coverage
from costboot.coverages.interval_study import (
    LEVELS, TARGETS, _budget_truth, _cost, _packed, study_file, _unpacked, load_study, main, measure_target, save_study, study_designs,
)
from costboot.coverages.simulated import Design, setting_seed
from costboot.coverages.which_interval import interval_table


@pytest.fixture(scope="module")
def study(): return load_study()


# --- what is stored ---------------------------------------------------------------------------------------------------
def test_the_stored_study_is_complete_and_compact(study):
    assert list(study) == list(TARGETS)
    assert study["cost"].times.sum() >= 60_000 and study_file().stat().st_size < 1_600_000
    for name, part in study.items():
        assert part.coverage.shape == (len(study_designs(name)), len(LEVELS), len(TARGETS[name].methods)) == part.width.shape
        assert part.coverage.min() >= 0 and part.coverage.max() <= 1 and "recommended" in part.methods


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow if name == "tpr difference" else []) for name in TARGETS])
def test_stored_numbers_can_be_computed_again(study, name):
    "The same seeds give the same test sets, so drawn coverages agree as sums do; another design would not."
    part, count = study[name], 6 if TARGETS[name].exact else 1
    numbers = np.random.default_rng(1).choice(len(part.designs), count, replace=False)
    if name == "small cost": numbers = np.arange(49)  # of one table; another takes as long again
    again = measure_target(name, numbers=numbers, progress=False)
    np.testing.assert_allclose(again[..., 0], part.coverage[numbers], atol=1.1e-4)
    base = part.methods.index("recommended")
    np.testing.assert_allclose(again[..., base, 1], part.width[numbers][..., base], rtol=1e-3)
    assert abs(again[..., 0] - part.coverage[(numbers + len(part.designs) // 2) % len(part.designs)]).max() > 1e-3


@pytest.mark.parametrize(("name", "least"), [
    ("cost", (0.87, 0.91, 0.94)), ("paired", (0.87, 0.92, 0.97)), ("full cost", (0.87, 0.92, 0.97)), ("full difference", (0.87, 0.92, 0.97)),
    ("tpr at fpr", (0.86, 0.92)), ("auc", (0.86, 0.92)), ("unpaired", (0.87, 0.92, 0.97)), ("unpaired cost", (0.87, 0.92, 0.97)),
    ("small cost", (0.87, 0.92, 0.97)), ("budget", (0.87, 0.92, 0.97)),
])
def test_recommended_intervals_reach_their_targets(study, name, least):
    for level, value in zip(LEVELS, least):
        row = study[name].summary(level).loc["recommended"]
        assert row["worst coverage"] >= value and row["share > .02 short"] <= 0.01
        assert study[name].worst(level)["coverage"] == pytest.approx(row["worst coverage"])
    assert study[name].summary(0.9)["worst coverage"].drop("recommended").min() < least[0], "a method that breaks must be seen to break"


def test_a_stored_study_of_other_methods_is_refused(tmp_path, monkeypatch):
    found = measure_target("auc difference", numbers=np.arange(2), draws=20, progress=False)
    path = save_study({"auc difference": found}, 20, tmp_path / "few.npz")
    with pytest.raises(ValueError, match="was made for other designs or methods of 'auc difference'; make it again with"): load_study(path)


def test_packing_keeps_what_it_says():
    rng = np.random.default_rng(2)
    found = np.stack([rng.uniform(0, 1, (5, 3, 4)), np.exp(rng.uniform(-4, -3, (5, 3, 4)))], axis=-1)
    found[0, 0, 1, 1] = 0.0
    coverage, width = _unpacked(_packed(found, 2))
    np.testing.assert_allclose(coverage, found[..., 0], atol=0.5001e-4)
    np.testing.assert_allclose(width[..., 2], found[..., 2, 1], rtol=2e-4)
    np.testing.assert_allclose(width, found[..., 1], rtol=6e-3)


# --- what is computed -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("design", [(4, 6, 0.1, 0.02, 0.3), (5, 5, 0.5, 0.2, 0.95), (3, 7, 0.01, 0.5, 0.5)])
def test_costs_against_the_law_itself(design):
    "Every test set of two small classes, given to `exact_cost`, whose intervals are looked at."
    n_pos, n_neg, p, q, w = design
    methods, y, truth = ("recommended", "conservative", "wald", "price-bonett"), np.repeat([1, 0], [n_pos, n_neg]), w * p + (1 - w) * q
    total = np.zeros((len(LEVELS), len(methods), 2))
    for a in range(n_pos + 1):
        for b in range(n_neg + 1):
            s = np.concatenate([np.arange(n_pos) >= a, np.arange(n_neg) < b]).astype(float)
            law, chance = cb.exact_cost(y, s, [w], 0.5), stats.binom.pmf(a, n_pos, p) * stats.binom.pmf(b, n_neg, q)
            for i, level in enumerate(LEVELS):
                for j, method in enumerate(methods):
                    (low,), (high,) = law.interval(level, "agresti" if method == "price-bonett" else method)
                    total[i, j] += chance * np.array([low - 1e-12 <= truth <= high + 1e-12, high - low])
    found = _cost(np.array(design), 0, None, methods)
    np.testing.assert_allclose(found[..., 0], total[..., 0], atol=1e-8)
    np.testing.assert_allclose(found[..., 1], total[..., 1], rtol=2e-3)


@pytest.mark.parametrize("k", [0, 333, 500, 640, 998])
def test_exact_sums_of_vertical_intervals_agree_with_draws(study, k):
    part = study["tpr at fpr"]
    n_pos, n_neg, rank, d, s = part.designs[k]
    truth = SimpleNamespace(roc=lambda f: stats.norm.cdf((d + stats.norm.ppf(f)) / s))
    for i, level in enumerate(LEVELS):
        sums = exact_coverage(truth, int(n_pos), int(n_neg), "vertical", fpr=[rank / n_neg], confidence_level=level, method=("recommended", "conservative"))
        for name, found in sums.items():
            drawn, width = (values[k, i, part.methods.index(name)] for values in (part.coverage, part.width))
            assert abs(found.coverage[0] - drawn) < 4.5 * np.sqrt(max(found.coverage[0] * (1 - found.coverage[0]), 1e-4) / 20_000) + 1e-4
            if name == "recommended": assert found.width[0] == pytest.approx(width, rel=0.03)  # others are stored as ratios, at most 3.6
            assert found.below[0] + found.above[0] + found.coverage[0] == pytest.approx(1)


def test_a_vertical_coverage_needs_no_method():
    found = exact_coverage(cb.Binormal(1.0), 30, 20, "vertical", fpr=[0.1, 0.5])
    assert found.method == "recommended" and (found.coverage > 0.88).all() and (found.width > 0).all()
    assert exact_coverage(cb.Binormal(1.0), 30, 20, "vertical", fpr=[0.1], width=False).width is None


def test_guaranteed_costs_hold_and_the_others_are_as_in_the_large_grid(study):
    small, cost = study["small cost"], study["cost"]
    for i, level in enumerate(LEVELS): assert small.coverage[:, i, small.methods.index("guaranteed")].min() >= level - 1e-4
    k = np.flatnonzero((abs(cost.designs - [10, 25, 0.02, 0.05, 0.3]) < 1e-9).all(axis=1))[0]
    j = np.flatnonzero((abs(small.designs - [10, 25, 0.02, 0.05, 0.3]) < 1e-9).all(axis=1))[0]
    for name in small.methods[:-1]:
        np.testing.assert_array_equal(small.coverage[j, :, small.methods.index(name)], cost.coverage[k, :, cost.methods.index(name)])


def test_the_number_of_processes_does_not_matter():
    one, two = (measure_target("tpr at fpr", numbers=np.arange(20), draws=50, n_jobs=jobs, progress=False) for jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_a_budget_means_its_threshold():
    tpr, precision = _budget_truth(30, 70, 0.1, 1.5)
    t = 1.5 - stats.norm.ppf(tpr)
    assert 0.3 * tpr + 0.7 * stats.norm.sf(t) == pytest.approx(0.1) and precision == pytest.approx(0.3 * tpr / 0.1)


def test_the_quick_command(capsys):
    assert main(["--quick", "rate", "auc difference"]) == 0
    told = capsys.readouterr().out
    assert "rate: 6 designs, recommended covers at least" in told and "auc difference" in told and "written" not in told


def test_the_command_in_two_processes():
    command = [sys.executable, "-m", "costboot.coverages.interval_study", "--quick", "--jobs", "2", "rate"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "rate: 6 designs" in done.stdout


def test_an_unknown_target_is_named(capsys):
    with pytest.raises(SystemExit): main(["cots"])
    assert "no such target: cots; the targets are rate, cost" in capsys.readouterr().err


def test_interval_table_sums_to_known_coverages():
    table = interval_table(30, 50, 0.1, 0.04, w=0.3, confidence_level=0.95)
    assert (table.coverage.between(0, 1) & (table.width > 0)).all()
    k = np.arange(51)
    for method, name in (("wilson", "wilson"), ("conservative", "clopper-pearson"), ("recommended", "mid-p")):
        low, high = cb.core.rate_interval(k, 50, 0.95, name)
        expected = stats.binom.pmf(k, 50, 0.04) @ ((low <= 0.04) & (0.04 <= high))
        assert table.loc[("false positive rate", method), "coverage"] == pytest.approx(expected, abs=1e-10)
    assert table.loc[("true positive rate", "conservative"), "coverage"] >= 0.95
    sums = exact_coverage(([0.04], [0.9]), 30, 50, w=[0.3], confidence_level=0.95)
    assert table.loc[("cost", "recommended"), "coverage"] == sums.coverage[0]


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
