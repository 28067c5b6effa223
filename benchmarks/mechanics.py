"""What is measured of a motion, the same for every engine: energy, momentum, gaps between joints, drift."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from sim.dynamics.energy import energy_and_momentum
from sim.model import FREE, Model
from sim.rest import body_poses
from sim.state import Control

Array = np.ndarray[Any, np.dtype[Any]]


class Motion(NamedTuple):
    """Poses and twists of the body origins, world axes."""

    position: Array  # (nb, 3)
    rotation: Array  # (nb, 3, 3)
    twist: Array  # (nb, 6) [angular; linear]


class World(Protocol):
    """One engine running one model."""

    def advance(self, steps: int) -> None: ...

    def motion(self) -> Motion: ...

    def close(self) -> None:
        """Free what the engine holds outside of Python."""


class Totals(NamedTuple):
    kinetic: float  # [J]
    potential: float  # [J]
    momentum: Array  # (3,) angular, about the common centre of mass [kg·m²/s]


def start(model: Model) -> Motion:
    """The scene's first moment in plain NumPy; all but free bodies are at rest."""
    position, rotation = body_poses(model, model.q0)
    twist = np.zeros((len(position), 6))
    for j in range(len(model.joint_names)):
        v = model.v0[model.joint_v[j] : model.joint_v[j + 1]]
        if model.joint_type[j] == FREE:
            twist[model.joint_child[j]] = v
        elif v.any():
            raise ValueError(f'joint "{model.joint_names[j]}" moves; peers start from rest')
    return Motion(position, rotation, twist)


def to_inertial(model: Model, motion: Motion) -> Motion:
    """The same motion told by the bodies' inertial frames: centre of mass and principal axes."""
    arm = np.einsum("bij,bj->bi", motion.rotation, model.body_center)
    twist = motion.twist.copy()
    twist[:, 3:] += np.cross(motion.twist[:, :3], arm)
    return Motion(motion.position + arm, motion.rotation @ model.body_axes, twist)


def from_inertial(model: Model, motion: Motion) -> Motion:
    """The inverse of `to_inertial`."""
    rotation = motion.rotation @ model.body_axes.transpose(0, 2, 1)
    arm = np.einsum("bij,bj->bi", rotation, model.body_center)
    twist = motion.twist.copy()
    twist[:, 3:] -= np.cross(motion.twist[:, :3], arm)
    return Motion(motion.position - arm, rotation, twist)


def totals(model: Model, motion: Motion) -> Totals:
    out = np.zeros(8)
    energy_and_momentum(model.body_mass, model.body_center, model.body_inertia, model.gravity, *motion, out)
    return Totals(float(out[0]), float(out[1]), out[5:8])


def joint_gap(model: Model, motion: Motion) -> float:
    """The largest distance between the two anchors of a joint [m]."""
    jointed = np.flatnonzero(model.joint_type != FREE)
    parent, child = model.joint_parent[jointed], model.joint_child[jointed]
    on_parent = _points(motion, parent, model.joint_position[jointed])
    on_child = _points(motion, child, model.joint_child_position[jointed])
    return float(np.linalg.norm(on_parent - on_child, axis=1).max(initial=0.0))


def _points(motion: Motion, body: Array, at: Array) -> Array:
    """(n, 3) points of bodies in the world; body -1 is the world."""
    moved = motion.position[body] + np.einsum("nij,nj->ni", motion.rotation[body], at)
    return np.where(body[:, None] >= 0, moved, at)


def energy_drift(history: list[Totals]) -> float:
    """max |E − E(0)| / max(T + V − V_min), for motion on which nothing but gravity does work."""
    energy = np.array([t.kinetic + t.potential for t in history])
    lowest = min(t.potential for t in history)
    return float(np.abs(energy - energy[0]).max() / (energy - lowest).max())


def no_control(model: Model) -> Control:
    return Control(np.zeros(model.nv), np.zeros((len(model.body_names), 6)))
