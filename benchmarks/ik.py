"""Inverse kinematics of an arm of seven hinges: places anywhere in reach, beside PyBullet's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.mechanisms import arm7_within_limits
from benchmarks.stopwatch import interleaved
from benchmarks.table import Row, at_least, at_most, columns
from sim.robot import Robot

if TYPE_CHECKING:
    from benchmarks.bullet_engine import Reaching

PEERS = ("pybullet",)
PLACES, BULLET_PLACES, ROUNDS = 1000, 100, 9
REACHED, NEAR = 1e-9, 1e-3  # [m, rad]
SLOWEST, FASTER = 10.0, 30.0  # [µs], times


def measure() -> Iterator[Row | str]:
    """Whole poses, taken from joint angles strewn over all of the range, always from the same start."""
    from benchmarks.bullet_engine import Reaching

    scene = arm7_within_limits()
    robot = Robot(scene)
    low, high = robot.model.joint_limits.T
    Q = np.random.default_rng(0).uniform(low, high, (PLACES, len(low)))
    kinematics, start = robot.inverse_kinematics("flange"), robot.model.q0
    X = [robot.pose("flange", q) for q in Q]
    places = np.array([[*pose[:3, :3].ravel(), *pose[:3, 3]] for pose in X])
    bullet = Reaching(robot.model)
    targets = [bullet.pose(q) for q in Q[:BULLET_PLACES]]
    bullet.pose(start)
    kinematics.postures(places, True, start)  # compiles
    works = {
        "ours": lambda: kinematics.postures(places, True, start),
        "PyBullet": lambda: [bullet.solve(*target) for target in targets],
    }
    seconds = interleaved(works, ROUNDS)  # type: ignore[arg-type]
    ours, theirs = 1e6 * seconds["ours"] / PLACES, 1e6 * seconds["PyBullet"] / BULLET_PLACES
    found, _ = kinematics.postures(places, True, start)
    inside = np.all((found >= low) & (found <= high), axis=1)
    errors = np.array([_error(robot.pose("flange", q), pose) for q, pose in zip(found, X, strict=True)])
    near = np.mean(errors < NEAR), np.mean(_distances(bullet, targets, start) < NEAR)
    lines = [("ours", ours, float(near[0])), ("PyBullet, limits ignored", theirs, float(near[1]))]
    yield columns(("engine", "µs a place", "share within 1 mm"), lines)
    bullet.close()
    reached = float(np.sum(inside & (errors < REACHED)))
    yield at_least("places of 1000 reached to 1e-9 within the limits", reached, PLACES)
    yield at_most("a place", ours, SLOWEST, "µs")
    yield at_least("faster than PyBullet", theirs / ours, FASTER, "×")


def _error(pose: np.ndarray, wanted: np.ndarray) -> float:
    """Distance [m] and turn [rad] together, the turn by its chord |R − R'|/√2: the angle itself where it is small."""
    d = pose - wanted
    return float(np.hypot(np.linalg.norm(d[:3, 3]), np.linalg.norm(d[:3, :3]) / np.sqrt(2.0)))


def _distances(bullet: Reaching, targets: list[tuple], start: np.ndarray) -> np.ndarray:
    """[m] that Bullet's postures leave, each found from the start."""
    left = []
    for position, rotation in targets:
        bullet.pose(start)
        left.append(np.subtract(bullet.pose(bullet.solve(position, rotation))[0], position))
    return np.linalg.norm(left, axis=1)
