"""The explorers as files that need no Python, for the documentation: one HTML page for each.

    python tools/static_explorers.py [--quick] [--jobs N] [explorer ...]

They go to nbs/explorers/static. A file is drawn again only when the package, its templates,
matplotlib or the way of drawing has changed. `--quick` keeps three values for each slider and
combines nothing: enough to see that all of it works.
"""

import argparse
import hashlib
import os
import sys
import time
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "nbs" / "explorers" / "static"
LIMIT = 1_500_000  # bytes of one file
KINDS = {".py", ".j2", ".css", ".js"}  # what a file is made of: code and templates


def digest(quick):
    "What a file depends on, in short: the package, the library that draws, and how much is drawn."
    package = sorted(p for p in (ROOT / "costboot").rglob("*") if p.suffix in KINDS)
    parts = [p.read_bytes() for p in package]
    parts += [f"{version('matplotlib')} {version('pillow')} {quick}".encode()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def is_fresh(path, mark): return path.is_file() and path.read_text(encoding="utf8").endswith(mark)


def build(entry, path, quick, mark):
    "Draw one explorer: (name, bytes, seconds, what went wrong)."
    import matplotlib

    matplotlib.use("Agg")
    from costboot import explorers
    from costboot.core.long_work import whole_file
    from costboot.explorers.static_files import static_explorer

    start = time.perf_counter()
    try:
        drawn = quietly(getattr(explorers, entry.name))
        page = static_explorer(drawn, entry.title, about=entry.about, advice=entry.advice, also=entry.also,
                               steps=3 if quick else 9, combine=not quick, max_bytes=LIMIT - len(mark))
        with whole_file(path) as file: file.write(page + mark)
    except Exception as error: return entry.name, 0, time.perf_counter() - start, f"{type(error).__name__}: {error}"
    return entry.name, path.stat().st_size, time.perf_counter() - start, ""


def quietly(explore):
    "An explorer, without its first frame, which nobody looks at where there is no notebook."
    from costboot.core.explorer_tool import explorer_class

    kind = explorer_class()
    update, kind.update = kind.update, lambda self, *change: None
    try: return explore()
    finally: kind.update = update


def main(argv=None):
    "Draw what is missing or out of date; 1 when one failed."
    from costboot.explorers.app import catalogue
    from joblib import Parallel, delayed

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("explorers", nargs="*", help="names, such as explore_auc (default: all)")
    parser.add_argument("--quick", action="store_true", help="three values a slider, no combinations")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1),
                        help="how many at the same time (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default=FOLDER,
                        help="where to write (default: nbs/explorers/static)")
    given = parser.parse_args(argv)
    entries = catalogue(ROOT / "nbs")
    if unknown := sorted(set(given.explorers) - {e.name for e in entries}):
        parser.error(f"no such explorer: {', '.join(unknown)}")
    given.folder.mkdir(parents=True, exist_ok=True)
    paths = {e.name: given.folder / f"{e.name.removeprefix('explore_')}.html" for e in entries}
    for old in set(given.folder.glob("*.html")) - set(paths.values()): old.unlink()
    mark = f"<!-- {digest(given.quick)} -->\n"
    wanted = [e for e in entries if not given.explorers or e.name in given.explorers]
    stale = [e for e in wanted if not is_fresh(paths[e.name], mark)]
    print(f"explorers: {len(stale)} of {len(wanted)} to draw into {os.path.relpath(given.folder)}",
          flush=True)
    failed = 0
    work = (delayed(build)(e, paths[e.name], given.quick, mark) for e in stale)
    for name, size, seconds, wrong in Parallel(given.jobs, return_as="generator_unordered")(work):
        told = f"FAILED: {wrong}" if wrong else f"{size / 1000:5.0f} kB {seconds:5.1f} s"
        print(f"{name:<28} {told}", flush=True)
        failed += bool(wrong)
    return int(failed > 0)


if __name__ == "__main__": sys.exit(main())
