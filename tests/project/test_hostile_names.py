"""Names from outside are text: every result in a notebook, and every report, with labels, columns, models, axes and file names that are HTML."""

import importlib
import pkgutil
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import costboot as cb

HOSTILE = ("<img src=x onerror=window.hit=1>", "</td><script>window.hit=1</script>", "\"'><svg onload=window.hit=1>")
TAGS = {"p", "table", "thead", "tbody", "tr", "th", "td", "div", "caption", "small", "span", "ul", "li", "h1", "h2", "h3", "section", "b", "style", "a", "strong", "em"}


def result_types():
    "Every class of the package that says how a notebook shows it."
    found = set()
    for module in pkgutil.walk_packages(cb.__path__, "costboot."):
        if module.name.endswith("__main__"): continue
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, type) and value.__module__.startswith("costboot") and hasattr(value, "_repr_html_"): found.add(value)
    return sorted(found, key=lambda c: c.__qualname__)


OF_ITS_OWN = {"Report", "_Written", "Table", "PointLaw", "DerivationCheck"}  # written by a template, by another result, by the page of derivations: below


def harmless(shown):
    "No tag and no handler that we did not write."
    assert set(re.findall(r"<\s*([a-zA-Z]+\d?)", shown)) <= TAGS, shown[:500]
    assert not re.search(r"<[^>]*\son\w+\s*=", shown)


@pytest.mark.parametrize("kind", [c for c in result_types() if c.__name__ not in OF_ITS_OWN], ids=lambda c: c.__name__)
def test_every_result_type_escapes_its_names(kind, monkeypatch):
    "Whatever a result says of itself and has in its table, what is shown holds our tags only."
    frame = pd.DataFrame({HOSTILE[0]: [HOSTILE[1]], "x": [0.5]}, index=pd.Index([HOSTILE[2]], name=HOSTILE[0]))
    made = SimpleNamespace(to_frame=lambda: frame, ranges=lambda: frame, averages=None)

    class Said(type(made)):
        def __repr__(self): return HOSTILE[0] + HOSTILE[2]

    made = Said(**vars(made))
    shown = kind._repr_html_(made)
    harmless(shown)
    assert shown.count("&lt;img src=x") >= 2


def hostile_results(folder):
    "Results whose names came from outside, by every way in."
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], 40)
    scores = {name: y + rng.normal(size=80) for name in HOSTILE[:2]}
    X, labels = rng.normal(size=(60, 2)), np.repeat(HOSTILE, 20)
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Rule
    averages = cb.average_operating_points(Rule(), X, labels, cv=3, points=5, rng=0)
    yield averages
    yield averages.compare(0)
    law = cb.exact_cost(y, scores[HOSTILE[0]], [0.3, 0.6], 0.5)
    limits = lambda y, s, confidence_level, rng: ([0.0], [1.0])  # noqa: E731
    yield cb.coverage(cb.Binormal(2.0), [0.5], intervals=dict.fromkeys(HOSTILE, limits), n_pos=5, n_simulations=2, x_name=HOSTILE[2], progress=False)
    yield from (law, law[0], cb.compare_costs(y, scores, dict.fromkeys(scores, 0.5), [0.3, 0.6]))
    table = pd.DataFrame({HOSTILE[0]: labels[:40], **{name: rng.normal(size=40) for name in HOSTILE[1:]}})
    path = Path(folder) / "<img src=x onerror=window.hit=1>.csv"
    table.to_csv(path, index=False)
    yield cb.report(path, label=HOSTILE[0], score=list(HOSTILE[1:]), pos_label=HOSTILE[0], progress=False)
    yield cb.teaching.check_derivation("P[TP < 2] = 1")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    "What a notebook would show, and a whole report."
    results = list(hostile_results(tmp_path_factory.mktemp("hostile")))
    (report,) = (r for r in results if hasattr(r, "html"))
    return [r._repr_html_() for r in results], report.html()


def test_hostile_names_reach_the_results(pages):
    "The names are there (nothing was lost on the way), as text."
    shown, report = pages
    for html in shown: harmless(html)
    assert sum("&lt;" in html and "window.hit" in html for html in shown) >= 5
    assert "&lt;img src=x onerror" in report


def test_a_report_forbids_scripts_and_connections(pages):
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', pages[1])[1]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert not {"script-src", "connect-src", "frame-src", "object-src"} & set(rules)


@pytest.mark.browser
def test_nothing_runs_in_a_browser(pages, open_browser):
    "Chromium shows every result and the report; a control shows that a script would have been noticed."
    page = open_browser(1000, 800, 30).new_page()
    shown, report = pages
    for html in (*shown, report):
        page.goto("about:blank")
        page.set_content(html, wait_until="load")
        page.wait_for_timeout(50)
        assert page.evaluate("window.hit") is None
    page.goto("about:blank")
    page.set_content(HOSTILE[0], wait_until="load")
    page.wait_for_function("window.hit === 1")  # the negative control
    policy = re.search(r"<meta http-equiv=[^>]*>", report)[0]
    page.goto("about:blank")
    page.set_content(f"<!doctype html><html><head>{policy}</head><body><img src=x onerror=window.hit=1><script>window.hit=1</script></body></html>", wait_until="load")
    page.wait_for_timeout(200)
    assert page.evaluate("window.hit") is None  # even a script inside is not run
