"""A store gives the numbers of its own design or says why not: two designs at once, damaged, foreign and lost files."""

import json
import threading
import warnings

import numpy as np
import pytest

import costboot as cb

W = np.array([0.3, 0.6])
MODEL = cb.Binormal(2.0)


def law(y, s): return cb.exact_cost(y, s, W, 0.0)


def simulate(**options):
    settings = dict(n_pos=10, n_simulations=20, block=5, rng=1, progress=False, method="wald") | options
    return cb.coverage(MODEL, MODEL.cost(W, 0.0), law, **settings)


def same(a, b):
    for name in ("coverage", "below", "above", "width"): np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


def flip(contents): return contents[:-3] + bytes([contents[-3] ^ 64]) + contents[-2:]


def with_nan(contents):
    head, _, data = contents.partition(b"\n")
    return head + b"\n" + np.full(len(data) // 8, np.nan).tobytes()


def reshaped(contents):
    head, _, data = contents.partition(b"\n")
    told = json.loads(head)
    told["arrays"][0][2] = told["arrays"][0][2][::-1]
    return json.dumps(told).encode() + b"\n" + data


DAMAGE = {
    "a flipped bit": flip, "NaN": with_nan, "cut off": lambda c: c[: len(c) // 2], "empty": lambda _: b"", "noise": lambda _: bytes(range(256)),
    "another shape": reshaped, "not a dictionary": lambda _: b"[1]\n", "an old format": lambda _: b"\x93NUMPY\x01\x00",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_block_is_computed_again_and_said(tmp_path, damage):
    whole = simulate(store=tmp_path)
    path = tmp_path / "0000005-0000010.block"
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    with pytest.warns(UserWarning, match=r"do not fit and are computed again: 0000005-0000010.block \(damaged\)\."): same(simulate(store=tmp_path), whole)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(simulate(store=tmp_path), whole)  # mended


def test_a_block_under_another_name_is_not_used(tmp_path):
    whole = simulate(store=tmp_path)
    (tmp_path / "0000010-0000015.block").write_bytes((tmp_path / "0000005-0000010.block").read_bytes())
    with pytest.warns(UserWarning, match="of another part of the work"): same(simulate(store=tmp_path), whole)


def test_without_its_settings_a_store_gives_no_foreign_numbers(tmp_path):
    simulate(store=tmp_path, rng=2)
    (tmp_path / "settings.json").unlink()
    with pytest.warns(UserWarning, match="of another design.*of another design"): same(simulate(store=tmp_path), simulate())


@pytest.mark.parametrize("contents", ["", "{", "[]", "\x00\xff", "null"])
def test_damaged_settings_are_written_again_and_said(tmp_path, contents):
    whole = simulate(store=tmp_path)
    (tmp_path / "settings.json").write_text(contents, encoding="latin1")
    with pytest.warns(UserWarning, match="settings.json is damaged"): same(simulate(store=tmp_path), whole)
    assert json.loads((tmp_path / "settings.json").read_text())["confidence_level"] == 0.9


def test_of_two_designs_that_start_together_one_is_refused(tmp_path):
    "Started at the same moment in a new folder, many times: never both accepted."
    right = {seed: simulate(rng=seed, n_simulations=2, block=1) for seed in (1, 2)}
    for k in range(12):
        start, found = threading.Barrier(2), {}

        def run(seed, start=start, found=found, folder=tmp_path / str(k)):
            start.wait()
            try: found[seed] = simulate(rng=seed, n_simulations=2, block=1, store=folder)
            except ValueError as error: found[seed] = error

        threads = [threading.Thread(target=run, args=(seed,)) for seed in right]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        refused = [seed for seed, result in found.items() if isinstance(result, ValueError)]
        assert len(refused) == 1 and "same design" in str(found[refused[0]])
        (kept,) = set(right) - set(refused)
        same(found[kept], right[kept])


@pytest.mark.parametrize("store", [3, "", "/dev/null/folder", "with\0nul", ["a"]])
def test_what_is_no_folder_is_refused(store):
    with pytest.raises((TypeError, ValueError), match="`store` must be"): simulate(store=store)


def test_the_width_does_not_depend_on_the_blocks():
    whole = simulate(n_simulations=64)
    for block in (1, 7, 25, 64): same(simulate(n_simulations=64, block=block), whole)
