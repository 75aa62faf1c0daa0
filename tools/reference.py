"""The reference of a name, as markdown: its signature, a table of its parameters, what it returns.

The text comes from the long docstring that the export writes (`docstrings.py`), the signature from the object. `book.py` puts it where nbdev's `show_doc` stands,
`api_pages.py` on a page for each name.
"""

import importlib
import inspect
import re
import textwrap

COLUMNS = 88
TITLE = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.M)
ENTRY = re.compile(r"^(\S[^\n]*)\n?((?:    [^\n]*\n?|\n)*)", re.M)


def parts(doc):
    "A docstring in the form of numpydoc: what it says first, and its sections, title -> text."
    pieces = TITLE.split(inspect.cleandoc(doc or ""))
    return pieces[0].strip(), {title: text.strip("\n") for title, text in zip(pieces[1::2], pieces[2::2])}


def entries(text):
    "The entries of a section: name, type and default, meaning."
    for head, body in ENTRY.findall(text):
        name, _, kind = head.partition(" : ")
        yield name.strip(), kind.strip(), " ".join(body.split())


def signature(value, name):
    "How a name is called, without types, in lines that are not too long; nothing for a property or where Python cannot tell."
    if isinstance(value, property) or not callable(value): return ""
    if fields := getattr(value, "_fields", None): shown = [*fields]
    else:
        try: found = inspect.signature(value).parameters.values()
        except (TypeError, ValueError): return ""
        shown, starred = [], False
        for p in found:
            if p.name in ("self", "cls"): continue
            if p.kind is p.KEYWORD_ONLY and not starred: shown.append("*")
            starred |= p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
            star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
            shown.append(star + p.name + ("" if p.default is p.empty else f"={default(p.default)}"))
    line = f"{name}({', '.join(shown)})"
    if len(line) <= COLUMNS: return line
    inner = textwrap.fill(", ".join(s.replace(" ", "\0") for s in shown), COLUMNS, initial_indent="    ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    return f"{name}(\n{inner}\n)".replace("\0", " ")


def default(value):
    "A default as one would write it."
    if inspect.isfunction(value) or inspect.isclass(value): return value.__name__
    text = re.sub(r"\s+", " ", re.sub(r"<(.+?) at 0x\w+>", r"<\1>", repr(value)))
    return text if len(text) <= COLUMNS - 40 else f"{text[:COLUMNS - 44]} ..."


def escaped(text): return text.replace("|", r"\|").replace("\n", " ")


def code(text):
    "A type or a default in a cell of a table, where a bar would end the cell and a backslash before it would be shown."
    return f"`{text.replace(' | ', ' or ').replace('|', ' or ')}`" if text else ""


def inherited(value):
    "What the classes above a class say about its fields: a field whose default alone is new has no words of its own."
    told = {}
    for base in value.__mro__[1:] if inspect.isclass(value) else ():
        found = parts(base.__doc__)[1] if base.__module__.startswith("costboot") else {}
        for title in ("Parameters", "Attributes"): told |= {name: said for name, _, said in entries(found.get(title, "")) if said and name not in told}
    return told


def table(doc, told=None):
    "Parameters, attributes and what is returned, as one table; nothing where the docstring has no sections. A parameter stands between tags: in backticks it might become a link."
    _, found = parts(doc)
    rows = [(f"<code>{name.replace('*', '&#42;')}</code>", code(kind), escaped(said or (told or {}).get(name, ""))) for title in ("Parameters", "Attributes") for name, kind, said in entries(found.get(title, ""))]
    for name, _, said in entries(found.get("Returns", "")): rows.append(("**returns**", code(name) if said else "", escaped(said or name)))
    if not rows: return ""
    head = ["| name | type, default | meaning |", "|:-----|:-----|:------------|"]
    return "\n".join(["::: {.parameters}", "", *head, *(f"| {' | '.join(row)} |" for row in rows), "", ":::"])


def entry(value, name, said=True):
    "Signature, summary and table of a name."
    doc = inspect.getdoc(value) or ""
    called = signature(value, name)
    shown = [f"```python\n{called}\n```"] if called else []
    if said and (first := parts(doc)[0]): shown.append(" ".join(first.split()) if "\n\n" not in first else first)
    return "\n\n".join([*shown, *filter(None, [table(doc, inherited(value))])])


def exported(module, name):
    "What a module of the package exports under a name, `Class.method` included; None where it has no such name."
    try: value = importlib.import_module(module)
    except ImportError: return None
    for part in name.split("."):
        value = inspect.getattr_static(value, part, None) if inspect.isclass(value) else getattr(value, part, None)
    return getattr(value, "__func__", value)
