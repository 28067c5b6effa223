"""Inverse kinematics of one frame: the joint coordinates that bring it to a place, or along a straight line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.analysis.arm import arm_of, row
from sim.dynamics.inverse_kinematics import (
    ANGLE,
    DISTANCE,
    ITERATED,
    REACHED,
    STARTED,
    TOLD,
    find_postures,
    follow,
    scratch,
)
from sim.model import Model

Array = np.ndarray[Any, np.dtype[Any]]

STARTS = 1000
CHOICE = 3
INCLUSIVE = 1e-12  # [rad, m] by which a limit may be passed and still counts as kept
GAIN = 0.03  # of the pull to the middle of the joint range, a step of a line
STRIDE = 1e-3  # [m]
MOST_STEPS = 1_000_000


@dataclass(frozen=True)
class Posture:
    """What was found for one place; joints that do not carry the frame are where they started."""

    q: Array  # (nq,)
    reached: bool
    distance: float  # [m] between the frame and the place
    angle: float  # [rad] between their attitudes; 0 if only the point was asked for
    iterations: int  # from all starts together
    starts: int
    clamped: tuple[str, ...]  # joints that started outside their limits, and were moved to them


@dataclass(frozen=True)
class Line:
    """A straight way: the start, and a row for each step."""

    q: Array  # (steps + 1, nq), as far as the frame gets
    steps: int  # that lead to the end
    distance: float  # [m] the most that the frame is away from where it should be
    joint_step: float  # [rad, m] the most that a joint moves from one row to the next
    outside: float  # [rad, m] the most that a joint is past a limit; 0 if all keep theirs
    joint: str  # the one that is, or ""
    clamped: tuple[str, ...] = ()  # as in a Posture

    @property
    def followed(self) -> bool:
        """To its end, and within the limits."""
        return len(self.q) == self.steps + 1 and not self.outside


class InverseKinematics:
    """Of a frame placed on `body` (-1: the world) at `local` (4, 4). Mistakes are a ValueError in one sentence."""

    def __init__(self, model: Model, body: int, local: Array) -> None:
        self._arm, joints = arm_of(model, body, local)
        self._names = [model.joint_names[j] for j in joints]
        self._at = model.joint_q[joints]

    def within(self, q: Array) -> tuple[Array, tuple[str, ...]]:
        """q with the joints that carry the frame inside their limits, and the names of those that were not."""
        out, own = q.copy(), q[self._at]
        out[self._at] = inside = np.clip(own, self._arm.low, self._arm.high)
        moved = np.abs(inside - own) > INCLUSIVE
        return out, tuple(name for name, out_of in zip(self._names, moved, strict=True) if out_of)

    def postures(self, places: Array, whole: bool, q: Array, choice: int = 1) -> tuple[Array, Array]:
        """Q (m, n) of the joints that carry the frame, and what is told of them (m, TOLD), for poses (m, 12).

        Where q does not lead to a place, the nearest of `choice` postures is taken.
        """
        Q, told = np.empty((len(places), len(self._at))), np.empty((len(places), TOLD))
        work = scratch(len(self._at), 6 if whole else 3)
        find_postures(self._arm, q[self._at], places, STARTS, choice, work, Q, told)
        return Q, told

    def posture(self, place: Array, whole: bool, start: Array) -> Posture:
        """For the pose `place` (4, 4), or if not `whole` for its point; `start` is all of q."""
        q, clamped = self.within(start)
        Q, told = self.postures(row(place)[None], whole, q, CHOICE)
        q[self._at] = Q[0]
        distance, angle = told[0, DISTANCE], told[0, ANGLE]
        reached = bool(np.hypot(distance, angle) < REACHED)
        numbers = int(told[0, ITERATED]), int(told[0, STARTED])
        return Posture(q, reached, float(distance), float(angle), *numbers, clamped)

    def line(self, begin: Array, end: Array, stride: float, start: Array, gain: float) -> Line:
        """From the point `begin`, where the frame is at `start`, to `end`."""
        length = float(np.linalg.norm(end - begin))
        if not stride > 0.0 or length / stride > MOST_STEPS:
            raise ValueError(f"{length:g} m in strides of {stride:g} m; expected at most {MOST_STEPS} strides")
        steps = max(round(length / stride), 1)
        places = np.zeros((steps, 12))
        places[:, 9:] = begin + np.arange(1, steps + 1)[:, None] / steps * (end - begin)
        Q, told = np.empty((steps, len(self._at))), np.empty((steps, TOLD))
        done = follow(self._arm, start[self._at], places, gain, scratch(len(self._at), 3), Q, told)
        rows = np.tile(start, (done + 1, 1))
        rows[1:, self._at] = Q[:done]
        own = rows[:, self._at]
        past = np.maximum(own - self._arm.high, self._arm.low - own).max(axis=0)
        worst = int(np.argmax(past))
        outside = float(past[worst]) if past[worst] > INCLUSIVE else 0.0
        joint_step = float(np.abs(np.diff(own, axis=0)).max(initial=0.0))
        distance = float(told[:done, DISTANCE].max(initial=0.0))
        return Line(rows, steps, distance, joint_step, outside, self._names[worst] if outside else "")
