"""Run notebooks from top to bottom in fresh kernels and store what they show.

    python tools/run_notebooks.py [--check] [--jobs N] [notebook ...]

The stored outputs depend only on the notebook and the versions of the libraries: progress bars are off, the outputs of
widgets and widget state are dropped (a page shows a figure instead; of a prediction the folded result is kept), times, counters, memory addresses and the
metadata of pictures are removed. A notebook that fails is left as it was. With `--check` nothing is
written: a page fails where a text that it shows is not the one that is stored. (Pictures are not compared: they change with the fonts.)
"""

import argparse
import base64
import json
import os
import re
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import zip_longest
from multiprocessing import get_context
from pathlib import Path

import figures
from caches import compiled_caches
from lint import MAX_BYTES

ROOT = Path(__file__).resolve().parent.parent
WIDGET = "application/vnd.jupyter.widget"
SKIP = "skip-execution"  # the tag that nbclient looks for
FOLD = "costboot-fold"  # the class of a result that is folded away: nbs/teaching/06_predictions.ipynb
PICTURE = re.compile(r"data:image/png;base64,[\w+/=]+")
TEXTS = "text/plain", "text/html", "text/markdown"
ALIKE = {"TQDM_DISABLE": "1", "PYTHONHASHSEED": "0", "COLUMNS": "100"}  # so that two runs give the same
BACKEND = {"MPLBACKEND": "module://matplotlib_inline.backend_inline"}  # any other one, perhaps from the environment, shows no figures
FIGURES = ["--InlineBackend.figure_formats=retina", f"--IPKernelApp.exec_files={ROOT / 'tools' / 'sharp_figures.py'}"]  # twice the density


def strip_png(data):
    "A PNG without its text and time chunks (the name and version of the program that drew it)."
    if data[:8] != b"\x89PNG\r\n\x1a\n": raise ValueError("not a PNG file")
    out, at = [data[:8]], 8
    while at < len(data):
        size = 12 + int.from_bytes(data[at:at + 4], "big")  # length, type, data, checksum
        if data[at + 4:at + 8] not in (b"tEXt", b"zTXt", b"iTXt", b"tIME"): out.append(data[at:at + size])
        at += size
    return b"".join(out)


def strip_output(output):
    "One output without what changes from run to run; None where nothing should be stored."
    data = output.get("data", {})
    if any(mime.startswith(WIDGET) for mime in data):
        if FOLD not in "".join(data.get("text/html", "")): return None
        for mime in [m for m in data if m.startswith(WIDGET)]: del data[mime]  # a prediction has a form for readers without Python
    if "image/png" in data: data["image/png"] = base64.b64encode(strip_png(base64.b64decode(data["image/png"]))).decode()
    if output.get("output_type") == "stream" and output.get("name") == "stderr":
        output["text"] = re.sub(r"^\S*ipykernel_\d+\S*?(?=:\d+: )", "<cell>", output["text"], flags=re.M)
    return output


def strip(nb):
    "The notebook without widgets and without traces of one particular run."
    nb["metadata"].pop("widgets", None)
    for cell in nb["cells"]:
        if cell["cell_type"] != "code": continue
        cell["execution_count"] = None
        cell["outputs"] = [] if is_reference(cell) else [o for o in map(strip_output, cell["outputs"]) if o is not None]
        for output in cell["outputs"]:
            if "execution_count" in output: output["execution_count"] = None
    return nb


def is_reference(cell): return re.search(r"^#\|\s*exec_doc\s*$", "".join(cell["source"]), flags=re.M)  # made anew with the site


def is_timed(cell): return re.search(r"^#\|\s*timed\s*$", "".join(cell.get("source", "")), flags=re.M)  # it shows seconds, which no two runs share


def is_off(cell): return cell["cell_type"] == "code" and re.search(r"^#\|\s*eval:\s*false\s*$", cell["source"], flags=re.M)


def executed(path):
    "The notebook after it was run, as it would be stored; the cell that failed is in the exception's text."
    import nbformat
    from jupyter_client.asynchronous import AsyncKernelClient
    from nbclient import NotebookClient

    from costboot.explorers.notebook_client import rechecking_client

    AsyncKernelClient.shell_channel_class = rechecking_client().shell_channel_class  # without it a page with widgets may wait for ever: nbs/explorers/02_notebook_client.ipynb
    nb = nbformat.read(path, as_version=4)
    kept = [list(c.get("outputs", [])) if is_off(c) else None for c in nb.cells]
    for cell in nb.cells:
        if is_off(cell): cell.metadata["tags"] = [SKIP]
    client = NotebookClient(nb, timeout=900, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}},
                            record_timing=False, coalesce_streams=True, extra_arguments=["--log-level=ERROR", *FIGURES])
    client.execute(env=os.environ | BACKEND)
    for cell, outputs in zip(nb.cells, kept):
        if outputs is not None:
            cell.outputs = outputs
            del cell.metadata["tags"]
    return strip(nb)


def cleaned(path):
    "The bytes of the notebook after it was run."
    import nbformat
    from nbdev.clean import nbdev_clean

    new = path.with_name(f"_{path.stem}.new.ipynb")
    try:
        nbformat.write(figures.lighter(executed(path), MAX_BYTES - 2000, lambda nb: nbformat.writes(nb).encode()), new)
        nbdev_clean.__wrapped__(fname=str(new))
        return new.read_bytes()
    finally: new.unlink(missing_ok=True)


def run(path):
    "Execute one notebook in place; whether it changed."
    if (new := cleaned(path)) == path.read_bytes(): return False
    path.write_bytes(new)
    return True


def texts(cell):
    "The lines that a code cell shows."
    for output in cell.get("outputs", []):
        for part in output.get("text", ""), *(output.get("data", {}).get(mime, "") for mime in TEXTS):
            yield from PICTURE.sub("(a picture)", "".join(part)).splitlines()


def lacks_data(cell):
    "Does a cell say that it was skipped because its data set is not here? Pages are stored with the data."
    return any(line.startswith("skipped: ") and line.endswith("on this machine") for line in texts(cell))


def differences(old, new):
    "For each cell that shows another text than before: its number and the first lines that differ."
    for number, (was, now) in enumerate(zip(old["cells"], new["cells"]), 1):
        if is_timed(was) or lacks_data(now): continue
        pairs = list(zip_longest(texts(was), texts(now), fillvalue="(nothing)"))
        if first := next((pair for pair in pairs if pair[0] != pair[1]), None):
            yield f"cell {number}: stored {first[0]!r}, now {first[1]!r}"


def ready(env):
    "Prepare a process that runs pages; the one that started it stays as it is."
    os.environ.update(env)
    os.chdir(ROOT)


def treat(path, check):
    "Run one page: (page, whether all is well, what to say, seconds)."
    start = time.perf_counter()
    try:
        if check:
            found = list(differences(json.loads(path.read_text(encoding="utf8")), json.loads(cleaned(path))))
            good, told = not found, "\n".join(["as stored"] if not found else ["STALE", *found])
        else: good, told = True, "outputs changed" if run(path) else "as before"
    except Exception as error: good, told = False, f"FAILED\n{error}"
    return path, good, told, time.perf_counter() - start


def pages(root=ROOT):
    "Every notebook of the book; names that start with _ or . are not pages."
    nbs = root / "nbs"
    return [p for p in sorted(nbs.rglob("*.ipynb")) if not any(s[0] in "_." for s in p.relative_to(nbs).parts)]


def main(argv=None):
    "Run them; 1 when one failed."
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", type=Path, help="notebooks to run (default: all)")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a stored text is not what the page shows")
    parser.add_argument("--jobs", type=int, default=2, help="how many pages at a time, each in a kernel of its own (default: %(default)s)")
    given = parser.parse_args(argv)
    paths = [p.resolve() for p in given.notebooks] or pages()
    if absent := [str(p) for p in paths if not p.is_file()]: parser.error(f"no such notebook: {', '.join(absent)}")
    failed = []
    with ProcessPoolExecutor(min(given.jobs, len(paths)), get_context("spawn"), ready, [compiled_caches() | ALIKE]) as pool:
        for task in as_completed([pool.submit(treat, path, given.check) for path in paths]):
            path, good, told, seconds = task.result()
            print(f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path} ({seconds:.1f} s): {told}", flush=True)
            if not good: failed.append(path)
    if failed: print(f"{'failed or stale' if given.check else 'failed, left as they were'}: {', '.join(p.name for p in failed)}")
    return int(bool(failed))


if __name__ == "__main__": sys.exit(main())
