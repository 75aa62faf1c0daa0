"""Docstrings that `help` and `?` can show, for the modules that nbdev has exported.

On a page a parameter is explained by the comment beside it, a function by one line, and an example is a cell that runs. A reader of the page needs
no more; a reader of `help(cb.exact_cost)` sees none of the comments. So the export writes them into the docstrings, in the sections of numpydoc: Parameters, Returns,
Examples. The notebooks keep the short form.

An example is a cell that starts with `#| example name`. It runs on the page like any other cell; here its names of the front door become `cb.name`, the imports
that it needs are taken from the page, and what the page stored as its output stands below it.
"""

import ast
import builtins
import io
import json
import re
import textwrap
import tokenize
from pathlib import Path

from page_tests import is_compiled

COLUMNS = 100
GENERATED = re.compile(r"File to edit: (\S.*\.ipynb)\.")
EXAMPLE = re.compile(r"^#\s*\|\s*example\s+([\w.]+)\s*$", re.M)
FUNCTIONS = ast.FunctionDef, ast.AsyncFunctionDef


# --- comments --------------------------------------------------------------------------------------------------------
def read_comments(text):
    "The comments of a module, line -> text: those behind code, and those that have a line of their own."
    behind, alone = {}, {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT: continue
        kind = behind if token.line[:token.start[1]].strip() else alone
        kind[token.start[0]] = token.string.lstrip("#").strip()
    return behind, alone


def comment_of(node, comments):
    "What is said about a parameter or a field: behind it, or in the lines above it."
    behind, alone = comments
    for line in (node.lineno, node.end_lineno):
        if said := without_pragma(behind.get(line, "")): return said
    line, said = node.lineno - 1, []
    while line in alone:
        said.insert(0, alone[line])
        line -= 1
    return " ".join(said)


def without_pragma(comment): return re.split(r"\s*#?\s*(?:noqa|type: ignore|pragma:)", comment)[0]


# --- sections --------------------------------------------------------------------------------------------------------
def entry(name, kind, comment, width):
    "A parameter in the form of numpydoc: its name and type, and below it what it is."
    head = f"{name} : {kind}" if kind else name
    return [head, *textwrap.wrap(comment, width - 4, initial_indent="    ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)]


def section(title, entries): return ["", title, "-" * len(title), *(line for e in entries for line in e)] if entries else []  # a blank line comes first


def typed(annotation, default):
    "Type and default, as far as the source says them."
    parts = [] if annotation is None else [ast.unparse(annotation).strip("'\"")]
    return ", ".join([*parts, *([] if default is None else [f"default {ast.unparse(default)}"])])


def parameters(node, comments, width):
    "The entries of a function's parameters, and whether a comment explains any of them."
    a = node.args
    plain = [*a.posonlyargs, *a.args]
    defaults = [None] * (len(plain) - len(a.defaults)) + a.defaults
    listed = [("", *pair) for pair in zip(plain, defaults)]
    if a.vararg: listed.append(("*", a.vararg, None))
    listed += [("", *pair) for pair in zip(a.kwonlyargs, a.kw_defaults)]
    if a.kwarg: listed.append(("**", a.kwarg, None))
    said = [(star + arg.arg, typed(arg.annotation, default), comment_of(arg, comments)) for star, arg, default in listed if arg.arg not in ("self", "cls")]
    return [entry(*s, width) for s in said], any(s[2] for s in said)


def returns(node, comments, width):
    "The entry of what a function returns: the comment at the end of its signature."
    comment = comments[0].get(node.body[0].lineno - 1, "")
    comment = without_pragma(comment) if node.body[0].lineno > node.lineno else ""
    if node.returns is None: return ([textwrap.wrap(comment, width, break_long_words=False)] if comment else []), bool(comment)
    return [entry(ast.unparse(node.returns).strip("'\""), "", comment, width)], bool(comment)


def of_function(node, comments, width):
    "Sections of a function; none where no comment explains anything."
    inputs, told = parameters(node, comments, width)
    output, also = returns(node, comments, width)
    return [*section("Parameters", inputs), *section("Returns", output)] if told or also else []


def of_class(node, comments, width, classes):
    "Sections of a class: what it is made from, and the fields that it fills in itself. A class whose ancestors stand in another module shows its own fields."
    init = next((n for n in node.body if isinstance(n, FUNCTIONS) and n.name == "__init__"), None)
    if init is not None:
        inputs, told = parameters(init, comments, width)
        return section("Parameters", inputs) if told else []
    if not is_record(node, classes): return []
    made, filled = {}, {}
    for n in fields(node, classes):
        own = isinstance(n.value, ast.Call) and any(k.arg == "init" for k in n.value.keywords)
        default = next((k.value for k in n.value.keywords if k.arg == "default"), None) if isinstance(n.value, ast.Call) else n.value
        (filled if own else made)[n.target.id] = entry(n.target.id, typed(n.annotation, default), comment_of(n, comments), width)
    if not is_complete(node, classes): return section("Attributes", [*made.values(), *filled.values()])
    return [*section("Parameters", made.values()), *section("Attributes", filled.values())]


def fields(node, classes):
    "Public fields of a class and of its ancestors in the same module, these first."
    for base in node.bases:
        if getattr(base, "id", "") in classes: yield from fields(classes[base.id], classes)
    for n in node.body if makes_fields(node) else ():
        if isinstance(n, ast.AnnAssign) and n.target.id[0] != "_" and "ClassVar" not in ast.unparse(n.annotation): yield n


def is_complete(node, classes):
    "Whether all ancestors of a class stand in its own module, or have no fields (as BandMaker), so that all fields are known."
    names = [ast.unparse(base).split("[")[0] for base in node.bases]
    return all(name in ("NamedTuple", "Generic", "BandMaker") or name in classes and is_complete(classes[name], classes) for name in names)


def makes_fields(node):
    "Whether a class is a dataclass or a named tuple, so that its annotations are fields."
    names = {n.id for part in (*node.decorator_list, *node.bases) for n in ast.walk(part) if isinstance(n, ast.Name)}
    return bool(names & {"dataclass", "NamedTuple"})


def is_record(node, classes):
    "Whether a class has fields, of its own or from an ancestor: they are its parameters."
    return makes_fields(node) or any(is_record(classes[base.id], classes) for base in node.bases if getattr(base, "id", "") in classes)


# --- examples --------------------------------------------------------------------------------------------------------
def front_door(root):
    "The names that `import costboot as cb` offers."
    tree = ast.parse((root / "costboot" / "__init__.pyi").read_text(encoding="utf8"))
    return {a.asname for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for a in node.names}


def doors_of(path, text, root):
    "Where a user finds the names that an example may use: name -> what stands before it, `cb.` or the room of the module."
    return dict.fromkeys(public_names(ast.parse(text)), f"cb.{path.parent.name}.") | dict.fromkeys(front_door(Path(root)), "cb.")


def page_imports(cells):
    "Every import of a page: the name that it binds -> the statement."
    found = {}
    for cell in cells:
        if cell["cell_type"] != "code" or "import " not in (text := "".join(cell["source"])): continue
        try: body = ast.parse(re.sub(r"^(\s*)[%!].*$", r"\1pass", text, flags=re.M)).body
        except SyntaxError: continue
        for node in body:
            for alias in node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else ():
                one = ast.ImportFrom(node.module, [alias], node.level) if isinstance(node, ast.ImportFrom) else ast.Import([alias])
                found[alias.asname or alias.name.split(".")[0]] = ast.unparse(one)
    return found


def used_names(tree):
    "The names that an example uses and does not bind itself, as nodes."
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.Name)]
    bound = {n.id for n in nodes if not isinstance(n.ctx, ast.Load)} | {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    bound |= {n.name for n in ast.walk(tree) if isinstance(n, (*FUNCTIONS, ast.ClassDef))}
    return [n for n in nodes if n.id not in bound and not hasattr(builtins, n.id)]


def prompted(text):
    "Code with the prompts of the interpreter; comments stay, blank lines do not."
    lines, starts = text.splitlines(), set()
    inside = set()
    for node in ast.parse(text).body:
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        starts.add(first)
        inside |= set(range(first + 1, node.end_lineno + 1))
    return [f"{'...' if i in inside else '>>>'} {line}".rstrip() for i, line in enumerate(lines, 1) if line.strip() or i in inside]


def shown(cell):
    "What a page stored as the text that a cell shows."
    for output in cell.get("outputs", ()):
        text = output.get("text") or output.get("data", {}).get("text/plain", "")
        if output.get("name") != "stderr": yield from (line.rstrip() or "<BLANKLINE>" for line in "".join(text).splitlines())


def as_example(cell, imports, names, where):
    "The lines of an example: imports, code, output; `names` says what stands before a public name."
    text = "\n".join(s for s in "".join(cell["source"]).splitlines() if not re.match(r"\s*#\s*\|", s)).strip()
    tree, lines, needed = ast.parse(text), text.splitlines(), {"import costboot as cb": None}
    for node in sorted(used_names(tree), key=lambda n: (n.lineno, n.col_offset), reverse=True):
        line, at = lines[node.lineno - 1], node.col_offset
        if node.id in names: lines[node.lineno - 1] = f"{line[:at]}{names[node.id]}{line[at:]}"
        elif node.id != "cb":
            if node.id not in imports: raise ValueError(f"{where}: the example uses {node.id!r}, which neither the package nor an import of the page offers")
            needed[imports[node.id]] = None
    first = sorted(needed, key=lambda s: ("costboot" in s, s.startswith("from"), s))
    return [*(f">>> {s}" for s in first), *prompted("\n".join(lines)), *shown(cell)]


def examples(page, names):
    "The examples of a page: name -> lines; several cells for one name follow each other."
    cells, found = json.loads(page.read_text(encoding="utf8"))["cells"], {}
    imports = page_imports(cells)
    for cell in cells:
        if cell["cell_type"] != "code" or not (m := EXAMPLE.search("".join(cell["source"]))): continue
        lines = as_example(cell, imports, names, page.name)
        found[m[1]] = [*found[m[1]], "", *lines] if m[1] in found else lines
    return found


# --- the docstrings of a module --------------------------------------------------------------------------------------
def is_property(node): return any(getattr(d, "id", getattr(d, "attr", "")) in ("property", "cached_property", "setter") for d in node.decorator_list)


def public_names(tree):
    "The list `__all__` of a module."
    lists = (n.value for n in tree.body if isinstance(n, ast.Assign) and getattr(n.targets[0], "id", "") == "__all__")
    return next((ast.literal_eval(value) for value in lists), [])


def definitions(tree):
    """What gets a long docstring, with its full name: public functions, classes and their methods.

    A private class may lend its methods to a public one. A compiled cell stays, word for word, as it is on its page (`page_tests.py`).
    """
    public = public_names(tree)
    for node in tree.body:
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)) or is_compiled(node): continue
        lends = isinstance(node, ast.ClassDef) and (node.name in public or node.name[0] == "_")
        inner = [n for n in node.body if isinstance(n, FUNCTIONS) and n.name[0] != "_" and not is_property(n)] if lends else []
        listed = [(node.name, node)] if node.name in public else []
        for name, n in [*listed, *((f"{node.name}.{n.name}", n) for n in inner)]:
            if ast.get_docstring(n) and n.body[0].lineno > n.lineno: yield name, n


def docstring(node, comments, classes, example):
    "The lines of a long docstring with its quotes; None where the short one says all."
    indent = " " * node.body[0].col_offset
    width = COLUMNS - len(indent)
    sections = of_class(node, comments, width, classes) if isinstance(node, ast.ClassDef) else of_function(node, comments, width)
    lines = [*sections, *section("Examples", [example] if example else [])]
    if not lines or "\nParameters\n---" in (told := ast.get_docstring(node)): return None
    text = "\n".join([*told.splitlines(), *lines])
    quotes = 'r"""' if "\\" in text else '"""'
    fits = len(indent + quotes + told.splitlines()[0]) <= COLUMNS
    return [f"{indent}{line}".rstrip() for line in [*f'{quotes}{"" if fits else chr(10)}{text}'.splitlines(), '"""']]


def explained(text, found=None):
    "The text of a module with long docstrings; `found` are its examples."
    found, comments, lines, tree = dict(found or {}), read_comments(text), text.split("\n"), ast.parse(text)
    classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
    for name, node in sorted(definitions(tree), key=lambda d: d[1].body[0].lineno, reverse=True):
        if new := docstring(node, comments, classes, found.pop(name, None)): lines[node.body[0].lineno - 1:node.body[0].end_lineno] = new
    if found: raise ValueError(f"examples for names that the module does not define: {', '.join(sorted(found))}")
    return "\n".join(lines)


def with_docstrings(path, text, root):
    "The text of an exported module with long docstrings, its examples taken from its page."
    page = GENERATED.search(text[:1000])
    return explained(text, examples((path.parent / page[1]).resolve(), doors_of(path, text, root))) if page else text
