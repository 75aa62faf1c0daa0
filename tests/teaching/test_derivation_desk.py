"""The desk for derivations: its parts in this process, and in a real browser what a student does with it."""

import io
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from socket import socket

import matplotlib

matplotlib.use("Agg")

import pytest  # noqa: E402
from conftest import CHROMIUM  # noqa: E402

import costboot as cb  # noqa: E402
from costboot.teaching import derivation_explorer as explorer  # noqa: E402
from costboot.teaching.derivation_problems import load_problem, load_problems  # noqa: E402
from costboot.teaching.tiny_worlds import settings_table  # noqa: E402

PATIENCE = 90  # seconds
FALSE = "C = w (1 - TP) + (1 - w) FP\nV[C] = w^2 V[TP] + (1-w)^2 V[FP]\n     = w^2 p(1-p) + (1-w)^2 q(1-q)"
TRUE = FALSE.replace("p(1-p)", "p(1-p)/n+").replace("q(1-q)", "q(1-q)/n-")
HOSTILE = ["<script>alert(1)</script>", "V[C] = <img src=x onerror=alert(1)>", "\\frac{", "((((", "V[C] = 9^9^9^9", "let <b> = 1", "\x00", "=" * 500, "V[" * 60]


# --- without a browser -------------------------------------------------------------------------------------------------
def test_every_formula_of_the_problems_can_be_set():
    for problem in load_problems().values():
        for text in (problem.statement, problem.misprint): assert "<code>\\" not in explorer.prose_html(text), text


@pytest.mark.parametrize("setting", sorted({p.setting for p in load_problems().values()}))
def test_every_name_of_a_setting_is_in_sight(setting):
    page = explorer.notation_html(setting)
    for row in settings_table(setting): assert f"<code>{row[0]}</code>" in page.replace("&#x27;", "'"), row
    assert "<code>\\" not in page


@pytest.mark.parametrize("name", load_problems())
def test_every_verdict_can_be_shown(name):
    "Steps, counterexample and figure of a popular mistake; every formula is set and not only quoted."
    problem = load_problem(name)
    for text in (problem.solution, problem.wrong[0].text):
        verdict = cb.teaching.check_derivation(text, problem)
        page = explorer.steps_html(verdict)
        assert page.count("<tr") == len(verdict.steps) and "<code>" not in page
    assert "Its resamples" in explorer.counterexample_html(verdict) or not verdict.counterexample.resamples


def test_the_desk_follows_a_student():
    desk = cb.teaching.derivation_desk("cost-variance").desk
    assert not hasattr(desk.box, "options"), "no list of suggestions"
    assert all(name not in desk.box.placeholder for name in (load_problem("cost-variance").goal,))
    desk.box.value = FALSE
    assert desk.steps.value.count('class="step false first"') == 1 and "1/n+" in desk.steps.value
    desk.box.value = TRUE
    assert "✗" not in desk.steps.value and "Solved" in desk.told.value and desk.progress.value == 1
    desk.menu.value = "left-out"
    assert desk.box.value == "" and desk.steps.value == ""
    desk.menu.value = "cost-variance"
    assert desk.box.value == TRUE and "✗" not in desk.steps.value


@pytest.mark.parametrize("text", HOSTILE)
def test_what_strangers_type_stays_text(text):
    desk = cb.teaching.derivation_desk("cost-variance").desk
    desk.box.value = text
    assert desk.steps.value and "<script" not in desk.steps.value and "<img src=x" not in desk.steps.value and "<b>" not in desk.steps.value.replace("<b>Solved", "")


def test_the_desk_takes_the_problems_of_a_course():
    mine = {"left-out": load_problem("left-out")}
    book = cb.teaching.Workbook("Ada")
    desk = cb.teaching.derivation_desk(problems=mine, workbook=book).desk
    assert desk.progress.max == 1 and desk.menu.value == "left-out"
    desk.box.value = "P[N_1 >= 1] = 1 - (1 - 1/n)^n"
    assert book.is_solved("left-out") and "1 of 1" in desk.progress.description


def test_the_figure_shows_what_the_checker_says():
    figure = explorer.fig_derivation("cost-variance", 1)
    figure.savefig(io.BytesIO(), format="png")
    assert [t.get_text() for t in figure.axes[0].texts if t.get_text() in "✓✗"] == ["✓", "✓", "✗"]
    left, right = (bar.get_width() for bar in figure.axes[1].patches)
    assert left != right


# --- in a real browser -------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def app(root, tmp_path_factory):
    "The app on this machine; its address."
    with socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    log = tmp_path_factory.mktemp("desk") / "log.txt"
    with open(log, "w") as file:
        command = [sys.executable, "-m", "costboot.explorers.app", "--no-browser", "--no-token", "--port", str(port), "--notebooks", str(root / "nbs")]
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, cwd=log.parent)
        try:
            deadline = time.monotonic() + PATIENCE
            while True:
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5).close()
                    break
                except OSError: time.sleep(0.2)
                assert process.poll() is None and time.monotonic() < deadline, log.read_text()[-3000:]
            yield f"http://127.0.0.1:{port}/"
        finally:
            process.terminate()
            process.wait(30)


def type_in(page, text):
    "Select what is in the box, type over it with real keys, and press Check."
    box = page.locator(".derivation textarea")
    box.click()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    for k, line in enumerate(text.split("\n")):
        if k: page.keyboard.press("Enter")
        page.keyboard.type(line)
    page.get_by_role("button", name="Check").click()


@pytest.mark.browser
def test_a_wrong_derivation_is_mended_in_a_browser(app, open_browser):
    "Typed wrong: the first false line is marked and refuted by resamples. Mended: every line is true. From the index to the solution."
    if CHROMIUM is None and not os.environ.get("CI"): pytest.skip("no Chromium")
    page, wrong = open_browser(1300, 1000, PATIENCE).new_page(), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda r: wrong.append(r.url) if r.url.startswith("http") and not r.url.startswith(app) else None)
    page.goto(app, wait_until="commit")
    page.get_by_text("the desk for derivations").click()
    page.locator("select").first.select_option(label="Costs, stratified: Variance of a cost")
    page.get_by_text("Begin with V[C]").wait_for()
    assert page.locator("table.notation").is_visible(), "the names are in sight"

    type_in(page, FALSE)
    page.locator("tr.step.false").first.wait_for()
    assert page.locator("tr.step").count() == 3 and page.locator("tr.step.true").count() == 2
    first = page.locator("tr.step.false.first")
    assert first.count() == 1 and first.locator("td").first.inner_text() == "3"
    assert "lacks" in page.locator("p.verdict").inner_text()
    assert page.locator("tr.step img").evaluate_all("all => all.every(i => i.complete && i.naturalWidth > 20)"), "the formulas are drawn"
    page.get_by_role("tab", name="Show me the resamples").click()
    page.get_by_text("Its resamples:").wait_for()
    page.get_by_role("button", name="Hint").click()
    page.get_by_text("Hint 1 of 3.").wait_for()
    if folder := os.environ.get("COSTBOOT_SCREENSHOTS"): page.screenshot(path=Path(folder) / "desk-false.png", full_page=True)

    page.get_by_role("tab", name="Steps").click()
    type_in(page, TRUE)
    page.get_by_text("Solved.").wait_for()
    assert page.locator("tr.step.true").count() == 3 and page.locator("tr.step.false").count() == 0
    assert page.get_by_text("1 of ", exact=False).first.is_visible()
    assert page.locator("a[download='workbook.json']").is_visible()
    page.get_by_role("button", name="Solution").click()
    page.locator("pre", has_text="V[C] = w^2 V[TP]").wait_for()
    page.set_viewport_size({"width": 390, "height": 844})  # a phone: nothing runs out at the side, names and verdict are both in sight
    page.wait_for_function("document.querySelector('.derivation-names').getBoundingClientRect().height < 200")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    places = page.evaluate("['.derivation-names', '.derivation-tabs'].map(c => document.querySelector(c).getBoundingClientRect().top)")
    assert places[0] < places[1] < places[0] + 200, places
    if folder := os.environ.get("COSTBOOT_SCREENSHOTS"): page.screenshot(path=Path(folder) / "desk-true.png", full_page=True)
    assert wrong == [] and page.locator("text=Traceback").count() == 0
    page.goto("about:blank")
