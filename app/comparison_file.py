"""Save table… of a comparison: its figures as a page or as CSV."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtWidgets import QFileDialog, QWidget

from app.session import Session
from sim.files.comparison_table import WRITERS, Table, comparison_table, save_table
from sim.files.draft import cannot_write
from sim.scene import SceneError
from sim.wording import listing

KINDS = {"Pages (*.html)": ".html", "Tables (*.csv)": ".csv"}  # what the dialog offers -> suffix


def refusal(session: Session) -> str:
    """Why there is no table, or ""."""
    return "" if session.snapshot.beside else "No engine runs beside the leading one."


def ask_and_save(session: Session, parent: QWidget) -> None:
    start = str(Path.home() / f"{session.stage.scene.name} compared.html")
    path, kind = QFileDialog.getSaveFileName(parent, "Save table", start, ";;".join(KINDS))
    if path:
        save(session, Path(path if Path(path).suffix else f"{path}{KINDS.get(kind, '.html')}"))


def save(session: Session, path: Path) -> None:
    """Have a worker write the figures of now, as a complete file or none."""
    if path.suffix.lower() not in WRITERS:
        session.say("error", f'A table is a file that ends in {listing(WRITERS, "or")}, not "{path.name}".')
    elif reason := refusal(session):
        session.say("error", reason)
    else:
        table = _table(session)
        session.in_background(lambda: _write(path, table), lambda _, sentence: _tell(session, path, sentence))


def _table(session: Session) -> Table:
    snapshot, stage = session.snapshot, session.stage
    assert snapshot.lead is not None
    return comparison_table(
        stage.scene.title,
        stage.model,
        snapshot.time,
        snapshot.dt,
        snapshot.tolerance,
        snapshot.lead,
        snapshot.beside,
    )


def _write(path: Path, table: Table) -> None:
    try:
        save_table(path, table)
    except OSError as problem:
        raise SceneError(cannot_write(path, problem)) from problem


def _tell(session: Session, path: Path, sentence: str) -> None:
    if sentence:
        session.say("error", sentence)
    else:
        session.say("ok", f"Saved the comparison: {path}", path)
