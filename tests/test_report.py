"""The demonstration: table, page, command."""

import re
import subprocess
import sys

import numpy as np
import pytest

import costboot as cb
from costboot.report import main


@pytest.fixture(scope="module")
def comparison():
    example = cb.example_scores()
    return cb.compare(example.y_true, example.scores, example.thresholds, w=[0.1, 0.5, 0.9])


def test_the_table_shows_what_the_laws_say(comparison):
    table = cb.comparison_table(comparison, w=[0.5])
    mean, low, high = map(float, re.fullmatch(r"(\S+) \((\S+) to (\S+)\)", table.loc["cost: second - first", "0.50"]).groups())
    interval = comparison.difference.interval(0.9, "exact")
    np.testing.assert_allclose([mean, low, high], [comparison.difference.mean[1], interval.low[1], interval.high[1]], atol=5e-4)


def test_the_page_is_whole_and_stands_alone(comparison, tmp_path):
    path = cb.report(comparison, tmp_path / "page.html", title="<T>")
    page = path.read_text(encoding="utf8")
    assert page.startswith("<!doctype html>") and page.endswith("</html>")
    assert "<T>" not in page and page.count("data:image/svg+xml") == 2
    assert not re.search(r"(?:src|href)=.?(?:https?:)?//", page)
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]


def test_an_older_page_survives_a_failure(comparison, tmp_path, monkeypatch):
    old = tmp_path / "page.html"
    old.write_text("old")
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError): cb.report(comparison, old)
    assert old.read_text() == "old" and [p.name for p in tmp_path.iterdir()] == ["page.html"]


def test_the_command(tmp_path):
    run = "import sys; from costboot.report import main; sys.exit(main(sys.argv[1:]))"  # what the installed command does
    done = subprocess.run([sys.executable, "-c", run, "-o", str(tmp_path / "demo.html")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "logistic regression: cost" in done.stdout and str(tmp_path / "demo.html") in done.stdout
    assert (tmp_path / "demo.html").stat().st_size < 3_000_000


@pytest.mark.parametrize("words", [["--level", "95"], ["-o", "no/such/folder/x.html"]])
def test_mistakes_are_one_line_and_exit_code_2(words, capsys):
    assert main(words) == 2
    shown = capsys.readouterr()
    assert shown.err.count("\n") == 1 and shown.err.startswith("costboot: ")
