"""Every explorer of the package, tried in this process at the ends of each control.

A page tries its own explorer at every end of every control, with the functions of its cells; here they come from the package, as a user gets them:
the first picture of each, and all controls of a few (of all with SLOW=1). The browser tests move
the same controls in a real kernel and look at the pixels, which is slower and needs a browser. Here the first picture is painted, the others are
compared by what they would show.
"""

import json
import pickle
import re
import subprocess
import sys
from itertools import pairwise

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


@pytest.fixture(scope="module")
def started():
    "A function that draws the first picture of an explorer once for all tests: the explorer, its figure, the pixels."
    made = {}

    def get(name):
        if name not in made:
            explorer = quietly(getattr(cb.explorers, name))
            made[name] = explorer, (figure := explorer.f(**values(explorer))), painted(figure)
        return made[name]

    return get


@pytest.mark.parametrize("name", EXPLORERS)
def test_the_first_picture_is_painted(name, started, capsys):
    _, figure, pixels = started(name)
    drawn = [a for ax in figure.axes for a in (*ax.lines, *ax.patches, *ax.collections, *ax.images)]
    assert drawn and any(ax.get_xlabel() or ax.get_title() for ax in figure.axes)
    assert (pixels != pixels[0, 0]).any(axis=2).mean() > 0.01, "next to nothing is painted"
    assert "Traceback" not in "".join(capsys.readouterr())


GREY = {"grey", "gray", "0.5", "0.6", "0.7", "0.8", "#888", "#999"}  # lines of reference, which may end under a legend


def within(box, points):
    "Which points are inside of a box."
    return ((points > box.min) & (points < box.max)).all(axis=1)


def traced(line):
    "The points of a line on the canvas, close enough to see where it goes; none where it is a line of reference or outside of its axes."
    if not line.get_visible() or str(line.get_color()) in GREY: return np.empty((0, 2))
    corners = line.get_transform().transform(np.asarray(line.get_xydata(), float))
    corners = corners[np.isfinite(corners).all(axis=1)]
    if len(corners) > 1 and line.get_linestyle() not in ("None", "", " "):
        corners = np.concatenate([np.linspace(a, b, 50) for a, b in pairwise(corners)])
    return corners[within(line.axes.bbox.padded(1), corners)] if len(corners) else corners


def covered(figure):
    "The lines of a figure that has been painted that go on under a legend of their axes."
    found = []
    for ax in figure.axes:
        if legend := ax.get_legend():
            under = legend.get_window_extent()
            found += [line.get_label() for line in ax.lines if within(under, traced(line)).any()]
    return found


@pytest.mark.parametrize("name", EXPLORERS)
def test_no_legend_covers_a_curve(name, started):
    assert covered(started(name)[1]) == []


def test_a_legend_on_a_curve_is_found():
    from matplotlib import pyplot as plt
    for place, names in (("upper left", ["curve"]), ("lower right", [])):
        figure, ax = plt.subplots(figsize=(4, 3))
        ax.plot([0, 0.5], [1, 1], label="curve")
        ax.axhline(0, color="grey")
        ax.set(xlim=(0, 1), ylim=(0, 1.05))
        ax.legend(loc=place)
        plt.close(figure)
        painted(figure)
        assert covered(figure) == names


@pytest.mark.parametrize("name", [name for name in cb.explorers.__all__ if name.startswith(("fig_", "explore_"))])
def test_a_figure_function_goes_to_a_worker_process(name):
    "It is found again by its name; so is what an explorer calls."
    function = getattr(cb.explorers, name)
    assert pickle.loads(pickle.dumps(function)) is function
    if name.startswith("explore_"): pickle.dumps(quietly(function).f)


def test_a_worker_process_draws_a_figure(tmp_path):
    "In a new process, from the pickled function and its values."
    (tmp_path / "task").write_bytes(pickle.dumps((cb.explorers.fig_cost_law, dict(theta=1.0))))
    code = "import pickle, sys; draw, given = pickle.load(open(sys.argv[1], 'rb')); print(type(draw(**given)).__name__)"
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "task"], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "Figure", done.stderr


SPIKES = {"explore_auc": (4.0, 6.0), "explore_roc_regions": (6.0,), "explore_vertical_band": (6.0,)}


@pytest.mark.parametrize("name, theta", [(name, theta) for name, several in SPIKES.items() for theta in several])
def test_the_axes_follow_a_spike(name, theta, started):
    "Where a law is squeezed to a spike, some axes show a smaller range, and what is drawn there is at least a tenth as wide or high as they are."
    explorer, usual, _ = started(name)
    figure = explorer.f(**values(explorer) | {"theta": theta})
    painted(figure)
    def spans(ax): return np.ptp(ax.get_xlim()), np.ptp(ax.get_ylim())
    def all_axes(fig): return [*fig.axes, *(inset for ax in fig.axes for inset in ax.child_axes)]
    closer = [ax for ax in all_axes(figure) if min(spans(ax)) <= 0.31]
    assert closer and not [ax for ax in all_axes(usual) if min(spans(ax)) <= min(map(min, map(spans, closer)))]
    ax = min(closer, key=lambda a: min(spans(a)))
    boxes = [p.get_window_extent() for p in ax.patches if p.get_window_extent().height > 1] or [line.get_window_extent() for line in ax.lines]
    assert max(max(b.width / ax.bbox.width, b.height / ax.bbox.height) for b in boxes) >= 0.1


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
