"""Bands and the law of the AUC at size, and how often bands hold in truth.

    python benchmarks/bands.py [instances of a class] [thresholds] [--coverage]

Targets: the band of an ROC curve with 100,000 instances of each class at 200 thresholds in seconds. With `--coverage` the joint coverage of cost
bands and of bands of paired differences is simulated (some minutes): six designs, 19 operating conditions, level 0.9.
"""

import sys
from time import perf_counter

import numpy as np

from costboot.data.score_models import Binormal, BinormalPair
from costboot.laws.auc import exact_auc
from costboot.laws.auc_law import area_law
from costboot.laws.cost import exact_cost, exact_cost_difference
from costboot.laws.thresholds import exact_roc

DESIGNS = (("cost", 25, 2.0, 300), ("cost", 25, 4.0, 300), ("cost", 100, 2.0, 150), ("cost", 100, 5.0, 150), ("difference", 25, 2.0, 120),
           ("difference", 60, 3.0, 80))


def timed(text, call):
    "Run a call, print how long it took, and hand back what it returned."
    start = perf_counter()
    result = call()
    print(f"{perf_counter() - start:9.3f} s  {text}")
    return result


def speed(n, h):
    "Bands of rates at size, of costs and differences at several sizes, and laws of areas."
    y, s = Binormal(1.5).sample(n, rng=1)
    law = exact_roc(y, s, np.linspace(-8, 8, h))
    for method in ("recommended", "exact", "conservative"):
        timed(f"band of an ROC curve, {n:,} + {n:,} instances, {h} thresholds, {method}", lambda method=method: law.band(0.9, method))
    pair = BinormalPair(Binormal(1.5), Binormal(2.5, loc_neg=-1.5), correlation=0.8)
    rules = pair.model_1.optimal_threshold, pair.model_2.optimal_threshold
    for size in (50, 150, 1000, 10_000):
        y, s, z = pair.sample(size, rng=1)
        cost, difference = exact_cost(y, s, threshold=rules[0]), exact_cost_difference(y, s, z, threshold_1=rules[0], threshold_2=rules[1])
        band = timed(f"band of a cost curve, {size:,} + {size:,} instances, 99 conditions", cost.band)
        print(f"{'':13}{band.how}, local level {band.local_level:.5f}")
        band = timed(f"band of a difference of costs, {size:,} + {size:,} instances", difference.band)
        print(f"{'':13}{band.how}, local level {band.local_level:.5f}")
    for size in (10, 20, 30, 100, 100_000):
        area = exact_auc(*Binormal(1.0, 3.75, 3.0).sample(size, rng=1))
        whole = timed(f"law of an AUC, {size:,} + {size:,} instances", lambda area=area: area_law(area))
        print(f"{'':13}{whole.route}")


def coverage():
    "How often all limits hold, over fresh test sets."
    w = np.linspace(0.05, 0.95, 19)
    for kind, n, theta, sets in DESIGNS:
        pair, held = BinormalPair(Binormal(theta), Binormal(theta + 0.5, loc_neg=-theta), correlation=0.7), []
        one, two = pair.model_1, pair.model_2
        t, u = one.optimal_threshold(w), two.optimal_threshold(w)
        truth = w * (1 - one.tpr(t)) + (1 - w) * one.fpr(t)
        if kind == "difference": truth = w * (1 - two.tpr(u)) + (1 - w) * two.fpr(u) - truth
        for seed in range(sets):
            y, s, z = pair.sample(n, rng=seed)
            law = exact_cost(y, s, w, t) if kind == "cost" else exact_cost_difference(y, s, z, w, t, u)
            held.append([((low <= truth) & (truth <= high)).all() for low, high in (law.interval(0.9), law.band(0.9))])
        intervals, band = np.mean(held, axis=0)
        print(f"{kind}, {n} + {n} instances, theta {theta}, {sets} test sets: intervals {intervals:.3f}, band {band:.3f}")


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    speed(*(numbers + [100_000, 200][len(numbers):]))
    if "--coverage" in sys.argv: coverage()
