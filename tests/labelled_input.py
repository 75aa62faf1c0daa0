"""Labels and scores that more than one room must refuse, or must understand."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st

Y = np.array([1, 1, 1, 0, 0, 0, 0])
S = np.array([5.0, 4, 2, 4, 3, 1, 1])
Z = np.array([2.0, 5, 3, 1, 4, 1, 2])
W = np.array([0.2, 0.5, 0.9])
SAMPLING = ("stratified", "full")

# labels, scores, error, and its message with {score} for the name of the scores
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


def numbers(result):
    "What a law, or a split, says, as arrays."
    if hasattr(result, "validation"): return [result.validation.index, result.test.index, *result.test.scores]
    return [result.x, result.mean, result.var, *result.interval(0.9, "agresti"), *result.interval(0.9, "exact")]


def assert_same(first, second):
    for a, b in zip(numbers(first), numbers(second), strict=True): np.testing.assert_array_equal(a, b, strict=True)


@st.composite
def scored_sets(draw, scores=1, most=14):
    n = draw(st.integers(2, most))
    y = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda v: 0 < sum(v) < len(v))))
    levels = st.lists(st.integers(0, 6), min_size=n, max_size=n)
    h = draw(st.integers(1, 4))
    w = np.array(draw(st.lists(st.sampled_from([0, 0.1, 0.3, 0.5, 2 / 3, 0.99, 1]), min_size=h, max_size=h)))
    thresholds = [np.array(draw(st.lists(st.sampled_from([-np.inf, -1, 0, 0.5, 2, 3, 3.5, 6, 7, np.inf]), min_size=h, max_size=h))) for _ in range(scores)]
    return y, [np.array(draw(levels), dtype=float) for _ in range(scores)], w, thresholds
