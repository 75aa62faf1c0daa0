"""What is wrong with prepared pages: everything that Quarto would pass over in silence, or show to the reader.

`problems(folder, ...)` reads the notebooks that nbdev prepared and names broken links and anchors, references to equations that do not
exist, directives and widgets that would be seen, headings that leave out a level, long code that stands open, pictures without a description, tables as a program writes them, figures with letters too small for a telephone, and,
where it is asked for, figures that are not sharp; `omissions` reads a notebook as it was written.
"""

import json
import re
from pathlib import Path

import figures
import lite
import tables
import yaml

DIRECTIVE = re.compile(r"^\s*#\s*\|(?!\s*[\w-]+:(?:\s|$)).*", re.M)  # `#| echo: false` is Quarto's; `#| export` must be gone
OPTION = re.compile(r"^#\|\s*([\w-]+):\s*(.*?)\s*$", re.M)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t]*#*$", re.M)
CROSS = re.compile(r"(?<![\w@`])-?@((?:eq|fig|tbl|sec|lst|thm)-[\w-]*\w)")
LABEL = re.compile(r"\{#([\w.:-]+)[^}]*\}|(?:\bid|\bname)=[\"']([^\"']+)[\"']")
KINDS = ("eq-", "fig-", "tbl-", "sec-", "lst-", "thm-")
WIDGET = "application/vnd.jupyter.widget"
STUB = re.compile(r"\b(?:interactive|VBox|HBox|IntSlider|FloatSlider|Output)\(\w+=")
LOADS = ("text/html", "application/javascript")
RAW = re.compile(r"^(`{3,})\{=html\}\n(.*?)^\1$", re.M | re.S)
PHONE = re.compile(r"\bphone-(\d+)\b")
OPEN_LINES = 20  # of code that is not folded, outside of the lessons
FIGURE = ("image/png", "image/svg+xml", "image/jpeg")


def joined(value): return "".join(value or "")


def read(path): return json.loads(path.read_text(encoding="utf8"))


def without_code(text):
    "Markdown without fenced blocks, code spans and comments, which hold no links and no references."
    text = re.sub(r"^([ \t]*)(```+|~~~+).*?^\1\2[ \t]*$", "", text, flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    return re.sub(r"(`+)(?:(?!\1).)+?\1", lambda m: "`" + "x" * (len(m[0]) - 2) + "`", text, flags=re.S)


def texts(nb):
    "The markdown that a reader sees, cell by cell: (number, text), outputs included."
    for i, cell in enumerate(nb["cells"], 1):
        if cell["cell_type"] == "markdown": yield i, joined(cell["source"])
        for output in cell.get("outputs", []):
            if shown := joined(output.get("data", {}).get("text/markdown")): yield i, shown


def heading_id(text):
    "The identifier that pandoc gives a heading."
    if m := re.search(r"\{[^}]*#([\w.:-]+)[^}]*\}\s*$", text): return m[1]
    text = re.sub(r"\{[^}]*\}\s*$", "", text)
    text = re.sub(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"[^\w\s.-]", "", text.replace("--", "")).strip().lower()
    return re.sub(r"^[^a-z]+", "", re.sub(r"\s+", "-", text)) or "section"


def anchors(nb):
    "Every place of a page that a link can lead to."
    found, seen = set(), {}
    for _, text in texts(nb):
        text = re.sub(r"^([ \t]*)(```+|~~~+).*?^\1\2[ \t]*$", "", text, flags=re.M | re.S)
        for _, title in HEADING.findall(text):
            name = heading_id(title)
            count = seen[name] = seen.get(name, -1) + 1
            found.add(f"{name}-{count}" if count else name)
        found |= {a or b for a, b in LABEL.findall(text)}
    return found


def output_name(nb, path):
    "The name of the HTML file, which nbdev writes into the first cell."
    first = nb["cells"][0] if nb["cells"] else {}
    if first.get("cell_type") == "raw":
        told = yaml.safe_load(joined(first["source"]).strip().strip("-")) or {}
        if "output-file" in told: return told["output-file"]
    return f"{path.stem}.html"


def options(cell): return dict(OPTION.findall(joined(cell.get("source"))))


def leaks(nb):
    "Directives and widgets that a reader would see."
    for i, cell in enumerate(nb["cells"], 1):
        if cell["cell_type"] != "code": continue
        yield from (f"{i}: directive {s.strip()}" for s in DIRECTIVE.findall(joined(cell["source"])))
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if any(mime.startswith(WIDGET) for mime in data): yield f"{i}: the output of a widget"
            elif data.keys() & set(LOADS): yield f"{i}: an output that is HTML, for which Quarto loads require.js and jQuery"
            elif STUB.match(joined(data.get("text/plain"))) and not data.keys() & set(FIGURE): yield f"{i}: the text that stands for a widget"
    if nb.get("metadata", {}).get("widgets", {}): yield "0: the state of widgets"


def descriptions(nb):
    "Pictures without a description for those who cannot see them."
    for i, cell in enumerate(nb["cells"], 1):
        shown = sum(bool(output.get("data", {}).keys() & set(FIGURE)) for output in cell.get("outputs", []))
        if not shown or options(cell).get("output") == "false" or options(cell).get("include") == "false": continue
        try: told = yaml.safe_load(options(cell).get("fig-alt", ""))
        except yaml.YAMLError as error: yield f"{i}: fig-alt is not YAML ({error.__class__.__name__}); put it in double quotes"
        else:
            told = told if isinstance(told, list) else [told]
            if not all(isinstance(t, str) and len(t.split()) >= 5 for t in told) or len(told) not in (1, shown):
                yield f"{i}: {shown} pictures, and no `#| fig-alt: \"...\"` of five words or more for each"


def fences(text): return [m[0] for m in re.finditer(r"^[> \t]*(```+|~~~+).*?^[> \t]*\1[ \t]*$", text, flags=re.M | re.S)]


def sources(nb):
    "Source that stands open, labels of equations in code, links in code."
    for i, cell in enumerate(nb["cells"], 1):
        shown = [text for j, text in texts(dict(cells=[cell]))]
        if any("](http" in fence for text in shown for fence in fences(text)): yield f"{i}: a link inside of code, which shows its brackets"
        if cell["cell_type"] != "code": continue
        text = joined(cell["source"])
        if options(cell).get("code-fold") == "show": yield f"{i}: source that stands open"
        if options(cell).get("echo") != "false": shown.append(text)
        for label in sorted({f"@{m[1]}" if m[1] else m[2] for s in shown for m in re.finditer(r"@(eq-[\w-]*\w)|\((eq-[a-z](?:[\w-]*\w)?)[),]", s)}): yield f"{i}: the label {label} in code or in a docstring"


def is_lesson(page): return page == "index.ipynb" or page.startswith("tutorials/")


def open_lines(cell): return sum(not s.startswith("#|") for s in joined(cell["source"]).strip().split("\n"))


def long_code(nb):
    "Long code that stands open."
    for i, cell in enumerate(nb["cells"], 1):
        told = options(cell)
        if cell["cell_type"] != "code" or "code-fold" in told or "false" in (told.get("echo"), told.get("include")): continue
        if (lines := open_lines(cell)) > OPEN_LINES: yield f"{i}: {lines} lines of code that stand open"


def headings(nb):
    "Headings of the first level, which is that of the title, and headings that leave out a level."
    last = 1
    for i, text in texts(nb):
        text = re.sub(r"^([> \t]*)(```+|~~~+).*?^\1\2[ \t]*$", "", text, flags=re.M | re.S)
        for marks, title in HEADING.findall(text):
            if len(marks) == 1 and (i > 1 or last > 1): yield f"{i}: {title}: the title is the only heading of the first level"
            elif len(marks) > last + 1: yield f"{i}: {title}: a heading of level {len(marks)} below one of level {last}"
            last = len(marks)


def untidy(nb):
    "What in a table a reader should not see."
    for i, text in texts(nb):
        for _, html in RAW.findall(text):
            if "<table" in html: yield from (f"{i}: {flaw}" for flaw in dict.fromkeys(tables.flaws(html)))


def small_letters(nb):
    "Figures whose letters would be smaller than 9 px on a telephone, because nothing keeps them wide there."
    for i, cell in enumerate(nb["cells"], 1):
        need, kept = figures.room(cell), PHONE.search(options(cell).get("classes", ""))
        if need and int(kept[1] if kept else 0) < need: yield f"{i}: letters below {figures.LETTERS} px on a telephone; the figure needs {need} px"


def blurred(nb):
    "Figures that are not sharp."
    for i, dots, px in figures.blunt(nb): yield f"{i}: a figure has {dots} dots for {px} px; `python tools/figures.py` draws it again"


def references(nb, known):
    "References to equations and citations that lead nowhere, labels that occur twice."
    labels = [a for _, text in texts(nb) for a, _ in LABEL.findall(without_code(text)) if a.startswith(KINDS)]
    yield from (f"0: the label {name} occurs twice" for name in sorted({n for n in labels if labels.count(n) > 1}))
    for i, text in texts(nb):
        text = without_code(text)
        yield from (f"{i}: @{name} has no target on this page" for name in CROSS.findall(text) if name not in labels)
        for name in re.findall(r"(?<=[\[;\s])-?@([a-z]\w+)(?=[\],;\s.])", text):
            if not name.startswith(KINDS) and name not in known: yield f"{i}: @{name} is not in references.bib"


def problems(folder, site="", files=None, bib=(), sharp=False):
    "All that is wrong with the pages in a folder; `site` is the address of the site, `files` where pictures are; figures must be sharp where they were drawn for the site."
    paths = {p.relative_to(folder).as_posix(): p for p in sorted(folder.rglob("*.ipynb")) if not any(s[0] in "_." for s in p.relative_to(folder).parts)}
    pages = {name: read(path) for name, path in paths.items()}
    places = {name: anchors(nb) for name, nb in pages.items()}
    html = {(Path(name).parent / output_name(nb, paths[name])).as_posix(): name for name, nb in pages.items()}
    if len(html) < len(pages): yield "two pages have the same HTML file"
    for name, nb in pages.items():
        found = [*leaks(nb), *descriptions(nb), *sources(nb), *headings(nb), *([] if is_lesson(name) else long_code(nb)), *untidy(nb), *small_letters(nb), *references(nb, bib), *(blurred(nb) if sharp else [])]
        for i, text in texts(nb):
            for picture, label, target in LINK.findall(without_code(text)):
                if picture and not label.strip(): found.append(f"{i}: the picture {target} has no description")
                if wrong := dead(target, name, pages, places, html, site, files or folder): found.append(f"{i}: {wrong}")
        yield from (f"{name}:{line}" for line in found)


def dead(target, name, pages, places, html, site, files):
    "Why a link leads nowhere; None where it does not, or where it leaves the site."
    if site and target.startswith(site):
        page, _, anchor = target[len(site):].lstrip("/").partition("#")
        if page in ("", "index.html"): return None
        if page not in html: return f"{target}: there is no such page"
        page = html[page]
    elif re.match(r"[a-z][a-z0-9+.-]*:|//", target): return None
    else:
        page, _, anchor = target.partition("#")
        base = [] if page.startswith("/") else list(Path(name).parent.parts)
        parts = base
        for part in page.lstrip("/").split("/"):
            if part == "..":
                if not parts: return f"{target}: outside of the book"
                parts = parts[:-1]
            elif part not in ("", "."): parts = [*parts, part]
        page = "/".join(parts) if page else name
        if page.startswith("lite/"): return f"{target}: the live site has no {wrong}" if (wrong := lite.missing(page)) else None
        if page.startswith("notebooks/"): return None if (files / page.removeprefix("notebooks/")).is_file() else f"{target}: there is no such notebook"
        if not page.endswith(".ipynb"): return None if (files / page).is_file() else f"{target}: there is no such file"
        if page not in pages: return f"{target}: there is no such page"
    return f"{target}: {page} has no place called {anchor}" if anchor and anchor not in places[page] else None


def omissions(nb):
    "What a notebook of the book leaves out, as it was written."
    cells = [joined(c["source"]) for c in nb["cells"] if c["cell_type"] == "markdown"]
    if not cells: return
    rest = [s for s in cells[0].strip().splitlines() if s.strip() and not re.match(r"#\s|>\s", s)]
    if rest: yield "1: text beside title and subtitle is lost on the site; give it a cell of its own"
    if not any("What you will learn" in text for text in cells[:4]): yield "1: no **What you will learn** near the top"
    if not re.search(r"\*\*(?:What to read next|Read next|Next)\b[^*]*\*\*.*\]\(", cells[-1], flags=re.S): yield f"{len(nb['cells'])}: the page does not end with **Read next:** and a link"
