"""Laws of measures at size: thresholds in a curve, instances, two models; beside a plain resampling loop.

    python benchmarks/measures.py [instances of each class]

The loop draws 2,000 stratified resamples and computes the measure of each at every threshold, vectorised; it is what a user would write,
and its limits scatter. The last lines are a decision curve and a precision-recall curve.
"""

import sys
from time import perf_counter

import numpy as np

import costboot as cb
from costboot.laws.precision_recall import exact_precision_at_recall


def timed(text, call):
    "Run a call, print how long it took, and hand back what it returned."
    start = perf_counter()
    result = call()
    print(f"{perf_counter() - start:9.3f} s  {text}")
    return result


def resampled_precision(y, s, t, n_resamples=2000):
    "The precision of literal resamples at each threshold: counts of drawn instances."
    rng, pos, neg = np.random.default_rng(0), np.sort(s[y == 1]), np.sort(s[y == 0])
    found = np.empty((n_resamples, t.size))
    for b in range(n_resamples):
        tp, fp = (k.size - np.searchsorted(np.sort(k[rng.integers(0, k.size, k.size)]), t) for k in (pos, neg))
        found[b] = tp / np.maximum(tp + fp, 1)
    return found


def run(n, h=50):
    "All laws for n instances of each class and h thresholds."
    y, s, z = cb.BinormalPair(cb.Binormal(2.0), cb.Binormal(2.2, loc_neg=-2.0), correlation=0.7).sample(n, n, rng=1)
    t, risk = np.linspace(-3, 3, h), 1 / (1 + np.exp(-4 * s / 9))
    print(f"\n{n:,} positives, {n:,} negatives, {h} thresholds")
    law = cb.exact_measure(y, s, t, "precision")
    for name in ("precision", "f1", "kappa", "mcc"):
        timed(f"exact_measure and recommended interval, {name}", lambda name=name: cb.exact_measure(y, s, t, name).interval())
    part = law if n <= 2000 else law[:1]
    timed(f"  mean and standard deviation, precision, {len(part)} thresholds", lambda: (part.mean, part.std))
    if n <= 2000:
        exact = timed("  exact interval, precision", lambda: law.interval(0.9, "exact"))
        drawn = timed("  the same by 2,000 resamples", lambda: np.quantile(resampled_precision(y, s, t), [0.05, 0.95], axis=0))
        print(f"{'':13}largest distance of the resamples' limits: {np.abs(np.array(exact) - drawn).max():.2g}")
    timed("exact_measure_difference and interval, f1", lambda: cb.exact_measure_difference(y, s, z, t, t, "f1").interval())
    timed("  p-value at one threshold", lambda: cb.exact_measure_difference(y, s, z, 0.0, 0.0, "f1").p_value())
    if n <= 2000: timed("  standard deviation at one threshold", lambda: cb.exact_measure_difference(y, s, z, 0.0, 0.0, "f1").std)
    grid = np.linspace(0.01, 0.9, h)
    timed("exact_net_benefit and interval, class sizes drawn", lambda: cb.exact_net_benefit(y, risk, grid, sampling="full").interval())
    timed("exact_net_benefit_difference against treat all", lambda: cb.exact_net_benefit_difference(y, "all", risk, grid, sampling="full").interval())
    timed("precision at fixed recalls and interval", lambda: exact_precision_at_recall(y, s, np.linspace(0.1, 0.9, h)).interval())


if __name__ == "__main__":
    for size in [int(a) for a in sys.argv[1:]] or [150, 1000, 100_000]: run(size)
