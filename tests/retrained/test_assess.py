"""Statistics, retrained rules, their simulations and the stored results."""

import json
import pickle
import subprocess
import sys
import warnings
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, LeaveOneOut
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from costboot.retrained.assessment import assess, compare_rules
from costboot.retrained.auc import _leave_pair_out, replicate_areas, weighted_areas
from costboot.data.score_models import Multinormal
from costboot.retrained.error_rate import (
    _optimism, _row_blocks, _star, case_errors, leave_one_out_influence, plus_weighted,
)
from costboot.retrained.training_replicates import draw_counts
from costboot.papers.registry import EXPERIMENTS, load_result, main, run_experiment
from costboot.papers.assessment_chapter import Discriminants, simulate_auc
from costboot.retrained.statistics import bootstrap_estimate, influence_estimate, jackknife_estimate

QUIET = dict(rng=0, progress=False)


@pytest.fixture(scope="module")
def data(): return Multinormal(5, 2.0).sample(20, rng=11)


# --- the tables of losses and scores, against plain loops -----------------------------------------------------------

tables = st.integers(0, 2**32 - 1).map(np.random.default_rng).map(
    lambda rng: (rng.integers(3, size=(rng.integers(2, 7), rng.integers(2, 6))), rng))


@given(tables)
@settings(max_examples=60, deadline=None)
def test_error_estimators_are_their_definitions(made):
    counts, rng = made
    B, n = counts.shape
    losses = rng.random((B, n))
    tested = [i for i in range(n) if (counts[:, i] == 0).any()]
    case_error, times_out = case_errors(losses, counts == 0)
    for i in range(n):
        out = [losses[b, i] for b in range(B) if counts[b, i] == 0]
        assert times_out[i] == len(out)
        if out: np.testing.assert_allclose(case_error[i], np.mean(out), rtol=1e-12)
    rows = [np.mean([losses[b, i] for i in range(n) if counts[b, i] == 0]) for b in range(B) if (counts[b] == 0).any()]
    if rows: np.testing.assert_allclose(_star(losses, counts == 0), (np.mean(rows), B - len(rows)), rtol=1e-12)
    np.testing.assert_allclose(_optimism(losses, counts), np.mean(losses.mean(axis=1) - (losses * counts).sum(axis=1) / n), atol=1e-13)
    if tested:
        found = leave_one_out_influence(losses, counts, case_error, times_out)
        np.testing.assert_allclose([found.gain.sum(), found.direct.sum()], 0, atol=1e-12)


@given(tables)
@settings(max_examples=60, deadline=None)
def test_leave_pair_out_is_its_definition(made):
    counts, rng = made
    B, n = counts.shape
    positive = np.arange(n) < max(1, n // 2)
    scores = rng.integers(4, size=(B, n)).astype(float)  # many ties
    pairs = []
    for i in np.flatnonzero(positive):
        for j in np.flatnonzero(~positive):
            seen = [(scores[b, i] > scores[b, j]) + 0.5 * (scores[b, i] == scores[b, j]) for b in range(B) if counts[b, i] == counts[b, j] == 0]
            if seen: pairs.append(np.mean(seen))
    if not pairs:
        with pytest.raises(ValueError, match="no pair of cases"): _leave_pair_out(scores, counts, positive)
        return
    for block in (1, 3, 2**22):
        value, influence, missing = _leave_pair_out(scores, counts, positive, block_size=block)
        np.testing.assert_allclose(value, np.mean(pairs), rtol=1e-12)
        assert missing == positive.sum() * (~positive).sum() - len(pairs)
        np.testing.assert_allclose([influence.gain.sum(), influence.direct[positive].sum(), influence.direct[~positive].sum()], 0, atol=1e-12)


def test_stratified_influence_by_finite_reweighting(data):
    X, y = data
    counts, _ = draw_counts(y, 80, True, np.random.default_rng(3))
    draws = [np.repeat(np.arange(40), row) for row in counts]
    losses = np.array([LinearDiscriminantAnalysis().fit(X[d], y[d]).predict(X) != y for d in draws])
    found = leave_one_out_influence(losses, counts, *case_errors(losses, counts == 0), strata=y)
    assert found.efron is None

    def tilted(i, step):
        p = np.full(40, 1 / 20)
        p[y == y[i]] *= 1 - step
        p[i] += step
        out = (counts == 0) * np.prod((20 * p) ** counts, axis=1)[:, None]
        return p @ ((out * losses).sum(axis=0) / out.sum(axis=0)) / 2

    finite = np.array([tilted(i, 1e-5) - tilted(i, -1e-5) for i in range(40)]) / 2e-5
    np.testing.assert_allclose(20 * (found.direct + found.training), finite, rtol=1e-6, atol=1e-7)


def test_the_noise_that_is_subtracted_is_the_noise_that_is_there(data):
    "The plain variance falls with B towards the corrected one, which stays where it is."
    X, y = data
    rng, plain, corrected = np.random.default_rng(1), [], []
    for B in (25, 400):
        found = []
        for _ in range(12):
            counts = np.array([np.bincount(rng.integers(40, size=40), minlength=40) for _ in range(B)])
            labels = Discriminants.train("LDA", X, y == 1, counts).scores(X) > 0
            losses = labels != (y == 1)
            part = leave_one_out_influence(losses, counts, *case_errors(losses, counts == 0))
            found.append((part.se("plain") ** 2, part.se("plain") ** 2 - part.noise()))
        plain.append(np.mean(found, axis=0)[0])
        corrected.append(np.mean(found, axis=0)[1])
    assert plain[0] > 1.5 * plain[1]
    assert abs(corrected[0] / corrected[1] - 1) < 0.25


def test_blocks_of_rows_cover_every_row_once():
    table = np.zeros((11, 7))
    for size in (1, 7, 20, 10**6):
        assert np.concatenate([np.arange(11)[rows] for rows in _row_blocks(table, size)]).tolist() == list(range(11))


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
@settings(max_examples=200, deadline=None)
def test_plus_stays_between_and_mirrors(apparent, out, gamma):
    value = plus_weighted(apparent, out, gamma)
    assert min(apparent, out, gamma) - 1e-12 <= value <= max(apparent, out, gamma) + 1e-12
    np.testing.assert_allclose(1 - value, plus_weighted(1 - apparent, 1 - out, 1 - gamma, worse=-1), atol=1e-12)


@given(st.lists(st.integers(0, 5), min_size=2, max_size=12), st.lists(st.integers(0, 5), min_size=2, max_size=12), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_weighted_areas_agree_with_scikit_learn(pos, neg, seed):
    weights = np.random.default_rng(seed).integers(0, 3, size=len(pos) + len(neg))
    y, s = np.repeat([1, 0], [len(pos), len(neg)]), np.array(pos + neg, dtype=float)
    found = weighted_areas(s[y == 1], s[y == 0], weights[None, y == 1], weights[None, y == 0])[0]
    if weights[y == 1].any() and weights[y == 0].any(): np.testing.assert_allclose(found, roc_auc_score(y, s, sample_weight=weights), atol=1e-12)
    else: assert np.isnan(found)


# --- assess and compare_rules ---------------------------------------------------------------------------------------

@pytest.mark.parametrize("metric", ["error", "auc"])
def test_names_and_table(data, metric):
    found = assess(LinearDiscriminantAnalysis(), *data, metric=metric, n_resamples=20, cv=5, **QUIET)
    names = {"error": ["apparent", "cv", "simple", "leave_one_out", "star", "refined", "b632", "b632plus"],
             "auc": ["apparent", "cv", "simple", "star", "refined", "b632", "b632plus", "leave_pair_out"]}[metric]
    assert list(found.estimate) == names
    assert list(found.se) == [name for name in names if name not in ("apparent", "simple")] == list(found.errors)
    frame = found.to_frame()
    assert list(frame.index) == names and list(frame.columns) == ["estimator", "value", "se", "low", "high", "estimates"]
    assert frame.se.notna().tolist() == [name in found.se for name in names]
    assert frame.estimator["b632plus"] == ".632+ bootstrap" and not set(frame.estimator) & set(names)
    assert "90 % interval" in repr(found) and len(str(found).splitlines()) == 2 + len(names) and "<table" in found._repr_html_()
    assert found.interval() == found.interval("b632plus", 0.9, "recommended")
    for name in found.se:
        for method in found.errors[name]:
            wide, (low, high) = found.interval(name, 0.99, method), found.interval(name, 0.9, method)
            assert 0 <= wide.low <= low <= found.estimate[name] <= high <= wide.high <= 1
    with pytest.raises(ValueError, match="`estimator` must be one of 'b632'"): found.interval("apparent")
    with pytest.raises(ValueError, match="`method` must be one of 'corrected', 'naive', 'recommended'; got 'wald'"): found.interval("cv", method="wald")


def test_results_cannot_be_changed(data):
    found = assess(LinearDiscriminantAnalysis(), *data, n_resamples=10, cv=None, **QUIET)
    with pytest.raises(AttributeError): found.metric = "auc"
    with pytest.raises(TypeError): found.estimate["cv"] = 0
    with pytest.raises(ValueError): found.influence[0] = 0


def test_results_travel(data):
    "To another process, to a file, into a copy."
    import copy
    import pickle
    found = compare_rules(LinearDiscriminantAnalysis(), DummyClassifier(), *data, n_resamples=10, cv=None, **QUIET)
    for other in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        assert other.estimate == found.estimate and other.rule_1.se == found.rule_1.se and repr(other) == repr(found)
        with pytest.raises(TypeError): other.estimate["cv"] = 0


def test_the_estimator_is_left_alone(data):
    rule = RandomForestClassifier(2)
    assess(rule, *data, n_resamples=3, cv=None, **QUIET)
    assert not hasattr(rule, "classes_") and rule.random_state is None


@pytest.mark.parametrize("metric", ["error", "auc"])
def test_same_numbers_for_every_kind_of_table(data, metric):
    X, y = data
    rule = make_pipeline(StandardScaler(with_mean=False), LogisticRegression())
    kwargs = dict(metric=metric, n_resamples=8, cv=3, **QUIET)
    usual = dict(assess(rule, X, y, **kwargs).estimate)
    frame = pd.DataFrame(X, columns=list("abcde"), index=np.random.default_rng(0).permutation(40))
    for other, labels in ((frame, pd.Series(y, index=range(5, 45))), (sparse.csr_matrix(X), y), (X.tolist(), y.tolist())):
        for name, value in assess(rule, other, labels, **kwargs).estimate.items(): assert value == pytest.approx(usual[name], abs=1e-12)


@pytest.mark.parametrize("rule", [LinearSVC(), KNeighborsClassifier(3), Perceptron(), QuadraticDiscriminantAnalysis(), RandomForestClassifier(3)])
@pytest.mark.parametrize("metric", ["error", "auc"])
def test_many_kinds_of_rules(data, rule, metric):
    found = assess(rule, *data, metric=metric, n_resamples=12, cv=4, stratify=True, **QUIET)
    assert all(0 <= value <= 1 for value in found.estimate.values()) and all(se > 0 for se in found.se.values())


def test_several_classes_and_labels_of_any_type():
    rng = np.random.default_rng(0)
    y = rng.choice(["ant", "bee", "cow"], 60)
    X = rng.standard_normal((60, 2)) + 2 * (y[:, None] == ["ant", "bee"])
    found = assess(LinearDiscriminantAnalysis(), X, y, n_resamples=20, loocv=True, **QUIET)
    assert 0 < found.estimate["b632plus"] < 0.5 and "loocv" in found.estimate


def test_grouped_folds(data):
    X, y = data
    groups = np.repeat(np.arange(20), 2)
    folds = list(GroupKFold(4).split(X, y, groups))
    assess(LinearDiscriminantAnalysis(), X, y, cv=folds, n_resamples=4, **QUIET)


@pytest.mark.parametrize("metric", ["error", "auc"])
def test_processes_do_not_matter(data, metric):
    kwargs = dict(metric=metric, n_resamples=10, cv=3, **QUIET)
    one, two = (assess(RandomForestClassifier(2), *data, n_jobs=n_jobs, **kwargs) for n_jobs in (None, 2))
    assert dict(one.estimate) == dict(two.estimate) and dict(one.se) == dict(two.se)
    assert np.array_equal(one.influence, two.influence)


def test_a_dask_cluster_gives_the_same_numbers(data):
    distributed = pytest.importorskip("dask.distributed", reason="dask is not installed")
    import joblib
    kwargs = dict(n_resamples=12, cv=3, **QUIET)
    here = compare_rules(LinearDiscriminantAnalysis(), RandomForestClassifier(2), *data, **kwargs)
    area = assess(LinearDiscriminantAnalysis(), *data, metric="auc", **kwargs)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        assert len(client.scheduler_info()["workers"]) == 2
        with joblib.parallel_config(backend="dask"):
            there = compare_rules(LinearDiscriminantAnalysis(), RandomForestClassifier(2), *data, **kwargs)
            far_area = assess(LinearDiscriminantAnalysis(), *data, metric="auc", **kwargs)
    assert dict(here.estimate) == dict(there.estimate) and dict(here.se) == dict(there.se)
    assert dict(area.estimate) == dict(far_area.estimate) and dict(area.se) == dict(far_area.se)


def test_progress_bar_can_be_switched_off(data, monkeypatch):
    "A bar shows itself only after a second, so ask whether one was made."
    import tqdm.auto
    made = []
    def bar(work, **options):
        made.append(options["desc"])
        return work
    monkeypatch.setattr(tqdm.auto, "tqdm", bar)
    for progress in (False, True):
        assess(LinearDiscriminantAnalysis(), *data, n_resamples=3, cv=None, se="plain", rng=0, progress=progress)
    assert made == ["training"]


def test_comparison_is_paired(data):
    "The difference of two nearly equal rules is known much better than either of them."
    X, y = data
    found = compare_rules(LogisticRegression(C=1.0), LogisticRegression(C=1.2), X, y, metric="auc", n_resamples=100, cv=None, **QUIET)
    for name in ("b632plus", "leave_pair_out"): assert found.se[name] < found.rule_1.se[name] / 5
    frame = found.to_frame()
    np.testing.assert_allclose(frame.rule_2 - frame.rule_1, frame["rule_2 - rule_1"], atol=1e-15)
    assert list(found.estimate) == list(found.rule_1.estimate)


@pytest.mark.parametrize("metric, word", [("error", "larger error rate"), ("auc", "smaller area under the ROC curve")])
def test_comparison_is_second_minus_first(metric, word):
    X, y = Multinormal(5, 12.0).sample(20, rng=2)
    kwargs = dict(metric=metric, n_resamples=40, cv=None, **QUIET)
    forth, back = (compare_rules(*rules, X, y, **kwargs) for rules in permutations((LinearDiscriminantAnalysis(), DummyClassifier())))
    name = "b632plus"
    assert forth.estimate[name] == forth.rule_2.estimate[name] - forth.rule_1.estimate[name] == -back.estimate[name] != 0
    np.testing.assert_array_equal(forth.influence, forth.rule_2.influence - forth.rule_1.influence)
    other = {"larger": "smaller", "smaller": "larger"}[word.split()[0]]
    assert forth.verdict() == f"rule 2 has the {word}" and back.verdict() == f"rule 2 has the {other} {word.split(' ', 1)[1]}"
    assert f"rule 2 minus rule 1 is {forth.estimate[name]:.4f}" in repr(forth)


def test_verdict_on_a_loss_of_ones_own():
    def heavy(labels, answers): return 10.0 * (labels != answers)
    X, y = Multinormal(5, 12.0).sample(20, rng=2)
    found = compare_rules(DummyClassifier(), LinearDiscriminantAnalysis(), X, y, loss=heavy, n_resamples=40, cv=None, **QUIET)
    assert found.verdict() == "rule 2 has the smaller mean loss"


@pytest.mark.parametrize("null", [0.0, 0.05, -0.2])
def test_p_value_belongs_to_the_interval(data, null):
    found = compare_rules(LinearDiscriminantAnalysis(), DummyClassifier(), *data, n_resamples=20, cv=None, **QUIET)
    p = found.p_value(null)
    for alpha in (p * 0.999, p * 1.001):
        low, high = found.interval(confidence_level=1 - alpha)
        assert (p < alpha) == (not low <= null <= high)
    assert found.p_value(null, "greater") + found.p_value(null, "less") == pytest.approx(1)
    assert 2 * min(found.p_value(null, side) for side in ("greater", "less")) == pytest.approx(p)
    with pytest.raises(ValueError, match="`alternative` must be one of"): found.p_value(null, "both")
    with pytest.raises(TypeError, match="`null` must be a finite number"): found.p_value("zero")


def test_few_replicates_are_counted_not_hidden(data):
    X, y = data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = assess(LinearDiscriminantAnalysis(), X, y, metric="auc", n_resamples=4, cv=None, **QUIET)
    assert found.counts["pairs_never_left_out"] > 50 and "pairs never left out" in repr(found)


def test_a_lost_class_is_drawn_again():
    X, y = np.random.default_rng(0).standard_normal((20, 2)), np.r_[np.zeros(18, int), 1, 1]
    found = assess(LogisticRegression(), X, y, n_resamples=60, cv=2, **QUIET)
    assert 2 < found.counts["redrawn"] < 25  # a replicate loses the class with probability 0.9^20 = 0.12
    assert assess(LogisticRegression(), X, y, n_resamples=60, cv=2, stratify=True, **QUIET).counts["redrawn"] == 0


def test_warns_when_noise_drowns_the_standard_error():
    X, y = Multinormal(2, 0.0).sample(200, rng=0)
    with pytest.warns(UserWarning, match="`n_resamples` is too small"):
        for seed in range(20): assess(LinearDiscriminantAnalysis(), X, y, n_resamples=6, cv=None, rng=seed, progress=False)


@pytest.mark.parametrize(("change", "error", "message"), [
    (dict(metric="accuracy_score"), ValueError, "`metric` must be one of 'auc', 'brier', 'error', 'log_loss'"),
    (dict(n_resamples=1), ValueError, "`n_resamples` must be a whole number, at least 2"),
    (dict(n_resamples=2.5), ValueError, "`n_resamples`"),
    (dict(cv=1), ValueError, "`cv` must be a whole number, at least 2"),
    (dict(cv=21), ValueError, r"`cv` must be at most the size of the rarest class \(20\); got 21: pass cv=20"),
    (dict(se="jackknife"), ValueError, "`se` must be one of"),
    (dict(response="score"), ValueError, "`response` must be one of"),
    (dict(rng=np.random.RandomState(0)), TypeError, "`rng` must be"),
    (dict(loss=0.5), TypeError, "`loss` must be a function"),
    (dict(loss=lambda y, a: np.nan * y), ValueError, "`loss` must return one finite number for each of the 40 cases"),
    (dict(metric="auc", loss=np.not_equal), ValueError, "`loss` must be None for metric='auc'"),
    (dict(metric="auc", loocv=True), ValueError, "`loocv` must be False"),
    (dict(metric="auc", cv=LeaveOneOut()), ValueError, "both classes into every test fold"),
    (dict(metric="auc", pos_label=2), ValueError, "`pos_label`"),
    (dict(metric="auc", se="efron"), ValueError, "`se` must be 'corrected' or 'plain' here"),
])
def test_assess_refuses(data, change, error, message):
    with pytest.raises(error, match=message): assess(LinearDiscriminantAnalysis(), *data, **dict(n_resamples=3) | QUIET | change)


@pytest.mark.parametrize(("X", "y", "message"), [
    (np.zeros((4, 1)), [0, 1, 1], "`X` and `y` must have as many cases; got 4 and 3"),
    (np.zeros(4), [0, 1, 1, 0], "`X` must be two-dimensional"),
    (np.zeros((4, 1)), [[0, 1], [1, 0], [1, 1], [0, 0]], "`y` must be one-dimensional"),
    (np.zeros((4, 1)), [1, 1, 1, 1], "at least two classes"),
    (np.zeros((4, 1)), [1, 0, np.nan, 1], "`y` must not hold NaN"),
    (np.zeros((4, 1)), [0.1, 0.2, 0.3, 0.4], "must hold class labels"),
])
def test_assess_refuses_cases(X, y, message):
    with pytest.raises(ValueError, match=message): assess(DummyClassifier(), X, y, **QUIET)


def test_assess_refuses_what_is_no_rule(data):
    with pytest.raises(TypeError, match=r"must be an instance, such as DummyClassifier\(\)"): assess(DummyClassifier, *data, **QUIET)
    with pytest.raises(TypeError, match="`estimator` must be a scikit-learn classifier"): assess("LDA", *data, **QUIET)
    with pytest.raises(TypeError, match="`estimator_2` must be"): compare_rules(DummyClassifier(), None, *data, **QUIET)
    class NoScores(DummyClassifier):
        predict_proba = property()
    with pytest.raises(TypeError, match="decision_function"): assess(NoScores(), *data, metric="auc", n_resamples=3, **QUIET)


def test_a_failed_training_says_on_what():
    class Fussy(NearestCentroid):
        def fit(self, X, y):
            if np.unique(X, axis=0).shape[0] < len(X): raise ValueError("duplicates")
            return super().fit(X, y)
    X, y = Multinormal(2, 1.0).sample(10, rng=0)
    with pytest.raises(ValueError, match="duplicates") as caught: assess(Fussy(), X, y, n_resamples=3, cv=None, **QUIET)
    assert "class sizes" in caught.value.__notes__[0]


def test_thousand_pairs_a_side_in_bounded_memory():
    import tracemalloc
    positive = np.arange(1200) < 600
    counts, _ = draw_counts(positive.astype(int), 60, True, np.random.default_rng(0))
    scores = np.random.default_rng(1).standard_normal((60, 1200)) + positive
    tracemalloc.start()
    value, _, _ = _leave_pair_out(scores, counts, positive, block_size=2**16)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30e6 < 600 * 600 * 60 * 8
    np.testing.assert_allclose(value, replicate_areas(scores, counts, positive)[:, 2].mean(), atol=0.01)


# --- plain statistics -----------------------------------------------------------------------------------------------

@given(st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=12).filter(lambda x: np.ptp(x) > 1e-3))
@settings(max_examples=40, deadline=None)
def test_linear_and_quadratic_relations(values):
    x = np.array(values)
    n = x.size
    jackknife, influence = jackknife_estimate(x, np.mean), influence_estimate(x, lambda x, w: w @ x)
    np.testing.assert_allclose(jackknife.se, stats.sem(x), rtol=1e-7)
    np.testing.assert_allclose(influence.se, np.sqrt((n - 1) / n) * jackknife.se, rtol=1e-5)
    np.testing.assert_allclose(jackknife_estimate(x, np.var).corrected, x.var(ddof=1), rtol=1e-6)


def test_bootstrap_agrees_with_scipy():
    x = np.random.default_rng(0).exponential(size=30)
    for statistic in (np.mean, np.median, np.std, lambda x: x.std() / x.mean()):
        theirs = stats.bootstrap((x,), statistic, n_resamples=500, random_state=np.random.default_rng(5), method="basic")
        ours = bootstrap_estimate(x, statistic, n_resamples=500, rng=5)
        assert ours.se == theirs.standard_error and np.array_equal(ours.replicates, theirs.bootstrap_distribution)
        assert ours.bias == pytest.approx(ours.replicates.mean() - statistic(x))


# --- simulations and stored results ---------------------------------------------------------------------------------

def test_simulation_is_reproducible_and_sane():
    one, two = (simulate_auc(15, trials=3, n_resamples=10, rng=[1, 2]) for _ in range(2))
    assert all(np.array_equal(one[name], two[name]) for name in one)
    assert (one["apparent"] > one["star"]).all()
    with pytest.raises(ValueError, match="`n_per_class` must be a whole number, at least 7"): simulate_auc(6, trials=1)


KEYS = {"table1": ["rule", "n", "features", "distance", "estimator"], "table2": ["size", "estimator"], "table4": ["rule", "quantity"]}


@pytest.mark.parametrize("name", KEYS)
def test_a_quick_run_agrees_with_what_is_stored(name):
    "Another seed, few trials: every mean within 4.5 of its Monte Carlo standard errors, nearly all within 3."
    stored, quick = load_result(name), run_experiment(name, quick=True, seed=12345, progress=False)
    key = KEYS[name]
    both = pd.DataFrame(quick["rows"]).merge(pd.DataFrame(stored["rows"]), on=key, suffixes=("", "_stored"))
    assert len(both) == len(quick["rows"])
    if name == "table4": both = both[~both.quantity.str.startswith("se_plain")]  # depends on the number of replicates
    shared = 0.005 if name != "table1" else 0.012  # the test sets differ too
    error = np.hypot(np.hypot(both.mean_mc, both.mean_mc_stored), shared)
    z = (both["mean"] - both.mean_stored) / error
    assert z.abs().max() < 4.5 and (z.abs() < 3).mean() > 0.9, both.assign(z=z)[[*key, "mean", "mean_stored", "z"]].to_string()
    control = (both["mean"] - both.mean_stored - 0.08) / error  # a wrong result must fail
    assert (control.abs() < 3).mean() < 0.7


@pytest.mark.slow
def test_a_quick_run_of_the_intervals():
    stored, quick = (pd.DataFrame(r["rows"]).set_index(["size", "metric", "rule", "se"]) for r in
                     (load_result("intervals"), run_experiment("intervals", quick=True, seed=1, progress=False)))
    both = quick.join(stored, rsuffix="_stored")
    assert (both.mean_se / both.mean_se_stored).between(0.85, 1.15).all()
    assert ((both.covers_own_mean - both.covers_own_mean_stored).abs() < 0.13).all()


def test_reproduce_command(tmp_path, capsys):
    assert main(["--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(EXPERIMENTS)
    with pytest.raises(SystemExit): main(["table9"])
    assert "the experiments are" in capsys.readouterr().err
    with pytest.raises(ValueError, match="`name` must be one of"): load_result("table9")
    with pytest.raises(FileNotFoundError, match="python -m costboot.papers.registry table2"): load_result("table2", tmp_path)
    assert main(["table1", "--quick", "--output", str(tmp_path)]) == 0
    written = json.loads((tmp_path / EXPERIMENTS["table1"].file).read_text())
    assert written["command"].endswith("table1 --quick") and written["versions"]["numpy"] == np.__version__


def test_several_scores_come_from_the_same_trainings(data):
    "Each of several scores is what it is alone; the store, the comparison and the errors know them."
    options = dict(n_resamples=12, cv=4, **QUIET)
    names = ["f1", "roc_auc", "neg_log_loss"]
    found = assess(LinearDiscriminantAnalysis(), *data, metric=names, **options)
    for name in names:
        alone = assess(LinearDiscriminantAnalysis(), *data, metric=name, **options)
        assert dict(found[name].estimate) == dict(alone.estimate) and found[name].interval() == alone.interval() and repr(found[name]) == repr(alone)
    assert list(found) == names and list(found.to_frame().index.names) == ["score", "key"] and len(found.to_frame()) == 18
    assert [found[name].limits for name in names] == [(0.0, 1.0), (0.0, 1.0), (-np.inf, 0.0)]
    assert all(one.interval(confidence_level=0.999).high <= one.limits[1] for one in found.values())
    again = pickle.loads(pickle.dumps(found))
    assert type(again) is type(found) and repr(again) == repr(found)
    gap = compare_rules(LinearDiscriminantAnalysis(), LogisticRegression(), *data, metric=names, **options)
    assert gap["neg_log_loss"].verdict(0.01) in [f"rule 2 has the {size} negative log loss" for size in ("larger", "smaller")]
    alone = compare_rules(LinearDiscriminantAnalysis(), LogisticRegression(), *data, metric="f1", **options)
    assert dict(gap["f1"].estimate) == dict(alone.estimate)
    for bad, message in ((["f1", "auc"], "must be made of scorers"), ({"a": 3}, "must be made of scorers"), ([], "must be one of 'auc'"), ({1: "f1"}, "must be one of 'auc'")):
        with pytest.raises(ValueError, match=f"`metric` {message}"): assess(LinearDiscriminantAnalysis(), *data, metric=bad, **options)
    for bad in (lambda *_: {}, lambda *_: {1: 1.0}, lambda *_: {"a": 1.0, "b": "two"}, lambda *_: {"a": np.nan}):
        with pytest.raises(ValueError, match="`metric` must return one finite number, or a dictionary of names"): assess(LinearDiscriminantAnalysis(), *data, metric=bad, **options)
    sizes = iter(range(99))
    with pytest.raises(ValueError, match="same names for every set"): assess(LinearDiscriminantAnalysis(), *data, metric=lambda *_: {f"score {next(sizes)}": 1.0}, **options)
    with pytest.raises(ValueError, match="same names for both rules"):
        compare_rules(LinearDiscriminantAnalysis(), Perceptron(), *data, metric=lambda rule, *_: {"a": 1.0} | ({"b": 1.0} if hasattr(rule, "predict_proba") else {}), **options)


def test_stored_results_are_complete():
    for name, experiment in EXPERIMENTS.items():
        if not experiment.file.startswith("assessment"): continue
        stored = load_result(name)
        assert stored["command"] == f"python -m costboot.papers.registry {name}" and "seed" in stored["settings"] and "scikit-learn" in stored["versions"]
    assert len({row["size"] for row in load_result("table2")["rows"]}) == 10 and load_result("table2")["settings"]["trials"] == 1000


@pytest.mark.parametrize("module", [
    "retrained.statistics", "retrained.training_replicates", "retrained.error_rate", "retrained.auc", "retrained.assessment",
    "papers.assessment_chapter", "papers.registry"])
def test_heavy_libraries_are_loaded_only_when_needed(module):
    code = f"import sys, costboot.{module}; print(*[m for m in ('ipywidgets', 'matplotlib', 'sklearn', 'pandas', 'scipy.stats', 'joblib', 'numba') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == ""


@pytest.mark.parametrize(("module", "above"), [
    ("training_replicates", {"error_rate", "auc", "assessment"}), ("error_rate", {"auc", "assessment"}), ("auc", {"assessment"})])
def test_a_page_loads_no_page_that_builds_on_it(module, above):
    code = f"import sys, costboot.retrained.{module}; print(*[m.split('.')[-1] for m in sys.modules if m.startswith('costboot.retrained.')])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert module in loaded and not above & set(loaded)
