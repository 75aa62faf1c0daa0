"""ROC laws at size: a million instances of each class, a thousand points.

    python benchmarks/roc_laws.py [instances of each class] [points]

Targets: laws and intervals of all points in seconds after sorting; work for each false positive rate that grows like the
square root of the number of instances (the last table).
"""

import sys
from time import perf_counter

import numpy as np

from costboot.laws.auc import exact_auc, exact_auc_difference
from costboot.laws.budget import exact_rates_at_budget
from costboot.data.score_models import Binormal, BinormalPair
from costboot.laws.smoothed_tpr import kernel_tpr
from costboot.laws.thresholds import exact_roc, exact_roc_difference
from costboot.laws.fixed_fpr import exact_tpr


def timed(text, call):
    "Run a call, print how long it took, and hand back what it returned."
    start = perf_counter()
    result = call()
    print(f"{perf_counter() - start:9.3f} s  {text}")
    return result


def run(n, h):
    "All laws for n instances of each class and h points."
    y, s_1, s_2 = BinormalPair(Binormal(2.0, 3.75, 3.0), Binormal(1.8, 3.75, 3.0)).sample(n, rng=1)
    t, rates = np.linspace(-6, 6, h), np.linspace(max(0.001, 1 / n), min(0.999, 1 - 1 / n), h)
    print(f"\n{n:,} positives, {n:,} negatives, {h:,} points")
    timed("np.sort of both classes' scores", lambda: (np.sort(s_1[:n]), np.sort(s_1[n:])))
    roc = timed("exact_roc", lambda: exact_roc(y, s_1, t))
    for method in ("agresti", "exact"): timed(f"  region, {method}", lambda method=method: roc.region(0.9, method))
    difference = timed("exact_roc_difference", lambda: exact_roc_difference(y, s_1, s_2, t, t))
    timed("  region, agresti", lambda: difference.region(0.9, "agresti"))
    timed("  dominance", difference.dominance)
    timed("  region, exact", lambda: difference.region(0.9, "exact"))
    vertical = timed("exact_tpr", lambda: exact_tpr(y, s_1, rates))
    for method in ("wald", "agresti", "exact"): timed(f"  interval, {method}", lambda method=method: vertical.interval(0.9, method))
    timed("  distribution function at one value", lambda: vertical.cdf(0.7))
    timed("  all probabilities of one point", lambda: vertical.support(h // 2))
    timed("kernel_tpr and interval", lambda: kernel_tpr(y, s_1, rates).interval())
    timed("exact_auc", lambda: exact_auc(y, s_1))
    timed("exact_auc_difference", lambda: exact_auc_difference(y, s_1, s_2))
    timed("exact_rates_at_budget, stratified, one budget", lambda: exact_rates_at_budget(y, s_1, 0.3))


def growth():
    "Time for each false positive rate, for growing test sets: a factor of 100 should cost about 10."
    print("\n         n   microseconds for each rate: moments, exact interval")
    for n in (10**3, 10**4, 10**5, 10**6):
        law = exact_tpr(*Binormal(2.0, 3.75, 3.0).sample(n, rng=1), np.linspace(0.3, 0.7, 100))
        seconds = []
        for call in (lambda law=law: law.mean, lambda law=law: law.interval(0.9, "exact")):
            start = perf_counter()
            call()
            seconds.append(perf_counter() - start)
        print(f"{n:10,}   {seconds[0] * 1e4:10.1f} {seconds[1] * 1e4:10.1f}")


if __name__ == "__main__":
    size, points = (int(a) for a in (sys.argv[1:3] + ["1000000", "1000"][len(sys.argv) - 1 :]))
    run(200, 20)  # compiles everything
    run(size, points)
    growth()
