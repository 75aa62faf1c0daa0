"""Laws of whole clusters: every resample listed, plain laws where every row is its own cluster, degenerate and bad input, intervals."""

from itertools import product

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")
import costboot as cb
from costboot.core.intervals import clopper_pearson_limits, mid_p_limits
from costboot.laws.clusters import (
    ClusterRatio, ClusterSum, cluster_degrees, cluster_limits, cluster_spread, design_effect, distinct_rows, grouped_classes, sampled_clusters, student_factor,
)
from costboot.numerics import cluster_sums

pytestmark = pytest.mark.usefixtures("close_figures")
W = np.array([0.0, 0.3, 0.8, 1.0])
T, U = np.array([0.0, 1.0, 1.0, 2.0]), np.array([1.0, 1.0, 0.0, 2.0])
CALLS = {
    "cost": lambda y, s, z, **k: [cb.exact_cost(y, s, W, T, **k)],
    "cost difference": lambda y, s, z, **k: [cb.exact_cost_difference(y, s, z, W, T, U, **k)],
    "full cost": lambda y, s, z, **k: [cb.exact_cost(y, s, W, T, sampling="full", **k)],
    "full cost difference": lambda y, s, z, **k: [cb.exact_cost_difference(y, s, z, W, T, U, sampling="full", **k)],
    "roc": lambda y, s, z, **k: (lambda law: [law.tpr, law.fpr])(cb.exact_roc(y, s, T, **k)),
    "roc difference": lambda y, s, z, **k: (lambda law: [law.tpr, law.fpr])(cb.exact_roc_difference(y, s, z, T, U, **k)),
}
each_call = pytest.mark.parametrize("name", CALLS)


def test_set(seed, mixed):
    "Seven to eleven rows in four or five clusters, scores 0, 1, 2."
    rng = np.random.default_rng(seed)
    while True:
        groups = np.sort(rng.integers(0, 5, rng.integers(7, 12)))
        y = rng.integers(0, 2, groups.size) if mixed else (groups % 2)
        if mixed and not any(len(set(y[groups == g])) == 2 for g in groups): continue
        if 0 < y.sum() < y.size and np.unique(groups).size < groups.size: break
    return y, rng.integers(0, 3, y.size).astype(float), rng.integers(0, 3, y.size).astype(float), groups


test_set.__test__ = False


def counted(name, y, s, z, shares):
    "A statistic of one resample, from its definition, shape (points,) or (2 x points,)."
    def rates(k, scores, t): return np.mean(scores[y == k, None] >= t, axis=0)
    if name == "cost": return W * (1 - rates(1, s, T)) + (1 - W) * rates(0, s, T)
    if name == "cost difference": return counted("cost", y, z, z, shares) * 0 + W * (rates(1, s, T) - rates(1, z, U)) + (1 - W) * (rates(0, z, U) - rates(0, s, T))
    if name == "roc": return np.concatenate([rates(1, s, T), rates(0, s, T)])
    if name == "roc difference": return np.concatenate([rates(k, z, U) - rates(k, s, T) for k in (1, 0)])
    a, b = W / shares[0], (1 - W) / shares[1]
    def wrong(scores, t): return np.mean(a * ((y == 1)[:, None] & (scores[:, None] < t)) + b * ((y == 0)[:, None] & (scores[:, None] >= t)), axis=0) / np.maximum(a, b)
    return wrong(s, T) if name == "full cost" else wrong(z, U) - wrong(s, T)


def every_resample(name, y, s, z, groups):
    "Values of all equally likely resamples of clusters that are defined."
    rows = [np.flatnonzero(groups == g) for g in np.unique(groups)]
    apart = all(len(set(y[r])) == 1 for r in rows) and "full" not in name
    pools = [[r for r in rows if y[r[0]] == k] for k in (1, 0)] if apart else [rows]
    found, shares = [], (y.mean(), 1 - y.mean())
    for drawn in product(*(product(pool, repeat=len(pool)) for pool in pools)):
        at = np.concatenate([r for part in drawn for r in part])
        if "full" in name or 0 < y[at].sum() < at.size: found.append(counted(name, y[at], s[at], z[at], shares))
        elif "roc" in name:  # one of the rates is defined
            with np.errstate(all="ignore"), pytest.warns(RuntimeWarning): found.append(counted(name, y[at], s[at], z[at], shares))
    return np.array(found)


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("seed", range(3))
@each_call
def test_every_resample(name, seed, mixed):
    y, s, z, groups = test_set(seed, mixed)
    if mixed and name in ("cost", "cost difference"):
        with pytest.raises(ValueError, match="one class in each cluster"): CALLS[name](y, s, z, groups=groups)
        return
    listed = every_resample(name, y, s, z, groups)
    for column, law in zip(np.split(listed, listed.shape[1] // 4, axis=1), CALLS[name](y, s, z, groups=groups), strict=True):
        column = column[~np.isnan(column).any(axis=1)]
        np.testing.assert_allclose([law.mean, law.var], [column.mean(axis=0), column.var(axis=0)], rtol=0, atol=1e-12)
        for i in range(4):
            atoms, times = np.unique(column[:, i].round(11), return_counts=True)
            values, chances = law.support(i)
            np.testing.assert_allclose(values, atoms, rtol=0, atol=1e-10)
            np.testing.assert_allclose(chances, times / times.sum(), rtol=0, atol=1e-12)
            np.testing.assert_allclose(law[[i]].cdf(atoms[:, None] + 1e-10)[:, 0], np.cumsum(times) / times.sum(), rtol=0, atol=1e-12)
            middle = (atoms[:-1] + atoms[1:]) / 2
            np.testing.assert_allclose(law[[i]].cdf(middle[:, None])[:, 0], np.cumsum(times)[:-1] / times.sum(), rtol=0, atol=1e-12)
            levels = np.clip(np.cumsum(times) / times.sum() - 1e-9, 0, 1)
            np.testing.assert_allclose(law[[i]].ppf(levels[:, None])[:, 0], atoms, rtol=0, atol=1e-10)
            np.testing.assert_allclose(law[[i]].ppf([[0.0], [1.0]])[:, 0], [atoms[0], atoms[-1]], rtol=0, atol=1e-10)


@each_call
def test_every_row_its_own_cluster_is_the_plain_law(name):
    y, s, z, _ = test_set(1, False)
    order = np.random.default_rng(0).permutation(y.size)
    for plain, law in zip(CALLS[name](y, s, z), CALLS[name](y, s, z, groups=order)):
        assert type(plain) is type(law)
        for method in ("recommended", "conservative", "exact", "wald"): np.testing.assert_array_equal(plain.interval(0.9, method), law.interval(0.9, method))
    one, two = cb.exact_auc(y, s), cb.exact_auc(y, s, groups=order)
    assert (one.mean, one.var, one.interval()) == (two.mean, two.var, two.interval()) and type(one) is type(two)


@each_call
def test_the_formulas_give_the_plain_law_for_single_rows_too(name):
    "Not only the short cut: a ratio over clusters of one row is a binomial proportion."
    rng = np.random.default_rng(5)
    x = rng.integers(0, 2, 30)
    law = ClusterRatio(x=[0.0], cells=(x[None],), weights=(1.0,), sizes=np.ones(30, int))
    plain = cb.core.BinomialProportion(x=np.zeros(1), count=[x.sum()], n=30, m=30)
    v = np.linspace(0, 1, 61)[:, None]
    np.testing.assert_allclose(law.cdf(v), plain.cdf(v), rtol=0, atol=1e-13)
    np.testing.assert_allclose([law.mean, law.var], [plain.mean, plain.var], rtol=1e-12)
    np.testing.assert_allclose(law.ppf([[0.05], [0.5], [0.99]]), plain.ppf([[0.05], [0.5], [0.99]]), atol=1e-12)


@each_call
def test_names_and_order_of_rows_do_not_matter(name):
    y, s, z, groups = test_set(2, "full" in name or "roc" in name)
    order = np.random.default_rng(3).permutation(y.size)
    names = np.array(["e", "d", "a", "c", "b"])[groups]
    mixed_names = np.array([7, "x", 2.5, (1, 2), "y"], dtype=object)[groups]
    for other in (names, mixed_names, groups * 1000 - 7):
        for one, two in zip(CALLS[name](y, s, z, groups=groups), CALLS[name](y[order], s[order], z[order], groups=other[order])):
            np.testing.assert_allclose([one.mean, one.var], [two.mean, two.var], rtol=1e-12, atol=1e-15)
            np.testing.assert_allclose(one.interval(), two.interval(), rtol=1e-12, atol=1e-14)
            np.testing.assert_allclose(one.interval(0.8, "exact"), two.interval(0.8, "exact"), rtol=0, atol=1e-12)


# --- degenerate input -------------------------------------------------------------------------------------------------
def ratio(x, sizes, **options): return ClusterRatio(x=[0.0], cells=(np.atleast_2d(x),), weights=(1.0,), sizes=np.asarray(sizes), **options)


def test_one_cluster():
    law = ratio([3], [8])
    assert law.mean[0] == 3 / 8 and law.var[0] == 0 and law.support(0)[0].tolist() == [3 / 8]
    np.testing.assert_array_equal(law.interval(0.9, "exact"), [[3 / 8], [3 / 8]])
    for level in (0.5, 0.9, 0.99): np.testing.assert_array_equal(law.interval(level), [[0.0], [1.0]])
    y, s = np.repeat([1, 0], [4, 5]), np.arange(9.0)
    rates = cb.exact_roc(y, s, 2.5, groups=y)
    assert rates.tpr.interval() == (0.0, 1.0) and cb.exact_auc(y, s, groups=y).interval() == (0.0, 1.0)
    assert cb.exact_cost(y, s, 0.4, 2.5, groups=y).interval() == (0.0, 1.0)
    both = cb.exact_cost(y, s, 0.4, 2.5, groups=np.zeros(9), sampling="full")
    assert both.interval() == (0.0, 1.0) and both.var == 0
    assert np.isfinite(cb.exact_auc(y, s, groups=np.zeros(9)).interval()).all()


def test_equal_clusters_are_one_atom_and_not_one_point_of_an_interval():
    law = ratio([1] * 6, [3] * 6)
    assert law.support(0)[0].tolist() == pytest.approx([1 / 3]) and law.var[0] == pytest.approx(0, abs=1e-30)
    low, high = law.interval(0.9)
    naive = mid_p_limits(6, 18, 0.05)
    assert 0 < low[0] <= naive.low + 1e-9 and naive.high - 1e-9 <= high[0] < 1, "six clusters of three know no more than 18 rows"


@pytest.mark.parametrize("count", [0, 1])
def test_no_error_and_nothing_but_errors(count):
    sizes = np.array([1, 2, 5, 9])
    law = ratio(count * sizes, sizes)
    assert law.mean[0] == count and law.var[0] == 0
    clusters = sizes.sum() ** 2 / (sizes**2).sum()
    size = clusters * float(student_factor(clusters - 1, 0.05))
    np.testing.assert_allclose(np.ravel(law.interval(0.9)), np.ravel(mid_p_limits(count * size, size, 0.05)), rtol=1e-12)
    np.testing.assert_allclose(np.ravel(law.interval(0.9, "conservative")), np.ravel(clopper_pearson_limits(count * size, size, 0.05)), rtol=1e-12)


def test_clusters_without_a_row_of_the_class():
    law = ratio([1, 0, 2, 0], [2, 0, 3, 0])
    assert law.undefined == 0.5**4
    sums = np.array([np.sum([([1, 2], [0, 0], [2, 3], [0, 0])[k] for k in drawn], axis=0) for drawn in product(range(4), repeat=4)])
    values = sums[sums[:, 1] > 0, 0] / sums[sums[:, 1] > 0, 1]
    np.testing.assert_allclose([law.mean[0], law.var[0]], [values.mean(), values.var()], rtol=1e-12)
    np.testing.assert_allclose(law.cdf([[0.5], [0.6], [0.7]])[:, 0], [np.mean(values <= v + 1e-12) for v in (0.5, 0.6, 0.7)], atol=1e-13)
    draws = law.rvs(50, rng=1)
    assert np.isfinite(draws).all() and np.isin(draws.round(9), values.round(9)).all()


@pytest.mark.parametrize(("options", "message"), [
    (dict(groups=[1, 2]), "`groups` must have as many entries as `y_true` (9); got 2"), (dict(groups=[1, 1, None, 2, 2, 2, 3, 3, 3]), "`groups` must not hold NaN or missing labels"),
    (dict(groups=[1.0, 1, np.nan, 2, 2, 2, 3, 3, 3]), "`groups` must not hold NaN"), (dict(groups="patient"), "`groups` must be one-dimensional"),
    (dict(groups=np.zeros((9, 2))), "`groups` must be one-dimensional; got shape (9, 2)"), (dict(groups=[1, 1, 1, 2, 2, 2, 3, 3, 3], m=18), "`m` must be None beside `groups`"),
    (dict(groups=[]), "`groups` must have at least one entry"),
])
@pytest.mark.parametrize("call", [*CALLS, "auc", "auc difference"])
def test_bad_groups(call, options, message):
    y, s = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0]), np.arange(9.0)
    calls = CALLS | {"auc": lambda y, s, z, **k: cb.exact_auc(y, s, **k), "auc difference": lambda y, s, z, **k: cb.exact_auc_difference(y, s, z, **k)}
    with pytest.raises(ValueError) as caught: calls[call](y, s, s, **options)
    assert message in str(caught.value)


def test_what_clusters_refuse():
    y, s, groups = np.array([1, 0, 1, 0, 0]), np.arange(5.0), [1, 1, 2, 2, 3]
    with pytest.raises(ValueError, match=r'`groups` must hold one class in each cluster with sampling="stratified".*got 2 of 3 clusters with both.*sampling="full"'): cb.exact_cost(y, s, 0.5, 2.5, groups=groups)
    with pytest.raises(ValueError, match="`prevalence` must be None beside `groups`"): cb.exact_cost(y, s, 0.5, 2.5, groups=groups, sampling="full", prevalence=0.2)
    law = cb.exact_roc(y, s, 2.5, groups=groups).tpr
    for method in ("agresti", "guaranteed"):
        with pytest.raises(ValueError, match="`method` must be one of"): law.interval(0.9, method)


@pytest.mark.parametrize("missing", [
    [1.0, np.nan, 2.0, 2.0], [1, None, 2, 2], ["a", float("nan"), "b", "b"], np.ma.masked_array([1, 1, 2, 2], mask=[0, 1, 0, 0]),
    np.array(["2020-01-01", "NaT", "2020-01-02", "2020-01-02"], dtype="datetime64[D]"), [1.0, np.inf, 2.0, 2.0],
], ids=["nan", "none", "nan among words", "masked", "no date", "infinite"])
def test_groups_that_are_not_known_are_refused(missing):
    y, s, z = np.array([1, 1, 0, 0]), np.array([1.0, 3.0, 0.0, 2.0]), np.array([2.0, 1.0, 0.0, 3.0])
    for call in CALLS.values():
        with pytest.raises(ValueError, match="`groups` must not h"): call(y, s, z, groups=missing)
    for call in (lambda: cb.exact_auc(y, s, groups=missing), lambda: cb.exact_auc_difference(y, s, z, groups=missing)):
        with pytest.raises(ValueError, match="`groups` must not h"): call()


def test_pandas_in_another_order_is_refused():
    import pandas as pd
    y, groups = pd.Series([1, 1, 0, 0], index=list("abcd")), pd.Series([1, 1, 2, 2], index=list("dcba"))
    with pytest.raises(ValueError, match="`groups` must have its index in the order of `y_true`"): cb.exact_roc(y, y * 1.0, 0.5, groups=groups)


# --- intervals --------------------------------------------------------------------------------------------------------
def test_the_design_effect_counts_pairs():
    "Once more from the definition, row by row."
    rng = np.random.default_rng(4)
    sizes = np.array([1, 2, 2, 4, 7])
    for x in rng.binomial(sizes, 0.35, (30, 5)):
        n, total = sizes.sum(), x.sum()
        spread = cluster_spread((x[None],), sizes)
        rows = [np.arange(k) < hit for k, hit in zip(sizes, x)]
        def together(rows, rate):
            mean = (sizes**2).sum() / n
            both = sum(r[i] and r[j] for r in rows for i in range(r.size) for j in range(r.size) if i != j) + 0.05 * mean * (mean - 1)
            pairs = sum(r[i] for r in rows for i in range(r.size) for j in range(r.size) if i != j) + 0.05 * mean * (mean - 1)
            return 1 + (mean - 1) * min(max((both / pairs - rate) / (1 - rate), 0), 1)
        p = total / n
        sides = [together(rows, p)] if p < 1 else []
        if p > 0.5: sides = [together([~r for r in rows], 1 - p)]
        elif p == 0.5: sides.append(together([~r for r in rows], 0.5))
        seen = 5 / 4 * ((x - p * sizes) ** 2).sum() / n**2 * n / (p * (1 - p)) if 0 < p < 1 else 0
        np.testing.assert_allclose(design_effect(spread, 0)[0], max(*sides, seen, 1), rtol=1e-12)


def test_student_factor():
    from scipy import stats
    np.testing.assert_allclose(student_factor(7, [0.05, 0.005]), (stats.norm.ppf([0.05, 0.005]) / stats.t.ppf([0.05, 0.005], 7)) ** 2, rtol=1e-12)
    np.testing.assert_allclose(student_factor([1.5, 3.0], 0.05), (stats.norm.ppf(0.05) / stats.t.ppf(0.05, [1.5, 3.0])) ** 2, rtol=1e-12)
    assert student_factor(0, 0.05) == 0 == student_factor(0, 0.5) and student_factor(1e7, 0.05) == pytest.approx(1, abs=1e-6) and student_factor(2.2, 0.5) == 1
    assert np.isfinite(student_factor([1e-4, 1, 7, 40], 1e-300)).all()


def test_degrees_of_freedom():
    sizes = np.array([1, 2, 5])
    x = np.array([[0, 1, 1], [0, 0, 0], [1, 2, 5], [1, 2, 2]])
    bursts, clusters = np.array([2.0, np.inf, np.inf, 1.0]), 64 / 30 - 1
    np.testing.assert_allclose(cluster_degrees(cluster_spread((x,), sizes), 0), 1 / (1 / clusters + 1 / (2 * bursts)), rtol=1e-12)
    assert cluster_degrees(cluster_spread((x[:, :1],), sizes[:1]), 0).tolist() == [0] * 4


@each_call
def test_intervals_hold_the_estimate_and_p_values_belong_to_them(name):
    rng = np.random.default_rng(7)
    groups = np.repeat(np.arange(24), rng.integers(1, 6, 24))
    y = groups % 2 if name in ("cost", "cost difference") else rng.integers(0, 2, groups.size)
    s, z = (y + rng.normal(0, 1, 24)[groups] + rng.normal(0, 1, y.size) for _ in range(2))
    for law in CALLS[name](y, s, z, groups=groups):
        previous = None
        for level in (0.5, 0.9, 0.99):
            for method in ("recommended", "conservative", "exact", "wald"):
                low, high = law.interval(level, method)
                assert (low <= law.mean + 1e-15).all() and (law.mean <= high + 1e-15).all() and (law.limits[0] <= low).all() and (high <= law.limits[1]).all()
                if method == "recommended":
                    assert (low <= law.estimate + 1e-12).all() and (law.estimate <= high + 1e-12).all()
                    if previous is not None: assert (low <= previous[0] + 1e-12).all() and (high >= previous[1] - 1e-12).all()
                    previous = low, high
        low, high = law.interval(0.9)
        inside = (low > law.limits[0] + 1e-9) & (high < law.limits[1] - 1e-9) & (high > law.estimate + 1e-6)
        np.testing.assert_allclose(law.p_value(high)[inside], 0.1, rtol=1e-6)
        assert (law.p_value(high + 0.01)[inside] < 0.1).all() and (law.p_value(high - 1e-4)[inside] > 0.1).all()


def test_a_correlation_of_one_makes_clusters_rows():
    "Clusters of eight copies of a row say what the rows say, but for Student's factor and one degree of freedom."
    x = np.array([1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0])
    copies = cluster_limits(cluster_spread((8 * x[None],), np.full(12, 8)), 0, 0.05, mid_p_limits)
    size = 11 * float(student_factor(1 / (1 / 11 + 1 / 8), 0.05))  # twelve clusters, errors in four
    np.testing.assert_allclose(np.ravel(copies), np.ravel(mid_p_limits(size / 3, size, 0.05)), rtol=1e-9)


def test_coverage_of_a_drawn_design_beside_the_interval_that_ignores_clusters():
    sizes, x = sampled_clusters(30, 10, 0.1, 0.4, unequal=True, rng=11, shape=(2000,))
    spread = cluster_spread((x,), sizes)
    low, high = cluster_limits(spread, 0, 0.05, mid_p_limits)
    naive = mid_p_limits(x.sum(axis=1), sizes.sum(), 0.05)
    error = np.sqrt(0.09 / 2000)
    assert np.mean((low <= 0.1) & (0.1 <= high)) > 0.9 - 4 * error
    assert np.mean((naive.low <= 0.1) & (0.1 <= naive.high)) < 0.65


# --- areas ------------------------------------------------------------------------------------------------------------
def psi(pos, neg): return (pos[:, None] > neg) + 0.5 * (pos[:, None] == neg)


@pytest.mark.parametrize("seed", range(4))
def test_areas_of_every_resample(seed):
    y, s, z, groups = test_set(seed + 10, False)
    rows = [np.flatnonzero(groups == g) for g in np.unique(groups)]
    pools = [[r for r in rows if y[r[0]] == k] for k in (1, 0)]
    found = []
    for pos, neg in product(*(product(pool, repeat=len(pool)) for pool in pools)):
        i, j = np.concatenate(pos), np.concatenate(neg)
        found.append([psi(c[i], c[j]).mean() for c in (s, z)])
    one, two = np.array(found).T
    law, pair = cb.exact_auc(y, s, groups=groups), cb.exact_auc_difference(y, s, z, groups=groups)
    assert law.exact and pair.exact
    np.testing.assert_allclose([law.mean, law.var, pair.mean, pair.var], [one.mean(), one.var(), (two - one).mean(), (two - one).var()], rtol=0, atol=1e-12)
    same = cb.exact_auc_difference(y, s, s, groups=groups)
    assert same.mean == pytest.approx(0, abs=1e-14) and same.var == pytest.approx(0, abs=1e-14)


def test_obuchowski_row_by_row():
    "Equations of the paper with loops; clusters hold both classes."
    rng = np.random.default_rng(2)
    groups = rng.integers(0, 12, 60)
    y = rng.integers(0, 2, 60)
    s = np.round(y + rng.normal(0, 1, 12)[groups] + rng.normal(0, 1, 60), 1)
    kernel = psi(s[y == 1], s[y == 0])
    area, (m, n) = kernel.mean(), kernel.shape
    v10 = {g: kernel.mean(axis=1)[groups[y == 1] == g].sum() - area * np.sum(groups[y == 1] == g) for g in set(groups)}
    v01 = {g: kernel.mean(axis=0)[groups[y == 0] == g].sum() - area * np.sum(groups[y == 0] == g) for g in set(groups)}
    k10, k01, k = len(set(groups[y == 1])), len(set(groups[y == 0])), len(set(groups))
    s10 = k10 / ((k10 - 1) * m) * sum(v**2 for v in v10.values())
    s01 = k01 / ((k01 - 1) * n) * sum(v**2 for v in v01.values())
    s11 = k / (k - 1) * sum(v10[g] * v01[g] for g in set(groups))
    law = cb.exact_auc(y, s, groups=groups)
    np.testing.assert_allclose(law.delong_var, s10 / m + s01 / n + 2 * s11 / (m * n), rtol=1e-12)
    draws = law.rvs(3000, rng=1)
    assert not law.exact and abs(draws.std() / law.std - 1) < 0.15
    low, high = law.interval(0.9)
    assert low < law.mean < high and law.p_value(high) == pytest.approx(0.1, rel=1e-6) and law.interval(0.9, "conservative").low <= low


def test_a_perfect_area_is_not_certain():
    y, groups = np.repeat([1, 0], 20), np.repeat(np.arange(8), 5)
    law = cb.exact_auc(y, y + np.arange(40) / 100, groups=groups)
    plain = cb.exact_auc(y, y + np.arange(40) / 100)
    assert law.mean == 1 and law.var == 0 and law.interval().low < plain.interval().low < 1


# --- dominance, pictures, large sets -----------------------------------------------------------------------------------
@pytest.mark.parametrize("mixed", [False, True])
def test_dominance(mixed):
    y, s, z, groups = test_set(6, mixed)
    law, twin = cb.exact_roc_difference(y, s, z, T, U, groups=groups), cb.exact_roc_difference(y, z, s, U, T, groups=groups)
    np.testing.assert_allclose(sum(law.quadrants()), 1, rtol=1e-12)
    np.testing.assert_allclose(law.dominance(), twin.dominance()[::-1], rtol=0, atol=1e-13)
    listed = every_resample("roc difference", y, s, z, groups)
    listed = listed[~np.isnan(listed).any(axis=1)]
    tpr, fpr = np.sign(listed[:, :4].round(12)), np.sign(listed[:, 4:].round(12))
    np.testing.assert_allclose(law.dominance().f2, np.mean((tpr >= 0) & (fpr <= 0) & ((tpr != 0) | (fpr != 0)), axis=0), rtol=0, atol=1e-12)
    fpr_law, tpr_law = law.independent()
    assert isinstance(tpr_law, ClusterSum)
    np.testing.assert_allclose(tpr_law.mean, law.roc_2.tpr.mean - law.roc_1.tpr.mean, rtol=1e-12, atol=1e-14)


@each_call
def test_tables_pictures_and_parts(name):
    y, s, z, groups = test_set(3, "full" in name)
    for law in CALLS[name](y, s, z, groups=groups):
        frame = law.to_frame()
        assert len(frame) == 4 and (frame["low"] <= frame["high"]).all()
        assert len(law.plot().lines) >= 1 and type(law).__name__ in repr(law) and "recommended" in law._repr_html_()
        part = law[1:3]
        np.testing.assert_array_equal(np.stack(part.interval()), np.stack(law.interval())[:, 1:3])
        np.testing.assert_array_equal(part.mean, law.mean[1:3])
        point = law[2]
        assert isinstance(point.mean, float) and point.interval() == tuple(side[2] for side in law.interval())
        draws = law.rvs(400, rng=1)
        assert draws.shape == (400, 4) and (abs(draws.mean(axis=0) - law.mean) <= 5 * law.std / 20 + 1e-12).all()
        with pytest.raises(ValueError): law.x[0] = 1.0
    rates = cb.exact_roc(y, s, T, groups=groups)
    assert "whole clusters" in repr(rates) and len(rates.to_frame()) == 4 and rates.plot() is not None


def test_large_sets_agree_with_their_tables(monkeypatch):
    "The routes for tables that are too large, where a table can still be made."
    sizes, x = sampled_clusters(1500, 6, 0.15, 0.3, unequal=True, rng=2)
    cells = x, np.minimum(sizes - x, np.random.default_rng(1).binomial(2, 0.3, 1500))
    laws = [ratio(x, sizes), ClusterRatio(x=[0.0], cells=tuple(c[None, ::10] for c in cells), weights=(1.0, 0.37), sizes=sizes[::10])]
    laws.append(ClusterSum(x=[0.0], law_1=ratio(x[:700], sizes[:700]), law_2=ratio(x[700:], sizes[700:]), weight_1=[0.3], weight_2=[0.7]))
    levels = np.array([0.005, 0.05, 0.5, 0.95, 0.995])[:, None]
    before = [(law.ppf(levels), law.cdf(law.ppf(levels) + 1e-9)) for law in laws[:2]]
    monkeypatch.setattr(cluster_sums, "MOST_CELLS", 10)
    monkeypatch.setattr("costboot.laws.clusters.SHORT_LIST", 0)
    for law, (quantiles, chances) in zip(laws, before):
        assert abs(law.ppf(levels) - quantiles).max() < 0.02 * law.std[0]
        np.testing.assert_allclose(law.cdf(quantiles + 1e-9), chances, rtol=0, atol=2e-3)
        with pytest.raises(ValueError, match="sums to list"): law.support(0)
    law = laws[2]
    draws = law.rvs(4000, rng=3)[:, 0]
    assert abs(np.mean(draws <= law.ppf(0.3)[0]) - 0.3) < 4 * np.sqrt(0.21 / 4000)
    np.testing.assert_allclose(law.cdf(law.ppf(levels)), levels, rtol=0, atol=1e-6)


def test_a_million_rows_in_a_hundred_thousand_clusters():
    rng = np.random.default_rng(1)
    groups = rng.integers(0, 10**5, 10**6)
    y = (rng.random(10**5) < 0.4).astype(int)[groups]
    s = y + 0.7 * rng.normal(size=10**5)[groups] + rng.normal(size=10**6)
    law = cb.exact_cost(y, s, 0.3, 0.5, groups=groups)
    (low, high), wald, plain = law.interval(0.9), law.interval(0.9, "wald"), cb.exact_cost(y, s, 0.3, 0.5).interval(0.9)
    np.testing.assert_allclose([low, high], wald, rtol=0, atol=0.02 * law.std)
    assert plain.high - plain.low < 0.75 * (high - low), "clusters cost information"
    area = cb.exact_auc(y, s, groups=groups)
    assert not area.exact and area.interval().low < area.mean < area.interval().high


def test_small_pieces():
    rows = np.random.default_rng(0).integers(-3, 4, (200, 3))
    kinds, times = distinct_rows(rows)
    expected = np.unique(rows, axis=0, return_counts=True)
    np.testing.assert_array_equal(kinds, expected[0])
    np.testing.assert_array_equal(times, expected[1])
    assert grouped_classes([1, 0], None) is None and grouped_classes([1, 0], ["a", "b"]) is None


@pytest.mark.parametrize("y, groups", [([1, 1, 1, 1, 0, 0, 0, 0, 0], "aabcddeff"), ([1, 0, 1, 1, 0, 0, 0, 1, 0], "aabbbcddd")])
def test_the_whole_law_of_an_area_over_clusters(y, groups):
    y, groups = np.array(y), np.array(list(groups))
    s = np.array([0.9, 0.4, 0.6, 0.3, 0.5, 0.2, 0.7, 0.1, 0.1])
    rows = {g: np.flatnonzero(groups == g) for g in np.unique(groups)}
    both = any(len(set(y[r])) == 2 for r in rows.values())
    pools = [list(rows)] if both else [[g for g, r in rows.items() if y[r[0]] == k] for k in (1, 0)]
    found, lost, count = {}, 0, 0
    for drawn in product(*(pool for pool in pools for _ in pool)):
        i = np.concatenate([rows[g] for g in drawn])
        pos, neg = s[i][y[i] == 1], s[i][y[i] == 0]
        count += 1
        if not pos.size or not neg.size: lost += 1
        else:
            value = round(np.mean((pos[:, None] > neg) + 0.5 * (pos[:, None] == neg)), 10)
            found[value] = found.get(value, 0) + 1
    law, values = cb.exact_auc(y, s, groups=groups), np.array(sorted(found))
    np.testing.assert_allclose(law.support()[0], values, atol=1e-9)
    np.testing.assert_allclose(law.support()[1], [found[v] / (count - lost) for v in values], atol=1e-12)
    np.testing.assert_allclose(law.cdf(values + 1e-9), np.cumsum([found[v] / (count - lost) for v in values]), atol=1e-12)
    assert law.undefined == pytest.approx(lost / count) and law.route == "exact"


def test_many_clusters_have_an_expansion_and_no_list():
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(60), 4)
    y, s = (groups < 30).astype(int), rng.normal(size=60)[groups] + rng.normal(size=240) + 0.8 * (groups < 30)
    law = cb.exact_auc(y, s, groups=groups)
    draws = np.sort(law.rvs(4000, rng=2))
    assert law.route == "expansion" and abs(law.cdf(draws) - np.arange(1, 4001) / 4000).max() < 1.95 / np.sqrt(4000) + 0.01
    with pytest.raises(ValueError, match="`support` must fit in a list"): law.support()


def test_one_cluster_leaves_a_difference_open_and_bands_hold_over_clusters():
    y, s = [1, 1, 1, 1, 0, 0, 0, 0, 0], np.array([0.9, 0.4, 0.6, 0.3, 0.5, 0.2, 0.7, 0.1, 0.1])
    alone = ["a"] * 4 + ["b"] * 5
    assert cb.exact_cost_difference(y, s, s[::-1], 0.3, 0.5, 0.5, groups=alone).interval() == (-1.0, 1.0)
    assert cb.exact_auc_difference(y, s, s[::-1], groups=alone).interval() == (-1.0, 1.0)
    assert cb.exact_cost(y, s, 0.3, 0.5, groups=alone).interval() == (0.0, 1.0)
    some = list("aabcddeff")
    for law in (cb.exact_roc(y, s, [0.3, 0.5], groups=some), cb.exact_roc_difference(y, s, s[::-1], [0.3, 0.5], [0.4, 0.4], groups=some)):
        band, region = law.band(), law.region(0.9)
        for side in ("fpr", "tpr"):
            assert (getattr(band, side).low <= getattr(region, side).low + 1e-12).all() and getattr(band, side).how == "Bonferroni"
