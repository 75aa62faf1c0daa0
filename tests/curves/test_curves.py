"""ROC and cost curves: bad input, unusual but legal input, and oracles on random test sets."""

import re
from fractions import Fraction
from importlib import import_module

import matplotlib
import numpy as np
import pandas as pd
import pytest
from scipy.integrate import trapezoid
from hypothesis import given, settings, strategies as st
from inputs import BAD, legal
from sklearn.metrics import roc_auc_score, roc_curve

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402

from costboot.curves.cost import (
    binormal_thresholds, calibrated_thresholds, cost_curve, cost_lines, explore_cost_construction,
    explore_threshold_choice, operating_condition, optimal_thresholds,
)
from costboot.data.score_models import Binormal  # noqa: E402
from costboot.core.explorer_tool import check_explorer  # noqa: E402
from costboot.curves.roc import (
    _FEW, count_at_least, explore_roc_point, hull_vertices, roc_auc, roc_curve_points, roc_hull,
)  # noqa: E402

Y = np.array([1, 1, 1, 0, 0, 0, 0])
S = np.array([5.0, 4, 2, 4, 3, 1, 1])
CURVES = [roc_curve_points, roc_hull, roc_auc, cost_lines, cost_curve, optimal_thresholds]
RULES = {
    "optimal": lambda: optimal_thresholds(Y, S),
    "binormal": lambda: binormal_thresholds(Binormal(2.0)),
    "unequal scales": lambda: binormal_thresholds(Binormal(2.0, 4.0, 2.0)),
    "calibrated": lambda: calibrated_thresholds(0.2),
}


def numbers(result):
    "Everything a result holds, as a list of arrays."
    if isinstance(result, float): return [np.array(result)]
    names = ("threshold", "fpr", "tpr", "fnr", "w", "value", "breakpoint", "level")
    return [np.asarray(getattr(result, name)) for name in names if isinstance(getattr(result, name, None), np.ndarray)]


def assert_same(first, second):
    for a, b in zip(numbers(first), numbers(second), strict=True): np.testing.assert_array_equal(a, b, strict=True)


pytestmark = pytest.mark.usefixtures("close_figures")


# --- bad labels and scores ---------------------------------------------------------------------------------------------

@pytest.mark.parametrize("function", CURVES)
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_by_name(function, case):
    y, s, error, message = BAD[case]
    names = dict(y="y_val", score="score_val") if function is optimal_thresholds else dict(y="y_true", score="y_score")
    with pytest.raises(error, match=re.escape(message.format(**names))): function(y, s)


# --- unusual but legal input ----------------------------------------------------------------------------------------------

LEGAL = legal(Y, S) | {"another order": (Y[::-1], S[::-1]), "pandas, another order": (pd.Series(Y[::-1], index=range(7)), pd.Series(S[::-1], index=list("abcdefg")))}


@pytest.mark.parametrize("function", CURVES)
@pytest.mark.parametrize("case", LEGAL)
def test_legal_input_gives_the_same_answer(function, case):
    assert_same(function(*LEGAL[case]), function(Y, S))


@pytest.mark.parametrize("function", CURVES)
def test_labels_of_any_kind(function):
    expected = function(Y, S)
    assert_same(function(Y.astype(bool), S, pos_label=True), expected)
    assert_same(function(np.where(Y == 1, "spam", "ham"), S, pos_label="spam"), expected)
    assert_same(function(np.where(Y == 1, -1, 1), S, pos_label=-1), expected)


@pytest.mark.parametrize("function", CURVES)
def test_the_input_is_not_changed_and_the_result_is_read_only(function):
    y, s = Y.copy(), S.copy()
    result = function(y, s)
    np.testing.assert_array_equal(y, Y)
    np.testing.assert_array_equal(s, S)
    if isinstance(result, float): return
    for array in numbers(result):
        with pytest.raises(ValueError, match="read-only"): array[0] = 1
    s[:] = 0
    assert_same(result, function(Y, S))


def test_the_smallest_test_set():
    assert roc_auc([1, 0], [2, 1]) == 1 and roc_auc([1, 0], [1, 2]) == 0 and roc_auc([1, 0], [1, 1]) == 0.5
    perfect, useless = cost_curve([1, 0], [2, 1]), cost_curve([1, 0], [1, 2])
    assert perfect.area == 0 and perfect.cost(0.3) == 0 and perfect.threshold(0.3) == 1.5
    np.testing.assert_allclose([useless.area, useless.cost(0.3), useless.cost(0.9)], [0.25, 0.3, 0.1], rtol=1e-15)
    assert useless.threshold(0.3) == np.inf and useless.threshold(0.7) == -np.inf


def test_huge_and_tiny_scores_do_not_overflow():
    y, s = [1, 0, 1, 0], [1.7e308, -1.7e308, 5e-324, 0.0]
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        assert len(roc_curve_points(y, s)) == 5 and roc_auc(y, s) == 1
        rule = optimal_thresholds(y, s)
    assert rule(0.5) == 5e-324


def test_a_million_instances():
    y, s = Binormal(1.0).sample(500_000, rng=1)
    curve = cost_curve(y, s)
    w = np.linspace(0, 1, 33)
    lines = cost_lines(y, s, curve.threshold(w))
    np.testing.assert_allclose(np.diagonal(lines.cost(w)), curve.cost(w), rtol=1e-12, atol=1e-15)
    assert abs(roc_auc(y, s) - roc_auc_score(y, s)) < 1e-12


# --- counting ---------------------------------------------------------------------------------------------------------------

@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=30), st.lists(st.sampled_from([-np.inf, -9.0, -1.5, -1.0, -0.0, 0.0, 2.0, 2.5, 9.0, np.inf]), min_size=1, max_size=40))
def test_counting(scores, threshold):
    expected = [sum(s >= t for s in scores) for t in threshold]
    np.testing.assert_array_equal(count_at_least(scores, threshold), np.array(expected, dtype=np.int64), strict=True)


@pytest.mark.parametrize("h", [1, _FEW, _FEW + 1, 200])
def test_counting_beyond_all_scores_and_out_of_order(h):
    t = np.resize([np.inf, -np.inf, 100.0, -100.0, 4.0], h)
    np.testing.assert_array_equal(count_at_least(S, t), np.resize([0, 7, 0, 7, 3], h))


@pytest.mark.parametrize(("scores", "threshold", "error", "message"), [
    ([1.0, np.nan], 0.5, ValueError, "`scores` must be finite"),
    ([1.0, np.inf], 0.5, ValueError, "`scores` must be finite"),
    ([], 0.5, ValueError, "`scores` must have at least one entry"),
    (["a"], 0.5, TypeError, "`scores` must hold numbers"),
    (np.ma.array([1.0, 2.0], mask=[1, 0]), 0.5, ValueError, "`scores` must not have masked entries"),
    ([[1.0, 2.0]], 0.5, ValueError, "`scores` must be one-dimensional"),
    ([1.0], np.nan, ValueError, "`threshold` must not hold NaN"),
    ([1.0], [], ValueError, "`threshold` must have at least one entry"),
    ([1.0], "high", TypeError, "`threshold` must hold numbers"),
    ([1.0], [[0.5]], ValueError, "`threshold` must be one-dimensional"),
])
def test_counting_refuses(scores, threshold, error, message):
    with pytest.raises(error, match=message): count_at_least(scores, threshold)


# --- ROC ------------------------------------------------------------------------------------------------------------------------

@st.composite
def test_sets(draw):
    n = draw(st.integers(2, 25))
    y = draw(st.lists(st.booleans(), min_size=n, max_size=n).filter(lambda v: 0 < sum(v) < len(v)))
    s = draw(st.lists(st.integers(0, draw(st.integers(0, 12))), min_size=n, max_size=n))
    return np.array(y, dtype=int), np.array(s, dtype=float)


test_sets.__test__ = False


@settings(max_examples=150, deadline=None)
@given(test_sets())
def test_points_and_area_against_scikit_learn(data):
    y, s = data
    curve = roc_curve_points(y, s)
    fpr, tpr, threshold = roc_curve(y, s, drop_intermediate=False)
    for ours, theirs in ((curve.fpr, fpr), (curve.tpr, tpr), (curve.threshold, threshold)): np.testing.assert_allclose(ours, theirs, rtol=1e-15)
    assert roc_auc(y, s) == curve.auc == pytest.approx(roc_auc_score(y, s), rel=1e-13, abs=1e-15)


@settings(max_examples=150, deadline=None)
@given(test_sets())
def test_the_hull_is_above_the_curve_strictly_concave_and_made_of_its_points(data):
    y, s = data
    curve, hull = roc_curve_points(y, s), roc_hull(y, s)
    points = set(zip(curve.threshold, curve.count_neg, curve.count_pos))
    vertices = list(zip(hull.threshold, hull.count_neg, hull.count_pos))
    assert set(vertices) <= points and vertices[0][1:] == (0, 0) and vertices[-1][1:] == (hull.n_neg, hull.n_pos)
    turns = np.diff(hull.count_neg)[:-1] * np.diff(hull.count_pos)[1:] - np.diff(hull.count_pos)[:-1] * np.diff(hull.count_neg)[1:]
    assert (turns < 0).all()
    for dx, dy, x0, y0 in zip(np.diff(hull.count_neg), np.diff(hull.count_pos), hull.count_neg, hull.count_pos):
        assert (dx * (curve.count_pos - y0) - dy * (curve.count_neg - x0) <= 0).all()
    assert hull.auc >= curve.auc


@pytest.mark.parametrize("n", [200, 5000])
def test_thinning_and_scan_agree(n):
    rng = np.random.default_rng(n)
    for share in (0.02, 0.5, 0.9):
        label = rng.random(n) < share
        x, y = np.concatenate(([0], np.cumsum(~label))), np.concatenate(([0], np.cumsum(label)))
        stack = []
        for i in range(n + 1):
            while len(stack) > 1 and (x[stack[-1]] - x[stack[-2]]) * (y[i] - y[stack[-1]]) >= (y[stack[-1]] - y[stack[-2]]) * (x[i] - x[stack[-1]]): stack.pop()
            stack.append(i)
        np.testing.assert_array_equal(hull_vertices(x, y), stack)


# --- costs ------------------------------------------------------------------------------------------------------------------

def cost_in_fractions(y, s, t, w):
    pos, neg = [b for a, b in zip(y, s) if a == 1], [b for a, b in zip(y, s) if a != 1]
    return w * Fraction(sum(1 for b in pos if b < t), len(pos)) + (1 - w) * Fraction(sum(1 for b in neg if b >= t), len(neg))


@settings(max_examples=100, deadline=None)
@given(test_sets(), st.lists(st.integers(0, 64), min_size=1, max_size=8))
def test_thresholds_are_the_highest_of_the_best(data, sixtyfourths):
    y, s = data
    rule, candidates = optimal_thresholds(y, s), [np.inf, *np.unique(s)[::-1], -np.inf]
    for k in sixtyfourths:
        w, t = Fraction(k, 64), rule(k / 64)
        costs = [cost_in_fractions(y, s, c, w) for c in candidates]
        assert cost_in_fractions(y, s, t, w) == min(costs)
        if k < 64: assert count_at_least(s, t)[0] == count_at_least(s, candidates[costs.index(min(costs))])[0]
        else: assert t == -np.inf
        if k == 0: assert t == np.inf


@settings(max_examples=100, deadline=None)
@given(test_sets())
def test_the_envelope_is_the_lowest_line_and_its_threshold_attains_it(data):
    y, s = data
    curve, w = cost_curve(y, s), np.linspace(0, 1, 65)
    lowest = cost_lines(y, s).cost(w).min(0)
    np.testing.assert_allclose(curve.cost(w), lowest, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(np.diagonal(cost_lines(y, s, curve.threshold(w)).cost(w)), lowest, rtol=1e-13, atol=1e-15)
    assert 0 <= curve.area <= 0.25 and curve.w[0] == 0 and curve.w[-1] == 1 and (np.diff(curve.w) > 0).all()
    fine = np.unique(np.concatenate((curve.w, np.linspace(0, 1, 2001))))
    np.testing.assert_allclose(curve.area, trapezoid(curve.cost(fine), fine), rtol=1e-12, atol=1e-15)


def test_numbers_in_numbers_out():
    curve = cost_curve(Y, S)
    assert isinstance(curve.cost(0.5), float) and isinstance(curve.threshold(0.5), float) and isinstance(curve.area, float)
    assert curve.cost([0.5]).shape == (1,) and curve.cost(pd.Series([0.1, 0.2], index=[5, 3])).shape == (2,)


@pytest.mark.parametrize("name", RULES)
def test_rules_share_their_manners(name):
    rule, w = RULES[name](), np.linspace(0, 1, 101)
    t = rule(w)
    assert t.shape == w.shape and not np.isnan(t).any() and (t[1:] <= t[:-1]).all()
    assert isinstance(rule(0.3), float) and rule(0.3) == rule([0.3])[0] == rule(np.float64(0.3))
    np.testing.assert_array_equal(rule(pd.Series(w, index=w[::-1])), t)
    ends = (1.0, 0.0) if name == "calibrated" else (np.inf, -np.inf)
    assert (rule(0), rule(1)) == ends
    assert repr(rule).startswith(("optimal_thresholds(", "binormal_thresholds(", "calibrated_thresholds("))


BAD_W = {
    "above 1": (1.2, ValueError, r"`w` must lie in \[0, 1\]; got 1.2"),
    "below 0": ([0.5, -0.1], ValueError, r"`w` must lie in \[0, 1\]; got -0.1"),
    "NaN": (np.nan, ValueError, "`w` must be finite"),
    "empty": ([], ValueError, "`w` must have at least one entry"),
    "text": ("half", TypeError, "`w` must hold numbers"),
    "matrix": ([[0.5]], ValueError, "`w` must be one-dimensional"),
    "masked": (np.ma.array([0.1, 0.2], mask=[0, 1]), ValueError, "`w` must not have masked entries"),
}


@pytest.mark.parametrize("case", BAD_W)
@pytest.mark.parametrize("call", [*RULES, "envelope", "envelope threshold", "lines"])
def test_bad_operating_conditions_are_refused(call, case):
    function = {"envelope": lambda w: cost_curve(Y, S).cost(w), "envelope threshold": lambda w: cost_curve(Y, S).threshold(w),
                "lines": lambda w: cost_lines(Y, S).cost(w)}.get(call) or RULES[call]()
    w, error, message = BAD_W[case]
    with pytest.raises(error, match=message): function(w)


def test_lines_at_thresholds_beyond_all_scores():
    lines = cost_lines(Y, S, [np.inf, 99, -99, -np.inf])
    np.testing.assert_array_equal(lines.fpr, [0, 0, 1, 1])
    np.testing.assert_array_equal(lines.fnr, [1, 1, 0, 0])
    assert cost_lines(Y, S, 4.0).cost(0.5).shape == (1, 1)


@pytest.mark.parametrize(("threshold", "error", "message"), [
    (np.nan, ValueError, "`threshold` must not hold NaN"),
    ([], ValueError, "`threshold` must have at least one entry"),
    ("high", TypeError, "`threshold` must hold numbers"),
    (lambda w: w, TypeError, "`threshold` must be a number or an array here"),
])
def test_lines_refuse(threshold, error, message):
    with pytest.raises(error, match=message): cost_lines(Y, S, threshold)


@pytest.mark.parametrize(("arguments", "error", "message"), [
    ((1.5, 1, 1), ValueError, r"`prevalence` must lie in \[0, 1\]"),
    ((-0.1, 1, 1), ValueError, r"`prevalence` must lie in \[0, 1\]"),
    ((np.nan, 1, 1), ValueError, "`prevalence` must be finite"),
    ((0.3, -1, 1), ValueError, "`cost_fn` must not be negative; got -1.0"),
    ((0.3, 1, -2), ValueError, "`cost_fp` must not be negative; got -2.0"),
    ((0.3, [1, -3], 1), ValueError, "`cost_fn` must not be negative; got -3.0"),
    ((0.3, np.inf, 1), ValueError, "`cost_fn` must be finite"),
    ((0.3, 1, np.nan), ValueError, "`cost_fp` must be finite"),
    ((0.3, "much", 1), TypeError, "`cost_fn` must hold numbers"),
    ((0.3, 0, 0), ValueError, "must not both be 0"),
    ((1, 0, 1), ValueError, "`prevalence` must leave some error"),
    ((0, 1, 0), ValueError, "`prevalence` must leave some error"),
    (([0.1, 0.2], [1, 2, 3], 1), ValueError, "equally long"),
    (([], 1, 1), ValueError, "`prevalence` must have at least one entry"),
])
def test_operating_condition_refuses(arguments, error, message):
    with pytest.raises(error, match=message): operating_condition(*arguments)


@given(st.fractions(0, 1), st.fractions(Fraction(1, 1000), 1000), st.fractions(Fraction(1, 1000), 1000))
def test_operating_condition_in_fractions(p, cost_fn, cost_fp):
    expected = p * cost_fn / (p * cost_fn + (1 - p) * cost_fp)
    assert operating_condition(float(p), float(cost_fn), float(cost_fp)) == pytest.approx(float(expected), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("prevalence", "error"), [(0, ValueError), (1, ValueError), (20, ValueError), (np.nan, ValueError), ("0.2", TypeError), ([0.2], TypeError)])
def test_calibrated_thresholds_refuse(prevalence, error):
    with pytest.raises(error, match="`prevalence` must be a number strictly between 0 and 1"): calibrated_thresholds(prevalence)


@pytest.mark.parametrize("model", [None, "normal", (3.0, 3.0), Binormal])
def test_binormal_thresholds_want_a_model(model):
    with pytest.raises(TypeError, match="`model` must be a costboot.Binormal"): binormal_thresholds(model)


# --- pictures and tables --------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("function", [roc_curve_points, roc_hull, cost_lines, cost_curve])
def test_pictures_tables_and_text(function):
    result = function(Y, S)
    ax = plt.figure().add_subplot()
    assert result.plot(ax) is ax and result.plot(ax) is ax
    assert [line.get_gid() for line in ax.lines].count("chance") == 1
    assert "," in ax.get_xlabel() and "," in ax.get_ylabel()
    assert result.plot() is not ax
    assert "\n" not in repr(result) and repr(result) in result._repr_html_().replace("&lt;", "<")
    assert len(result.to_frame()) in (len(result.fpr),)


def test_plot_draws_the_stored_numbers():
    curve = cost_curve(Y, S)
    line = curve.plot(color="black", label="here").lines[-1]
    np.testing.assert_array_equal(line.get_xydata(), np.column_stack([curve.w, curve.value]))
    ax = cost_lines(Y, S).plot()
    assert len(ax.lines) == 1 + 6 and ax.get_ylim()[0] == 0 and ax.get_ylim()[1] >= 1


@pytest.mark.parametrize("explorer", [explore_roc_point, explore_cost_construction, explore_threshold_choice])
def test_explorers_start_and_keep_their_axes(explorer):
    w, figure = explorer(), getattr(import_module(explorer.__module__), explorer.__name__.replace("explore", "fig"))
    assert w.result is not None
    def limits(): return [(ax.get_xlim(), ax.get_ylim()) for ax in figure(**w.kwargs).axes]
    first = limits()
    for control in w.children[:-1]:
        if hasattr(control, "max"): control.value = control.max
    assert limits() == first


def test_an_explorer_of_this_page_passes_its_check(): assert check_explorer(explore_roc_point()) == 10
