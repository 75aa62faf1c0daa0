"""A report with bands: the same numbers as the laws', in figures, sentences and the command that makes it again."""

import re

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
    assert without.bands == {} and not without.simultaneous and len(wanted.bands) == 5
    for law, band in wanted.bands.items(): np.testing.assert_array_equal(np.array(band), np.array(law.band(0.9)))


def test_figures_have_thin_lines_where_bands_were_wanted(comparison):
    for made, lines in zip(comparison, (4, 0)):
        assert sum(line.get_gid() == "band" for line in fig_costs(made).axes[0].lines) == lines
        assert sum(line.get_gid() == "band" for line in fig_difference(made).axes[0].lines) == lines // 2


def test_a_sentence_says_what_holds_together(comparison):
    condition = cb.reporting.Condition(prevalence=0.5, cost_fn=1.0, cost_fp=1.0)
    with_bands, without = (" ".join(summary_sentences(made, condition)) for made in comparison)
    assert "By limits that hold at all 9 operating conditions together (a band, level 90 %), new costs less for w" in with_bands
    assert with_bands.index("By limits that hold at all") < with_bands.index("Pointwise, each condition by itself, new costs significantly less for w")
    assert "The bands (thin dotted lines) are meant to be right" in with_bands and "hold at all" not in without


def test_bands_lead_in_a_report_of_up_to_three():
    "Differences have bands without being asked for; with three pairs they hold for all of them."
    rng, y = np.random.default_rng(3), np.repeat([1, 0], 40)
    table = {"y": y} | {name: theta * y + rng.normal(size=80) for name, theta in (("a", 0.5), ("b", 3.0), ("c", 1.0), ("d", 1.0))}
    two, three, four = (cb.report(table, label="y", score=list("abcd"[:k]), thresholds=0.5, progress=False) for k in (2, 3, 4))
    for made, pairs in ((two, 1), (three, 3)):
        for evidence in made.comparison.pairs.values():
            np.testing.assert_array_equal(np.array(made.comparison.bands[evidence.cost]), np.array(evidence.cost.band(1 - 0.1 / pairs)))
            together = made.comparison.together(evidence)
            assert ((together == 0) | (together == evidence.verdict) | (evidence.verdict == 0)).all() and (together != 0).sum() <= (evidence.verdict != 0).sum()
    assert two.summary[2].startswith("By limits that hold at all") and any(s.startswith("By limits that hold for all 3 pairs") and "b costs less for w" in s for s in three.summary)
    assert not any(e.cost in four.comparison.bands for e in four.comparison.pairs.values())
    page = two.html()
    assert "a | b, all w together" in page and "darker" in page and page.count('id="f') == len(set(re.findall(r'id="f[^"]*"', page)))
    curve = two.to_dict()["curve"]["pairs"][0]
    assert [{"a": 1, "b": -1, None: 0}[v] for v in curve["together"]] == two.comparison.together(two.comparison.pairs["a", "b"]).tolist()
    assert cb.report(table, label="y", score=["a", "b"], thresholds=0.5, progress=False, simultaneous=False).comparison.bands == {}


def test_rocs_have_limits_for_all_rates_together(comparison):
    from costboot.reporting.comparison import fig_rocs
    for made, lines in zip(comparison, (4, 0)): assert sum(line.get_gid() == "band" for line in fig_rocs(made).axes[0].lines) == lines
    law = comparison[0].vertical["new"]
    low, high = comparison[0].bands[law]
    assert (low <= comparison[0].limits(law).low).all() and (high >= comparison[0].limits(law).high).all()


def test_the_figure_shades_what_holds_together_more_darkly(comparison):
    wanted, without = comparison
    labels = [[text.get_text().lstrip("\u200b") for text in fig_difference(made).axes[0].get_legend().get_texts()] for made in (wanted, without)]
    assert "new costs less, all w together" in labels[0] and "new costs less, pointwise" in labels[0]
    assert "new costs less" in labels[1] and not any("together" in text for text in labels[1])
    (evidence,) = wanted.pairs.values()
    dark = sum(patch.get_alpha() == 0.35 for patch in fig_difference(wanted).axes[0].patches)
    assert dark == sum(v != 0 and (k == 0 or v != wanted.together(evidence)[k - 1]) for k, v in enumerate(wanted.together(evidence)))


def test_the_command_that_makes_it_again(tmp_path):
    rng = np.random.default_rng(1)
    columns = {"y": np.repeat([1, 0], 30), "model": rng.normal(np.repeat([1.0, 0.0], 30))}
    made = cb.report(columns, label="y", score="model", thresholds=0.5, progress=False, simultaneous=True)
    assert made.comparison.simultaneous and "simultaneous=True" in made.origin["python"]
    plain = cb.report(columns, label="y", score="model", thresholds=0.5, progress=False)
    assert "simultaneous" not in plain.origin["python"]
