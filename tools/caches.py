"""Where numba keeps what it compiled: one place for each version of the compiled code.

numba does not notice when a function that another one calls has changed, so a place is used for one version of all modules with compiled code only.
Processes that compile at the same time take turns (costboot/numerics/compiled.py).
"""

import hashlib
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMPILES = re.compile(r"^\s*(?:from|import)\s+numba\b|^\s*@(?:\w+\.)*(?:n?jit|entry|compilable|g?u?vectorize|stencil)\b", re.M)


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
    return {"NUMBA_CACHE_DIR": str(place)} | ({"XDG_CACHE_HOME": str(place)} if notebooks else {})
