"""What of the prepared pages does not fit its column: equations, on lines of their own and in the text, and printed outputs, set in Chromium with the site's own style.

    python tools/layout.py [folder]

Every display equation is set by MathJax, the program that the site uses, and every printed output stands in the site's font, in a column of
`WIDE` pixels (the text beside the list "On this page") and of `NARROW` ones (a telephone). In the wide column nothing may be cut off or
wrapped. In the narrow one an output may wrap and an equation may scroll by itself, but nothing may make the page wider than the screen.
MathJax comes from npm, once, into `.venv/npm/`.
"""

import html
import re
import shutil
import subprocess
import sys
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import check_pages

ROOT = Path(__file__).resolve().parent.parent
NPM = ROOT / ".venv" / "npm"
STYLE = ROOT / "nbs" / "styles.css"
WIDE, NARROW = 800, 360  # px
PATIENCE = 300  # seconds; a few on an idle machine
MATHJAX = "mathjax@3.2.2"  # what Quarto's `html-math-method: mathjax` loads
BROWSERS = "chromium", "chromium-browser", "google-chrome"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
DISPLAY = re.compile(r"\$\$(.+?)\$\$(?:[ \t]*\{#(eq-[\w-]+)\})?", re.S)
INLINE = re.compile(r"(?<![\\$\w])\$(?![\s$])((?:[^$\n\\]|\\.){25,}?)(?<!\s)\$(?![\d$])")  # in a line of text; shorter ones fit anywhere
SHOWN = ("text/html", "text/markdown", "text/latex", "image/svg+xml", "image/png", "image/jpeg")  # Quarto prefers them to plain text

# What Quarto's theme says about text and code; the rest is nbs/styles.css.
THEME = """
html { font-size: 17px; } body { margin: 0; font: 17px/1.5 "Source Sans Pro", "Liberation Sans", sans-serif; }
p, figure { margin: 0 0 1rem; } pre { margin: 0 0 1rem; overflow: auto; font-size: .875em; padding: .4em; }
code { font-family: SFMono-Regular, Menlo, Monaco, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace; }
"""


class Piece(NamedTuple):
    "Something that a column has to hold."

    page: str  # path of the page
    cell: int  # number of the cell, from 1
    kind: str  # "equation", "formula" (in a line of text) or "output"
    text: str  # TeX, or what was printed
    label: str = ""  # the label of an equation that has a number


def printed(output):
    "The text that a reader sees of an output, or nothing where a picture, a table or markdown is shown instead."
    data = output.get("data", {})
    text = output.get("text", output.get("traceback")) or (None if data.keys() & set(SHOWN) else data.get("text/plain"))
    return check_pages.joined(text).rstrip("\n")


def pieces(nb, page=""):
    "The display equations and the printed outputs of a page."
    for i, text in check_pages.texts(nb):
        text = check_pages.without_code(text)
        for tex, label in DISPLAY.findall(text): yield Piece(page, i, "equation", tex.strip(), label)
        for tex in INLINE.findall(DISPLAY.sub("", text)): yield Piece(page, i, "formula", tex)
    for i, cell in enumerate(nb["cells"], 1):
        if {"output", "include"} & {k for k, v in check_pages.options(cell).items() if v == "false"}: continue
        for output in cell.get("outputs", []):
            if text := printed(output): yield Piece(page, i, "output", text)


def in_folder(folder):
    "The pieces of all pages below a folder."
    paths = [p for p in sorted(folder.rglob("*.ipynb")) if not any(s[0] in "_." for s in p.relative_to(folder).parts)]
    return [piece for path in paths for piece in pieces(check_pages.read(path), path.relative_to(folder).as_posix())]


def package(name, file, folder=NPM):
    "A file of a package of npm, `name@version`; None where it is not there and npm cannot bring it."
    path = folder / "node_modules" / name.rpartition("@")[0] / file
    if not path.is_file() and (npm := shutil.which("npm")):
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([npm, "install", "--prefix", folder, "--no-audit", "--no-fund", name], capture_output=True, check=False)
    return path if path.is_file() else None


def mathjax(): return package(MATHJAX, "es5/tex-chtml-full.js")


def markup(piece, number):
    "A piece as Quarto writes it."
    if piece.kind == "output": return f'<div class="cell-output cell-output-stdout"><pre><code>{html.escape(piece.text)}</code></pre></div>'
    if piece.kind == "formula": return f'<p>Text <span class="math inline">\\({html.escape(piece.text)}\\)</span> and text.</p>'
    tag = rf"\tag{{{number}}}" if piece.label else ""
    return f'<p><span><span class="math display">\\[{html.escape(piece.text)}{tag}\\]</span></span></p>'


def document(found, script, style):
    "One HTML page with every piece in a column of its own; equations are numbered page by page."
    count, columns = Counter(), []
    for piece in found:
        count[piece.page] += bool(piece.label)
        columns.append(f'<div class="column">{markup(piece, count[piece.page])}</div>')
    columns = "\n".join(columns)
    return f'<!DOCTYPE html><meta charset="utf8"><style>{THEME}{style}</style><script src="{script.as_uri()}"></script><body>{columns}</body>'


MEASURE = """wide => [...document.querySelectorAll(".column")].map(column => {
    const code = column.querySelector("pre code");
    const set = column.querySelector("mjx-container"), wrong = column.querySelector("mjx-merror, [style*='color: red']");
    if (!code && (!set || wrong)) return wide ? "is not TeX" : 0;
    if (wide && code) { code.style.whiteSpace = "pre"; code.parentElement.style.whiteSpace = "pre"; }
    const boxes = [column, ...column.querySelectorAll("p, pre, .math.display")].filter(e => wide ? e.clientWidth : e == column);
    const over = Math.max(...boxes.map(e => e.scrollWidth - e.clientWidth));
    if (wide && code) { code.style.whiteSpace = ""; code.parentElement.style.whiteSpace = ""; }
    return over > 1 ? over : 0;
})"""


@contextmanager
def chromium():
    "A page of a headless browser."
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            page = browser.new_page(viewport={"width": WIDE, "height": 900})
            page.set_default_timeout(1000 * PATIENCE)
            yield page
        finally: browser.close()


def overflows(page, found, file, script, style=None):
    "What does not fit a column, one line for each."
    style = STYLE.read_text(encoding="utf8") if style is None else style
    file.write_text(document(found, script, style), encoding="utf8")
    page.goto(file.as_uri())
    page.evaluate("() => MathJax.startup.promise")
    for width in WIDE, NARROW:
        page.set_viewport_size({"width": width, "height": 900})
        for piece, over in zip(found, page.evaluate(MEASURE, width == WIDE)):
            if not over: continue
            said = over if isinstance(over, str) else f"is {over} px too wide for {width}"
            name = f"{piece.kind} {piece.label}".strip()
            yield f"{piece.page}:{piece.cell}: {name} {said}: {max(piece.text.splitlines(), key=len)[:70]}"


def main(argv):
    "Name what does not fit."
    import tempfile

    folder = Path(argv[0]) if argv else ROOT / "_proc"
    if not (script := mathjax()): sys.exit("layout: npm is missing, and with it MathJax")
    found = in_folder(folder)
    with tempfile.TemporaryDirectory() as temporary, chromium() as page:
        wrong = list(overflows(page, found, Path(temporary) / "page.html", script))
    print(*wrong, f"layout: {len(found)} equations, formulas and outputs in columns of {WIDE} and {NARROW} px: {len(wrong) or 'none'} too wide", sep="\n")
    return int(bool(wrong))


if __name__ == "__main__": sys.exit(main(sys.argv[1:]))
