"""What the page of promises promises: nothing destroyed, nothing wrong in silence, nothing without an end. Each test failed on 0.1."""

import os
import re
import signal
import stat
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import costboot as cb

ROOT = Path(__file__).resolve().parents[2]
COMMAND = "import sys; from costboot.reporting.command import main; sys.exit(main(sys.argv[1:]))"


def run(code, *words, env=None, **options):
    "Python code in a process of its own."
    settings = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
    return subprocess.run([sys.executable, "-c", code, *map(str, words)], capture_output=True, text=True, check=False, env=settings, **options)


# 1. Where a report is written


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names on this system")
def test_a_report_goes_into_a_pipe_and_the_pipe_stays(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    done = run(COMMAND, "report", "-o", pipe)
    assert (done.returncode, done.stderr) == (0, "")
    page, _ = reader.communicate(timeout=60)
    assert page.startswith(b"<!") and page.rstrip().endswith(b"</html>")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert [p.name for p in tmp_path.iterdir()] == ["pipe"]


def test_a_device_is_written_to_and_stays(tmp_path):
    link = tmp_path / "null"
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        try: os.mknod(link, 0o666 | stat.S_IFCHR, os.makedev(1, 3))  # a null device of our own, which 0.1 replaced
        except OSError: link.symlink_to(os.devnull)
    else: link.symlink_to(os.devnull)
    done = run(COMMAND, "report", "-o", link)
    assert (done.returncode, done.stderr) == (0, "")
    assert stat.S_ISCHR(link.stat().st_mode) and link.read_bytes() == b""


def test_what_is_neither_file_nor_stream_is_refused(tmp_path):
    import socket
    place = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        done = run(COMMAND, "report", "-o", place)
    assert done.returncode == 2
    assert done.stderr == f"costboot: --output must be a file; '{place}' is a socket.\n"


# 2 and 10. Compiling: where nothing can be kept, and when somebody presses Ctrl-C

needs_numba = pytest.mark.skipif(find_spec("numba") is None, reason="nothing is compiled without numba")
LAW = """
import numpy as np, costboot as cb
from costboot.numerics.compiled import LISTENERS
compiled = []
LISTENERS.append(compiled.append)
y = np.arange(40) % 2
def ask(): return tuple(map(float, cb.exact_tpr(y, y + np.sin(np.arange(40) * 7), 0.1).interval(0.9, "exact")))
"""
FULL_DISK = """
import errno
from numba.core.caching import IndexDataCacheFile
def full(*_): raise OSError(errno.ENOSPC, "No space left on device")
IndexDataCacheFile.save = full
"""


@needs_numba
@pytest.mark.parametrize("trouble", ["nowhere to keep it", "a full disk", "damaged files"])
def test_compiled_functions_without_a_place_on_disk(tmp_path, trouble):
    env = {"COSTBOOT_COMPILE": "always", "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "HOME": "/proc/nobody", "MPLCONFIGDIR": str(tmp_path)}
    if trouble == "nowhere to keep it": env["NUMBA_CACHE_DIR"] = "/proc/nowhere/cache"
    if trouble == "damaged files":
        assert run(LAW + "ask()", env=env).returncode == 0
        stored = list(tmp_path.rglob("*.nb[ic]"))
        assert stored
        for path in stored: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    done = run((FULL_DISK if trouble == "a full disk" else "") + LAW + "print(ask(), len(compiled) > 0)", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    if trouble == "nowhere to keep it": assert done.stdout.startswith("(0.4, 0.75) ")  # or beside the modules, where an earlier run may have left it
    else: assert done.stdout == "(0.4, 0.75) True\n"


@needs_numba
def test_ctrl_c_while_something_is_compiled(tmp_path):
    code = LAW + """
import os, signal, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it, and so do its children
def press(begins):
    if begins and not pressed: pressed.append(threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start())
pressed = []
LISTENERS.append(press)
try: ask()
except KeyboardInterrupt: print("Ctrl-C", compiled[-1], compiled.count(True) - compiled.count(False))
print(ask())
"""
    done = run(code, env={"COSTBOOT_COMPILE": "always", "NUMBA_CACHE_DIR": str(tmp_path)})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "Ctrl-C False 0\n(0.4, 0.75)\n"
    stored = {p.name.split("-")[0] for p in tmp_path.rglob("*.nbi")}
    assert stored


# 6. Input that was taken in silence

Y, S = np.arange(30) % 2, np.sin(np.arange(30.0))
X2 = np.column_stack([S, np.cos(np.arange(30.0))])
MASKED = np.ma.masked_array(Y, mask=np.arange(30) == 3)
WITH_NONE = np.array([None if i == 3 else int(v) for i, v in enumerate(Y)], dtype=object)
QUIET = dict(n_resamples=4, progress=False, rng=0)


def rule():
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    return LinearDiscriminantAnalysis()


TAKES_LABELS = {
    "assess": lambda y: cb.assess(rule(), X2, y, **QUIET),
    "compare_rules": lambda y: cb.compare_rules(rule(), rule(), X2, y, **QUIET),
    "average_operating_points": lambda y: cb.average_operating_points(rule(), X2, y, cv=3, rng=0),
    "fold_outputs": lambda y: cb.folds.fold_outputs(rule(), X2, y, cv=3, rng=0),
    "FoldOutputs": lambda y: cb.folds.FoldOutputs(y, S, np.arange(30) % 3),
    "search_weights": lambda y: cb.search_weights(y, abs(X2), n_weights=5, n_keep=2, rng=0),
    "GaussianDetector": lambda y: cb.folds.GaussianDetector().fit(X2, y),
    "exact_cost": lambda y: cb.exact_cost(y, S, 0.5, 0.0),
    "bootstrap_estimate": lambda y: cb.bootstrap_estimate(y, np.mean, n_resamples=4),
}


@pytest.mark.parametrize("call", TAKES_LABELS)
@pytest.mark.parametrize("labels, words", [(MASKED, "must not have masked entries"), (WITH_NONE, "must not hold (NaN or )?missing")], ids=["masked", "None"])
def test_missing_labels_are_refused(call, labels, words):
    TAKES_LABELS[call](Y)
    with pytest.raises(ValueError, match=rf"`(y|y_true|data)` {words}"): TAKES_LABELS[call](labels)


LOST = {
    "NaT": np.where(np.arange(30) == 3, np.datetime64("NaT"), np.datetime64("2020-01-01") + Y), "a list of texts": [float("nan") if i == 3 else "yes" for i in range(30)],
    "None": [None if i == 3 else int(v) for i, v in enumerate(Y)], "masked": np.ma.masked_array(np.arange(30), np.arange(30) == 3),
    "NA": pd.Series(Y).astype("Int64").mask(np.arange(30) == 3),
}


@pytest.mark.parametrize("kind", LOST)
def test_missing_entries_are_no_label_of_their_own(kind):
    "In labels and in groups: a text of three letters that was a gap makes no class, a date that was none no cluster."
    with pytest.raises(ValueError, match="`y_true` must not (hold NaN or|have masked entries)"): cb.exact_cost(LOST[kind], S, 0.5, 0.0, pos_label="yes")
    with pytest.raises(ValueError, match="`groups` must not (hold NaN or|have masked entries)"): cb.exact_roc(Y, S, 0.0, groups=LOST[kind])


def test_masked_features_are_refused():
    "Though scikit-learn reads what lies under the mask."
    masked = np.ma.masked_array(X2, np.arange(60).reshape(30, 2) == 7)
    for call in (cb.average_operating_points, cb.folds.fold_outputs):
        with pytest.raises(ValueError, match="`X` must not have masked entries; got 1"): call(rule(), masked, Y, cv=3, rng=0)
    free = cb.folds.fold_outputs(rule(), np.ma.masked_array(X2), Y, cv=3, rng=0)
    np.testing.assert_array_equal(free.outputs, cb.folds.fold_outputs(rule(), X2, Y, cv=3, rng=0).outputs)


@pytest.mark.parametrize("count", [1.5, 9, 1e18, 1e19, 1e300, -1, 10**400])
def test_counts_of_a_law_are_whole_and_fit(count):
    "1e300 became a negative number."
    with pytest.raises((TypeError, ValueError), match="`count` must"): cb.core.BinomialProportion(x=[0.5], n=8, m=8, count=[count])
    with pytest.raises((TypeError, ValueError), match="`count_1` must"): cb.core.TrinomialDifference(x=[0.5], n=8, m=8, count_1=[count], count_2=[2])


def test_validation_data_are_other_data(tmp_path):
    table = pd.DataFrame({"y": Y, "s": S})
    table.to_csv(tmp_path / "a.csv", index=False)
    table.to_csv(tmp_path / "a.csv.gz", index=False)
    given = dict(label="y", score="s", progress=False)
    for data, validation in ((table, table), (table, table.copy()), (table, table[::-1]), (tmp_path / "a.csv", tmp_path / "a.csv.gz"), (table, tmp_path / "a.csv.gz")):
        with pytest.raises(ValueError, match="`validation` must be other data"): cb.report(data, validation=validation, **given)
    with pytest.raises(ValueError, match="`validation` must be other data than the test set; got 20 rows that are all in it"): cb.report(table, validation=table[:20], **given)
    both = pd.concat([table[5:9], table.assign(s=S + 0.1)])
    told = cb.report(table, validation=both, **given)
    assert told.cautions[0].startswith("4 of the 30 rows of the test set stand in the validation data too") and "4 of the 30 rows" in told.html()
    free = cb.report(table, validation=table.assign(s=S + 0.1), **given)
    assert not any("validation data too" in caution for caution in free.cautions)


def test_rows_that_are_equal_by_chance_are_no_overlap():
    "Scores of few digits, a model with few answers, and one of full precision that shares a single row."
    rng = np.random.default_rng(7)
    y, (a, b) = np.tile([0, 1], 150), rng.normal(size=(2, 300))
    given = dict(label="y", score="s", progress=False)
    for digits in (0, 1, 2, 3):
        one, other = (pd.DataFrame({"y": y, "s": np.round(s, digits)}) for s in (a, b))
        assert not any("validation data too" in caution for caution in cb.report(one, validation=other, **given).cautions)
    one, other = (pd.DataFrame({"y": y, "s": np.floor(3 * s) / 7}) for s in (a, b))
    assert not any("validation data too" in caution for caution in cb.report(one, validation=other, **given).cautions)
    b[3] = a[1]
    told = cb.report(pd.DataFrame({"y": y, "s": a}), validation=pd.DataFrame({"y": y, "s": b}), **given)
    assert told.cautions[0].startswith("1 of the 300 rows of the test set stands in")


def test_a_regression_has_no_error_rate():
    from sklearn.linear_model import Ridge
    with pytest.raises(ValueError, match="`estimator` must be a classifier"): cb.assess(Ridge(), X2, Y, **QUIET)
    cb.assess(Ridge(), X2, Y, loss=lambda y, answer: (y - answer) ** 2, **QUIET)


def test_large_seeds_are_different_seeds():
    from costboot.core.checks import check_rng
    assert len({check_rng(2**53 + k).random() for k in range(4)}) == 4


@pytest.mark.parametrize("values, probabilities, what", [
    ([[1, 0]], [[0.5, 0.5]], "values"), ([[0, 0]], [[0.5, 0.5]], "values"), ([[0, 1]], [[-0.5, 1.5]], "probabilities"), ([[0, 1]], [[1, 1]], "probabilities"),
    ([[0, np.nan]], [[0.5, 0.5]], "values"), ([[0, 1]], [[1]], "probabilities"), ([[0, 1], [0, 1]], [[0.5, 0.5]], "values"),
])
def test_a_list_that_is_no_law_is_refused(values, probabilities, what):
    with pytest.raises(ValueError, match=f"`{what}` must"): cb.core.DiscreteLaw(x=[0.5], values=values, probabilities=probabilities)


def test_counts_are_whole_numbers():
    given = dict(threshold=[0.5], count_pos=[2], count_neg=[1], n_pos=3, n_neg=4)
    cb.laws.TableCounts(**given)
    for name, value in (("count_pos", [1.9]), ("count_neg", [-1]), ("count_pos", [4]), ("n_pos", 2.5), ("threshold", [np.nan])):
        with pytest.raises(ValueError, match=f"`{name}` must"): cb.laws.TableCounts(**given | {name: value})


def test_a_missing_fold_is_no_fold():
    fold = np.where(Y == 1, np.nan, 1.0)
    with pytest.raises(ValueError, match="`fold` must not hold NaN"): cb.folds.FoldOutputs(Y, S, fold)


# 7. Sizes, before anything is allocated

ENDLESS = {
    "m": lambda n: cb.exact_cost(Y, S, 0.5, 0.0, m=n, sampling="full"),
    "n_pos": lambda n: cb.Binormal(2.0).sample(n, rng=1),
    "n_steps": lambda n: cb.search_weights(Y, abs(X2), n_weights=5, n_keep=2, n_steps=n, rng=0),
    "size": lambda n: cb.exact_cost(Y, S, [0.4, 0.6], 0.0).rvs(n, rng=1),
    "n_resamples": lambda n: cb.exact_cost(Y, S, [0.4, 0.6], 0.0).interval(0.9, "empirical", n_resamples=n),
    "n_simulations": lambda n: cb.coverage(cb.Binormal(2.0), [0.5], lambda y, s: cb.exact_cost(y, s, [0.5], 0.0), n_pos=5, n_simulations=n),
}


@pytest.mark.parametrize("argument", ENDLESS)
@pytest.mark.parametrize("value", [10**9, 1e18, 10**400])
def test_sizes_without_end_are_refused(argument, value):
    "With the limit in the message, and at once."
    with pytest.raises(ValueError, match=rf"`{argument}` must be a whole number, at least [01]( and at most [\d,]+)?; got"): ENDLESS[argument](value)


TOO_LARGE = {
    "n_resamples": (lambda n: cb.retrained.bootstrap_estimate(S, np.mean, n_resamples=n), lambda n: cb.assess(LinearDiscriminantAnalysis(), X2, Y, n_resamples=n),
                    lambda n: cb.compare_rules(LinearDiscriminantAnalysis(), LinearDiscriminantAnalysis(), X2, Y, n_resamples=n)),
    "cv_repeats": (lambda n: cb.assess(LinearDiscriminantAnalysis(), X2, Y, cv_repeats=n),),
    "splits": (lambda n: cb.cross_fit(Y, S, splits=n),),
    "n_per_class": (lambda n: cb.papers.simulate_auc(n),),
    "n_pos": (lambda n: cb.exact_coverage(cb.Binormal(2.0), n), lambda n: cb.coverage(cb.Binormal(2.0), 0.5, cb.exact_auc, n_pos=n),
              lambda n: cb.coverages.interval_table(n, 10, 0.1, 0.1)),
}


@pytest.mark.parametrize("argument, call", [(name, call) for name, calls in TOO_LARGE.items() for call in calls])
def test_a_hundred_million_of_what_is_costly_is_refused(argument, call):
    "Trainings, repetitions, and classes that need more than one column: the limit is smaller where the work is larger."
    with pytest.raises(ValueError, match=rf"`{argument}` must be a whole number, at least \d+ and at most [\d,]+; got 100000000"): call(10**8)


UPSIDE_DOWN = """
import resource, signal, time, warnings
import numpy as np, costboot as cb
y = np.tile([0, 1, 0, 0, 1], 8)
s = y + np.random.default_rng(0).normal(size=40)
def ask(m): return cb.exact_cost_difference(y, s, -s, 0.4, 0.5, -0.5, m=m, sampling="full")
ask(30_000).cdf(0.3)  # what has to be compiled or loaded
def stop(*_):
    signal.alarm(1)  # once more: a callback of the compiler swallows an interrupt
    raise KeyboardInterrupt
def memory(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
law, before, begin = ask(10**7), memory(), time.process_time()
signal.signal(signal.SIGALRM, stop)
signal.alarm(2)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    try: law.interval(0.9, "exact")
    except KeyboardInterrupt: signal.alarm(0), print("stopped", time.process_time() - begin < 10, memory() - before < 400, "takes minutes" in str(said[0].message))
try: law.support(0)
except ValueError as error: print("`support` must fit in memory" in str(error), memory() - before < 400)
"""


@needs_numba
@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="no alarm on this system")
def test_large_tables_are_made_in_pieces_and_can_be_stopped():
    "Ten million draws of models that disagree nearly everywhere: 23 GB as one table; here less than 0.4, and Ctrl-C ends it."
    done = run(UPSIDE_DOWN)
    assert (done.returncode, done.stdout) == (0, "stopped True True True\nTrue True\n"), done.stderr


def test_tables_of_two_measures_are_counted_before_they_are_made():
    "At a million instances they took four gigabytes; what needs no tables is answered."
    y = np.tile([0, 0, 0, 1, 1], 200_000)
    first, second = y + np.random.default_rng(0).normal(size=(2, y.size))
    law = cb.exact_measure_difference(y, first, second, 0.5, 0.5, "f1")
    for ask in (lambda: law.mean, lambda: law.std, lambda: law.cdf(0.0)):
        with pytest.raises(ValueError, match="must have tables of at most 10,000,000 cells; those of this point would have"): ask()
    assert law.interval(0.9).low < law.estimate < law.interval(0.9).high


def test_a_resample_size_is_no_excuse_for_a_long_count():
    "How many resamples there are is not worked out where it has thousands of digits."
    for y, m in ((Y, 10**8), (np.tile(Y, 2000), None)):
        with pytest.raises(ValueError, match="`y_true` must be tiny for an enumeration .* more than 10\\^26 multisets"):
            cb.enumerate_law(lambda *_: 0.0, y, sampling="full", m=m)


# 3. Versions


def test_the_oldest_versions_are_tested():
    "The workflow makes the oldest constraints from settings.ini, of the extras too, and uses them."
    import constraints
    lines = constraints.oldest()
    named = {re.split(r"==", line)[0] for line in lines}
    assert {"numpy", "scipy", "matplotlib", "scikit-learn", "pandas", "numba", "lark", "sympy", "dask", "pyarrow"} <= named and all(re.fullmatch(r"[\w-]+==[\d.]+\.\*", line) for line in lines)
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text()
    assert "versions: oldest, constraints: oldest.txt" in workflow and "tools/constraints.py --oldest > oldest.txt" in workflow and "versions: newest" in workflow
