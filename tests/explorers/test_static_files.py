"""Which estimators have an explorer, the catalogue of the app, and explorers as files that need no Python, in a real browser."""

import dis
import inspect
import json
import os
import re
import subprocess
import sys
import types
from pathlib import Path

import docs
import pytest
import static_explorers
from conftest import CHROMIUM, SAMPLE, SLOW, sampled

import costboot as cb
from costboot.explorers.app import catalogue, page_entries
from costboot.explorers.static_files import advice_steps, advised_settings, combined_controls, embed_html, embed_places, static_controls, static_explorer, static_settings

EXPLORERS = sorted(name for name in cb.explorers.__all__ if name.startswith("explore_"))
LIMIT = 1_500_000
needs_browser = pytest.mark.skipif(CHROMIUM is None and not os.environ.get("CI"), reason="no Chromium")

# --- every estimator has an explorer ---------------------------------------------------------------------------------
# An explorer shows an estimator when its figure calls it. These are shown without being called by name:
SHOWN_BY = {
    "coverage": "explore_simulation_error",  # how far its answer may be from the exact one
    "compare_all_rules": "explore_pair_influence",  # the same for more than two rules
    "compare_rules": "explore_pair_influence",  # its standard error comes from the influences that are drawn
    "cost_lines": "explore_cost_construction",  # the lines of the third column
    "decompose_weights": "explore_ten_classes",  # the dotted line, computed once
    "difference_coverage": "explore_difference_coverage",  # its sums, without what the eye cannot see
    "empirical_coverage": "explore_paired_coverage",  # one of the curves
    "exact_expense_difference": "explore_expense",  # the same prices, for two models
    "exact_paired_coverage": "explore_paired_coverage",
    "exact_partial_auc_difference": "explore_partial_auc",  # the same area, for two models
    "gaussian_joint_error": "explore_tpr_difference",  # the distance between the two joint laws that are drawn
    "independent_difference": "explore_auc_difference",  # paired beside unpaired
    "inside_range": "explore_beyond_scores",  # the line at the threshold, within the scores or beyond
    "nearest_inside": "explore_beyond_scores",  # where that line would go
    "plan_size": "explore_plan_size",  # its search, with the limits of every count kept
    "resampled_rates_at_budget": "explore_budget",  # literal resamples, beside the exact law
    "resampled_roc": "explore_roc_regions",
    "resampled_tpr_difference": "explore_tpr_difference",
    "roc_auc": "explore_auc",  # the mean of the law that is drawn
    "roc_hull": "explore_threshold_choice",  # its dual, the lower envelope of the cost lines
    "significant_ranges": "explore_cost_difference",  # the shaded ranges
    "validated_cost_difference": "explore_optimism",  # the same split, for two models
}
# And these estimate nothing.
OTHERS = {
    "files and examples": {"counts_from", "example_scores", "load_uci", "read_scores", "uci_available"},
    "reports of what others computed": {"compare", "comparison_table", "interval_table", "report"},
    "checks and plumbing": {"check_answer", "check_explorer", "enumerate_law", "explore"},
    "formulas of given numbers": {"binormal_thresholds", "calibrated_thresholds", "expected_cost", "heights_variance"},
    "intervals and tests of the literature, for comparison": {"five_by_two", "rate_interval"},
    "parts of the interval for clusters": {
        "cluster_area_limits", "cluster_degrees", "cluster_form_limits", "cluster_limits", "conservative_cluster_area_limits", "design_effect",
        "full_clusters", "stratified_clusters", "student_factor",
    },
    "experiments": {
        "draw_measure_study", "drawn_cells", "full_coverage", "judged", "load_clusters", "load_measure_study", "load_study", "mean_rates", "measure_clusters",
        "measure_target", "pair_coverage", "run_measure_study", "run_targets", "save_clusters", "save_study", "stored_results", "study_designs", "study_parser", "study_sizes",
        "worst_of_measures",
    },
}


def offered():
    "Name -> value of everything that the front door and the rooms of estimators offer."
    rooms = (cb, cb.curves, cb.laws, cb.comparisons, cb.coverages, cb.folds, cb.retrained)
    return {name: getattr(room, name) for room in rooms for name in room.__all__}


def loaded(code):
    "The names that a function looks up or imports, nested functions included."
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "IMPORT_FROM"): yield step.argval
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType): yield from loaded(constant)


def functions(value):
    "A function itself, or the functions of a class."
    if inspect.isclass(value): return [f for m in vars(value).values() if inspect.isfunction(f := getattr(m, "fget", m))]
    return [value] if inspect.isfunction(value) else []


def reached(function, seen):
    "All functions of the package that a function can call."
    for name in loaded(function.__code__):
        for f in functions(function.__globals__.get(name, OFFERED.get(name))):
            if f.__module__.startswith("costboot.") and f not in seen:
                seen.add(f)
                reached(f, seen)
    return seen


OFFERED = offered()


@pytest.fixture(scope="module")
def shown():
    "Public function -> the explorers whose figures call it."
    found = {}
    for name in EXPLORERS:
        for f in reached(getattr(cb.explorers, name), set()): found.setdefault(f.__name__, set()).add(name)
    return found


def public_functions(): return {n for n, f in offered().items() if inspect.isfunction(f) and not n.startswith(("fig_", "explore_"))}


def test_every_estimator_has_an_explorer(shown):
    others = set().union(*OTHERS.values())
    silent = sorted(n for n in public_functions() - others if n not in shown and n not in SHOWN_BY)
    assert silent == [], "estimators that no explorer shows; add an explorer to their page"


def test_the_exceptions_are_still_true(shown):
    assert {n for n in SHOWN_BY if n not in public_functions()} == set(), "no such public function"
    assert {e for e in SHOWN_BY.values() if e not in EXPLORERS} == set(), "no such explorer"
    assert {n for n in SHOWN_BY if SHOWN_BY[n] in shown.get(n, ())} == set(), "called by the explorer after all: not an exception"


def test_an_estimator_without_explorer_is_found(shown, monkeypatch):
    def exact_nothing(y_true): return y_true
    monkeypatch.setattr(cb, "exact_nothing", exact_nothing, raising=False)
    monkeypatch.setattr(cb, "__all__", [*cb.__all__, "exact_nothing"])
    with pytest.raises(AssertionError, match="exact_nothing"): test_every_estimator_has_an_explorer(shown)


def test_the_laws_of_curves_are_shown_by_figures_that_call_them(shown):
    exact = [n for n in public_functions() if n.startswith("exact_") and n not in SHOWN_BY]
    assert len(exact) > 8 and all(shown[n] for n in exact)


# --- the catalogue ---------------------------------------------------------------------------------------------------
def test_the_catalogue_is_complete(root):
    entries = catalogue(root / "nbs")
    assert sorted(e.name for e in entries) == EXPLORERS
    assert all(e.advice.startswith("Try ") and "watch" in e.advice for e in entries)
    assert all((root / "nbs" / f"{e.page}.ipynb").is_file() for e in entries)
    sidebar = (root / "_quarto.yml").read_text(encoding="utf8")
    places = [sidebar.index(f"- {e.page}.ipynb") for e in entries]
    assert places == sorted(places), "as the book is read"


def test_an_explorer_without_advice_is_named(tmp_path):
    cell = dict(cell_type="code", outputs=[], source="#| export\ndef explore_auc(): return explore(fig_auc, n=(1, 2))")
    (tmp_path / "page.ipynb").write_text(json.dumps(dict(cells=[cell])))
    with pytest.raises(ValueError, match="`explore_auc` must .* lacks the sentence"): page_entries(tmp_path / "page.ipynb", {"explore_auc"})
    (empty := tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="must define every explorer once"): catalogue(empty)


def test_the_app_explains_a_wrong_folder(tmp_path):
    done = subprocess.run([sys.executable, "-m", "costboot.explorers.app", "--notebooks", str(tmp_path / "none")], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "`notebooks` must be the folder" in done.stderr and "Traceback" not in done.stderr


# --- the pages of the documentation ----------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def prepared(project_copy):
    "The pages as nbdev prepares them for Quarto; test_docs.py has usually made them already."
    if not (project_copy / "_proc" / "index.ipynb").is_file(): docs.prepare(project_copy)
    return project_copy / "_proc"


def embedded(page):
    "The static explorers that a page embeds; one that it only prints does not count."
    text = "\n".join("".join(c["source"]) for c in json.loads(page.read_text(encoding="utf8"))["cells"])
    return re.findall(r"<iframe[^>]*src=\"((?:\.\./)*explorers/static/\w+\.html#embedded)\"", text)


def test_each_page_with_an_explorer_embeds_it(prepared, root):
    expected = {p: list(embed_places(root / "nbs" / p).values()) for p in docs.pages(root / "nbs")}
    assert {name for names in expected.values() for name in names} == set(EXPLORERS)
    for page, names in expected.items():
        up = "../" * page.count("/")
        assert sorted(embedded(prepared / page)) == sorted(f"{up}explorers/static/{n.removeprefix('explore_')}.html#embedded" for n in names), page


def test_quarto_copies_the_files(root):
    assert re.search(r"^  resources:\n    - explorers/static/\*\.html", (root / "_quarto.yml").read_text(encoding="utf8"), flags=re.M)
    assert "nbs/explorers/static/" in (root / ".gitignore").read_text().split()


# --- the advice ------------------------------------------------------------------------------------------------------
def walks(entry):
    "What the book says to do with an explorer: the controls of its file, and the steps of each sentence."
    explorer = static_explorers.quietly(getattr(cb.explorers, entry.name))
    advised = [advice_steps(explorer, text) for text in (entry.advice, *entry.also)]
    wanted = {}
    for step in sum(advised, []):
        if step.value is not None: wanted.setdefault(step.name, []).append(step.value)
    return static_controls(explorer, steps=3, also=wanted), advised


@pytest.mark.parametrize("entry", catalogue(), ids=lambda entry: entry.name)
def test_the_advice_can_be_followed_in_the_file(entry):
    controls, advised = walks(entry)
    values = {c.name: c.values for c in controls}
    drawn = set(static_settings(controls, combined_controls(controls, entry.advice), *advised))
    for text, steps in zip((entry.advice, *entry.also), advised):
        assert steps, f"no control is named in code style: {text}"
        assert sum(step.value is not None for step in steps) >= len(re.findall(r"`\s*=|\w\s*=[^`]*`", text)), f"a value is not understood: {text}"
        assert all(step.value is None or step.value in values[step.name] for step in steps)
        assert len(met := advised_settings(controls, steps)) > 1 and set(met) <= drawn


def test_advice_that_the_combinations_alone_do_not_show():
    "Without the advice the files lack settings that it asks for: so the test above can fail."
    lacking = [e.name for e in catalogue() for controls, advised in [walks(e)]
               if not {s for steps in advised for s in advised_settings(controls, steps)} <= set(static_settings(controls, combined_controls(controls, e.advice)))]
    assert {"explore_optimism", "explore_cost_coverage", "explore_two_bands"} <= set(lacking)


# --- the files -------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def files(tmp_path_factory, root):
    "The explorers that are tried, drawn at three values of each slider."
    names = [] if SLOW else [*SAMPLE, "explore_roc_point"]
    folder = tmp_path_factory.mktemp("site") / "explorers" / "static"
    done = subprocess.run([sys.executable, root / "tools" / "static_explorers.py", "--quick", "--folder", folder, *names], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return {name: folder / f"{name.removeprefix('explore_')}.html" for name in EXPLORERS}


@pytest.fixture(scope="module")
def browser(open_browser): return open_browser(1100, 900, 60)


@pytest.fixture
def page(browser):
    "A page on which nothing may go wrong and nothing may be fetched but files."
    opened, wrong = browser.new_page(), []
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("console", lambda m: m.type in ("error", "warning") and wrong.append(m.text))
    opened.on("request", lambda r: r.url.startswith(("file:", "data:", "about:")) or wrong.append(r.url))
    yield opened
    opened.close()
    assert wrong == []


CHANGED = """async () => { const over = document.getElementById("over"); await over.decode();
  const canvas = Object.assign(document.createElement("canvas"), {width: over.naturalWidth, height: over.naturalHeight});
  const pen = canvas.getContext("2d"); pen.drawImage(over, 0, 0);
  return pen.getImageData(0, 0, canvas.width, canvas.height).data.filter((v, i) => i % 4 == 3 && v > 0).length; }"""


def state(page): return page.evaluate("() => [...document.querySelectorAll('.controls input, .controls select')].map(e => Number(e.value))")


@pytest.mark.parametrize("name", sampled(EXPLORERS))
def test_the_file_is_complete(name, files):
    text = files[name].read_text(encoding="utf8")
    assert files[name].stat().st_size < LIMIT and not re.search(r"https?://|src=\"(?!data:)|@import|url\(", text)
    controls = [w for w in static_explorers.quietly(getattr(cb.explorers, name)).kwargs_widgets if hasattr(w, "description")]
    assert text.count("<label for=") == len(controls)


@needs_browser
@pytest.mark.parametrize("name", sampled(EXPLORERS))
def test_every_control_of_the_file_moves_the_picture(name, files, page):
    page.goto(files[name].as_uri())
    assert page.evaluate(CHANGED) == 0 and page.locator("h1").is_visible() and "Try " in page.locator(".about").inner_text()
    start, controls = state(page), page.locator(".controls input, .controls select")
    for i in range(controls.count()):
        controls.nth(i).focus()
        moved = 0
        if controls.nth(i).evaluate("e => e.tagName") == "INPUT":
            for key in ("Home", "End"):
                page.keyboard.press(key)
                moved += page.evaluate(CHANGED)
        else:
            for k in range(controls.nth(i).locator("option").count()):
                controls.nth(i).select_option(index=k)
                moved += page.evaluate(CHANGED)
        assert moved > 0, f"control {i} of {name} changes nothing"
        page.locator("#start").click()
        assert state(page) == start and page.evaluate(CHANGED) == 0
    if folder := os.environ.get("COSTBOOT_SCREENSHOTS"): page.screenshot(path=Path(folder) / f"static_{name}.png", full_page=True)


@needs_browser
def test_two_controls_combine_and_a_third_puts_them_back(page, tmp_path):
    explorer = static_explorers.quietly(cb.explorers.explore_roc_point)
    path = tmp_path / "roc_point.html"
    path.write_text(static_explorer(explorer, "ROC point", about="A point.", advice="Try `scale_pos` and `threshold`.", steps=3), encoding="utf8")
    page.goto(path.as_uri())
    start = state(page)  # theta, scale_pos, scale_neg, threshold
    for k in (1, 3):
        page.locator(f"#control-{k}").focus()
        page.keyboard.press("End")
    both = state(page)
    assert both[1] > start[1] and both[3] > start[3] and both[0] == start[0] and page.evaluate(CHANGED) > 0
    assert "spread of positives and threshold t in every combination" in page.locator("#note").inner_text()
    page.locator("#control-0").focus()
    page.keyboard.press("ArrowLeft")
    assert state(page) == [start[0] - 1, *start[1:]] and "went back to their start" in page.locator("#note").inner_text()
    assert page.locator("#control-0").get_attribute("aria-valuetext") == page.locator("#value-0").inner_text()


@needs_browser
def test_a_reader_follows_the_advice_in_the_file(page, tmp_path):
    "Three controls are set one after the other; none of them goes back."
    explorer = static_explorers.quietly(cb.explorers.explore_roc_point)
    path = tmp_path / "roc_point.html"
    advice = "Try `theta` = 6 with `scale_pos` = 6, and watch; then `threshold` = 12."
    path.write_text(static_explorer(explorer, "ROC point", about="A point.", advice=advice, steps=3), encoding="utf8")
    page.set_viewport_size(dict(width=1280, height=720))
    page.goto(path.as_uri())
    for k in (0, 1, 3):  # theta, scale_pos, threshold
        page.locator(f"#control-{k}").focus()
        page.keyboard.press("End")
        assert page.evaluate(CHANGED) > 0 and "went back" not in page.locator("#note").inner_text()
    assert "separation θ = 6" in page.locator(".about").inner_text() and page.locator("#canvas").get_attribute("aria-label").startswith("A point.")
    picture, controls = page.locator("#canvas").bounding_box(), page.locator(".controls").bounding_box()
    assert controls["x"] + controls["width"] <= picture["x"] and picture["y"] + picture["height"] <= 720, "beside the picture, and all of it in view"
    assert page.locator(".control").first.get_attribute("title").endswith("(theta in Python)")


@needs_browser
def test_a_frame_on_a_page_gets_the_height_it_needs(page, files):
    site = files["explore_roc_point"].parents[2]
    (room := site / "curves").mkdir(exist_ok=True)
    (room / "page.html").write_text(f"<!doctype html><link rel=icon href='data:,'>{embed_html('explore_roc_point', '../')}")
    page.goto((room / "page.html").as_uri())
    page.wait_for_function("() => !['', '640px'].includes(document.querySelector('iframe').style.height)")
    inside = page.frames[1]
    assert not inside.locator("h1").is_visible() and inside.locator("#canvas").is_visible()
    assert abs(page.locator("iframe").evaluate("e => e.clientHeight") - inside.evaluate("document.documentElement.offsetHeight")) < 12


@pytest.mark.slow
def test_the_files_of_the_site_are_small_enough(tmp_path, root):
    done = subprocess.run([sys.executable, root / "tools" / "static_explorers.py", "--folder", tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    sizes = {p.stem: p.stat().st_size for p in tmp_path.glob("*.html")}
    assert len(sizes) == len(EXPLORERS) and max(sizes.values()) < LIMIT
