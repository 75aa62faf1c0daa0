"""How a notebook becomes a page of the site: nbdev's processors, and what a book needs beyond them.

    python tools/book.py prepare | render

`prepare` is nbdev_proc_nbs, `render` is nbdev_docs (which needs Quarto), both with four changes. nbdev leaves exported code out of
a page; here it stays, foldable, because derivation, code and check belong together. Links to the source get their line
numbers. The state of widgets is dropped: a published page has no kernel. And a link to a method leads to its class.
"""

import ast
import re
import sys
from pathlib import Path

from nbdev import quarto, serve
from nbdev.config import get_config
from nbdev.doclinks import NbdevLookup, _get_exps
from nbdev.process import Processor
from nbdev.processors import FilterDefaults

NAME = re.compile(r"(?<!\[)`([^`\s]+?)(?:\(\))?`(?!\]\()")  # in backticks, and not the text of a link already
SOURCE = re.compile(r"(?<=\]\()(\S+/blob/[^/]+/(\S+\.py))#LNone\)(.*?^#+ (\S+)$)", re.M | re.S)


def only_imports(cell):
    "Whether a cell of code does nothing but import."
    body = ast.parse(cell.source).body
    return all(isinstance(s, (ast.Import, ast.ImportFrom)) for s in body)


class keep_source(Processor):
    "Exported code stays on the page, foldable; imports and what is hidden do not."

    def begin(self):
        for cell in self.nb.cells:
            told = cell.directives_
            if cell.cell_type != "code" or "hide" in told or not told.keys() & {"export", "exporti"}: continue
            if only_imports(cell) or told.get("eval:") == ["false"]: continue
            if "export" in told: told["exports"] = told.pop("export")  # nbdev's word for: export, and show the source
            else:
                told["exec_doc"] = told.pop("exporti")  # nbdev's word for: run it when the page is made
                cell.source = f'#| code-fold: show\n#| code-summary: "Source"\n{cell.source}'


def source_lines(text):
    "Markdown of `show_doc` with the line numbers that nbdev 2.4.14 does not find."
    def numbered(m):
        line = _get_exps(m[2]).get(m[4])
        return f"{m[1]}{f'#L{line}' if line else ''}){m[3]}"
    return SOURCE.sub(numbered, text)


def number_sources(cell):
    "The line numbers, in the outputs of a cell."
    for output in cell.get("outputs", []):
        if (data := output.get("data")) and "text/markdown" in data:
            data["text/markdown"] = source_lines("".join(data["text/markdown"])).splitlines(keepends=True)


class Lookup(NbdevLookup):
    "nbdev's links to names; a method leads to its class and a private name nowhere, because a page has no heading for them."

    def link_line(self, line): return NAME.sub(self._link_sym, line)

    def doc(self, sym):
        at = super().doc(sym)
        base, _, anchor = (at or "").partition("#")
        ours = "".join(get_config().get(k, "") for k in ("doc_host", "doc_baseurl"))
        if not ours or not base.startswith(ours): return at
        return None if anchor.startswith("_") else f"{base}#{anchor.split('.')[0]}"


def add_links(cell):
    "Names in backticks become links, in the text and in the reference tables."
    lookup = Lookup()
    if cell.cell_type == "markdown": cell.source = lookup.linkify(cell.source)
    for output in cell.get("outputs", []):
        if (data := output.get("data")) and "text/markdown" in data:
            data["text/markdown"] = [lookup.link_line(s) for s in "".join(data["text/markdown"]).splitlines(keepends=True)]


class drop_widgets(Processor):
    "No state of widgets in a page that has no kernel."
    def end(self): self.nb.metadata.pop("widgets", None)


class Pages(FilterDefaults):
    "nbdev's processors with ours at their places."

    def base_procs(self):
        procs = []
        for proc in super().base_procs():
            if proc.__name__ == "add_show_docs": procs.append(keep_source)
            procs += [number_sources, add_links] if proc.__name__ == "add_links" else [proc]
        return [*procs, drop_widgets]


def main(argv):
    "Prepare the pages, or render the whole site."
    serve.FilterDefaults = Pages
    steps = {"prepare": quarto.nbdev_proc_nbs, "render": quarto.nbdev_docs}
    if len(argv) != 1 or argv[0] not in steps: sys.exit(f"usage: {Path(__file__).name} {' | '.join(steps)}")
    steps[argv[0]].__wrapped__(n_workers=2)


if __name__ == "__main__":
    import book  # the worker processes look for the classes in a module, not in a script

    book.main(sys.argv[1:])
