"""The index of the site's search: titles, headings, prose and synonyms, and no code.

    python tools/search_index.py [prepared pages [search.json]]

Quarto's own index holds every line of code, so that a name finds the import lines of twenty pages before its own. This one is written over it, in
the same form, from the prepared pages and from `nbs/synonyms.yml`; `misses` asks it with Fuse, the program of Quarto's pages, and with Quarto's settings. A phrase that readers type is an entry by itself, because the
search wants a phrase as it stands.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import check_pages
import layout
import yaml

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 500  # characters of prose in an entry
FENCE = re.compile(r"^([> \t]*)(```+|~~~+).*?^\1\2[ \t]*$", re.M | re.S)
ELSEWHERE = {"See also", "What the result can do"}  # sections of a name's page that tell of other names
LIVE = re.compile(r"^::: \{\.(?:live|hero)\}.*?^:::$", re.M | re.S)  # buttons, the same on every page

FUSE = "fuse.js@6.6.2"
SEARCH = """
const Fuse = require(process.argv[1]), fs = require("fs"), told = JSON.parse(fs.readFileSync(0, "utf8"));
const fuse = new Fuse(told.index, { keys: [{ name: "title", weight: 20 }, { name: "section", weight: 20 }, { name: "text", weight: 10 }],
                                    ignoreLocation: true, threshold: 0.1, isCaseSensitive: false, shouldSort: true, minMatchCharLength: 2 });
console.log(JSON.stringify(told.words.map(w => fuse.search(w, { limit: 20 }).map(r => r.item.href))));
"""
WORDS = {  # what readers type, and the page that must come first
    "exact_cost": "api/exact_cost", "exact_auc": "api/exact_auc", "compare roc curves": "api/exact_auc_difference", "compare two ROC curves": "api/exact_auc_difference",
    "mcnemar": "api/exact_cost_difference", "delong": "api/exact_auc_difference", "sample size": "api/plan_size", "decision curve": "api/exact_net_benefit", "net benefit": "api/exact_net_benefit",
    "precision": "api/exact_measure", "f1": "api/exact_measure", "kappa": "api/exact_measure", "auroc": "api/exact_auc", "holm": "api/compare_costs", "top k": "api/exact_rates_at_budget",
    "cross-validation": "api/assess", "youden": "api/optimal_thresholds", "clustered data": "laws/clusters", "confidence band": "laws/bands", "which interval": "coverages/which_interval", "PR curve": "laws/precision_recall",
    "load_uci": "api/load_uci", "plan": "api/plan_size", "partial auc": "laws/partial_auc", "cost curve": "curves/cost", "unpaired": "api/independent_difference", "prevalence": "glossary", "calibrated scores": "laws/calibration", "expense": "api/exact_expense", "law.interval": "api/Law"}


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
            if heading and text and heading not in ELSEWHERE: found.append(entry(check_pages.heading_id(heading), prose(heading), text))
        for phrase in (synonyms or {}).get(name.as_posix(), []):
            found.append(entry("", str(phrase), prose(about)) | {"objectID": f"{href}#{phrase}"})
    unknown = set(synonyms or {}) - {p.relative_to(folder).as_posix() for p in folder.rglob("*.ipynb")}
    if unknown: raise ValueError(f"`synonyms` must name pages; got {', '.join(sorted(unknown))}.")
    return found


def fuse(): return layout.package(FUSE, "dist/fuse.common.js")


def search(index, words):
    "The pages that the search of the site finds for each word, the best one first; needs node, and npm once."
    done = subprocess.run([shutil.which("node"), "-e", SEARCH, str(fuse())], input=json.dumps(dict(index=index, words=list(words))), text=True, capture_output=True, check=True)
    return dict(zip(words, json.loads(done.stdout)))


def misses(index, words=None):
    "The words that do not find their page first, one line for each."
    words = WORDS if words is None else words
    for word, found in search(index, words).items():
        if not found or found[0].split(".html")[0] != words[word]: yield f"the search for {word!r} finds {found[:3]} instead of {words[word]}"


def read_synonyms(root=ROOT): return yaml.safe_load((root / "nbs" / "synonyms.yml").read_text(encoding="utf8"))


def write(folder, out, root=ROOT):
    "Write the index."
    out.write_text(json.dumps(entries(folder, read_synonyms(root)), ensure_ascii=False), encoding="utf8")
    return out


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if sys.argv[1:] else ROOT / "_proc"
    print(write(folder, Path(sys.argv[2]) if sys.argv[2:] else ROOT / "_docs" / "search.json").stat().st_size, "bytes")
