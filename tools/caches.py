"""Where numba keeps what it compiled: one place for each version of the compiled code, and safe for several processes.

numba does not notice when a kernel that another one calls has changed, so a place is used for one version of all modules with compiled code only.
It also numbers the files of a function without asking who else is writing: two processes that compile into an empty place at once
can store two signatures under one number, and a third process then fails with "unresolved symbol". `startup/sitecustomize.py`, which
every process of a test run loads, makes them take turns.
"""

import hashlib
import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STARTUP = Path(__file__).resolve().parent / "startup"
COMPILES = re.compile(r"^\s*(?:from|import)\s+numba\b|^\s*@(?:\w+\.)*(?:n?jit|compiled|g?u?vectorize|stencil)\b", re.M)


def compiled_modules(root=ROOT):
    "The modules with compiled functions, in whatever folder of the package they are."
    return [p for p in sorted((root / "costboot").rglob("*.py")) if COMPILES.search(p.read_text(encoding="utf8"))]


def kernel_version(root=ROOT):
    "A digest of the compiled modules and their places."
    parts = [part for p in compiled_modules(root) for part in (p.relative_to(root).as_posix().encode(), p.read_bytes())]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def compiled_caches(notebooks=True):
    "The environment variables that name the place; `notebooks` adds that of functions which are compiled in a cell."
    place = ROOT / ".venv" / "numba" / kernel_version()
    place.mkdir(parents=True, exist_ok=True)  # IPython, which keeps that of notebook cells, does not make it
    path = os.pathsep.join(filter(None, [str(STARTUP), os.environ.get("PYTHONPATH", "").removeprefix(f"{STARTUP}{os.pathsep}")]))
    return {"NUMBA_CACHE_DIR": str(place), "PYTHONPATH": path} | ({"XDG_CACHE_HOME": str(place)} if notebooks else {})
