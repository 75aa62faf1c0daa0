"""The tasks of `make bench`: what costboot does, what a user would take instead, and whether both say the same.

`bench.py` runs them. A `Task` has our call and its `Peer`s. A peer's `run(share)` returns seconds and an answer; its `check(answer)`
says in words how well the answer agrees with ours, or raises `Disagreement`, and then the line does not count.
"""

import importlib.metadata
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import roc_curve

import costboot as cb

B, LEVEL, ERRORS = 2000, 0.9, 4.5  # resamples of a peer, level of the intervals, tolerance in Monte Carlo standard errors
REFITS = 200  # replicates of a rule that is trained again
MODELS = cb.BinormalPair(cb.Binormal(2.0, 3.75, 3.0), cb.Binormal(1.5, 3.75, 3.0), correlation=0.6)


class Disagreement(Exception):
    "A peer's answer is not ours."


class Peer(NamedTuple):
    "What a user would take instead."
    name: str
    package: str  # whose version is printed
    run: Callable  # share of the points -> (seconds, answer)
    check: Callable  # answer -> what was compared
    power: float = 1.0  # how its time grows with n, to foresee the next size
    points: int = 0  # points that it does one by one, so that a share of them can be timed; 0: all or nothing
    note: str = ""


class Task(NamedTuple):
    "One job at one size."
    name: str
    n: int
    ours: Callable
    peers: list


def clock(call, seconds=1.0, most=5):
    "Shortest elapsed time of a few runs, and the last answer; long calls run once."
    best, start = np.inf, perf_counter()
    for _ in range(most):
        begin = perf_counter()
        answer = call()
        best = min(best, perf_counter() - begin)
        if perf_counter() - start > seconds: break
    return best, answer


def version(package):
    "Version of a Python or an R package, None where it is not installed."
    if package in R_VERSIONS: return R_VERSIONS[package]
    try: return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError: return None


# --- R --------------------------------------------------------------------------------------------------------------

SCRIPT = Path(__file__).with_name("peers.R")
R_PACKAGES = "pROC", "fbroc", "ROCR", "ipred"


def r_versions():
    "Versions of the R packages; None for those that are missing."
    found = dict.fromkeys(R_PACKAGES)
    if shutil.which("Rscript"):
        told = subprocess.run(["Rscript", str(SCRIPT), "versions"], capture_output=True, text=True, check=False).stdout
        found |= dict(line.split() for line in told.splitlines() if line.split()[0] in R_PACKAGES)
    return found


R_VERSIONS = r_versions()


def in_r(task, resamples=B, repeats=1, **arrays):
    "Seconds and answer of a task of peers.R; reading the data and starting R do not count."
    with tempfile.TemporaryDirectory() as folder:
        for name, array in arrays.items(): np.ascontiguousarray(array, dtype=float).tofile(Path(folder, name))
        command = ["Rscript", str(SCRIPT), task, folder, resamples, LEVEL, repeats]
        told = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
        if told.returncode: raise RuntimeError(told.stderr.strip()[-500:])
        return float(told.stdout.split()[-1]), np.fromfile(Path(folder, "out"))


# --- agreement ------------------------------------------------------------------------------------------------------

def within_monte_carlo(limits, law, upper=None, resamples=B, level=LEVEL):
    """How many quantiles of a bootstrap lie where the exact law says that they can.

    A quantile of `resamples` draws is the law's own quantile at a level that misses by a few standard errors. `upper` is the law for the
    larger of two readings of the same question (a curve that rises at the very rate asked for).
    """
    upper, tails = law if upper is None else upper, np.array([[(1 - level) / 2], [(1 + level) / 2]])
    slip = ERRORS * np.sqrt(tails * (1 - tails) / resamples) + 1 / resamples
    low, high = law.ppf(np.maximum(tails - slip, 0)), upper.ppf(np.minimum(tails + slip, 1))
    bad = (limits < low - 1e-9) | (limits > high + 1e-9)
    if bad.any(): raise Disagreement(f"{bad.sum()} of {bad.size} limits are off by more than {ERRORS} Monte Carlo standard errors")
    return f"{bad.size} limits within Monte Carlo error"


def equal(theirs, ours, tolerance=1e-9):
    "Two answers that should be the same number."
    gap = float(np.max(np.abs(np.subtract(theirs, ours))))
    if not gap <= tolerance: raise Disagreement(f"differs by {gap:.1e}")
    return f"equal within {tolerance:.0e}"


def close(theirs, ours, error, what):
    "Two random answers, whose difference has a known standard error."
    if not abs(theirs - ours) <= ERRORS * error: raise Disagreement(f"{what}: {theirs:.5f} against {ours:.5f}, standard error {error:.5f}")
    return f"{what} within Monte Carlo error"


# --- tasks ----------------------------------------------------------------------------------------------------------

def scores(n):
    "Labels and two models' scores, shuffled."
    y, s, z = MODELS.sample(n // 2, rng=1)
    order = np.random.default_rng(0).permutation(n)
    return y[order], s[order], z[order]


def cost(n):
    "90 % intervals of the cost at 99 operating conditions."
    y, s, _ = scores(n)
    w = np.linspace(0.01, 0.99, 99)
    t = MODELS.model_1.optimal_threshold(w)
    law = cb.exact_cost(y, s, w, t)

    def with_scipy(share):
        used = np.unique(np.linspace(0, 98, max(1, round(99 * share))).astype(int))
        def interval(i):
            def statistic(miss, alarm, axis): return w[i] * np.mean(miss, axis=axis) + (1 - w[i]) * np.mean(alarm, axis=axis)
            data = (s[y == 1] < t[i]).astype(float), (s[y == 0] >= t[i]).astype(float)
            return stats.bootstrap(data, statistic, n_resamples=B, batch=max(1, 10**7 // n), confidence_level=LEVEL, method="percentile",
                                   rng=i).confidence_interval
        seconds, answer = clock(lambda: np.array([interval(i) for i in used]).T)
        return seconds * 99 / used.size, (used, answer)

    def with_numpy(_):
        place = [np.searchsorted(t[::-1], part, side="right") for part in (s[y == 1], s[y == 0])]  # t falls as w rises
        def interval():
            rng, costs = np.random.default_rng(1), np.empty((B, 99))
            for b in range(B):
                tpr, fpr = (np.cumsum(np.bincount(p[rng.integers(0, p.size, p.size)], minlength=100)[:0:-1]) / p.size for p in place)
                costs[b] = w * (1 - tpr) + (1 - w) * fpr
            return np.quantile(costs, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
        return clock(interval)

    def check_scipy(answer):
        used, limits = answer
        return within_monte_carlo(limits, cb.exact_cost(y, s, w[used], t[used]))

    return Task("cost intervals, 99 w", n, lambda: cb.exact_cost(y, s, w, t).interval(LEVEL, "exact"),
                [Peer("scipy.stats.bootstrap", "scipy", with_scipy, check_scipy, points=99),
                 Peer("NumPy loop", "numpy", with_numpy, lambda limits: within_monte_carlo(limits, law))])


def thresholds(n):
    "Regions at every threshold."
    y, s, _ = scores(n)
    few = 101 if n <= 1000 else 5
    middle = np.convolve(np.sort(s), [0.5, 0.5], "valid")
    points = np.quantile(middle, np.arange(1, few + 1) / (few + 1), method="nearest")

    def with_proc(_): return in_r("thresholds", y=y, s=s, points=points)

    def check(answer):
        t, *limits = answer.reshape(5, -1)
        law = cb.exact_roc(y, s, t)
        within_monte_carlo(np.array(limits[:2]), law.fpr)
        within_monte_carlo(np.array(limits[2:]), law.tpr)
        return f"{4 * t.size} limits within Monte Carlo error"

    at = np.unique(s)
    return Task("ROC regions, all thresholds", n, lambda: cb.exact_roc(y, s, at).region(LEVEL, "exact"),
                [Peer("pROC ci.thresholds", "pROC", with_proc, check, note=f"pROC at {few} thresholds only")])


def rates(n):
    "101 false positive rates that a resample can have, and the neighbours above them."
    m = n // 2
    r = np.clip(np.rint(np.linspace(0.005, 0.995, 101) * m), 1, m - 1)
    return r / m, np.minimum(r + 1, m - 1) / m


def inside(answer, n):
    "fbroc's limits at rates strictly between 0 and 1: rates, the next rates, limits."
    fpr, *limits = answer.reshape(3, -1)
    m = n // 2
    kept = (np.rint(fpr * m) >= 1) & (np.rint(fpr * m) <= m - 2)
    r = np.floor(fpr[kept] * m + 1e-9)
    return np.maximum(r, 1) / m, (r + 1) / m, np.array(limits)[:, kept]


def vertical(n):
    "Bands of the true positive rate at 101 false positive rates."
    y, s, _ = scores(n)
    fpr, following = rates(n)

    def with_sklearn(_):
        pos, neg = s[y == 1], s[y == 0]
        labels = np.repeat([1, 0], [pos.size, neg.size])
        def band():
            rng, tpr = np.random.default_rng(1), np.empty((B, 101))
            for b in range(B):
                x, curve, _ = roc_curve(labels, np.concatenate([rng.choice(pos, pos.size), rng.choice(neg, neg.size)]))
                tpr[b] = np.interp(fpr, x, curve)
            return np.quantile(tpr, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
        return clock(band)

    def with_proc(_): return in_r("vertical", y=y, s=s, points=fpr)

    def check(answer): return within_monte_carlo(answer.reshape(2, -1), cb.exact_tpr(y, s, fpr), cb.exact_tpr(y, s, following))

    def check_fbroc(answer):
        here, there, limits = inside(answer, n)
        return within_monte_carlo(limits, cb.exact_tpr(y, s, here), cb.exact_tpr(y, s, there))

    return Task("vertical band, 101 rates", n, lambda: cb.exact_tpr(y, s, fpr).interval(LEVEL, "exact"),
                [Peer("scikit-learn roc_curve, resampled", "scikit-learn", with_sklearn, check),
                 Peer("pROC ci.se", "pROC", with_proc, check, power=1.2),
                 Peer("fbroc conf", "fbroc", lambda _: in_r("vertical_fbroc", y=y, s=s, repeats=3), check_fbroc)])


def paired(n):
    "Bands of the difference of two models' true positive rates at 101 rates."
    y, s, z = scores(n)
    fpr, following = rates(n)
    def law(at): return cb.exact_tpr_difference(y, z, s, at, progress=False)  # the peers have first minus second

    def with_numpy(_):
        (p, q), (u, v) = (s[y == 1], z[y == 1]), (s[y == 0], z[y == 0])
        r = np.rint(fpr * u.size).astype(int)
        def band():
            rng, drawn = np.random.default_rng(1), np.empty((B, 101))
            for b in range(B):
                i, j = rng.integers(0, p.size, p.size), rng.integers(0, u.size, u.size)
                drawn[b] = (np.searchsorted(np.sort(q[i]), np.sort(v[j])[u.size - r]) - np.searchsorted(np.sort(p[i]), np.sort(u[j])[u.size - r])) / p.size
            return np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
        return clock(band)

    def check_fbroc(answer):  # a curve that rises at the very rate asked for may be read at either end of the step
        here, there, limits = inside(answer, n)
        rise = sum(np.abs(cb.exact_tpr(y, scores, there).mean - cb.exact_tpr(y, scores, here).mean) for scores in (s, z))
        exact = law(here)
        nearest = np.array(exact.interval(LEVEL, "exact"))
        return within_monte_carlo(limits - np.clip(limits - nearest, -rise, rise), exact)

    return Task("paired vertical band, 101 rates", n, lambda: law(fpr).interval(LEVEL, "exact"),
                [Peer("NumPy loop", "numpy", with_numpy, lambda limits: within_monte_carlo(limits, law(fpr))),
                 Peer("fbroc paired conf", "fbroc", lambda _: in_r("paired_fbroc", y=y, s=s, z=z, repeats=3), check_fbroc)])


def auc(n):
    "DeLong's interval of an area."
    y, s, _ = scores(n)
    ours = cb.exact_auc(y, s).interval(LEVEL, "delong")

    def with_confidenceinterval(_):
        from confidenceinterval import roc_auc_score
        return clock(lambda: np.array(roc_auc_score(y, s, confidence_level=LEVEL, method="delong")[1]))

    return Task("AUC, DeLong interval", n, lambda: cb.exact_auc(y, s).interval(LEVEL, "delong"),
                [Peer("pROC ci.auc", "pROC", lambda _: in_r("auc", y=y, s=s, repeats=3), lambda a: equal(a, ours)),
                 Peer("confidenceinterval", "confidenceinterval", with_confidenceinterval, lambda a: equal(a, ours, 1e-6))])  # it works in single precision


def auc_difference(n):
    "DeLong's test of two areas on the same instances."
    y, s, z = scores(n)
    def ours():
        law = cb.exact_auc_difference(y, z, s)  # R's statistic is first minus second
        return law.mean / np.sqrt(law.delong_var)
    expected = ours()

    def with_mlstatkit(_):
        from MLstatkit import Delong_test
        return clock(lambda: Delong_test(y, s, z)[0])

    return Task("AUC of two models, DeLong test", n, ours,
                [Peer("pROC roc.test", "pROC", lambda _: in_r("auc_difference", y=y, s=s, z=z, repeats=3), lambda a: equal(a, expected, 1e-6)),
                 Peer("MLstatkit Delong_test", "MLstatkit", with_mlstatkit, lambda a: equal(abs(a), abs(expected), 1e-6))])


def plus(n):
    ".632+ of a linear rule on five features, 200 replicates."
    X, y = cb.Multinormal().sample(n // 2, rng=1)
    def assess(seed): return cb.assess(LinearDiscriminantAnalysis(), X, y, n_resamples=REFITS, cv=None, rng=seed, progress=False)

    def with_mlxtend(_):
        from mlxtend.evaluate import bootstrap_point632_score
        def run(method): return bootstrap_point632_score(LinearDiscriminantAnalysis(), X, y, n_splits=REFITS, method=method, random_seed=1)
        seconds, _ = clock(lambda: run(".632+"))
        return seconds, 1 - run("oob")

    def check_mlxtend(errors):  # its training error is that of the replicates' rules on all cases, so its .632+ is another estimator
        ours, error = assess(0).estimate["star"], errors.std(ddof=1) / np.sqrt(REFITS)
        return close(errors.mean(), ours, error * np.sqrt(2), "out-of-bag error")

    def check_ipred(answer):
        ours = np.array([assess(seed).estimate["b632plus"] for seed in range(8)])
        return close(answer[0], ours.mean(), ours.std(ddof=1) * np.sqrt(1 + 1 / 8) * 1.5, ".632+")  # 1.5: the deviation of eight is uncertain itself

    return Task(".632+ of a linear rule, 200 replicates", n, lambda: assess(0),
                [Peer("mlxtend bootstrap_point632_score", "mlxtend", with_mlxtend, check_mlxtend, power=2.0),
                 Peer("ipred errorest", "ipred", lambda _: in_r("plus", y=y, X=X, resamples=REFITS), check_ipred, power=1.3)])


def folds(n):
    "Threshold averaging of ten folds at 30 thresholds."
    y, s, _ = scores(n)
    fold, t = np.arange(n) % 10, np.linspace(-6, 6, 30)
    soft = cb.folds.FoldOutputs(y, s, fold)

    def check(answer):
        result, steps = cb.average_operating_points(soft, points=t), 1 / np.bincount(2 * fold + y, minlength=20).min()
        theirs = answer.reshape(2, -1)
        return equal(theirs, [result.mean["fpr"], result.mean["tpr"]], 1.01 * steps) + " (one step of a curve)"  # ROCR draws lines between the steps

    return Task("ten folds averaged at 30 thresholds", n, lambda: cb.average_operating_points(soft, points=t),
                [Peer("ROCR plot(avg = 'threshold')", "ROCR", lambda _: in_r("folds", y=y, s=s, fold=fold, points=t), check)])


SIZES = {cost: (10**3, 10**4, 10**5), thresholds: (10**3, 10**4, 10**5), vertical: (10**3, 10**4, 10**5), paired: (10**3, 10**4, 10**5),
         auc: (10**3, 10**4, 10**5, 10**6), auc_difference: (10**3, 10**4, 10**5, 10**6), plus: (10**2, 10**3, 10**4), folds: (10**3, 10**4, 10**5)}


def lines(task_of, n, patience, foreseen, say=lambda text: None):
    "Measure one task at one size: a dictionary for each peer that was compared, a text for each that was left out."
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        task = task_of(n)
        if n <= min(SIZES[task_of]): task.ours()  # compiles what is compiled
        ours, _ = clock(task.ours)
        for peer in task.peers:
            found = version(peer.package)
            if found is None:
                yield f"{peer.name}: not installed"
                continue
            expected = foreseen.get((task.name, peer.name), 0.0)
            share = min(1.0, patience / expected) if expected else 1.0
            if share < 1 and (not peer.points or share * peer.points < 1):
                yield f"{task.name}, n = {n:,}: {peer.name} left out, about {expected:.0f} s expected"
                continue
            say(f"{task.name}, n = {n:,}: {peer.name}")
            try:
                theirs, answer = peer.run(share)
                agreement = peer.check(answer)
            except Disagreement as reason:
                yield f"{task.name}, n = {n:,}: {peer.name} does not count: {reason}"
                continue
            except (RuntimeError, MemoryError) as reason:
                yield f"{task.name}, n = {n:,}: {peer.name} failed: {reason}"
                continue
            finally:
                if "theirs" in locals(): foreseen[task.name, peer.name] = theirs * 10**peer.power
            note = peer.note if share == 1 else f"from {max(1, round(share * peer.points))} of {peer.points} points, scaled"
            yield dict(task=task.name, n=n, peer=peer.name, version=found, ours=ours, theirs=theirs, ratio=theirs / ours, agreement=agreement, note=note)
            del theirs
