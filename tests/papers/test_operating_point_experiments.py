"""The experiments of the paper on operating points: quick runs agree with what is stored, and the whole surface is made again."""

import numpy as np
import pytest

from costboot.papers.operating_points import _fold_errors, _rejections, digit_surface, equal_radii
from costboot.papers.registry import EXPERIMENTS, load_result, run_experiment

POINTS = [name for name in EXPERIMENTS if name.startswith("points-")]


def test_points_that_are_alike():
    "Ten data sets of two sizes: within four Monte Carlo errors of the stored means."
    stored = {row["n_per_class"]: row for row in load_result("points-alike")["rows"]}
    quick = run_experiment("points-alike", quick=True, seed=11, progress=False)
    trials, many = quick["settings"]["trials"], load_result("points-alike")["settings"]["trials"]
    for row in quick["rows"]:
        old = stored[row["n_per_class"]]
        slack = 4 * np.hypot(old["alike_mc"] * np.sqrt(many / trials), old["alike_mc"])
        assert abs(row["alike_paired"] - old["alike_paired"]) < slack + 0.1
        assert abs(row["fpr"] - old["fpr"]) < 4 * old["fpr_sd"] * np.sqrt(1 / trials + 1 / many)
        assert row["alike_paper"] <= row["alike_paired"] <= row["most_alike"]
    assert stored[50]["alike_paired"] > stored[200]["alike_paired"] + 1 > stored[800]["alike_paired"] + 1


def test_levels_of_the_test():
    stored = {row["folds"]: row for row in load_result("points-levels")["rows"]}
    quick = run_experiment("points-levels", quick=True, seed=12, progress=False)
    error = 4 * np.sqrt(0.1 * 0.9 / quick["settings"]["trials"])
    for row in quick["rows"]:
        for name in ("paired", "paper"): assert abs(row[name] - stored[row["folds"]][name]) < error
        assert row["paper_normal"] == pytest.approx(stored[row["folds"]]["paper_normal"], rel=1e-6)
    assert abs(stored[2]["paper"] - stored[2]["paired"]) > error  # the two rules are told apart by this test


def test_parts_of_the_levels():
    "Folds that differ by nothing, by a constant and by noise; the errors of a huge sample are the expected ones."
    assert _rejections(np.zeros((3, 5))) == [0.0, 0.0] and _rejections(np.full((3, 5), 0.1)) == [1.0, 1.0]
    errors, targets, others = _fold_errors(400, 10, np.random.default_rng(1))
    assert errors.shape == (400, 10, 2) and targets.shape == others.shape == (400, 10, 10, 2)
    low, high = errors.mean(axis=(0, 1))
    assert abs(low - high) < 0.01 and equal_radii(90)[0] < equal_radii(90)[1]


@pytest.mark.data
def test_quick_form_of_the_surface():
    found = run_experiment("points-digits", quick=True, progress=False)
    assert len(found["rows"]) == 20 and found["command"].endswith("points-digits --quick")


@pytest.mark.slow
@pytest.mark.data
def test_the_surface_again():
    "All numbers of the stored result, by the function that the command runs."
    stored, again = load_result("points-digits")["rows"], digit_surface()["rows"]
    assert len(stored) == len(again) == 100
    for old, new in zip(stored, again): assert new == pytest.approx(old, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("name", POINTS)
def test_stored_results_name_their_command(name):
    stored = load_result(name)
    assert stored["command"] == f"python -m costboot.papers.registry {name}" and "seed" in stored["settings"] and stored["rows"]
