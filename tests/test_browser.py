"""Explorers in a real browser: a real slider is moved, and the picture changes.

Each explorer is a page of its own, served by Voila on this machine. Without Chromium the tests are skipped with one line;
under continuous integration (`CI` set) they fail instead.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

import costboot as cb

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
EXPLORERS = ["explore_cost_construction", "explore_cost_law", "explore_roc_regions"]  # every explorer passes check_explorer on its page
assert set(EXPLORERS) <= set(cb.__all__)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]

if CHROMIUM is None and not os.environ.get("CI"): pytest.skip("no Chromium: explorers are not tried in a browser", allow_module_level=True)


def notebook(source):
    "A notebook with one code cell."
    cell = dict(cell_type="code", id="cell", metadata={}, execution_count=None, outputs=[], source=source)
    kernel = {"kernelspec": {"name": "python3", "display_name": "python3", "language": "python"}}
    return json.dumps(dict(cells=[cell], metadata=kernel, nbformat=4, nbformat_minor=5))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    "Voila on a free port of this machine, with a page for each explorer."
    folder = tmp_path_factory.mktemp("pages")
    for name in EXPLORERS: (folder / f"{name}.ipynb").write_text(notebook(f"import costboot as cb\ncb.{name}()"))
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    command = [sys.executable, "-m", "voila", "--no-browser", f"--port={port}", "--Voila.ip=127.0.0.1", "--show_tracebacks=True", str(folder)]
    log = open(folder / "voila.log", "w")
    process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            try: urllib.request.urlopen(address, timeout=2).close(); break
            except OSError: time.sleep(0.5)
        else: pytest.fail(f"Voila did not start: {(folder / 'voila.log').read_text()[-2000:]}")
        yield address
    finally:
        process.terminate()
        process.wait(20)
        log.close()


@pytest.fixture(scope="module")
def browser():
    "Headless Chromium."
    from playwright.sync_api import sync_playwright
    assert CHROMIUM, "Chromium is missing; continuous integration has to install it"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


CHANGED = ("([old]) => { const all = document.querySelectorAll('.jp-OutputArea-output img, .jp-RenderedImage img');"
           " return all.length == 1 && all[0].src != old; }")


def changes(page, before, seconds=20):
    "Whether the one picture becomes another one."
    from playwright.sync_api import TimeoutError as TooLong
    try: page.wait_for_function(CHANGED, arg=[before], timeout=1000 * seconds)
    except TooLong: return False
    return True


def open_page(browser, address, failures):
    "A page with its first picture. A kernel that does not answer gets further chances: that is not the explorer's fault."
    from playwright.sync_api import TimeoutError as TooLong
    for seconds in (60, 60, 90, 120, 150):
        page = browser.new_page(viewport={"width": 1300, "height": 1000})
        page.on("pageerror", lambda error: failures.append(str(error)))
        try:
            page.goto(address, timeout=1000 * seconds)
            image = page.locator(".jp-OutputArea-output img, .jp-RenderedImage img").last
            image.wait_for(state="visible", timeout=60_000)
            return page, image
        except TooLong:
            page.close()
            if seconds == 150: raise
    return None


def by_slider(page, before):
    "Move sliders, one after the other, until the picture changes."
    handles = page.locator(".noUi-handle")
    for k in range(handles.count()):
        handles.nth(k).focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        if changes(page, before): return True
    return False


def by_text(page, before):
    "Type a formula."
    boxes = page.locator(".widget-text input")
    if not boxes.count(): return False
    boxes.first.fill("w * (1 - p)")
    boxes.first.press("Enter")
    return changes(page, before)


def by_choice(page, before):
    "Choose the last option of a list."
    lists = page.locator("select")
    for k in range(lists.count()):
        lists.nth(k).select_option(index=lists.nth(k).locator("option").count() - 1)
        if changes(page, before): return True
    return False


@pytest.mark.parametrize("name", EXPLORERS)
def test_a_slider_moves_the_picture(name, server, browser):
    failures = []
    page, image = open_page(browser, f"{server}/voila/render/{name}.ipynb", failures)
    page.wait_for_timeout(300)
    assert page.locator(".jp-OutputArea-output img, .jp-RenderedImage img").count() == 1, "exactly one picture"
    before = image.get_attribute("src")
    assert any(change(page, before) for change in (by_slider, by_text, by_choice)), f"{name}: no control changed the picture"
    assert page.locator("text=Traceback").count() == 0 and not failures, failures
    if folder := os.environ.get("COSTBOOT_SCREENSHOTS"): page.screenshot(path=os.path.join(folder, f"{name}.png"))
    page.close()
