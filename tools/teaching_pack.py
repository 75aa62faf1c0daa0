"""Make the teacher's pack: `make pack`.

    python tools/teaching_pack.py [--folder _pack] [--no-pdf] [--pictures]

From the lessons as they are stored (pictures, tables, predictions), `tests/teaching/classes.toml` (what is shown when, and what to say) and
`tests/teaching/exercises.toml` (the solutions) come: slides for three classes of 90 minutes, a minute-by-minute script, a handout of one page, the
solutions with reasons, and the bank of questions. Every page is one HTML file that needs no network: formulas are drawings, pictures are inside. Where
Chromium is found they are printed as PDF too, and with `--pictures` every slide and page is stored as PNG to be looked at. A lesson that has no such cell any more
stops the work with its name.
"""

import argparse
import html
import json
import re
import shutil
import sys
import tomllib
from pathlib import Path

import seal_exercises
from nbconvert.filters import markdown2html

from costboot.teaching.derivation_explorer import formula_html

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "tests" / "teaching"
TEMPLATES = Path(__file__).resolve().parent / "pack"
MATH = re.compile(r"\$\$(.+?)\$\$(?:\s*\{#[\w-]+\})?|(?<![\\$])\$([^$\n]+?)\$", re.S)
FOLD = re.compile(r"<div class=\"costboot-prediction\"><p>(.*?)</p><details class='costboot-fold'><summary>.*?</summary>(.*)</details></div>", re.S)


# --- text and cells -----------------------------------------------------------------------------------------------------
def prose(text):
    "Markdown with formulas as HTML; formulas are drawings, links are left out."
    kept = []

    def hide(found):
        kept.append(formula_html((found[1] or found[2]).strip().rstrip("., ")) + ("<br>" if found[1] else ""))
        return f"MATH{len(kept) - 1}HTAM"

    plain = re.sub(r"(?<!!)\[([^\]]+)\]\([^)]+\)", r"\1", MATH.sub(hide, text))
    made = re.sub(r'<a class="anchor-link".*?</a>', "", markdown2html(plain))
    return re.sub(r"MATH(\d+)HTAM", lambda found: kept[int(found[1])], made)


def lesson_cells(lesson): return json.loads(seal_exercises.lesson_page(lesson).read_text(encoding="utf8"))["cells"]


def find_cell(lesson, words):
    "The one code cell of a lesson that contains some words."
    found = [c for c in lesson_cells(lesson) if c["cell_type"] == "code" and words in "".join(c["source"])]
    if len(found) != 1: raise ValueError(f"`cell` must name one cell of the lesson {lesson!r}; {words!r} names {len(found)}.")
    return found[0]


def shown(cell):
    "What a stored cell shows, as HTML."
    alt, parts = re.search(r'^#\| fig-alt: "(.*)"$', "".join(cell["source"]), re.M), []
    for output in cell["outputs"]:
        data = output.get("data", {})
        if "image/png" in data: parts.append(f'<img alt="{html.escape(alt[1] if alt else "", quote=True)}" src="data:image/png;base64,{"".join(data["image/png"]).strip()}">')
        elif "text/html" in data: parts.append("".join(data["text/html"]))
        else: parts.append(f"<pre>{html.escape(''.join(output.get('text', data.get('text/plain', ''))))}</pre>")
    if not parts: raise ValueError(f"a cell must show something; got {''.join(cell['source'])[:60]!r}.")
    return "".join(parts)


def prediction(lesson, name):
    "Question and result of a prediction."
    found = FOLD.search(shown(find_cell(lesson, f'"{name}"')))
    if not found: raise ValueError(f"`predict` must name a prediction of the lesson {lesson!r}; got {name!r}.")
    return found[1].replace("<b>Your guess first.</b> ", ""), found[2]


# --- classes ------------------------------------------------------------------------------------------------------------
def read_classes(path=SOURCE / "classes.toml"):
    "The classes; each has 90 minutes."
    classes = tomllib.loads(path.read_text(encoding="utf8"))["class"]
    for made in classes:
        total = sum(step["minutes"] for step in made["step"])
        if total != 90: raise ValueError(f"a class must have 90 minutes; {made['title']!r} has {total}.")
    return classes


def slides_of(step):
    "The slides of one step: (title, HTML, kind)."
    if "predict" in step:
        question, result = prediction(step["lesson"], step["predict"])
        return [(step["title"], f'<p class="question">{question}</p><p class="ask">Write your guess down.</p>', "ask"), (step["title"], result, "reveal")]
    if "cell" in step: return [(step["title"], shown(find_cell(step["lesson"], step["cell"])), "figure")]
    return [(step["title"], "<ul>" + "".join(f"<li>{prose(p).strip().removeprefix('<p>').removesuffix('</p>')}</li>" for p in step["points"]) + "</ul>", "points")]


def deck(number, made):
    "All slides of a class, as HTML sections."
    pages = [slide for step in made["step"] for slide in slides_of(step)]

    def numbered(k): return f"<span class='number'>{k} / {len(pages) + 1}</span></section>"

    first = f"<section class='first'><h1>{html.escape(made['title'])}</h1><p>Class {number} of 3. After it you can {html.escape(made['aim'])}</p>{numbered(1)}"
    return first + "".join(f"<section class='{kind}'><h2>{html.escape(title)}</h2><div class='body'>{body}</div>{numbered(k)}" for k, (title, body, kind) in enumerate(pages, 2))


def clock(minutes): return f"{minutes // 60}:{minutes % 60:02d}"


def script_of(classes):
    "The minute-by-minute script."
    parts, slide = [], 0
    for number, made in enumerate(classes, 1):
        rows, now, slide = [], 0, 2
        for step in made["step"]:
            count = len(slides_of(step))
            where = f"{slide}" if count == 1 else f"{slide}, {slide + 1}"
            rows.append(f"<tr><td>{clock(now)}–{clock(now + step['minutes'])}</td><td>{where}</td><td><b>{html.escape(step['title'])}</b></td><td>{prose(step['say'])}</td></tr>")
            now, slide = now + step["minutes"], slide + count
        parts.append(f"<article><h2>Class {number}: {html.escape(made['title'])}</h2><p><b>Aim.</b> Students can {html.escape(made['aim'])} <b>Needed.</b> {html.escape(made['needs'])}</p>"
                     f"<table><tr><th>time</th><th>slide</th><th>title</th><th>what to do and say</th></tr>{''.join(rows)}</table></article>")
    return "<h1>Script for three classes</h1>" + "".join(parts)


# --- solutions and handout ----------------------------------------------------------------------------------------------
def questions(lesson):
    "name -> text of the exercises of a lesson."
    text = "\n\n".join("".join(c["source"]) for c in lesson_cells(lesson) if c["cell_type"] == "markdown")
    return {name: said.strip() for name, said in re.findall(r"\*\*([\w-]+-\d)\.\*\* (.*?)(?=\n\n|\Z)", text, re.S)}


def solutions():
    "Every exercise with its answer and the reason, as HTML."
    import contextlib
    import io
    parts = []
    for lesson, (helpers, entries) in seal_exercises.read_lessons().items():
        with contextlib.redirect_stdout(io.StringIO()): space, _ = seal_exercises.run_lesson(seal_exercises.lesson_page(lesson), helpers, marked=False)
        asked = questions(lesson)
        for name, entry in entries.items():
            decimals = entry.get("decimals", 3) if entry.get("kind", "number") == "number" else 0
            answer = seal_exercises.shown(eval(entry["answer"], space), decimals)
            traps = "".join(f"<li>{html.escape(seal_exercises.shown_any(eval(wrong, space), decimals))}: {prose(told)}</li>" for wrong, told in entry.get("traps", ()))
            parts.append(f"<article><h3>{name}</h3>{prose(asked[name])}<p><b>Answer: {html.escape(answer)}.</b> {html.escape(seal_exercises.reason(entry, space))}</p>"
                         + (f"<p>Popular mistakes:</p><ul>{traps}</ul>" if traps else "") + "</article>")
    return "<h1>Solutions, with reasons</h1><p>For teachers. Not part of the package, and not in the student's copy.</p>" + "".join(parts)


def beliefs(count=6):
    "The first misconceptions of the page for teachers, with what is the case."
    text = "\n".join("".join(c["source"]) for c in lesson_cells("teachers") if c["cell_type"] == "markdown")
    rows = re.findall(r'^\| ("[^|]+") \| ([^|]+) \|', text, re.M)
    if len(rows) < count: raise ValueError(f"the page for teachers must have a table of at least {count} beliefs; got {len(rows)}.")
    return "".join(f"<tr><td>{prose(a)}</td><td>{prose(b)}</td></tr>" for a, b in rows[:count])


def handout():
    "One page: how to read a cost curve, the formulas, what not to believe, what to type."
    picture = shown(find_cell("cost_curve", "for (name, s), color in zip(example.scores.items(), cb.core.PALETTE):"))
    text = (TEMPLATES / "handout.md").read_text(encoding="utf8")
    top, bottom = text.split("PICTURE")
    middle, end = bottom.split("BELIEFS")
    return (f"{prose(top)}<div class='beside'>{picture}<div>{prose(middle)}</div></div>"
            f"<h2>What not to believe</h2><table><tr><th>belief</th><th>what is the case</th></tr>{beliefs()}</table>{prose(end)}")


# --- files --------------------------------------------------------------------------------------------------------------
def page(kind, title, body):
    "A whole HTML file."
    style = (TEMPLATES / f"{kind}.css").read_text(encoding="utf8")
    more = f"<script>{(TEMPLATES / 'slides.js').read_text(encoding='utf8')}</script>" if kind == "slides" else ""
    return (f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{html.escape(title)}</title>"
            f"<meta name='viewport' content='width=device-width'><style>{style}</style></head><body>{body}{more}</body></html>")


def contents():
    "file name -> (kind, title, HTML of the body)."
    classes = read_classes()
    made = {f"class_{k}": ("slides", c["title"], deck(k, c)) for k, c in enumerate(classes, 1)}
    return made | {"script": ("paper", "Script", script_of(classes)), "handout": ("handout", "Handout", handout()), "solutions": ("paper", "Solutions", solutions())}


def print_all(folder, names, pictures):
    "PDF files, and PNG files of every slide and page, with Chromium; how many pages each file has, and the slides that are too full."
    from playwright.sync_api import sync_playwright
    executable, counts, full = shutil.which("chromium") or shutil.which("google-chrome"), {}, []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        for name in names:
            sheet = browser.new_page(viewport={"width": 1280, "height": 720})
            sheet.goto((folder / f"{name}.html").as_uri())
            sections = sheet.locator("section")
            if sections.count(): full += [f"{name}, {said}" for said in sheet.evaluate("window.overfull()")]
            if pictures and sections.count():
                for k in range(sections.count()):
                    sheet.evaluate("k => window.show(k, true)", k)
                    sheet.screenshot(path=folder / "png" / f"{name}_{k + 1:02d}.png")
            elif pictures: sheet.screenshot(path=folder / "png" / f"{name}.png", full_page=True)
            sheet.pdf(path=folder / f"{name}.pdf", prefer_css_page_size=True, print_background=True)
            data = (folder / f"{name}.pdf").read_bytes()
            counts[name] = len(re.findall(rb"/Type\s*/Page\b", data))
            sheet.close()
        browser.close()
    return counts, full


def main(argv=None):
    "Build everything; exit status 1 where the handout is longer than a page or a slide is too full."
    parser = argparse.ArgumentParser(description="Make the teacher's pack.")
    parser.add_argument("--folder", type=Path, default=ROOT / "_pack", help="where to put it (default: _pack)")
    parser.add_argument("--no-pdf", action="store_true", help="HTML only")
    parser.add_argument("--pictures", action="store_true", help="every slide and page as PNG too, to be looked at")
    options = parser.parse_args(argv)
    (options.folder / "png").mkdir(parents=True, exist_ok=True)
    made = contents()
    for name, (kind, title, body) in made.items(): (options.folder / f"{name}.html").write_text(page(kind, title, body), encoding="utf8")
    shutil.copy(SOURCE / "bank.toml", options.folder)
    print(f"{len(made)} pages and a bank of questions in {options.folder}")
    if options.no_pdf or not (shutil.which("chromium") or shutil.which("google-chrome")):
        if not options.no_pdf: print("No Chromium: no PDF files. Open the HTML files in a browser and print them.")
        return 0
    counts, full = print_all(options.folder, list(made), options.pictures)
    print(", ".join(f"{name}.pdf: {count} pages" for name, count in counts.items()))
    for said in full: print(f"too full: {said}")
    if counts["handout"] != 1: print("the handout must be one page")
    return int(counts["handout"] != 1 or bool(full))


if __name__ == "__main__": sys.exit(main())
