"""What `make test` runs, one step after the other: every step runs, whatever the earlier ones said.

    python tools/check.py [--only STEP ...] [--coverage] [pytest arguments]

The steps: `sync` (export and clean; names the files that this changed), `lint`, `style` (ruff and mypy), `readme`, `notebooks`
(`page_tests.py`), `pytest` (one process more than cores), and `coverage`, which adds up the lines of the library that the two before it ran.
Pages run as a reader runs them: sums are compiled when that pays. Tests compile them at their first call and keep them on disk, so that time does not decide which form
of a sum a test sees; `tests/numerics/test_two_forms.py` compares the forms. Tracing costs time, so lines are counted with `--coverage` only, or with the environment variable SLOW=1, which also runs the cells and tests
marked slow.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

from caches import compiled_caches
from export import export
from seen import digest

ROOT = Path(__file__).resolve().parent.parent
SLOW = os.environ.get("SLOW", "").lower() not in ("", "0", "no", "false")
JOBS = os.cpu_count() or 1
MEASURED = ROOT / ".venv" / "coverage"  # what was run so far, one file for each process
COUNTED = "COSTBOOT_COVERAGE"  # set where lines are counted: page_tests.py and tests/conftest.py read it
PASSED = ROOT / ".venv" / "tests.json"  # test file -> digest of what it could see when all its tests last passed
REPORT = ROOT / ".venv" / "tests.xml"
GENERATED = re.compile(r"File to edit: (\S.*\.ipynb)\.")


def environment():
    "The environment of every step."
    env = {k: v for k, v in os.environ.items() if k != "IN_TEST"}  # nbdev_export does nothing where IN_TEST is set
    env.setdefault("COSTBOOT_COMPILE", "auto" if COUNTED in os.environ else "always")  # compiled lines cannot be counted
    return env | compiled_caches(notebooks=False)


def run(*command, **extra):
    "Whether a command succeeded; its output goes straight to the screen."
    sys.stdout.flush()
    return subprocess.run([str(c) for c in command], cwd=ROOT, env=environment() | extra, check=False).returncode == 0


def fingerprints(root=ROOT):
    "A digest of every file that export or clean may write."
    files = [p for d in ("nbs", "costboot") for p in (root / d).rglob("*") if p.suffix in (".ipynb", ".py", ".pyi")]
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
    if not export(): return False
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


def notebooks(*_):
    "Every page, as many at a time as there are cores."
    if not SLOW: print("cells marked slow are skipped (SLOW=1 runs them)")
    way = os.environ.get("COSTBOOT_COMPILE", "auto")
    return run(sys.executable, "tools/page_tests.py", "--jobs", JOBS, *(["--all"] if os.environ.get("ALL") else []), COSTBOOT_COMPILE=way)


def outcomes(report):
    "Every test file of a run -> whether all its tests passed or were skipped."
    found = {}
    for case in ET.parse(report).iter("testcase"):
        name = case.get("file") or f"{case.get('classname', '').replace('.', '/')}.py"
        found[name] = found.get(name, True) and case.find("failure") is None and case.find("error") is None
    return found


def remembered(): return json.loads(PASSED.read_text(encoding="utf8")) if PASSED.is_file() else {}


def pytest(*arguments):
    """All tests; a file stays in one process, since its fixtures are costly. One process more than cores: some wait for a browser or for pip.

    A file that passed is not run again until something changes that it can see, unless everything is asked for.
    """
    before = {p.relative_to(ROOT).as_posix(): digest(p, notebooks=True) for p in sorted((ROOT / "tests").rglob("test_*.py"))}
    known, chosen = remembered(), SLOW or arguments or any(map(os.environ.get, ("ALL", "CI", COUNTED)))
    old = [] if chosen else [name for name, seen in before.items() if known.get(name) == seen]
    if old: print(f"{len(old)} of {len(before)} files of tests passed before and nothing that they can see has changed (`make test ALL=1` runs them)")
    if len(old) == len(before): return True
    REPORT.unlink(missing_ok=True)
    good = run(sys.executable, "-m", "pytest", "tests", "-ra", "-n", JOBS + 1, "--dist", "loadfile", "--no-loadscope-reorder",
               f"--junitxml={REPORT}", "-o", "junit_family=xunit1", *(f"--ignore={name}" for name in old), *arguments)
    if not arguments and REPORT.is_file():  # a chosen few tests prove nothing about their files
        known |= {name: before[name] if passed else None for name, passed in outcomes(REPORT).items() if name in before}
        PASSED.write_text(json.dumps(known, indent=0, sort_keys=True), encoding="utf8")
    return good


def coverage(*arguments):
    "Lines that neither the notebooks nor the tests ran; a chosen few tests prove nothing, so then there is no verdict."
    if COUNTED not in os.environ: return not print("lines were not counted (SLOW=1 or --coverage counts them)")
    if arguments: return not print("only some tests were run: no verdict")
    plain = sorted((ROOT / "tests" / "numerics").glob("test_*without_compiler.py"))
    good = run(sys.executable, "-m", "pytest", *plain, "-q", COSTBOOT_COMPILE="never")
    added = run(sys.executable, "-m", "coverage", "combine", "--quiet")
    return run(sys.executable, "-m", "coverage", "report") and good and added


STEPS = {f.__name__: f for f in (sync, lint, style, readme, notebooks, pytest, coverage)}


def main(argv):
    "Run the steps, then say which failed."
    wanted = []
    while argv and argv[0] == "--only":
        if len(argv) < 2 or argv[1] not in STEPS: sys.exit(f"--only takes one of {', '.join(STEPS)}")
        wanted.append(argv[1])
        argv = argv[2:]
    if counted := "--coverage" in argv: argv.remove("--coverage")
    if counted or SLOW: os.environ[COUNTED] = "1"
    if not wanted: shutil.rmtree(MEASURED, ignore_errors=True)
    results = {}
    for name in wanted or STEPS:
        print(f"\n=== {name}", flush=True)
        start = time.perf_counter()
        results[name] = STEPS[name](*argv), time.perf_counter() - start
    print("\n=== summary")
    for name, (good, seconds) in results.items(): print(f"{'passed' if good else 'FAILED'}  {name:<10} {seconds:6.1f} s")
    print(f"        {'in all':<10} {sum(seconds for _, seconds in results.values()):6.1f} s")
    return int(not all(good for good, _ in results.values()))


if __name__ == "__main__": sys.exit(main(sys.argv[1:]))
