"""How long it takes to count scores above thresholds, against the time of `np.sort` on the same scores.

    python benchmarks/counting.py

The budget: splitting a million labelled scores by class, sorting them and counting at 1000 thresholds takes at most
three times as long as `np.sort` alone. Both are measured in the same run, turn by turn, and the best of several turns counts.
"""

import argparse
import sys
import time

import numpy as np

from costboot.core.checks import split_scores
from costboot.curves.roc import _FEW, count_at_least

BUDGET = 3.0


def scores(kind, n, rng):
    "Labels and scores: all different in random order, already sorted, or with very many ties."
    y = rng.integers(0, 2, n)
    s = rng.normal(size=n) + y
    if kind == "sorted": order = np.argsort(s); y, s = y[order], s[order]
    if kind == "ties": s = s.round(1)
    return y, s


def split_and_count(y, s, threshold):
    "What every law does first: both classes' counts at all thresholds."
    ((pos, neg),) = split_scores(y, s)
    return count_at_least(pos, threshold), count_at_least(neg, threshold)


def bin_and_count(y, s, threshold):
    "The other way round: bin each score into the sorted thresholds."
    ((pos, neg),) = split_scores(y, s)
    order = np.argsort(threshold)
    def count(part):
        inside = np.bincount(np.searchsorted(threshold[order], part, side="right"), minlength=threshold.size + 1)
        out = np.empty(threshold.size, dtype=np.int64)
        out[order] = np.cumsum(inside[::-1])[::-1][1:]
        return out
    return count(pos), count(neg)


def best_times(calls, turns):
    "Best time of each call in seconds, the calls taking turns so that all see the same machine."
    best = [np.inf] * len(calls)
    for _ in range(turns):
        for k, call in enumerate(calls):
            start = time.perf_counter()
            call()
            best[k] = min(best[k], time.perf_counter() - start)
    return best


def few_thresholds(rng, turns):
    "Comparing all scores with each threshold, against sorting: where is the border?"
    print(f"\na million scores, few thresholds (the library compares up to {_FEW}, then sorts)\n")
    print(f"{'thresholds':>10} {'scores':>7} {'compare':>9} {'sort':>9}")
    for kind in ("random", "ties"):
        s = scores(kind, 10**6, rng)[1]
        for h in (1, 4, 16, 64):
            t = rng.choice(s, h)
            compare, sort = best_times([lambda: [np.count_nonzero(s >= v) for v in t], lambda: s.size - np.searchsorted(np.sort(s), t)], turns)
            print(f"{h:>10} {kind:>7} {1e3 * compare:>9.2f} {1e3 * sort:>9.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--thresholds", type=int, default=1000, help="how many thresholds (default 1000)")
    parser.add_argument("--turns", type=int, default=25, help="turns, of which the best counts (default 25)")
    args = parser.parse_args()
    rng, ok = np.random.default_rng(0), True
    print(f"{args.thresholds} thresholds; times in milliseconds, ratio to np.sort\n")
    print(f"{'n':>9} {'scores':>7} {'np.sort':>9} {'sort+count':>11} {'ratio':>6} {'bin+count':>10} {'ratio':>6}")
    for n in (10**4, 10**5, 10**6):
        for kind in ("random", "sorted", "ties"):
            y, s = scores(kind, n, rng)
            t = rng.choice(s, args.thresholds)
            for ours, other in zip(split_and_count(y, s, t), bin_and_count(y, s, t)): np.testing.assert_array_equal(ours, other)
            sort, count, binned = best_times([lambda: np.sort(s), lambda: split_and_count(y, s, t), lambda: bin_and_count(y, s, t)], args.turns)
            print(f"{n:>9} {kind:>7} {1e3 * sort:>9.2f} {1e3 * count:>11.2f} {count / sort:>6.2f} {1e3 * binned:>10.2f} {binned / sort:>6.2f}")
            if n == 10**6: ok &= count <= BUDGET * sort
    few_thresholds(rng, args.turns)
    print(f"\nbudget at n = 1000000, ratio at most {BUDGET:g}: {'kept' if ok else 'EXCEEDED'}")
    return 0 if ok else 1


if __name__ == "__main__": sys.exit(main())
