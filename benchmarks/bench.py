"""`make bench`: costboot against what a user would take instead, in one table, measured in one run on one machine.

    python benchmarks/bench.py [--only TASK ...] [--patience 150] [--quick] [--dry] [--script NAME ...]

Every line first checks that both give the same answer (within Monte Carlo error where the peer is random) and counts only then; the ratio
is the peer's time over ours. A peer that would take longer than --patience seconds at a size is left out there, one that works point
by point is timed on some of the points. R packages run where Rscript is installed. The result goes to benchmarks/results.json, which the page
nbs/benchmarks.ipynb shows. `--script cost_laws` runs one of the detailed scripts beside this file instead.
"""

import argparse
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import growth as growing
import peers

STORED = HERE / "results.json"
SCRIPTS = (
    "assess", "bands", "big_table", "clusters", "cost_laws", "counting", "frames", "loose_ends", "measures", "operating_points", "roc_laws",
    "vertical_paired",
)
QUICK = {"bands": ("2000", "50"), "clusters": ("--turns", "1", "--resamples", "50"), "loose_ends": ("--turns", "1", "--resamples", "50", "--largest", "1000")}
PACKAGES = "costboot", "numpy", "scipy", "scikit-learn", "numba", "pandas"


def machine():
    "What a reader needs to know about the machine; no names."
    model = ""
    if Path("/proc/cpuinfo").exists():
        model = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")), "")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30 if hasattr(os, "sysconf") else 0
    return dict(processor=model or platform.machine(), cores=os.cpu_count(), memory_gb=round(memory), system=platform.system(), python=platform.python_version())


def versions():
    "Versions of what was measured."
    found = {p: peers.version(p) for p in (*PACKAGES, "mlxtend", "confidenceinterval", "MLstatkit", *peers.R_PACKAGES)}
    try: found["costboot"] = importlib.metadata.version("costboot")
    except importlib.metadata.PackageNotFoundError: found["costboot"] = __import__("costboot").__version__
    return {name: number for name, number in found.items() if number}


def shown(seconds):
    "Seconds as a person reads them."
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} us"


def compare(tasks, patience, most, say):
    "All lines against peers, and what was left out."
    found, left, foreseen = [], [], {}
    print(f"{'task':<48}{'n':>9}  {'peer':<46}{'ours':>9}{'peer':>9}{'ratio':>9}  agreement")
    for task_of in tasks:
        for n in peers.SIZES[task_of]:
            if n > most: continue
            for line in peers.lines(task_of, n, patience, foreseen, say):
                if isinstance(line, str):
                    if line not in left: left.append(line)
                    continue
                found.append(line)
                peer = f"{line['peer']} {line['version']}"
                print(f"{line['task']:<48}{n:>9,}  {peer:<46}{shown(line['ours']):>9}{shown(line['theirs']):>9}{line['ratio']:>9.3g}  {line['agreement']}"
                      + (f"; {line['note']}" if line["note"] else ""), flush=True)
    for line in left: print(line)
    return found, left


def grow(patience, say):
    "Growth of every law, beside the sort, and the time of the import."
    laws = []
    print(f"\n{'growth, law and exact interval':<44}" + "".join(f"{n:>10,}" for n in growing.SIZES) + f"{'exponent':>10}{'last':>7}{'peak MB':>9}")
    for line in growing.growth(patience, say):
        laws.append(line)
        memory = "" if line["megabytes"] is None else f"{line['megabytes']:.0f}"
        cells = [shown(t) for t in line["seconds"]] + [""] * (len(growing.SIZES) - len(line["seconds"]))
        print(f"{line['law']:<44}" + "".join(f"{c:>10}" for c in cells) + f"{line['exponent']:>10.2f}{line['last_exponent']:>7.2f}{memory:>9}", flush=True)
    sort = growing.sorting()
    print()
    for line in sort: print(f"{line['what']:<44}{shown(line['seconds']):>10}{line['ratio']:>7.2f} times the sort")
    loaded = growing.import_time()
    print("\n" + "; ".join(f"import {what}: {shown(seconds)}" for what, seconds in loaded.items()))
    return dict(growth=laws, sorting=sort, imports=loaded)


def verdict(lines, rest):
    "Where the goals are missed."
    slow = [f"{x['task']}, n = {x['n']:,}: {x['peer']} is {1 / x['ratio']:.3g} times as fast" for x in lines if x["n"] >= 10**4 and x["ratio"] < 1]
    slow += [f"{x['what']}: {x['ratio']:.2f} times the sort" for x in rest.get("sorting", ()) if x["ratio"] > 3]
    if rest and rest["imports"]["costboot"] > 1.5: slow.append(f"import costboot: {rest['imports']['costboot']:.2f} s")
    print("\ngoals: " + ("all met" if not slow else "missed here:\n  " + "\n  ".join(slow)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    names = {task.__name__: task for task in peers.SIZES}
    parser.add_argument("--only", action="append", choices=[*names, "growth"], help="this task alone (can be repeated); nothing is stored")
    parser.add_argument("--patience", type=float, default=150.0, help="seconds that a peer may take for one line (default 150)")
    parser.add_argument("--quick", action="store_true", help="test sets up to 10,000 only, no growth; nothing is stored; with --script the short form of the script where it has one")
    parser.add_argument("--dry", action="store_true", help="do not store the result")
    parser.add_argument("--script", action="append", choices=SCRIPTS, help="run a detailed script instead (can be repeated)")
    args = parser.parse_args()
    if args.script:
        commands = [[sys.executable, str(HERE / f"{name}.py"), *(QUICK.get(name, ()) if args.quick else ())] for name in args.script]
        return max(subprocess.run(command, check=False).returncode for command in commands)
    def say(text): print(f"... {text}", end="\r", file=sys.stderr, flush=True) if sys.stderr.isatty() else None
    about = dict(machine=machine(), versions=versions(), date=time.strftime("%Y-%m-%d"))
    print(", ".join(f"{k} {v}" for k, v in (about["machine"] | about["versions"]).items()) + "\n")
    tasks = [task for name, task in names.items() if not args.only or name in args.only]
    lines, left = compare(tasks, args.patience, 10**4 if args.quick else 10**9, say)
    rest = grow(args.patience, say) if not args.quick and (not args.only or "growth" in args.only) else {}
    verdict(lines, rest)
    if not (args.only or args.quick or args.dry):
        STORED.write_text(json.dumps(about | dict(resamples=peers.B, confidence_level=peers.LEVEL, peers=lines, left_out=left) | rest, indent=1) + "\n")
        print(f"stored in {STORED.relative_to(HERE.parent)}")
    return 0


if __name__ == "__main__": sys.exit(main())
