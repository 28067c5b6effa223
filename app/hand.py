"""One mouse over the viewport, in logical pixels and without Qt: what is under it, what a press begins, the camera."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from app.camera import Camera, fit
from app.gestures import BodyPull, Caption, Gesture, Orbit, Pan, TargetDrag
from app.glide import Glide
from app.picking import pick_body, pick_handle, pick_target
from app.render.handles import handle_ends
from app.render.view import View
from app.selection import Selection
from app.session import Session
from app.theme import GRAB_TOLERANCE

TARGET_FRAME = 6.0  # target radii that framing a target shows


class Hand:
    """Holds the camera, since the mouse moves it, and what people hid or follow, since it belongs to the view."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.camera = session.stage.home()
        self.glide: Glide | None = None
        self.size = (1, 1)
        self.gesture: Gesture | None = None
        self.hover_target = self.hover_body = self.hover_handle = -1
        self.pulls = False  # Ctrl is held: a press would pull the body under the cursor
        self.hidden: frozenset[int] = frozenset()
        self.followed = -1  # body
        self._followed_at: Any = None
        self._at: tuple[float, float] | None = None  # the cursor, while it is over the view
        self.on_context: Callable[[float, float], None] = lambda x, y: None

    # --- what is seen ---------------------------------------------------------------------------

    def view(self, theme: str, scale: float) -> View:
        """All that decides how the frame looks besides the snapshot."""
        drag = self.gesture if isinstance(self.gesture, TargetDrag) else None
        selection = self.session.shown.selection
        return View(
            self.camera,
            theme,
            self.hover_target,
            (drag.index, drag.position) if drag else None,
            self.hover_body,
            selected_body=-1 if selection.body in self.hidden else selection.body,
            handles=selection.target,
            hover_handle=drag.axis if drag else self.hover_handle,
            hidden=self.hidden,
            scale=scale,
        )

    def letters(self) -> tuple[Caption, ...]:
        """x, y and z at the tips of the selected target's handles."""
        index = self.session.shown.selection.target
        if index < 0:
            return ()
        drag = self.gesture
        point = drag.position if isinstance(drag, TargetDrag) and drag.index == index else self._targets()[index]
        ends = handle_ends(self.camera, np.array(point), self._target_radius(), self.size[1])
        at = self.camera.project(ends, *self.size)
        return tuple(Caption(a, float(x), float(y)) for a, (x, y) in zip("xyz", at, strict=True) if x == x)

    @property
    def cursor(self) -> str:
        """What a press would do, as the name of a cursor."""
        if self.gesture is not None:
            return self.gesture.cursor
        if self.hover_target >= 0 or self.hover_handle >= 0:
            return "open"
        return "arrow" if self.hover_body < 0 else "cross" if self.pulls else "point"

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
            if (axis := self._handle_at(x, y)) >= 0:
                return TargetDrag(self, self.session.shown.selection.target, x, y, axis)
            index = self._target_at(x, y)
            return Orbit(self, button, x, y) if index < 0 else TargetDrag(self, index, x, y)
        return Pan(self, "right" if button == "right" else "", x, y)

    def click(self, button: str, x: float, y: float) -> None:
        """A press that did not move: select what is there; with the right button offer what can be done with it."""
        if button not in ("left", "right"):
            return
        target, handle = self._target_at(x, y), self._handle_at(x, y)
        if target >= 0:
            self.session.shown.select(Selection(target=target))
        elif handle < 0:
            hit = self._body_at(x, y)
            self.session.shown.select(Selection(body=hit[0]) if hit else Selection())
        if button == "right":
            self.on_context(x, y)

    def move(self, x: float, y: float, control: bool = False) -> None:
        if self.gesture is not None:
            self.gesture.move(x, y)
        else:
            self.hover(x, y, control)

    def hover(self, x: float, y: float, control: bool = False) -> None:
        self._at, self.pulls = (x, y), control
        self.hover_handle = -1 if control else self._handle_at(x, y)
        self.hover_target = -1 if control or self.hover_handle >= 0 else self._target_at(x, y)
        free = self.hover_target < 0 and self.hover_handle < 0
        hit = self._body_at(x, y) if free else None
        self.hover_body = hit[0] if hit else -1

    def hover_again(self) -> None:
        """What is under a resting cursor, while things move beneath it."""
        if self.gesture is None and self._at is not None:
            self.hover(*self._at, self.pulls)

    def leave(self) -> None:
        self._at = None
        self.hover_target = self.hover_body = self.hover_handle = -1

    def release(self) -> None:
        if self.gesture is not None:
            gesture, self.gesture = self.gesture, None
            gesture.finish()

    def cancel(self) -> bool:
        """Undo what the current gesture did; False if there is none."""
        if self.gesture is None:
            return False
        gesture, self.gesture = self.gesture, None
        gesture.cancel()
        return True

    def zoom(self, notches: float, x: float, y: float) -> None:
        self.glide = None
        self.camera = self.camera.zoom_to(notches, x, y, *self.size)

    def turn(self, dx: float, dy: float) -> None:
        self.glide = None
        self.camera = self.camera.orbit(dx, dy)

    def center_on(self, x: float, y: float, now: float) -> None:
        """Look at the body or the piece of floor under the cursor."""
        hit = self._body_at(x, y)
        point = hit[1] if hit else self._floor_at(x, y)
        if point is not None:
            self.glide_to(self.camera.looking_at(point), now)

    # --- bodies -----------------------------------------------------------------------------------

    def toggle_follow(self, body: int) -> None:
        """The camera goes along with a body, or no longer."""
        self.followed = -1 if body == self.followed else body
        self._followed_at = None

    def toggle_hidden(self, body: int) -> None:
        self.hidden = self.hidden ^ {body}
        self.hover_body = -1

    def show_all(self) -> None:
        self.hidden = frozenset()

    def forget(self) -> None:
        """Another scene is on stage: what was held belongs to the one before, and there is nothing to take back."""
        self.gesture = None
        self.leave()
        self.glide = None
        self.hidden, self.followed, self._followed_at = frozenset(), -1, None
        if self.session.stage is not self.session.read_again:
            self.camera = self.session.stage.home()

    # --- camera -----------------------------------------------------------------------------------

    def glide_to(self, camera: Camera, now: float) -> None:
        self.glide = Glide(self.camera, camera, now)

    def framing(self, selection: Selection) -> Camera:
        """The selection, or everything, at a good size from the same side."""
        snapshot, visuals = self.session.snapshot, self.session.stage.visuals
        if selection.target >= 0:
            center, radius = snapshot.targets[selection.target], TARGET_FRAME * visuals.target_radius
        elif selection.body >= 0:
            center, radius = visuals.body_sphere(snapshot, selection.body)
        else:
            center, radius = visuals.bounds(snapshot)
        fitted = fit(center, radius)
        return replace(self.camera, look_at=fitted.look_at, distance=fitted.distance)

    def advance(self, now: float) -> bool:
        """Carry on with an eased change of view and with the followed body; True while the camera moves."""
        before = self.camera
        if self.glide is not None:
            self.camera = self.glide.at(now)
            if self.glide.done(now):
                self.glide = None
        if self.followed >= 0:
            self._follow()
        return self.camera != before

    def _follow(self) -> None:
        at = np.array(self.session.snapshot.position[self.followed])
        step = np.zeros(3) if self._followed_at is None else at - self._followed_at
        self._followed_at = at
        if step.any():
            self.camera = self.camera.looking_at(np.array(self.camera.look_at) + step)
            if self.glide is not None:
                self.glide = self.glide.shifted(step)

    # --- picking ----------------------------------------------------------------------------------

    def _targets(self) -> Any:
        return self.session.snapshot.targets

    def _target_radius(self) -> float:
        return self.session.stage.visuals.target_radius

    def _target_at(self, x: float, y: float) -> int:
        targets = self._targets()
        if len(targets) == 0:
            return -1
        index = pick_target(self.camera, targets, self._target_radius(), x, y, *self.size, tolerance=GRAB_TOLERANCE)
        return -1 if index is None else index

    def _handle_at(self, x: float, y: float) -> int:
        index = self.session.shown.selection.target
        if index < 0:
            return -1
        axis = pick_handle(self.camera, self._targets()[index], self._target_radius(), x, y, *self.size)
        return -1 if axis is None else axis

    def _body_at(self, x: float, y: float) -> tuple[int, Any] | None:
        return pick_body(self.session.stage.visuals, self.session.snapshot, *self.ray(x, y), self.hidden)

    def _floor_at(self, x: float, y: float) -> Any:
        origin, direction = self.ray(x, y)
        if direction[2] * origin[2] >= 0.0:
            return None
        return origin - direction * (origin[2] / direction[2])
