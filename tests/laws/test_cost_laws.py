"""The laws of costs: bad input is refused by name, unusual input is understood, and what must not matter does not matter."""

import io
import re
import string
import time

import matplotlib
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from costboot.comparisons import unpaired  # noqa: E402
from costboot.comparisons.several_models import _holm, compare_costs  # noqa: E402
from costboot.comparisons.unpaired import independent_difference  # noqa: E402
from costboot.core.law import DiscreteLaw  # noqa: E402
from costboot.coverages.exact_cost import _cost_coverage  # noqa: E402
from costboot.comparisons.significance import significant_ranges  # noqa: E402
from costboot.laws.cost import exact_cost, exact_cost_difference  # noqa: E402
from costboot.data.score_models import Binormal  # noqa: E402
from costboot.teaching.derivations import (
    _NAMES, _RIGHT, FormulaError, check_formula, explore_formula_checker, fig_formula_check,
    parse_formula,
)  # noqa: E402
from costboot.comparisons.honest_thresholds import (
    split_validation, validated_cost, validated_cost_difference,
)  # noqa: E402
from costboot.core.lattice_laws import BinomialProportion  # noqa: E402

Y = np.array([1, 1, 1, 0, 0, 0, 0])
S = np.array([5.0, 4, 2, 4, 3, 1, 1])
Z = np.array([2.0, 5, 3, 1, 4, 1, 2])
W = np.array([0.2, 0.5, 0.9])
SAMPLING = ("stratified", "full")

# every public function that takes labels and scores: name -> (call, name of the first scores in messages)
CALLS = {
    "exact_cost": (lambda y, s, **k: exact_cost(y, s, W, 2.5, **k), "y_score"),
    "exact_cost, full": (lambda y, s, **k: exact_cost(y, s, W, 2.5, sampling="full", **k), "y_score"),
    "exact_cost_difference": (lambda y, s, **k: exact_cost_difference(y, s, s, W, 2.5, 3.5, **k), "y_score_1"),
    "exact_cost_difference, full": (lambda y, s, **k: exact_cost_difference(y, s, s, W, 2.5, 3.5, sampling="full", **k), "y_score_1"),
    "compare_costs": (lambda y, s, **k: compare_costs(y, {"a": s, "b": s}, {"a": 2.5, "b": 3.5}, W, **k).laws[0], "scores['a']"),
    "validated_cost": (lambda y, s, **k: validated_cost(y, s, W, rng=1, **k), "y_score"),
    "validated_cost_difference": (lambda y, s, **k: validated_cost_difference(y, s, s, W, rng=1, **k), "y_score_1"),
    "split_validation": (lambda y, s, **k: split_validation(y, s, rng=1, **k), "y_score"),
}
LAWS = [name for name in CALLS if name != "split_validation"]


def numbers(result):
    "What a result says, as arrays."
    if hasattr(result, "validation"): return [result.validation.index, result.test.index, *result.test.scores]
    return [result.x, result.mean, result.var, *result.interval(0.9, "agresti"), *result.interval(0.9, "exact")]


def assert_same(first, second):
    for a, b in zip(numbers(first), numbers(second), strict=True): np.testing.assert_array_equal(a, b, strict=True)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


# --- bad labels and scores ---------------------------------------------------------------------------------------------

BAD = {
    "NaN score": ([1, 0, 1, 0], [0.1, np.nan, 0.3, 0.2], ValueError, "{score}` must be finite; got nan at position 1"),
    "infinite score": ([1, 0, 1, 0], [0.1, 0.2, np.inf, 0.2], ValueError, "{score}` must be finite; got inf at position 2"),
    "positives only": ([1, 1, 1], [0.1, 0.2, 0.3], ValueError, "y_true` must hold both classes"),
    "negatives only": ([0, 0, 0], [0.1, 0.2, 0.3], ValueError, "y_true` must hold both classes"),
    "short scores": ([1, 0, 1], [0.1, 0.2], ValueError, "{score}` must have as many entries as `y_true` (3); got 2"),
    "long scores": ([1, 0], [0.1, 0.2, 0.3], ValueError, "{score}` must have as many entries"),
    "empty": ([], [], ValueError, "y_true` must have at least one entry"),
    "empty scores": ([1, 0], [], ValueError, "{score}` must have at least one entry"),
    "three labels": ([0, 1, 2], [0.1, 0.2, 0.3], ValueError, "y_true` must be binary"),
    "labels without pos_label": (["no", "yes"], [0.1, 0.2], ValueError, "pos_label"),
    "NaN label": ([1.0, np.nan, 0.0], [0.1, 0.2, 0.3], ValueError, "y_true` must not hold NaN"),
    "scores as strings": ([1, 0], ["0.1", "0.2"], TypeError, "{score}` must hold numbers"),
    "scores as text": ([1, 0], "ab", ValueError, "{score}` must be an array of scores"),
    "no scores": ([1, 0], None, ValueError, "{score}` must be an array of scores"),
    "masked score": ([1, 0], np.ma.array([0.1, 0.2], mask=[0, 1]), ValueError, "{score}` must not have masked entries"),
    "masked label": (np.ma.array([1, 0, 1], mask=[0, 0, 1]), [0.1, 0.2, 0.3], ValueError, "y_true` must not have masked entries"),
    "matrix of scores": ([1, 0], [[0.1, 0.2], [0.3, 0.4]], ValueError, "{score}` must be one-dimensional"),
    "matrix of labels": ([[1], [0]], [0.1, 0.2], ValueError, "y_true` must be one-dimensional"),
    "complex scores": ([1, 0], [0.1 + 1j, 0.2], TypeError, "{score}` must hold numbers"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("name", CALLS)
def test_bad_labels_and_scores(name, case):
    (call, score), (y, s, error, message) = CALLS[name], BAD[case]
    with pytest.raises(error) as caught: call(y, s)
    assert message.format(score=score) in str(caught.value)


def test_the_second_scores_are_named_too():
    with pytest.raises(ValueError, match="`y_score_2` must be finite; got nan at position 3"): exact_cost_difference(Y, S, np.where(np.arange(7) == 3, np.nan, S), W, 1, 1)
    with pytest.raises(ValueError, match="`y_score_2` must have as many entries"): validated_cost_difference(Y, S, S[:5], W)
    with pytest.raises(ValueError, match=r"`scores\['b'\]` must have as many entries"): compare_costs(Y, {"a": S, "b": S[:5]}, {"a": 1, "b": 1})
    with pytest.raises(ValueError, match=r"`thresholds\['b'\]` must not hold NaN"): compare_costs(Y, {"a": S, "b": S}, {"a": 1, "b": np.nan})


# --- bad options -------------------------------------------------------------------------------------------------------------

OPTIONS = [
    (dict(w=[1.2]), ValueError, "`w` must lie in [0, 1]; got 1.2"), (dict(w=[-0.1]), ValueError, "`w` must lie in [0, 1]"),
    (dict(w=[np.nan]), ValueError, "`w` must be finite"), (dict(w=[]), ValueError, "`w` must have at least one entry"), (dict(w="half"), TypeError, "`w` must hold numbers"),
    (dict(w=[[0.5]]), ValueError, "`w` must be one-dimensional"), (dict(w=[0.5], cost_fn=1, cost_fp=1), ValueError, "`w` must not be given beside"),
    (dict(cost_fn=1), ValueError, "`cost_fn` and `cost_fp` must be given together"), (dict(cost_fn=-1, cost_fp=1), ValueError, "`cost_fn` must not be negative"),
    (dict(cost_fn=0, cost_fp=0), ValueError, "must not both be 0"), (dict(sampling="block"), ValueError, "`sampling` must be one of 'full', 'stratified'; got 'block'"),
    (dict(sampling=None), ValueError, "`sampling` must be one of"), (dict(m=3), ValueError, "nearest that would do is 7"), (dict(m=0), ValueError, "`m` must be a whole number"),
    (dict(m=2.5), ValueError, "`m` must be a whole number"), (dict(m="7"), TypeError, "`m` must be a whole number"), (dict(m=0, sampling="full"), ValueError, "`m` must be a whole number"),
    (dict(prevalence=1.5, sampling="full"), ValueError, "`prevalence` must lie in [0, 1]"), (dict(prevalence="half", sampling="full"), TypeError, "`prevalence` must hold numbers"),
    (dict(prevalence=np.nan, sampling="full"), ValueError, "`prevalence` must be finite"), (dict(pos_label=2), ValueError, "pos_label=2"),
]


@pytest.mark.parametrize(("options", "error", "message"), OPTIONS)
def test_bad_options(options, error, message):
    threshold = dict(threshold=2.5), dict(threshold_1=2.5, threshold_2=3.5)
    for call in (lambda: exact_cost(Y, S, **threshold[0], **options), lambda: exact_cost_difference(Y, S, Z, **threshold[1], **options),
                 lambda: compare_costs(Y, {"a": S, "b": Z}, {"a": 1, "b": 2}, **options)):
        with pytest.raises(error) as caught: call()
        assert message in str(caught.value)


@pytest.mark.parametrize(("threshold", "error", "message"), [
    (None, TypeError, "must be a number, an array beside `w`, or a callable"), (np.nan, ValueError, "must not hold NaN"), ("high", TypeError, "must hold numbers"),
    ([1, 2], ValueError, "must be one number or have one entry for each of the 3 points; got 2"), ([[1]], ValueError, "must be one-dimensional"), ([], ValueError, "must have at least one entry"),
    (lambda w: w * np.nan, ValueError, "must not hold NaN"), (lambda w: [1, 2], ValueError, "must be one number or have one entry"),
])
def test_bad_thresholds(threshold, error, message):
    for name, call in (("`threshold`", lambda: exact_cost(Y, S, W, threshold)), ("`threshold_1`", lambda: exact_cost_difference(Y, S, Z, W, threshold, 1.0)),
                       ("`threshold_2`", lambda: exact_cost_difference(Y, S, Z, W, 1.0, threshold)), ("`thresholds['b']`", lambda: compare_costs(Y, {"a": S, "b": Z}, {"a": 1, "b": threshold}, W))):
        with pytest.raises(error) as caught: call()
        assert name in str(caught.value) and message in str(caught.value)


LEVELS = [(0, ValueError), (1, ValueError), (-0.1, ValueError), (90, ValueError), (np.nan, ValueError), ("0.9", TypeError), (None, TypeError), (True, TypeError)]


@pytest.mark.parametrize(("level", "error"), LEVELS)
def test_bad_levels(level, error):
    law = exact_cost_difference(Y, S, Z, W, 2.5, 2.5)
    for call in (lambda: law.interval(level), lambda: law.plot(confidence_level=level), lambda: law.to_frame(level), lambda: significant_ranges(law, level),
                 lambda: compare_costs(Y, {"a": S, "b": Z}, {"a": 1, "b": 1}, W, confidence_level=level), lambda: _cost_coverage(Binormal(1.0), 5, 5, W, level)):
        with pytest.raises(error, match="`confidence_level` must be a number strictly between 0 and 1"): call()
    for call in (lambda: split_validation(Y, S, fraction=level), lambda: validated_cost(Y, S, fraction=level)):
        with pytest.raises(error, match="`fraction` must be a number strictly between 0 and 1"): call()


def test_a_percentage_is_recognised():
    with pytest.raises(ValueError, match="did you mean 0.95?"): significant_ranges(exact_cost_difference(Y, S, Z, W, 1, 1), 95)


@pytest.mark.parametrize("method", ["bootstrap", None, 1, ["wald"]])
def test_bad_methods(method):
    law = exact_cost_difference(Y, S, Z, W, 2.5, 2.5)
    for call in (lambda: law.interval(0.9, method), lambda: significant_ranges(law, 0.9, method), lambda: compare_costs(Y, {"a": S, "b": Z}, {"a": 1, "b": 1}, method=method),
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
    with pytest.raises(ValueError, match="`method` must be one of 'empirical', 'exact', 'wald' for a DiscreteLaw"): independent_difference(listed, listed).interval(0.9, "agresti")


@pytest.mark.parametrize("rng", [1.5, "seed", -1, np.random.RandomState(0)])
def test_bad_rng(rng):
    with pytest.raises(TypeError, match="`rng` must be None, a whole number or a numpy.random.Generator"): split_validation(Y, S, rng=rng)
    with pytest.raises(TypeError, match="`rng` must be"): exact_cost(Y, S, W, 2.5).rvs(3, rng=rng)


@pytest.mark.parametrize("y", [[1, 0, 0], [1, 1, 0]])
def test_a_class_of_one_cannot_be_split(y):
    for call in (lambda: split_validation(y, [1, 2, 3]), lambda: validated_cost(y, [1, 2, 3]), lambda: validated_cost_difference(y, [1, 2, 3], [1, 2, 3])):
        with pytest.raises(ValueError, match="at least two instances of each class"): call()


# --- unusual but legal input ---------------------------------------------------------------------------------------------------

def read_only(values):
    array = np.array(values)
    array.flags.writeable = False
    return array


LEGAL = {
    "lists": (Y.tolist(), S.tolist()),
    "whole-number scores": (Y, S.astype(int)),
    "small types": (Y.astype(np.int8), S.astype(np.float32)),
    "read-only": (read_only(Y), read_only(S)),
    "not contiguous": (np.repeat(Y, 2)[::2], np.repeat(S, 2)[::2]),
    "masked arrays without masked entries": (np.ma.array(Y), np.ma.array(S, mask=np.zeros(7))),
    "pandas, shuffled indexes, by position": (pd.Series(Y, index=[3, 1, 4, 0, 5, 9, 2]), pd.Series(S, index=[6, 5, 4, 3, 2, 1, 0])),
    "objects": (Y.astype(object), S.astype(object)),
}


@pytest.mark.parametrize("case", LEGAL)
@pytest.mark.parametrize("name", CALLS)
def test_legal_input_gives_the_same_answer(name, case):
    call = CALLS[name][0]
    assert_same(call(*LEGAL[case]), call(Y, S))


@pytest.mark.parametrize("name", CALLS)
def test_labels_of_any_kind(name):
    call = CALLS[name][0]
    for labels, pos in ((Y.astype(bool), True), (np.where(Y == 1, "spam", "ham"), "spam"), (np.where(Y == 1, -1, 1), -1)):
        assert_same(call(labels, S, pos_label=pos), call(Y, S))


@pytest.mark.parametrize("name", LAWS)
def test_the_input_is_not_changed_and_the_result_is_read_only(name):
    y, s = Y.copy(), S.copy()
    law = CALLS[name][0](y, s)
    np.testing.assert_array_equal(y, Y)
    np.testing.assert_array_equal(s, S)
    with pytest.raises(ValueError, match="read-only"): law.x[0] = 1
    with pytest.raises(AttributeError): law.x = 1
    s[:] = 0
    assert_same(law, CALLS[name][0](Y, S))


@pytest.mark.parametrize("sampling", SAMPLING)
def test_thresholds_beyond_all_scores_are_legal(sampling):
    above, below = (exact_cost(Y, S, W, t, sampling=sampling) for t in (np.inf, -np.inf))
    if sampling == "stratified":
        np.testing.assert_allclose([above.mean, below.mean], [W, 1 - W], rtol=1e-15)
        for law in (above, below):
            assert (law.var == 0).all()
            np.testing.assert_allclose(law.interval(0.9, "exact"), [law.mean, law.mean], rtol=1e-14)
            low, high = law.interval(0.9, "agresti")
            assert (low < high).all()
    assert_same(exact_cost(Y, S, W, 99.0, sampling=sampling), above)
    alike = exact_cost_difference(Y, S, Z, W, np.inf, 99.0, sampling=sampling)
    assert (alike.mean == 0).all() and (alike.var == 0).all() and (significant_ranges(alike)["verdict"] == "not distinguishable").all()


@pytest.mark.parametrize("sampling", SAMPLING)
def test_the_smallest_test_set(sampling):
    law = exact_cost([1, 0], [2.0, 1.0], [0, 0.5, 1], [1.5, 3, 0], sampling=sampling)
    assert (law.var >= 0).all() and np.isfinite(law.interval(0.9, "agresti")).all() and np.isfinite(law.interval(0.9, "exact")).all()
    difference = independent_difference(law, exact_cost([1, 0], [1.0, 2.0], [0, 0.5, 1], [1.5, 3, 0], sampling=sampling))
    assert np.isfinite(difference.interval(0.9, "exact")).all() and (difference.error == 0).all()


@pytest.mark.parametrize("sampling", SAMPLING)
def test_a_million_instances(sampling):
    y, s = Binormal(1.0).sample(500_000, rng=1)
    law = exact_cost(y, s, [0.01, 0.5], Binormal(1.0).optimal_threshold, sampling=sampling)
    exact, wald = law.interval(0.9, "exact"), law.interval(0.9)
    np.testing.assert_allclose(exact, wald, atol=0.02 * law.std.max())
    assert (law.cdf(exact.low) >= 0.05 - 1e-12).all() and (law.cdf(exact.low - 1e-9) < 0.05).all()


def test_costs_instead_of_w():
    law = exact_cost(Y, S, threshold=2.5, cost_fn=[1, 4], cost_fp=1)
    np.testing.assert_allclose(law.x, [3 / 7, 12 / 16], rtol=1e-14)
    assert_same(law, exact_cost(Y, S, law.x, 2.5))


# --- what must not matter, and what must follow ---------------------------------------------------------------------------------

@st.composite
def scored_sets(draw, scores=1, most=14):
    n = draw(st.integers(2, most))
    y = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda v: 0 < sum(v) < len(v))))
    levels = st.lists(st.integers(0, 6), min_size=n, max_size=n)
    h = draw(st.integers(1, 4))
    w = np.array(draw(st.lists(st.sampled_from([0, 0.1, 0.3, 0.5, 2 / 3, 0.99, 1]), min_size=h, max_size=h)))
    thresholds = [np.array(draw(st.lists(st.sampled_from([-np.inf, -1, 0, 0.5, 2, 3, 3.5, 6, 7, np.inf]), min_size=h, max_size=h))) for _ in range(scores)]
    return y, [np.array(draw(levels), dtype=float) for _ in range(scores)], w, thresholds


def build(case, sampling, **options):
    y, scores, w, thresholds = case
    return (exact_cost if len(scores) == 1 else exact_cost_difference)(y, *scores, w, *thresholds, sampling=sampling, **options)


CASES = st.one_of(scored_sets(1), scored_sets(2))


@settings(max_examples=60, deadline=None)
@given(CASES, st.sampled_from(SAMPLING), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(case, sampling, random):
    y, scores, w, thresholds = case
    order = list(range(y.size))
    random.shuffle(order)
    assert_same(build((y[order], [s[order] for s in scores], w, thresholds), sampling), build(case, sampling))


@settings(max_examples=60, deadline=None)
@given(CASES, st.sampled_from(SAMPLING))
def test_a_doubled_test_set_has_the_same_mean_and_half_the_variance(case, sampling):
    y, scores, w, thresholds = case
    law, doubled = build(case, sampling), build((np.tile(y, 2), [np.tile(s, 2) for s in scores], w, thresholds), sampling)
    np.testing.assert_allclose(doubled.mean, law.mean, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(doubled.var, law.var / 2, rtol=1e-10, atol=1e-15)
    same = build(case, sampling, m=2 * y.size)
    for ours, theirs in zip(same.interval(0.8, "exact"), doubled.interval(0.8, "exact")): np.testing.assert_allclose(ours, theirs, atol=1e-12)


@settings(max_examples=80, deadline=None)
@given(CASES, st.sampled_from(SAMPLING))
def test_swapped_classes_mirror_the_curve(case, sampling):
    "Calling the other class positive and turning the scores round maps w to 1 - w; the border score goes to the other side, so thresholds move past it."
    y, scores, w, thresholds = case
    moved = [np.where(np.isfinite(t), -(t - 0.25), -t) for t in thresholds]  # scores are whole numbers, thresholds multiples of one half
    mirrored = build((1 - y, [-s for s in scores], 1 - w, moved), sampling)
    law = build(case, sampling)
    np.testing.assert_allclose(mirrored.mean, law.mean, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(mirrored.var, law.var, rtol=1e-10, atol=1e-14)
    for ours, theirs in zip(mirrored.interval(0.8, "agresti"), law.interval(0.8, "agresti")): np.testing.assert_allclose(ours, theirs, atol=1e-12)
    q = np.linspace(0.03, 0.97, 9)[:, None]
    np.testing.assert_allclose(mirrored.ppf(q), law.ppf(q), atol=1e-11)


@settings(max_examples=80, deadline=None)
@given(CASES, st.sampled_from(SAMPLING), st.floats(0.001, 0.999))
def test_quantiles_invert_the_distribution_function(case, sampling, q):
    law = build(case, sampling)
    atom = law.ppf(q)
    assert (law.cdf(atom) >= q * (1 - 1e-11)).all()
    assert (law.cdf(atom - 1e-9) < q * (1 + 1e-11)).all()
    for i in range(len(law)): assert np.abs(law.support(i)[0] - atom[i]).min() < 1e-12


@settings(max_examples=80, deadline=None)
@given(CASES, st.sampled_from(SAMPLING))
def test_moments_of_the_atoms_are_the_closed_forms(case, sampling):
    law = build(case, sampling)
    for i in range(len(law)):
        values, probabilities = law.support(i)
        assert (np.diff(values) > 0).all() and (probabilities > 0).all()
        np.testing.assert_allclose([probabilities.sum(), values @ probabilities, (values - law.mean[i]) ** 2 @ probabilities], [1, law.mean[i], law.var[i]], rtol=1e-9, atol=1e-13)
        assert values[0] >= law.limits[0] - 1e-12 and values[-1] <= law.limits[1] + 1e-12


@settings(max_examples=40, deadline=None)
@given(scored_sets(2), st.sampled_from(SAMPLING))
def test_swapped_classifiers_mirror_the_difference(case, sampling):
    y, (s, z), w, (t, u) = case
    forth, back = build((y, [s, z], w, [t, u]), sampling), build((y, [z, s], w, [u, t]), sampling)
    np.testing.assert_allclose([forth.mean, forth.var], [-back.mean, back.var], atol=1e-13)
    single = exact_cost(y, z, w, u, sampling=sampling).mean - exact_cost(y, s, w, t, sampling=sampling).mean
    np.testing.assert_allclose(forth.mean, single, atol=1e-13)


@settings(max_examples=40, deadline=None)
@given(scored_sets(1, most=7), scored_sets(1, most=7), st.sampled_from(SAMPLING), st.integers(0, 10**6))
def test_independent_differences_are_convolutions(case_1, case_2, sampling, seed):
    h = min(len(case_1[2]), len(case_2[2]))
    w = case_1[2][:h]
    first, second = (exact_cost(y, s[0], w, t[0][:h], sampling=sampling) for y, s, _, t in (case_1, case_2))
    law = independent_difference(first, second)
    np.testing.assert_allclose([law.mean, law.var], [first.mean - second.mean, first.var + second.var], rtol=1e-12, atol=1e-16)
    q, v = np.random.default_rng(seed).random((2, 4, 1))
    for i in range(h):
        (a, p), (b, r) = first.support(i), second.support(i)
        every, weight = np.subtract.outer(a, b).ravel(), np.outer(p, r).ravel()
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
            patch.setattr(unpaired, "_LISTED", 3)
            assert law.error[0] == 1e-4 * law.std[0]
            gridded = law.ppf(q)
        assert (abs(gridded - listed) <= 1.0001e-4 * law.std).all() and (gridded != listed).any()


# --- several classifiers ----------------------------------------------------------------------------------------------------------

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
    corrected = _holm(p[:, None])[:, 0]
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


# --- honest thresholds -------------------------------------------------------------------------------------------------------------

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


# --- formulas ------------------------------------------------------------------------------------------------------------------------

LIMIT = 0.2  # seconds


def judged(text, **options):
    "The verdict or the documented error, within the time limit (once more if the machine was busy)."
    for _ in range(3):
        start = time.process_time()
        try: answer = check_formula(text, **options)
        except FormulaError as error: answer = error
        if time.process_time() - start < LIMIT: return answer
    raise AssertionError(f"took longer than {LIMIT} s three times: {text!r}")


@pytest.fixture(autouse=True, scope="module")
def warm():
    "List the resamples once, so that the time limit is about the formula."
    for quantity, of, sampling in _RIGHT: check_formula("w", quantity=quantity, of=of, sampling=sampling)


WORDS = [*_NAMES["difference"], "p", "q", *"+-*/^(),. ", "**", "//", "sqrt(", "max(", "min(", "abs(", "1", "2", "0.5", "1e9", "9**9**", "lambda", "if", "else", "and", "not", "await", "yield", "__class__", "0x", "1_0", "1j", "\t", "\n"]


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.text(max_size=400), st.text(alphabet=string.printable, max_size=320), st.lists(st.sampled_from(WORDS), max_size=80).map("".join)), st.sampled_from(list(_RIGHT)))
def test_no_text_does_harm(text, key):
    quantity, of, sampling = key
    answer = judged(text, quantity=quantity, of=of, sampling=sampling)
    assert isinstance(answer, FormulaError) or isinstance(answer.matches, bool)
    assert str(answer)


@st.composite
def formulas(draw, depth=4):
    if depth == 0 or draw(st.booleans()): return draw(st.one_of(st.sampled_from(_NAMES["cost"]), st.integers(0, 9).map(str), st.floats(0, 9, allow_nan=False).map(repr)))
    kind = draw(st.sampled_from(["+", "-", "*", "/", "neg", "sqrt", "min"]))
    a = draw(formulas(depth=depth - 1))
    if kind == "neg": return f"(-{a})"
    if kind == "sqrt": return f"sqrt({a})"
    b = draw(formulas(depth=depth - 1))
    return f"min({a}, {b})" if kind == "min" else f"({a} {kind} {b})"


@settings(max_examples=150, deadline=None)
@given(formulas(), st.integers(0, 10**6))
def test_the_value_is_that_of_python(text, seed):
    "Harmless formulas, made here, may be given to Python itself for comparison."
    assume(len(text) <= 300)
    values = dict(zip(_NAMES["cost"], np.random.default_rng(seed).random(len(_NAMES["cost"]))))
    try: formula = parse_formula(text)
    except FormulaError as error:
        assert "nested" in str(error)
        return
    ours = formula(**values)
    with np.errstate(all="ignore"):
        try: theirs = eval(text, {"__builtins__": {}, "sqrt": lambda x: np.sqrt(x) if x >= 0 else np.nan, "min": np.minimum}, values)
        except ZeroDivisionError: theirs = np.nan
    if np.isnan(ours): assert not np.isfinite(theirs) or re.search("/|sqrt", text)  # undefined parts stay undefined here, Python may forget them: 1/(1/0) = 0
    else: np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.parametrize("key", _RIGHT)
def test_the_right_formulas_match_and_only_for_their_quantity(key):
    quantity, of, sampling = key
    assert check_formula(_RIGHT[key], quantity=quantity, of=of, sampling=sampling).matches
    other = "mean" if quantity == "variance" else "variance"
    assert not check_formula(_RIGHT[key], quantity=other, of=of, sampling=sampling).matches
    swapped = "full" if sampling == "stratified" else "stratified"
    assert not check_formula(_RIGHT[key], quantity=quantity, of=of, sampling=swapped).matches
    assert not check_formula(f"({_RIGHT[key]})*1.000001", quantity=quantity, of=of, sampling=sampling).matches


def test_the_misprint_of_the_paper_does_not_match():
    printed = check_formula("w**2 * p*(1-p) + (1-w)**2 * q*(1-q)")
    assert not printed and printed.counterexample["n_pos"] + printed.counterexample["n_neg"] > 2
    example = printed.counterexample
    w, p, q, n_pos, n_neg = (example[name] for name in ("w", "p", "q", "n_pos", "n_neg"))
    np.testing.assert_allclose(example["formula"], w**2 * p * (1 - p) + (1 - w) ** 2 * q * (1 - q), rtol=1e-12)
    np.testing.assert_allclose(example["variance"], w**2 * p * (1 - p) / n_pos + (1 - w) ** 2 * q * (1 - q) / n_neg, rtol=1e-12)


@pytest.mark.parametrize(("text", "hint"), [("-(w*(1-p) + (1-w)*q)", "wrong sign"), ("(w*(1-p) + (1-w)*q)*n", "It is n times"), ("(w*(1-p) + (1-w)*q)/n_pos", "It is 1/n_pos times"), ("3*(w*(1-p) + (1-w)*q)", "It is 3 times")])
def test_hints(text, hint): assert hint in check_formula(text, quantity="mean").message


@pytest.mark.parametrize(("text", "message"), [
    ("p(1-p)", "A product needs its \\*"), ("v + w", "must use the names w, p, q"), ("w.real", "an attribute"), ("", "got nothing"), ("   ", "got nothing"), ("w +", "must be a complete formula"),
    ("2 ** 99", "exponents of at most 16"), ("w" * 301, "at most 300 characters; got 301"), ("1j", "ordinary numbers"), ("True", "must hold ordinary numbers"), ("1e300", "ordinary numbers"), ("w // p", "operator //"),
    ("sqrt", "followed by its argument"), ("sqrt(1, 2)", "`sqrt` must have 1 argument; got 2"), ("max(w)", "`max` must have 2 to 8 arguments; got 1"), ("'w'", "must consist of names"), ("w\x00", "must consist of names"),
    ("ｗ", "must consist of names"), ("p1", "must use the names"), ("-" * 60 + "w", "nested at most 40 deep"), ("+".join("w" * 80), "at most 150 parts|nested"),
])
def test_what_is_refused_and_why(text, message):
    with pytest.raises(FormulaError, match=message):
        check_formula(text)
        raise FormulaError("nothing was refused")


@pytest.mark.parametrize("text", [None, 3, b"w", ["w"], np.array("w")])
def test_a_formula_is_a_text(text):
    with pytest.raises(FormulaError, match="`text` must be a string"): check_formula(text)


def test_the_other_arguments_are_checked():
    with pytest.raises(ValueError, match="`quantity` must be one of 'mean', 'variance'; got 'median'"): check_formula("w", quantity="median")
    with pytest.raises(ValueError, match="`of` must be one of 'cost', 'difference'; got 'auc'"): check_formula("w", of="auc")
    with pytest.raises(ValueError, match="`sampling` must be one of 'full', 'stratified'; got 1"): check_formula("w", sampling=1)
    with pytest.raises(TypeError, match="`w` must be given"): parse_formula("w")()


def test_undefined_is_said_kindly():
    answer = check_formula("w / (q - q)", quantity="mean")
    assert not answer.matches and "is not defined" in answer.message


# --- the explorer that takes text --------------------------------------------------------------------------------------------------------------

def test_the_formula_box_takes_what_is_typed():
    widget = explore_formula_checker()
    box = widget.children[0]
    for text in ("w $ \\frac{", "p(1-p)", "w*(1-p) + (1-w)*q", "<script>alert(1)</script>"): box.value = text  # drawn at once; errors would be swallowed
    for text in ("w $ \\frac{", "p(1-p)", "$\\undefined$", "<script>"):
        fig_formula_check(text).savefig(io.BytesIO(), format="png")
