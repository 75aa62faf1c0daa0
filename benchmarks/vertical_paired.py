"""Times of the paired vertical law: exact and Gaussian joint, against the direct O(n^4) evaluation and literal resampling.

    python benchmarks/vertical_paired.py [--long]

Targets on two cores: n- = 100 at all rates 1 s; n- = 1000 at 20 rates 8 s; n- = 10,000 at 20 rates 5 min exact and 5 s with the
Gaussian joint; n- = 1,000,000 at 20 rates 30 s, exact and with the Gaussian joint; at n- = 200 and all rates at least 100 times faster than the
direct evaluation. The first call, which compiles, is excluded. Wall clock and processor seconds are shown: on a busy
machine the second is the one to compare. The direct evaluation is compiled too; with `--long` it runs at n- = 200 (minutes).
"""

import argparse
import time
from math import exp, lgamma, log

import numpy as np
from numba import njit

from costboot.data.score_models import Binormal, BinormalPair
from costboot.numerics.threshold_pairs import direct_table
from costboot.laws.fixed_fpr_paired import exact_tpr_difference, resampled_tpr_difference

PAIR = BinormalPair(Binormal(2.0, 3.75, 3.0), Binormal(1.5, 3.75, 3.0), correlation=0.6)


@njit
def conditional_laws(c_1, c_2, n, m):
    "g(d) of eq. (22) for each pair of thresholds: one row for each, d = -m..m."
    table = np.array([lgamma(i + 1.0) for i in range(m + 1)])
    g = np.zeros((len(c_1), 2 * m + 1))
    for cell in range(len(c_1)):
        p_1, p_2 = c_1[cell] / n, c_2[cell] / n
        p_0 = 1 - p_1 - p_2
        logs = [log(p) if p > 0 else -1e300 for p in (p_1, p_2, p_0)]
        for d in range(-m, m + 1):
            for i in range(max(0, d), (m + d) // 2 + 1):
                rest = m - 2 * i + d
                value = table[m] - table[i] - table[i - d] - table[rest]
                if i: value += i * logs[0]
                if i - d: value += (i - d) * logs[1]
                if rest: value += rest * logs[2]
                if value > -700: g[cell, d + m] += exp(value)
    return g


def direct(y, s_1, s_2):
    "Algorithm 5 as printed, all rates: the laws as rows over d = -m..m."
    (p_1, n_1), (p_2, n_2) = ((s[y == 1], np.sort(s[y == 0])[::-1]) for s in (s_1, s_2))
    partner = (np.argsort(np.argsort(-s_2[y == 0])) + 1)[np.argsort(-s_1[y == 0])]
    F = direct_table(len(n_1), partner)
    f = (F[:, 1:, 1:] - F[:, :-1, 1:] - F[:, 1:, :-1] + F[:, :-1, :-1])[1:-1]
    above_1, above_2 = (p_1 >= n_1[:, None])[:, None], (p_2 >= n_2[:, None])[None]
    c_1, c_2 = (above_1 & ~above_2).sum(axis=2).ravel(), (~above_1 & above_2).sum(axis=2).ravel()
    return f.reshape(len(f), -1) @ conditional_laws(c_1, c_2, len(p_1), len(p_1))


def timed(call):
    "Wall and processor seconds, and the result."
    wall, cpu = time.perf_counter(), time.process_time()
    result = call()
    return time.perf_counter() - wall, time.process_time() - cpu, result


def show(what, wall, cpu, target=None):
    told = "" if target is None else f"   target {target:g} s: {'kept' if wall <= target else 'kept in processor seconds per core' if cpu / 2 <= target else 'MISSED'}"
    print(f"{what:<52}{wall:>10.3f}{cpu:>10.3f}{told}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--long", action="store_true", help="run the direct evaluation at n- = 200 as well")
    args = parser.parse_args()
    tiny = PAIR.sample(10, rng=0)
    for joint in ("exact", "gaussian"): exact_tpr_difference(*tiny, 0.5, joint=joint).interval(0.9, "exact")
    direct(*tiny)
    resampled_tpr_difference(*tiny, 0.5, n_resamples=2)
    print(f"{'':<52}{'wall':>10}{'processor':>10}")
    cases = [(100, "exact", 99, 1), (200, "exact", 199, None), (1000, "exact", 20, 8), (1000, "gaussian", 20, None),
             (10_000, "exact", 20, 300), (10_000, "gaussian", 20, 5), (10**6, "exact", 20, 30), (10**6, "gaussian", 20, 30)]
    for n, joint, rates, target in cases:
        data = PAIR.sample(n, rng=1)
        fpr = np.linspace(0.025, 0.975, rates) if rates == 20 else np.arange(1, n) / n
        wall, cpu, _ = timed(lambda: exact_tpr_difference(*data, fpr, joint=joint, progress=False))
        show(f"n- = {n:,}, {rates} rates, {joint}", wall, cpu, target)
        if n == 200: ours = wall, cpu
    for n in (1000, 10_000):
        data = PAIR.sample(n, rng=1)
        show(f"n- = {n:,}, 20 rates, 2000 literal resamples", *timed(lambda: resampled_tpr_difference(*data, np.linspace(0.025, 0.975, 20), rng=1))[:2])
    for n in (50, 100) + (200,) * args.long:
        data = PAIR.sample(n, rng=1)
        wall, cpu, h = timed(lambda: direct(*data))
        show(f"n- = {n:,}, all rates, direct O(n^4)", wall, cpu)
        law = exact_tpr_difference(*data, np.arange(1, n) / n, progress=False)
        grid = np.arange(-n, n + 1)[:, None] / n
        print(f"{'':<4}largest difference of the distribution functions: {np.abs(law.cdf(grid).T - np.cumsum(h, axis=1)).max():.1e}")
        if n == 200: print(f"{'':<4}the exact law is {wall / ours[0]:.0f} times faster by the clock, {cpu / ours[1]:.0f} times in processor seconds")


if __name__ == "__main__": main()
