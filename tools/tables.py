"""Tables of the site, from what pandas writes: numbers on the right, nothing that only a program needs.

`tidy(html)` changes every table that pandas wrote: a column that only counts the rows goes, NaN becomes a dash, 4.41e+03 becomes 4,410 and 3e-36 becomes 3 × 10⁻³⁶, thousands are
separated, columns of numbers stand on the right, a number and its unit stay in one line. Tables of other origin are left alone. `flaws(html)` names what a reader
should not see.
"""

import re
from html import unescape

from bs4 import BeautifulSoup

GONE = {"nan", "NaN", "NaT", "<NA>"}
DASH = "–"
NUMBER = re.compile(r"[-+−]?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[+-]?\d+)?")
POWER = re.compile(r"([-+−]?\d+(?:\.\d+)?)e([+-]?\d+)")
UNIT = re.compile(r"([-+−]?\d[\d.,]*)\s+([^\s\d]{1,8}|of \d[\d,]*)")
YEARS = re.compile(r"\b(?:year|seed|version)\b", re.I)
LONG = 24  # characters: what is longer is a sentence, and may wrap


def is_ours(table): return "dataframe" in table.get("class", []) or str(table.get("id", "")).startswith("T_")


def said(cell): return unescape(cell.get_text()).strip()


def separated(text):
    "A plain number with commas between the thousands."
    m = re.fullmatch(r"([-+−]?)(\d{4,})(\.\d+)?", text)
    return f"{m[1]}{int(m[2]):,}{m[3] or ''}" if m else text


def written(text):
    "A number as a reader would write it: HTML."
    if not (m := POWER.fullmatch(text)): return separated(text)
    if 0 <= int(m[2]) < 16: return separated(f"{float(text):.0f}")
    return f"{m[1]} × 10<sup>{'−' if int(m[2]) < 0 else ''}{abs(int(m[2]))}</sup>"


def rows(part): return [row.find_all(["th", "td"], recursive=False) for row in part.find_all("tr", recursive=False)] if part else []


def grid(lines, width):
    "The cells of a table by their columns, where some span several rows: (row, column) -> cell."
    found = {}
    for i, cells in enumerate(lines):
        column = 0
        for cell in cells:
            while (i, column) in found: column += 1
            for down in range(int(cell.get("rowspan", 1))):
                for across in range(int(cell.get("colspan", 1))): found[i + down, column + across] = cell
            column += int(cell.get("colspan", 1))
    return {at: cell for at, cell in found.items() if at[1] < width}


def counting(head, body):
    "Whether the first column only counts the rows: no name above it, and 0, 1, 2, ... in it."
    first = [cells[0] for cells in body if cells]
    above = [cells[0] for cells in head if cells]
    return bool(first) and all(c.name == "th" for c in first) and [said(c) for c in first] == [str(i) for i in range(len(first))] and not any(said(c) for c in above)


def merge_names(table, head):
    "The names of the index, which pandas puts in a line of their own, move into the line above it."
    if len(head) < 2: return
    names, above = head[-1], head[-2]
    left = next((i for i, c in enumerate(names) if not said(c)), len(names))
    if any(said(c) for c in names[left:]) or not any(said(c) for c in names[:left]) or any(int(c.get("colspan", 1)) > 1 for c in above) or len(above) != len(names): return
    for old, new in zip(above[:left], names[:left]):
        if not said(old): old.string = said(new)
        elif said(new): return
    names[0].parent.decompose()


def tidy_table(table):
    "One table of pandas."
    for cell in table.find_all(["th", "td"]):
        for key in ("id", "class", "style", "halign", "valign"): del cell[key]
    for row in table.find_all("tr"): del row["style"]
    head, body = rows(table.thead), rows(table.tbody)
    if counting(head, body):
        for cells in (*head, *body):
            if cells: cells[0].decompose()
    merge_names(table, rows(table.thead))
    head, body = rows(table.thead), rows(table.tbody)
    if not body: return
    width = max(sum(int(c.get("colspan", 1)) for c in cells) for cells in (*head, *body))
    inside, above = grid(body, width), grid(head, width)
    done = set()
    for column in range(width):
        cells = list({id(inside[i, column]): inside[i, column] for i in range(len(body)) if (i, column) in inside}.values())
        titles = " ".join(said(above[i, column]) for i in range(len(head)) if (i, column) in above)
        there = [said(c) for c in cells if said(c) not in GONE | {""}]
        numbers = bool(there) and all(NUMBER.fullmatch(t) or UNIT.fullmatch(t) or t in ("inf", "-inf", DASH) for t in there)
        whole = numbers and any(said(c) in GONE for c in cells) and all(re.fullmatch(r"-?\d+\.0+", t) for t in there)
        for cell in cells:
            if id(cell) in done: continue
            done.add(id(cell))
            tidy_cell(cell, numbers, whole, bool(YEARS.search(titles)))
        for i in range(len(head)):
            cell = above.get((i, column))
            if cell is not None and numbers and int(cell.get("colspan", 1)) == 1: cell["class"] = ["number"]
    for cell in {id(c): c for c in above.values()}.values():
        if re.fullmatch(r"\d{4,}", said(cell)): cell.string = separated(said(cell))
    del table["border"]
    table["class"] = ["dataframe", "table", "table-sm", "table-striped", "small"]
    table["data-quarto-disable-processing"] = "true"  # Quarto would make a table of its own of it, without the classes


def tidy_cell(cell, numbers, whole, year):
    "One cell of a column."
    text = said(cell)
    if cell.find(True): pass  # more than a text: a link, a picture
    elif text in GONE: cell.string = DASH
    elif NUMBER.fullmatch(text) and not year:
        if whole: text = text.split(".")[0]
        shown = written(text)
        cell.clear()
        cell.append(BeautifulSoup(shown, "html.parser") if "<" in shown else shown)
    elif UNIT.fullmatch(text) or (numbers and text): cell.string = text.replace(" ", "\xa0")
    if numbers: cell["class"] = ["number"]


def tidy(html):
    "HTML with every table of pandas in it tidied."
    if "<table" not in html: return html
    soup = BeautifulSoup(html, "html.parser")
    ours = [t for t in soup.find_all("table") if is_ours(t)]
    if not ours: return html
    for table in ours: tidy_table(table)
    for style in soup.find_all("style"):
        if "dataframe" in style.get_text() or not style.get_text().strip(): style.decompose()
    return str(soup).strip()


def flaws(html):
    "What a reader should not see in a table: (what, where)."
    for table in BeautifulSoup(html, "html.parser").find_all("table"):
        head, body = rows(table.thead), rows(table.tbody)
        if body and counting(head, body): yield "a column that only counts the rows"
        texts = [said(c) for c in table.find_all(["th", "td"])]
        for text in dict.fromkeys(texts):
            if text in GONE: yield f"{text} in a table"
            elif POWER.fullmatch(text): yield f"{text} in a table"
        for cell in table.find_all("td"):
            if is_ours(table) and re.fullmatch(r"[-−]?\d[\d,]*\.?\d*", said(cell)) and len(set(map(len, body))) == 1:
                column = [row[[id(c) for c in rows_cells].index(id(cell))] for rows_cells in [cell.parent.find_all(["th", "td"], recursive=False)] for row in body]
                if all(NUMBER.fullmatch(said(c)) for c in column) and "number" not in cell.get("class", []):
                    yield f"{said(cell)} does not stand on the right"
                    break
