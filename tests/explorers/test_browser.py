"""The explorers in a real browser: every control is moved, and the picture changes; of a few explorers, with SLOW=1 of all.

The app (`make app`) is started on this machine and driven by headless Chromium; so is JupyterLab, with the tour. Without Chromium
the tests are skipped with one line; under continuous integration (`CI` set) they fail instead. `COSTBOOT_SCREENSHOTS=folder`
stores a picture of every explorer.
"""

import inspect
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from conftest import CHROMIUM, SAMPLE, SLOW, sampled
from nbconvert.filters import markdown2html
from static_explorers import quietly

import costboot as cb
from costboot.explorers.app import catalogue, explorer_notebook

if CHROMIUM is None and not os.environ.get("CI"): pytest.skip("no Chromium: explorers are not tried in a browser", allow_module_level=True)

EXPLORERS = sorted(name for name in cb.explorers.__all__ if name.startswith("explore_"))
DRAGGED = sorted(name for name in cb.explorers.__all__ if name.startswith("drag_"))
PICTURE = ".jp-OutputArea-output img"
PATIENCE = 60  # seconds; a picture takes a fraction of one on an idle machine

# Controls that change nothing from where they start, with the reason. `check_explorer` has shown that each changes something at an end.
UNCHANGED: dict[tuple[str, str], str] = {}


# --- servers and browser ---------------------------------------------------------------------------------------------
def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def serve(command, address, log):
    "Start a server, wait until it answers, hand over its address, and end it."
    with open(log, "w") as file:
        process = subprocess.Popen([str(c) for c in command], stdout=file, stderr=subprocess.STDOUT, cwd=log.parent)
        try:
            deadline = time.monotonic() + 2 * PATIENCE
            while True:
                try:
                    urllib.request.urlopen(address, timeout=5).close()
                    break
                except OSError: time.sleep(0.2)
                assert process.poll() is None and time.monotonic() < deadline, f"the server did not start: {log.read_text()[-3000:]}"
            yield address
        finally:
            process.terminate()
            process.wait(30)


@pytest.fixture(scope="module")
def app(root, tmp_path_factory):
    port = free_port()
    command = [sys.executable, "-m", "costboot.explorers.app", "--no-browser", "--no-token", "--port", port, "--notebooks", root / "nbs"]
    yield from serve(command, f"http://127.0.0.1:{port}/", tmp_path_factory.mktemp("app") / "log.txt")


@pytest.fixture(scope="module")
def browser(open_browser): return open_browser(1300, 1000, PATIENCE)


class Watched:
    "A page that remembers what went wrong and what was fetched from elsewhere."

    def __init__(self, context, address):
        self.page, self.wrong = context.new_page(), []
        self.page.on("pageerror", lambda error: self.wrong.append(f"error of the page: {error}"))
        self.page.on("console", lambda m: m.type == "error" and self.wrong.append(f"console: {m.text}"))
        self.page.on("request", lambda r: re.match(r"(https?|wss?)://(?!127\.0\.0\.1[:/])", r.url) and self.wrong.append(f"from elsewhere: {r.url}"))
        self.address = address

    def open(self): self.page.goto(self.address, wait_until="commit")

    def close(self):
        self.page.goto("about:blank")  # leaving a page ends its kernel; closing it does not
        self.page.close()


@pytest.fixture(scope="module")
def pages(app, browser):
    "Pages of explorers; while one is tested, the kernel of the next one starts."
    ready = {}

    def prepare(name):
        ready[name] = Watched(browser, f"{app}voila/render/{name}.ipynb")
        ready[name].open()

    def get(name):
        if name not in ready: prepare(name)
        tried = EXPLORERS if SLOW else list(SAMPLE)
        after = tried[tried.index(name) + 1:][:1] if name in tried else []
        for following in after: prepare(following)
        return ready.pop(name)

    yield get
    for left in ready.values(): left.close()


# --- what a reader does ----------------------------------------------------------------------------------------------
def picture(page):
    "Source and size of the one picture."
    return page.evaluate(f"""() => {{ const all = document.querySelectorAll("{PICTURE}");
        return all.length == 1 && all[0].complete && all[0].naturalWidth ? [all[0].src, all[0].naturalWidth, all[0].naturalHeight] : null; }}""")


def wait_for_picture(page, other_than=None, same_as=None, seconds=PATIENCE):
    "The one picture, once it differs from (or is again) another one; None when that does not happen."
    deadline = time.monotonic() + seconds
    while True:
        now = picture(page)
        if now and (other_than is None or now[0] != other_than[0]) and (same_as is None or now[0] == same_as[0]): return now
        if time.monotonic() > deadline: return None
        page.wait_for_timeout(40)


ROW = ".lm-Widget:has(> .widget-label)"  # a control and its label


def row(page, label): return page.locator(ROW).filter(has=page.locator(".widget-label", has_text=re.compile(f"^{re.escape(label)}$")))


def slider_moves(page, label):
    "Ways to move a slider: two steps with the keyboard, then to either end; the last entry puts it back."
    handle, readout = row(page, label).locator(".noUi-handle"), row(page, label).locator(".widget-readout")
    start = readout.inner_text()

    def press(*keys):
        handle.focus()
        for key in keys: page.keyboard.press(key)

    def back():
        readout.click()
        page.keyboard.press("Control+A")
        page.keyboard.type(start)
        page.keyboard.press("Enter")

    return [lambda: press("ArrowRight", "ArrowRight"), lambda: press("Home"), lambda: press("End")], back


def choice_moves(page, label, index):
    "Ways to move a slider over a list of options: to either end."
    handle = row(page, label).locator(".noUi-handle")

    def press(*keys):
        handle.focus()
        for key in keys: page.keyboard.press(key)

    return [lambda: press("Home"), lambda: press("End")], lambda: press("Home", *["ArrowRight"] * index)


def menu_moves(page, label):
    "Ways to change a menu: every other option."
    menu = row(page, label).locator("select")
    start, count = menu.evaluate("e => e.selectedIndex"), menu.locator("option").count()
    return [lambda k=k: menu.select_option(index=k) for k in range(count) if k != start], lambda: menu.select_option(index=start)


def box_moves(page, label):
    box = page.locator(".widget-checkbox").filter(has_text=label).locator("input")
    return [box.click], box.click


def moves(page, widget):
    "Ways to move a control, and how to put it back."
    kind, label = type(widget).__name__, widget.description
    if kind == "SelectionSlider": return choice_moves(page, label, widget.index)
    if "Slider" in kind: return slider_moves(page, label)
    if hasattr(widget, "options"): return menu_moves(page, label)
    if kind == "Checkbox": return box_moves(page, label)
    raise AssertionError(f"this test does not know how to move a {kind}")


def assert_healthy(watched):
    assert watched.wrong == []
    assert watched.page.locator("text=Traceback").count() == 0, watched.page.locator(PICTURE.split()[0]).all_inner_texts()
    assert watched.page.locator("[data-mime-type='application/vnd.jupyter.stderr']").count() == 0


# --- the app ---------------------------------------------------------------------------------------------------------
def test_the_index_lists_every_explorer(app, browser):
    watched = Watched(browser, app)
    watched.open()
    cards = watched.page.locator("a.card")
    cards.nth(len(EXPLORERS) + len(DRAGGED) - 1).wait_for()  # the page is long: its end may come later than its beginning
    assert sorted(re.search(r"((?:explore|drag)_\w+)\.ipynb", c.get_attribute("href"))[1] for c in cards.all()) == [*DRAGGED, *EXPLORERS]
    assert watched.page.locator("h2").first.inner_text().startswith("By hand") and watched.page.locator("h2 a").count() == 10
    assert all(image.get_attribute("alt") and image.evaluate("e => e.src.length") > 500 for image in watched.page.locator("img").all())
    assert watched.page.locator(".back a").count() == len(EXPLORERS)
    assert all("Try " in text for text in cards.locator(".advice").all_inner_texts())
    if folder := os.environ.get("COSTBOOT_SCREENSHOTS"): watched.page.screenshot(path=Path(folder) / "index.png", full_page=True)
    assert_healthy(watched)
    cards.nth(len(DRAGGED)).click()
    watched.page.get_by_text("all explorers").click()
    cards.first.wait_for()
    watched.close()


def first_picture(watched):
    "The first picture of a page. An error is final; a page that shows neither picture nor error gets one more chance, and only one."
    for _ in range(2):
        deadline = time.monotonic() + 2 * PATIENCE
        while time.monotonic() < deadline:
            if first := wait_for_picture(watched.page, seconds=1): return first
            assert_healthy(watched)
        watched.page.reload(wait_until="commit")
    raise AssertionError(f"{watched.address}: no picture appeared")


def test_the_sample_has_every_kind_of_control():
    def kinds(names): return {type(child).__name__ for name in names for child in quietly(getattr(cb.explorers, name)).children}
    assert kinds(SAMPLE) == kinds(EXPLORERS)


@pytest.mark.parametrize("name", sampled(EXPLORERS))
def test_every_control_moves_the_picture(name, pages):
    watched, explorer = pages(name), quietly(getattr(cb.explorers, name))
    page, start = watched.page, first_picture(watched)
    page.locator(ROW).first.wait_for()
    if folder := os.environ.get("COSTBOOT_SCREENSHOTS"): page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
    controls = [w for w in explorer.kwargs_widgets if hasattr(w, "description")]
    page.wait_for_function("([row, n]) => document.querySelectorAll(row).length == n", arg=[ROW, len(controls)])
    for widget in controls:
        ways, back = moves(page, widget)
        for k, way in enumerate(ways):
            way()
            if now := wait_for_picture(page, other_than=start, seconds=PATIENCE if k == len(ways) - 1 else 6): break
        known = UNCHANGED.get((name, widget._kwarg))
        assert (now is None) == bool(known), f"{name}: `{widget._kwarg}` {'changes the picture after all' if known else 'does not change the picture'}"
        assert known or now[1:] == start[1:], f"{name}: the picture changes its size with `{widget._kwarg}`"
        assert_healthy(watched)
        back()
        assert wait_for_picture(page, same_as=start), f"{name}: `{widget._kwarg}` was put back, and the picture is another one"
    for button in page.locator("button.jupyter-button").all():
        button.click()
        assert wait_for_picture(page, other_than=start), f"{name}: the button does nothing"
    assert_healthy(watched)
    watched.close()


def test_a_slider_can_be_dragged(pages):
    "The other tests use the keyboard; a hand uses the mouse."
    watched = pages("explore_roc_point")
    start = first_picture(watched)
    handle = row(watched.page, "threshold t").locator(".noUi-handle").bounding_box()
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2
    watched.page.mouse.move(x, y)
    watched.page.mouse.down()
    watched.page.mouse.move(x + 60, y, steps=5)
    watched.page.mouse.up()
    assert wait_for_picture(watched.page, other_than=start)
    assert_healthy(watched)
    watched.close()


FILL = """async ([text, width, height, count]) => {
  document.querySelector('.jp-RenderedMarkdown').innerHTML = text;
  const canvas = Object.assign(document.createElement('canvas'), {width, height}), image = document.querySelector('.jp-OutputArea-output img');
  image.src = canvas.toDataURL(); await image.decode();
  const rows = () => [...document.querySelectorAll('.lm-Widget:has(> .widget-label)')];
  while (rows().length < count) rows()[0].after(rows()[0].cloneNode(true));
  while (rows().length > count) rows()[0].remove();
  const box = image.getBoundingClientRect();
  return [Math.max(...rows().map(r => r.getBoundingClientRect().right)), Math.max(...rows().map(r => r.getBoundingClientRect().bottom)), box.left, box.bottom, box.width]; }"""


def frame_size(explorer):
    "Width and height of a frame in pixels: from the figure function's own figsize, or where it has none from its figure."
    found = re.search(r"figsize=\(([\d.]+), ([\d.]+)\)", inspect.getsource(explorer.f))
    inches = map(float, found.groups()) if found else explorer.f(**{w._kwarg: w.get_interact_value() for w in explorer.kwargs_widgets}).get_size_inches()
    return [round(100 * side) for side in inches]


def test_the_whole_figure_is_in_view_beside_its_controls(pages):
    "At 1280 x 720: labels are not cut off, and nothing is below the fold; then every other explorer on the same page, with its own text, as many controls and a picture of its size."
    watched = pages("explore_roc_point")
    page = watched.page
    page.set_viewport_size(dict(width=1280, height=720))
    first_picture(watched)
    page.locator(ROW).nth(3).wait_for()
    image, panel = page.locator(PICTURE).bounding_box(), row(page, "threshold t").bounding_box()
    assert panel["x"] + panel["width"] <= image["x"] and image["y"] + image["height"] <= 720
    assert page.evaluate("() => [...document.querySelectorAll('.widget-label')].every(e => e.scrollWidth <= e.clientWidth + 1)")
    assert "(threshold in Python)" in page.locator(ROW).filter(has_text="threshold t").first.evaluate("e => e.title || e.querySelector('[title]').title")
    outside = []
    for entry in catalogue():
        explorer = quietly(getattr(cb.explorers, entry.name))
        size = frame_size(explorer)
        text = markdown2html(explorer_notebook(entry)["cells"][0]["source"])
        right, low, left, bottom, width = page.evaluate(FILL, [text, *size, sum(hasattr(w, "description") for w in explorer.kwargs_widgets)])
        if right > left or bottom > 720 or low > 720 or width < 0.75 * size[0]: outside.append((entry.name, size, [round(v) for v in (right, low, left, bottom, width)]))
    assert outside == []
    right, low, left, bottom, width = page.evaluate(FILL, [text, 1000, 900, 30])
    assert bottom > 720 and low > 720, "a picture or a panel that is too high would be seen"
    watched.close()


COUNT = """() => { window.frames_drawn = 0;
  const svg = document.querySelector('.costboot-direct svg');
  new MutationObserver(() => { window.frames_drawn += 1; }).observe(svg, {childList: true}); }"""


def test_a_hand_moves_three_pictures(app, browser):
    "The line of the threshold is dragged; densities, ROC point and cost line follow, and the slider; with SLOW=1, 20 frames a second on a machine that is not busy."
    watched = Watched(browser, f"{app}voila/render/drag_threshold.ipynb")
    watched.open()
    page, pictures = watched.page, watched.page.locator(".costboot-direct svg")
    pictures.nth(2).wait_for(timeout=2000 * PATIENCE)
    page.wait_for_timeout(500)
    before, start = [svg.inner_html() for svg in pictures.all()], row(page, "threshold t").locator(".widget-readout").inner_text()
    grip = page.locator(".costboot-direct .grip").first.bounding_box()
    x, y = grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2
    page.evaluate(COUNT)
    page.mouse.move(x, y)
    page.mouse.down()
    begin, k = time.monotonic(), 0
    while time.monotonic() - begin < (3 if SLOW else 1):
        k += 1
        page.mouse.move(x - 40 + k % 80, y)
    rate = page.evaluate("window.frames_drawn") / (time.monotonic() - begin)
    page.mouse.move(x - 40, y)  # not where it began
    page.mouse.up()
    patient = time.monotonic() + 2 * PATIENCE
    while any(svg.inner_html() == old for svg, old in zip(pictures.all(), before)) and time.monotonic() < patient: page.wait_for_timeout(200)
    page.wait_for_timeout(1000)  # the last frames have been drawn: a handle is taken out and put in again with every one
    assert all(svg.inner_html() != old for svg, old in zip(pictures.all(), before)), "all three pictures follow"
    assert row(page, "threshold t").locator(".widget-readout").inner_text() != start, "and so does the slider"
    idle = SLOW and os.getloadavg()[0] < (os.cpu_count() or 1)  # beside other tests nothing can be asked
    assert rate >= (20 if idle else 2), f"{rate:.1f} frames a second"
    page.locator(".costboot-direct .grip").nth(1).wait_for(timeout=1000 * PATIENCE)
    point = page.locator(".costboot-direct .grip").nth(1).bounding_box()
    title = pictures.nth(0).get_attribute("aria-label")
    page.mouse.move(point["x"] + 8, point["y"] + 8)
    page.mouse.down()
    page.mouse.move(point["x"] + 60, point["y"] - 40, steps=4)
    page.mouse.up()
    page.wait_for_function("old => document.querySelector('.costboot-direct svg').getAttribute('aria-label') != old", arg=title)
    if folder := os.environ.get("COSTBOOT_SCREENSHOTS"): page.screenshot(path=Path(folder) / "drag_threshold.png")
    assert_healthy(watched)
    watched.close()


# --- JupyterLab ------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def lab(root, tmp_path_factory):
    "JupyterLab on a copy of the tour, with all cells of a notebook in the page whether they are in view or not."
    folder, port = tmp_path_factory.mktemp("lab"), free_port()
    shutil.copy(root / "nbs" / "tutorials" / "01_tour.ipynb", folder)
    settings = folder / "settings" / "@jupyterlab" / "notebook-extension" / "tracker.jupyterlab-settings"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"windowingMode": "none"}')
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}",
               "--IdentityProvider.token=", f"--ServerApp.root_dir={folder}", f"--LabApp.user_settings_dir={folder / 'settings'}",
               f"--LabApp.workspaces_dir={folder / 'workspaces'}", "--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    yield from serve(command, f"http://127.0.0.1:{port}/", folder / "log.txt")


def guess_first(page):
    "The first prediction of a lesson: nothing is shown until a guess is committed, and then it cannot be changed."
    area = page.locator(".jp-OutputArea-output", has=page.locator("input[type=radio]")).first
    area.scroll_into_view_if_needed()
    button = area.locator("button", has_text="Commit my guess")
    assert button.is_disabled() and page.locator(".costboot-distance").count() == 0 and area.locator("details, table").count() == 0
    area.locator("input[type=radio]").last.check()
    button.click()
    area.locator(".costboot-distance").wait_for(timeout=1000 * PATIENCE)
    assert area.locator(".costboot-distance").inner_text().startswith("You said") and area.locator("table").count() == 1
    assert button.is_disabled() and area.locator("input[type=radio]").first.is_disabled()


def test_a_stored_answer_is_folded_until_it_is_asked_for(browser, root):
    "The output of a lesson as a web page: the result is not visible; a click on the line shows it."
    import json
    [lesson] = (root / "nbs" / "tutorials").glob("*tour.ipynb")
    outputs = [o["data"] for c in json.loads(lesson.read_text(encoding="utf8"))["cells"] for o in c.get("outputs", []) if "data" in o]
    stored = "".join(next("".join(d["text/html"]) for d in outputs if "costboot-fold" in "".join(d.get("text/html", ""))))
    page = browser.new_page()
    page.set_content(stored)
    assert page.get_by_text("Your guess first.").is_visible() and not page.locator("table").is_visible() and not page.get_by_text("Answer:").is_visible()
    page.locator("summary").focus()
    page.keyboard.press("Enter")  # without a mouse
    assert page.locator("table").is_visible() and page.get_by_text("Answer:").is_visible()
    page.close()


def test_the_tour_runs_in_jupyterlab(lab, browser):
    "Opened, run from top to bottom by the menu, no cell fails, the slider of its explorer moves the picture, and a prediction keeps its result back."
    watched = Watched(browser, f"{lab}lab/tree/01_tour.ipynb")
    watched.open()
    page = watched.page
    page.locator(".jp-NotebookPanel .jp-CodeCell").first.wait_for()
    page.locator(".jp-StatusBar-TextItem, .jp-StatusBar-Item", has_text=re.compile(r"\| Idle$")).first.wait_for(timeout=3000 * PATIENCE)
    page.locator(".lm-MenuBar-item", has_text=re.compile("^Run$")).click()
    page.locator(".lm-Menu-item", has_text=re.compile("^Run All Cells$")).click()
    handle = page.locator(".jp-OutputArea .noUi-handle").first
    handle.wait_for(timeout=3000 * PATIENCE)
    area = page.locator(".jp-OutputArea-output", has=page.locator(".noUi-handle")).first
    image = area.locator("img")
    image.wait_for(timeout=3000 * PATIENCE)
    before = image.get_attribute("src")
    handle.scroll_into_view_if_needed()
    handle.focus()
    for _ in range(3): page.keyboard.press("ArrowRight")
    deadline = time.monotonic() + PATIENCE
    while image.count() != 1 or image.get_attribute("src") == before:
        assert time.monotonic() < deadline, "the picture in JupyterLab did not change"
        page.wait_for_timeout(100)
    guess_first(page)
    if folder := os.environ.get("COSTBOOT_SCREENSHOTS"): page.screenshot(path=Path(folder) / "jupyterlab.png")
    page.wait_for_function("() => ![...document.querySelectorAll('.jp-InputPrompt')].some(e => e.textContent.includes('*'))", timeout=3000 * PATIENCE)
    assert page.locator("[data-mime-type='application/vnd.jupyter.error']").count() == 0
    assert [w for w in watched.wrong if w.startswith("error of the page")] == []
    page.close()
