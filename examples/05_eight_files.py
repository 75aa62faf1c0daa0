"""The command on eight kinds of files: the same numbers from each of them.

    python examples/05_eight_files.py
"""

import contextlib
import io
import json
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from costboot.reporting.command import main

rng = np.random.default_rng(5)
sick = rng.permutation(np.repeat(["yes", "no"], [70, 130]))
table = pd.DataFrame({"id": np.arange(200), "sick": sick, "old": np.round(rng.normal((sick == "yes") * 1.0), 3), "new": np.round(rng.normal((sick == "yes") * 2.0), 3)})
comma = table.to_csv(index=False, sep=";", decimal=",")
gaps = pd.concat([table, pd.DataFrame({"id": [200, 201], "sick": ["yes", None], "old": [1.0, 1.0], "new": [None, 1.0]})])
words = ["--label", "sick", "--pos-label", "yes", "--score", "new", "--thresholds", "0.8", "--prevalence", "0.05", "--cost-fn", "20"]

with tempfile.TemporaryDirectory() as folder:
    here, found = Path(folder), {}
    table.to_csv(here / "plain.csv", index=False)
    table.to_csv(here / "tabs.tsv", index=False, sep="\t")
    (here / "semicolons.csv").write_text(comma)
    (here / "spreadsheet.csv").write_text(comma, encoding="utf-16")
    (here / "marked.csv").write_text(table.to_csv(index=False), encoding="utf-8-sig")
    table.to_csv(here / "packed.csv.gz", index=False)
    table.to_parquet(here / "columns.parquet")
    table.to_feather(here / "columns.arrow")
    for path in sorted(here.iterdir()):
        two = ["--score", "old"] if path.name == "plain.csv" else []  # a page with one model is drawn faster
        code = main(["report", str(path), *words, *two, "--quiet", "--json", str(here / "out.json"), "-o", str(here / "page.html")])
        assert code == 0
        found[path.name] = json.loads((here / "out.json").read_text())
        print(f"{path.name:16} {found[path.name]['data'].split(' SHA')[0].split(': ', 1)[1]}")
    gaps.to_csv(here / "gaps.csv", index=False)
    with contextlib.redirect_stderr(io.StringIO()) as said: assert main(["report", str(here / "gaps.csv"), *words, "-o", str(here / "page.html")]) == 2
    print(said.getvalue().replace(folder, "").strip())
    assert main(["report", str(here / "gaps.csv"), *words, "--drop-missing", "--quiet", "--json", str(here / "out.json"), "-o", str(here / "page.html")]) == 0
    found["gaps.csv"] = json.loads((here / "out.json").read_text())

# --- by counting -------------------------------------------------------------------------------------------------------------
assert len(found) == 9 and found["gaps.csv"]["rows"] == {"n": 200, "n_pos": 70, "n_neg": 130, "dropped": 2, "groups": None}
w = 0.05 * 20 / (0.05 * 20 + 0.95)
for name, record in found.items():
    bill = []
    for one in record["models"]:
        above = table[one["name"]] >= 0.8
        missed, alarms = np.mean(~above[sick == "yes"]), np.mean(above[sick == "no"])
        np.testing.assert_allclose(one["cost"]["value"], w * missed + (1 - w) * alarms, rtol=1e-12, err_msg=name)
        np.testing.assert_allclose(one["missed"]["value"], 1000 * 0.05 * missed, rtol=1e-12)
        bill.append(1000 * (0.05 * 20 * missed + 0.95 * alarms))
        np.testing.assert_allclose(one["expense"]["value"], bill[-1], rtol=1e-12)
    assert record["models"][0] == found["plain.csv"]["models"][0], name  # to the last bit, limits included
    if record["pairs"]: np.testing.assert_allclose(record["pairs"][0]["expense_difference"]["value"], bill[1] - bill[0], rtol=1e-9)
