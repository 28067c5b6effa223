"""Rows of the table of actions: scene files, undo and redo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from app.action import Action
from app.scene_files import MOST_RECENT
from app.undo import Entry

if TYPE_CHECKING:
    from app.window import Window


def _recent(number: int) -> Callable[[Window], str]:
    return lambda w: Path(w.files.recent[number]).name if number < len(w.files.recent) else ""


def _way(verb: str, stack: Callable[[Window], list[Entry]]) -> Callable[[Window], str]:
    return lambda w: f"{verb} {stack(w)[-1].text}" if stack(w) else verb


FILE_ACTIONS: tuple[Action, ...] = (
    Action("open", "File", "Open scene…", lambda w: w.ask_for_file(), ("Ctrl+O",), tip="Open a scene file"),
    *(
        Action(
            f"recent:{n}",
            "File/Recent",
            _recent(n),
            lambda w, n=n: w.open_file(w.files.recent[n]),
            tip="Open this file again",
        )
        for n in range(MOST_RECENT)
    ),
    Action("save", "File", "Save", lambda w: w.save(), ("Ctrl+S",), tip="Write the scene as it is set and seen now"),
    Action(
        "save_as", "File", "Save as…", lambda w: w.save_as(), ("Ctrl+Shift+S",), tip="Write it to another scene file"
    ),
)

EDIT_ACTIONS: tuple[Action, ...] = (
    Action(
        "undo",
        "Edit",
        _way("Undo", lambda w: w.session.undo.done),
        lambda w: w.session.undo.undo(),
        ("Ctrl+Z",),
        tip="Take back the last change of a setting, a target, the engine or the scene",
        help="Undo",
        refusal=lambda w: "" if w.session.undo.done else "There is nothing to undo.",
    ),
    Action(
        "redo",
        "Edit",
        _way("Redo", lambda w: w.session.undo.undone),
        lambda w: w.session.undo.redo(),
        ("Ctrl+Shift+Z",),
        tip="Change again what was undone",
        help="Redo",
        refusal=lambda w: "" if w.session.undo.undone else "There is nothing to redo.",
    ),
)
