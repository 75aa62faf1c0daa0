"""Laws of ROC curves: random tiny test sets against enumeration, large ones, bad input, pictures."""

import subprocess
import sys
import warnings
from functools import partial

import matplotlib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402
from scipy import special, stats  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402

from costboot.numerics import order_statistics  # noqa: E402
from costboot.laws.auc import exact_auc, exact_auc_difference  # noqa: E402
from costboot.laws.budget import exact_rates_at_budget, resampled_rates_at_budget  # noqa: E402
from costboot.core.enumeration import enumerate_law  # noqa: E402
from costboot.data.score_models import Binormal, BinormalPair  # noqa: E402
from costboot.laws.smoothed_tpr import kernel_tpr  # noqa: E402
from costboot.comparisons.displays import RocBandDisplay  # noqa: E402
from costboot.core.intervals import RATE_LIMITS, rate_interval  # noqa: E402
from costboot.laws.thresholds import exact_roc, exact_roc_difference, resampled_roc  # noqa: E402
from costboot.laws.fixed_fpr import exact_tpr, resampled_tpr  # noqa: E402

FEW = settings(max_examples=30, deadline=None)
METHODS = "wald", "agresti", "exact", "empirical"


@st.composite
def test_sets(draw, models=1, negatives=(1, 4)):
    "Labels and scores of a few instances, with many ties, and a resample size."
    n_pos, n_neg = draw(st.integers(1, 3)), draw(st.integers(*negatives))
    y = np.repeat([1, 0], [n_pos, n_neg])
    scores = [np.array(draw(st.lists(st.integers(0, 3), min_size=y.size, max_size=y.size)), dtype=float) for _ in range(models)]
    step = y.size // np.gcd(n_pos, n_neg)
    sizes = [m for m in (step, y.size, 2 * step) if m <= 8]
    order = draw(st.permutations(range(y.size)))
    return y[order], *(s[order] for s in scores), draw(st.sampled_from(sizes or [y.size]))


test_sets.__test__ = False


pytestmark = pytest.mark.usefixtures("no_figure_is_left")


# Fixed thresholds

@FEW
@given(test_sets(models=2))
def test_differences_and_quadrants_equal_enumeration(case):
    y, s_1, s_2, m = case
    t_1, t_2 = np.array([0, 1, 1, 2, 3, -np.inf]), np.array([1, 1, 2, 0.5, 3, np.inf])
    law = exact_roc_difference(y, s_1, s_2, t_1, t_2, m=m)

    def rates(y, s_1, s_2):
        f, t = (np.mean(s_2[y == label, None] >= t_2, axis=0) - np.mean(s_1[y == label, None] >= t_1, axis=0) for label in (0, 1))
        f, t = np.round(f, 12), np.round(t, 12)
        parts = (t > 0) & (f > 0), (t <= 0) & (f >= 0) & ((t < 0) | (f > 0)), (t < 0) & (f < 0), (t >= 0) & (f <= 0) & ((t > 0) | (f < 0)), (t == 0) & (f == 0)
        return np.concatenate([f, t, *parts]).astype(float)

    oracle = enumerate_law(rates, y, s_1, s_2, m=m)
    mean, var = oracle.mean.reshape(7, -1), oracle.var.reshape(7, -1)
    np.testing.assert_allclose([law.fpr.mean, law.tpr.mean], mean[:2], atol=1e-12)
    np.testing.assert_allclose([law.fpr.var, law.tpr.var], var[:2], atol=1e-12)
    np.testing.assert_allclose(np.array(law.quadrants()), mean[2:], atol=1e-12)
    np.testing.assert_allclose(np.array(law.dominance()), mean[[3, 5]], atol=1e-12)
    np.testing.assert_allclose(np.sum(law.quadrants(), axis=0), 1, rtol=1e-14)


def test_the_region_has_the_root_of_the_level_on_each_side():
    y, s = Binormal(1.0).sample(30, 50, rng=1)
    law = exact_roc(y, s, [0.0, 1.0])
    for method in METHODS[:3]:
        region = law.region(0.81, method)
        np.testing.assert_array_equal(region.fpr, law.fpr.interval(0.9, method))
        np.testing.assert_array_equal(region.tpr, law.tpr.interval(0.9, method))
    first, again = (law.region(0.9, "empirical", rng=5) for _ in range(2))
    np.testing.assert_array_equal(np.array(first), np.array(again))
    frame = exact_roc_difference(y, s, -s, [0, 1], [0.5, 1]).to_frame(method="agresti")
    assert list(frame)[:4] == ["threshold_1", "threshold_2", "fpr", "tpr"] and len(frame) == 2


def test_dominance_at_a_million_instances():
    n = 10**6
    pos = np.repeat([[1, 0], [0, 1], [1, 1]], [100, 50, n - 150], axis=0)
    neg = np.repeat([[1, 0], [0, 1], [0, 0]], [200, 260, n - 460], axis=0)
    y, (s_1, s_2) = np.repeat([1, 0], n), np.concatenate([pos, neg]).T.astype(float)
    law = exact_roc_difference(y, s_1, s_2, 1.0, 1.0)
    poisson = [stats.skellam.cdf(-1, a, b) for a, b in ((200, 260), (100, 50))]
    f_below, t_below = poisson
    f_same, t_same = stats.skellam.pmf(0, 200, 260), stats.skellam.pmf(0, 100, 50)
    np.testing.assert_allclose(law.dominance().f1, (1 - t_below - t_same) * (f_below + f_same) + t_same * f_below, rtol=1e-3)


def test_two_classical_intervals_are_admissible():
    for n in (1, 2, 9, 10**6):
        counts = np.unique([0, 1, n // 2, n])
        for function in (partial(rate_interval, method=name) for name in RATE_LIMITS if name != "wald"):
            low, high = function(counts, n)
            assert (0 <= low).all() and (high <= 1).all() and (low < high).all() and (low <= counts / n).all() and (counts / n <= high).all()


# Fixed false positive rates

def trapezoid(y, s, rates):
    "Heights of the trapezoidal curve of one resample: corners, and straight lines between them."
    cuts = np.unique(s)[::-1]
    fpr, tpr = (np.append(0, np.mean(s[y == label] >= cuts[:, None], axis=1)) for label in (0, 1))
    right = np.searchsorted(fpr, np.asarray(rates) - 1e-12)
    share = (rates - fpr[right - 1]) / (fpr[right] - fpr[right - 1])
    return tpr[right - 1] + share * (tpr[right] - tpr[right - 1])


@FEW
@given(test_sets(negatives=(2, 4)))
def test_vertical_law_equals_enumeration(case):
    y, s, m = case
    m_neg = m * np.sum(y == 0) // y.size
    if m_neg < 2: return
    r, q = np.arange(1, m_neg), np.linspace(0, 1, 21)[:, None]
    rates = np.append(r / m_neg, [0.04, 0.55])

    def paper(y, s): return np.mean(s[y == 1, None] >= np.sort(s[y == 0])[::-1][r - 1], axis=0)

    for law, statistic in ((exact_tpr(y, s, r / m_neg, ties="paper", m=m), paper), (exact_tpr(y, s, rates, m=m), lambda y, s: trapezoid(y, s, rates))):
        oracle = enumerate_law(statistic, y, s, m=m)
        np.testing.assert_allclose(law.mean, oracle.mean, atol=1e-12)
        np.testing.assert_allclose(law.var, oracle.var, atol=1e-12)
        np.testing.assert_allclose(law.cdf(q), oracle.cdf(q), atol=1e-12)
        np.testing.assert_allclose(law.ppf(q), oracle.ppf(q), atol=1e-12)


@pytest.mark.parametrize(("n_pos", "n_neg"), [(40, 50), (2000, 3000), (30_000, 20_000)])
def test_shared_scores_at_any_size(n_pos, n_neg):
    "A marker with five levels: quantiles invert, draws and literal curves have the law's moments."
    rng = np.random.default_rng(n_pos)
    y, s = np.repeat([1, 0], [n_pos, n_neg]), np.clip(np.round(np.append(rng.normal(3, 1, n_pos), rng.normal(2, 1, n_neg))), 0, 4)
    law, q = exact_tpr(y, s, [0.03, 0.2, 0.51]), np.array([0.001, 0.05, 0.5, 0.95, 0.999])[:, None]
    v = law.ppf(q)
    assert law.exact.all() == (n_pos == 40)
    assert (law.cdf(v) >= q * (1 - 1e-9)).all() and (law.cdf(v - 1e-3 * law.std) < q).all()
    np.testing.assert_array_equal(law.cdf([[-0.1], [1.0]]), [[0.0] * 3, [1.0] * 3])
    draws = law.rvs(4000, rng=1)
    assert (np.abs(draws.mean(axis=0) - law.mean) < 5 * law.std / np.sqrt(4000)).all() and (np.abs(draws.std(axis=0) / law.std - 1) < 0.06).all()
    curve = trapezoid(y, s, law.x)
    np.testing.assert_allclose(law.height(law.x), curve, rtol=1e-12)
    for method in ("recommended", "conservative", "exact", "wald"):
        low, high = law.interval(0.9, method)
        assert (low <= curve).all() and (curve <= high).all()
    if n_pos > 40:
        with pytest.raises(ValueError, match="`support` must fit in memory"): law.support(1)


def test_knots_are_close_to_all_pairs(monkeypatch):
    "The histogram of a slope's shares against the pairs themselves."
    from costboot.laws import fixed_fpr
    rng = np.random.default_rng(4)
    y, s = np.repeat([1, 0], [500, 500]), np.round(np.append(rng.normal(3, 1, 500), rng.normal(2, 1, 500)))
    grid = np.linspace(0.2, 0.8, 61)[:, None] + 1e-6
    exact = exact_tpr(y, s, [0.1, 0.3])
    assert exact.exact.all()
    listed, limits = exact.cdf(grid), np.array(exact.interval(0.9, "exact"))
    monkeypatch.setattr(fixed_fpr, "_PAIR_WORK", 0)
    rough = exact_tpr(y, s, [0.1, 0.3])
    assert not rough.exact.any()
    assert np.abs(rough.cdf(grid) - listed).max() < 1e-3
    assert (np.abs(np.array(rough.interval(0.9, "exact")) - limits) < 0.01 * exact.std).all()


def test_a_rate_is_not_moved():
    y, s = Binormal(1.0).sample(40, 70, rng=2)
    law = exact_tpr(y, s, [0.1, 0.001, 0.9999])
    np.testing.assert_array_equal(law.x, [0.1, 0.001, 0.9999])
    np.testing.assert_array_equal(law.rank, [7, 1, 70])
    np.testing.assert_allclose(exact_tpr(y, s, 8 / 70, ties="paper").x, 8 / 70)
    np.testing.assert_allclose(exact_tpr(y, s, 0.11, ties="paper").x, 8 / 70)
    one = exact_tpr(y, s, 0.1)
    assert one.mean == law.mean[0] and one.x == 0.1 and one.interval(0.9, "exact").low == law.interval(0.9, "exact").low[0]


def test_vertical_law_of_large_samples_is_consistent():
    y, s = Binormal(2.0, 3.75, 3.0).sample(200_000, 300_000, rng=1)
    law = exact_tpr(y, s, [1 / 300_000, 0.001, 0.2, 0.999])
    q = np.array([1e-6, 0.05, 0.5, 0.95, 1 - 1e-6])[:, None]
    v = law.ppf(q)
    assert (law.cdf(v) >= q * (1 - 1e-12)).all() and (law.cdf(v - 1 / law.m) < q).all()
    values, probabilities = law.support(2)
    np.testing.assert_allclose([values @ probabilities, probabilities.sum()], [law.mean[2], 1], rtol=1e-11)
    np.testing.assert_allclose((values - law.mean[2]) ** 2 @ probabilities, law.var[2], rtol=1e-9)
    np.testing.assert_allclose(law.rvs(2000, rng=1).mean(axis=0), law.mean, atol=5 * law.std.max() / np.sqrt(2000))


def test_windows_agree_where_the_quadrature_changes():
    for m, n in ((4000, 4000), (3600, 3700), (10**5, 10**5), (50_000, 10**6)):
        for r in np.unique(np.linspace(1, m, 23).astype(int)):
            first, pmf = order_statistics.order_window(r, m, n)
            edges = (first - 1 + np.arange(len(pmf) + 1)) / n
            low, high = special.betainc(r, m - r + 1, edges), special.betaincc(r, m - r + 1, edges)
            expected = np.where(low[1:] < 0.5, np.diff(low), -np.diff(high))
            np.testing.assert_allclose(pmf, expected, rtol=0, atol=5e-12)


@pytest.mark.slow
def test_a_thousand_rates_of_a_million_instances():
    "The mean is near the curve's own height, the quantiles near those of a normal law, and they are where the distribution function says."
    y, s = Binormal(2.0, 3.75, 3.0).sample(10**6, rng=1)
    law = exact_tpr(y, s, np.linspace(0.001, 0.999, 1000))
    assert (abs(law.mean - law.height(law.x)) < law.std / 2).all()
    low, high = law.interval(0.9, "exact")
    assert (abs(np.array(law.interval(0.9, "exact")) - law.interval(0.9, "wald")) < law.std / 5).all()
    below, above = law.cdf(np.stack([low - 1e-9, high - 1e-9])), law.cdf(np.stack([low, high]))
    assert (below[0] < 0.05).all() and (above[0] >= 0.05 * (1 - 1e-9)).all() and (below[1] < 0.95).all() and (above[1] >= 0.95 * (1 - 1e-9)).all()


# Budgets

def lots(y, s, k):
    "P(TP = a), a = 0..k, for one resample with ties broken by lot: hypergeometric at the cut."
    cut = np.sort(s)[::-1][k - 1]
    sure, tied = np.sum(y[s > cut] == 1), s == cut
    return stats.hypergeom.pmf(np.arange(k + 1) - sure, tied.sum(), np.sum(y[tied] == 1), k - np.sum(s > cut))


@FEW
@given(test_sets(), st.sampled_from(["stratified", "full"]))
def test_budget_laws_equal_enumeration(case, sampling):
    y, s, m = case
    m = min(m, 6) if sampling == "full" else m
    law = exact_rates_at_budget(y, s, np.arange(1, m + 1) / m, sampling=sampling, m=m)
    for i, k in enumerate(law.treated):
        def joint(y, s, k=k):
            table = np.zeros((k + 1, m + 1))
            table[:, np.sum(y == 1)] = lots(y, s, k)
            return table.ravel()
        table = enumerate_law(joint, y, s, sampling=sampling, m=m).mean.reshape(k + 1, m + 1)
        a, j = np.arange(k + 1)[:, None], np.arange(m + 1)
        for part, top, bottom in ((law.tpr, a, j), (law.fpr, k - a, m - j), (law.precision, a, k)):
            top, bottom = np.broadcast_arrays(top, bottom, table)[:2]
            defined = (bottom > 0) & (table > 0)
            weight, ratio = table[defined] / table[defined].sum(), top[defined] / bottom[defined]
            np.testing.assert_allclose(part.mean[i], weight @ ratio, atol=1e-12)
            for v in np.linspace(0, 1, 13): np.testing.assert_allclose(part.cdf(v)[i], weight[ratio <= v + 1e-12].sum(), atol=1e-12)


def test_budget_of_a_large_test_set_with_and_without_ties():
    y, s = Binormal(1.5).sample(3000, 5000, rng=1)
    smooth, tied = exact_rates_at_budget(y, s, [0.1, 0.4]), exact_rates_at_budget(y, s.round(3), [0.1, 0.4])
    np.testing.assert_allclose(tied.tpr.mean, smooth.tpr.mean, atol=5e-4)
    np.testing.assert_allclose(tied.tpr.std, smooth.tpr.std, rtol=1e-2)
    literal = resampled_rates_at_budget(y, s, [0.1, 0.4], n_resamples=300, rng=1)
    np.testing.assert_allclose(literal[0].mean(axis=0), smooth.tpr.mean, atol=5 * smooth.tpr.std.max() / np.sqrt(300))
    everything = exact_rates_at_budget(y[::100], s[::100], 1.0)
    assert everything.tpr.mean == everything.fpr.mean == 1


def test_a_full_budget_law_that_would_not_fit_is_refused():
    y, s = np.repeat([1, 0], 2 * 10**6), np.random.default_rng(1).normal(size=4 * 10**6)
    with pytest.raises(ValueError, match="must have a joint law that fits in memory"): exact_rates_at_budget(y, s, 0.5, sampling="full")


# Areas

def area(y, s):
    "Share of pairs in the right order, ties counted half."
    return (np.mean(s[y == 1, None] > s[y == 0]) + np.mean(s[y == 1, None] >= s[y == 0])) / 2


@FEW
@given(test_sets(models=2))
def test_area_moments_equal_enumeration(case):
    y, s_1, s_2, m = case
    one = enumerate_law(area, y, s_1, m=m)
    law = exact_auc(y, s_1, m=m)
    np.testing.assert_allclose([law.mean, law.var], [one.mean[0], one.var[0]], atol=1e-13)
    both = enumerate_law(lambda y, a, b: area(y, b) - area(y, a), y, s_1, s_2, m=m)
    law = exact_auc_difference(y, s_1, s_2, m=m)
    np.testing.assert_allclose([law.mean, law.var], [both.mean[0], both.var[0]], atol=1e-13)


def test_area_intervals_and_their_clipping():
    y, s = Binormal(4.0).sample(15, rng=1)
    law = exact_auc(y, s)
    for method in ("recommended", "conservative", "wald", "delong", "empirical"):
        low, high = law.interval(0.95, method, rng=1)
        assert 0 <= low <= law.mean <= high <= 1
    assert np.isnan(exact_auc([1, 0, 0], [1, 2, 0]).delong_var)
    with pytest.raises(ValueError, match="`method` must be one of 'conservative', 'delong', 'empirical', 'exact', 'recommended', 'wald'"): law.interval(0.9, "agresti")


# Literal resampling and the law, with a bound that a wrong law does not meet

def test_literal_resamples_have_the_exact_moments():
    y, s_1, s_2 = BinormalPair(Binormal(1.0), Binormal(0.8)).sample(25, 35, rng=1)
    fpr, tpr = resampled_roc(y, s_1, [0.0, 1.0], n_resamples=3000, rng=2)
    law = exact_roc(y, s_1, [0.0, 1.0])
    for sample, part in ((fpr, law.fpr), (tpr, law.tpr), (resampled_tpr(y, s_1, [0.1, 0.5], n_resamples=3000, rng=3), exact_tpr(y, s_1, [0.1, 0.5]))):
        assert (np.abs(sample.mean(axis=0) - part.mean) < 4.5 * part.std / np.sqrt(3000)).all()
        assert (np.abs(sample.std(axis=0) / part.std - 1) < 0.1).all()


# Bad input: the argument, the rule and what was given

Y, S = np.array([1, 1, 0, 0, 0, 1]), np.array([3.0, 2.0, 1.0, 2.5, 0.0, 1.0])
CALLS = {
    "exact_roc": lambda y, s, **k: exact_roc(y, s, 1.0, **k),
    "exact_roc_difference": lambda y, s, **k: exact_roc_difference(y, s, S[: len(np.atleast_1d(s))] if np.ndim(s) else S, 1.0, 1.0, **k),
    "exact_tpr": lambda y, s, **k: exact_tpr(y, s, 0.5, **k),
    "exact_auc": lambda y, s, **k: exact_auc(y, s, **k),
    "exact_rates_at_budget": lambda y, s, **k: exact_rates_at_budget(y, s, 0.5, **k),
    "resampled_roc": lambda y, s, **k: resampled_roc(y, s, 1.0, n_resamples=2, **k),
    "resampled_tpr": lambda y, s, **k: resampled_tpr(y, s, 0.5, n_resamples=2, **k),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(("change", "message"), [
    (dict(y=[1, 1, 1, 1, 1, 1]), "`y_true` must hold both classes"),
    (dict(y=[0, 1, 2, 0, 1, 2]), "`y_true` must be binary"),
    (dict(y=[]), "`y_true` must have at least one entry"),
    (dict(s=[3, 2, np.nan, 2, 0, 1]), "must be finite; got nan at position 2"),
    (dict(s=[3, 2, np.inf, 2, 0, 1]), "must be finite; got inf at position 2"),
    (dict(s=[3.0, 2.0]), "must have as many entries as `y_true`"),
    (dict(s=1.0), "must be an array of scores"),
    (dict(pos_label=5), "`pos_label`"),
])
def test_bad_labels_and_scores(name, change, message):
    arguments = dict(y=Y, s=S) | change
    with pytest.raises(ValueError, match=message):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            CALLS[name](arguments.pop("y"), arguments.pop("s"), **arguments)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: exact_roc(Y, S, np.nan), "`threshold` must not hold NaN"),
    (lambda: exact_roc(Y, S, []), "`threshold` must have at least one entry"),
    (lambda: exact_roc(Y, S, [[1.0]]), "`threshold` must be one-dimensional"),
    (lambda: exact_roc(Y, S, 1.0, m=3), "`m` must be a multiple of 2"),
    (lambda: exact_roc(Y, S, 1.0).region(95), "did you mean 0.95"),
    (lambda: exact_roc(Y, S, 1.0).region(method="score"), "`method` must be one of 'agresti', 'conservative', 'empirical', 'exact', 'guaranteed', 'recommended', 'wald'"),
    (lambda: exact_roc(Y, S, 1.0).region(method="empirical", n_resamples=0), "`n_resamples` must be a whole number"),
    (lambda: exact_roc_difference(Y, S, S, [1, 2], [1, 2, 3]), "`threshold_2` must be one number or have as many entries"),
    (lambda: exact_tpr(Y, S, 0.0), "`fpr` must lie strictly between 0 and 1"),
    (lambda: exact_tpr(Y, S, [0.5, 1.0]), "`fpr` must lie strictly between 0 and 1"),
    (lambda: exact_tpr(Y, S, 0.5, ties="half"), "`ties` must be one of 'interpolate', 'paper'"),
    (lambda: exact_tpr(Y, S, 0.0, ties="paper"), "`fpr` must be, rounded to a multiple of 1/m- = 1/3"),
    (lambda: exact_tpr(Y, S, 1.5), r"`fpr` must lie in \[0, 1\]"),
    (lambda: exact_tpr([1, 0], [1, 2], 0.5, ties="paper"), "at least two negatives"),
    (lambda: exact_tpr(Y, S, 0.5).ppf(1.5), r"`q` must lie in \[0, 1\]"),
    (lambda: kernel_tpr(Y, S, 1.0), "`fpr` must lie strictly between 0 and 1"),
    (lambda: kernel_tpr(Y, S, 0.5, bandwidth="x"), "`bandwidth` must be one of 'coverage', 'normal'"),
    (lambda: kernel_tpr(Y, np.where(Y, S, 0), 0.5), "at least two different values among the negatives"),
    (lambda: exact_rates_at_budget(Y, S, 0.01), "`budget` must allow at least one of the m = 6"),
    (lambda: exact_rates_at_budget(Y, S, 0.5, sampling="none"), "`sampling` must be one of 'full', 'stratified'"),
    (lambda: exact_rates_at_budget(Y, S, 0.5).tpr.interval(method="agresti"), "no counts"),
    (lambda: rate_interval(5, 3), "whole numbers from 0 to 3; got 5"),
    (lambda: rate_interval(0.5, 3), "`count` must hold whole numbers"),
    (lambda: rate_interval(1, 3, 95), "did you mean 0.95"),
])
def test_bad_arguments(call, message):
    with pytest.raises(ValueError, match=message): call()


def test_text_thresholds_and_rates_are_refused():
    for call in (lambda: exact_roc(Y, S, "high"), lambda: exact_tpr(Y, S, "low"), lambda: exact_rates_at_budget(Y, S, ['a']), lambda: exact_roc(Y, S, lambda w: w)):
        with pytest.raises(TypeError, match="must"): call()


# Degenerate but legal

def test_constant_scores_have_a_law():
    y, s = np.array([1, 1, 0, 0, 0]), np.ones(5)
    law, paper = exact_tpr(y, s, [1 / 3, 0.5]), exact_tpr(y, s, [1 / 3, 2 / 3], ties="paper")
    np.testing.assert_allclose([law.mean, *law.interval(0.9, "exact"), law.height(law.x)], [[1 / 3, 0.5]] * 4, rtol=1e-13)
    np.testing.assert_allclose(law.var, 0, atol=1e-16)
    assert (paper.mean == 1).all() and (paper.var == 0).all() and (paper.interval(0.9, "exact").low == 1).all()
    assert exact_auc(y, s).mean == 0.5 and exact_auc(y, s).var == 0
    roc = exact_roc(y, s, [0.5, 1.0, 1.5])
    np.testing.assert_array_equal([roc.fpr.mean, roc.tpr.mean], [[1, 1, 0]] * 2)
    np.testing.assert_allclose(exact_rates_at_budget(y, s, 0.4).precision.mean, 0.4, rtol=1e-12)


def test_one_instance_of_a_class():
    law = exact_tpr([1, 0, 0, 0], [0.5, 0.1, 0.4, 0.9], [1 / 3, 2 / 3])
    oracle = enumerate_law(lambda y, s: np.mean(s[y == 1, None] >= np.sort(s[y == 0])[::-1][:2], axis=0), [1, 0, 0, 0], [0.5, 0.1, 0.4, 0.9])
    np.testing.assert_allclose([law.mean, law.var], [oracle.mean, oracle.var], rtol=1e-12)
    assert np.isfinite(exact_roc([1, 0], [1, 2], 1.5).region(0.9, "agresti")).all()


def test_results_cannot_be_changed():
    law = exact_tpr(Y, S, [1 / 3])
    for array in (law.x, law.rank, law.counts, law.scores, exact_roc(Y, S, [1.0]).x, exact_rates_at_budget(Y, S, [0.5]).treated):
        with pytest.raises(ValueError, match="read-only"): array[0] = 0
    with pytest.raises(AttributeError): law.n = 3
    scores = S.copy()
    kept = exact_auc(Y, scores)
    scores[:] = 0
    assert kept.models[0][0].max() == 3


# Invariance

def test_laws_depend_on_the_order_of_scores_only():
    y, s = Binormal(1.0).sample(40, 50, rng=1)
    order = np.random.default_rng(1).permutation(y.size)
    for change in (lambda s: np.exp(s / 3), lambda s: s**3, lambda s: 1e6 * s - 3):
        np.testing.assert_array_equal(exact_tpr(y, s, [0.1, 0.6]).mean, exact_tpr(y[order], change(s)[order], [0.1, 0.6]).mean)
        np.testing.assert_allclose(exact_auc(y, s).var, exact_auc(y[order], change(s)[order]).var, rtol=1e-13)
        np.testing.assert_array_equal(exact_rates_at_budget(y, s, 0.3).tpr.mean, exact_rates_at_budget(y[order], change(s)[order], 0.3).tpr.mean)


def test_other_labels():
    y = np.where(Y == 1, "ill", "well")
    np.testing.assert_array_equal(exact_tpr(y, S, 1 / 3, pos_label="ill").mean, exact_tpr(Y, S, 1 / 3).mean)
    np.testing.assert_array_equal(exact_roc(y, S, 1.0, pos_label="ill").tpr.mean, exact_roc(Y, S, 1.0).tpr.mean)
    assert exact_auc(y, S, pos_label="well").mean == pytest.approx(1 - exact_auc(Y, S).mean)


# Pictures

def test_plots_draw_what_they_say():
    y, s_1, s_2 = BinormalPair(Binormal(1.0), Binormal(0.5)).sample(30, rng=1)
    _, ax = plt.subplots()
    law = exact_roc(y, s_1, [0.0, 1.0, 2.0])
    assert law.plot(ax, 0.9, "agresti", label="model 1") is ax
    boxes = ax.collections[0].get_paths()
    region = law.region(0.9, "agresti")
    np.testing.assert_allclose([b.get_extents().extents for b in boxes], np.array([region.fpr.low, region.tpr.low, region.fpr.high, region.tpr.high]).T)
    assert ax.collections[0].get_label() == "model 1: 90% region (agresti)"
    exact_roc_difference(y, s_1, s_2, [0, 1], 0).plot(ax)
    exact_rates_at_budget(y, s_1, [0.1, 0.5]).plot(ax, method="exact")
    kernel_tpr(y, s_1, [0.1, 0.5]).plot(ax)
    exact_auc(y, s_1).plot(ax)
    plt.close("all")


def test_the_display_names_band_and_method():
    X, y = np.random.default_rng(1).normal(size=(80, 2)), np.arange(80) % 2
    X[y == 1] += 1
    rule = LogisticRegression().fit(X, y)
    _, ax = plt.subplots()
    for band in ("vertical", "threshold", "kernel"):
        display = RocBandDisplay.from_estimator(rule, X, y, band=band, method="agresti", ax=ax)
        assert display.ax_ is ax and np.isfinite(display.limits).all()
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert [t for t in texts if "band" in t] == ["LogisticRegression: 90% vertical band (agresti)", "LogisticRegression: 90% threshold band (agresti)", "LogisticRegression: 90% kernel band"]
    assert len({line.get_color() for line in ax.lines if line.get_gid() == "band-curve"}) == 3
    again = RocBandDisplay.from_predictions(y, rule.predict_proba(X)[:, 1], method="agresti", plot=False)
    np.testing.assert_array_equal(again.limits[2:], np.array(exact_tpr(y, rule.predict_proba(X)[:, 1], again.limits[0]).interval(0.9, "agresti")))
    with pytest.raises(Exception, match="not fitted"): RocBandDisplay.from_estimator(LogisticRegression(), X, y)
    plt.close("all")


def test_importing_the_laws_stays_light():
    code = ("import sys, costboot.comparisons.displays, costboot.laws.thresholds, costboot.laws.fixed_fpr, costboot.laws.budget, costboot.laws.auc, costboot.laws.smoothed_tpr; "
            "print([m for m in ('numba', 'matplotlib', 'pandas', 'sklearn', 'ipywidgets', 'scipy.stats', 'scipy.optimize') if m in sys.modules])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
