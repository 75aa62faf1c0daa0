"""The seven journeys of `examples/`: each ends in numbers that it checks itself; SLOW=1 makes two of them larger."""

import contextlib
import io
import runpy
import warnings
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_all_of_them_are_listed():
    scripts = sorted(path.name for path in EXAMPLES.glob("*.py"))
    assert len(scripts) == 7 and [name[:2] for name in scripts] == [f"{k:02d}" for k in range(1, 8)]
    told = (EXAMPLES / "README.md").read_text(encoding="utf8")
    assert all(f"`{name}`" in told for name in scripts)


@pytest.mark.parametrize("script", sorted(path.name for path in EXAMPLES.glob("*.py")))
def test_journey(script, tmp_path, monkeypatch):
    if script == "05_eight_files.py": pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)  # what an example writes without being asked would be found here
    monkeypatch.setattr("sys.argv", [script])
    with contextlib.redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runpy.run_path(str(EXAMPLES / script), run_name="__main__")
    assert printed.getvalue().strip() and not list(tmp_path.iterdir())
