"""Costs beyond the observed scores: tails against scipy, laws against a list, symmetry, bad input."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

import costboot as cb
from costboot.laws.beyond_scores import (
    TAILS, ExtrapolatedCost, FractionalRate, ParetoTail, extrapolated_cost, inside_range, kernel_above, nearest_inside, pareto_above, pareto_tail,
)


@pytest.mark.parametrize("shape", [-0.9, -0.2, -1e-10, 0.0, 1e-10, 0.3, 1.2])
def test_a_tail_is_scipys(shape):
    x = np.array([0.0, 1e-9, 0.2, 1.0, 3.0, 1e6, np.inf])
    np.testing.assert_allclose(ParetoTail(-1.0, 0.2, shape, 0.7).above(x - 1), 0.2 * stats.genpareto(shape, scale=0.7).sf(x), rtol=1e-6, atol=1e-300)


def test_weighted_moments_find_the_shape():
    for shape in (-0.3, 0.0, 0.3):
        found = [pareto_tail(stats.genpareto(shape).rvs(4000, random_state=seed)).shape for seed in range(30)]
        assert abs(np.mean(found) - shape) < 4 * np.std(found) / np.sqrt(30) + 0.02


@pytest.mark.parametrize("tails", list(TAILS))
def test_shares_fall_and_are_shares(tails):
    rng = np.random.default_rng(0)
    for n in (10, 11, 13, 40, 400):
        s, t = rng.standard_t(2, n), np.concatenate([[-np.inf], np.linspace(-60, 60, 601), [np.inf]])
        share = TAILS[tails](s, t)
        assert (np.diff(share) <= 1e-12).all() and share[0] == 1 and share[-1] == 0


def test_counted_in_the_middle():
    s = np.random.default_rng(1).normal(size=101)
    t = np.quantile(s, np.linspace(0.25, 0.75, 11))
    np.testing.assert_allclose(pareto_above(s, t), (s >= t[:, None]).mean(axis=1), rtol=1e-14)
    assert np.abs(kernel_above(s, t) - (s >= t[:, None]).mean(axis=1)).max() < 0.06


def test_the_law_is_that_of_a_list():
    law = ExtrapolatedCost(
        x=[0.2, 0.9], weight_1=[0.2, 0.9], weight_2=[0.8, 0.1], threshold=[0.0, 0.0], tails="none",
        law_1=FractionalRate(x=[0.2, 0.9], rate=[1 / 3, 1.0], m=4), law_2=FractionalRate(x=[0.2, 0.9], rate=[0.5, 0.0], m=3),
    )
    for i, (pool_1, pool_2) in enumerate((([1, 0, 0], [1, 0]), ([1, 1, 1], [0, 0]))):
        one, two = (np.array([np.mean(draw) for draw in product(pool, repeat=m)]) for pool, m in ((pool_1, 4), (pool_2, 3)))
        listed = np.add.outer(law.weight_1[i] * one, law.weight_2[i] * two).ravel()
        grid = np.linspace(-0.05, 1.05, 23)
        np.testing.assert_allclose([law.mean[i], law.var[i]], [listed.mean(), listed.var()], atol=1e-14)
        np.testing.assert_allclose(law[[i]].cdf(grid[:, None])[:, 0], (listed[:, None] <= grid + 1e-12).mean(axis=0), atol=1e-12)


@pytest.mark.parametrize("tails", list(TAILS))
def test_turned_round(tails):
    y, s = cb.Binormal(2.0).sample(30, 50, rng=1)
    law, turned = extrapolated_cost(y, s, 0.02, 9.0, tails=tails), extrapolated_cost(1 - y, -s, 0.98, -9.0, tails=tails)
    assert law.mean == pytest.approx(turned.mean, rel=1e-9) and law.std == pytest.approx(turned.std, rel=1e-9)
    np.testing.assert_allclose(law.interval(), turned.interval(), rtol=1e-8)
    assert cb.exact_cost(y, s, 0.02, 9.0).std < law.std


def test_every_method_and_slices():
    y, s = cb.Binormal(2.0).sample(30, 50, rng=1)
    law = extrapolated_cost(y, s, threshold=cb.Binormal(2.0).optimal_threshold)
    for method in ("recommended", "conservative", "exact", "wald", "agresti", "empirical"):
        low, high = law.interval(0.9, method)
        assert ((low <= law.mean + 1e-12) & (law.mean <= high + 1e-12) & (low >= 0) & (high <= 1)).all(), method
    assert len(law[10:20]) == 10 and law[3].mean == law.mean[3] and law.band().how == "Bonferroni"
    assert extrapolated_cost(y, s, 0.3, 0.5).threshold == 0.5


def test_the_range_of_the_scores():
    assert inside_range([1.0, 2.0, 3.0], [1.0, 1.1, 3.0, 3.1]).tolist() == [False, True, True, False]
    assert nearest_inside([1.0, 2.0, 3.0], [-np.inf, 2.5, np.inf]).tolist() == [2.0, 2.5, 3.0]
    y, s = cb.Binormal(3.0).sample(25, rng=1)
    t = cb.Binormal(3.0).optimal_threshold(np.array([1e-4, 0.5]))
    assert inside_range(s, t).tolist() == [False, True] and inside_range(s, nearest_inside(s, t)).all()


@pytest.mark.parametrize("call, error", [
    (lambda: extrapolated_cost([1] * 9 + [0] * 20, range(29), 0.1, 3), "`y_true` must hold at least 10"),
    (lambda: extrapolated_cost([1, 1, 0, 0], [1, 1, 0, 0], 0.1, 3, tails="kernel"), "`y_score` must hold at least two different"),
    (lambda: extrapolated_cost([1, 1, 0, 0], [1, 1, 0, 0], 0.1, 3, tails=None), "`tails` must be one of"),
    (lambda: extrapolated_cost([1, 1, 0, 0], [1, 1, 0, np.nan], 0.1, 3), "`y_score` must be finite"),
    (lambda: extrapolated_cost([1, 1, 0, 0], [1, 2, 0, 3], 1.1, 3), "`w` must lie in"),
    (lambda: inside_range([1.0, 2.0], [np.nan]), "`threshold` must not hold NaN"),
    (lambda: nearest_inside([2.0, 2.0], 1.0), "`y_score` must hold at least two different"),
])
def test_bad_input(call, error):
    with pytest.raises((TypeError, ValueError), match=error): call()
