"""Figures of the site: sharp on every screen, readable on a telephone.

    python tools/figures.py [--jobs N] [notebook ...]

A figure is sharp when it has two dots for each px in which it is shown. `run_notebooks.py` stores sharp figures; a page that would be too heavy with them, and a page that was stored
before, keeps lighter ones. For the site such pages are run once more, and their sharp figures stand in `.venv/figures/`, by page and source, where `book.py` finds
them. `room(nb)` says how wide a figure must stay on a telephone so that its smallest letters keep `LETTERS` px: it scrolls there by itself, as equations do.
"""

import argparse
import base64
import hashlib
import io
import json
import math
import struct
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STORE = ROOT / ".venv" / "figures"
DENSITY = 2  # dots for each px
COLUMN, PHONE = 800, 356  # px: the widest column of the site, and what a screen of 390 px leaves for it
LETTERS = 9  # px: the smallest letters that one reads on a telephone
UNKNOWN = 100 / 72 * 8  # px: letters of 8 points at 100 dots per inch, where nothing else is told
STEP = 50  # px: widths on a telephone are rounded up to it; nbs/styles.css has a class for each
MIME = "image/png"


def pictures(nb):
    "The pictures of a notebook that are pixels: (number of the cell, output)."
    for i, cell in enumerate(nb["cells"], 1):
        yield from ((i, output) for output in cell.get("outputs", []) if MIME in output.get("data", {}))


def size(data):
    "Width and height of a PNG file, in dots."
    return struct.unpack(">II", data[16:24])


def decoded(output): return base64.b64decode("".join(output["data"][MIME]))


def shown(output):
    "What is told about a picture: the width in which it is shown, and the height of its smallest letters there, in px."
    told = output.get("metadata", {}).get(MIME, {})
    return told.get("width", size(decoded(output))[0]), told.get("smallest", UNKNOWN)


def blunt(nb):
    "The cells whose pictures have less than two dots for a px of the column: (number, dots, px)."
    for i, output in pictures(nb):
        dots, px = size(decoded(output))[0], min(shown(output)[0], COLUMN)
        if dots < DENSITY * px - 2: yield i, dots, px


def room(cell):
    "The px that the figures of a cell need on a telephone; 0 where they fit."
    needs = [width * LETTERS / letters for _, output in pictures(dict(cells=[cell])) for width, letters in [shown(output)] if width * LETTERS / letters > PHONE]
    return math.ceil(max(needs, default=0) / STEP) * STEP


def few_colours(image, count=32):
    "A picture in few colours; thin lines keep theirs, which a palette by the number of dots would mix with the grey of the letters, and white stays white."
    from PIL import Image

    found = image.quantize(count, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    colours = [found.getpalette()[i:i + 3] for i in range(0, 3 * count, 3)]
    found.putpalette([value for colour in colours for value in ([255] * 3 if colour and min(colour) >= 248 else colour)])
    return found


def lighter(nb, most, written):
    "The notebook with smaller pictures, so that it is not heavier than `most` bytes; `written` gives its bytes."
    from PIL import Image

    full = [(output, Image.open(io.BytesIO(decoded(output))).convert("RGB"), shown(output)[0]) for _, output in pictures(nb)]
    for share in (1, 0.85, 0.72, 0.64, 0.56, 0.5, 0.45):
        if len(written(nb)) <= most: break
        for output, image, px in full:
            scale = min(1, share * px / image.width)
            stream, small = io.BytesIO(), image.resize((round(image.width * scale), round(image.height * scale)), Image.Resampling.LANCZOS)
            few_colours(small).save(stream, "PNG", optimize=True)
            output["data"][MIME] = base64.b64encode(stream.getvalue()).decode("ascii")
    return nb


# --- figures for the site --------------------------------------------------------------------------------------------
def digest(nb):
    "What the figures of a page depend on, as far as the page says it."
    return hashlib.sha256("\0".join("".join(c["source"]) for c in nb["cells"] if c["cell_type"] == "code").encode()).hexdigest()[:20]


def place(nb, folder=None): return (folder or STORE) / f"{digest(nb)}.json"


def sharpened(nb, page, folder=None):
    "A notebook that was read from the file `page`, with the sharp figures of the store, cell by cell; as it was where there are none."
    if not page.is_file() or not (path := place(json.loads(page.read_text(encoding="utf8")), folder)).is_file(): return nb
    told = json.loads(path.read_text(encoding="utf8"))
    for cell in nb["cells"]:
        own, new = [o for o in cell.get("outputs", []) if MIME in o.get("data", {})], told.get(cell.get("id"), [])
        if len(own) != len(new): continue
        for output, (data, metadata) in zip(own, new):
            output["data"][MIME] = data
            output["metadata"] = dict(output.get("metadata", {})) | {MIME: metadata}
    return nb


def draw(path):
    "Run a page and keep its sharp figures: (page, what to say, whether all is well, seconds)."
    import run_notebooks

    start = time.perf_counter()
    try:
        found, nb = {}, json.loads(path.read_text(encoding="utf8"))
        made = run_notebooks.executed(path)
        for cell in made["cells"]:
            if kept := [("".join(o["data"][MIME]), o.get("metadata", {}).get(MIME, {})) for _, o in pictures(dict(cells=[cell]))]: found[cell["id"]] = kept
        left = list(blunt(made))
        place(nb).parent.mkdir(parents=True, exist_ok=True)
        place(nb).write_text(json.dumps(found), encoding="utf8")
        return path, f"{sum(map(len, found.values()))} figures" + f", not sharp: {left}" * bool(left), not left, time.perf_counter() - start
    except Exception as error: return path, f"FAILED\n{error}", False, time.perf_counter() - start


def main(argv=None):
    "Draw the figures of pages that are stored without sharp ones; 1 when a page failed."
    import run_notebooks

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", type=Path, help="notebooks (default: all)")
    parser.add_argument("--jobs", type=int, default=2, help="how many pages at a time (default: %(default)s)")
    given = parser.parse_args(argv)
    read = {p: json.loads(p.read_text(encoding="utf8")) for p in [p.resolve() for p in given.notebooks] or run_notebooks.pages()}
    todo = [p for p, nb in read.items() if any(blunt(nb)) and not place(nb).is_file()]
    print(f"figures: {len(todo)} pages to run again for sharp figures", flush=True)
    if not todo: return 0
    wrong = 0
    with ProcessPoolExecutor(min(given.jobs, len(todo)), get_context("spawn"), run_notebooks.ready, [run_notebooks.compiled_caches() | run_notebooks.ALIKE]) as pool:
        for task in as_completed([pool.submit(draw, p) for p in todo]):
            path, said, good, seconds = task.result()
            print(f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path} ({seconds:.1f} s): {said}", flush=True)
            wrong += not good
    return int(wrong > 0)


if __name__ == "__main__": sys.exit(main())
