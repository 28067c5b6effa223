"""A scene made ready to be shown: its arrays, its shapes and its pose at rest. No Qt, no kernels."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app.camera import Camera, fit
from app.render.visuals import Visuals
from sim.model import Model, compile_model
from sim.rest import rest_snapshot
from sim.scene import Scene
from sim.state import Snapshot


@dataclass(frozen=True)
class Stage:
    scene: Scene
    model: Model
    visuals: Visuals
    rest: Snapshot

    def home(self) -> Camera:
        """Where the view of this scene starts."""
        return fit(*self.visuals.bounds(self.rest), self.scene.camera)


def set_stage(scene: Scene) -> Stage:
    """Everything the window needs of a scene; raises SceneError."""
    model = compile_model(scene)
    return Stage(scene, model, Visuals(scene, model), rest_snapshot(scene, model))


def load_stage(name_or_path: str | Path) -> Stage:
    """The stage of a built-in scene or a scene file; raises SceneError with file and line."""
    from sim.files import load

    return set_stage(load(name_or_path))
