"""The tutorials: their code runs, their exercises are solved by computation, wrong answers get help, links lead somewhere.

A solution is an expression that is evaluated where the tutorial ends, with the tutorial's own variables. So a tutorial
whose data change without new seals fails here, and the message has the entry that `costboot/teaching/exercises.json` needs.
"""

import ast
import json
import re
from collections import namedtuple
from dataclasses import replace

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402

import costboot as cb  # noqa: E402
from costboot.teaching import exercises  # noqa: E402

Solution = namedtuple("Solution", "expression traps", defaults=((),))  # traps: popular wrong answers, in the order of the exercise

SOLUTIONS = {
    "tour": {
        "tour-1": Solution("0.02 * 50 / (0.02 * 50 + 0.98 * 1)", ("50 / 51", "0.02")),
        "tour-2": Solution("limits('naive Bayes').high", ("limits('naive Bayes', 'wald').high", "limits('naive Bayes', 'exact').high", "limits('naive Bayes', 'agresti').high",
                                                          "limits('logistic regression').high", "limits('naive Bayes').low")),
        "tour-3": Solution("'no'"),
    },
    "cost_curve": {
        "cost-curve-1": Solution("(np.mean(bayes[y == 0] >= 0.5), np.mean(bayes[y == 1] < 0.5))", ("(np.mean(bayes[y == 0] >= 0.5), np.mean(bayes[y == 1] >= 0.5))",)),
        "cost-curve-2": Solution("(rates[0.2][0] - rates[0.8][0]) / (rates[0.2][0] - rates[0.8][0] + rates[0.8][1] - rates[0.2][1])"),
        "cost-curve-3": Solution("0.05 * 2000 * fnr + 0.95 * 100 * fpr", ("cb.exact_cost(y, scores, cb.operating_condition(0.05, 2000, 100), 0.5).mean", "2000 * fnr + 100 * fpr")),
        "cost-curve-4": Solution("'worth little'"),
    },
    "better": {
        "better-1": Solution("np.sum(mistakes('A') != mistakes('C'))", ("np.sum(mistakes('A') | mistakes('C'))", "np.sum(mistakes('A')) + np.sum(mistakes('C'))")),
        "better-2": Solution("difference.std[at] / separate.std[at]", ("separate.std[at] / difference.std[at]", "difference.var[at] / separate.var[at]")),
        "better-3": Solution("A_and_C.dominance().f1", ("A_and_C.dominance().f2",)),
        "better-4": Solution("'second is better'"),
    },
    "threshold": {
        "threshold-1": Solution("-anna(11)"),
        "threshold-2": Solution("-np.mean([anna(seed, 120) for seed in range(300)])", ("-np.mean(missed)",)),
        "threshold-3": Solution("'too low'"),
        "threshold-4": Solution("(0.75 / 0.8) / (0.25 / 0.2 + 0.75 / 0.8)", ("0.75",)),
    },
    "exact_law": {
        "law-1": Solution("comb(5, 3) * comb(3, 2)", ("3**3 * 2**2", "comb(5, 3) + comb(3, 2)")),
        "law-2": Solution("probability_above", ("probability_above + listed.support(0)[1][np.isclose(listed.support(0)[0], cost(y, scores))][0]",)),
        "law-3": Solution("quarter.std", ("np.sqrt(0.25**2 * fnr * (1 - fnr) + 0.75**2 * fpr * (1 - fpr))", "real.std")),
        "law-4": Solution("round(0.05 * 0.95 / 0.001**2)", ("round(0.05 / 0.001**2)",)),
    },
    "wald": {
        "wald-1": Solution("3 / 34 + z * np.sqrt(3 / 34 * 31 / 34 / 34)", ("1 / 30 + z * np.sqrt(1 / 30 * 29 / 30 / 30)", "3 / 34 + norm.ppf(0.975) * np.sqrt(3 / 34 * 31 / 34 / 34)")),
        "wald-2": Solution("coverage(0.02, 50, 'agresti')", ("coverage(0.02, 50, 'wald')",)),
        "wald-3": Solution("int(np.floor(np.log(0.05) / np.log(0.98))) + 1", ("150", "148")),
        "wald-4": Solution("'unfounded'"),
    },
    "retrain": {
        "retrain-1": Solution("(1 - 1 / 20)**20", ("np.exp(-1)",)),
        "retrain-2": Solution("bayes.estimate['b632']", ("bayes.estimate['leave_one_out']", "bayes.estimate['apparent']")),
        "retrain-3": Solution("0.368 * 0 + 0.632 * 0.5", ("0.5", "0")),
        "retrain-4": Solution("'too low'"),
    },
    "many_classes": {
        "classes-1": Solution("5 - 1", ("5",)),
        "classes-2": Solution("cb.average_operating_points(outputs, points=[[1, 1, 3]]).mean['error_2']", ("default.mean['error_2']", "cb.average_operating_points(outputs, points=[[1, 1, 1 / 3]]).mean['error_2']")),
        "classes-3": Solution("10 - 1", ("2 * 10 - 2",)),
        "classes-4": Solution("1 / (1 + 4)", ("1 / 4",)),
    },
}
HELPERS = {  # what the expressions need beside the variables of their tutorial
    "tour": "def limits(name, method='recommended'): return cb.exact_cost(y, example.scores[name], 0.3, example.thresholds[name]).interval(0.9, method)",
    "cost_curve": "bayes = example.scores['naive Bayes']\nrates = {t: (np.mean(scores[y == 0] >= t), np.mean(scores[y == 1] < t)) for t in (0.2, 0.8)}",
    "better": "def mistakes(name): return (scores[name] >= rules[name](0.5)) != y\n"
              "A_and_C = cb.exact_roc_difference(y, scores['A'], scores['C'], rules['A'](0.7), rules['C'](0.7))",
    "exact_law": "probability_above = 1 - listed.cdf(cost(y, scores))[0]\nquarter = cb.exact_cost(real_y, real_scores, 0.25, 0.5)",
    "retrain": "bayes = cb.assess(GaussianNB(), X, y, n_resamples=200, rng=5, progress=False)",
}
EXERCISES = exercises.load_exercises()
NAMES = [(page, name) for page, exercises in SOLUTIONS.items() for name in exercises]
DRAWING = re.compile(r"(?:#\|.*\n)*cb\.(?:\w+\.)?(explore|fig)_\w+\(.*\)\s*$")
MARKED = re.compile(r'check_answer\("([\w-]+)"')


def cells(root, page, kind):
    "The texts of a tutorial's cells."
    made = json.loads((root / "nbs" / "tutorials" / f"{page}.ipynb").read_text(encoding="utf8"))["cells"]
    return ["".join(c["source"]) for c in made if c["cell_type"] == kind]


@pytest.fixture(scope="module", params=SOLUTIONS)
def tutorial(request, root):
    "A tutorial that was run from top to bottom: its name, its variables, and what its exercises said."
    space, said = {}, {}
    for text in cells(root, request.param, "code"):
        if DRAWING.match(text): continue  # drawn by the tests of the explorers
        body = ast.parse(text).body
        last = body.pop() if isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), request.param, "exec"), space)
        value = eval(compile(ast.Expression(last.value), request.param, "eval"), space) if last else None
        if name := MARKED.search(text): said[name[1]] = value
        plt.close("all")
    exec(HELPERS.get(request.param, ""), space)
    return request.param, space, said


# --- every exercise, in the state in which it ships, with the right answer, with the wrong ones ------------------------
def test_pages_and_table_agree(root):
    on_pages = [name for page in SOLUTIONS for text in cells(root, page, "code") for name in MARKED.findall(text)]
    assert len(on_pages) == len(set(on_pages)) and sorted(on_pages) == sorted(EXERCISES) == sorted(name for _, name in NAMES)


def test_fresh_copy_is_open_and_right_answers_pass(tutorial):
    page, space, said = tutorial
    assert sorted(said) == sorted(SOLUTIONS[page]) and all(v.status == "open" and not v for v in said.values())
    for name, solution in SOLUTIONS[page].items():
        exercise, value = EXERCISES[name], eval(solution.expression, space)
        again = exercises.seal_answer(name, value, kind=exercise.kind, decimals=exercise.decimals, choices=exercise.choices, hint=exercise.hint)
        entry = exercises.exercise_record(replace(exercise, digest=again.digest))
        assert cb.teaching.check_answer(name, value).status == "right", f"a new seal is needed (and new ones for its traps):\n{json.dumps({name: entry}, indent=1)}"
        if exercise.kind == "number":  # rounded, rounded up and rounded down to the decimals asked for
            unit = 10.0**-exercise.decimals
            for x in (np.round(value, exercise.decimals), np.floor(np.ravel(value) / unit) * unit, np.ceil(np.ravel(value) / unit) * unit):
                assert cb.teaching.check_answer(name, x).status == "right", (name, x)
            for x in (np.asarray(value) + 2 * unit, np.asarray(value) - 2 * unit): assert cb.teaching.check_answer(name, x).status == "wrong", (name, x)


def test_popular_mistakes_are_recognised(tutorial):
    page, space, _ = tutorial
    for name, solution in SOLUTIONS[page].items():
        traps = EXERCISES[name].traps
        assert len(traps) == len(solution.traps), name
        for expression, (_, remark) in zip(solution.traps, traps):
            verdict = cb.teaching.check_answer(name, eval(expression, space))
            assert verdict.status == "wrong" and verdict.remark == remark, (name, expression, verdict)


def test_answers_are_not_in_the_source(tutorial, root):
    "No hint and no remark contains its answer, and no number with decimals stands in the module or in the file of exercises."
    page, space, _ = tutorial
    module = "".join((root / "costboot" / "teaching" / name).read_text(encoding="utf8") for name in ("exercises.py", "exercises.json"))
    for name, solution in SOLUTIONS[page].items():
        exercise, value = EXERCISES[name], eval(solution.expression, space)
        texts = " ".join([exercise.hint, *(remark for _, remark in exercise.traps)]).lower()
        if isinstance(value, str): assert not re.search(rf"\b{re.escape(value)}\b", texts), name
        elif exercise.kind == "count": assert not re.search(rf"\b{int(value)}\b", texts), name
        else:
            for x in np.ravel(value): assert f"{abs(x):.{exercise.decimals}f}" not in module, name


@pytest.mark.parametrize("page, name", NAMES)
def test_wrong_answers_get_help(page, name):
    exercise = EXERCISES[name]
    if exercise.kind == "choice":
        told = [cb.teaching.check_answer(name, word) for word in exercise.choices]
        assert sorted(v.status for v in told) == ["right"] + ["wrong"] * (len(told) - 1)
        wrong = next(v for v in told if not v)
    else: wrong = cb.teaching.check_answer(name, [12345.6789 if exercise.kind == "number" else 12345] * exercise.size)
    assert wrong.status == "wrong" and len(exercise.hint) > 20 and exercise.hint in wrong.remark and name in repr(wrong)


BAD = [("tour-1", "0.5", TypeError, "`answer` must be a number; got '0.5'"), ("tour-1", None, TypeError, "must be a number"),
       ("tour-1", True, TypeError, "must be a number"), ("tour-1", [0.1, None], TypeError, "must be a number"), ("tour-1", np.nan, ValueError, "must be finite"),
       ("tour-1", [0.1, 0.2], ValueError, "must be a number; got 2"), ("tour-1", [], ValueError, "`answer`"), ("tour-1", 1 + 2j, TypeError, "`answer` must hold numbers"),
       ("tour-1", np.inf, ValueError, "must be finite"), ("tour-1", {}, TypeError, "`answer`"), ("cost-curve-1", 0.1, ValueError, "must be 2 numbers; got 1"),
       ("tour-3", 1, TypeError, "one of the words 'yes', 'no'"), ("tour-3", "maybe", ValueError, "one of the words 'yes', 'no'; got 'maybe'"),
       ("law-1", 1.5, ValueError, "must be a whole number; got 1.5"), ("tour-9", 1, ValueError, "did you mean 'tour-"), ("", 1, ValueError, "name of an exercise"),
       (7, 1, TypeError, "`name` must be the name of an exercise; got 7")]


@pytest.mark.parametrize("name, answer, error, words", BAD)
def test_answers_of_the_wrong_kind_are_errors(name, answer, error, words):
    with pytest.raises(error, match=re.escape(words)): cb.teaching.check_answer(name, answer)


# --- the file of exercises ----------------------------------------------------------------------------------------------
def test_the_file_is_what_its_exercises_say(root):
    "Lesson by lesson, with the tutorials' own names, and as `exercise_record` writes it."
    lessons = json.loads((root / "costboot" / "teaching" / "exercises.json").read_text(encoding="utf8"))
    assert {lesson: list(entries) for lesson, entries in lessons.items()} == {page: list(names) for page, names in SOLUTIONS.items()}
    for entries in lessons.values():
        for name, entry in entries.items(): assert exercises.exercise_record(EXERCISES[name]) == entry and hash(EXERCISES[name])


def test_a_course_has_a_file_of_its_own(tmp_path):
    mine = exercises.seal_answer("x-1", "b", kind="choice", choices=("a", "b"), hint="Look.", traps=[("a", "Not that.")])
    (tmp_path / "course.json").write_text(json.dumps({"lesson": {"x-1": exercises.exercise_record(mine)}}))
    course = exercises.load_exercises(tmp_path / "course.json")
    assert course == {"x-1": mine} and cb.teaching.check_answer("x-1", "a", exercises=course).remark == "Not that."
    course.clear()
    assert exercises.load_exercises() == EXERCISES  # what one caller does with the table is of no consequence for the next


# --- exercises of one's own ---------------------------------------------------------------------------------------------
def test_own_exercises():
    mine = {"x-1": exercises.seal_answer("x-1", -2.5, decimals=1, hint="Think."), "x-2": exercises.seal_answer("x-2", (1, 2, 3), kind="count")}
    assert eval(repr(mine["x-1"]), vars(exercises)) == mine["x-1"]
    assert cb.teaching.check_answer("x-1", -2.46, exercises=mine) and cb.teaching.check_answer("x-2", np.array([1, 2, 3]), exercises=mine)
    assert cb.teaching.check_answer("x-1", 2.5, exercises=mine).remark.endswith("sign?") and cb.teaching.check_answer("x-1", -250, exercises=mine).remark.startswith("Right, if")
    assert cb.teaching.check_answer("x-2", (3, 2, 1), exercises=mine).remark == "The right numbers in the wrong order."
    assert cb.teaching.check_answer("x-1", -7.0, exercises=mine).remark == "Not yet. Think."
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
@pytest.mark.parametrize("page", SOLUTIONS)
def test_page_has_what_a_tutorial_has(page, root):
    text, code = "\n\n".join(cells(root, page, "markdown")), cells(root, page, "code")
    for part in ("**What you will learn.**", "**Time:**", "**You need**", "## Play", "## Exercises", "**What to read next.**", "Try `"): assert part in text, part
    assert re.search(r"\b(guess|before you|decide|do you expect)\b", text, re.I), "no prediction before a reveal"
    assert {DRAWING.match(c)[1] for c in code if DRAWING.match(c)} == {"explore", "fig"}
    assert len(SOLUTIONS[page]) >= 3 and not any("#| export" in c for c in code)


@pytest.mark.parametrize("page", [*SOLUTIONS, "teachers"])
def test_links_lead_somewhere(page, root):
    folder = root / "nbs" / "tutorials"
    links = re.findall(r"\]\(([^)#]+\.ipynb)", "\n".join(cells(root, page, "markdown")))
    assert links and [s for s in links if not (folder / s).is_file()] == []


def test_teachers_page_knows_every_tutorial_and_exercise(root):
    text = "\n".join(cells(root, "teachers", "markdown"))
    for page in SOLUTIONS: assert f"({page}.ipynb)" in text
