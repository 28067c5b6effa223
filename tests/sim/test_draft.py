"""A file appears complete or not at all, whatever happens to the program that writes it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sim.files import draft
from sim.files.draft import Draft, cannot_write, discard_drafts

ROOT = Path(draft.__file__).parents[2]

KILLED = """
import os, signal, sys
from pathlib import Path
from sim.files.draft import Draft
half = Draft(sys.argv[1])
Path(half.path).write_text("half")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(params=["without a name", "hidden"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of keeping a draft out of sight."""
    if request.param == "hidden":
        monkeypatch.setattr(draft, "_open_nameless", lambda folder: None)
    return str(request.param)


def visible(folder: Path) -> list[str]:
    return sorted(name for name in os.listdir(folder) if not name.startswith("."))


def test_a_draft_is_seen_when_it_is_published(way: str, tmp_path: Path) -> None:
    with Draft(tmp_path / "log.csv") as half:
        Path(half.path).write_text("first")
        assert visible(tmp_path) == []
    assert (tmp_path / "log.csv").read_text() == "first"
    assert os.listdir(tmp_path) == ["log.csv"]


def test_the_older_file_stays_until_then_and_after_a_failure(way: str, tmp_path: Path) -> None:
    final = tmp_path / "log.csv"
    final.write_text("old")
    with pytest.raises(KeyboardInterrupt), Draft(final) as half:
        Path(half.path).write_text("new")
        raise KeyboardInterrupt
    assert final.read_text() == "old"
    with Draft(final) as half:
        Path(half.path).write_text("new")
        assert final.read_text() == "old"
    assert final.read_text() == "new"
    assert os.listdir(tmp_path) == ["log.csv"]


def test_a_link_is_written_through(way: str, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link.csv").symlink_to(tmp_path / "real" / "log.csv")
    with Draft(tmp_path / "link.csv") as half:
        Path(half.path).write_text("text")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real" / "log.csv").read_text() == "text"


def test_permissions_are_those_of_any_new_file(way: str, tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    with Draft(tmp_path / "draft"):
        pass
    assert (tmp_path / "draft").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_killed_program_leaves_nothing(tmp_path: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "log.csv"], cwd=ROOT)
    assert ended.returncode == -signal.SIGKILL
    assert os.listdir(tmp_path) == []


def test_what_a_killed_process_hid_is_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft, "_open_nameless", lambda folder: None)
    Draft(tmp_path / "log.csv")
    assert len(os.listdir(tmp_path)) == 1
    discard_drafts(tmp_path / "log.csv", os.getpid() + 1)
    assert len(os.listdir(tmp_path)) == 1
    discard_drafts(tmp_path / "log.csv", os.getpid())
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "words"),
    [("missing/log.csv", "there is no folder"), ("file/log.csv", "is not a folder"), ("folder", "that is a folder")],
)
def test_why_it_cannot_be_written_is_one_sentence(way: str, tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError) as problem:
        Draft(tmp_path / name)
    sentence = cannot_write(tmp_path / name, problem.value)
    assert sentence.startswith(f'Cannot write "{tmp_path / name}": ') and words in sentence and sentence.endswith(".")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]
