"""Predictions: the guess comes first, the stored pages fold the answer away, and no lesson asks a reader to look away instead."""

import json
import re
from html.parser import HTMLParser

import matplotlib
import numpy as np
import pytest
import run_notebooks
import seal_exercises

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402

import costboot as cb  # noqa: E402
from costboot.teaching import predictions  # noqa: E402

LESSONS = list(seal_exercises.read_lessons())
CALL = re.compile(r'cb\.teaching\.predict\(\s*"([\w-]+)"')


@pytest.fixture(autouse=True)
def forgetful(monkeypatch):
    "Every test begins without a file and without guesses."
    monkeypatch.delenv("COSTBOOT_PROGRESS", raising=False)
    monkeypatch.setattr(predictions, "_GUESSES", {})


def code_cells(root, lesson):
    page = json.loads(seal_exercises.lesson_page(lesson, root).read_text(encoding="utf8"))
    return [c for c in page["cells"] if c["cell_type"] == "code"]


class Outside(HTMLParser):
    "The text of a page that is not inside a closed <details>, and whether there was one."
    def __init__(self):
        super().__init__()
        self.depth, self.folds, self.text, self.pictures = 0, 0, [], 0

    def handle_starttag(self, tag, attrs):
        if tag == "details":
            assert "open" not in dict(attrs)
            self.depth, self.folds = self.depth + 1, self.folds + 1
        if tag in ("img", "table", "pre", "svg") and not self.depth: self.pictures += 1

    def handle_endtag(self, tag):
        if tag == "details": self.depth -= 1

    def handle_data(self, data):
        if not self.depth: self.text.append(data)


# --- the lessons --------------------------------------------------------------------------------------------------------
def test_there_are_as_many_as_prompts_and_no_name_twice(root):
    names = [name for lesson in LESSONS for c in code_cells(root, lesson) for name in CALL.findall("".join(c["source"]))]
    assert len(names) >= 27 and len(names) == len(set(names)) and all(sum(name.startswith(n) for n in names) for name in names)


@pytest.mark.parametrize("lesson", LESSONS)
def test_stored_pages_fold_the_answer_away(lesson, root):
    asked = [c for c in code_cells(root, lesson) if CALL.search("".join(c["source"]))]
    assert len(asked) >= 2
    for cell in asked:
        [output] = cell["outputs"]  # nothing beside it, such as a figure, gives the answer away
        assert set(output["data"]) == {"text/html", "text/plain"}
        seen = Outside()
        seen.feed("".join(output["data"]["text/html"]))
        outside = "".join(seen.text)
        assert seen.folds == 1 and seen.pictures == 0 and "Answer" not in outside and "Your guess first." in outside
        assert "".join(output["data"]["text/plain"]).startswith("Prediction(")
        for alt in re.findall(r'<img alt="([^"]*)"', "".join(output["data"]["text/html"])): assert len(alt.split()) >= 8


@pytest.mark.parametrize("lesson", LESSONS)
def test_nobody_is_asked_to_look_away(lesson, root):
    text = "\n".join(seal_exercises.cells(seal_exercises.lesson_page(lesson, root), "markdown"))
    assert not re.search(r"before you (run|look|read)|\bguess (now|first|it|how|the)\b|decide before", text, re.I)


# --- the form -----------------------------------------------------------------------------------------------------------
def form(prediction):
    "Controls, button and place of the result."
    question, row, button, shown = predictions.prediction_desk(prediction).children
    return (row.children if prediction.at else [row]), button, shown


def test_nothing_is_shown_before_the_commitment():
    asked = cb.teaching.predict("a", "How high?", 0.25, span=(0, 1, 0.05), result="the result")
    [slider], button, shown = form(asked)
    assert shown.value == "" and button.disabled and slider.value == 0.5
    button.click()  # ipywidgets lets a disabled button be clicked from Python; a browser does not
    slider.value = 0.75
    assert asked.guess == 0.5


@pytest.mark.parametrize("options, guess, words, distance", [
    (dict(answer="b", choices=("a", "b")), "a", "You said “a”; it is “b”.", 1.0), (dict(answer="b", choices=("a", "b")), "b", "You said “b”, and so it is.", 0.0),
    (dict(answer=7, span=(0, 40, 1), unit="cases"), 10, "You said 10 cases; it is 7 cases. That is 3 cases away.", 3.0),
    (dict(answer=0.409, span=(0, 1, 0.01)), 0.3, "You said 0.30; it is 0.41. That is 0.11 away.", 0.109),
    (dict(answer=[0, 1], span=(0, 1, 0.1), at=[0, 1]), [0.4, 0.4], "You said 0.4, 0.4; it is 0.0, 1.0. That is on average 0.5 away.", 0.5)])
def test_guess_distance_and_sentence(options, guess, words, distance):
    asked = cb.teaching.predict("a", "b?", **options)
    controls, button, shown = form(asked)
    for control, value in zip(controls, guess if asked.at else [guess]): control.value = value
    assert not button.disabled
    button.click()
    assert words in shown.value and asked.guess == guess
    np.testing.assert_allclose(cb.teaching.prediction_table().loc["a", "distance"], distance, atol=1e-12)


def test_the_first_guess_stays_in_the_file(tmp_path, monkeypatch):
    monkeypatch.setenv("COSTBOOT_PROGRESS", str(tmp_path / "me" / "progress.json"))
    asked = cb.teaching.predict("a", "b?", "x", choices=("x", "y"))
    assert asked.guess is None and "it is “x”" in asked.commit("y") and "You said “y”" in asked.commit("x")
    again = cb.teaching.predict("a", "b?", "x", choices=("x", "y"))
    assert again.guess == "y" and len(predictions.prediction_desk(again).children) == 2  # no second form
    cb.teaching.predict("c", "d?", 1, span=(0, 2, 1)).commit(2)
    assert json.loads((tmp_path / "me" / "predictions.json").read_text()) == {"a": {"guess": "y", "distance": 1.0}, "c": {"guess": 2.0, "distance": 1.0}}
    assert predictions._GUESSES == {}


@pytest.mark.parametrize("text", ["a diary", "[]", '{"a": 3}'])
def test_a_file_of_somebody_else_is_left_alone(text, tmp_path, monkeypatch):
    monkeypatch.setenv("COSTBOOT_PROGRESS", str(tmp_path / "progress.json"))
    (tmp_path / "predictions.json").write_text(text)
    asked = cb.teaching.predict("a", "b?", "x", choices=("x", "y"))
    asked.commit("y")
    assert asked.guess == "y" and (tmp_path / "predictions.json").read_text() == text


def test_texts_are_escaped_and_figures_closed():
    figure = plt.figure()
    asked = cb.teaching.predict("a", "<b>?", "x", choices=("x", "<y>"), result=[figure, "1 < 2"], alt='A "line" that rises & falls')
    assert not plt.fignum_exists(figure.number)
    page = predictions.fold_html(asked)
    assert "&lt;b&gt;?" in page and "&lt;y&gt;" in page and "1 &lt; 2" in page and "&quot;line&quot;" in page


# --- what is stored -----------------------------------------------------------------------------------------------------
def test_a_form_is_stored_as_its_fold_and_any_other_widget_not_at_all():
    asked = cb.teaching.predict("a", "b?", "x", choices=("x", "y"))
    bundle = asked._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    stored = run_notebooks.strip_output({"output_type": "execute_result", "data": dict(bundle)})
    assert set(stored["data"]) == {"text/html", "text/plain"}
    assert run_notebooks.strip_output({"output_type": "display_data", "data": {"application/vnd.jupyter.widget-view+json": {}, "text/html": "<p>", "text/plain": ""}}) is None


def test_pictures_inside_a_fold_are_not_compared():
    def cell(picture): return {"source": "", "outputs": [{"data": {"text/html": f'<img src="data:image/png;base64,{picture}"> 0.25'}}]}
    assert list(run_notebooks.texts(cell("AAAA/+="))) == list(run_notebooks.texts(cell("BBBB"))) == ['<img src="(a picture)"> 0.25']
