"""Every explorer of the package, tried in this process at the ends of each control.

A page tries its own explorer at every end of every control, with the functions of its cells; here they come from the package, as a user gets them:
the first picture of each, and all controls of a few (of all with SLOW=1). The browser tests move
the same controls in a real kernel and look at the pixels, which is slower and needs a browser. Here the first picture is painted, the others are
compared by what they would show.
"""

import json
import re

import matplotlib

matplotlib.use("Agg")

import numpy as np  # noqa: E402
import pytest  # noqa: E402
from conftest import SLOW, sampled  # noqa: E402
from ipywidgets import fixed  # noqa: E402
from matplotlib.backends import backend_agg  # noqa: E402
from static_explorers import quietly  # noqa: E402

import costboot as cb  # noqa: E402
from costboot.core.explorer_tool import _Memory, _paint, check_explorer, control_ends, explore  # noqa: E402

EXPLORERS = sorted(name for name in cb.explorers.__all__ if name.startswith("explore_"))


def lines(ax): return [(*np.asarray(line.get_xydata(), float).ravel(), line.get_color(), line.get_linestyle()) for line in ax.lines]


def patches(ax): return [(*p.get_patch_transform().transform(p.get_path().vertices).ravel(), p.get_facecolor()) for p in ax.patches]


def collections(ax):
    return [(*(v for path in c.get_paths() for v in path.vertices.ravel()), *np.ravel(np.ma.filled(c.get_offsets(), np.nan)),
             *np.ravel(np.ma.filled(np.ma.asarray([] if c.get_array() is None else c.get_array(), float), np.nan)), *c.get_facecolor().ravel()) for c in ax.collections]


def images(ax): return [np.ma.filled(image.get_array(), np.nan).ravel().tolist() for image in ax.images]


def words(ax):
    legend = ax.get_legend()
    return [ax.get_title(), ax.get_xlabel(), ax.get_ylabel(), *((t.get_text(), t.get_position()) for t in ax.texts), *(t.get_text() for t in (legend.get_texts() if legend else ()))]


class Sketch:
    "In place of the canvas: what would be painted, without the painting, which takes most of the time."

    def __init__(self, figure): self.figure = figure

    def draw(self):
        marks = [t.get_text() for t in self.figure.texts]
        for ax in self.figure.axes: marks += [ax.get_xlim(), ax.get_ylim(), ax.axison, lines(ax), patches(ax), collections(ax), images(ax), words(ax)]
        self.marks = repr(marks).encode()

    def buffer_rgba(self): return self.marks


@pytest.fixture
def sketched(monkeypatch): monkeypatch.setattr(backend_agg, "FigureCanvasAgg", Sketch)


def values(explorer): return {widget._kwarg: widget.get_interact_value() for widget in explorer.kwargs_widgets}


def painted(figure):
    "The pixels of a figure."
    canvas = backend_agg.FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())


@pytest.mark.parametrize("name", EXPLORERS)
def test_the_first_picture_is_painted(name, capsys):
    explorer = quietly(getattr(cb.explorers, name))
    figure = explorer.f(**values(explorer))
    drawn = [a for ax in figure.axes for a in (*ax.lines, *ax.patches, *ax.collections, *ax.images)]
    pixels = painted(figure)
    assert drawn and any(ax.get_xlabel() or ax.get_title() for ax in figure.axes)
    assert (pixels != pixels[0, 0]).any(axis=2).mean() > 0.01, "next to nothing is painted"
    assert "Traceback" not in "".join(capsys.readouterr())


@pytest.mark.parametrize("name", sampled(EXPLORERS))
def test_every_control_of_the_package_works(name, sketched, capsys):
    "The same figure twice for the same values, no error at any end of any control, and every control changes what is shown."
    explorer = quietly(getattr(cb.explorers, name))
    start, controls = values(explorer), [widget for widget in explorer.kwargs_widgets if not isinstance(widget, fixed)]
    assert controls and check_explorer(explorer) == 2 + sum(len(control_ends(widget)) for widget in controls)
    assert values(explorer) == start
    assert "Traceback" not in "".join(capsys.readouterr())


UNSEEDED = "empirical"  # limits from draws that nobody seeded: no two drawings are the same


def drawn_plainly(figure, places):
    "The pixels of a figure that matplotlib draws with its axes at the given places, and how far off they are from where its own layout puts them."
    if engine := figure.get_layout_engine(): engine.execute(figure)
    own = [ax.get_position(original=True) for ax in figure.axes]
    figure.set_layout_engine("none")
    for ax, place in zip(figure.axes, places, strict=True): ax.set_position(place)
    return painted(figure)[..., :3], max(np.abs((a.extents - b.extents) * np.tile(figure.bbox.size, 2)).max() for a, b in zip(own, places))


@pytest.mark.parametrize("name", sampled(EXPLORERS))
def test_a_frame_looks_like_the_figure(name):
    "What an explorer pastes and remembers must not show: its frames against matplotlib's own drawing; with SLOW=1 at the ends of all controls."
    explorer, memory = quietly(getattr(cb.explorers, name)), _Memory()
    start, controls = values(explorer), [widget for widget in explorer.kwargs_widgets if not isinstance(widget, fixed)]
    moves = [{widget._kwarg: end} for widget in controls for end in control_ends(widget) if end != UNSEEDED]
    for move in [{}, *moves, {}] if SLOW else [moves[-1], {}]:
        frame = _paint(explorer.f(**start | move), memory).astype(int)
        plain, pixels = drawn_plainly(explorer.f(**start | move), memory.places)
        assert frame.shape == plain.shape
        assert pixels < 2, f"{name} at {move}: the axes are {pixels:.1f} pixels off"
        assert np.abs(frame - plain).max() <= 3, f"{name} at {move}: {(np.abs(frame - plain).max(axis=2) > 3).mean():.2%} of the pixels differ"


def test_every_page_tries_its_explorers(root):
    "So that all controls are tried in each run, whatever is sampled here."
    for name in EXPLORERS:
        page = next(p for p in (root / "nbs").rglob("*.ipynb") if f"def {name}(" in p.read_text(encoding="utf8"))
        cells = ["".join(c["source"]) for c in json.loads(page.read_text(encoding="utf8"))["cells"] if c["cell_type"] == "code"]
        tried = [c for c in cells if "check_explorer(" in c and not re.search(r"^#\| *(?:slow|eval: *false)", c, flags=re.M)]
        assert any(f"{name}(" in c or f"({name}" in c for c in tried), f"{page.name} must give {name}() to check_explorer"


def test_a_dead_control_is_seen_without_painting(sketched):
    "The sketch notices a change of a number, a colour or a word, and nothing where nothing changes."
    from matplotlib import pyplot as plt

    def fig_dots(height=1.0, colour="red", word="a", nothing=0):
        figure, ax = plt.subplots(figsize=(1, 1))
        ax.plot([0, 1], [0, height])
        ax.fill_between([0, 1], [0, 0.5], color=colour)
        ax.text(0, 0, word)
        plt.close(figure)
        return figure

    assert check_explorer(quietly(lambda: explore(fig_dots, height=(0.0, 1.0), colour=["red", "blue"], word=["a", "b"]))) == 8
    with pytest.raises(RuntimeError, match="`nothing` must change the figure"): check_explorer(quietly(lambda: explore(fig_dots, nothing=(0, 1))))


def test_every_figure_has_an_explorer_or_belongs_to_the_report():
    shown = {quietly(getattr(cb.explorers, name)).f.__name__ for name in EXPLORERS}
    others = {name for name in cb.explorers.__all__ if name.startswith("fig_")} - shown
    assert others == {"fig_comparison", "fig_costs", "fig_difference", "fig_dominance", "fig_regions", "fig_rocs"}


OTHER_MENUS: dict = {}  # explorers that start with another method, because their page is about it


def test_the_recommended_interval_is_offered_first():
    "Where an explorer lets one choose the kind of interval, it starts with the recommended one; one that shows all at once may start with all."
    menus = {name: widget for name in EXPLORERS for widget in quietly(getattr(cb.explorers, name)).kwargs_widgets if widget._kwarg == "method"}
    assert len(menus) >= 8 and set(OTHER_MENUS) <= set(menus)
    for name, widget in menus.items():
        first = OTHER_MENUS.get(name, "recommended")
        assert next(option for option in widget.options if option != "all") == first, name
        assert widget.get_interact_value() in (first, "all"), name
