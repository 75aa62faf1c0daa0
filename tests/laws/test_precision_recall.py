"""Precision-recall curves: points of scikit-learn, laws against all resamples, transformed intervals, bad input, pictures."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

from sklearn.metrics import precision_recall_curve

import costboot as cb
from costboot.laws.precision_recall import exact_precision_at_recall, exact_precision_recall

pytestmark = pytest.mark.usefixtures("no_figure_is_left")


def test_points_are_those_of_scikit_learn():
    y, s = cb.Binormal(1.0).sample(20, 45, rng=1)
    s = s.round(1)  # with ties
    precision, recall, cuts = precision_recall_curve(y, s)
    law = exact_precision_recall(y, s, cuts)
    np.testing.assert_allclose(law.precision.estimate, precision[:-1], rtol=1e-12)
    np.testing.assert_allclose(law.recall.mean, recall[:-1], rtol=1e-12)


def lowest_precision(k, share):
    def statistic(y, s):
        pos, neg = np.sort(s[y == 1]), s[y == 0]
        found = share * k / pos.size
        return found / (found + (1 - share) * np.mean(neg > pos[pos.size - k - 1]))
    return statistic


@pytest.mark.parametrize("share", [None, 0.02])
@pytest.mark.parametrize("seed", range(4))
def test_precision_at_a_recall_against_all_resamples(share, seed):
    order = np.random.default_rng(seed).permutation(7.0 * np.ones(7) + np.arange(7))
    y = np.array([1, 1, 1, 1, 0, 0, 0])
    for k in (1, 2, 3):
        oracle = cb.enumerate_law(lowest_precision(k, 4 / 7 if share is None else share), y, order)
        law = exact_precision_at_recall(y, order, k / 4, prevalence=share)
        values, chances = oracle.support(0)
        assert law.mean == pytest.approx(oracle.mean[0], rel=1e-12) and law.std == pytest.approx(oracle.std[0], abs=1e-9)
        np.testing.assert_allclose(law.cdf(values), np.cumsum(chances), rtol=0, atol=1e-11)


def test_limits_are_transformed_limits_of_the_specificity():
    y, s = cb.Binormal(1.5).sample(40, 60, rng=3)
    at = np.array([0.3, 0.5, 0.8])
    law, spec = exact_precision_at_recall(y, s, at, prevalence=0.1), cb.exact_tpr(1 - y, -s, 1 - at)
    for method in ("recommended", "conservative"):
        for ours, theirs in zip(law.interval(0.95, method), spec.interval(0.95, method)):
            np.testing.assert_allclose(ours, 0.1 * at / (0.1 * at + 0.9 * (1 - theirs)), rtol=1e-9)
    low, high = law.interval(0.95)
    assert ((low < law.estimate) & (law.estimate < high)).all()
    assert (law.p_value(low) > 0.0499).all() and (law.p_value(low * 0.999) < 0.0501).all()


def test_coverage_at_a_recall():
    "Drawn test sets, in Monte Carlo standard errors; the negative control is the interval of another recall."
    model, share, rng, held, other = cb.Binormal(1.5), 0.2, np.random.default_rng(1), 0, 0
    cut = model.loc_pos if hasattr(model, "loc_pos") else 1.5  # half of the positives score above their mean
    truth = share * 0.5 / (share * 0.5 + 0.8 * model.fpr(cut))
    for _ in range(300):
        law = exact_precision_at_recall(*model.sample(40, 80, rng=rng), [0.5, 0.9], prevalence=share)
        low, high = law.interval(0.9)
        held, other = held + (low[0] <= truth <= high[0]), other + (low[1] <= truth <= high[1])
    assert held / 300 > 0.9 - 3 * np.sqrt(0.09 / 300) and other / 300 < 0.8


def test_full_sampling_and_regions():
    y, s = np.array([1, 1, 0, 0, 0]), np.array([0.9, 0.3, 0.6, 0.2, 0.1])
    law = exact_precision_recall(y, s, [0.25, 0.5], sampling="full")
    assert law.recall.undefined == pytest.approx([0.6**5] * 2) and len(law) == 2 and [len(one) for one in law] == [1, 1]
    region, side = law.region(0.9), law.precision.interval(0.95)
    np.testing.assert_array_equal(region.precision, side)
    assert (region.recall.low <= law.recall.interval(0.9).low).all() and "PrecisionRecallLaw(2 thresholds" in repr(law) and "<table" in law._repr_html_()


def test_picture():
    import matplotlib.pyplot as plt
    y, s = cb.Binormal(1.5).sample(20, 30, rng=0)
    for law in (exact_precision_recall(y, s, [-1.0, 0.0, 1.0]), exact_precision_recall(y, s, 0.0)):
        ax = law.plot(label="points")
        assert len(ax.patches) == len(law) and ax.get_xlabel() == "recall" and ax.get_ylabel() == "precision"
        plt.close(ax.figure)


@pytest.mark.parametrize("wrong, text", [(dict(recall=0.0), "`recall` must lie strictly between 0 and 1; got 0"), (dict(recall=1.0), "strictly between"),
                                         (dict(recall=1.2), r"`recall` must lie in \[0, 1\]"), (dict(prevalence=0), "`prevalence` must be"), (dict(m=3), "`m` must be a multiple")])
def test_bad_input(wrong, text):
    y, s = cb.Binormal(1.5).sample(4, 6, rng=0)
    with pytest.raises(ValueError, match=text): exact_precision_at_recall(y, s, **dict(recall=0.5) | wrong)
