"""The tutorials: their code runs, their exercises are solved by two routes, wrong answers get help, links lead somewhere.

A solution is an expression that is evaluated where the tutorial ends, with the tutorial's own variables: `exercises.toml` has them. So a tutorial
whose data change without new seals fails here, and `python tools/seal_exercises.py` makes them.
"""

import json
import re

import matplotlib
import numpy as np
import pytest
import seal_exercises

matplotlib.use("Agg")

import costboot as cb  # noqa: E402
from costboot.explorers.app import catalogue  # noqa: E402
from costboot.teaching import exercises  # noqa: E402

LESSONS = seal_exercises.read_lessons()
SOLUTIONS = {lesson: entries for lesson, (_, entries) in LESSONS.items()}
EXERCISES = exercises.load_exercises()
NAMES = [(page, name) for page, entries in SOLUTIONS.items() for name in entries]
DRAWING, MARKED = seal_exercises.DRAWING, seal_exercises.MARKED


@pytest.fixture(autouse=True)
def forgetful(monkeypatch):
    "Every test begins without a progress file and with the first hint."
    monkeypatch.delenv("COSTBOOT_PROGRESS", raising=False)
    monkeypatch.setattr(exercises, "_MEMORY", {})


def cells(root, page, kind):
    "The texts of a tutorial's cells."
    return seal_exercises.cells(seal_exercises.lesson_page(page, root), kind)


@pytest.fixture(scope="module", params=SOLUTIONS)
def tutorial(request, root):
    "A tutorial that was run from top to bottom: its name, its variables, and what its exercises said."
    return request.param, *seal_exercises.run_lesson(seal_exercises.lesson_page(request.param, root), LESSONS[request.param][0])


# --- every exercise, in the state in which it ships, with the right answer, with the wrong ones ------------------------
def test_pages_and_table_agree(root):
    on_pages = [name for page in SOLUTIONS for text in cells(root, page, "code") for name in MARKED.findall(text)]
    assert len(on_pages) == len(set(on_pages)) and sorted(on_pages) == sorted(EXERCISES) == sorted(name for _, name in NAMES)


def test_fresh_copy_is_open_and_right_answers_pass(tutorial):
    page, space, said = tutorial
    assert sorted(said) == sorted(SOLUTIONS[page]) and all(v.status == "open" and not v for v in said.values())
    for name, entry in SOLUTIONS[page].items():
        exercise, value = EXERCISES[name], eval(entry["answer"], space)
        verdict = cb.teaching.check_answer(name, value)
        assert verdict.status == "right", f"{name} needs a new seal: python tools/seal_exercises.py"
        assert verdict.remark == "right. " + seal_exercises.reason(entry, space) and len(entry["why"]) > 60, name
        assert re.fullmatch(r"\[\d of \d in this lesson\]", verdict.progress), verdict.progress
        if exercise.kind == "number":  # rounded, rounded up and rounded down to the decimals asked for
            unit = 10.0**-exercise.decimals
            for x in (np.round(value, exercise.decimals), np.floor(np.ravel(value) / unit) * unit, np.ceil(np.ravel(value) / unit) * unit):
                assert cb.teaching.check_answer(name, x).status == "right", (name, x)
            for x in (np.asarray(value) + 2 * unit, np.asarray(value) - 2 * unit): assert cb.teaching.check_answer(name, x).status == "wrong", (name, x)


def test_every_key_is_found_by_a_second_route(tutorial):
    "Another formula, brute force or a list of all cases gives the same number or word."
    page, space, _ = tutorial
    for name, entry in SOLUTIONS[page].items():
        assert entry["second"] != entry["answer"], name
        one, two, exercise = eval(entry["answer"], space), eval(entry["second"], space), EXERCISES[name]
        if exercise.kind == "choice": assert one == two, name
        elif exercise.kind == "count": assert int(one) == int(two), name
        else: np.testing.assert_allclose(two, one, rtol=0, atol=entry.get("within", 0.5 * 10.0**-exercise.decimals), err_msg=name)


def test_the_sealed_copy_is_fresh(tutorial):
    page, space, _ = tutorial
    stored = json.loads(seal_exercises.TARGET.read_text(encoding="utf8"))[page]
    for name, entry in SOLUTIONS[page].items():
        assert seal_exercises.sealed(name, entry, space) == stored[name], f"{name} is stale: python tools/seal_exercises.py"


def test_popular_mistakes_are_recognised(tutorial):
    page, space, _ = tutorial
    for name, entry in SOLUTIONS[page].items():
        for expression, remark in entry.get("traps", ()):
            verdict = cb.teaching.check_answer(name, eval(expression, space))
            assert verdict.status == "wrong" and verdict.remark == remark, (name, expression, verdict)


def test_nearly_right_is_recognised(tutorial):
    "Rounded to one decimal less, or a little off because intermediate results were rounded."
    page, space, _ = tutorial
    for name, entry in SOLUTIONS[page].items():
        exercise = EXERCISES[name]
        if exercise.kind != "number" or exercise.size > 1: continue
        value, unit = float(np.ravel(eval(entry["answer"], space))[0]), 10.0**-exercise.decimals
        if value < 60 * unit: continue  # a tenth of it is less than the distance below
        told = cb.teaching.check_answer(name, value + 4.3 * unit)
        traps = [remark for _, remark in entry.get("traps", ())]
        assert told.status == "wrong" and ("rounded too early" in told.remark or told.remark in traps), (name, told)
        assert "rounded" not in cb.teaching.check_answer(name, value + 40.3 * unit).remark, name


def test_answers_are_not_in_the_source(tutorial, root):
    "No hint and no remark contains its answer, no reason can be read, and no number with decimals stands in the module or in the file of exercises."
    page, space, _ = tutorial
    module = "".join((root / "costboot" / "teaching" / name).read_text(encoding="utf8") for name in ("exercises.py", "exercises.json"))
    for name, entry in SOLUTIONS[page].items():
        exercise, value = EXERCISES[name], eval(entry["answer"], space)
        assert seal_exercises.reason(entry, space)[:25] not in module
        texts = " ".join([*exercise.hints, *(remark for _, remark in exercise.traps)]).lower()
        if isinstance(value, str): assert not re.search(rf"\b{re.escape(value)}\b", texts), name
        elif exercise.kind == "count": assert not re.search(rf"\b{int(value)}\b", texts), name
        else:
            for x in np.ravel(value): assert f"{abs(x):.{exercise.decimals}f}" not in module, name


@pytest.mark.parametrize("page, name", NAMES)
def test_wrong_answers_get_one_hint_after_the_other(page, name, tmp_path):
    exercise, kept = EXERCISES[name], tmp_path / "progress.json"
    assert len(exercise.hints) >= 2 and min(map(len, exercise.hints)) > 20
    if exercise.kind == "choice":
        told = [cb.teaching.check_answer(name, word, progress=kept) for word in exercise.choices]
        assert sorted(v.status for v in told) == ["right"] + ["wrong"] * (len(told) - 1)
        assert all(v.remark in [r for _, r in exercise.traps] or v.remark.startswith("Not yet. Hint") for v in told if not v)
        return
    far = [12345.6789, 54321.4321] if exercise.kind == "number" else [12345, 54321]
    first, again, second = (cb.teaching.check_answer(name, [x] * exercise.size, progress=kept) for x in (far[0], *far))
    assert first.remark == again.remark == f"Not yet. Hint 1 of {len(exercise.hints)}: {exercise.hints[0]}" and name in repr(first)
    assert second.remark == f"Not yet. Hint 2 of {len(exercise.hints)}: {exercise.hints[1]}"
    assert json.loads(kept.read_text())[name]["tries"] == 3


UNCLEAR = [("tour-1", "0.5", "without quotation marks and with a point: 0.5"), ("tour-1", "0,505", "with a point: 0.505"), ("tour-1", (0, 505), "not with a comma: 0.505"),
           ("tour-1", None, "prints its result"), ("tour-1", True, "a number is asked for"), ("tour-1", [0.1, None], "a number is asked for"),
           ("tour-1", np.nan, "a number is asked for"), ("tour-1", [0.1, 0.2], "A number is asked for; 2 were given"), ("tour-1", [], "a number is asked for"),
           ("tour-1", 1 + 2j, "a number is asked for"), ("tour-1", np.inf, "divided by zero"), ("tour-1", {}, "a number is asked for"), ("tour-1", print, "a number is asked for"),
           ("cost-curve-1", 0.1, "2 numbers are asked for; 1 were given"), ("cost-curve-1", (0, 1, 0, 2), "not with a comma: (0.1, 0.2)"), ("cost-curve-1", "(0.1, 0.2)", "is a text"),
           ("tour-3", 1, "in quotation marks: 'yes', 'no'"), ("tour-3", "maybe", "'maybe' is not among the words"), ("tour-3", None, "prints its result"),
           ("law-1", 1.5, "A whole number is asked for; 1.5 is none"), ("law-1", "30", "without quotation marks"), ("tour-1", object(), "a number is asked for"), ("tour-1", cb, "a number is asked for")]


@pytest.mark.parametrize("name, answer, words", UNCLEAR)
def test_answers_of_the_wrong_kind_get_a_sentence(name, answer, words):
    verdict = cb.teaching.check_answer(name, answer)
    assert verdict.status == "unclear" and not verdict and words in verdict.remark and repr(verdict).startswith("? ") and exercises._MEMORY == {}


@pytest.mark.parametrize("answer", [1e308, -1e308, 1e300, 1e16, np.float64(1.7e308), 10**400, np.finfo(float).tiny])
@pytest.mark.parametrize("name", ["tour-1", "law-1", "cost-curve-2"])
def test_huge_numbers_get_a_sentence(name, answer):
    verdict = cb.teaching.check_answer(name, answer)
    assert verdict.status in ("wrong", "unclear") and len(verdict.remark) > 10


@pytest.mark.parametrize("name, error, words", [("tour-9", ValueError, "did you mean 'tour-"), ("", ValueError, "name of an exercise"), (7, TypeError, "`name` must be the name of an exercise; got 7")])
def test_a_wrong_name_is_an_error(name, error, words):
    with pytest.raises(error, match=re.escape(words)): cb.teaching.check_answer(name, 1)


# --- progress -------------------------------------------------------------------------------------------------------------
def test_progress_is_kept_in_a_file_and_shown(tmp_path, monkeypatch):
    kept = tmp_path / "folder" / "progress.json"
    monkeypatch.setenv("COSTBOOT_PROGRESS", str(kept))
    assert cb.teaching.check_answer("tour-3", ...).status == "open" and cb.teaching.check_answer("tour-3", None).status == "unclear" and not kept.exists()
    assert cb.teaching.check_answer("tour-3", "yes").progress == "[0 of 3 in this lesson]"
    assert cb.teaching.check_answer("tour-3", "no").progress == "[1 of 3 in this lesson]"
    assert cb.teaching.check_answer("tour-3", "no").progress == "[1 of 3 in this lesson]"  # no new try
    shown = cb.teaching.exercise_progress()
    assert shown.loc["tour"].tolist() == [1, 3, 2, 1] and shown["of"].sum() == len(EXERCISES) and shown.loc["wald"].tolist() == [0, 4, 0, 0]
    assert exercises._MEMORY == {} and kept.stat().st_size < 500


def test_progress_file_of_somebody_else_is_left_alone(tmp_path):
    for text in ("a diary", "[]", '{"tour-1": 7}', '{"tour-1": {"age": 3}}'):
        (tmp_path / "p.json").write_text(text)
        verdict = cb.teaching.check_answer("tour-3", "no", progress=tmp_path / "p.json")
        assert verdict and "Progress is not kept" in verdict.progress and (tmp_path / "p.json").read_text() == text
    with pytest.raises(ValueError, match="`progress` must be a file that `check_answer` wrote"): cb.teaching.exercise_progress(tmp_path / "p.json")


def test_progress_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    verdict = cb.teaching.check_answer("tour-3", "no", progress=tmp_path / "file" / "p.json")
    assert verdict and "Progress is not kept" in verdict.progress


# --- what the pages ask for is what is checked ---------------------------------------------------------------------------
NUMBER_WORDS = {"one decimal": 1, "two decimals": 2, "three decimals": 3, "four decimals": 4}


@pytest.mark.parametrize("page, name", NAMES)
def test_the_page_asks_for_what_is_checked(page, name, root):
    [text] = [t for t in cells(root, page, "markdown") if f"**{name}.**" in t]
    asked, exercise = text.split(f"**{name}.**")[1].split("\n\n")[0], EXERCISES[name]
    if exercise.kind == "number": assert [NUMBER_WORDS[w] for w in NUMBER_WORDS if f"({w}" in asked] == [exercise.decimals], asked
    elif exercise.kind == "count": assert "(a whole number" in asked
    else: assert all(f'`"{word}"`' in asked for word in exercise.choices), asked


# --- the file of exercises ----------------------------------------------------------------------------------------------
def test_the_file_is_what_its_exercises_say(root):
    "Lesson by lesson, with the tutorials' own names, and as `exercise_record` writes it."
    lessons = json.loads((root / "costboot" / "teaching" / "exercises.json").read_text(encoding="utf8"))
    assert {lesson: list(entries) for lesson, entries in lessons.items()} == {page: list(names) for page, names in SOLUTIONS.items()}
    for entries in lessons.values():
        for name, entry in entries.items(): assert exercises.exercise_record(EXERCISES[name]) == entry and hash(EXERCISES[name])


def test_a_course_has_a_file_of_its_own(tmp_path):
    mine = exercises.seal_answer("x-1", "b", kind="choice", choices=("a", "b"), hints="Look.", traps=[("a", "Not that.")])
    (tmp_path / "course.json").write_text(json.dumps({"lesson": {"x-1": exercises.exercise_record(mine)}}))
    course = exercises.load_exercises(tmp_path / "course.json")
    assert course == {"x-1": mine} and cb.teaching.check_answer("x-1", "a", exercises=course).remark == "Not that."
    course.clear()
    assert exercises.load_exercises() == EXERCISES  # what one caller does with the table is of no consequence for the next


# --- exercises of one's own ---------------------------------------------------------------------------------------------
def test_own_exercises():
    mine = {"x-1": exercises.seal_answer("x-1", -2.5, decimals=1, hints="Think."), "x-2": exercises.seal_answer("x-2", (1, 2, 3), kind="count")}
    assert eval(repr(mine["x-1"]), vars(exercises)) == mine["x-1"]
    assert cb.teaching.check_answer("x-1", -2.46, exercises=mine) and cb.teaching.check_answer("x-2", np.array([1, 2, 3]), exercises=mine)
    assert cb.teaching.check_answer("x-1", 2.5, exercises=mine).remark.endswith("sign?") and cb.teaching.check_answer("x-1", -250, exercises=mine).remark.startswith("Right, if")
    assert cb.teaching.check_answer("x-2", (3, 2, 1), exercises=mine).remark == "The right numbers in the wrong order."
    assert cb.teaching.check_answer("x-1", -7.0, exercises=mine).remark == "Not yet. Hint 1 of 1: Think."
    assert cb.teaching.check_answer("x-1", -7, exercises={"x-1": exercises.seal_answer("x-1", 0.25, decimals=2)}).remark == "Not yet. The answer is wanted to 2 decimals."


@pytest.mark.parametrize("arguments, error, words", [
    (dict(name="", answer=1), TypeError, "`name` must be a word"), (dict(name="x", answer="a"), TypeError, "must be a number"),
    (dict(name="x", answer=1, kind="word"), ValueError, "`kind` must be one of 'choice', 'count', 'number'"),
    (dict(name="x", answer="a", kind="choice", choices=("a",)), ValueError, "`choices` must be two or more words"),
    (dict(name="x", answer=1, choices=("a", "b")), ValueError, "`choices`"), (dict(name="x", answer=1.5, kind="count"), ValueError, "whole number"),
    (dict(name="x", answer="c", kind="choice", choices=("a", "b")), ValueError, "one of the words 'a', 'b'; got 'c'"),
    (dict(name="x", answer=1, decimals=-1), ValueError, "`decimals` must be a whole number, at least 0"),
    (dict(name="x", answer=0.1234, traps=[(0.1236, "")]), ValueError, "`traps` must be wrong answers; 0.1236 would be accepted")])
def test_seals_refuse_nonsense(arguments, error, words):
    with pytest.raises(error, match=re.escape(words)): exercises.seal_answer(**arguments)


# --- the pages as a student meets them ----------------------------------------------------------------------------------
ORDER = ["tour", "cost_curve", "better", "threshold", "exact_law", "derive", "wald", "retrain", "many_classes", "planning", "teachers"]
DRAWS = re.compile(r"plt\.subplots|\.plot\(|plot_coverage\(")
HARD_WORDS = re.compile(r"\b(dear|dearer|cheaper|napkin|nasty|cries wolf|wobbl\w+|decently|flatter\w*)\b", re.I)  # what a reader who learns English meets rarely


def stored(root, page): return json.loads(seal_exercises.lesson_page(page, root).read_text(encoding="utf8"))["cells"]


def test_lessons_are_numbered_in_their_file_names(root):
    names = [f"{k:02d}_{name}" for k, name in enumerate(ORDER, 1)]
    assert sorted(p.stem for p in (root / "nbs" / "tutorials").glob("*.ipynb")) == names
    listed = re.findall(r"- tutorials/(\w+)\.ipynb", (root / "_quarto.yml").read_text(encoding="utf8"))
    assert listed == names


@pytest.mark.parametrize("page", SOLUTIONS)
def test_page_has_what_a_lesson_has(page, root):
    text, code = "\n\n".join(cells(root, page, "markdown")), cells(root, page, "code")
    for part in ("**What you will learn.**", "**Time:**", "**You need**", "## Play", "## Exercises", "**What to read next.**", "Try `"): assert part in text, part
    assert sum("cb.teaching.predict(" in c for c in code) >= 2, "no prediction before a reveal"
    assert [DRAWING.match(c)[1] for c in code if DRAWING.match(c)] == ["explore"]  # the explorer, and no still picture of it beside it
    assert len(SOLUTIONS[page]) >= 3 and not any("#| export" in c for c in code)


@pytest.mark.parametrize("page", SOLUTIONS)
def test_a_lesson_begins_with_a_picture(page, root):
    "Title, what it is about, imports, picture."
    at = next(i for i, c in enumerate(stored(root, page)) if any("image/png" in o.get("data", {}) for o in c.get("outputs", [])))
    assert at <= 3 and stored(root, page)[at + 1]["cell_type"] == "markdown"


@pytest.mark.parametrize("page", SOLUTIONS)
def test_plotting_code_is_folded_and_shown_code_is_narrow(page, root):
    for c in stored(root, page):
        text = "".join(c["source"])
        if c["cell_type"] != "code": continue
        folded = text.startswith("#| code-fold: true\n") and c["metadata"] == {"jupyter": {"source_hidden": True}}
        assert folded or not DRAWS.search(text), text[:80]
        lines = [line for line in text.splitlines() if not line.startswith("#|")]
        assert max(map(len, lines)) <= (100 if folded else 88), max(lines, key=len)


@pytest.mark.parametrize("page", SOLUTIONS)
def test_words_that_a_reader_knows(page, root):
    assert not (found := HARD_WORDS.findall("\n".join(cells(root, page, "markdown") + cells(root, page, "code")))), found


def test_one_sign_and_one_numbering_within_a_lesson(root):
    "Differences of the lesson on thresholds are reported minus true, as in its explorer; wines are classes 0, 1 and 2."
    threshold = "\n".join(cells(root, "threshold", "markdown") + cells(root, "threshold", "code"))
    assert not re.search(r"true( cost)? minus promised|true cost - reported|true minus", threshold, re.I) and "promised cost minus the true" in threshold
    many = "\n".join(cells(root, "many_classes", "markdown"))
    assert not re.search(r"third class|third grower|grower 2|class 3", many)


@pytest.mark.parametrize("page", ORDER)
def test_links_lead_somewhere(page, root):
    folder = root / "nbs" / "tutorials"
    links = re.findall(r"\]\(([^)#]+\.ipynb)", "\n".join(cells(root, page, "markdown")))
    assert links and [s for s in links if not (folder / s).is_file()] == []


def test_teachers_page_knows_every_tutorial_and_exercise(root):
    text = "\n".join(cells(root, "teachers", "markdown"))
    for page in set(ORDER) - {"teachers"}: assert f"({seal_exercises.lesson_page(page, root).name})" in text


def test_teachers_page_lists_every_explorer_once_with_lesson_and_level(root):
    "As the gallery places it; and every belief has an explorer that shows what is the case."
    text = "\n".join(cells(root, "teachers", "markdown"))
    listed = re.findall(r"^\| (\d+|–) \| (\d) \| \[([^\]]+)\]\(\.\./([\w/]+)\.ipynb\) \| `(\w+)` \| (.+) \|$", text, re.M)
    def lesson(entry): return str(int(entry.lesson.split("/")[1][:2])) if entry.lesson else "–"
    assert sorted(row[:-1] for row in listed) == sorted((lesson(e), str(e.level), e.title, e.page, e.name) for e in catalogue(root / "nbs")), "every explorer has one line in the table of the page for teachers"
    beliefs = re.findall(r'^\| "[^|]+" \| [^|]+ \| [^|]+ \| (.+) \|$', text, re.M)
    titles = {e.title for e in catalogue(root / "nbs")}
    assert len(beliefs) == len(re.findall(r'^\| "', text, re.M)) >= 10 and all(set(re.findall(r"\[([^\]]+)\]", row)) & titles for row in beliefs)
