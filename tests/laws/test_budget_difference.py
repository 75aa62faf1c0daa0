"""Two models at the same budget: every resample, ties broken by lot, large sets, and what is refused."""

import numpy as np
import pytest

import costboot as cb
from costboot.core.enumeration import enumerate_law


def more(k):
    return lambda y, s, z: (y[np.argsort(-z, kind="stable")[:k]].sum() - y[np.argsort(-s, kind="stable")[:k]].sum()) / y.sum()


@pytest.mark.parametrize("seed", range(6))
def test_every_resample(seed):
    rng = np.random.default_rng(seed)
    n_pos, n_neg = rng.integers(1, 5, 2)
    y, n = np.repeat([1, 0], [n_pos, n_neg]), n_pos + n_neg
    s, z = rng.permutation(n).astype(float), rng.permutation(n).astype(float)
    for k in range(1, n + 1):
        law, oracle = cb.exact_rates_at_budget_difference(y, s, z, k / n), enumerate_law(more(k), y, s, z)
        for ours, theirs in zip(law.tpr.support(), oracle.support(0), strict=True): np.testing.assert_allclose(ours, theirs, atol=1e-12)
        np.testing.assert_allclose([law.tpr.mean, law.tpr.var], [oracle.mean[0], oracle.var[0]], atol=1e-12)
        np.testing.assert_allclose([law.fpr.mean * n_neg, law.precision.mean * k], np.array([-1, 1]) * law.tpr.mean * n_pos, atol=1e-12)
        assert law.route == ("exact",)


@pytest.mark.parametrize("seed", range(4))
def test_ties_by_lot_have_the_means_of_the_single_laws(seed):
    rng = np.random.default_rng(seed)
    y, (s, z) = np.array([1, 1, 0, 0, 0]), rng.integers(0, 3, (2, 5)).astype(float)
    law = cb.exact_rates_at_budget_difference(y, s, z, [0.2, 0.4, 0.8])
    for i in range(3):
        values, chances = law.tpr.support(i)
        assert chances.sum() == pytest.approx(1, abs=1e-12) and values @ chances == pytest.approx(law.tpr.mean[i], abs=1e-9)
    same = cb.exact_rates_at_budget_difference(y, s, s, 0.4).tpr.support()[1]
    np.testing.assert_allclose(same, same[::-1], atol=1e-12)


def test_large_sets_against_resamples():
    y, s, z = cb.BinormalPair(cb.Binormal(1.0), cb.Binormal(1.8), correlation=0.5).sample(40, 120, rng=1)
    law, rng, k, found = cb.exact_rates_at_budget_difference(y, s, z, 0.25), np.random.default_rng(2), 40, []
    for _ in range(2000):
        i = np.concatenate([rng.integers(0, 40, 40), rng.integers(40, 160, 120)])
        found.append(more(k)(y[i], s[i], z[i]))
    assert y[:40].all() and law.route == ("drawn",)
    assert abs(np.mean(found) - law.tpr.mean) < 5 * law.tpr.std / np.sqrt(2000) and 0.94 < law.tpr.std / np.std(found) < 1.06
    grid = np.linspace(-0.3, 0.5, 33) + 1e-9
    assert abs(law.tpr.cdf(grid) - np.mean(np.array(found)[:, None] <= grid, axis=0)).max() < 0.07


def test_draws_agree_with_the_list(monkeypatch):
    "With and without ties: the same sets by both routes."
    from costboot.laws import budget_difference
    rng = np.random.default_rng(3)
    y = np.array([1, 1, 1, 0, 0, 0])
    for s, z in ((rng.permutation(6), rng.permutation(6)), *rng.integers(0, 3, (3, 2, 6)), ([1] * 6, [3, 2, 2, 2, 1, 0])):
        listed = cb.exact_rates_at_budget_difference(y, s, z, [1 / 6, 0.5, 1.0])
        with monkeypatch.context() as patch:
            patch.setattr(budget_difference, "MOST_LISTED", 0)
            drawn = cb.exact_rates_at_budget_difference(y, s, z, [1 / 6, 0.5, 1.0])
        assert set(listed.route) == {"exact"} and set(drawn.route) == {"drawn"}
        np.testing.assert_allclose(drawn.tpr.mean, listed.tpr.mean, atol=1e-12)
        grid = np.arange(-3, 4) / 3 + 1e-9
        for i in range(3): assert abs(drawn.tpr[i].cdf(grid) - listed.tpr[i].cdf(grid)).max() < 4 * 0.5 / np.sqrt(4096)


def test_models_that_treat_the_same_people():
    "To first order nothing differs, but the resamples do."
    y, s, z = cb.BinormalPair(cb.Binormal(1.5), cb.Binormal(2.0, loc_neg=-1.5), correlation=0.7).sample(20, 20, rng=1)
    law, rng, found = cb.exact_rates_at_budget_difference(y, s, z, 0.2), np.random.default_rng(5), []
    for _ in range(2000):
        i = np.concatenate([rng.integers(0, 20, 20), rng.integers(20, 40, 20)])
        found.append(more(8)(y[i], s[i], z[i]))
    assert np.std(found) > 0 and law.tpr.std == pytest.approx(np.std(found), rel=0.1)


def test_tables_parts_pictures_and_p_values():
    y, s, z = cb.BinormalPair(cb.Binormal(1.0), cb.Binormal(3.0), correlation=0.5).sample(30, 60, rng=1)
    law = cb.exact_rates_at_budget_difference(y, s, z, [0.1, 0.3, 1.0])
    frame = law.to_frame()
    assert list(frame["treated"]) == [9, 27, 90] and law.tpr.mean[2] == pytest.approx(0, abs=1e-12) and len(law[:2]) == 2
    for i in range(3):
        low, high = law[i].tpr.interval()
        assert low <= law[i].tpr.mean <= high and law[i].treated == law.treated[i]
    p = law.tpr.p_value()
    low, high = law.tpr.interval(0.9)
    assert ((p < 0.1) == ((low > 0) | (high < 0))).all() and law.plot().get_ylabel() == "TPR 2 - TPR 1"
    swapped = cb.exact_rates_at_budget_difference(y, z, s, [0.1, 0.3, 1.0])
    np.testing.assert_allclose([swapped.tpr.mean, swapped.tpr.var], [-law.tpr.mean, law.tpr.var], atol=1e-12)
    same = cb.exact_rates_at_budget_difference(y, s, s, 0.3).tpr
    assert same.mean == 0 and same.var == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("scores, budget, message", [([1, 2], 0.5, "`y_score_2` must have as many"), ([1, 2, 0], 0.01, "`budget` must allow"),
                                                     ([1, 2, 0], 1.5, "`budget` must lie in"), ([1, 2, np.nan], 0.5, "`y_score_2` must")])
def test_what_is_refused(scores, budget, message):
    with pytest.raises(ValueError, match=message): cb.exact_rates_at_budget_difference([1, 0, 0], [1, 2, 3], scores, budget)


def test_a_list_that_would_not_fit_is_refused_at_once():
    with pytest.raises(ValueError, match="`budget` times `m` must be at most 10,000,000 treated instances.*got 36,000,000"):
        cb.exact_rates_at_budget_difference([1, 1, 0, 0], [1, 2, 3, 0], [1, 2, 0, 3], 0.9, m=40_000_000)
