"""Unsaved changes that outlive the program, even where it is killed: a scene file for each scene that has some."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sim.files import read_scene
from sim.files.draft import Draft
from sim.scene import Scene, SceneError


@dataclass(frozen=True)
class Kept:
    """A scene as it was set, and when that was written."""

    address: str
    scene: Scene
    when: datetime


class Shelf:
    """The folder they lie in. Every file is complete or not there; what cannot be read any more is as good as none."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path_of(self, address: str) -> Path:
        return self.folder / f"{hashlib.sha1(address.encode()).hexdigest()[:16]}.toml"

    def put(self, address: str, scene: Scene | None) -> None:
        """Keep a scene in place of what was kept under its address; None: nothing any more. Raises OSError."""
        path = self.path_of(address)
        if scene is None:
            path.unlink(missing_ok=True)
            return
        from sim.files.scene_writer import scene_text  # 0.03 s, and only a worker waits for it

        text = f"# Unsaved changes of {' '.join(address.split())}\n\n{scene_text(scene)}"
        self.folder.mkdir(parents=True, exist_ok=True)
        with Draft(path) as draft, open(draft.path, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)

    def find(self, address: str) -> Kept | None:
        path = self.path_of(address)
        try:
            return Kept(address, read_scene(path), datetime.fromtimestamp(path.stat().st_mtime))
        except (SceneError, OSError):
            return None
