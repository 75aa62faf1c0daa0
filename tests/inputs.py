"""Labels and scores that every function must refuse, and unusual ones that every function must understand."""

import numpy as np
import pandas as pd

# name: labels, scores, the error, and what its message says; {y} and {score} stand for the names of the two arguments
BAD = {
    "NaN score": ([1, 0, 1, 0], [0.1, np.nan, 0.3, 0.2], ValueError, "`{score}` must be finite; got nan at position 1"),
    "infinite score": ([1, 0, 1, 0], [0.1, 0.2, np.inf, 0.2], ValueError, "`{score}` must be finite; got inf at position 2"),
    "minus infinite score": ([1, 0], [-np.inf, 0.2], ValueError, "`{score}` must be finite; got -inf"),
    "positives only": ([1, 1, 1], [0.1, 0.2, 0.3], ValueError, "`{y}` must hold both classes"),
    "negatives only": ([0, 0, 0], [0.1, 0.2, 0.3], ValueError, "`{y}` must hold both classes"),
    "short scores": ([1, 0, 1], [0.1, 0.2], ValueError, "`{score}` must have as many entries as `{y}` (3); got 2"),
    "long scores": ([1, 0], [0.1, 0.2, 0.3], ValueError, "`{score}` must have as many entries"),
    "empty": ([], [], ValueError, "`{y}` must have at least one entry"),
    "empty scores": ([1, 0], [], ValueError, "`{score}` must have at least one entry"),
    "three labels": ([0, 1, 2], [0.1, 0.2, 0.3], ValueError, "`{y}` must be binary"),
    "labels without pos_label": (["no", "yes"], [0.1, 0.2], ValueError, "pos_label"),
    "labels 1 and 2": ([1, 2, 2], [0.1, 0.2, 0.3], ValueError, "pos_label"),
    "labels -1 and 1": ([1, -1, -1], [0.1, 0.2, 0.3], ValueError, "pos_label"),
    "NaN label": ([1.0, np.nan, 0.0], [0.1, 0.2, 0.3], ValueError, "`{y}` must not hold NaN"),
    "scores as strings": ([1, 0], ["0.1", "0.2"], TypeError, "`{score}` must hold numbers"),
    "scores as text": ([1, 0], "ab", ValueError, "`{score}` must be an array of scores"),
    "no scores": ([1, 0], None, ValueError, "`{score}` must be an array of scores"),
    "one number": ([1, 0], 0.5, ValueError, "`{score}` must be an array of scores"),
    "masked score": ([1, 0], np.ma.array([0.1, 0.2], mask=[0, 1]), ValueError, "`{score}` must not have masked entries"),
    "masked label": (np.ma.array([1, 0, 1], mask=[0, 0, 1]), [0.1, 0.2, 0.3], ValueError, "`{y}` must not have masked entries"),
    "matrix of scores": ([1, 0], [[0.1, 0.2], [0.3, 0.4]], ValueError, "`{score}` must be one-dimensional"),
    "matrix of labels": ([[1], [0]], [0.1, 0.2], ValueError, "`{y}` must be one-dimensional"),
    "probabilities of both classes": ([1, 0, 1], np.full((3, 2), 0.5), ValueError, "`{score}` must be one-dimensional"),
    "another order of the index": (pd.Series([1, 0, 1], index=list("abc")), pd.Series([0.3, 0.2, 0.1], index=list("cab")), ValueError, "`{score}` must have its index in the order of `{y}`"),
    "missing label": (pd.Series([1, 0, None], dtype=object), [0.1, 0.2, 0.3], ValueError, "`{y}` must not hold NaN"),
    "complex scores": ([1, 0], [0.1 + 1j, 0.2], TypeError, "`{score}` must hold numbers"),
}


def read_only(values):
    "A copy of an array that cannot be changed."
    array = np.array(values)
    array.flags.writeable = False
    return array


def legal(y, s):
    "The same labels (0 and 1) and scores (whole numbers) in every form in which somebody may have them."
    n = len(y)
    return {
        "lists": (y.tolist(), s.tolist()),
        "whole-number scores": (y, s.astype(int)),
        "small types": (y.astype(np.int8), s.astype(np.float32)),
        "truth values": (y.astype(bool), s),
        "read-only": (read_only(y), read_only(s)),
        "not contiguous": (np.repeat(y, 2)[::2], np.repeat(s, 2)[::2]),
        "masked arrays without masked entries": (np.ma.array(y), np.ma.array(s, mask=np.zeros(n))),
        "pandas, one index": (pd.Series(y, index=np.roll(np.arange(n), 3)), pd.Series(s, index=np.roll(np.arange(n), 3))),
        "pandas, other index labels, by position": (pd.Series(y, index=np.arange(n) + 7), pd.Series(s, index=np.arange(n)[::-1])),
        "one column of scores": (y, s[:, None]),
        "tables of one column": (y, pd.DataFrame({"score": s})),
        "objects": (y.astype(object), s.astype(object)),
    }
