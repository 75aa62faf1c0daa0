"""Working copies: nothing of a student is ever overwritten, copies stand alone, and an installed package has the lessons."""

import json
import re
import subprocess
import sys

import pytest

from costboot.teaching import command, working_copies

SAID = "my own answers"


def test_the_lessons_of_the_clone(root):
    names = [p.name for p in working_copies.lesson_files()]
    assert names == [p.name for p in sorted((root / "nbs" / "tutorials").glob("[0-9]*.ipynb")) if "teachers" not in p.stem] and len(names) == 10


def test_copies_stand_alone(tmp_path):
    done = working_copies.copy_lessons(tmp_path / "mine")
    assert len(done.copied) == 10 and done.kept == done.beside == ()
    for name in done.copied:
        text = (tmp_path / "mine" / name).read_text(encoding="utf8")
        assert json.loads(text)["cells"] and "](../" not in text
        links = re.findall(r"\]\(([^)#:]+\.ipynb)", text)
        assert [s for s in links if not (tmp_path / "mine" / s).is_file()] == []
        assert "exercises.toml" not in text


@pytest.mark.parametrize("changes", range(3))
def test_what_a_student_wrote_survives_every_update(tmp_path, changes):
    "Whatever the book does, and however often, the student's file stays as it is, and every version of the lesson is there once."
    book, mine = tmp_path / "book", tmp_path / "mine"
    book.mkdir()
    (book / "01_a.ipynb").write_text("first")
    working_copies.copy_lessons(mine, book)
    (mine / "01_a.ipynb").write_text(SAID)
    for k in range(changes):
        (book / "01_a.ipynb").write_text(f"edition {k}")
        for _ in range(2): working_copies.copy_lessons(mine, book)
    assert (mine / "01_a.ipynb").read_text() == SAID
    assert sorted(p.read_text() for p in mine.glob("01_a-new*.ipynb")) == [f"edition {k}" for k in range(changes)]


def test_progress_lies_beside_the_lessons(tmp_path, monkeypatch):
    import subprocess as run
    seen = {}
    monkeypatch.setattr(run, "run", lambda words, env, check: seen.update(words=words, env=env) or type("Done", (), {"returncode": 0}))
    assert command.main(["lab", str(tmp_path / "mine"), "--no-browser"]) == 0
    assert seen["env"]["COSTBOOT_PROGRESS"] == str(tmp_path / "mine" / "progress.json") and seen["words"][-1] == "--no-browser"
    assert f"--ServerApp.root_dir={tmp_path / 'mine'}" in seen["words"] and "--LabApp.default_url=/lab/tree/01_tour.ipynb" in seen["words"]


def test_without_jupyterlab_there_is_a_sentence(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "jupyterlab", None)  # importing it fails
    assert working_copies.open_lab(tmp_path / "mine") == 2 and 'pip install "costboot[teach]"' in capsys.readouterr().err


def test_git_ignores_the_students_folder(root):
    for name in ("lessons/01_tour.ipynb", "lessons/progress.json", "costboot-lessons/01_tour.ipynb"):
        assert subprocess.run(["git", "check-ignore", "-q", name], cwd=root, check=False).returncode == 0
    assert "costboot lab lessons" in (root / "Makefile").read_text(encoding="utf8")


def test_a_built_package_has_the_lessons_and_not_the_solutions(root, tmp_path):
    made = subprocess.run([sys.executable, "setup.py", "-q", "build_py", "--build-lib", str(tmp_path)], cwd=root, check=False, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr[-2000:]
    lessons = tmp_path / "costboot" / "teaching" / "lessons"
    assert sorted(p.name for p in lessons.iterdir()) == [p.name for p in working_copies.lesson_files()]
    assert not [p for p in tmp_path.rglob("*") if p.name in ("exercises.toml", "derivations.toml") or "teachers" in p.name]


def test_help_names_every_word(capsys):
    with pytest.raises(SystemExit): command.main(["--help"])
    said = capsys.readouterr().out
    assert "costboot lab:" in said and "--prevalence" in said
