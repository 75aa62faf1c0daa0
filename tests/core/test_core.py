"""Checks of input, the laws' common behaviour and the building blocks."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from inputs import BAD
from scipy import stats

import costboot as cb
from costboot.core import checks

Y = np.array([1, 0, 1, 0, 1, 0])
S = np.array([0.9, 0.1, 0.6, 0.6, 0.3, 0.2])


def error_rate(y, s): return np.mean((s >= 0.5) != (y == 1))


CALLS = {
    "enumerate_law": lambda y, s: cb.enumerate_law(error_rate, y, s),
    "exact_cost": lambda y, s: cb.exact_cost(y, s, [0.5], 0.5),
    "exact_cost full": lambda y, s: cb.exact_cost(y, s, [0.5], 0.5, sampling="full"),
    "exact_cost_difference": lambda y, s: cb.exact_cost_difference(y, s, s, [0.5], 0.5, 0.5),
    "compare": lambda y, s: cb.compare(y, {"a": s, "b": s}, {"a": 0.5, "b": 0.5}, w=[0.5]),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named(call, case):
    y, s, error, message = BAD[case]
    rule = message.split("` ", 1)[-1].split("`")[0]  # the argument has another name in each function
    with pytest.raises(error, match=rule): CALLS[call](y, s)


@pytest.mark.parametrize("call", CALLS)
def test_what_can_be_understood_is(call):
    first = CALLS[call](Y, S)
    shuffled = pd.Series(Y, index=[5, 3, 1, 0, 2, 4]), pd.Series(S, index=[5, 3, 1, 0, 2, 4])
    renumbered = pd.Series(Y, index=[15, 3, 1, 0, 2, 4]), pd.Series(S, index=[1, 0, 5, 4, 3, 2])  # other labels: by position
    frozen = Y.copy(), S.copy()
    for array in frozen: array.flags.writeable = False
    for y, s in (shuffled, renumbered, frozen, (Y, S[:, None]), (list(Y), list(S)), (Y.astype(bool), S.astype(np.float32)), (np.ma.array(Y), np.ma.array(S))):
        again = CALLS[call](y, s)
        law, same = (r.cost["a"] if call == "compare" else r for r in (first, again))
        np.testing.assert_allclose(same.mean, law.mean, rtol=1e-6)


@pytest.mark.parametrize("level", [0, 1, -0.1, 1.5, 95, np.nan, "0.9", None, True, [0.9]])
def test_levels(level):
    law = cb.exact_cost(Y, S, [0.5], 0.5)
    with pytest.raises((ValueError, TypeError), match="confidence_level"): law.interval(level)


def test_percentages_are_recognised():
    with pytest.raises(ValueError, match="did you mean 0.95"): cb.exact_cost(Y, S, [0.5], 0.5).interval(95)


@pytest.mark.parametrize("threshold", [np.inf, -np.inf, 1e300, -1e300])
def test_thresholds_beyond_all_scores_are_legal(threshold):
    for sampling in ("stratified", "full"):
        law = cb.exact_cost(Y, S, [0.0, 0.5, 1.0], threshold, sampling=sampling)
        for method in ("wald", "agresti", "exact", "empirical"):
            low, high = law.interval(0.9, method, rng=0)
            assert (0 <= low).all() and (low <= high).all() and (high <= 1).all()


@pytest.mark.parametrize("rng", ["seed", 1.5, -1, np.random.RandomState(0)])
def test_random_state(rng):
    with pytest.raises(TypeError, match="rng"): cb.exact_cost(Y, S, [0.5], 0.5).rvs(3, rng)


def test_nothing_is_drawn_from_the_global_generator():
    before = np.random.get_state()[1].copy()
    cb.exact_cost(Y, S, [0.5], 0.5).interval(0.9, "empirical", rng=1)
    np.testing.assert_array_equal(before, np.random.get_state()[1])


def test_laws_cannot_be_changed():
    law = cb.exact_cost(Y, S, [0.5], 0.5)
    with pytest.raises(AttributeError): law.x = np.array([0.1])
    with pytest.raises(ValueError): law.x[0] = 0.1
    with pytest.raises(ValueError): law.law_1.count[0] = 7


def test_the_users_arrays_are_left_alone():
    w = np.array([0.2, 0.5])
    law = cb.exact_cost(Y, S, w, 0.5)
    w[0] = 0.9
    assert law.x[0] == 0.2


def test_plots_draw_and_show_nothing():
    import matplotlib.pyplot as plt
    law = cb.exact_cost(Y, S, [0.2, 0.5, 0.8], 0.5)
    _, ax = plt.subplots()
    assert law.plot(ax, 0.9, "agresti", label="model") is ax
    np.testing.assert_allclose(ax.lines[0].get_ydata(), law.mean)
    assert "agresti" in ax.get_legend_handles_labels()[1][1]
    plt.close("all")


def test_resample_sizes_that_do_not_fit():
    with pytest.raises(ValueError, match="nearest that would do is 6"): cb.exact_cost(Y[:3], S[:3], [0.5], 0.5, m=5)


def test_too_large_to_enumerate():
    with pytest.raises(ValueError, match="tiny"): cb.enumerate_law(error_rate, np.tile([0, 1], 20), np.arange(40.0))


def test_agresti_needs_counts():
    law = cb.core.DiscreteLaw(x=[0], values=([0.0, 1.0],), probabilities=([0.5, 0.5],))
    with pytest.raises(ValueError, match="pseudo-instances"): law.interval(0.9, "agresti")


@pytest.mark.parametrize("counts", [dict(count=[4]), dict(count=[-1]), dict(count=[1.5]), dict(count=["a"])])
def test_impossible_counts(counts):
    with pytest.raises((ValueError, TypeError), match="count"): cb.core.BinomialProportion(x=[0], n=3, m=3, **counts)


def test_weights_of_mixtures():
    components = cb.core.BinomialProportion(x=[0, 1], count=[1, 2], n=3, m=3)
    with pytest.raises(ValueError, match="shape"): cb.core.Mixture(x=[0], components=components, weights=[[1.0]])
    with pytest.raises(ValueError, match="sum to 1"): cb.core.Mixture(x=[0], components=components, weights=[[0.5, 0.6]])


whole = st.integers(1, 60)


@st.composite
def lattice_laws(draw):
    n, m = draw(whole), draw(whole)
    c1 = draw(st.integers(0, n))
    c2 = draw(st.integers(0, n - c1))
    if draw(st.booleans()): return cb.core.BinomialProportion(x=[0], count=[c1], n=n, m=m)
    return cb.core.TrinomialDifference(x=[0], count_1=[c1], count_2=[c2], n=n, m=m)


@st.composite
def sums(draw):
    weight = st.floats(-2, 2, allow_nan=False).map(lambda v: round(v, 3))
    return cb.core.WeightedSum(x=[0], law_1=draw(lattice_laws()), law_2=draw(lattice_laws()), weight_1=[draw(weight)], weight_2=[draw(weight)], limits=(-4, 4))


@settings(max_examples=150, deadline=None)
@example(cb.core.TrinomialDifference(x=[0], count_1=[0], count_2=[1], n=6, m=21), 2.0**-52)  # less than q lies on the smallest atom
@given(st.one_of(lattice_laws(), sums()), st.floats(0, 1))
def test_support_moments_and_quantiles_agree(law, q):
    values, probabilities = law.support(0)
    assert (np.diff(values) > 0).all()
    np.testing.assert_allclose(probabilities.sum(), 1, rtol=1e-12)
    np.testing.assert_allclose(values @ probabilities, law.mean[0], rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose((values - law.mean[0]) ** 2 @ probabilities, law.var[0], rtol=1e-9, atol=1e-14)
    atom = law.ppf(q)[0]
    if 1e-15 < q < 1: assert np.min(abs(values - atom)) < 1e-11
    elif q == 1: assert atom >= values[-1] - 1e-11  # the largest value of all, however improbable
    elif q == 0: assert atom <= values[0] + 1e-11  # the smallest, likewise
    else: assert atom <= values[0] + 1e-11 or np.min(abs(values - atom)) < 1e-11  # a listed atom, or one that the window left out
    assert law.cdf(atom)[0] >= q - 1e-11
    assert law.cdf(atom - 1e-9)[0] <= q + 1e-11
    np.testing.assert_allclose(law.cdf(values[-1] + 1)[0], 1, rtol=1e-12)
    assert law.cdf(values[0] - 1e-6)[0] < 1e-17  # what a window may leave out


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 10**6), st.integers(1, 10**6), st.floats(0, 1), st.floats(1e-6, 1 - 1e-6))
def test_binomials_of_any_size(n, m, share, q):
    count = round(share * n)
    law = cb.core.BinomialProportion(x=[0], count=[count], n=n, m=m)
    first, pmf = law.window(0)
    np.testing.assert_allclose(pmf.sum(), 1, rtol=1e-12)
    k = law.ppf(q)[0] * m
    reference = stats.binom(m, count / n) if 2 * count <= n else None
    if reference is not None: assert abs(k - reference.ppf(q)) <= 1
    assert law.cdf(law.ppf(q))[0] >= q * (1 - 1e-9)


def test_common_checks_name_their_argument():
    for check, value, words in ((checks.check_choice, "x", "`method`"), (checks.check_count, 0, "`method`"), (checks.check_positive, -1, "`method`"),
                                (checks.check_vector, [np.nan], "`method`"), (checks.check_fractions, [2], "`method`")):
        arguments = (value, "method", ("a",)) if check is checks.check_choice else (value, "method")
        with pytest.raises((ValueError, TypeError), match=words): check(*arguments)


def test_atoms_of_a_difference_of_one_long_law_and_a_constant():
    "More atoms than are listed for a distribution function, but few enough for a list of the atoms."
    half, constant = (cb.core.BinomialProportion(x=[0], count=[count], n=n, m=n) for count, n in ((2000, 4000), (0, 10)))
    long = cb.core.WeightedSum(x=[0], law_1=half, law_2=half, weight_1=[0.6180339], weight_2=[0.3819661])
    values, probabilities = cb.independent_difference(long, constant).support(0)
    assert len(values) > 200_000
    np.testing.assert_allclose([probabilities.sum(), values @ probabilities], [1, -long.mean[0]], rtol=1e-9)
