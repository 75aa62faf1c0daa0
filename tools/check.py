"""What `make test` runs, one step after the other: every step runs, whatever the earlier ones said.

    python tools/check.py [--only STEP ...] [pytest arguments]

The steps: `sync` (export and clean; names the files that this changed), `lint`, `readme`, `notebooks` (nbdev_test) and
`pytest`. With the environment variable SLOW=1 the cells and tests marked slow run too.
"""

import hashlib
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent  # not resolved: in an environment the interpreter is a link
SLOW = os.environ.get("SLOW", "").lower() not in ("", "0", "no", "false")
GENERATED = re.compile(r"File to edit: (\S.*\.ipynb)\.")


def run(*command):
    "Whether a command succeeded; its output goes straight to the screen."
    sys.stdout.flush()
    env = {k: v for k, v in os.environ.items() if k != "IN_TEST"}  # nbdev_export does nothing where IN_TEST is set
    env.setdefault("NUMBA_CACHE_DIR", str(ROOT / ".venv" / "numba" / kernel_version()))
    return subprocess.run([str(c) for c in command], cwd=ROOT, env=env, check=False).returncode == 0


def kernel_version(root=ROOT):
    "A digest of the compiled modules: numba does not notice when a kernel that another one calls has changed."
    sources = sorted((root / "costboot").glob("*kernels.py"))
    return hashlib.sha256(b"".join(p.read_bytes() for p in sources)).hexdigest()[:16]


def fingerprints(root=ROOT):
    "A digest of every file that export or clean may write."
    files = [p for d in ("nbs", "costboot") for p in (root / d).rglob("*") if p.suffix in (".ipynb", ".py")]
    files += [p for p in root.iterdir() if p.suffix in (".ini", ".toml", ".py", ".md")]
    skipped = {"__pycache__", ".ipynb_checkpoints"}
    return {p.relative_to(root).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest()
            for p in files if p.is_file() and not skipped & set(p.parts)}


def orphans(root=ROOT):
    "Modules whose notebook is gone: nbdev_export leaves them behind."
    for path in sorted((root / "costboot").rglob("*.py")):
        if (m := GENERATED.search(path.read_text(encoding="utf8")[:1000])) and not (path.parent / m[1]).exists():
            yield f"{path.relative_to(root).as_posix()}: its notebook {m[1]} does not exist; delete the module"


def sync(*_):
    "Export and clean, and compare the tree with what it was before."
    before = fingerprints()
    if not (run(BIN / "nbdev_export") and run(BIN / "nbdev_clean")): return False
    after = fingerprints()
    changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    for name in changed: print(f"{name}: changed by export or clean; it is up to date now, commit it with its notebook")
    lost = list(orphans())
    for line in lost: print(line)
    if not changed and not lost: print("export and clean changed nothing")
    return not changed and not lost


def lint(*_): return run(sys.executable, "tools/lint.py")


def readme(*_): return run(sys.executable, "tools/readme.py", "--check")


def notebooks(*_):
    if not SLOW: print("cells marked slow are skipped (SLOW=1 runs them)")
    return run(BIN / "nbdev_test", "--do_print", "--timing", *(("--flags", "slow") if SLOW else ()))


def pytest(*arguments): return run(sys.executable, "-m", "pytest", "tests", "-ra", *arguments)


STEPS = {f.__name__: f for f in (sync, lint, readme, notebooks, pytest)}


def main(argv):
    "Run the steps, then say which failed."
    wanted = []
    while argv and argv[0] == "--only":
        if len(argv) < 2 or argv[1] not in STEPS: sys.exit(f"--only takes one of {', '.join(STEPS)}")
        wanted.append(argv[1])
        argv = argv[2:]
    results = {}
    for name in wanted or STEPS:
        print(f"\n=== {name}", flush=True)
        start = time.perf_counter()
        results[name] = STEPS[name](*argv), time.perf_counter() - start
    print("\n=== summary")
    for name, (good, seconds) in results.items(): print(f"{'passed' if good else 'FAILED'}  {name:<10} {seconds:6.1f} s")
    return int(not all(good for good, _ in results.values()))


if __name__ == "__main__": sys.exit(main(sys.argv[1:]))
