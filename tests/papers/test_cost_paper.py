"""The experiments of the cost paper: exact coverage of cost differences, stored results, advice on intervals."""

import json
import subprocess
import sys
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import costboot as cb
from costboot.coverages.exact_differences import _pair_table, cost_pair, difference_coverage, largest_cost
from costboot.papers.cost_paper import _never_disagree
from costboot.papers.registry import _DESIGNS, EXPERIMENTS, load_result, run_experiment

METHODS = "wald", "agresti"


# --- exact coverage of a cost difference ----------------------------------------------------------------------------

@pytest.mark.parametrize(("only_1", "only_2", "n"), [(0.2, 0.1, 7), (0.0, 0.3, 5), (0.4, 0.0, 5), (0.0, 0.0, 4), (0.5, 0.5, 6)])
def test_pair_table_is_the_trinomial_law(only_1, only_2, n):
    table = _pair_table(only_1, only_2, n)
    seen = {(d, s): p for (d, s), p in zip(product(table.difference, table.disagreements), table.probability.ravel()) if p}
    for a, b in product(range(n + 1), repeat=2):
        p = stats.multinomial.pmf([a, b, n - a - b], n, [only_1, only_2, 1 - only_1 - only_2]) if a + b <= n else 0.0
        assert seen.get((a - b, a + b), 0.0) == pytest.approx(p, abs=1e-12)


@pytest.mark.parametrize("sampling", ["stratified", "full"])
@pytest.mark.parametrize("shift", [0.0, 2.0])
def test_difference_coverage_lists_all_test_sets(sampling, shift):
    pair, sizes, w = cost_pair(1.5, shift, 0.5), (6, 3), 0.35
    t = pair.model_1.optimal_threshold(w), pair.model_2.optimal_threshold(w)
    truth = pair.cost_difference(w) / (1 if sampling == "stratified" else largest_cost(w, *sizes))
    listed = []
    for n, positive in zip(sizes, (True, False)):
        one, two = pair.disagreement(*t, positive)
        cells = [(a, b, n - a - b) for a, b in product(range(n + 1), repeat=2) if a + b <= n]
        listed.append([(c, stats.multinomial.pmf(c, n, [one, two, 1 - one - two])) for c in cells])
    total = dict.fromkeys(METHODS, 0.0)
    for ((a, b, rest), p), ((c, d, other), q) in product(*listed):
        s_1, s_2 = (np.repeat(kind, [a, b, rest, c, d, other]) for kind in ([1, 0, 0, 1, 0, 0], [0, 1, 0, 0, 1, 0]))
        law = cb.exact_cost_difference(np.repeat([1, 0], sizes), s_1, s_2, [w], 0.5, 0.5, sampling=sampling)
        for method in METHODS:
            low, high = law.interval(0.9, method)
            total[method] += p * q * (low[0] - 1e-12 <= truth <= high[0] + 1e-12)
    for method in METHODS: assert difference_coverage(pair, *sizes, w=[w], sampling=sampling, method=method)[0] == pytest.approx(total[method], abs=1e-10)


def test_difference_coverage_agrees_with_simulation_for_unequal_classes():
    pair, w, sets = cost_pair(1.0, 1.0, 0.3), np.array([0.1, 0.4, 0.8]), 1200
    t_1, t_2 = pair.model_1.optimal_threshold(w), pair.model_2.optimal_threshold(w)
    found = cb.coverage(pair, pair.cost_difference(w), lambda y, s, z: cb.exact_cost_difference(y, s, z, w, t_1, t_2), method=METHODS, n_pos=40, n_neg=300,
                        n_simulations=sets, rng=5, progress=False)
    for method in METHODS:
        exact, wrong = (difference_coverage(pair, 40, 300, w=w, method=method, confidence_level=level) for level in (0.9, 0.75))
        error = np.sqrt(np.maximum(exact * (1 - exact), 1 / sets) / sets)
        assert (abs(found[method].coverage - exact) < 4.5 * error).all()
        assert (abs(found[method].coverage - wrong) > 4.5 * error).any()


def test_difference_coverage_of_equal_classifiers():
    "Perfectly correlated equal classifiers never disagree: the interval is the point 0, which is the truth."
    pair, w = cost_pair(2.0, 0.0, 1.0), np.array([0.2, 0.5])
    np.testing.assert_allclose(difference_coverage(pair, 30, w=w, method="wald"), 1.0)
    np.testing.assert_allclose(_never_disagree(pair, 30, w), 1.0)
    other = cost_pair(2.0, 0.0, 0.5)
    assert (_never_disagree(other, 30, w) < difference_coverage(other, 30, w=w, method="wald")).all()


@pytest.mark.parametrize(("given", "message"), [
    (dict(w=[0.0, 0.5]), "`w` must lie strictly between 0 and 1; got 0"),
    (dict(w=[1.5]), r"`w` must lie in \[0, 1\]"),
    (dict(method="exact"), "`method` must be one of 'agresti', 'conservative', 'recommended', 'wald'; got 'exact'"),
    (dict(sampling="half"), "`sampling` must be one of 'full', 'stratified'"),
    (dict(confidence_level=90), "did you mean 0.9"),
    (dict(n_neg=0), "`n_neg` must be a whole number, at least 1"),
])
def test_difference_coverage_refuses(given, message):
    with pytest.raises(ValueError, match=message): difference_coverage(cost_pair(1.0, 1.0, 0.5), 10, **given)


# --- stored results -------------------------------------------------------------------------------------------------

COST = [name for name in EXPERIMENTS if name.startswith("cost-")]
NUMBERS = {"exact", "simulated", "width", "coverage", "agree", "w", "x", "n_simulations"}
needs_data = {"cost-uci": [pytest.mark.data]}


def _pairs(name):
    "Rows of a quick run with another seed, beside the stored rows of the same settings."
    quick, stored = run_experiment(name, quick=True, seed=777, progress=False), load_result(name)
    def key(row): return tuple(sorted((k, v) for k, v in row.items() if k not in NUMBERS))
    known = {key(row): row for row in stored["rows"]}
    for row in quick["rows"]: yield row, known[key(row)], quick["settings"]["n_simulations"], stored["settings"]["n_simulations"]


def _thinned(values, size):
    "The stored numbers at the conditions of the quick run."
    return np.array(values)[::14] if len(values) == 99 and size == 8 else np.array(values)


@pytest.mark.parametrize("name", COST)
def test_a_stored_result_has_the_settings_of_its_design(name):
    "Seed, simulations and what is fixed are those of the table, and every setting of it has a row."
    design, stored = _DESIGNS[name][1], load_result(name)
    assert stored["settings"]["seed"] == design.seed and stored["settings"]["n_simulations"] == design.n_simulations
    assert all(stored["settings"][key] == value for key, value in design.fixed.items())
    rows = [tuple(row[key] for key in design.varied) for row in stored["rows"]]
    assert set(rows) == {tuple(setting.values.values()) for setting in design.settings()}


@pytest.mark.parametrize("name", [pytest.param(name, marks=needs_data.get(name, [])) for name in COST])
def test_a_quick_run_agrees_with_what_is_stored(name):
    "Sums agree to the last digit stored, simulations within their Monte Carlo errors; a wrong result would not."
    z = []
    for quick, stored, sets, stored_sets in _pairs(name):
        if "exact" in quick: np.testing.assert_allclose(quick["exact"], _thinned(stored["exact"], len(quick["exact"])), atol=2e-5)
        here, there = (row.get("simulated", row.get("coverage") if row.get("n_simulations") else None) for row in (quick, stored))
        if here is None: continue
        if "w" in quick:
            shared, at_quick, at_stored = np.intersect1d(np.round(quick["w"], 4), np.round(stored["w"], 4), return_indices=True)
            here, there = np.array(here)[at_quick], np.array(there)[at_stored]
        here, there = np.array(here), _thinned(there, len(here))
        sets, stored_sets = quick.get("n_simulations", sets), stored.get("n_simulations", stored_sets)
        pooled = (here * sets + there * stored_sets + 1) / (sets + stored_sets + 2)
        z += list((here - there) / np.sqrt(pooled * (1 - pooled) * (1 / sets + 1 / stored_sets)))
    if z:
        z = np.abs(z)
        assert z.max() < 5 and (z < 3).mean() > 0.95
        assert len(z) > 10


def test_the_comparison_notices_a_wrong_result():
    "Negative control: the intervals of another level, in place of the stored ones."
    stored = load_result("cost-fig2")
    row = next(r for r in stored["rows"] if r["theta"] == 3.0 and r["method"] == "wald")
    w = np.linspace(0.01, 0.99, 99)[::14]
    wrong = cb.exact_coverage(cb.Binormal(3.0), 1000, w=w, method="wald", confidence_level=0.85).coverage
    assert (abs(wrong - _thinned(row["exact"], 8)) > 0.02).sum() >= 6
    assert (abs(wrong - _thinned(row["simulated"], 8)) / np.sqrt(0.09 / 1000) > 3).sum() >= 4


def test_stored_results_are_complete(root):
    assert len(COST) == 9
    for name in COST:
        stored = load_result(name)
        assert stored["command"] == f"python -m costboot.papers.registry {name}" and "seed" in stored["settings"] and "numpy" in stored["versions"]
        assert EXPERIMENTS[name].file == f"{name}.json" and stored["rows"]
    files = list((root / "nbs" / "papers" / "results").glob("*.json"))
    assert sum(f.stat().st_size for f in files) < 2_000_000
    assert sum(f.stat().st_size for f in files if f.name.startswith("cost-")) < 700_000


def test_stored_results_are_as_large_as_printed():
    for name in ("cost-fig2", "cost-fig3", "cost-fig4", "cost-fig5", "cost-fig6", "cost-slides", "cost-uci"):
        stored = load_result(name)
        assert stored["settings"]["n_simulations"] >= 1000 and stored["settings"]["conditions"] == 99
    for name in ("cost-fig4", "cost-fig6", "cost-slides"):
        assert len({(r["theta"], r["shift"], r["correlation"]) for r in load_result(name)["rows"]}) == 18
    assert {r["n_per_class"] for r in load_result("cost-fig3")["rows"]} >= {25, 250, 2500, 10_000}
    used = load_result("cost-uci")["settings"]["data"]
    assert {name: (d["train"], d["valid"], d["test"]) for name, d in used.items()} == {
        "abalone": (1000, 1000, 2177), "covertype": (5000, 5000, 485_141), "credit": (500, 250, 250), "telescope": (1000, 1000, 17_020)}


@pytest.mark.parametrize(("method", "added"), [("wald", 0), ("agresti", 1)])
def test_stored_figure_2_is_a_plain_double_sum(method, added):
    "All million pairs of counts, with scipy's binomial, at two operating conditions."
    table, model = pd.DataFrame(load_result("cost-fig2")["rows"]).set_index(["theta", "method"]), cb.Binormal(1.5)
    for at in (4, 60):
        w, t = (at + 1) / 100, model.optimal_threshold((at + 1) / 100)
        k, rates = np.arange(1001), (1 - model.tpr(t), model.fpr(t))
        p = (k + added) / (1000 + 2 * added)
        var = p * (1 - p) / (1000 + 2 * added)
        mean, half = np.add.outer(w * p, (1 - w) * p), stats.norm.ppf(0.95) * np.sqrt(np.add.outer(w**2 * var, (1 - w) ** 2 * var))
        covered = abs(mean - model.cost(w, t)) <= half
        expected = stats.binom.pmf(k, 1000, rates[0]) @ covered @ stats.binom.pmf(k, 1000, rates[1])
        assert table.loc[(1.5, method), "exact"][at] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("module", ["papers.registry", "papers.cost_paper", "papers.roc_paper", "papers.assessment_chapter", "coverages.which_interval"])
def test_heavy_libraries_are_loaded_only_when_needed(module):
    code = f"import sys, costboot.{module}; print(*[m for m in ('ipywidgets', 'matplotlib', 'sklearn', 'pandas', 'scipy.stats', 'joblib', 'numba') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == ""


def test_the_command_writes_a_result(tmp_path):
    subprocess.run([sys.executable, "-m", "costboot.papers.registry", "cost-fig3", "--quick", "--output", str(tmp_path)], check=True, capture_output=True, env=None)
    written = json.loads((tmp_path / "cost-fig3.json").read_text())
    assert written["command"] == "python -m costboot.papers.registry cost-fig3 --quick" and len(written["rows"]) == 6
