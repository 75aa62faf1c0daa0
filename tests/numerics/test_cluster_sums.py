"""Sums of draws against binomials, whole numbers and lists; moments of ratios against lists."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats

from costboot.numerics import cluster_sums
from costboot.numerics.cluster_sums import Draw, mean_inverse, ratio_cdf, ratio_moments, ratio_table, smooth_ratio, summed_draws, table_below


@pytest.mark.parametrize(("draws", "p"), [(1, 0.5), (7, 0.01), (100, 0.3), (5000, 0.9), (100_000, 0.02)])
def test_binomials(draws, p):
    first, table, error = summed_draws(np.array([[0], [1]]), np.array([1 - p, p]), draws)
    k = int(first[0]) + np.arange(len(table))
    assert abs(table - stats.binom.pmf(k, draws, p)).max() < error + 1e-10 * stats.binom.pmf(k, draws, p).max()
    assert abs(table.sum() - 1) < 1e-9 and error < 1e-9


def test_many_draws_of_a_constant_and_of_none():
    first, table, _ = summed_draws(np.array([[5, -2]]), np.ones(1), 1000)
    assert first.tolist() == [5000, -2000] and table.shape == (1, 1) and table[0, 0] == pytest.approx(1)
    assert summed_draws(np.array([[5]]), np.ones(1), 0).first.tolist() == [0]


def test_three_dimensions_against_the_list():
    values, chances = np.array([[0, 1, 2], [1, 0, 1], [-1, 2, 0]]), np.array([0.5, 0.3, 0.2])
    first, table, error = summed_draws(values, chances, 4)
    listed = np.zeros(table.shape)
    for drawn in product(range(3), repeat=4): listed[tuple(values[list(drawn)].sum(axis=0) - first)] += chances[list(drawn)].prod()
    assert abs(table - listed).max() < max(error, 1e-15)


def test_a_ratio_in_whole_numbers_and_by_its_table():
    rng = np.random.default_rng(1)
    n = rng.integers(1, 7, 40)
    kinds, times = np.unique(np.column_stack([rng.binomial(n, 0.3), n]), axis=0, return_counts=True)
    draw = Draw(kinds, times / 40, np.ones(1), 40)
    for value in (Fraction(1, 3), Fraction(3, 10), Fraction(2, 7), Fraction(0), Fraction(1)):
        exact = cluster_sums._lattice_below(draw, value)
        np.testing.assert_allclose(ratio_cdf(draw, np.array([float(value)]), 1e-13), exact, rtol=0, atol=1e-12)


def test_weights_of_a_single_numerator_scale():
    draw = Draw(np.array([[0, 2], [1, 3], [2, 2]]), np.full(3, 1 / 3), np.array([0.25]), 3)
    twin = draw._replace(weights=np.ones(1))
    v = np.linspace(0, 1, 23)
    np.testing.assert_allclose(ratio_cdf(draw, v / 4, 1e-13), ratio_cdf(twin, v, 1e-13), rtol=0, atol=1e-13)


def test_large_route_uses_whole_numbers_where_it_can(monkeypatch):
    draw = Draw(np.array([[0, 2], [1, 3], [2, 2]]), np.full(3, 1 / 3), np.ones(1), 30)
    v = np.array([0.5, 0.45, 0.4123456])
    exact = table_below(ratio_table(draw), v, 1e-13)
    monkeypatch.setattr(cluster_sums, "MOST_CELLS", 1)
    found = ratio_cdf(draw, v, 1e-13)
    np.testing.assert_allclose(found[:2], exact[:2], rtol=0, atol=1e-12)
    assert abs(found[2] - exact[2]) < 0.05


def test_a_smooth_law_inverts():
    rng = np.random.default_rng(4)
    n = rng.integers(1, 9, 3000)
    x = rng.binomial(n, 0.2)
    kinds, times = np.unique(np.column_stack([x, n]), axis=0, return_counts=True)
    mean, var = ratio_moments(x[None].astype(float), n)
    law = smooth_ratio(Draw(kinds, times / 3000, np.ones(1), 3000), mean[0], np.sqrt(var[0]))
    levels = np.array([1e-4, 0.05, 0.5, 0.95, 0.9999])
    np.testing.assert_allclose(law.cdf(law.ppf(levels)), levels, rtol=1e-8)
    assert abs(law.cdf(mean) - 0.5)[0] < 0.02


@pytest.mark.parametrize("sizes", [[3], [2, 2], [1, 4], [1, 0, 3], [2, 5, 1, 4]])
def test_moments_of_a_ratio(sizes):
    sizes = np.array(sizes)
    c = np.random.default_rng(sizes.size).normal(size=(3, sizes.size)) * (sizes > 0)
    drawn = np.array(list(product(range(sizes.size), repeat=sizes.size)))
    total = sizes[drawn].sum(axis=1)
    ratios = c[:, drawn[total > 0]].sum(axis=2) / total[total > 0]
    np.testing.assert_allclose(ratio_moments(c, sizes), [ratios.mean(axis=1), ratios.var(axis=1)], rtol=1e-11, atol=1e-14)


def test_mean_of_an_inverse_by_interpolation(monkeypatch):
    others = summed_draws(np.arange(1, 30)[:, None], np.full(29, 1 / 29), 200)
    totals = np.arange(1, 60)
    exact = mean_inverse(totals, others, 2)
    monkeypatch.setattr(cluster_sums, "_MOST_TERMS", 10)
    np.testing.assert_allclose(mean_inverse(totals, others, 2), exact, rtol=1e-12)
