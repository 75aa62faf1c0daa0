"""The study of measures: complete, compact, computed again; worst cases as its page says; the command."""

import json

import numpy as np
import pytest

from costboot.coverages import measure_study
from costboot.coverages.measure_study import (
    LEVELS, METHODS, STUDIED, STUDY_PARTS, MeasureDesign, load_measure_study, main, pair_coverage, stratified_coverage, worst_of_measures,
)


@pytest.fixture(scope="module")
def study(): return load_measure_study()


def test_the_stored_study_is_complete_and_compact(study):
    assert list(study) and set(study) == set(STUDY_PARTS) and measure_study._study_file().stat().st_size < 400_000
    for part, measures in study.items():
        assert list(measures) == measure_study._measures_of(part)
        for found in measures.values():
            assert found.shape == (len(STUDY_PARTS[part][0]), len(LEVELS), len(METHODS)) and (found > 0.5).all() and (found <= 1).all()
    assert set(study["stratified"]) == set(STUDIED)


@pytest.mark.parametrize("part, name, number", [("stratified", "f2", 37), ("stratified", "mcc", 5), ("full", "precision", 20), ("full", "f1", 7), ("difference", "precision", 3)])
def test_stored_numbers_can_be_computed_again(study, part, name, number):
    designs, cover = STUDY_PARTS[part]
    np.testing.assert_allclose(cover(name, designs[number]), study[part][name][number], rtol=0, atol=1e-4)


@pytest.mark.parametrize("part, least", [("stratified", (0.87, 0.925, 0.945)), ("full", (0.87, 0.93, 0.96)), ("difference", (0.85, 0.86, 0.95))])
def test_recommended_intervals_hold(study, part, least):
    table = worst_of_measures(part, study)
    for level, low in zip(LEVELS, least): assert table["recommended", f"{level:g}"].min() >= low
    assert (table["conservative", "0.9"] >= table["recommended", "0.9"] - 0.005).all()


def test_ratios_cover_like_their_forms():
    "The short way and the interval itself, summed over all pairs of counts."
    design = MeasureDesign(9, 14, 0.7, 0.15, 0.2)
    p = np.outer(measure_study._binomial(np.arange(10), 9, 0.7), measure_study._binomial(np.arange(15), 14, 0.15))
    for name in ("precision", "npv", "f1", "lr_plus", "kappa"):
        low, high, estimate = measure_study._limit_table(name, (9, 14), 0.2, 0.95, "recommended")
        truth, known = float(measure_study.measure_at(STUDIED[name], *design[2:])), ~np.isnan(estimate)
        assert stratified_coverage(name, design, 0.95) == pytest.approx((p * known * (low <= truth) * (truth <= high)).sum() / (p * known).sum(), rel=1e-7)


def test_the_command(tmp_path, capsys, monkeypatch):
    few = {part: (designs[:2], cover) for part, (designs, cover) in STUDY_PARTS.items()}
    monkeypatch.setattr(measure_study, "STUDY_PARTS", few)
    monkeypatch.setattr(measure_study, "STUDIED", {name: STUDIED[name] for name in ("precision", "npv")})
    assert main(["full", "--output", str(tmp_path / "found.json")]) == 0
    stored = json.loads((tmp_path / "found.json").read_text(encoding="utf8"))
    assert list(stored["coverage"]["full"]) == ["precision", "npv"] and "written to" in capsys.readouterr().out
    assert main(["stratified", "--quick"]) == 0 and "stratified: precision covers at least" in capsys.readouterr().out
    with pytest.raises(SystemExit): main(["nonsense"])
    monkeypatch.setattr(measure_study, "STUDY_PARTS", STUDY_PARTS)
    with pytest.raises(ValueError, match="was made for other designs of 'full'"): load_measure_study(tmp_path / "found.json")


def test_equal_models_differ_by_nothing():
    design = STUDY_PARTS["difference"][0][0]._replace(tpr_1=0.8, tpr_2=0.8, fpr_1=0.1, fpr_2=0.1, agreement=1.0)
    assert (pair_coverage("f1", design, draws=200) == 1).all()
