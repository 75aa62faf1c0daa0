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
from costboot.teaching import predictions, working_copies  # noqa: E402

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


# --- no peeking -----------------------------------------------------------------------------------------------------------
# What the text says about an answer. It has to be there, in a fold, and nowhere outside before the section ends.
GIVEAWAYS = {
    "cost-lower-threshold": "A high threshold costs little on the left", "cost-honest": "The envelope looks better than it is", "better-bands": "The bands overlap in a good part",
    "better-groups": "Only disagreements count", "better-right-end": "At the right end everything depends", "threshold-promise": "picked its lowest point",
    "threshold-berta": "right on average, and she can say", "threshold-interval": "covers far less often than it says", "derive-slip": "The next line follows from it",
    "derive-printed": "cannot be right", "wald-zero": "do the same, for the reason", "wald-coverage": "The **collapse** at both ends", "wald-rectangle": "does not help if the rate shrinks",
    "wald-agresti": "On average the last three", "wald-length": "simply longer", "wald-two-of-each": "may *never* contain", "retrain-true": "The apparent error measures memory",
    "retrain-left-out": "0.368", "retrain-scatter": "The apparent error hardly scatters", "classes-weight": "Mistakes do not vanish", "classes-apart": "Class by class most points differ",
    "plan-half": "falls with the *square root*", "plan-power": "So fewer would do",
}


def outside_of_folds(text):
    seen = Outside()
    seen.feed(text)
    return "".join(seen.text)


def visible(cell):
    "What a reader of a stored page sees of a cell: its text or its open source, and its outputs, without what is folded."
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown": return outside_of_folds(source) if "<details" in source else source
    said = "" if source.startswith("#| code-fold: true") else source
    for output in cell["outputs"]:
        data = output.get("data", {})
        if "text/html" in data: said += "\n" + outside_of_folds("".join(data["text/html"]))
        elif "image/png" not in data: said += "\n" + "".join(data.get("text/plain", output.get("text", "")))
    return said


def until_the_section_ends(cells, at):
    "What is visible from the top of a page to the end of the section in which something is asked for."
    texts = [visible(c) for c in cells[: at + 1]]
    for cell in cells[at + 1:]:
        here, *more = re.split(r"^## ", visible(cell), maxsplit=1, flags=re.M) if cell["cell_type"] == "markdown" else [visible(cell)]
        texts.append(here)
        if more: break
    return "\n".join(texts)


def written(answer):
    "Patterns of how a number of an answer may be written elsewhere; none for 0, 1 and other numbers that stand everywhere."
    if not re.fullmatch(r"\d+(\.\d+)?", answer) or float(answer) in (0, 1): return []
    if "." not in answer: return [rf"(?<![\d.]){answer}(?![\d]|\.\d)"] if len(answer) > 2 else []
    decimals = len(answer.split(".")[1])
    if decimals < 2: return []
    return [rf"(?<!\d)0?{re.escape(answer.lstrip('0'))}", rf"(?<![\d.]){100 * float(answer):.0f} ?%"]


def peeked(cells):
    "name -> what gives its answer away, for the predictions of a page."
    found = {}
    for at, cell in enumerate(cells):
        if cell["cell_type"] != "code" or not (name := CALL.search("".join(cell["source"]))): continue
        said, texts = "".join("".join(o.get("data", {}).get("text/html", "")) for o in cell["outputs"]), until_the_section_ends(cells, at)
        answer = re.search(r"Answer: <b>([^<]*)</b>", said)
        numbers = {n for n in answer[1].replace(",", " ").split() if n[0].isdigit()} if re.search(r"<i>(?:From|At) ", said) else set()
        if (several := [written(n) for n in numbers]) and all(any(re.search(w, texts) for w in forms) for forms in several): found[name[1]] = sorted(numbers)
        if (words := GIVEAWAYS.get(name[1])) and words in texts: found[name[1]] = words
    return found


@pytest.mark.parametrize("lesson", LESSONS)
def test_nothing_on_a_stored_page_gives_an_answer_away(lesson, root):
    cells = json.loads(seal_exercises.lesson_page(lesson, root).read_text(encoding="utf8"))["cells"]
    assert peeked(cells) == {}


def test_what_gives_an_answer_away_is_on_its_page_and_folded(root):
    "So that the test above does not look for words that nobody wrote."
    for lesson in LESSONS:
        cells = json.loads(seal_exercises.lesson_page(lesson, root).read_text(encoding="utf8"))["cells"]
        text = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
        for name in (m for c in cells for m in CALL.findall("".join(c["source"]))):
            if name in GIVEAWAYS: assert any(GIVEAWAYS[name] in fold for fold in re.findall(r"<details class=\"costboot-after\"><summary>After your guess</summary>\n\n(.*?)\n\n</details>", text, re.S)), name


def test_a_page_that_tells_is_found():
    def page(text, answer, question="From 0 to 1."):
        stored = f'<p><b>Your guess first.</b> b? <i>{question}</i></p><details><p>Answer: <b>{answer}</b></p></details>'
        asked = {"cell_type": "code", "source": 'cb.teaching.predict("better-groups")', "outputs": [{"data": {"text/html": stored}}]}
        return [asked, {"cell_type": "markdown", "source": text}, {"cell_type": "markdown", "source": "## Next\n\n0.71 Only disagreements count"}]
    assert peeked(page("Often: 71%.", "0.71")) == {"better-groups": ["0.71"]} and peeked(page("It is .714.", "0.71")) and peeked(page("138 persons", "138"))
    assert peeked(page("Only disagreements count.", "x / y", "x / y")) and not peeked(page("171%, 0.17.", "0.71")) and not peeked(page("1138 or 138.5", "138"))
    assert not peeked(page("<details><summary>After</summary>\n\n0.71 Only disagreements count\n\n</details>", "0.71"))


def test_a_students_copy_has_no_answer(tmp_path, root):
    "Pictures before the first question stay; nothing that came out behind it is in the file, folded or not."
    for name in working_copies.copy_lessons(tmp_path).copied:
        cells = json.loads((tmp_path / name).read_text(encoding="utf8"))["cells"]
        first = next(i for i, c in enumerate(cells) if CALL.search("".join(c["source"])))
        assert any("image/png" in o.get("data", {}) for c in cells[:first] for o in c.get("outputs", []))
        assert all(c["outputs"] == [] and c["execution_count"] is None for c in cells[first:] if c["cell_type"] == "code")
        assert "Answer: <b>" not in (tmp_path / name).read_text(encoding="utf8")


def test_the_package_does_not_know_what_the_lessons_ask(root):
    names = {name for lesson in LESSONS for c in code_cells(root, lesson) for name in CALL.findall("".join(c["source"]))}
    files = [p for p in (root / "costboot").rglob("*") if p.suffix in (".py", ".pyi", ".json", ".toml") and "lessons" not in p.parts]
    assert len(files) > 50 and not [(p.name, name) for p in files for name in names if f'"{name}"' in p.read_text(encoding="utf8")]


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


def test_a_drawn_curve_is_kept_and_compared(tmp_path, monkeypatch):
    "The points of the guess and those of the answer are in one picture, at their heights; a second session shows the same."
    monkeypatch.setenv("COSTBOOT_PROGRESS", str(tmp_path / "progress.json"))
    def ask(): return cb.teaching.predict("curve", "Which shape?", [0, 1, 0], span=(0, 1, 0.1), at=[0, 0.5, 1], result="the result")
    sliders, button, shown = form(ask())
    assert [s.description for s in sliders] == ["0", "0.5", "1"] and shown.value == ""
    for slider, height in zip(sliders, (0.5, 0.5, 0.2)): slider.value = height
    button.click()
    drawn = [[tuple(map(float, p.split(","))) for p in points.split()] for points in re.findall(r'<polyline points="([^"]+)"', shown.value)]
    (low, high), (guess, answer) = (150, 10), [[y for _, y in curve] for curve in drawn]
    np.testing.assert_allclose(np.subtract(low, guess) / (low - high), [0.5, 0.5, 0.2])
    np.testing.assert_allclose(np.subtract(low, answer) / (low - high), [0, 1, 0])
    assert "on average 0.4 away" in shown.value and json.loads((tmp_path / "predictions.json").read_text())["curve"]["guess"] == [0.5, 0.5, 0.2]
    assert predictions.prediction_desk(ask()).children[-1].value == shown.value


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
