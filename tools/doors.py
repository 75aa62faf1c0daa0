"""The doors of the package: what `import costboot` and each of its rooms offer, loaded when first used.

    python tools/doors.py [--check]

The front door, `costboot/__init__.pyi`, is written by hand: a name is there when a user would type it. A room offers every
public name of its modules (`#| export` in its notebooks), and `costboot.explorers` every figure, explorer and figure check of the book;
these lists are made here, from the exported modules, so that nothing can be forgotten. The stubs (`*.pyi`) are what type checkers and
editors read, and what lazy_loader reads when the package is imported. With `--check` nothing is written and a stale door is named.
"""

import argparse
import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOMS = {  # in the order of the house: a room imports only rooms above it
    "numerics": "Sums of positive terms, linear forms, order statistics: the numbers under the laws.",
    "core": "What a law is, how bad input is answered, how laws are checked and explored.",
    "data": "Scores whose truth is known, and the real data sets of the papers.",
    "curves": "ROC curves, cost curves, and where two models disagree.",
    "laws": "Exact bootstrap laws: costs, rates, areas, and their differences.",
    "comparisons": "Which classifier is better, and where: ranges, several models, honest thresholds, displays.",
    "coverages": "How often an interval contains the truth, by finite sums and by simulation.",
    "folds": "Operating points averaged over folds.",
    "retrained": "Assessment of rules that must be retrained.",
    "reporting": "From a table of scores to a report.",
    "explorers": "Every figure and every explorer of the book, and the application that serves them.",
    "teaching": "Exercises whose answers cannot be peeked at, and derivations that check themselves.",
    "papers": "The experiments of the papers, run again.",
}
ROOM = '''"""{about}"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
'''
GALLERY = '''"""{about}"""

from importlib import import_module

_PLACES = {{
{places}
}}
_MODULES = {{name: module for module, names in _PLACES.items() for name in names}}
__all__ = sorted(_MODULES)


def __getattr__(name):
    if name not in _MODULES: raise AttributeError(f"No costboot.explorers attribute {{name}}")
    found = getattr(import_module(f"costboot.{{_MODULES[name]}}"), name)
    if not name.startswith("fig_"): return found
    from costboot.core.checks import checked_figure
    drawn = checked_figure(found)
    drawn.__module__ = __name__  # where a worker process finds it again
    return drawn


def __dir__(): return __all__.copy()
'''


def public_names(path):
    "The names of `__all__` in an exported module, sorted."
    for statement in ast.parse(path.read_text(encoding="utf8")).body:
        if isinstance(statement, ast.Assign) and any(getattr(t, "id", "") == "__all__" for t in statement.targets):
            return sorted(ast.literal_eval(statement.value))
    return []


def modules(room, root):
    "The exported modules of a room with their public names."
    found = {p.stem: public_names(p) for p in sorted((root / "costboot" / room).glob("*.py")) if p.stem[0] != "_"}
    return {module: names for module, names in found.items() if names}


def is_shown(name): return name.startswith(("fig_", "explore_", "drag_")) or name in ("check_explorer", "explore")


def listed(module, names):
    "One import of a stub; `x as x` says that a name is offered, not only used."
    return "\n".join([f"from {module} import (", *(f"    {name} as {name}," for name in names), ")"])


def room_door(room, root):
    "Source and stub of one room."
    parts = modules(room, root)
    if room != "explorers":
        stub = "\n".join(listed(f".{module}", [n for n in names if n != "main"]) for module, names in parts.items() if names != ["main"])
        return ROOM.format(about=ROOMS[room]), f"__all__: list[str]\n\n{stub}\n"
    shown = {f"{r}.{module}": [n for n in names if is_shown(n)] for r in ROOMS for module, names in modules(r, root).items()}
    shown = {module: names for module, names in shown.items() if names}
    places = "\n".join(f"    {module!r}: (\n" + "".join(f"        {name!r},\n" for name in names) + "    )," for module, names in shown.items())
    return GALLERY.format(about=ROOMS[room], places=places.replace("'", '"')), "__all__: list[str]\n\n" + "\n".join(listed(f"costboot.{m}", names) for m, names in shown.items()) + "\n"


def doors(root=ROOT):
    "Every generated door: path -> text."
    texts = {}
    for room in ROOMS:
        source, stub = room_door(room, root)
        texts |= {root / "costboot" / room / "__init__.py": source, root / "costboot" / room / "__init__.pyi": stub}
    return texts


def stale(root=ROOT):
    "The doors that are not what the modules offer: path -> text that it should have."
    return {p: text for p, text in doors(root).items() if not p.is_file() or p.read_text(encoding="utf8") != text}


def write(root=ROOT):
    "Write the doors that are stale."
    for path, text in stale(root).items(): path.write_text(text, encoding="utf8")


def main(argv=None):
    "Write the doors, or say which are stale."
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; 1 when a door is stale")
    check, found = parser.parse_args(argv).check, stale()
    for path in found: print(f"{path.relative_to(ROOT).as_posix()}: {'not what the modules offer; run `make export`' if check else 'written'}")
    if not check: write()
    return int(check and bool(found))


if __name__ == "__main__": sys.exit(main())
