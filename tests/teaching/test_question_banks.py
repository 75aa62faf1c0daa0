"""Question banks: every formula is checked by a second one, numbers differ between students, keys do not show answers, marks are what they should be."""

import json
import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

import costboot as cb
from costboot.teaching import command, question_banks


def by_list(n, m): return len(list(product(range(n), repeat=n))) * len(list(product(range(m), repeat=m)))


SECOND = {  # the answers of the bank by another route
    "condition": lambda p, c: cb.operating_condition(p, c, 1),
    "cost": lambda f, g, w: np.dot([w, 1 - w], [f, g]),
    "saved": lambda w, c: (min(w, 1 - w) - c) / min(w, 1 - w),
    "crossing": lambda a, b, c, d: np.linalg.solve([[1, -(b - a)], [1, -(d - c)]], [a, c])[1],
    "resamples": lambda n, m: by_list(n, m),
    "spread": lambda n, k: binom(n, k / n).std() / n,
    "silence": lambda p: next(n for n in range(1, 2000) if (1 - p) ** n < 0.05),
    "agresti": lambda k, n: float(np.ravel(cb.core.BinomialProportion(x=[k], count=[k], n=n, m=n).interval(0.9, "agresti"))[1]),
    "left-out": lambda n: binom.pmf(0, n, 1 / n),
    "threshold": lambda a, b: next(t for t in [math.exp(-math.log1p(b / a))]),
}


@pytest.fixture(scope="module")
def bank(root): return question_banks.read_bank(root / "tests" / "teaching" / "bank.toml")


def test_every_question_with_every_value(bank):
    "All combinations of values: the formula, a second formula, a text without gaps, and an answer that makes sense."
    assert sorted(bank) == sorted(SECOND)
    for name, question in bank.items():
        for chosen in product(*question.values.values()):
            values = dict(zip(question.values, chosen))
            answer = question_banks.evaluate_formula(question.answer, values)
            np.testing.assert_allclose(answer, SECOND[name](**values), rtol=1e-7, err_msg=f"{name} {values}")
            text = question.fill(values)
            assert "{" not in text and "e-0" not in text and all(part in text for part in (text[:5],))
            if name not in ("resamples", "silence"): assert 0 < answer < 1, (name, values)
        assert len({round(question_banks.evaluate_formula(question.answer, dict(zip(question.values, v))), question.decimals) for v in product(*question.values.values())}) >= 4


def test_numbers_belong_to_student_and_seed(bank):
    def numbers(student, seed): return [q.draw(rng) for rng in [question_banks._student_rng(student, seed)] for q in bank.values()]
    assert numbers("Ada", 1) == numbers("Ada", 1) and numbers("Ada", 1) != numbers("Ada", 2) and numbers("Ada", 1) != numbers("Ben", 1)


def test_a_class_from_the_bank_to_the_table(bank, tmp_path, capsys):
    few, room = {name: bank[name] for name in ("cost", "resamples", "left-out")}, tmp_path / "quiz"
    question_banks.make_quizzes(few, ["Ada", "Ben", "Eve O'Neil"], room, seed=3)
    assert sorted(p.name for p in room.iterdir()) == ["Ada", "Ben", "Eve-O-Neil", "keys.json"]
    right = {s: {n: question_banks.evaluate_formula(q.answer, v) for (n, q), v in zip(few.items(), (lambda rng: [q.draw(rng) for q in few.values()])(question_banks._student_rng(s, 3)))}
             for s in ("Ada", "Ben")}
    for text in (p.read_text() for p in room.rglob("*") if p.is_file()):
        for numbers in right.values(): assert f"{numbers['left-out']:.3f}" not in text and f"{numbers['left-out']:.6f}"[2:] not in text
    assert question_banks.hand_in("Ada", {k: np.float64(v) for k, v in right["Ada"].items()}, room / "Ada" / "answers.json").startswith("3 of 3")
    question_banks.hand_in("Ben", {"cost": right["Ben"]["cost"] + 0.01, "resamples": right["Ben"]["resamples"], "left-out": ...}, room / "Ben" / "answers.json")
    assert command.main(["grade", str(room)]) == 0
    assert (room / "marks.csv").read_text() == "student,cost,resamples,left-out,handed in,sum\nAda,1,1,1,yes,3\nBen,0,1,,yes,1\nEve O'Neil,,,,no,0\n"
    assert "2 of 3 students have handed in" in capsys.readouterr().out
    swapped = json.loads((room / "Ben" / "answers.json").read_text()) | {"answers": right["Ada"]}  # Ada's numbers are of no use to Ben
    (room / "Ben" / "answers.json").write_text(json.dumps(swapped))
    assert question_banks.grade_folder(room).loc["Ben", "left-out"] == int(round(right["Ada"]["left-out"], 3) == round(right["Ben"]["left-out"], 3))


@pytest.mark.parametrize("text, words", [("", "`path` must name a bank"), ("[a]\ntext = 'x'", "must have text, values and answer"), ("[a]\ntext='{q}'\nanswer='1'\nvalues={p=[1]}", "`text` must have gaps"),
                                         ("[a]\ntext='{p}'\nanswer='open(p)'\nvalues={p=[1]}", "`formula` must be arithmetic")])
def test_banks_that_are_none(text, words, tmp_path):
    (tmp_path / "b.toml").write_text(text)
    with pytest.raises(ValueError, match=words.replace("`", "`")): question_banks.read_bank(tmp_path / "b.toml")


def test_folders_that_are_none(bank, tmp_path):
    with pytest.raises(ValueError, match="`keys` must be the file"): question_banks.grade_folder(tmp_path)
    question_banks.make_quizzes({"cost": bank["cost"]}, ["Ada"], tmp_path)
    (tmp_path / "Ada" / "answers.json").write_text("a diary")
    with pytest.raises(ValueError, match="`folder` must hold files of `hand_in`"): question_banks.grade_folder(tmp_path)
    (tmp_path / "Ada" / "answers.json").write_text('{"student": "Mallory", "answers": {}}')
    with pytest.raises(ValueError, match="students with a key; got \\['Mallory'\\]"): question_banks.grade_folder(tmp_path)
    for names in ([], ["A", "A"], ["?"]):
        with pytest.raises(ValueError, match="`students` must be"): question_banks.make_quizzes({"cost": bank["cost"]}, names, tmp_path / "new")
