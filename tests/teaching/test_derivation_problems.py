"""The problems for derivations: every solution is accepted, every popular mistake refused at its line, no goal is reached by standing still.

The solutions stand in plain text in `derivations.toml` beside this file; the package has a sealed copy.
"""

import json
import re
from dataclasses import replace

import pytest
import seal_problems as sealing

import costboot as cb
from costboot.teaching import derivation_problems as problems
from costboot.teaching.derivation_checks import check_derivation

PROBLEMS = problems.read_problems(sealing.SOURCE)
WRONG = [(name, k) for name, problem in PROBLEMS.items() for k in range(len(problem.wrong))]


# --- the registry ------------------------------------------------------------------------------------------------------
def test_there_are_enough_of_them():
    assert len(PROBLEMS) >= 30 and len({p.title for p in PROBLEMS.values()}) == len(PROBLEMS)
    assert len({p.topic for p in PROBLEMS.values()}) >= 10


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_problem_has_all_its_parts(name):
    problem = PROBLEMS[name]
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) and problem.statement.strip() and problem.source.strip()
    assert len(problem.hints) == 3 and all(len(hint) > 15 for hint in problem.hints) and len(set(problem.hints)) == 3
    assert len(problem.wrong) >= 2, "two popular mistakes at least"
    if len(problem.goal) > 6: assert "".join(problem.goal.split()) not in "".join(problem.statement.split()), "the statement gives the goal away"


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_solution_is_accepted_and_restating_the_start_is_not(name):
    problem = PROBLEMS[name]
    verdict = check_derivation(problem.solution, problem)
    assert verdict and verdict.reached and verdict.first_false is None, verdict.message
    for idle in (f"{problem.start} = {problem.start}", f"{problem.start} = 1 * ({problem.start})", f"{problem.start} = ({problem.start}) + 0"):
        verdict = check_derivation(idle, problem)
        assert not verdict and verdict.first_false is None and verdict.reached is False, idle


@pytest.mark.parametrize(("name", "k"), WRONG)
def test_a_popular_mistake_is_refused_at_its_line(name, k):
    problem = PROBLEMS[name]
    wrong = problem.wrong[k]
    verdict = check_derivation(wrong.text, problem)
    assert not verdict and verdict.steps[verdict.first_false].line == wrong.line, verdict.message
    assert verdict.counterexample.left != verdict.counterexample.right
    assert wrong.says.lower() in verdict.message.lower(), f"{wrong.says!r} is not in: {verdict.message}"


def test_every_popular_mistake_gets_a_diagnosis():
    "A guess of the checker's, or the remark of the author where it has none."
    silent = [(name, k) for name, k in WRONG if not check_derivation(PROBLEMS[name].wrong[k].text, PROBLEMS[name]).diagnosis]
    assert silent == []


def test_a_remark_is_given_for_the_mistake_in_any_spelling_and_for_no_other():
    problem = PROBLEMS["left-out"]
    remark = next(w.remark for w in problem.wrong if w.remark)
    for text in ("P[N_1 >= 1] = n * 1/n", "P[N_1 ≥ 1] = 1", r"1 - P[N_1 = 0] = \frac{n}{n}"): assert check_derivation(text, problem).diagnosis == remark
    assert remark not in check_derivation("P[N_1 >= 1] = 1/n", problem).message and remark not in check_derivation("P[N_1 >= 1] = 1", sampling="sample").message


# --- sealing -----------------------------------------------------------------------------------------------------------
def test_the_sealed_copy_is_that_of_the_file(capsys):
    assert sealing.main(["--check"]) == 0, capsys.readouterr().out
    assert problems.load_problems() == PROBLEMS


def test_no_answer_can_be_read_in_the_package(root):
    text = (root / "costboot" / "teaching" / "problems.json").read_text(encoding="utf8")
    records = json.loads(text)
    for name, problem in PROBLEMS.items():
        assert set(records[name]) >= {"title", "statement", "start", "hints", "sealed"} and not set(records[name]) & {"goal", "solution", "wrong"}
        last = problem.solution.splitlines()[-1].strip()
        if len(last) > 12: assert last not in text, name


def test_a_stale_copy_is_named(monkeypatch, tmp_path, capsys):
    (tmp_path / "costboot").mkdir()
    stale = tmp_path / "costboot" / "problems.json"
    monkeypatch.setattr(sealing, "TARGET", stale)
    monkeypatch.setattr(sealing, "ROOT", tmp_path)
    assert sealing.main(["--check"]) == 1 and "problems.json is stale" in capsys.readouterr().out
    assert sealing.main([]) == 0 and sealing.main(["--check"]) == 0


@pytest.mark.parametrize("text", ["", "a", "V[C] = w²·n⁺\n", "x" * 5000])
def test_sealed_texts_come_back(text):
    assert problems.unseal_text("k", problems.seal_text("k", text)) == text
    with pytest.raises(ValueError, match="the name or the password"): problems.unseal_text("K", problems.seal_text("k", text))


# --- files of teachers -------------------------------------------------------------------------------------------------
PLAIN = """
[one]
title = "T"
setting = "sample"
statement = "S"
start = "E[Xbar]"
hints = ["first hint", "second hint", "third hint"]
solution = '''
E[Xbar] = xbar
'''
"""


@pytest.mark.parametrize(("old", "new", "message"), [
    ('title = "T"\n', "", "problem 'one' must have a field `title`"),
    ('"S"', '"S"\nhnts = "x"', "problem 'one' must not have a field 'hnts' - did you mean `hints`?"),
    (', "third hint"', "", "`hints` of problem 'one' must be 3 texts"),
    ('"third hint"', '" "', "`hints` of problem 'one' must be 3 texts"),
    ('setting = "sample"', "setting = 3", "`setting` of problem 'one' must be a text; got 3"),
    ('"S"', '"S"\nrelation = "<"', "`relation` of problem 'one' must be '=', '<=' or '>='; got '<'"),
    ('"S"', '"S"\nwrong = [{line = 1}]', "`wrong` of problem 'one' must be tables"),
    ('"S"', "\"S\"\nwrong = [{text = 'a', line = 0}]", "line of one"),
    ("[one]", "[one", "`source` must be a file in TOML"),
])
def test_a_slip_in_a_file_is_named(old, new, message):
    with pytest.raises(ValueError, match=re.escape(message)): problems.read_problems(PLAIN.replace(old, new, 1))


def test_a_course_goes_to_its_students(tmp_path):
    "Written by hand, sealed with a password, loaded, solved; the solution opens with the password only."
    (tmp_path / "course.toml").write_text(PLAIN, encoding="utf8")
    problems.seal_problems(tmp_path / "course.toml", tmp_path / "course.json", password="in May")
    (problem,) = problems.load_problems(tmp_path / "course.json").values()
    assert problem == replace(problems.load_problems(tmp_path / "course.toml")["one"], solution="", locked=problem.locked)
    book = cb.teaching.Workbook("Ada")
    assert book.note(problem, "E[Xbar] = xbar", check_derivation("E[Xbar] = xbar", problem))
    with pytest.raises(ValueError, match="'one' is locked"): problems.open_solution(problem, book)
    with pytest.raises(ValueError, match="the name or the password"): problems.open_solution(problem, book, password="in June")
    assert problems.open_solution(problem, book, password="in May") == "E[Xbar] = xbar"
    (tmp_path / "course.json").write_text("{", encoding="utf8")
    with pytest.raises(ValueError, match="`path` must be a file that `seal_problems` wrote"): problems.load_problems(tmp_path / "course.json")


def test_names_are_looked_up_kindly():
    assert problems.load_problem("left-out") is problems.load_problem("left-out")
    with pytest.raises(ValueError, match="did you mean 'left-out'"): problems.load_problem("leftout")
    with pytest.raises(ValueError, match="must be the name of a problem; got None"): problems.load_problem(None)
    with pytest.raises(ValueError, match="did you mean 'left-out'"): check_derivation("P[N_1 >= 1] = 1", "leftout")
    table = problems.load_problems()
    table.clear()
    assert problems.load_problems() == PROBLEMS  # what one caller does with the table is of no consequence for the next


# --- workbooks ---------------------------------------------------------------------------------------------------------
def test_the_solution_waits_for_tries_and_hints():
    problem, book = PROBLEMS["left-out"], problems.Workbook("Bob")
    for k in range(3):
        with pytest.raises(ValueError, match=f"so far {k} and {k}"): problems.open_solution(problem, book)
        text = f"P[N_1 >= 1] = {k}"
        book.note(problem, text, check_derivation(text, problem))
        book.note(problem, text, check_derivation(text, problem))  # the same once more is no second try
        assert book.hint(problem) == problem.hints[k]
    assert book.hint(problem) == problem.hints[2] and problems.open_solution(problem, book) == problem.solution
    assert not book.is_solved("left-out") and book.tries("left-out") == 3


def test_a_class_record_believes_or_judges_again(tmp_path):
    problem = PROBLEMS["left-out"]
    honest, forged = problems.Workbook("A"), problems.Workbook("B", [problems.Attempt("left-out", "P[N_1 >= 1] = 1", True, None, 0), problems.Attempt("gone", "x", True, None, 0)])
    for text in (problem.wrong[0].text, problem.solution): honest.note(problem, text, check_derivation(text, problem))
    honest.hint(problem)
    paths = [tmp_path / f"{book.student}.json" for book in (honest, forged)]
    for book, path in zip((honest, forged), paths): problems.save_workbook(book, path)
    assert problems.read_workbook(paths[0]) == honest
    believed, judged = problems.class_record(paths), problems.class_record(paths, check=check_derivation)
    assert believed["solved"].tolist() == [True, True, True] and judged["solved"].tolist() == [True, False, False]
    row = judged.iloc[0]
    assert (row["student"], row["tries"], row["solved at try"], row["hints"], row["last false line"]) == ("A", 2, 2, 1, problem.wrong[0].line)
    judged.to_csv(tmp_path / "class.csv", index=False)
    judged.to_json(tmp_path / "class.json", orient="records")
    assert json.loads((tmp_path / "class.json").read_text())[0]["problem"] == "left-out"
    assert problems.class_record([]).empty
    for broken in ("{}", "{", '{"student": "x", "attempts": [{}], "hints": {}}'):
        paths[0].write_text(broken)
        with pytest.raises(ValueError, match="`path` must be a workbook"): problems.read_workbook(paths[0])
