"""Time of the search for weights and of averaging; not a test.

    python benchmarks/operating_points.py
"""

import time
import tracemalloc

import numpy as np

from costboot.folds.operating_points import average_operating_points
from costboot.folds.outputs import FoldOutputs
from costboot.folds.weight_search import search_weights


def timed(call, *args, **kwargs):
    "Seconds of one call, the best of three."
    best = np.inf
    for _ in range(3):
        start = time.perf_counter()
        call(*args, **kwargs)
        best = min(best, time.perf_counter() - start)
    return best


def main():
    "Print a table."
    rng = np.random.default_rng(1)
    print(f"{'search: 1000 weights, 5 steps':42}{'seconds':>10}{'peak MB':>10}")
    for N, C in ((300, 3), (10_000, 3), (100_000, 3), (10_000, 10)):
        y, outputs = rng.integers(0, C, N), rng.dirichlet(np.ones(C), N)
        seconds = timed(search_weights, y, outputs, rng=1)
        tracemalloc.start()
        search_weights(y, outputs, n_steps=1, rng=1)
        print(f"  {N:>9,} instances, {C:>2} classes{'':15}{seconds:10.3f}{tracemalloc.get_traced_memory()[1] / 1e6:10.1f}")
        tracemalloc.stop()
    print(f"{'averaging ready-made outputs, 10 folds':42}{'seconds':>10}")
    for N, points in ((200, 30), (10**6, 30), (10**6, 1000)):
        y = rng.integers(0, 2, N)
        soft = FoldOutputs(y, rng.normal(size=N) + y, np.arange(N) % 10)
        print(f"  {N:>9,} instances, {points:>4} thresholds{'':10}{timed(average_operating_points, soft, points=np.linspace(-3, 3, points)):10.3f}")


if __name__ == "__main__": main()
