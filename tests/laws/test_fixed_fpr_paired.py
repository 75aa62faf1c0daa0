"""The paired vertical law: bad input, invariances, big and odd sizes, threads, interrupts."""

import itertools
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from costboot.core.enumeration import _multisets, enumerate_law
from costboot.data.score_models import Binormal, BinormalPair
from costboot.laws.fixed_fpr import exact_tpr
from costboot.laws.fixed_fpr_paired import (
    VerticalDifferenceLaw, _gaussian_joint, exact_tpr_difference, explore_tpr_difference,
    fig_tpr_difference, resampled_tpr_difference,
)

PAIR = BinormalPair(Binormal(2.0, 3.75, 3.0), Binormal(1.5, 3.75, 3.0), correlation=0.6)


def literal(y, s_1, s_2, r):
    "The paper's rule for one resample, second minus first."
    tpr = [np.mean(s[y == 1, None] >= np.sort(s[y == 0])[::-1][np.asarray(r) - 1], axis=0) for s in (s_1, s_2)]
    return tpr[1] - tpr[0]


def trapezoid(y, s, rates):
    "Heights of the trapezoidal curve of one resample: corners, and straight lines between them."
    cuts = np.unique(s)[::-1]
    fpr, tpr = (np.append(0, np.mean(s[y == label] >= cuts[:, None], axis=1)) for label in (0, 1))
    right = np.searchsorted(fpr, np.asarray(rates) - 1e-12)
    share = (rates - fpr[right - 1]) / (fpr[right] - fpr[right - 1])
    return tpr[right - 1] + share * (tpr[right] - tpr[right - 1])


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_law_is_enumeration(data):
    "Small test sets with many ties, any sizes: probabilities to 1e-12."
    n_pos, n_neg = data.draw(st.integers(1, 3)), data.draw(st.integers(2, 5))
    scores = st.lists(st.integers(0, 4), min_size=n_pos + n_neg, max_size=n_pos + n_neg)
    y = np.repeat([1, 0], [n_pos, n_neg])
    s_1, s_2 = np.array(data.draw(scores), float), np.array(data.draw(scores), float)
    r = np.arange(1, n_neg)
    v, rates = np.linspace(-1, 1, 4 * n_pos + 1)[:, None], np.append(r / n_neg, 0.43)
    paper, law = exact_tpr_difference(y, s_1, s_2, r / n_neg, ties="paper"), exact_tpr_difference(y, s_1, s_2, rates)
    assert law.joint == "exact"
    for law, statistic in ((paper, lambda y, s, z: literal(y, s, z, r)), (law, lambda y, s, z: trapezoid(y, z, rates) - trapezoid(y, s, rates))):
        oracle = enumerate_law(statistic, y, s_1, s_2)
        np.testing.assert_allclose(law.cdf(v), oracle.cdf(v), rtol=0, atol=1e-12)
        np.testing.assert_allclose([law.mean, law.var], [oracle.mean, oracle.var], rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", ["both", "one", "few"])
def test_drawn_slopes(kind):
    "Slopes on more than a handful of instances: exact means, the literal resamples' spread, the same numbers each time."
    y, s_1, s_2 = PAIR.sample(70, 90, rng=9)
    if kind != "few": s_1 = np.clip(np.round(s_1 / 3), -2, 2)
    s_2 = np.clip(np.round(s_2 / 3), -2, 2) if kind == "both" else np.round(s_2, 1)
    law, rates = exact_tpr_difference(y, s_1, s_2, [0.07, 0.4]), np.array([0.07, 0.4])
    singles = [exact_tpr(y, s, rates) for s in (s_1, s_2)]
    assert law.joint == "drawn" and law.drawn.any()
    np.testing.assert_allclose(law.mean, singles[1].mean - singles[0].mean, rtol=0, atol=1e-13)
    draws = resampled_tpr_difference(y, s_1, s_2, rates, n_resamples=4000, rng=3)
    assert (np.abs(draws.mean(axis=0) - law.mean) < 4.5 * law.std / np.sqrt(4000)).all()
    assert (np.abs(draws.std(axis=0) / law.std - 1) < 0.05).all()
    for i in range(2):
        values, chances = law.support(i)
        np.testing.assert_allclose([chances.sum(), values @ chances, (values - law.mean[i]) ** 2 @ chances], [1, law.mean[i], law.var[i]], rtol=1e-6, atol=1e-12)
    again, swapped = exact_tpr_difference(y, s_1, s_2, rates, n_jobs=1), exact_tpr_difference(y, s_2, s_1, rates)
    np.testing.assert_array_equal(again.moments, law.moments)
    np.testing.assert_allclose(swapped.mean, -law.mean, rtol=0, atol=1e-13)
    np.testing.assert_allclose(swapped.std, law.std, rtol=0.03)
    same = exact_tpr_difference(y, s_2, s_2, rates)
    np.testing.assert_allclose([same.mean, same.var, *same.interval(0.9, "exact")], 0, atol=1e-12)


def test_points_limits_and_p_values():
    "One rate answers with numbers; the recommended limits are those of the two rates, with the law's correlation."
    y, s_1, s_2 = PAIR.sample(60, 80, rng=9)
    law = exact_tpr_difference(y, s_1, s_2, [0.1, 0.4])
    one = exact_tpr_difference(y, s_1, s_2, 0.4)
    assert one.mean == law.mean[1] and one.interval() == law[1].interval() and one.p_value() == law.p_value()[1]
    assert (np.abs(law.correlation) <= 1).all()
    low, high = law.interval()
    gap = law.single_2.height(law.x) - law.single_1.height(law.x)
    assert (low <= gap).all() and (gap <= high).all()
    inside = (low <= 0) & (0 <= high)
    assert ((law.p_value() >= 0.1 - 1e-9) == inside).all()
    np.testing.assert_allclose(law[[1]].correlation, law.correlation[[1]], rtol=1e-12)


def test_joint_law_is_enumeration():
    "All orders of four negatives, every r, three resample sizes."
    from costboot.numerics.threshold_tables import joint_table
    for m in (2, 4, 7):
        drawn, weight = zip(*_multisets(4, m))
        drawn, weight = np.array(drawn), np.array(weight)
        for partner in itertools.permutations(range(4)):
            k, j = np.sort(drawn, axis=1), np.sort(np.array(partner)[drawn], axis=1)
            for r in range(1, m):
                listed, ours = np.zeros((4, 4)), np.zeros((4, 4))
                np.add.at(listed, (k[:, r - 1], j[:, r - 1]), weight)
                first, f = joint_table(r, m, np.array(partner) + 1)
                ours[first - 1 : first - 1 + len(f), first - 1 : first - 1 + len(f)] = f
                np.testing.assert_allclose(ours, listed, rtol=0, atol=1e-12)


@pytest.mark.parametrize("correlation", [-1.0, -0.7, 0.0, 0.5, 0.97, 1.0])
@pytest.mark.parametrize("m", [None, 500, 3000])
def test_margins(correlation, m):
    "Columns and rows are the laws of single thresholds; the mean is the difference of the single means."
    y, s_1, s_2 = BinormalPair(PAIR.model_1, PAIR.model_2, correlation=correlation).sample(500, rng=1)
    rates = [0.004, 0.1, 0.5, 0.996]
    law = exact_tpr_difference(y, s_1, s_2, rates, m=m)
    single = [exact_tpr(y, s, rates, m=m) for s in (s_1, s_2)]
    np.testing.assert_allclose(law.mean, single[1].mean - single[0].mean, rtol=0, atol=1e-12)
    for i in range(len(rates)):
        values_1, values_2, table = law.threshold_support(i)
        for values, weight, one in ((values_1, table.sum(axis=1), single[0]), (values_2, table.sum(axis=0), single[1])):
            np.testing.assert_array_equal(values, one.threshold_support(i)[0])
            np.testing.assert_allclose(weight, one.threshold_support(i)[1], rtol=0, atol=1e-10)


def test_ties_are_grouped():
    "Rounded scores: the law is that of the literal resamples, and thresholds are distinct scores."
    y, s_1, s_2 = PAIR.sample(60, 80, rng=2)
    s_1, s_2 = np.round(s_1 / 2), np.round(s_2 / 3)
    law = exact_tpr_difference(y, s_1, s_2, [0.25])
    values_1, values_2, table = law.threshold_support(0)
    assert (np.diff(values_1) > 0).all() and (np.diff(values_2) > 0).all() and table.shape == (values_1.size, values_2.size)
    draws = resampled_tpr_difference(y, s_1, s_2, 0.25, n_resamples=4000, rng=3)
    grid = np.arange(-60, 61)[:, None] / 60
    assert np.abs((draws[:, 0] <= grid + 1e-12).mean(axis=1) - law.cdf(grid)[:, 0]).max() < np.sqrt(np.log(2e6) / 8000)


def test_order_of_instances_does_not_matter():
    y, s_1, s_2 = PAIR.sample(40, 50, rng=4)
    s_1 = np.round(s_1)
    turn = np.random.default_rng(0).permutation(90)
    one, two = exact_tpr_difference(y, s_1, s_2, 0.3), exact_tpr_difference(y[turn], s_1[turn], s_2[turn], 0.3)
    np.testing.assert_allclose(one.support(0)[1], two.support(0)[1], rtol=0, atol=1e-14)


def test_mirror_and_monotone_maps():
    "Swapping the models turns the sign; a monotone map of the scores changes nothing."
    y, s_1, s_2 = PAIR.sample(40, 50, rng=5)
    law = exact_tpr_difference(y, s_1, s_2, [0.1, 0.6])
    swapped, mapped = exact_tpr_difference(y, s_2, s_1, [0.1, 0.6]), exact_tpr_difference(y, np.exp(s_1), s_2**3, [0.1, 0.6])
    np.testing.assert_allclose(swapped.mean, -law.mean, rtol=0, atol=1e-14)
    np.testing.assert_allclose(mapped.var, law.var, rtol=0, atol=1e-15)
    values, probabilities = law.support(0)
    np.testing.assert_allclose(swapped.cdf(-values[:, None])[:, 0], np.cumsum(probabilities[::-1])[::-1], rtol=0, atol=1e-13)


@pytest.mark.parametrize("joint", ["exact", "gaussian"])
def test_methods(joint):
    "Four methods; agresti is Algorithm 3's smoothing of the cells."
    y, s_1, s_2 = PAIR.sample(30, 40, rng=6)
    law = exact_tpr_difference(y, s_1, s_2, [0.05, 0.5], joint=joint)
    assert isinstance(law, VerticalDifferenceLaw) and law.joint == joint
    for method in ("wald", "agresti", "exact", "empirical"):
        low, high = law.interval(0.9, method, rng=1)
        assert (low <= law.mean).all() and (law.mean <= high).all() and (low >= -1).all() and (high <= 1).all()
    for i in range(2):
        values_1, values_2, f = law.threshold_support(i)
        pos_1, pos_2 = s_1[y == 1], s_2[y == 1]
        above_1, above_2 = pos_1 >= values_1[:, None], pos_2 >= values_2[:, None]
        p_1 = ((above_1[:, None] & ~above_2).sum(axis=2) + 0.5) / 32
        p_2 = ((~above_1[:, None] & above_2).sum(axis=2) + 0.5) / 32
        mean = (f * (p_2 - p_1)).sum()
        second = (f * ((p_1 + p_2 - (p_1 - p_2) ** 2) / 32 + (p_1 - p_2) ** 2)).sum()  # eqs (24)-(27), smoothed
        np.testing.assert_allclose(np.array(law._agresti_moments())[:, i], [mean, second - mean**2], rtol=1e-10)


def test_gaussian_margins_are_exact():
    from costboot.numerics.order_statistics import order_window
    for n, correlation in ((30, 0.0), (200, 0.9), (200, -1.0), (200, 1.0)):
        y, s_1, s_2 = BinormalPair(PAIR.model_1, PAIR.model_2, correlation=correlation).sample(5, n, rng=1)
        partner = (np.argsort(np.argsort(-s_2[y == 0])) + 1)[np.argsort(-s_1[y == 0])]
        for r in (1, n // 3, n - 1):
            knots, f = _gaussian_joint(r, n, partner)
            first, pmf = order_window(r, n, n)
            np.testing.assert_array_equal(knots, np.arange(first, first + len(pmf)))
            np.testing.assert_allclose(f.sum(axis=0), pmf, rtol=0, atol=1e-12)
            np.testing.assert_allclose(f, f.T, rtol=0, atol=1e-16)


def test_auto():
    y, s_1, s_2 = PAIR.sample(20, 100, rng=1)
    assert exact_tpr_difference(y, s_1, s_2, 0.5, joint="auto").joint == "exact"
    y, s_1, s_2 = PAIR.sample(20, 700_000, rng=1)
    assert exact_tpr_difference(y, s_1, s_2, 0.5, joint="auto").joint == "gaussian"
    assert exact_tpr_difference(y, s_1, s_2, 0.001, joint="auto").joint == "exact"


def test_sizes_of_the_classes():
    "One positive; two negatives; many positives and few negatives, and the reverse."
    for n_pos, n_neg in ((1, 2), (1, 300), (5000, 7), (3, 400)):
        y, s_1, s_2 = PAIR.sample(n_pos, n_neg, rng=1)
        law = exact_tpr_difference(y, s_1, s_2, [1 / n_neg, 0.5, 1 - 1 / n_neg])
        draws = resampled_tpr_difference(y, s_1, s_2, law.x, n_resamples=4000, rng=2)
        assert (np.abs(draws.mean(axis=0) - law.mean) < 5 * law.std / np.sqrt(4000) + 1e-12).all()
        for i in range(3): np.testing.assert_allclose(law.support(i)[1].sum(), 1, rtol=1e-13)


def test_wide_law_has_the_moments_of_the_table():
    "Far more positives than negatives: Chebyshev nodes in both directions."
    y, s_1, s_2 = PAIR.sample(100_000, 60, rng=3)
    law = exact_tpr_difference(y, s_1, s_2, [1 / 60, 0.3])
    for i in range(2):
        values, probabilities = law.support(i)
        np.testing.assert_allclose([values @ probabilities, (values - law.mean[i]) ** 2 @ probabilities], [law.mean[i], law.var[i]], rtol=1e-9)


def test_repeated_and_unsorted_rates():
    y, s_1, s_2 = PAIR.sample(20, 40, rng=1)
    law = exact_tpr_difference(y, s_1, s_2, [0.5, 0.1, 0.5])
    np.testing.assert_array_equal(law.rank, [20, 4, 20])
    np.testing.assert_array_equal(law.windows[0], law.windows[2])
    np.testing.assert_allclose(law.x, [0.5, 0.1, 0.5])


def test_same_numbers_for_any_number_of_threads():
    y, s_1, s_2 = PAIR.sample(300, rng=1)
    rates = np.linspace(0.05, 0.95, 7)
    laws = [exact_tpr_difference(y, s_1, s_2, rates, n_jobs=k) for k in (1, 2, 3)]
    for law in laws[1:]:
        np.testing.assert_array_equal(law.moments, laws[0].moments)
        for ours, first in zip(law.windows, laws[0].windows): np.testing.assert_array_equal(ours, first)


def test_labels_and_containers():
    y, s_1, s_2 = PAIR.sample(20, 30, rng=1)
    law = exact_tpr_difference(y, s_1, s_2, [0.2])
    index = np.random.default_rng(0).permutation(50)
    other = exact_tpr_difference(pd.Series(np.where(y == 1, "ill", "well"), index=index), pd.Series(s_1, index=index), list(s_2), [0.2], pos_label="ill")
    np.testing.assert_array_equal(law.windows[0], other.windows[0])
    with pytest.raises(ValueError): law.moments[0] = 0
    with pytest.raises(AttributeError): law.m = 3
    assert "1 point" in repr(law) and law.to_frame(0.9, "exact").shape == (1, 7)


@pytest.mark.parametrize("change, message", [
    (dict(fpr=0.0), "`fpr` must lie strictly between 0 and 1"),
    (dict(fpr=1.0), "`fpr` must lie strictly between 0 and 1"),
    (dict(fpr=0.0, ties="paper"), "`fpr` must be, rounded to a multiple of 1/m-"),
    (dict(ties="none"), "`ties` must be one of 'interpolate', 'paper'"),
    (dict(fpr=1.5), r"`fpr` must lie in \[0, 1\]"),
    (dict(fpr=[]), "at least one entry"),
    (dict(joint="normal"), "`joint` must be one of 'auto', 'exact', 'gaussian'"),
    (dict(joint=None), "`joint` must be one of"),
    (dict(m=7), "`m` must be a multiple of"),
    (dict(y_score_2=[1.0, 2.0]), "`y_score_2` must have as many entries"),
    (dict(y_score_1=np.full(50, np.nan)), "`y_score_1` must be finite"),
    (dict(y_true=np.ones(50)), "both classes"),
    (dict(y_true=np.arange(50) % 3), "binary"),
])
def test_bad_input(change, message):
    y, s_1, s_2 = PAIR.sample(20, 30, rng=1)
    for call in (exact_tpr_difference, resampled_tpr_difference):
        arguments = dict(y_true=y, y_score_1=s_1, y_score_2=s_2, fpr=0.2) | change
        if call is resampled_tpr_difference and "joint" in change: continue
        with pytest.raises(ValueError, match=message): call(**arguments)


def test_import_is_light():
    "The compiler is loaded by the first call, not by the import."
    code = "import sys, costboot.laws.fixed_fpr_paired; print({'numba', 'matplotlib', 'joblib', 'pandas'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "set()"


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_interrupt(tmp_path):
    "Ctrl-C ends a long computation within seconds."
    code = ("import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a job in the background ignores it, and so do its children
            "from costboot.data.score_models import Binormal, BinormalPair\nfrom costboot.laws.fixed_fpr_paired import exact_tpr_difference\nimport numpy as np\n"
            "pair = BinormalPair(Binormal(2.0, 3.75, 3.0), Binormal(1.5, 3.75, 3.0))\n"
            "exact_tpr_difference(*pair.sample(30, rng=1), 0.5)\ndata = pair.sample(30_000, rng=1)\nprint('go', flush=True)\n"
            "exact_tpr_difference(*data, np.linspace(0.3, 0.7, 10_000), n_jobs=1)")
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline().strip() == "go"
    time.sleep(1.5)
    start = time.perf_counter()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors and time.perf_counter() - start < 20


def test_figure():
    "Artists, not pixels: a heat map with two margins, and the law with four intervals."
    figure = fig_tpr_difference(r=5, correlation=0.5, n=40, spread=2.0)
    by_label = {ax.get_xlabel(): ax for ax in figure.axes}
    assert len(figure.axes) == 4 and by_label["TPR of model 2 - TPR of model 1"].get_xlim() == (-1, 1)
    labels = by_label["TPR of model 2 - TPR of model 1"].get_legend_handles_labels()[1]
    assert sum("90% limits" in label for label in labels) == 4
    assert explore_tpr_difference().children[0].description == "false positives r"


@pytest.mark.slow
def test_ten_thousand_negatives():
    "Exact and Gaussian limits agree to a few hundredths of a standard deviation."
    y, s_1, s_2 = PAIR.sample(10_000, rng=1)
    exact, gaussian = (exact_tpr_difference(y, s_1, s_2, [0.1, 0.5], joint=joint) for joint in ("exact", "gaussian"))
    np.testing.assert_allclose(exact.mean, gaussian.mean, rtol=0, atol=1e-12)  # the margins are exact, and no ranks are merged yet
    gap = np.array(exact.interval(0.9, "exact")) - np.array(gaussian.interval(0.9, "exact"))
    assert (np.abs(gap) < 0.05 * exact.std).all()
