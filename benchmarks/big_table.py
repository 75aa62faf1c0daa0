"""Counts from a Parquet folder of twenty million rows, and the memory they take.

    python benchmarks/big_table.py [--rows 20000000]

One process writes the folder, another reads it with `counts_from` and reports its peak memory. The writer counts what it writes,
and the reader's counts must be the same. The budget: 1 GiB. Needs pyarrow (the extra `dask`); without it nothing is measured.
"""

import argparse
import importlib.util
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

BUDGET = 1024.0  # MiB
FILE_ROWS = 1_000_000
W = np.linspace(0.01, 0.99, 99)


def models():
    "Two correlated models and their thresholds."
    from costboot.data.score_models import Binormal, BinormalPair
    pair = BinormalPair(Binormal(theta=1.5), Binormal(theta=2.0), correlation=0.7)
    return pair, pair.model_1.optimal_threshold(W), pair.model_2.optimal_threshold(W)


def write(folder, rows):
    "Write the folder, one positive in ten, and return the counts of the first model and the disagreements."
    import pyarrow
    import pyarrow.parquet

    from costboot.curves.disagreements import paired_counts
    pair, t, u = models()
    rng, above, only = np.random.default_rng(1), np.zeros((2, 99), dtype=np.int64), np.zeros((2, 99), dtype=np.int64)
    for k, start in enumerate(range(0, rows, FILE_ROWS)):
        n = min(FILE_ROWS, rows - start)
        y, s, z = pair.sample(n // 10, n - n // 10, rng=rng)
        order = rng.permutation(n)
        y, s, z = y[order].astype(np.int8), s[order], z[order]
        pyarrow.parquet.write_table(pyarrow.table({"label": y, "old": s, "new": z, "noise": rng.random(n)}), folder / f"{k:03d}.parquet")
        for kind in (0, 1): above[kind] += [np.count_nonzero(s[y == kind] >= v) for v in t]
        only[0] += paired_counts(s[y == 1], z[y == 1], t, u)[0]
        only[1] += paired_counts(s[y == 0], z[y == 0], t, u)[0]
    return {"above": above.tolist(), "only": only.tolist()}


def read(folder):
    "Count the folder and make the laws; returns counts, seconds and peak memory in MiB."
    from costboot.laws.large_tables import counts_from
    _, t, u = models()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    start = time.perf_counter(), time.process_time()
    two = counts_from(str(folder), "label", "old", t, y_score_2="new", threshold_2=u, w=W)
    seconds = time.perf_counter() - start[0], time.process_time() - start[1]
    for law in (two.model_1.exact_cost(), two.exact_cost_difference()): law.interval(0.9, "exact")
    two.exact_roc_difference().region(0.9, "exact")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"above": [two.model_1.count_neg.tolist(), two.model_1.count_pos.tolist()], "only": two.only_1[::-1].tolist(), "rows": two.model_1.n_pos + two.model_1.n_neg,
            "seconds": seconds, "before": before, "peak": peak}


def child(step, folder, rows):
    "Run one step in a process of its own."
    command = [sys.executable, __file__, "--rows", str(rows), "--step", step, "--folder", str(folder)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--step", choices=("write", "read"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.step:
        print(json.dumps(write(args.folder, args.rows) if args.step == "write" else read(args.folder)))
        return 0
    if importlib.util.find_spec("pyarrow") is None:
        print("pyarrow is not installed: nothing was measured (pip install \"costboot[dask]\")")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        written = child("write", folder, args.rows)
        size = sum(path.stat().st_size for path in Path(folder).iterdir()) / 2**20
        found = child("read", folder, args.rows)
    same = all(written[key] == found[key] for key in ("above", "only")) and found["rows"] == args.rows
    print(f"{found['rows']:,} rows in a Parquet folder of {size:.0f} MiB, two models at 99 pairs of thresholds, then the laws and their exact intervals")
    print(f"counting took {found['seconds'][0]:.1f} s ({found['seconds'][1]:.1f} s of processor time)")
    print(f"peak memory {found['peak']:.0f} MiB, of which {found['before']:.0f} MiB before the first row; the budget is {BUDGET:.0f} MiB")
    print("counts are those of the writer" if same else "COUNTS DIFFER from those of the writer")
    return int(not same or found["peak"] > BUDGET)


if __name__ == "__main__": sys.exit(main())
