"""Bands: limits that hold together, against lists of all samples, other recursions, and the truth."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

import costboot as cb
from costboot.core.intervals import clopper_pearson_limits, mid_p_limits
from costboot.core.law import Band
from costboot.laws import bands
from costboot.laws.bands import (
    NestedProportion, PairedDifference, accepted_counts, chain_of, free_tail, joint_coverage, local_tail, rates_bands,
)

Y = np.array([1, 1, 1, 1, 0, 0, 0])
S, Z = np.array([0.9, 0.7, 0.5, 0.2, 0.6, 0.4, 0.1]), np.array([0.8, 0.3, 0.7, 0.1, 0.5, 0.6, 0.2])
W, T, U = np.array([0.2, 0.4, 0.5, 0.7, 1.0]), np.array([0.8, 0.55, 0.55, 0.3, 0.15]), np.array([0.75, 0.25, 0.45, 0.25, 9.0])


def multinomial_chance(cells, counts):
    return stats.multinomial.pmf(counts, sum(counts), cells)


@pytest.mark.parametrize("m", [1, 2, 5])
@pytest.mark.parametrize("rates", [[0.0, 0.3, 0.3, 1.0], [0.2, 0.5], [1.0], [0.0], [0.1, 0.15, 0.9]])
def test_a_chain_against_the_list_of_all_counts(rates, m):
    "The sum over all multinomial counts, for limits of every kind."
    rng, cells = np.random.default_rng(m), np.diff(rates, prepend=0, append=1)
    low = rng.integers(0, 2, len(rates))
    high = np.minimum(low + rng.integers(1, m + 1, len(rates)), m)
    listed = 0.0
    for counts in product(range(m + 1), repeat=len(cells)):
        if sum(counts) != m: continue
        above = np.cumsum(counts)[:-1]
        if (above >= low).all() and (above <= high).all(): listed += multinomial_chance(cells, counts)
    assert chain_of(rates, m).stays(low, high) == pytest.approx(listed, rel=1e-12, abs=1e-15)


def test_a_chain_of_many_instances_against_binomial_steps():
    rates, m, k = np.array([0.02, 0.1, 0.11, 0.4, 0.8]), 300, np.arange(301)
    low, high = stats.binom.ppf(0.01, m, rates), stats.binom.ppf(0.97, m, rates)
    q, before = np.eye(1, m + 1)[0], 0.0
    for rate, a, b in zip(rates, low, high):
        step = stats.binom.pmf(k - k[:, None], m - k[:, None], (rate - before) / (1 - before))
        q, before = np.where((k >= a) & (k <= b), q @ step, 0), rate
    assert chain_of(rates, m).stays(low, high) == pytest.approx(q.sum(), rel=1e-12)


def test_the_number_of_the_study():
    "Forty-nine pointwise 90 % Wilson intervals with 100 instances hold together with probability .319."
    rates, k = np.arange(1, 50) / 50, np.arange(101)
    low, high = (side[None] for side in cb.core.wilson_limits(k, 100, 0.05))
    holds = (low <= rates[:, None]) & (rates[:, None] <= high)
    together = chain_of(rates, 100).stays(holds.argmax(axis=1), 100 - holds[:, ::-1].argmax(axis=1))
    assert together == pytest.approx(0.319, abs=5e-4)


@pytest.mark.parametrize("m", [1, 2, 7, 40])
@pytest.mark.parametrize("tail", [0.001, 0.05, 0.3])
@pytest.mark.parametrize("half, limits", [(0.5, mid_p_limits), (1.0, clopper_pearson_limits)])
def test_counts_are_accepted_where_limits_hold(m, tail, half, limits):
    rates, k = np.linspace(0.013, 0.987, 31), np.arange(m + 1)
    low, high = limits(k, m, tail)
    first, last = accepted_counts(rates, m, tail, half)
    inside = (low <= rates[:, None] + 1e-9) & (rates[:, None] <= high + 1e-9)
    np.testing.assert_array_equal(inside, (k >= first[:, None]) & (k <= last[:, None]))


def test_the_search_for_the_local_level_ends_at_the_level():
    chain = chain_of(np.linspace(0.05, 0.95, 19), 60)
    for level in (0.5, 0.9, 0.99):
        tail = local_tail(lambda t: joint_coverage(chain, t), level, 19)
        assert joint_coverage(chain, tail) >= level > joint_coverage(chain, 1.01 * tail)
    assert local_tail(lambda t: 1.0, 0.9, 5) == pytest.approx(0.05)


@pytest.mark.parametrize("m", [1, 2, 3, 15])
@pytest.mark.parametrize("level", [0.6, 0.9, 0.99])
def test_the_free_level_by_uniform_numbers(m, level):
    "Whatever the distribution, rates at the instances are uniform: the level, and a control that fails."
    uniform = np.sort(np.random.default_rng(5).random((100_000, m)), axis=1)
    def held(tail):
        low, high = clopper_pearson_limits(np.arange(m + 1), m, tail)
        return ((uniform >= low[1:]) & (uniform <= high[:-1])).all(axis=1).mean()
    tail, error = free_tail(m, level), 4 * np.sqrt(level * (1 - level) / len(uniform))
    assert level - error < held(tail) < level + 0.01 + error and held(min(2 * tail, 0.5)) < level - error


def test_the_free_level_is_safe_when_places_are_taken_together(monkeypatch):
    exact = free_tail(1500, 0.9)
    free_tail.cache_clear()
    monkeypatch.setattr(bands, "_FINE", 0)
    coarse = free_tail(1500, 0.9)
    free_tail.cache_clear()
    assert 0.8 * exact < coarse < exact


def test_a_level_that_is_proved_holds_for_any_rates():
    rng = np.random.default_rng(2)
    for m in (5, 30, 120):
        for _ in range(5):
            rates = np.sort(rng.beta(0.3, 0.3, 25))
            assert joint_coverage(chain_of(rates, m), free_tail(m, 0.9), 1.0) >= 0.9
            assert joint_coverage(chain_of(rates[:4], m), free_tail(m, 0.9, 4), 1.0) >= 0.9


def resampled(scores, label):
    "Scores of all resamples of a class, shape (resamples, instances)."
    place = np.flatnonzero(Y == label)
    return scores[np.array(list(product(place, repeat=place.size)))]


def test_an_exact_band_of_rates_by_all_resamples():
    law = cb.exact_roc(Y, S, T)
    for level in (0.5, 0.8, 0.95):
        band, share = law.band(level, "exact"), 1.0
        for label, limits in ((1, band.tpr), (0, band.fpr)):
            rates = (resampled(S, label)[..., None] >= T).mean(axis=1)
            share *= ((rates >= limits.low - 1e-12) & (rates <= limits.high + 1e-12)).all(axis=1).mean()
        assert share >= level


def every_cost(scores, t):
    miss, alarm = (resampled(scores, 1)[..., None] < t).mean(axis=1), (resampled(scores, 0)[..., None] >= t).mean(axis=1)
    return (W * miss[:, None] + (1 - W) * alarm).reshape(-1, W.size)


def outside(law, values, tail, half):
    out = np.empty(values.shape, bool)
    for i in range(len(law)):
        atoms, p = law.support(i)
        depth = np.minimum(np.cumsum(p), np.cumsum(p[::-1])[::-1]) - (1 - half) * p
        out[:, i] = depth[abs(atoms - values[:, [i]]).argmin(axis=1)] < tail * (1 - 1e-9)
    return out


@pytest.mark.parametrize("half", [0.5, 1.0])
@pytest.mark.parametrize("tail", [0.004, 0.05, 0.11, 0.3])
def test_the_plane_of_two_chains_by_all_resamples(half, tail):
    law, costs = cb.exact_cost(Y, S, W, T), every_cost(S, T)
    inside = 1 - outside(law, costs, tail, half).any(axis=1).mean()
    assert bands._plane_stays(law, bands._stops(law, half), tail) == pytest.approx(inside, rel=1e-11, abs=1e-14)


@pytest.mark.parametrize("half", [0.5, 1.0])
@pytest.mark.parametrize("tail", [0.004, 0.05, 0.11, 0.3])
def test_hunters_bound_by_all_resamples(half, tail):
    law, costs = cb.exact_cost_difference(Y, S, Z, W, T, U), every_cost(Z, U) - every_cost(S, T)
    out = outside(law, costs, tail, half)
    bound = out.mean(axis=0).sum() - (out[:, 1:] & out[:, :-1]).mean(axis=0).sum()
    assert bands._cost_misses(law, half)(tail) == pytest.approx(bound, rel=1e-9, abs=1e-13)
    assert out.any(axis=1).mean() <= bound + 1e-12
    for label, rate in ((1, cb.exact_roc_difference(Y, S, Z, T, U).tpr), (0, cb.exact_roc_difference(Y, S, Z, T, U).fpr)):
        change = (resampled(Z, label)[..., None] >= U).mean(axis=1) - (resampled(S, label)[..., None] >= T).mean(axis=1)
        out = outside(rate, change, tail, half)
        bound = out.mean(axis=0).sum() - (out[:, 1:] & out[:, :-1]).mean(axis=0).sum()
        assert bands._class_misses(rate, half)(tail) == pytest.approx(bound, rel=1e-9, abs=1e-13)


def test_scores_belong_to_their_difference():
    "What the instances count adds up to the mean of the law, for costs and rates, sliced or not."
    cost, roc = cb.exact_cost_difference(Y, S, Z, W, T, U), cb.exact_roc_difference(Y, S, Z, T, U)
    for law in (cost.law_1, cost.law_2, roc.fpr, roc.tpr, cost[1:4].law_1, roc[::-1].tpr):
        assert isinstance(law, PairedDifference)
        np.testing.assert_allclose([law.at(i).mean() for i in range(len(law))], law.mean, atol=1e-15)


LAWS = {"rates": lambda t: cb.exact_roc(Y, S, t).tpr, "cost": lambda t: cb.exact_cost(Y, S, W[: np.size(t)], t),
        "difference": lambda t: cb.exact_roc_difference(Y, S, Z, t, t).fpr,
        "cost difference": lambda t: cb.exact_cost_difference(Y, S, Z, W[: np.size(t)], t, t),
        "full": lambda t: cb.exact_cost(Y, S, W[: np.size(t)], t, sampling="full"),
        "vertical": lambda t: cb.exact_tpr(Y, S, [1 / 3, 2 / 3])}


@pytest.mark.parametrize("kind", LAWS)
@pytest.mark.parametrize("method", ["recommended", "conservative", "exact"])
def test_every_law_has_a_band_around_its_intervals(kind, method):
    law = LAWS[kind](T)
    band, (low, high) = law.band(0.9, method), law.interval(0.9, method)
    assert isinstance(band, Band) and isinstance(band.how, str) and 0.9 <= band.local_level < 1
    assert (band.low <= low + 1e-12).all() and (high <= band.high + 1e-12).all()
    assert (band.low <= law.mean + 1e-12).all() and (law.mean <= band.high + 1e-12).all()
    one = law[0].band(0.9, method)
    assert tuple(one) == tuple(law[0].interval(0.9, method)) and one.local_level == pytest.approx(0.9)


def test_bands_at_one_threshold_are_numbers():
    for law in (cb.exact_roc(Y, S, 0.5), cb.exact_roc_difference(Y, S, Z, 0.5, 0.4)):
        for side in law.band(0.9): assert isinstance(side.low, float) and side.low <= side.high


@pytest.mark.parametrize("counts", [[0, 0, 0], [6, 6], [0, 6], [0, 3, 6]])
def test_counts_of_none_and_all(counts):
    law = NestedProportion(x=np.arange(len(counts)), count=counts, n=6, m=6)
    for method in ("recommended", "conservative", "exact"):
        low, high = law.band(0.9, method)
        assert np.isfinite([low, high]).all() and (low[np.array(counts) == 0] == 0).all() and (high[np.array(counts) == 6] == 1).all()


def test_one_instance_of_a_class():
    law = cb.exact_roc([1, 0], [2.0, 1.0], [0.5, 1.5, 2.5])
    for method in ("recommended", "conservative", "exact"):
        for low, high in law.band(0.9, method): assert (low <= high).all()
    assert cb.exact_cost([1, 0], [2.0, 1.0], [0.2, 0.7], [1.5, 2.5]).band().low.shape == (2,)
    assert cb.exact_cost_difference([1, 0], [2.0, 1.0], [1.0, 2.0], [0.2, 0.7], 1.5, 1.5).band().low.shape == (2,)


def test_order_and_repetition_of_thresholds_do_not_matter():
    order = np.array([3, 0, 4, 1, 2])
    for method in ("recommended", "conservative", "exact"):
        straight, mixed = cb.exact_roc(Y, S, T).band(0.9, method), cb.exact_roc(Y, S, T[order]).band(0.9, method)
        np.testing.assert_allclose(mixed.tpr.low, straight.tpr.low[order], atol=1e-12)
        twice = cb.exact_roc(Y, S, np.tile(T, 2)).band(0.9, method)
        np.testing.assert_allclose(twice.fpr.high[:5], straight.fpr.high, atol=1e-12)
    costs = cb.exact_cost(Y, S, W, T).band(0.8), cb.exact_cost(Y, S, W[order], T[order]).band(0.8)
    np.testing.assert_allclose(costs[1].low, costs[0].low[order], atol=1e-12)


def test_where_tables_become_too_large_the_band_says_so(monkeypatch):
    cost, difference = cb.exact_cost(Y, S, W, T), cb.exact_cost_difference(Y, S, Z, W, T, U)
    monkeypatch.setattr(bands, "_LARGEST_PLANE", 10)
    monkeypatch.setattr(bands, "_LARGEST_PAIRS", 10)
    wide = cost.band(0.9)
    one, two = rates_bands([cost.law_1, cost.law_2], 0.9)
    np.testing.assert_allclose(wide.low, W * one.low + (1 - W) * two.low)
    assert "two rates" in wide.how and difference.band(0.9).how == "Bonferroni"
    assert difference.band(0.9).local_level == pytest.approx(1 - 0.1 / 5)


def test_counts_without_scores_get_bonferronis_level():
    law = cb.core.TrinomialDifference(x=[0, 1], count_1=[1, 2], count_2=[0, 1], n=9, m=9)
    assert bands.differences_bands([law], 0.9)[0].how == "Bonferroni"


def test_the_band_covers_truths_that_are_hard():
    "Rates at both ends: intervals fail, the recommended band does not. The tolerance is three standard errors."
    n, sets, ends = 40, 250, np.geomspace(0.005, 0.3, 8)
    rates = np.r_[ends, 1 - ends[::-1]]
    held = []
    for count in np.cumsum(np.random.default_rng(1).multinomial(n, np.diff(rates, prepend=0, append=1), sets), axis=1)[:, :-1]:
        law = NestedProportion(x=rates, count=count, n=n, m=n)
        held.append([((low <= rates) & (rates <= high)).all() for low, high in (law.interval(0.9), law.band(0.9))])
    intervals, band = np.mean(held, axis=0)
    assert intervals < 0.8 and band > 0.9 - 3 * np.sqrt(0.09 / sets)


@pytest.mark.parametrize("law", [cb.exact_roc(Y, S, T), cb.exact_cost(Y, S, W, T), cb.exact_cost_difference(Y, S, Z, W, T, U), cb.exact_roc_difference(Y, S, Z, T, U)])
def test_bad_arguments_are_named(law):
    with pytest.raises(ValueError, match="`confidence_level` must be a number strictly between 0 and 1; got 90"): law.band(90)
    with pytest.raises(ValueError, match="`method` must be one of 'conservative', 'exact', 'recommended'; got 'wald'"): law.band(0.9, "wald")


def test_significance_of_a_whole_curve():
    pair = cb.BinormalPair(cb.Binormal(1.0), cb.Binormal(3.0, loc_neg=-1.0), correlation=0.5)
    y, s, z = pair.sample(80, 80, rng=2)
    law = cb.exact_cost_difference(y, s, z, np.linspace(0.1, 0.9, 9), pair.model_1.optimal_threshold, pair.model_2.optimal_threshold)
    table, alone = cb.significant_ranges(law, simultaneous=True), cb.significant_ranges(law)
    assert set(table["limits"]) == {"band"} and "limits" not in alone
    better = [t.loc[t["verdict"] == "model 2 costs less", "points"].sum() for t in (table, alone)]
    assert 0 < better[0] <= better[1]


def test_a_display_with_limits_that_hold_together():
    rng = np.random.default_rng(1)
    y, s = np.repeat([1, 0], 40), rng.normal(np.repeat([1.0, 0.0], 40))
    band = cb.RocBandDisplay.from_predictions(y, s, band="threshold", points=8, simultaneous=True, plot=False)
    alone = cb.RocBandDisplay.from_predictions(y, s, band="threshold", points=8, plot=False)
    assert "90% simultaneous threshold band" in repr(band) and "90% threshold band" in repr(alone)
    assert (band.limits[::2] <= alone.limits[::2] + 1e-12).all() and (band.limits[1::2] >= alone.limits[1::2] - 1e-12).all()
    with pytest.raises(ValueError, match='`simultaneous` must be False unless `band` is "threshold"'):
        cb.RocBandDisplay.from_predictions(y, s, simultaneous=True, plot=False)
