"""Marks, and the fixtures that more than one file needs."""

import atexit
import os
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

MARKS = {
    "slow": "takes more than about ten seconds; runs with SLOW=1",
    "packaging": "builds and installs the package in a fresh environment",
    "browser": "moves a slider in a real browser",
    "data": "needs the UCI data sets in the folder that COSTBOOT_DATA names",
    "quarto": "needs Quarto",
}
BROWSERS = "chromium", "chromium-browser", "google-chrome"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
COPIED = "nbs", "costboot", "tools", "tests", "benchmarks", "examples", "binder", ".ci", ".github"
SLOW = os.environ.get("SLOW", "").lower() not in ("", "0", "no", "false")
SAMPLE = "explore_cost_law", "explore_derivation", "explore_paired_coverage"  # every kind of control is in one of them; the others are tried with SLOW=1
FIRST = "test_browser", "test_docs", "test_packaging"  # the files that take longest
TOGETHER = {"test_static_files": "test_docs", "test_layout": "test_docs", "test_draft": "test_docs", "test_search": "test_docs", "test_site": "test_docs"}  # files that share costly fixtures, and so a process; every other file is alone
AS_USED = {k: v for k, v in os.environ.items() if k != "COSTBOOT_COMPILE"}  # for processes that shall compile when it pays, or cannot
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)  # the path of a browser, or None


def sampled(names):
    "The parameters of a test that a few explorers try by default, and all of them with SLOW=1."
    return [pytest.param(name, marks=() if name in SAMPLE else pytest.mark.slow) for name in names]


def count_lines():
    "Count the lines of the library that this process runs, where `tools/check.py` asks for it; started before any test imports the library."
    from coverage import Coverage

    counter = Coverage(config_file=ROOT / ".coveragerc", data_file=str(ROOT / ".venv" / "coverage" / "data"), data_suffix=True)
    counter.start()
    atexit.register(lambda: (counter.stop(), counter.save()))


if os.environ.get("COSTBOOT_COVERAGE"): count_lines()


def pytest_configure(config):
    os.environ.pop("MPLBACKEND", None)  # the kernels that tests start would inherit it and show no pictures
    settings.register_profile("ci", derandomize=True)  # a red run can be repeated; chance looks for new examples elsewhere
    if os.environ.get("CI"): settings.load_profile("ci")
    for name, meaning in MARKS.items(): config.addinivalue_line("markers", f"{name}: {meaning}")


def pytest_collection_modifyitems(items):
    "The longest files come first, so that no process has to wait for them; what cannot run here is skipped, with the reason."
    items.sort(key=lambda item: item.path.stem not in FIRST)
    data = os.environ.get("COSTBOOT_DATA", "")
    missing = {
        "slow": not SLOW and "slow; SLOW=1 runs it",
        "data": not (data and Path(data).is_dir()) and "no UCI data; set COSTBOOT_DATA to their folder",
        "quarto": shutil.which("quarto") is None and "Quarto is not installed",
        "browser": CHROMIUM is None and f"no browser ({', '.join(BROWSERS)}) is installed",
    }
    for item in items:
        for name, reason in missing.items():
            if reason and item.get_closest_marker(name): item.add_marker(pytest.mark.skip(reason=reason))


def pytest_xdist_make_scheduler(config, log):
    "All tests of a file run in one process, whose fixtures are then made once; so do files that share them."
    from xdist.scheduler import LoadFileScheduling

    class Files(LoadFileScheduling):
        def _split_scope(self, nodeid):
            name = super()._split_scope(nodeid)
            return TOGETHER.get(Path(name).stem, Path(name).stem)

    return Files(config, log)


@pytest.fixture(scope="module", autouse=True)
def figures_stay_in_their_file():
    "Which files share a process, and in which order, is chance: a figure that one leaves open must not be counted by the next."
    yield
    if "matplotlib.pyplot" in sys.modules: sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(scope="session")
def root():
    "The top of the project."
    return ROOT


@pytest.fixture(scope="session")
def project_copy(tmp_path_factory):
    "A copy of the project to build in, without environments and caches."
    target = tmp_path_factory.mktemp("copy") / "costboot project"  # the space is deliberate
    target.mkdir()
    unwanted = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints", "nbdev.yml", "sidebar.yml", ".quarto")
    for path in ROOT.iterdir():
        if path.is_file(): shutil.copy2(path, target)
        elif path.name in COPIED: shutil.copytree(path, target / path.name, symlinks=True, ignore=unwanted)
    return target


@pytest.fixture(scope="session")
def trial(project_copy):
    "A trial run of the site, in a folder whose name has a space, and without Quarto."
    env = {k: v for k, v in AS_USED.items() if k != "IN_TEST"} | {"PYTHONPATH": str(project_copy)}  # a copy has no compiled code on disk
    return subprocess.run([sys.executable, "tools/docs.py", "--trial"], cwd=project_copy, env=env, text=True, capture_output=True, check=False)


@pytest.fixture
def close_figures():
    "A test that may leave figures open; files ask for it with `usefixtures`."
    from matplotlib import pyplot as plt
    yield
    plt.close("all")


@pytest.fixture
def no_figure_is_left():
    "A test after which no figure may be open that was not open before."
    from matplotlib import pyplot as plt
    before = plt.get_fignums()
    yield
    assert plt.get_fignums() == before


@pytest.fixture(scope="module")
def open_browser():
    "A function that opens a headless browser: width and height of its window, and how many seconds to wait for anything."
    with ExitStack() as stack:
        def opened(width, height, patience):
            from playwright.sync_api import sync_playwright
            assert CHROMIUM, "Chromium is missing; continuous integration has to install it"
            playwright = stack.enter_context(sync_playwright())
            chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            stack.callback(chromium.close)
            context = chromium.new_context(viewport={"width": width, "height": height})
            context.set_default_timeout(1000 * patience)
            return context
        yield opened
