"""Measures of a confusion matrix: laws against all resamples, intervals by other routes, values of scikit-learn, bad input."""

import warnings
from functools import partial

import numpy as np
import pytest

pytest.importorskip("hypothesis")
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize
from scipy.stats import binom, multinomial
from sklearn import metrics

import costboot as cb
from costboot.core.intervals import clopper_pearson_limits, mid_p_limits, rates_sum_limits
from costboot.laws.measures import LINEAR_MEASURES, MEASURES, MeasureLaw, as_measure, measure_at, measure_of_counts
from inputs import BAD

FEW = settings(max_examples=15, deadline=None)
NAMES = [*MEASURES, "f1", "f2", "f0.5"]
pytestmark = pytest.mark.filterwarnings("ignore:the .* of the test set is 0/0:RuntimeWarning")


def cube(tpr, fpr, prevalence): return prevalence * tpr**3 - fpr


def cells(y, s, t): return [np.sum((y == k) & ((s >= t) == alarm)) for k in (1, 0) for alarm in (True, False)]


def value(measure, y, s, t, share=None):
    "The measure of one resample, from its definition; -99 where it has none."
    tp, fn, fp, tn = cells(y, s, t)
    found = measure_of_counts(as_measure(measure), tp, fn, fp, tn) if share is None else measure_at(as_measure(measure), tp / (tp + fn), fp / (fp + tn), share)
    return float(found) if np.isfinite(found) else -99.0


def conditional(law):
    "Chance of no value, and atoms and probabilities of the others, from a law in which -99 marks no value."
    values, chances = law.support(0)
    known = values > -99
    return chances[~known].sum(), values[known], chances[known] / max(chances[known].sum(), 1e-300)


def agrees(law, oracle):
    undefined, values, chances = conditional(oracle)
    np.testing.assert_allclose(law.undefined, undefined, rtol=0, atol=1e-13)
    if not values.size:
        assert np.isnan(law.mean) and law.support()[0].size == 0 and np.isnan(law.cdf(0.5)) and np.isnan(law.ppf(0.5))
        return
    mean = values @ chances
    np.testing.assert_allclose(law.mean, mean, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(law.var, (values - mean) ** 2 @ chances, rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(law.cdf(values), np.cumsum(chances), rtol=0, atol=1e-12)
    inside = np.cumsum(chances)[:-1] - chances[:-1] / 2
    np.testing.assert_allclose(law.ppf(inside), values[:-1], rtol=1e-11, atol=1e-12)


@st.composite
def tiny_sets(draw, models=1):
    n_pos, n_neg = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    columns = [np.array(draw(st.lists(st.integers(0, 3), min_size=n_pos + n_neg, max_size=n_pos + n_neg)), float) for _ in range(models)]
    return np.repeat([1, 0], [n_pos, n_neg]), *columns


# --- laws ----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("measure", [*NAMES, cube])
@pytest.mark.parametrize("sampling, share", [("stratified", None), ("stratified", 0.07), ("full", None)])
@FEW
@given(tiny_sets(), st.sampled_from([0.0, 1.0, 2.0, 9.0]))
def test_every_measure_against_all_resamples(measure, sampling, share, data, t):
    y, s = data
    agrees(cb.exact_measure(y, s, t, measure, sampling=sampling, prevalence=share), cb.enumerate_law(partial(value, measure, t=t, share=share), y, s, sampling=sampling))


@pytest.mark.parametrize("measure", [*NAMES, cube])
@pytest.mark.parametrize("sampling", ["stratified", "full"])
@settings(max_examples=8, deadline=None)
@given(tiny_sets(models=2))
def test_every_difference_against_all_resamples(measure, sampling, data):
    def statistic(y, s, z):
        one, two = value(measure, y, s, 1.0), value(measure, y, z, 2.0)
        return two - one if min(one, two) > -99 else -99.0
    agrees(cb.exact_measure_difference(*data, 1.0, 2.0, measure, sampling=sampling), cb.enumerate_law(statistic, *data, sampling=sampling))


def test_full_sampling_with_a_prevalence_draws_from_a_reweighted_test_set():
    y, s, m, share = np.array([1, 1, 0, 0, 0]), np.array([2.0, 0.0, 2.0, 0.0, 0.0]), 4, 0.2
    shares = [share / 2, share / 2, (1 - share) / 3, (1 - share) * 2 / 3]
    for name in ("precision", "kappa", "f2"):
        outcomes = [(a, b, c, m - a - b - c) for a in range(m + 1) for b in range(m + 1 - a) for c in range(m + 1 - a - b)]
        chances = np.array([multinomial.pmf(k, m, shares) for k in outcomes])
        values = measure_of_counts(as_measure(name), *np.array(outcomes).T)
        law, known = cb.exact_measure(y, s, 1.0, name, sampling="full", prevalence=share, m=m), np.isfinite(values)
        np.testing.assert_allclose(law.undefined, chances[~known].sum(), rtol=1e-12)
        np.testing.assert_allclose(law.mean, values[known] @ chances[known] / chances[known].sum(), rtol=1e-12)
        assert law.interval() == cb.exact_measure(y, s, 1.0, name, prevalence=share, m=None).interval() or law.m != 5


def test_values_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    theirs = {"precision": metrics.precision_score, "accuracy": metrics.accuracy_score, "kappa": metrics.cohen_kappa_score, "mcc": metrics.matthews_corrcoef,
              "balanced_accuracy": metrics.balanced_accuracy_score, "f1": metrics.f1_score, "f2": partial(metrics.fbeta_score, beta=2),
              "youden": partial(metrics.balanced_accuracy_score, adjusted=True), "lr_plus": lambda y, p: metrics.class_likelihood_ratios(y, p)[0],
              "lr_minus": lambda y, p: metrics.class_likelihood_ratios(y, p)[1], "npv": lambda y, p: metrics.precision_score(1 - y, ~p)}
    for _ in range(20):
        y, s = np.r_[0, 1, rng.integers(0, 2, 40)], np.r_[1.0, 0.0, rng.random(40)]
        for name, call in theirs.items():
            np.testing.assert_allclose(cb.exact_measure(y, s, 0.5, name).estimate, call(y, s >= 0.5), rtol=1e-12, err_msg=name)


@pytest.mark.parametrize("name", LINEAR_MEASURES)
def test_linear_measures_are_the_callables_they_stand_for(name):
    formula = {"accuracy": lambda p, q, w: w * p + (1 - w) * (1 - q), "balanced_accuracy": lambda p, q, w: (p + 1 - q) / 2, "youden": lambda p, q, w: p - q,
               "net_benefit": lambda p, q, w: w * p - (1 - w) * q * 0.4 / 0.6}[name]
    y, s, z = np.repeat([1, 0], [7, 9]), np.random.default_rng(1).random(16), np.random.default_rng(2).random(16)
    for share in (None, 0.3):
        laws = [cb.exact_measure(y, s, 0.4, m, prevalence=share) for m in (name, formula)]
        pairs = [cb.exact_measure_difference(y, s, z, 0.4, 0.4, m, prevalence=share) for m in (name, formula)]
        for one, two in (laws, pairs):
            at = one.support()[0]
            np.testing.assert_allclose([one.estimate, one.mean, one.std], [two.estimate, two.mean, two.std], rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(one.cdf(at), two.cdf(at), rtol=0, atol=1e-11)
            assert one.undefined == 0


# --- intervals -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name, prevalence", [("precision", 0.05), ("npv", 0.3), ("f1", 0.5), ("f2", 0.1), ("kappa", 0.2), ("lr_plus", 0.5), ("lr_minus", 0.5), ("lift", 0.1)])
@pytest.mark.parametrize("method, family", [("recommended", mid_p_limits), ("conservative", clopper_pearson_limits)])
def test_ends_of_a_ratio_are_roots_of_its_form(name, prevalence, method, family):
    y, s = np.repeat([1, 0], [20, 30]), np.r_[np.repeat([1.0, 0.0], [15, 5]), np.repeat([1.0, 0.0], [4, 26])]
    law = cb.exact_measure(y, s, 0.5, name, prevalence=prevalence)
    up, down = (np.array(weights, float) for weights in as_measure(name).forms(prevalence))
    def end(v, side):
        a, b, c, d = up - v * down
        p, q = prevalence, 1 - prevalence
        found = rates_sum_limits([[p * (a - b)], [q * (c - d)]], [[15], [4]], [[20], [30]], 0.05, family)
        return p * b + q * d + found[side][0]
    low, high = law.interval(0.9, method)
    top = 1.0 if law.limits[1] == 1 else 1e3
    np.testing.assert_allclose(low, brentq(end, law.limits[0], law.estimate, args=(0,), xtol=1e-14), rtol=1e-8)
    np.testing.assert_allclose(high, brentq(end, law.estimate, top, args=(1,), xtol=1e-14), rtol=1e-8)


@pytest.mark.parametrize("measure", ["mcc", cube])
def test_the_egg_is_searched_to_its_ends(measure):
    y, s = np.repeat([1, 0], [20, 30]), np.r_[np.repeat([1.0, 0.0], [15, 5]), np.repeat([1.0, 0.0], [4, 26])]
    for sampling, sizes, counts in (("stratified", [20, 30], [15, 4]), ("full", [20, 30, 50], [15, 4, 20])):
        law = cb.exact_measure(y, s, 0.5, measure, sampling=sampling)
        r = np.array(counts) / sizes
        low, high = mid_p_limits(np.array(counts), np.array(sizes), 0.05)
        def at(angles, sign, r=r, low=low, high=high):
            ball = np.array([np.cos(angles[0]), np.sin(angles[0])]) if r.size == 2 else np.array([np.cos(angles[0]) * np.cos(angles[1]), np.sin(angles[0]) * np.cos(angles[1]), np.sin(angles[1])])
            rates = r + ball * np.where(ball > 0, high - r, r - low)
            return sign * float(measure_at(as_measure(measure), rates[0], rates[1], rates[2] if r.size == 3 else 0.4))
        starts = [(a, b) for a in np.arange(0, 6.3, 0.7) for b in ((0.0,) if r.size == 2 else (-1.0, 0.0, 1.0))]
        for side, sign in zip(law.interval(), (1, -1)):
            best = min(minimize(at, start, args=(sign,), method="Nelder-Mead", options=dict(xatol=1e-9, fatol=1e-13)).fun for start in starts)
            np.testing.assert_allclose(side, sign * best, rtol=0, atol=1e-7)


def test_shares_under_full_sampling_are_binomial():
    y, s = np.repeat([1, 0], [20, 30]), np.r_[np.repeat([1.0, 0.0], [15, 5]), np.repeat([1.0, 0.0], [4, 26])]
    for name, hits, n in (("precision", 15, 19), ("npv", 26, 31), ("accuracy", 41, 50)):
        for method, family in (("recommended", mid_p_limits), ("conservative", clopper_pearson_limits)):
            np.testing.assert_allclose(cb.exact_measure(y, s, 0.5, name, sampling="full").interval(0.95, method), family(hits, n, 0.025), rtol=1e-12)
    share = np.array(mid_p_limits(15, 24, 0.05))
    np.testing.assert_allclose(cb.exact_measure(y, s, 0.5, "f1", sampling="full").interval(), 2 * share / (1 + share), rtol=1e-12)


@pytest.mark.parametrize("name", [*NAMES, cube])
@pytest.mark.parametrize("sampling", ["stratified", "full"])
def test_limits_at_the_ends_of_every_count(name, sampling):
    "Counts of 0 and of all, one instance of a class: an interval contains its estimate and lies in the range."
    for n_pos, n_neg in ((1, 1), (1, 6), (5, 3)):
        x, y = (side.ravel() for side in np.indices((n_pos + 1, n_neg + 1)))
        measure = as_measure(name)
        law = MeasureLaw(x=np.arange(x.size), measure=measure, limits=measure.limits, true_pos=x, false_pos=y, sizes=(n_pos, n_neg), drawn=(n_pos, n_neg),
                         m=n_pos + n_neg, prevalence=0.3 if sampling == "stratified" else None, sampling=sampling)
        known = ~np.isnan(law.estimate)
        before = None
        for level in (0.5, 0.9, 0.999):
            low, high = law.interval(level)
            assert not np.isnan(low).any() and not np.isnan(high).any() and (low <= high).all() and (low >= law.limits[0]).all() and (high <= law.limits[1]).all()
            assert (low[known] <= law.estimate[known]).all() and (law.estimate[known] <= high[known]).all()
            assert (low[~known] == law.limits[0]).all() and (high[~known] == law.limits[1]).all()
            if before is not None: assert (low <= before[0] + 1e-9).all() and (high >= before[1] - 1e-9).all(), "a higher level has a longer interval"
            before = low, high


@pytest.mark.parametrize("name", ["precision", "lr_plus", "lift", "kappa", "mcc", "f1", "f2"])
@pytest.mark.parametrize("sampling", ["stratified", "full"])
def test_p_values_belong_to_intervals(name, sampling):
    y, s = np.repeat([1, 0], [20, 30]), np.r_[np.repeat([1.0, 0.0], [15, 5]), np.repeat([1.0, 0.0], [4, 26])]
    law = cb.exact_measure(y, s, 0.5, name, sampling=sampling)
    for method in ("recommended", "conservative"):
        low, high = law.interval(0.95, method)
        for end, away in ((low, -1e-4), (high, 1e-4)):
            assert law.p_value(end + away, method=method) < 0.05 < law.p_value(end - away, method=method)
        assert law.p_value(low, "greater", method=method) == pytest.approx(0.025, rel=1e-3) and law.p_value(high, "less", method=method) == pytest.approx(0.025, rel=1e-3)
    assert law.p_value(law.estimate) == pytest.approx(1, abs=1e-6)


def test_a_difference_and_its_interval():
    y, s, z = cb.BinormalPair(cb.Binormal(1.5), cb.Binormal(2.5, loc_neg=-1.5), correlation=0.8).sample(60, 80, rng=2)
    for name in ("precision", "f1", "mcc", "lr_minus"):
        law, turned = cb.exact_measure_difference(y, s, z, 0.5, 0.5, name), cb.exact_measure_difference(y, z, s, 0.5, 0.5, name)
        low, high = law.interval(0.95)
        np.testing.assert_allclose(turned.interval(0.95), (-high, -low), rtol=1e-8, atol=1e-10)
        assert low < law.estimate < high and law.estimate == pytest.approx(cb.exact_measure(y, z, 0.5, name).estimate - cb.exact_measure(y, s, 0.5, name).estimate)
        assert law.p_value(low) == pytest.approx(0.05, rel=1e-3)
        wald = law.interval(0.95, "wald")
        assert 0.7 < (high - low) / (wald[1] - wald[0]) < 1.4, "at this size the two are not far apart"
        drawn = law.rvs(3000, rng=0)
        assert abs(drawn.mean() - law.mean) < 5 * law.std / np.sqrt(3000) and drawn.std() == pytest.approx(law.std, rel=0.1)
    alone, one = cb.exact_measure_difference(y, s, s, 0.5, 0.5, "f1"), cb.exact_measure(y, s, 0.5, "f1")
    assert alone.std < 1e-9 and np.ptp(alone.interval()) < 0.5 * np.ptp(one.interval()), "what is left are the disagreements that are added"


def test_the_correlation_is_that_of_the_law():
    "To first order: close to what the exact moments say, at an ordinary size."
    y, s, z = cb.BinormalPair(cb.Binormal(1.5), cb.Binormal(2.0, loc_neg=-1.5), correlation=0.7).sample(150, 200, rng=5)
    for name in ("precision", "kappa", "mcc", "f2"):
        one, two = (cb.exact_measure(y, score, 0.5, name).var for score in (s, z))
        law = cb.exact_measure_difference(y, s, z, 0.5, 0.5, name)
        exact = (one + two - law.var) / (2 * np.sqrt(one * two))
        assert law.curve._correlation()[0] == pytest.approx(exact, abs=0.03)


# --- answers to odd questions ---------------------------------------------------------------------------------------------
def test_no_alarm_is_said_and_answered():
    y, s = np.array([1, 1, 0, 0]), np.array([0.4, 0.3, 0.2, 0.1])
    with pytest.warns(RuntimeWarning, match=r"the precision of the test set is 0/0 at 1 of 2 thresholds \(the first is 0.5\)"):
        law = cb.exact_measure(y, s, [0.0, 0.5], "precision")
    assert law.undefined.tolist() == [0, 1] and law.interval().low[1] == 0 and law.interval().high[1] == 1 and law.p_value(0.5)[1] == 1
    frame = law.to_frame()
    assert list(frame)[:5] == ["threshold", "estimate", "mean", "std", "low"] and frame["undefined"].tolist() == [0, 1]
    assert "MeasureLaw" in repr(law) and "<table" in law._repr_html_()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ratio = cb.exact_measure(y, s, 0.25, "lr_plus")  # no false positive: infinite, but no 0/0
    assert ratio.estimate == np.inf and ratio.interval().high == np.inf and 0 < ratio.interval().low < np.inf and ratio.undefined == 1


def test_callables_that_take_one_pair_of_rates_at_a_time():
    y, s = cb.Binormal(1.0).sample(12, 15, rng=0)
    def stepped(tpr, fpr, prevalence): return 1.0 if tpr > fpr else 0.0
    law, youden = cb.exact_measure(y, s, 0.0, stepped), cb.exact_measure(y, s, 0.0, "youden")
    assert law.mean == pytest.approx(1 - youden.cdf(0.0), rel=1e-12) and law.value_name == "stepped"
    assert cb.exact_measure(y, s, 0.0, lambda p, q, w: p * w).value_name == "measure"


def test_one_threshold_gives_numbers_and_an_index_gives_a_point():
    y, s = cb.Binormal(1.0).sample(12, 15, rng=0)
    law = cb.exact_measure(y, s, [-1.0, 0.0, 1.0], "mcc")
    one = cb.exact_measure(y, s, 0.0, "mcc")
    assert isinstance(one.estimate, float) and one.estimate == law[1].estimate and one.interval() == law[1].interval() and len(law[:2]) == 2
    pair = cb.exact_measure_difference(y, s, -s, [0.0, 1.0], [0.0, 0.5], "mcc")
    assert pair[1].estimate == cb.exact_measure_difference(y, s, -s, 1.0, 0.5, "mcc").estimate and list(pair.to_frame())[:3] == ["threshold_1", "threshold_2", "estimate"]


Y, S = np.repeat([1, 0], [5, 7]), np.linspace(0, 1, 12)
REFUSED = [
    (dict(measure="presicion"), ValueError, "`measure` must be one of 'accuracy', .*'youden', 'f' and a number above 0"),
    (dict(measure="f0"), ValueError, "`measure` must be one of"), (dict(measure=None), ValueError, "got None"),
    (dict(measure=lambda tpr: tpr), TypeError, r"`measure` must return a number for \(tpr, fpr, prevalence\)"),
    (dict(measure=lambda p, q, w: np.nan), ValueError, "`measure` must have a value at tpr=0.25"),
    (dict(measure="f1", prevalence=0), ValueError, "`prevalence` must be a number strictly between 0 and 1"),
    (dict(measure="f1", prevalence="much"), TypeError, "`prevalence` must be a number"),
    (dict(measure="f1", sampling="some"), ValueError, "`sampling` must be one of 'full', 'stratified'"),
    (dict(measure="f1", threshold=np.nan), ValueError, "`threshold` must not hold NaN"),
    (dict(measure="f1", m=7), ValueError, "`m` must be a multiple of 12"), (dict(measure="net_benefit", threshold=1.0), ValueError, r"probabilities in \[0, 1\) for a net benefit"),
]


@pytest.mark.parametrize("wrong, error, text", REFUSED)
def test_bad_input(wrong, error, text):
    with pytest.raises(error, match=text): cb.exact_measure(Y, S, **dict(threshold=0.5) | wrong)


@pytest.mark.parametrize("name", BAD)
def test_bad_labels_and_scores(name):
    y, s, error, text = BAD[name]
    with pytest.raises(error) as caught: cb.exact_measure(y, s, 0.2, "f1")
    assert text.format(y="y_true", score="y_score") in str(caught.value)


def test_bad_pairs():
    with pytest.raises(ValueError, match=r"`threshold_2` must have as many entries as `threshold_1` \(2\); got 1"): cb.exact_measure_difference(Y, S, S, [0.1, 0.2], 0.1, "f1")
    with pytest.raises(ValueError, match="`threshold_2` must be `threshold_1` for a net benefit"): cb.exact_measure_difference(Y, S, S, 0.1, 0.2, "net_benefit")
    y, s, z = cb.BinormalPair(cb.Binormal(1.0), cb.Binormal(1.0), correlation=0.0).sample(300, 300, rng=0)
    large = cb.exact_measure_difference(y, s, z, 0.0, 0.0, "f1")
    with pytest.raises(ValueError, match="must have at most 20,000,000 outcomes to be listed"): large.support()
    assert large.std > 0 and large.interval().low < 0 < large.interval().high
    with pytest.raises(ValueError, match="at most 200 instances"): cb.exact_measure_difference(y, s, z, 0.0, 0.0, "f1", sampling="full").mean  # noqa: B018
    with pytest.raises(ValueError, match="`method` must be one of"): large.interval(method="agresti")


@pytest.mark.parametrize("name", ["f1", "mcc", "lr_plus", "npv"])
@pytest.mark.parametrize("sampling", ["stratified", "full"])
def test_differences_without_their_list(name, sampling, monkeypatch):
    "Distribution function and quantiles from sorted tables are those of the list."
    from costboot.laws import measures
    y, s, z = cb.BinormalPair(cb.Binormal(1.5), cb.Binormal(2.5, loc_neg=-1.5), correlation=0.6).sample(*((30, 40) if sampling == "stratified" else (8, 9)), rng=3)
    law, levels = cb.exact_measure_difference(y, s, z, 0.5, 0.5, name, sampling=sampling), np.array([1e-6, 0.05, 0.3, 0.5, 0.95, 0.99999])
    values, chances = law.support()
    places = np.concatenate([values[:: max(len(values) // 50, 1)], [-99.0, 99.0]])
    np.testing.assert_allclose(law.cdf(places), [chances[values <= v + 1e-12].sum() for v in places], rtol=0, atol=1e-12)
    listed = law.ppf(levels)
    def many(self, i, found=measures._DifferenceDistribution._kept_classes): return found(self, i)[0], 10**8
    monkeypatch.setattr(measures._DifferenceDistribution, "_kept_classes", many)
    np.testing.assert_allclose(law.ppf(levels), listed, rtol=0, atol=1e-12)


def test_a_difference_of_a_thousand_instances():
    y, s, z = cb.BinormalPair(cb.Binormal(1.5), cb.Binormal(2.5, loc_neg=-1.5), correlation=0.6).sample(500, 500, rng=3)
    law = cb.exact_measure_difference(y, s, z, 0.5, 0.5, "f1")
    median = law.ppf(0.5)
    assert law.cdf(median) == pytest.approx(0.5, abs=1e-5) and abs(median - law.mean) < 0.1 * law.std
    y, s, z = (np.repeat(column, 40) for column in (y, s, z))
    with pytest.raises(ValueError, match="a distribution function must take at most 100,000,000 steps"): cb.exact_measure_difference(y, s, z, 0.5, 0.5, "f1").cdf(0.0)


def test_a_million_instances():
    measure = as_measure("precision")
    law = MeasureLaw(x=np.zeros(1), measure=measure, true_pos=np.array([400_000]), false_pos=np.array([50_000]), sizes=(500_000, 500_000),
                     drawn=(500_000, 500_000), m=1_000_000, prevalence=0.01)
    low, high = law.interval()
    assert low < law.estimate < high and high - low < 0.002
    with pytest.raises(ValueError, match="the law must have at most 20,000,000 outcomes"): law.support(0)


def test_coverage_of_a_small_design_by_brute_force():
    "The recommended interval holds where the law's quantiles fail."
    sizes, (p, q), share = (20, 40), (0.9, 0.02), 0.3
    x, y = (side.ravel() for side in np.indices((21, 41)))
    chances = binom.pmf(x, 20, p) * binom.pmf(y, 40, q)
    for name in ("precision", "f1", "mcc"):
        measure = as_measure(name)
        law = MeasureLaw(x=np.arange(x.size), measure=measure, limits=measure.limits, true_pos=x, false_pos=y, sizes=sizes, drawn=sizes, m=60, prevalence=share)
        law, weights = law[chances > 1e-6], chances[chances > 1e-6]
        truth = float(measure_at(measure, p, q, share))
        held = {}
        for method in ("recommended", "exact"):
            low, high = law.interval(0.9, method)
            held[method] = weights @ ((low <= truth) & (truth <= high)) / weights.sum()
        assert held["recommended"] > 0.88 and held["exact"] < held["recommended"] - 0.02, (name, held)
