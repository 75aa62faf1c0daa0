"""The lessons alive in a browser: a JupyterLite site, whose Python (Pyodide) runs in the reader's own browser, without an install.

    python tools/lite.py [folder] [--try]

The site goes to `_lite/`, or to the folder that is named. It holds the lessons, a notebook for each explorer with a list of all of them, and the desk for derivations; the wheel of this
package, built from this tree, with the wheels that Pyodide does not have itself; and the programs of JupyterLab. Pyodide's own files (Python, numpy,
scipy, ...) are not in it: the browser fetches them from Pyodide's address. A folder of files is all there is: any web server can serve it. With `--try` every lesson is then
run in a real browser (`lite_smoke.py`), which needs a network.
"""

import argparse
import configparser
import json
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parent.parent
WHEELS = "comm", "ipywidgets", "jupyterlab-widgets", "lark"  # what is needed and not in Pyodide's lock file; tests/project/test_lite.py reads that file
NEEDED = "costboot", "lark", "sympy"  # what a notebook installs first; the rest follows from it
EXTENSIONS = "@jupyterlite/pyodide-kernel-extension", "@jupyter-widgets/jupyterlab-manager"  # of JupyterLab: the kernel, the controls of the explorers
SOURCES = "setup.py", "settings.ini", "README.md", "LICENSE", "MANIFEST.in"  # what a wheel is made of, besides the package and the lessons
GALLERY, DESK = "explorers.ipynb", "derivation_desk.ipynb"
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^)\s#:]+)(#[^)\s]*)?(\))")
LIVE = re.compile(r"lite/lab/index\.html\?path=([^&#]+)")


@cache
def settings(root=ROOT):
    "The one place of names, versions and addresses."
    config = configparser.ConfigParser(delimiters=["="], interpolation=None)
    config.read(root / "settings.ini", encoding="utf8")
    return config["DEFAULT"]


def site(root=ROOT): return settings(root)["doc_host"] + settings(root)["doc_baseurl"]


# --- what the site holds ---------------------------------------------------------------------------------------------
def lessons(root=ROOT): return [p.relative_to(root / "nbs").as_posix() for p in sorted((root / "nbs" / "tutorials").glob("[0-9][0-9]_*.ipynb"))]


@cache
def entries(root=ROOT):
    "The explorers, as the pages of the book describe them."
    from costboot.explorers.app import catalogue

    return catalogue(root / "nbs")


def explorer(name): return f"explorers/{name.removeprefix('explore_')}.ipynb"


def listed(root=ROOT):
    "The notebooks of the site, by their paths in it."
    return [*lessons(root), GALLERY, *(explorer(e.name) for e in entries(root)), DESK]


def missing(target, root=ROOT):
    "What a link to the live site asks for and does not get; None where all is well."
    found = LIVE.fullmatch(target)
    return target if not found else found[1] if found[1] not in listed(root) else None


def published(page):
    "The file of a page on the web site: nbdev leaves out the number."
    place = Path(page)
    return place.with_name(re.sub(r"^\d+[a-z]?_", "", place.stem) + ".html").as_posix()


def away(text, page, there, address):
    "Markdown whose links lead somewhere: to a notebook that is there too, or to the web site."
    def led(m):
        parts = list(Path(page).parent.parts)
        for part in m[2].split("/"): parts = parts[:-1] if part == ".." else parts if part == "." else [*parts, part]
        target = "/".join(parts)
        if target in there: return m[0]
        return f"{m[1]}{address}/{published(target) if target.endswith('.ipynb') else target}{m[3] or ''}{m[4]}"
    return LINK.sub(led, text)


def markdown(name, text): return dict(cell_type="markdown", id=name, metadata={}, source=text)


def code(name, text): return dict(cell_type="code", id=name, metadata={}, execution_count=None, outputs=[], source=text)


def notebook(*cells): return dict(cells=list(cells), metadata=dict(kernelspec=dict(name="python", display_name="Python (Pyodide)", language="python")), nbformat=4, nbformat_minor=5)


def install():
    "The two cells in front of every notebook."
    text = "*This notebook runs in your browser; nothing is installed on your computer, and what you change is kept by the browser only. Run the cell below first: it brings Python's scientific libraries, a minute the first time.*"
    return [markdown("lite-text", text), code("lite-install", f"%pip install -q {' '.join(NEEDED)}")]


def lesson(page, root=ROOT):
    "A lesson of the book, with the cell that installs behind its title."
    nb, there = json.loads((root / "nbs" / page).read_text(encoding="utf8")), set(listed(root))
    for cell in nb["cells"]:
        if cell["cell_type"] == "markdown": cell["source"] = away("".join(cell["source"]), page, there, site(root))
    return notebook(nb["cells"][0], *install(), *nb["cells"][1:])


def explorer_page(entry, root=ROOT):
    "The notebook of one explorer."
    from costboot.explorers.app import explorer_notebook

    text, shown = explorer_notebook(entry)["cells"]
    words = text["source"].replace("[← all explorers](../../)", f"[← all explorers](../{GALLERY})")
    words += f"\n\nThe derivation: [{entry.page_title}]({site(root)}/{published(entry.page + '.ipynb')})."
    return notebook(markdown("text", words), *install(), shown)


def gallery(root=ROOT):
    "The list of all explorers, under the pages that they belong to."
    lines, last = ["# Explorers", "", "Every picture of the book that can be moved. A link opens a notebook: run its two cells, then move the controls."], None
    for entry in entries(root):
        if entry.page_title != last: lines += ["", f"**{entry.page_title}**", ""]
        last = entry.page_title
        lines.append(f"* [{entry.title}]({explorer(entry.name)})")
    return notebook(markdown("list", "\n".join([*lines, "", f"And [the desk for derivations]({DESK}), where formulas are typed and judged."])))


def desk():
    "The notebook in which derivations are typed."
    from costboot.explorers.app import desk_notebook

    text, shown = desk_notebook()["cells"]
    return notebook(markdown("text", text["source"].replace("[← all explorers](../../)", f"[← all explorers]({GALLERY})")), *install(), shown)


def contents(root=ROOT):
    "Every notebook of the site: path -> notebook."
    made = {page: lesson(page, root) for page in lessons(root)} | {GALLERY: gallery(root), DESK: desk()}
    return made | {explorer(e.name): explorer_page(e, root) for e in entries(root)}


# --- what the pages of the web site link to --------------------------------------------------------------------------
DESKS = "teaching/03_derivation_checks.ipynb", "teaching/04_derivation_problems.ipynb", "teaching/05_derivation_explorer.ipynb"  # pages on which a reader wants to type
TYPING = "Type a derivation in the browser"


def button(text, target, kind="outline-secondary", more=""): return f"[{text}]({target}){{.btn .btn-sm .btn-{kind}{more}}}"


def live(notebook, page): return f"{'../' * page.count('/')}lite/lab/index.html?path={notebook}"


def download(page):
    "The notebook of a page; Quarto would make a link to the page itself of it."
    return button("Download the notebook", f"{'../' * page.count('/')}notebooks/{page}", more=f' download="{Path(page).name}" noresolveinput="true"')


def elsewhere(page, root=ROOT):
    "Where else a notebook of the repository runs: what is on the button, and the address."
    told = settings(root)
    repository, branch = told["git_url"].removeprefix("https://github.com/"), told["branch"]
    return {"Binder": f"https://mybinder.org/v2/gh/{repository}/{branch}?labpath={quote(f'nbs/{page}', safe='')}",
            "Colab": f"https://colab.research.google.com/github/{repository}/blob/{branch}/nbs/{page}"}


def block(*lines): return "\n".join(["::: {.live}", *lines, ":::"])


def above(page, root=ROOT):
    "The buttons below the title of a page, as Markdown: lessons can be run, derivations typed; nothing on other pages."
    if page in lessons(root):
        buttons = [button("Run this lesson in the browser", live(page, page), "primary"), *(button(*place) for place in elsewhere(page, root).items()), download(page)]
        return block(" ".join(buttons), "", f"[The first needs nothing but this browser. In Colab, run `%pip install -q git+{settings(root)['git_url']} lark` first.]{{.live-note}}")
    if page not in DESKS: return ""
    return block(button(TYPING, live(DESK, page), "primary"), "", "[This page is a file: typing needs a kernel, a running Python. The button opens the live version, in which it runs in your browser.]{.live-note}")


DOORS = {  # of the home page: what is on the button, where it leads, what is there
    "Learn": ("tutorials/01_tour.ipynb", "a tour in ten cells, lessons, derivations"),
    "Use": ("api.ipynb", "what to call for what"),
    "Check": ("coverages/07_which_interval.ipynb", "which interval holds what it promises"),
}


def hero(root=ROOT):
    "The first screen of the home page, as Markdown: the three doors, how to install, where the source is, which version this is."
    told = settings(root)
    doors = " ".join(button(f"{name}: {about}", target, "primary") for name, (target, about) in DOORS.items())
    source = button("Source on GitHub", told["git_url"])
    return "\n".join(["::: {.hero}", doors, "", "```sh", f"pip install git+{told['git_url']}", "```", "", f"{source} [version {told['version']}, Python {told['min_python']} or newer, {told['license'].title().replace('2', ' 2.0')}]{{.hero-note}}", ":::"])


def below(page, root=ROOT):
    "The last line of every other page: its explorers alive, and its notebook."
    if page in lessons(root): return ""
    found = [button(f"{e.title}: move it with Python", live(explorer(e.name), page)) for e in entries(root) if f"{e.page}.ipynb" == page]
    return block(" ".join([*found, download(page)]))


# --- wheels ----------------------------------------------------------------------------------------------------------
def pip(*words):
    "Run pip; what it says is shown where it fails."
    done = subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, words)], text=True, capture_output=True, check=False)
    if done.returncode: sys.exit(f"lite: pip {words[0]} failed\n{done.stdout}{done.stderr}")


def build_wheel(folder, root=ROOT):
    "The wheel of this tree, built from a copy: what an earlier build left behind stays out."
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary)
        for name in SOURCES: shutil.copy2(root / name, copy)
        for name in ("costboot", "nbs/tutorials"): shutil.copytree(root / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints"))
        pip("wheel", "-q", "--no-deps", "--wheel-dir", folder, copy)
    [wheel] = folder.glob("costboot-*.whl")
    return wheel


def wheels(folder, root=ROOT):
    "All wheels that the site serves, in a folder; the versions of others are those that were tested."
    build_wheel(folder, root)
    pip("download", "-q", "--no-deps", "--only-binary", ":all:", "-c", root / "constraints.txt", "--dest", folder, *WHEELS)


# --- the site --------------------------------------------------------------------------------------------------------
def extension(name):
    "The folder of an extension of JupyterLab that is installed here."
    from jupyter_core.paths import jupyter_path

    found = [p for p in (Path(folder) / name for folder in jupyter_path("labextensions")) if (p / "package.json").is_file()]
    return found[0] if found else sys.exit(f"lite: {name} is not installed; try: pip install -e '.[dev]'")


def config(root=ROOT):
    "What is told to JupyterLite: how to build, the name, and that a script may press its buttons (`lite_smoke.py`)."
    build = dict(LiteBuildConfig=dict(contents=["contents"], apps=["lab"], no_sourcemaps=True, no_unused_shared_packages=True, ignore_sys_prefix=["federated_extensions"],
                                      federated_extensions=[str(extension(name)) for name in EXTENSIONS]), PipliteAddon=dict(piplite_urls=["wheels"]))
    told = {"jupyter-lite-schema-version": 0, "jupyter-config-data": dict(appName=settings(root)["title"], exposeAppInBrowser=True)}
    return {"jupyter_lite_config.json": build, "jupyter-lite.json": told}


def build(target, root=ROOT):
    "The whole site in a folder, which is emptied before; its notebooks."
    made = contents(root)
    shutil.rmtree(target, ignore_errors=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, told in (config(root) | {f"contents/{page}": nb for page, nb in made.items()}).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(json.dumps(told, indent=1, ensure_ascii=False), encoding="utf8")
        (folder / "wheels").mkdir()
        wheels(folder / "wheels", root)
        done = subprocess.run([sys.executable, "-m", "jupyterlite_core", "build", "--lite-dir", str(folder), "--output-dir", str(target)], cwd=folder, text=True, capture_output=True, check=False)
    if done.returncode: sys.exit(f"lite: jupyter lite build failed\n{done.stdout}{done.stderr}")
    return list(made)


def main(argv=None):
    "Build the site, and say what is in it."
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "_lite", help="where to, _lite/ by default")
    parser.add_argument("--try", dest="tried", action="store_true", help="run the lessons in a real browser afterwards; needs a network")
    told = parser.parse_args(argv)
    target = told.folder.resolve()
    print("lite: building the wheel and the site", flush=True)
    made = build(target)
    size = sum(p.stat().st_size for p in target.rglob("*") if p.is_file())
    print(f"lite: {len(made)} notebooks and {len(list(target.glob('pypi/*.whl')))} wheels in {target} ({size / 1e6:.0f} MB).\n"
          f"lite: python -m http.server --bind 127.0.0.1 --directory '{target}', then http://127.0.0.1:8000/lab/index.html?path={lessons()[0]}")
    if not told.tried: return 0
    import lite_smoke

    return lite_smoke.main([target])


if __name__ == "__main__": sys.exit(main())
