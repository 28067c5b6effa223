"""All that decides how a frame looks besides the snapshot."""

from __future__ import annotations

from dataclasses import dataclass

from app.camera import Camera
from app.render.overlays import NO_OVERLAYS, Overlays
from sim.scene import Vec3


@dataclass(frozen=True)
class View:
    camera: Camera
    theme: str = "light"
    hover_target: int = -1
    drag: tuple[int, Vec3] | None = None  # target and where the hand holds it, drawn there with its depth line
    hover_body: int = -1
    selected_body: int = -1  # outlined
    handles: int = -1  # the target that shows its axes to pull at
    hover_handle: int = -1  # axis of the handle under the cursor
    hidden: frozenset[int] = frozenset()  # bodies that are not drawn
    scale: float = 1.0  # physical pixels a logical one, for the widths given in pixels
    overlays: Overlays = NO_OVERLAYS
