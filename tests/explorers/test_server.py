"""The app as a server: who is let in, how many explorers run, and what a message made by hand can do."""

import http.client
import re
import socket
import subprocess
import sys
import time
import warnings

import pytest

import costboot as cb
from costboot.core.explorer_tool import explore

voila = pytest.importorskip("voila")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@pytest.fixture(scope="module")
def server(root, tmp_path_factory):
    "Its port and its token; room for one explorer."
    port, log = free_port(), tmp_path_factory.mktemp("server") / "log.txt"
    with open(log, "w") as file:
        process = subprocess.Popen([sys.executable, "-m", "costboot.explorers.app", "--no-browser", "--kernels", "1", "--port", str(port), "--notebooks", str(root / "nbs")],
                                   stdout=file, stderr=subprocess.STDOUT, cwd=log.parent)
        try:
            deadline = time.monotonic() + 120
            while not (found := re.search(r"token=(\w+)", log.read_text())):
                assert process.poll() is None and time.monotonic() < deadline, log.read_text()[-2000:]
                time.sleep(0.3)
            yield port, found[1]
        finally:
            process.terminate()
            process.wait(30)


def get(port, path, **headers):
    "Status and text of an answer."
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    line.request("GET", path, headers=headers)
    answer = line.getresponse()
    text = answer.read().decode("utf8", "replace")
    line.close()
    return answer.status, text


def test_without_the_token_nothing_is_shown_and_nothing_started(server):
    port, token = server
    for path in ("/", "/voila/render/explore_cost_law.ipynb"):
        status, text = get(port, path)
        assert status in (302, 403) and "explore_" not in text
    status, text = get(port, f"/?token={token}")
    assert status == 200 and "explore_cost_law" in text
    assert get(port, "/?token=wrong")[0] in (302, 403)


def test_a_foreign_host_is_refused(server):
    port, token = server
    for host in ("attacker.example", f"attacker.example:{port}"):
        status, text = get(port, f"/?token={token}", Host=host)
        assert status == 403 and "explore_" not in text
    assert get(port, f"/?token={token}", Host=f"localhost:{port}")[0] == 200


def test_one_explorer_too_many_gets_a_polite_page(server):
    port, token = server
    path = f"/voila/render/explore_auc.ipynb?token={token}"
    assert get(port, path)[0] == 200
    status, text = get(port, path)
    assert status == 503 and "All places are taken" in text and "Traceback" not in text


def small(n=10, kind="a", both=True):
    from matplotlib import pyplot as plt
    figure = plt.figure()
    plt.close(figure)
    SEEN.append((n, kind, both))
    return figure


SEEN = []


def test_a_value_is_checked_again_behind_its_control():
    "A message may move the end of a slider with its value; the figure function never sees it."
    made = explore(small, n=(1, 1000), kind=["a", "b"], both=True)
    slider = next(w for w in made.kwargs_widgets if w._kwarg == "n")
    SEEN.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        slider.set_state({"max": 20_000_000, "value": 20_000_000})
        made.update()
    assert slider.value == 20_000_000 and not SEEN
    slider.value = 1000
    made.update()
    assert SEEN and SEEN[-1][0] == 1000


@pytest.mark.parametrize("name", sorted(n for n in cb.explorers.__all__ if n.startswith("explore_"))[:6])
def test_the_values_of_real_explorers_are_legal(name):
    from costboot.core.explorer_tool import control_ends
    made = getattr(cb.explorers, name)()
    for widget in made.kwargs_widgets:
        if name_of := getattr(widget, "_kwarg", None):
            for value in control_ends(widget): assert made.legal[name_of](value)


def test_the_make_command_starts_a_module_that_exists(root):
    from importlib.util import find_spec
    module = re.search(r"^app:.*\n\t.*-m (\S+)", (root / "Makefile").read_text(), re.M)[1]
    assert find_spec(module)
