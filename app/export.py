"""File ▸ Export data: the last minute of the running scene as CSV or NPZ, in the words of a headless log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtWidgets import QFileDialog

from app.session import Session
from sim.files.draft import cannot_write
from sim.files.log import WRITERS, Log
from sim.scene import SceneError
from sim.wording import listing

if TYPE_CHECKING:
    from app.window import Window
    from sim.history import History

KINDS = {"Tables (*.csv)": ".csv", "NumPy arrays (*.npz)": ".npz"}  # what the dialog offers -> suffix


def ask_and_export(window: Window) -> None:
    start = window.files.suggestion().with_suffix(".csv")
    path, kind = QFileDialog.getSaveFileName(window, "Export data", str(start), ";;".join(KINDS))
    if path:
        export(window.session, Path(path if Path(path).suffix else f"{path}{KINDS.get(kind, '.csv')}"))
    window.viewport.setFocus()


def refusal(session: Session) -> str:
    """Why there is nothing to export, or ""."""
    return "" if session.runner and session.runner.history else "Nothing has run yet."


def export(session: Session, path: Path) -> None:
    """Have a worker write every step that the history holds, as a complete file or none."""
    if path.suffix.lower() not in WRITERS:
        session.say("error", f'Data is exported to a file that ends in {listing(WRITERS, "or")}, not to "{path.name}".')
        return
    history: History | None = session.runner.history if session.runner else None
    if history is None:
        return

    def write() -> Log:
        log = Log(history.model)
        log.add(history)
        try:
            log.save(path)
        except OSError as problem:
            raise SceneError(cannot_write(path, problem)) from problem
        return log

    def then(log: Log | None, sentence: str) -> None:
        if log is None:
            session.say("error", sentence)
        else:
            times = log.rows[:, 0]
            span = f"{times[0]:.3f} s to {times[-1]:.3f} s"
            session.say("ok", f"Exported {len(times)} steps from {span}: {path}", path)

    session.in_background(write, then)
