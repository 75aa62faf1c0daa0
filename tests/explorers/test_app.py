"""The app and the static explorers in this process: what is written, how Voila is started, what a page of HTML holds. No browser is needed."""

import base64
import io
import json
import os
import re
import sys
import types
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import ipywidgets  # noqa: E402
import numpy as np  # noqa: E402
import pytest  # noqa: E402
from static_explorers import quietly  # noqa: E402

import costboot as cb  # noqa: E402
from costboot.explorers.app import (
    DESK, advice_html, catalogue, explorer_notebook, index_html, main, page_entries, write_app,
)  # noqa: E402
from costboot.core.explorer_tool import explore  # noqa: E402
from costboot.explorers.notebook_client import rechecking_client  # noqa: E402
from costboot.explorers.static_files import (
    EmbedExplorers, combined_controls, embed_places, static_controls, static_explorer,
    static_settings,
)  # noqa: E402

EXPLORERS = sorted(name for name in cb.explorers.__all__ if name.startswith("explore_"))
DRAGGED = sorted(name for name in cb.explorers.__all__ if name.startswith("drag_"))


@pytest.fixture(scope="module")
def entries(root): return catalogue(root / "nbs")


# --- the app ---------------------------------------------------------------------------------------------------------
def test_the_command_starts_voila_on_the_pages_it_has_written(monkeypatch, root):
    "Everything up to the server itself."
    seen = {}

    def launch_instance(arguments, config):
        (pages,) = map(Path, arguments)
        seen.update(config=config, pages=sorted(p.stem for p in pages.glob("*.ipynb")), template=sorted(p.name for p in pages.parent.glob("share/voila/templates/costboot/*")),
                    path=os.environ["JUPYTER_PATH"].split(os.pathsep), folder=pages.parent)

    monkeypatch.setattr("costboot.explorers.app.app_class", lambda kernels: types.SimpleNamespace(launch_instance=launch_instance))
    monkeypatch.setenv("JUPYTER_PATH", "/elsewhere")
    assert main(["--port", "9123", "--no-browser", "--notebooks", str(root / "nbs")]) == 0
    assert seen["pages"] == sorted([*EXPLORERS, *DRAGGED, DESK]) and len(DRAGGED) == 5 and seen["template"] == ["conf.json", "index.html.j2", "tree-lab.html"]
    assert seen["config"]["Voila"] == {"ip": "127.0.0.1", "port": 9123, "open_browser": False, "auto_token": True}
    assert seen["config"]["AsyncKernelManager"]["client_factory"] is rechecking_client()
    assert seen["path"] == [str(seen["folder"] / "share"), "/elsewhere"]
    assert not seen["folder"].exists(), "the pages are removed when the server ends"


@pytest.mark.parametrize(("voila", "words", "message"), [
    (None, [], "the app needs Voila; install it with"),
    (types.SimpleNamespace(Voila=object), ["--notebooks", "no/such/folder"], "`notebooks` must be the folder with the notebooks"),
])
def test_the_command_says_what_is_missing(voila, words, message, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "voila.app", voila)
    with pytest.raises(SystemExit) as stopped: main(words)
    assert stopped.value.code == 2 and message in capsys.readouterr().err


def test_the_index_shows_every_explorer_with_its_picture(entries):
    page = index_html(entries)
    listed = re.findall(r'href="voila/render/(\w+)\.ipynb"', page)
    assert listed[0] == DESK and sorted(listed[1:]) == sorted(e.name for e in entries) == EXPLORERS
    levels = {name: next(e.level for e in entries if e.name == name) for name in listed[1:]}
    first = [name for name in listed[1:] if levels[name] == 1]
    assert len(first) == 10 and levels[listed[1]] == 1 and levels[listed[-1]] == 3, "every lesson has its explorer, in the order of the lessons"
    assert all(f'href="https://costboot.github.io/costboot/{part}' in page for part in ("laws/auc.html", "tutorials/cost_curve.html")), "links back to the book"
    pictures = [base64.b64decode(p) for p in re.findall(r"data:image/png;base64,([^\"]+)", page)]
    assert len(pictures) == len(entries) and all(p.startswith(b"\x89PNG") for p in pictures)
    assert f"{len(entries)} figures with controls" in page and "$" not in page.split("</style>")[1]


def test_advice_is_plain_html():
    assert advice_html("Try `n` < 3, `exact`, and [the page](a.ipynb), $\\theta$ *or* **so**.") == "Try <em>instances n</em> &lt; 3, <code>exact</code>, and the page, <em>theta</em> <em>or</em> <em>so</em>."


def test_a_page_of_an_explorer_runs_it(entries):
    entry = next(e for e in entries if e.name == "explore_roc_point")
    notebook = explorer_notebook(entry)
    assert notebook["cells"][1]["source"].endswith("explorers.explore_roc_point()") and notebook["nbformat"] == 4
    assert entry.title == "ROC point" and "# ROC point" in notebook["cells"][0]["source"] and "**Try** " in notebook["cells"][0]["source"]


def cell(source, *pngs, kind="code"):
    outputs = [dict(data={"image/png": base64.b64encode(png).decode()}) for png in pngs]
    return dict(cell_type=kind, source=source, outputs=outputs) if kind == "code" else dict(cell_type=kind, source=source)


def test_the_picture_of_a_page_is_that_of_the_starting_values(tmp_path):
    "The plain call before one with other values; a figure that is not shown has none."
    definition = cell("#| export\ndef explore_auc(): return explore(fig_auc, n=(1, 2))")
    shown = [cell("fig_auc(n=3)", b"other"), cell("#| fig-alt: x\nfig_auc()", b"start"), cell("fig_budget()", b"wrong"), cell("# nothing")]
    for name, cells, picture in (("both", shown, b"start"), ("one", shown[:1], b"other"), ("none", [], b"")):
        path = tmp_path / f"{name}.ipynb"
        path.write_text(json.dumps(dict(cells=[definition, *cells, cell("Words.\n\nTry `n` and watch.", kind="markdown")])))
        (entry,) = page_entries(path, {"explore_auc"})
        assert entry.picture == picture and entry.advice == "Try `n` and watch." and entry.page_title == name


def test_what_is_written_for_voila(entries, tmp_path):
    write_app(tmp_path, entries[:2])
    assert sorted(p.stem for p in (tmp_path / "pages").iterdir()) == sorted([*(e.name for e in entries[:2]), *DRAGGED, DESK])
    template = tmp_path / "share" / "voila" / "templates" / "costboot"
    assert json.loads((template / "conf.json").read_text()) == {"base_template": "lab"}
    assert (template / "tree-lab.html").read_text(encoding="utf8").startswith("{% raw %}<!doctype html>")


# --- explorers as files ----------------------------------------------------------------------------------------------
def fig_square(size=0.5, colour="red", filled=True, far=20):
    from matplotlib import pyplot as plt
    figure, ax = plt.subplots(figsize=(2, 2))
    ax.bar([0], [size], color=colour if filled else "none", edgecolor="black", width=far / 20)
    ax.set(xlim=(-1, 1), ylim=(0, 1))
    plt.close(figure)
    return figure


@pytest.fixture(scope="module")
def square(): return quietly(lambda: explore(fig_square, size=(0.0, 1.0, 0.1), colour=["red", "blue"], filled=True, far=(1, 40, 1)))


def test_a_slider_keeps_its_ends_and_its_start(square):
    size, colour, filled, far = static_controls(square, steps=5)
    assert [c.name for c in (size, colour, filled, far)] == ["size", "colour", "filled", "far"]
    assert (size.values[0], size.values[-1], size.values[size.start]) == pytest.approx((0.0, 1.0, 0.5)) and len(size.values) == 5
    assert (far.values[0], far.values[-1], far.values[far.start]) == (1, 40, 20) and len(far.values) <= 6
    assert colour.values == ("red", "blue") and colour.is_menu and set(filled.values) == {True, False}


def test_settings_are_one_control_at_a_time_and_two_together(square):
    controls = static_controls(square, steps=3)
    together = combined_controls(controls, "Try `far` with `size`; leave `colour`.")
    assert together == ("far", "size")
    start, counts = tuple(c.start for c in controls), [len(c.values) for c in controls]
    alone, both = static_settings(controls, ()), static_settings(controls, together)
    assert len(alone) == 1 + sum(n - 1 for n in counts) and all(sum(a != b for a, b in zip(s, start)) <= 1 for s in alone)
    assert len(both) == len(alone) + (counts[0] - 1) * (counts[3] - 1) and start in both


def test_a_file_shows_the_figure(square):
    "The first picture is the figure at the start; laid over it, the others are the figure elsewhere."
    from PIL import Image
    page = static_explorer(square, "A square", about="A <square>.", advice="Try `size` and `colour`, and watch.", steps=3)
    assert "<h1>A square</h1>" in page and "A &lt;square&gt;." in page and page.count("<label for=") == 4

    def pixels(code): return np.asarray(Image.open(io.BytesIO(base64.b64decode(code))).convert("RGBA")).astype(int)
    def share(picture, colour): return (np.abs(picture[..., :3] - colour).max(axis=2) < 20).mean()

    first = pixels(re.search(r'id="first"[^>]*base64,([^"]+)"', page)[1])
    data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page)[1])
    size, colour, filled, far = (control["start"] for control in data["controls"])
    assert share(first, [255, 0, 0]) > 0.05 and share(first, [0, 0, 255]) == 0
    over = pixels(data["frames"][f"{size},{1 - colour},{filled},{far}"])
    blue = np.where(over[..., 3:] > 0, over, first)
    assert share(blue, [0, 0, 255]) == pytest.approx(share(first, [255, 0, 0]), rel=0.05) and share(blue, [255, 0, 0]) == 0
    assert data["frames"][f"{size},{colour},{filled},{far}"] == ""


def test_a_file_is_made_smaller_until_it_fits(square):
    full = len(static_explorer(square, steps=4, combine=False).encode())
    assert len(static_explorer(square, steps=4, combine=False, max_bytes=full - 1).encode()) < full
    with pytest.raises(ValueError, match="`max_bytes` must be enough for a few pictures; 10 are not"): static_explorer(square, steps=3, max_bytes=10)
    with pytest.raises(ValueError, match="`steps` must be"): static_explorer(square, steps=1)


def test_other_controls():
    "A logarithmic slider has its powers; a range cannot be drawn in advance."
    powers = quietly(lambda: explore(fig_square, far=ipywidgets.FloatLogSlider(value=10, base=10, min=0, max=2, step=1)))
    (far,) = static_controls(powers)
    assert far.values == (1.0, 10.0, 100.0) and far.start == 1
    both = quietly(lambda: explore(fig_square, far=ipywidgets.IntRangeSlider(value=(1, 2), min=0, max=3)))
    with pytest.raises(ValueError, match="`explorer` must have sliders, menus and tick boxes only; `far` is IntRangeSlider"): static_controls(both)


class Cell:
    def __init__(self, cell): self.cell_type, self.source = cell["cell_type"], "".join(cell["source"])


def test_the_frame_stands_before_the_advice(tmp_path):
    (nbs := tmp_path / "nbs" / "tutorials").mkdir(parents=True)
    cells = [cell("# A page", kind="markdown"), cell("#| export\ndef explore_auc(): return explore(fig_auc, n=(1, 2))"), cell("Try `n` and watch.", kind="markdown"),
             cell("cb.explorers.explore_budget()"), cell("The end.", kind="markdown")]
    (nbs / "page.ipynb").write_text(json.dumps(dict(cells=cells)))
    assert embed_places(nbs / "page.ipynb") == {2: "explore_auc", 4: "explore_budget"}
    book = types.SimpleNamespace(cells=[Cell(c) for c in cells], path_=nbs / "page.ipynb")
    processor = EmbedExplorers(book)
    del book.cells[4]  # nbdev may drop the cell behind
    processor.end()
    frames = [re.search(r'src="([^"]+)"', c.source)[1] if "iframe" in c.source else "" for c in book.cells]
    assert frames == ["", "", "../explorers/static/auc.html#embedded", "", "", "../explorers/static/budget.html#embedded"]
    gone = EmbedExplorers(types.SimpleNamespace(cells=[Cell(c) for c in cells], path_=nbs / "page.ipynb"))
    gone.nb.cells[:] = gone.nb.cells[:1]
    with pytest.raises(ValueError, match="`explore_auc` must have a place on the page"): gone.end()
    assert EmbedExplorers(types.SimpleNamespace(cells=[], path_=None)).places == []
