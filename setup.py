"""Package description; every value comes from settings.ini, which nbdev reads too."""

from configparser import ConfigParser
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

here = Path(__file__).parent
config = ConfigParser(delimiters=["="], interpolation=None)
config.read(here / "settings.ini", encoding="utf8")
cfg = config["DEFAULT"]

DATA = "j2", "html", "css", "js", "json", "toml", "yaml", "pyi", "typed"  # files of the package that are not modules, by their ending



class WithLessons(build_py):
    "The package with the lessons that `costboot lab` copies; in the repository they stand once, in nbs/tutorials."
    def run(self):
        super().run()
        if self.editable_mode: return  # a clone has them where they are
        target = Path(self.build_lib) / "costboot" / "teaching" / "lessons"
        self.mkpath(str(target))
        for lesson in sorted((here / "nbs" / "tutorials").glob("[0-9][0-9]_*.ipynb")):
            if not lesson.stem.endswith("_teachers"): self.copy_file(str(lesson), str(target / lesson.name))


setup(
    name=cfg["lib_name"],
    version=cfg["version"],
    description=cfg["description"],
    long_description=(here / "README.md").read_text(encoding="utf8"),
    long_description_content_type="text/markdown",
    author=cfg["author"],
    author_email=cfg["author_email"],
    url=cfg["git_url"],
    keywords=cfg["keywords"],
    license="Apache-2.0",
    packages=find_packages(include=["costboot", "costboot.*"]),
    package_data={"costboot": [f"**/*.{ending}" for ending in DATA]},
    cmdclass={"build_py": WithLessons},
    python_requires=f">={cfg['min_python']}",
    install_requires=cfg["requirements"].split(),
    extras_require={name: cfg[f"{name}_requirements"].split() for name in ("fast", "teach", "lite", "dev", "dask", "bench")},
    entry_points={"nbdev": [f"{cfg['lib_name']}={cfg['lib_path']}._modidx:d"],
                  "console_scripts": cfg.get("console_scripts", "").split()},
    classifiers=[
        "Development Status :: 4 - Beta",
        "Intended Audience :: Science/Research",
        "Programming Language :: Python :: 3.11",
        "Programming Language :: Python :: 3.12",
        "Programming Language :: Python :: 3.13",
        "Topic :: Scientific/Engineering :: Mathematics",
        "Framework :: Jupyter",
    ],
)
