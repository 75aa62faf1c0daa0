"""The live site (`make lite`): complete, whole in a browser, and of versions with which every lesson runs.

What stands between these tests and a reader is Pyodide's own builds of numpy, scipy and the like, which come from a network: the docs workflow runs the lessons with them. Here
Pyodide itself (Python 3.14 and its standard library) comes from npm. Without JupyterLite, npm or Chromium the tests are skipped with a sentence; under
continuous integration (`CI` set) they fail instead.
"""

import ast
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import check_pages
import lite
import lite_run
import lite_smoke
import lite_versions
import pytest
from conftest import CHROMIUM

from costboot.core.long_work import _put
from costboot.teaching.derivation_problems import slow_bytes

CI = os.environ.get("CI")


def need(there, sentence):
    "Skip a test, or fail under continuous integration, where something is missing."
    if there: return
    if not CI: pytest.skip(sentence)
    pytest.fail(f"{sentence}; continuous integration has to install it")


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    "The live site, built once."
    need(find_spec("jupyterlite_core") and find_spec("jupyterlite_pyodide_kernel"), "JupyterLite is not installed")
    folder = tmp_path_factory.mktemp("lite") / "a site"  # the space is deliberate
    lite.build(folder)
    return folder


@pytest.fixture(scope="module")
def lock(site):
    "Pyodide's lock file."
    need(lite_versions.pyodide(lite_versions.version(), "pyodide-lock.json"), "npm, which brings Pyodide's lock file, is not installed or not connected")
    return lite_versions.lock(lite_versions.version())


def read(path): return json.loads(path.read_text(encoding="utf8"))


@pytest.fixture(scope="module")
def pyodide_address(site):
    "Where the kernel finds Pyodide, as its own program says: the only address outside that a page may ask."
    programs = (site / "extensions" / lite.EXTENSIONS[0] / "static").glob("*.js")
    found = {url for p in programs for url in re.findall(r"https://[\w./-]+?/(?=v[\d.]+/full/pyodide)", p.read_text(encoding="utf8"))}
    assert len(found) == 1, found
    return found.pop()


def digest(path): return hashlib.sha256(path.read_bytes()).hexdigest()


# --- the files -------------------------------------------------------------------------------------------------------
def catalogue(site, folder=""):
    "The notebooks that the file browser shows, by the lists that the site serves."
    for entry in read(site / "api" / "contents" / folder / "all.json")["content"]:
        if entry["type"] == "directory": yield from catalogue(site, entry["path"])
        else: yield entry["path"]


def test_every_notebook_is_there(site, root):
    made = lite.contents()
    assert set(made) == set(lite.listed()) == set(catalogue(site)) and len(made) == len(lite.listed())
    assert [Path(page).name for page in lite.lessons()] == sorted(p.name for p in (root / "nbs" / "tutorials").glob("*.ipynb"))
    for page, nb in made.items(): assert read(site / "files" / page) == nb, page
    gallery = "".join(made[lite.GALLERY]["cells"][0]["source"])
    from costboot import explorers

    names = [name for name in dir(explorers) if name.startswith("explore_")]
    assert len(names) > 40 and all(f"]({lite.explorer(name)})" in gallery and lite.explorer(name) in made for name in names)
    assert any("derivation_desk()" in cell["source"] for cell in made[lite.DESK]["cells"])


@pytest.mark.parametrize("page", lite.lessons())
def test_lessons_say_what_to_install_and_lead_somewhere(page):
    "The cells are those of the book, the text too but for its links; a link leads to a notebook of the site, or to the web site."
    nb, book = lite.lesson(page), check_pages.read(lite.ROOT / "nbs" / page)
    assert nb["cells"][2]["source"] == "%pip install -q costboot lark sympy"
    cells = [nb["cells"][0], *nb["cells"][3:]]
    assert [c["source"] for c in cells if c["cell_type"] == "code"] == [c["source"] for c in book["cells"] if c["cell_type"] == "code"] and len(cells) == len(book["cells"])
    for cell in (c for c in cells if c["cell_type"] == "markdown"):
        for _, _, target in check_pages.LINK.findall(check_pages.without_code(cell["source"])):
            if target.startswith("#"): continue
            if not target.startswith("http"): assert f"tutorials/{target.partition('#')[0]}" in lite.listed(), target
            elif target.startswith(lite.site()): assert re.fullmatch(r"(?:[a-z]+/)?[a-z]\w*\.html(?:#.*)?", target.removeprefix(f"{lite.site()}/")), target


def test_links_are_led_away():
    text = "[a](02_b.ipynb#c), [`d`](../laws/02_cost.ipynb#exact_cost), ![e](../images/e.svg), [f](#f), [g](https://h.org/02_b.ipynb), [i](../index.ipynb)"
    assert lite.away(text, "tutorials/01_a.ipynb", {"tutorials/02_b.ipynb"}, "https://s.org") == (
        "[a](02_b.ipynb#c), [`d`](https://s.org/laws/cost.html#exact_cost), ![e](https://s.org/images/e.svg), [f](#f), [g](https://h.org/02_b.ipynb), [i](https://s.org/index.html)")


def test_wheels_are_in_the_index(site):
    "With the right digests; the index itself is named with its own."
    index = read(site / "pypi" / "all.json")
    assert {lite_versions.normal(name) for name in index} == {"costboot", *lite.WHEELS}
    for name, told in index.items():
        [[release]] = told["releases"].values()
        path = site / "pypi" / release["url"]
        assert path.is_file() and release["digests"]["sha256"] == digest(path) and path.name.endswith("-py3-none-any.whl"), name
    assert list(index["costboot"]["releases"]) == [lite.settings()["version"]]
    told = read(site / "jupyter-lite.json")["jupyter-config-data"]["litePluginSettings"]["@jupyterlite/pyodide-kernel-extension:kernel"]["pipliteUrls"]
    assert told[0].startswith("./pypi/all.json") and len(told) == 2
    for url in told:
        path, _, asked = url.partition("?sha256=")
        assert digest(site / path) == asked


def test_the_wheel_wants_no_compiler(site):
    [wheel] = (site / "pypi").glob("costboot-*.whl")
    told = lite_versions.metadata(wheel)
    assert not [r for r in told.get_all("Requires-Dist") if "numba" in r and "extra" not in r]
    assert "lite" in told.get_all("Provides-Extra")


UNUSED = "licensesUrl", "themesUrl"  # JupyterLab's server has them; JupyterLite names them and does without (the browser test sees every request)


def named(site):
    "Every file that the site's own JSON and HTML name, from the folder of the site."
    for config in sorted(site.rglob("jupyter-lite.json")):
        told = read(config).get("jupyter-config-data", {})
        yield from (site / "extensions" / e["name"] / e["load"] for e in told.get("federated_extensions", []))
        for key, value in told.items():
            if key.endswith("Url") and key not in UNUSED and isinstance(value, str) and value.startswith("."): yield config.parent / value
    for page in sorted(site.rglob("index.html")):
        for target in re.findall(r"(?:src|href)=\"([^\"#?:]+)", page.read_text(encoding="utf8")): yield page.parent / target
    for index in sorted(site.rglob("pypi/all.json")):
        yield from (index.parent / release["url"].partition("?")[0] for told in read(index).values() for releases in told["releases"].values() for release in releases)
    yield from (site / "files" / path for path in catalogue(site))


def test_every_file_that_is_named_exists(site):
    files = list(named(site))
    assert len(files) > 70 and sum(p.suffix == ".js" for p in files) >= 3 and sum(p.suffix == ".whl" for p in files) >= 10
    assert [str(p) for p in files if not p.exists()] == []


# --- what Pyodide has ------------------------------------------------------------------------------------------------
def test_nothing_is_missing_in_the_browser(site, lock):
    "Whatever a notebook or the kernel installs is on the site or in Pyodide, in a version that is wanted; each wheel of the site is needed; numba is not."
    python, packages = lock
    wheels = lite_versions.served(site / "pypi")
    found, wrong = lite_versions.closure([*lite.NEEDED, *lite_versions.KERNEL], wheels, python, packages)
    assert wrong == [] and "numba" not in found and not set(lite.WHEELS) & set(packages)
    assert {name for name, (place, _) in found.items() if place == "site"} >= {"costboot", *lite.WHEELS}
    for name in lite.WHEELS:
        without = {k: v for k, v in wheels.items() if k != name}
        assert f"{name} is neither on the site nor in Pyodide" in lite_versions.closure([*lite.NEEDED, *lite_versions.KERNEL], without, python, packages)[1]
    old = packages | {"numpy": packages["numpy"] | {"version": "1.0"}}
    assert any(line.startswith("numpy") for line in lite_versions.closure(lite.NEEDED, wheels, python, old)[1])


def standard(folder):
    "The names of the standard library that a package uses: imported, or asked of a module that was imported."
    for path in sorted(folder.rglob("*.py")):
        tree, known = ast.parse(path.read_text(encoding="utf8")), {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import): known |= {alias.asname or alias.name: alias.name for alias in node.names}
            if isinstance(node, ast.ImportFrom) and not node.level: yield from ((node.module, alias.name) for alias in node.names)
        yield from ((module, "") for module in known.values())
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in known: yield known[node.value.id], node.attr


ASK = """
import { loadPyodide } from %s;
const py = await loadPyodide();
py.globals.set("told", require("fs").readFileSync(process.argv[1], "utf8"));
console.log(py.runPython(`
import importlib, json, sys, warnings
warnings.simplefilter("ignore")
def there(module, name=""):
    try:
        found = importlib.import_module(module)
        if name and not hasattr(found, name): importlib.import_module(f"{module}.{name}")
    except ImportError: return False
    return True
told = json.loads(told)
absent = [name for name in sorted(sys.stdlib_module_names) if name[0] != "_" and name not in ("antigravity", "this") and not there(name)]
missing = [[m, n] for m, n in told["names"] if not there(m, n)]
warnings.simplefilter("error")
broken = []
for name, text in told["modules"].items():
    try: compile(text, name, "exec")
    except (SyntaxError, Warning) as error: broken.append(f"{name}: {error!r}")
json.dumps([sys.version.split()[0], sys.platform, absent, missing, broken])
`));
"""


def test_python_in_the_browser_has_what_the_package_uses(lock, root, tmp_path):
    "Asked of Pyodide itself: its standard library has every name that is used (but for those in a `try`), and its compiler has nothing to say about the modules."
    node, script = shutil.which("node"), lite_versions.pyodide(lite_versions.version(), "pyodide.mjs")
    need(node, "node is not installed")
    names = sorted({(m, n) for m, n in standard(root / "costboot") if m.partition(".")[0] in sys.stdlib_module_names})
    told = dict(names=names, modules={p.relative_to(root).as_posix(): p.read_text(encoding="utf8") for p in (root / "costboot").rglob("*.py")} | {"bad.py": "'\\d'"})
    text = 'import { createRequire } from "module";\nconst require = createRequire(import.meta.url);\n' + ASK % json.dumps(script.as_uri())
    (tmp_path / "told.json").write_text(json.dumps(told), encoding="utf8")
    done = subprocess.run([node, "--input-type=module", "-e", text, str(tmp_path / "told.json")], text=True, capture_output=True, check=False, cwd=root)
    assert done.returncode == 0, done.stderr
    python, platform, absent, missing, broken = json.loads(done.stdout.splitlines()[-1])
    assert (python, platform) == (lock[0], "emscripten") and len(names) > 100
    windows = {"msvcrt", "nt", "winreg", "winsound"}
    assert set(absent) - windows == lite_run.ABSENT & set(sys.stdlib_module_names)
    assert sorted(map(tuple, missing)) == [("hashlib", "pbkdf2_hmac"), ("os", "link")], "`slow_bytes` and `_put` do without them"
    assert len(broken) == 1 and broken[0].startswith("bad.py")


def test_a_file_finds_its_place_without_a_second_name(tmp_path, monkeypatch):
    "Where `os` has no `link`; a file that is there stays."
    monkeypatch.delattr(os, "link")
    for name in ("a", "b"): (tmp_path / name).write_text(name)
    _put(str(tmp_path / "a"), tmp_path / "c")
    assert (tmp_path / "c").read_text() == "a" and not (tmp_path / "a").exists()
    with pytest.raises(FileExistsError): _put(str(tmp_path / "b"), tmp_path / "c")
    assert (tmp_path / "c").read_text() == "a"


def test_the_slow_digest_is_the_same_without_openssl(monkeypatch):
    "So every sealed answer and solution opens in a browser, too."
    with_it = slow_bytes("p(1-p)/n", "salt", 300)
    monkeypatch.delattr(hashlib, "pbkdf2_hmac")
    assert slow_bytes("p(1-p)/n", "salt", 300) == with_it != slow_bytes("p(1-p)/n", "salt", 301)


# --- without a compiler ----------------------------------------------------------------------------------------------
def played(tmp_path, nb, *words):
    "A notebook run as a browser would, by this Python."
    path = tmp_path / "page.ipynb"
    path.write_text(json.dumps(nb), encoding="utf8")
    env = {k: v for k, v in os.environ.items() if not k.startswith("COSTBOOT")} | {"IPYTHONDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, lite.ROOT / "tools" / "lite_run.py", path, *words], cwd=tmp_path, env=env | {"PYTHONPATH": str(lite.ROOT)}, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_what_a_browser_lacks_is_taken_away(tmp_path):
    texts = ["%pip install -q costboot", "import matplotlib.pyplot", "import numba", "import resource", "import threading, subprocess, os, time", "threading.Thread(target=print).start()",
             "subprocess.run(['true'])", "os.fork()", "time.thread_time()", "from hashlib import pbkdf2_hmac", "assert os.cpu_count() == 1",
             "import matplotlib.pyplot as plt\nfrom costboot.explorers import explore\ndef fig(x):\n    if x > 1: raise ValueError('swallowed')\nexplore(fig, x=(0, 2))"]
    said = played(tmp_path, lite.notebook(*(lite.code(f"c{i}", text) for i, text in enumerate(texts))), "--move")
    assert said["cells"] == len(texts) - 1 and [i for i, _ in said["wrong"]] == [3, 4, 6, 7, 8, 9, 10, 12], said


@pytest.mark.parametrize("page", ["tutorials/05_exact_law.ipynb", lite.DESK])
def test_a_lesson_runs_without_a_compiler(tmp_path, page):
    "With the libraries of this environment; all notebooks and Pyodide's versions below."
    said = played(tmp_path, lite.contents()[page])
    assert said["cells"] and said["wrong"] == []


@pytest.mark.slow
def test_every_notebook_runs_with_the_versions_of_pyodide(lock, capsys):
    "In a fresh environment without numba, by the newest CPython here; the versions are those of the lock file, all of them."
    found = lite_versions.prove()
    with capsys.disabled(): print(f"\nCPython {found['python'][0]} with the libraries of Pyodide {found['pyodide']}, which has {found['python'][1]}")
    assert "numba" not in found["installed"] and found["differences"] == []
    assert {lite_versions.normal(n) for n in found["installed"]} >= {"numpy", "scipy", "matplotlib", "pandas", "scikit-learn", "sympy", "lark", "ipywidgets", "costboot"}
    assert set(found["notebooks"]) == set(lite.listed())
    assert {page: said["wrong"] for page, said in found["notebooks"].items() if said["wrong"]} == {}


# --- in a browser ----------------------------------------------------------------------------------------------------
def watched(context):
    "What a browser asked for and did not get: (address, what happened); a list that grows."
    seen = []
    context.on("response", lambda r: r.status >= 400 and seen.append((r.url, r.status)))
    context.on("requestfailed", lambda r: seen.append((r.url, r.failure)))
    return seen


@pytest.mark.browser
def test_it_opens_in_a_browser(site, open_browser, pyodide_address):
    "No file of ours is missing; the lessons are listed, one is shown, the wheel is served. Only Pyodide is asked for outside."
    with lite_smoke.serve(site) as address:
        context = open_browser(1300, 850, 60)
        context.route(lambda url: not url.startswith("http://127.0.0.1"), lambda route: route.abort())  # the same with and without a network
        seen, page = watched(context), context.new_page()
        lite_smoke.open_notebook(page, address, lite.lessons()[0])
        from playwright.sync_api import expect

        expect(page.locator(".jp-DirListing-itemName")).to_have_text([Path(p).name for p in lite.lessons()], timeout=60_000)  # the list opens at the root, then moves to the lesson
        assert page.locator(".jp-Notebook h1").first.inner_text().startswith("A tour in ten cells")
        page.wait_for_function("() => performance.getEntriesByType('resource').length > 20")
        [wheel] = (site / "pypi").glob("costboot-*.whl")
        got = page.evaluate("async url => { const r = await fetch(url), h = await crypto.subtle.digest('SHA-256', await r.arrayBuffer()); return [...new Uint8Array(h)].map(b => b.toString(16).padStart(2, '0')).join('') }", f"{address}/pypi/{wheel.name}")
        assert got == digest(wheel)
        ours = [s for s in seen if s[0].startswith(address)]
        outside = {url for url, _ in seen if not url.startswith("http://127.0.0.1")}
        assert ours == [] and all(url.startswith(pyodide_address) for url in outside), seen
        page.evaluate("async url => { await fetch(url) }", f"{address}/build/no-such-file.js")  # and if one were missing it would be seen
        assert {s for s in seen if s[0].startswith(address)} == {(f"{address}/build/no-such-file.js", 404)}
        context.close()


def stand_in(site, lock, folder, home):
    "An answer for each request to Pyodide's address: Pyodide from npm, libraries in plain Python from PyPI; those that are compiled for the browser are nowhere else."
    number, (python, packages) = lite_versions.version(), lock
    names = ["micropip", "lazy-loader", *lite_versions.KERNEL, "ipywidgets", "lark"]
    found, _ = lite_versions.closure(names, lite_versions.served(site / "pypi"), python, packages)
    lite.pip("download", "-q", "--no-deps", "--only-binary", ":all:", "--python-version", python, "--dest", folder, *(f"{n}=={v}" for n, (place, v) in found.items() if place == "pyodide"))
    core = lite_versions.pyodide(number, "pyodide-lock.json").parent
    told = read(core / "pyodide-lock.json")
    for entry in told["packages"].values():  # Pyodide packs the same files anew
        if (folder / entry["file_name"]).is_file(): entry["sha256"] = digest(folder / entry["file_name"])
    kinds = {".mjs": "text/javascript", ".wasm": "application/wasm", ".json": "application/json"}

    def answer(route):
        name = route.request.url.removeprefix(f"{home}v{number}/full/").partition("?")[0]
        path = next((p for p in (core / name, folder / name) if p.is_file()), None)
        if path is None: return route.abort()
        body = json.dumps(told).encode() if name == "pyodide-lock.json" else path.read_bytes()
        return route.fulfill(body=body, content_type=kinds.get(path.suffix, "application/octet-stream"), headers={"Access-Control-Allow-Origin": "*"})

    return answer


TRIAL = ["%pip install -q ipywidgets lark", "import piplite\nawait piplite.install('lazy-loader')\nawait piplite.install('costboot', deps=False)",
         "import sys, lark, costboot\nprint(sys.platform, sys.version_info[:2], lark.__version__, costboot.__version__)",
         "import ipywidgets\nslider = ipywidgets.IntSlider(3, description='moves')\nslider", "1 / 0"]


@pytest.mark.slow
@pytest.mark.browser
def test_the_kernel_starts_and_finds_our_wheels(site, lock, open_browser, tmp_path, pyodide_address):
    "Pyodide itself in Chromium: the kernel starts, wheels come from the site's own index, a control is shown and moves, an error is seen."
    (tmp_path / "wheels").mkdir()
    copy = tmp_path / "site"
    shutil.copytree(site, copy)
    (copy / "files" / lite.DESK).write_text(json.dumps(lite.notebook(*(lite.code(f"c{i}", text) for i, text in enumerate(TRIAL)))), encoding="utf8")
    with lite_smoke.serve(copy) as address:
        context = open_browser(1300, 850, 300)
        context.route(lambda url: not url.startswith("http://127.0.0.1"), stand_in(site, lock, tmp_path / "wheels", pyodide_address))
        seen, page = watched(context), context.new_page()
        lite_smoke.open_notebook(page, address, lite.DESK)
        count, wrong = lite_smoke.run_all(page)
        assert count == len(TRIAL) and len(wrong) == 1 and "cell 5" in wrong[0] and "division by zero" in wrong[0], wrong
        said = page.evaluate("() => window.jupyterapp.shell.currentWidget.content.widgets[2].model.toJSON().outputs[0].text")
        assert said.split() == ["emscripten", "(3,", "14)", "1.3.1", lite.settings()["version"]]
        page.locator(".widget-slider .noUi-handle").press("ArrowRight")
        page.wait_for_function("() => document.querySelector('.widget-readout').innerText == '4'")
        assert [s for s in seen if s[0].startswith(address) and "/api/resolvePath?" not in s[0]] == []  # JupyterLab's server is asked for the path in a traceback; there is none
        assert all(url.startswith(pyodide_address) for url, _ in seen if not url.startswith("http://127.0.0.1")), seen
        context.close()


# --- the buttons -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("page", lite.lessons())
def test_lessons_have_their_buttons(page):
    text, told = lite.above(page), lite.settings()
    links = {label: target for _, label, target in check_pages.LINK.findall(text)}
    assert list(links) == ["Run this lesson in the browser", "Binder", "Colab", "Download the notebook"] and lite.below(page) == ""
    assert links["Run this lesson in the browser"] == f"../lite/lab/index.html?path={page}" and links["Download the notebook"] == f"../notebooks/{page}"
    repository = told["git_url"].removeprefix("https://github.com/")
    assert f"/gh/{repository}/{told['branch']}?" in links["Binder"] and f"/github/{repository}/blob/{told['branch']}/nbs/{page}" in links["Colab"] and told["git_url"] in text


def test_other_pages_have_theirs():
    desk = lite.above("teaching/05_derivation_explorer.ipynb")
    assert f"(../lite/lab/index.html?path={lite.DESK})" in desk and "typing needs a kernel" in desk
    assert lite.above("laws/02_cost.ipynb") == lite.above("index.ipynb") == ""
    assert "(../lite/lab/index.html?path=explorers/cost_law.ipynb)" in lite.below("laws/02_cost.ipynb") and "(notebooks/index.ipynb)" in lite.below("index.ipynb")


@pytest.mark.parametrize("target, told", [
    ("../lite/lab/index.html?path=tutorials/01_tour.ipynb", None), ("../notebooks/laws/02_cost.ipynb", None),
    ("../lite/lab/index.html?path=tutorials/01_tours.ipynb", "the live site has no tutorials/01_tours.ipynb"),
    ("../lite/lab/?path=tutorials/01_tour.ipynb", "the live site has no lite/lab/?path=tutorials/01_tour.ipynb"),
    ("../notebooks/laws/02_costs.ipynb", "there is no such notebook"),
])
def test_a_button_that_leads_nowhere_is_found(root, target, told):
    found = check_pages.dead(target, "tutorials/01_tour.ipynb", {}, {}, {}, "", root / "nbs")
    assert found == (told and f"{target}: {told}")


def test_chromium_is_there(): need(CHROMIUM, "no Chromium: nothing is opened in a browser")
