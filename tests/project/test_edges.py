"""Tables, pictures, messages and rare branches that the files on single topics do not ask for."""

import gzip
import io
import json
import sys

import matplotlib

matplotlib.use("Agg")

import ipywidgets  # noqa: E402
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
import pytest  # noqa: E402
from matplotlib import pyplot as plt  # noqa: E402
from scipy import stats  # noqa: E402
from scipy.integrate import quad  # noqa: E402
from sklearn.base import BaseEstimator, ClassifierMixin  # noqa: E402
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis  # noqa: E402

import costboot as cb  # noqa: E402
from costboot.comparisons.unpaired import _listed_ppf  # noqa: E402
from costboot.core.enumeration import _multisets  # noqa: E402
from costboot.core.explorer_tool import control_ends  # noqa: E402
from costboot.laws.smoothed_tpr import _pair_distances, _smooth  # noqa: E402
from costboot.folds.operating_points import _retarget  # noqa: E402
from costboot.retrained.training_replicates import check_cases, draw_counts  # noqa: E402
from costboot.papers.registry import load_result  # noqa: E402
from costboot.folds.outputs import _make_folds, _soft_outputs, check_classes, measure_table  # noqa: E402

Y = np.repeat([1, 0], [6, 8])
S, Z = np.random.default_rng(0).normal(size=(2, 14)) + Y


pytestmark = pytest.mark.usefixtures("close_figures")


# --- tables, pictures and short descriptions -------------------------------------------------------------------------
def test_an_area_as_table_bar_and_line():
    law, pair = cb.exact_auc(Y, S), cb.exact_auc_difference(Y, S, Z)
    low, high = law.interval(0.8)
    table = law.to_frame(0.8)
    assert table.to_numpy().ravel().tolist() == [law.mean, law.std, low, high, 0.8, "recommended"] and list(table) == ["mean", "std", "low", "high", "level", "method"]
    limits = "{:.4f} to {:.4f}".format(*law.interval())
    assert repr(law) == f"AucLaw(AUC = {law.mean:.4f}, std={law.std:.4f}, 90% interval {limits} (recommended), m_pos=6, m_neg=8)" and "AUC 2 - AUC 1 = " in repr(pair)
    assert law.limits == (0.0, 1.0) and pair.limits == (-1.0, 1.0)
    ax = law.plot()
    pair.plot(ax, label="two")
    assert [c.get_label() for c in ax.containers] == ["90% interval (recommended)", "two: 90% interval (recommended)"] and ax.get_xlabel().startswith("ΔAUC")


def test_a_comparison_of_rules_shows_no_difference():
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 15)
    X = rng.normal(size=(30, 2)) + y[:, None]
    found = cb.compare_rules(LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), X, y, metric="auc", n_resamples=12, cv=None, rng=1, progress=False)
    ax = found.plot()
    assert ax.get_xlabel() == "AUC, area under the ROC curve, rule 2 minus rule 1 (-1 to 1)"
    assert any(line.get_linestyle() == "--" and set(line.get_xdata()) == {0} for line in ax.lines), "the line of no difference"


def test_counts_of_a_table_as_table():
    counts = cb.counts_from(pd.DataFrame({"y": Y, "s": S}), "y", "s", threshold=[0.0, 1.0])
    table = counts.to_frame()
    np.testing.assert_allclose(table[["tpr", "fpr"]], [[np.mean(S[Y == k] >= t) for k in (1, 0)] for t in (0.0, 1.0)])
    assert repr(counts) == "TableCounts(2 thresholds, 6 positives, 8 negatives)" and repr(counts) in counts._repr_html_() and "<table" in counts._repr_html_()
    with pytest.raises(TypeError, match="`w` must be given, here or to `counts_from`"): counts.exact_cost()


def test_a_budget_as_table():
    law = cb.exact_rates_at_budget(Y, S, [0.3, 0.6])
    table = law.to_frame(0.8)
    assert len(law) == 2 and list(table)[:2] == ["budget", "treated"]
    for name in ("tpr", "fpr", "precision"):
        one = getattr(law, name)
        np.testing.assert_array_equal(table[[name, f"{name}_low", f"{name}_high"]].T, [one.mean, *one.interval(0.8)])


def test_laws_say_what_they_are():
    law = cb.exact_cost(Y, S, [0.2, 0.5], 0.0)
    assert repr(law) in law._repr_html_() and law._repr_html_().count("<tr>") == 2
    with pytest.raises(ValueError, match=r"`q` must be a number or have a last axis of 1 or 2 \(the points\); got shape \(3,\)"): law.ppf([0.1, 0.2, 0.3])
    roc = cb.exact_roc(Y, S, [0.0, 1.0])
    assert repr(roc) == "RocLaw(2 points, m_neg=8, m_pos=6)" and repr(cb.exact_roc(Y, S, 0.0)).startswith("RocLaw(1 point,")
    ax = roc.plot()
    assert ax.get_xlabel().startswith("FPR") and len(ax.collections) == 1 and len(ax.collections[0].get_paths()) == 2
    soft = cb.folds.FoldOutputs(Y, S, np.arange(14) % 2)
    assert repr(soft) == "FoldOutputs(14 instances, one output each, 2 folds, 2 classes)"
    assert "2 outputs each" in repr(cb.folds.FoldOutputs(Y, np.column_stack([-S, S]), np.arange(14) % 2))
    found = cb.search_weights(Y, np.column_stack([-S, S]) - min(-S.max(), S.min()), n_keep=3, rng=0)
    errors = found.class_errors.max(axis=1)
    assert repr(found) == f"WeightSearch({len(found)} weight vectors for 2 classes, maximum class error {errors[0]:.4g} to {errors[-1]:.4g})"


def test_differences_have_a_line_at_zero():
    full = cb.exact_cost_difference(Y, S, Z, [0.2, 0.5, 0.8], 0.0, 0.0, sampling="full")
    apart = cb.independent_difference(cb.exact_cost(Y, S, [0.2, 0.5], 0.0), cb.exact_cost(Y, Z, [0.2, 0.5], 0.0))
    for law in (full, apart):
        ax = law.plot(label="d")
        assert any(set(np.ravel(line.get_ydata())) == {0} for line in ax.lines) and any(np.allclose(line.get_ydata(), law.mean) for line in ax.lines if len(line.get_ydata()) == len(law))


def test_simulated_coverage_has_a_shade_and_exact_coverage_none():
    exact = cb.exact_coverage(cb.Binormal(1.0), 10, w=[0.3, 0.6])
    simulated = cb.coverage(cb.Binormal(1.0), cb.Binormal(1.0).cost([0.3, 0.6], 0.0), lambda y, s: cb.exact_cost(y, s, [0.3, 0.6], 0.0), n_pos=10, n_simulations=30, rng=0, progress=False, x=[0.3, 0.6])
    assert len(exact.plot().collections) == 0
    (shade,) = simulated.plot().collections
    top = shade.get_paths()[0].vertices[:, 1].max()
    assert top == pytest.approx(np.clip(simulated.coverage + 2 * simulated.se, 0, 1).max())


@pytest.mark.parametrize("method", ["bootstrap", "jackknife", "influence"])
def test_bias_and_standard_error_of_a_statistic_drawn(method):
    data = np.arange(12.0) ** 1.5
    estimate = {"bootstrap": lambda: cb.bootstrap_estimate(data, np.mean, n_resamples=50, rng=0), "jackknife": lambda: cb.jackknife_estimate(data, np.mean),
                "influence": lambda: cb.influence_estimate(data, lambda x, w: w @ x)}[method]()
    low, high = estimate.interval(0.9)
    assert (low + high) / 2 == pytest.approx(data.mean()) and high - low == pytest.approx(2 * stats.norm.ppf(0.95) * estimate.se)
    ax = estimate.plot()
    if method == "influence": assert len(ax.collections[0].get_segments()) == 12 and ax.get_xlabel() == "case $i$"
    else: assert sum(p.get_height() for p in ax.patches) == len(estimate.replicates) and ax.get_ylabel() == "replicates"


def test_a_statistic_of_rows_and_one_that_fails():
    rows = np.random.default_rng(0).normal(size=(20, 2))
    found = cb.bootstrap_estimate(rows, lambda x: np.corrcoef(x.T)[0, 1], n_resamples=60, rng=1)
    assert found.estimate == pytest.approx(np.corrcoef(rows.T)[0, 1]) and found.replicates.size == 60 and found.se > 0
    with pytest.raises(ValueError, match="`statistic` must return one finite number"): cb.jackknife_estimate(rows, lambda x: x.mean(axis=0))
    with pytest.raises(ValueError, match="`statistic` must be finite for every replicate; got"), np.errstate(all="ignore"):
        cb.bootstrap_estimate([0.0, 0.0, 1.0], lambda x, axis=-1: 1 / np.mean(x, axis=axis), n_resamples=40, rng=0)


def test_the_page_of_a_comparison():
    made = cb.compare(Y, {"a": S, "b": Z}, {"a": 0.0, "b": 0.0})
    figure = cb.explorers.fig_comparison(made)
    left, right = figure.axes
    assert len(left.lines) >= 2 and {t.get_text().strip("\u200b") for t in left.get_legend().get_texts()} >= {"a", "b"} and right.lines
    assert plt.get_fignums() == []


def test_ends_of_menus_with_several_choices():
    both = ipywidgets.SelectionRangeSlider(options=[1, 2, 3], index=(0, 1))
    assert control_ends(both) == [(1, 3), (1, 1), (3, 3)]
    assert control_ends(ipywidgets.SelectMultiple(options=["a", "b"], value=["a"])) == [(), ("a", "b"), ("a",), ("b",)]


# --- numbers ---------------------------------------------------------------------------------------------------------
def vertical_oracle(rates, chances, true, n_pos, level, method):
    "Inside, below, above and mean length when the true positive rate at the threshold is one of `rates`."
    counts = np.arange(n_pos + 1)
    pmf = sum(p * stats.binom.pmf(counts, n_pos, rate) for rate, p in zip(rates, chances))
    low, high = cb.core.BinomialProportion(x=counts, count=counts, n=n_pos, m=n_pos).interval(level, method)
    below, above = true < low - 1e-12, true > high + 1e-12
    return [pmf @ ~(below | above), pmf @ below, pmf @ above, pmf @ (high - low)]


@pytest.mark.parametrize("method", ["wald", "agresti", "exact"])
def test_coverage_at_a_test_sets_own_threshold_of_a_population(method):
    "All test sets of three negatives from a population of four."
    people = cb.coverages.Population(Y, S)
    neg = np.sort(S[Y == 0])[::-1]
    found = cb.exact_coverage(people, 5, 3, of="vertical", fpr=[1 / 3, 2 / 3], confidence_level=0.8, method=method)
    for i, rank in enumerate((1, 2)):
        chances = np.zeros(neg.size)
        for drawn, p in _multisets(neg.size, 3): chances[np.sort(drawn)[rank - 1]] += p
        expected = vertical_oracle([np.mean(S[Y == 1] >= t) for t in neg], chances, float(people.roc(rank / 3)), 5, 0.8, method)
        np.testing.assert_allclose([found.coverage[i], found.below[i], found.above[i], found.width[i]], expected, rtol=0, atol=1e-12)


def test_coverage_at_a_test_sets_own_threshold_of_a_model():
    "The share of negatives above the r-th largest of n has a beta law."
    model, n_pos, n_neg, rank = cb.Binormal(1.0), 4, 7, 2
    found = cb.exact_coverage(model, n_pos, n_neg, of="vertical", fpr=rank / n_neg, method="agresti")
    counts, true = np.arange(n_pos + 1), float(model.roc(rank / n_neg))
    pmf = [quad(lambda u, k=k: stats.beta.pdf(u, rank, n_neg - rank + 1) * stats.binom.pmf(k, n_pos, float(model.roc(u))), 0, 1, epsabs=1e-12)[0] for k in counts]
    low, high = cb.core.BinomialProportion(x=counts, count=counts, n=n_pos, m=n_pos).interval(0.9, "agresti")
    assert found.coverage[0] == pytest.approx(np.array(pmf) @ ((low <= true) & (true <= high)), abs=1e-8) and found.x[0] == rank / n_neg
    with pytest.raises(TypeError, match=r"`truth` must be a model with `fpr\(t\)` and `tpr\(t\)`"): cb.exact_coverage("model", 5, of="tpr", threshold=0.0)
    with pytest.raises(TypeError, match="`fpr` must be given for of='vertical'"): cb.exact_coverage(model, 5, of="vertical")


@pytest.mark.parametrize(("prevalence", "error"), [(stats.beta(2, 3), 1e-9), (stats.uniform(0.2, 0.5), 1e-9), (stats.beta(2, 3, loc=0.1, scale=0.5), 1e-5)])
@pytest.mark.parametrize("difference", [False, True])
def test_an_uncertain_prevalence_has_the_moments_of_its_law(prevalence, error, difference):
    "Mean over the prevalence, and variance within plus variance between; a law that is known by its quantiles only is integrated less exactly."
    def law(p):
        if difference: return cb.exact_cost_difference(Y, S, Z, [0.3, 0.7], 0.0, 0.2, sampling="full", prevalence=p)
        return cb.exact_cost(Y, S, [0.3, 0.7], 0.0, sampling="full", prevalence=p)
    mixture, (low, high) = law(prevalence), prevalence.support()
    def expect(f): return np.array([quad(lambda p, i=i: f(law(p))[i] * prevalence.pdf(p), low, high, epsabs=1e-11)[0] for i in range(2)])
    mean = expect(lambda one: one.mean)
    np.testing.assert_allclose(mixture.mean, mean, rtol=0, atol=error)
    np.testing.assert_allclose(mixture.var, expect(lambda one: one.var + (one.mean - mean) ** 2), rtol=max(error, 1e-7))


def test_quantiles_and_draws_of_an_uncertain_prevalence():
    mixture = cb.exact_cost(Y, S, [0.3, 0.7], 0.0, sampling="full", prevalence=[0.2, 0.2, 0.5])
    for i in range(2):
        atoms, chances = mixture.support(i)
        for q in (0.05, 0.4, 0.9): assert mixture.ppf(q)[i] == pytest.approx(atoms[np.searchsorted(np.cumsum(chances), q - 1e-12)], abs=1e-9)
        assert atoms @ chances == pytest.approx(mixture.mean[i])
    drawn = mixture.rvs(500, rng=0)
    assert drawn.shape == (500, 2) and (np.abs(drawn.mean(axis=0) - mixture.mean) < 5 * mixture.std / np.sqrt(500)).all()


def test_a_mixture_of_binomials():
    "Two points, three components; one of them absent at the second point."
    parts = cb.core.BinomialProportion(x=[0, 1, 2], count=[1, 3, 6], n=7, m=5)
    weights = np.array([[0.2, 0.3, 0.5], [0.6, 0.4, 0.0]])
    law = cb.core.Mixture(x=[0, 1], components=parts, weights=weights)
    for i in range(2):
        values, chances = law.support(i)
        expected = sum(w * stats.binom.pmf(np.arange(6), 5, c / 7) for w, c in zip(weights[i], (1, 3, 6)))
        np.testing.assert_allclose(chances, expected, rtol=1e-12)
        np.testing.assert_allclose([values @ chances, (values - law.mean[i]) ** 2 @ chances], [law.mean[i], law.var[i]], rtol=1e-12)
    with pytest.raises(ValueError, match=r"`weights` must have shape \(points, components\)"): cb.core.Mixture(x=[0, 1], components=parts, weights=weights[:1])
    with pytest.raises(ValueError, match="must sum to 1 at each point"): cb.core.Mixture(x=[0, 1], components=parts, weights=2 * weights)


def test_a_weighted_sum_with_too_many_atoms_and_too_few_points():
    def part(points): return cb.core.BinomialProportion(x=np.arange(points), count=np.full(points, 500_000), n=1_000_000, m=1_000_000)
    law = cb.core.WeightedSum(x=[0], law_1=part(1), law_2=part(1), weight_1=[0.3], weight_2=[0.7])
    with pytest.raises(ValueError, match="`support` must fit in memory, which allows 20,000,000 atoms; this point has about"): law.support(0)
    assert law.cdf(0.5)[0] == pytest.approx(0.5, abs=1e-2)
    with pytest.raises(ValueError, match=r"`law_2` must have as many points as `x` \(1\); got 2"): cb.core.WeightedSum(x=[0], law_1=part(1), law_2=part(2), weight_1=[0.3], weight_2=[0.7])


@pytest.mark.parametrize("level", [0.01, 0.5, 0.99, 1.0])
@pytest.mark.parametrize(("centre", "half"), [(0.0, 1e-3), (5.0, 1e-6), (-5.0, 1e-6), (0.0, 10.0)])
def test_the_quantile_of_a_difference_is_found_from_any_start(level, centre, half):
    rng = np.random.default_rng(1)
    (a, p), (b, r) = ((np.sort(rng.random(9)), rng.dirichlet(np.ones(9))) for _ in range(2))
    values, chances = np.subtract.outer(a, b).ravel(), np.outer(p, r).ravel()
    order = np.argsort(values)
    expected = values[order][np.searchsorted(np.cumsum(chances[order]), level - 1e-12)]
    assert _listed_ppf((a, p), (b, r), level - 1e-12, centre, half, 1e-12) == pytest.approx(expected, abs=1e-10)


def test_kernel_estimates_of_many_scores_are_those_of_few():
    "Beyond 4000 scores they are binned, beyond 500 their distances are."
    rng = np.random.default_rng(2)
    scores = rng.normal(size=4001)
    binned, plain, x = _smooth(scores, "positives"), _smooth(scores[:4000], "positives"), np.linspace(-2, 2, 9)
    assert binned.weights.sum() == pytest.approx(1) and binned.weights @ binned.points == pytest.approx(scores.mean(), abs=1e-12)
    np.testing.assert_allclose(binned.cdf(x, 0.3), [np.mean(stats.norm.cdf((at - scores) / 0.3)) for at in x], rtol=0, atol=1e-6)
    np.testing.assert_allclose(binned.cdf(x, 0.3), plain.cdf(x, 0.3), rtol=0, atol=1e-3)
    some = rng.normal(size=501)
    distance, pairs = _pair_distances(some)
    i, j = np.triu_indices(501, 1)
    assert pairs.sum() == 501 * 500 / 2 and distance @ pairs == pytest.approx(np.abs(some[i] - some[j]).sum(), rel=1e-3)


def test_a_kernel_estimate_as_table():
    y, s = cb.Binormal(2.0).sample(30, rng=1)
    law = cb.kernel_tpr(y, s, [0.1, 0.5])
    table, (low, high) = law.to_frame(0.8), law.interval(0.8)
    np.testing.assert_array_equal(table[["false positive rate", "mean", "low", "high"]].T, [law.x, law.mean, low, high])


def test_densities_of_the_highleyman_classes():
    points = np.array([[0.0, 0.5], [2.0, 1.0]])
    found = cb.Highleyman().log_density(points)
    other = stats.multivariate_normal([2, 0], np.diag([0.1, 2]) ** 2).logpdf(points)
    target = stats.multivariate_normal([1, 1], np.diag([1, 0.5]) ** 2).logpdf(points)
    np.testing.assert_allclose(found, np.column_stack([other, target]), rtol=1e-12)


def test_the_best_error_rate_of_two_normal_classes():
    classes = cb.Multinormal(3, 2.0)
    X, y = classes.sample(20_000, 0)
    wrong = (X.sum(axis=1) > 1.5 * classes.shift) != (y == 1)
    assert abs(wrong.mean() - classes.bayes_error) < 5 * np.sqrt(0.25 / y.size) and cb.Multinormal(3, 0.0).bayes_error == 0.5


# --- messages --------------------------------------------------------------------------------------------------------
class Odd(ClassifierMixin, BaseEstimator):
    "A rule that gives NaN."

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X): return np.full((len(X), 2), np.nan)

    def predict(self, X): return np.zeros(len(X))


MIXED = np.array([0, "a", "b", 1], dtype=object)


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda: cb.curves.paired_counts([1.0], [1.0, 2.0], [0.0], [0.0]), ValueError, r"`scores_2` must have as many entries as `scores_1` \(1\); got 2"),
    (lambda: cb.curves.paired_counts([1.0], [1.0], [0.0], [0.0, 1.0]), ValueError, r"`threshold_2` must have as many entries as `threshold_1` \(1\); got 2"),
    (lambda: cb.coverages.Population(Y, S).tpr(0.0, model=2), ValueError, "`model` must be one of 1; got 2"),
    (lambda: cb.folds.expected_cost([0.5, 0.4], costs=[[0, 1], [1, 0]]), ValueError, "`prevalence` must have 2 entries that add up to 1"),
    (lambda: measure_table([lambda M: 0.0], (0, 1)), ValueError, "`measures` must give every callable a name"),
    (lambda: check_classes(MIXED), TypeError, "`y` must hold labels of one kind"),
    (lambda: check_cases(np.zeros((4, 1)), MIXED), TypeError, "`y` must hold labels of one kind"),
    (lambda: draw_counts(np.arange(40), 2, False, np.random.default_rng(0)), ValueError, "`y` must have more cases of its rarest class"),
    (lambda: cb.folds.FoldOutputs([0, 1, 2, 0], [0.1, 0.2, 0.3, 0.4], [0, 0, 1, 1]), ValueError, "`pos_label` must say which of the 3 classes"),
    (lambda: _soft_outputs(Odd().fit(None, [0, 2]), np.zeros((1, 1)), np.array([0, 1]), 1), ValueError, "`estimator` must have the labels of `y` as its classes_"),
    (lambda: cb.folds.GaussianDetector().set_params(width=3), ValueError, "`params` must be one of 'covariance', 'target'"),
    (lambda: cb.report({"y": Y, "s": S}, label="y", score="s", thresholds="best"), ValueError, "`thresholds` must be 'calibrated', 'cross-fit', a number or a dictionary of rules"),
    (lambda: cb.assess(Odd(), np.random.default_rng(0).normal(size=(14, 2)), Y, metric="auc", n_resamples=4, cv=None, progress=False), ValueError, "`estimator` must give scores without NaN"),
])
def test_refusals(call, error, message):
    with pytest.raises(error, match=message): call()


class Halves:
    "A splitter that tests the first half twice."

    def split(self, X, y): return [(np.arange(7, 14), np.arange(7))] * 2


def test_a_rotation_tests_everything_once():
    with pytest.raises(ValueError, match="`cv` must test every instance exactly once.*got 2 folds that test 7 of 14 instances 14 times"):
        _make_folds(Halves(), np.zeros((14, 1)), Y, np.random.default_rng(0))


def test_options_of_a_detector_and_another_target():
    detector = cb.folds.GaussianDetector()
    assert detector.set_params(target=0) is detector and detector.get_params() == {"target": 0, "covariance": None}
    soft = cb.folds.FoldOutputs(Y, np.column_stack([-S, S]), np.arange(14) % 2)
    np.testing.assert_array_equal(_retarget(soft, 0).scores, -S)
    assert _retarget(soft, None) is soft
    with pytest.raises(ValueError, match="`pos_label` must be 1, the class that the outputs are similarities to; got 0"): _retarget(cb.folds.FoldOutputs(Y, S, np.arange(14) % 2), 0)


def test_results_are_looked_for_in_a_checkout(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match="run this inside a checkout of costboot, or name a folder"): load_result("table2")


def test_a_quick_experiment_is_printed(monkeypatch, capsys):
    from costboot.papers import registry
    rows = [{"a": 1 / 3, "b": [2 / 3, "x"]}, {"a": 1, "b": []}]
    monkeypatch.setattr(registry, "run_experiment", lambda name, quick, seed: {"experiment": name, "rows": rows} if quick and seed == 7 else None)
    assert registry.main(["table1", "--quick", "--seed", "7"]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == [{"a": 0.33333333, "b": [0.66666667, "x"]}, {"a": 1, "b": []}]


# --- files of scores and the command ---------------------------------------------------------------------------------
@pytest.fixture
def scores(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("y,a,b\n" + "".join(f"{y},{s:.4f},{z:.4f}\n" for y, s, z in zip(Y, S, Z)))
    return path


def test_a_packed_table_and_a_damaged_one(scores):
    packed = scores.with_suffix(".csv.gz")
    packed.write_bytes(gzip.compress(scores.read_bytes()))
    table = cb.read_scores(packed, label="y", score=["a", "b"])
    np.testing.assert_allclose(table.scores["b"], np.round(Z, 4))
    assert repr(table) == "ScoreTable(14 rows, 6 positive (1), scores of 'a', 'b')"
    packed.write_bytes(packed.read_bytes()[:40])
    with pytest.raises(ValueError, match="cannot be unpacked"): cb.read_scores(packed, label="y", score="a")
    with pytest.raises(ValueError, match="cannot be read: Not a directory"): cb.read_scores(scores / "inside", label="y", score="a")


def test_parquet_needs_a_package(tmp_path, monkeypatch):
    (tmp_path / "scores.parquet").write_bytes(b"PAR1 and more PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.dataset", None)
    with pytest.raises(ValueError, match="reading those needs the package pyarrow"): cb.read_scores(tmp_path / "scores.parquet", label="y", score="a")
    with pytest.raises(ImportError, match="reading Parquet needs pyarrow"): cb.counts_from(str(tmp_path / "scores.parquet"), "y", "a", threshold=0.0)


class Terminal(io.StringIO):
    def isatty(self): return True


def test_the_command_in_this_process(scores, tmp_path, monkeypatch, capsys):
    "A page, what the terminal says about it, and a progress bar on standard error."
    from costboot.reporting.command import main
    monkeypatch.setattr(sys, "stderr", told := Terminal())
    assert main(["report", str(scores), "--label", "y", "--score", "a", "--score", "b", "--thresholds", "0.5", "-o", str(tmp_path / "page.html")]) == 0
    said = capsys.readouterr().out
    assert said.startswith("a and b compared\n\n- ") and f"The whole report, with figures: {tmp_path / 'page.html'}" in " ".join(said.split())
    assert "<title>a and b compared</title>" in (tmp_path / "page.html").read_text(encoding="utf8")
    assert "/" in told.getvalue() and "\r" in told.getvalue()


def test_without_a_file_the_example_is_shown_in_this_process(tmp_path, monkeypatch, capsys):
    from costboot.reporting.command import main
    monkeypatch.chdir(tmp_path)
    assert main([]) == 0
    assert (tmp_path / "costboot-demo.html").stat().st_size > 10_000 and "costboot-demo.html" in capsys.readouterr().out
    assert "biopsies that neither trained the classifiers nor chose the thresholds" in (tmp_path / "costboot-demo.html").read_text(encoding="utf8")
