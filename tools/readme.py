"""README.md from nbs/index.ipynb, without Quarto.

    python tools/readme.py [--check]

nbdev prepares the page exactly as `nbdev_readme` does (front matter, hidden cells, directives), and this script writes the
Markdown that Quarto would: text filled to 72 columns, typographic quotes, code cells as fenced blocks, their printed
outputs indented by four. It departs from it in two points, because README.md is read on the repository's page: relative
links are made to start at the top of the repository, and names of functions are not linked to the documentation.
`--check` writes nothing and fails when README.md is not what the notebook gives.
"""

import argparse
import base64
import difflib
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WIDTH = 72
ATOM = re.compile(r"(`+)(?:.(?!\1))*.\1|\$[^$\s](?:[^$]*[^$\s])?\$|</?[a-zA-Z!][^<>]*>|\]\([^()]*(?:\([^()]*\)[^()]*)*\)|https?://[^\s)>]+", re.S)
ITEM = re.compile(r"( *)([-*+]|\d+[.)])( +)(?=\S)")
HTML = re.compile(r" {0,3}<(?:!--|/?[a-zA-Z][\w-]*[\s>/])")


# --- text ------------------------------------------------------------------------------------------------------------
def typographic(text):
    "Curly quotes, dashes and dots."
    text = text.replace("---", "—").replace("--", "–").replace("...", "…")
    text = re.sub(r"(^|[\s(\[{—–])([*_]*)\"(?=\S)", r"\1\2“", text).replace('"', "”")
    return re.sub(r"(^|[\s(\[{—–“])([*_]*)'(?=\S)", r"\1\2‘", text).replace("'", "’")


def escaped(text):
    "Characters that are meant as they stand: angle brackets, an asterisk between spaces, brackets without an address."
    text = re.sub(r"(?<!\\)[<>]|(?<= )\*(?= )", r"\\\g<0>", text)
    return re.sub(r"(?<!\\)\[([^\[\]\\]*)\]", r"\[\1\]", text)


def words(text):
    "Text cut where a line may break: not inside code, mathematics or an address."
    text = re.sub(r"\s+", " ", text.strip())
    kept = []
    def hide(m):
        kept.append(m[0])
        return f"\0{len(kept) - 1}\0"
    shown = escaped(typographic(ATOM.sub(hide, text)))
    return [re.sub("\0(\\d+)\0", lambda m: kept[int(m[1])], w) for w in shown.split(" ")]


def fill(text, width):
    "A paragraph in lines that are as long as the width allows."
    lines = []
    for word in words(text):
        if lines and len(lines[-1]) + 1 + len(word) <= width: lines[-1] += f" {word}"
        else: lines.append(word)
    return lines


def table(rows):
    "A pipe table with aligned columns; one that is too wide for that is written without padding."
    def split(row): return [c.strip() for c in re.split(r"(?<!\\)\|", row.strip().strip("|"))]
    head, rule, *body = map(split, rows)
    cells = [[" ".join(words(c)) for c in row] for row in (head, *body)]
    widths = [max(3, *map(len, column)) for column in zip(*cells)]
    if max(map(len, rows)) > WIDTH: widths = [0] * len(head)
    align = [(r[0] == ":") + 2 * (r[-1] == ":") for r in rule]  # 0 none, 1 left, 2 right, 3 centre
    put = [str.ljust, str.ljust, str.rjust, str.center]
    def row(texts): return "| " + " | ".join(put[a](t, w) for t, w, a in zip(texts, widths, align)) + " |"
    def bar(w, a): return (":" if a & 1 else "-") + "-" * max(w, 2) + (":" if a & 2 else "-")
    return [row(cells[0]), "|" + "|".join(map(bar, widths, align)) + "|", *map(row, cells[1:])]


# --- blocks ----------------------------------------------------------------------------------------------------------
def take(lines, test):
    "Lines from the top of the list while they pass."
    taken = []
    while lines and test(lines[0]): taken.append(lines.pop(0))
    return taken


def depth(line): return len(line) - len(line.lstrip())


def items(lines):
    "The items of the list at the top, as (marker, lines of the item), and whether empty lines stand between them."
    head, found, loose = ITEM.match(lines[0]), [], False
    def starts(s): return (m := ITEM.match(s)) and m[1] == head[1] and m[2][-1] == head[2][-1]
    while lines and starts(lines[0]):
        mark, content = ITEM.match(lines[0]), [lines.pop(0)]
        inner = min(mark.end(), len(head[1]) + 2)  # a line this far in belongs to the item
        while lines and not starts(lines[0]):
            after = next((s for s in lines if s.strip()), "")
            if not lines[0].strip() and depth(after) < inner: break
            if lines[0].strip() and depth(lines[0]) < inner and (ITEM.match(lines[0]) or not content[-1].strip()): break
            content.append(lines.pop(0))
        found.append((mark[2], [content[0][mark.end():], *(s[min(mark.end(), depth(s)):] for s in content[1:])]))
        gap = len(take(lines, lambda s: not s.strip()))
        loose = loose or bool(gap and lines and starts(lines[0])) or "" in map(str.strip, content)
    return found, loose


def block(lines, width, nested):
    "Take one block off the top of the list; its lines as Quarto writes them."
    line = lines[0]
    if m := re.match(r" {0,3}(```+|~~~+)\s*\{?\.?([\w+-]*)", line):
        lines.pop(0)
        code = take(lines, lambda s: not s.strip().startswith(m[1]))
        if lines: lines.pop(0)
        return [f"``` {m[2]}", *code, "```"] if m[2] else [f"    {s}" if s else s for s in code]
    if HTML.match(line): return take(lines, str.strip)
    if m := re.match(r"(#{1,6})\s+(.*?)\s*#*(?:\s*\{[^}]*\})?$", line):
        lines.pop(0)
        return [f"{m[1]} {' '.join(words(m[2]))}"]
    if line.lstrip().startswith("$$"):
        math = [lines.pop(0)]
        if math[0].count("$$") < 2: math += take(lines, lambda s: "$$" not in s) + [lines.pop(0)]
        return [re.sub(r"\s*\{#[^}]*\}\s*$", "", s) for s in math]
    if line.startswith(">"):
        quoted = [re.sub(r"^> ?", "", s) for s in take(lines, str.strip)]
        return [f"> {s}".rstrip() for s in markdown(quoted, width - 2)]
    if line.lstrip().startswith("|") and len(lines) > 1 and re.fullmatch(r"[\s|:-]+", lines[1]):
        return table(take(lines, lambda s: s.lstrip().startswith("|")))
    if re.fullmatch(r" {0,3}([-*_])( *\1){2,} *", line):
        lines.pop(0)
        return ["-" * width]
    if ITEM.match(line):
        out, (found, loose) = [], items(lines)
        for i, (mark, content) in enumerate(found):
            lead = "- " if mark in "-*+" else f"{int(found[0][0][:-1]) + i}.".ljust(4)
            inner = markdown(content, width - len(lead), tight=not loose)
            out += ([""] if loose and i else []) + [lead + inner[0]] + [" " * len(lead) + s if s else s for s in inner[1:]]
        return out
    def text(s): return s.strip() and not re.match(r" {0,3}(```|~~~|#{1,6}\s|>)", s) and not (nested and ITEM.match(s))
    return fill("\n".join([lines.pop(0), *take(lines, text)]), width)


def markdown(lines, width=WIDTH, tight=None):
    "Blocks one after the other, an empty line between them; `tight` is for the inside of a list."
    lines, out = list(lines), []
    while lines:
        if not lines[0].strip(): lines.pop(0)
        else:
            near = tight and ITEM.match(lines[0])
            out += ([""] if out and not near else []) + block(lines, width, tight is not None)
    return out


# --- the notebook ----------------------------------------------------------------------------------------------------
def prepared(path):
    "The page as nbdev hands it to Quarto, without links to the documentation."
    from execnb.nbio import read_nb
    from nbdev.processors import FilterDefaults

    class Page(FilterDefaults):
        def base_procs(self): return [p for p in super().base_procs() if p.__name__ != "add_links"]

    nb = read_nb(path)
    Page()(nb)
    return nb


def options(source):
    "Quarto's `#| name: value` lines at the top of a cell, and the rest."
    found, lines = {}, source.splitlines()
    while lines and (m := re.match(r"#\|\s*([\w-]+):\s*(.*?)\s*$", lines[0])):
        found[m[1]] = m[2].strip("\"'").lower()
        lines.pop(0)
    return found, "\n".join(lines).strip("\n")


def output_lines(output, name, files):
    "One output of a cell; pictures are added to `files`."
    data = output.get("data", {})
    def text(x): return "".join(x)
    if output["output_type"] == "stream": shown = text(output["text"])
    elif "image/png" in data:
        files[name] = base64.b64decode(text(data["image/png"]))
        return [f"![]({name})"]
    elif "text/markdown" in data: return markdown(text(data["text/markdown"]).splitlines())
    elif "text/html" in data: return [s for s in text(data["text/html"]).splitlines() if s.strip()]
    else: shown = text(data.get("text/plain", ""))
    return [f"    {s}".rstrip() for s in shown.rstrip("\n").splitlines()]


def code_blocks(cell, number, stem, files):
    "A code cell and what it shows."
    opts, code = options(cell.source)
    if opts.get("include") == "false": return
    if code.strip() and opts.get("echo") != "false": yield ["``` python", *code.splitlines(), "```"]
    if opts.get("output") == "false": return
    for k, output in enumerate(cell.get("outputs", []), 1):
        if lines := output_lines(output, f"{stem}_files/figure-commonmark/cell-{number + 1}-output-{k}.png", files): yield lines


def relink(text, nbs):
    "Relative addresses of files in the notebooks' folder, seen from the top of the repository."
    def there(m):
        target = m[2].split("#")[0].removeprefix("./")
        return f"{m[1]}{nbs.name}/{m[2].removeprefix('./')}" if target and (nbs / target).exists() else m[0]
    return re.sub(r"(\]\(|(?:src|href)=\")(?!\w+:|/|#)([^)\s\"]+)", there, text)


def readme(path):
    "The README as text, and the pictures it needs by their names."
    import yaml

    files, blocks, number = {}, [], 0
    for cell in prepared(path).cells:
        if cell.cell_type == "raw":
            title = yaml.safe_load(cell.source.strip().strip("-")).get("title", "")
            blocks.append([f"# {' '.join(words(title))}", ""])
        elif cell.cell_type == "markdown": blocks.append(relink("\n".join(markdown(cell.source.splitlines())), path.parent).split("\n"))
        else:
            number += 1
            blocks += code_blocks(cell, number, path.stem, files)
    return "\n\n".join("\n".join(b) for b in blocks if any(b)) + "\n", files


def main(argv=None):
    "Write README.md, or compare it."
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only say whether README.md is up to date")
    check = parser.parse_args(argv).check
    os.chdir(ROOT)
    text, files = readme(ROOT / "nbs" / "index.ipynb")
    wanted = {"README.md": text.encode()} | files
    stale = [name for name, data in wanted.items() if not Path(name).is_file() or Path(name).read_bytes() != data]
    if not check:
        for name in stale:
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_bytes(wanted[name])
    elif stale:
        old = Path("README.md").read_text(encoding="utf8") if Path("README.md").is_file() else ""
        sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), text.splitlines(True), "README.md", "nbs/index.ipynb"))
        print(f"{', '.join(stale)}: not what nbs/index.ipynb gives; run `make readme`")
        return 1
    print("README.md: " + ("up to date" if not stale else f"wrote {', '.join(stale)}"))
    return 0


if __name__ == "__main__": sys.exit(main())
