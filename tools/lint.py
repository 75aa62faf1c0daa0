"""Read the notebooks and the committed text, and say what a reviewer would say.

    python tools/lint.py [file ...]

One finding on a line, `file:cell: message` (for a text file `file:line: message`). Errors make the exit status 1:
committed widget state, memory addresses in outputs, notebooks over 400 kB, imports mixed with other code, exported cells over 60 lines.
The rest is advice: it is printed and nothing else happens.
"""

import argparse
import ast
import json
import re
import sys
from html import unescape
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
MAX_BYTES = 400_000
MAX_LINES, LONG_LINES = 60, 40
MAX_CELLS = 80
WIDGET = "application/vnd.jupyter.widget"
SKIPPED = {".git", ".venv", "venv", "_docs", "_draft", "_proc", "build", "dist", "__pycache__", ".ipynb_checkpoints", "node_modules",
           ".pytest_cache", ".hypothesis", ".ruff_cache", ".mypy_cache", ".quarto"}
TEXT = {".py", ".md", ".yml", ".yaml", ".ini", ".cfg", ".toml", ".cff", ".in", ".sh", ".css", ".txt"}

# A folder of somebody's machine, and the address of a package index or an option that names one.
MACHINE_PATH = re.compile(r"(?<![\w.:/~*-])(?:/(?:home|Users|root|tmp|work|mnt)/[\w.-]+|[A-Z]:\\+Users\\+\w+)")
REGISTRY = re.compile(r"https?://[^\s/\"')]*(?:pypi|pythonhosted|artifactory|nexus|registry)[^\s\"')]*|--(?:extra-)?index-url\b")
ADDRESS = re.compile(r"<[^<>\n]* at 0x[0-9a-f]{6,}>|\) at 0x[0-9A-F]{6,}")  # of an object in the memory of one run: no two runs show the same


class Finding(NamedTuple):
    "One remark about one place."
    path: str
    place: int  # number of the cell, or of the line; 0 is the file itself
    message: str
    error: bool = True

    def __str__(self): return f"{self.path}:{self.place}: {'' if self.error else 'advice: '}{self.message}"


def source(cell): return "".join(cell.get("source", ""))


def directives(cell):
    "The names that follow `#|` in a code cell."
    if cell["cell_type"] != "code": return set()
    return set(re.findall(r"^\s*#\s*\|\s*([\w-]+)", source(cell), flags=re.M))


def is_exported(cell): return bool(directives(cell) & {"export", "exporti", "exports"})


def code_lines(cell):
    "Lines of a cell, without directives and without blank lines at the end."
    lines = [s for s in source(cell).rstrip().splitlines() if not re.match(r"\s*#\s*\|", s)]
    return len(lines)


def statements(cell):
    "The cell's syntax tree, with lines of IPython magic left out; None where it is not Python."
    text = source(cell)
    if text.lstrip().startswith("%%"): return None
    text = re.sub(r"^(\s*)[%!].*$", r"\1pass", text, flags=re.M)
    try: return ast.parse(text).body
    except SyntaxError: return None


def mixes_imports(cell):
    """Whether imports share the cell with other code.

    nbdev runs a cell that imports anything while it makes the documentation, without the cells above it. In an exported
    cell an import inside a function is fine: that is how a heavy library is loaded only when it is needed.
    """
    body = statements(cell)
    if not body: return False
    def imports(node): return any(isinstance(n, (ast.Import, ast.ImportFrom)) for n in ast.walk(node))
    defs = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    seen = [not (is_exported(cell) and isinstance(s, defs)) and imports(s) for s in body]
    other = [not isinstance(s, (ast.Import, ast.ImportFrom, ast.Pass)) for s in body]
    return any(seen) and any(other)


def lint_cell(cell, name, number):
    "Findings in one cell of a notebook."
    for output in cell.get("outputs", []):
        if any(mime.startswith(WIDGET) for mime in output.get("data", {})):
            yield Finding(name, number, "the output of a widget is stored; run `make notebooks`")
        if output.get("output_type") == "error":
            yield Finding(name, number, f"the output is an error: {output.get('ename')}", error=False)
        text = "".join(output.get("text", "")) + "".join("".join(v) for k, v in output.get("data", {}).items() if k.startswith("text/"))
        if m := ADDRESS.search(unescape(text)):
            yield Finding(name, number, f"the output shows a memory address: {m[0]}; print something else")
        if m := MACHINE_PATH.search(text):
            yield Finding(name, number, f"the output shows a folder of one machine: {m[0]}")
    if cell["cell_type"] == "code":
        if mixes_imports(cell):
            yield Finding(name, number, "imports and other code share a cell; give the imports a cell of their own")
        lines = code_lines(cell)
        if is_exported(cell) and lines > MAX_LINES:
            yield Finding(name, number, f"an exported cell of {lines} lines; the limit is {MAX_LINES}")
        elif is_exported(cell) and lines > LONG_LINES:
            yield Finding(name, number, f"an exported cell of {lines} lines; {LONG_LINES} is long", error=False)
        if is_exported(cell) and any(isinstance(n, ast.Assert) for s in statements(cell) or () for n in ast.walk(s)):
            yield Finding(name, number, "`assert` in library code; raise an error that says what was given", error=False)
    for rule, what in (MACHINE_PATH, "a folder of one machine"), (REGISTRY, "the address of a package index"):
        if m := rule.search(source(cell)): yield Finding(name, number, f"{what}: {m[0]}", error=False)


def lint_notebook(path, name):
    "Findings in one notebook."
    size = path.stat().st_size
    if size > MAX_BYTES: yield Finding(name, 0, f"{size / 1000:.0f} kB; the limit is {MAX_BYTES // 1000} kB")
    try: nb = json.loads(path.read_text(encoding="utf8"))
    except ValueError as e:
        yield Finding(name, 0, f"not a notebook: {e}")
        return
    if nb.get("metadata", {}).get("widgets"): yield Finding(name, 0, "widget state is stored; run `make notebooks`")
    cells = nb.get("cells", [])
    first = next((source(c) for c in cells if c["cell_type"] == "markdown"), "")
    if not re.search(r"^#\s+\S", first, flags=re.M):
        yield Finding(name, 1, "the first text cell has no title (`# ...`)", error=False)
    if not re.search(r"^>\s+\S", first, flags=re.M):
        yield Finding(name, 1, "the first text cell has no one-line subtitle (`> ...`)", error=False)
    if len(cells) > MAX_CELLS: yield Finding(name, 0, f"{len(cells)} cells; {MAX_CELLS} is a long page", error=False)
    code = sum(c["cell_type"] == "code" for c in cells)
    if 2 * sum(c["cell_type"] == "markdown" for c in cells) < code:
        yield Finding(name, 0, "less than one text cell for two code cells", error=False)
    for i, cell in enumerate(cells, 1): yield from lint_cell(cell, name, i)


def lint_text(path, name):
    "Findings in one text file."
    try: lines = path.read_text(encoding="utf8").splitlines()
    except UnicodeDecodeError: return
    for i, line in enumerate(lines, 1):
        for rule, what in (MACHINE_PATH, "a folder of one machine"), (REGISTRY, "the address of a package index"):
            if m := rule.search(line): yield Finding(name, i, f"{what}: {m[0]}", error=False)


def project_files(root):
    "The files of a project that somebody wrote."
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if any(p in SKIPPED or p.endswith(".egg-info") for p in parts) or not path.is_file() or path.is_symlink(): continue
        if path.suffix == ".ipynb" or path.suffix in TEXT or path.name == "Makefile" or parts[0] == ".ci": yield path


def lint(paths, root=ROOT):
    "All findings, errors first."
    found = []
    for path in map(Path, paths):
        path = path.resolve()
        name = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
        found += lint_notebook(path, name) if path.suffix == ".ipynb" else lint_text(path, name)
    return sorted(found, key=lambda f: (not f.error, f.path, f.place))


def main(argv=None):
    "Print the findings; 1 when there is an error among them."
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", help="files to read (default: the whole project)")
    files = parser.parse_args(argv).files or list(project_files(ROOT))
    found = lint(files)
    for finding in found: print(finding)
    errors = sum(f.error for f in found)
    notebooks = sum(str(f).endswith(".ipynb") for f in files)
    print(f"lint: {notebooks} notebooks, {len(files) - notebooks} other files: {errors} errors, {len(found) - errors} remarks")
    return int(errors > 0)


if __name__ == "__main__": sys.exit(main())
