"""The index of the site's search: titles, headings, prose and synonyms, and no code.

    python tools/search_index.py [prepared pages [search.json]]

Quarto's own index holds every line of code, so that a name finds the import lines of twenty pages before its own. This one is written over it, in
the same form, from the prepared pages and from `nbs/synonyms.yml`. A phrase that readers type is an entry by itself, because the
search wants a phrase as it stands.
"""

import json
import re
import sys
from pathlib import Path

import check_pages
import yaml

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 500  # characters of prose in an entry
FENCE = re.compile(r"^([> \t]*)(```+|~~~+).*?^\1\2[ \t]*$", re.M | re.S)
LIVE = re.compile(r"^::: \{\.live\}.*?^:::$", re.M | re.S)  # buttons, the same on every page


def prose(text):
    "Markdown as plain text, without code, formulas, tables and marks."
    text = FENCE.sub(" ", text)
    text = re.sub(r"\$\$.*?\$\$(?:\s*\{[^}]*\})?|<!--.*?-->|<[^>]+>", " ", text, flags=re.S)
    text = re.sub(r"^\s*\|[\s|:-]*\|\s*$|^---+$", " ", text, flags=re.M)
    text = re.sub(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)(?:\{[^}]*\})?", r"\1", text)
    text = re.sub(r"-?@(?:eq|fig)-[\w-]+|[`*#>|]|\$|\\", " ", text)
    return " ".join(text.split())


def front(nb, path):
    "Title and description of a page."
    first = nb["cells"][0] if nb["cells"] else {}
    told = yaml.safe_load(check_pages.joined(first.get("source")).strip().strip("-")) if first.get("cell_type") == "raw" else None
    return (told or {}).get("title", path.stem), (told or {}).get("description", "")


def sections(nb):
    "The headings of a page with the prose below each: (heading, text); the first has no heading."
    heading, found = "", []
    for cell in nb["cells"]:
        if cell["cell_type"] != "markdown": continue
        text = LIVE.sub(" ", FENCE.sub(" ", check_pages.joined(cell["source"])))
        for piece in re.split(r"(?=^#{1,6} )", text, flags=re.M):
            if m := check_pages.HEADING.match(piece): heading, piece = m[2], piece[m.end():]
            if found and found[-1][0] == heading: found[-1] = heading, f"{found[-1][1]} {piece}"
            else: found.append((heading, piece))
    return [(h, prose(t)[:LONGEST]) for h, t in found]


def entries(folder, synonyms=None):
    "All entries: pages, their sections, and phrases."
    found = []
    for path in sorted(folder.rglob("*.ipynb")):
        name = path.relative_to(folder)
        if any(s[0] in "_." for s in name.parts): continue
        nb = check_pages.read(path)
        (title, about), href = front(nb, path), (name.parent / check_pages.output_name(nb, path)).as_posix()
        def entry(anchor, section, text, href=href, title=title):
            at = f"{href}#{anchor}" if anchor else href
            return dict(objectID=at, href=at, title=str(title), section=section, text=text, crumbs=[])
        found.append(entry("", "", f"{prose(about)} {next((t for h, t in sections(nb) if t), '')}".strip()[:LONGEST]))
        for heading, text in sections(nb):
            if heading and text: found.append(entry(check_pages.heading_id(heading), prose(heading), text))
        for phrase in (synonyms or {}).get(name.as_posix(), []):
            found.append(entry("", str(phrase), prose(about)) | {"objectID": f"{href}#{phrase}"})
    unknown = set(synonyms or {}) - {p.relative_to(folder).as_posix() for p in folder.rglob("*.ipynb")}
    if unknown: raise ValueError(f"`synonyms` must name pages; got {', '.join(sorted(unknown))}.")
    return found


def read_synonyms(root=ROOT): return yaml.safe_load((root / "nbs" / "synonyms.yml").read_text(encoding="utf8"))


def write(folder, out, root=ROOT):
    "Write the index."
    out.write_text(json.dumps(entries(folder, read_synonyms(root)), ensure_ascii=False), encoding="utf8")
    return out


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if sys.argv[1:] else ROOT / "_proc"
    print(write(folder, Path(sys.argv[2]) if sys.argv[2:] else ROOT / "_docs" / "search.json").stat().st_size, "bytes")
