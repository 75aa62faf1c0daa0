"""Operating point averaging, the search for weights, and the tests between points, through the public names."""

import inspect
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import confusion_matrix, precision_score
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from costboot.data.score_models import Highleyman
from costboot.data.uci import load_uci
from costboot.folds.operating_points import OperatingPoints, average_operating_points
from costboot.folds.outputs import FoldOutputs, GaussianDetector, expected_cost, fold_outputs
from costboot.folds.weight_search import search_weights

FOLDS = StratifiedKFold(10, shuffle=True, random_state=0)


@pytest.fixture(scope="module")
def highleyman(): return Highleyman().sample(60, rng=1)


@pytest.fixture(scope="module")
def three():
    rng = np.random.default_rng(1)
    y = np.repeat(["a", "b", "c"], 50)
    return rng.normal(size=(150, 3)) + 1.5 * (y[:, None] == ["a", "b", "c"]), y


# --- Algorithm 1 -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("model", [LogisticRegression(), QuadraticDiscriminantAnalysis(), LinearSVC(dual="auto"), RidgeClassifier(), SVC(),
                                   make_pipeline(StandardScaler(), LogisticRegression()), GaussianDetector(), make_pipeline(StandardScaler(), GaussianDetector())])
def test_against_a_loop_over_the_folds(model, highleyman):
    X, y = highleyman
    result = average_operating_points(model, X, y, cv=FOLDS, points=12, measures=("fpr", "tpr", "error"))
    parts = []
    for train, test in FOLDS.split(X, y):
        fitted = model.fit(X[train], y[train])
        soft = fitted.predict_proba(X[test])[:, 1] if hasattr(fitted, "predict_proba") else fitted.decision_function(X[test])
        parts.append((soft, y[test]))
    assert set(result.points) <= set(np.concatenate([soft for soft, _ in parts])) and len(result) == 12
    for i, theta in enumerate(result.points):
        loop = {"fpr": [], "tpr": [], "error": []}
        for f, (soft, truth) in enumerate(parts):
            M = confusion_matrix(truth, soft >= theta)
            np.testing.assert_array_equal(result.confusion[i, f], M)
            loop["fpr"].append(M[0, 1] / M[0].sum()), loop["tpr"].append(M[1, 1] / M[1].sum()), loop["error"].append((M[0, 1] + M[1, 0]) / M.sum())
        for name, values in loop.items():
            np.testing.assert_allclose([result.mean[name][i], result.std[name][i]], [np.mean(values), stats.sem(values)], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), LinearSVC(), make_pipeline(PCA(2), QuadraticDiscriminantAnalysis())])
def test_weights_against_a_loop(model, three):
    X, y = three
    weights = [[1, 1, 1], [0.2, 0.5, 0.3], [5, 1, 0]]
    result = average_operating_points(model, X, y, cv=FOLDS, points=weights)
    method = "predict_proba" if hasattr(model, "predict_proba") else "decision_function"
    soft = cross_val_predict(model, X, y, cv=FOLDS, method=method)
    if method == "decision_function": soft = np.exp(soft)
    assert result.names == ("error_a", "error_b", "error_c") and result.classes == ("a", "b", "c")
    for i, w in enumerate(np.array(weights)):
        decided = np.array(["a", "b", "c"])[np.argmax(w * soft, axis=1)]
        for f, (_, test) in enumerate(FOLDS.split(X, y)):
            M = confusion_matrix(y[test], decided[test], labels=["a", "b", "c"])
            np.testing.assert_array_equal(result.confusion[i, f], M)
            np.testing.assert_allclose([result.per_fold[n][i, f] for n in result.names], 1 - np.diag(M) / M.sum(1), atol=1e-15)
    np.testing.assert_array_equal(result.decide(1, soft), np.array(["a", "b", "c"])[np.argmax(np.array(weights[1]) * soft, axis=1)])


def test_equal_weights_decide_as_the_classifier(three):
    X, y = three
    result = average_operating_points(LinearDiscriminantAnalysis(), X, y, cv=FOLDS, points=[[1, 1, 1]], measures="error")
    np.testing.assert_allclose(result.mean["error"][0], np.mean(cross_val_predict(LinearDiscriminantAnalysis(), X, y, cv=FOLDS) != y), rtol=1e-12)


def test_default_for_many_classes_searches_weights(three):
    result = average_operating_points(LinearDiscriminantAnalysis(), *three, rng=1)
    assert result.points.shape == (30, 3) and result.names == ("error_a", "error_b", "error_c")
    worst = np.max([result.mean[n] for n in result.names], axis=0)
    assert worst.argmin() < 5 and len(np.unique(result.confusion.sum(1).reshape(30, -1), axis=0)) == 30


def test_target_against_the_rest(three):
    X, y = three
    result = average_operating_points(LinearDiscriminantAnalysis(), X, y, cv=FOLDS, points=[0.4], pos_label="b")
    soft = cross_val_predict(LinearDiscriminantAnalysis(), X, y, cv=FOLDS, method="predict_proba")[:, 1]
    np.testing.assert_array_equal(result.confusion[0].sum(0), confusion_matrix(y == "b", soft >= 0.4))
    assert result.classes == ("non-target", "b") and set(result.decide(0, soft)) == {"non-target", "b"}


def test_ready_made_outputs_are_the_same(highleyman):
    X, y = highleyman
    soft = fold_outputs(LogisticRegression(), X, y, rng=3)
    direct = average_operating_points(LogisticRegression(), X, y, rng=3)
    lists = [soft.fold == f for f in range(10)]
    for outputs in (soft, FoldOutputs.from_folds([y[k] for k in lists], [soft.outputs[k] for k in lists]), FoldOutputs(y.tolist(), soft.scores, [f"fold {f}" for f in soft.fold])):
        again = average_operating_points(outputs)
        np.testing.assert_array_equal(again.points, direct.points)
        np.testing.assert_array_equal(again.confusion, direct.confusion)


def test_first_label_may_be_the_target(highleyman):
    X, y = highleyman
    words = np.where(y == 1, "ape", "bee")
    for model in (LinearSVC(), LogisticRegression()):
        usual, renamed = (average_operating_points(model, X, labels, cv=FOLDS, pos_label=target) for labels, target in ((y, 1), (words, "ape")))
        np.testing.assert_array_equal(usual.confusion, renamed.confusion)


def test_labels_that_are_booleans(highleyman):
    X, y = highleyman
    result = average_operating_points(LogisticRegression(), X, y == 1, cv=FOLDS, points=[0.5])
    assert result.classes == (False, True) and result.decide(0, [0.4, 0.6]).tolist() == [False, True]
    with pytest.raises(ValueError, match="must be left out"): average_operating_points(SOFT, y=y)


@pytest.mark.parametrize("convert", [np.asarray, pd.DataFrame, sparse.csr_matrix, np.ndarray.tolist, lambda X: pd.DataFrame(X, index=range(len(X), 0, -1))])
def test_kinds_of_features(convert, highleyman):
    X, y = highleyman
    given_, plain = (average_operating_points(LogisticRegression(), data, y, rng=1) for data in (convert(X), X))
    np.testing.assert_allclose(given_.points, plain.points, rtol=1e-6)


def test_any_number_of_processes(highleyman):
    X, y = highleyman
    one, two = (average_operating_points(RandomForestClassifier(10), X, y, cv=4, rng=5, n_jobs=j) for j in (None, 2))
    np.testing.assert_array_equal(one.points, two.points)
    np.testing.assert_array_equal(one.values, two.values)


def test_the_estimator_is_not_changed(highleyman):
    model = RandomForestClassifier(5)
    average_operating_points(model, *highleyman, cv=3, rng=1)
    assert not hasattr(model, "estimators_") and model.random_state is None


def test_result_is_frozen_and_can_be_pickled(highleyman):
    result = average_operating_points(GaussianDetector(), *highleyman, rng=1)
    with pytest.raises(AttributeError): result.names = ()
    for array in (result.points, result.values, result.confusion, result.mean["fpr"], result.per_fold["tpr"], result.compare(3, "fpr").p_value):
        with pytest.raises(ValueError): array[...] = 0
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(result)).values, result.values)
    assert list(result.to_frame().columns) == ["threshold", "fpr", "std of mean fpr", "tpr", "std of mean tpr"]
    assert "30 thresholds" in repr(result) and "<table" in result._repr_html_()


def test_signature():
    parameters = inspect.signature(average_operating_points).parameters
    assert list(parameters)[:3] == ["estimator", "X", "y"] and parameters["cv"].default == 10 and parameters["points"].default == 30
    assert all(parameters[k].kind is inspect.Parameter.KEYWORD_ONLY for k in ("cv", "points", "measures", "rng", "n_jobs"))


def test_a_million_instances_by_threshold():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 10**6)
    soft = FoldOutputs(y, rng.normal(size=10**6) + y, rng.integers(0, 10, 10**6))
    result = average_operating_points(soft, points=[0.5])
    np.testing.assert_allclose([result.mean["fpr"][0], result.mean["tpr"][0]], stats.norm.sf([0.5, -0.5]), atol=4e-3)


# --- measures --------------------------------------------------------------------------------------------------------
def test_every_measure(highleyman):
    X, y = highleyman
    def balance(M): return M[1].sum() / M.sum()
    cost = expected_cost(0.2, cost_fn=4, cost_fp=1)
    result = average_operating_points(GaussianDetector(), X, y, cv=FOLDS, points=[-3.0], measures=["fpr", "tpr", "recall", "precision", "error", "class_errors", cost, balance])
    assert result.names == ("fpr", "tpr", "recall", "precision", "error", "error_0", "error_1", "cost", "balance")
    value = {k: v[0] for k, v in result.per_fold.items()}
    np.testing.assert_array_equal(value["tpr"], value["recall"])
    np.testing.assert_allclose(value["error_1"], 1 - value["tpr"], atol=1e-15)
    np.testing.assert_array_equal(value["error_0"], value["fpr"])
    np.testing.assert_allclose(value["cost"], 0.2 * 4 * (1 - value["tpr"]) + 0.8 * value["fpr"], rtol=1e-13)
    np.testing.assert_array_equal(value["balance"], 0.5)
    soft = fold_outputs(GaussianDetector(), X, y, cv=FOLDS)
    np.testing.assert_allclose(value["precision"], [precision_score(y[soft.fold == f], soft.scores[soft.fold == f] >= -3) for f in range(10)], rtol=1e-13)


def test_undefined_folds_are_counted_and_told(highleyman):
    X, y = highleyman
    high = np.sort(fold_outputs(GaussianDetector(), X, y, cv=FOLDS).scores)[-6]  # six instances are accepted, so some folds have none
    with pytest.warns(UserWarning, match=r"undefined: `precision` in \d+ of 30 confusion matrices, at \d of 3 points \(at 1 of them in every fold"):
        result = average_operating_points(GaussianDetector(), X, y, cv=FOLDS, points=[np.inf, high, -3.0], measures=("precision", "recall"))
    empty = result.confusion[..., 1].sum(-1) == 0
    np.testing.assert_array_equal(np.isnan(result.per_fold["precision"]), empty)
    np.testing.assert_array_equal(result.undefined["precision"], empty.sum(1))
    assert 0 < result.undefined["precision"][1] < 10 and not result.undefined["recall"].any()
    left = result.per_fold["precision"][1][~empty[1]]
    np.testing.assert_allclose([result.mean["precision"][1], result.std["precision"][1]], [left.mean(), stats.sem(left)], rtol=1e-12, atol=1e-15)
    assert np.isnan(result.mean["precision"][0]) and "undefined precision" in result.to_frame()


def test_a_fold_without_a_class_is_told():
    soft = FoldOutputs([1, 1, 0, 0, 1, 0], [0.9, 0.8, 0.1, 0.2, 0.7, 0.3], [0, 0, 1, 1, 2, 2])
    with pytest.warns(UserWarning, match="`fpr` in 1 of 3 .*; `tpr` in 1 of 3"): result = average_operating_points(soft, points=[0.5])
    assert result.undefined["tpr"].tolist() == [1] and result.mean["tpr"].tolist() == [1]


def test_nothing_is_told_when_all_is_well(highleyman):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        average_operating_points(GaussianDetector(), *highleyman, rng=1).compare(4)


def test_costs_for_many_classes(three):
    costs = np.array([[0, 1, 2], [3, 0, 4], [5, 6, 0]])
    result = average_operating_points(LinearDiscriminantAnalysis(), *three, cv=FOLDS, points=[[1, 1, 1]], measures=expected_cost([0.5, 0.25, 0.25], costs=costs))
    expected = [sum(p * (costs[i] * M[i]).sum() / M[i].sum() for i, p in enumerate((0.5, 0.25, 0.25))) for M in result.confusion[0]]
    np.testing.assert_allclose(result.per_fold["cost"][0], expected, rtol=1e-13)


# --- comparing points ------------------------------------------------------------------------------------------------
def made(values): return OperatingPoints(np.arange(float(len(values))), (0, 1), np.zeros((*np.shape(values), 2, 2)), ("x",), np.asarray(values, float)[None])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.floats(0, 1), min_size=4, max_size=4), min_size=2, max_size=5))
def test_statistic_is_the_paired_t(rows):
    rows = np.round(np.array(rows), 3)
    test, paper = made(rows).compare(0), made(rows).compare(0, degrees="paper")
    for i, row in enumerate(rows):
        d = rows[0] - row
        if np.ptp(d) > 1e-9:
            oracle = stats.ttest_rel(rows[0], row)
            np.testing.assert_allclose([test.statistic[0, i], test.p_value[0, i]], [oracle.statistic, oracle.pvalue], rtol=1e-7, atol=1e-12)
            np.testing.assert_allclose(paper.p_value[0, i], 2 * stats.t.sf(abs(oracle.statistic), 6), rtol=1e-7, atol=1e-12)
        elif abs(d).max() < 1e-9: assert (test.statistic[0, i], test.p_value[0, i], paper.p_value[0, i]) == (0, 1, 1)
        else: assert (abs(test.statistic[0, i]), test.p_value[0, i], paper.p_value[0, i]) == (np.inf, 0, 0)


def test_equation_three_as_printed(highleyman):
    result = average_operating_points(GaussianDetector(), *highleyman, rng=1)
    a, b = result.per_fold["fpr"][[12, 17]]
    r = np.corrcoef(a, b)[0, 1]
    printed = (a.mean() - b.mean()) / np.sqrt(stats.sem(a)**2 + stats.sem(b)**2 - 2 * r * stats.sem(a) * stats.sem(b))
    np.testing.assert_allclose(result.compare(12, "fpr").statistic[0, 17], printed, rtol=1e-10)


def test_zero_variance_and_direction():
    test = made([[0.3, 0.6, 0.9], [0.3, 0.6, 0.9], [0.2, 0.5, 0.8], [0.4, 0.7, 1.0]]).compare(0)
    np.testing.assert_array_equal(test.statistic, [[0, 0, np.inf, -np.inf]])
    np.testing.assert_array_equal(test.indistinguishable, [True, True, False, False])


def test_undefined_folds_are_left_out_in_pairs():
    nan = np.nan
    with pytest.warns(UserWarning, match="no test at 1 of 3 pairs"):
        test = made([[0.1, 0.5, 0.3, nan], [0.2, nan, 0.7, 0.4], [nan, nan, nan, 0.5]]).compare(0)
    np.testing.assert_array_equal(test.n_folds, [[3, 2, 0]])
    np.testing.assert_allclose(test.statistic[0, 1], stats.ttest_rel([0.1, 0.3], [0.2, 0.7]).statistic, rtol=1e-12)
    np.testing.assert_allclose(test.p_value[0, 1], 2 * stats.t.sf(abs(test.statistic[0, 1]), 1), rtol=1e-12)  # two common folds
    assert np.isnan(test.p_value[0, 2]) and test.indistinguishable[2]


def test_and_over_measures(three):
    result = average_operating_points(LinearDiscriminantAnalysis(), *three, rng=1)
    single = [result.compare(2, name) for name in result.names]
    both = result.compare(2)
    np.testing.assert_array_equal(both.indistinguishable, np.logical_and.reduce([s.indistinguishable for s in single]))
    np.testing.assert_array_equal(both.p_value, np.vstack([s.p_value for s in single]))
    pair = result.compare(2, result.names[:2], 0.8)
    assert pair.measures == ("error_a", "error_b") and pair.indistinguishable.sum() <= both.indistinguishable.sum() + 30
    assert both.indistinguishable[2] and both.to_frame().shape == (30, 10)


def test_degrees_of_freedom_have_names(three):
    result = average_operating_points(LinearDiscriminantAnalysis(), *three, rng=1)
    paired, paper = (result.compare(2, degrees=name) for name in ("paired", "paper"))
    assert result.compare(2).degrees == "paired" and np.array_equal(result.compare(2).p_value, paired.p_value)
    assert (paired.p_value >= paper.p_value).all() and (paired.indistinguishable >= paper.indistinguishable).all()
    for test, text in ((paired, "n - 1"), (paper, "2n - 2")):
        assert f"with {text} degrees of freedom" in repr(test) and f"error_a p ({text})" in test.to_frame()
    between = made([[0.3, 0.5, 0.7, 0.9], [0.2, 0.45, 0.5, 0.85]])  # t = 2.83, critical values 3.18 (3 degrees) and 2.45 (6)
    assert [between.compare(0, confidence_level=0.95, degrees=name).indistinguishable[1] for name in ("paired", "paper")] == [True, False]
    assert result.compare(2).confidence_level == 0.9
    with pytest.raises(ValueError, match="`degrees` must be one of 'paired', 'paper'; got 'n-1'"): result.compare(2, degrees="n-1")


def test_levels_of_the_test():
    rng = np.random.default_rng(1)
    points = made(np.vstack([np.zeros((1, 5)), rng.normal(size=(20_000, 5))]))
    p = {name: points.compare(0, degrees=name).p_value[0, 1:] for name in ("paired", "paper")}
    for name, level in (("paired", 0.05), ("paper", 2 * stats.t.sf(stats.t.ppf(0.975, 8), 4))):
        assert abs(np.mean(p[name] < 0.05) - level) < 4 * np.sqrt(level * (1 - level) / 20_000)
    assert abs(np.mean(p["paper"] < 0.05) - 0.05) > 4 * np.sqrt(0.05 * 0.95 / 20_000)


def test_point_at():
    result = made([[0.2, 0.4], [0.5, 0.5], [0.5, 0.5], [0.9, 0.7], [np.nan, np.nan]])
    assert [result.point_at("x", at_least=v) for v in (0.1, 0.31, 0.6)] == [0, 1, 3]
    assert [result.point_at("x", at_most=v) for v in (0.3, 0.6, 2)] == [0, 1, 3]  # the mean of 0.2 and 0.4 is a little above 0.3 in floating point
    with pytest.raises(ValueError, match="exactly one of"): result.point_at("x")
    with pytest.raises(ValueError, match=r"means from 0\.3 to 0\.8"): result.point_at("x", at_least=0.9)


# --- the search ------------------------------------------------------------------------------------------------------
def test_search_finds_what_a_grid_finds(three):
    X, y = three
    soft = fold_outputs(LinearDiscriminantAnalysis(), X, y, rng=1)
    found = search_weights(y, soft.outputs, rng=1)
    grid = np.array([(i, j, 60 - i - j) for i in range(61) for j in range(61 - i)]) / 60
    codes = np.searchsorted(soft.classes, y)
    def worst(w): return max(np.mean(np.argmax(w * soft.outputs[codes == c], axis=1) != c) for c in range(3))
    assert found.class_errors[0].max() <= min(map(worst, grid))
    np.testing.assert_allclose(found.class_errors.max(1), [worst(w) for w in found.weights], atol=1e-15)
    assert (np.diff(found.history, axis=0) <= 1e-15).all() and found.history.shape == (6, 2)
    np.testing.assert_array_equal(found.weights, search_weights(y, soft.outputs, rng=1).weights)


def test_search_with_few_operating_points():
    found = search_weights([0, 1, 2], np.eye(3), rng=1)
    assert len(found) == 1 and found.class_errors.tolist() == [[0, 0, 0]]
    assert len(search_weights([0, 1, 2], np.eye(3), distinct=False, rng=1)) == 100


def test_search_options(three):
    X, y = three
    soft = fold_outputs(LinearDiscriminantAnalysis(), X, y, rng=1).outputs
    assert search_weights(y, soft, n_steps=0, n_weights=50, n_keep=10, rng=1).weights.shape == (10, 3)
    assert search_weights(y, soft, n_weights=10, n_keep=10, rng=1).weights.shape == (10, 3)
    np.testing.assert_allclose(search_weights(y, 7 * soft, rng=1).weights, search_weights(y, soft, rng=1).weights, rtol=1e-12)


def test_memory_of_the_search_is_bounded():
    code = ("import tracemalloc, numpy as np\nfrom costboot.folds.weight_search import search_weights\n"
            "rng = np.random.default_rng(1); y = rng.integers(0, 3, 100_000); s = rng.dirichlet(np.ones(3), 100_000)\n"
            "tracemalloc.start(); search_weights(y, s, n_steps=0, rng=1); print(tracemalloc.get_traced_memory()[1])")
    peak = int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
    assert peak < 60e6  # all at once would take 1000 x 100,000 x 3 x 8 bytes = 2.4 GB


# --- errors ----------------------------------------------------------------------------------------------------------
X2, Y2 = Highleyman().sample(20, rng=2)
SOFT = FoldOutputs(Y2, np.linspace(0, 1, 40), np.arange(40) % 4)


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda: average_operating_points(StandardScaler(), X2, Y2), TypeError, "`estimator` must have `fit`"),
    (lambda: average_operating_points(LogisticRegression()), TypeError, "`X` and `y` must be given"),
    (lambda: average_operating_points(SOFT, X2, Y2), ValueError, "must be left out"),
    (lambda: average_operating_points(LogisticRegression(), X2[:7], Y2), ValueError, r"`X` must have as many rows as `y` has entries \(40\); got 7"),
    (lambda: average_operating_points(LogisticRegression(), X2, np.ones(40)), ValueError, "at least two classes; got only 1.0"),
    (lambda: average_operating_points(LogisticRegression(), X2, np.where(Y2, 1, np.nan)), ValueError, "NaN or infinite labels"),
    (lambda: average_operating_points(LogisticRegression(), X2, Y2 + 5), ValueError, "`pos_label` must say which label is the positive one"),
    (lambda: average_operating_points(LogisticRegression(), X2, Y2, pos_label=7), ValueError, "got 7"),
    (lambda: average_operating_points(LogisticRegression(), X2, Y2, cv=1), ValueError, "`cv` must be a whole number, at least 2; got 1"),
    (lambda: average_operating_points(LogisticRegression(), X2, Y2, cv=21), ValueError, "at most 20, the size of the smallest class; got 21"),
    (lambda: average_operating_points(LogisticRegression(), X2, Y2, cv=KFold(2)), ValueError, "every class in every training set; fold 0 has only"),
    (lambda: average_operating_points(SVC(decision_function_shape="ovo"), X2, np.arange(40) % 3, cv=3), ValueError, "ovo"),
    (lambda: average_operating_points(LogisticRegression(), X2, Y2, rng="seed"), TypeError, "`rng` must be"),
    (lambda: average_operating_points(SOFT, pos_label=0), ValueError, "`pos_label` must be 1, the class that the outputs are similarities to; got 0"),
    (lambda: average_operating_points(SOFT, points=0), ValueError, "`points` must be a whole number"),
    (lambda: average_operating_points(SOFT, points=0.5), ValueError, "`points` must be a whole number"),
    (lambda: average_operating_points(SOFT, points=[np.nan]), ValueError, "`points` must not hold NaN"),
    (lambda: average_operating_points(SOFT, points=[]), ValueError, "`points` must have at least one entry"),
    (lambda: average_operating_points(SOFT, points=[[1, 1]]), ValueError, "must be thresholds for one output"),
    (lambda: average_operating_points(SOFT, measures="sensitivity"), ValueError, "`measures` must be one of 'class_errors'"),
    (lambda: average_operating_points(SOFT, measures=[]), ValueError, "at least one measure"),
    (lambda: average_operating_points(SOFT, measures={"bad": lambda M: np.inf}), ValueError, "`bad` must return finite numbers"),
    (lambda: average_operating_points(SOFT, measures=expected_cost([0.2, 0.3, 0.5], costs=np.eye(3))), ValueError, "one entry for each of the 2 classes; got 3"),
    (lambda: FoldOutputs([0, 1], [0.1, np.nan], [0, 1]), ValueError, "`outputs` must be finite"),
    (lambda: FoldOutputs([0, 1], [0.1, 0.2], [0, 0]), ValueError, "at least two folds"),
    (lambda: FoldOutputs([0, 1], [0.1, 0.2], [0]), ValueError, "`fold` must have shape"),
    (lambda: FoldOutputs([0, 1], [0.1], [0, 1]), ValueError, "`outputs` must have shape"),
    (lambda: FoldOutputs.from_folds([[0, 1]], [[0.1, 0.2], [0.3]]), ValueError, "one array for each of the 1 folds"),
    (lambda: average_operating_points(SOFT).compare(40, "fpr"), ValueError, "`point` must be a whole number from 0 to 29; got 40"),
    (lambda: average_operating_points(SOFT).compare(-1, "fpr"), ValueError, "`point` must be a whole number, at least 0"),
    (lambda: average_operating_points(SOFT).compare(0, "error"), ValueError, "`measure` must be one of 'fpr', 'tpr'; got 'error'"),
    (lambda: average_operating_points(SOFT).compare(0, "fpr", 95), ValueError, "did you mean 0.95"),
    (lambda: average_operating_points(SOFT).decide(0, [[0.1]]), ValueError, "`outputs` must have shape"),
    (lambda: average_operating_points(SOFT).plot(measures=[]), ValueError, "at least one measure"),
    (lambda: search_weights([0, 1, 2], np.eye(2)), ValueError, r"`outputs` must have shape \(3, 3\); got \(2, 2\)"),
    (lambda: search_weights([0, 1], [[1, -1], [1, 1]]), ValueError, "must not be negative"),
    (lambda: search_weights([0, 1], np.eye(2), n_keep=11, n_weights=10), ValueError, "`n_keep` must be at most"),
    (lambda: search_weights([0, 1], np.eye(2), scale=0), ValueError, "`scale` must be"),
    (lambda: expected_cost(1.2), ValueError, "`prevalence` must lie in"),
    (lambda: expected_cost([0.2, 0.8]), ValueError, "unless `costs` is given"),
    (lambda: expected_cost(0.5, costs=[[1, 2]]), ValueError, "square matrix"),
    (lambda: GaussianDetector(target=5).fit(X2, Y2), ValueError, "`target` must be among the training labels; got 5"),
    (lambda: GaussianDetector().fit(np.ones((9, 2)), np.ones(9)), ValueError, "singular"),
])
def test_errors(call, error, message):
    with pytest.raises(error, match=message): call()


# --- figures ---------------------------------------------------------------------------------------------------------
def test_plots(highleyman, three):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    result = average_operating_points(GaussianDetector(), *highleyman, rng=1)
    test = result.compare(result.point_at("tpr", at_least=0.9), "fpr")
    ax = test.plot()
    marks = {line.get_label(): line for line in ax.get_lines()}
    np.testing.assert_allclose(marks["selected point"].get_xdata(), result.mean["fpr"][[test.point]])
    assert marks["not distinguishable at 0.9"].get_xdata().size == test.indistinguishable.sum() - 1
    paper = result.compare(test.point, "fpr", degrees="paper")
    marks = {line.get_label(): line for line in paper.plot().get_lines()}
    assert marks["not distinguishable at 0.9, 2n - 2"].get_xdata().size == paper.indistinguishable.sum() - 1
    assert len(ax.containers) == 1 and ax.get_xlabel() == "FPR, false positive rate"
    assert result.plot(measures="tpr").get_ylabel() == "TPR, true positive rate"
    space = average_operating_points(LinearDiscriminantAnalysis(), *three, rng=1).plot()
    assert space.name == "3d" and space.get_zlabel() == "$e$, error of class c"
    plt.close("all")


@pytest.mark.slow  # the notebooks check them too
def test_explorers():
    from costboot.core.explorer_tool import check_explorer
    from costboot.folds.fold_bands import explore_two_bands
    from costboot.folds.operating_points import explore_indistinguishable
    from costboot.folds.three_classes import explore_three_class
    from costboot.folds.weight_search import explore_weight_search
    for explorer in (explore_indistinguishable, explore_three_class, explore_weight_search, explore_two_bands): assert check_explorer(explorer()) > 5


@pytest.mark.parametrize("module", ["outputs", "weight_search", "operating_points", "fold_bands", "three_classes"])
def test_heavy_libraries_are_loaded_only_when_needed(module):
    code = f"import sys, costboot.folds.{module}; print(*[m for m in ('sklearn', 'matplotlib', 'pandas', 'joblib', 'tqdm', 'scipy.stats', 'ipywidgets', 'numba') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == ""


@pytest.mark.data
def test_figure_three():
    digits = load_uci("digits", download=False)
    chosen = np.isin(digits.y_train, (2, 3, 5))
    model = make_pipeline(PCA(3), QuadraticDiscriminantAnalysis())
    surface = average_operating_points(model, digits.X_train[chosen], digits.y_train[chosen], points=100, rng=1)
    verdict = surface.compare(0)
    assert surface.points.shape == (100, 3) and surface.names == ("error_2", "error_3", "error_5")
    assert 1 < verdict.indistinguishable.sum() < 100 and max(surface.mean[n][0] for n in surface.names) < 0.35
