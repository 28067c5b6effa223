"""A scene's own file that an editor saves is read again by itself."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QFileSystemWatcher, QObject, QTimer

from app.scene_files import SceneFiles
from app.session import Session
from app.stage import Stage, load_stage
from sim.files import is_builtin

SETTLE = 200  # [ms] from a sign of change until the file is looked at: editors write in several goes


class Watching(QObject):
    """Looks after the file on stage. What counts is what the file says: a touch, or our own Save, changes nothing.

    The folder is watched too, because many editors put a new file in the place of the old one.
    """

    def __init__(self, session: Session, files: SceneFiles) -> None:
        super().__init__()
        self.session, self.files = session, files
        self._path = ""  # of the file that is watched; "": none
        self._known: bytes | None = None  # what it said when it was read or written last
        self._held_back = False  # an edit on disk was not read because of unsaved changes here
        self._watcher = QFileSystemWatcher(self)
        self._timer = QTimer(self, singleShot=True, interval=SETTLE)
        self._timer.timeout.connect(self._look)
        self._watcher.fileChanged.connect(lambda _: self._timer.start())
        self._watcher.directoryChanged.connect(lambda _: self._timer.isActive() or self._timer.start())
        session.stage_changed.connect(self._begin)
        session.saved.connect(self._begin)

    def start(self) -> None:
        self._begin(self.session.stage)

    def stop(self) -> None:
        self._timer.stop()
        self._watch("")

    def may_save(self) -> bool:
        """Whether Save may write the file. One that holds somebody's edit is replaced only at the second try."""
        if not self._held_back:
            return True
        self._held_back = False
        name = Path(self._path).name
        words = f"{name} was changed by another program. Save again to replace it, or keep both by Save as."
        self.session.say("warning", words, Path(self._path))
        return False

    def _begin(self, stage: Stage) -> None:
        self._held_back = False
        path = stage.scene.path or ""
        self._watch("" if is_builtin(path) or not path else os.path.abspath(path))
        self._known = None
        self._ask(self._learn)

    def _watch(self, path: str) -> None:
        if old := [*self._watcher.files(), *self._watcher.directories()]:
            self._watcher.removePaths(old)
        self._path = path
        if path:
            self._watcher.addPaths([path, os.path.dirname(path)])

    def _ask(self, then: Callable[[bytes], None]) -> None:
        """What the watched file says now, unless it cannot be read or another one is watched by then."""
        path = self._path
        if path:

            def take(text: bytes | None, _: str) -> None:
                if text is not None and path == self._path:
                    then(text)

            self.session.in_background(Path(path).read_bytes, take)

    def _learn(self, text: bytes) -> None:
        self._known = text

    def _look(self) -> None:
        if self.files.is_saving:
            self._timer.start()
            return
        if self._path and self._path not in self._watcher.files():
            self._watcher.addPath(self._path)
        self._ask(self._compare)

    def _compare(self, text: bytes) -> None:
        if text == self._known or self._known is None:
            return
        self._known = text
        path = Path(self._path)
        if self.files.is_changed:
            self._held_back = True
            words = f"{path.name} has changed on disk. Shift+R reads it in place of what is set here."
            self.session.say("warning", words, path)
            return
        address, stage = self.session.stage.scene.address, self.session.stage

        def then(again: Stage | None, sentence: str) -> None:
            if self.session.stage is not stage:
                return
            if again is None:
                self.session.say("error", sentence)
            else:
                self.session.run_again(again)
                self.session.say("ok", f"Read {path.name} again, as it was saved by another program.")

        self.session.in_background(lambda: load_stage(address), then)
