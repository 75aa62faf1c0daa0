"""The whole law of an area: lists of all resamples, moments that were derived elsewhere, draws, and what is refused."""

import numpy as np
import pytest

import costboot as cb
from costboot.core.enumeration import enumerate_law
from costboot.laws import auc_law
from costboot.laws.auc_law import area_cdf, area_cumulants, area_law, expanded_area_law
from costboot.laws.partial_auc import exact_partial_auc, exact_partial_auc_difference


def area(y, s): return np.mean((s[y == 1][:, None] > s[y == 0]) + 0.5 * (s[y == 1][:, None] == s[y == 0]))


def same_list(law, oracle):
    (values, chances), (others, theirs) = law.support(), oracle.support(0)
    assert (values.shape, chances.shape) == (others.shape, theirs.shape)  # numpy 1.26 has no strict=True
    np.testing.assert_allclose(values, others, rtol=0, atol=1e-12)
    np.testing.assert_allclose(chances, theirs, rtol=0, atol=1e-12)


SETS = [([1, 0], [1, 2], 2), ([1, 0], [2, 2], 4), ([1, 1, 1, 0, 0, 0], [0.9, 0.5, 0.2, 0.5, 0.5, 0.1], 6), ([1, 1, 0, 0], [1, 1, 1, 1], 6),
        ([1, 1, 0, 0, 0, 0], [7, 8, 1, 2, 3, 4], 3), ([1, 0, 0, 0], [2, 1, 2, 3], 8), ([1, 1, 1, 0, 0, 0, 0], [5, 3, 2, 3, 2, 2, 1], 7),
        ([1, 1, 1, 0, 0, 0], [1, 2, 4, 0, 3, 5], 6), ([1, 1, 0, 0], [1, 2, 3, 4], 4), ([1, 1, 1, 1, 0], [1, 3, 5, 2, 3], 5)]


@pytest.mark.parametrize("y, s, m", SETS)
def test_the_law_of_an_area_by_all_resamples(y, s, m):
    y, s = np.array(y), np.array(s, float)
    law, oracle = cb.exact_auc(y, s, m=m), enumerate_law(area, y, s, m=m)
    same_list(law, oracle)
    q = np.array([0.0, 0.05, 0.4, 0.95, 1.0])
    np.testing.assert_allclose(law.cdf(q), oracle.cdf(q[:, None])[:, 0], atol=1e-12)
    np.testing.assert_allclose(law.ppf(q[1:]), oracle.ppf(q[1:, None])[:, 0], atol=1e-12)
    assert law.route == "exact" and isinstance(law.cdf(0.5), float) and isinstance(law.ppf(0.5), float)


@pytest.mark.parametrize("seed", range(6))
def test_the_law_of_a_difference_by_all_resamples(seed):
    rng = np.random.default_rng(seed)
    n_pos, n_neg = rng.integers(1, 4, 2)
    y, (s, z) = np.repeat([1, 0], [n_pos, n_neg]), rng.integers(0, 4, (2, n_pos + n_neg)).astype(float)
    same_list(cb.exact_auc_difference(y, s, z), enumerate_law(lambda y, s, z: area(y, z) - area(y, s), y, s, z))


@pytest.mark.parametrize("theta, n_pos, n_neg, digits", [(1.5, 18, 22, 9), (0.0, 7, 13, 0), (-2.0, 15, 15, 9), (9.0, 60, 90, 9), (3.0, 1, 30, 9)])
def test_moments_that_were_derived_elsewhere(theta, n_pos, n_neg, digits):
    y, s = cb.Binormal(theta, 3.75, 3.0).sample(n_pos, n_neg, rng=3)
    law = cb.exact_auc(y, s.round(digits))
    values, chances = law.support()
    assert chances.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose([values @ chances, (values - law.mean) ** 2 @ chances], [law.mean, law.var], rtol=1e-9, atol=1e-15)
    turned = cb.exact_auc(1 - y, s.round(digits)).support()
    np.testing.assert_allclose(1 - turned[0][::-1], values, atol=1e-12)
    np.testing.assert_allclose(turned[1][::-1], chances, atol=1e-12)


def test_the_difference_of_a_list_has_the_moments_of_the_law():
    y, s, z = cb.BinormalPair(cb.Binormal(1.0), cb.Binormal(2.0), correlation=0.3).sample(6, 6, rng=4)
    law = cb.exact_auc_difference(y, s, z)
    values, chances = law.support()
    np.testing.assert_allclose([values @ chances, (values - law.mean) ** 2 @ chances], [law.mean, law.var], rtol=1e-10)
    back = cb.exact_auc_difference(y, z, s)
    np.testing.assert_allclose(back.support()[1][::-1], chances, atol=1e-13)


def test_cumulants_against_direct_sums():
    "The definition: sums over all pairs, without sorting; ties and unequal sizes."
    rng = np.random.default_rng(1)
    for models in (1, 2):
        pairs = [(rng.integers(0, 6, 9).astype(float), rng.integers(0, 6, 7).astype(float)) for _ in range(models)]
        psi = [(np.sign(np.subtract.outer(p, n)) + 1) / 2 for p, n in pairs]
        kernel = psi[0] if models == 1 else psi[1] - psi[0]
        a, b = kernel.mean(axis=1) - kernel.mean(), kernel.mean(axis=0) - kernel.mean()
        rest = kernel - kernel.mean() - a[:, None] - b
        p, q, m, n = (rest * b).mean(axis=1), (rest * a[:, None]).mean(axis=0), 11, 5
        third = (a**3).mean() / m**2 + (b**3).mean() / n**2 + 6 * (a[:, None] * rest * b).mean() / (m * n)
        fourth = (((a**4).mean() - 3 * (a**2).mean() ** 2) / m**3 + ((b**4).mean() - 3 * (b**2).mean() ** 2) / n**3
                  + 12 * (a**2 * p).mean() / (m**2 * n) + 12 * (b**2 * q).mean() / (m * n**2)
                  + 12 * (p**2).mean() / (m * n**2) + 12 * (q**2).mean() / (m**2 * n))
        np.testing.assert_allclose(area_cumulants(tuple(pairs), m, n), [third, fourth], rtol=1e-11, atol=1e-16)


def test_cumulants_approach_those_of_the_law():
    errors = []
    for size in (6, 12, 24):
        y, s = np.repeat([1, 0], size), np.concatenate([np.linspace(0, 1, size) ** 0.7 + 0.35, np.linspace(0, 1, size)])
        law = cb.exact_auc(y, s)
        values, chances = law.support()
        errors.append(abs(area_cumulants(law.models, size, size)[0] / ((values - law.mean) ** 3 @ chances) - 1))
    assert errors[2] < 0.7 * errors[1] < 0.7**2 * errors[0] * 1.05


@pytest.mark.parametrize("theta, most", [(0.5, 0.001), (1.5, 0.002), (2.5, 0.006)])
def test_the_error_of_the_expansion_is_what_the_page_says(theta, most):
    y, s = cb.Binormal(theta, 3.75, 3.0).sample(22, 22, rng=2)
    law = cb.exact_auc(y, s)
    exact, series = area_law(law), expanded_area_law(law)
    assert exact.route == "exact" and series.route == "expansion"
    assert abs(area_cdf(series, exact.values) - exact.cumulative).max() < most


@pytest.mark.parametrize("theta", [1.0, 8.0])
def test_an_expansion_is_a_distribution(theta):
    "Also far beyond the skewness at which the gamma law takes over."
    y, s = cb.Binormal(theta, 3.75, 3.0).sample(400, 300, rng=1)
    law = expanded_area_law(cb.exact_auc(y, s))
    assert (np.diff(law.cumulative) >= 0).all() and law.cumulative[0] >= 0 and law.cumulative[-1] == 1
    assert law.values[0] >= 0 and law.values[-1] <= 1


def test_large_sets_are_expanded_and_agree_with_draws():
    y, s, z = cb.BinormalPair(cb.Binormal(1.0), cb.Binormal(1.5), correlation=0.6).sample(70, 90, rng=1)
    for law in (cb.exact_auc(y, s), cb.exact_auc_difference(y, s, z)):
        assert law.route == "expansion"
        draws = law.rvs(3000, rng=2)
        for q in (0.02, 0.3, 0.8, 0.99):
            assert abs((draws <= law.ppf(q) + 1e-9).mean() - q) < 4 * np.sqrt(q * (1 - q) / draws.size) + 1e-3
            assert law.cdf(law.ppf(q)) == pytest.approx(q, abs=1e-3)
        with pytest.raises(ValueError, match="`support` must fit in a list: 70 positives and 90 negatives"): law.support()


def test_interval_of_quantiles_and_degenerate_laws():
    y, s = cb.Binormal(2.0).sample(10, 12, rng=1)
    law = cb.exact_auc(y, s)
    assert tuple(law.interval(0.9, "exact")) == tuple(law.ppf([0.05, 0.95]))
    perfect = cb.exact_auc([1, 1, 0, 0], [4, 3, 2, 1])
    assert (perfect.cdf(0.999), perfect.cdf(1.0), perfect.ppf(0.01), perfect.route) == (0.0, 1.0, 1.0, "exact")
    alike = cb.exact_auc_difference([1, 1, 0, 0], [4, 3, 2, 1], [4, 3, 2, 1])
    assert [v.tolist() for v in alike.support()] == [[0.0], [1.0]]


def test_bad_questions_are_named():
    law = cb.exact_auc([1, 1, 0, 0], [4, 2, 3, 1])
    with pytest.raises(ValueError, match=r"`q` must lie in \[0, 1\]; got"): law.ppf(1.5)
    with pytest.raises(TypeError, match="`v` must hold numbers; got 'half'"): law.cdf("half")
    with pytest.raises(ValueError, match="`q` must not hold NaN"): law.ppf([0.5, np.nan])


def cut_area(largest):
    "Mean true positive rate of the trapezoidal curve up to a false positive rate."
    def statistic(y, s):
        pos, neg = s[y == 1], s[y == 0]
        t = np.unique(s)[::-1]
        fpr, tpr = (np.concatenate([[0.0], (side[:, None] >= t).mean(axis=0)]) for side in (neg, pos))
        j = np.searchsorted(fpr, largest - 1e-12)
        height = tpr[j] if abs(fpr[j] - largest) < 1e-12 else np.interp(largest, fpr[j - 1 : j + 1], tpr[j - 1 : j + 1])
        x, h = np.append(fpr[:j], largest), np.append(tpr[:j], height)
        return np.sum(np.diff(x) * (h[1:] + h[:-1])) / 2 / largest
    return statistic


@pytest.mark.parametrize("y, s, m, largest", [([1, 1, 1, 0, 0, 0], [0.9, 0.5, 0.2, 0.5, 0.5, 0.1], 6, 1 / 3), ([1, 1, 1, 0, 0, 0, 0], [5, 3, 2, 3, 2, 2, 1], 7, 0.5),
                                              ([1, 1, 1, 0, 0, 0], [1, 2, 4, 0, 3, 5], 6, 2 / 3), ([1, 1, 0, 0, 0], [1, 2, 1, 1, 2], 5, 2 / 3), ([1, 0], [2, 2], 2, 1.0),
                                              ([1, 1, 1, 0, 0, 0, 0], [1, 2, 4, 0, 3, 5, 5], 7, 0.75),
                                              ([1, 1, 1, 0, 0, 0, 0], [5, 3, 2, 3, 2, 2, 1], 7, 0.37), ([1, 1, 1, 0, 0, 0], [1, 2, 4, 0, 3, 5], 6, 0.1), ([1, 1, 0, 0, 0], [1, 2, 1, 1, 2], 5, 0.95)])
def test_partial_areas_by_all_resamples(y, s, m, largest):
    y, s = np.array(y), np.array(s, float)
    law = exact_partial_auc(y, s, largest, m=m)
    same_list(law, enumerate_law(cut_area(largest), y, s, m=m))
    whole, auc = exact_partial_auc(y, s, 1.0, m=m), cb.exact_auc(y, s, m=m)
    np.testing.assert_allclose([whole.mean, whole.var], [auc.mean, auc.var], rtol=1e-11, atol=1e-16)


def test_the_mean_of_a_partial_area_is_that_of_rates():
    y, s = cb.Binormal(1.5).sample(25, 30, rng=3)
    rates = cb.exact_tpr(y, s, np.arange(1, 7) / 30)
    assert exact_partial_auc(y, s, 0.2).mean == pytest.approx(rates.mean.mean(), rel=1e-11)


def test_partial_areas_change_smoothly_between_whole_negatives():
    y, s = cb.Binormal(1.5).sample(40, 30, rng=3)
    rates = [(4 + share) / 30 for share in (0, 1e-6, 0.5, 1 - 1e-6, 1)]
    areas = [exact_partial_auc(y, s, f) for f in rates]
    steps = exact_partial_auc(y, s, 4 / 30).mean * 4, exact_partial_auc(y, s, 5 / 30).mean * 5
    for a, b in (areas[:2], areas[3:]):
        np.testing.assert_allclose([a.mean, a.std, *a.interval()], [b.mean, b.std, *b.interval()], atol=1e-5)
    assert areas[2].mean * 4.5 == pytest.approx(sum(steps) / 2, rel=1e-12)


@pytest.mark.parametrize("y, s, z, m, largest", [([1, 1, 1, 0, 0, 0], [0.9, 0.5, 0.2, 0.5, 0.3, 0.1], [0.8, 0.6, 0.1, 0.2, 0.5, 0.4], 6, 0.4),
                                                 ([1, 1, 1, 0, 0, 0], [3, 1, 2, 2, 0, 1], [1, 2, 3, 0, 1, 2], 6, 1 / 3)])
def test_differences_of_partial_areas_by_all_resamples(y, s, z, m, largest):
    y, s, z = np.array(y), np.array(s, float), np.array(z, float)
    def difference(labels, rows): return cut_area(largest)(labels, z[rows.astype(int)]) - cut_area(largest)(labels, s[rows.astype(int)])
    oracle, law = enumerate_law(difference, y, np.arange(y.size), m=m), exact_partial_auc_difference(y, s, z, largest, m=m)
    assert law.mean == pytest.approx(oracle.mean[0], abs=1e-13) and 0.7 < law.std / oracle.var[0] ** 0.5 < 1.3
    turned = exact_partial_auc_difference(y, z, s, largest, m=m)
    np.testing.assert_allclose([-turned.mean, turned.std, *turned.interval()[::-1]], [law.mean, law.std, *-np.array(law.interval())], atol=1e-12)


def test_the_whole_area_compared_is_delongs():
    y, s, z = cb.BinormalPair(cb.Binormal(2.0), cb.Binormal(2.6), correlation=0.7).sample(60, 80, rng=2)
    law, areas = exact_partial_auc_difference(y, s, z, 1.0), cb.exact_auc_difference(y, s, z)
    assert law.mean == pytest.approx(areas.mean, rel=1e-11)
    assert law.correlation == pytest.approx(areas.covariance / np.sqrt(cb.exact_auc(y, s).delong_var * cb.exact_auc(y, z).delong_var), abs=0.01)
    same = exact_partial_auc_difference(y, s, s, 0.1)
    assert same.mean == same.std == 0 and same.cdf(-0.01) == 0 and same.cdf(0.01) == 1
    assert law.p_value() < law.p_value(law.mean) and law.cdf(law.ppf(0.3)) == pytest.approx(0.3)
    with pytest.raises(ValueError, match="`support`"): law.support()


def test_refused_partial_areas():
    y, s = cb.Binormal(1.5).sample(90, 90, rng=3)
    for call in (exact_partial_auc, lambda y, s, f: exact_partial_auc_difference(y, s, -s, f)):
        with pytest.raises(ValueError, match=r"`max_fpr` must be a number above 0 and at most 1; got 0"): call(y, s, 0.0)
        with pytest.raises(ValueError, match="`max_fpr` must be a number above 0 and at most 1; got 1.5"): call(y, s, 1.5)
        with pytest.raises(TypeError, match="`max_fpr`"): call(y, s, [0.1, 0.2])
    with pytest.raises(ValueError, match="`y_score_2` must"): exact_partial_auc_difference(y, s, s[1:], 0.2)
    large = exact_partial_auc(y, s, 0.5)
    assert large.route == "normal" and large.mean == pytest.approx(cb.exact_tpr(y, s, (np.arange(45) + 0.5) / 90).mean.mean(), rel=1e-12)
    with pytest.raises(ValueError, match="`support` must fit in a list"): large.support()


def test_the_variance_of_a_partial_area_beyond_small_sets():
    rng = np.random.default_rng(4)
    for n_pos, n_neg, f in ((60, 80, 0.25), (200, 50, 0.1), (40, 400, 0.05), (300, 300, 1 / 300)):
        y, s = cb.Binormal(1.5).sample(n_pos, n_neg, rng=n_pos)
        law, rank = exact_partial_auc(y, s, f), round(f * n_neg)
        pos, neg = s[y == 1], s[y == 0]
        drawn = np.array([np.mean(rng.choice(pos, n_pos)[:, None] > np.sort(rng.choice(neg, n_neg))[-rank:]) for _ in range(1500)])
        assert abs(drawn.mean() - law.mean) < 4 * drawn.std() / np.sqrt(1500)
        assert abs(drawn.std() / law.std - 1) < 4 / np.sqrt(3000) + 0.1 * (rank > 1)  # exact for a single negative


def test_limits_of_a_partial_area_hold_where_those_of_its_law_do_not():
    held, truth = [], np.mean(cb.Binormal(1.5).roc((np.arange(500) + 0.5) / 500 * 0.2))
    for seed in range(60):
        law = exact_partial_auc(*cb.Binormal(1.5).sample(10, 10, rng=seed), 0.2)
        recommended, conservative, own = law.interval(), law.interval(0.9, "conservative"), law.interval(0.9, "exact")
        assert conservative.low <= recommended.low + 1e-12 and recommended.low - 1e-12 <= law.mean <= recommended.high + 1e-12
        held.append([low <= truth <= high for low, high in (recommended, conservative, own)])
        if seed < 3: assert (law.p_value(recommended.low - 1e-6) < 0.1) and law.p_value(recommended.low + 1e-6) > 0.1
    recommended, conservative, own = np.mean(held, axis=0)
    assert own < 0.82 and recommended > 0.9 - 3 * np.sqrt(0.09 / 60) and conservative >= recommended - 0.02


def test_a_law_is_computed_once():
    auc_law.exact_area_law.cache_clear()
    law = cb.exact_auc([1, 1, 1, 0, 0, 0], [1, 2, 4, 0, 3, 5])
    law.cdf(0.5), law.ppf(0.5), law.support()
    assert auc_law.exact_area_law.cache_info().misses == 1
