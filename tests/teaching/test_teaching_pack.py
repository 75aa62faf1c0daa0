"""The teacher's pack: 90 minutes a class, slides from the stored lessons, a result never on the slide of its question, no slide too full, one page of handout."""

import re
from itertools import pairwise

import pytest
import seal_exercises
import teaching_pack

CLASSES = teaching_pack.read_classes()


@pytest.mark.parametrize("number", range(3))
def test_a_class_has_ninety_minutes_and_every_cell_exists(number):
    made = CLASSES[number]
    slides = [s for step in made["step"] for s in teaching_pack.slides_of(step)]
    assert sum(step["minutes"] for step in made["step"]) == 90 and 10 <= len(slides) <= 30
    assert all(step["say"] and {"points", "cell", "predict"} & set(step) for step in made["step"])
    assert sum(kind == "ask" for _, _, kind in slides) == sum(kind == "reveal" for _, _, kind in slides) >= 4
    for (_, body, kind), (_, after, _) in pairwise(slides):
        if kind == "ask": assert "Answer:" not in body and "<img" not in body and "<table" not in body and "Answer:" in after
    for _, body, _ in slides:
        assert "costboot-fold" not in body and "$" not in re.sub(r"<[^>]*>", "", body)
        for alt in re.findall(r'<img alt="([^"]*)"', body): assert alt.strip()
    assert {step["lesson"] for step in made["step"] if "lesson" in step} <= set(made["lessons"])


def test_a_class_of_another_length_is_refused(tmp_path):
    (tmp_path / "c.toml").write_text('[[class]]\ntitle = "x"\n[[class.step]]\nminutes = 80\n')
    with pytest.raises(ValueError, match="must have 90 minutes; 'x' has 80"): teaching_pack.read_classes(tmp_path / "c.toml")


def test_a_cell_that_is_gone_is_named():
    with pytest.raises(ValueError, match="must name one cell of the lesson 'tour'; 'no such words' names 0"): teaching_pack.find_cell("tour", "no such words")


def test_the_script_runs_from_0_00_to_1_30():
    text = teaching_pack.script_of(CLASSES)
    assert text.count("<td>0:00–") == 3 and text.count("–1:30</td>") == 3
    for made in CLASSES:
        times = re.findall(r"<td>([\d:]+)–([\d:]+)</td>", text.split(made["title"])[1].split("</article>")[0])
        assert all(a[1] == b[0] for a, b in pairwise(times)) and len(times) == len(made["step"])


def test_the_handout_has_its_parts():
    text = teaching_pack.handout()
    assert text.count("<tr>") == 7 and "costboot lab" in text and "<img alt=" in text and "PICTURE" not in text and "BELIEFS" not in text


def test_every_exercise_has_its_question():
    for lesson, (_, entries) in seal_exercises.read_lessons().items(): assert set(entries) <= set(teaching_pack.questions(lesson))


def test_pages_need_no_network():
    for name in ("slides", "paper", "handout"):
        made = teaching_pack.page(name, "A & B", "<section></section>")
        assert "http" not in made and "<title>A &amp; B</title>" in made


# --- slides on a projector ----------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def projector(open_browser): return open_browser(1280, 720, 30).new_page()


def opened(projector, folder, body):
    (folder / "slides.html").write_text(teaching_pack.page("slides", "Slides", body), encoding="utf8")
    projector.goto((folder / "slides.html").as_uri())


@pytest.mark.browser
@pytest.mark.parametrize("number", range(3))
def test_slides_are_numbered_and_none_is_too_full(number, projector, tmp_path):
    opened(projector, tmp_path, teaching_pack.deck(number + 1, CLASSES[number]))
    count = projector.locator("section").count()
    assert projector.locator(".number").all_text_contents() == [f"{k} / {count}" for k in range(1, count + 1)]
    assert projector.evaluate("window.overfull()") == []


@pytest.mark.browser
def test_a_slide_that_is_too_full_is_found(projector, tmp_path):
    long, wide, fits = "<li>word</li>" * 20, f"<li>{'word' * 40}</li>", "<li>word</li>"
    slide = "<section class='points'><h2>Title</h2><div class='body'><ul>{}</ul></div></section>"
    opened(projector, tmp_path, "".join(map(slide.format, (fits, long, wide))))
    assert [said[:8] for said in projector.evaluate("window.overfull()")] == ["slide 2:", "slide 3:"]


@pytest.mark.browser
def test_points_come_one_at_a_time_and_all_are_printed(projector, tmp_path):
    opened(projector, tmp_path, "<section class='points'><div class='body'><ul><li>one</li><li>two</li></ul></div></section><section><div class='body'>end</div></section>")
    def seen(): return projector.evaluate("[...document.querySelectorAll('li, section:last-of-type .body')].filter(e => e.checkVisibility({visibilityProperty: true})).map(e => e.textContent)")
    steps = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft"):
        steps.append(seen())
        projector.keyboard.press(key)
    assert [*steps, seen()] == [["one"], ["one", "two"], ["end"], ["one", "two"], ["one"]]
    projector.emulate_media(media="print")
    assert seen() == ["one", "two", "end"]
    projector.emulate_media(media="screen")
