"""The compiled functions of one model against slow oracles, on inputs so small that they also run without the compiler.

`make test` runs this file (and test_pairs_without_compiler.py, for two models) twice: as users do, and with
COSTBOOT_COMPILE=never, where the lines of a function can be counted and an index out of range is an error. The oracles list everything that can happen, or ask scipy.
"""

from fractions import Fraction
from itertools import product
from math import comb, factorial

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from costboot.numerics import coverage_borders, linear_forms, order_statistics, windows
from costboot.core.enumeration import _multisets


def multinomial(m, *counts):
    "All outcomes of m draws from cells with these counts, and their probabilities."
    cells, total = len(counts), sum(counts)
    for outcome in product(range(m + 1), repeat=cells - 1):
        rest = m - sum(outcome)
        if rest < 0: continue
        outcome, ways, chance = (*outcome, rest), factorial(m), 1.0
        for k, c in zip(outcome, counts): ways, chance = ways // factorial(k), chance * (c / total) ** k
        if chance > 0: yield outcome, ways * chance


def spread(first, pmf, low, high):
    "A window as an array for the values low..high."
    whole = np.zeros(high - low + 1)
    whole[first - low : first - low + len(pmf)] = pmf
    return whole


def law_of(value, m, *counts):
    "Atoms and probabilities of a function of multinomial counts."
    found = {}
    for outcome, chance in multinomial(m, *counts):
        at = round(value(*outcome), 9)
        found[at] = found.get(at, 0.0) + chance
    atoms = np.array(sorted(found))
    return atoms, np.array([found[a] for a in atoms])


def quantile(atoms, probabilities, q): return atoms[min(np.searchsorted(np.cumsum(probabilities), q - 1e-12), len(atoms) - 1)]


# --- binomials, trinomials, weighted sums ----------------------------------------------------------------------------
@pytest.mark.parametrize(("count", "n", "m"), [(0, 5, 4), (5, 5, 4), (1, 1, 1), (1, 7, 3), (3, 7, 7), (6, 7, 20), (1, 400, 30), (50, 100, 300), (2, 3, 0)])
def test_binomial_window_is_scipy(count, n, m):
    first, pmf = windows.binomial_window(count, n, m)
    np.testing.assert_allclose(spread(first, pmf, 0, m), stats.binom.pmf(np.arange(m + 1), m, count / n), rtol=1e-11, atol=1e-17)


@pytest.mark.parametrize(("c1", "c2", "n"), [(0, 0, 4), (2, 0, 5), (0, 3, 5), (4, 0, 4), (2, 2, 4), (3, 1, 4), (1, 3, 4), (1, 2, 9), (5, 2, 9), (2, 5, 9), (60, 50, 111)])
@pytest.mark.parametrize("m", [0, 1, 5, 12])
def test_trinomial_window_is_the_list_of_outcomes(c1, c2, n, m):
    first, pmf = windows.trinomial_window(c1, c2, n, m)
    listed = np.zeros(2 * m + 1)
    for (a, b, _), chance in multinomial(m, c1, c2, n - c1 - c2): listed[a - b + m] += chance
    np.testing.assert_allclose(spread(first, pmf, -m, m), listed, rtol=1e-11, atol=1e-17)


def difference(c1, c2, c0, m):
    "P(A - B = d) for d = -m..m, exact before the last rounding."
    n, found = c1 + c2 + c0, [0] * (2 * m + 1)
    for a in range(m + 1):
        for b in range(m + 1 - a): found[a - b + m] += comb(m, a) * comb(m - a, b) * c1**a * c2**b * c0 ** (m - a - b)
    return [value / n**m for value in found]


@pytest.mark.parametrize(("c1", "c2", "c0"), [(5, 4, 3), (7, 1, 90), (50, 49, 1), (500, 400, 1), (2, 1, 400)])
def test_ratios_of_neighbours_by_recurrence_and_by_sums(c1, c2, c0):
    m = 60
    expected = difference(c1, c2, c0, m)
    for d in (0, 1, 20, 58, 59):
        for ratio in (windows.top_ratio, windows.summed_ratio):
            assert ratio(c1, c2, c0, m, d) == pytest.approx(expected[d + 1 + m] / expected[d + m], rel=1e-11), (d, ratio)


def test_a_window_that_ends_before_the_largest_value():
    "The recurrence then starts from a ratio."
    for counts in ((30, 20, 50), (49, 49, 2)):
        first, pmf = windows.trinomial_window(counts[0], counts[1], 100, 400)
        expected = np.array(difference(*counts, 400))
        assert first + len(pmf) - 1 < 400
        np.testing.assert_allclose(spread(first, pmf, -400, 400), expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (0.0, 2.0), (0.3, 0.7), (2.0, 0.01)])
def test_distribution_and_quantiles_of_a_weighted_sum(a, b):
    (first_x, x), (first_y, y) = windows.binomial_window(2, 5, 5), windows.trinomial_window(1, 2, 4, 4)
    pairs = {}
    for i, p in enumerate(x):
        for j, q in enumerate(y): pairs[at] = pairs.get(at := round(a * (first_x + i) + b * (first_y + j), 9), 0.0) + p * q
    atoms = np.array(sorted(pairs))
    chances = np.array([pairs[v] for v in atoms])
    for v in (atoms[0] - 1, *(atoms + 1e-8), *(0.5 * (atoms[1:] + atoms[:-1]))):
        assert windows.sum_cdf((first_x, x), (first_y, y), (a, b), np.array([v]))[0] == pytest.approx(chances[atoms <= v].sum(), abs=1e-13)
    room = values, masses = windows.Atoms(np.empty(len(x) * len(y)), np.empty(len(x) * len(y)))
    two = windows.two_windows((first_x, x), (first_y, y), (a, b))
    for low, high in ((atoms[0] - 1, atoms[-1] + 1), (atoms[1] + 1e-8, atoms[-2] + 1e-8), (atoms[-1] + 1e-8, atoms[-1] + 1)):
        used = windows.sum_atoms(two, low, high, room)
        inside = (atoms > low) & (atoms <= high)
        assert used == sum(low < a * (first_x + i) + b * (first_y + j) <= high for i in range(len(x)) for j in range(len(y)))
        assert set(np.round(values[:used], 9)) == set(atoms[inside]) and masses[:used].sum() == pytest.approx(chances[inside].sum(), abs=1e-13)
    levels = np.array([0.0, 1e-6, 0.05, 0.3141, 0.5, 0.95, 1 - 1e-9, 1.0])
    ours = windows.sum_ppf((first_x, x), (first_y, y), (a, b), levels, ndtri(levels), 1e-10)
    np.testing.assert_allclose(ours, [quantile(atoms, chances, q) for q in levels], rtol=0, atol=1e-8)


def test_a_constant_is_its_own_quantile():
    one = np.ones(1)
    np.testing.assert_allclose(windows.sum_ppf((3, one), (-1, one), (0.5, 0.25), np.array([0.0, 0.5, 1.0]), np.zeros(3), 1e-10), 1.25)


def test_moments_of_a_window():
    first, pmf = windows.binomial_window(2, 5, 7)
    np.testing.assert_allclose(windows.window_moments(first, pmf), [2.8, 1.68, 1.68 * 0.2], rtol=1e-12)


def test_counting_pairs_of_ranks():
    rng = np.random.default_rng(1)
    rank, added, query = rng.permutation(12), np.sort(rng.integers(0, 13, 9)), rng.integers(0, 12, 9)
    np.testing.assert_array_equal(windows.count_both(rank, added, query), [(rank[:a] >= q).sum() for a, q in zip(added, query)])


# --- two cells of a multinomial --------------------------------------------------------------------------------------
CELLS = [(2, 3, 7, 6), (0, 3, 7, 6), (3, 0, 7, 6), (4, 3, 7, 5), (7, 0, 7, 5), (1, 1, 2, 8), (1, 5, 9, 9), (1, 1, 9, 1)]


@pytest.mark.parametrize(("c1", "c2", "n", "m"), CELLS)
@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (0.4, 0.6), (0.01, 1.0), (1.0, 3.0)])
def test_two_cells_are_the_list_of_outcomes(c1, c2, n, m, a, b):
    atoms, chances = law_of(lambda x, y, _: a * x + b * y, m, c1, c2, n - c1 - c2)
    # up and down: a walk starts from where the last began
    values = np.array([-1.0, *(atoms + 1e-8), *(atoms[::-1] - 1e-8), a * m + b * m])
    expected = [chances[atoms <= v].sum() for v in values]
    np.testing.assert_allclose(linear_forms.form_cdf((c1, c2, n, m), (a, b), values), expected, rtol=0, atol=1e-12)
    levels = np.array([1e-5, 0.05, 0.27, 0.5, 0.77, 0.95, 1 - 1e-5, 1 - 1e-12])
    ours = linear_forms.form_ppf((c1, c2, n, m), (a, b), levels, ndtri(levels), 1e-9)
    np.testing.assert_allclose(ours, [quantile(atoms, chances, q) for q in levels], rtol=0, atol=1e-7)


def test_two_cells_of_many_draws():
    "Where the walk stops early and where a probability is too small to go on from."
    c1, c2, n, m = 30, 500, 1000, 1000
    first, pmf = windows.binomial_window(c1, n, m)
    for a, b in ((1.0, 1.0), (5.0, 1.0), (0.02, 1.0)):
        for v in (b * m * c2 / n - 90 * b, a * m * c1 / n + b * m * c2 / n, b * m * 0.9):
            given = [stats.binom.cdf(np.floor((v - a * x) / b + 1e-9), m - x, c2 / (n - c1)) for x in range(first, first + len(pmf))]
            (got,) = linear_forms.form_cdf((c1, c2, n, m), (a, b), np.array([v]))
            assert got == pytest.approx(pmf @ given, abs=1e-12)


@pytest.mark.parametrize("counts", [(1, 2, 1, 2, 3), (2, 0, 0, 1, 4), (1, 1, 1, 1, 0), (0, 0, 0, 0, 5), (0, 3, 2, 0, 0), (1, 0, 0, 1, 8)])
@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (0.3, 0.7)])
def test_four_cells_are_the_list_of_outcomes(counts, a, b):
    n, m = sum(counts), 6
    atoms, chances = law_of(lambda p, q, r, s, _: a * (p - q) + b * (r - s), m, *counts)
    values = np.array([-m - 1.0, *(atoms + 1e-8), m + 1.0])
    expected = [chances[atoms <= v].sum() for v in values]
    np.testing.assert_allclose(linear_forms.coin_cdf(counts[:4], n, m, (a, b), values), expected, rtol=0, atol=1e-11)
    levels = np.array([1e-4, 0.05, 0.27, 0.5, 0.77, 0.95, 1 - 1e-4, 1 - 1e-12])
    ours = linear_forms.four_cell_ppf(counts[:4], n, m, (a, b), levels, ndtri(levels), 1e-9)
    np.testing.assert_allclose(ours, [quantile(atoms, chances, q) for q in levels], rtol=0, atol=1e-7)


def test_the_next_bracket():
    "Narrower when there are too many atoms, lower when all of them lie above the level, higher when it is not reached, the largest at the end."
    atoms, at = windows.Atoms(np.array([3.0, 1.0, 2.0]), np.array([0.1, 0.2, 0.3])), windows.Bracket(5.0, 1.0, 0.0, 99.0)
    goal = windows.Goal(0.6, 0.0, 0.0, 1e-9)
    for used, base, (done, found, low, half) in (
        (4, 0.0, (False, 0.0, 5.0, 0.3)), (3, 0.9, (False, 0.0, -1.0, 3.0)), (3, 0.1, (True, 2.0, 7.0, 3.0)),
        (3, 0.2, (True, 2.0, 7.0, 3.0)), (0, 0.1, (False, 0.0, 7.0, 3.0)),
    ):
        got = windows.next_bracket(at, base, used, atoms, goal)
        assert got[:2] == (done, found)
        np.testing.assert_allclose(got[2][:2], (low, half))
    last = windows.next_bracket(at._replace(top=4.0), 0.0, 3, atoms, goal._replace(level=0.99))
    assert last[:2] == (True, 3.0)


# --- coverage --------------------------------------------------------------------------------------------------------
def test_gaussian_sums_are_a_double_loop():
    rng = np.random.default_rng(2)
    P = rng.random((4, 5))
    P /= P.sum()
    mean_x, var_x, u, mean_y, var_y, v = (rng.random(k) * 0.3 for k in (4, 4, 4, 5, 5, 5))
    for kappa, truth in ((0.0, 0.3), (0.2, 0.9), (0.1, 0.0)):
        mean = mean_x[:, None] + mean_y
        half = 0.4 * np.sqrt(var_x[:, None] + var_y + kappa * (u[:, None] - v) ** 2)
        low, high = np.clip(mean - half, 0, 0.6), np.clip(mean + half, 0, 0.6)
        expected = P[(low <= truth) & (truth <= high)].sum(), P[truth < low].sum(), P[truth > high].sum(), (P * (high - low)).sum()
        parts = coverage_borders.Part(mean_x, var_x, u), coverage_borders.Part(mean_y, var_y, v)
        got = coverage_borders.gaussian_sums(P, *parts, kappa, coverage_borders.Gaussian(0.4, truth, 0.0, 0.6))
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("level", [0.05, 0.5, 0.9])
@pytest.mark.parametrize(("a", "b", "v"), [(0.1, 0.15, 0.6), (0.25, 0.1, 0.31), (0.1, 0.1, 0.0), (0.1, 0.1, 5.0)])
def test_border_of_two_independent_counts(a, b, v, level):
    n_x, n_y = 4, 6
    listed = [[sum(p * q for k, p in enumerate(stats.binom.pmf(range(n_x + 1), n_x, x / n_x)) for l, q in enumerate(stats.binom.pmf(range(n_y + 1), n_y, y / n_y))
                   if a * k + b * l <= v + 1e-12) >= level for y in range(n_y + 1)] for x in range(n_x + 1)]
    counts = (coverage_borders.Counts(0, n + 1, n) for n in (n_x, n_y))
    border = coverage_borders.sum_border(*counts, (a, b), v + 1e-12, level)
    np.testing.assert_array_equal(border, np.sum(listed, axis=1))


@pytest.mark.parametrize("level", [0.05, 0.5, 0.9])
@pytest.mark.parametrize(("a", "b", "v"), [(0.1, 0.15, 0.4), (0.3, 0.1, 0.31), (0.1, 0.1, 0.0), (0.1, 0.1, 5.0)])
def test_border_of_two_cells(a, b, v, level):
    n = 5
    expected = [sum(sum(p for (k, l, _), p in multinomial(n, x, y, n - x - y) if a * k + b * l <= v + 1e-12) >= level for y in range(n + 1 - x)) for x in range(n + 1)]
    counts = coverage_borders.Counts(0, n + 1, n)
    border = coverage_borders.form_border(counts, counts, (a, b), v + 1e-12, level)
    np.testing.assert_array_equal(border, expected)


# --- the rank of a threshold -----------------------------------------------------------------------------------------
def order_share(i, r, m, n):
    "Probability that the r-th smallest of m draws from n ranks is rank i + 1, in whole numbers: scipy 1.12 has an error of 1.4e-14."
    def reached(k): return sum(comb(m, j) * k**j * (n - k) ** (m - j) for j in range(r, m + 1))
    return float(Fraction(reached(i + 1) - reached(i), n**m))


@pytest.mark.parametrize(("r", "m", "n"), [(1, 1, 1), (1, 5, 1), (1, 4, 6), (4, 4, 6), (2, 5, 5), (7, 9, 3), (1, 40, 4000), (20, 40, 4000), (200, 400, 9000)])
def test_window_of_a_rank_is_a_beta_law(r, m, n):
    "The last two: the wide windows, where the density changes little from one rank to the next."
    first, pmf = order_statistics.order_window(r, m, n)
    ranks = range(n) if n < 100 else range(0, n, 97)
    np.testing.assert_allclose(spread(first, pmf, 1, n)[ranks], [order_share(i, r, m, n) for i in ranks], rtol=0, atol=1e-15)
    np.testing.assert_allclose(order_statistics.log_shapes(np.array([0.3, 0.7]), r, m, n) @ [-1, 1],
                               np.subtract(*(stats.beta.logpdf(x / n, r, m - r + 1) for x in (0.7, 0.3))), rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize(("r", "m_neg", "n_neg", "m"), [(2, 5, 4, 3), (1, 2, 3, 6), (3, 4, 4, 9)])
def test_positives_above_the_threshold(r, m_neg, n_neg, m):
    n, counts = 5, np.array([0, 2, 2, 5])[:n_neg]
    ranks = np.diff(stats.beta.cdf(np.arange(n_neg + 1) / n_neg, r, m_neg - r + 1))
    expected = sum(w * stats.binom.pmf(np.arange(m + 1), m, c / n) for w, c in zip(ranks, counts))
    first, pmf = order_statistics.order_window(r, m_neg, n_neg)
    np.testing.assert_allclose(spread(*order_statistics.above_window(first, pmf, counts, m, n), 0, m), expected, rtol=0, atol=1e-14)
    for l in range(-1, m + 2):
        assert order_statistics.above_cdf(first, pmf, counts, l, m, n) == pytest.approx(expected[: l + 1].sum() if l >= 0 else 0.0, abs=1e-13)
        assert order_statistics.above_sf(first, pmf, counts, l, m, n) == pytest.approx(expected[max(l, 0) :].sum(), abs=1e-13)
    for q in (1e-4, 0.05, 0.29, 0.5, 0.83, 0.95, 1 - 1e-4):
        assert order_statistics.above_ppf(first, pmf, counts, q, ndtri(q), m, n) == quantile(np.arange(m + 1), expected, q)
    mean = expected @ np.arange(m + 1) / m
    var = expected @ (np.arange(m + 1) / m - mean) ** 2
    np.testing.assert_allclose(order_statistics.vertical_moments(np.array([r]), m_neg, n_neg, counts, m, n, 0)[:, 0], [mean, var], rtol=1e-12)


@pytest.mark.parametrize("k", [1, 3, 4, 6])
def test_the_highest_of_a_stratified_resample(k):
    "All resamples of three positives and four negatives."
    pos, neg = np.array([2.5, 1.5, 0.5]), np.array([3.0, 2.0, 1.0, 0.0])
    counts = np.array([(pos > t).sum() for t in neg])
    listed = np.zeros(k + 1)
    for (i, p), (j, q) in product(_multisets(3, 3), _multisets(4, 4)):
        scores, labels = np.concatenate([pos[list(i)], neg[list(j)]]), np.repeat([1, 0], [3, 4])
        listed[labels[np.argsort(-scores, kind="stable")[:k]].sum()] += p * q
    np.testing.assert_allclose(spread(*order_statistics.budget_window(k, 3, 3, 4, 4, counts), 0, k), listed, rtol=0, atol=1e-13)
    for l in range(-1, k + 2):
        assert order_statistics.top_cdf(l, k, 3, 3, 4, 4, counts) == pytest.approx(listed[: l + 1].sum() if l >= 0 else 0.0, abs=1e-13)
        assert order_statistics.top_sf(l, k, 3, 3, 4, 4, counts) == pytest.approx(listed[max(l, 0) :].sum(), abs=1e-13)


def test_rows_of_binomials():
    count, size = np.array([0, 1, 3, 4]), np.array([4, 4, 4, 4])
    low, high = order_statistics.binomial_range(count, size, 6)
    rows = order_statistics.binomial_rows(count, size, 6, low, high)
    np.testing.assert_allclose(rows, [stats.binom.pmf(np.arange(low, high + 1), 6, c / 4) for c in count], rtol=0, atol=1e-15)


def test_products_of_two_placements():
    "Ties count a half, in both models."
    rng = np.random.default_rng(3)
    for _ in range(20):
        pos, neg = rng.integers(0, 4, (2, 5)), rng.integers(0, 4, (2, 6))
        def halves(model): return (pos[model][:, None] > neg[model]) * 2 + (pos[model][:, None] == neg[model])
        pos_order, neg_order = np.argsort(pos[0], kind="stable"), np.argsort(neg[0], kind="stable")
        got = order_statistics.joint_quarters(pos[0][pos_order], pos[1][pos_order], neg[0][neg_order], neg[1][neg_order])
        assert got == (halves(0) * halves(1)).sum()


# Steps of a curve that both classes share

STEPS = [order_statistics.Step(3.0, 2, 4, 10, 6), order_statistics.Step(0.4, 0, 5, 5, 7), order_statistics.Step(5.2, 6, 4, 10, 6),
         order_statistics.Step(2.5, 0, 3, 9, 5), order_statistics.Step(1.0, 8, 1, 9, 4)]


def listed_shares(step):
    "Share and probability of every resample whose threshold is on the step."
    cells = step.ahead, step.size, step.n - step.ahead - step.size
    return [((step.target - a) / g, chance) for (a, g, _), chance in multinomial(step.m, *cells) if a < step.target <= a + g]


@pytest.mark.parametrize("step", STEPS)
def test_shares_of_a_step(step):
    values, chances = np.array(listed_shares(step)).T
    found = order_statistics.step_shares(step)
    np.testing.assert_allclose(found[:1] + found[2:4], [chances.sum(), chances @ (values - found.centre), chances @ (values - found.centre) ** 2], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose([found.low, found.high, found.pairs], [values.min(), values.max(), len(values)], rtol=1e-13)
    ours, weights = order_statistics.step_pairs(step, found.pairs)
    np.testing.assert_allclose(np.sort(ours), np.sort(values), rtol=1e-13)
    np.testing.assert_allclose(ours**3 @ weights, values**3 @ chances, rtol=1e-12)
    if found.high > found.low:
        knots, masses = order_statistics.step_knots(step, found)
        np.testing.assert_allclose([masses.sum(), masses @ knots, masses @ knots**2], [chances.sum(), chances @ values, chances @ values**2], rtol=1e-9)


@pytest.mark.parametrize("cells", [(3, 4, 10, 5), (3, 0, 10, 5), (6, 4, 10, 5), (10, 0, 10, 4), (1, 8, 9, 6)])
def test_positives_above_and_on_a_step(cells):
    "The mixed distribution function and its atoms against all outcomes."
    equal, above, n, m = cells
    shares, weights = np.array([0.2, 0.5, 0.5, 1.0]), np.array([0.4, 0.1, 0.2, 0.3])
    outcomes = list(multinomial(m, equal, above, n - equal - above))
    atoms = windows.Atoms(np.empty(500), np.empty(500))
    used = order_statistics.step_atoms(cells, shares, weights, (-1.0, float(m)), atoms)
    assert order_statistics.step_atoms(cells, shares, weights, (-1.0, float(m)), windows.Atoms(np.empty(0), np.empty(0))) == used
    for value in (0.0, 0.45, 0.5, 1.7, 2.0, m - 0.5, float(m)):
        expected = sum(w * chance for (y, x, _), chance in outcomes for share, w in zip(shares, weights) if x + share * y <= value + 1e-9)
        np.testing.assert_allclose(order_statistics.step_below(cells, shares, weights, 1, value + 1e-9), expected, rtol=0, atol=1e-13)
        np.testing.assert_allclose(atoms.masses[:used][atoms.values[:used] <= value + 1e-9].sum(), expected, rtol=0, atol=1e-13)


def test_a_stride_is_as_good_where_the_bell_is_wide():
    "Up to the height of the stairs, which at the whole number 150 are 4e-4 here."
    shares, weights = np.linspace(0.2, 0.8, 101), np.full(101, 1 / 101)
    for value in (120.3, 150.0, 181.7):
        whole, part = (order_statistics.step_below((100, 100, 300, 300), shares, weights, stride, value) for stride in (1, 3))
        np.testing.assert_allclose(part, whole, rtol=0, atol=3e-4)
