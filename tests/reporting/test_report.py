"""The report: its page, its command, its patience with bad files. Commands run in processes of their own."""

import fcntl
import gzip
import os
import pty
import re
import resource
import select
import struct
import subprocess
import sys
import termios
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import costboot as cb
from costboot.reporting.command import main

RUN = "import sys; from costboot.reporting.command import main; sys.exit(main(sys.argv[1:]))"  # what the installed command does
VOID = {"meta", "br", "img", "link", "input", "hr"}


class Page(HTMLParser):
    "A page taken apart: tags, identifiers, references, text; unbalanced tags are an error."

    def __init__(self, text):
        super().__init__()
        self.source, self.open, self.tags, self.ids, self.references, self.attributes, self.text = text, [], [], [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []
        self.words = " ".join(" ".join(self.text).split())

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self.ids += [v for k, v in attrs if k == "id"]
        self.references += [v for k, v in attrs if k in ("href", "src", "xlink:href", "data", "action", "srcset")]
        if tag not in VOID: self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID: self.open.pop()

    def handle_endtag(self, tag): assert self.open.pop() == tag

    def handle_data(self, data): self.text.append(data)


def command(*words, stdin=None, cwd=None):
    "Run the command in a process of its own."
    done = subprocess.run([sys.executable, "-c", RUN, *map(str, words)], input=stdin, capture_output=True, check=False, cwd=cwd)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def scored(n_pos=60, n_neg=140, seed=4):
    "A table of labels and three columns of scores; the second is better than the first."
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([1, 0], [n_pos, n_neg]))
    shared = rng.normal(size=y.size)
    scores = {name: theta * y + 0.8 * shared + 0.6 * rng.normal(size=y.size) for name, theta in (("model_a", 1.0), ("model_b", 2.0), ("model_c", 1.5))}
    return pd.DataFrame({"id": np.arange(y.size), "y": y, **scores})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    "A folder with test scores and validation scores."
    path = tmp_path_factory.mktemp("scores")
    scored().to_csv(path / "scores.csv", index=False)
    scored(seed=5).to_csv(path / "val.csv", index=False)
    return path


@pytest.fixture(scope="module")
def made(folder):
    "One run of the whole command: (what it printed, the page)."
    code, out, err = command("report", folder / "scores.csv", "--label", "y", "--score", "model_a", "--score", "model_b", "--validation", folder / "val.csv", "--prevalence", "0.1", "--cost-fn", "10",
                             "--cost-fp", "1", "--level", "0.8", "--method", "exact", "--sampling", "stratified", "-o", folder / "report.html")
    assert (code, err) == (0, "")  # nothing on standard error: no bar where there is no terminal
    return out, Page((folder / "report.html").read_text(encoding="utf8"))


# --- the page ---------------------------------------------------------------------------------------------------------


def test_the_page_stands_alone(made):
    _, page = made
    assert page.source.startswith("<!doctype html>") and page.source.endswith("</html>\n") and len(page.source.encode()) < 3_000_000
    assert not {"script", "link", "iframe", "img", "object", "embed", "base"} & set(page.tags)
    assert all(reference.startswith("#") for reference in page.references) and "://" not in page.source
    assert not re.search(r"@import|url\((?!#)", page.source)
    assert not [k for k, _ in page.attributes if k.startswith("on")]


def test_links_and_figures_find_their_targets(made):
    _, page = made
    assert len(page.ids) == len(set(page.ids))
    used = [r[1:] for r in page.references] + re.findall(r"url\(#([^)]+)\)", page.source)
    assert used and set(used) <= set(page.ids)


def test_the_page_has_every_part(made):
    _, page = made
    for heading in ("In short", "At your operating condition", "Costs at every operating condition", "ROC curves", "Dominance", "Settings, to make this page again"): assert heading in page.words
    assert page.tags.count("svg") == 5 == page.tags.count("figcaption")
    described = [v for k, v in page.attributes if k == "aria-label"]
    assert sum(text.startswith(("Normalised", "Cost of", "ROC", "Joint", "Share")) for text in described) == 5
    assert dict(page.attributes).get("name") == "viewport" and "prefers-color-scheme: dark" in page.source and "@media print" in page.source


def test_the_page_says_what_it_must(made):
    _, page = made
    for words in ("pointwise, at level 80 %", "not all of them at once", "by chance", "They do not cover a different training set"): assert words in page.words
    assert "exact: equal-tailed quantiles" in page.words and "Thresholds are those that cost least on the validation data" in page.words
    for library in ("costboot", "numpy", "scipy", "numba", "pandas", "matplotlib"): assert re.search(rf"{library} \d", page.words)
    assert "proved" not in page.words and "equally good everywhere" in page.words


def test_the_numbers_are_those_of_the_laws(made, folder):
    out, page = made
    test, val = pd.read_csv(folder / "scores.csv"), pd.read_csv(folder / "val.csv")
    w = cb.operating_condition(0.1, 10, 1)
    rules = {name: cb.optimal_thresholds(val.y, val[name]) for name in ("model_a", "model_b")}
    law = cb.exact_cost_difference(test.y, test.model_a, test.model_b, [w], rules["model_a"], rules["model_b"])
    low, high = law.interval(0.8, "exact")
    text = f"{law.mean[0]:.3f} ({low[0]:.3f} to {high[0]:.3f})"
    assert text in out.replace("\n ", "") and text in page.words
    for name, rule in rules.items():
        t = rule(w)
        assert f"{t:.4g}" in page.words
        assert f"{1000 * 0.1 * np.mean(test[name][test.y == 1] < t):.1f}" in page.words  # missed among 1000
        area = cb.exact_auc(test.y, test[name])
        assert "{:.3f} ({:.3f} to {:.3f})".format(area.mean, *area.interval(0.8, "wald")) in out.replace("\n ", "")
    f1, f2 = cb.exact_roc_difference(test.y, test.model_a, test.model_b, rules["model_a"](w), rules["model_b"](w)).dominance()
    assert f"{f1:.3f}" in page.words and f"{f2:.3f}" in page.words


def test_the_command_in_the_page_makes_the_page_again(made, folder):
    import shlex
    _, page = made
    words = shlex.split(next(text for text in page.text if text.startswith("costboot report")))
    assert words[:2] == ["costboot", "report"]
    words[words.index("--output") + 1] = str(folder / "again.html")
    assert command(*words[1:])[0] == 0
    again = (folder / "again.html").read_text(encoding="utf8").replace("again.html", "report.html")
    assert again == page.source


def test_python_and_command_agree(made, folder):
    _, page = made
    options = dict(label="y", score=["model_a", "model_b"], prevalence=0.1, cost_fn=10, cost_fp=1, confidence_level=0.8, method="exact")
    report = cb.report(pd.read_csv(folder / "scores.csv"), validation=pd.read_csv(folder / "val.csv"), **options)
    listed = [text for text in page.text if text in report.summary]
    assert listed == list(report.summary)
    assert "costboot report" not in report.html()  # tables in memory cannot be named on a command line


# --- models, thresholds, sources ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("names, figures", [(["model_a"], 3), (["model_a", "model_b", "model_c"], 9)])
def test_one_and_three_classifiers(names, figures):
    report = cb.report(scored(), label="y", score=names, thresholds=0.5)
    page = Page(report.html())
    assert page.tags.count("svg") == figures
    assert ("Holm" in page.words) == (len(names) > 2)
    assert ("Dominance" in page.words) == (len(names) > 1)


def test_holm_decides_with_three_classifiers():
    table = scored(200, 200)
    report = cb.report(table, label="y", score=["model_a", "model_b", "model_c"], thresholds=0.5)
    names = ["model_a", "model_b", "model_c"]
    expected = cb.compare_costs(table.y, {n: table[n] for n in names}, dict.fromkeys(names, 0.5), report.comparison.w)
    for (one, two), p, verdict in zip(expected.pairs, expected.corrected, expected.verdict):
        np.testing.assert_array_equal(report.comparison.pairs[one, two].verdict, verdict)
        np.testing.assert_allclose(report.comparison.pairs[one, two].corrected, p, rtol=1e-12)


def test_eight_classifiers_get_strips():
    rng, table = np.random.default_rng(0), scored()
    for k in range(8): table[f"m{k}"] = table.model_a + 0.1 * k * table.y + 0.2 * rng.normal(size=len(table))
    page = Page(cb.report(table, label="y", score=[f"m{k}" for k in range(8)], thresholds=0.5).html())
    assert page.tags.count("svg") == 4 and "28. m6 | m7" in page.words


def test_without_thresholds_every_row_is_tested_once(folder):
    code, out, _ = command("report", folder / "scores.csv", "--label", "y", "--score", "model_a", "--seed", "7", "-o", folder / "all.html")
    page = Page((folder / "all.html").read_text(encoding="utf8"))
    first = "All 200 rows were used, 60 of them positive; thresholds: by cross-fitting (11 splits into 5 folds); prevalence: 0.3, the share in the test set."
    assert code == 0 and first in " ".join(out.split()) and first in page.words and "--seed 7" in page.words
    assert "every row was judged by thresholds that were chosen on other rows" in page.words
    test = pd.read_csv(folder / "scores.csv", float_precision="round_trip")
    crossed = cb.cross_fit(test.y, test.model_a, rng=7)
    report = cb.report(folder / "scores.csv", label="y", score="model_a", rng=7)
    law, expected = report.comparison.cost["model_a"], crossed.cost(report.comparison.w)
    np.testing.assert_array_equal(law.mean, expected.mean)
    np.testing.assert_array_equal(law.threshold, cb.optimal_thresholds(test.y, test.model_a)(report.comparison.w))
    np.testing.assert_array_equal(report.comparison.limits(law), expected.interval(0.9))
    area = report.comparison.auc["model_a"]
    assert (area.mean, area.interval()) == (cb.exact_auc(test.y, test.model_a).mean, cb.exact_auc(test.y, test.model_a).interval())  # of every row


def test_thresholds_in_order_user_calibration_cross_fitting():
    table, rng = scored(300, 300), np.random.default_rng(2)
    table["p"] = rng.random(600)
    table["y"] = (rng.random(600) < table.p).astype(int)
    table["turned"] = table.p**4
    other = table.assign(p=rng.random(600))
    sources = {source: cb.report(table, label="y", score=score, **options).summary[0] for source, score, options in (
        ("0.5 for every", "p", dict(thresholds=0.5)), ("by arithmetic", "p", {}), ("by cross-fitting", "turned", {}), ("by cross-fitting", ["p", "turned"], {}),
        ("by cross-fitting", "p", dict(thresholds="cross-fit")), ("from 600 validation", "p", dict(validation=other)), ("given by the caller", "p", dict(thresholds={"p": 0.4})),
    )}
    for source, said in sources.items(): assert f"thresholds: {source}" in said
    with pytest.raises(ValueError, match="`thresholds` must be 'calibrated', 'cross-fit', a number"): cb.report(table, label="y", score="p", thresholds="best")
    with pytest.raises(ValueError, match="`thresholds` must be one of 'calibrated', 'cross-fit'; got 'best'"): cb.compare(table.y, {"p": table.p}, "best")


def test_no_verdict_hangs_on_one_seed():
    "Of three seeds none contradicts another, and the report says how many splits agree."
    table = scored(150, 250)
    found = [cb.report(table, label="y", score=["model_a", "model_b"], rng=seed, progress=False) for seed in range(3)]
    even = np.linspace(0.01, 0.99, 99)  # the conditions that all of them examined
    verdicts = np.array([r.comparison.pairs["model_a", "model_b"].verdict[np.isin(r.comparison.w, even)] for r in found])
    assert verdicts.shape == (3, 99)
    assert not ((verdicts == 1).any(axis=0) & (verdicts == -1).any(axis=0)).any()
    assert (verdicts == verdicts[0]).mean() > 0.93
    for report in found: assert re.search(r"Of the 11 random splits into folds, \d+ alone lead to the same verdict", " ".join(report.summary))


def test_dominance_is_averaged_over_the_splits():
    table = scored(40, 60)
    report = cb.report(table, label="y", score=["model_a", "model_b"], rng=3, progress=False, simultaneous=False)
    crossed, w = cb.cross_fit(table.y, table.model_a, table.model_b, rng=3), report.comparison.w
    t, shares = crossed.threshold(w), []
    for one, two in zip(*crossed.by_split): shares.append(cb.exact_roc_difference(table.y, one, two, t, t, m=crossed.m, m_rounding="nearest").dominance())
    (evidence,) = report.comparison.pairs.values()
    np.testing.assert_allclose(evidence.dominance(), np.mean(shares, axis=0), rtol=1e-9, atol=1e-12)
    assert abs(np.array(evidence.dominance()) - np.array(evidence.roc.dominance())).max() > 0.01  # the majority's are others
    assert "(averaged over the splits)" in " ".join(report.summary) and "averaged over the splits of cross-fitting" in report.html()
    fixed = cb.report(table, label="y", score=["model_a", "model_b"], thresholds=0.5, progress=False, simultaneous=False)
    assert "averaged" not in " ".join(fixed.summary)


def test_calibrated_thresholds():
    table = scored()
    table["p"] = 1 / (1 + np.exp(-table.model_a))
    report = cb.report(table, label="y", score="p", thresholds="calibrated")
    np.testing.assert_allclose(report.comparison.cost["p"].threshold, cb.calibrated_thresholds(0.3)(report.comparison.w), rtol=1e-12)
    assert "thresholds follow from that by arithmetic" in report.html() and "The labels contradict it" in report.html()
    with pytest.raises(ValueError, match="needs probabilities"): cb.report(table, label="y", score="model_a", thresholds="calibrated")


@pytest.mark.parametrize("sampling", ["stratified", "full"])
@pytest.mark.parametrize("method", ["recommended", "conservative", "agresti", "exact", "wald"])
def test_every_method_and_sampling(method, sampling):
    report = cb.report(scored(20, 30), label="y", score=["model_a", "model_b"], thresholds=0.5, method=method, sampling=sampling)
    assert f"--method {method}" not in report.html() and f"{sampling}: " in report.html()
    law = cb.exact_cost_difference(scored(20, 30).y, scored(20, 30).model_a, scored(20, 30).model_b, report.comparison.w, 0.5, 0.5, sampling=sampling)
    np.testing.assert_allclose(report.comparison.limits(report.comparison.difference), law.interval(0.9, method), atol=1e-12)


def test_standard_input_gzip_and_other_labels(folder):
    table = scored().assign(y=lambda t: np.where(t.y == 1, "yes", "no"))
    raw = table.to_csv(index=False, sep=";").encode()
    (folder / "words.csv.gz").write_bytes(gzip.compress(raw))
    options = ["--label", "y", "--score", "model_a", "--pos-label", "yes", "--sep", ";", "--thresholds", "0.5", "-o", folder / "words.html"]
    first = command("report", "-", *options, stdin=raw)
    piped = (folder / "words.html").read_text(encoding="utf8")
    second = command("report", folder / "words.csv.gz", *options)
    assert (first[0], second[0]) == (0, 0)
    assert first[1] == second[1].replace("; read as gzip", "") and "Standard input: 200 rows, 60 positive (y = yes)" in piped


def test_parquet(folder):
    path = folder / "scores.parquet"
    try: scored().to_parquet(path)
    except ImportError:
        path.write_bytes(b"PAR1 and so on")
        code, _, err = command("report", path, "--label", "y", "--score", "model_a")
        assert code == 2 and "pip install pyarrow" in err and err.count("\n") == 1
        return
    table = cb.read_scores(path, "y", ["model_a", "model_b"])
    np.testing.assert_array_equal(table.scores["model_b"], scored().model_b)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(ValueError, match="not a Parquet file that can be read"): cb.read_scores(path, "y", "model_a")


def test_an_own_condition_that_needs_no_grid_point():
    report = cb.report(scored(), label="y", score=["model_a"], thresholds=0.5, prevalence=0.003, cost_fn=37, cost_fp=2)
    w = 0.003 * 37 / (0.003 * 37 + 0.997 * 2)
    assert np.min(abs(report.comparison.w - w)) < 1e-15 and f"w = {w:.3g}" in report.html()
    equal = cb.report(scored(), label="y", score=["model_a"], thresholds=0.5, prevalence=0.5)
    assert len(equal.comparison.w) == 99  # w = 0.5 stands in the grid already


def test_the_grid_follows_the_condition_and_the_thresholds():
    table, val = scored(), scored(seed=5)
    rule = cb.optimal_thresholds(val.y, val.model_a)
    inner = rule.breakpoint[(rule.breakpoint > 0) & (rule.breakpoint < 1)]
    report = cb.report(table, label="y", score="model_a", validation=val, prevalence=0.0002)
    w = report.comparison.w
    assert set(inner.tolist()) <= set(w.tolist()) and w[0] < 0.0002 / 1.5 and (np.diff(w) > 0).all()
    fine = np.linspace(0.01, 0.99, 3001)  # between its points the curve is straight: nothing is lost
    np.testing.assert_allclose(np.interp(fine, w, report.comparison.cost["model_a"].mean), cb.exact_cost(table.y, table.model_a, fine, rule).mean, atol=1e-12)
    axes = cb.reporting.fig_costs(report.comparison, report.condition.w).axes
    assert axes[0].get_xscale() == "logit" and axes[0].get_xlim()[0] <= 0.0002
    assert cb.reporting.fig_costs(report.comparison, 0.3).axes[0].get_xscale() == "linear"


@pytest.mark.parametrize("sampling", ["stratified", "full"])
@pytest.mark.parametrize("prevalence, cost_fn, cost_fp", [(0.0005, 1, 1), (0.3, 5, 1), (0.9999, 3, 2), (0.02, 500, 10)])
def test_the_table_of_a_condition_is_computed_there(sampling, prevalence, cost_fn, cost_fp):
    table = scored()
    rule = cb.optimal_thresholds(scored(seed=5).y, scored(seed=5).model_a)
    comparison = cb.compare(table.y, {"a": table.model_a, "b": table.model_b}, {"a": rule, "b": 0.5}, sampling=sampling)
    condition = cb.reporting.Condition(prevalence, cost_fn, cost_fp)
    found = cb.condition_table(comparison, condition)
    for name, column, t in (("a", "model_a", rule(condition.w)), ("b", "model_b", 0.5)):
        missed = 1000 * prevalence * np.mean(table[column][table.y == 1] < t)
        alarms = 1000 * (1 - prevalence) * np.mean(table[column][table.y == 0] >= t)
        expected = [missed, alarms, cost_fn * missed + cost_fp * alarms]
        np.testing.assert_allclose(found.loc[name, ["missed", "alarms", "expense"]].astype(float), expected, rtol=1e-9, atol=1e-12)
        law = cb.exact_cost(table.y, table[column], condition.w, t)
        if sampling == "stratified": np.testing.assert_allclose([found.loc[name, "cost_low"], found.loc[name, "cost_high"]], law.interval(0.9), rtol=1e-12)


def test_a_list_of_thresholds_knows_its_own_conditions_only():
    table = scored()
    comparison = cb.compare(table.y, {"a": table.model_a}, {"a": [0.2, 0.4]}, w=[0.3, 0.6])
    assert cb.condition_table(comparison, cb.reporting.Condition(0.3, 1, 1)).loc["a", "threshold"] == 0.2
    with pytest.raises(ValueError, match=r"`condition` must be one of the operating conditions that were examined.*got w = 0.5"):
        cb.condition_table(comparison, cb.reporting.Condition(0.5, 1, 1))


# --- what a terminal shows ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("models", [1, 2, 6])
def test_every_line_for_a_terminal_has_at_most_100_columns(models, tmp_path, capsys):
    "Long names that differ in the middle only, costs in millions, long paths; names stay apart."
    rng, y = np.random.default_rng(models), np.repeat([1, 0], [20, 40])
    names = [f"gradient_boosting_with_calibrated_probabilities_{k}_trained_on_all_payments_of_the_last_quarter_final" for k in range(models)]
    pd.DataFrame({"y": y} | {name: y + rng.normal(size=60) for name in names}).to_csv(tmp_path / "s.csv", index=False)
    page = tmp_path / ("a_long_name_of_a_page_" * 6 + ".html")
    words = ["report", str(tmp_path / "s.csv"), "--label", "y", "--thresholds", "0.5", "--cost-fn", "123456789", "--no-simultaneous", *(w for name in names for w in ("--score", name))]
    assert main([*words, "-q", "--json", str(tmp_path / "old.json"), "-o", str(page)]) == 0
    capsys.readouterr()
    assert main([*words, "--prevalence", "0.0003", "--since", str(tmp_path / "old.json"), "-o", str(page)]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 100
    shown = re.findall(r"^(\S+…\S+|\d+:\S+) = ", out, flags=re.M)
    assert len(set(shown)) == models, out
    assert "123,456,789" in out and str(page) in out.replace("\n", "")
    assert ("Rates and all" in out) == (models > 3)


def test_conditions_near_the_ends_are_not_called_0_or_1():
    words = cb.reporting.sentences.w_words
    assert [words(w) for w in (0.5, 0.168, 0.001, 0.995, 1 - 4e-8, 2e-7)] == ["0.50", "0.168", "0.001", "0.995", "1 - 4e-08", "2e-07"]
    report = cb.report(scored(), label="y", score="model_a", thresholds=0.5, prevalence=0.001, cost_fn=2)
    assert "w = 0.002" in cb.reporting.comparison_table(report.comparison, [report.condition.w]).columns
    assert repr(report) == "Report('How good is model_a?', 200 instances, prevalence 0.001, as given)" and "prevalence: 0.001, as given" in report.summary[0]


@pytest.mark.parametrize("one, two", [("--json", "--csv"), ("-o", "--csv"), ("-o", "--json")])
def test_two_outputs_need_two_files(one, two, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    scored().to_csv("s.csv", index=False)
    assert main(["report", "s.csv", "--label", "y", "--score", "model_a", one, "x", two, "./x"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and f"{two} must be another file than" in err and err.count("\n") == 1 and [p.name for p in tmp_path.iterdir()] == ["s.csv"]


# --- the example ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [[], ["report"]])
def test_without_a_file_the_example_is_shown(words, tmp_path):
    code, out, err = command(*words, cwd=tmp_path)
    assert (code, err) == (0, "")
    assert "logistic regression: cost" in out and out.rstrip().endswith("costboot-demo.html")
    assert [p.name for p in tmp_path.iterdir()] == ["costboot-demo.html"]
    assert Page((tmp_path / "costboot-demo.html").read_text(encoding="utf8")).tags.count("svg") == 5


def test_the_table_shows_what_the_laws_say():
    example = cb.reporting.example_scores()
    comparison = cb.compare(example.y_true, example.scores, example.thresholds, w=[0.1, 0.5, 0.9], method="exact")
    table = cb.reporting.comparison_table(comparison, w=[0.5])
    mean, low, high = map(float, re.fullmatch(r"(\S+) \((\S+) to (\S+)\)", table.loc["cost: naive Bayes - logistic regression", "w = 0.50"]).groups())
    interval = comparison.difference.interval(0.9, "exact")
    np.testing.assert_allclose([mean, low, high], [comparison.difference.mean[1], interval.low[1], interval.high[1]], atol=5e-4)


# --- names ----------------------------------------------------------------------------------------------------------------


def test_names_with_html_are_text(folder):
    names = ["<b>bold</b>", "\"><script>alert('x')</script>", "$a$ & $b$", "_hidden", "x" * 200, "line\nbreak"]
    table = scored()[["y"]].rename(columns={"y": "<i>y</i>"})
    for k, name in enumerate(names): table[name] = scored(seed=k).model_b.to_numpy()
    table.to_csv(folder / "<u>file.csv", index=False)
    code, _, err = command("report", folder / "<u>file.csv", "--label", "<i>y</i>", *[word for name in names for word in ("--score", name)], "--thresholds", "0.5", "--title", "<h1>&amp;",
                           "-o", folder / "names.html")
    assert (code, err) == (0, "")
    page = Page((folder / "names.html").read_text(encoding="utf8"))
    assert not {"b1", "script", "u"} & set(page.tags) and page.tags.count("h1") == 1 and set(page.attributes).isdisjoint({("onclick", "")})
    for raw in ("<b>bold", "<script", "<i>y", "<u>file", "<h1>&amp;<"): assert raw not in page.source
    for name in names: assert " ".join(name.split()) in page.words
    assert "<h1>&amp;" in page.words  # shown as it was typed


# --- mistakes -------------------------------------------------------------------------------------------------------------

GOOD = "y,a,b\n" + "".join(f"{k % 2},{k / 10},{(k * 7) % 10}\n" for k in range(20))
FILES = {
    "missing column": (GOOD.replace("y,a,b", "y,c,b"), "has no column 'a'; it has 'y', 'c', 'b'"),
    "three labels": (GOOD.replace("1,0.1", "2,0.1"), "must hold two different labels; it has 0, 2, 1"),
    "one label": ("y,a,b\n1,2,3\n1,3,4\n", "it has only 1"),
    "unclear labels": (GOOD.replace("\n0,", "\n2,"), "say with --pos-label which one is positive"),
    "empty": ("", "is empty"),
    "header only": ("y,a,b\n", "has no rows"),
    "long row": (GOOD + "1,2,3,4\n", "Expected 3 fields in line 22, saw 4"),
    "all rows long": ("y,a,b\n1,2,3,4\n0,2,3,4\n", "more fields than the header"),
    "short row": (GOOD + "1,2\n", "column 'b' of .* row 21 has none"),
    "open quote": (GOOD + '1,"2,3\n', "EOF inside string"),
    "text score": (GOOD.replace("0.3", "high"), "column 'a' of .* must hold numbers; row 4 has 'high'"),
    "missing score": (GOOD.replace("0.3", ""), "column 'a' of .* row 4 has none"),
    "missing label": (GOOD.replace("\n1,0.3", "\n,0.3"), "column 'y' of .* row 4 has none"),
    "infinite score": (GOOD.replace("0.3", "inf"), "must hold finite numbers; row 4 has inf"),
    "name twice": (GOOD.replace("y,a,b", "y,a,a"), "has 2 columns called 'a'"),
    "not text": (b"\x80\xfe\x00\x01", "is no text in UTF-8, UTF-16 or Latin-1"),
    "half UTF-16": (b"\xff\xfey\x00,", "begins like UTF-16 text, and is not"),
    "one of a class": ("y,a,b\n1,2,3\n0,2,3\n0,4,4\n", "at least two instances of each class to be split"),
}


@pytest.mark.parametrize("case", FILES)
def test_a_bad_file_is_one_line_and_exit_code_2(case, tmp_path, capfd):
    content, expected = FILES[case]
    path = tmp_path / "scores.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert main(["report", str(path), "--label", "y", "--score", "a", "--score", "b", "-o", str(tmp_path / "out.html")]) == 2
    shown = capfd.readouterr()
    assert shown.out == "" and shown.err.count("\n") == 1 and shown.err.startswith("costboot: ")
    assert re.search(expected, shown.err), shown.err
    assert [p.name for p in tmp_path.iterdir()] == ["scores.csv"]


def test_a_bad_file_in_a_real_process(tmp_path):
    (tmp_path / "scores.csv").write_text("y,a\n1,x\n0,y\n")
    code, out, err = command("report", "scores.csv", "--label", "y", "--score", "a", cwd=tmp_path)
    assert (code, out) == (2, "") and err == "costboot: column 'a' of 'scores.csv' must hold numbers; row 1 has 'x' (2 of 2 rows).\n"


FILE = ["scores.csv", "--label", "y", "--score", "a"]


@pytest.mark.parametrize("words, expected", [
    (["--level", "95"], "--level must be a number strictly between 0 and 1; got 95.0 - did you mean 0.95"),
    (["-o", "no/such/folder/x.html"], "must lie in a folder that exists"),
    (["-o", "."], "is a folder"),
    (["nothing.csv", "--label", "y", "--score", "a"], "there is no file 'nothing.csv'"),
    ([".", "--label", "y", "--score", "a"], "'.' is a folder"),
    (["scores.csv"], "--label must be given"),
    (["scores.csv", "--label", "y"], "--score must be given"),
    (["--label", "y"], "--label goes with a table"),
    ([*FILE, "--score", "a"], "--score must name different columns"),
    (["scores.csv", "--label", "y", "--score", "y"], "must not name the label column"),
    ([*FILE, "--pos-label", "yes"], "--pos-label must be one of them, got 'yes'"),
    ([*FILE, "-o", "scores.csv"], "must not be a file that is read"),
    ([*FILE, "--validation", "scores.csv"], "must be other data than the test set"),
    ([*FILE, "--validation", "v.csv", "--thresholds", "calibrated"], "not allowed with argument"),
    ([*FILE, "--thresholds", "best"], "invalid"),
    ([*FILE, "--thresholds", "calibrated"], "--thresholds 'calibrated' needs probabilities"),
    ([*FILE, "--prevalence", "2"], "--prevalence must lie in"),
    ([*FILE, "--cost-fn", "-1"], "--cost-fn must not be negative"),
    ([*FILE, "--cost-fn", "0", "--cost-fp", "0"], "must not both be 0"),
    ([*FILE, "--method", "magic"], "invalid choice: 'magic'"),
    ([*FILE, "--colour", "red"], "unrecognized arguments"),
    ([*FILE, "--seed", "-3"], "--seed must be a whole number"),
    ([*FILE, "--sep", "::"], "--sep must be a single character"),
])
def test_mistakes_on_the_command_line_are_one_line_and_exit_code_2(words, expected, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores.csv").write_text(GOOD)
    assert main(words) == 2
    shown = capfd.readouterr()
    assert shown.out == "" and shown.err.count("\n") == 1 and shown.err.startswith("costboot: ") and expected in shown.err, shown.err
    assert [p.name for p in tmp_path.iterdir()] == ["scores.csv"] and (tmp_path / "scores.csv").read_text() == GOOD


def test_cautions():
    table = scored()
    table["turned"], table["perfect"] = -table.model_b, table.y + 0.0
    turned = cb.report(table, label="y", score="turned", thresholds=-0.5)
    assert any("below one half" in s for s in turned.cautions) and any("costs significantly more than labelling everything negative" in s for s in turned.cautions)
    perfect = cb.report(table, label="y", score="perfect", thresholds=0.5, method="exact")
    assert any("length zero" in s for s in perfect.cautions)
    assert cb.report(table, label="y", score="model_b", thresholds=1.0).cautions == ()
    few = cb.report(scored(3, 100), label="y", score="model_a", thresholds=0.5)
    assert any("only 3 positive instances" in s for s in few.cautions)
    unused = cb.report(table, label="y", score="model_a", thresholds=np.inf)
    assert any("labels everything negative" in s for s in unused.cautions) and "all negative" in unused.html()


def printed(report):
    "All intervals of a page and its summary, as (low, high)."
    text = " ".join([Page(report.html()).words, *report.summary])
    return [tuple(map(float, pair)) for pair in re.findall(r"(-?\d+\.\d+) to (-?\d+\.\d+)", text)]


@pytest.mark.parametrize("method", ["recommended", "conservative", "exact", "wald", "agresti"])
@pytest.mark.parametrize("n_pos, n_neg", [(2, 3), (25, 25), (60, 400)])
def test_an_interval_without_length_has_its_sentence(method, n_pos, n_neg):
    "Separated classes, and a copy of the same model: everything that can collapse does."
    y = np.repeat([1, 0], [n_pos, n_neg])
    report = cb.report({"y": y, "a": y + 0.0, "b": 2.0 * y}, label="y", score=["a", "b"], thresholds=0.5, method=method)
    collapsed, said = any(low == high for low, high in printed(report)), " ".join(report.cautions)
    assert collapsed == ("length zero" in said) and collapsed == (method in ("exact", "wald", "agresti"))  # with agresti: the areas, which are wald's
    if collapsed: assert 'can still happen' in said and '"recommended" does' in said and "area of a" in said
    for name in "ab": assert f"The scores of {name} separate the classes" in said


@pytest.mark.parametrize("method", ["recommended", "conservative"])
def test_separated_classes_have_an_honest_area(method):
    y = np.repeat([1, 0], 25)
    report = cb.report({"y": y, "a": y + 0.0}, label="y", score="a", thresholds=0.5, method=method)
    low, high = report.comparison.limits(report.comparison.auc["a"])
    assert (low, high) == cb.exact_auc(y, y + 0.0).interval(0.9, method) and 0.8 < low < 0.96 and high == 1
    (said,) = report.cautions
    assert f"areas from {low:.3f} to 1.000 agree with these data (90 %, {method})" in said
    assert f"1.000 ({low:.3f} to 1.000)" in " ".join(report.summary) and "1.000 to 1.000" not in Page(report.html()).words


def test_where_scores_are_not_used_nothing_is_in_doubt():
    "A rule that labels everything positive has rates without doubt: no caution about length zero."
    report = cb.report(scored(), label="y", score="model_a", thresholds=-np.inf, method="wald")
    assert not any("; false positive rate of" in s or "cost of" in s for s in report.cautions)


# --- who is better ----------------------------------------------------------------------------------------------------------


def plainly(order, method="recommended", sampling="stratified"):
    "A report on an old model and one that is plainly better, in some order."
    rng, y = np.random.default_rng(8), np.repeat([1, 0], 200)
    scores = {"old": y + rng.normal(size=400), "new": 4 * y + rng.normal(size=400) - 1.5}
    return cb.report({"y": y} | scores, label="y", score=list(order), thresholds={"old": 0.5, "new": 0.5}, method=method, sampling=sampling)


@pytest.mark.parametrize("sampling", ["stratified", "full"])
@pytest.mark.parametrize("method", ["recommended", "conservative", "exact", "wald", "agresti"])
@pytest.mark.parametrize("order", [("old", "new"), ("new", "old")])
def test_the_better_one_is_named_for_every_quantity(order, method, sampling):
    report = plainly(order, method, sampling)
    said, evidence, second = " ".join(report.summary), report.comparison.pairs[order], order[1] == "new"
    assert "There new costs significantly less" in said and "new costs significantly less for w from 0.01 to 0.99." in said
    assert "new has the significantly larger area" in said and re.search(r"new dominates old in (100|more than 99.9) %", said) and re.search(r"old dominates new in (0|less than 0.1) %", said)
    assert "old costs" not in said and "old has" not in said and "cannot tell" not in said
    sign = 1 if second else -1  # second minus first: a lower cost, fewer false and more true positives, a larger area
    assert (sign * evidence.cost.mean < 0).all() and (sign * evidence.roc.fpr.mean < 0).all() and (sign * evidence.roc.tpr.mean > 0).all()
    assert sign * evidence.auc.mean > 0 and (evidence.verdict == -sign).all()
    first_wins, second_wins = evidence.dominance()
    assert (second_wins if second else first_wins).min() > 0.99


def test_the_better_one_is_named_in_the_tables():
    for order in (("old", "new"), ("new", "old")):
        report, second = plainly(order), order[1] == "new"
        (row,) = cb.reporting.page._pair_table(report.comparison, report.condition).rows
        assert row[0] == f"{order[1]} minus {order[0]}" and row[3] == "new"
        assert row[1].startswith("-") == second and row[4].startswith("-") != second  # cost, area
        assert (float(row[6]) > 0.99) == second and (float(row[5]) > 0.99) != second  # first dominates, second dominates
        together, ranges = cb.reporting.page._range_table(report.comparison).rows
        assert together[0] == f"{order[0]} | {order[1]}, all w together" and "from" in together[2 if second else 1] and together[1 if second else 2] == "nowhere"
        assert ranges[1:] == (["nowhere", "from 0.01 to 0.99", "nowhere"] if second else ["from 0.01 to 0.99", "nowhere", "nowhere"])


def test_the_p_values_are_those_of_the_laws():
    report = plainly(("old", "new"))
    close = cb.report(scored(), label="y", score=["model_a", "model_c"], thresholds=0.5)
    for made in (report, close):
        (evidence,) = made.comparison.pairs.values()
        np.testing.assert_allclose(evidence.corrected, evidence.cost.p_value(), rtol=1e-12)
        low, high = made.comparison.limits(evidence.cost)
        np.testing.assert_array_equal(evidence.corrected < 0.1, (low > 0) | (high < 0))
    p = evidence.auc.p_value()
    assert f"p = {p:.2g}." in " ".join(close.summary) and f"p = {evidence.corrected[close.comparison.at(close.condition.w)]:.2g}" in " ".join(close.summary)


# --- method and level -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method, area", [("recommended", "recommended"), ("conservative", "conservative"), ("exact", "wald"), ("agresti", "wald")])
def test_every_table_figure_and_summary_says_method_and_level(method, area):
    report = cb.report(scored(), label="y", score=["model_a", "model_b"], thresholds=0.5, method=method, confidence_level=0.8)
    comparison, page = report.comparison, report.html()
    tables = cb.reporting.page._tables(comparison, report.condition)
    for name, table in tables.items(): assert f"80 % ({area if name == 'areas' else method})" in " ".join([table.caption, *table.head]), name
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", page, flags=re.S)
    assert [f"80 % ({method})" in text for text in captions] == [True] * 4 + [False]  # dominance has no interval
    assert any(f'at level 80 %, by the method "{method}"' in s for s in report.summary)
    assert f"{method}: {cb.reporting.page.METHOD_WORDS[method][:30]}" in Page(page).words
    table = cb.condition_table(comparison, report.condition)
    assert set(table["method"]) == {method} and set(table["level"]) == {0.8}
    assert f"80 % ({method})" in cb.reporting.comparison_table(comparison).to_string()
    for draw in (cb.reporting.fig_costs, cb.reporting.fig_difference, cb.reporting.fig_rocs, cb.reporting.fig_regions):
        legend = draw(comparison).axes[0].get_legend()
        assert f"80 % ({method})" in " ".join([legend.get_title().get_text(), *(t.get_text() for t in legend.get_texts())])


def test_the_command_recommends(capsys):
    with pytest.raises(SystemExit): main(["report", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "{recommended,conservative,exact,wald,agresti}" in said and "(default: recommended;" in said


def test_help_table_pages_and_readme_name_the_same_options(capsys):
    "The table of the page is made from the parser; what README and the pages write after `costboot report` exists."
    from pathlib import Path
    from costboot.reporting import command as module
    parser = module._parser()
    options = {name for action in parser._actions for name in action.option_strings if name.startswith("--")}
    assert set(module.FLAGS.values()) | {"--quiet", "--help", "--version", "--no-simultaneous"} == options
    with pytest.raises(SystemExit): main(["report", "--help"])
    said = capsys.readouterr().out
    table = module.flag_table(parser)
    for names, _, meaning in table:
        for name in names.split(", "): assert name in said, name
        assert "".join(meaning.split()) in "".join(said.replace("-\n", "-").split()), meaning
    root = Path(__file__).resolve().parents[2]
    page = (root / "nbs/reporting/04_command.ipynb").read_text(encoding="utf8")
    for names, *_ in table: assert f"| `{names}` |" in page, names
    texts = [root / "README.md", *sorted((root / "nbs/reporting").glob("0[0-47]*.ipynb"))]
    for path in texts:
        for line in re.findall(r"costboot report ([^`\"]*?)(?=`|\"|costboot plan|$)", path.read_text(encoding="utf8")):
            unknown = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", line)) - options
            assert not unknown, (path.name, unknown)


def test_the_smallest_test_set():
    report = cb.report({"y": [1, 0], "a": [0.9, 0.1], "b": [0.2, 0.3]}, label="y", score=["a", "b"], thresholds=0.5)
    assert Page(report.html()).tags.count("svg") == 5 and any("only 1 negative instance in" in s for s in report.cautions)


# --- files ------------------------------------------------------------------------------------------------------------------


def test_an_older_report_survives_a_failure(tmp_path, monkeypatch):
    report, old = cb.report(scored(), label="y", score="model_a", thresholds=0.5), tmp_path / "report.html"
    old.write_text("old")
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError): report.save(old)
    assert old.read_text() == "old" and [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_an_older_report_survives_a_full_disk(folder, tmp_path):
    "A real one: the process may write no more than 20 kB."
    old = tmp_path / "report.html"
    old.write_text("old")
    limited = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n" + RUN
    words = ["report", str(folder / "scores.csv"), "--label", "y", "--score", "model_a", "-o", str(old)]
    done = subprocess.run([sys.executable, "-c", limited, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "File too large" in done.stderr, done.stderr
    assert old.read_text() == "old" and [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_permissions_and_links_are_kept(tmp_path):
    report = cb.report(scored(), label="y", score="model_a", thresholds=0.5)
    old, link, new = tmp_path / "old.html", tmp_path / "link.html", tmp_path / "new.html"
    old.write_text("old")
    old.chmod(0o600)
    link.symlink_to(old)
    assert report.save(link) == old.resolve() and link.is_symlink() and old.stat().st_mode & 0o777 == 0o600
    mask = os.umask(0o027)
    try: report.save(new)
    finally: os.umask(mask)
    assert new.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("bar", [True, False])
def test_a_terminal_gets_a_progress_bar(folder, bar):
    "Standard error is a real terminal (a pseudo-terminal) here. The environment can switch the bar off."
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    words = [sys.executable, "-c", RUN, "report", str(folder / "scores.csv"), "--label", "y", "--score", "model_a", "-o", str(folder / "bar.html")]
    env = {name: value for name, value in os.environ.items() if name != "TQDM_DISABLE"}  # another test may have set it
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=theirs, env=env if bar else env | {"TQDM_DISABLE": "1"})
    os.close(theirs)
    shown = b""
    while True:
        ready, over = select.select([ours], [], [], 1)[0], process.poll() is not None
        if not ready and over: break
        try: shown += os.read(ours, 4096) if ready else b""
        except OSError: break  # the other end is closed
    status, text = process.wait(600), shown.decode(errors="replace")
    os.close(ours)
    assert status == 0, text
    if not bar: return
    parts = [tuple(map(int, pair)) for pair in re.findall(r"(\d+)/(\d+) \[", text)]
    assert {total for _, total in parts} == {6} and parts[-1][0] in (5, 6) and parts == sorted(parts), parts  # it ends where it promised to
    for word in ("reading", "model_a", "figures"): assert word in text


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--method", "exact"], ["--method", "exact", "--sampling", "full"]])
def test_a_million_rows(tmp_path, options):
    y, s, z = cb.BinormalPair(cb.Binormal(2.0), cb.Binormal(2.1), correlation=0.7).sample(100_000, 900_000, rng=1)
    table = pd.DataFrame({"y": y, "model_a": s, "model_b": z}).sample(frac=1, random_state=0)
    table.to_csv(tmp_path / "big.csv", index=False)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    code, out, err = command("report", tmp_path / "big.csv", "--label", "y", "--score", "model_a", "--score", "model_b", "-o", tmp_path / "big.html", *options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert (code, err) == (0, "") and "500,000 instances" in out
    assert (tmp_path / "big.html").stat().st_size < 3_000_000
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 60  # processor time: other work does not count
