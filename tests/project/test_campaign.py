"""Bad values for every argument of what a user types, found from the signatures: an answer, or an error of ours that names an argument.

What a user types: the front door, what the rooms offer besides (`TYPED`), every figure, and the methods of every result. One call in twenty by default
(a random sample with a fixed seed), everything with SLOW=1; `python tests/project/test_campaign.py [name ...]` prints every finding.
"""

import contextlib
import importlib
import inspect
import io
import random
import re
import signal
import sys
import time
import warnings
from collections import Counter
from dataclasses import fields, is_dataclass
from fractions import Fraction
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
import pytest  # noqa: E402
from test_copies import MADE, Q, S, X, Y, Z, P, rule  # noqa: E402

import costboot as cb  # noqa: E402

TYPED = """
    core.DiscreteLaw core.rate_interval core.BinomialProportion core.TrinomialDifference core.WeightedSum core.Mixture data.Dataset
    laws.TableCounts laws.TrinomialForm laws.exact_expense_difference laws.exact_partial_auc laws.exact_precision_at_recall laws.exact_precision_recall
    laws.resampled_roc laws.resampled_tpr laws.resampled_tpr_difference laws.resampled_rates_at_budget
    comparisons.validated_cost comparisons.validated_cost_difference coverages.Population coverages.difference_coverage coverages.empirical_coverage
    coverages.exact_paired_coverage coverages.interval_table folds.FoldOutputs folds.fold_outputs folds.expected_cost folds.GaussianDetector
    retrained.five_by_two retrained.compare_all_rules reporting.Condition reporting.comparison_table reporting.example_scores
    papers.simulate_auc teaching.check_answer teaching.check_derivation teaching.predict
""".split()  # of the rooms, what a user types; the rest gets checked input
SAMPLE = 3000  # calls in `make test`
PATIENCE = 20  # seconds for one call, on a busy machine
TABLE = pd.DataFrame({"y": Y, "a": S, "b": Z})

# What a name means, everywhere: the vocabulary of the package. A function that means something else by it has an entry of its own below.
def middle(sample, weights=None):
    "A statistic of the user's that takes samples of any kind."
    if np.asarray(sample).dtype.kind not in "biuf": return float(len(sample))
    return float(np.mean(sample)) if weights is None else float(np.average(np.mean(np.reshape(sample, (len(sample), -1)), axis=1), weights=weights))


USUAL = {
    "y_true": Y, "y_score": S, "y_score_1": S, "y_score_2": Z, "y": Y, "X": X, "w": 0.4, "threshold": 0.5, "threshold_1": 0.5, "threshold_2": 0.6,
    "fpr": 0.2, "tpr": 0.9, "prevalence": 0.3, "cost_fn": 2.0, "cost_fp": 1.0, "scores": {"a": S, "b": Z}, "thresholds": {"a": 0.5, "b": 0.6}, "estimator": rule,
    "estimator_1": rule, "estimator_2": rule, "n_pos": 12, "n_neg": 15, "n": 12, "n_resamples": 5, "n_simulations": 3, "progress": False, "rng": 1, "cv": 3,
    "budget": 0.3, "measure": "f1", "threshold_probability": 0.3, "confidence_level": 0.9, "n_weights": 10, "n_keep": 3, "n_steps": 1, "outputs": abs(X),
    "data": S, "statistic": lambda: middle, "points": 5, "model": lambda: cb.Binormal(2.0), "label": "y", "score": ["a"],
    "law_1": lambda: cb.exact_cost(Y, S, 0.4, 0.5), "law_2": lambda: cb.exact_cost(Y, Z, 0.4, 0.5), "law": lambda: cb.exact_cost(Y, S, [0.4, 0.5], 0.5),
    "comparison": lambda: cb.compare(Y, {"a": S, "b": Z}, {"a": 0.5, "b": 0.6}, w=[0.3, 0.5]), "condition": lambda: cb.reporting.Condition(0.3, 1.0, 1.0),
    "successes": 3, "k": 3, "count": 3, "size": 10, "h": 0.05, "threshold_at": 0.5, "n_per_class": 12, "theta": 1.0, "p": 2, "seed": 1, "pair": lambda: cb.BinormalPair(cb.Binormal(1.0), cb.Binormal(2.0)),
    "fnr": 0.2, "max_fpr": 0.5, "recall": 0.5, "trials": 2, "positive": True, "v": 0.2, "q": 0.5, "i": 0, "other": 0, "rules": lambda: {"a": rule(), "b": rule()},
}
SMALL = ("n_resamples", "n_simulations", "progress", "rng", "n_weights", "n_keep", "n_steps", "trials")  # less work than by default
SHARES = {"y_score": P, "y_score_1": P, "y_score_2": Q}
COUNTED = dict(x=[0.5], n=8, m=8)
OWN = {
    "coverage": {"draw": lambda: cb.Binormal(2.0), "truth": lambda: cb.Binormal(2.0).cost([0.4], 0.5), "law": lambda: lambda y, s: cb.exact_cost(y, s, [0.4], 0.5),
                 "n_pos": 12},
    "compare": {"progress": None}, "exact_net_benefit": SHARES, "exact_net_benefit_difference": SHARES,
    "average_operating_points": {"X": X, "y": Y, "points": 5},
    "plan_size": {"of": "cost", "tpr": 0.9, "fpr": 0.1, "w": 0.4, "width": 0.2},
    "exact_coverage": {"truth": lambda: cb.Binormal(2.0), "w": [0.4]}, "optimal_thresholds": {"y_val": Y, "score_val": S},
    "BinormalPair": {"model_1": lambda: cb.Binormal(1.0), "model_2": lambda: cb.Binormal(2.0)},
    "counts_from": {"table": TABLE, "y_true": "y", "y_score": "a"},
    "report": {"data": TABLE, "thresholds": 0.5, "label": "y", "score": ["a"]}, "read_scores": {"data": TABLE},
    "enumerate_law": {"y_true": Y[:5], "y_scores": S[:5], "statistic": lambda: lambda *sample: 1.0},
    "cross_fit": {"y_scores": S}, "Population": {"y_scores": S},
    "TableCounts": {"threshold": [0.5], "count_pos": [2], "count_neg": [1], "n_pos": 3, "n_neg": 4},
    "DiscreteLaw": {"x": [0.5], "values": [[0.0, 1.0]], "probabilities": [[0.5, 0.5]]},
    "FoldOutputs": {"outputs": S, "fold": np.arange(40) % 4},
    "BinomialProportion": {**COUNTED, "count": [3]}, "TrinomialDifference": {**COUNTED, "count_1": [3], "count_2": [2]},
    "WeightedSum": {"x": [0.5], "weight_1": [0.4], "weight_2": [0.6], **dict.fromkeys(("law_1", "law_2"), lambda: cb.core.BinomialProportion(**COUNTED, count=[3]))},
    "Mixture": {"x": [0.5], "components": lambda: cb.core.BinomialProportion(x=[0, 1], n=8, m=8, count=[3, 4]), "weights": [[0.4, 0.6]]},
    "TrinomialForm": {"x": [0.5], "cell_1": [2], "cell_2": [3], "total": 8, "m": 8, "weight_1": [0.1], "weight_2": [0.05]},
    "Dataset": {"name": "made up", "X_train": X, "y_train": Y, "X_test": X, "y_test": Y, "feature_names": ("a", "b"), "classes": {1: "yes", 0: "no"}},
    **dict.fromkeys(("exact_cost", "PairedTableCounts.exact_cost_difference"), {"w": 0.4, "threshold": 0.5}),
    "exact_cost_difference": {"w": 0.4, "threshold_1": 0.5, "threshold_2": 0.6}, "rate_interval": {"count": 3, "n": 10},
    "OperatingPoints.compare": {"point": 0}, "decide": {"point": 0, "outputs": [0.5]}, "point_at": {"measure": "tpr", "at_least": 0.1},
    "threshold_at_total_positive_rate": {"rate": 0.3}, "density": {"score": 0.5, "positive": True}, "from_folds": {"y": [Y, Y], "outputs": [S, S]},
    "difference_coverage": {"w": [0.4]}, "exact_paired_coverage": {"threshold_1": [0.5], "threshold_2": [0.6]},
    "simulate_auc": {"n_per_class": 12, "rule": "LDA"}, "check_answer": {"name": "cost-curve-1", "answer": 0.5}, "check_derivation": {"text": "P[TP < 2] = 1"},
    "predict": {"name": "campaign", "question": "How much?", "answer": 0.5, "span": (0, 1, 0.1)},
    "GaussianDetector.fit": {"X": X, "y": Y}, "GaussianDetector.decision_function": {"X": X},
    "fig_regions": {"condition": None},
}
BAD = {
    "NaN": float("nan"), "infinity": float("inf"), "-infinity": float("-inf"), "0": 0, "-1": -1, "2.5": 2.5, "1e308": 1e308, "10**400": 10**400, "10**18": 10**18, "None": None,
    "text": "<b>", "no text": "", "bytes": b"1", "no list": [], "list of text": ["a", "b"], "ragged": [[1, 2], [3]], "dictionary": {"a": 1}, "no dictionary": {}, "set": {0.5},
    "NA": pd.NA, "list with NA": [1, pd.NA, 0], "list with None": [1, None, 0], "True": True, "complex": 1j, "object": object(), "table": np.zeros((2, 2)), "NaN array": np.array([np.nan, 1.0]),
    "masked": np.ma.masked_array([1, 0], [True, False]), "huge integers": [10**400, 1], "times": np.array(["2020-01-01"], dtype="datetime64[D]"), "function": lambda *_, **__: None,
    "class": int, "frame": pd.DataFrame({"<b>": [1, 2]}), "fraction": Fraction(1, 3), "path": Path("no such file"), "cube": np.zeros((2, 2, 2)),
}
LEFT_OUT = {  # not judged, with the reason
    "main": "the command: tests/reporting", "shows_error": "for pages", "explore": "takes a function", "check_explorer": "takes an explorer",
}
NAMED_OTHERWISE = {  # a column, a file or a place in the text says more than the argument that it came with
    **dict.fromkeys((("read_scores", "data"), ("report", "data"), ("report", "validation")), r"^(column '|the table |there is no file '|'.*' (is a folder|cannot be read))"),
    ("check_derivation", "text"): r"^line \d+, column \d+:",
}
RULES = ("threshold", "threshold_1", "threshold_2", "statistic", "loss", "law", "draw", "truth", "measure", "thresholds")
LEGAL = {("n_jobs", "-1"), *((name, kind) for name in RULES for kind in ("class", "function")), ("progress", "class"), ("progress", "function"), ("measures", "class")}  # a function of the user's is run as it is
TAKES_ANYTHING = {"title", "kwargs", "options", "color", "cls", "self"}  # every value is legal, or it is handed on to matplotlib, as is the `label` of a picture


# --- what is called ------------------------------------------------------------------------------------------------------
def public():
    "Name -> callable: the front door, what is typed of the rooms, and the figures."
    found = {name: getattr(cb, name) for name in cb.__all__}
    for room, name in (typed.split(".") for typed in TYPED): found[f"{room}.{name}"] = getattr(importlib.import_module(f"costboot.{room}"), name)
    found |= {f"explorers.{name}": getattr(cb.explorers, name) for name in cb.explorers.__all__ if name.startswith("fig_")}
    return {name: call for name, call in found.items()
            if callable(call) and not inspect.ismodule(call) and not name.rpartition(".")[2].startswith(("explore_", "_")) and name.rpartition(".")[2] not in LEFT_OUT}


RESULTS = {  # more than test_copies asks for
    "population": lambda: cb.coverages.Population(Y, S), "binormal": lambda: cb.Binormal(2.0), "pair": lambda: cb.BinormalPair(cb.Binormal(1.0), cb.Binormal(2.0)),
    "highleyman": cb.Highleyman, "multinormal": lambda: cb.Multinormal(2, 1.0), "comparisons": lambda: cb.compare(Y, {"a": S, "b": Z}, {"a": 0.5, "b": 0.6}, w=[0.3, 0.5]),
    "detector": lambda: cb.folds.GaussianDetector().fit(X, Y), "weights": lambda: cb.search_weights(Y, abs(X), n_weights=10, n_keep=3, rng=0),
    "folds": lambda: cb.folds.FoldOutputs(Y, S, np.arange(40) % 4), "plan": lambda: cb.plan_size(of="cost", tpr=0.9, fpr=0.1, w=0.4, width=0.2),
    "simulated coverage": lambda: cb.coverage(cb.Binormal(2.0), [0.5], lambda y, s: cb.exact_cost(y, s, [0.5], 0.0), n_pos=5, n_simulations=3, progress=False),
}


INNER = {"blocks", "summands", "effective_range", "atom_bound", "window", "at", "joint"}  # what one law asks another


def methods():
    "Name -> bound method, of every kind of result; a method that two results share by inheritance is asked of both."
    for kind, made in (MADE | RESULTS).items():
        result = made()
        for name, value in inspect.getmembers_static(type(result)):
            if name.startswith("_") or name in INNER or not (inspect.isfunction(value) or isinstance(value, classmethod)): continue
            method = getattr(result, name)
            if any(p.name not in TAKES_ANYTHING for p in inspect.signature(method).parameters.values()): yield f"{kind}: {type(result).__name__}.{name}", method


def made(value): return value() if inspect.isfunction(value) and not inspect.signature(value).parameters else value


def own(name): return {key: value for part in (name.rpartition(".")[2], name.rpartition(": ")[2]) for key, value in OWN.get(part, {}).items()}


def arguments(name, call):
    "Legal arguments for all parameters that need one, or None where the vocabulary does not know a word."
    special, given = own(name), {}
    try: parameters = inspect.signature(call).parameters.values()
    except (TypeError, ValueError): return None
    for p in parameters:
        if p.name in special: given[p.name] = special[p.name]
        elif p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD): continue
        elif p.default is p.empty:
            if p.name not in USUAL or p.kind is p.POSITIONAL_ONLY: return None
            given[p.name] = USUAL[p.name]
        elif p.name in SMALL and not name.startswith("explorers."): given[p.name] = USUAL[p.name]
    return given


# --- what happens ------------------------------------------------------------------------------------------------------------
def numbers(value, depth=3):
    "Every float in an answer."
    if isinstance(value, float): yield value
    elif isinstance(value, np.ndarray) and value.dtype.kind == "f": yield from value.ravel()[:1000].tolist()
    elif depth and isinstance(value, dict): yield from (v for part in value.values() for v in numbers(part, depth - 1))
    elif depth and isinstance(value, (tuple, list)): yield from (v for part in value[:100] for v in numbers(part, depth - 1))
    elif depth and is_dataclass(value) and not isinstance(value, type): yield from (v for f in fields(value) for v in numbers(getattr(value, f.name, None), depth - 1))


def called(call, given):
    "The answer to named arguments, where one of them may be `*y_scores`."
    many = [p.name for p in inspect.signature(call).parameters.values() if p.kind is p.VAR_POSITIONAL and p.name in given]
    if not many: return call(**given)
    given = dict(given)
    first = [given.pop(p.name) for p in inspect.signature(call).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD and p.name in given]
    return call(*first, given.pop(many[0]), **given)


def known_names(call, given):
    "What an error may name: an argument, one of `*y_scores`, an option that is handed on, or the column that an argument names."
    names = set(given) | {value for value in given.values() if isinstance(value, str)}
    for p in inspect.signature(call).parameters.values():
        names |= {p.name, p.name.removesuffix("s")} if p.kind is p.VAR_POSITIONAL else {p.name}
        if p.kind is p.VAR_KEYWORD: names |= {"n_resamples", "rng", "pos_label", "m", "cost_fn", "cost_fp", "prevalence"}
    return names


def outcome(call, given, name, otherwise=None):
    "What a call does: 'answer', 'named', or a finding."
    def late(*_): raise TimeoutError
    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(PATIENCE)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            answer = called(call, {key: made(value) if key != name else value for key, value in given.items()})
    except TimeoutError: return "no end"
    except (ValueError, TypeError, FileNotFoundError) as error:
        if set(re.findall(r"`(\w+)", str(error))) & known_names(call, given) or (otherwise and re.search(otherwise, str(error))): return "named"
        return f"unclear {type(error).__name__}: {' '.join(str(error).split())[:90]}"
    except ImportError: return "named"  # an extra that is not installed says which
    except BaseException as error: return f"{type(error).__name__}: {' '.join(str(error).split())[:90]}"  # noqa: BLE001
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return "NaN in silence" if any(v != v for v in numbers(answer)) else "answer"


def cases(only=()):
    "Every call form: (name, callable, legal arguments, argument, name of the bad value)."
    for name, call in [*sorted(public().items()), *methods()]:
        if only and not any(part in (name, name.rpartition(".")[2], name.partition(": ")[0]) for part in only): continue
        given = arguments(name, call)
        if given is None: continue
        for p in inspect.signature(call).parameters.values():
            if p.kind is p.VAR_KEYWORD or p.name in TAKES_ANYTHING or (p.name == "label" and ": " in name) or (p.kind is p.VAR_POSITIONAL and p.name not in given): continue
            for bad in BAD:
                if (p.name, bad) not in LEGAL: yield name, call, given, p.name, bad


def campaign(chosen, say=None):
    "Run the cases; what fell."
    from matplotlib import pyplot as plt
    classes, fell, empty = Counter(), [], {}
    for name, call, given, argument, bad in chosen:
        begin = time.monotonic()
        found = outcome(call, {**given, argument: BAD[bad]}, argument, NAMED_OTHERWISE.get((name.rpartition(".")[2], argument)))
        if found == "NaN in silence" and name not in empty: empty[name] = outcome(call, given, None)
        if found == empty.get(name): found = "answer"  # a legal call has it, too: a field that means "not asked for"
        plt.close("all")
        classes[found if found in ("answer", "named", "no end", "NaN in silence") else "unclear"] += 1
        if found not in ("answer", "named"): fell.append(f"{name}({argument}={bad}): {found}")
        if say: say(name, argument, bad, found, time.monotonic() - begin)
    return classes, fell


# --- tests ---------------------------------------------------------------------------------------------------------------------
def test_most_of_the_public_functions_are_called():
    "The vocabulary is enough: what a legal call cannot be made for is listed."
    unknown = sorted(name for name, call in [*public().items(), *methods()] if arguments(name, call) is None)
    assert unknown == UNCALLED


UNCALLED = ["CostBandDisplay", "Interval", "RocBandDisplay", "comparisons: Comparison.together", "folds: FoldOutputs.from_cv_results", "load_uci"]  # made by others; reads a file (tests/data)


def test_legal_calls_are_answered():
    "The first picture of every figure is tried in tests/explorers."
    wrong = {}
    for name, call in [*public().items(), *methods()]:
        if name.startswith("explorers."): continue
        if (given := arguments(name, call)) is not None and (found := outcome(call, given, None)) not in ("answer", "NaN in silence"): wrong[name] = found
    assert wrong == {}


def test_a_sample_of_bad_values(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    everything = list(cases())
    chosen = random.Random(25).sample(everything, SAMPLE)
    begin = time.process_time()
    classes, fell = campaign(chosen)
    with capsys.disabled(): print(f"\n{len(chosen):,} of {len(everything):,} bad inputs: {dict(classes)}, {time.process_time() - begin:.0f} s")
    assert fell == []


def gaps(values):
    "The same numbers with one entry missing, in the ways in which people have them."
    at = (2, *[1] * (values.ndim - 1))
    for kind, gap in (("None", None), ("NA", pd.NA)):
        array = values.astype(object)
        array[at] = gap
        yield kind, array
    yield "masked", np.ma.masked_array(values, np.isin(np.arange(values.size).reshape(values.shape), np.ravel_multi_index(at, values.shape)))
    array = values.astype(float)
    array[at] = np.nan
    yield "NaN", array
    if values.ndim > 1: return
    yield "a column", pd.Series(values).astype("Float64").mask(np.arange(len(values)) == 2)
    yield "a list", [None if i == 2 else v for i, v in enumerate(values.tolist())]
    if set(values.tolist()) == {0, 1}: yield "a list of texts", [float("nan") if i == 2 else ("no", "yes")[v] for i, v in enumerate(values.tolist())]


def test_one_entry_missing():
    "In every array that a user hands over: an error that names it, never an answer. What a gap in a table of features means is for the rule to say; a mask is not."
    fell, tried = [], 0
    for name, call in [*public().items(), *methods()]:
        given = arguments(name, call) or {}
        for argument, values in given.items():
            if not isinstance(values, np.ndarray) or values.dtype.kind not in "bif" or not 5 <= len(values): continue
            for kind, array in gaps(values):
                if kind != "masked" and argument == "X" and {"estimator", "estimator_1", "rules"} & set(given): continue
                options = {"pos_label": "yes"} if kind == "a list of texts" and "pos_label" in inspect.signature(call).parameters else {}
                tried += 1
                if (found := outcome(call, {**given, **options, argument: array}, argument)) != "named": fell.append(f"{name}({argument}={kind}): {found}")
    assert fell == [] and tried > 600


@pytest.mark.slow
def test_all_bad_values(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    classes, fell = campaign(cases())
    with capsys.disabled(): print(f"\n{sum(classes.values()):,} bad inputs: {dict(classes)}")
    assert fell == []


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    wanted = [word for word in sys.argv[1:] if word != "legal"]
    every = [*public().items(), *methods()]
    print("no legal call:", [name for name, call in every if arguments(name, call) is None])
    for name, call in every:
        if not wanted and (given := arguments(name, call)) is not None:
            begin = time.monotonic()
            if (found := outcome(call, given, None)) != "answer": print("LEGAL", name, found)
            if time.monotonic() - begin > 0.5: print(f"{time.monotonic() - begin:.1f} s: {name}")
    if "legal" not in sys.argv[1:]:
        def say(name, argument, bad, found, seconds):
            if found not in ("answer", "named"): print(f"{name}({argument}={bad}): {found}", flush=True)
            elif seconds > 2: print(f"  {seconds:.1f} s: {name}({argument}={bad})", flush=True)

        print(dict(campaign(cases(wanted), say)[0]))
