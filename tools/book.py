"""How a notebook becomes a page of the site: nbdev's processors, and what a book needs beyond them.

    python tools/book.py prepare | render

`prepare` is nbdev_proc_nbs, `render` is nbdev_docs (which needs Quarto), both with a few changes. nbdev leaves exported code out of
a page; here it stays, folded, because derivation, code and check belong together. Links to the source get their line
numbers. The state of widgets is dropped: a published page has no kernel. Buttons lead to where it has one (`lite.py`), and to its notebook. A link to a method leads to its class. Tables are tidied
(`tables.py`), figures sharp (`figures.py`). And printed lines of more than `COLUMNS` columns, nearly always messages of errors, go on in the next line; so does code, and where it is long it is folded, too.
"""

import ast
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import api_pages
import check_pages
import figures
import layout
import lite
import reference
import tables
from execnb.nbio import mk_cell
from nbdev import quarto, serve, showdoc
from nbdev.config import get_config
from nbdev.doclinks import NbdevLookup, _get_exps
from nbdev.process import Processor
from nbdev.processors import FilterDefaults
from nbdev.showdoc import BasicMarkdownRenderer

LABEL = re.compile(r"\{#(eq-[\w-]*\w)")
CITED = re.compile(r"@(eq-[\w-]*\w)|(?<=[(, ])(eq-[a-z](?:[\w-]*\w)?)(?=[),])")  # in a docstring it may stand in brackets, without the sign
FOLDED = re.compile(r"^#\| *(?:code-fold|(?:echo|include): *false)", re.M)
INSTALL = re.compile(r"\A```sh\npip install [^\n]*\n```\n+")  # the first line of README.md; the home page has it in its first screen
COLUMNS = 88  # of what is shown, printed outputs and code that is not folded
NAME = re.compile(r"(?<!\[)`([^`\s]+?)(?:\(\))?`(?!\]\()")  # in backticks, and not the text of a link already


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


class Reference(BasicMarkdownRenderer):
    "What `show_doc` shows: signature, summary and a table of the parameters, from the exported module."

    def _repr_markdown_(self):
        at = NbdevLookup().code(self.fn) or ""
        module = re.search(r"/blob/[^/]+/(\S+)\.py", at)
        value = reference.exported(module[1].replace("/", "."), self.nm) if module else None
        if module and (line := _get_exps(f"{module[1]}.py").get(self.nm)): at = f"{at.partition('#')[0]}#L{line}"
        elif module: at = at.partition("#")[0]
        link = f'[source]({at}){{target="_blank" style="float:right; font-size:smaller"}}\n\n' if at else ""
        return f"---\n\n{link}{'#' * self.title_level} {self.nm}\n\n{reference.entry(self.sym if value is None else value, self.nm)}"


showdoc.BasicMarkdownRenderer = Reference  # every process that prepares pages imports this module


class Lookup(NbdevLookup):
    "nbdev's links to names; a method leads to its class and a private name nowhere, because a page has no heading for them."

    def link_line(self, line): return NAME.sub(self._link_sym, line)

    def doc(self, sym):
        at = super().doc(sym)
        base, _, anchor = (at or "").partition("#")
        ours = "".join(get_config().get(k, "") for k in ("doc_host", "doc_baseurl"))
        if not ours or not base.startswith(ours): return at
        return None if anchor.startswith("_") else f"{base}#{anchor.split('.')[0]}"


def linked(text, lookup):
    "Markdown in which names in backticks are links, except inside of code."
    fence, lines = "", []
    for line in text.splitlines(keepends=True):
        mark = re.match(r"[> \t]*(```+|~~~+)", line)
        if mark and not fence: fence = mark[1]
        elif mark and mark[1].startswith(fence): fence = ""
        elif not fence: line = lookup.link_line(line)
        lines.append(line)
    return "".join(lines)


def add_links(cell):
    "Names in backticks become links, in the text and in the reference tables."
    lookup = Lookup()
    if cell.cell_type == "markdown": cell.source = lookup.linkify(cell.source)
    for output in cell.get("outputs", []):
        if (data := output.get("data")) and "text/markdown" in data:
            data["text/markdown"] = linked("".join(data["text/markdown"]), lookup).splitlines(keepends=True)


def fold(text, columns=COLUMNS):
    "Lines that are too long go on in the next one, four spaces further in."
    lines = []
    for line in text.split("\n"):
        indent = " " * (len(line) - len(line.lstrip()) + 4)
        wrapped = textwrap.wrap(line, columns, subsequent_indent=indent, replace_whitespace=False, break_on_hyphens=False)
        lines += wrapped if len(line) > columns else [line]
    return "\n".join(lines)


def fold_prints(cell):
    "What a cell printed, without lines that are too long."
    for output in cell.get("outputs", []):
        if "text" in output: output["text"] = fold("".join(output["text"])).splitlines(keepends=True)
        elif layout.printed(output): output["data"]["text/plain"] = fold("".join(output["data"]["text/plain"])).splitlines(keepends=True)


def narrow(text, columns=COLUMNS):
    "Code in lines that are not too long, where ruff can break them; directives and what is not Python stay as they are."
    lines = text.split("\n")
    told = [s for s in lines if s.startswith("#|")]
    plain = "\n".join(s for s in lines if not s.startswith("#|"))
    if max(map(len, plain.split("\n"))) <= columns: return text
    ruff = [str(Path(sys.executable).parent / "ruff"), "format", "--isolated", "--line-length", str(columns), "--config", 'format.quote-style="preserve"', "-"]
    done = subprocess.run(ruff, input=plain, text=True, capture_output=True, check=False)
    return "\n".join([*told, done.stdout.rstrip("\n")]) if done.returncode == 0 else text


def narrow_code(cell):
    "Code that stands open on the page. What is folded has the lines of the module, and a smaller font."
    if cell.cell_type == "code" and not FOLDED.search(cell.source): cell.source = narrow(cell.source)


class fold_long(Processor):
    "Code of more lines than a reader wants to pass is folded, with its length; in the lessons it is what one came for."

    def end(self):
        if check_pages.is_lesson(page_of(self.nb)): return
        for cell in self.nb.cells:
            if cell.cell_type != "code" or FOLDED.search(cell.source) or (lines := check_pages.open_lines(dict(source=narrow(cell.source)))) <= check_pages.OPEN_LINES: continue
            cell.source = f'#| code-fold: true\n#| code-summary: "Code, {lines} lines"\n{cell.source}'


def as_markdown(cell):
    "HTML outputs as raw blocks of markdown, their tables tidied: for an output that is HTML, Quarto loads require.js and jQuery on the page."
    for output in cell.get("outputs", []):
        if "text/html" not in (data := output.get("data", {})): continue
        html = tables.tidy("".join(data.pop("text/html")))
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", html)), default=0))
        data["text/markdown"] = f"{fence}{{=html}}\n{html}\n{fence}\n".splitlines(keepends=True)


class sharp_figures(Processor):
    "Sharp figures, where they were drawn for the site."
    def begin(self): figures.sharpened(self.nb, Path(self.nb.path_))


def make_room(cell):
    "Figures keep readable letters on a telephone, and scroll there."
    if cell.cell_type == "code" and (px := figures.room(cell)): cell.source = f"#| classes: phone-{px}\n{cell.source}"


class number_equations(Processor):
    "Code and docstrings cite an equation by its number; the label is for markdown, which Quarto reads."

    def end(self):
        labels = [m for cell in self.nb.cells if cell.cell_type == "markdown" for m in LABEL.findall(check_pages.without_code("".join(cell.source)))]
        def number(m): return f"equation ({labels.index(name) + 1})" if (name := m[1] or m[2]) in labels else "an equation of its page"
        for cell in self.nb.cells:
            if cell.cell_type != "code": continue
            cell.source = CITED.sub(number, "".join(cell.source))
            for output in cell.get("outputs", []):
                for mime in ("text/markdown", "text/plain"):
                    if mime in output.get("data", {}): output["data"][mime] = CITED.sub(number, "".join(output["data"][mime])).splitlines(keepends=True)


def defined(text, most=4):
    "The names that code defines, for the line that stands for it: some, where there are many."
    found = []
    for s in ast.parse(text).body:
        if isinstance(s, (ast.FunctionDef, ast.ClassDef)): found.append(s.name)
        elif isinstance(s, (ast.Assign, ast.AnnAssign)): found += [n.id for t in getattr(s, "targets", [getattr(s, "target", None)]) for n in ast.walk(t) if isinstance(n, ast.Name)]
    found = list(dict.fromkeys(found))
    return ", ".join(found[:most]) + ", ..." * (len(found) > most)


def close_sources(cell):
    "Exported code is folded; the button of the page opens all of it."
    if cell.cell_type == "code" and cell.source.startswith("#| code-fold: show"):
        told = f'"Source of {shown}"' if (shown := defined(cell.source)) else '"Source"'
        cell.source = cell.source.replace("#| code-fold: show", "#| code-fold: true", 1).replace('"Exported source"', told, 1).replace('#| code-summary: "Source"', f"#| code-summary: {told}", 1)


class drop_widgets(Processor):
    "No state of widgets in a page that has no kernel."
    def end(self): self.nb.metadata.pop("widgets", None)


def page_of(nb):
    "The path of a page in the book."
    path, nbs = Path(nb.path_).resolve(), Path(get_config().nbs_path).resolve()
    return path.relative_to(nbs).as_posix() if path.is_relative_to(nbs) else path.name


class add_doors(Processor):
    "Where the page can be run, and its notebook."

    def end(self):
        page = page_of(self.nb)
        if page == get_config().readme_nb:
            for cell in self.nb.cells: cell.source = INSTALL.sub("", cell.source)
            self.nb.cells.insert(1, mk_cell(lite.hero(), "markdown"))
        if text := lite.above(page): self.nb.cells.insert(1, mk_cell(text, "markdown"))
        if text := lite.below(page): self.nb.cells.append(mk_cell(text, "markdown"))


class Pages(FilterDefaults):
    "nbdev's processors with ours at their places."

    def base_procs(self):
        procs = []
        for proc in super().base_procs():
            if proc.__name__ == "add_show_docs": procs.append(keep_source)
            procs += [add_links] if proc.__name__ == "add_links" else [proc]
        return [sharp_figures, *procs, fold_prints, close_sources, fold_long, narrow_code, as_markdown, make_room, number_equations, drop_widgets, add_doors]


def finished(nb):
    "A page that was not made from a notebook, with the links and line lengths of the others."
    lookup = Lookup()
    for cell in nb["cells"]:
        if cell["cell_type"] == "markdown": cell["source"] = linked(cell["source"], lookup)
        if cell["cell_type"] == "code": cell["source"] = narrow(cell["source"])
        fold_prints(cell)
        as_markdown(cell)
    return nb


def with_names(prepare):
    "Prepare the pages, and write one for each public name beside them."
    def prepared(*args, **kwargs):
        cache, *rest = prepare(*args, **kwargs)
        api_pages.write(Path(cache), finished)
        return cache, *rest
    return prepared


def main(argv):
    "Prepare the pages, or render the whole site."
    serve.FilterDefaults = Pages
    quarto._pre_docs = with_names(quarto._pre_docs)
    steps = {"prepare": quarto.nbdev_proc_nbs, "render": quarto.nbdev_docs}
    if len(argv) != 1 or argv[0] not in steps: sys.exit(f"usage: {Path(__file__).name} {' | '.join(steps)}")
    if argv[0] == "render" and shutil.which("quarto") is None: sys.exit("render needs Quarto: `python tools/docs.py --trial` prepares the pages without it")
    steps[argv[0]].__wrapped__(n_workers=2)


if __name__ == "__main__":
    import book  # the worker processes look for the classes in a module, not in a script

    book.main(sys.argv[1:])
