"""Put a site in its place on the branch that GitHub Pages serves, and send the branch.

    python tools/publish.py SITE stable | dev | preview/NUMBER
    python tools/publish.py --remove preview/NUMBER

`stable` stands at the top, `dev` and the previews in folders of their names; each place is replaced as a whole and the others stay. As long as there is no stable site the top leads to
`dev`. Links to the address of the published site become links inside of the same copy, so that a reader of the development version stays in it; every page
of `dev` and of a preview says what it is. The branch has one commit: the history of the pages is that of their sources.
"""

import argparse
import configparser
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BRANCH = "gh-pages"
PLACES = re.compile(r"stable|dev|preview/\d+")
KEPT = {"dev", "preview", ".git", ".nojekyll", "CNAME"}  # what a new stable site leaves alone
AUTHOR = ["-c", "user.name=docs", "-c", "user.email=docs@users.noreply.github.com"]
BANNER = '<div role="note" style="padding: .3rem 1rem; text-align: center; background: #fff3cd; color: #332701">{what} <a style="color: inherit" href="{stable}">The stable site.</a></div>'
LEAD = '<!DOCTYPE html><html lang="en-GB"><meta charset="utf-8"><title>costboot</title><meta http-equiv="refresh" content="0; url=dev/"><a href="dev/">The development version</a></html>\n'


def address(root=ROOT):
    "The address of the published site."
    settings = configparser.ConfigParser(interpolation=None)
    settings.read(root / "settings.ini", encoding="utf8")
    return (settings["DEFAULT"]["doc_host"] + settings["DEFAULT"]["doc_baseurl"]).rstrip("/")


def inside(text, page, home):
    "A page whose links to pages of the published site lead to the same copy; those to a version stay."
    up = "../" * page.count("/") or "./"
    return re.sub(rf'(\b(?:href|src)="){re.escape(home)}/(?!"|dev/|preview/)', rf"\g<1>{up}", text)


def marked(text, what, stable):
    "A page that says which version it is."
    return re.sub(r"(<body\b[^>]*>)", lambda m: m[1] + BANNER.format(what=what, stable=stable), text, count=1)


def copy(site, target, what="", home=""):
    "Copy a site; its pages with links inside, and with a word about the version where there is one."
    shutil.copytree(site, target, dirs_exist_ok=True)
    for path in target.rglob("*.html"):
        name = path.relative_to(target).as_posix()
        if target != path.parent and name.startswith(("lite/", "explorers/static/", "dev/", "preview/")): continue
        text = inside(path.read_text(encoding="utf8"), name, home)
        path.write_text(marked(text, what, f"{home}/") if what else text, encoding="utf8")


def empty(tree, place):
    "Make room for a site."
    for path in (tree.iterdir() if place == "stable" else [tree / place]):
        if place == "stable" and path.name in KEPT: continue
        if path.is_dir(): shutil.rmtree(path)
        elif path.exists(): path.unlink()


def put(site, tree, place, home):
    "Put a site in its place in the tree of the branch."
    if not PLACES.fullmatch(place): raise ValueError(f"`place` must be stable, dev or preview/NUMBER; got {place!r}.")
    empty(tree, place)
    what = "" if place == "stable" else "This is the development version." if place == "dev" else f"This is the preview of pull request {place.rpartition('/')[2]}."
    copy(site, tree if place == "stable" else tree / place, what, home)
    (tree / ".nojekyll").touch()  # pages and folders may start with an underscore
    if not (tree / "index.html").exists(): (tree / "index.html").write_text(LEAD, encoding="utf8")


def git(*words, at=ROOT): return subprocess.run(["git", *AUTHOR, *map(str, words)], cwd=at, check=True, text=True, capture_output=True).stdout.strip()


def publish(place, change, root=ROOT, remote="origin"):
    "Take the branch, change its tree, and send it as one commit; again from its start where somebody else was quicker."
    for attempt in range(3):
        with tempfile.TemporaryDirectory() as temporary:
            tree = Path(temporary) / "tree"
            tree.mkdir()
            git("init", "-q", "-b", BRANCH, at=tree)
            git("remote", "add", "origin", git("remote", "get-url", remote, at=root), at=tree)
            for setting in subprocess.run(["git", "config", "--local", "--get-regexp", r"^http\..*extraheader$"], cwd=root, text=True, capture_output=True, check=False).stdout.splitlines():
                git("config", *setting.split(" ", 1), at=tree)  # how the checkout of the workflow may write
            there = git("ls-remote", "origin", f"refs/heads/{BRANCH}", at=tree).partition("\t")[0]
            if there:
                git("fetch", "-q", "--depth=1", "origin", BRANCH, at=tree)
                git("checkout", "-q", "FETCH_HEAD", "--", ".", at=tree)
            change(tree)
            git("add", "-A", "-f", at=tree)
            git("commit", "-q", "--allow-empty", "-m", f"Site: {place}", at=tree)
            try: git("push", "-q", f"--force-with-lease={BRANCH}:{there}", "origin", f"HEAD:refs/heads/{BRANCH}", at=tree)
            except subprocess.CalledProcessError as error:
                if attempt == 2: sys.exit(f"publish: {error.stderr}")
            else: return


def main(argv=None):
    "Publish, or remove."
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", nargs="?", type=Path, help="the folder of the site")
    parser.add_argument("place", help="stable, dev or preview/NUMBER")
    parser.add_argument("--remove", action="store_true", help="take the site away instead")
    told = parser.parse_args(argv)
    if not PLACES.fullmatch(told.place) or (told.remove and told.place == "stable"): parser.error(f"no such place: {told.place}")
    if not told.remove and not (told.site and (told.site / "index.html").is_file()): parser.error("a site with an index.html is needed")
    publish(told.place, (lambda tree: empty(tree, told.place)) if told.remove else (lambda tree: put(told.site, tree, told.place, address())))
    print(f"publish: {told.place} {'removed' if told.remove else 'sent'}")
    return 0


if __name__ == "__main__": sys.exit(main())
