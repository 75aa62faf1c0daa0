"""Rules that users fall over: which label is positive, columns of probabilities, the order of an index, sizes that are not whole, kinds of scores."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import costboot as cb
from costboot.core import checks
from costboot.core.checks import check_labels, check_order, check_resample_size, check_scores, is_number

S = np.array([0.9, 0.1, 0.6, 0.55, 0.3, 0.2])
Y = np.array([1, 0, 1, 0, 1, 0])

# every way from labels and scores into the package: a function of labels, scores and options
ROUTES = {
    "exact_cost": lambda y, s, **o: cb.exact_cost(y, s, [0.5], 0.5, **o),
    "exact_cost full": lambda y, s, **o: cb.exact_cost(y, s, [0.5], 0.5, sampling="full", **o),
    "exact_cost_difference": lambda y, s, **o: cb.exact_cost_difference(y, s, s, [0.5], 0.5, 0.4, **o),
    "exact_expense": lambda y, s, **o: cb.exact_expense(y, s, 0.5, prevalence=0.1, cost_fn=2, cost_fp=1, **o),
    "exact_roc": lambda y, s, **o: cb.exact_roc(y, s, [0.5], **o),
    "exact_roc_difference": lambda y, s, **o: cb.exact_roc_difference(y, s, s, [0.5], [0.4], **o),
    "exact_tpr": lambda y, s, **o: cb.exact_tpr(y, s, [1 / 3], **o),
    "exact_tpr_difference": lambda y, s, **o: cb.exact_tpr_difference(y, s, s, [1 / 3], **o),
    "exact_auc": cb.exact_auc,
    "exact_auc_difference": lambda y, s, **o: cb.exact_auc_difference(y, s, s, **o),
    "exact_rates_at_budget": lambda y, s, **o: cb.exact_rates_at_budget(y, s, [0.5], **o),
    "kernel_tpr": lambda y, s, **o: cb.kernel_tpr(y, s, [0.5], **o),
    "enumerate_law": lambda y, s, **o: cb.enumerate_law(lambda a, b: b.mean(), y, s, **o),
    "roc_curve_points": cb.roc_curve_points,
    "roc_hull": cb.roc_hull,
    "roc_auc": cb.roc_auc,
    "cost_lines": cb.cost_lines,
    "cost_lines at thresholds": lambda y, s, **o: cb.cost_lines(y, s, [0.5], **o),
    "cost_curve": cb.cost_curve,
    "optimal_thresholds": cb.optimal_thresholds,
    "compare_costs": lambda y, s, **o: cb.compare_costs(y, {"a": s, "b": s}, {"a": 0.5, "b": 0.4}, [0.5], **o),
    "compare": lambda y, s, **o: cb.compare(y, {"a": s, "b": s}, {"a": 0.5, "b": 0.4}, w=[0.5], **o),
    "split_validation": lambda y, s, **o: cb.split_validation(y, s, rng=1, **o),
    "cross_fit": lambda y, s, **o: cb.cross_fit(y, s, splits=2, **o),
    "RocBandDisplay": lambda y, s, **o: cb.RocBandDisplay.from_predictions(y, s, plot=False, **o),
    "population": lambda y, s, **o: cb.coverages.Population(y, s, **o),
}


# --- which label is positive ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("labels", [(1, 2), (2, 1), (1, -1), (-1, 1), (1.0, 0.5), ("1", "0"), (True, 2), (1, "no")])
def test_the_positive_label_is_never_guessed(route, labels):
    y = np.array([labels[1 - k] for k in Y], dtype=object if len({type(v) for v in labels}) > 1 else None)
    with pytest.raises(ValueError, match="`pos_label` must say which label is the positive one"): ROUTES[route](y, S)
    ROUTES[route](y, S, pos_label=labels[0])


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("kind", [int, float, bool, np.uint8, object])
def test_labels_0_and_1_need_no_name(route, kind): ROUTES[route](Y.astype(kind), S)


def test_an_explicit_1_is_taken_at_its_word():
    np.testing.assert_array_equal(check_labels([1, 2, 2, 1], 1), [True, False, False, True])
    np.testing.assert_array_equal(check_labels([1, -1, -1, 1], 1), [True, False, False, True])
    np.testing.assert_array_equal(check_labels([1, 0, 0, 1], 0), [False, True, True, False])


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
def test_missing_labels(missing):
    with pytest.raises(ValueError, match="must not hold NaN or missing labels"): check_labels(np.array([1, 0, missing], dtype=object))
    with pytest.raises(ValueError, match="must not hold NaN"): check_labels(np.array(["a", "b", missing], dtype=object), "a")


def test_folds_and_rules_do_not_guess(rng=0):
    from sklearn.linear_model import LogisticRegression
    X, y = cb.Highleyman().sample(20, rng=1)
    model, coded = LogisticRegression(), np.where(y == 1, 2, 1)
    with pytest.raises(ValueError, match="`pos_label` must say"): cb.average_operating_points(model, X, coded, cv=2, rng=rng)
    with pytest.raises(ValueError, match="`pos_label` must say"): cb.assess(model, X, coded, metric="auc", n_resamples=3, cv=None, rng=rng, progress=False)
    with pytest.raises(ValueError, match="`pos_label` must say"): cb.RocBandDisplay.from_estimator(LogisticRegression().fit(X, coded), X, coded, plot=False)
    with pytest.raises(ValueError, match="`pos_label`"): cb.read_scores({"y": np.where(Y == 1, 1, -1), "s": S}, "y", "s")
    plain, named = (cb.assess(model, X, labels, metric="auc", n_resamples=3, cv=None, pos_label=label, rng=rng, progress=False) for labels, label in ((y, None), (coded, 2)))
    assert plain.estimate["apparent"] == named.estimate["apparent"]
    cb.assess(model, X, coded, n_resamples=3, cv=None, rng=rng, progress=False)  # an error rate has no positive class


@pytest.mark.parametrize("labels", [[1, 2, 2, 1], [-1, 1, 1, -1]])
def test_tables_in_pieces_do_not_guess(labels):
    table = pd.DataFrame({"y": labels, "s": [0.1, 0.4, 0.2, 0.8]})
    for size in (1, 2, 4):
        with pytest.raises(ValueError, match="`pos_label` must say"): cb.counts_from(table, "y", "s", 0.3, batch_size=size)
    assert cb.counts_from(table, "y", "s", 0.3, pos_label=1).n_pos == 2


# --- shapes and order -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("route", ROUTES)
def test_probabilities_of_both_classes(route):
    both = np.column_stack([1 - S, S])
    with pytest.raises(ValueError, match=r"\[:, 1\]"): ROUTES[route](Y, both)
    with pytest.raises(ValueError, match=r"\.iloc\[:, 1\]"): ROUTES[route](Y, pd.DataFrame(both))
    ROUTES[route](Y, both[:, [1]])
    ROUTES[route](Y, pd.DataFrame(both[:, [1]]))


def test_one_column_is_the_column():
    np.testing.assert_array_equal(check_scores(S[:, None], 6), S)
    np.testing.assert_array_equal(check_scores(np.ma.array(S[:, None]), 6), S)
    with pytest.raises(ValueError, match="masked"): check_scores(np.ma.array(S[:, None], mask=np.eye(6)[:, :1]), 6)
    for wrong in (S[None], np.ones((6, 3)), np.ones((6, 1, 1))):
        with pytest.raises(ValueError, match="one-dimensional"): check_scores(wrong, 6)


@pytest.mark.parametrize("route", ROUTES)
def test_the_same_index_in_another_order(route):
    y, s = pd.Series(Y, index=list("abcdef")), pd.Series(S, index=list("abcdef"))
    ROUTES[route](y, s)
    ROUTES[route](y, s.to_numpy())
    ROUTES[route](y, s.reset_index(drop=True))  # other labels: by position
    with pytest.raises(ValueError, match="in another order"): ROUTES[route](y, s.sort_values())
    with pytest.raises(ValueError, match="in another order"): ROUTES[route](y, pd.DataFrame({"s": s}).sort_values("s"))


def test_two_models_must_agree_even_where_the_labels_have_no_index():
    s = pd.Series(S, index=list("abcdef"))
    with pytest.raises(ValueError, match="`y_score_2` must have its index in the order of `y_score_1`"): cb.exact_auc_difference(Y, s, s.sort_values())
    with pytest.raises(ValueError, match=r"`scores\['b'\]`"): cb.compare_costs(Y, {"a": s, "b": s.sort_values()}, {"a": 0.5, "b": 0.5}, [0.5])
    with pytest.raises(ValueError, match=r"`scores\['b'\]`"): cb.compare(Y, {"a": s, "b": s.sort_values()}, {"a": 0.5, "b": 0.5}, w=[0.5])


def test_cases_and_labels_of_rules_and_folds():
    from sklearn.linear_model import LogisticRegression
    X, y = cb.Highleyman().sample(20, rng=1)
    X, y = pd.DataFrame(X), pd.Series(y)
    shuffled = y.sample(frac=1, random_state=1)
    for call in (lambda X, y: cb.assess(LogisticRegression(), X, y, n_resamples=2, cv=None, progress=False, rng=1),
                 lambda X, y: cb.average_operating_points(LogisticRegression(), X, y, cv=2, rng=1),
                 lambda X, y: cb.search_weights(y, np.exp(X), n_weights=5, n_keep=2, rng=1)):
        with pytest.raises(ValueError, match="in another order"): call(X, shuffled)
        call(X, y)


@pytest.mark.parametrize("index", [[0, 1, 2], [5, 5, 7], ["a", 1, None], [(1, 2), (1, 3), (2, 1)]])
def test_any_index_will_do(index):
    a = pd.Series([1, 2, 3], index=pd.Index(index, tupleize_cols=False))
    check_order({"a": a, "b": a.copy(), "c": [1, 2, 3], "d": (1, 2, 3)})
    with pytest.raises(ValueError, match="`b` must have its index in the order of `a`"): check_order({"a": a, "c": 1, "b": a.iloc[::-1]})


# --- class sizes ------------------------------------------------------------------------------------------------------
@given(st.integers(1, 60), st.integers(1, 60), st.integers(2, 400))
def test_rounded_class_sizes(n_pos, n_neg, m):
    m_pos, m_neg = check_resample_size(m, n_pos, n_neg, "nearest")
    wanted = Fraction(m * n_pos, n_pos + n_neg)
    assert m_pos + m_neg == m and m_pos >= 1 and m_neg >= 1
    if 1 <= wanted <= m - 1: assert -Fraction(1, 2) < m_pos - wanted <= Fraction(1, 2)  # a half goes up
    else: assert m_pos == (1 if wanted < 1 else m - 1)
    if wanted.denominator == 1: assert check_resample_size(m, n_pos, n_neg) == (m_pos, m_neg)
    else:
        with pytest.raises(ValueError, match="m_rounding"): check_resample_size(m, n_pos, n_neg)


def test_rounding_is_asked_for_by_name():
    with pytest.raises(ValueError, match="`m_rounding` must be one of 'error', 'nearest'; got 'up'"): check_resample_size(None, 3, 4, "up")
    with pytest.raises(ValueError, match="at least 2"): check_resample_size(1, 3, 4, "nearest")


# --- calibrated thresholds --------------------------------------------------------------------------------------------
RULE = cb.calibrated_thresholds(0.3)
MEETINGS = {
    "exact_cost": lambda y, s: cb.exact_cost(y, s, [0.5], RULE),
    "exact_cost_difference": lambda y, s: cb.exact_cost_difference(y, S, s, [0.5], 0.5, RULE),
    "exact_cost_difference, first": lambda y, s: cb.exact_cost_difference(y, s, S, [0.5], RULE, 0.5),
    "compare_costs": lambda y, s: cb.compare_costs(y, {"a": S, "b": s}, {"a": 0.5, "b": RULE}, [0.5]),
    "compare": lambda y, s: cb.compare(y, {"a": S, "b": s}, {"a": 0.5, "b": RULE}, w=[0.5]),
    "one model": lambda y, s: cb.compare(y, {"b": s}, {"b": RULE}, w=[0.5]),
    "counts_from": lambda y, s: cb.counts_from(pd.DataFrame({"y": y, "s": s}), "y", "s", RULE, w=[0.5], batch_size=2),
    "counts_from, two models": lambda y, s: cb.counts_from(pd.DataFrame({"y": y, "s": S, "t": s}), "y", "s", 0.5, y_score_2="t", threshold_2=RULE, w=[0.5]),
    "population": lambda y, s: cb.coverages.Population(y, s).cost([0.5], RULE),
    "exact_coverage": lambda y, s: cb.exact_coverage(cb.coverages.Population(y, s), 5, w=[0.5], threshold=RULE),
}


@pytest.mark.parametrize("name", MEETINGS)
def test_calibrated_thresholds_refuse_other_scores(name):
    MEETINGS[name](Y, S)
    for place in (0, 1):  # a positive and a negative
        for value in (-0.01, 1.01):
            s = S.copy()
            s[place] = value
            with pytest.raises(ValueError, match=rf"`calibrated_thresholds` where scores are no probabilities.*{value}"): MEETINGS[name](Y, s)


def test_a_model_of_normal_scores_has_no_probabilities():
    for call in (lambda: cb.Binormal().cost([0.5], RULE), lambda: cb.exact_coverage(cb.Binormal(), 5, w=[0.5], threshold=RULE)):
        with pytest.raises(ValueError, match="calibrated_thresholds"): call()


def test_other_rules_meet_any_score(): cb.exact_cost(Y, 10 * S - 5, [0.5], lambda w: 1 - w)


# --- one number -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("value", [2, -0.5, Fraction(1, 3), np.int8(2), np.float32(2), np.float64("nan"), np.array(2), np.array(0.5), float("inf")])
def test_numbers(value): assert is_number(value) and checks.check_number(value, "x") == pytest.approx(float(value), nan_ok=True)


@pytest.mark.parametrize("value", [True, np.False_, np.array(True), "2", np.array("2"), None, 1j, [1], (1,), np.array([1.0]), pd.Series([1.0]), {}, np.array(None)])
def test_no_numbers(value):
    assert not is_number(value)
    with pytest.raises(TypeError, match="`x`"): checks.check_number(value, "x")
