"""Run the notebooks as tests: a few long-lived processes, each of which runs one page after the other.

    python tools/page_tests.py [--all] [--jobs N] [--limit SECONDS] [notebook ...]

A page is run by nbdev's own `test_nb`, in its folder, in a fresh namespace, with costboot loaded anew; `#| eval: false` and, without SLOW=1, `#| slow` cells are
left out. Loading the libraries once for many pages saves most of the time. Three things differ from `nbdev_test`:

* Pages that changed since they last passed come first, then the slowest (`.venv/pages.json` remembers).
* A cell with compiled functions is not compiled a second time: where the text of an exported cell stands word for word in the
  module it is exported to, the names of that cell are imported from the module instead. Where it does not, the cell runs as it is.
* A figure is drawn once, at the size of the screen.
* A page that passed is not run again as long as nothing has changed that it can see (`seen.py`): its text, its room and those above it, the tools,
  data and settings, the interpreter. Pages that read other pages are always run, and so is every page with `--all`, with SLOW=1, and under continuous integration.

A page that ends or outlasts its process is named, and the pages after it run in a new one.
"""

import argparse
import ast
import contextlib
import io
import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
import time
from functools import cache
from pathlib import Path

from caches import compiled_caches
from run_notebooks import pages
from seen import digest

ROOT = Path(__file__).resolve().parent.parent
KNOWN = ROOT / ".venv" / "pages.json"  # page -> digest of its text when it last passed, seconds
SLOW = os.environ.get("SLOW", "").lower() not in ("", "0", "no", "false")
LIMIT = 3600 if SLOW else 900  # seconds for one page
COMPILERS = {"entry", "compilable", "njit", "jit", "vectorize", "guvectorize", "stencil"}


# --- compiled cells --------------------------------------------------------------------------------------------------
def is_compiled(tree):
    "Whether a syntax tree has a function that is marked for a compiler."
    marks = [mark.func if isinstance(mark, ast.Call) else mark for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) for mark in n.decorator_list]
    return any(getattr(mark, "id", None) in COMPILERS or getattr(mark, "attr", None) in COMPILERS for mark in marks)


def bound_names(tree):
    "The names that the statements of a cell define; None where it does more than define."
    names = []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)): names.append(node.name)
        elif isinstance(node, ast.Assign) and all(isinstance(t, ast.Name) for t in node.targets): names += [t.id for t in node.targets]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value: names.append(node.target.id)
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)): return None
    return names


@cache
def module_text(module, root=ROOT):
    "The text of an exported module; empty where there is none."
    path = root / "costboot" / f"{module.replace('.', '/')}.py"
    return path.read_text(encoding="utf8") if path.is_file() else ""


def instead(source, module, root=ROOT):
    "What to run for an exported cell: an import, if the cell has compiled functions and stands word for word in the module; otherwise the cell."
    text = "\n".join(s for s in source.splitlines() if not re.match(r"\s*#\s*\|", s)).strip()
    if not text or f"\n{text}\n" not in module_text(module, root): return source
    try: tree = ast.parse(text)
    except SyntaxError: return source
    names = bound_names(tree) if is_compiled(tree) else None
    return f"from costboot.{module} import {', '.join(names)}" if names else source


# --- one page, in a worker -------------------------------------------------------------------------------------------
def shell_class(module):
    "nbdev's shell, which imports compiled functions from the given module (None: from nowhere) and draws figures once."
    from execnb.shell import CaptureShell

    class Shell(CaptureShell):
        def __init__(self, path=None):
            super().__init__(path, mpl_format="png")
            self._run("from matplotlib_inline.config import InlineBackend\nInlineBackend.instance(parent=get_ipython()).print_figure_kwargs = {'bbox_inches': None}")
            Shell.latest = self

        def cell(self, cell, **options):
            directives = getattr(cell, "directives_", {}) or {}
            for name in {"export", "exporti", "exports"} & directives.keys():
                if target := (directives[name] or [module])[0]: cell.source = instead(cell.source, target)
            super().cell(cell, **options)

    return Shell


def default_module(path):
    "The module that a page is exported to, or None."
    cells = json.loads(path.read_text(encoding="utf8"))["cells"]
    found = (re.search(r"^#\s*\|\s*default_exp\s+(\S+)", "".join(c["source"]), flags=re.M) for c in cells if c["cell_type"] == "code")
    return next((m[1] for m in found if m), None)


@contextlib.contextmanager
def put_back():
    "Whatever a page may change for the next one, as it was."
    import warnings

    import matplotlib as mpl
    main, path, environ, folder = sys.modules["__main__"], list(sys.path), dict(os.environ), Path.cwd()
    with warnings.catch_warnings(), mpl.rc_context():
        try: yield
        finally:
            sys.modules["__main__"], sys.path[:] = main, path
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environ)


def tidy(shell):
    "Close what a page left open: figures, widgets, processes of joblib, its names. The next page loads costboot anew, since a page may put functions of its own into it."
    import gc

    if shell is not None: shell.reset(new_session=False)
    if "matplotlib.pyplot" in sys.modules: sys.modules["matplotlib.pyplot"].close("all")
    if "ipywidgets" in sys.modules: sys.modules["ipywidgets"].Widget.close_all()
    if "joblib.externals.loky.reusable_executor" in sys.modules:
        if executor := sys.modules["joblib.externals.loky.reusable_executor"]._executor: executor.shutdown(wait=True, kill_workers=True)
    for name in [n for n in sys.modules if n.partition(".")[0] == "costboot"]: del sys.modules[name]
    gc.collect()


def test_page(path):
    "Run one page here: (whether it passed, what it printed)."
    import nbdev.test

    nbdev.test.CaptureShell = shell_class(default_module(path))
    said = io.StringIO()
    with put_back(), contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        passed, _ = nbdev.test.test_nb(path, skip_flags="slow", force_flags="slow" if SLOW else None, basepath=ROOT)
    tidy(getattr(nbdev.test.CaptureShell, "latest", None))
    return passed, said.getvalue()


def worker(answers):
    "Run the pages whose names come on standard input; answers go to a pipe of their own, since a page may print."
    import faulthandler

    faulthandler.enable()
    names = os.fdopen(os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    with os.fdopen(answers, "w") as out:
        for name in iter(names.readline, ""):
            try: answer = test_page(Path(name.strip()))
            except Exception as error: answer = False, f"{type(error).__name__}: {error}"
            print(json.dumps(answer), file=out, flush=True)


# --- the pool --------------------------------------------------------------------------------------------------------
class Worker:
    "A process that runs pages; it is started when the first one comes, and again when it has died."

    def __init__(self, limit): self.process, self.limit = None, limit

    def start(self):
        read, write = os.pipe()
        self.log = tempfile.TemporaryFile("w+")
        env = {k: v for k, v in os.environ.items() if k != "IN_TEST"} | compiled_caches() | {"MPLBACKEND": "agg"}
        counted = ["-m", "coverage", "run"] if os.environ.get("COSTBOOT_COVERAGE") else []
        self.process = subprocess.Popen([sys.executable, *counted, __file__, "--worker", str(write)], stdin=subprocess.PIPE, stdout=self.log, stderr=subprocess.STDOUT,
                                        pass_fds=[write], cwd=ROOT, env=env, text=True)
        os.close(write)
        self.answers = os.fdopen(read)

    def run(self, path):
        "Whether a page passed, and what it said."
        if self.process is None: self.start()
        late = threading.Timer(self.limit, self.process.kill)
        late.start()
        try:
            print(path, file=self.process.stdin, flush=True)
            line = self.answers.readline()
        finally: late.cancel()
        if line: return json.loads(line)
        return False, f"{path.name} {self.last_words()}"

    def last_words(self):
        "How the process ended; the next page gets a new one."
        code = self.stop()
        self.log.seek(0)
        reason = f"ran for more than {self.limit} seconds" if code == -9 else f"ended its process with status {code}"
        return f"{reason}\n{self.log.read()[-5000:]}"

    def stop(self):
        "End the process: its status."
        if self.process is None: return 0
        self.process.stdin.close()
        code, self.process = self.process.wait(), None
        self.answers.close()
        return code


def reads_others(path): return path.parent.name in ("nbs", "explorers")  # the lists of pages, of names, of explorers


def unchanged(path, known): return not reads_others(path) and known.get(name_of(path), (None,))[0] == digest(path)


def remembered(): return json.loads(KNOWN.read_text(encoding="utf8")) if KNOWN.is_file() else {}


def in_order(paths, known):
    "Changed pages first, then the slowest; a page never seen is guessed by its length."
    def key(path):
        old, seconds = known.get(name_of(path), (None, None))
        return old == digest(path), -(seconds or path.stat().st_size / 1e4)
    return sorted(paths, key=key)


def name_of(path): return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)


def run_pages(paths, jobs, limit=LIMIT):
    "Run the pages in `jobs` processes; yields (page, passed, seconds, what it said) as they end."
    todo, done = queue.SimpleQueue(), queue.SimpleQueue()
    for path in paths: todo.put(path)

    def serve():
        own = Worker(limit)
        with contextlib.suppress(queue.Empty):
            while True:
                path, start = todo.get_nowait(), time.perf_counter()
                try: answer = own.run(path)
                except Exception as error: answer = False, f"{type(error).__name__}: {error}"
                done.put((path, answer[0], time.perf_counter() - start, answer[1]))
        own.stop()

    threads = [threading.Thread(target=serve, daemon=True) for _ in range(min(jobs, len(paths)))]
    for thread in threads: thread.start()
    for _ in paths: yield done.get()
    for thread in threads: thread.join()


def main(argv=None):
    "Run them; 1 when one failed."
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", type=Path, help="notebooks to run (default: all)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many processes (default: %(default)s)")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for one page (default: %(default)s)")
    parser.add_argument("--all", action="store_true", help="run the pages that passed and have not changed, too")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args(argv)
    if given.worker is not None: return worker(given.worker)
    known, failed = remembered(), []
    everything = given.all or given.notebooks or SLOW or os.environ.get("CI") or os.environ.get("COSTBOOT_COVERAGE")
    paths = [p.resolve() for p in given.notebooks] or pages()
    old = [] if everything else [p for p in paths if unchanged(p, known)]
    if old: print(f"{len(old)} pages passed before and nothing that they can see has changed (`make test ALL=1` runs them)")
    paths = in_order([p for p in paths if p not in old], known)
    for path, passed, seconds, said in run_pages(paths, given.jobs, given.limit):
        print(f"{'passed' if passed else 'FAILED'} {seconds:6.1f} s  {name_of(path)}", flush=True)
        if not passed: failed.append((path, said))
        known[name_of(path)] = digest(path) if passed else None, round(seconds, 1)
    for path, said in failed: print(f"\n--- {name_of(path)}\n{said}")
    KNOWN.parent.mkdir(exist_ok=True)
    KNOWN.write_text(json.dumps(known, indent=0, sort_keys=True), encoding="utf8")
    print(f"{len(paths)} pages run, {len(failed)} failed")
    return int(bool(failed))


if __name__ == "__main__": sys.exit(main())
