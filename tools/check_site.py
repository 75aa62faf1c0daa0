"""What is wrong with the finished site, read as its visitors get it.

    python tools/check_site.py [folder] [--no-browser]

`check_pages.py` reads the prepared notebooks, before Quarto; this reads the HTML that Quarto made: links and anchors, references that stayed open, programs that nobody needs, pictures
without a description, the order of the sidebar, the search. In Chromium every page is opened at 1300 and at 390 px: nothing may be wider than the screen, run
over the list "On this page", or be cut off, and figures must be sharp.
"""

import argparse
import html
import json
import re
import sys
from pathlib import Path
from urllib.parse import unquote

import check_pages
import docs
import figures
import layout
import search_index
import yaml

WIDTHS = 1300, 390  # px
HELPERS = re.compile(r'<script[^>]+src="[^"]*\b(require|jquery)[\w.-]*\.js"', re.I)
OPEN = re.compile(r"\?@[a-z]+-[\w-]+|quarto-unresolved-ref")
TAG = re.compile(r"<(a|img|link|script|iframe)\b([^>]*)>", re.I)
ATTRIBUTE = re.compile(r'\b(href|src|alt)="([^"]*)"')
NAMED = re.compile(r'\b(?:id|name)="([^"]+)"')
FENCE = re.compile(r"(<div class=\"(?:sourceCode|cell-output cell-output-)[^>]*>\s*)?<pre\b([^>]*)>(.*?)</pre>", re.S)
ELSEWHERE = "lite/", "explorers/static/", "dev/", "preview/"  # made by steps of their own
ABROAD = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.I)

MEASURE = """([column, density]) => {
    const wrong = [], wide = innerWidth > 1000, main = document.querySelector("main") || document.body;
    const over = document.documentElement.scrollWidth - innerWidth;
    if (over > 1) wrong.push(`the page is ${over} px wider than the screen`);
    const list = document.querySelector("#quarto-margin-sidebar"), edge = wide && list && list.clientWidth ? list.getBoundingClientRect().left : innerWidth;
    const scrolls = e => { for (; e && e != main; e = e.parentElement) if (["auto", "scroll"].includes(getComputedStyle(e).overflowX)) return true; return false; };
    for (const e of main.querySelectorAll("mjx-container[display], .math.display, pre, table, img, iframe")) {
        const box = e.getBoundingClientRect();
        if (box.width && box.right > edge + 1 && !scrolls(e)) wrong.push(`${e.tagName.toLowerCase()} ends ${Math.round(box.right - edge)} px too far right`);
        if (e.tagName == "PRE" && e.closest(".cell-output") && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).whiteSpace == "pre") wrong.push("a printed output is cut off");
        if (wide && e.tagName == "IMG" && e.closest(".cell-output-display") && /\\.png$/.test(e.src) && e.naturalWidth < density * box.width - 2) wrong.push(`a figure has ${e.naturalWidth} dots for ${Math.round(box.width)} px`);
    }
    return wrong;
}"""


def pages(folder):
    "The HTML files of the book: path -> text; the live lessons and the explorers are sites of their own."
    found = {p.relative_to(folder).as_posix(): p for p in sorted(folder.rglob("*.html"))}
    return {name: p.read_text(encoding="utf8") for name, p in found.items() if not name.startswith(("lite/", "explorers/static/", "site_libs/", "dev/", "preview/"))}


def target(page, link, home=""):
    "The file of the site that a link leads to, and the place in it; None where it leads away. Links to the address of the published site, `home`, stay."
    for start in filter(None, (home, "/" + home.partition("://")[2].partition("/")[2])):
        if len(start) > 1 and link.startswith(f"{start}/"): page, link = "index.html", link[len(start) + 1:] or "index.html"
    if ABROAD.match(link): return None
    path, _, place = html.unescape(link).partition("#")
    path = unquote(path.partition("?")[0])
    parts = [] if path.startswith("/") else list(Path(page).parent.parts)
    for part in path.split("/"): parts = parts[:-1] if part == ".." else parts if part in ("", ".") else [*parts, part]
    name = "/".join(parts) if path else page
    return (f"{name}/index.html".lstrip("/") if path.endswith("/") else name), unquote(place)


def of_page(name, text, places, folder, home=""):
    "What is wrong with the HTML of a page."
    if m := HELPERS.search(text): yield f"{m[1]} is loaded"
    yield from (f"{found} was not resolved" for found in sorted(set(OPEN.findall(text))))
    if any("](http" in block for before, told, block in FENCE.findall(text) if not re.search("cell-(?:code|output)", before + told)): yield "a link inside of code, which shows its brackets"
    for tag, inside in TAG.findall(text):
        told = dict(ATTRIBUTE.findall(inside))
        if tag.lower() == "img" and not told.get("alt", "").strip() and 'aria-hidden="true"' not in inside: yield f"the picture {told.get('src', '')[:60]} has no description"
        link = told.get("href", told.get("src", ""))
        if not link or link.startswith("data:") or not (found := target(name, link, home)): continue
        file, place = found
        if file.startswith(ELSEWHERE) and not (folder / file.rpartition("/")[0].removesuffix("/lab")).is_dir(): continue  # not there yet; check_pages.py knows what will be
        if file not in places and not (folder / file).is_file(): yield f"{link}: there is no {file}"
        elif place and file in places and place not in places[file] and not place.startswith("category="): yield f"{link}: {file} has no place called {place}"


def sidebar(text):
    "The pages of the sidebar, in their order."
    found = re.search(r'<nav id="quarto-sidebar".*?</nav>', text, re.S)
    links = [html.unescape(h) for h in re.findall(r'<a href="([^"#]+)"[^>]*class="sidebar-item-text sidebar-link', found[0])] if found else []
    return [target("index.html", link)[0] for link in links if target("index.html", link)]


def wanted(root):
    "The pages that _quarto.yml lists, in their order, as files of the site; those that are made by themselves are left out."
    def listed(contents):
        for entry in contents:
            if isinstance(entry, str): yield entry
            else: yield from listed(entry.get("contents", []))
    names = listed(yaml.safe_load((root / "_quarto.yml").read_text(encoding="utf8"))["website"]["sidebar"]["contents"])
    return [(Path(n).parent / check_pages.output_name(check_pages.read(root / "_proc" / n), root / "_proc" / n)).as_posix() for n in names if (root / "_proc" / n).is_file()]


def of_site(folder, root):
    "What is wrong with the site as a whole."
    texts, home = pages(folder), docs.address(root).rstrip("/") if (root / "settings.ini").is_file() else ""
    places = {name: set(NAMED.findall(text)) | {"", "top"} for name, text in texts.items()}
    for name, text in texts.items(): yield from (f"{name}: {line}" for line in dict.fromkeys(of_page(name, text, places, folder, home)))
    for name in ("index.html", "404.html", "search.json"):
        if not (folder / name).is_file(): yield f"there is no {name}"
    if "index.html" in texts:
        listed = wanted(root)
        shown = [name for name in sidebar(texts["index.html"]) if name in set(listed)]
        if shown != listed: yield f"the sidebar has another order than _quarto.yml: {next((f'{a} instead of {b}' for a, b in zip(shown, listed) if a != b), f'{len(shown)} pages instead of {len(listed)}')}"
    if (folder / "search.json").is_file():
        index = json.loads((folder / "search.json").read_text(encoding="utf8"))
        yield from (f"search.json: {href}: there is no such page" for href in sorted({e["href"].partition("#")[0] for e in index}) if href not in texts)
        yield from search_index.misses(index)


def in_browser(folder, sharp=True, only=()):
    "What a visitor sees cut off, too wide or blurred, page by page."
    import lite_smoke

    with lite_smoke.serve(folder) as address, layout.chromium() as page:
        for name in only or pages(folder):
            page.goto(f"{address}/{name}")
            page.evaluate("async () => { if (window.MathJax && MathJax.startup) await MathJax.startup.promise }")
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                yield from (f"{name} at {width} px: {line}" for line in dict.fromkeys(page.evaluate(MEASURE, [figures.COLUMN, figures.DENSITY if sharp else 0])))


def problems(folder, root=docs.ROOT, browser=True, sharp=True):
    "All of it."
    yield from of_site(folder, root)
    if browser: yield from in_browser(folder, sharp)


def main(argv=None):
    "Check, and report."
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=docs.ROOT / "_docs", help="the finished site (default: _docs)")
    parser.add_argument("--no-browser", action="store_true", help="read the files only")
    parser.add_argument("--quick", action="store_true", help="the site was made with --quick: its figures need not be sharp")
    told = parser.parse_args(argv)
    wrong = list(problems(told.folder, docs.ROOT, not told.no_browser, not told.quick))
    print(*wrong, f"site: {len(pages(told.folder))} pages: {len(wrong) or 'no'} problems", sep="\n")
    return int(bool(wrong))


if __name__ == "__main__": sys.exit(main())
