"""Make the sealed copy of the exercises that the package ships, from the file with the solutions.

    python tools/seal_exercises.py [--check]

The file that a person edits is `tests/teaching/exercises.toml`. Every lesson is run, without its drawings; the answers are computed with its
variables and written to `costboot/teaching/exercises.json`, sealed. With `--check` nothing is written and a stale copy is named.
"""

import argparse
import ast
import json
import os
import re
import sys
import tomllib
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "Agg")

import numpy as np

from costboot.core.long_work import whole_file
from costboot.teaching.exercises import exercise_record, seal_answer

ROOT = Path(__file__).resolve().parent.parent
SOURCE, TARGET = ROOT / "tests" / "teaching" / "exercises.toml", ROOT / "costboot" / "teaching" / "exercises.json"
DRAWING = re.compile(r"(?:#\|.*\n)*cb\.(?:\w+\.)?(explore|fig)_\w+\(.*\)\s*$")
MARKED = re.compile(r'check_answer\(\s*"([\w-]+)"')


def read_lessons(path=SOURCE):
    "lesson -> (helpers, name -> entry)."
    lessons = tomllib.loads(path.read_text(encoding="utf8"))
    return {lesson: (part.pop("helpers", ""), part) for lesson, part in lessons.items()}


def lesson_page(lesson, root=ROOT):
    "The notebook of a lesson, whatever its number."
    [page] = [p for p in (root / "nbs" / "tutorials").glob("*.ipynb") if re.sub(r"^\d+_", "", p.stem) == lesson]
    return page


def cells(page, kind):
    "The texts of a notebook's cells."
    made = json.loads(page.read_text(encoding="utf8"))["cells"]
    return ["".join(c["source"]) for c in made if c["cell_type"] == kind]


def run_lesson(page, helpers="", marked=True):
    "The variables of a lesson that was run from top to bottom without its explorers, and what its exercises said (unless `marked` is false)."
    import matplotlib.pyplot as plt
    space, said = {}, {}
    for text in cells(page, "code"):
        if DRAWING.match(text) or (not marked and MARKED.search(text)): continue
        body = ast.parse(text).body
        last = body.pop() if isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), page.stem, "exec"), space)
        value = eval(compile(ast.Expression(last.value), page.stem, "eval"), space) if last else None
        if name := MARKED.search(text): said[name[1]] = value
        plt.close("all")
    exec(helpers, space)
    return space, said


def shown(value, decimals):
    "An answer as it stands in a reason."
    if isinstance(value, str): return value
    parts = [f"{float(x):.{decimals}f}" for x in (value if isinstance(value, (tuple, list)) else [value])]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def shown_any(value, decimals):
    "A right or wrong answer as it stands in a list, whatever a law returned."
    return shown(value if isinstance(value, str) else [float(x) for x in np.ravel(value)], decimals)


def reason(entry, space):
    "The sentence that says why an answer is right, with its numbers."
    value = eval(entry["answer"], space)
    decimals = entry.get("decimals", 3) if entry.get("kind", "number") == "number" else 0
    return eval(compile("f" + repr(entry["why"]), "why", "eval"), space | {"answer": shown(value, decimals)})


def sealed(name, entry, space):
    "An exercise as an entry of the file that the package ships."
    options = {key: entry[key] for key in ("kind", "decimals", "choices", "hints") if key in entry}
    traps = [(eval(wrong, space), remark) for wrong, remark in entry.get("traps", ())]
    return exercise_record(seal_answer(name, eval(entry["answer"], space), traps=traps, why=reason(entry, space), **options))


def main(argv=None):
    "Exit status: 1 where the copy is stale and was only to be looked at."
    parser = argparse.ArgumentParser(description="Seal the exercises.")
    parser.add_argument("--check", action="store_true", help="write nothing, and say whether the copy is stale")
    check, made = parser.parse_args(argv).check, {}
    for lesson, (helpers, entries) in read_lessons().items():
        with redirect_stdout(StringIO()): space, _ = run_lesson(lesson_page(lesson), helpers, marked=False)
        made[lesson] = {name: sealed(name, entry, space) for name, entry in entries.items()}
    text = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
    same = TARGET.is_file() and TARGET.read_text(encoding="utf8") == text
    if check and not same: print(f"{TARGET.relative_to(ROOT)} is stale; run: python tools/seal_exercises.py")
    if not check:
        with whole_file(TARGET) as file: file.write(text)
    return int(check and not same)


if __name__ == "__main__": sys.exit(main())
