"""Coverage, exact and simulated, and counts from tables: against brute force, against each other, and under hostile input."""

import json
import os
import subprocess
import sys
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from costboot.laws.large_tables import counts_from
from costboot.coverages.exact_cost import _cost_coverage, cost_sums
from costboot.laws.auc import exact_auc
from costboot.laws.cost import exact_cost, exact_cost_difference
from costboot.coverages.simulated import _missing_blocks, coverage
from costboot.coverages.exact import Coverage, _costs_at, exact_coverage, fig_coverage
from costboot.data.score_models import Binormal, BinormalPair
from costboot.core.lattice_laws import BinomialProportion
from costboot.coverages.populations import Population
from costboot.numerics.compiled import compiling
from costboot.core.intervals import rate_interval
from costboot.laws.thresholds import exact_roc, exact_roc_difference

METHODS = ("recommended", "conservative", "wald", "agresti", "exact")
QUIET = dict(progress=False)
RATES = st.one_of(st.sampled_from((0.0, 1.0)), st.floats(1e-6, 1 - 1e-6))


# --- exact sums --------------------------------------------------------------------------------------------------------

@given(RATES, st.integers(1, 30), st.sampled_from(METHODS), st.floats(0.5, 0.99))
@settings(max_examples=80, deadline=None)
def test_a_rate_by_brute_force(rate, n, method, level):
    counts = np.arange(n + 1)
    low, high = BinomialProportion(x=counts, count=counts, n=n, m=n).interval(level, method)
    pmf, below, above = stats.binom.pmf(counts, n, rate), rate < low - 1e-12, rate > high + 1e-12
    for of, truth in (("fpr", (rate, 0.5)), ("tpr", (0.5, rate))):
        found = exact_coverage(truth, n, of=of, method=method, confidence_level=level)
        np.testing.assert_allclose([found.coverage[0], found.below[0], found.above[0], found.width[0]],
                                   [pmf @ ~(below | above), pmf @ below, pmf @ above, pmf @ (high - low)], atol=1e-12)


@given(st.integers(0, 40).map(lambda k: k / 40), RATES, RATES, st.integers(1, 6), st.integers(1, 6), st.sampled_from(METHODS), st.sampled_from(("stratified", "full")),
       st.sampled_from(("stratified", "full")))
@settings(max_examples=40, deadline=None)
def test_a_cost_by_brute_force(w, fnr, fpr, n_pos, n_neg, method, sampling, test_sets):
    n, p = n_pos + n_neg, n_pos / (n_pos + n_neg)
    costs = (w / p, (1 - w) / (1 - p))
    options = dict(cost_fn=costs[0], cost_fp=costs[1], sampling="full") if sampling == "full" else dict(w=[w])
    truth = (w * fnr + (1 - w) * fpr) / (max(costs) if sampling == "full" else 1)
    sizes = [n_pos] if test_sets == "stratified" else np.arange(1, n)
    weights, total = stats.binom.pmf(sizes, n, p), np.zeros(4)
    for N, weight in zip(sizes, weights / weights.sum()):
        for x in range(N + 1):
            for y in range(n - N + 1):
                scores = np.concatenate([np.arange(N) >= x, np.arange(n - N) < y]).astype(float)
                low, high = np.ravel(exact_cost(np.repeat([1, 0], [N, n - N]), scores, threshold=0.5, **options).interval(0.9, method))
                below, above = truth < low - 1e-12, truth > high + 1e-12
                total += weight * stats.binom.pmf(x, N, fnr) * stats.binom.pmf(y, n - N, fpr) * np.array([not (below or above), below, above, high - low])
    found = _costs_at(w, (fnr, fpr), (n_pos, n_neg), sampling, test_sets, 0.9, method)
    np.testing.assert_allclose(found[:3], total[:3], atol=1e-12)
    np.testing.assert_allclose(found[3], total[3], atol=1e-6 if method in METHODS[:2] else 1e-9)


def test_the_papers_example():
    model = Binormal(5, 3.75, 3.0)
    t = model.threshold_at_total_positive_rate(0.2)
    found = exact_coverage(model, 10_000, of="roc", threshold=t, method=METHODS)
    assert round(found["wald"].coverage[0], 4) == 0.6921
    assert found["wald"].coverage[0] < (1 - (1 - model.fpr(t)) ** 10_000) < found["agresti"].coverage[0]


@pytest.mark.parametrize("method", METHODS)
def test_probabilities_add_up_and_swap_sides(method):
    model, w = Binormal(2.0), np.linspace(0, 1, 9)
    one = exact_coverage(model, 30, 50, w=w, method=method)
    np.testing.assert_allclose(one.coverage + one.below + one.above, 1, atol=1e-12)
    other = exact_coverage((1 - model.tpr(model.optimal_threshold(w)), 1 - model.fpr(model.optimal_threshold(w))), 50, 30, w=1 - w, method=method)
    np.testing.assert_allclose(one.coverage, other.coverage, atol=1e-9)
    np.testing.assert_allclose(one.coverage, _cost_coverage(model, 30, 50, w, 0.9, method), rtol=1e-12)
    with compiling("never"):  # compiled and plain sums differ in the last digit, and time decides which of them runs
        np.testing.assert_array_equal(exact_coverage(model, 30, 50, w=w, method=method).coverage, _cost_coverage(model, 30, 50, w, 0.9, method))


@pytest.mark.parametrize("method", METHODS)
def test_a_million_instances(method):
    found = exact_coverage((0.01, 0.7), 10**6, of="roc", method=method)
    assert abs(found.coverage[0] - 0.9) < 0.003
    sums = cost_sums(0.02, (0.3, 1e-5), (10**6, 10**6), 0.9, method, lengths=False)
    assert abs(sums.inside - 0.9) < 0.02 and abs(sum(sums[:3]) - 1) < 1e-9


def test_full_test_sets_approach_fixed_ones():
    "The class sizes of large test sets hardly vary."
    t = np.array([0.0, 2.0])
    fixed, random = (exact_coverage(Binormal(1.5), 400, 600, "roc", threshold=t, method="agresti", test_sets=kind) for kind in ("stratified", "full"))
    np.testing.assert_allclose(random.coverage, fixed.coverage, atol=0.01)
    assert (random.coverage != fixed.coverage).all()


def test_wilson_is_no_method_of_a_law_but_can_be_simulated():
    rate, n = 0.07, 40
    low, high = rate_interval(np.arange(n + 1), n, method="wilson")
    exact = stats.binom.pmf(np.arange(n + 1), n, rate) @ ((low <= rate) & (rate <= high))
    found = coverage(lambda rng: (rng.binomial(n, rate),), [rate], intervals={"wilson": lambda k, confidence_level, rng: rate_interval([k], n, confidence_level, "wilson")},
                     n_simulations=2000, **QUIET)["wilson"]
    assert abs(found.coverage[0] - exact) < 4 * found.se[0] < abs(found.coverage[0] - 0.8)


def test_a_law_at_one_number_is_one_point():
    "The area has no abscissa, and a cost at one w has none either: truth and limits are single numbers."
    model = Binormal(1.0)
    area = coverage(model, model.auc, exact_auc, n_pos=20, n_neg=20, n_simulations=50, **QUIET)
    cost = coverage(model, 0.3, lambda y, s: exact_cost(y, s, threshold=0.5, w=0.5), n_pos=20, n_neg=20, n_simulations=20, **QUIET)
    as_curve = coverage(model, [0.3], lambda y, s: exact_cost(y, s, threshold=[0.5], w=[0.5]), n_pos=20, n_neg=20, n_simulations=20, **QUIET)
    assert area.coverage.shape == cost.coverage.shape == (1,) and 0.7 < area.coverage[0] <= 1
    assert (cost.coverage, cost.width) == (as_curve.coverage, as_curve.width)


@pytest.mark.parametrize("call, error, message", [
    (lambda: exact_coverage(Binormal(1), 10, of="auc"), ValueError, "`of` must be one of 'cost', 'fpr', 'roc', 'tpr', 'vertical'"),
    (lambda: exact_coverage(Binormal(1), 0), ValueError, "`n_pos` must be a whole number, at least 1; got 0"),
    (lambda: exact_coverage(Binormal(1), 10, n_neg=2.5), ValueError, "`n_neg` must be a whole number"),
    (lambda: exact_coverage(Binormal(1), 10, w=[0.5, 1.5]), ValueError, r"`w` must lie in \[0, 1\]"),
    (lambda: exact_coverage(Binormal(1), 10, method=()), ValueError, "`method` must name at least one method"),
    (lambda: exact_coverage(Binormal(1), 10, method=("wald", "wald")), ValueError, "`method` must name each method once"),
    (lambda: exact_coverage(Binormal(1), 10, method=None), ValueError, "`method` must be one of 'agresti', 'conservative', 'exact', 'recommended', 'wald'; got None"),
    (lambda: exact_coverage((0.1, 0.9), 10, of="roc", threshold=1), ValueError, "`threshold` must not be given beside plain true rates"),
    (lambda: exact_coverage(([0.1] * 3, [0.9] * 2), 10, of="roc"), ValueError, "`truth` must hold as many rates as there are points; got 3 and 2"),
    (lambda: exact_coverage(([0.1] * 3, 0.9), 10, w=[0.1, 0.2]), ValueError, "for 2 values of `w`"),
    (lambda: exact_coverage((np.nan, 0.9), 10, of="roc"), ValueError, r"`truth\[0\]` must be finite"),
    (lambda: exact_coverage(Binormal(1), 10, of="vertical"), TypeError, "`fpr` must be given for of='vertical'"),
    (lambda: exact_coverage(Binormal(1), 10, of="vertical", fpr=0.001), ValueError, "`fpr` must be, rounded"),
    (lambda: exact_coverage(Binormal(1), 10, of="vertical", fpr=0.5, test_sets="full"), ValueError, "`test_sets` must be 'stratified' for of='vertical'"),
    (lambda: exact_coverage(Binormal(1), 10, of="roc", threshold=1, sampling="full"), ValueError, "`sampling` must be 'stratified' for of='roc'"),
    (lambda: exact_coverage(Binormal(1), 10, of="roc", threshold=[1, 2], x=[1]), ValueError, "`x` must have as many entries as there are points"),
    (lambda: exact_coverage(Binormal(1), 10, confidence_level=90), ValueError, "did you mean 0.9"),
])
def test_bad_input_of_exact_coverage(call, error, message):
    with pytest.raises(error, match=message): call()


# --- results -----------------------------------------------------------------------------------------------------------

def test_results_are_frozen_and_drawn():
    found = exact_coverage(Binormal(1.5), 20, w=[0.7, 0.2], method=("wald", "agresti"))
    with pytest.raises(ValueError, match="read-only"): found["wald"].coverage[0] = 1
    with pytest.raises(AttributeError): found["wald"].method = "other"
    ax = found.plot()
    lines = {line.get_label(): line for line in ax.lines}
    np.testing.assert_array_equal(lines["wald"].get_xdata(), [0.2, 0.7])
    np.testing.assert_array_equal(lines["wald"].get_ydata(), found["wald"].coverage[::-1])
    targets = [line for line in ax.lines if line.get_linestyle() == "--"]
    assert len(targets) == 1 and set(targets[0].get_ydata()) == {0.9}
    table = found.to_frame()
    assert list(table["method"]) == ["wald"] * 2 + ["agresti"] * 2 and set(found) == {"wald", "agresti"}
    assert "target 0.9" in repr(found["wald"]) and found["wald"].worst == abs(found["wald"].coverage - 0.9).max()
    assert exact_coverage(Binormal(1.5), 20, w=[0.5], method="exact", width=False).width is None


def test_the_figure_is_that_of_its_controls():
    figure = fig_coverage("roc", 2.0, 50, 25, 0.8, "agresti")
    (line,) = [line for line in figure.axes[0].lines if line.get_label() == "agresti"]
    model, x = Binormal(2.0, 3.75, 3.0), line.get_xdata()
    expected = exact_coverage(model, 50, 25, "roc", threshold=model.threshold_at_total_positive_rate(x), confidence_level=0.8, method="agresti")
    np.testing.assert_allclose(line.get_ydata(), expected.coverage)


# --- simulation --------------------------------------------------------------------------------------------------------

MODEL, W = Binormal(2.0), np.array([0.2, 0.5, 0.8])


def cost_law(y, s): return exact_cost(y, s, W, MODEL.optimal_threshold)


def simulate(**options): return coverage(MODEL, MODEL.cost_curve(W), cost_law, **dict(n_pos=25, n_simulations=40, x=W, **QUIET) | options)


def test_simulation_agrees_with_the_sums_and_a_wrong_law_does_not():
    found, exact = simulate(n_simulations=1500, method=METHODS), exact_coverage(MODEL, 25, w=W, method=METHODS)
    for method in METHODS:
        assert (abs(found[method].coverage - exact[method].coverage) < 4 * found[method].se).all()
        np.testing.assert_allclose(found[method].width, exact[method].width, rtol=0.03)
    wrong = coverage(MODEL, MODEL.cost_curve(W), lambda y, s: exact_cost(y, s, W, MODEL.optimal_threshold, m=200), n_pos=25, n_simulations=1500, **QUIET)
    assert (abs(wrong.coverage - exact["wald"].coverage) > 4 * wrong.se).all()


@pytest.mark.parametrize("options", [dict(n_jobs=2), dict(block=7), dict(block=1000), dict(rng=np.random.SeedSequence(0))])
def test_the_numbers_do_not_depend_on_how_the_work_is_cut(options):
    one, other = simulate(method=("wald", "empirical")), simulate(method=("wald", "empirical"), **options)
    for name in one: np.testing.assert_array_equal(one[name].coverage, other[name].coverage)


def test_another_seed_gives_other_numbers_and_methods_do_not_disturb_each_other():
    assert (simulate(rng=1).width != simulate(rng=2).width).all()
    np.testing.assert_array_equal(simulate(method="wald").width, simulate(method=("empirical", "wald"))["wald"].width)


def test_a_store_survives_interruptions(tmp_path):
    whole, calls = simulate(), []

    def fragile(y, s):
        calls.append(1)
        if len(calls) == 24: raise KeyboardInterrupt
        return cost_law(y, s)

    options = dict(n_pos=25, n_simulations=40, store=tmp_path / "deep" / "folder", block=5, **QUIET)
    with pytest.raises(KeyboardInterrupt): coverage(MODEL, MODEL.cost_curve(W), fragile, **options)
    stored = sorted(path.name for path in (tmp_path / "deep" / "folder").glob("*.block"))
    assert stored == [f"{k:07d}-{k + 5:07d}.block" for k in (0, 5, 10, 15)]
    calls.clear()
    again = coverage(MODEL, MODEL.cost_curve(W), fragile, **options)
    assert len(calls) == 21  # twenty simulations and the fingerprint
    np.testing.assert_array_equal(again.coverage, whole.coverage)
    np.testing.assert_allclose(again.width, whole.width, rtol=1e-13)
    calls.clear()
    coverage(MODEL, MODEL.cost_curve(W), fragile, **options)
    assert len(calls) == 1
    np.testing.assert_array_equal(coverage(MODEL, MODEL.cost_curve(W), cost_law, **options | dict(block=9, n_simulations=12)).coverage, simulate(n_simulations=12).coverage)
    assert not list((tmp_path / "deep" / "folder").glob("*.part*"))


@pytest.mark.parametrize("change, what", [(dict(confidence_level=0.8), "confidence_level"), (dict(rng=3), "seed"), (dict(method=("wald", "exact")), "methods"),
                                          (dict(n_pos=26), "fingerprint"), (dict(n_neg=24), "fingerprint"), (dict(n_resamples=7), "n_resamples")])
def test_a_store_of_other_settings_is_refused(tmp_path, change, what):
    simulate(store=tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(ValueError, match=f"`store` must hold simulations of the same design.*{what}"): simulate(store=tmp_path, **change)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_store_notices_another_truth_and_another_law(tmp_path):
    simulate(store=tmp_path)
    with pytest.raises(ValueError, match="fingerprint"): coverage(MODEL, MODEL.cost_curve(W) + 0.01, cost_law, n_pos=25, store=tmp_path, **QUIET)
    with pytest.raises(ValueError, match="fingerprint"): coverage(MODEL, MODEL.cost_curve(W), lambda y, s: exact_cost(y, s, W, 0.1), n_pos=25, store=tmp_path, **QUIET)
    assert json.loads((tmp_path / "settings.json").read_text())["confidence_level"] == 0.9


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)), max_size=6), st.integers(1, 80), st.integers(1, 30))
def test_missing_blocks_fill_the_gaps(blocks, n, block):
    done, at = [], 0
    for gap, length in blocks:
        start = at + gap % 9
        if start + length <= n: done.append((start, start + length)); at = start + length
    todo = _missing_blocks(done, n, block)
    covered = sorted(i for start, stop in (*done, *todo) for i in range(start, stop))
    assert covered == list(range(n)) and all(0 < stop - start <= block for start, stop in todo)


@pytest.mark.parametrize("call, error, message", [
    (lambda: coverage(3, [0.1], cost_law), TypeError, "`draw` must be a function of a random generator, or a model"),
    (lambda: coverage(MODEL, [0.1], cost_law), TypeError, "`n_pos` must be given when `draw` is a model"),
    (lambda: coverage(lambda rng: (), [0.1], cost_law, n_pos=3), ValueError, "`n_pos` must not be given when `draw` is a function"),
    (lambda: coverage(MODEL, [0.1], n_pos=3), TypeError, "`law` or `intervals` must be given"),
    (lambda: coverage(MODEL, [0.1], 3, n_pos=3), TypeError, "`law` must be a function of the test set; got 3"),
    (lambda: coverage(MODEL, [0.1], intervals={"a": 1}, n_pos=3), TypeError, r"`intervals\['a'\]` must be a function of the test set; got 1"),
    (lambda: coverage(MODEL, [0.1], cost_law, intervals={"recommended": cost_law}, n_pos=3), ValueError, "`intervals` must have other names than `method`"),
    (lambda: coverage(MODEL, [np.nan], cost_law, n_pos=3), ValueError, "`truth` must be finite"),
    (lambda: simulate(n_simulations=0), ValueError, "`n_simulations` must be a whole number, at least 1"),
    (lambda: simulate(block=0), ValueError, "`block` must be a whole number"),
    (lambda: simulate(rng=-1), TypeError, "`rng` must be a whole number from 0 on"),
    (lambda: simulate(rng=None, store="x"), ValueError, "`rng` must be a seed when there is a `store`"),
    (lambda: simulate(x=[1.0]), ValueError, "`x` must have as many entries as there are points"),
    (lambda: simulate(test_sets="random"), ValueError, "`test_sets` must be one of 'full', 'stratified'"),
    (lambda: coverage(MODEL, (MODEL.fpr(W), MODEL.tpr(W)), cost_law, n_pos=5, **QUIET), ValueError, "`truth` must be an array with 3 entries"),
])
def test_bad_input_of_coverage(call, error, message):
    with pytest.raises(error, match=message): call()


def test_an_error_says_in_which_simulation():
    def broken(y, s): raise RuntimeError("no law today")
    with pytest.raises(RuntimeError) as caught: coverage(MODEL, [0.1], broken, n_pos=3, **QUIET)
    assert "simulation 0" in caught.value.__notes__[0]


def test_the_public_name_is_the_function():
    code = "import costboot as cb, costboot.coverages.simulated, sys; assert callable(cb.coverage) and callable(cb.exact_coverage); assert not {'pyarrow', 'dask', 'numba', 'pandas'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


CLUSTER = """
import joblib, json, sys
import numpy as np
from dask.distributed import Client, LocalCluster
from costboot.coverages.simulated import coverage
from costboot.laws.cost import exact_cost
from costboot.data.score_models import Binormal

def main():
    model, w = Binormal(2.0), np.array([0.2, 0.5, 0.8])
    def law(y, s): return exact_cost(y, s, w, model.optimal_threshold)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster), joblib.parallel_config(backend="dask"):
        found = coverage(model, model.cost_curve(w), law, n_pos=25, n_simulations=40, method=("wald", "empirical"), progress=False, store=sys.argv[1])
    print(json.dumps({name: part.coverage.tolist() for name, part in found.items()}))

if __name__ == "__main__": main()
"""


def run_script(text, folder, *arguments):
    "Run a script whose workers can import it."
    path = Path(folder) / "script.py"
    path.write_text(text)
    done = subprocess.run([sys.executable, str(path), *map(str, arguments)], capture_output=True, text=True, timeout=240, check=False,
                          env=os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")])})
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().splitlines()[-1]


def test_a_local_cluster_gives_the_same_numbers(tmp_path):
    pytest.importorskip("distributed")
    found, here = json.loads(run_script(CLUSTER, tmp_path, tmp_path / "store")), simulate(method=("wald", "empirical"))
    for name, values in found.items(): np.testing.assert_array_equal(values, here[name].coverage)
    assert len(list((tmp_path / "store").glob("*.block"))) == 2


def test_threads_give_the_same_numbers():
    with joblib.parallel_config(backend="threading", n_jobs=2): found = simulate()
    np.testing.assert_array_equal(found.coverage, simulate().coverage)


# --- populations -------------------------------------------------------------------------------------------------------

@given(st.lists(st.integers(0, 6), min_size=1, max_size=8), st.lists(st.integers(0, 6), min_size=1, max_size=8), st.floats(0, 1))
@settings(max_examples=80, deadline=None)
def test_a_population_is_counting(pos, neg, rate):
    population = Population([1] * len(pos) + [0] * len(neg), np.array(pos + neg, dtype=float))
    t = population.threshold_at_fpr(rate)
    if rate == 0: assert t == np.inf
    else:
        assert population.fpr(t) >= rate - 1e-11 and t in neg
        assert population.fpr(np.nextafter(t, np.inf)) < rate + 1e-11
    assert population.roc(rate) == population.tpr(t)
    grid = np.array([0.1, 0.5, 0.9])
    costs = [population.cost(grid, v) for v in {*pos, *neg, np.inf}]
    np.testing.assert_allclose(population.cost_curve(grid), np.min(costs, axis=0), atol=1e-12)


def test_a_populations_pairs_stay_paired():
    pos, neg = np.arange(5.0), np.arange(7.0)
    population = Population(np.repeat([1, 0], [5, 7]), np.concatenate([pos, neg]), np.concatenate([pos, neg]) * 10)
    y, s, z = population.sample(50, 20, rng=1)
    np.testing.assert_array_equal(z, 10 * s)
    assert y.sum() == 50 and population.tpr(30, model=2) == population.tpr(3) and len(population.sample(5, 7, replace=False)[0]) == 12
    np.testing.assert_array_equal(np.sort(population.sample(5, 7, rng=0, replace=False)[1][:5]), pos)


# --- tables ------------------------------------------------------------------------------------------------------------

PAIR = BinormalPair(Binormal(1.5), Binormal(2.0), correlation=0.7)
Y, S, Z = (column.round(1) for column in PAIR.sample(60, 90, rng=3))
T, U = PAIR.model_1.optimal_threshold(W), PAIR.model_2.optimal_threshold(W)
FRAME = pd.DataFrame({"y": Y, "s": S, "z": Z}).sample(frac=1, random_state=2, ignore_index=True)


def same(one, other):
    for name in ("mean", "var"): np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    np.testing.assert_array_equal(one.interval(0.9, "exact"), other.interval(0.9, "exact"))


def check_table(table, **options):
    "Every law from a table is that of the arrays."
    one = counts_from(table, "y", "s", T, w=W, **options)
    two = counts_from(table, "y", "s", T, y_score_2="z", threshold_2=U, w=W, **options)
    for sampling in ("stratified", "full"):
        same(one.exact_cost(sampling=sampling), exact_cost(Y, S, W, T, sampling=sampling))
        same(two.exact_cost_difference(sampling=sampling), exact_cost_difference(Y, S, Z, W, T, U, sampling=sampling))
    same(one.exact_cost(cost_fn=[1, 5, 9], cost_fp=1), exact_cost(Y, S, threshold=T, cost_fn=[1, 5, 9], cost_fp=1))
    for side in ("fpr", "tpr"):
        same(getattr(one.exact_roc(m=300), side), getattr(exact_roc(Y, S, T, m=300), side))
        same(getattr(two.exact_roc_difference(), side), getattr(exact_roc_difference(Y, S, Z, T, U), side))
    np.testing.assert_array_equal(two.exact_roc_difference().dominance(), exact_roc_difference(Y, S, Z, T, U).dominance())
    same(two.model_2.exact_cost(), exact_cost(Y, Z, W, U))


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_data_frames_and_chunks(size):
    check_table(FRAME, batch_size=size)
    check_table([FRAME[:40], FRAME[40:41], FRAME[41:41], FRAME[41:]], batch_size=size)
    check_table([{name: FRAME[name].to_numpy()[k : k + 50] for name in FRAME} for k in (0, 50, 100)], batch_size=size)


@pytest.mark.parametrize("labels, pos_label", [(("no", "yes"), "yes"), ((-1, 1), 1), ((0.0, 2.0), 2), ((False, True), True)])
def test_labels_of_any_kind(labels, pos_label):
    frame = FRAME.assign(y=np.array(labels)[FRAME["y"]])
    found = counts_from(frame, "y", "s", T, pos_label=pos_label, batch_size=11)
    assert (found.n_pos, found.n_neg) == (60, 90)
    np.testing.assert_array_equal(found.count_pos, counts_from(FRAME, "y", "s", T).count_pos)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(-3, 3)), min_size=2, max_size=30), st.lists(st.sampled_from([-np.inf, -3, -0.5, 0, 1, 3, np.inf]), min_size=1, max_size=20),
       st.integers(1, 9))
@settings(max_examples=80, deadline=None)
def test_counts_with_ties_and_infinite_thresholds(rows, threshold, size):
    y, s = np.array(rows).T
    if len(set(y)) < 2: return
    found = counts_from(pd.DataFrame({"y": y, "s": s}), "y", "s", threshold, batch_size=size)
    for kind, counts in ((1, found.count_pos), (0, found.count_neg)): assert counts.tolist() == [int((s[y == kind] >= t).sum()) for t in threshold]


@pytest.mark.parametrize("table, options, error, message", [
    (FRAME.assign(s=np.where(np.arange(150) == 77, np.inf, FRAME["s"])), {}, ValueError, r"`s` must be finite; got inf at position 27 \(1 of 50 entries\). This is in rows 50 to 99"),
    (FRAME.assign(y=np.where(np.arange(150) == 77, np.nan, FRAME["y"])), {}, ValueError, "`y` must not hold NaN or infinite labels. This is in rows 50 to 99"),
    (FRAME.assign(y=FRAME["y"].astype(object).where(FRAME.index != 3, None)), {}, ValueError, "`y` must not hold missing labels"),
    (FRAME.assign(y=np.where(np.arange(150) == 149, 2, FRAME["y"])), {}, ValueError, "`y` must be binary; got the labels"),
    (FRAME[FRAME["y"] == 0], {}, ValueError, "`y` must hold both classes, with `pos_label` for the positive one"),
    (FRAME[FRAME["y"] == 1], {}, ValueError, "`y` must hold both classes; got only 1"),
    (FRAME.assign(s="high"), {}, TypeError, "`s` must hold numbers"),
    (FRAME[["y"]], {}, ValueError, r"`y_score` must be a column of the table; got 's'. The columns are \['y'\]"),
    (FRAME[:0], {}, ValueError, "`table` must have at least one row"),
    ([], {}, ValueError, "`table` must have at least one row"),
    (3, {}, TypeError, "`table` must be the path of a Parquet file or folder"),
    (FRAME, dict(batch_size=0), ValueError, "`batch_size` must be a whole number"),
    (FRAME, dict(w=[0.1, 0.2]), ValueError, "`threshold` must be one number or have one entry for each of the 2 points; got 3"),
    (FRAME, dict(y_score_2="z"), TypeError, "`y_score_2` and `threshold_2` must be given together"),
    (FRAME, dict(y_score_2="q", threshold_2=1), ValueError, "`y_score_2` must be a column of the table; got 'q'"),
    ([{"y": [1, 0], "s": [1.0]}], {}, ValueError, "the columns must be of one length; got y: 2, s: 1"),
])
def test_bad_tables(table, options, error, message):
    with pytest.raises(error, match=message): counts_from(table, "y", "s", T, **dict(batch_size=50) | options)


def test_parquet_files_and_folders(tmp_path):
    pytest.importorskip("pyarrow")
    dataset = pytest.importorskip("pyarrow.dataset")
    for k in range(3): FRAME[k::3].to_parquet(tmp_path / f"{k}.parquet", row_group_size=20)
    for size in (9, 100_000): check_table(tmp_path, batch_size=size)
    check_table(str(tmp_path))
    check_table(dataset.dataset(tmp_path, format="parquet"))
    check_table(dataset.dataset(tmp_path, format="parquet").to_table())
    FRAME.assign(s=FRAME["s"].where(FRAME.index != 5)).to_parquet(tmp_path / "0.parquet")
    with pytest.raises(ValueError, match="`s` must be finite; got nan at position 5"): counts_from(tmp_path / "0.parquet", "y", "s", T)
    with pytest.raises(ValueError, match="`y_score` must be a column of the table; got 'q'"): counts_from(tmp_path, "y", "q", T)
    with pytest.raises(FileNotFoundError): counts_from(tmp_path / "nowhere", "y", "s", T)


PARTITIONS = """
import sys
sys.path.insert(0, sys.argv[1])
import dask.dataframe
from dask.distributed import Client, LocalCluster
from test_coverage import FRAME, T, check_table, counts_from

def main():
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        check_table(dask.dataframe.from_pandas(FRAME, npartitions=5))
        assert counts_from(dask.dataframe.read_parquet(sys.argv[2]), "y", "s", T).n_pos == 60
        bad = FRAME.assign(s=FRAME["s"].where(FRAME.index != 149))
        try: counts_from(dask.dataframe.from_pandas(bad, npartitions=5), "y", "s", T)
        except ValueError as error: print(error)

if __name__ == "__main__": main()
"""


def test_partitions_in_this_process():
    dask = pytest.importorskip("dask")
    pytest.importorskip("pyarrow")
    dataframe = pytest.importorskip("dask.dataframe")
    with dask.config.set(scheduler="synchronous"):
        for partitions in (1, 4): check_table(dataframe.from_pandas(FRAME, npartitions=partitions))
        with pytest.raises(ValueError, match="`y_score` must be a column of the table; got 'q'"): counts_from(dataframe.from_pandas(FRAME, npartitions=2), "y", "q", T)


@pytest.mark.slow
def test_partitions_on_a_local_cluster(tmp_path):
    pytest.importorskip("pyarrow")
    pytest.importorskip("distributed")
    (tmp_path / "data").mkdir()
    for k in range(3): FRAME[k::3].to_parquet(tmp_path / "data" / f"{k}.parquet")
    said = run_script(PARTITIONS, tmp_path, Path(__file__).resolve().parent, tmp_path / "data")
    assert "`s` must be finite" in said and "This is in partition 4" in said


def test_coverage_is_a_dataclass_with_everything_the_papers_plot():
    part = simulate()
    assert isinstance(part, Coverage) and part.n_simulations == 40 and (part.se > 0).all()
    np.testing.assert_allclose(part.coverage + part.below + part.above, 1)
    assert list(part.to_frame()) == ["x", "coverage", "se", "below", "above", "width"]
