"""A scene made ready to be shown: its arrays, its shapes, its pose at rest, its engines. No Qt, no kernels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.camera import Camera, fit
from app.render.visuals import Visuals
from sim.backend import BACKENDS, refusal
from sim.model import Model, compile_model
from sim.rest import rest_snapshot
from sim.scene import Scene, SceneError
from sim.state import Snapshot


@dataclass(frozen=True)
class Variant:
    """One way to open a scene's file, for people to choose from; the plain one has no name."""

    name: str
    title: str
    summary: str


@dataclass(frozen=True)
class Stage:
    scene: Scene
    model: Model
    visuals: Visuals
    rest: Snapshot
    variants: tuple[Variant, ...]  # of the scene's file, the plain one first
    refusals: Mapping[str, str]  # engine -> why it cannot run this scene; "" if it can

    def home(self) -> Camera:
        """Where the view of this scene starts."""
        return fit(*self.visuals.bounds(self.rest), self.scene.camera)


def set_stage(scene: Scene) -> Stage:
    """Everything the window needs of a scene; raises SceneError."""
    model = compile_model(scene)
    refusals = {name: refusal(name, model) for name in BACKENDS}
    variants = tuple(_variant(scene, name) for name in ("", *scene.variants))
    return Stage(scene, model, Visuals(scene, model), rest_snapshot(scene, model), variants, refusals)


def _variant(scene: Scene, name: str) -> Variant:
    """What the file says of a variant; one that cannot be read is offered by its name, with the reason."""
    if name == scene.variant:
        return Variant(name, scene.title, scene.summary)
    from sim.files import load

    plain = scene.path or scene.name
    try:
        other = load(f"{plain}:{name}" if name else plain)
    except (SceneError, OSError) as problem:
        return Variant(name, scene.title, str(problem))
    return Variant(name, other.title, other.summary)


def load_stage(name_or_path: str | Path) -> Stage:
    """The stage of a built-in scene or a scene file; raises SceneError with file and line."""
    from sim.files import load

    return set_stage(load(name_or_path))
