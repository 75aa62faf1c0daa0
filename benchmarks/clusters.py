"""How long the laws of whole clusters take, against a plain loop over resamples of clusters.

    python benchmarks/clusters.py [--turns 2] [--resamples 200]

Test sets of 1,000, 30,000 and 1,000,000 rows in clusters of ten on average, one class in a cluster and both; from the scores to the interval,
each time. `loop` is what people write instead: draw clusters, gather their rows, count, 2,000 times (timed on --resamples of them). A line counts
only if the loop's standard deviation agrees with the law's within four Monte Carlo standard errors.

The budget: a million rows in a hundred thousand clusters in at most five seconds, quantiles included.
"""

import argparse
import sys
import time

import numpy as np

from costboot.laws.auc import exact_auc
from costboot.laws.cost import exact_cost
from costboot.laws.thresholds import exact_roc

SECONDS, LOOP = 5.0, 2000


def test_set(n, mixed):
    "Scores with a share of the cluster in them."
    rng = np.random.default_rng(1)
    clusters = n // 10
    groups = rng.integers(0, clusters, n)
    y = rng.integers(0, 2, n) if mixed else (rng.random(clusters) < 0.4).astype(int)[groups]
    return y, y + 0.7 * rng.normal(size=clusters)[groups] + rng.normal(size=n), groups


def best(call, turns):
    "Best time of some turns, and the answer."
    seconds, answer = np.inf, None
    for _ in range(turns):
        start = time.perf_counter()
        answer = call()
        seconds = min(seconds, time.perf_counter() - start)
    return seconds, answer


def looped(y, s, groups, resamples):
    "True positive rates at 0.5 of literal resamples: rows are gathered cluster by cluster."
    rng, order = np.random.default_rng(2), np.argsort(groups, kind="stable")
    codes = np.unique(groups[y == 1]) if all_pure(y, groups) else np.unique(groups)
    starts, ends = (np.searchsorted(groups[order], codes, side=side) for side in ("left", "right"))
    found = np.empty(resamples)
    for b in range(resamples):
        drawn = rng.integers(0, codes.size, codes.size)
        rows = order[np.concatenate([np.arange(starts[k], ends[k]) for k in drawn])]
        found[b] = np.mean(s[rows][y[rows] == 1] >= 0.5)
    return found


def all_pure(y, groups):
    "Does every cluster hold one class?"
    return not np.intersect1d(groups[y == 1], groups[y == 0]).size


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--turns", type=int, default=2, help="turns, of which the best counts (default 2)")
    parser.add_argument("--resamples", type=int, default=200, help="resamples of the loop that are timed (default 200)")
    args, kept = parser.parse_args(), True
    print(f"seconds, from scores to 90% interval; the loop takes {LOOP} resamples\n")
    print(f"{'rows':>8} {'clusters hold':>14} | {'rate':>6} {'quantiles':>9} {'cost':>6} {'quantiles':>9} {'area':>6} | {'loop':>7} {'ratio':>7}  agreement")
    for n in (1000, 30_000, 1_000_000):
        for mixed in (False, True):
            y, s, groups = test_set(n, mixed)
            sampling = "full" if mixed else "stratified"
            calls = [
                lambda: exact_roc(y, s, 0.5, groups=groups).tpr.interval(0.9), lambda: exact_roc(y, s, 0.5, groups=groups).tpr.interval(0.9, "exact"),
                lambda: exact_cost(y, s, 0.3, 0.5, groups=groups, sampling=sampling).interval(0.9),
                lambda: exact_cost(y, s, 0.3, 0.5, groups=groups, sampling=sampling).interval(0.9, "exact"), lambda: exact_auc(y, s, groups=groups).interval(0.9),
            ]
            times = [best(call, args.turns)[0] for call in calls]
            few = args.resamples if n < 10**5 else max(4, args.resamples // 50)
            seconds, draws = best(lambda: looped(y, s, groups, few), 1)
            std = exact_roc(y, s, 0.5, groups=groups).tpr.std
            agrees = abs(draws.std(ddof=1) / std - 1) < 4 / np.sqrt(2 * (few - 1))
            loop = seconds / few * LOOP
            told = f"{loop / times[1]:>7.0f}" if agrees else f"{'-':>7}"
            print(f"{n:>8} {'both classes' if mixed else 'one class':>14} | " + " ".join(f"{t:>{w}.2f}" for t, w in zip(times, (6, 9, 6, 9, 6))) + f" | {loop:>7.0f} {told}  {'yes' if agrees else 'NO'}", flush=True)
            kept &= agrees and (n < 10**6 or max(times) <= SECONDS)
    print(f"\nbudget (a million rows in at most {SECONDS:g} s, the loop agrees): {'kept' if kept else 'EXCEEDED'}")
    return 0 if kept else 1


if __name__ == "__main__": sys.exit(main())
