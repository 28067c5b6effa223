"""The files behind the scenes: opened, saved, recent; and unsaved changes, kept for the next start.

Nothing here waits for a disk: workers of the session read and write.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PyQt6.QtCore import QObject, QStandardPaths, QTimer, pyqtSignal

from app.kept import Kept, Shelf
from app.session import Session
from app.settings import Settings
from app.stage import Stage, load_stage
from sim.files import is_builtin, load
from sim.files.draft import cannot_write
from sim.scene import CameraSpec, Scene, SceneError
from sim.tuning import changes

SUFFIX = ".toml"
MOST_RECENT = 8
KEEP_AFTER = 400  # [ms] from a change until it is kept
LAST, RECENT, FOLDER = "scene", "recent", "folder"  # settings


def absolute(scene: Scene) -> str:
    """The scene's address, from whatever folder the program is started next."""
    path = os.path.abspath(scene.path) if scene.path else scene.name
    return f"{path}:{scene.variant}" if scene.variant else path


def has_own_file(scene: Scene) -> bool:
    """Whether Save may write to where the scene came from: not over a built-in one, nor over a file's variants."""
    return bool(scene.path) and not is_builtin(scene.path or "") and not scene.variant


class SceneFiles(QObject):
    changed = pyqtSignal()  # whether there is something to save, or the recent files
    offered = pyqtSignal(object)  # Kept, or None when there is nothing to decide any more
    found = pyqtSignal(object)  # list of Scene: the recent files that could be read

    def __init__(self, session: Session, settings: Settings, camera: Callable[[], CameraSpec]) -> None:
        """`camera` tells where the scene is seen from, as a scene file says it."""
        super().__init__()
        self.session, self.settings = session, settings
        self.recent = settings.texts(RECENT)
        self.is_changed = False
        self.is_saving = False
        self.offer: Kept | None = None
        self._shelf = Shelf(settings.folder / "unsaved")
        self._camera = camera
        self._address = absolute(session.stage.scene)
        self._wanted: Scene | None = None  # to be kept under the address; None: nothing
        self._kept: Scene | None = None  # what was put there last
        self._pending: dict[str, Scene | None] = {}
        self._is_putting = False
        self._timer = QTimer(self, singleShot=True, interval=KEEP_AFTER)
        self._timer.timeout.connect(self._keep)
        session.stage_changed.connect(self._on_stage)
        session.saved.connect(self._on_saved)
        session.edited.connect(self._on_edited)

    def start(self) -> None:
        """Once the window is there: what was left unsaved last time, and the recent files for the gallery."""
        self._remember(self.session.stage.scene)
        self._look_for_kept()
        self.session.in_background(self._read_recent, lambda scenes, _: self.found.emit(scenes or []))

    def stop(self) -> None:
        """At the end: nothing that was set is lost."""
        self._on_edited()
        self._is_putting = True  # from here on, not by workers
        self._keep()
        self.session.finish_work()
        for address, scene in self._pending.items():
            try:
                self._put(address, scene)
            except SceneError as problem:
                print(f"impulse: {problem}", file=sys.stderr)

    # --- saving ---------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the scene as it is set and seen now; from then on the running world is the one of that file."""
        target = Path(path) if Path(path).suffix else Path(f"{path}{SUFFIX}")
        if is_builtin(target):
            self.session.say("error", f'"{target}" is a built-in scene, which stays as it is: choose another name.')
            return
        scene = self._as_set()
        if is_builtin(scene.path or ""):
            scene = replace(scene, title=target.stem.replace("_", " "), group=Scene.group)
        self.settings.set(FOLDER, str(target.absolute().parent))

        def write() -> Stage:
            from sim.files.scene_writer import write_scene

            try:
                write_scene(scene, target)
            except OSError as problem:
                raise SceneError(cannot_write(target, problem)) from problem
            return load_stage(target)

        def then(stage: Stage | None, sentence: str) -> None:
            self.is_saving = False
            if stage is None:
                self.session.say("error", sentence)
            else:
                self.session.adopt(stage)
                self.session.say("ok", f"Saved {target}", target)

        self.is_saving = True
        self.session.in_background(write, then)

    def suggestion(self) -> Path:
        """Where Save As begins: beside the file, or where the last one was saved."""
        scene = self.session.stage.scene
        if has_own_file(scene):
            return Path(scene.path or "")
        documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        name = f"{scene.name}_{scene.variant}" if scene.variant else scene.name
        folder = Path(self.settings.text(FOLDER, documents))
        return (folder if folder.is_dir() else Path.home()) / f"{name}{SUFFIX}"

    def _as_set(self) -> Scene:
        """With the view and the plots that are shown."""
        return replace(self.session.tuned(), camera=self._camera(), plots=self.session.shown.plots)

    def _on_saved(self, stage: Stage) -> None:
        """What was kept for the scene before is in the file now."""
        self.drop_offer()
        self._wanted = None
        self._keep()
        self._change_address(stage.scene)

    # --- recent files ---------------------------------------------------------------------------------

    def _remember(self, scene: Scene) -> None:
        self.settings.set(LAST, absolute(scene))
        if scene.path and not is_builtin(scene.path):
            path = os.path.abspath(scene.path)
            self.recent = [path, *(other for other in self.recent if other != path)][:MOST_RECENT]
            self.settings.set(RECENT, self.recent)
        self.settings.save()
        self.changed.emit()

    def _read_recent(self) -> list[Scene]:
        scenes = []
        for path in self.recent:
            try:
                scenes.append(load(path))
            except (SceneError, OSError):
                continue  # opening it says why
        return scenes

    # --- unsaved changes ------------------------------------------------------------------------------

    def _on_stage(self, stage: Stage) -> None:
        self.drop_offer()
        self._keep()
        self._change_address(stage.scene)
        self._look_for_kept()

    def _change_address(self, scene: Scene) -> None:
        self._address, self._wanted, self._kept = absolute(scene), None, None
        self.is_changed = False
        self._remember(scene)

    def _on_edited(self) -> None:
        was_changed, self.is_changed = self.is_changed, bool(self.session.changes())
        wanted = self._as_set() if self.is_changed else self.offer.scene if self.offer else None
        if wanted != self._wanted:
            self._wanted = wanted
            if not self._timer.isActive():
                self._timer.start()
        if was_changed != self.is_changed:
            self.changed.emit()

    def _keep(self) -> None:
        """Have a worker bring the shelf up to date."""
        self._timer.stop()
        if self._wanted is not self._kept:
            self._kept = self._pending[self._address] = self._wanted
            self._put_next()

    def _put_next(self) -> None:
        """One at a time, so that the last one stays."""
        if self._is_putting or not self._pending:
            return
        address, scene = self._pending.popitem()

        def then(_: None, sentence: str) -> None:
            self._is_putting = False
            if sentence:
                self.session.say("warning", f"Unsaved changes cannot be kept for the next start: {sentence}")
            self._put_next()

        self._is_putting = True
        self.session.in_background(lambda: self._put(address, scene), then)

    def _put(self, address: str, scene: Scene | None) -> None:
        try:
            self._shelf.put(address, scene)
        except OSError as problem:
            raise SceneError(cannot_write(self._shelf.path_of(address), problem)) from problem

    def _look_for_kept(self) -> None:
        address = self._address

        def then(kept: Kept | None, _: str) -> None:
            is_here = kept is not None and kept.address == self._address
            if kept is not None and is_here and changes(self.session.tuned(), kept.scene):
                self.offer, self._kept = kept, self._kept or kept.scene
                self._wanted = self._wanted or kept.scene
                self.offered.emit(kept)

        self.session.in_background(lambda: self._shelf.find(address), then)

    def restore(self) -> CameraSpec | None:
        """Set again what was kept; where it was seen from."""
        kept, self.offer = self.offer, None
        if kept is None:
            return None
        for command in changes(self.session.stage.scene, kept.scene):
            self.session.send(command)
        self.offered.emit(None)
        return kept.scene.camera

    def discard(self) -> None:
        self.drop_offer()
        self._on_edited()
        self._keep()

    def drop_offer(self) -> None:
        if self.offer is not None:
            self.offer = None
            self.offered.emit(None)
