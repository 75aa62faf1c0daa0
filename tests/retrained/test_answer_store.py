"""The store of `assess`: its own answers or none. Damaged, foreign, lost and renamed files are trained again and said."""

import json
import pickle
import threading
import warnings

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from costboot.core import long_work
from costboot.data.score_models import Multinormal
from costboot.folds.outputs import expected_cost
from costboot.retrained.assessment import assess

X, Y = Multinormal(2, 2.0).sample(12, rng=4)
TRAINED = []


class Counted(KNeighborsClassifier):
    "Counts its trainings."
    def fit(self, X, y):
        TRAINED.append(len(y))
        return super().fit(X, y)


def ask(store=None, rule=None, **options):
    TRAINED.clear()
    found = assess(rule or Counted(3), X, options.pop("y", Y), **dict(n_resamples=6, cv=3, se="plain", rng=5, progress=False, store=store) | options)
    if isinstance(found, dict): return {name: dict(one.estimate) for name, one in found.items()}, len(TRAINED)
    return dict(found.estimate), len(TRAINED)


PLAIN, ALL = ask()


def flip(contents): return contents[:-3] + bytes([contents[-3] ^ 1]) + contents[-2:]


def with_nan(contents):
    head, _, data = contents.partition(b"\n")
    told = json.loads(head)
    told["arrays"] = [[name, "<f8", shape, size] for name, _, shape, size in told["arrays"]]
    return json.dumps(told, sort_keys=True).encode() + b"\n" + np.full(len(data) // 8, np.nan).tobytes()


def honest(values):
    "What somebody writes who knows the format, but not what belongs there."
    def made(contents):
        head = json.loads(contents.partition(b"\n")[0])
        return long_work.pack_block(head["design"], head["part"], values)
    return made


class Trap:
    def __reduce__(self): return TRAINED.append, ("run by a pickle",)


DAMAGE = {
    "a flipped bit": (flip, "damaged"), "NaN": (with_nan, "damaged"), "cut off": (lambda c: c[: len(c) // 2], "damaged"), "empty": (lambda _: b"", "damaged"),
    "an array of numpy": (lambda _: b"\x93NUMPY\x01\x00", "damaged"), "a pickle": (lambda _: pickle.dumps(Trap()), "damaged"), "deep": (lambda _: b"[" * 100_000, "damaged"),
    "too short": (honest(np.zeros(3, int)), "of another shape"), "one number": (honest(np.float64(1)), "of another shape"), "a dictionary": (honest({"predict": np.zeros(2)}), "of another shape"),
    "another place": (lambda c: c.replace(b'"part": [2]', b'"part": [3]'), "of another part of the work"),
    "another design": (lambda c: c.replace(b'"design": "', b'"design": "0'), "of another design"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_answer_is_trained_again_and_said(tmp_path, damage):
    assert ask(tmp_path) == (PLAIN, ALL)
    spoil, why = DAMAGE[damage]
    path = tmp_path / "000002.block"
    whole = path.read_bytes()
    path.write_bytes(spoil(whole))
    with pytest.warns(UserWarning, match=rf"do not fit and are computed again: 000002.block \({why}\)\."): assert ask(tmp_path) == (PLAIN, 1)
    assert path.read_bytes() == whole
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ask(tmp_path) == (PLAIN, 0)


def test_without_its_settings_a_store_gives_no_foreign_answers(tmp_path):
    ask(tmp_path, rng=6)
    (tmp_path / "settings.json").unlink()
    with pytest.warns(UserWarning, match="000000.block .of another design.*and 5 more"): assert ask(tmp_path) == (PLAIN, ALL)


@pytest.mark.parametrize("contents", ["", "{", "[]", "\x00\xff", "[" * 100_000])
def test_damaged_settings_are_written_again_and_said(tmp_path, contents):
    ask(tmp_path)
    (tmp_path / "settings.json").write_text(contents, encoding="latin1")
    with pytest.warns(UserWarning, match="settings.json is damaged"): assert ask(tmp_path) == (PLAIN, 0)


@pytest.mark.parametrize("change, what", [
    (dict(rng=6), "seeds"), (dict(rule=Counted(5)), "parameters"), (dict(rule=KNeighborsClassifier(3)), "rule"), (dict(y=1 - Y), "labels"), (dict(n_resamples=7), "plan"),
    (dict(metric="auc"), "asked"), (dict(response="predict_proba", metric="log_loss"), "asked"),
])
def test_another_design_in_the_folder_is_refused(tmp_path, change, what):
    ask(tmp_path)
    with pytest.raises(ValueError, match=f"`store` must hold answers of the same design.*{what}: stored .* Name another folder"): ask(tmp_path, **change)
    assert ask(tmp_path) == (PLAIN, 0)


def test_of_two_designs_that_start_together_one_is_refused(tmp_path):
    right = {seed: ask(rng=seed, n_resamples=2, cv=None)[0] for seed in (1, 2)}
    for k in range(8):
        start, found = threading.Barrier(2), {}

        def run(seed, start=start, found=found, folder=tmp_path / str(k)):
            start.wait()
            try: found[seed] = ask(folder, rng=seed, n_resamples=2, cv=None)[0]
            except ValueError as error: found[seed] = error

        threads = [threading.Thread(target=run, args=(seed,)) for seed in right]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        refused = [seed for seed, result in found.items() if isinstance(result, ValueError)]
        assert len(refused) == 1 and "same design" in str(found[refused[0]])
        (kept,) = set(right) - set(refused)
        assert found[kept] == right[kept]


METRICS = {
    "error rate": {}, "area": dict(metric="auc"), "log loss": dict(metric="log_loss"), "cost": dict(metric=expected_cost(0.3, cost_fn=2)), "scorer": dict(metric="balanced_accuracy"),
    "score of a scorer": dict(metric="average_precision"), "scorer of the user's": dict(metric=lambda rule, X, y: float(np.mean(rule.predict(X) == y))),
    "several scores": dict(metric=["accuracy", "balanced_accuracy"]), "a dictionary of scores": dict(metric=lambda rule, X, y: {"right": float(np.mean(rule.predict(X) == y)), "sure": float(rule.predict_proba(X).max())}),
}


@pytest.mark.parametrize("names", [None, ["no", "yes"], np.array(["no", "yes"], dtype=object), [False, True]], ids=["numbers", "texts", "objects", "truth values"])
@pytest.mark.parametrize("metric", METRICS)
def test_answers_of_every_kind_are_stored(tmp_path, metric, names):
    if names is not None and metric == "score of a scorer": return  # scikit-learn wants 0 and 1 there
    y = Y if names is None else np.asarray(names)[Y]
    options = dict(y=y, **METRICS[metric])
    if metric in ("area", "cost") and names is not None: options["pos_label"] = names[1]
    plain, trained = ask(**options)
    assert ask(tmp_path, **options) == (plain, trained)
    assert ask(tmp_path, **options) == (plain, 0)
    assert not [path for path in tmp_path.iterdir() if b"pickle" in path.read_bytes() or path.suffix not in (".block", ".json")]


def test_a_store_that_cannot_be_written_to_is_named(tmp_path, monkeypatch):
    import errno
    from contextlib import contextmanager

    @contextmanager
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")
        yield

    monkeypatch.setattr(long_work, "whole_file", full)
    with pytest.raises(OSError, match="`store` must be a folder that can be written to; No space left on device"): ask(tmp_path)


def test_folders_in_the_place_of_files(tmp_path):
    ask(tmp_path)
    (tmp_path / "000002.block").unlink()
    (tmp_path / "000002.block").mkdir()
    with pytest.warns(UserWarning, match="000002.block"), pytest.raises(ValueError, match="`store` must be a file.*is a folder"): ask(tmp_path)


def test_parameters_are_compared_in_full(tmp_path):
    "Long arrays are abbreviated when they are printed; their digest is not. Whether a part of the rule is trained is no matter."
    def rule(last=0.0):
        return make_pipeline(FunctionTransformer(moved, kw_args={"x2": np.append(np.zeros(2000), last)}), Counted(3))
    ask(tmp_path, rule=rule())
    assert ask(tmp_path, rule=rule().fit(X, Y))[1] == 0
    with pytest.raises(ValueError, match="parameters"): ask(tmp_path, rule=rule(1.0))


def moved(X, x2): return X + x2[-1]
