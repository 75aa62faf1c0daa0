"""The documentation site, from the notebooks.

    python tools/docs.py [--trial]

With Quarto: the site in `_docs/`. Without it, or with `--trial`: nbdev prepares every page (it runs the exported cells and
writes the reference tables) and the prepared pages in `_proc/` are checked, which finds nearly every mistake that would
break the site.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
DIRECTIVE = re.compile(r"^\s*#\s*\|(?!\s*[\w-]+:(?:\s|$)).*", re.M)  # `#| echo: false` is Quarto's; `#| export` must be gone
TROUBLE = re.compile(r"Traceback|Found cells containing imports|Failed to create YAML|Error in notebook")


def pages(folder):
    "Notebooks below a folder that are pages, by their path in it."
    return {p.relative_to(folder).as_posix(): p for p in sorted(folder.rglob("*.ipynb"))
            if not any(s[0] in "_." for s in p.relative_to(folder).parts)}


def leaks(path):
    "Directives that a reader of the prepared page would see."
    for i, cell in enumerate(json.loads(path.read_text(encoding="utf8"))["cells"], 1):
        text = "".join(cell.get("source", ""))
        if cell["cell_type"] == "code": yield from (f"{path.name}:{i}: {s.strip()}" for s in DIRECTIVE.findall(text))


def prepare(root=ROOT):
    "Run nbdev_proc_nbs, with a stand-in for Quarto that does nothing; what was said and what is wrong."
    shutil.rmtree(root / "_proc", ignore_errors=True)  # `--force` would do it too, and write a sidebar of its own
    with tempfile.TemporaryDirectory() as folder:
        stub = Path(folder) / "quarto"  # without one on the PATH nbdev would try to install Quarto with sudo
        stub.write_text("#!/bin/sh\nexit 0\n")
        stub.chmod(0o755)
        env = os.environ | {"PATH": os.pathsep.join([folder, str(BIN), os.environ.get("PATH", "")])}
        env.pop("IN_TEST", None)
        done = subprocess.run([BIN / "nbdev_proc_nbs", "--n_workers", str(min(2, os.cpu_count() or 1))],
                              cwd=root, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    wrong = [] if done.returncode == 0 else [f"nbdev_proc_nbs ended with status {done.returncode}"]
    wrong += [s for s in done.stdout.splitlines() if TROUBLE.search(s)]
    made = pages(root / "_proc")
    wrong += [f"{name}: was not prepared" for name in pages(root / "nbs") if name not in made]
    for path in made.values(): wrong += leaks(path)
    return done.stdout, wrong, len(made)


def trial():
    "Prepare the pages and report."
    said, wrong, count = prepare()
    if wrong:
        print(said)
        for line in wrong: print(line)
    print(f"docs: {count} pages prepared in _proc/: {len(wrong) or 'no'} problems")
    return int(bool(wrong))


def site():
    "The whole site; README.md is ours (its links work on GitHub), so it is made again at the end."
    print("docs: building the site into _docs/ with Quarto", flush=True)
    steps = [BIN / "nbdev_docs"], [sys.executable, "tools/readme.py"]
    for step in steps:
        if code := subprocess.run(step, cwd=ROOT, check=False).returncode: return code
    print("docs: open _docs/index.html")
    return 0


def main(argv=None):
    "Site or trial run."
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trial", action="store_true", help="only prepare and check the pages, without Quarto")
    if parser.parse_args(argv).trial: return trial()
    if shutil.which("quarto"): return site()
    print("docs: the site needs Quarto, which is not on the PATH (see https://quarto.org/docs/get-started/).\n"
          "docs: trial run of everything else:", flush=True)
    return trial()


if __name__ == "__main__": sys.exit(main())
