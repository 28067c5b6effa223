"""Where targets on paths are, in plain NumPy: for the first frame, which needs no kernel, and for framing the view."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim.expression import compile_expression, value_at
from sim.scene import CirclePath, FormulaPath, LinePath, Target, Vec3

Array = np.ndarray[Any, np.dtype[Any]]

SAMPLES = 64
FORMULA_SPAN = 10.0  # [s] of a formula that are looked at


def circle_axes(path: CirclePath) -> tuple[Array, Array]:
    """a, b of x = center + a cos φ + b sin φ, with (a, b, normal) right-handed."""
    normal = np.array(path.normal, dtype=float) / np.linalg.norm(path.normal)
    a = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    a *= path.radius / np.linalg.norm(a)
    return a, np.cross(normal, a)


def stops(target: Target) -> list[Vec3]:
    """The points that a path through points rests at."""
    points: tuple[Vec3, ...] = getattr(target.path, "points", ())
    return [target.position, *points]


def position(target: Target, time: float) -> Array:
    """(3,) where the target is at `time` if it moves on its path; sim/control/paths.py has the equations."""
    path, start = target.path, np.array(target.position, dtype=float)
    if path is None:
        return start
    if isinstance(path, FormulaPath):
        return np.array([value_at(compile_expression(x), time) for x in path.formula])
    phase = 2.0 * math.pi * time / path.period
    if isinstance(path, CirclePath):
        a, b = circle_axes(path)
        return start + a * math.cos(phase) + b * math.sin(phase)
    if isinstance(path, LinePath):
        return start + 0.5 * (1.0 - math.cos(phase)) * (np.array(path.to) - start)
    points = np.array(stops(target), dtype=float)
    k, u = divmod(time / path.period * len(points), 1.0)
    a, b = points[int(k) % len(points)], points[int(k + 1) % len(points)]
    return np.asarray(a + u**3 * (10.0 - 15.0 * u + 6.0 * u * u) * (b - a))


def samples(target: Target) -> Array:
    """(SAMPLES, 3) places along the path."""
    span = getattr(target.path, "period", FORMULA_SPAN)
    return np.array([position(target, time) for time in np.linspace(0.0, span, SAMPLES, endpoint=False)])
