"""Retrained rules: overhead of `assess`, .632+ against other packages, and the leave-pair-out bootstrap at size.

    python benchmarks/assess.py

mlxtend and R's ipred are timed where they are installed. Targets: overhead at most 20 %, faster than both in the same run,
the leave-pair-out bootstrap of 1000 + 1000 cases and 200 replicates in seconds without the 1.6 GB of all its pairs.
"""

import shutil
import subprocess
import tracemalloc
import warnings
from time import perf_counter, process_time

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from costboot.retrained.auc import _leave_pair_out
from costboot.data.score_models import Multinormal
from costboot.retrained.assessment import assess
from costboot.retrained.training_replicates import draw_counts

IPRED = """
suppressMessages({library(MASS); library(ipred)})
set.seed(1); x <- matrix(rnorm(200), 40); x[1:20, ] <- x[1:20, ] + 0.4
d <- data.frame(y = factor(rep(1:0, each = 20)), x)
label <- function(object, newdata) predict(object, newdata)$class
run <- function() errorest(y ~ ., d, model = lda, predict = label, estimator = "632plus", est.para = control.errorest(nboot = 200))
invisible(run()); cat(min(replicate(3, system.time(run())["elapsed"])))
"""


def best(call, repeat=5, clock=perf_counter):
    "Shortest of a few runs, in seconds."
    return turns([call], repeat, clock)[0]


def turns(calls, repeat=5, clock=process_time):
    "Shortest of a few runs of each call, in turn, so that a busy machine hurts all alike."
    def once(call):
        start = clock()
        call()
        return clock() - start
    for call in calls: call()
    return np.min([[once(call) for call in calls] for _ in range(repeat)], axis=0)


def overhead():
    "Time of `assess` over the time of the same number of bare fits and predictions."
    print(f"{'rule':<28}{'n':>6}{'bare':>10}{'assess':>10}{'overhead':>10}")
    cases = [(LinearDiscriminantAnalysis(), 40), (LinearDiscriminantAnalysis(), 2000), (LogisticRegression(), 200),
             (KNeighborsClassifier(3), 200), (RandomForestClassifier(10, random_state=0), 200)]
    for rule, n in cases:
        X, y = Multinormal().sample(n // 2, rng=1)
        B = 50 if isinstance(rule, RandomForestClassifier) else 200
        rows, _ = draw_counts(y, B, False, np.random.default_rng(0))
        draws = [np.arange(n)] + [np.repeat(np.arange(n), row) for row in rows]
        bare, whole = turns([lambda: [rule.fit(X[d], y[d]).predict(X) for d in draws],
                             lambda: assess(rule, X, y, n_resamples=B, cv=None, rng=0, progress=False)])
        print(f"{type(rule).__name__:<28}{n:>6}{bare:>9.3f}s{whole:>9.3f}s{whole / bare - 1:>10.0%}")


def plus():
    ".632+ of a linear rule, 40 cases, 5 features, 200 replicates."
    X, y = Multinormal().sample(20, rng=1)
    times = {"costboot (every estimator)": best(lambda: assess(LinearDiscriminantAnalysis(), X, y, cv=None, rng=0, progress=False))}
    try:
        from mlxtend.evaluate import bootstrap_point632_score
        times["mlxtend"] = best(lambda: bootstrap_point632_score(LinearDiscriminantAnalysis(), X, y, n_splits=200, method=".632+", random_seed=1))
    except ImportError: print("mlxtend is not installed")
    if shutil.which("Rscript"):
        told = subprocess.run(["Rscript", "-e", IPRED], capture_output=True, text=True, check=False)
        if told.returncode == 0: times["ipred (R)"] = float(told.stdout)
    for name, seconds in times.items(): print(f"{name:<28}{seconds:>9.3f}s")


def pairs(n=1000, B=200):
    "Leave-pair-out bootstrap with its influence function."
    rng, positive = np.random.default_rng(0), np.arange(2 * n) < n
    counts, _ = draw_counts(positive.astype(int), B, True, rng)
    scores = rng.standard_normal((B, 2 * n)) + positive
    seconds = best(lambda: _leave_pair_out(scores, counts, positive), 2)
    tracemalloc.start()
    _leave_pair_out(scores, counts, positive)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    print(f"{n} + {n} cases, {B} replicates: {seconds:.2f} s, {peak:.0f} MB (all pairs of all replicates: {8 * n * n * B / 1e6:.0f} MB)")


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # few replicates for many cases: the standard error is not the point here
    for part in (overhead, plus, pairs):
        print(part.__doc__)
        part()
