"""Make the sealed copy of the derivation problems that the package ships.

    python tools/seal_problems.py [--check]

The file that a person edits is `tests/teaching/derivations.toml`; the package has `costboot/teaching/problems.json`, in which goals, solutions and
wrong answers cannot be read by accident. With `--check` nothing is written and a stale copy is named.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from costboot.teaching.derivation_problems import seal_problems

ROOT = Path(__file__).resolve().parent.parent
SOURCE, TARGET = ROOT / "tests" / "teaching" / "derivations.toml", ROOT / "costboot" / "teaching" / "problems.json"


def main(argv=None):
    "Exit status: 1 where the copy is stale and was only to be looked at."
    parser = argparse.ArgumentParser(description="Seal the derivation problems.")
    parser.add_argument("--check", action="store_true", help="write nothing, and say whether the copy is stale")
    if not parser.parse_args(argv).check:
        seal_problems(SOURCE, TARGET)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder) / "problems.json"
        seal_problems(SOURCE, fresh)
        same = TARGET.is_file() and fresh.read_bytes() == TARGET.read_bytes()
    if not same: print(f"{TARGET.relative_to(ROOT)} is stale; run: python tools/seal_problems.py")
    return int(not same)


if __name__ == "__main__": sys.exit(main())
