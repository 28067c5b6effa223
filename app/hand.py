"""What the mouse does in the viewport, in logical pixels and without Qt: orbit, pan, zoom, drag, pull.

A press begins a gesture, moves feed it, release finishes it, Escape cancels it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from app.camera import Camera
from app.glide import Glide
from app.numbers import MINUS, significant
from app.picking import pick_body, pick_target, plane_drag
from app.render.view import View
from app.session import Session
from app.theme import GRAB_TOLERANCE
from sim.command import PullBody, ReleaseBody
from sim.scene import Vec3


@dataclass(frozen=True)
class Caption:
    """A short text beside a point of the viewport."""

    text: str
    x: float
    y: float


class Gesture(Protocol):
    cursor: str

    def move(self, x: float, y: float) -> None: ...
    def finish(self) -> None: ...
    def cancel(self) -> None: ...
    def caption(self) -> Caption | None: ...


class Hand:
    """One mouse over one view of the session's world. Holds the camera, since the mouse moves it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.camera = session.stage.home()
        self.glide: Glide | None = None
        self.size = (1, 1)
        self.gesture: Gesture | None = None
        self.hover_target = -1
        self.hover_body = -1

    # --- what is seen ---------------------------------------------------------------------------

    def view(self, theme: str, scale: float) -> View:
        """All that decides how the frame looks besides the snapshot."""
        drag = (self.gesture.index, self.gesture.position) if isinstance(self.gesture, TargetDrag) else None
        return View(self.camera, theme, self.hover_target, drag, self.hover_body, scale)

    @property
    def cursor(self) -> str:
        if self.gesture is not None:
            return self.gesture.cursor
        return "open" if self.hover_target >= 0 else "cross" if self.hover_body >= 0 else "arrow"

    def ray(self, x: float, y: float) -> tuple[Any, Any]:
        return self.camera.ray(x, y, *self.size)

    # --- mouse ------------------------------------------------------------------------------------

    def press(self, button: str, x: float, y: float, shift: bool = False, control: bool = False) -> None:
        self.cancel()
        self.glide = None
        self.gesture = self._begin(button, x, y, shift, control)

    def _begin(self, button: str, x: float, y: float, shift: bool, control: bool) -> Gesture:
        if control and button in ("left", "right") and (hit := self._body_at(x, y)):
            return BodyPull(self, *hit, x, y)
        if button == "left" and not (shift or control):
            index = self._target_at(x, y)
            return Orbit(self, x, y) if index < 0 else TargetDrag(self, index, x, y)
        return Pan(self, x, y)

    def move(self, x: float, y: float, control: bool = False) -> None:
        if self.gesture is not None:
            self.gesture.move(x, y)
        else:
            self.hover(x, y, control)

    def hover(self, x: float, y: float, control: bool = False) -> None:
        self.hover_target = self._target_at(x, y)
        hit = self._body_at(x, y) if control and self.hover_target < 0 else None
        self.hover_body = hit[0] if hit else -1

    def leave(self) -> None:
        self.hover_target = self.hover_body = -1

    def release(self) -> None:
        if self.gesture is not None:
            self.gesture.finish()
            self.gesture = None

    def cancel(self) -> bool:
        """Undo what the current gesture did; False if there is none."""
        if self.gesture is None:
            return False
        self.gesture.cancel()
        self.gesture = None
        return True

    def zoom(self, notches: float, x: float, y: float) -> None:
        self.glide = None
        self.camera = self.camera.zoom_to(notches, x, y, *self.size)

    def center_on(self, x: float, y: float, now: float) -> None:
        """Look at the body or the piece of floor under the cursor."""
        hit = self._body_at(x, y)
        point = hit[1] if hit else self._floor_at(x, y)
        if point is not None:
            self.glide_to(self.camera.looking_at(point), now)

    # --- camera -----------------------------------------------------------------------------------

    def glide_to(self, camera: Camera, now: float) -> None:
        self.glide = Glide(self.camera, camera, now)

    def advance(self, now: float) -> bool:
        """Carry on with an eased change of view; True while the camera moves."""
        if self.glide is None:
            return False
        self.camera = self.glide.at(now)
        if self.glide.done(now):
            self.glide = None
        return True

    # --- picking ----------------------------------------------------------------------------------

    def _target_at(self, x: float, y: float) -> int:
        targets = self.session.snapshot.targets
        if len(targets) == 0:
            return -1
        radius = self.session.stage.visuals.target_radius
        index = pick_target(self.camera, targets, radius, x, y, *self.size, tolerance=GRAB_TOLERANCE)
        return -1 if index is None else index

    def _body_at(self, x: float, y: float) -> tuple[int, Any] | None:
        return pick_body(self.session.stage.visuals, self.session.snapshot, *self.ray(x, y))

    def _floor_at(self, x: float, y: float) -> Any:
        origin, direction = self.ray(x, y)
        if direction[2] * origin[2] >= 0.0:
            return None
        return origin - direction * (origin[2] / direction[2])


class Orbit:
    cursor = "closed"

    def __init__(self, hand: Hand, x: float, y: float) -> None:
        self.hand, self.x, self.y, self.before = hand, x, y, hand.camera

    def move(self, x: float, y: float) -> None:
        self.hand.camera = self.hand.camera.orbit(x - self.x, y - self.y)
        self.x, self.y = x, y

    def finish(self) -> None:
        pass

    def cancel(self) -> None:
        self.hand.camera = self.before

    def caption(self) -> Caption | None:
        return None


class Pan(Orbit):
    cursor = "move"

    def move(self, x: float, y: float) -> None:
        self.hand.camera = self.hand.camera.pan(x - self.x, y - self.y, *self.hand.size)
        self.x, self.y = x, y


class TargetDrag:
    """Moves a target in the screen plane through it; drawn from here, not from the snapshot."""

    cursor = "closed"

    def __init__(self, hand: Hand, index: int, x: float, y: float) -> None:
        self.hand, self.index = hand, index
        self.start: Vec3 = _vec3(hand.session.snapshot.targets[index])
        self.position = self.start
        self.normal = hand.camera.forward()
        self.hit = plane_drag(*hand.ray(x, y), self.start, self.normal, self.start)
        hand.session.press_target(index)

    def move(self, x: float, y: float) -> None:
        self.position = _vec3(plane_drag(*self.hand.ray(x, y), self.hit, self.normal, self.start))
        self.hand.session.set_target(self.index, self.position)

    def finish(self) -> None:
        pass

    def cancel(self) -> None:
        self.hand.session.set_target(self.index, self.start)

    def caption(self) -> Caption | None:
        [(x, y)] = self.hand.camera.project(np.array([self.position]), *self.hand.size)
        numbers = "  ".join(f"{a} {c:.3f}" for a, c in zip("xyz", self.position, strict=True))
        return Caption(f"{numbers} m".replace("-", MINUS), float(x), float(y))


class BodyPull:
    """A spring from the grabbed point of a body to the cursor, in the screen plane of the grabbed point."""

    cursor = "closed"

    def __init__(self, hand: Hand, body: int, hit: Any, x: float, y: float) -> None:
        snapshot = hand.session.snapshot
        self.hand, self.x, self.y = hand, x, y
        self.body = hand.session.stage.scene.bodies[body].name
        self.point = _vec3(snapshot.rotation[body].T @ (np.asarray(hit) - snapshot.position[body]))
        self.hit, self.normal = hit, hand.camera.forward()
        hand.hover_body = body
        self.move(x, y)

    def move(self, x: float, y: float) -> None:
        self.x, self.y = x, y
        anchor = plane_drag(*self.hand.ray(x, y), self.hit, self.normal, self.hit)
        self.hand.session.send(PullBody(self.body, self.point, _vec3(anchor)))

    def finish(self) -> None:
        self.hand.hover_body = -1
        self.hand.session.send(ReleaseBody())

    def cancel(self) -> None:
        self.finish()

    def caption(self) -> Caption | None:
        pull = self.hand.session.snapshot.pull
        if pull is None:
            return None
        return Caption(f"{significant(float(np.linalg.norm(pull.force)), 3)} N", self.x, self.y)


def _vec3(values: Any) -> Vec3:
    x, y, z = (float(c) for c in values)
    return x, y, z
