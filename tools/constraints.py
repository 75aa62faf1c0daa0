"""Versions for `pip install -c`, one on a line: those that are installed here, without costboot itself, or the oldest that settings.ini allows.

    python tools/constraints.py [--oldest] > constraints.txt
"""

import configparser
import re
import sys
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = {"costboot", "pip", "setuptools", "wheel"}  # the package, and what builds it


def normal(name): return re.sub(r"[-_.]+", "-", name).lower()


def lines():
    "name==version, sorted."
    found = {normal(d.metadata["Name"]): d.version for d in distributions()}
    return [f"{name}=={version}" for name, version in sorted(found.items()) if name not in LEFT_OUT]


def oldest(root=ROOT):
    "The lower bound of every library that the package or one of its extras for users needs."
    config = configparser.ConfigParser(delimiters=["="], interpolation=None)
    config.read(root / "settings.ini", encoding="utf8")
    wanted = " ".join(config["DEFAULT"][kind] for kind in ("requirements", "fast_requirements", "teach_requirements", "dask_requirements"))
    bounds = [re.fullmatch(r"([\w-]+)(?:\[.*\])?>=([\w.]+?)(?:\.0)*(?:,.*)?", r) for r in wanted.split()]
    return [f"{b[1]}=={b[2]}.*" for b in bounds if b[1] not in ("jupyterlab", "voila")]  # a server has its own bounds


def main(argv):
    "Print them, and where they come from."
    if argv == ["--oldest"]: print("\n".join(oldest()))
    elif argv: sys.exit("the only option is --oldest")
    else:
        print(f"# The development environment that was tested, Python {sys.version_info.major}.{sys.version_info.minor}; `make constraints` renews it.")
        print("\n".join(lines()))


if __name__ == "__main__": main(sys.argv[1:])
