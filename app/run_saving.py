"""File ▸ Save run: everything that was asked of the world since its beginning, as a file that leads here again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtWidgets import QFileDialog

from app.diagnostics import program_version
from app.session import Session
from sim.command import Event, Refused, TellRun
from sim.files.draft import cannot_write
from sim.past import SUFFIX, Run, RunTold, is_run_file
from sim.scene import SceneError

if TYPE_CHECKING:
    from app.window import Window

KIND = f"Runs (*{SUFFIX})"


def ask_and_save(window: Window) -> None:
    start = window.files.suggestion().with_suffix(SUFFIX)
    path, _ = QFileDialog.getSaveFileName(window, "Save run", str(start), KIND)
    if path:
        save(window.session, Path(path if is_run_file(path) else f"{path}{SUFFIX}"))
    window.viewport.setFocus()


def save(session: Session, path: Path) -> None:
    """Have the runner tell the run, and a worker write it as a complete file or none."""
    request = TellRun()

    def hear(event: Event) -> None:
        if isinstance(event, RunTold | Refused) and event.command is request:
            session.reported.disconnect(hear)
            if isinstance(event, RunTold):
                _write(session, event.run, path)

    session.reported.connect(hear)
    session.send(request)


def _write(session: Session, run: Run, path: Path) -> None:
    def write() -> None:
        from sim.files.run_file import write_run

        try:
            write_run(replace(run, program=program_version()), path)
        except OSError as problem:
            raise SceneError(cannot_write(path, problem)) from problem

    def then(_: None, sentence: str) -> None:
        if sentence:
            session.say("error", sentence)
        else:
            span = f"{run.end.step} steps until {run.end.time:.3f} s"
            session.say("ok", f"Saved the run of {span}: {path}", path)

    session.in_background(write, then)
