"""What `make test` runs, one step after the other: every step runs, whatever the earlier ones said.

    python tools/check.py [--only STEP ...] [pytest arguments]

The steps: `sync` (export and clean; names the files that this changed), `lint`, `style` (ruff and mypy), `readme`, `notebooks`
(nbdev_test), `pytest`, and `coverage`, which adds up the lines of the library that the two before it ran. With the environment
variable SLOW=1 the cells and tests marked slow run too.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent  # not resolved: in an environment the interpreter is a link
SLOW = os.environ.get("SLOW", "").lower() not in ("", "0", "no", "false")
MEASURED = ROOT / ".venv" / "coverage"  # what was run so far, one file for each process
GENERATED = re.compile(r"File to edit: (\S.*\.ipynb)\.")


def environment():
    "The environment of every step."
    env = {k: v for k, v in os.environ.items() if k != "IN_TEST"}  # nbdev_export does nothing where IN_TEST is set
    return compiled_caches(notebooks=False) | env


def compiled_caches(notebooks=True):
    "Where numba keeps compiled code: one place for each version of the kernels, since it does not notice when a kernel that another one calls has changed."
    place = ROOT / ".venv" / "numba" / kernel_version()
    place.mkdir(parents=True, exist_ok=True)  # IPython, which keeps that of notebook cells, does not make it
    return {"NUMBA_CACHE_DIR": str(place)} | ({"XDG_CACHE_HOME": str(place)} if notebooks else {})


def run(*command, **extra):
    "Whether a command succeeded; its output goes straight to the screen."
    sys.stdout.flush()
    return subprocess.run([str(c) for c in command], cwd=ROOT, env=environment() | extra, check=False).returncode == 0


def measured(*command):
    "The same Python command, its lines counted."
    MEASURED.mkdir(parents=True, exist_ok=True)
    return sys.executable, "-m", "coverage", "run", *command


def kernel_version(root=ROOT):
    "A digest of the compiled modules."
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


def style(*_):
    "Ruff on every Python file, the type checker on the library."
    return all([run(sys.executable, "-m", "ruff", "check", "--quiet", "."), run(sys.executable, "-m", "mypy")])


def readme(*_): return run(sys.executable, "tools/readme.py", "--check")


def test_notebook(path):
    "Run one notebook in a process of its own: (name, whether it passed, seconds, what it printed)."
    start = time.perf_counter()
    command = [*measured(BIN / "nbdev_test"), "--path", path, "--n_workers", "0", *(("--flags", "slow") if SLOW else ())]
    env = environment() | compiled_caches() | {"MPLBACKEND": "agg"}
    done = subprocess.run([str(c) for c in command], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    return path.relative_to(ROOT).as_posix(), done.returncode == 0, time.perf_counter() - start, done.stdout + done.stderr


def notebooks(*_):
    "Every page, two at a time. (nbdev_test's own workers would wait minutes for the idle processes that joblib leaves.)"
    if not SLOW: print("cells marked slow are skipped (SLOW=1 runs them)")
    pages = [p for p in sorted((ROOT / "nbs").rglob("*.ipynb")) if not any(part[0] in "_." for part in p.relative_to(ROOT).parts)]
    good = True
    with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        for name, passed, seconds, text in pool.map(test_notebook, pages):
            print(f"{'passed' if passed else 'FAILED'} {seconds:6.1f} s  {name}", flush=True)
            if not passed: print(text)
            good = good and passed
    return good


def pytest(*arguments):
    "All tests. Those in a browser spend their time waiting for pictures, so they run beside the others and report afterwards."
    if arguments: return run(*measured("-m", "pytest"), "tests", "-ra", *arguments)
    waiting = [f"tests/{name}.py" for name in ("test_browser", "test_static_explorers")]
    command = [str(c) for c in (*measured("-m", "pytest"), *waiting, "-ra")]
    with tempfile.TemporaryFile("w+") as told:
        beside = subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=told, stderr=subprocess.STDOUT, text=True)
        try: good = run(*measured("-m", "pytest"), "tests", "-ra", *(f"--ignore={name}" for name in waiting))
        except BaseException:
            beside.terminate()
            raise
        good = beside.wait() == 0 and good
        told.seek(0)
        print(told.read(), flush=True)
    return good


def coverage(*arguments):
    "Lines that neither the notebooks nor the tests ran; a chosen few tests prove nothing, so then there is no verdict."
    if arguments: return not print("only some tests were run: no verdict")
    plain = run(*measured("-m", "pytest"), "tests/test_plain_kernels.py", "tests/test_plain_paired.py", "-q", NUMBA_DISABLE_JIT="1")
    added = run(sys.executable, "-m", "coverage", "combine", "--quiet")
    return run(sys.executable, "-m", "coverage", "report") and plain and added


STEPS = {f.__name__: f for f in (sync, lint, style, readme, notebooks, pytest, coverage)}


def main(argv):
    "Run the steps, then say which failed."
    wanted = []
    while argv and argv[0] == "--only":
        if len(argv) < 2 or argv[1] not in STEPS: sys.exit(f"--only takes one of {', '.join(STEPS)}")
        wanted.append(argv[1])
        argv = argv[2:]
    results = {}
    if not wanted: shutil.rmtree(MEASURED, ignore_errors=True)
    for name in wanted or STEPS:
        print(f"\n=== {name}", flush=True)
        start = time.perf_counter()
        results[name] = STEPS[name](*argv), time.perf_counter() - start
    print("\n=== summary")
    for name, (good, seconds) in results.items(): print(f"{'passed' if good else 'FAILED'}  {name:<10} {seconds:6.1f} s")
    return int(not all(good for good, _ in results.values()))


if __name__ == "__main__": sys.exit(main(sys.argv[1:]))
