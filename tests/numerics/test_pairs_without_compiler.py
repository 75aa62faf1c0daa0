"""The compiled functions of two models against slow oracles, small enough to run without the compiler (see test_without_compiler.py)."""

from fractions import Fraction
from itertools import permutations
from math import comb, factorial, lgamma, log

import numpy as np
import pytest
from scipy import stats

from costboot.numerics import mixtures, order_statistics, threshold_pairs, threshold_tables, windows
from costboot.core.enumeration import _multisets, enumerate_law
from costboot.data.score_models import Binormal, BinormalPair
from costboot.laws.fixed_fpr import exact_tpr
from costboot.laws.fixed_fpr_paired import exact_tpr_difference


def spread(first, pmf, low, high):
    "A window as an array for the values low..high."
    whole = np.zeros(high - low + 1)
    whole[first - low : first - low + len(pmf)] = pmf
    return whole


def listed_joint(partner, m):
    "P(K = k, J = j) for r = 1..m-1 by listing all resamples."
    n, partner = len(partner), np.asarray(partner)
    f = np.zeros((m - 1, n, n))
    for drawn, probability in _multisets(n, m):
        k, j = np.sort(drawn), np.sort(partner[drawn] - 1)
        for r in range(1, m): f[r - 1, k[r - 1], j[r - 1]] += probability
    return f


def ranked(n, correlation, seed):
    "The partner ranks of n negatives whose two scores are normal with a given correlation."
    z = np.random.default_rng(seed).normal(size=(2, n))
    second = correlation * z[0] + np.sqrt(1 - correlation**2) * z[1]
    partner = np.empty(n, np.int64)
    partner[np.argsort(np.argsort(-z[0]))] = np.argsort(np.argsort(-second)) + 1
    return partner


def joint_laws(r, m, partner):
    "First rank and joint law, by the series and row by row."
    return [threshold_tables.joint_table(r, m, partner, most_terms=most) for most in (10**6, -1)]


@pytest.mark.parametrize(("n", "m", "every"), [(1, 2, 1), (2, 2, 1), (3, 3, 1), (3, 8, 1), (4, 4, 7), (5, 3, 29), (6, 6, 300)])
def test_joint_law_of_two_thresholds_is_the_list_of_resamples(n, m, every):
    "By the paper's equations, by the series, and row by row."
    for partner in list(permutations(range(1, n + 1)))[::every]:
        partner = np.array(partner)
        listed, printed = listed_joint(partner, m), threshold_pairs.direct_table(m, partner)
        np.testing.assert_allclose(np.diff(np.diff(printed, axis=1), axis=2)[1:m], listed, rtol=0, atol=1e-12)
        for r in range(1, m):
            for first, f in joint_laws(r, m, partner):
                here = slice(first - 1, first - 1 + len(f))
                np.testing.assert_allclose(f, listed[r - 1][here, here], rtol=0, atol=1e-12)
                assert f.sum() == pytest.approx(1, abs=1e-12)


def printed_value(r, m, n, k, j, both):
    "P(K <= k, J <= j) by the paper's equations, for one pair of ranks."
    table = np.array([lgamma(i + 1.0) for i in range(m + 1)])
    chances = both / n, (k - both) / n, (j - both) / n, (n - k - j + both) / n
    return 1 - sum(threshold_pairs.direct_step(table, m, s, chances) for s in range(r))


@pytest.mark.parametrize("correlation", [0.0, 0.9, 1.0, -1.0])
def test_two_ways_to_the_same_joint_law(correlation):
    "Sizes beyond enumeration; the margins are those of one threshold."
    n, m = 24, 30
    partner = ranked(n, correlation, 1)
    both = np.cumsum(partner[:, None] <= np.arange(1, n + 1), axis=0)
    for r in (1, 2, 11, 29):
        (first, f), (other, g) = joint_laws(r, m, partner)
        start, pmf = order_statistics.order_window(r, m, n)
        assert first == start == other
        np.testing.assert_allclose(f, g, rtol=0, atol=1e-12)
        np.testing.assert_allclose([f.sum(axis=0), f.sum(axis=1)], [pmf, pmf], rtol=0, atol=1e-12)
        F = np.cumsum(np.cumsum(f, axis=0), axis=1)
        for k, j in ((first, first), (first + len(f) // 2, first + len(f) // 3), (first + len(f) // 3, first + len(f) - 1)):
            if k < n: assert printed_value(r, m, n, k, j, both[k - 1, j - 1]) == pytest.approx(F[k - first, j - first], abs=1e-11)


@pytest.mark.parametrize(("r", "m", "n"), [(3, 40, 6), (300, 600, 12), (5, 9, 40), (30, 60, 30)])
def test_joint_law_has_the_margins_of_one_threshold(r, m, n):
    "Many draws from few negatives and few from many: coarse and fine rules within a cell."
    partner = ranked(n, 0.4, 5)
    start, pmf = order_statistics.order_window(r, m, n)
    for first, f in joint_laws(r, m, partner):
        assert first == start and (f >= 0).all()
        np.testing.assert_allclose([f.sum(axis=0), f.sum(axis=1)], [pmf, pmf], rtol=0, atol=1e-12)


def test_factorials_and_binomial_points():
    for k in (1, 5, 15, 16, 40):
        exact = log(factorial(k)) - (k + 0.5) * log(k) + k - 0.5 * log(2 * np.pi)
        assert threshold_pairs.stirling_error(k) == pytest.approx(exact, abs=1e-13)
    table = np.array([log(factorial(i)) for i in range(9)])
    for p in (0.0, 0.2, 1.0):
        expected = stats.binom.pmf(np.arange(-1, 10), 8, p)
        np.testing.assert_allclose([threshold_pairs.log_binomial(table, p, k, 8) for k in range(-1, 10)], expected, rtol=1e-12)
        np.testing.assert_allclose([threshold_pairs.binomial_point(k, 8, p, 1 - p) for k in range(9)], expected[1:-1], rtol=1e-12)


@pytest.mark.parametrize(("r", "m", "p", "terms"), [(1, 2, Fraction(1, 3), 2), (3, 7, Fraction(2, 5), 7), (20, 60, Fraction(1, 3), 60), (1, 601, Fraction(1, 600), 300)])
def test_coefficients_of_the_series_are_krawtchouk_polynomials(r, m, p, terms):
    "In fractions, by the recurrence of the polynomials with leading coefficient one; the last case falls by hundreds of orders of magnitude."
    N, x, q = m - 1, r - 1, 1 - p
    before, here, expected, square = Fraction(0), Fraction(1), [], Fraction(1)
    weight = comb(N, x) * p**x * q ** (N - x)
    for l in range(terms):
        if l: square *= l * (N - l + 1) * p * q  # of the norm
        power = weight**2 * here**2 / square * m * p * q / (l + 1)
        expected.append(np.sign(here) * np.sqrt(float(power)))
        before, here = here, (x - p * (N - l) - q * l) * here - l * p * q * (N - l + 1) * before
    row = np.zeros(terms)
    threshold_pairs.series_row(row, r, m, float(p), float(q))
    small = np.abs(expected) < 1e-150  # a square below the smallest number
    np.testing.assert_allclose(row[~small], np.array(expected)[~small], rtol=1e-9, atol=1e-17 * np.abs(row).max() if terms < 100 else 0)
    assert (np.abs(row[small]) < 1e-149).all() and small.any() == (terms > 100)


def rate_differences(y, s_1, s_2, ranks):
    "The paper's rule for one resample, second minus first."
    tpr = [np.mean(s[y == 1, None] >= np.sort(s[y == 0])[::-1][np.asarray(ranks) - 1], axis=0) for s in (s_1, s_2)]
    return tpr[1] - tpr[0]


@pytest.mark.parametrize(("n_pos", "n_neg", "different", "seed"), [(1, 2, 5, 0), (3, 3, 9, 1), (3, 4, 3, 2), (2, 5, 9, 3), (3, 4, 1, 4)])
def test_the_law_of_a_difference_is_the_list_of_resamples(n_pos, n_neg, different, seed):
    "Few and many ties, all rates at once and one at a time, exact; the copula has the same mean."
    rng, y, ranks = np.random.default_rng(seed), np.repeat([1, 0], [n_pos, n_neg]), np.arange(1, n_neg)
    s_1, s_2 = rng.integers(0, different, (2, n_pos + n_neg)).astype(float)
    oracle = enumerate_law(lambda *resample: rate_differences(*resample, ranks), y, s_1, s_2)
    v = np.linspace(-1, 1, 4 * n_pos + 1)[:, None] + 1e-9
    asked = dict(ties="paper", n_jobs=1, progress=False)
    laws = [exact_tpr_difference(y, s_1, s_2, ranks / n_neg, **asked), *(exact_tpr_difference(y, s_1, s_2, [r / n_neg], **asked) for r in ranks)]
    np.testing.assert_allclose(laws[0].cdf(v), oracle.cdf(v), rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.concatenate([law.cdf(v) for law in laws[1:]], axis=1), oracle.cdf(v), rtol=0, atol=1e-12)
    np.testing.assert_allclose([laws[0].mean, laws[0].var], [oracle.mean, oracle.var], rtol=0, atol=1e-12)
    copula = exact_tpr_difference(y, s_1, s_2, ranks / n_neg, joint="gaussian", **asked)
    np.testing.assert_allclose(copula.mean, oracle.mean, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("n_pos", "n_neg", "decimals"), [(60, 8, 9), (3, 30, 9), (40, 40, 0)])
def test_a_law_has_its_moments(n_pos, n_neg, decimals):
    "Many positives and few negatives, the reverse, and ties: the probabilities give the closed forms."
    y, s_1, s_2 = BinormalPair(Binormal(2.0), Binormal(1.5), correlation=0.6).sample(n_pos, n_neg, rng=1)
    law = exact_tpr_difference(y, np.round(s_1, decimals), np.round(s_2, decimals), [1 / n_neg, 0.5], n_jobs=1, progress=False)
    single = [exact_tpr(y, np.round(s, decimals), [1 / n_neg, 0.5]).mean for s in (s_1, s_2)]
    np.testing.assert_allclose(law.mean, single[1] - single[0], rtol=0, atol=1e-12)
    for i in range(2):
        values, chances = law.support(i)
        np.testing.assert_allclose([chances.sum(), values @ chances, (values - law.mean[i]) ** 2 @ chances], [1, law.mean[i], law.var[i]], rtol=1e-10, atol=1e-12)


def mixture(f, c_1, c_2, n, m):
    "Probabilities of d = -m..m, one trinomial for each cell."
    total = np.zeros(2 * m + 1)
    for weight, a, b in zip(f.ravel(), c_1.ravel(), c_2.ravel()): total += weight * spread(*windows.trinomial_window(int(a), int(b), n, m), -m, m)
    return total / f.sum()


@pytest.mark.parametrize(("n", "m", "around", "width"), [(5, 5, (1, 1), 2), (300, 40, (60, 40), 30), (300, 400, (60, 40), 24), (200, 50, (90, 95), 12), (400, 30, (0, 0), 20)])
def test_mixture_of_differences(n, m, around, width):
    "By Chebyshev nodes where there are many cells, one by one where there are few."
    rng = np.random.default_rng(3)
    i, l = np.meshgrid(np.arange(width), np.arange(width), indexing="ij")
    shared = np.maximum.accumulate(np.maximum.accumulate(rng.integers(0, 3, (width, width)) + np.minimum(i, l) // 3, axis=0), axis=1)
    c_1, c_2 = np.maximum(around[0] + i - shared, 0), np.maximum(around[1] + l - shared, 0)
    c_1 = np.maximum(c_1 - np.maximum(c_1 + c_2 - n, 0), 0)
    f = np.exp(-((i - width / 2) ** 2 + (l - width / 2) ** 2) / (2 * (width / 6) ** 2))
    f /= f.sum()
    expected, d = mixture(f, c_1, c_2, n, m), np.arange(-m, m + 1) / m
    first, pmf = mixtures.difference_window(f, c_1, c_2, n, m)
    np.testing.assert_allclose(spread(first, pmf, -m, m), expected, rtol=0, atol=1e-12)
    mean, var = mixtures.difference_moments(f, c_1, c_2, n, m, 0.0)
    np.testing.assert_allclose([mean, var], [d @ expected, (d - mean) ** 2 @ expected], rtol=1e-10, atol=1e-13)


def test_interpolation_from_nodes():
    nodes, weights = mixtures.node_weights(3, 40, 12)
    np.testing.assert_allclose(weights @ (nodes / 40) ** 11, (np.arange(3, 41) / 40) ** 11, rtol=0, atol=1e-13)  # exact for degree 11
    nodes, weights = mixtures.node_weights(3, 9, 5)  # the middle node is one of the numbers
    np.testing.assert_allclose(weights[3], [0, 0, 1, 0, 0], atol=1e-12)
    np.testing.assert_array_equal(mixtures.node_weights(3, 5, 12)[0], [3, 4, 5])
