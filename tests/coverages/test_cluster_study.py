"""The study of intervals for clusters: stored numbers can be computed again, its worlds have the truth they claim, the recommendation holds."""

import numpy as np
import pytest

from costboot.coverages.cluster_study import CLUSTER_TARGETS, drawn_cells, judged, load_clusters, main, mean_rates, measure_clusters, save_clusters, study_sizes
from costboot.coverages.interval_study import LEVELS, study_file


@pytest.fixture(scope="module")
def study(): return load_clusters()


def test_the_stored_study_is_complete_and_compact(study):
    assert list(study) == list(CLUSTER_TARGETS) and study_file("clusters.npz").stat().st_size < 100_000
    for name, part in study.items():
        target = CLUSTER_TARGETS[name]
        assert part.coverage.shape == (len(target.designs()), len(LEVELS), len(target.methods)) == part.width.shape
        assert part.coverage.min() >= 0 and part.coverage.max() <= 1 and part.designs.shape[1] == len(target.columns)


@pytest.mark.parametrize("name", CLUSTER_TARGETS)
def test_stored_numbers_can_be_computed_again(study, name):
    part = study[name]
    numbers = [len(part.designs) // 5]
    again = measure_clusters(name, numbers=numbers, progress=False)
    np.testing.assert_allclose(again[..., 0], part.coverage[numbers], atol=1.1e-4)
    base = CLUSTER_TARGETS[name].methods.index("recommended")
    np.testing.assert_allclose(again[..., base, 1], part.width[numbers][..., base], rtol=2e-3)
    assert abs(again[..., 0] - part.coverage[[3 * len(part.designs) // 4]]).max() > 1e-3


@pytest.mark.parametrize("name", CLUSTER_TARGETS)
def test_the_recommended_interval_holds_and_independent_rows_do_not(study, name):
    least = {"rate": (0.84, 0.90, 0.96), "area": (0.83, 0.89, 0.95)}.get(name, (0.85, 0.91, 0.96))
    for level, value in zip(LEVELS, least):
        table = study[name].summary(level)
        assert table.loc["recommended", "worst coverage"] >= value and table.loc["recommended", "share > .02 short"] <= 0.06
        assert study[name].worst(level)["coverage"] == pytest.approx(table.loc["recommended", "worst coverage"])
        assert table.loc["independent", "worst coverage"] < value - 0.1, "a method that breaks must be seen to break"


def test_worlds_have_their_truth():
    rng = np.random.default_rng(2)
    for kind in (0, 1, 2):
        sizes = study_sizes(40_000, 8, kind, rng)
        (x,) = drawn_cells(mean_rates(sizes, 8, kind, 0.15)[None], 0.3, sizes, 1, rng)
        assert abs(x.sum() / sizes.sum() - 0.15) < 0.006
    sizes = np.full(30_000, 6)
    (x,) = drawn_cells(np.full((1, 30_000), 0.3), 0.4, sizes, 1, rng)
    pairs = np.sum(x * (x - 1)) / (30_000 * 30)
    assert (pairs - 0.09) / 0.21 == pytest.approx(0.4, abs=0.02)
    (one, two) = drawn_cells(np.array([[0.2], [0.5]]) * np.ones(3), 0.0, np.full(3, 50), 4000, rng)
    assert one.mean() == pytest.approx(10, abs=0.1) and two.mean() == pytest.approx(25, abs=0.15) and np.corrcoef(one.ravel(), two.ravel())[0, 1] == pytest.approx(-0.5, abs=0.03)


def test_judged():
    assert judged((np.array([-1.0, 0.3]), np.array([0.2, 2.0])), 0.1) == (0.5, pytest.approx(0.45))


def test_the_command(tmp_path, capsys):
    assert main(["difference", "--quick", "--jobs", "1"]) == 0
    assert "difference: 6 designs, recommended covers at least" in capsys.readouterr().out
    with pytest.raises(SystemExit): main(["nothing"])
    assert "no such target: nothing" in capsys.readouterr().err
    found = measure_clusters("cost", numbers=np.arange(2), draws=50, progress=False)
    path = save_clusters({"cost": found}, tmp_path / "few.npz")
    (part,) = load_clusters(path).values()
    np.testing.assert_allclose(part.coverage, found[..., 0], atol=1e-4)
    np.testing.assert_allclose(part.width, found[..., 1], rtol=1e-3)
