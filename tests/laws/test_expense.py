"""The expense: costs in the user's currency, differences, and the honest expense of a chosen threshold."""

import numpy as np
import pytest

import costboot as cb

PRICE = dict(prevalence=0.02, cost_fn=300, cost_fp=7, cases=1500)
MOST = 1500 * (0.02 * 300 + 0.98 * 7)
W = 0.02 * 300 / (0.02 * 300 + 0.98 * 7)


def scored(n_pos=40, n_neg=90, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([1, 0], [n_pos, n_neg]))
    s = rng.normal(size=y.size) + 1.5 * y
    return y, s.round(1), (s + 0.5 * rng.normal(size=y.size)).round(1)


@pytest.mark.parametrize("method", ["recommended", "conservative", "exact", "wald", "agresti"])
def test_an_expense_is_a_cost_in_other_units(method):
    y, s, z = scored()
    t, u = np.array([-1.0, 0.5, 0.8, 3.0]), np.array([0.0, 0.5, 1.0, 2.0])
    bill, cost = cb.exact_expense(y, s, t, **PRICE), cb.exact_cost(y, s, np.full(4, W), t)
    saved, change = cb.laws.exact_expense_difference(y, s, z, t, u, **PRICE), cb.exact_cost_difference(y, s, z, np.full(4, W), t, u)
    for one, two in ((bill, cost), (saved, change)):
        np.testing.assert_allclose([one.mean, one.std], [MOST * two.mean, MOST * two.std], rtol=1e-12, atol=1e-9)
        np.testing.assert_allclose(one.interval(0.9, method), MOST * np.array(two.interval(0.9, method)), rtol=1e-6, atol=1e-6)
    assert bill.limits == (0.0, pytest.approx(MOST)) and saved.limits == (pytest.approx(-MOST), pytest.approx(MOST))


def test_the_share_of_positives_of_the_test_set_does_not_matter():
    y, s, _ = scored()
    copies = np.repeat(np.arange(y.size), np.where(y == 1, 3, 1))  # three copies of each positive
    assert cb.exact_expense(y[copies], s[copies], 0.8, **PRICE).mean == pytest.approx(cb.exact_expense(y, s, 0.8, **PRICE).mean)


def test_numbers_and_arrays():
    y, s, z = scored()
    bill = cb.exact_expense(y, s, 0.8, **PRICE)
    assert np.ndim(bill.mean) == 0 and bill.x == 0.8 and "1,500 cases" in repr(cb.exact_expense(y, s, [0.8], **PRICE))
    assert np.ndim(cb.laws.exact_expense_difference(y, s, z, 0.8, 0.7, **PRICE).mean) == 0
    assert cb.laws.exact_expense_difference(y, s, z, [0.8, 0.9], 0.7, **PRICE).threshold_2.tolist() == [0.7, 0.7]
    assert cb.exact_expense(y, s, [np.inf, -np.inf], **PRICE).mean == pytest.approx([1500 * 6, 1500 * 0.98 * 7])
    turned = cb.exact_expense(np.where(y == 1, "ill", "well"), s, 0.8, pos_label="ill", **PRICE)
    assert turned.mean == bill.mean


def test_an_honest_expense_is_that_of_the_cross_fitted_cost():
    y, s, z = scored()
    crossed = cb.cross_fit(y, s, z, rng=2)
    for k, scores in enumerate((s, z)):
        honest, cost = crossed.expense(model=k, **PRICE), crossed.cost(W, k)
        assert honest.x == cb.optimal_thresholds(y, scores)(W) == cost.threshold
        np.testing.assert_allclose(honest.interval(0.9), MOST * np.array(cost.interval(0.9)), rtol=1e-6)


@pytest.mark.parametrize("change, message", [
    (dict(prevalence=2), "`prevalence` must lie in"), (dict(cost_fn=-1), "`cost_fn` must not be negative"), (dict(cost_fn=0, cost_fp=0), "must not both be 0"),
    (dict(cases=0), "`cases` must be above 0; got 0"), (dict(cases=-3), "`cases` must be a finite number, at least 0"), (dict(cost_fp=[1, 2]), "must be numbers here"),
])
def test_bad_prices(change, message):
    y, s, z = scored()
    for call in (lambda p: cb.exact_expense(y, s, 0.5, **p), lambda p: cb.laws.exact_expense_difference(y, s, z, 0.5, 0.5, **p)):
        with pytest.raises(ValueError, match=message): call(PRICE | change)


@pytest.mark.parametrize("sampling", ["stratified", "full"])
def test_a_cost_from_prices_says_which_share_it_used(sampling):
    y, s, z = scored()
    said = "at the test set's 30.8 % positives"
    assert said in repr(cb.exact_cost(y, s, threshold=[0.5], cost_fn=[3], cost_fp=[1], sampling=sampling))
    assert said in repr(cb.exact_cost_difference(y, s, z, threshold_1=[0.5], threshold_2=[0.5], cost_fn=[3], cost_fp=[1], sampling=sampling))
    assert "positives" not in repr(cb.exact_cost(y, s, [0.3], 0.5, sampling=sampling))
