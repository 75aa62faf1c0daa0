"""The versions that are installed in this environment, one on a line, for `pip install -c`; costboot itself is left out.

    python tools/constraints.py > constraints.txt
"""

import re
import sys
from importlib.metadata import distributions

LEFT_OUT = {"costboot", "pip", "setuptools", "wheel"}  # the package, and what builds it


def normal(name): return re.sub(r"[-_.]+", "-", name).lower()


def lines():
    "name==version, sorted."
    found = {normal(d.metadata["Name"]): d.version for d in distributions()}
    return [f"{name}=={version}" for name, version in sorted(found.items()) if name not in LEFT_OUT]


def main():
    "Print them, and where they come from."
    print(f"# The development environment that was tested, Python {sys.version_info.major}.{sys.version_info.minor}; `make constraints` renews it.")
    print("\n".join(lines()))


if __name__ == "__main__": main()
