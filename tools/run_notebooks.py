"""Run notebooks from top to bottom in fresh kernels and store what they show.

    python tools/run_notebooks.py [notebook ...]

The stored outputs depend only on the notebook and the versions of the libraries: progress bars are off, the outputs of
widgets and widget state are dropped (a page shows a figure instead), times, counters, memory addresses and the
metadata of pictures are removed. A notebook that fails is left as it was.
"""

import argparse
import base64
import os
import re
import sys
import time
from pathlib import Path

from check import compiled_caches

ROOT = Path(__file__).resolve().parent.parent
WIDGET = "application/vnd.jupyter.widget"
SKIP = "skip-execution"  # the tag that nbclient looks for


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
    if any(mime.startswith(WIDGET) for mime in data): return None
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


def is_off(cell): return cell["cell_type"] == "code" and re.search(r"^#\|\s*eval:\s*false\s*$", cell["source"], flags=re.M)


def run(path):
    "Execute one notebook in place; the cell that failed is in the exception's text."
    import nbformat
    from jupyter_client.asynchronous import AsyncKernelClient
    from nbclient import NotebookClient
    from nbdev.clean import nbdev_clean

    from costboot.explorers.notebook_client import patient_client

    AsyncKernelClient.shell_channel_class = patient_client().shell_channel_class  # without it a page with widgets may wait for ever: nbs/explorers/02_notebook_client.ipynb
    nb = nbformat.read(path, as_version=4)
    kept = [list(c.get("outputs", [])) if is_off(c) else None for c in nb.cells]
    for cell in nb.cells:
        if is_off(cell): cell.metadata["tags"] = [SKIP]
    client = NotebookClient(nb, timeout=900, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}},
                            record_timing=False, coalesce_streams=True, extra_arguments=["--log-level=ERROR"])
    client.execute()
    for cell, outputs in zip(nb.cells, kept):
        if outputs is not None:
            cell.outputs = outputs
            del cell.metadata["tags"]
    new = path.with_name(f"_{path.stem}.new.ipynb")
    try:
        nbformat.write(strip(nb), new)
        nbdev_clean.__wrapped__(fname=str(new))
        if new.read_bytes() == path.read_bytes(): return False
        new.replace(path)
        return True
    finally: new.unlink(missing_ok=True)


def pages(root=ROOT):
    "Every notebook of the book; names that start with _ or . are not pages."
    nbs = root / "nbs"
    return [p for p in sorted(nbs.rglob("*.ipynb")) if not any(s[0] in "_." for s in p.relative_to(nbs).parts)]


def main(argv=None):
    "Run them; 1 when one failed."
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", type=Path, help="notebooks to run (default: all)")
    paths = [p.resolve() for p in parser.parse_args(argv).notebooks] or pages()
    if absent := [str(p) for p in paths if not p.is_file()]: parser.error(f"no such notebook: {', '.join(absent)}")
    os.environ |= compiled_caches() | {"TQDM_DISABLE": "1", "PYTHONHASHSEED": "0", "COLUMNS": "100"}
    os.chdir(ROOT)
    failed = []
    for path in paths:
        print(f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path} ... ", end="", flush=True)
        start = time.perf_counter()
        try: told = "outputs changed" if run(path) else "as before"
        except Exception as e:
            failed.append(path)
            told = f"FAILED\n{e}"
        print(f"{told} ({time.perf_counter() - start:.1f} s)", flush=True)
    if failed: print(f"failed, left as they were: {', '.join(p.name for p in failed)}")
    return int(bool(failed))


if __name__ == "__main__": sys.exit(main())
