"""How long the laws of the later pages take: free class sizes, partial areas, budgets, bands of decision curves, extrapolated costs, aligned thresholds.

    python benchmarks/loose_ends.py [--turns 3] [--resamples 200]

Beside each law stands what people write instead: a loop over resamples of the test set, 2,000 of them (timed on --resamples). A line counts only
if the loop's standard deviation agrees with the law's within four Monte Carlo standard errors.
Where the law is an approximation (budgets, large partial areas) the ratio is printed and not judged; lines without a loop have nothing to compare with. The budget: no line above ten seconds.
"""

import argparse
import sys
from time import perf_counter

import numpy as np

import costboot as cb
from costboot.laws.calibration import aligned_thresholds
from costboot.laws.beyond_scores import extrapolated_cost
from costboot.laws.partial_auc import exact_partial_auc, exact_partial_auc_difference

SECONDS, LOOP = 10.0, 2000


def best(call, turns):
    "Best time of some turns, and the answer."
    seconds, answer = np.inf, None
    for _ in range(turns):
        start = perf_counter()
        answer = call()
        seconds = min(seconds, perf_counter() - start)
    return seconds, answer


def resampled(statistic, y, columns, resamples, full):
    "A statistic of literal resamples, classes together or apart."
    rng = np.random.default_rng(1)
    pools = [np.arange(y.size)] if full else [np.flatnonzero(y == k) for k in (1, 0)]
    found = np.empty(resamples)
    for b in range(resamples):
        i = np.concatenate([pool[rng.integers(0, pool.size, pool.size)] for pool in pools])
        found[b] = statistic(y[i], *(c[i] for c in columns))
    return found


def height(y, s):
    "True positive rate at a false positive rate of 0.1, where no score is shared."
    neg = np.sort(s[y == 0])[::-1]
    return np.mean(s[y == 1] > neg[int(np.ceil(round(0.1 * neg.size, 9))) - 1])


def area(y, s):
    "Area under the curve by ranks."
    pos, neg = np.sort(s[y == 1]), np.sort(s[y == 0])
    return (np.searchsorted(neg, pos, side="left") + np.searchsorted(neg, pos, side="right")).sum() / (2 * pos.size * neg.size)


def low_area(y, s):
    "Mean height up to a false positive rate of 0.1."
    neg = np.sort(s[y == 0])[::-1]
    above = neg[: round(0.1 * neg.size)]
    return np.mean((s[y == 1][:, None] > above) + 0.5 * (s[y == 1][:, None] == above))


def found_more(y, s, z):
    "Difference of the true positive rates when a fifth is treated; equal scores are copies, so any order does."
    k = round(0.2 * y.size)
    top = [np.argpartition(-c, k - 1)[:k] for c in (s, z)]
    return (y[top[1]].sum() - y[top[0]].sum()) / y.sum()


def lines(size):
    "What is timed for so many instances of each class: text, call to a law with an interval, statistic, columns, full sampling, close enough."
    y, s, z = cb.BinormalPair(cb.Binormal(1.5), cb.Binormal(2.0, loc_neg=-1.5), correlation=0.7).sample(size, size, rng=1)
    risk, other = (1 / (1 + np.exp(-v / 3)) for v in (s, z))
    grid = np.linspace(0.01, 0.8, 80)
    tpr = lambda y, s: np.mean(s[y == 1] >= 0.5)
    yield "exact_roc, full sampling: a rate", lambda: cb.exact_roc(y, s, 0.5, sampling="full").tpr, tpr, y, (s,), True, 4
    yield "exact_tpr, full sampling, at .1", lambda: cb.exact_tpr(y, s, 0.1, sampling="full"), height if size <= 1000 else None, y, (s,), True, 4
    yield "exact_auc, full sampling", lambda: cb.exact_auc(y, s, sampling="full"), area, y, (s,), True, 4
    yield "exact_partial_auc up to .1", lambda: exact_partial_auc(y, s, 0.1), low_area if size <= 1000 else None, y, (s,), False, 4 if size <= 50 else None
    yield "exact_partial_auc_difference up to .105", lambda: exact_partial_auc_difference(y, s, z, 0.105), None, y, (), False, None
    if size <= 10_000: yield "exact_rates_at_budget_difference at .2", lambda: cb.exact_rates_at_budget_difference(y, s, z, 0.2).tpr, found_more, y, (s, z), False, 4 if size <= 500 else None
    yield "extrapolated_cost, Pareto tails, 99 conditions", lambda: extrapolated_cost(y, s, threshold=cb.Binormal(1.5).optimal_threshold), None, y, (), False, None
    yield "extrapolated_cost, kernel, 99 conditions", lambda: extrapolated_cost(y, s, threshold=cb.Binormal(1.5).optimal_threshold, tails="kernel"), None, y, (), False, None
    for method in ("isotonic", "platt"):
        yield f"aligned_thresholds, {method}, and the difference there", lambda method=method: cb.exact_roc_difference(y, s, z, *aligned_thresholds(y, s, z, grid, method=method)).tpr, None, y, (), False, None
    yield "decision curve: band at 80 threshold probabilities", lambda: cb.exact_net_benefit(y, risk, grid), None, y, (), False, "band"
    yield "  of a difference", lambda: cb.exact_net_benefit_difference(y, risk, other, grid), None, y, (), False, "band"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--turns", type=int, default=3, help="turns, of which the best counts (default 3)")
    parser.add_argument("--resamples", type=int, default=200, help="resamples of the loop that are timed (default 200)")
    parser.add_argument("--largest", type=int, default=100_000, help="instances of each class up to which laws are timed (default 100,000)")
    args, kept = parser.parse_args(), True
    for size in (size for size in (20, 1000, 100_000) if size <= args.largest):
        print(f"\n{size:,} + {size:,} instances; seconds from scores to a 90% interval or band; the loop takes {LOOP} resamples")
        for text, call, statistic, y, columns, full, close in lines(size):
            whole = (lambda: call().band(0.9)) if close == "band" else (lambda: call().interval(0.9))
            seconds, _ = best(whole, args.turns if size < 10**5 else 1)
            kept &= seconds <= SECONDS
            line = f"{seconds:9.3f} s  {text}"
            if statistic is not None:
                few = args.resamples if size < 10**5 else max(20, args.resamples // 10)
                took, draws = best(lambda: resampled(statistic, y, columns, few, full), 1)
                ratio, error = draws.std(ddof=1) / float(call().std), 1 / np.sqrt(2 * (few - 1))
                if close is None:  # an approximation: said, not judged
                    line += f"; the loop {took / few * LOOP:.2f} s, its standard deviation over the law's {ratio:.3f} (error {error:.3f})"
                else:
                    agrees = abs(ratio - 1) < close * error
                    kept &= agrees
                    line += f"; the loop {took / few * LOOP:.2f} s, {took / few * LOOP / seconds:.0f} times; agrees: {'yes' if agrees else 'NO'}"
            print(line, flush=True)
    print(f"\nbudget (no line above {SECONDS:g} s, loops agree): {'kept' if kept else 'EXCEEDED'}")
    return 0 if kept else 1


if __name__ == "__main__": sys.exit(main())
