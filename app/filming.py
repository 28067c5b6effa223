"""V and P: films and pictures of what the viewport shows, drawn and written by a process of their own."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path

from PyQt6.QtCore import QObject, QStandardPaths

from app.numbers import clock
from app.render.view import View
from app.session import Session
from app.video import Progress, Recording, VideoError, take_picture
from sim.command import Applied, Record

MANY_FRAMES = 30  # still to be drawn when a film ends: it takes long enough to say so
FOLDERS = {
    ".mp4": QStandardPaths.StandardLocation.MoviesLocation,
    ".gif": QStandardPaths.StandardLocation.MoviesLocation,
    ".png": QStandardPaths.StandardLocation.PicturesLocation,
}


def output_path(scene_name: str, suffix: str, when: datetime) -> Path:
    """A new name such as "Videos/Impulse/arm_reach 2026-11-18 14.03.22.mp4"; IMPULSE_OUTPUT names another folder."""
    folder = os.environ.get("IMPULSE_OUTPUT")
    home = Path(folder) if folder else Path(QStandardPaths.writableLocation(FOLDERS[suffix])) / "Impulse"
    stem = f"{scene_name} {when:%Y-%m-%d %H.%M.%S}"
    names = (f"{stem}{suffix}" if n == 1 else f"{stem} ({n}){suffix}" for n in count(1))
    return next(home / name for name in names if not (home / name).exists())


@dataclass(frozen=True)
class FilmSettings:
    """How V records: the format by its suffix, the size in pixels (None: the view's own) and frames a second."""

    suffix: str = ".mp4"
    size: tuple[int, int] | None = None
    fps: float = 60.0

    def text(self) -> str:
        size = "x".join(str(side) for side in self.size) if self.size else "view"
        return f"{self.suffix} {size} {self.fps:g}"

    @staticmethod
    def parse(text: str) -> FilmSettings:
        """What `text` wrote; the usual ones where it makes no sense."""
        try:
            suffix, size, fps = text.split()
            sides = None if size == "view" else tuple(int(side) for side in size.split("x"))
            if suffix in FOLDERS and (sides is None or len(sides) == 2):
                return FilmSettings(suffix, sides, float(fps))
        except ValueError:
            pass
        return FilmSettings()


class Filming(QObject):
    """One film at a time; films and pictures being completed may overlap."""

    def __init__(self, session: Session, view: Callable[[], View], size: Callable[[], tuple[int, int]]) -> None:
        """`view` and `size` (physical pixels) tell what the viewport shows."""
        super().__init__()
        self.session = session
        self._view, self._size = view, size
        self.settings = FilmSettings()
        self._film: Recording | None = None
        self._fps = self.settings.fps  # of the film being made
        self._scene_id = -1
        self._completing: list[Recording] = []
        session.stage_changed.connect(lambda _: self.stop())
        session.reported.connect(self._on_event)

    @property
    def on(self) -> bool:
        """Whether frames are being taken."""
        return self._film is not None and self._film.poll().state == "recording"

    @property
    def elapsed(self) -> str:
        """Length of the film so far, in simulated time; "" if there is none."""
        return clock(self._film.poll().added / self._fps) if self.on and self._film else ""

    @property
    def unfinished(self) -> bool:
        return self._film is not None or bool(self._completing)

    @property
    def handed_over(self) -> bool:
        """Nothing is left here that a file still needs."""
        return self._film is None and all(film.handed_over for film in self._completing)

    # --- V -------------------------------------------------------------------------------------------

    def toggle(self) -> None:
        self.stop() if self.on else self.start()

    def start(self) -> None:
        if self._film is not None or self.session.runner is None:
            return
        scene = self.session.stage.scene
        try:
            wanted = self.settings
            path = self._new_path(wanted.suffix)
            self._film = Recording(path, scene, *(wanted.size or self._size()), wanted.fps)
        except (OSError, VideoError) as problem:
            self.session.say("error", str(problem))
            return
        self._scene_id, self._fps = self.session.snapshot.scene_id, wanted.fps
        self.session.runner.frames_done = 0
        self.session.send(Record(wanted.fps))

    def stop(self) -> None:
        """Ask for no more frames; the film is completed when the runner has agreed."""
        if self._film is not None:
            self.session.send(Record(None))

    def _on_event(self, event: object) -> None:
        if isinstance(event, Applied) and event.command == Record(None):
            self._drain()
            self._complete()

    def _complete(self) -> None:
        if self._film is not None:
            progress = self._film.poll()
            left = progress.added - progress.written
            if progress.state == "recording" and left > MANY_FRAMES:
                self.session.say("info", f"Completing the film: {left} frames are still to be drawn.")
            self._film.finish()
            self._completing.append(self._film)
            self._film = None

    def _drain(self) -> None:
        """Give the film the frames that have come, seen as the viewport shows the world now."""
        if self.session.runner is None:
            return
        frames, view = self.session.runner.frames, self._view()
        while not frames.empty():
            snapshot = frames.get()
            if self._film is not None and snapshot.scene_id == self._scene_id:
                self._film.add(snapshot, view)

    # --- P -------------------------------------------------------------------------------------------

    def take_picture(self) -> None:
        session = self.session
        try:
            path = self._new_path(".png")
            picture = take_picture(path, session.stage.scene, session.snapshot, self._view(), *self._size())
        except (OSError, VideoError) as problem:
            session.say("error", str(problem))
            return
        self._completing.append(picture)

    def _new_path(self, suffix: str) -> Path:
        path = output_path(self.session.stage.scene.name, suffix, datetime.now())
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    # --- both ----------------------------------------------------------------------------------------

    def poll(self) -> None:
        """Called at display rate."""
        self._drain()
        if self._film is not None:
            self._count_done(self._film.poll())
        for film in list(self._completing):
            progress = film.poll()
            if progress.over:
                self._completing.remove(film)
                self._tell(progress)

    def _count_done(self, progress: Progress) -> None:
        """The runner waits while too many frames are not drawn yet."""
        if self.session.runner is not None:
            self.session.runner.frames_done = progress.written
        if progress.over:
            self.session.send(Record(None))
            self._complete()

    def _tell(self, progress: Progress) -> None:
        if progress.state == "failed":
            self.session.say("error", progress.sentence)
        elif progress.state == "done":
            is_film = progress.path.suffix != ".png"
            what = f"Recorded {clock(progress.written / self._fps)} min" if is_film else "Took a picture"
            self.session.say("ok", f"{what}: {progress.path}", progress.path)
