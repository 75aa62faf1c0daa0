"""What must hold for every law on every test set: hypothesis looks for one where it does not.

Test sets are small and full of ties. Each kind of law is one entry of `KINDS`: a function of labels and two models' scores (and of the resample
size and the thresholds) that returns laws with one or more points.
"""

import pytest

pytest.importorskip("hypothesis")
import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

import costboot as cb

W = np.array([0.0, 0.2, 0.5, 0.9, 1.0])
T, U = np.array([0.0, 1.0, 2.0, 3.0, 9.0]), np.array([2.0, 2.0, 1.0, 4.0, 0.0])
few = settings(max_examples=25, deadline=None)


def cost(sampling):
    return lambda y, s, z, m=None, t=T, u=U: [cb.exact_cost(y, s, W, t, sampling=sampling, m=m)]


def cost_difference(sampling):
    return lambda y, s, z, m=None, t=T, u=U: [cb.exact_cost_difference(y, s, z, W, t, u, sampling=sampling, m=m)]


def roc(y, s, z, m=None, t=T, u=U):
    law = cb.exact_roc(y, s, t, m=m)
    return [law.fpr, law.tpr]


def roc_difference(y, s, z, m=None, t=T, u=U):
    law = cb.exact_roc_difference(y, s, z, t, u, m=m)
    return [law.fpr, law.tpr]


def negatives(y, m): return int(np.sum(np.asarray(y) == 0)) if m is None else m * int(np.sum(np.asarray(y) == 0)) // len(y)


def vertical(y, s, z, m=None, t=T, u=U):
    size = negatives(y, m)
    return [cb.exact_tpr(y, s, np.arange(1, size) / size, m=m)]


def vertical_difference(y, s, z, m=None, t=T, u=U):
    size = negatives(y, m)
    return [cb.exact_tpr_difference(y, s, z, np.arange(1, size) / size, m=m, n_jobs=1, progress=False)]


def budget(y, s, z, m=None, t=T, u=U):
    law = cb.exact_rates_at_budget(y, s, [0.3, 0.6], m=m)
    return [law.tpr, law.fpr, law.precision]


PRICE = dict(prevalence=0.25, cost_fn=1.2, cost_fp=0.9)


def expense(y, s, z, m=None, t=T, u=U): return [cb.exact_expense(y, s, t, m=m, **PRICE)]


def expense_difference(y, s, z, m=None, t=T, u=U): return [cb.laws.exact_expense_difference(y, s, z, t, u, m=m, **PRICE)]


KINDS = {"cost": cost("stratified"), "cost, full": cost("full"), "cost difference": cost_difference("stratified"),
         "cost difference, full": cost_difference("full"), "roc": roc, "roc difference": roc_difference, "vertical": vertical,
         "vertical difference": vertical_difference, "budget": budget, "expense": expense, "expense difference": expense_difference}
DIFFERENCES = "cost difference", "cost difference, full", "roc difference", "vertical difference", "expense difference"
each_kind = pytest.mark.parametrize("kind", KINDS)


@st.composite
def test_sets(draw, most=7):
    "Labels and two models' scores, positives and negatives mixed, at least two of each, five different scores."
    n_pos, n_neg = draw(st.integers(2, most)), draw(st.integers(2, most))
    order = np.random.default_rng(draw(st.integers(0, 99))).permutation(n_pos + n_neg)
    column = st.lists(st.integers(0, 4), min_size=n_pos + n_neg, max_size=n_pos + n_neg)
    return np.repeat([1, 0], [n_pos, n_neg])[order], np.array(draw(column), float), np.array(draw(column), float)


test_sets.__test__ = False
PAIR_OF_TIES = np.array([1, 0, 1, 0]), np.array([0.0, 0.0, 2.0, 1.0]), np.array([1.0, 3.0, 1.0, 0.0])


def same(laws, others, rtol=1e-9):
    "Two lists of laws agree in moments and distribution."
    for law, other in zip(laws, others, strict=True):
        np.testing.assert_allclose([law.mean, law.var], [other.mean, other.var], rtol=rtol, atol=1e-12)
        q = np.array([[0.01], [0.05], [0.31], [0.5], [0.77], [0.95], [0.99]])
        atoms = np.concatenate([law.ppf(q), other.ppf(q)])
        np.testing.assert_allclose(law.cdf(atoms), other.cdf(atoms), rtol=rtol, atol=1e-11)


def mirrored(law, other):
    "`other` is the law of one minus (or minus) the variable of `law`, the points in the same order."
    total = sum(law.limits)
    for i in range(len(law)):
        (v, p), (u, r) = law.support(i), other.support(i)
        p, v, r, u = p[p > 1e-14], v[p > 1e-14], r[r > 1e-14], u[r > 1e-14]
        np.testing.assert_allclose(u, total - v[::-1], rtol=0, atol=1e-11)
        np.testing.assert_allclose(r, p[::-1], rtol=1e-8, atol=1e-13)


@each_kind
@few
@given(test_sets())
def test_support_gives_the_closed_forms(kind, data):
    for law in KINDS[kind](*data):
        for i in range(len(law)):
            values, probabilities = law.support(i)
            assert (np.diff(values) > 0).all() and (probabilities > 0).all()
            np.testing.assert_allclose(probabilities.sum(), 1, rtol=1e-10)
            np.testing.assert_allclose(values @ probabilities, law.mean[i], rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose((values - law.mean[i]) ** 2 @ probabilities, law.var[i], rtol=1e-7, atol=1e-12)


@each_kind
@few
@given(test_sets(), st.floats(0, 1))
@example(PAIR_OF_TIES, 8e-35)
def test_quantiles_invert_the_distribution_function(kind, data, q):
    "Every level counts, the smallest too: what is asked of probabilities is asked of them as shares."
    for law in KINDS[kind](*data):
        atom = law.ppf(q)
        reached = law.cdf(atom)
        assert (reached >= q * (1 - 1e-10)).all()
        assert (law.cdf(atom - 1e-7) <= q * (1 + 1e-10) + 1e-15).all()
        again = law.ppf(reached)  # an atom below may do, where this one has next to no probability of its own
        assert (again <= atom + 1e-11).all() and (law.cdf(again) >= reached * (1 - 1e-10)).all()
        assert (law.cdf(law.limits[0] - 1) == 0).all()
        np.testing.assert_allclose(law.cdf(law.limits[1] + 1), 1, rtol=1e-10)


@each_kind
@few
@given(test_sets())
def test_exact_limits_hold_the_level(kind, data):
    for law in KINDS[kind](*data):
        low, high = law.interval(0.8, "exact")
        assert (low <= high).all()
        assert (law.cdf(high) - law.cdf(low - 1e-9) >= 0.8 - 1e-9).all()
        assert (law.limits[0] <= low).all() and (high <= law.limits[1]).all()


@each_kind
@few
@given(test_sets(), st.integers(0, 9))
def test_order_of_the_rows_is_irrelevant(kind, data, seed):
    order = np.random.default_rng(seed).permutation(len(data[0]))
    same(KINDS[kind](*data), KINDS[kind](*(column[order] for column in data)))


@each_kind
@few
@given(test_sets(most=4))
def test_duplicates_change_nothing_at_the_same_resample_size(kind, data):
    "A test set of pairs of twins is the same population; only the resample size may tell them apart."
    n = len(data[0])
    same(KINDS[kind](*data, m=n), KINDS[kind](*(np.repeat(column, 2) for column in data), m=n), rtol=1e-8)


@pytest.mark.parametrize("kind", [k for k in KINDS if "vertical" not in k and k != "budget"])
@few
@given(test_sets())
def test_duplicates_leave_the_mean_and_halve_the_variance(kind, data):
    for law, other in zip(KINDS[kind](*data), KINDS[kind](*(np.tile(column, 2) for column in data))):
        np.testing.assert_allclose(other.mean, law.mean, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(other.var, law.var / 2, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("kind", DIFFERENCES)
@few
@given(test_sets())
def test_swapping_the_models_changes_the_sign(kind, data):
    y, s, z = data
    for law, other in zip(KINDS[kind](y, s, z), KINDS[kind](y, z, s, t=U, u=T)): mirrored(law, other)


@few
@given(test_sets(), st.sampled_from(["stratified", "full"]))
def test_relabelled_classes_and_flipped_scores_cost_the_same(data, sampling):
    "Every false positive becomes a false negative; a score is at least t exactly when its negative is not above -t."
    y, s, z = data
    t, u = np.nextafter(-T, np.inf), np.nextafter(-U, np.inf)
    same([cb.exact_cost(y, s, W, T, sampling=sampling)], [cb.exact_cost(1 - y, -s, 1 - W, t, sampling=sampling)])
    same([cb.exact_cost_difference(y, s, z, W, T, U, sampling=sampling)], [cb.exact_cost_difference(1 - y, -s, -z, 1 - W, t, u, sampling=sampling)])


@few
@given(test_sets())
def test_relabelled_classes_and_flipped_scores_mirror_the_roc_point(data):
    y, s, z = data
    law, other = cb.exact_roc(y, s, T), cb.exact_roc(1 - y, -s, np.nextafter(-T, np.inf))
    mirrored(law.fpr, other.tpr)
    mirrored(law.tpr, other.fpr)
    pair, twin = cb.exact_roc_difference(y, s, z, T, U), cb.exact_roc_difference(1 - y, -s, -z, np.nextafter(-T, np.inf), np.nextafter(-U, np.inf))
    mirrored(pair.fpr, twin.tpr)
    mirrored(pair.tpr, twin.fpr)
    np.testing.assert_allclose(pair.dominance(), twin.dominance(), rtol=1e-9, atol=1e-12)


@few
@given(test_sets(), st.sampled_from([0.2, 0.4, 0.5]))
def test_relabelled_classes_and_flipped_scores_mirror_a_budget(data, share):
    "Treating the best share of one class is leaving the rest of the other."
    y, s, _ = data
    k = max(1, min(len(y) - 1, round(share * len(y))))
    law, other = cb.exact_rates_at_budget(y, s, [k / len(y)]), cb.exact_rates_at_budget(1 - y, -s, [1 - k / len(y)])
    mirrored(law.fpr, other.tpr)
    mirrored(law.tpr, other.fpr)


@few
@given(test_sets())
def test_areas(data):
    y, s, z = data
    law, flipped = cb.exact_auc(y, s), cb.exact_auc(1 - y, -s)
    order = np.random.default_rng(0).permutation(y.size)
    for other in (flipped, cb.exact_auc(y[order], s[order]), cb.exact_auc(y, np.exp(s)), cb.exact_auc(np.tile(y, 2), np.tile(s, 2), m=y.size)):
        np.testing.assert_allclose([other.mean, other.var], [law.mean, law.var], rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(cb.exact_auc(y, -s).mean, 1 - law.mean, rtol=1e-12, atol=1e-14)
    one, two = cb.exact_auc_difference(y, s, z), cb.exact_auc_difference(y, z, s)
    np.testing.assert_allclose([two.mean, two.var], [-one.mean, one.var], rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(cb.exact_auc_difference(y, s, s).var, 0, atol=1e-14)


@each_kind
@few
@given(test_sets())
def test_only_the_order_of_the_scores_matters(kind, data):
    "A rising transformation of scores and thresholds alike."
    y, s, z = data
    same(KINDS[kind](y, s, z), KINDS[kind](y, np.expm1(s), np.expm1(z), t=np.expm1(T), u=np.expm1(U)))


def counted(y, s, z, kind):
    "A statistic of one resample, straight from its definition."
    (p, n), (q, o) = ((a[y == 1], a[y == 0]) for a in (s, z))
    def rates(scores, t): return np.mean(scores[:, None] >= t, axis=0)
    def on_curve(pos, neg):  # the trapezoidal curve at the multiples of 1/m- but 1
        rank = np.arange(1, neg.size)
        t = np.sort(neg)[::-1][: neg.size - 1]
        ahead, level = np.sum(neg[:, None] > t, axis=0), np.sum(neg[:, None] == t, axis=0)
        return np.mean(pos[:, None] > t, axis=0) + (rank - ahead) / level * np.mean(pos[:, None] == t, axis=0)
    if kind == "cost": return W * (1 - rates(p, T)) + (1 - W) * rates(n, T)
    if kind == "cost difference": return W * (rates(p, T) - rates(q, U)) + (1 - W) * (rates(o, U) - rates(n, T))
    if kind == "roc": return np.concatenate([rates(n, T), rates(p, T)])
    if kind == "roc difference": return np.concatenate([rates(o, U) - rates(n, T), rates(q, U) - rates(p, T)])
    if kind == "vertical": return on_curve(p, n)
    return on_curve(q, o) - on_curve(p, n)


@pytest.mark.parametrize("kind", ["cost", "cost difference", "roc", "roc difference", "vertical", "vertical difference"])
@settings(max_examples=12, deadline=None)
@given(test_sets(most=4))
def test_ties_and_all_against_the_list_of_every_resample(kind, data):
    oracle, at = cb.enumerate_law(lambda *resample: counted(*resample, kind), *data), 0
    for law in KINDS[kind](*data):
        points = slice(at, at + len(law))
        np.testing.assert_allclose([law.mean, law.var], [oracle.mean[points], oracle.var[points]], rtol=1e-9, atol=1e-13)
        for i in range(len(law)):
            values, probabilities = oracle.support(at + i)
            np.testing.assert_allclose(law.cdf(values[:, None] + 1e-9)[:, i], np.cumsum(probabilities), rtol=1e-9, atol=1e-12)
        at += len(law)
    assert at == len(oracle)
