"""What a page or a test file can see, as a digest: what passed need not run again until that changes.

A room imports only rooms above it (`tests/project/test_house.py` watches over that). So a page or a test of the room `laws` cannot notice a change in
`reporting`, unless it names something from there; the names are read from its source. A file that starts processes, looks into folders, hands the package
itself to somebody, or belongs to no room can see everything.
"""

import ast
import hashlib
import json
import os
import re
import shutil
import sys
from functools import cache
from pathlib import Path

from doors import ROOMS

ROOT = Path(__file__).resolve().parent.parent
ORDER = list(ROOMS)
PACKAGE = "costboot", "cb"  # the names under which a file has the package
WIDE = {"subprocess", "multiprocessing", "importlib", "import_module", "__import__", "__file__", "executable", "glob", "rglob", "iterdir", "eval", "exec",
        "root", "ROOT", "project_copy", "trial"}  # whoever uses one of these may look anywhere
ELSEWHERE = re.compile(r"\.\./|(nbs|tools|tests|benchmarks|costboot)(/|$)")  # how the name of a file in another folder begins
FOLDERS = "costboot", "nbs", "tools", "tests", "benchmarks", "binder", "examples", ".ci", ".github"
UNSEEN = {"__pycache__", ".ipynb_checkpoints", "static"}


# --- what a source names -----------------------------------------------------------------------------------------------
@cache
def places(root=ROOT):
    "Every name of the front door and of the rooms' doors -> the number of its room."
    found = {room: i for i, room in enumerate(ORDER)}
    for stub in (root / "costboot" / "__init__.pyi", *(root / "costboot" / room / "__init__.pyi" for room in ORDER)):
        if not stub.is_file(): continue
        for line in ast.parse(stub.read_text(encoding="utf8")).body:
            if not isinstance(line, ast.ImportFrom) or not line.module: continue
            room = stub.parent.name if stub.parent.name in ROOMS else line.module.partition(".")[0]
            if room in ROOMS: found |= {a.asname or a.name: ORDER.index(room) for a in line.names if (a.asname or a.name) not in found}
    return found


def source_of(path):
    "The Python of a file: a module's text, or the code cells of a notebook without the lines meant for IPython."
    text = path.read_text(encoding="utf8")
    if path.suffix != ".ipynb": return text
    cells = ("".join(c["source"]) for c in json.loads(text)["cells"] if c["cell_type"] == "code")
    return "\n".join(line for cell in cells for line in cell.splitlines() if not re.match(r"\s*[%!]", line))


def deepest(source, room, root=ROOT):
    "The number of the lowest room that a source in the given room can see; None where it can see everything."
    try: tree = ast.parse(source)
    except SyntaxError: return None
    if room not in ROOMS: return None
    lowest, known, tools = ORDER.index(room), places(root), {p.stem for p in (root / "tools").glob("*.py")}
    named, attributes = [], set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            if node.attr in WIDE: return None
            if isinstance(node.value, ast.Name) and node.value.id in PACKAGE:
                named.append(node.attr)
                attributes.add(id(node.value))
        elif isinstance(node, ast.arg) and node.arg in WIDE: return None
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and ELSEWHERE.match(node.value): return None
        elif isinstance(node, ast.Import): modules = [a.name for a in node.names]
        elif isinstance(node, ast.ImportFrom): modules = [node.module or ""]
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            if any(part in WIDE for m in modules for part in m.split(".")) or any(m.partition(".")[0] in tools for m in modules): return None
            named += [m.split(".")[1] for m in modules if m.startswith("costboot.")]
            if isinstance(node, ast.ImportFrom):
                if any(a.name in WIDE for a in node.names): return None
                if node.module == "costboot": named += [a.name for a in node.names]
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            if node.id in WIDE: return None
            if node.id in PACKAGE and id(node) not in attributes: return None  # the package itself goes somewhere
    public = [name for name in named if not name.startswith("__")]
    if any(name not in known for name in public): return None
    return max([lowest, *(known[name] for name in public)])


# --- digests -------------------------------------------------------------------------------------------------------------
@cache
def files_in(folder, notebooks, root=ROOT):
    "A digest of all files in a folder; `notebooks` says whether those count."
    found = hashlib.sha256()
    for path in [folder] if folder.is_file() else sorted(folder.rglob("*")):
        if not path.is_file() or UNSEEN & set(path.parts) or path.name == "_modidx.py" or (path.suffix == ".ipynb" and not notebooks): continue
        found.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


@cache
def machine():
    "What every file can see: the interpreter, the settings of the run, the data, the browser."
    slow = os.environ.get("SLOW", "").lower() not in ("", "0", "no", "false")
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    return f"{sys.version} {slow} {os.environ.get('COSTBOOT_DATA')} {os.environ.get('COSTBOOT_COMPILE')} {browser} {shutil.which('quarto')}"


def surroundings(path, notebooks, root=ROOT):
    "A digest of everything that a page or test file can see besides its own text; `notebooks`: whether it may read pages, as tests do."
    lowest = deepest(source_of(path), path.parent.name, root)
    parts = [root / name for name in ("settings.ini", "_quarto.yml", "constraints.txt", "CITATION.cff") if (root / name).is_file()]
    if lowest is None:
        parts += [root / name for name in FOLDERS if (root / name).is_dir()]
        if notebooks: parts += sorted(p for p in root.glob("*") if p.is_file())
    else:
        parts += sorted((root / "costboot").glob("__init__.py*"))
        parts += [p for room in ORDER[: lowest + 1] for p in (root / "costboot" / room, root / "nbs" / room) if p.is_dir()]
        if notebooks: parts += sorted(p for folder in (root / "tests", path.parent) for p in folder.glob("*") if p.is_file() and not p.name.startswith("test_"))
        else: parts += [root / name for name in ("tools", "benchmarks") if (root / name).is_dir()]
    digests = (files_in(p, notebooks and lowest is None, root) for p in parts)
    return hashlib.sha256(" ".join([machine(), *digests]).encode()).hexdigest()


def digest(path, notebooks=False, root=ROOT):
    "A digest of a page or test file and of all that it can see."
    return hashlib.sha256(path.read_bytes() + surroundings(path, notebooks, root).encode()).hexdigest()[:16]
