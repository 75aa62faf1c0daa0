"""The engineering floor: everything public is documented, importing is quick, the benchmarks compare equal answers, versions are declared."""

import ast
import inspect
import json
import re
import subprocess
import sys
import textwrap
from importlib import import_module

import pytest

import numpy as np
from doors import ROOMS

import costboot as cb

DOORS = cb, *(import_module(f"costboot.{room}") for room in ROOMS)
OFFERED = {id(value): (f"{door.__name__}.{name}", value) for door in DOORS for name in door.__all__ if callable(value := getattr(door, name))}
PUBLIC = dict(OFFERED.values())  # what the front door and the rooms offer, each once; a room's name for what it makes, not the gallery's


def parsed(thing):
    "The lines of a definition and its tree."
    source = textwrap.dedent(inspect.getsource(thing))
    return source.splitlines(), ast.parse(source).body[0]


def explained(lines, first, last):
    "Is there a comment behind the last of these lines, or on the line above the first? (Lines count from 1.)"
    return "#" in lines[last - 1] or first > 1 and lines[first - 2].lstrip().startswith("#")


def unexplained(function):
    "Names of parameters, and 'return', that have no comment (docments); `self` and `cls` need none."
    lines, node = parsed(function)
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, *filter(None, (node.args.vararg, node.args.kwarg))]
    names = [a.arg for a in every if a.arg not in ("self", "cls") and not explained(lines, a.lineno, a.end_lineno)]
    end = node.body[0].lineno - 1  # of the signature
    return names if end and explained(lines, end, end) else [*names, "return"]


def bare_fields(kind):
    "Public fields of a dataclass that have no comment; the names that every law has are explained in `Law`."
    lines, node = parsed(kind)
    fields = [n for n in node.body if isinstance(n, ast.AnnAssign)]
    return [n.target.id for n in fields if not re.match(r"_|(x_name|value_name|limits|less_is_better|point_fields|point_groups)$", n.target.id) and not explained(lines, n.lineno, n.end_lineno)]


def methods(kind):
    "Public methods and properties that a class itself defines."
    for name, value in vars(kind).items():
        value = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        if not name.startswith("_") and inspect.isfunction(value): yield name, value


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_have_a_docstring(name):
    text = inspect.getdoc(PUBLIC[name])
    assert text and not text.startswith(f"{name.split('.')[-1]}("), "a dataclass without a docstring is given its signature"


@pytest.mark.parametrize("name", [n for n, v in PUBLIC.items() if inspect.isfunction(v) and not hasattr(v, "kernel")])
def test_parameters_and_returns_of_public_functions_are_explained(name): assert unexplained(PUBLIC[name]) == []


@pytest.mark.parametrize("name", [n for n, v in PUBLIC.items() if inspect.isclass(v)])
def test_public_classes_explain_fields_and_methods(name):
    kind = PUBLIC[name]
    undocumented = [m for m, function in methods(kind) if not inspect.getdoc(function) and m not in ("count", "index")]
    assert undocumented == []
    assert not hasattr(kind, "__dataclass_fields__") or bare_fields(kind) == []


def test_the_checks_above_can_fail():
    def plain(x, y): pass
    def documented(
        x,  # a number
        *,
        # another, about which
        # there is more to say
        y=2,
    ):  # nothing
        pass
    class Result:
        x: int  # a number
        y: int
        _z: int = 0
    assert unexplained(plain) == ["x", "y", "return"] and unexplained(documented) == [] and bare_fields(Result) == ["y"]


def test_import_is_quick():
    "Processor time, so that a busy machine does not fail the test: nothing is loaded but the list of names."
    code = "from time import process_time as t; a = t(); import costboot; print(t() - a)"
    seconds = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(3)]
    assert min(seconds) < 0.3


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
