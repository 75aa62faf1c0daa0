"""Explorers in a real kernel, and what `check_explorer` catches."""

import logging
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import ipywidgets
import matplotlib
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402

from static_explorers import quietly  # noqa: E402

from costboot.core.explorer_tool import MOST_FRAMES, check_explorer, explore  # noqa: E402


def fig_line(slope=1.0, style="solid", thick=False, power=1):
    fig, ax = plt.subplots(figsize=(2, 2))
    ax.plot([0, 1], [0, slope], linestyle=style, linewidth=3 if thick else 1)
    ax.set(xlim=(0, 1), ylim=(-3, 3), title=str(power))
    plt.close(fig)
    return fig


def explore_line(**controls):
    return explore(fig_line, **(controls or dict(slope=(-2.0, 2.0), style=["solid", "dotted"], thick=False, power=(1, 3))))


pytestmark = pytest.mark.usefixtures("no_figure_is_left")


def test_a_healthy_explorer_passes_and_is_left_alone():
    explorer = explore_line()
    before = dict(explorer.kwargs)
    assert check_explorer(explorer) == 2 + 2 + 2 + 2 + 2
    assert {c._kwarg: c.value for c in explorer.kwargs_widgets} == before


def test_labels_carry_the_range_and_start_at_the_default():
    explorer = explore_line()
    assert [c.description for c in explorer.children[:-1]] == ["slope", "style", "thick", "power"]
    assert explorer.children[0].tooltip == "slope; -2 to 2 (slope in Python)"
    assert explorer.kwargs == dict(slope=1.0, style="solid", thick=False, power=1)


def test_a_widget_is_used_as_it_is():
    slider = ipywidgets.FloatSlider(value=0.5, min=0, max=2, description="steepness", continuous_update=False)
    explorer = explore_line(slope=slider)
    assert explorer.children[0] is slider and slider.description == "steepness" and slider.value == 0.5
    assert check_explorer(explorer) == 4


def test_moving_a_control_draws_a_new_frame():
    explorer = explore_line()
    first = explorer.result
    explorer.children[0].value = -1.0
    assert explorer.kwargs["slope"] == -1.0 and explorer.result.data != first.data
    explorer.children[0].value = 1.0
    assert explorer.result is first


def test_the_memory_for_frames_is_bounded_and_the_oldest_go():
    calls = []

    def fig_counted(slope=0):
        calls.append(slope)
        return fig_line(slope / 100)

    explorer = explore(fig_counted, slope=(0, 2 * MOST_FRAMES))
    for slope in (*range(1, MOST_FRAMES), 0, MOST_FRAMES): explorer.children[0].value = slope
    assert calls == list(range(MOST_FRAMES + 1)) and len(explorer.memory.frames) == MOST_FRAMES
    explorer.children[0].value = 0  # seen again not long ago
    assert len(calls) == MOST_FRAMES + 1
    explorer.children[0].value = 1  # the one that was not
    assert calls[-1] == 1 and len(calls) == MOST_FRAMES + 2


def test_values_that_cannot_be_looked_up_are_drawn_again():
    calls = []

    def fig_counted(slope=0.0, ends=None):
        calls.append(slope)
        return fig_line(slope * ends[-1])

    explorer = explore(fig_counted, slope=(0.0, 1.0), ends=ipywidgets.fixed([0, 1]))
    for slope in (1.0, 0.0): explorer.children[0].value = slope
    assert calls == [0.0, 1.0, 0.0]


def test_what_is_not_a_figure_is_handed_over():
    explorer = explore(lambda slope=0.0: f"slope {slope}", slope=(0.0, 1.0))
    explorer.children[0].value = 1.0
    assert explorer.result == "slope 1.0"


def test_an_error_is_told_and_not_remembered(caplog, monkeypatch):
    monkeypatch.setattr("traitlets.log.get_logger", lambda: logging.getLogger("traitlets"))  # a Jupyter application in the same process keeps its messages to itself
    failing = [True]

    def fig_failing(slope=0.0):
        if slope == 1 and failing[0]: raise ValueError("`slope` must be below 1; got 1.0.")
        return fig_line(slope)

    explorer = explore(fig_failing, slope=(0.0, 1.0))
    explorer.children[0].value = 1.0
    assert "`slope` must be below 1; got 1.0." in caplog.text
    explorer.children[0].value, failing[0] = 0.0, False
    wrong = explorer.result
    explorer.children[0].value = 1.0
    assert explorer.result.data != wrong.data


@pytest.mark.parametrize(("controls", "error", "message"), [
    (dict(), ValueError, "at least one control"),
    (dict(colour=["red"]), ValueError, "got `colour`"),
    (dict(slope=(2.0, 3.0)), ValueError, "`slope` must include the default 1.0"),
    (dict(style=["dashed"]), ValueError, "`style` must include the default 'solid'"),
    (dict(slope=None), TypeError, "`slope` must be a widget"),
])
def test_explore_refuses(controls, error, message):
    with pytest.raises(error, match=message): explore(fig_line, **controls)


def test_explore_refuses_what_is_not_a_function():
    with pytest.raises(TypeError, match="`fig` must be a function"): explore("fig_line", slope=(0.0, 1.0))


def test_explore_refuses_an_argument_without_control_and_default():
    with pytest.raises(ValueError, match="must include `b`"): explore(lambda a, b: fig_line(), a=(0.0, 1.0))


def broken_at_an_end(slope=0.0):
    if slope == 2: raise KeyError("two")
    return fig_line(slope)


def broken_runtime(slope=0.0):
    if slope == -2: raise RuntimeError("minus two")
    return fig_line(slope)


def returns_axes(slope=0.0): return fig_line(slope).axes[0]


def returns_nothing(slope=0.0): fig_line(slope)


def leaves_open(slope=0.0):
    fig, ax = plt.subplots(figsize=(2, 2))
    ax.axhline(slope)
    return fig


def leaves_another_open(slope=0.0):
    if slope == 2: plt.figure()
    return fig_line(slope)


calls = iter(range(10**6))
def unseeded(slope=0.0): return fig_line(power=next(calls))


def dead(slope=0.0): return fig_line(1.0)


def undrawable(slope=0.0):
    fig = fig_line(slope)
    fig.axes[0].set_title(r"$\nonsense{$")
    return fig


@pytest.mark.parametrize(("fig", "message"), [
    (broken_at_an_end, r"slope=2\.0 it raised KeyError"),
    (broken_runtime, r"slope=-2\.0 it raised RuntimeError: minus two"),
    (returns_axes, "must return a matplotlib Figure; at the starting values"),
    (returns_nothing, "it returned None"),
    (leaves_open, "must close its figures; at the starting values it left 1 open"),
    (leaves_another_open, r"at slope=2\.0 it left 1 open"),
    (unseeded, "same picture twice"),
    (dead, r"control `slope` must change the figure; it looks the same at \[-2\.0, 2\.0\]"),
    (undrawable, "at the starting values it raised"),
])
def test_check_explorer_catches(fig, message):
    explorer = quietly(lambda: explore(fig, slope=(-2.0, 2.0)))
    with pytest.raises(RuntimeError, match=message): check_explorer(explorer)


def test_check_explorer_names_a_control_without_ends():
    explorer = explore(fig_line, style="solid")
    with pytest.raises(RuntimeError, match="control `style` must be a slider, a menu or a tick box; got Text"): check_explorer(explorer)


def test_check_explorer_wants_an_explorer():
    with pytest.raises(TypeError, match="must be an ipywidgets.interactive"): check_explorer(fig_line)


@pytest.mark.parametrize("module", ["costboot.core.explorer_tool", "costboot.curves.roc", "costboot.curves.cost"])
def test_widgets_and_plots_are_loaded_only_when_needed(module):
    code = f"import sys, {module}; print(*[m for m in ('ipywidgets', 'matplotlib', 'IPython', 'sklearn', 'pandas') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == ""


def run_in_kernel(cells):
    "A notebook of these cells, run in a kernel of its own."
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    client = nbclient.NotebookClient(notebook, kernel_name="python3", timeout=120)
    with ThreadPoolExecutor(1) as alone: alone.submit(client.execute).result()  # a browser of other tests may hold this thread's event loop
    return notebook


def test_one_image_for_each_update_in_a_real_kernel():
    cells = [
        "import inspect, matplotlib.pyplot as plt\nfrom costboot.core.explorer_tool import explore",
        "def fig_line(slope=1.0):\n    fig, ax = plt.subplots(figsize=(2, 2))\n    ax.plot([0, 1], [0, slope])\n    ax.set_ylim(-3, 3)\n"
        "    plt.close(fig)\n    return fig",
        "w = explore(fig_line, slope=(-2.0, 2.0))\nw",
        "pictures = [[list(o['data']) for o in w.out.outputs]]\nimages = [o['data']['image/png'] for o in w.out.outputs]",
        "w.children[0].value = -1.5",
        "pictures.append([list(o['data']) for o in w.out.outputs])\nimages += [o['data']['image/png'] for o in w.out.outputs]",
        "w.children[0].value = 0.5",
        "pictures.append([list(o['data']) for o in w.out.outputs])\nimages += [o['data']['image/png'] for o in w.out.outputs]",
        "print(len(images), len(set(images)), [[kinds.count('image/png') for kinds in p] for p in pictures])",
    ]
    notebook = run_in_kernel(cells)
    assert notebook.cells[-1].outputs[0].text.strip() == "3 3 [[1], [1], [1]]"
    shown = [o for cell in notebook.cells[:-1] for o in cell.outputs]
    assert len(shown) == 1 and "application/vnd.jupyter.widget-view+json" in shown[0].data


def test_an_error_takes_the_place_of_the_picture_in_a_real_kernel():
    cells = [
        "import matplotlib.pyplot as plt\nfrom costboot.core.explorer_tool import explore",
        "def fig_line(slope=1.0):\n    if slope < 0: raise ValueError('`slope` must be at least 0; got %s.' % slope)\n    fig, ax = plt.subplots(figsize=(2, 2))\n"
        "    ax.plot([0, 1], [0, slope])\n    plt.close(fig)\n    return fig",
        "w = explore(fig_line, slope=(-2.0, 2.0))\nw",
        "w.children[0].value = -1.5",
        "wrong = [(o['output_type'], o.get('ename'), o.get('evalue')) for o in w.out.outputs]",
        "w.children[0].value = 0.5",
        "print(wrong, [list(o['data']).count('image/png') for o in w.out.outputs])",
    ]
    notebook = run_in_kernel(cells)
    assert notebook.cells[-1].outputs[0].text.strip() == "[('error', 'ValueError', '`slope` must be at least 0; got -1.5.')] [1]"
