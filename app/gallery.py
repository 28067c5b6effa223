"""Pictures for the gallery, in both themes: from the sheet that is shipped, from the user's cache, or drawn.

Workers read, a process of its own draws what is missing; the window never waits for a picture.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from PyQt6.QtCore import QObject, QProcess, QTimer, pyqtSignal
from PyQt6.QtGui import QImage

from app import thumbnail
from app.session import Session
from sim.scene import Scene

ROOT = Path(__file__).resolve().parent.parent
DRAW_AFTER = 3000  # [ms]: the window and its world come first
END = 2000  # [ms] that a drawing process has to end in


def read_sheet(folder: Path, theme: str) -> dict[str, QImage]:
    """The pictures of a sheet by their names; none where there is no sheet."""
    sheet, names = QImage(str(folder / thumbnail.SHEET.format(theme=theme))), folder / thumbnail.NAMES
    if sheet.isNull() or not names.exists():
        return {}
    found = json.loads(names.read_text(encoding="utf-8"))
    size = thumbnail.WIDTH, thumbnail.HEIGHT
    return {name: sheet.copy(*place, *size) for name, place in zip(found, thumbnail.places(len(found)), strict=True)}


class Gallery(QObject):
    changed = pyqtSignal()

    def __init__(self, session: Session, folder: Path) -> None:
        """`folder` is the user's cache."""
        super().__init__()
        self.session, self.folder, self.theme = session, folder, "light"
        self._scenes: dict[str, Scene] = {}
        self._names: dict[str, str] = {}  # key of a scene -> name of its picture
        self._pictures: dict[tuple[str, str], QImage] = {}  # by name and theme
        self._sheets: set[str] = set()  # themes whose sheet has been read
        self._unable: set[tuple[str, str]] = set()  # what was to be drawn once, and is not asked for again
        self._is_on = self._is_looking = False
        self._process = QProcess(self)
        self._process.setWorkingDirectory(str(ROOT))
        self._process.setProgram(sys.executable)
        self._process.setArguments(["-m", "app.thumbnail_process"])
        self._process.readyReadStandardOutput.connect(self._on_drawn)
        self._process.finished.connect(lambda *_: self._look())
        self._patience = QTimer(self, singleShot=True, interval=DRAW_AFTER)
        self._patience.timeout.connect(self._draw)

    def start(self) -> None:
        self._is_on = True
        self._look()

    def stop(self) -> None:
        self._is_on = False
        self._patience.stop()
        if self._process.state() != QProcess.ProcessState.NotRunning:
            self._process.kill()
            self._process.waitForFinished(END)

    def want(self, key: str, scene: Scene) -> None:
        """A picture of this scene, to be asked for by `key`."""
        self._scenes[key] = scene
        self._names.pop(key, None)
        self._look()

    def set_theme(self, theme: str) -> None:
        self.theme = theme
        self._look()

    def picture(self, key: str) -> QImage | None:
        return self._pictures.get((self._names.get(key, ""), self.theme))

    # --- reading --------------------------------------------------------------------------------------

    def _missing(self) -> list[tuple[str, str, str]]:
        """(key, name, theme) of the pictures that are not here, in the theme that is on."""
        return [
            (key, name, self.theme)
            for key, name in self._names.items()
            if (name, self.theme) not in self._pictures and (name, self.theme) not in self._unable
        ]

    def _look(self) -> None:
        """Have a worker name what is new and find what has been drawn; then draw the rest."""
        if not self._is_on or self._is_looking:
            return
        new = {key: scene for key, scene in self._scenes.items() if key not in self._names}
        missing, theme, is_sheet_read = self._missing(), self.theme, self.theme in self._sheets
        if not new and not missing and is_sheet_read:
            return
        known, pictures = dict(self._names), set(self._pictures)

        def work() -> tuple[dict[str, str], dict[tuple[str, str], QImage]]:
            names = {key: thumbnail.name_of(scene) for key, scene in new.items()}
            found: dict[tuple[str, str], QImage] = {}
            if not is_sheet_read:
                found |= {(name, theme): picture for name, picture in read_sheet(thumbnail.SHEETS, theme).items()}
            for name in {*known.values(), *names.values()}:
                if (name, theme) not in pictures and (name, theme) not in found:
                    picture = QImage(str(self._path(name, theme)))
                    if not picture.isNull():
                        found[name, theme] = picture
            return names, found

        def then(result: tuple[dict[str, str], dict[tuple[str, str], QImage]] | None, _: str) -> None:
            self._is_looking = False
            if result is not None:
                self._names |= {key: name for key, name in result[0].items() if self._scenes[key] is new[key]}
                self._pictures |= result[1]
                self._sheets.add(theme)
                self.changed.emit()
            if self._is_on and self._missing() and not self._patience.isActive():
                self._patience.start()
            elif any(key not in self._names for key in self._scenes) or self.theme != theme:
                self._look()

        self._is_looking = True
        self.session.in_background(work, then)

    def _path(self, name: str, theme: str) -> Path:
        return self.folder / f"{name}-{theme}.png"

    # --- drawing --------------------------------------------------------------------------------------

    def _draw(self) -> None:
        if self._process.state() != QProcess.ProcessState.NotRunning:
            return
        orders = self._missing()
        if not orders:
            return
        self._process.start()
        for key, name, theme in orders:
            self._unable.add((name, theme))
            order = {"scene": self._scenes[key].address, "theme": theme, "path": str(self._path(name, theme))}
            self._process.write(json.dumps({**order, "name": name}).encode() + b"\n")
        self._process.closeWriteChannel()

    def _on_drawn(self) -> None:
        while self._process.canReadLine():
            drawn = json.loads(bytes(self._process.readLine().data()))
            picture = QImage(drawn["path"])
            if not picture.isNull():
                self._pictures[drawn["name"], drawn["theme"]] = picture
                self.changed.emit()
