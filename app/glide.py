"""A change of view eased over a moment, so that the eye can follow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.camera import Camera
from app.theme import VIEW_EASING


@dataclass(frozen=True)
class Glide:
    start: Camera
    end: Camera
    began: float  # [s]

    def done(self, now: float) -> bool:
        return now - self.began >= VIEW_EASING

    def shifted(self, step: Iterable[float]) -> Glide:
        """The same change of view around points that have moved by `step`."""
        start, end = (c.looking_at(a + b for a, b in zip(c.look_at, step, strict=True)) for c in (self.start, self.end))
        return Glide(start, end, self.began)

    def at(self, now: float) -> Camera:
        """The camera on its way, slow at both ends: s²(3 − 2s)."""
        s = min(max((now - self.began) / VIEW_EASING, 0.0), 1.0)
        return self.start.towards(self.end, s * s * (3.0 - 2.0 * s))
