"""Make the package from the notebooks: `make export`.

    python tools/export.py

This is nbdev_export and nbdev_clean with three additions. nbdev writes `__all__` in lines of up to 130 columns; here they have at most 100, as
every exported line. The docstrings get what `help` should show: parameters, results, examples (`docstrings.py`). And the doors of the rooms are made anew
(`doors.py`). A file that comes out as it was keeps its time,
because numba compiles anew what looks newer than its result.
"""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import doors
from docstrings import with_docstrings

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent  # not resolved: in an environment the interpreter is a link
COLUMNS = 100
ALL = re.compile(r"^__all__ = \[(.*?)\]", re.M | re.S)


def narrow(text):
    "The text of a module, its list of public names in lines that fit."
    def wrapped(m):
        names = " ".join(m[1].split())
        return textwrap.fill(f"__all__ = [{names}]", COLUMNS, subsequent_indent=" " * 11, break_long_words=False, break_on_hyphens=False)
    return ALL.sub(wrapped, text, count=1)


def export(root=ROOT):
    "Whether export and clean succeeded."
    modules = root / "costboot"
    before = {p: (s.st_atime_ns, s.st_mtime_ns, p.read_bytes()) for p in modules.rglob("*.py") if (s := p.stat())}
    env = {k: v for k, v in os.environ.items() if k != "IN_TEST"}  # nbdev_export does nothing where IN_TEST is set
    for command in ("nbdev_export", "nbdev_clean"):
        if subprocess.run([BIN / command], cwd=root, env=env, check=False).returncode: return False
    for path in modules.glob("*/*.py"):
        text = path.read_text(encoding="utf8")
        if path.stem[0] != "_" and (new := with_docstrings(path, narrow(text), root)) != text: path.write_text(new, encoding="utf8")
    doors.write(root)
    for path, (seen, changed, text) in before.items():
        if path.is_file() and path.read_bytes() == text: os.utime(path, ns=(seen, changed))
    return True


if __name__ == "__main__": sys.exit(not export())
