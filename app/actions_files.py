"""Rows of the table for files, recordings, undo and redo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from app import export, run_saving
from app.action import Action
from app.filming import FilmSettings
from app.scene_files import MOST_RECENT
from app.undo import Entry
from app.widgets.film_dialog import FilmDialog

if TYPE_CHECKING:
    from app.window import Window


def _ask_how_to_record(window: Window) -> None:
    def record(wanted: FilmSettings) -> None:
        window.filming.settings = wanted
        window.settings.set("film", wanted.text())
        window.filming.start()

    dialog = FilmDialog(window.filming.settings, window.viewport.pixels(), window)
    dialog.chosen.connect(record)
    dialog.open()


def _way(verb: str, stack: Callable[[Window], list[Entry]]) -> Callable[[Window], str]:
    return lambda w: f"{verb} {stack(w)[-1].text}" if stack(w) else verb


FILE_ACTIONS: tuple[Action, ...] = (
    Action("open", "File", "Open scene…", lambda w: w.ask_for_file(), ("Ctrl+O",), tip="Open a scene file"),
    *(
        Action(
            f"recent:{n}",
            "File/Recent",
            lambda w, n=n: Path(w.files.recent[n]).name if n < len(w.files.recent) else "",
            lambda w, n=n: w.open_file(w.files.recent[n]),
            tip="Open this file again",
        )
        for n in range(MOST_RECENT)
    ),
    Action("save", "File", "Save", lambda w: w.save(), ("Ctrl+S",), tip="Write the scene as it is set and seen now"),
    Action(
        "save_as", "File", "Save as…", lambda w: w.save_as(), ("Ctrl+Shift+S",), tip="Write it to another scene file"
    ),
    Action(
        "record",
        "File",
        lambda w: "Stop recording" if w.filming.on else "Record video",
        lambda w: w.filming.toggle(),
        ("V",),
        lambda w: "stop" if w.filming.on else "record",
        "Record the view with the last settings, paced by simulated time",
        "Record video, and stop",
        group=1,
    ),
    Action(
        "record_with",
        "File",
        "Record with settings…",
        _ask_how_to_record,
        ("Shift+V",),
        tip="Choose format, size and frame rate, then record",
        refusal=lambda w: "A recording is running." if w.filming.on else "",
        group=1,
    ),
    Action(
        "picture",
        "File",
        "Take picture",
        lambda w: w.filming.take_picture(),
        ("P",),
        "picture",
        "Save the view as a PNG",
        group=1,
    ),
    Action(
        "export",
        "File",
        "Export data…",
        export.ask_and_export,
        ("Ctrl+E",),
        tip="Write every step of the last minute as CSV or NPZ, with named columns and units",
        refusal=lambda w: export.refusal(w.session),
        group=1,
    ),
    Action(
        "save_run",
        "File",
        "Save run…",
        run_saving.ask_and_save,
        tip="Write all that was done since the start or the last reset, so that main.py replay takes it again exactly",
        refusal=lambda w: export.refusal(w.session),
        group=1,
    ),
    Action("quit", "File", "Quit", lambda w: w.close(), ("Ctrl+Q",), group=2),
    Action(
        "undo",
        "Edit",
        _way("Undo", lambda w: w.session.undo.done),
        lambda w: w.session.undo.undo(),
        ("Ctrl+Z",),
        tip="Take back the last change of a setting, a target, the engine or the scene",
        help="Undo",
        refusal=lambda w: "" if w.session.undo.can_undo else "There is nothing to undo.",
    ),
    Action(
        "redo",
        "Edit",
        _way("Redo", lambda w: w.session.undo.undone),
        lambda w: w.session.undo.redo(),
        ("Ctrl+Shift+Z",),
        tip="Change again what was undone",
        help="Redo",
        refusal=lambda w: "" if w.session.undo.can_redo else "There is nothing to redo.",
    ),
)
