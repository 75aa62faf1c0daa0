"""README.md from nbs/index.ipynb, without Quarto.

    python tools/readme.py [--check]

nbdev prepares the page exactly as `nbdev_readme` does (front matter, hidden cells, directives), and nbconvert writes the Markdown.
Three points are ours: the front matter becomes the title, Quarto's `#| echo: false` and its kin are obeyed, and relative links start at the top
of the repository, because README.md is read there. `--check` writes nothing and fails when README.md is not what the notebook gives.
"""

import argparse
import difflib
import os
import re
import sys
from pathlib import Path
from textwrap import indent

ROOT = Path(__file__).resolve().parent.parent
TEMPLATE = r"""
{%- extends 'base/display_priority.j2' -%}
{%- block markdowncell -%}{{ cell.source.strip() }}{{ "\n\n" }}{%- endblock markdowncell -%}
{%- block input -%}{{ "``` python\n" }}{{ cell.source }}{{ "\n```\n\n" }}{%- endblock input -%}
{%- block stream -%}{{ output.text | printed }}{%- endblock stream -%}
{%- block execute_result -%}{%- block data_priority scoped -%}{{ super() }}{%- endblock data_priority -%}{%- endblock execute_result -%}
{%- block data_text -%}{{ output.data['text/plain'] | printed }}{%- endblock data_text -%}
{%- block data_html -%}{{ output.data['text/html'].strip() }}{{ "\n\n" }}{%- endblock data_html -%}
{%- block data_markdown -%}{{ output.data['text/markdown'].strip() }}{{ "\n\n" }}{%- endblock data_markdown -%}
{%- block data_png -%}![]({{ output.metadata.filenames['image/png'] }}){{ "\n\n" }}{%- endblock data_png -%}
"""  # one empty line between blocks; nbconvert's own template leaves a varying number


def prepared(path):
    "The page as nbdev hands it to Quarto, without links to the documentation."
    import nbformat
    from execnb.nbio import nb2str, read_nb
    from nbdev.processors import FilterDefaults

    class Page(FilterDefaults):
        def base_procs(self): return [p for p in super().base_procs() if p.__name__ != "add_links"]

    nb = read_nb(path)
    Page()(nb)
    return nbformat.reads(nb2str(nb), as_version=4)


def options(source):
    "Quarto's `#| name: value` lines at the top of a cell, and the rest."
    found, lines = {}, source.splitlines()
    while lines and (m := re.match(r"#\|\s*([\w-]+):\s*(.*?)\s*$", lines[0])):
        found[m[1]] = m[2].strip("\"'").lower()
        lines.pop(0)
    return found, "\n".join(lines).strip("\n")


def relink(text, nbs):
    "Relative addresses of files in the notebooks' folder, seen from the top of the repository."
    def there(m):
        target = m[2].split("#")[0].removeprefix("./")
        return f"{m[1]}{nbs.name}/{m[2].removeprefix('./')}" if target and (nbs / target).exists() else m[0]
    return re.sub(r"(\]\(|(?:src|href)=\")(?!\w+:|/|#)([^)\s\"]+)", there, text)


def adapted(cell, nbs):
    "A cell with what is special to this page done; None where nothing of it is shown."
    import yaml

    if cell.cell_type == "raw":
        cell.cell_type, cell.source = "markdown", f"# {yaml.safe_load(cell.source.strip().strip('-')).get('title', '')}"
    elif cell.cell_type == "markdown": cell.source = relink(cell.source, nbs)
    else:
        asked, cell.source = options(cell.source)
        if asked.get("include") == "false": return None
        if asked.get("output") == "false": cell.outputs = []
        if asked.get("echo") == "false" or not cell.source: cell.metadata.transient = {"remove_source": True}
    return cell


def readme(path):
    "The README as text, and the pictures it needs by their names."
    from nbconvert.exporters import MarkdownExporter

    nb = prepared(path)
    nb.cells = [c for c in (adapted(c, path.parent) for c in nb.cells) if c is not None]
    exporter = MarkdownExporter(raw_template=TEMPLATE)
    exporter.register_filter("printed", lambda shown: indent(shown.rstrip(), "    ") + "\n\n")
    text, resources = exporter.from_notebook_node(nb, {"output_files_dir": f"{path.stem}_files", "unique_key": "output"})
    return text.strip() + "\n", dict(resources["outputs"])


def main(argv=None):
    "Write README.md, or compare it."
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only say whether README.md is up to date")
    check = parser.parse_args(argv).check
    os.chdir(ROOT)
    text, files = readme(ROOT / "nbs" / "index.ipynb")
    wanted = {"README.md": text.encode()} | files
    stale = [name for name, data in wanted.items() if not Path(name).is_file() or Path(name).read_bytes() != data]
    if not check:
        for name in stale:
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_bytes(wanted[name])
    elif stale:
        old = Path("README.md").read_text(encoding="utf8") if Path("README.md").is_file() else ""
        sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), text.splitlines(True), "README.md", "nbs/index.ipynb"))
        print(f"{', '.join(stale)}: not what nbs/index.ipynb gives; run `make readme`")
        return 1
    print("README.md: " + ("up to date" if not stale else f"wrote {', '.join(stale)}"))
    return 0


if __name__ == "__main__": sys.exit(main())
