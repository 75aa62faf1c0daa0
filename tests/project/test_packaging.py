"""The package can be built, and what is built works where there is no trace of the development tools."""

import configparser
import email
import json
import re
import subprocess
import sys
import tarfile
import venv
import zipfile

import pytest
from conftest import AS_USED, SLOW

pytestmark = pytest.mark.packaging

DEVELOPMENT = "nbdev", "execnb", "fastcore", "ghapi", "fastgit", "jupyterlab", "notebook", "ipykernel", "nbformat", "pytest"
NOT_SHIPPED: set[str] = set()  # tracked files that the source archive does not need
HEAVY = "matplotlib", "ipywidgets", "IPython", "sklearn", "pandas", "scipy.stats", "numba", "joblib", "tqdm"

SURVEY = """
import importlib, importlib.metadata, importlib.util, json, pkgutil, sys
dev, heavy = map(set, json.load(sys.stdin))
import costboot
early = sorted(heavy & set(sys.modules))
names = ["costboot"] + [m.name for m in pkgutil.walk_packages(costboot.__path__, "costboot.")]
for name in names: importlib.import_module(name)
print(json.dumps(dict(
    names=names, early=early, file=costboot.__file__,
    version=[costboot.__version__, importlib.metadata.version("costboot")],
    installed=sorted(d for d in dev if importlib.util.find_spec(d)))))
"""


def run(*command, **options):
    "The output of a command, which must succeed."
    done = subprocess.run([str(c) for c in command], text=True, capture_output=True, check=False, **dict(env=AS_USED) | options)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def settings(root):
    config = configparser.ConfigParser(delimiters=["="], interpolation=None)
    config.read(root / "settings.ini", encoding="utf8")
    return config["DEFAULT"]


@pytest.fixture(scope="module")
def built(project_copy, tmp_path_factory):
    "The sdist, and the wheel that was made from it."
    target = tmp_path_factory.mktemp("dist")
    probe = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(target / "probe"), "setuptools"]
    if subprocess.run(probe, capture_output=True, check=False).returncode: pytest.skip("no package index can be reached")
    run(sys.executable, "-m", "build", "--outdir", target, project_copy)
    [sdist], [wheel] = target.glob("*.tar.gz"), target.glob("*.whl")
    return sdist, wheel


@pytest.fixture(scope="module")
def survey(built, tmp_path_factory):
    "What a fresh environment says in which only the wheel was installed."
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder / "env", with_pip=True)
    python = folder / "env" / "bin" / "python"
    run(python, "-m", "pip", "--disable-pip-version-check", "install", "-q", built[1])
    (folder / "survey.py").write_text(SURVEY)
    told = run(python, "-I", folder / "survey.py", cwd=folder, input=json.dumps([DEVELOPMENT, HEAVY]))
    return json.loads(told.splitlines()[-1])


def test_sdist_is_complete(built, root):
    "Every file of the repository travels with the source; what was generated on this machine does not."
    with tarfile.open(built[0]) as tar: names = {m.name.split("/", 1)[1] for m in tar.getmembers() if "/" in m.name}
    assert [n for n in names if re.search(r"__pycache__|\.venv|_docs/|_proc/|\.ipynb_checkpoints|\.new\.ipynb", n)] == []
    if not (root / ".git").exists(): pytest.skip("not a checkout: nothing to compare with")
    tracked = set(run("git", "ls-files", "-z", cwd=root).split("\0")) - {""}
    assert {n for n in tracked - names - NOT_SHIPPED if (root / n).is_file()} == set()


def test_the_unpacked_source_works(built, tmp_path):
    "The README and the lint by default, and tests that read the whole tree; the site and all other quick tests with SLOW=1."
    with tarfile.open(built[0]) as tar: tar.extractall(tmp_path, filter="data")
    [project] = tmp_path.iterdir()
    options = dict(cwd=project, env=AS_USED | {"PYTHONPATH": str(project)})
    run(sys.executable, "tools/readme.py", "--check", **options)
    run(sys.executable, "tools/lint.py", **options)
    run(sys.executable, "-m", "pytest", "-q", "tests/project/test_lint.py", "tests/project/test_repository.py", **options)
    if not SLOW: return
    run(sys.executable, "tools/docs.py", "--trial", **options)
    options["env"] |= {"SLOW": ""}  # the slow ones have run from the checkout
    run(sys.executable, "-m", "pytest", "-q", "tests", "--ignore=tests/project/test_packaging.py", **options)


def test_wheel_holds_the_package_only(built, settings, root):
    with zipfile.ZipFile(built[1]) as wheel:
        names = wheel.namelist()
        metadata = email.message_from_bytes(wheel.read(next(n for n in names if n.endswith(".dist-info/METADATA"))))
    assert {n.split("/")[0] for n in names} == {"costboot", f"costboot-{settings['version']}.dist-info"}
    files = {p.relative_to(root).as_posix() for p in (root / "costboot").rglob("*") if p.is_file() and "__pycache__" not in p.parts}
    files |= {f"costboot/teaching/lessons/{p.name}" for p in (root / "nbs" / "tutorials").glob("[0-9]*.ipynb") if not p.stem.endswith("_teachers")}  # `costboot lab` copies them
    assert {n for n in names if n.startswith("costboot/")} == files, "modules, and the files that they read"
    assert any(n.endswith("LICENSE") for n in names)
    assert metadata["Version"] == settings["version"]
    assert metadata["Requires-Python"] == f">={settings['min_python']}"
    assert set(metadata.get_all("Provides-Extra")) == {"dev", "dask", "bench", "fast", "lite", "teach"}
    plain = [r for r in metadata.get_all("Requires-Dist") if "extra ==" not in r]
    assert len(plain) == len(settings["requirements"].split())


@pytest.mark.slow
def test_every_module_imports(survey, root):
    paths = [p.relative_to(root).with_suffix("") for p in (root / "costboot").rglob("*.py")]
    assert set(survey["names"]) == {".".join(p.parts).removesuffix(".__init__") for p in paths}


@pytest.mark.slow
def test_installed_code_is_used(survey, root): assert str(root) not in survey["file"] and "site-packages" in survey["file"]


@pytest.mark.slow
def test_version(survey, settings): assert survey["version"] == [settings["version"]] * 2


@pytest.mark.slow
def test_no_development_tool_is_needed(survey): assert survey["installed"] == []


@pytest.mark.slow
def test_import_is_light(survey):
    "Libraries for drawing, tables and models are loaded when they are needed, not by `import costboot`."
    assert survey["early"] == []
