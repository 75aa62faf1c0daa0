"""What the repository says about itself: one address, one version, workflows that call the commands of the Makefile."""

import configparser
import re

import constraints
import pytest
import yaml

# Files that name the repository or the site.
NAMING = "CITATION.cff", "SECURITY.md", "CODE_OF_CONDUCT.md", "_quarto.yml", "README.md", "nbs/index.ipynb", "nbs/references.ipynb", "nbs/promises.ipynb", "nbs/explorers/00_app.ipynb", "costboot/explorers/app.py"


@pytest.fixture(scope="module")
def settings(root):
    config = configparser.ConfigParser(delimiters=["="], interpolation=None)
    config.read(root / "settings.ini", encoding="utf8")
    return config["DEFAULT"]


def workflows(root): return {p.stem: yaml.safe_load(p.read_text(encoding="utf8")) for p in sorted((root / ".github" / "workflows").glob("*.yml"))}


def commands(workflow): return [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]


def actions(workflow): return [step["uses"].split("@")[0] for job in workflow["jobs"].values() for step in job["steps"] if "uses" in step]


# --- addresses -------------------------------------------------------------------------------------------------------
def wrong_addresses(text, settings):
    "Addresses of this project on its hosts that are not those of settings.ini."
    host = settings["doc_host"].removeprefix("https://")
    name = re.escape(settings["lib_name"])
    found = re.findall(rf"https?://(?:github\.com/[\w.-]+/{name}|[\w-]+\.github\.io/{name}|{re.escape(host)}/[\w.-]+)(?![\w-])", text)
    return {a for a in found if a not in (settings["git_url"], settings["doc_host"] + settings["doc_baseurl"])}


@pytest.mark.parametrize("name", NAMING)
def test_one_address(name, root, settings):
    text = (root / name).read_text(encoding="utf8")
    assert wrong_addresses(text, settings) == set(), "settings.ini has another address"
    assert settings["git_url"] in text or settings["doc_host"] + settings["doc_baseurl"] in text


def test_a_wrong_address_is_found(settings):
    assert wrong_addresses("see https://github.com/elsewhere/costboot/issues", settings) == {"https://github.com/elsewhere/costboot"}
    assert wrong_addresses(f"see {settings['git_url']}/issues and {settings['doc_host']}{settings['doc_baseurl']}/api.html", settings) == set()


def test_no_other_file_names_an_address(root, settings):
    "Everything else has it from settings.ini, or is listed above."
    texts = {p.relative_to(root).as_posix(): p for folder in ("costboot", "tools", "nbs", "benchmarks", ".github") for p in (root / folder).rglob("*")
             if p.suffix in (".py", ".ipynb", ".md", ".yml") and p.name not in ("nbdev.yml", "sidebar.yml", "_quarto.yml")}  # written by nbdev; a link
    texts |= {p.name: p for p in root.glob("*.md")}
    plain = settings["doc_host"], settings["git_url"]
    naming = {n for n, p in texts.items() if any(a in p.read_text(encoding="utf8") for a in plain)}
    assert {n for n in naming - set(NAMING) if not n.endswith("_modidx.py")} == set()  # nbdev writes the index of modules


def test_the_changelog_has_the_version(root, settings):
    assert re.search(rf"^## {re.escape(settings['version'])}\b", (root / "CHANGELOG.md").read_text(encoding="utf8"), flags=re.M)


# --- workflows -------------------------------------------------------------------------------------------------------
def test_workflows_call_targets_of_the_makefile(root):
    targets = set(re.findall(r"^([a-z]+):", (root / "Makefile").read_text(encoding="utf8"), flags=re.M))
    called = {name: set(re.findall(r"^make ([a-z]+)", "\n".join(commands(w)), flags=re.M)) for name, w in workflows(root).items()}
    assert called == {"tests": {"test"}, "nightly": {"nightly"}, "docs": {"docs", "lite"}, "release": {"test", "dist"}}
    assert set().union(*called.values()) <= targets


def test_every_supported_python_is_tested(root, settings):
    jobs = workflows(root)["tests"]["jobs"]["test"]["strategy"]["matrix"]["include"]
    named = re.findall(r"Python :: (3\.\d+)", (root / "setup.py").read_text(encoding="utf8"))
    assert {j["python"] for j in jobs} == set(named) and settings["min_python"] == min(named)
    assert {j["constraints"] for j in jobs} == {"constraints.txt", "oldest.txt", ""}


def test_the_release_needs_no_password(root):
    release = workflows(root)["release"]
    assert release["jobs"]["publish"]["permissions"] == {"id-token": "write"} and "secrets." not in str(release)
    assert "pypa/gh-action-pypi-publish" in actions(release) and "quarto-dev/quarto-actions/setup" in actions(workflows(root)["docs"])


# --- versions of libraries -------------------------------------------------------------------------------------------
def required(settings, *kinds):
    words = " ".join(settings[k] for k in kinds).split()
    return {constraints.normal(re.match(r"[\w.-]+", w)[0]) for w in words}


def test_constraints_name_every_requirement_and_no_index(root, settings):
    lines = [s for s in (root / "constraints.txt").read_text(encoding="utf8").splitlines() if not s.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9-]+==[\w.]+", s) for s in lines)
    names = [s.split("==")[0] for s in lines]
    assert names == sorted(names) and "costboot" not in names
    assert required(settings, "requirements", "dev_requirements") <= set(names)


def test_every_requirement_has_a_reason(root, settings):
    text = (root / "CONTRIBUTING.md").read_text(encoding="utf8").split("## Dependencies", 1)[1].lower().replace("_", "-")
    assert {n for n in required(settings, "requirements", "dev_requirements", "bench_requirements", "dask_requirements", "lite_requirements") if n not in text} == set()


def test_oldest_versions(settings):
    found = constraints.oldest()
    wanted = required(settings, "requirements", "fast_requirements", "teach_requirements", "dask_requirements") - {"jupyterlab", "voila"}
    assert {constraints.normal(s.partition("==")[0]) for s in found} == wanted and all(re.fullmatch(r"[\w-]+==[\d.]+\.\*", s) for s in found)
