"""A readable draft of the site, without Quarto: for eyes and for the checks of finished pages.

    python tools/draft.py [page ...]

`make docs ARGS=--draft` prepares the pages and calls `build`; alone, this script sets the pages in `_proc/` (or those that are named, by their paths there) again. Pandoc sets a page, the program
that Quarto itself uses; it comes from PyPI (`pypandoc_binary`), because Quarto cannot be had there. The themes of Bootstrap, MathJax and Fuse come from npm, once; without npm a page is plain and its formulas
are TeX. What Quarto does with a page is done here as far as its readers notice it: cells and outputs, folded source, numbers of equations, links between pages, sidebar, search, both themes.
"""

import base64
import html
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import check_pages
import figures
import layout
import publish
import search_index
import yaml

ROOT = Path(__file__).resolve().parent.parent
PARTS = Path(__file__).with_name("draft_site")
THEMES = "bootswatch@5.3.3"  # the version of Bootstrap in Quarto 1.7
CODE = re.compile(r"(^[> \t]*(?:```+|~~~+).*?^[> \t]*(?:```+|~~~+)[ \t]*$|(?<!`)(`+)(?!`).+?(?<!`)\2(?!`))", re.M | re.S)
EQUATION = re.compile(r"\$\$((?:(?!\$\$).)+)\$\$[ \t]*\{#(eq-[\w-]+)\}", re.S)
CITED = re.compile(r"\[(-?@eq-[\w-]*\w(?:[;,] *-?@eq-[\w-]*\w)*)\]|(-?)@(eq-[\w-]*\w)")
LINK = re.compile(r'(<a\b[^>]*?\bhref=")([^":?#]+\.ipynb)(#[^"]*)?(")')
PANDOC = ["--from", "markdown", "--to", "html5", "--mathjax", "--section-divs", "--toc", "--toc-depth=3", "--wrap=preserve", "--standalone", "--template", str(PARTS / "page.html")]


@cache
def pandoc():
    "The path of pandoc; None where it is not installed."
    try:
        import pypandoc
        return pypandoc.get_pandoc_path()
    except (ImportError, OSError): return shutil.which("pandoc")


# --- a page as Markdown ----------------------------------------------------------------------------------------------
def outside(change, text):
    "Change Markdown where it is not code."
    pieces, last = [], 0
    for m in CODE.finditer(text):
        pieces += [change(text[last:m.start()]), m[0]]
        last = m.end()
    return "".join([*pieces, change(text[last:])])


def numbered(text, labels):
    "Equations with their numbers, and what cites them."
    def number(name): return labels.index(name) + 1 if name in labels else "?"
    def cite(m):
        if m[1]: return ", ".join(CITED.sub(cite, one.strip()) for one in re.split("[;,]", m[1]))
        return f"[{'' if m[2] else 'Equation&nbsp;'}{number(m[3])}](#{m[3]})"
    text = EQUATION.sub(lambda m: f"[$$ {m[1].strip()} \\tag{{{number(m[2])}}} $$]{{#{m[2]}}}", text)
    return CITED.sub(cite, text)


def fenced(text, kind=""):
    "A block of code."
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{kind}\n{text}\n{fence}"


def div(names, *lines):
    "A block with classes; the colons are as many as no text has."
    return "\n\n".join([f":::::::::: {{{' '.join(f'.{n}' for n in names)}}}", *lines, "::::::::::"])


def picture(output, at, files, alt):
    "A figure, in a file of its own."
    data = output["data"]
    kind = next(mime for mime in check_pages.FIGURE if mime in data)
    name = f"{at}.{ {'image/png': 'png', 'image/jpeg': 'jpg', 'image/svg+xml': 'svg'}[kind] }"
    text = check_pages.joined(data[kind])
    files[name] = text.encode("utf8") if kind == "image/svg+xml" else base64.b64decode(text)
    width = f' width="{figures.shown(output)[0]:.0f}"' if kind == figures.MIME else ""
    return f'<figure class="figure"><img src="{{{{files}}}}/{name}"{width} alt="{html.escape(alt)}" class="img-fluid figure-img"></figure>'


def shown(output, at, files, alt, plain=False):
    "One output as Markdown; `plain` without a block around it."
    data = output.get("data", {})
    if "text/markdown" in data: return check_pages.joined(data["text/markdown"]) if plain else div(["cell-output", "cell-output-display", "cell-output-markdown"], check_pages.joined(data["text/markdown"]))
    if data.keys() & set(check_pages.FIGURE): return div(["cell-output", "cell-output-display"], picture(output, at, files, alt))
    text = check_pages.joined(output.get("text", output.get("traceback", data.get("text/plain")))).rstrip("\n")
    return div(["cell-output", f"cell-output-{output.get('name', 'display')}"], f"<pre><code>{html.escape(text)}</code></pre>") if text else ""


def code_cell(cell, i, files):
    "A cell of code: its source, folded or open, and its outputs."
    told, text = check_pages.options(cell), "\n".join(s for s in check_pages.joined(cell["source"]).split("\n") if not s.startswith("#|")).strip("\n")
    if told.get("include") == "false": return ""
    alts = yaml.safe_load(told.get("fig-alt", '""'))
    alts, lines, plain = alts if isinstance(alts, list) else [alts], [], told.get("output") == "asis"
    if told.get("echo") != "false" and text:
        source = fenced(text, " {.python .cell-code}")
        summary = (yaml.safe_load(told.get("code-summary", '"Code"')) or "Code")
        folded = told.get("code-fold") in ("true", "show")
        lines.append(f'<details class="code-fold"{" open" * (told["code-fold"] == "show")}>\n<summary>{html.escape(summary)}</summary>\n\n{source}\n\n</details>' if folded else source)
    if told.get("output") != "false":
        number = 0
        for j, output in enumerate(cell.get("outputs", [])):
            drawn = bool(output.get("data", {}).keys() & set(check_pages.FIGURE))
            lines.append(shown(output, f"cell-{i}-{j}", files, str(alts[min(number, len(alts) - 1)]), plain))
            number += drawn
    if plain or not any(lines): return "\n\n".join(lines)
    return div(["cell", *told.get("classes", "").split()], *filter(None, lines))


def markdown(nb):
    "A page as Markdown, and the files of its figures."
    files, lines = {}, []
    labels = [name for _, text in check_pages.texts(nb) for _, name in EQUATION.findall(check_pages.without_code(text))]
    for i, cell in enumerate(nb["cells"], 1):
        text = check_pages.joined(cell["source"])
        if cell["cell_type"] == "raw": lines.append(text.strip())
        else: lines.append(outside(lambda piece: numbered(piece, labels), text if cell["cell_type"] == "markdown" else code_cell(cell, i, files)))
    return "\n\n".join(lines), files


# --- what stands around a page ---------------------------------------------------------------------------------------
def up(name): return "../" * name.count("/")


def relative(target, page): return os.path.relpath(target, Path(page).parent.as_posix() or ".")


def titles(folder):
    "Every page: its path in _proc -> (its HTML file, its title)."
    found = {}
    for path in sorted(folder.rglob("*.ipynb")):
        name = path.relative_to(folder)
        if any(s[0] in "_." for s in name.parts): continue
        nb = check_pages.read(path)
        found[name.as_posix()] = (name.parent / check_pages.output_name(nb, path)).as_posix(), str(search_index.front(nb, path)[0])
    return found


def plain_title(text): return html.escape(text.replace("`", ""))


def listed(contents, pages):
    "The entries of the sidebar: (kind, text, pages below it)."
    for entry in contents:
        if isinstance(entry, str): yield "page", pages[entry][1], [entry]
        elif "section" in entry:
            below = [name for e in entry["contents"] for name in ([e] if isinstance(e, str) else [n for n in pages if n.startswith(f"{e['auto']}/")])]
            yield "section", entry["section"], below
        elif entry.get("text", "---") != "---": yield "door", entry["text"], []


def sidebar(told, pages, page):
    "The sidebar of a page: the section that it belongs to is open."
    def link(name):
        here = ' aria-current="page"' if name == page else ""
        return f'<a href="{relative(pages[name][0], pages[page][0])}"{here} class="sidebar-item-text sidebar-link">{plain_title(pages[name][1])}</a>'
    lines = []
    for kind, text, below in listed(told["website"]["sidebar"]["contents"], pages):
        if kind == "door": lines.append(f'<p class="door">{html.escape(text)}</p>')
        elif kind == "page": lines += map(link, below)
        else: lines.append(f'<details{" open" * (page in below)}><summary>{html.escape(text)}</summary>{"".join(map(link, below))}</details>')
    return "\n".join(lines)


def frame(page, told, pages, place):
    "What stands around a page, by the names in the template."
    here, order = pages[page][0], [name for _, _, below in listed(told["website"]["sidebar"]["contents"], pages) for name in below]
    at = order.index(page) if page in order else None
    turned = [] if at is None else [(n, sign) for n, sign in ((at - 1, "← "), (at + 1, "→ ")) if 0 <= n < len(order)]
    links = [f'<a href="{relative(pages[order[n]][0], here)}">{sign}{plain_title(pages[order[n]][1])}</a>' for n, sign in turned]
    doors = [f'<a href="{relative(pages[e["href"]][0], here)}">{e["text"]}</a>' for e in told["website"]["navbar"]["left"]]
    themes = [f'<link rel="stylesheet" data-theme="{mode}" media="{media}" href="{up(here)}site_libs/{name}.css">' for mode, media, name in (("light", "all", "cosmo"), ("dark", "not all", "darkly"))]
    mathjax = f'<script async src="{up(here)}site_libs/mathjax/tex-chtml-full.js"></script>'
    return dict(up=up(here), sidebar=sidebar(told, pages, page), turn=" ".join(links), navbar=" ".join(doors), themes="\n".join(themes) * place["themes"],
                mathjax=mathjax * place["mathjax"], files=f"{Path(here).stem}_files", after=place["after"])


def resolved(text, page, pages):
    "A page whose links to notebooks lead to their pages, and those to the published site stay in this copy."
    def led(m):
        target = os.path.normpath(Path(page).parent / unquote(m[2]))
        return f"{m[1]}{relative(pages[target][0], page)}{m[3] or ''}{m[4]}" if target in pages else m[0]
    return publish.inside(LINK.sub(led, text), pages[page][0], publish.address())


# --- the site --------------------------------------------------------------------------------------------------------
def tools(out, folder):
    "Themes, MathJax and Fuse beside the pages; what of them is there."
    libs = out / "site_libs"
    (libs / "draft").mkdir(parents=True, exist_ok=True)
    for name in ("draft.css", "draft.js"): shutil.copy2(PARTS / name, libs / "draft")
    for name in ("cosmo", "darkly"):
        if path := layout.package(THEMES, f"dist/{name}/bootstrap.min.css"):
            (libs / f"{name}.css").write_text(re.sub(r"@import url\([^)]*\);?", "", path.read_text(encoding="utf8")), encoding="utf8")
    if script := layout.mathjax():
        shutil.copytree(script.parent / "output", libs / "mathjax" / "output", dirs_exist_ok=True)
        shutil.copy2(script, libs / "mathjax")
    (libs / "draft" / "fuse.js").write_bytes(path.with_name("fuse.js").read_bytes() if (path := search_index.fuse()) else b"")
    after = folder / "site.html"
    return dict(themes=(libs / "darkly.css").is_file(), mathjax=(libs / "mathjax").is_dir(), after=after.read_text(encoding="utf8") if after.is_file() else "")


def put(page, folder, out, told, pages, place):
    "Set one page with its figures."
    text, files = markdown(check_pages.read(folder / page)) if page.endswith(".ipynb") else ((folder / page).read_text(encoding="utf8"), {})
    done = subprocess.run([pandoc(), *PANDOC], input=text, text=True, capture_output=True, check=False)
    if done.returncode: raise RuntimeError(f"{page}: pandoc says {done.stderr.strip()}")
    made = done.stdout
    for name, value in frame(page, told, pages, place).items(): made = made.replace(f"{{{{{name}}}}}", value)
    target = out / pages[page][0]
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(resolved(made, page, pages), encoding="utf8")
    for name, data in files.items():
        (at := target.with_name(f"{target.stem}_files")).mkdir(exist_ok=True)
        (at / name).write_bytes(data)
    return [f"{page}: pandoc: {line}" for line in done.stderr.splitlines() if line.strip()]


def build(folder, out, only=()):
    "Set all pages of a folder, or some; what pandoc has to say about them."
    if pandoc() is None: sys.exit("draft: pandoc is missing; try: pip install pypandoc_binary")
    if not only: shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True, exist_ok=True)
    told = yaml.safe_load((folder / "_quarto.yml").read_text(encoding="utf8"))
    pages = titles(folder) | {"404.qmd": ("404.html", "This page does not exist")}
    place = tools(out, folder)
    shutil.copy2(folder / "styles.css", out)
    for name in ("images", "explorers/static"):
        if (folder / name).is_dir(): shutil.copytree(folder / name, out / name, dirs_exist_ok=True)
    with ThreadPoolExecutor(2) as pool: said = list(pool.map(lambda page: put(page, folder, out, told, pages, place), [n for n in pages if not only or n in only]))
    search_index.write(folder, out / "search.json", ROOT)
    return [line for lines in said for line in lines]


def main(argv):
    "Set prepared pages again."
    wrong = build(ROOT / "_proc", ROOT / "_draft", argv)
    print(*wrong, f"draft: open {ROOT / '_draft' / 'index.html'}", sep="\n")
    return int(bool(wrong))


if __name__ == "__main__": sys.exit(main(sys.argv[1:]))
