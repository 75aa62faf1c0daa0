"""Decision curves: all resamples, costs in other clothes, policies, bad input, pictures."""

import matplotlib
import numpy as np
import pandas as pd
import pytest

matplotlib.use("Agg")

import costboot as cb
from inputs import BAD

AT = np.array([0.0, 0.2, 0.3, 0.5, 0.8])
Y, S, Z = np.array([1, 1, 1, 0, 0, 0]), np.array([0.9, 0.6, 0.3, 0.6, 0.3, 0.1]), np.array([0.7, 0.2, 0.6, 0.1, 0.4, 0.5])
pytestmark = pytest.mark.usefixtures("no_figure_is_left")


def benefit(y, s, t): return np.mean((s >= t) & (y == 1)) - t / (1 - t) * np.mean((s >= t) & (y == 0))


def same_law(law, oracle):
    np.testing.assert_allclose([law.mean, law.var], [oracle.mean, oracle.var], rtol=0, atol=1e-13)
    for i in range(len(law)):
        values, chances = oracle.support(i)
        np.testing.assert_allclose(law.cdf(values[:, None])[:, i], np.cumsum(chances), rtol=0, atol=1e-12)


@pytest.mark.parametrize("sampling", ["stratified", "full"])
def test_laws_against_all_resamples(sampling):
    same_law(cb.exact_net_benefit(Y, S, AT, sampling=sampling), cb.enumerate_law(lambda y, s: [benefit(y, s, t) for t in AT], Y, S, sampling=sampling))
    for first, second in ((S, Z), ("all", S), (S, "all"), ("none", S), ("all", "none")):
        one, two = ({"all": np.ones(6), "none": np.full(6, -1.0)}[k] if isinstance(k, str) else k for k in (first, second))
        oracle = cb.enumerate_law(lambda y, s, z: [benefit(y, z, t) - benefit(y, s, t) for t in AT], Y, one, two, sampling=sampling)
        same_law(cb.exact_net_benefit_difference(Y, first, second, AT, sampling=sampling), oracle)


@pytest.mark.parametrize("prevalence", [None, 0.04])
def test_a_net_benefit_is_a_cost_turned_over(prevalence):
    rng = np.random.default_rng(0)
    y, risk = np.repeat([1, 0], [40, 90]), rng.random(130)
    share, t = 40 / 130 if prevalence is None else prevalence, np.array([0.1, 0.4, 0.7])
    scale = share + (1 - share) * t / (1 - t)
    law, cost = cb.exact_net_benefit(y, risk, t, prevalence=prevalence), cb.exact_cost(y, risk, share / scale, t)
    np.testing.assert_allclose([law.mean, law.std], [share - scale * cost.mean, scale * cost.std], rtol=1e-11, atol=1e-14)
    for method in ("recommended", "conservative", "wald"):
        low, high = cost.interval(0.95, method)
        np.testing.assert_allclose(law.interval(0.95, method), [share - scale * high, share - scale * low], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(law.treat_all, share - (1 - share) * t / (1 - t), rtol=1e-12)


def test_policies():
    rng = np.random.default_rng(0)
    y, risk = np.repeat([1, 0], [40, 90]), rng.random(130)
    one, none = cb.exact_net_benefit(y, risk, 0.3), cb.exact_net_benefit_difference(y, "none", risk, 0.3)
    assert [none.mean, none.std] == pytest.approx([one.mean, one.std], rel=1e-12)
    gain = cb.exact_net_benefit_difference(y, "all", risk, 0.3, sampling="full")
    assert gain.mean == pytest.approx(one.mean - one.treat_all) and gain.std > 0
    assert cb.exact_net_benefit_difference(y, "all", "all", 0.3).std == 0


def test_pictures():
    import matplotlib.pyplot as plt
    for sampling in ("stratified", "full"):
        law = cb.exact_net_benefit(Y, S, AT, sampling=sampling)
        ax = law.plot(label="a")
        law.plot(ax, label="b")
        labels = [line.get_label() for line in ax.lines]
        assert labels.count("treat all") == labels.count("treat nobody") == 1 and {"a", "b"} <= set(labels)
        plt.close(ax.figure)


@pytest.mark.parametrize("wrong, error, text", [
    (dict(y_score=10 * S), ValueError, r"`y_score` must hold probabilities in \[0, 1\].* got 9"), (dict(threshold_probability=1.0), ValueError, "must be below 1"),
    (dict(threshold_probability=-0.1), ValueError, r"`threshold_probability` must lie in \[0, 1\]"), (dict(prevalence=1), ValueError, "`prevalence` must be"),
    (dict(sampling="x"), ValueError, "`sampling` must be one of"), (dict(y_score=S[:3]), ValueError, r"as many entries as `y_true` \(6\)")])
def test_bad_input(wrong, error, text):
    with pytest.raises(error, match=text): cb.exact_net_benefit(**dict(y_true=Y, y_score=S, threshold_probability=0.2) | wrong)


@pytest.mark.parametrize("name", BAD)
def test_bad_labels_and_scores(name):
    y, s, error, text = BAD[name]
    with pytest.raises(error) as caught: cb.exact_net_benefit(y, s, 0.2)
    assert text.format(y="y_true", score="y_score") in str(caught.value)


def test_bad_models():
    with pytest.raises(ValueError, match="`y_score_1` must hold probabilities, or be 'all' or 'none' .* got 'everybody'"): cb.exact_net_benefit_difference(Y, "everybody", S, 0.2)
    with pytest.raises(ValueError, match=r"`y_score_2` must hold probabilities in \[0, 1\]"): cb.exact_net_benefit_difference(Y, S, -S, 0.2)
    with pytest.raises(ValueError, match="index in the order"):
        cb.exact_net_benefit_difference(pd.Series(Y, index=list("abcdef")), "all", pd.Series(S, index=list("fabcde")), 0.2)


def test_a_band_is_that_of_the_cost_turned_over():
    rng = np.random.default_rng(1)
    y, risk, t = np.repeat([1, 0], [40, 90]), rng.random(130), np.linspace(0.05, 0.9, 9)
    for share, prevalence in ((40 / 130, None), (0.1, 0.1)):
        scale = share + (1 - share) * t / (1 - t)
        law, cost = cb.exact_net_benefit(y, risk, t, prevalence=prevalence), cb.exact_cost(y, risk, share / scale, t)
        for method in ("recommended", "conservative"):
            ours, theirs = law.band(0.9, method), cost.band(0.9, method)
            np.testing.assert_allclose(ours, [share - scale * theirs.high, share - scale * theirs.low], rtol=0, atol=1e-12)
            assert (ours.local_level, ours.how) == (pytest.approx(theirs.local_level), theirs.how)
    inner, outer = law.interval(), law.band()
    assert (outer.low <= inner.low + 1e-12).all() and (inner.high <= outer.high + 1e-12).all()
    assert tuple(law[2].band()) == pytest.approx(tuple(law[2].interval())) and cb.exact_net_benefit(y, risk, t, sampling="full").band().how == "Bonferroni"


def test_a_band_of_a_difference_and_where_the_model_is_better():
    rng = np.random.default_rng(2)
    y, t = np.repeat([1, 0], [50, 90]), np.linspace(0.0, 0.9, 7)
    risk = 1 / (1 + np.exp(-(rng.normal(size=140) + 2 * y - 1)))
    gain = cb.exact_net_benefit_difference(y, "all", risk, t)
    band, inner = gain.band(0.9), gain.interval(0.9)
    assert band.how.startswith("Hunter") and 0.9 < band.local_level < 1 - 0.1 / 7 + 0.02
    assert (band.low <= inner.low + 1e-12).all() and (inner.high <= band.high + 1e-12).all()
    assert gain.band(0.9, "conservative").local_level == pytest.approx(1 - 0.1 / 7)
    assert cb.exact_net_benefit_difference(y, "all", risk, t, sampling="full").band().how == "Bonferroni"
    both = [cb.significant_ranges(gain, 0.9, simultaneous=flag)["verdict"] for flag in (False, True)]
    assert all("model 2 is better" in set(found) for found in both)
