"""The live site in a real browser: serve it on this machine, open notebooks in Chromium, run all their cells, and name what failed.

    python tools/lite_smoke.py [folder] [notebook ...]

Pyodide and its libraries come from Pyodide's address, so this needs a network; the docs workflow has one and calls it. The tests use the same server and the same
steps without a network, as far as they go.
"""

import sys
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import layout
import lite

PREFIX = "/costboot/lite"  # where the site lies on its server, as when it is published: not at the top
PATIENCE = 900  # seconds for one notebook; the first brings all libraries
READY = "() => window.jupyterapp?.shell?.currentWidget?.content?.widgets?.length > 0"
KERNEL = "() => window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
RUN = """async () => {
    const panel = window.jupyterapp.shell.currentWidget;
    await window.jupyterapp.commands.execute("notebook:run-all-cells");
    const cells = panel.content.widgets.map((cell, i) => [i + 1, cell.model.toJSON()]).filter(([i, cell]) => cell.cell_type == "code");
    const wrong = cells.flatMap(([i, cell]) => cell.outputs.filter(o => o.output_type == "error").map(o => `cell ${i}: ${o.ename}: ${o.evalue}`));
    return [cells.length, cells.filter(([i, cell]) => cell.execution_count == null).length, wrong];
}"""


class Quiet(SimpleHTTPRequestHandler):
    "Serves a folder below the prefix, and nothing else, without a word."
    def translate_path(self, path):
        inside = path.startswith(f"{PREFIX}/")
        return super().translate_path(path.removeprefix(PREFIX)) if inside else str(Path(self.directory) / "not-here")

    def log_message(self, *args): pass


@contextmanager
def serve(folder):
    "A web server for a folder, on this machine only; gives its address."
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try: yield f"http://127.0.0.1:{server.server_port}{PREFIX}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def open_notebook(page, address, notebook):
    "Open a notebook as the button of its page does, and wait until its cells are there."
    page.goto(f"{address}/lab/index.html?path={notebook}")
    page.wait_for_function(READY)


def run_all(page):
    "Run all cells of the notebook that is open: how many there are, and what failed."
    page.wait_for_function(KERNEL)
    count, left, wrong = page.evaluate(RUN)
    return count, [*wrong, *([f"{left} cells were not run"] if left else [])]


def smoke(folder, notebooks=None):
    "What failed in the notebooks of a site, one line for each."
    found = []
    with serve(folder) as address, layout.chromium() as page:
        page.set_default_timeout(1000 * PATIENCE)
        for notebook in notebooks or [*lite.lessons(), lite.explorer("explore_cost_law"), lite.DESK]:
            open_notebook(page, address, notebook)
            count, wrong = run_all(page)
            print(f"lite: {'FAILED' if wrong else 'passed'}  {count:3} cells  {notebook}", flush=True)
            found += [f"{notebook}: {line}" for line in wrong]
    return found


def main(argv):
    "Try the site, and report."
    found = smoke(Path(argv[0]) if argv else lite.ROOT / "_lite", argv[1:])
    print(*found, f"lite: {len(found) or 'nothing'} failed in the browser", sep="\n")
    return int(bool(found))


if __name__ == "__main__": sys.exit(main(sys.argv[1:]))
