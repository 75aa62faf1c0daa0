"""Long assessments: shared memory, stores, clusters that lose a worker, and rules that are made from sums."""

import os
import time

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier

from costboot.data.score_models import Multinormal
from costboot.folds.outputs import expected_cost
from costboot.papers import rule_benchmark, rule_studies
from costboot.papers.registry import load_result, run_experiment
from costboot.retrained.assessment import assess, compare_rules
from costboot.retrained.closed_forms import rules_from_sums
from costboot.retrained.cv_variants import assess_on_test_set, split_standard_error

QUIET = dict(progress=False)
X, Y = Multinormal(3, 2.0).sample(20, rng=4)


class Witness(ClassifierMixin, BaseEstimator):
    "Answers 1 where the cases that it sees lie in memory that is shared, 0 elsewhere."
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X): return np.full(len(X), int(isinstance(X, np.memmap) or isinstance(X.base, np.memmap)))


class Slow(KNeighborsClassifier):
    "Takes its time, so that a worker can be killed in the middle."
    def fit(self, X, y):
        time.sleep(0.05)
        return super().fit(X, y)


def test_processes_share_the_cases():
    "Two megabytes of cases are mapped by the workers, not copied; the recall gives it away."
    y = np.zeros(4000, dtype=int)
    y[:2000] = 1
    cases = np.random.default_rng(0).standard_normal((4000, 60))
    told = [assess(Witness(), cases, y, n_resamples=2, cv=None, metric="recall", rng=0, n_jobs=n, **QUIET).estimate["simple"] for n in (None, 2)]
    assert told == [0.0, 1.0]


def test_a_store_serves_two_rules(tmp_path):
    rules, options = (KNeighborsClassifier(1), KNeighborsClassifier(3)), dict(n_resamples=10, cv=3, se="plain", rng=5, **QUIET)
    first, again = (compare_rules(*rules, X, Y, store=tmp_path, **options) for _ in range(2))
    assert dict(first.estimate) == dict(again.estimate) == dict(compare_rules(*rules, X, Y, **options).estimate)
    assert len(list(tmp_path.glob("*/*.block"))) == 2 * 14
    broken = next((tmp_path / "estimator_1").glob("*.block"))
    broken.write_bytes(b"no array")
    with pytest.warns(UserWarning, match=rf"{broken.name} \(damaged\)"): told = compare_rules(*rules, X, Y, store=tmp_path, **options)
    assert dict(told.estimate) == dict(first.estimate)
    with pytest.raises(ValueError, match="`store` must hold answers of the same design.*cases: stored"): compare_rules(*rules, X + 1, Y, store=tmp_path, **options)
    with pytest.raises(ValueError, match="`rng` must be a seed"): compare_rules(*rules, X, Y, store=tmp_path, **options | {"rng": None})


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_gives_the_same_numbers():
    distributed = pytest.importorskip("dask.distributed", reason="dask is not installed")
    import threading

    import joblib
    options = dict(n_resamples=60, cv=5, rng=1, **QUIET)
    here, died = assess(Slow(3), X, Y, **options), []
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        first = sorted(client.run(os.getpid).values())[0]

        def kill():
            os.kill(first, 9)
            died.append(first)
        threading.Timer(1.0, kill).start()
        with joblib.parallel_config(backend="dask"): there = assess(Slow(3), X, Y, **options)
        left = set(client.run(os.getpid).values())
    assert died and first not in left
    assert dict(here.estimate) == dict(there.estimate) and dict(here.se) == dict(there.se)


@pytest.mark.parametrize("rule", [LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis()])
def test_rules_from_sums_leave_singular_replicates_alone(rule):
    counts = np.ones((3, 40), dtype=int)
    counts[1, 2:20] = 0  # two different cases of a class in three features
    counts[2, :20] = 0  # no case at all
    made = rules_from_sums(rule, X, Y)(counts)
    assert [r is None for r in made] == [False, isinstance(rule, QuadraticDiscriminantAnalysis), True]
    np.testing.assert_allclose(made[0].decision_function(X), rule.fit(X, Y).decision_function(X), rtol=1e-8, atol=1e-9)
    assert rules_from_sums(rule, np.where(X > 9, X, np.nan), Y) is None


def test_costs_of_labels_in_any_order():
    "The target comes second in a two-class cost, whatever its name."
    cost, options = expected_cost(0.2, cost_fn=7), dict(n_resamples=20, cv=None, se="plain", rng=1, **QUIET)
    usual = assess(LinearDiscriminantAnalysis(), X, Y, metric=cost, **options).estimate
    for response in ("auto", "predict_proba"):
        usual = assess(LinearDiscriminantAnalysis(), X, Y, metric=cost, response=response, **options).estimate
        for names in (("a", "b"), ("b", "a")):
            other = assess(LinearDiscriminantAnalysis(), X, np.array(names)[Y], metric=cost, response=response, pos_label=names[1], **options).estimate
            assert other["apparent"] == pytest.approx(usual["apparent"]) and other["b632plus"] == pytest.approx(usual["b632plus"])


def test_a_rule_that_ignores_its_training_has_no_design_variance():
    class Fixed(Witness):
        def predict(self, X): return (X[:, 0] > 0.3).astype(int)
    found = assess_on_test_set(Fixed(), X, Y, *Multinormal(3, 2.0).sample(30, rng=8), n_resamples=10, rng=0, **QUIET)
    assert found.design == 0 and found.se() == found.se("mean") > 0


def test_direct_part_of_half_splits_is_below_the_whole():
    rng = np.random.default_rng(2)
    tested = np.argsort(rng.random((80, 30)), axis=1) < 15
    hard = rng.random(30)
    lost = (rng.random((80, 30)) < hard).astype(float)
    parts = [split_standard_error(lost, tested, part=part) for part in ("direct", "corrected", "plain")]
    assert 0 < parts[0] <= parts[1] < parts[2]


# --- stored results on real data, run again ------------------------------------------------------------------------------
def same_rows(found, stored, design):
    "The rows of a design agree with the stored ones, up to rounding in the last stored digit."
    old = [row for row in stored["rows"] if row["design"] == design]
    assert len(found) == len(old) > 0
    for a, b in zip(found, old):
        for key in a:
            if isinstance(a[key], str): assert a[key] == b[key]
            else: assert a[key] == pytest.approx(b[key], abs=2e-3 if key != "correlation" else 2e-2), (key, a, b)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("at", [0, 30, 55, 72, 110])
def test_the_benchmark_again(at):
    "One design of a linear, a quadratic and a logistic rule, of a forest, and of an area, with the seed of the command, as stored."
    stored = load_result("rule-benchmark")
    design = rule_benchmark.BENCHMARK_DESIGNS[at]
    told, rows = rule_benchmark.run_benchmark_design(design, rule_benchmark.BENCHMARK_RULES[design.rule][1], [stored["settings"]["seed"], at])
    assert told == stored["designs"][at]
    same_rows(rows, stored, at)


@pytest.mark.slow
@pytest.mark.data
def test_intervals_on_real_data_again(monkeypatch):
    "The first design of `rule-intervals-real`, by the command, with all its training sets."
    stored = load_result("rule-intervals-real")
    monkeypatch.setattr(rule_studies, "REAL_DESIGNS", rule_studies.REAL_DESIGNS[:1])
    again = run_experiment("rule-intervals-real", progress=False)
    assert again["designs"] == stored["designs"][:1]
    same_rows([{k: v for k, v in row.items() if k != "design"} for row in again["rows"]], stored, 0)


@pytest.mark.data
@pytest.mark.parametrize("name", ["rule-benchmark", pytest.param("rule-intervals-real", marks=pytest.mark.slow)])
def test_quick_forms_on_real_data(name):
    found = run_experiment(name, quick=True, progress=False)
    assert found["rows"] and found["command"].endswith("--quick")
    assert all(0 <= row.get("mean", 0) <= 1 for row in found["rows"])


@pytest.mark.parametrize("name", ["cv-variants", "two-sets"])
def test_quick_forms_on_normal_classes(name):
    assert len(run_experiment(name, quick=True, progress=False)["rows"]) in (1, 12)
