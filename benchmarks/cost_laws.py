"""How long the intervals of costs and of cost differences take, exact against Gaussian.

    python benchmarks/cost_laws.py [--turns 5]

99 operating conditions, thresholds known beforehand, test sets of 10,000 and 1,000,000 instances (half of them positive). `wald`
and `exact` start from the scores each time: checking, counting and the intervals. Both are measured in the same run, turn by turn, and
the best turn counts. `clock` is elapsed time; `CPU` is processor time, which a busy machine distorts less.

The budget: at n = 10,000 exact intervals take at most 20 times as long as Gaussian ones; at n = 1,000,000 all 99 take a few
seconds; the disagreements of a million pairs of scores at 1,000 pairs of thresholds are counted in seconds.
"""

import argparse
import sys
import time

import numpy as np

from costboot.laws.cost import exact_cost, exact_cost_difference
from costboot.data.score_models import Binormal, BinormalPair
from costboot.curves.disagreements import paired_counts

RATIO, SECONDS = 20.0, 10.0
W = np.linspace(0.01, 0.99, 99)


def best_times(calls, turns):
    "Best elapsed and best processor time of each call in seconds, the calls taking turns; a first round warms up."
    for call in calls: call()
    clock, cpu = [np.inf] * len(calls), [np.inf] * len(calls)
    for _ in range(turns):
        for k, call in enumerate(calls):
            start = time.perf_counter(), time.process_time()
            call()
            clock[k], cpu[k] = min(clock[k], time.perf_counter() - start[0]), min(cpu[k], time.process_time() - start[1])
    return clock, cpu


def law_of(kind, sampling, n):
    "A function without arguments that makes the law from the scores."
    pair = BinormalPair(Binormal(theta=1.5), Binormal(theta=2.0), correlation=0.7)
    y, s, z = pair.sample(n // 2, n // 2, rng=1)
    t, u = (model.optimal_threshold(W) for model in (pair.model_1, pair.model_2))
    if kind == "cost": return lambda: exact_cost(y, s, W, t, sampling=sampling)
    return lambda: exact_cost_difference(y, s, z, W, t, u, sampling=sampling)


def intervals(turns):
    "Gaussian and exact intervals at 99 operating conditions; returns whether the budget was kept."
    print("99 operating conditions, from scores to intervals; best of", turns, "turns, milliseconds\n")
    print(f"{'n':>8} {'law':>10} {'sampling':>10} | {'wald':>8} {'exact':>8} {'ratio':>6} | {'wald':>8} {'exact':>8} {'ratio':>6}   (clock | CPU)")
    kept = True
    for n in (10**4, 10**6):
        for kind in ("cost", "difference"):
            for sampling in ("stratified", "full"):
                law = law_of(kind, sampling, n)
                (wald, exact), (cpu_wald, cpu_exact) = best_times([lambda: law().interval(0.9, "wald"), lambda: law().interval(0.9, "exact")], turns if n < 10**5 else min(turns, 2))
                print(f"{n:>8} {kind:>10} {sampling:>10} | {1e3 * wald:>8.1f} {1e3 * exact:>8.1f} {exact / wald:>6.1f} | {1e3 * cpu_wald:>8.1f} {1e3 * cpu_exact:>8.1f} {cpu_exact / cpu_wald:>6.1f}", flush=True)
                kept &= cpu_exact / cpu_wald <= RATIO if n == 10**4 else cpu_exact <= SECONDS
    return kept


def counting(turns, n=10**6, h=1000):
    "Disagreements at h pairs of thresholds, in the order of w and in no order, against one sort and against comparing all."
    y, s, z = BinormalPair(Binormal(theta=1.5), Binormal(theta=2.0), correlation=0.7).sample(n // 2, n // 2, rng=1)
    w = np.linspace(0.001, 0.999, h)
    t, u = Binormal(theta=1.5).optimal_threshold(w), Binormal(theta=2.0).optimal_threshold(w)
    shuffled = np.random.default_rng(0).permutation(u)
    few = 10
    calls = [lambda: np.sort(s), lambda: paired_counts(s, z, t, u), lambda: paired_counts(s, z, t, shuffled),
             lambda: [np.count_nonzero((s >= a) & (z < b)) for a, b in zip(t[:few], u[:few])]]
    clock, cpu = best_times(calls, turns)
    clock[3], cpu[3] = clock[3] * 2 * h / few, cpu[3] * 2 * h / few
    print(f"\ndisagreements of {n:,} pairs of scores at {h} pairs of thresholds, milliseconds\n")
    for name, a, b in zip(("one np.sort", "thresholds monotone in w", "thresholds in any order", "comparing all (from 10)"), clock, cpu): print(f"{name:>26} {1e3 * a:>10.0f} clock {1e3 * b:>10.0f} CPU")
    return cpu[1] <= SECONDS and cpu[2] <= SECONDS


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--turns", type=int, default=5, help="turns, of which the best counts (default 5)")
    turns = parser.parse_args().turns
    kept = intervals(turns)
    kept &= counting(max(2, turns // 2))
    print(f"\nbudget (CPU: ratio at most {RATIO:g} at n = 10000, at most {SECONDS:g} s at n = 1000000): {'kept' if kept else 'EXCEEDED'}")
    return 0 if kept else 1


if __name__ == "__main__": sys.exit(main())
