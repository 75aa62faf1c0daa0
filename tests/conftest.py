"""Marks, and the fixtures that more than one file needs."""

import os
import shutil
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
COPIED = "nbs", "costboot", "tools", "tests", "benchmarks", ".ci"
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)  # the path of a browser, or None


def pytest_configure(config):
    os.environ.pop("MPLBACKEND", None)  # the kernels that tests start would inherit it and show no pictures
    settings.register_profile("ci", derandomize=True)  # a red run can be repeated; chance looks for new examples elsewhere
    if os.environ.get("CI"): settings.load_profile("ci")
    for name, meaning in MARKS.items(): config.addinivalue_line("markers", f"{name}: {meaning}")


def pytest_collection_modifyitems(items):
    "What cannot run here is skipped, with the reason."
    data = os.environ.get("COSTBOOT_DATA", "")
    missing = {
        "slow": os.environ.get("SLOW", "").lower() in ("", "0", "no", "false") and "slow; SLOW=1 runs it",
        "data": not (data and Path(data).is_dir()) and "no UCI data; set COSTBOOT_DATA to their folder",
        "quarto": shutil.which("quarto") is None and "Quarto is not installed",
        "browser": CHROMIUM is None and f"no browser ({', '.join(BROWSERS)}) is installed",
    }
    for item in items:
        for name, reason in missing.items():
            if reason and item.get_closest_marker(name): item.add_marker(pytest.mark.skip(reason=reason))


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
