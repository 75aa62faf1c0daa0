"""Run notebooks as the Python in a browser would: no compiler, no threads, no processes, and without the modules that Pyodide leaves out.

    python tools/lite_run.py notebook [--move]

Needs IPython and what the notebook needs, nothing of this repository: `lite_versions.py` calls it in an environment of its own. Says how long the notebook took and
which of its cells failed, as one line of JSON. With `--move` every control of an explorer is moved to its ends.
"""

import contextlib
import io
import json
import os
import sys
import time
from pathlib import Path

# What Pyodide 314 leaves out of the standard library (asked for there; tests/project/test_lite.py asks again), and the compiler, which it does not have.
ABSENT = {"curses", "dbm", "ensurepip", "grp", "idlelib", "pwd", "pydoc_data", "readline", "resource", "syslog", "tkinter", "turtle", "turtledemo", "venv"}
LACKING = {"hashlib": ["pbkdf2_hmac", "scrypt"], "os": ["link"], "time": ["thread_time"]}  # names that its modules lack: there is no OpenSSL, no thread, and a file has one name
COMPILER = {"numba", "llvmlite"}
INSTALL = "%pip "  # the first cell of a notebook of the live site; here all is installed


class Missing:
    "Refuses to find what a browser does not have."
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ABSENT | COMPILER: raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def refuse(error):
    "A function that fails as it does in Pyodide."
    def refused(*args, **kwargs): raise error
    return refused


def like_a_browser():
    "Take away what a browser does not have; what is loaded already is forgotten."
    import subprocess
    import threading
    from importlib import import_module

    for name in [n for n in sys.modules if n.partition(".")[0] in ABSENT | COMPILER]: del sys.modules[name]
    for module, names in LACKING.items():
        for name in names:
            if hasattr(import_module(module), name): delattr(import_module(module), name)
    sys.meta_path.insert(0, Missing())
    threading.Thread.start = refuse(RuntimeError("can't start new thread"))
    subprocess.Popen.__init__ = refuse(OSError(138, "emscripten does not support processes."))
    subprocess.Popen.__del__ = lambda self: None
    os.fork = refuse(OSError(52, "Function not implemented"))
    os.cpu_count = lambda: 1


def shell():
    "An interactive shell without a history, which would need a thread."
    from IPython.core.history import HistoryManager
    from IPython.core.interactiveshell import InteractiveShell

    HistoryManager.enabled = False
    return InteractiveShell.instance()


def moved(shown):
    "What goes wrong when every control of an explorer is moved to its ends; a widget swallows errors of its own accord."
    if not hasattr(shown, "kwargs_widgets"): return None
    from costboot.explorers import check_explorer

    try: check_explorer(shown)
    except Exception as error: return repr(error)
    return None


def run(path, move=False):
    "Seconds, the number of cells, and what failed: (number of the cell, error)."
    session, wrong, count, start = shell(), [], 0, time.perf_counter()
    for i, cell in enumerate(json.loads(path.read_text(encoding="utf8"))["cells"], 1):
        text = "".join(cell["source"])
        if cell["cell_type"] != "code" or text.startswith(INSTALL): continue
        count += 1
        with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(said): done = session.run_cell(text)
        if not done.success: wrong.append((i, repr(done.error_before_exec or done.error_in_exec)))
        elif move and (told := moved(done.result)): wrong.append((i, told))
    return dict(seconds=round(time.perf_counter() - start, 1), cells=count, wrong=wrong)


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    like_a_browser()
    print(json.dumps(run(Path(sys.argv[1]), "--move" in sys.argv[2:])))
