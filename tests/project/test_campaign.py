"""Bad values for every argument of what a user types, found from the signatures: an answer, or an error of ours that names an argument.

A random sample (fixed seed) by default, everything with SLOW=1; `python tests/project/test_campaign.py [name ...]` prints every finding.
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
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import costboot as cb

TYPED = ("core.DiscreteLaw", "laws.TableCounts", "folds.FoldOutputs", "folds.fold_outputs", "folds.expected_cost", "reporting.comparison_table", "reporting.Condition",
         "laws.resampled_roc", "laws.resampled_tpr", "laws.resampled_tpr_difference", "laws.resampled_rates_at_budget", "laws.exact_precision_recall",
         "comparisons.validated_cost", "comparisons.validated_cost_difference", "core.rate_interval")  # of the rooms, what a user types; the rest gets checked input
SAMPLE = 4000  # calls in `make test`
PATIENCE = 20  # seconds for one call, on a busy machine

RNG = np.random.default_rng(0)
Y = np.tile([0, 1, 0, 0, 1], 8)
S, Z = (Y + RNG.normal(size=40) for _ in range(2))
X = RNG.normal(size=(40, 2)) + Y[:, None]
TABLE = pd.DataFrame({"y": Y, "a": S, "b": Z})


def rule():
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    return LinearDiscriminantAnalysis()


# What a name means, everywhere: the vocabulary of the package. A function that means something else by it has an entry of its own below.
USUAL = {
    "y_true": Y, "y_score": S, "y_score_1": S, "y_score_2": Z, "y": Y, "X": X, "w": 0.4, "threshold": 0.5, "threshold_1": 0.5, "threshold_2": 0.6,
    "fpr": 0.2, "prevalence": 0.3, "cost_fn": 2.0, "cost_fp": 1.0, "scores": {"a": S, "b": Z}, "thresholds": {"a": 0.5, "b": 0.6}, "estimator": rule,
    "estimator_1": rule, "estimator_2": rule, "n_pos": 12, "n_neg": 15, "n": 12, "n_resamples": 5, "n_simulations": 3, "progress": False, "rng": 1, "cv": 3,
    "budget": 0.3, "measure": "f1", "threshold_probability": 0.3, "confidence_level": 0.9, "n_weights": 10, "n_keep": 3, "n_steps": 1, "outputs": abs(X),
    "data": S, "statistic": lambda sample: float(np.mean(sample)), "points": 5, "model": lambda: cb.Binormal(2.0), "label": "y", "score": ["a"],
    "law_1": lambda: cb.exact_cost(Y, S, 0.4, 0.5), "law_2": lambda: cb.exact_cost(Y, Z, 0.4, 0.5), "law": lambda: cb.exact_cost(Y, S, [0.4, 0.5], 0.5),
    "comparison": lambda: cb.compare(Y, {"a": S, "b": Z}, {"a": 0.5, "b": 0.6}, w=[0.3, 0.5]), "condition": lambda: cb.reporting.Condition(0.3, 1.0, 1.0),
    "successes": 3, "k": 3, "size": 10, "n_per_class": 12, "theta": 1.0, "p": 2, "seed": 1, "pair": lambda: cb.BinormalPair(cb.Binormal(1.0), cb.Binormal(2.0)),
}
OWN = {
    "coverage": {"draw": lambda: cb.Binormal(2.0), "truth": lambda: cb.Binormal(2.0).cost([0.4], 0.5), "law": lambda: lambda y, s: cb.exact_cost(y, s, [0.4], 0.5),
                 "n_pos": 12},
    "compare": {"progress": None}, "exact_cost": {"w": 0.4, "threshold": 0.5}, "exact_cost_difference": {"w": 0.4, "threshold_1": 0.5, "threshold_2": 0.6},
    "exact_net_benefit": {"y_score": 1 / (1 + np.exp(-S))}, "exact_net_benefit_difference": {"y_score_1": 1 / (1 + np.exp(-S)), "y_score_2": 1 / (1 + np.exp(-Z))},
    "average_operating_points": {"X": X, "y": Y, "points": 5}, "influence_estimate": {"statistic": lambda: lambda sample, weights: float(np.average(sample, weights=weights))},
    "plan_size": {"of": "cost", "tpr": 0.9, "fpr": 0.1, "w": 0.4, "width": 0.2},
    "exact_coverage": {"truth": lambda: cb.Binormal(2.0), "w": [0.4]}, "optimal_thresholds": {"y_val": Y, "score_val": S},
    "BinormalPair": {"model_1": lambda: cb.Binormal(1.0), "model_2": lambda: cb.Binormal(2.0)}, "count_at_least": {"threshold": [0.5], "scores": S},
    "counts_from": {"table": TABLE, "y_true": "y", "y_score": "a"},
    "report": {"data": TABLE, "thresholds": 0.5, "label": "y", "score": ["a"]}, "read_scores": {"data": TABLE, "source": TABLE},
    "enumerate_law": {"y_true": Y[:5], "y_score": S[:5], "statistic": lambda: lambda *sample: 1.0},
    "TableCounts": {"threshold": [0.5], "count_pos": [2], "count_neg": [1], "n_pos": 3, "n_neg": 4},
    "DiscreteLaw": {"x": [0.5], "values": [[0.0, 1.0]], "probabilities": [[0.5, 0.5]]},
    "FoldOutputs": {"outputs": S, "fold": np.arange(40) % 4},
}
BAD = {
    "NaN": float("nan"), "infinity": float("inf"), "-1": -1, "2.5": 2.5, "1e308": 1e308, "10**400": 10**400, "10**18": 10**18, "text": "<b>", "no text": "", "bytes": b"1",
    "no list": [], "list of text": ["a", "b"], "ragged": [[1, 2], [3]], "dictionary": {"a": 1}, "NA": pd.NA, "list with NA": [1, pd.NA, 0], "list with None": [1, None, 0],
    "True": True, "complex": 1j, "object": object(), "table": np.zeros((2, 2)), "NaN array": np.array([np.nan, 1.0]), "masked": np.ma.masked_array([1, 0], [True, False]),
    "huge integers": [10**400, 1], "times": np.array(["2020-01-01"], dtype="datetime64[D]"), "function": lambda *_, **__: None, "class": int, "frame": pd.DataFrame({"<b>": [1, 2]}),
}
LEFT_OUT = {  # not judged, with the reason
    "main": "the command: tests/reporting", "shows_error": "for pages", "explore": "takes a function", "check_explorer": "takes an explorer",
    "cross_fit": "takes scores one after the other, without names: tests/comparisons",
}
LEGAL = {("n_jobs", "-1"), *((name, "class") for name in ("threshold", "threshold_1", "threshold_2", "statistic", "loss", "law", "draw", "truth", "measure", "thresholds"))}
TAKES_ANYTHING = {"title", "kwargs", "options", "color"}  # every value is legal, or it is handed on to matplotlib


def public():
    "Name -> callable: the front door, and what is typed of the rooms; no explorers and no figures of them."
    found = {name: getattr(cb, name) for name in cb.__all__}
    for room, name in (typed.split(".") for typed in TYPED): found[f"{room}.{name}"] = getattr(importlib.import_module(f"costboot.{room}"), name)
    return {name: call for name, call in found.items()
            if callable(call) and not inspect.ismodule(call) and not name.rpartition(".")[2].startswith(("explore_", "fig_", "_")) and name.rpartition(".")[2] not in LEFT_OUT}


def made(value): return value() if inspect.isfunction(value) and not inspect.signature(value).parameters else value


def arguments(name, call):
    "Legal arguments for all parameters that need one, or None where the vocabulary does not know a word."
    own, given = OWN.get(name.rpartition(".")[2], {}), {}
    try: parameters = inspect.signature(call).parameters.values()
    except (TypeError, ValueError): return None
    for p in parameters:
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD): continue
        if p.name in own: given[p.name] = own[p.name]
        elif p.default is p.empty:
            if p.name not in USUAL or p.kind is p.POSITIONAL_ONLY: return None
            given[p.name] = USUAL[p.name]
        elif p.name in ("n_resamples", "n_simulations", "progress", "rng", "n_weights", "n_keep", "n_steps"): given[p.name] = USUAL[p.name]
    return given


def outcome(call, given, name):
    "What a call does: 'answer', 'named', or a finding."
    def late(*_): raise TimeoutError
    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(PATIENCE)
    names = set(given) | set(inspect.signature(call).parameters)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            call(**{key: made(value) if key != name else value for key, value in given.items()})
    except TimeoutError: return "no end"
    except (ValueError, TypeError, FileNotFoundError) as error:
        if set(re.findall(r"`(\w+)", str(error))) & names: return "named"
        return f"unclear {type(error).__name__}: {' '.join(str(error).split())[:90]}"
    except ImportError: return "named"  # an extra that is not installed says which
    except BaseException as error: return f"{type(error).__name__}: {' '.join(str(error).split())[:90]}"  # noqa: BLE001
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return "answer"


def cases(only=()):
    "Every call form: (name, callable, legal arguments, argument, name of the bad value)."
    for name, call in sorted(public().items()):
        if only and name not in only: continue
        given = arguments(name, call)
        if given is None: continue
        for p in inspect.signature(call).parameters.values():
            if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) or p.name in TAKES_ANYTHING: continue
            for bad in BAD:
                if (p.name, bad) not in LEGAL: yield name, call, given, p.name, bad


def campaign(chosen):
    "Run the cases; what fell."
    from matplotlib import pyplot as plt
    classes, fell = Counter(), []
    for name, call, given, argument, bad in chosen:
        found = outcome(call, {**given, argument: BAD[bad]}, argument)
        plt.close("all")
        classes[found if found in ("answer", "named", "no end") else "unclear"] += 1
        if found not in ("answer", "named"): fell.append(f"{name}({argument}={bad}): {found}")
    return classes, fell


def test_most_of_the_public_functions_are_called():
    "The vocabulary is enough for the front door: what a legal call cannot be made for is listed."
    unknown = sorted(name for name, call in public().items() if "." not in name and arguments(name, call) is None)
    assert unknown == UNCALLED


UNCALLED = ["Interval", "RocBandDisplay", "load_uci"]  # made by others; reads a file (tests/data)
KNOWN = {  # what is left of the first 1,373: errors that do not name the argument, 99 calls; nothing may be added
    "assess": {"cv"},
    "average_operating_points": {"X", "cv", "measures", "points"},
    "bootstrap_estimate": {"data"},
    "compare": {"progress"},
    "compare_costs": {"y_true"},
    "compare_rules": {"cv"},
    "counts_from": {"table", "y_score", "y_true"},
    "coverage": {"draw", "intervals", "law", "truth"},
    "exact_coverage": {"width"},
    "exact_measure": {"measure"},
    "folds.fold_outputs": {"X", "cv"},
    "influence_estimate": {"data"},
    "jackknife_estimate": {"data"},
    "read_scores": {"data"},
    "report": {"data"},
    "search_weights": {"outputs"},
}


def test_legal_calls_are_answered():
    wrong = {}
    for name, call in public().items():
        if (given := arguments(name, call)) is not None and (found := outcome(call, given, None)) != "answer": wrong[name] = found
    assert wrong == {}


def judged(fell): return [line for line in fell if re.match(r"[\w.]+\((\w+)=", line)[1] not in KNOWN.get(line.partition("(")[0], ())]


def test_a_sample_of_bad_values(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    everything = list(cases())
    chosen = random.Random(25).sample(everything, SAMPLE)
    begin = time.process_time()
    classes, fell = campaign(chosen)
    with capsys.disabled(): print(f"\n{len(chosen)} of {len(everything):,} bad inputs: {dict(classes)}, {time.process_time() - begin:.0f} s")
    assert judged(fell) == []


@pytest.mark.slow
def test_all_bad_values(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    classes, fell = campaign(cases())
    with capsys.disabled(): print(f"\n{sum(classes.values()):,} bad inputs: {dict(classes)}")
    assert judged(fell) == []


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    print("no legal call:", [name for name, call in public().items() if arguments(name, call) is None])
    for name, call in public().items():
        if (sys.argv[1:] in ([], ["legal"]) or name in sys.argv[1:]) and (given := arguments(name, call)) is not None and (found := outcome(call, given, None)) != "answer":
            print("LEGAL", name, found)
    if sys.argv[1:] != ["legal"]:
        classes, fell = campaign(cases(sys.argv[1:]))
        print(*fell, sep="\n")
        print(dict(classes))
