"""Comparisons: ranges, unpaired designs, several classifiers and honest thresholds."""

import warnings

import matplotlib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

matplotlib.use("Agg")
from inputs import BAD  # noqa: E402
from cost_inputs import LEGAL, OPTIONS, SAMPLING, S, W, Y, Z, assert_any_labels, assert_input_kept, assert_legal, scored_sets  # noqa: E402

import costboot as cb  # noqa: E402
from costboot.comparisons import unpaired  # noqa: E402
from costboot.comparisons.honest_thresholds import cross_fit, split_validation, validated_cost, validated_cost_difference  # noqa: E402
from costboot.comparisons.several_models import holm, compare_costs  # noqa: E402
from costboot.comparisons.significance import significant_ranges  # noqa: E402
from costboot.comparisons.unpaired import independent_difference  # noqa: E402
from costboot.curves.cost import optimal_thresholds  # noqa: E402
from costboot.core import law as law_module  # noqa: E402
from costboot.core.intervals import mid_p_limits, rates_sum_limits  # noqa: E402
from costboot.core.lattice_laws import BinomialProportion  # noqa: E402
from costboot.core.law import DiscreteLaw, Law  # noqa: E402
from costboot.data.score_models import Binormal  # noqa: E402
from costboot.laws.cost import exact_cost, exact_cost_difference  # noqa: E402

# name -> (call, name of the first scores in messages)
CALLS = {
    "compare_costs": (lambda y, s, **k: compare_costs(y, {"a": s, "b": s}, {"a": 2.5, "b": 3.5}, W, **k).laws[0], "scores['a']"),
    "validated_cost": (lambda y, s, **k: validated_cost(y, s, W, rng=1, **k), "y_score"),
    "validated_cost_difference": (lambda y, s, **k: validated_cost_difference(y, s, s, W, rng=1, **k), "y_score_1"),
    "cross_fit": (lambda y, s, **k: cross_fit(y, s, splits=3, **k).cost(W), "y_score"),
    "split_validation": (lambda y, s, **k: split_validation(y, s, rng=1, **k), "y_score"),
}
LAWS = [name for name in CALLS if name != "split_validation"]


pytestmark = pytest.mark.usefixtures("close_figures")


# --- bad input --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("name", CALLS)
def test_bad_labels_and_scores(name, case):
    (call, score), (y, s, error, message) = CALLS[name], BAD[case]
    with pytest.raises(error) as caught: call(y, s)
    assert message.format(y="y_true", score=score) in str(caught.value)


def test_the_second_scores_are_named_too():
    with pytest.raises(ValueError, match="`y_score_2` must have as many entries"): validated_cost_difference(Y, S, S[:5], W)
    with pytest.raises(ValueError, match=r"`scores\['b'\]` must have as many entries"): compare_costs(Y, {"a": S, "b": S[:5]}, {"a": 1, "b": 1})
    with pytest.raises(ValueError, match=r"`thresholds\['b'\]` must not hold NaN"): compare_costs(Y, {"a": S, "b": S}, {"a": 1, "b": np.nan})


@pytest.mark.parametrize(("options", "error", "message"), OPTIONS)
def test_options_are_passed_on_and_checked(options, error, message):
    with pytest.raises(error) as caught: compare_costs(Y, {"a": S, "b": Z}, {"a": 1, "b": 2}, **options)
    assert message in str(caught.value)


@pytest.mark.parametrize(("threshold", "error", "message"), [
    (None, TypeError, "must be a number, an array beside `w`, or a callable"), (np.nan, ValueError, "must not hold NaN"), ("high", TypeError, "must hold numbers"),
    ([1, 2], ValueError, "must be one number or have one entry for each of the 3 points; got 2"), ([[1]], ValueError, "must be one-dimensional"), ([], ValueError, "must have at least one entry"),
    (lambda w: w * np.nan, ValueError, "must not hold NaN"), (lambda w: [1, 2], ValueError, "must be one number or have one entry"),
])
def test_bad_thresholds(threshold, error, message):
    with pytest.raises(error) as caught: compare_costs(Y, {"a": S, "b": Z}, {"a": 1, "b": threshold}, W)
    assert "`thresholds['b']`" in str(caught.value) and message in str(caught.value)


LEVELS = [(0, ValueError), (1, ValueError), (-0.1, ValueError), (90, ValueError), (np.nan, ValueError), ("0.9", TypeError), (None, TypeError), (True, TypeError)]


@pytest.mark.parametrize(("level", "error"), LEVELS)
def test_bad_levels(level, error):
    law = exact_cost_difference(Y, S, Z, W, 2.5, 2.5)
    for call in (lambda: significant_ranges(law, level), lambda: compare_costs(Y, {"a": S, "b": Z}, {"a": 1, "b": 1}, W, confidence_level=level)):
        with pytest.raises(error, match="`confidence_level` must be a number strictly between 0 and 1"): call()
    for call in (lambda: split_validation(Y, S, fraction=level), lambda: validated_cost(Y, S, fraction=level)):
        with pytest.raises(error, match="`fraction` must be a number strictly between 0 and 1"): call()


def test_a_percentage_is_recognised():
    with pytest.raises(ValueError, match="did you mean 0.95?"): significant_ranges(exact_cost_difference(Y, S, Z, W, 1, 1), 95)


@pytest.mark.parametrize("method", ["bootstrap", None, 1, ["wald"]])
def test_bad_methods(method):
    law = exact_cost_difference(Y, S, Z, W, 2.5, 2.5)
    for call in (lambda: significant_ranges(law, 0.9, method), lambda: compare_costs(Y, {"a": S, "b": Z}, {"a": 1, "b": 1}, method=method),
                 lambda: independent_difference(law, law).interval(0.9, method)):
        with pytest.raises(ValueError, match="`method` must be one of"): call()


def test_several_models_are_checked():
    with pytest.raises(TypeError, match="`scores` must be a dictionary"): compare_costs(Y, [S, Z], {"a": 1, "b": 1})
    with pytest.raises(TypeError, match="`thresholds` must be a dictionary"): compare_costs(Y, {"a": S, "b": Z}, 0.5)
    with pytest.raises(ValueError, match="`scores` must hold at least two classifiers; got 1"): compare_costs(Y, {"a": S}, {"a": 1})
    with pytest.raises(ValueError, match="`scores` must hold at least two classifiers; got 0"): compare_costs(Y, {}, {})
    with pytest.raises(ValueError, match="`thresholds` must have the names of `scores`"): compare_costs(Y, {"a": S, "b": Z}, {"a": 1, "c": 1})
    with pytest.raises(ValueError, match="`correction` must be one of 'holm'; got 'fdr'"): compare_costs(Y, {"a": S, "b": Z}, {"a": 1, "b": 1}, correction="fdr")


def test_independent_laws_are_checked():
    law = exact_cost(Y, S, W, 2.5)
    for first, second, name in ((law, 0.5, "law_2"), (None, law, "law_1"), (law, law.interval(), "law_2")):
        with pytest.raises(TypeError, match=f"`{name}` must be a law"): independent_difference(first, second)
    with pytest.raises(ValueError, match="`law_2` must have as many points as `law_1`"): independent_difference(law, exact_cost(Y, S, W[:2], 2.5))
    with pytest.raises(ValueError, match="`law_2` must have the points of `law_1`; got w = 0.6 instead of 0.5 at position 1"): independent_difference(law, exact_cost(Y, S, [0.2, 0.6, 0.9], 2.5))
    listed = DiscreteLaw(x=[0.5], values=([0.0, 1.0],), probabilities=([0.5, 0.5],))
    with pytest.raises(ValueError, match="`method` must be one of .* for a DiscreteLaw: it has no counts"): independent_difference(listed, listed).interval(0.9, "agresti")


@pytest.mark.parametrize("rng", [1.5, "seed", -1, np.random.RandomState(0)])
def test_bad_rng(rng):
    with pytest.raises(TypeError, match="`rng` must be None, a whole number or a numpy.random.Generator"): split_validation(Y, S, rng=rng)


@pytest.mark.parametrize("y", [[1, 0, 0], [1, 1, 0]])
def test_a_class_of_one_cannot_be_split(y):
    for call in (lambda: split_validation(y, [1, 2, 3]), lambda: cross_fit(y, [1, 2, 3]), lambda: validated_cost(y, [1, 2, 3]), lambda: validated_cost_difference(y, [1, 2, 3], [1, 2, 3])):
        with pytest.raises(ValueError, match="at least two instances of each class"): call()


# --- unusual but legal input ------------------------------------------------------------------------------------------

@pytest.mark.parametrize("case", LEGAL)
@pytest.mark.parametrize("name", CALLS)
def test_legal_input_gives_the_same_answer(name, case): assert_legal(CALLS[name][0], case)


@pytest.mark.parametrize("name", CALLS)
def test_labels_of_any_kind(name): assert_any_labels(CALLS[name][0])


@pytest.mark.parametrize("name", LAWS)
def test_the_input_is_not_changed_and_the_result_is_read_only(name): assert_input_kept(CALLS[name][0])


@pytest.mark.parametrize("sampling", SAMPLING)
def test_classifiers_that_always_agree_are_not_distinguishable(sampling):
    alike = exact_cost_difference(Y, S, Z, W, np.inf, 99.0, sampling=sampling)
    assert (significant_ranges(alike)["verdict"] == "not distinguishable").all()


@pytest.mark.parametrize("sampling", SAMPLING)
def test_the_smallest_test_set(sampling):
    first, second = (exact_cost([1, 0], s, [0, 0.5, 1], [1.5, 3, 0], sampling=sampling) for s in ([2.0, 1.0], [1.0, 2.0]))
    difference = independent_difference(first, second)
    assert np.isfinite(difference.interval(0.9, "exact")).all() and (difference.error == 0).all()


# --- unpaired designs -------------------------------------------------------------------------------------------------

@settings(max_examples=40, deadline=None)
@given(scored_sets(1, most=7), scored_sets(1, most=7), st.sampled_from(SAMPLING), st.integers(0, 10**6))
def test_independent_differences_are_convolutions(case_1, case_2, sampling, seed):
    h = min(len(case_1[2]), len(case_2[2]))
    w = case_1[2][:h]
    first, second = (exact_cost(y, s[0], w, t[0][:h], sampling=sampling) for y, s, _, t in (case_1, case_2))
    law = independent_difference(first, second)
    np.testing.assert_allclose([law.mean, law.var], [second.mean - first.mean, first.var + second.var], rtol=1e-12, atol=1e-16)
    q, v = np.random.default_rng(seed).random((2, 4, 1))
    for i in range(h):
        (a, p), (b, r) = first.support(i), second.support(i)
        every, weight = np.subtract.outer(b, a).ravel(), np.outer(r, p).ravel()
        np.testing.assert_allclose(law.cdf(2 * v - 1)[:, i], [weight[every <= x + 1e-12].sum() for x in 2 * v[:, 0] - 1], atol=1e-12)
        order = np.argsort(every)
        at = np.searchsorted(np.cumsum(weight[order]), q[:, 0] * (1 - 1e-12))
        np.testing.assert_allclose(law.ppf(q)[:, i], every[order][np.minimum(at, every.size - 1)], atol=1e-11)


def test_an_independent_difference_of_a_law_with_itself_is_symmetric():
    law = exact_cost(Y, S, W, 2.5)
    difference = independent_difference(law, law)
    np.testing.assert_allclose(difference.ppf(0.05), -difference.ppf(0.95), atol=1e-12)
    rates = BinomialProportion(x=[0, 1], count=[1, 2], n=3, m=3)
    np.testing.assert_allclose(independent_difference(rates, rates).mean, 0, atol=1e-16)


def rates_of(*pairs):
    "Laws of two rates at several points, from pairs of counts, of 25 and 40 instances."
    one, two = np.array(pairs).T
    return [BinomialProportion(x=np.arange(len(k)), count=k, n=n, m=n) for k, n in ((one, 25), (two, 40))]


def test_unpaired_intervals_contain_the_estimate_and_stretch_the_plain_ones():
    "A rate near 0 and one near 1 differ by a sum of rare events: the plain MOVER is too short there."
    w = [0.2, 0.5, 0.9]
    costs = [exact_cost(*Binormal(theta).sample(20, 30, rng=seed), w, 0.0) for theta, seed in ((3.0, 1), (4.0, 2))]
    for first, second in (rates_of((1, 39), (0, 40), (0, 0), (25, 0), (10, 20)), costs):
        law = independent_difference(first, second)
        for level in (0.5, 0.9, 0.99):
            low, high = law.interval(level)
            (low_1, high_1), (low_2, high_2) = first.interval(level), second.interval(level)
            plain = law.mean - np.hypot(second.mean - low_2, high_1 - first.mean), law.mean + np.hypot(high_2 - second.mean, first.mean - low_1)
            assert (low <= law.mean).all() and (law.mean <= high).all() and low.min() >= -1 and high.max() <= 1
            assert (low <= np.maximum(plain[0], -1) + 1e-12).all() and (high >= np.minimum(plain[1], 1) - 1e-12).all()
    law = independent_difference(*rates_of((1, 39)))
    cost = rates_sum_limits([[1.0], [1.0]], [[24], [39]], [[25], [40]], 0.005)  # what is right in both
    np.testing.assert_allclose(law.interval(0.99), np.array(cost) - 1, rtol=1e-9)
    assert law.interval(0.99).high[0] > law.mean[0] + np.hypot(*(rate - mid_p_limits(c, n, 0.005).low for rate, c, n in ((1 / 25, 1, 25), (1 / 40, 1, 40)))) + 0.005


@pytest.mark.parametrize("alpha", [0.2, 0.05, 0.01])
def test_unpaired_p_values_belong_to_their_intervals(alpha):
    w = [0.2, 0.5, 0.9]
    costs = [exact_cost(*Binormal(theta).sample(20, 30, rng=seed), w, 0.0) for theta, seed in ((3.0, 1), (4.0, 2))]
    for pair in (rates_of((1, 39), (0, 40), (3, 9), (25, 2)), costs):
        law = independent_difference(*pair)
        for side, outside in zip(law.interval(1 - alpha), (-1e-6, 1e-6)):
            inner, outer = (law.p_value(np.clip(side + shift, -1, 1)) for shift in (-outside, outside))
            open_end = (abs(side) < 1 - 1e-5)
            assert (inner >= alpha - 1e-12).all() and (outer[open_end] < alpha).all()


def test_a_difference_of_differences():
    "Independent differences can be subtracted again, listed and on the grid."
    y, s = Binormal(1.5).sample(400, 300, rng=1)
    z = s + np.random.default_rng(2).normal(size=s.size)
    for sampling in SAMPLING:
        paired = exact_cost_difference(y, s, z, [0.4], 0.0, 0.0, sampling=sampling)
        law = independent_difference(independent_difference(paired, exact_cost(y, s, [0.4], 0.0, sampling=sampling)), exact_cost(y, z, [0.4], 0.0, sampling=sampling))
        draws = law.rvs(200_000, rng=3)[:, 0]
        assert law.error[0] > 0
        for level in (0.05, 0.5, 0.95):
            quantile, off, error = law.ppf(level)[0], law.error[0], 4 * np.sqrt(level * (1 - level) / draws.size)
            assert (draws < quantile - off).mean() < level + error and (draws <= quantile + off).mean() > level - error


def short_lists(patch):
    "Lower the limit for lists, so that even small laws are computed on the grid."
    for module in (law_module, unpaired): patch.setattr(module, "SHORT_LIST", 3)


@pytest.mark.parametrize("kind", ["rows", "cells", "mixture", "four cells", "atoms"])
def test_long_lists_keep_their_bound(kind, monkeypatch):
    "With the limit for lists lowered, the grid must keep its bound for every kind of law."
    y, s = Binormal(1.5).sample(30, 50, rng=1)
    z = s + np.random.default_rng(2).normal(size=s.size)
    if kind == "rows": first = exact_cost(y, s, [0.4], 0.0, sampling="full")
    if kind == "cells": first = exact_cost(y, s, [0.4], 0.0)
    if kind == "mixture": first = exact_cost(y, s, [0.4], 0.0, sampling="full", prevalence=[0.3, 0.35, 0.4])
    if kind == "four cells": first = exact_cost_difference(y, s, z, [0.4], 0.0, 0.5, sampling="full")
    if kind == "atoms": first = DiscreteLaw(x=[0.4], values=([0.0, 1 / 3, 0.4, 1.0],), probabilities=([0.1, 0.2, 0.3, 0.4],))
    second = exact_cost(y, z, [0.4], 0.2, sampling="full")
    q = np.array([1e-4, 0.05, 0.5, 0.95, 1 - 1e-4])[:, None]
    for pair in ((first, second), (second, first)):
        law = independent_difference(*pair)
        listed = law.ppf(q)
        assert law.error[0] == 0
        with monkeypatch.context() as patch:
            short_lists(patch)
            assert law.error[0] == 1e-4 * law.std[0]
            gridded = law.ppf(q)
        assert (abs(gridded - listed) <= 1.0001e-4 * law.std).all() and (gridded != listed).any()


class Steps(Law):
    "A law of somebody else: nothing but `support`."
    __slots__ = ()

    def support(self, i): return np.array([0.0, 0.25, 0.7]), np.array([0.2, 0.5, 0.3])


def test_a_law_that_only_lists_its_atoms_can_be_subtracted(monkeypatch):
    mine, cost = Steps(x=[0.4]), exact_cost(Y, S, [0.4], 2.5, sampling="full")
    law = independent_difference(mine, cost)
    (a, p), (b, r) = mine.support(0), cost.support(0)
    np.testing.assert_allclose([law.mean[0], law.var[0]], [r @ b - p @ a, (a - p @ a) ** 2 @ p + (b - r @ b) ** 2 @ r], rtol=1e-12)
    every, weight = np.subtract.outer(b, a).ravel(), np.outer(r, p).ravel()
    for v in (-0.3, 0.0, 0.2): np.testing.assert_allclose(law.cdf(v)[0], weight[every <= v + 1e-12].sum(), atol=1e-12)
    listed = law.ppf(np.array([[0.05], [0.5], [0.95]]))
    short_lists(monkeypatch)
    assert (abs(law.ppf(np.array([[0.05], [0.5], [0.95]])) - listed) <= 1.0001e-4 * law.std).all()


# --- several classifiers ----------------------------------------------------------------------------------------------

@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_against_its_definition(values):
    p = np.array(values)
    k = len(p)
    rejected = {alpha: set() for alpha in (0.01, 0.05, 0.1, 0.5)}
    for alpha, names in rejected.items():  # step down: stop at the first that is not small enough
        for rank, i in enumerate(np.argsort(p, kind="stable")):
            if not (k - rank) * p[i] < alpha: break
            names.add(int(i))
    corrected = holm(p[:, None])[:, 0]
    assert (corrected >= p).all() and (corrected <= 1).all()
    for alpha, names in rejected.items(): assert set(np.flatnonzero(corrected < alpha)) == names


def test_a_comparison_is_complete_and_consistent():
    scores, thresholds = {"a": S, "b": Z, "c": -S}, {"a": 2.5, "b": lambda w: 3 * w, "c": [0, -1, -2]}
    for method in ("wald", "agresti", "exact"):
        result = compare_costs(Y, scores, thresholds, W, method=method)
        assert result.pairs == (("a", "b"), ("a", "c"), ("b", "c")) and result.verdict.shape == (3, 3)
        frame, ranges = result.to_frame(), result.ranges()
        assert len(frame) == 9 and ranges.groupby(["model_1", "model_2"])["points"].sum().eq(3).all()
        np.testing.assert_allclose(frame["difference"], np.concatenate([law.mean for law in result.laws]))
        assert "CostComparison(3 classifiers, 3 pairs" in repr(result) and "<table" in result._repr_html_()
        with pytest.raises(ValueError, match="read-only"): result.p_value[0, 0] = 0


def test_the_strips_show_the_verdicts():
    y, s = Binormal(1.0).sample(300, rng=1)
    noise = np.random.default_rng(1).normal(size=s.size)
    result = compare_costs(y, {"good": s, "bad": noise}, {"good": 0.0, "bad": 0.0}, [0.9, 0.1, 0.5])
    ax = result.plot()
    bars = [patch for patch in ax.patches if patch.get_gid() == "good|bad"]
    assert len(bars) == len(result.ranges()) and result.plot(ax) is ax
    assert abs(sum(bar.get_width() for bar in bars) - 0.8) < 1e-12


# --- honest thresholds ------------------------------------------------------------------------------------------------

@settings(max_examples=60, deadline=None)
@given(st.integers(2, 30), st.integers(2, 30), st.floats(0.01, 0.99), st.integers(0, 1000))
def test_a_split_is_a_stratified_partition(n_pos, n_neg, fraction, seed):
    y = np.random.default_rng(seed).permutation(np.repeat([1, 0], [n_pos, n_neg]))
    s = np.arange(y.size)
    validation, test = split_validation(y, s, -s, fraction=fraction, rng=seed)
    np.testing.assert_array_equal(np.sort(np.concatenate([validation.index, test.index])), s)
    for label, n in ((1, n_pos), (0, n_neg)): assert (validation.y_true == label).sum() == min(max(round(fraction * n), 1), n - 1)
    for part in (validation, test):
        np.testing.assert_array_equal(part.scores[0], part.index)
        np.testing.assert_array_equal(part.scores[1], -part.index)
        np.testing.assert_array_equal(part.y_true, y[part.index])


def test_every_instance_is_equally_likely_to_be_chosen():
    chosen = sum(np.isin(np.arange(7), split_validation(Y, rng=seed).validation.index) for seed in range(2000)) / 2000
    expected = np.where(Y == 1, 2 / 3, 1 / 2)  # round(1.5) is 2 of 3, and 2 of 4
    assert (abs(chosen - expected) < 4 * np.sqrt(0.25 / 2000)).all()


def test_unpaired_areas_and_heights_by_all_pairs_of_resamples():
    from costboot.core.enumeration import enumerate_law

    def area(y, s): return np.mean((s[y == 1, None] > s[y == 0]) + 0.5 * (s[y == 1, None] == s[y == 0]))

    rng = np.random.default_rng(5)
    sets = [(np.repeat([1, 0], sizes), rng.integers(0, 4, sum(sizes)).astype(float)) for sizes in ((2, 3), (3, 4))]
    (a, p), (b, r) = (enumerate_law(area, *one).support(0) for one in sets)
    law = cb.independent_difference(*(cb.exact_auc(*one) for one in sets))
    values, chances = np.subtract.outer(b, a), np.outer(r, p)
    for v in (-0.5, 0.0, 0.25): assert law.cdf(v) == pytest.approx(chances[values <= v + 1e-9].sum(), abs=1e-12)
    assert law.mean == pytest.approx((values * chances).sum()) and 0 <= law.p_value() <= 1
    low, high = law.interval()
    assert -1 <= low <= law.mean <= high <= 1 and law.interval(0.9, "conservative").low <= low and law.error == 0
    tied = cb.independent_difference(*(cb.exact_tpr(*one, 0.3) for one in sets))
    lists = [cb.exact_tpr(*one, 0.3).support() for one in sets]
    values, chances = np.subtract.outer(lists[1][0], lists[0][0]), np.outer(lists[1][1], lists[0][1])
    for v in (-0.4, 0.0, 0.3): assert tied.cdf(v) == pytest.approx(chances[values <= v + 1e-9].sum(), abs=1e-12)


def test_unpaired_areas_of_large_sets_and_what_is_refused():
    one, two = (cb.exact_auc(*cb.Binormal(theta).sample(300, 200, rng=theta)) for theta in (1, 2))
    law = cb.independent_difference(one, two)
    assert law.mean == pytest.approx(two.mean - one.mean) and law.var == pytest.approx(one.var + two.var)
    z = (law.ppf(0.05) - law.mean) / law.std
    assert abs(z + 1.645) < 0.05 and np.isnan(law.error) and law.rvs(5, rng=1).shape == (5,)
    y, s = cb.Binormal(1).sample(6, 6, rng=1)
    with pytest.raises(ValueError, match="`law_1` must be the law of one area"): cb.independent_difference(cb.exact_auc_difference(y, s, -s), one)
    y, s = cb.Binormal(1).sample(6, 7, rng=1)
    rounded = [cb.exact_tpr(*cb.Binormal(1).sample(6, k, rng=1), 0.3, ties="paper") for k in (6, 7)]
    with pytest.raises(ValueError, match='Use ties="interpolate"'): cb.independent_difference(*rounded)


# --- cross-fitting ------------------------------------------------------------------------------------------------------

@settings(max_examples=25, deadline=None)
@given(st.integers(2, 12), st.integers(2, 12), st.integers(2, 6), st.integers(1, 4), st.integers(0, 10_000))
def test_cross_fitting_counts_by_hand(n_pos, n_neg, folds, splits, seed):
    "Every row is labelled by the majority of rules that did not see it; ties in the scores included."
    rng = np.random.default_rng(seed)
    y, w = np.repeat([1, 0], [n_pos, n_neg]), np.array([0.0, 0.05, 1 / 3, 0.5, 0.8, 1.0])
    s = rng.integers(0, 6, y.size) + y * rng.integers(0, 3, y.size) + 0.0
    crossed = cross_fit(y, s, folds=folds, splits=splits, rng=seed)
    again, votes = np.random.default_rng(seed), np.zeros((y.size, w.size), dtype=int)
    for _ in range(splits):
        fold = np.empty(y.size, dtype=int)
        parts = [again.permutation(np.flatnonzero(y == label)) for label in (1, 0)]
        for at in parts: fold[at] = np.arange(at.size) % folds
        for k in set(fold.tolist()): votes[fold == k] += s[fold == k, None] >= optimal_thresholds(y[fold != k], s[fold != k])(w)
    labels = 2 * votes > splits if splits % 2 else 2 * votes >= splits  # an even number of splits: a draw is positive
    expected = w * (1 - labels[y == 1].mean(axis=0)) + (1 - w) * labels[y == 0].mean(axis=0)
    np.testing.assert_allclose(crossed.cost(w).mean, expected, atol=1e-12)
    assert 1 <= crossed.inflation <= 2 and crossed.cost(w, m=y.size).var == pytest.approx(exact_cost(y, crossed.scores[0], w, crossed.threshold).var)


def test_cross_fitting_is_checked():
    with pytest.raises(TypeError, match="`y_scores` must hold at least one array"): cross_fit(Y)
    with pytest.raises(ValueError, match="`folds` must be a whole number, at least 2; got 1"): cross_fit(Y, S, folds=1)
    with pytest.raises(ValueError, match="`splits` must be a whole number"): cross_fit(Y, S, splits=0)
    with pytest.raises(TypeError, match="`rng` must be None"): cross_fit(Y, S, rng="seed")


def test_cross_fitting_of_one_number_and_of_a_pair():
    crossed = cross_fit(Y, S, Z, rng=3)
    assert np.ndim(crossed.cost(0.3).mean) == 0 and np.ndim(crossed.cost_difference(0.3).interval().low) == 0
    np.testing.assert_allclose(crossed.cost_difference(W).mean, crossed.cost(W, 1).mean - crossed.cost(W, 0).mean, atol=1e-15)
    assert crossed.split_costs(W, 1).shape == (11, len(W)) and crossed.scores[0].flags.writeable is False
    assert repr(crossed).startswith("CrossFit(2 classifiers")


# --- unpaired laws of other kinds -------------------------------------------------------------------------------------
def test_unpaired_laws_of_roc_points_and_thresholds():
    (y_1, s_1), (y_2, s_2) = cb.Binormal(1.5).sample(30, 40, rng=1), cb.Binormal(2.5).sample(50, 20, rng=2)
    one, two = cb.exact_roc(y_1, s_1, [0.0, 1.0]), cb.exact_roc(y_2, s_2, [0.5, 2.0])
    rates = cb.independent_difference(one, two)
    for name in ("fpr", "tpr"):
        law, first, second = getattr(rates, name), getattr(one, name), getattr(two, name)
        np.testing.assert_allclose([law.mean, law.var], [second.mean - first.mean, second.var + first.var], atol=1e-14)
    assert cb.independent_difference(one[0], two[1]).tpr.mean == pytest.approx(two.tpr.mean[1] - one.tpr.mean[0], abs=1e-14)
    budgets = [cb.exact_rates_at_budget(*each, 0.2) for each in ((y_1, s_1), (y_2, s_2))]
    assert cb.independent_difference(*budgets).fpr.mean == pytest.approx(budgets[1].fpr.mean - budgets[0].fpr.mean, abs=1e-14)
    with pytest.raises(ValueError, match="`law_2` must have as many points"): cb.independent_difference(one, cb.exact_roc(y_2, s_2, [0.5]))
    with pytest.raises(TypeError, match="must be a law, such as"): cb.independent_difference(one, 0.3)
    with pytest.raises(ValueError, match="`law_2` must have the points"): cb.independent_difference(cb.exact_tpr(y_1, s_1, 0.1), cb.exact_tpr(y_2, s_2, 0.2))


def test_unpaired_ratios_and_partial_areas():
    from scipy.special import ndtr

    from costboot.laws.partial_auc import exact_partial_auc
    sets = [cb.Binormal(t).sample(n, n + 10, rng=n) for t, n in ((1.5, 60), (2.5, 70))]
    for threshold in (0.0, 7.0):  # at the second one nobody is above in one of the sets or both
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            plus = cb.independent_difference(*(cb.exact_measure(y, s, threshold, "lr_plus") for y, s in sets))
        assert not np.isnan(plus.interval()).any() and plus.interval().low <= plus.interval().high
    areas = [exact_partial_auc(y, s, 0.5) for y, s in sets]
    law = cb.independent_difference(*areas)
    assert areas[0].route == "normal" and law.mean == pytest.approx(areas[1].mean - areas[0].mean)
    np.testing.assert_allclose(law.cdf(law.mean + np.array([-1.6, 0, 1.6]) * law.std), ndtr([-1.6, 0, 1.6]), atol=1e-3)
    assert law.interval().low < law.mean < law.interval().high and law.ppf(0.5) == pytest.approx(law.mean, abs=0.01 * law.std)
