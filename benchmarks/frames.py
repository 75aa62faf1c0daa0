"""How long an explorer takes from the move of a control to the picture that is sent, in a real kernel and without a browser.

    python benchmarks/frames.py [explorer ...] [--values 5] [--json FILE]

Every explorer is built in a kernel, as JupyterLab and Voila build it. After a warm-up (the first picture, and every control at its ends with another
control off its start, so that code is compiled and nothing that is measured has been drawn before) each control goes through a few values with
the others at their start. A frame is timed from the change to the moment the picture has been handed on: wall clock and processor. The figure
function is timed inside it: its share is computing, the rest is drawing. The goal: no median above 100 ms, no frame above 250 ms.
"""

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
MEDIAN, LARGEST = 0.100, 0.250  # seconds


def explorers():
    "The names of all explorers of the book."
    from costboot import explorers as door
    return sorted(name for name in dir(door) if name.startswith("explore_"))


# --- in the kernel ---------------------------------------------------------------------------------------------------
def stops(widget, count):
    "Up to `count` values of a control, evenly spread from end to end, without the one it stands at."
    from costboot.core.explorer_tool import control_ends
    from costboot.explorers.static_files import _slider_values
    values = _slider_values(widget) if hasattr(widget, "step") and not isinstance(widget.value, tuple) else control_ends(widget)
    values = [value for value in values if value != widget.value]
    kept = sorted({round(k * (len(values) - 1) / max(count - 1, 1)) for k in range(count)}) if values else []
    return [values[k] for k in kept]


class Watch:
    "Counts pictures that are sent, and the seconds of a figure function."

    def __init__(self, explorer):
        from IPython import get_ipython
        self.figure_function, self.publisher = explorer.f, get_ipython().display_pub
        self.publish, self.explorer = self.publisher.publish, explorer
        self.start()

    def start(self): self.pictures, self.bytes, self.computing = 0, 0, 0.0

    def __enter__(self):
        def publish(data, *args, **kwargs):
            if "image/png" in data: self.pictures, self.bytes = self.pictures + 1, self.bytes + len(data["image/png"])
            return self.publish(data, *args, **kwargs)

        def draws(**values):
            before = time.perf_counter()
            try: return self.figure_function(**values)
            finally: self.computing += time.perf_counter() - before

        self.publisher.publish, self.explorer.f = publish, draws
        return self

    def __exit__(self, *wrong): self.publisher.publish, self.explorer.f = self.publish, self.figure_function


def warm_up(controls):
    "Every control at its ends, with another one off its start; all are put back."
    for widget in controls:
        start = widget.value
        other = next((w for w in controls if w is not widget and stops(w, 3)), None)
        if other is not None:
            rest, other.value = other.value, stops(other, 3)[len(stops(other, 3)) // 2]
        for value in stops(widget, 3): widget.value = value
        widget.value = start
        if other is not None: other.value = rest


def frames(name, values):
    "One dictionary for each frame of an explorer."
    from ipywidgets import fixed

    from costboot import explorers as door
    explorer = getattr(door, name)()
    controls = [w for w in explorer.kwargs_widgets if not isinstance(w, fixed)]
    warm_up(controls)
    found = []
    with Watch(explorer) as watch:
        for widget in controls:
            start = widget.value
            for value in stops(widget, values):
                watch.start()
                wall, processor = time.perf_counter(), time.process_time()
                widget.value = value
                wall, processor = time.perf_counter() - wall, time.process_time() - processor
                if watch.pictures != 1: raise RuntimeError(f"{name}: {watch.pictures} pictures were sent at {widget._kwarg} = {value!r}; one is right.")
                found.append(dict(control=widget._kwarg, value=str(value), wall=wall, processor=processor, computing=watch.computing, bytes=watch.bytes))
            widget.value = start
    explorer.close()
    return found


def measure(names, values, path):
    "Measure explorers one after another and write their frames into a file, a line for each explorer."
    with open(path, "a", encoding="utf8") as file:
        for name in names:
            file.write(json.dumps(dict(explorer=name, frames=frames(name, values))) + "\n")
            file.flush()


# --- outside ---------------------------------------------------------------------------------------------------------
def in_a_kernel(names, values):
    "Measure in a kernel of its own, and hand over the lines as they come."
    from jupyter_client.manager import start_new_kernel
    manager, client = start_new_kernel(kernel_name="python3")
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "frames.jsonl"
            for name in names:
                code = f"import sys; sys.path[:0] = {[str(HERE), str(HERE.parent)]!r}; import frames; frames.measure([{name!r}], {values}, {str(path)!r})"
                reply = client.execute_interactive(code, output_hook=lambda message: None, timeout=600)["content"]
                if reply["status"] != "ok": raise RuntimeError(f"{name}: {reply['ename']}: {reply['evalue']}")
                yield json.loads(path.read_text(encoding="utf8").splitlines()[-1])
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def summary(line):
    "What is said about one explorer, in seconds."
    wall = [f["wall"] for f in line["frames"]]
    slowest = max(line["frames"], key=lambda f: f["wall"])
    return dict(explorer=line["explorer"], frames=len(wall), median=statistics.median(wall), largest=max(wall), at=f"{slowest['control']} = {slowest['value']}",
                processor=statistics.median(f["processor"] for f in line["frames"]), processor_largest=max(f["processor"] for f in line["frames"]), computing=statistics.median(f["computing"] for f in line["frames"]),
                computing_share=sum(f["computing"] for f in line["frames"]) / sum(wall), kilobytes=statistics.median(f["bytes"] for f in line["frames"]) / 1e3)


def ms(seconds): return f"{1e3 * seconds:.0f}"


def report(lines):
    "One line for each explorer as it comes, then all together; hands back what is stored."
    print(f"{'explorer, times in ms':<30}{'frames':>7}{'median':>8}{'largest':>9}{'processor':>11}{'largest':>9}{'computing':>11}{'share':>7}{'kB':>6}  slowest at")
    rows, walls, processor = [], [], []
    for line in lines:
        row = summary(line)
        rows.append(row)
        walls += [f["wall"] for f in line["frames"]]
        processor += [f["processor"] for f in line["frames"]]
        print(f"{row['explorer']:<30}{row['frames']:>7}{ms(row['median']):>8}{ms(row['largest']):>9}{ms(row['processor']):>11}{ms(row['processor_largest']):>9}{ms(row['computing']):>11}"
              f"{row['computing_share']:>7.0%}{row['kilobytes']:>6.0f}  {row['at']}", flush=True)
    whole = dict(explorers=len(rows), frames=len(walls), median=statistics.median(walls), largest=max(walls), over=sum(w > LARGEST for w in walls),
                 processor=dict(median=statistics.median(processor), largest=max(processor), over=sum(w > LARGEST for w in processor)),
                 slow_medians=[r["explorer"] for r in rows if r["median"] > MEDIAN], slow_frames=[r["explorer"] for r in rows if r["largest"] > LARGEST])
    print(f"\n{whole['explorers']} explorers, {whole['frames']} frames: median {ms(whole['median'])} ms, largest {ms(whole['largest'])} ms, {whole['over']} over {ms(LARGEST)} ms")
    busy = whole["processor"]
    print(f"in processor time, which a busy machine does not stretch as much: median {ms(busy['median'])} ms, largest {ms(busy['largest'])} ms, {busy['over']} over {ms(LARGEST)} ms")
    for text, names in (("median", whole["slow_medians"]), ("a frame", whole["slow_frames"])):
        goal = MEDIAN if text == "median" else LARGEST
        print(f"{text} over {ms(goal)} ms: {', '.join(names) or 'none'}")
    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None  # far above 0: the machine had other work, and times are too long
    return dict(python=platform.python_version(), date=time.strftime("%Y-%m-%d"), load=load, goal=dict(median=MEDIAN, largest=LARGEST), all=whole, explorers=rows)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("explorers", nargs="*", help="names, such as explore_auc (default: all)")
    parser.add_argument("--values", type=int, default=5, help="values for each control (default: %(default)s)")
    parser.add_argument("--json", type=Path, help="write the result into this file")
    given = parser.parse_args(argv)
    sys.path.insert(0, str(HERE.parent))
    known = explorers()
    if unknown := sorted(set(given.explorers) - set(known)): parser.error(f"no such explorer: {', '.join(unknown)}")
    found = report(in_a_kernel(given.explorers or known, given.values))
    if given.json: given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf8")
    return 0


if __name__ == "__main__": sys.exit(main())
