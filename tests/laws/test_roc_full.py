"""ROC laws with free class sizes: every resample of both classes together, and what is refused."""

from itertools import product

import numpy as np
import pytest

import costboot as cb

SETS = [([1, 1, 0, 0, 0], [3, 1, 2, 0, 1], 5), ([1, 0, 0], [1, 1, 0], 6), ([1, 1, 1, 0], [2, 1, 0, 1], 4), ([1, 0], [0, 1], 3)]


def all_values(statistic, y, s, m):
    "Values of the statistic over all resamples, their probabilities, and the share without a value."
    y, s, found, lost = np.asarray(y), np.asarray(s, float), {}, 0
    for drawn in product(range(y.size), repeat=m):
        labels, scores = y[list(drawn)], s[list(drawn)]
        value = statistic(scores[labels == 1], scores[labels == 0])
        if value is None: lost += 1
        else: found[round(value, 10)] = found.get(round(value, 10), 0) + 1
    values, total = np.array(sorted(found)), y.size**m
    return values, np.array([found[v] for v in values]) / (total - lost), lost / total


def agrees(law, oracle):
    values, chances, lost = oracle
    mean = values @ chances
    np.testing.assert_allclose([law.mean, law.var, law.undefined], [mean, (values - mean) ** 2 @ chances, lost], atol=1e-12)
    np.testing.assert_allclose(law.cdf(values + 1e-9), np.cumsum(chances), atol=1e-12)
    np.testing.assert_allclose(law.support()[0], values, atol=1e-9)
    np.testing.assert_allclose(law.support()[1], chances, atol=1e-12)
    q = np.array([0.02, 0.4, 0.8, 0.99])
    np.testing.assert_allclose(law.ppf(q), values[np.searchsorted(np.cumsum(chances), q * (1 - 1e-12))], atol=1e-10)


def rate(of, t): return lambda pos, neg: np.mean((pos, neg)[of] >= t) if (pos, neg)[of].size else None


def area(pos, neg): return np.mean((pos[:, None] > neg) + 0.5 * (pos[:, None] == neg)) if pos.size and neg.size else None


def height(f):
    def at(pos, neg):
        if not pos.size or not neg.size: return None
        target, down = f * neg.size, -np.sort(-neg)
        v = down[int(np.ceil(round(target, 9))) - 1]
        return (np.sum(pos > v) + (target - np.sum(neg > v)) / np.sum(neg == v) * np.sum(pos == v)) / pos.size
    return at


@pytest.mark.parametrize("y, s, m", SETS)
def test_every_resample(y, s, m):
    law = cb.exact_roc(y, s, 1.0, sampling="full", m=m)
    agrees(law.tpr, all_values(rate(0, 1.0), y, s, m))
    agrees(law.fpr, all_values(rate(1, 1.0), y, s, m))
    agrees(cb.exact_auc(y, s, sampling="full", m=m), all_values(area, y, s, m))
    for f in (0.3, 0.5): agrees(cb.exact_tpr(y, s, f, sampling="full", m=m), all_values(height(f), y, s, m))


def test_draws_tables_bands_and_parts():
    y, s = cb.Binormal(1.0).sample(9, 30, rng=1)
    roc = cb.exact_roc(y, s, [-1.0, 0.5], sampling="full")
    tpr, auc = cb.exact_tpr(y, s, [0.1, 0.4], sampling="full"), cb.exact_auc(y, s, sampling="full")
    for law in (roc.tpr, roc.fpr, tpr):
        draws = law.rvs(20_000, rng=2)
        assert (abs(draws.mean(axis=0) - law.mean) < 5 * law.std / np.sqrt(20_000)).all()
        assert len(law.to_frame()) == 2 and law[1].mean == pytest.approx(law.mean[1], rel=1e-14) and law[1:].mean[0] == pytest.approx(law.mean[1], rel=1e-14)
    draws = auc.rvs(4000, rng=2)
    assert abs(draws.mean() - auc.mean) < 5 * auc.std / np.sqrt(4000) and auc.route == "expansion"
    band, region = roc.band(), roc.region()
    assert (band.tpr.low <= region.tpr.low).all() and "FreeAucLaw" in repr(auc) and "RocLaw" in repr(roc)
    fixed = cb.exact_roc(y, s, [-1.0, 0.5])
    np.testing.assert_allclose(roc.tpr.interval(), fixed.tpr.interval(), atol=1e-12)
    np.testing.assert_allclose(tpr.interval(), cb.exact_tpr(y, s, [0.1, 0.4]).interval(), atol=1e-12)
    np.testing.assert_allclose(auc.interval(), cb.exact_auc(y, s).interval(), atol=1e-12)


def test_heights_of_large_sets_by_blocks_of_class_sizes(monkeypatch):
    "The same set once with all numbers of positives and once with blocks of them; quantiles are values of the law."
    from costboot.laws import roc_full
    y, s = cb.Binormal(2.0).sample(150, 250, rng=1)
    whole = cb.exact_tpr(y, s, [0.05, 0.3, 0.5], sampling="full")
    monkeypatch.setattr(roc_full, "MOST_SIZES", 20)
    monkeypatch.setattr(roc_full, "_BLOCKS", 40)
    blocks = cb.exact_tpr(y, s, [0.05, 0.3, 0.5], sampling="full")
    assert len(blocks.parts) <= 40 < 100 < len(whole.parts) and blocks.chances.sum() == pytest.approx(1, abs=1e-12)
    assert (abs(blocks.mean - whole.mean) < 0.02 * whole.std).all() and (abs(blocks.std / whole.std - 1) < 0.01).all()
    levels = np.array([0.003, 0.05, 0.5, 0.9999])
    for point in (law[i] for law in (whole, blocks) for i in range(3)):
        q = point.ppf(levels)
        assert (point.cdf(q) >= levels * (1 - 1e-9)).all() and (point.cdf(q - 1e-7) < levels).all()
        least, most = point.ppf([0.0, 1.0])
        assert 0 <= least < q[0] < q[-1] < most <= 1


def test_full_sampling_has_no_largest_size():
    y, s = cb.Binormal(2.0).sample(20_000, 30_000, rng=1)
    free, fixed = cb.exact_tpr(y, s, [0.01, 0.4], sampling="full"), cb.exact_tpr(y, s, [0.01, 0.4])
    np.testing.assert_allclose([free.mean, free.std], [fixed.mean, fixed.std], rtol=5e-3)
    np.testing.assert_array_equal(free.interval(), fixed.interval())
    assert free.undefined == 0 and (abs(free.ppf(0.5) - free.mean) < 0.05 * free.std).all()


def test_an_area_that_cannot_vary():
    for scores, area in (([3, 4, 1, 2, 0], 1.0), ([0, 1, 3, 4, 2], 0.0), ([1, 1, 1, 1, 1], 0.5)):
        law = cb.exact_auc([1, 1, 0, 0, 0] * 8, np.array(scores * 8), sampling="full")
        np.testing.assert_array_equal([law.mean, law.std, law.ppf(0.05), law.ppf(1.0), law.cdf(area), law.cdf(area - 1e-9), law.rvs(1, rng=1)[0]], [area, 0, area, area, 1, 0, area])
        low, high = law.interval()
        assert low <= area <= high and high - low > 0.05 and law.support()[0].tolist() == [area]


def test_none_and_all():
    law = cb.exact_roc([1, 1, 0, 0], [1, 2, 3, 4], [0.0, 9.0], sampling="full").tpr
    np.testing.assert_array_equal([law.mean, law.var, law.ppf(0.3), law.ppf(1.0)], [[1, 0], [0, 0], [1, 0], [1, 0]])


@pytest.mark.parametrize("call, message", [
    (lambda: cb.exact_roc([1, 0], [1, 2], 1.0, sampling="free"), "`sampling` must be one of"),
    (lambda: cb.exact_tpr([1, 0], [1, 2], 0.5, sampling="free"), "`sampling` must be one of"),
    (lambda: cb.exact_auc([1, 0], [1, 2], sampling="free"), "`sampling` must be one of"),
    (lambda: cb.exact_roc([1, 0], [1, 2], 1.0, sampling="full", groups=[1, 1]), "`sampling` must be \"stratified\" beside `groups`"),
    (lambda: cb.exact_auc([1, 0], [1, 2], sampling="full", m=1), "`m` must be at least 2"),
    (lambda: cb.exact_roc([1, 0], [1, 2], 1.0, sampling="full", m=0), "`m` must"),
    (lambda: cb.exact_tpr([1, 0, 0], [1, 2, 0], 0.5, sampling="full", ties="paper"), "`ties` must be"),
])
def test_what_is_refused(call, message):
    with pytest.raises(ValueError, match=message): call()
