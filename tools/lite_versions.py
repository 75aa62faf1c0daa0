"""Every notebook of the live site, run by CPython with the versions that Pyodide's own lock file names, and without a compiler.

    python tools/lite_versions.py [--python PATH] [--pyodide VERSION] [--keep FOLDER] [notebook ...]

The lock file comes from npm: the package `pyodide`, in the version that the kernel of JupyterLite loads. An environment is made with the newest CPython of this machine (`--python` names
another one), the wheel of this tree and those versions; `lite_run.py` runs the notebooks in it with what a browser lacks taken away. This
shows everything but Pyodide's own builds of the libraries, which come from its address and can be tried only where there is a network (`lite_smoke.py`).
"""

import argparse
import email
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import layout
import lite
from packaging.requirements import Requirement

KERNEL = "ipykernel", "comm", "pyodide-kernel", "jedi", "ipython"  # what the kernel of JupyterLite installs when it starts
PYTHONS = [f"python3.{minor}" for minor in range(20, 10, -1)]
ALSO = "ipython", "matplotlib-inline"  # what runs the notebooks
HERE = "pexpect", "ptyprocess"  # what IPython wants beyond that where there are processes


def normal(name): return re.sub(r"[-_.]+", "-", name).lower()


def version():
    "The version of Pyodide that the kernel loads."
    from jupyterlite_pyodide_kernel.constants import PYODIDE_VERSION

    return PYODIDE_VERSION


def pyodide(number, file): return layout.package(f"pyodide@{number}", file, layout.NPM / f"pyodide-{number}")


def lock(number):
    "Pyodide's lock file: which Python it is, and name -> version, file and dependencies of what it has."
    path = pyodide(number, "pyodide-lock.json")
    if path is None: sys.exit(f"lite: pyodide {number} is not there, and npm cannot bring it")
    told = json.loads(path.read_text(encoding="utf8"))
    return told["info"]["python"], {normal(name): entry for name, entry in told["packages"].items()}


# --- what the kernel will find ---------------------------------------------------------------------------------------
def metadata(wheel):
    "The description of a wheel."
    with zipfile.ZipFile(wheel) as file: return email.message_from_bytes(file.read(next(n for n in file.namelist() if n.endswith(".dist-info/METADATA"))))


def served(folder):
    "The wheels in a folder and those that the kernel brings, the newest of each: name -> path."
    own = lite.extension(lite.EXTENSIONS[0]) / "static" / "pypi"
    return {normal(wheel.name.split("-")[0]): wheel for wheel in sorted([*own.glob("*.whl"), *folder.glob("*.whl")], key=lambda p: p.name)}


def markers(python):
    "What a requirement may ask about Pyodide."
    return dict(python_version=".".join(python.split(".")[:2]), python_full_version=python, sys_platform="emscripten", platform_system="Emscripten", platform_machine="wasm32", os_name="posix", extra="")


def closure(wanted, wheels, python, packages):
    "What the names need, and from where: name -> (\"site\" or \"pyodide\", version); and what is missing or too old."
    found, wrong, todo = {}, [], [Requirement(name) for name in wanted]
    while todo:
        need = todo.pop()
        name = normal(need.name)
        if need.marker and not need.marker.evaluate(markers(python)): continue
        if name not in found:
            if name in wheels:
                told = metadata(wheels[name])
                found[name] = "site", told["Version"]
                if told["Requires-Python"] and python not in Requirement(f"x{told['Requires-Python']}").specifier: wrong.append(f"{name} wants Python {told['Requires-Python']}")
                todo += [r for r in map(Requirement, told.get_all("Requires-Dist") or []) if not r.marker or "extra" not in str(r.marker)]
            elif name in packages:
                found[name] = "pyodide", packages[name]["version"]
                todo += [Requirement(normal(n)) for n in packages[name]["depends"]]
            else: wrong.append(f"{name} is neither on the site nor in Pyodide")
        if name in found and not need.specifier.contains(found[name][1], prereleases=True): wrong.append(f"{need} is wanted, and {found[name][0]} has {found[name][1]}")
    return found, sorted(set(wrong))


# --- the environment -------------------------------------------------------------------------------------------------
def newest():
    "The newest CPython here: on the PATH, or one that pyenv has."
    shims = sorted(Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/3.*/bin"))
    path = os.pathsep.join([*map(str, reversed(shims)), os.environ.get("PATH", "")])
    def works(python): return python and subprocess.run([python, "-c", "import venv, ensurepip"], capture_output=True, check=False).returncode == 0
    return next((found for name in PYTHONS if works(found := shutil.which(name, path=path))), sys.executable)


def environment(folder, python, number):
    "Make it, with the wheels of the site and the versions of the lock file, as Pyodide chooses them: the path of its interpreter, and the versions in it."
    (folder / "wheels").mkdir(exist_ok=True)
    lite.wheels(folder / "wheels")
    wheels = served(folder / "wheels")
    found, wrong = closure([*lite.NEEDED, *ALSO], wheels, *lock(number))
    if wrong: sys.exit("lite: " + "\n".join(wrong))
    subprocess.run([python, "-m", "venv", folder / "env"], check=True)
    inside = folder / "env" / "bin" / "python"
    named = [wheels[name] if place == "site" else f"{name}=={told}" for name, (place, told) in found.items()]
    subprocess.run([inside, "-m", "pip", "--disable-pip-version-check", "install", "-qq", "--no-deps", "--only-binary", ":all:", *named, *HERE], check=True)
    subprocess.run([inside, "-I", "-c", "import matplotlib.font_manager"], env=surroundings(folder), check=True)  # its list of fonts, which Pyodide's build brings along, is made in a thread
    told = "import json, platform; from importlib.metadata import distributions; print(json.dumps([platform.python_version(), {d.metadata['Name']: d.version for d in distributions()}]))"
    return inside, *json.loads(subprocess.run([inside, "-I", "-c", told], text=True, capture_output=True, check=True).stdout)


def differences(installed, number):
    "What is installed in another version than the lock file names: (name, here, there)."
    packages = lock(number)[1]
    return [(name, here, packages[normal(name)]["version"]) for name, here in sorted(installed.items()) if normal(name) in packages and here != packages[normal(name)]["version"] and normal(name) not in ("pip", "setuptools")]


def surroundings(folder):
    "The environment of a process: nothing of ours, and a home of its own."
    mine = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "COSTBOOT", "IPYTHON"))}
    return mine | {"HOME": str(folder), "IPYTHONDIR": str(folder / "ipython"), "MPLCONFIGDIR": str(folder / "matplotlib")}


def run(inside, page, nb, folder):
    "One notebook in a process of its own."
    path = folder / "notebooks" / page
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(nb), encoding="utf8")
    done = subprocess.run([inside, "-I", lite.ROOT / "tools" / "lite_run.py", path, "--move"], cwd=path.parent, env=surroundings(folder), text=True, capture_output=True, check=False)
    if done.returncode: return dict(seconds=0, cells=0, wrong=[(0, done.stderr.strip()[-500:])])
    return json.loads(done.stdout.splitlines()[-1])


def prove(python=None, number=None, pages=None, folder=None):
    "Run the notebooks; a dictionary with the versions and what each notebook said."
    number, python, made = number or version(), python or newest(), lite.contents()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(folder or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        inside, here, installed = environment(folder, python, number)
        told = {page: run(inside, page, made[page], folder) for page in pages or made}
    return dict(pyodide=number, python=(here, lock(number)[0]), installed=installed, differences=differences(installed, number), notebooks=told)


def main(argv=None):
    "Prove it, and report."
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", help="the interpreter; the newest one by default")
    parser.add_argument("--pyodide", help="the version of Pyodide; that of JupyterLite's kernel by default")
    parser.add_argument("--keep", type=Path, help="where to make the environment; it stays there")
    parser.add_argument("notebooks", nargs="*", help="paths in the live site; all by default")
    told = parser.parse_args(argv)
    found = prove(told.python, told.pyodide, told.notebooks, told.keep)
    here, there = found["python"]
    print(f"lite: CPython {here} (Pyodide {found['pyodide']} has {there}); numba: {'numba' in found['installed']}")
    for name, version_here, version_there in found["differences"]: print(f"lite: {name} is {version_here} here and {version_there} there")
    for page, said in found["notebooks"].items():
        print(f"lite: {'passed' if not said['wrong'] else 'FAILED'} {said['seconds']:6.1f} s  {said['cells']:3} cells  {page}")
        for cell, error in said["wrong"]: print(f"      cell {cell}: {error}")
    return int(any(said["wrong"] for said in found["notebooks"].values()) or "numba" in found["installed"])


if __name__ == "__main__": sys.exit(main())
