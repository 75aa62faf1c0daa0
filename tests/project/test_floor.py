"""The engineering floor: everything public is documented, importing is quick, the benchmarks compare equal answers, versions are declared."""

import ast
import inspect
import json
import re
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("numba")
import numpy as np

import costboot as cb

PUBLIC = {name: value for name in cb.__all__ if callable(value := getattr(cb, name))}


def parameters_without_comment(function):
    "Names of parameters that have no comment beside them (docments); `self` and `cls` need none."
    source = textwrap.dedent(inspect.getsource(function))
    lines, (node, *_) = source.splitlines(), ast.parse(source).body
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, *filter(None, (node.args.vararg, node.args.kwarg))]
    return [a.arg for a in every if a.arg not in ("self", "cls") and "#" not in lines[a.end_lineno - 1][a.end_col_offset :]]


def methods(kind):
    "Public methods and properties that a class itself defines."
    for name, value in vars(kind).items():
        value = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        if not name.startswith("_") and inspect.isfunction(value): yield name, value


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_have_a_docstring(name):
    text = inspect.getdoc(PUBLIC[name])
    assert text and not text.startswith(f"{name}("), "a dataclass without a docstring is given its signature"


@pytest.mark.parametrize("name", [n for n, v in PUBLIC.items() if inspect.isfunction(v)])
def test_every_parameter_of_a_public_function_is_explained(name):
    assert parameters_without_comment(PUBLIC[name]) == []


@pytest.mark.parametrize("name", [n for n, v in PUBLIC.items() if inspect.isfunction(v)])
def test_every_public_function_says_what_it_returns(name):
    source = textwrap.dedent(inspect.getsource(PUBLIC[name]))
    before_the_docstring = source.splitlines()[ast.parse(source).body[0].body[0].lineno - 2]
    assert "#" in before_the_docstring, "write what comes back behind the colon"


@pytest.mark.parametrize("name", [n for n, v in PUBLIC.items() if inspect.isclass(v)])
def test_public_classes_explain_fields_and_methods(name):
    kind = PUBLIC[name]
    undocumented = [m for m, function in methods(kind) if not inspect.getdoc(function) and m not in ("count", "index")]
    assert undocumented == []
    if not hasattr(kind, "__dataclass_fields__"): return
    lines = inspect.getsource(kind).splitlines()
    fields = [line for line in lines if re.match(r"    [a-z]\w*\s*:\s*\S", line) and not line.lstrip().startswith(("def ", "return"))]
    bare = [line.strip() for line in fields if "#" not in line and not re.match(r"    (x_name|value_name|limits)\b", line)]
    assert bare == [], "a field of a public result has a comment beside it; the three names that every law has are explained in `Law`"


def test_the_checks_above_can_fail():
    def plain(x, y): pass
    def documented(
        x,  # a number
        *,
        y=2,  # another
    ): pass
    assert parameters_without_comment(plain) == ["x", "y"] and parameters_without_comment(documented) == []


def test_import_is_quick():
    "Processor time, so that a busy machine does not fail the test; the goal is 1.5 s."
    code = "from time import process_time as t; a = t(); import costboot; print(t() - a)"
    seconds = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(3)]
    assert min(seconds) < 1.5


def test_versions_are_declared_and_new_ones_accepted(root):
    settings, setup = (root / "settings.ini").read_text(), (root / "setup.py").read_text()
    assert re.search(r"^min_python = 3\.11$", settings, flags=re.M)
    for minor in (11, 12, 13): assert f"Python :: 3.{minor}" in setup
    wanted = re.search(r"^requirements = (.*)$", settings, flags=re.M)[1].split()
    assert all(">=" in r and "<" not in r.replace(">=", "") and "==" not in r for r in wanted), "a library sets lower bounds only"


# --- benchmarks -----------------------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def peers(root):
    sys.path.insert(0, str(root / "benchmarks"))
    return pytest.importorskip("peers")


def test_agreement_is_checked_for_real(peers):
    "Quantiles of a real bootstrap pass; a shifted curve, and an interval of another level, do not."
    y, s, _ = peers.scores(1000)
    law = cb.exact_tpr(y, s, np.linspace(0.1, 0.9, 9))
    draws = cb.laws.resampled_tpr(y, s, law.x, n_resamples=2000, rng=1)
    limits = np.quantile(draws, [0.05, 0.95], axis=0)
    assert "18 limits" in peers.within_monte_carlo(limits, law)
    for wrong in (limits + 0.02, np.array(law.interval(0.8, "exact"))):
        with pytest.raises(peers.Disagreement): peers.within_monte_carlo(wrong, law)
    with pytest.raises(peers.Disagreement): peers.equal(1.0, 1.001)
    with pytest.raises(peers.Disagreement): peers.close(0.3, 0.2, 0.01, "x")


@pytest.mark.parametrize("task", ["cost", "auc", "auc_difference", "folds"])
def test_tasks_run(peers, task):
    "The quick tasks, at the smallest size, against the peers that are installed."
    found = list(peers.lines(getattr(peers, task), 1000, 1e9, {}))
    assert found and not [line for line in found if isinstance(line, str) and ("does not count" in line or "failed" in line)]


def test_stored_result(root):
    stored = json.loads((root / "benchmarks" / "results.json").read_text())
    assert {"machine", "versions", "peers", "left_out", "growth", "sorting", "imports"} <= set(stored)
    assert set(stored["machine"]) == {"processor", "cores", "memory_gb", "system", "python"}
    for line in stored["peers"]:
        assert line["agreement"] and line["ratio"] == pytest.approx(line["theirs"] / line["ours"])
