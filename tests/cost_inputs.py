"""What the tests of cost laws and of comparisons share: a small test set, bad options, random test sets."""

import numpy as np
import pytest
from hypothesis import strategies as st
from inputs import legal

Y = np.array([1, 1, 1, 0, 0, 0, 0])
S = np.array([5.0, 4, 2, 4, 3, 1, 1])
Z = np.array([2.0, 5, 3, 1, 4, 1, 2])
W = np.array([0.2, 0.5, 0.9])
SAMPLING = ("stratified", "full")

# options of a law of a cost, error and message
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
    (dict(prevalence=0.3), ValueError, "`prevalence` must be None"),
]


LEGAL = legal(Y, S)


def numbers(result):
    "What a law, or a split, says, as arrays."
    if hasattr(result, "validation"): return [result.validation.index, result.test.index, *result.test.scores]
    return [result.x, result.mean, result.var, *result.interval(0.9, "agresti"), *result.interval(0.9, "exact")]


def assert_same(first, second):
    for a, b in zip(numbers(first), numbers(second), strict=True): np.testing.assert_array_equal(a, b, strict=True)


def assert_legal(call, case):
    "Labels and scores in another form give the same answer."
    assert_same(call(*LEGAL[case]), call(Y, S))


def assert_any_labels(call):
    "So do labels of another kind, with the positive one named."
    for labels, pos in ((Y.astype(bool), True), (np.where(Y == 1, "spam", "ham"), "spam"), (np.where(Y == 1, -1, 1), -1)):
        assert_same(call(labels, S, pos_label=pos), call(Y, S))


def assert_input_kept(call):
    "The input is not changed, the result is read-only and does not follow a later change of the input."
    y, s = Y.copy(), S.copy()
    law = call(y, s)
    np.testing.assert_array_equal(y, Y)
    np.testing.assert_array_equal(s, S)
    with pytest.raises(ValueError, match="read-only"): law.x[0] = 1
    with pytest.raises(AttributeError): law.x = 1
    s[:] = 0
    assert_same(law, call(Y, S))


@st.composite
def scored_sets(draw, scores=1, most=14):
    n = draw(st.integers(2, most))
    y = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda v: 0 < sum(v) < len(v))))
    levels = st.lists(st.integers(0, 6), min_size=n, max_size=n)
    h = draw(st.integers(1, 4))
    w = np.array(draw(st.lists(st.sampled_from([0, 0.1, 0.3, 0.5, 2 / 3, 0.99, 1]), min_size=h, max_size=h)))
    thresholds = [np.array(draw(st.lists(st.sampled_from([-np.inf, -1, 0, 0.5, 2, 3, 3.5, 6, 7, np.inf]), min_size=h, max_size=h))) for _ in range(scores)]
    return y, [np.array(draw(levels), dtype=float) for _ in range(scores)], w, thresholds
