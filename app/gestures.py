"""What a pressed mouse does until it is released: turn, shift, click, drag a target, pull a body.

A gesture begins at a press; moves feed it, release finishes it, Escape cancels it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import hypot
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from app.numbers import MINUS, significant
from app.picking import axis_drag, plane_drag
from app.theme import CLICK_TOLERANCE
from sim.command import PullBody, ReleaseBody
from sim.scene import Vec3

if TYPE_CHECKING:
    from app.hand import Hand


@dataclass(frozen=True)
class Caption:
    """A short text beside a point of the viewport: at its right, or first at its left."""

    text: str
    x: float
    y: float
    leftwards: bool = False


class Gesture(Protocol):
    cursor: str

    def move(self, x: float, y: float) -> None: ...
    def finish(self) -> None: ...
    def cancel(self) -> None: ...
    def caption(self) -> Caption | None: ...


class CameraDrag(ABC):
    """Moves the camera once the mouse has left the place of the press; a press that has not is a click."""

    cursor = "arrow"
    moving_cursor = "closed"

    def __init__(self, hand: Hand, button: str, x: float, y: float) -> None:
        self.hand, self.button, self.before = hand, button, hand.camera
        self.press = self.last = (x, y)
        self.is_click = True

    def move(self, x: float, y: float) -> None:
        if self.is_click and hypot(x - self.press[0], y - self.press[1]) < CLICK_TOLERANCE:
            return
        self.is_click, self.cursor = False, self.moving_cursor
        self.shift(x - self.last[0], y - self.last[1])
        self.last = (x, y)

    @abstractmethod
    def shift(self, dx: float, dy: float) -> None:
        """Follow the mouse by so many pixels."""

    def finish(self) -> None:
        if self.is_click:
            self.hand.click(self.button, *self.press)

    def cancel(self) -> None:
        self.hand.camera = self.before

    def caption(self) -> Caption | None:
        return None


class Orbit(CameraDrag):
    def shift(self, dx: float, dy: float) -> None:
        self.hand.camera = self.hand.camera.orbit(dx, dy)


class Pan(CameraDrag):
    moving_cursor = "move"

    def shift(self, dx: float, dy: float) -> None:
        self.hand.camera = self.hand.camera.pan(dx, dy, *self.hand.size)


class TargetDrag:
    """Moves a target in the screen plane through it, or along one of its axes; drawn from here, not from the snapshot.

    A press that does not move selects the target, which then shows its axes.
    """

    cursor = "closed"

    def __init__(self, hand: Hand, index: int, x: float, y: float, axis: int = -1) -> None:
        self.hand, self.index, self.axis = hand, index, axis
        self.start: Vec3 = vec3(hand.session.snapshot.targets[index])
        self.position = self.start
        self.normal = hand.camera.forward()
        self.press, self.is_click = (x, y), True
        ray = hand.ray(x, y)
        if axis < 0:
            self.hit = plane_drag(*ray, self.start, self.normal, self.start)
        else:
            self.hit = axis_drag(*ray, self.start, np.eye(3)[axis], self.start)
        hand.session.press_target(index)

    def move(self, x: float, y: float) -> None:
        ray, start = self.hand.ray(x, y), np.array(self.start)
        self.is_click = self.is_click and hypot(x - self.press[0], y - self.press[1]) < CLICK_TOLERANCE
        if self.axis < 0:
            self.position = plane_drag(*ray, self.hit, self.normal, start)
        else:
            self.position = axis_drag(*ray, self.hit, np.eye(3)[self.axis], start)
        self.hand.session.set_target(self.index, self.position)

    def finish(self) -> None:
        if self.is_click:
            self.hand.click("left", *self.press)

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
        self.point = vec3(snapshot.rotation[body].T @ (np.asarray(hit) - snapshot.position[body]))
        self.hit, self.normal = hit, hand.camera.forward()
        hand.hover_body = body
        self.move(x, y)

    def move(self, x: float, y: float) -> None:
        self.x, self.y = x, y
        anchor = plane_drag(*self.hand.ray(x, y), self.hit, self.normal, self.hit)
        self.hand.session.send(PullBody(self.body, self.point, anchor))

    def finish(self) -> None:
        self.hand.hover_body = -1
        self.hand.session.send(ReleaseBody())

    def cancel(self) -> None:
        self.finish()

    def caption(self) -> Caption | None:
        pull = self.hand.session.snapshot.pull
        if pull is None:
            return None
        [(grabbed, _)] = self.hand.camera.project(pull.point, *self.hand.size)
        force = significant(float(np.linalg.norm(pull.force)), 3)
        return Caption(f"{force} N", self.x, self.y, leftwards=bool(self.x < grabbed))


def vec3(values: Any) -> Vec3:
    x, y, z = (float(c) for c in values)
    return x, y, z
