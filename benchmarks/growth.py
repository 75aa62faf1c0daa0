"""How the laws grow with the test set: time, fitted exponent, peak memory, the time of a sort beside it, and the time of `import costboot`."""

import ctypes
import re
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import numpy as np
from peers import LEVEL, MODELS, clock, rates, scores

import costboot as cb

SIZES = 10**3, 10**4, 10**5, 10**6
W, FEW = np.linspace(0.01, 0.99, 99), np.linspace(0.025, 0.975, 20)
T_1, T_2 = (model.optimal_threshold(W) for model in (MODELS.model_1, MODELS.model_2))
GRID = np.linspace(-6, 6, 1000)


# name: (y, s, z) -> a law with its interval
LAWS = {
    "cost, 99 w": lambda y, s, z: cb.exact_cost(y, s, W, T_1).interval(LEVEL, "exact"),
    "cost, 99 w, full sampling": lambda y, s, z: cb.exact_cost(y, s, W, T_1, sampling="full").interval(LEVEL, "exact"),
    "cost difference, 99 w": lambda y, s, z: cb.exact_cost_difference(y, s, z, W, T_1, T_2).interval(LEVEL, "exact"),
    "ROC regions, 1000 thresholds": lambda y, s, z: cb.exact_roc(y, s, GRID).region(LEVEL, "exact"),
    "ROC differences, 99 thresholds": lambda y, s, z: cb.exact_roc_difference(y, s, z, T_1, T_2).region(LEVEL, "exact"),
    "vertical band, 101 rates": lambda y, s, z: cb.exact_tpr(y, s, rates(y.size)[0]).interval(LEVEL, "exact"),
    "paired vertical, 20 rates": lambda y, s, z: cb.exact_tpr_difference(y, s, z, FEW, progress=False).interval(LEVEL, "exact"),
    "AUC": lambda y, s, z: cb.exact_auc(y, s).interval(LEVEL),
    "AUC difference": lambda y, s, z: cb.exact_auc_difference(y, s, z).interval(LEVEL),
    "rates at a budget of 30 %": lambda y, s, z: cb.exact_rates_at_budget(y, s, 0.3),
    "kernel band, 101 rates": lambda y, s, z: cb.kernel_tpr(y, s, rates(y.size)[0]).interval(LEVEL),
}


def held(what):
    "Megabytes of this process now (VmRSS) or at most (VmHWM), as Linux counts them."
    return int(re.search(rf"{what}:\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) / 1e3


def peak(call):
    "Most megabytes that the process held during a call beyond what it held before, compiled code included; None where the system does not tell."
    try:
        ctypes.CDLL("libc.so.6").malloc_trim(0)  # gives back what earlier calls have freed, or this one could hide in it
        Path("/proc/self/clear_refs").write_text("5")  # forgets the largest size so far
    except OSError: return None
    before = held("VmRSS")
    call()
    return max(0.0, held("VmHWM") - before)


def exponent(sizes, seconds):
    "Slope of log time on log n, by least squares."
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def growth(patience, say=lambda text: None):
    "One dictionary for each law: seconds at each size, exponents over all sizes and over the last factor of ten, peak memory at the largest."
    for name, law in LAWS.items():
        law(*scores(200))  # compiles
        done, seconds = [], []
        for n in SIZES:
            if seconds and seconds[-1] * 15 > patience: break
            say(f"growth: {name}, n = {n:,}")
            data = scores(n)
            done.append(n)
            seconds.append(clock(lambda: law(*data), seconds=0.5, most=5)[0])
        yield dict(law=name, n=done, seconds=seconds, exponent=exponent(done, seconds), last_exponent=exponent(done[-2:], seconds[-2:]),
                   megabytes=peak(lambda: law(*data)))


def sorting(n=10**6, turns=15):
    "Laws at thresholds against the sort of the scores, turn by turn: counting is all that they do before anything is asked of them."
    y, s, z = scores(n)
    calls = {"np.sort of the scores": lambda: np.sort(s)}
    for what, law, limits in (("exact_roc, 1000 thresholds", lambda: cb.exact_roc(y, s, GRID), "region"), ("exact_cost, 99 w", lambda: cb.exact_cost(y, s, W, T_1), "interval")):
        calls[what] = law
        for method in "wald", "exact": calls[f"{what}, {method} {limits}s"] = lambda law=law, limits=limits, method=method: getattr(law(), limits)(LEVEL, method)
    best = dict.fromkeys(calls, np.inf)
    for _ in range(turns):
        for name, call in calls.items():
            start = perf_counter()
            call()
            best[name] = min(best[name], perf_counter() - start)
    base = best["np.sort of the scores"]
    return [dict(what=name, n=n, seconds=seconds, ratio=seconds / base) for name, seconds in best.items()]


def import_time(turns=5):
    "Seconds of `import costboot` in a fresh interpreter, the best of a few, and of `import numpy` for comparison."
    def once(what):
        code = f"from time import perf_counter as t; a = t(); import {what}; print(t() - a)"
        return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
    return {what: min(once(what) for _ in range(turns)) for what in ("costboot", "numpy", "scipy.stats")}
