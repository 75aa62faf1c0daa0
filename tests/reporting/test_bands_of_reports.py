"""A report with bands: the same numbers as the laws', in figures, sentences and the command that makes it again."""

import numpy as np
import pytest

import costboot as cb
from costboot.reporting.comparison import fig_costs, fig_difference
from costboot.reporting.sentences import summary_sentences


@pytest.fixture(scope="module")
def comparison():
    pair = cb.BinormalPair(cb.Binormal(1.0), cb.Binormal(3.0, loc_neg=-1.0), correlation=0.5)
    y, s, z = pair.sample(60, 60, rng=2)
    rules = {"old": pair.model_1.optimal_threshold, "new": pair.model_2.optimal_threshold}
    def made(simultaneous): return cb.compare(y, {"old": s, "new": z}, rules, w=np.linspace(0.1, 0.9, 9), simultaneous=simultaneous)
    return made(True), made(False)


def test_bands_are_those_of_the_laws(comparison):
    wanted, without = comparison
    assert without.bands == {} and not without.simultaneous and len(wanted.bands) == 3
    for law, band in wanted.bands.items(): np.testing.assert_array_equal(np.array(band), np.array(law.band(0.9)))


def test_figures_have_thin_lines_where_bands_were_wanted(comparison):
    for made, lines in zip(comparison, (4, 0)):
        assert sum(line.get_gid() == "band" for line in fig_costs(made).axes[0].lines) == lines
        assert sum(line.get_gid() == "band" for line in fig_difference(made).axes[0].lines) == lines // 2


def test_a_sentence_says_what_holds_together(comparison):
    condition = cb.reporting.Condition(prevalence=0.5, cost_fn=1.0, cost_fp=1.0)
    with_bands, without = (" ".join(summary_sentences(made, condition)) for made in comparison)
    assert "By limits that hold at all of them together (a band, level 90 %), new costs less for w" in with_bands
    assert "The bands (thin dotted lines) are meant to be right" in with_bands and "hold at all of them together" not in without


def test_the_command_that_makes_it_again(tmp_path):
    rng = np.random.default_rng(1)
    columns = {"y": np.repeat([1, 0], 30), "model": rng.normal(np.repeat([1.0, 0.0], 30))}
    made = cb.report(columns, label="y", score="model", thresholds=0.5, progress=False, simultaneous=True)
    assert made.comparison.simultaneous and "simultaneous=True" in made.origin["python"]
    plain = cb.report(columns, label="y", score="model", thresholds=0.5, progress=False)
    assert "simultaneous" not in plain.origin["python"]
