"""Intervals of every estimate of a retrained rule: derivatives, limits, and what was measured."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from costboot.data.score_models import Multinormal
from costboot.papers.registry import load_result, run_experiment
from costboot.retrained.assessment import BEST, ESTIMATOR_NAMES, assess, compare_rules
from costboot.retrained.auc import AucMetric, _leave_pair_out, area_direct, replicate_areas, weighted_areas
from costboot.retrained.error_rate import ErrorMetric, FoldTable, Ingredients, Level, plus_weighted
from costboot.retrained.rule_comparisons import compare_all_rules, five_by_two
from costboot.retrained.rule_intervals import (
    RuleError, bounded_limits, estimator_influences, nested_error, plain_limits, plus_gradient,
)
from costboot.retrained.training_replicates import draw_counts

QUIET = dict(rng=0, progress=False)
shares = st.floats(0.01, 0.99)


@pytest.fixture(scope="module")
def data(): return Multinormal(5, 2.0).sample(20, rng=11)


# --- derivatives -----------------------------------------------------------------------------------------------------

@given(shares, shares, shares, st.sampled_from([1, -1]))
@settings(max_examples=150, deadline=None)
def test_slopes_are_the_derivatives(apparent, out, gamma, worse):
    if min(abs(gamma - apparent), abs(out - apparent), abs(out - gamma)) < 1e-4: return  # at a border
    at, slopes = np.array([apparent, out, gamma]), plus_gradient(apparent, out, gamma, worse)
    for j in range(3):
        up, down = (plus_weighted(*(at + s * np.eye(3)[j]), worse=worse) for s in (1e-7, -1e-7))
        assert (up - down) / 2e-7 == pytest.approx(slopes[j], abs=1e-4)
    assert sum(slopes) == pytest.approx(1)


def test_composites_of_the_area_by_finite_reweighting(data):
    "Classes perturbed one at a time, as stratified replicates are; the smooth one stands in for the star version."
    X, y = data
    positive, n = y == 1, 20
    counts, _ = draw_counts(y, 120, True, np.random.default_rng(3))
    draws = [np.repeat(np.arange(40), row) for row in counts]
    scores = np.array([LinearDiscriminantAnalysis().fit(X[d], y[d]).decision_function(X) for d in draws])
    full = LinearDiscriminantAnalysis().fit(X, y).decision_function(X)
    value, influence, _ = _leave_pair_out(scores, counts, positive)
    on_all = replicate_areas(scores, counts, positive)[:, 0]
    kernel = (scores[:, positive, None] > scores[:, None, ~positive]).astype(float)
    out = ((counts[:, positive] == 0)[:, :, None] & (counts[:, ~positive] == 0)[:, None]).astype(float)

    def tilted(i, step):
        p = np.full(40, 1 / n)
        p[y == y[i]] *= 1 - step
        p[i] += step
        chance = np.prod((n * p) ** counts, axis=1)
        held = out * chance[:, None, None]
        pairs = (held * kernel).sum(axis=0) / held.sum(axis=0)
        apparent = weighted_areas(full[positive], full[~positive], p[None, positive], p[None, ~positive])[0]
        return apparent + chance @ on_all / chance.sum() - on_all.mean(), p[positive] @ pairs @ p[~positive]

    apparent, _ = tilted(0, 0.0)
    estimate = {"apparent": apparent, "star": value, "leave_pair_out": value}
    parts = Ingredients({"apparent": Level(area_direct(full, positive), on_all)}, 0.5, -1)
    found = estimator_influences(estimate, "leave_pair_out", influence, parts, counts, y)
    formulas = {"b632": lambda a, o: 0.368 * a + 0.632 * o, "b632plus": lambda a, o: plus_weighted(a, o, 0.5, worse=-1)}
    for name, formula in formulas.items():
        finite = np.array([formula(*tilted(i, 1e-5)) - formula(*tilted(i, -1e-5)) for i in range(40)]) / 2e-5
        np.testing.assert_allclose(n * (found[name].direct + found[name].training), finite, atol=1e-6)


# --- folds -----------------------------------------------------------------------------------------------------------

def test_a_splitter_that_repeats_is_the_same_as_repeats(data):
    "Nadeau and Bengio's formula by hand, from scikit-learn's folds."
    X, y = data
    found = assess(LinearDiscriminantAnalysis(), X, y, cv=RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=1), n_resamples=5, **QUIET)
    values = [
        np.mean(LinearDiscriminantAnalysis().fit(X[a], y[a]).predict(X[b]) != y[b])
        for a, b in RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=1).split(X, y)
    ]
    se = np.sqrt((1 / 20 + 8 / 32) * np.var(values, ddof=1))
    assert found.errors["cv"]["corrected"] == pytest.approx((se, 19))
    low, high = found.interval("cv", 0.9, "corrected")
    assert (low, high) == pytest.approx(np.clip(np.mean(values) + se * stats.t.ppf([0.05, 0.95], 19), 0, 1))


@pytest.mark.parametrize("metric", ["error", "auc"])
def test_shuffles_do_not_make_cases(data, metric):
    "More shuffles make the naive interval of folds narrower; the recommended one stays."
    few, many = (assess(LinearDiscriminantAnalysis(), *data, metric=metric, cv=5, cv_repeats=r, n_resamples=5, **QUIET) for r in (2, 20))
    ratio = many.se["cv"] / few.se["cv"]
    assert 0.8 < ratio < 1.25
    assert few.errors["cv"]["recommended"].degrees == many.errors["cv"]["recommended"].degrees


def test_one_test_case_a_fold_has_no_noise_to_subtract():
    losses = tuple(np.array([v]) for v in (0.0, 1.0, 0.0))
    table = FoldTable(np.array([0.0, 1.0, 0.0]), np.ones(3, int), np.full(3, 2), losses)
    value, error = nested_error(table, tuple(np.array([0.0, 1.0]) for _ in range(3)), 3)
    assert np.isfinite(value) and error.se > 0


def test_nested_and_leave_one_out_stand_in_the_table(data):
    found = assess(KNeighborsClassifier(3), *data, cv=4, cv_repeats=3, nested=True, loocv=True, n_resamples=20, **QUIET)
    assert {"nested_cv", "loocv"} <= set(found.se) and 0 <= found.estimate["nested_cv"] <= 1
    assert list(found.estimate) == [key for key in ESTIMATOR_NAMES if key in found.estimate]
    naive, se = found.errors["cv"]["naive"].se, found.se["nested_cv"]
    assert naive * (1 - 1e-12) <= se <= 2 * naive * (1 + 1e-12)  # between 1 and root of 4


@pytest.mark.parametrize(("change", "error", "message"), [
    (dict(nested=True, metric="auc"), ValueError, "`nested` must be False unless"),
    (dict(nested=True, cv=None), ValueError, "`nested` must be False unless"),
    (dict(nested="yes"), TypeError, "`nested` must be True or False"),
    (dict(nested=True, cv=2), ValueError, "`cv` must be a whole number, at least 3"),
    (dict(cv=RepeatedStratifiedKFold(), cv_repeats=2), ValueError, "`cv_repeats` must be 1 unless"),
    (dict(cv_repeats=0), ValueError, "`cv_repeats` must be a whole number"),
])
def test_folds_refuse(data, change, error, message):
    with pytest.raises(error, match=message): assess(DummyClassifier(), *data, **dict(n_resamples=3) | QUIET | change)


# --- limits ----------------------------------------------------------------------------------------------------------

@given(st.floats(0, 1), st.floats(0, 0.3), st.integers(3, 200), st.sampled_from([0.5, 0.9, 0.99]), st.sampled_from([ErrorMetric, AucMetric]))
@settings(max_examples=150, deadline=None)
def test_limits_contain_the_estimate_and_never_vanish(value, se, n, level, kind):
    floor = kind.floor(value, (n, n))
    low, high = bounded_limits(value, RuleError(se, 2 * n - 2), floor, level)
    assert 0 <= low <= value <= high <= 1 and high - low > 0
    wider = bounded_limits(value, RuleError(se + 0.05, 2 * n - 2), floor, level)
    assert wider.low <= low + 1e-12 and high <= wider.high + 1e-12


def test_limits_of_a_separated_set_are_not_a_point():
    X, y = Multinormal(2, 400.0).sample(15, rng=0)
    for metric in ("error", "auc"):
        found = assess(LinearDiscriminantAnalysis(), X, y, metric=metric, n_resamples=20, **QUIET)
        low, high = found.interval()
        assert high - low > 0.03 and (low == 0 or high == 1)


def test_plain_limits_follow_student():
    assert plain_limits(0.2, RuleError(0.1, 7), 0.95) == pytest.approx(0.2 + 0.1 * stats.t.ppf([0.025, 0.975], 7))
    assert plain_limits(0.2, RuleError(0.1), 0.95) == pytest.approx(0.2 + 0.1 * stats.norm.ppf([0.025, 0.975]))


def test_a_loss_of_ones_own_has_no_limits(data):
    def heavy(labels, answers): return 10.0 * (labels != answers)
    found = assess(LinearDiscriminantAnalysis(), *data, loss=heavy, n_resamples=40, **QUIET)
    usual = assess(LinearDiscriminantAnalysis(), *data, n_resamples=40, **QUIET)
    for key in found.se: assert found.se[key] == pytest.approx(10 * usual.se[key])
    low, high = found.interval()
    assert (low + high) / 2 == pytest.approx(found.estimate[BEST]) and high > 1


def test_the_interval_of_a_difference_for_every_estimate(data):
    found = compare_rules(LinearDiscriminantAnalysis(), DummyClassifier(), *data, n_resamples=30, cv=4, cv_repeats=2, nested=True, loocv=True, **QUIET)
    for key in found.se:
        assert "scaled" not in found.errors[key]
        p = found.p_value(estimator=key)
        for alpha in (p * 0.999, p * 1.001):
            if not 0 < alpha < 1: continue
            low, high = found.interval(key, 1 - alpha)
            assert (p < alpha) == (not low <= 0 <= high)


# --- what was measured -----------------------------------------------------------------------------------------------

def test_the_recommended_interval_is_recommended_for_a_reason():
    stored = load_result("rule-intervals-real")
    table, chance = pd.DataFrame(stored["rows"]), 2 * np.sqrt(0.09 / stored["settings"]["trials"])
    best = table[(table.estimator == BEST) & (table.method == "recommended")]
    assert len(best) == len(stored["designs"]) and best[["mean", "conditional"]].min().min() > 0.9 - chance
    assert table[table.method == "naive"]["mean"].max() < 0.9 - chance  # the negative control


def test_the_numbers_that_the_page_says_about_normal_classes():
    stored = load_result("rule-intervals")
    table = pd.DataFrame(stored["rows"])
    table = table[table.method == "recommended"].join(pd.DataFrame(stored["designs"])[["metric", "rule"]], on="design")
    worst = table.groupby(["metric", "estimator", table.rule == "1-NN"])["mean"].min()
    assert worst["error", BEST, False] == 0.908 and worst["auc", BEST, False] == 0.916  # as printed
    assert worst["error", BEST, True] == 0.794 and worst["error", "b632", True] == 0.142
    assert min(worst["error", "cv", False], worst["error", "cv", True]) == 0.9


def test_a_short_run_of_the_tests_agrees_with_what_is_stored():
    stored, quick = load_result("rule-tests"), run_experiment("rule-tests", quick=True, progress=False)
    full, trials = pd.DataFrame(stored["rows"]).set_index(["design", "test"]), quick["settings"]["trials"]
    for number, design in enumerate(quick["designs"]):
        assert {k: design[k] for k in ("distance_1", "distance_2", "size")}.items() <= stored["designs"][number].items()
    for row in quick["rows"]:
        chance = np.clip(full.loc[(row["design"], row["test"])].rejects_10, 0.04, 0.96)
        assert abs(row["rejects_10"] - chance) < 4 * np.sqrt(chance * (1 - chance) / trials)


def test_a_short_run_of_the_intervals_is_reproducible():
    one, two = (run_experiment("rule-intervals", quick=True, progress=False)["rows"] for _ in range(2))
    assert one == two and {row["method"] for row in one} >= {"recommended", "naive", "scaled", "jackknife", "corrected", "normal"}
    covers = [row["mean"] for row in one if row["estimator"] == BEST and row["method"] == "recommended"]
    assert len(covers) == 3 and min(covers) > 0.7  # 25 training sets: 0.9 - 3.3 standard errors


def test_holm_and_the_better_rule(data):
    rules = {"linear": LinearDiscriminantAnalysis(), "constant": DummyClassifier(), "again": LinearDiscriminantAnalysis()}
    found = compare_all_rules(rules, *data, n_resamples=30, cv=None, **QUIET)
    plain = {names: pair.p_value() for names, pair in found.pairs.items()}
    assert plain["linear", "again"] == 1 and all(found.p_values[names] >= plain[names] for names in plain)
    frame = found.to_frame(estimator="leave_one_out")
    assert frame.difference.tolist() == ["constant - linear", "again - linear", "again - constant"] and frame.better[1] == "not distinguishable"
    with pytest.raises(TypeError, match="`rules` must be a dictionary"): compare_all_rules([DummyClassifier()] * 2, *data, **QUIET)


def test_five_by_two_by_hand(data):
    found = five_by_two(LinearDiscriminantAnalysis(), KNeighborsClassifier(1), *data, rng=2)
    d = found.differences
    spread = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum()
    assert found.p_value == pytest.approx(stats.f.sf((d**2).sum() / (2 * spread), 10, 5))
    assert found.p_value_t == pytest.approx(2 * stats.t.sf(abs(d[0, 0]) / np.sqrt(spread / 5), 5))


def test_families_of_rules():
    "Few families of the small size: the shares are shares, Holm's are not larger, and the stored ones are near."
    quick, stored = run_experiment("rule-families", quick=True, progress=False), load_result("rule-families")
    known = {(row["design"], row["cases"]): row for row in stored["rows"]}
    for row in quick["rows"]:
        assert row["mistakes_holm"] <= row["mistakes_plain"] and row.get("power_holm", 0) <= row.get("power_plain", 0)
        for name in set(row) - {"design", "cases"}: assert abs(row[name] - known[row["design"], row["cases"]][name]) < 4 * np.sqrt(0.25 / quick["settings"]["trials"])
