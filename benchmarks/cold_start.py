"""The first answer: processor seconds from the start of Python to the limits, in a fresh process with nothing compiled.

    python benchmarks/cold_start.py [--size 150 2000] [--law NAME ...] [--way auto never always] [--store]

Each line is a process of its own with an empty folder for compiled code; the import is included, and all threads count. "first" is the law with
its recommended and its exact 90 % limits at 99 operating conditions, 20 rates, 19 risks, 11 thresholds or 10 budgets; "second" is the same call again. Ways: `auto` is what a user
gets who has numba, `never` is without it, `always` compiles at the first call. "reading" and "sorting" are the physical limit: one pass over the scores, and one sort of
them. With --store the lines go to benchmarks/cold_start.json, which the page nbs/benchmarks.ipynb shows; stored lines that were not measured stay.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
STORED = HERE / "cold_start.json"
GOALS = {150: 1.5, 2000: 3.0}  # seconds for every law; the paired rates have their own
PAIRED_GOALS = {150: 3.0, 2000: 8.0}
REPORT_GOAL = 4.0

DATA = """
import sys, time
begin = time.process_time()
import numpy as np, costboot as cb
n = {n}
rng = np.random.default_rng(1)
y = np.repeat([1, 0], n)
a = rng.normal(1.2 * y)
b = {second}
def cut(w): return 0.6 + 0.7 * np.log((1 - w + 1e-9) / (w + 1e-9))
def limits(law): return law.interval(0.9), law.interval(0.9, method="exact")
rates, budgets, cuts = np.linspace(0.05, 0.95, 20), np.linspace(0.05, 0.95, 10), np.linspace(-1, 2, 101)
risks, pairs = np.linspace(0.05, 0.95, 19), np.arange(2 * n) // 2
def risk(score): return 1 / (1 + np.exp(-1.2 * (score - 0.6)))
def work(): return {work}
work()
first = time.process_time()
work()
print(first - begin, time.process_time() - first)
"""
OTHER, ALIKE = "0.7 * a + 0.7 * rng.normal(1.2 * y)", "a + 0.05 * rng.normal(size=2 * n)"
LAWS = {
    "exact_cost": ("limits(cb.exact_cost(y, a, threshold=cut))", OTHER),
    "exact_cost, full sampling": ("limits(cb.exact_cost(y, a, threshold=cut, sampling='full'))", OTHER),
    "exact_cost_difference": ("limits(cb.exact_cost_difference(y, a, b, threshold_1=cut, threshold_2=cut))", OTHER),
    "exact_cost_difference, full sampling": ("limits(cb.exact_cost_difference(y, a, b, threshold_1=cut, threshold_2=cut, sampling='full'))", OTHER),
    "exact_roc": ("cb.exact_roc(y, a, cuts).to_frame()", OTHER),
    "exact_roc_difference().dominance()": ("cb.exact_roc_difference(y, a, b, cuts, cuts).dominance()", OTHER),
    "exact_auc": ("cb.exact_auc(y, a).interval(0.9)", OTHER),
    "exact_auc_difference": ("cb.exact_auc_difference(y, a, b).interval(0.9)", OTHER),
    "exact_tpr": ("limits(cb.exact_tpr(y, a, rates))", OTHER),
    "exact_tpr, five levels": ("limits(cb.exact_tpr(y, a.round().clip(-1, 3), rates))", OTHER),
    "exact_tpr_difference": ("limits(cb.exact_tpr_difference(y, a, b, rates, progress=False))", OTHER),
    "exact_tpr_difference, models nearly equal": ("limits(cb.exact_tpr_difference(y, a, b, rates, progress=False))", ALIKE),
    "exact_rates_at_budget": ("limits(cb.exact_rates_at_budget(y, a, budgets).tpr)", OTHER),
    "exact_coverage": ("cb.exact_coverage((0.1, 0.2), n, w=0.3)", OTHER),
    "exact_measure, F1": ("limits(cb.exact_measure(y, a, cuts[::10], 'f1'))", OTHER),
    "exact_measure, F1, full sampling": ("limits(cb.exact_measure(y, a, cuts[::10], 'f1', sampling='full'))", OTHER),
    "exact_measure_difference, F1": ("limits(cb.exact_measure_difference(y, a, b, cuts[::10], cuts[::10], 'f1'))", OTHER),
    "exact_net_benefit": ("limits(cb.exact_net_benefit(y, risk(a), risks))", OTHER),
    "exact_net_benefit_difference": ("limits(cb.exact_net_benefit_difference(y, risk(a), risk(b), risks))", OTHER),
    "exact_cost, groups of two": ("limits(cb.exact_cost(y, a, threshold=cut, groups=pairs))", OTHER),
    "exact_auc, groups of two": ("cb.exact_auc(y, a, groups=pairs).interval(0.9)", OTHER),
    "exact_auc, the whole law": ("cb.exact_auc(y, a).ppf([0.05, 0.95])", OTHER),
}
REPORT = "report of the demo"
LIMIT = {"reading the scores": "a.sum()", "sorting the scores": "np.sort(a)"}


def fresh(code, way, folder):
    "Run Python on some code in a new process with an empty folder for compiled code; what it printed, and its processor seconds."
    import resource
    env = os.environ | {"COSTBOOT_COMPILE": way, "NUMBA_CACHE_DIR": folder, "MPLBACKEND": "agg", "PYTHONPATH": str(HERE.parent)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, cwd=folder, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ran.returncode: raise SystemExit(f"{code}\nfailed:\n{ran.stderr}")
    return ran.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def law_line(law, n, way):
    "One law at one size: first and second call, and the goal."
    work, second = LAWS[law]
    with tempfile.TemporaryDirectory() as folder:
        first, again = map(float, fresh(DATA.format(n=n, second=second, work=work), way, folder)[0].split())
    goal = (PAIRED_GOALS if "tpr_difference" in law else GOALS).get(n)
    return dict(law=law, n=n, way=way, first=first, second=again, goal=goal)


def report_line(way):
    "The report of the demonstration, as `make demo` writes it."
    with tempfile.TemporaryDirectory() as folder:
        _, seconds = fresh("from costboot.reporting.command import main; main()", way, folder)
    return dict(law=REPORT, n=None, way=way, first=seconds, second=None, goal=REPORT_GOAL)


def limit_lines(n):
    "The physical limit: to read the scores once, to sort them."
    import timeit

    import numpy as np
    a = np.random.default_rng(1).normal(size=2 * n)
    return [dict(what=what, n=n, seconds=min(timeit.repeat(lambda work=work: eval(work, dict(np=np, a=a)), number=10, repeat=5)) / 10) for what, work in LIMIT.items()]


def merged(lines, limits):
    "The stored table with these lines in the places of older ones."
    old = json.loads(STORED.read_text()) if STORED.exists() else dict(lines=[], limit=[])
    def both(before, now, *names):
        found = {tuple(line[name] for name in names): line for line in [*before, *now]}
        return list(found.values())
    return dict(lines=both(old["lines"], lines, "law", "n", "way"), limit=both(old["limit"], limits, "what", "n"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--size", type=int, nargs="+", default=[150, 2000], help="instances of each class")
    parser.add_argument("--law", nargs="+", choices=[*LAWS, REPORT], default=[*LAWS, REPORT])
    parser.add_argument("--way", nargs="+", choices=["auto", "never", "always"], default=["auto", "never"])
    parser.add_argument("--store", action="store_true", help=f"write {STORED.name}")
    given = parser.parse_args()
    lines = []
    print(f"{'law':<44}{'n + n':>8}{'way':>8}{'first':>9}{'second':>9}{'goal':>7}")
    for n in given.size:
        for law in given.law:
            for way in given.way:
                if n != given.size[0] and (law == REPORT or way == "always"): continue  # once is enough
                lines.append(line := report_line(way) if law == REPORT else law_line(law, n, way))
                second = "" if line["second"] is None else f"{line['second']:.3f}"
                missed = " missed" if line["goal"] and line["first"] > line["goal"] and way != "always" else ""
                print(f"{law:<44}{line['n'] or '':>8}{way:>8}{line['first']:>9.2f}{second:>9}{line['goal'] or '':>7}{missed}", flush=True)
    limits = [line for n in given.size for line in limit_lines(n)]
    for line in limits: print(f"{line['what']:<44}{line['n']:>8}{'':>8}{line['seconds']:>15.6f}")
    if given.store:
        STORED.write_text(json.dumps(merged(lines, limits), indent=1) + "\n")
        print(f"stored in benchmarks/{STORED.name}")


if __name__ == "__main__": main()
