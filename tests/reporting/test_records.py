"""Reports for other programs: the schema, CSV, quiet runs, what has changed; rows that belong together; files as they come."""

import json
import pickle
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest

import costboot as cb
from costboot.reporting.command import main
from costboot.reporting.records import report_changes, report_dict, report_frame


def scored(seed=0, patients=60, shift=0.0):
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(patients), 2)
    y = (patient % 3 == 0).astype(int)
    own = rng.normal(size=patients)[patient]
    return pd.DataFrame({"y": y, "patient": patient, "a": y + own + 0.5 * rng.normal(size=y.size), "b": 2 * y + shift + own + 0.5 * rng.normal(size=y.size)})


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    "Two months of scores and the report on the first: folder, its JSON."
    here = tmp_path_factory.mktemp("months")
    for month, seed in (("may", 1), ("june", 2)): scored(seed).to_csv(here / f"{month}.csv", index=False)
    assert main(["report", str(here / "may.csv"), *WORDS, "--quiet", "--json", str(here / "may.json"), "--csv", str(here / "may.out.csv"), "-o", str(here / "p.html")]) == 0
    return here, json.loads((here / "may.json").read_text(encoding="utf8"))


WORDS = ["--label", "y", "--score", "a", "--score", "b", "--thresholds", "0.6", "--prevalence", "0.1", "--cost-fn", "10"]


def obeys(value, schema, root):
    "A small reader of JSON Schema: the words that the file uses, and no others."
    if "$ref" in schema: return obeys(value, root["$defs"]["quantity"], root)
    if "anyOf" in schema: return any(obeys(value, s, root) for s in schema["anyOf"])
    if "const" in schema: return value == schema["const"]
    if "enum" in schema: return value in schema["enum"]
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    known = {"object": dict, "array": list, "string": str, "number": (int, float), "integer": int, "null": type(None), "boolean": bool}
    if not any(isinstance(value, known[k]) and (k == "boolean" or not isinstance(value, bool)) for k in kinds): return False
    if isinstance(value, dict):
        parts = schema.get("properties", {})
        if not set(schema.get("required", ())) <= set(value) or (schema.get("additionalProperties") is False and not set(value) <= set(parts)): return False
        return all(obeys(value[k], parts[k], root) for k in value if k in parts)
    return all(obeys(v, schema["items"], root) for v in value) if isinstance(value, list) else True


def test_the_file_obeys_the_schema_and_a_wrong_one_does_not(two):
    schema = json.loads((files("costboot.reporting") / "report.schema.json").read_text(encoding="utf8"))
    record = two[1]
    assert obeys(record, schema, schema) and record["version"] == 1
    one = cb.report(scored(), label="y", score="a", thresholds=np.inf)
    assert obeys(one.to_dict(), schema, schema) and one.to_dict()["models"][0]["threshold"] == "inf"
    for wrong in ({"version": 2}, {"models": [{}]}, {"rows": None}, {"more": 1}): assert not obeys(record | wrong, schema, schema), wrong


def test_the_numbers_are_those_of_the_laws(two):
    here, record = two
    table, w = pd.read_csv(here / "may.csv"), 10 * 0.1 / (10 * 0.1 + 0.9)
    for one in record["models"]:
        law = cb.exact_cost(table.y, table[one["name"]], w, 0.6)
        np.testing.assert_allclose([one["cost"][k] for k in ("value", "low", "high")], [law.mean, *law.interval(0.9)], rtol=1e-10)
        np.testing.assert_allclose(one["expense"]["value"], 1000 * 1.9 * law.mean, rtol=1e-10)
    rows = pd.read_csv(here / "may.out.csv")
    np.testing.assert_allclose(rows[rows.quantity == "auc_difference"].value, record["pairs"][0]["auc_difference"]["value"], rtol=1e-12)
    assert (rows.low <= rows.value + 1e-12).all() and (rows.value <= rows.high + 1e-12).all() and set(rows.method) == {"recommended"}
    pd.testing.assert_frame_equal(cb.report(here / "may.csv", label="y", score=["a", "b"], thresholds=0.6, prevalence=0.1, cost_fn=10).to_frame(), report_frame(record))


def test_what_has_changed(two, capsys):
    here, record = two
    assert main(["report", str(here / "june.csv"), *WORDS, "--since", str(here / "may.json"), "-o", str(here / "p.html")]) == 0
    said = capsys.readouterr().out
    assert "(new minus old)" in said and max(map(len, said.replace(str(here), "").splitlines())) <= 100
    june = cb.report(here / "june.csv", label="y", score=["a", "b"], thresholds=0.6, prevalence=0.1, cost_fn=10)
    found = report_changes(here / "may.json", june).set_index(["quantity", "model"])
    old, new = (cb.exact_cost(t.y, t.a, 10 / 19, 0.6) for t in (pd.read_csv(here / f"{m}.csv") for m in ("may", "june")))
    change, (l_1, u_1), (l_2, u_2) = new.mean - old.mean, old.interval(0.9), new.interval(0.9)
    expected = change, change - np.hypot(new.mean - l_2, u_1 - old.mean), change + np.hypot(u_2 - new.mean, old.mean - l_1)
    np.testing.assert_allclose(found.loc[("cost", "a"), ["change", "low", "high"]].astype(float), expected, rtol=1e-9)
    assert report_changes(record, record).low.isna().all()  # the same file
    with pytest.raises(ValueError, match="`old` must have the same method as `new`"): report_changes(record, cb.report(here / "june.csv", label="y", score=["a", "b"], thresholds=0.6, prevalence=0.1, cost_fn=10, method="exact"))
    with pytest.raises(ValueError, match="`old` must be a report, its dictionary or its JSON file, of version 1"): report_changes({"schema": "x"}, june)


def test_another_prevalence_is_compared_at_the_old_one(two, capsys):
    here, record = two
    def june(**condition): return cb.report(here / "june.csv", label="y", score=["a", "b"], thresholds=0.6, **condition)
    alike, other = june(prevalence=0.1, cost_fn=10), june(prevalence=0.3, cost_fn=4)
    expected, found = (report_changes(record, made) for made in (alike, other))
    pd.testing.assert_frame_equal(found, expected, rtol=1e-9)  # the same question, the same answer
    assert expected.attrs["differs"] == [] and "another operating condition (30 % positives, a missed one costs 4" in found.attrs["differs"][0] and "w = 0.526" in found.attrs["differs"][0]
    areas = report_changes(record, other.to_dict())  # a record cannot be asked again
    assert set(areas.quantity) == {"auc", "auc_difference"} and "Only areas" in areas.attrs["differs"][0]
    fewer = cb.report(scored(4, patients=30), label="y", score=["b"], thresholds=0.6, prevalence=0.1, cost_fn=10)
    assert report_changes(record, fewer).attrs["differs"] == ["Old: 120 rows, 33.3% positive. New: 60 rows, 33.3% positive.", "Only in the old report: a."]
    assert main(["report", str(here / "june.csv"), *WORDS[:6], "--thresholds", "0.6", "--prevalence", "0.3", "--since", str(here / "may.json"), "-o", str(here / "p.html")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Its numbers here were computed for that of the old one: 10 % positives, a missed one costs 10" in said


def test_quiet_runs_print_nothing_and_mistakes_one_line(two, capsys):
    here, _ = two
    data = [str(here / "may.csv"), *WORDS, "-o", str(here / "p.html")]
    assert main([*data, "-q"]) == 0 and capsys.readouterr() == ("", "")
    assert main([*data, "--json", "-"]) == 0 and json.loads(capsys.readouterr().out)["schema"] == "costboot report"
    for wrong, words in ((["--since", str(here / "none.json")], "--since cannot be read"), (["--json", str(here / "may.csv")], "--json must not be a file that is read"), (["--csv", "no/such/x.csv"], "--csv must lie in a folder"),
                         (["--sample-weight", "wt"], "--sample-weight must be None; got 'wt'. The laws count rows"), (["--group", "y"], "--group must name a column of its own"), (["--group", "nobody"], "has no column 'nobody'")):
        assert main([*data, *wrong]) == 2
        out, err = capsys.readouterr()
        assert out == "" and words in err and err.count("\n") == 1, err


def test_rows_of_one_patient_belong_together():
    table = scored(3)
    report = cb.report(table, label="y", score=["a", "b"], group="patient", thresholds=0.6)
    c, groups = report.comparison, table.patient
    for law, expected in ((c.cost["a"], cb.exact_cost(table.y, table.a, c.w, 0.6, groups=groups)), (c.difference, cb.exact_cost_difference(table.y, table.a, table.b, c.w, 0.6, 0.6, groups=groups)),
                          (c.auc["b"], cb.exact_auc(table.y, table.b, groups=groups)), (c.pairs["a", "b"].auc, cb.exact_auc_difference(table.y, table.a, table.b, groups=groups))):
        np.testing.assert_allclose(c.limits(law), expected.interval(0.9), rtol=1e-10)
    assert report.summary[0].startswith("All 120 rows in 60 groups were used") and report.to_dict()["rows"]["groups"] == 60
    assert "Dominance" not in report.html() and report.to_dict()["pairs"][0]["dominates"] is None
    alone = cb.report(table, label="y", score=["a", "b"], thresholds=0.6).comparison
    wide, narrow = (np.subtract(*x.limits(x.cost["a"])[::-1]).mean() for x in (c, alone))
    assert wide > narrow  # pairs of rows say less than as many single ones


def test_groups_are_cross_fitted_as_a_whole():
    "Without thresholds: folds of whole patients, thresholds of each model, the laws of clusters, stretched."
    table = scored(3)
    report = cb.report(table, label="y", score=["a", "b"], group="patient", rng=4, progress=False)
    c, crossed = report.comparison, cb.cross_fit(table.y, table.a, table.b, groups=table.patient, rng=4)
    assert crossed.inflation == 2.0 and "CrossFit(2 classifiers, 120 rows in 60 groups" in repr(crossed)  # 20 patients with a positive
    for law, expected in ((c.cost["a"], crossed.cost(c.w)), (c.difference, crossed.cost_difference(c.w))):
        np.testing.assert_allclose([law.mean, *c.limits(law)], [expected.mean, *expected.interval(0.9)], rtol=1e-9, atol=1e-12)
    again = pickle.loads(pickle.dumps(c.difference))
    np.testing.assert_array_equal(np.array(again.interval(0.9)), np.array(c.difference.interval(0.9)))
    assert repr(c.difference[3]).startswith("ClusterCostDifference(") and len(c.difference[2:5]) == 3 and c.difference[2:5].inflation == 2.0
    whole = cb.exact_roc(table.y, crossed.scores[0], crossed.threshold(c.w), groups=table.patient)
    np.testing.assert_allclose(c.roc["a"].tpr.var, 2 * whole.tpr.var, rtol=1e-9)
    zero = np.isclose(c.difference.mean, 0, atol=1e-12)
    low, high = c.limits(c.difference)
    np.testing.assert_array_equal(c.pairs["a", "b"].verdict[~zero], np.where(high < -1e-12, -1, np.where(low > 1e-12, 1, 0))[~zero])
    assert report.summary[0].startswith("All 120 rows in 60 groups were used") and "by cross-fitting" in report.summary[0]
    assert c.label == "90 % (recommended), rows in 60 groups" and "rows in 60 groups" in cb.reporting.page.own_table(c, report.condition).caption
    assert any("random splits into folds" in s for s in report.summary) and "chosen on other groups of rows" in report.html()
    same = cb.compare(table.y, {"a": table.a, "b": table.b}, groups=table.patient, rng=4, w=c.w)
    np.testing.assert_array_equal(same.limits(same.difference), c.limits(c.difference))
    with pytest.raises(ValueError, match="`groups` must hold at least two with a positive instance"): cb.cross_fit([1, 1, 0, 0], [4, 3, 2, 1], groups=[1, 1, 2, 3])


def test_gaps_are_counted_where_they_are_left_out(tmp_path):
    table = scored()
    table.loc[[3, 7], "a"] = np.nan
    with pytest.raises(ValueError, match="row 4 has none"): cb.report(table, label="y", score="a", thresholds=0.5)
    report = cb.report(table, label="y", score="a", thresholds=0.5, drop_missing=True)
    assert report.summary[0].startswith("All 118 complete rows were used (2 with gaps were left out)") and report_dict(report)["rows"]["dropped"] == 2
    np.testing.assert_array_equal(report.comparison.scores["a"], table.a.dropna())


def test_columns_are_read_without_the_rest_of_the_file(tmp_path):
    pytest.importorskip("pyarrow")
    import pyarrow as pa
    table = scored()
    for k in range(40): table[f"more{k}"] = np.random.default_rng(k).random(len(table)).astype(np.float32)
    table.to_parquet(tmp_path / "wide.parquet")
    table.to_feather(tmp_path / "wide.arrow", compression="uncompressed")
    for name in ("wide.parquet", "wide.arrow"):
        size = (tmp_path / name).stat().st_size / 1e9
        found = cb.read_scores(tmp_path / name, "y", ["a", "b"], max_gb=size / 5)  # the file itself would not be let in
        np.testing.assert_array_equal(found.scores["b"], table.b)
        with pytest.raises(ValueError, match="`max_gb` allows"): cb.read_scores(tmp_path / name, "y", ["a", "b"], max_gb=1e-6)
    np.testing.assert_array_equal(cb.read_scores(pa.table(dict(table[["y", "a"]])), "y", "a").scores["a"], table.a)
    (tmp_path / "bad.arrow").write_bytes(b"ARROW1\0\0" + bytes(50))
    with pytest.raises(ValueError, match="is not an Arrow file that can be read"): cb.read_scores(tmp_path / "bad.arrow", "y", "a")


@pytest.mark.parametrize("kind, said", [("utf-8", None), ("utf-8-sig", "UTF-8 text with a byte order mark"), ("utf-16", "UTF-16 text"), ("utf-16-le", "UTF-16 text without a mark"), ("latin-1", "Latin-1 text (Windows-1252)"), ("cp1252", "Latin-1 text (Windows-1252)")])
@pytest.mark.parametrize("sep, decimal", [(",", "."), (";", ","), ("\t", ".")])
def test_encodings_separators_and_decimals_are_found_and_said(tmp_path, kind, said, sep, decimal):
    "Labels with umlauts; the first line of the report names what was found."
    table = scored().assign(y=lambda t: np.where(t.y == 1, "größer", "kleiner")).rename(columns={"a": "prüfung"})
    path = tmp_path / ("s.tsv" if sep == "\t" else "s.csv")
    path.write_text(table.to_csv(index=False, sep=sep, decimal=decimal), encoding=kind)
    found = cb.read_scores(path, "y", "prüfung", pos_label="größer")
    np.testing.assert_array_equal(found.scores["prüfung"], table["prüfung"])
    expected = ([said] if said else []) + {",": [], ";": ["fields separated by semicolons", "decimal commas"], "\t": ["fields separated by tabs"]}[sep]
    assert list(found.notes) == expected
    if kind in ("utf-8", "latin-1"):
        first = cb.report(path, label="y", score="prüfung", pos_label="größer", thresholds=0.6, progress=False).summary[0]
        assert first.endswith(f"; read as {', '.join(expected)}." if expected else "in the test set.")


def test_what_is_no_text_is_refused(tmp_path):
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    with pytest.raises(ValueError, match="is no text in UTF-8, UTF-16 or Latin-1"): cb.read_scores(tmp_path / "picture.png", "y", "a")
