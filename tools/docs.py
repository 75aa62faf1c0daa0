"""The documentation site, from the notebooks.

    python tools/docs.py [--trial | --draft | --quick]

With Quarto: the site in `_docs/`, its figures sharp (`figures.py`), and checked as its visitors get it (`check_site.py`); a warning of Quarto that is ours is a mistake. Without it, or with `--trial`: nbdev prepares every page (it runs the exported cells and
writes the reference tables; `book.py` says what is changed) and the prepared pages in `_proc/` are checked by `check_pages.py`, which
finds nearly every mistake that would break the site. With `--draft` the prepared pages become HTML without Quarto, in `_draft/` (`draft.py`), for eyes, and for the checks of finished pages.
"""

import argparse
import configparser
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import check_pages
import search_index

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
WARNING = re.compile(r"\bWARN(?:ING)?\b|\bERROR\b|Unable to resolve", re.I)
FOREIGN = re.compile(r"site-packages|\b(?:Deprecation|Future|PendingDeprecation)Warning\b|\bnpm warn\b|ExperimentalWarning")  # of the tools themselves
TROUBLE = re.compile(r"Traceback|Found cells containing imports|Failed to create YAML|Error in notebook")


def pages(folder):
    "Notebooks below a folder that are pages, by their path in it."
    return {p.relative_to(folder).as_posix(): p for p in sorted(folder.rglob("*.ipynb"))
            if not any(s[0] in "_." for s in p.relative_to(folder).parts)}


def address(root):
    "The address of the published site."
    settings = configparser.ConfigParser(interpolation=None)
    settings.read(root / "settings.ini", encoding="utf8")
    return settings["DEFAULT"].get("doc_host", "") + settings["DEFAULT"].get("doc_baseurl", "")


def bibliography(root):
    "The keys of the list of references."
    path = root / "nbs" / "references.bib"
    return set(re.findall(r"^@\w+\{([^,\s]+),", path.read_text(encoding="utf8"), flags=re.M)) if path.is_file() else set()


def prepare(root=ROOT):
    "Run nbdev_proc_nbs (through `book.py`), with a stand-in for Quarto that does nothing; what was said and what is wrong."
    shutil.rmtree(root / "_proc", ignore_errors=True)  # `--force` would do it too, and write a sidebar of its own
    with tempfile.TemporaryDirectory() as folder:
        stub = Path(folder) / "quarto"  # without one on the PATH nbdev would try to install Quarto with sudo
        stub.write_text("#!/bin/sh\nexit 0\n")
        stub.chmod(0o755)
        env = os.environ | {"PATH": os.pathsep.join([folder, str(BIN), os.environ.get("PATH", "")])}
        env.pop("IN_TEST", None)
        done = subprocess.run([sys.executable, "tools/book.py", "prepare"], cwd=root, env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    wrong = [] if done.returncode == 0 else [f"nbdev_proc_nbs ended with status {done.returncode}"]
    wrong += [s for s in done.stdout.splitlines() if TROUBLE.search(s)]
    made = pages(root / "_proc")
    wrong += [f"{name}: was not prepared" for name in pages(root / "nbs") if name not in made]
    wrong += check_pages.problems(root / "_proc", address(root), root / "nbs", bibliography(root))
    return done.stdout, wrong, len(made)


def trial():
    "Prepare the pages and report."
    said, wrong, count = prepare()
    if wrong:
        print(said)
        for line in wrong: print(line)
    print(f"docs: {count} pages prepared in _proc/: {len(wrong) or 'no'} problems")
    return int(bool(wrong))


def heaviest(folder, count=5):
    "The largest pages of a site, in kB: (size, path)."
    sizes = sorted(((p.stat().st_size // 1000, p.relative_to(folder).as_posix()) for p in folder.rglob("*.html")), reverse=True)
    return sizes[:count]


def draft(root=ROOT):
    "Prepare the pages, make a draft of the site, and check it as a finished one."
    import check_site
    import draft as pandoc_draft

    said, wrong, _ = prepare(root)
    if wrong: print(said)
    out = root / "_draft"
    wrong += pandoc_draft.build(root / "_proc", out)
    copy_notebooks(root, out)
    wrong += check_site.problems(out, root, sharp=False)
    for size, name in heaviest(out): print(f"docs: {size:6,} kB  {name}")
    for line in wrong: print(line)
    print(f"docs: open _draft/index.html (a draft without Quarto); {len(wrong) or 'no'} problems")
    return int(bool(wrong))


def copy_notebooks(root=ROOT, out=None):
    "The notebooks of all pages beside the pages, as they are in the repository: what their buttons download."
    for name, path in pages(root / "nbs").items():
        target = (out or root / "_docs") / "notebooks" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)


def run(step, root=None):
    "Run a step of the build and show what it says: its status, and its warnings that are ours."
    done, ours = subprocess.Popen([sys.executable, *step], cwd=root or ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT), []
    for line in done.stdout:
        print(line, end="", flush=True)
        if WARNING.search(line) and not FOREIGN.search(line): ours.append(line.strip())
    return done.wait(), ours


def site(quick=False, lite=False):
    "The whole site; README.md is ours (its links work on GitHub), so it is made again at the end."
    import check_site

    print("docs: building the site into _docs/ with Quarto", flush=True)
    fast = ["--quick"] * quick
    steps = [["tools/static_explorers.py", *fast], *([] if quick else [["tools/figures.py"]]), ["tools/book.py", "render"], ["tools/readme.py"], *([["tools/lite.py", "_docs/lite"]] if lite else [])]
    wrong = []
    for step in steps:
        code, ours = run(step)
        if code: return code
        wrong += ours if "render" in step else []
    search_index.write(ROOT / "_proc", ROOT / "_docs" / "search.json", ROOT)
    copy_notebooks(ROOT)
    wrong += [*check_pages.problems(ROOT / "_proc", address(ROOT), ROOT / "nbs", bibliography(ROOT), sharp=not quick), *check_site.problems(ROOT / "_docs", ROOT, sharp=not quick)]
    for size, name in heaviest(ROOT / "_docs"): print(f"docs: {size:6,} kB  {name}")
    for line in wrong: print(line)
    print(f"docs: open _docs/index.html; {len(wrong) or 'no'} problems")
    return int(bool(wrong))


def main(argv=None):
    "Site or trial run."
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trial", action="store_true", help="only prepare and check the pages, without Quarto")
    parser.add_argument("--draft", action="store_true", help="the pages as HTML without Quarto, in _draft/, checked as a finished site")
    parser.add_argument("--quick", action="store_true", help="explorers with a few frames only, figures as they are stored")
    parser.add_argument("--lite", action="store_true", help="with the live lessons beside the pages (make lite), so that their buttons are checked, too")
    told = parser.parse_args(argv)
    if told.trial: return trial()
    if told.draft: return draft()
    if shutil.which("quarto"): return site(told.quick, told.lite)
    print("docs: the site needs Quarto, which is not on the PATH (see https://quarto.org/docs/get-started/).\n"
          "docs: `--draft` makes readable pages without it; here is a trial run of everything else:", flush=True)
    return trial()


if __name__ == "__main__": sys.exit(main())
