"""Starts and targets strewn over the range of an arm's joints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import numpy as np

from sim.command import SetTarget
from sim.files import load
from sim.model import BALL, Model
from sim.robot import Robot
from sim.scene import Scene
from sim.simulation import Simulation
from sim.start import with_start

LEVER, HEIGHT = 0.1, 0.05  # [m] the least singular value of the tool's Jacobian, and its height above the floor


def anywhere(model: Model, rng: np.random.Generator) -> np.ndarray:
    """q uniform within the limits; of balls a uniform attitude."""
    q = np.array(model.q0)
    for j, kind in enumerate(model.joint_type):
        part = slice(model.joint_q[j], model.joint_q[j + 1])
        if kind == BALL:
            turn = rng.normal(size=4)
            q[part] = turn / np.linalg.norm(turn)
        else:
            q[part] = rng.uniform(*model.joint_limits[j])
    return q


def tasks(scene: Scene, count: int, everywhere: bool = False) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Starts anywhere, and places where the tool can be: those from which it can move in every direction, or all."""
    robot, rng = Robot(scene), np.random.default_rng(0)
    while count > 0:
        q = anywhere(robot.model, rng)
        x = robot.pose("tool", q)[:3, 3]
        lever = np.linalg.svd(robot.jacobian("tool", q)[3:], compute_uv=False)[-1]
        if everywhere or (lever > LEVER and x[2] > HEIGHT):
            yield anywhere(robot.model, rng), x
            count -= 1


def reached(scene: Scene, engine: str, start: np.ndarray, place: np.ndarray) -> tuple[float, float]:
    """Distance [m] and largest joint speed after 5 s on the way from `start` to `place`."""
    with closing(Simulation(with_start(scene, start), engine)) as world:
        world.apply(SetTarget("target", (float(place[0]), float(place[1]), float(place[2]))))
        world.advance(5.0)
        tool = world.snapshot().frames[world.model.target_frame[0]]
        return float(np.linalg.norm(tool - place)), float(np.abs(world.v).max())


def failures(name: str, engine: str, count: int, everywhere: bool = False) -> list[int]:
    """Which of the tasks do not end within 1 mm and at rest (0.05 rad/s)."""
    scene = load(name)
    ends = [reached(scene, engine, start, place) for start, place in tasks(scene, count, everywhere)]
    return [i for i, (distance, speed) in enumerate(ends) if not (distance < 1e-3 and speed < 0.05)]
