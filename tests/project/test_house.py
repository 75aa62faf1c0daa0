"""The house: rooms import only rooms above them, doors offer what they say, pages lie where their names say."""

import ast
import json
import re
import subprocess
import sys
from functools import cache
from itertools import chain
from types import ModuleType

import doors
import pytest
import yaml

import costboot as cb

ROOMS = list(doors.ROOMS)
PACKAGE = doors.ROOT / "costboot"
GALLERY = "explorers"  # its door lists the figures of every room, and its modules serve that list
COLUMNS = 100  # of an exported line


# --- the graph of imports ----------------------------------------------------------------------------------------------
def sources(package):
    "The modules of a package by their dotted names, doors (`__init__`) and nbdev's index left out."
    return {".".join([package.name, *p.relative_to(package).with_suffix("").parts]): p for p in sorted(package.rglob("*.py")) if p.name not in ("__init__.py", "_modidx.py")}


@cache
def _nodes(text): return tuple(ast.walk(ast.parse(text)))
def nodes(path):
    "Everything in the syntax tree of a module; four tests read the same hundred of them."
    return _nodes(path.read_text(encoding="utf8"))


def imported(name, path):
    "Every import of a module, those inside functions too: line, full name of the module, and the names taken from it."
    for node in nodes(path):
        if isinstance(node, ast.Import): yield from ((node.lineno, a.name, ()) for a in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = name.split(".")[:-node.level] if node.level else []
            yield node.lineno, ".".join([*base, *(node.module or "").split(".")]).strip("."), tuple(a.name for a in node.names)


def edges(package):
    "Who imports whom inside a package: (importer, imported, line); what is imported through a door is its room."
    modules, top = sources(package), package.name
    folders = {p.name for p in package.iterdir() if p.is_dir()}
    for name, path in modules.items():
        for line, target, taken in imported(name, path):
            if target.split(".")[0] != top: continue
            if target == top and taken == ("__version__",): continue  # known before anything is loaded
            parts = {f"{target}.{n}" if f"{target}.{n}" in modules or target == top and n in folders else target for n in taken} or {target}
            yield from ((name, part, line) for part in sorted(parts))


def reachable(start, graph):
    "Everything that can be reached from a module by following imports."
    found, waiting = set(), [start]
    while waiting:
        new = graph.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def against_the_order(package, rooms):
    "Sentences on imports that lead down the house, through the front door, or round in a circle inside a room."
    place, found = {f"{package.name}.{room}": i for i, room in enumerate(rooms)}, list(edges(package))
    graph = {a: {b for one, b, _ in found if one == a} for a, _, _ in found}
    for a, b, line in found:
        here, there = (".".join(s.split(".")[:2]) for s in (a, b))
        if here not in place: yield f"{a}: its room is not in the list of rooms"
        elif there not in place: yield f"{a}:{line} imports {b}, which is no room"
        elif place[there] > place[here]: yield f"{a}:{line} imports {b}, from a room below its own"
        elif b == here and b != f"{package.name}.{GALLERY}": yield f"{a}:{line} imports the door of its own room"
        elif a in reachable(b, graph): yield f"{a}:{line} imports {b}, which leads back to it"


def private_imports(package):
    "Sentences on names with an underscore that a module takes from another one."
    modules = sources(package)
    last = {m.rpartition(".")[2] for m in modules}
    for name, path in modules.items():
        taken = [(line, f"{target}.{n}") for line, target, names in imported(name, path) if target.split(".")[0] == package.name for n in names]
        yield from (f"{name}:{line} imports {n}" for line, n in taken if n.split(".")[-1].startswith("_") and not n.endswith("__version__"))
        aliases = {a.asname or a.name for node in nodes(path) if isinstance(node, ast.ImportFrom) for a in node.names if a.name in last}
        for node in nodes(path):  # from costboot.x import y; y._secret
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in aliases and re.match(r"_[^_]", node.attr):
                yield f"{name}:{node.lineno} uses {node.value.id}.{node.attr}"


def imports_by_string(package):
    "Sentences on modules that are reached through a string; metadata and data files of a package are no modules."
    for name, path in sources(package).items():
        for node in nodes(path):
            names = [node.module or "", *(f"{node.module}.{a.name}" for a in node.names)] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if set(names) & {"importlib", "importlib.import_module", "importlib.util", "pkgutil", "runpy"}: yield f"{name}:{node.lineno} imports {names[-1]}"
            if isinstance(node, ast.Name) and node.id == "__import__": yield f"{name}:{node.lineno} calls __import__"


def test_rooms_import_only_rooms_above_them(): assert list(against_the_order(PACKAGE, ROOMS)) == []
def test_nobody_imports_private_names(): assert list(private_imports(PACKAGE)) == []
def test_no_module_is_reached_through_a_string(): assert list(imports_by_string(PACKAGE)) == []


MADE_UP = {
    "attic/good.py": "import json\nfrom costboot.elsewhere import x\nfrom .. import __version__\n",
    "attic/down.py": "def f():\n    from ..cellar.deep import g\n    return g\n",
    "attic/one.py": "from .two import f\n",
    "attic/two.py": "def f():\n    from house.attic import one\n    return one._secret\n",
    "attic/door.py": "from . import f\n",
    "cellar/deep.py": "from house.attic.good import x\nfrom ..attic.one import _hidden, f\nimport house\n",
    "cellar/string.py": "import importlib\nfrom importlib.metadata import version\nfrom importlib import import_module\nx = __import__('y')\n",
    "garden/tree.py": "from house import attic\n",
    "__init__.py": "from .cellar.deep import g\n",
}


@pytest.fixture
def house(tmp_path):
    "A package in which everything is wrong that can be."
    for name, text in MADE_UP.items():
        (tmp_path / "house" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "house" / name).write_text(text)
    return tmp_path / "house"


def test_the_graph_can_fail(house):
    assert sorted(against_the_order(house, ["attic", "cellar"])) == [
        "house.attic.door:1 imports the door of its own room",
        "house.attic.down:2 imports house.cellar.deep, from a room below its own",
        "house.attic.one:1 imports house.attic.two, which leads back to it",
        "house.attic.two:2 imports house.attic.one, which leads back to it",
        "house.cellar.deep:3 imports house, which is no room",
        "house.garden.tree: its room is not in the list of rooms"]
    assert sorted(private_imports(house)) == ["house.attic.two:3 uses one._secret", "house.cellar.deep:2 imports house.attic.one._hidden"]
    assert list(imports_by_string(house)) == [
        "house.cellar.string:1 imports importlib", "house.cellar.string:3 imports importlib.import_module", "house.cellar.string:4 calls __import__"]


# --- the front door ----------------------------------------------------------------------------------------------------
CONTRACT = {  # what a user types, by the room in which it lives; a change here is a change of what the package promises
    "laws": ["counts_from", "exact_auc", "exact_auc_difference", "exact_cost", "exact_cost_difference", "exact_expense", "exact_measure", "exact_measure_difference", "exact_net_benefit", "exact_net_benefit_difference", "exact_rates_at_budget", "exact_rates_at_budget_difference", "exact_roc", "exact_roc_difference", "exact_tpr", "exact_tpr_difference", "kernel_tpr"],
    "core": ["Interval", "enumerate_law"],
    "curves": ["binormal_thresholds", "calibrated_thresholds", "cost_curve", "cost_lines", "operating_condition", "optimal_thresholds", "roc_auc", "roc_curve_points", "roc_hull"],
    "comparisons": ["RocBandDisplay", "compare_costs", "cross_fit", "independent_difference", "significant_ranges", "split_validation"],
    "reporting": ["CostBandDisplay", "compare", "condition_table", "read_scores", "report"],
    "coverages": ["coverage", "exact_coverage", "plan_size"],
    "folds": ["average_operating_points", "search_weights"],
    "retrained": ["assess", "bootstrap_estimate", "compare_rules", "influence_estimate", "jackknife_estimate"],
    "data": ["Binormal", "BinormalPair", "Highleyman", "Multinormal", "load_uci"],
}
DOORS = ["comparisons", "core", "coverages", "curves", "data", "explorers", "folds", "laws", "papers", "reporting", "retrained", "teaching"]


def stub_names(path):
    "The names that a stub offers: `x as x`, and annotated ones."
    tree = ast.parse(path.read_text(encoding="utf8"))
    return sorted(a.asname for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for a in node.names)


def test_the_front_door_keeps_its_contract():
    names = [*chain.from_iterable(CONTRACT.values()), *DOORS]
    assert sorted(cb.__all__) == sorted(names) and 50 <= len(names) <= 70
    assert sorted(cb.__all__) == stub_names(PACKAGE / "__init__.pyi") and set(cb.__all__) <= set(dir(cb))


@pytest.mark.parametrize("room, name", [(room, name) for room, names in CONTRACT.items() for name in names])
def test_a_name_lives_in_its_room(room, name):
    value = getattr(cb, name)
    assert value.__module__.startswith(f"costboot.{room}.") and value is getattr(getattr(cb, room), name)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_offers_what_its_stub_lists(room):
    there = getattr(__import__(f"costboot.{room}"), room)
    assert isinstance(there, ModuleType) and sorted(there.__all__) == stub_names(PACKAGE / room / "__init__.pyi")
    for name in there.__all__: getattr(there, name)
    assert not {name for name in there.__all__ if (PACKAGE / room / f"{name}.py").is_file()}, "a function must not hide a module of its room"


def test_an_unknown_name_is_an_error():
    for door in (cb, cb.laws, cb.explorers):
        with pytest.raises(AttributeError, match="exact_coast"): door.exact_coast


STABLE = """
import importlib, sys
import costboot as cb
rooms, modules = sys.argv[1].split(","), sys.argv[2].split(",")
def offered(): return {(d.__name__, n): getattr(d, n) for d in (cb, *(getattr(cb, r, None) or importlib.import_module(f"costboot.{r}") for r in rooms)) for n in d.__all__}
first = sys.argv[3] == "names first" and offered()
for name in modules: importlib.import_module(name)
now = offered()
assert not first or all(now[key] is value for key, value in first.items())
hidden = [key for key, value in now.items() if isinstance(value, type(sys)) and key[1] not in rooms]
assert not hidden, hidden
assert all(isinstance(getattr(cb, r), type(sys)) for r in rooms)
"""


@pytest.mark.parametrize("order", ["names first", "modules first"])
def test_importing_a_module_changes_no_name(order):
    "Python binds a module in its package when it is imported; that must not replace a function of the same name."
    done = subprocess.run([sys.executable, "-c", STABLE, ",".join(ROOMS), ",".join(sources(PACKAGE)), order], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


HEAVY = "numpy", "scipy", "matplotlib", "numba", "pandas", "sklearn", "ipywidgets", "IPython"


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, costboot; print(*(m for m in sys.modules if m.startswith('costboot.')), *(m for m in sys.argv[1:] if m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code, *HEAVY], capture_output=True, text=True, check=True).stdout.split() == []


def test_the_doors_are_not_stale(capsys): assert doors.main(["--check"]) == 0, capsys.readouterr().out


@pytest.mark.slow
def test_a_type_checker_sees_the_names(tmp_path, root):
    api = pytest.importorskip("mypy.api")
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text("import costboot as cb\nlaw = cb.exact_cost([1, 0], [0.2, 0.1], 0.5, 0.15)\ncb.explorers.fig_cost_law()\n")
    bad.write_text("import costboot as cb\ncb.exact_coast([1, 0])\ncb.explorers.fig_coast_law()\n")
    def said(path): return api.run([str(path), "--config-file", str(root / "mypy.ini"), "--follow-imports", "silent"])
    assert said(good)[2] == 0, said(good)[0]
    found = said(bad)[0]
    assert '"exact_coast"' in found and '"fig_coast_law"' in found


# --- pages and lines ---------------------------------------------------------------------------------------------------
def pages(root):
    "The pages of the rooms: room -> their paths, in order."
    return {room: sorted((root / "nbs" / room).glob("*.ipynb")) for room in ROOMS}


def test_a_page_exports_the_module_of_its_name(root):
    wrong = []
    for room, path in ((room, path) for room, paths in pages(root).items() for path in paths):
        code = "\n".join("".join(c["source"]) for c in json.loads(path.read_text(encoding="utf8"))["cells"] if c["cell_type"] == "code")
        told, named = re.findall(r"^#\|\s*default_exp\s+(\S+)", code, flags=re.M), re.fullmatch(r"\d\d_(\w+)", path.stem)
        exports = re.search(r"^#\|\s*export", code, flags=re.M)
        if not named: wrong.append(f"{room}/{path.name}: a page of a room is called NN_name.ipynb")
        elif told != [f"{room}.{named[1]}"] and (told or exports): wrong.append(f"{room}/{path.name} exports {told}")
    assert wrong == []


def test_numbers_of_pages_are_unique_and_in_the_order_of_the_sidebar(root):
    sidebar = yaml.safe_load((root / "_quarto.yml").read_text(encoding="utf8"))["website"]["sidebar"]["contents"]
    sections = {s["section"]: s["contents"] for s in sidebar if "section" in s}
    for room, paths in pages(root).items():
        numbers = [path.name[:2] for path in paths]
        assert paths and len(numbers) == len(set(numbers)), f"{room}: two pages have the same number"
        expected = [f"{room}/{path.name}" for path in paths]
        assert expected in sections.values(), f"the sidebar has no section with the pages of {room} in their order: {expected}"


def test_every_module_comes_from_a_page(root):
    made = {f"costboot.{room}.{path.stem[3:]}" for room, paths in pages(root).items() for path in paths}
    assert sorted(set(sources(PACKAGE)) - made) == []


def exported_lines(path):
    "The lines of a module that come from cells, with their numbers; the subtitle and `__all__`, which nbdev writes, stand above them."
    lines = path.read_text(encoding="utf8").splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith("# %% ../")), len(lines))
    return list(enumerate(lines, 1))[first:]


def test_exported_lines_are_short():
    lines = [(name, i, len(line)) for name, path in sources(PACKAGE).items() for i, line in exported_lines(path)]
    long = [f"{name}:{i}: {width} columns" for name, i, width in lines if width > COLUMNS]
    assert len(lines) > 5000
    assert not long, f"{len(long)} exported lines are longer than {COLUMNS} columns:\n" + "\n".join(long)


# --- how functions are written -----------------------------------------------------------------------------------------
MANY = 5  # parameters that a caller may give by position
MORE_THAN_MANY = 135, 9  # functions that let more be given so, and the most; both may only become smaller


def test_lists_of_parameters_do_not_grow():
    "Behind five parameters in a row nobody remembers the order: the rest is named, with a star."
    counts = [len(node.args.posonlyargs + node.args.args) for path in sources(PACKAGE).values() for node in nodes(path) if isinstance(node, ast.FunctionDef)]
    many = [count for count in counts if count > MANY]
    assert len(many) <= MORE_THAN_MANY[0] and max(many) <= MORE_THAN_MANY[1]


EMPTY_WORDS = re.compile(r"# (likewise|as given|as above|the same|see above|what the user passed)\.?$", re.M)


def test_comments_say_something():
    "A parameter is described where it stands, not by the line above it."
    found = [f"{path.relative_to(PACKAGE)}: {m[0]}" for path in sources(PACKAGE).values() for m in EMPTY_WORDS.finditer(path.read_text(encoding="utf8"))]
    assert not found
