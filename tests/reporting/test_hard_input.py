"""Files that are too much, or whose name or index is unusual: the report, or one sentence that names the file and the limit."""

import gzip
import os
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

import costboot as cb
from costboot.core.checks import printable
from costboot.reporting.command import main

RUN = "import sys; from costboot.reporting.command import main; sys.exit(main(sys.argv[1:]))"


def scored():
    rng = np.random.default_rng(0)
    y = np.tile([0, 1, 0], 20)
    return pd.DataFrame({"y": y, "a": np.round(y + rng.normal(size=60), 3), "b": np.round(y + rng.normal(size=60), 3)})


@pytest.mark.parametrize("index", ["y", "a", ["y", "a"], ["y", "a", "b"]])
def test_parquet_with_the_label_or_the_score_as_index(tmp_path, index):
    pytest.importorskip("pyarrow")
    scored().set_index(index).to_parquet(tmp_path / "i.parquet")
    scored().to_parquet(tmp_path / "c.parquet")
    one, other = (cb.read_scores(tmp_path / f"{k}.parquet", "y", ["a", "b"]) for k in "ic")
    np.testing.assert_array_equal(one.y_true, other.y_true)
    for name in "ab": np.testing.assert_array_equal(one.scores[name], other.scores[name])
    told = cb.read_scores(scored().set_index(index), "y", ["a", "b"])  # a table in memory is read as its file is
    np.testing.assert_array_equal(told.scores["a"], other.scores["a"])
    counts, same = (cb.counts_from(table, "y", "a", 0.5) for table in (str(tmp_path / "i.parquet"), scored().set_index(index)))
    assert counts.count_pos[0] == same.count_pos[0] == np.count_nonzero((one.scores["a"] >= 0.5) & one.y_true)


def test_a_file_name_that_is_not_utf8(tmp_path, capsys):
    folder = os.fsencode(tmp_path)
    data, page = (os.fsdecode(folder + name) for name in (b"/sc\xffores.csv", b"/pa\xfege.html"))
    try: scored().to_csv(data, index=False)
    except OSError: pytest.skip("this file system takes UTF-8 names only")
    assert main(["report", data, "--label", "y", "--score", "a", "--thresholds", "0.5", "-o", page, "--title", "T\udcff"]) == 0
    printed = capsys.readouterr().out
    text = open(page, encoding="utf8").read()
    assert "sc\\xffores.csv" in text and "pa\\xfege.html" in printed and "T\\xff" in printed
    assert cb.report(data, label="y", score="a", thresholds=0.5).html().encode("utf8")
    assert main(["report", data, "--label", "y", "--score", "none", "-o", page]) == 2
    assert "ores.csv" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_columnar_files_whose_name_is_not_utf8(tmp_path, kind):
    "Arrow spells paths in UTF-8; for all others it gets the file opened."
    pytest.importorskip("pyarrow")
    path, missing = (os.fsdecode(os.fsencode(tmp_path) + b"/sc\xff" + name + b"." + kind.encode()) for name in (b"", b"none"))
    plain = tmp_path / f"plain.{kind}"
    scored().to_parquet(plain) if kind == "parquet" else scored().to_feather(plain)
    try: os.link(plain, path)
    except OSError: pytest.skip("this file system takes UTF-8 names only")
    np.testing.assert_array_equal(cb.read_scores(path, "y", ["a"]).scores["a"], scored()["a"])
    with pytest.raises(ValueError, match="there is no file '.*none"): cb.read_scores(missing, "y", ["a"])
    if kind == "arrow":
        with pytest.raises(ValueError, match=r"`table` must be a Parquet file or a folder of them; got '.*sc\\udcff.arrow'"): cb.counts_from(path, "y", "a", 0.5)
        return
    counts = cb.counts_from(str(plain), "y", "a", 0.5)
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/fo\xfflder")
    os.mkdir(folder)
    os.link(plain, folder + "/1.parquet")
    for table in (path, folder): np.testing.assert_array_equal(cb.counts_from(table, "y", "a", 0.5).count_pos, counts.count_pos)
    with pytest.raises(FileNotFoundError, match="`table` must be a file or a folder; there is no '.*none"): cb.counts_from(missing, "y", "a", 0.5)


def test_printable():
    assert printable("plain é") == "plain é" and printable("\udcff") == "\\xff" and printable("\ud800") == "\\ud800"


def test_the_command_for_reproduction_reads_the_same_file(tmp_path):
    data = os.fsdecode(os.fsencode(tmp_path) + b"/sc\xffores.csv")
    try: scored().to_csv(data, index=False)
    except OSError: pytest.skip("this file system takes UTF-8 names only")
    line = cb.report(data, label="y", score="a", thresholds=0.5).origin["command"]
    word = line.split()[2]
    assert os.path.exists(subprocess.run(["bash", "-c", f"printf %s {word}"], capture_output=True, check=True).stdout)


def test_a_small_file_that_unpacks_to_much(tmp_path):
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"y,a\n" + bytes(30_000_000)))
    begin = time.process_time()
    with pytest.raises(ValueError, match=r"bomb.csv.gz' is longer than 0.02 GB unpacked, the limit that `max_gb` sets"):
        cb.read_scores(path, "y", "a", max_gb=0.02)
    assert time.process_time() - begin < 5
    with pytest.raises(ValueError, match="columns|fields|read|rows|label|UTF"): cb.read_scores(path, "y", "a", max_gb=0.05)


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no endless file here")
def test_an_endless_file_and_an_endless_pipe(capsys):
    with pytest.raises(ValueError, match="'/dev/zero' is longer than 0.01 GB"): cb.read_scores("/dev/zero", "y", "a", max_gb=0.01)
    assert main(["report", "/dev/zero", "--label", "y", "--score", "a", "--max-gb", "0.01", "-o", "/dev/null"]) == 2
    assert "--max-gb" in capsys.readouterr().err
    with subprocess.Popen(["yes", "1,0.5"], stdout=subprocess.PIPE) as endless:
        done = subprocess.run([sys.executable, "-c", RUN, "report", "-", "--label", "y", "--score", "a", "--max-gb", "0.01", "-o", "/dev/null"],
                              stdin=endless.stdout, capture_output=True, check=False, timeout=100)
        endless.kill()
    assert done.returncode == 2 and b"standard input is longer than 0.01 GB" in done.stderr and done.stderr.count(b"\n") == 1


def test_a_million_columns(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{i}" for i in range(10**6)) + "\n" + ",".join("1" * 10**6) + "\n")
    begin = time.process_time()
    with pytest.raises(ValueError, match="1,000,000 fields in its first line; `max_columns` allows 10,000"): cb.read_scores(path, "y", "a")
    assert time.process_time() - begin < 5
    wide = pd.DataFrame({f"c{i}": [0, 1, 1] for i in range(10_001)})
    wide.to_csv(path, index=False)
    with pytest.raises(ValueError, match="max_columns"): cb.read_scores(path, "c0", "c1")
    assert len(cb.read_scores(path, "c0", "c1", max_columns=20_000)) == 3


def test_a_parquet_file_of_very_many_equal_rows(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet
    parquet.write_table(arrow.table({"y": np.zeros(10**6, np.int8), "a": np.zeros(10**6)}), tmp_path / "p.parquet")
    with pytest.raises(ValueError, match=r"1,000,000 rows, 0.016 GB unpacked; `max_gb` allows 0.01"):
        cb.read_scores(tmp_path / "p.parquet", "y", "a", max_gb=0.01)


@pytest.mark.parametrize("limits", [{"max_gb": 0}, {"max_gb": "2"}, {"max_columns": 0}, {"max_columns": 1.5}])
def test_limits_are_checked(limits):
    with pytest.raises((ValueError, TypeError), match=f"`{next(iter(limits))}` must"): cb.read_scores(scored(), "y", "a", **limits)
