"""Targets that move by themselves: where they are at a time, and how fast.

Constants of a path stand in c.path[i], as `constants` lists them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim.dynamics.inputs import evaluate
from sim.jit import jit
from sim.scene import CirclePath, LinePath, Target, WaypointPath
from sim.target_path import circle_axes, stops

Array = np.ndarray[Any, np.dtype[Any]]

DIFFERENCE = 1e-5  # [s] to both sides, for the velocity of a formula


def constants(target: Target) -> Array:
    """center, a, b and rate of a circle; start, way and rate of a line; the time from stop to stop."""
    path, start = target.path, np.array(target.position, dtype=float)
    out = np.zeros(10)
    if isinstance(path, CirclePath):
        out[:] = *start, *np.concatenate(circle_axes(path)), 2.0 * math.pi / path.period
    elif isinstance(path, LinePath):
        out[:] = *start, *(np.array(path.to) - start), 0.0, 0.0, 0.0, 2.0 * math.pi / path.period
    elif isinstance(path, WaypointPath):
        out[9] = path.period / len(stops(target))
    return out


@jit
def circle(c, i, time):
    """x = center + a cos φ + b sin φ,   φ = 2π t / period,   (a, b, normal) right-handed."""
    g = c.path[i]
    s, k = math.sin(g[9] * time), math.cos(g[9] * time)
    for r in range(3):
        c.point[i, r] = g[r] + k * g[3 + r] + s * g[6 + r]
        c.velocity[i, r] = g[9] * (k * g[6 + r] - s * g[3 + r])


@jit
def line(c, i, time):
    """x = start + ½ (1 − cos φ) way: there and back in a period."""
    g = c.path[i]
    s, k = math.sin(g[9] * time), math.cos(g[9] * time)
    for r in range(3):
        c.point[i, r] = g[r] + 0.5 * (1.0 - k) * g[3 + r]
        c.velocity[i, r] = 0.5 * g[9] * s * g[3 + r]


@jit
def waypoints(c, i, time):
    """From point to point in equal times and round again, standing still at each: s = u³ (10 − 15 u + 6 u²)."""
    first, n, each = c.way_start[i], c.way_start[i + 1] - c.way_start[i], c.path[i, 9]
    whole = math.floor(time / each)
    u, k = time / each - whole, int(whole) % n
    s = u * u * u * (10.0 - 15.0 * u + 6.0 * u * u)
    rate = 30.0 * u * u * (1.0 - u) * (1.0 - u) / each
    a, b = c.way[first + k], c.way[first + (k + 1) % n]
    for r in range(3):
        c.point[i, r] = a[r] + s * (b[r] - a[r])
        c.velocity[i, r] = rate * (b[r] - a[r])


@jit
def formula(c, i, time):
    """Three functions of time; velocities as central differences."""
    for r in range(3):
        first, last = c.way_program[i, r, 0], c.way_program[i, r, 1]
        ahead = evaluate(c.op, c.value, first, last, time + DIFFERENCE, c.stack)
        behind = evaluate(c.op, c.value, first, last, time - DIFFERENCE, c.stack)
        c.point[i, r] = evaluate(c.op, c.value, first, last, time, c.stack)
        c.velocity[i, r] = (ahead - behind) / (2.0 * DIFFERENCE)
