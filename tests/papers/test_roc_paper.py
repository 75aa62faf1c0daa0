"""Exact coverages of the ROC paper's designs, and the stored results of its experiments."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from costboot.core.checks import check_choice
from costboot.coverages.exact import exact_coverage
from costboot.data.score_models import Binormal, BinormalPair
from costboot.core.lattice_laws import BinomialProportion, TrinomialDifference
from costboot.coverages.exact_paired import (
    _all_pairs, _empirical_rate, _pair_lengths, _pair_weights, _tail_ranks, empirical_coverage,
    exact_paired_coverage,
)
from costboot.papers.registry import EXPERIMENTS, load_result, run_experiment
from costboot.papers.roc_paper import _gaussian_rate, _random_sizes, _vertical_ranks

METHODS = ("agresti", "empirical", "exact", "wald")
PAIR = BinormalPair(Binormal(1.0, 3.75, 3.0), Binormal(3.0, 3.75, 3.0, loc_neg=-1.0), correlation=0.6)


# --- exact coverages against plain loops ----------------------------------------------------------------------------

@given(st.one_of(st.sampled_from([0.0, 1.0]), st.floats(1e-9, 1 - 1e-9)), st.integers(1, 60), st.sampled_from(["agresti", "wald"]), st.floats(0.5, 0.99))
@settings(max_examples=80, deadline=None)
def test_closed_form_is_the_sum_over_counts(rate, n, method, level):
    k = np.arange(n + 1)
    mean, var = BinomialProportion(x=k, count=k, n=n, m=n)._moments(method)  # the paper's interval, which may exclude its estimate
    low, high = (np.clip(mean + z * np.sqrt(var), 0, 1) for z in stats.norm.ppf([(1 - level) / 2, (1 + level) / 2]))
    gaps = np.concatenate([abs(low - rate), abs(high - rate)])
    if gaps[gaps > 0].min(initial=1) < 1e-9: return  # a limit that touches the rate: either answer is right
    wanted = stats.binom.pmf(k, n, rate) @ ((low <= rate) & (rate <= high))
    np.testing.assert_allclose(_gaussian_rate(rate, n, level, method), wanted, atol=1e-10)


@pytest.mark.parametrize("rate, n, B, level", [(0.3, 3, 4, 0.5), (1 / 3, 3, 5, 0.4), (0.5, 2, 6, 0.6), (0.0, 3, 3, 0.5), (1.0, 3, 3, 0.5)])
def test_empirical_coverage_by_listing_every_draw(rate, n, B, level):
    total, (r, s) = 0.0, _tail_ranks(level, B)
    for k in range(n + 1):
        pmf = stats.binom.pmf(np.arange(n + 1), n, k / n)
        for draws in product(range(n + 1), repeat=B):
            ordered = np.sort(draws) / n
            if ordered[r - 1] <= rate + 1e-12 and rate - 1e-12 <= ordered[s - 1]: total += stats.binom.pmf(k, n, rate) * pmf[list(draws)].prod()
    np.testing.assert_allclose(_empirical_rate(rate, n, level, B), total, atol=1e-12)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, np.sqrt(0.9), 0.99])
@pytest.mark.parametrize("B", [1, 7, 100, 399])
def test_the_ranks_are_those_of_the_interval(level, B):
    law = BinomialProportion(x=[0], count=[17], n=60, m=60)
    drawn, (r, s) = np.sort(law.rvs(B, 3)[:, 0]), _tail_ranks(level, B)
    low, high = law.interval(level, "empirical", n_resamples=B, rng=3)
    assert (low[0], high[0]) == (min(drawn[r - 1], law.mean[0]), max(drawn[s - 1], law.mean[0]))  # an interval contains its estimate


@pytest.mark.parametrize("method", METHODS)
def test_paired_coverage_by_listing_every_test_set(method):
    n, level, B = 4, 0.8, 9
    side, (r, s) = np.sqrt(level), _tail_ranks(np.sqrt(level), B)
    wanted = np.ones(2)
    for positive in (False, True):
        only_1, only_2 = PAIR.disagreement(-0.3, 0.4, positive)
        truth, hit = only_1 - only_2, np.zeros(2)
        for a, c in product(range(n + 1), repeat=2):
            if a + c > n: continue
            weight = stats.multinomial.pmf([a, c, n - a - c], n, [only_1, only_2, 1 - only_1 - only_2])
            law = TrinomialDifference(x=[0], count_1=[a], count_2=[c], n=n, m=n)
            if method == "empirical":
                F = law.cdf(truth)[0]
                hit[0] += weight * (stats.binom.sf(r - 1, B, F) - stats.binom.sf(s - 1, B, F))
                values, pmf = law.support(0)
                reached = np.minimum(np.cumsum(pmf), 1)
                low, high = (values @ np.diff([0, *stats.binom.sf(rank - 1, B, reached)]) for rank in (r, s))  # means of the two limits
                hit[1] += weight * (high - low)
            else:
                low, high = law.interval(side, method)
                hit += weight * np.array([low[0] <= truth <= high[0], high[0] - low[0]])
        wanted *= hit
    found = exact_paired_coverage(PAIR, -0.3, 0.4, n, confidence_level=level, method=method, n_resamples=B)
    np.testing.assert_allclose([found.coverage[0], found.width[0]], wanted, rtol=1e-9)
    assert found.se[0] == 0 and found.n_simulations == 0 and found.method == check_choice(method, "method", METHODS)


def test_misses_and_coverage_add_up_for_a_single_axis():
    "With identical negatives and one threshold, ΔFPR is 0 and the two sides miss equally often."
    pair = BinormalPair(Binormal(2.0), Binormal(2.0), correlation=0.3)
    for method in METHODS:
        found = exact_paired_coverage(pair, [0.0, 1.0], [0.0, 1.0], 30, method=method)
        np.testing.assert_allclose(found.below, found.above, atol=1e-10)
        assert (found.coverage >= 1 - found.below - found.above - 1e-12).all()


@given(st.floats(0, 0.6), st.floats(0, 0.4), st.integers(1, 40))
@settings(max_examples=40, deadline=None)
def test_trinomial_weights(only_1, only_2, n):
    weights, law = _pair_weights(n, only_1, only_2), _all_pairs(n)
    np.testing.assert_allclose([weights.sum(), weights @ law.mean], [1, only_1 - only_2], atol=1e-10)


def test_empirical_lengths_stay_within_the_range():
    for B in (5, 100): assert ((_pair_lengths(20, 0.9, "empirical", B) >= 0) & (_pair_lengths(20, 0.9, "empirical", B) <= 2)).all()


@pytest.mark.parametrize("method", ["agresti", "wald"])
def test_random_class_sizes(method):
    model = Binormal(2.0, 3.75, 3.0)
    t = model.threshold_at_total_positive_rate(np.array([0.05, 0.5, 0.95]))
    for n in (2, 12, 40):
        wanted = exact_coverage(model, n, of="roc", threshold=t, method=method, test_sets="full").coverage
        np.testing.assert_allclose(_random_sizes(model.fpr(t), model.tpr(t), n, method), wanted, atol=1e-10)


@pytest.mark.parametrize("call, message", [
    (lambda: empirical_coverage([0.1, 0.2], [0.5], 10), "`tpr` must have as many entries as `fpr`"),
    (lambda: empirical_coverage([0.1], [1.5], 10), "`tpr` must lie in"),
    (lambda: empirical_coverage([0.1], [0.5], 0), "`n_"),
    (lambda: empirical_coverage([0.1], [0.5], 10, confidence_level=90), "did you mean 0.9"),
    (lambda: exact_paired_coverage(PAIR, 0.0, 0.0, 401), "`n` must be at most 400"),
    (lambda: exact_paired_coverage(PAIR, 0.0, 0.0, 10, method="kernel"), "`method` must be one of"),
    (lambda: exact_paired_coverage(PAIR, [0.0, 1.0], [0.0, 1.0, 2.0], 10), "`threshold_2` must be one number"),
])
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message): call()


def test_ranks_of_vertical_experiments():
    for n in (3, 25, 60, 61, 250):
        ranks = _vertical_ranks(n)
        assert ranks[0] == 1 and ranks[-1] == n - 1 and (np.diff(ranks) > 0).all()
        assert set(_vertical_ranks(n, 6)) <= set(ranks)


# --- the stored results ---------------------------------------------------------------------------------------------

ROC = [name for name in EXPERIMENTS if name.startswith("roc-")]
UCI = ["roc-fig5", "roc-fig6", "roc-fig8", "roc-fig9", "roc-table3"]
KEYS = ["theta", "n", "data", "reading", "correlation", "pairing", "test_sets", "method", "kind"]
SLOW = {"roc-fig9", "roc-table1"}


def marked(names): return [pytest.param(name, marks=[mark for mark, wanted in ((pytest.mark.data, name in UCI), (pytest.mark.slow, name in SLOW)) if wanted]) for name in names]


def matched(quick, stored):
    "Rows of a quick run beside the stored rows of the same panel, at the same points."
    keys = [key for key in KEYS if key in quick["rows"][0]]
    index = {tuple(row[key] for key in keys): row for row in stored["rows"]}
    for row in quick["rows"]:
        kept = index[tuple(row[key] for key in keys)]
        where = [kept["x"].index(x) for x in row["x"]]
        yield row, np.array(row["coverage"]), np.array(kept["coverage"])[where], keys


@pytest.mark.parametrize("name", marked([n for n in ROC if n not in ("roc-table1", "roc-table3", "roc-fig2")]))
def test_a_quick_run_agrees_with_what_is_stored(name):
    "Sums are the same to the stored digits; simulations with another seed agree within their Monte Carlo error."
    stored, quick = load_result(name), run_experiment(name, quick=True, seed=97531, progress=False)
    z, control = [], []
    for row, found, kept, _ in matched(quick, stored):
        if row["kind"] == "exact":
            np.testing.assert_allclose(found, kept, atol=2e-6)
            continue
        size = stored["settings"]["n_simulations_kernel" if row["method"] == "kernel" else "n_simulations"]
        pooled = np.clip((100 * found + size * kept) / (100 + size), 0.005, 0.995)
        error = np.sqrt(pooled * (1 - pooled) * (1 / 100 + 1 / size))
        z.append((found - kept) / error)
        control.append((found - kept - 0.1) / error)  # a wrong result must fail
    z, control = np.concatenate(z), np.concatenate(control)
    assert abs(z).max() < 5 and np.sqrt(np.mean(z**2)) < 1.6
    assert np.sqrt(np.mean(control**2)) > 1.6


def test_a_quick_run_of_the_dominance_experiment():
    stored, quick = (pd.DataFrame(found["rows"]) for found in (load_result("roc-fig2"), run_experiment("roc-fig2", quick=True, seed=5, progress=False)))
    for row in quick.itertuples():
        kept = stored[(stored.theta == row.theta) & (stored.correlation == row.correlation) & (stored.n == row.n)].iloc[0]
        where = [kept.x.index(x) for x in row.x]
        for name in ("above_0.9", "above_0.95", "region"):
            found, old = np.array(quick[name].iloc[row.Index]), np.array(kept[name])[where]
            assert (abs(found - old) < 4.5 * np.sqrt(np.clip(old * (1 - old), 0.01, 1) * (1 / 100 + 1 / 1000))).all()


@pytest.mark.data
def test_the_sizes_of_the_data_sets():
    stored = {row["data"]: row for row in load_result("roc-table3")["rows"]}
    for row in run_experiment("roc-table3", quick=True, progress=False)["rows"]:
        kept = stored[row["data"]]
        assert {k: v for k, v in row.items() if k != "auc"} == {k: v for k, v in kept.items() if k != "auc"}
        assert row["auc"] == pytest.approx(kept["auc"], abs=1e-4)


@pytest.mark.slow
def test_times_grow_as_they_should():
    found = pd.DataFrame(run_experiment("roc-table1", quick=True, progress=False)["rows"])
    assert (found.seconds > 0).all() and set(found.algorithm) == set(pd.DataFrame(load_result("roc-table1")["rows"]).algorithm)


def test_stored_results_are_of_full_size_and_small(root):
    folder = root / "nbs" / "papers" / "results"
    assert sum((folder / EXPERIMENTS[name].file).stat().st_size for name in ROC) < 1_000_000
    for name in ROC:
        found = load_result(name)
        assert found["command"] == f"python -m costboot.papers.registry {name}" and {"numpy", "scipy", "costboot"} <= set(found["versions"])
        if "n_simulations" in found["settings"]: assert (found["settings"]["n_simulations"], found["settings"]["n_resamples"]) == (1000, 100)


def test_simulated_and_exact_agree_in_the_stored_results():
    "The stored simulations were not drawn from something else: z has unit variance over thousands of points."
    for name in ("roc-fig3", "roc-fig4", "roc-fig5", "roc-fig6", "roc-fig7", "roc-fig11"):
        rows = load_result(name)["rows"]
        keys = [key for key in KEYS if key in rows[0] and key != "kind"]
        exact = {tuple(row[key] for key in keys): row for row in rows if row["kind"] == "exact"}
        z = []
        for row in rows:
            if row["kind"] == "exact": continue
            sums = exact[tuple(row[key] for key in keys)]
            p = np.array(sums["coverage"])[[sums["x"].index(x) for x in row["x"]]]
            inner = (p > 0.01) & (p < 0.99)
            z.append(((np.array(row["coverage"]) - p) / np.sqrt(np.clip(p * (1 - p), 1e-9, None) / 1000))[inner])
        z = np.concatenate(z)
        assert abs(z).max() < 4.8 and 0.8 < np.sqrt(np.mean(z**2)) < 1.2, name
