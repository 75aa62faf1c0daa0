"""The laws of costs: bad input is refused by name, unusual input is understood, and what must not matter does not matter."""

import matplotlib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

matplotlib.use("Agg")
from inputs import BAD  # noqa: E402
from cost_inputs import LEGAL, OPTIONS, SAMPLING, S, W, Y, Z, assert_any_labels, assert_input_kept, assert_legal, assert_same, scored_sets  # noqa: E402

from costboot.data.score_models import Binormal  # noqa: E402
from costboot.laws.cost import exact_cost, exact_cost_difference  # noqa: E402

# name -> (call, name of the first scores in messages)
CALLS = {
    "exact_cost": (lambda y, s, **k: exact_cost(y, s, W, 2.5, **k), "y_score"),
    "exact_cost, full": (lambda y, s, **k: exact_cost(y, s, W, 2.5, sampling="full", **k), "y_score"),
    "exact_cost_difference": (lambda y, s, **k: exact_cost_difference(y, s, s, W, 2.5, 3.5, **k), "y_score_1"),
    "exact_cost_difference, full": (lambda y, s, **k: exact_cost_difference(y, s, s, W, 2.5, 3.5, sampling="full", **k), "y_score_1"),
}


pytestmark = pytest.mark.usefixtures("close_figures")


# --- bad input --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("name", CALLS)
def test_bad_labels_and_scores(name, case):
    (call, score), (y, s, error, message) = CALLS[name], BAD[case]
    with pytest.raises(error) as caught: call(y, s)
    assert message.format(y="y_true", score=score) in str(caught.value)


def test_the_second_scores_are_named_too():
    with pytest.raises(ValueError, match="`y_score_2` must be finite; got nan at position 3"): exact_cost_difference(Y, S, np.where(np.arange(7) == 3, np.nan, S), W, 1, 1)


@pytest.mark.parametrize(("options", "error", "message"), OPTIONS)
def test_bad_options(options, error, message):
    threshold = dict(threshold=2.5), dict(threshold_1=2.5, threshold_2=3.5)
    for call in (lambda: exact_cost(Y, S, **threshold[0], **options), lambda: exact_cost_difference(Y, S, Z, **threshold[1], **options)):
        with pytest.raises(error) as caught: call()
        assert message in str(caught.value)


@pytest.mark.parametrize(("threshold", "error", "message"), [
    (None, TypeError, "must be a number, an array beside `w`, or a callable"), (np.nan, ValueError, "must not hold NaN"), ("high", TypeError, "must hold numbers"),
    ([1, 2], ValueError, "must be one number or have one entry for each of the 3 points; got 2"), ([[1]], ValueError, "must be one-dimensional"), ([], ValueError, "must have at least one entry"),
    (lambda w: w * np.nan, ValueError, "must not hold NaN"), (lambda w: [1, 2], ValueError, "must be one number or have one entry"),
])
def test_bad_thresholds(threshold, error, message):
    for name, call in (("`threshold`", lambda: exact_cost(Y, S, W, threshold)), ("`threshold_1`", lambda: exact_cost_difference(Y, S, Z, W, threshold, 1.0)),
                       ("`threshold_2`", lambda: exact_cost_difference(Y, S, Z, W, 1.0, threshold))):
        with pytest.raises(error) as caught: call()
        assert name in str(caught.value) and message in str(caught.value)


LEVELS = [(0, ValueError), (1, ValueError), (-0.1, ValueError), (90, ValueError), (np.nan, ValueError), ("0.9", TypeError), (None, TypeError), (True, TypeError)]


@pytest.mark.parametrize(("level", "error"), LEVELS)
def test_bad_levels(level, error):
    law = exact_cost_difference(Y, S, Z, W, 2.5, 2.5)
    for call in (lambda: law.interval(level), lambda: law.plot(confidence_level=level), lambda: law.to_frame(level)):
        with pytest.raises(error, match="`confidence_level` must be a number strictly between 0 and 1"): call()


@pytest.mark.parametrize("method", ["bootstrap", None, 1, ["wald"]])
def test_bad_methods(method):
    with pytest.raises(ValueError, match="`method` must be one of"): exact_cost_difference(Y, S, Z, W, 2.5, 2.5).interval(0.9, method)


@pytest.mark.parametrize("rng", [1.5, "seed", -1, np.random.RandomState(0)])
def test_bad_rng(rng):
    with pytest.raises(TypeError, match="`rng` must be None, a whole number or a numpy.random.Generator"): exact_cost(Y, S, W, 2.5).rvs(3, rng=rng)


# --- unusual but legal input ------------------------------------------------------------------------------------------

@pytest.mark.parametrize("case", LEGAL)
@pytest.mark.parametrize("name", CALLS)
def test_legal_input_gives_the_same_answer(name, case): assert_legal(CALLS[name][0], case)


@pytest.mark.parametrize("name", CALLS)
def test_labels_of_any_kind(name): assert_any_labels(CALLS[name][0])


@pytest.mark.parametrize("name", CALLS)
def test_the_input_is_not_changed_and_the_result_is_read_only(name): assert_input_kept(CALLS[name][0])


@pytest.mark.parametrize("sampling", SAMPLING)
def test_thresholds_beyond_all_scores_are_legal(sampling):
    above, below = (exact_cost(Y, S, W, t, sampling=sampling) for t in (np.inf, -np.inf))
    if sampling == "stratified":
        np.testing.assert_allclose([above.mean, below.mean], [W, 1 - W], rtol=1e-15)
        for law in (above, below):
            assert (law.var == 0).all()
            np.testing.assert_allclose(law.interval(0.9, "exact"), [law.mean, law.mean], rtol=1e-14)
            low, high = law.interval(0.9, "agresti")
            assert (low < high).all()
    assert_same(exact_cost(Y, S, W, 99.0, sampling=sampling), above)
    alike = exact_cost_difference(Y, S, Z, W, np.inf, 99.0, sampling=sampling)
    assert (alike.mean == 0).all() and (alike.var == 0).all()


@pytest.mark.parametrize("sampling", SAMPLING)
def test_the_smallest_test_set(sampling):
    law = exact_cost([1, 0], [2.0, 1.0], [0, 0.5, 1], [1.5, 3, 0], sampling=sampling)
    assert (law.var >= 0).all() and np.isfinite(law.interval(0.9, "agresti")).all() and np.isfinite(law.interval(0.9, "exact")).all()


@pytest.mark.parametrize("sampling", SAMPLING)
def test_a_million_instances(sampling):
    y, s = Binormal(1.0).sample(500_000, rng=1)
    law = exact_cost(y, s, [0.01, 0.5], Binormal(1.0).optimal_threshold, sampling=sampling)
    exact, wald = law.interval(0.9, "exact"), law.interval(0.9)
    np.testing.assert_allclose(exact, wald, atol=0.02 * law.std.max())
    assert (law.cdf(exact.low) >= 0.05 - 1e-12).all() and (law.cdf(exact.low - 1e-9) < 0.05).all()


def test_costs_instead_of_w():
    law = exact_cost(Y, S, threshold=2.5, cost_fn=[1, 4], cost_fp=1)
    np.testing.assert_allclose(law.x, [3 / 7, 12 / 16], rtol=1e-14)
    assert_same(law, exact_cost(Y, S, law.x, 2.5))


# --- what must not matter, and what must follow -----------------------------------------------------------------------

def build(case, sampling, **options):
    y, scores, w, thresholds = case
    return (exact_cost if len(scores) == 1 else exact_cost_difference)(y, *scores, w, *thresholds, sampling=sampling, **options)


CASES = st.one_of(scored_sets(1), scored_sets(2))


@settings(max_examples=60, deadline=None)
@given(CASES, st.sampled_from(SAMPLING), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(case, sampling, random):
    y, scores, w, thresholds = case
    order = list(range(y.size))
    random.shuffle(order)
    assert_same(build((y[order], [s[order] for s in scores], w, thresholds), sampling), build(case, sampling))


@settings(max_examples=60, deadline=None)
@given(CASES, st.sampled_from(SAMPLING))
def test_a_doubled_test_set_has_the_same_mean_and_half_the_variance(case, sampling):
    y, scores, w, thresholds = case
    law, doubled = build(case, sampling), build((np.tile(y, 2), [np.tile(s, 2) for s in scores], w, thresholds), sampling)
    np.testing.assert_allclose(doubled.mean, law.mean, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(doubled.var, law.var / 2, rtol=1e-10, atol=1e-15)
    same = build(case, sampling, m=2 * y.size)
    for ours, theirs in zip(same.interval(0.8, "exact"), doubled.interval(0.8, "exact")): np.testing.assert_allclose(ours, theirs, atol=1e-12)


@settings(max_examples=80, deadline=None)
@given(CASES, st.sampled_from(SAMPLING))
def test_swapped_classes_mirror_the_curve(case, sampling):
    "Calling the other class positive and turning the scores round maps w to 1 - w; the border score goes to the other side, so thresholds move past it."
    y, scores, w, thresholds = case
    moved = [np.where(np.isfinite(t), -(t - 0.25), -t) for t in thresholds]  # scores are whole numbers, thresholds multiples of one half
    mirrored = build((1 - y, [-s for s in scores], 1 - w, moved), sampling)
    law = build(case, sampling)
    np.testing.assert_allclose(mirrored.mean, law.mean, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(mirrored.var, law.var, rtol=1e-10, atol=1e-14)
    for ours, theirs in zip(mirrored.interval(0.8, "agresti"), law.interval(0.8, "agresti")): np.testing.assert_allclose(ours, theirs, atol=1e-12)
    q = np.linspace(0.03, 0.97, 9)[:, None]
    np.testing.assert_allclose(mirrored.ppf(q), law.ppf(q), atol=1e-11)


@settings(max_examples=80, deadline=None)
@given(CASES, st.sampled_from(SAMPLING), st.floats(0.001, 0.999))
def test_quantiles_invert_the_distribution_function(case, sampling, q):
    law = build(case, sampling)
    atom = law.ppf(q)
    assert (law.cdf(atom) >= q * (1 - 1e-11)).all()
    assert (law.cdf(atom - 1e-9) < q * (1 + 1e-11)).all()
    for i in range(len(law)): assert np.abs(law.support(i)[0] - atom[i]).min() < 1e-12


@settings(max_examples=80, deadline=None)
@given(CASES, st.sampled_from(SAMPLING))
def test_moments_of_the_atoms_are_the_closed_forms(case, sampling):
    law = build(case, sampling)
    for i in range(len(law)):
        values, probabilities = law.support(i)
        assert (np.diff(values) > 0).all() and (probabilities > 0).all()
        np.testing.assert_allclose([probabilities.sum(), values @ probabilities, (values - law.mean[i]) ** 2 @ probabilities], [1, law.mean[i], law.var[i]], rtol=1e-9, atol=1e-13)
        assert values[0] >= law.limits[0] - 1e-12 and values[-1] <= law.limits[1] + 1e-12


@settings(max_examples=40, deadline=None)
@given(scored_sets(2), st.sampled_from(SAMPLING))
def test_swapped_classifiers_mirror_the_difference(case, sampling):
    y, (s, z), w, (t, u) = case
    forth, back = build((y, [s, z], w, [t, u]), sampling), build((y, [z, s], w, [u, t]), sampling)
    np.testing.assert_allclose([forth.mean, forth.var], [-back.mean, back.var], atol=1e-13)
    single = exact_cost(y, z, w, u, sampling=sampling).mean - exact_cost(y, s, w, t, sampling=sampling).mean
    np.testing.assert_allclose(forth.mean, single, atol=1e-13)
