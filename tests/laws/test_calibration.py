"""Aligned thresholds: closed forms, labels that agree, units that do not matter, bad input."""

import numpy as np
import pytest

import costboot as cb
from costboot.laws.calibration import CALIBRATIONS, AlignedThresholds, aligned_thresholds, fit_calibration


def test_isotonic_by_its_closed_form_with_ties():
    rng = np.random.default_rng(2)
    for _ in range(20):
        n = int(rng.integers(4, 16))
        y, s = rng.permutation(np.arange(n) % 2), rng.integers(0, 6, n).astype(float)
        places = np.unique(s)
        total = np.array([[y[s == v].sum(), (s == v).sum()] for v in places])
        closed = [max(min(np.divide(*total[a : b + 1].sum(axis=0)) for b in range(i, len(places))) for a in range(i + 1)) for i in range(len(places))]
        np.testing.assert_allclose(fit_calibration(y, s).probability(places), closed, atol=1e-12)


def test_platt_has_no_slope_of_the_likelihood():
    y, s = cb.Binormal(1.0).sample(20, 35, rng=1)
    learnt = fit_calibration(y, s, method="platt")
    target = np.where(y == 1, 21 / 22, 1 / 37)
    rest = target - learnt.probability(s)
    assert abs(rest.sum()) < 1e-5 and abs((rest * s).sum()) < 1e-4


@pytest.mark.parametrize("method", list(CALIBRATIONS))
def test_labels_agree_and_units_do_not_matter(method):
    y, s = cb.Binormal(1.0).sample(40, 60, rng=3)
    levels, fresh = np.linspace(0.03, 0.97, 17), np.random.default_rng(1).normal(0, 4, 500)
    learnt = fit_calibration(y, s, method=method)
    other = fit_calibration(y, 1e5 + 300 * s, method=method)
    for c, t, u in zip(levels, learnt.threshold(levels), other.threshold(levels)):
        sure = np.abs(learnt.probability(fresh) - c) > 1e-9
        assert ((fresh >= t) == (learnt.probability(fresh) >= c))[sure].all()
        assert ((1e5 + 300 * fresh >= u) == (fresh >= t))[sure].all()
    assert (np.diff(learnt.threshold(levels)) >= 0).all()


@pytest.mark.parametrize("method", list(CALIBRATIONS))
def test_the_law_at_aligned_thresholds_is_that_of_calibrated_scores(method):
    pair = cb.BinormalPair(cb.Binormal(1.5), cb.Binormal(2.0, loc_neg=-1.5), correlation=0.6)
    valid, (y, s, z) = pair.sample(60, 60, rng=1), pair.sample(40, 60, rng=2)
    at = aligned_thresholds(*valid, [0.3, 0.7], method=method)
    assert isinstance(at, AlignedThresholds) and isinstance(aligned_thresholds(*valid, 0.3, method=method).threshold_1, float)
    one, two = (fit_calibration(valid[0], v, method=method) for v in valid[1:])
    law, same = cb.exact_roc_difference(y, s, z, *at), cb.exact_roc_difference(y, one.probability(s), two.probability(z), [0.3, 0.7], [0.3, 0.7])
    np.testing.assert_allclose([law.tpr.mean, law.fpr.var], [same.tpr.mean, same.fpr.var], atol=1e-14)


def test_ends():
    for method in CALIBRATIONS:
        learnt = fit_calibration([0, 1, 0, 1], [1.0, 2.0, 3.0, 4.0], method=method)
        assert learnt.threshold(0.0) == -np.inf and learnt.probability(-np.inf) >= 0 and learnt.probability(np.inf) <= 1
        assert "Calibration" in repr(learnt)
    assert fit_calibration([0, 1, 0, 1], [1.0, 2.0, 3.0, 4.0], method="platt").threshold(1.0) == np.inf
    flat = fit_calibration([1, 0], [1.0, 2.0])  # scores that rank the wrong way: one step
    assert flat.probability([0.0, 3.0]).tolist() == [0.5, 0.5] and flat.threshold([0.5, 0.6]).tolist() == [-np.inf, np.inf]


@pytest.mark.parametrize("call, error", [
    (lambda: fit_calibration([0, 1], [1.0, 2.0], method="beta"), "`method` must be one of"),
    (lambda: fit_calibration([0, 1], [2.0, 1.0], method="platt"), "`y_score` must rise"),
    (lambda: fit_calibration([0, 1], [2.0, 2.0], method="platt"), "`y_score` must hold at least two different"),
    (lambda: fit_calibration([0, 0], [2.0, 1.0]), "`y_true` must hold both"),
    (lambda: fit_calibration([0, 1], [2.0, np.inf]), "`y_score` must be finite"),
    (lambda: fit_calibration([0, 1], [1.0, 2.0]).threshold(1.2), "`probability` must lie in"),
    (lambda: fit_calibration([0, 1], [1.0, 2.0]).probability("a"), "`y_score` must hold numbers"),
    (lambda: aligned_thresholds([0, 1], [1.0, 2.0], [1.0], 0.5), "`y_score_2` must have as many"),
    (lambda: aligned_thresholds([0, 1], [1.0, 2.0], [1.0, 2.0], -0.5), "`probability` must lie in"),
])
def test_bad_input(call, error):
    with pytest.raises((TypeError, ValueError), match=error): call()
