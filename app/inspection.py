"""What there is to know of the selected body or target, as rows of numbers. No Qt."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.selection import Selection, carrying_joint
from app.stage import Stage
from sim.backend import BACKENDS, silent
from sim.model import BALL, FREE, HINGE, JOINT_TYPES, SLIDER, Model
from sim.state import Snapshot

Array = np.ndarray[Any, np.dtype[Any]]

KINDS = {number: name for name, number in JOINT_TYPES.items()}
AXES = ("x", "y", "z")


@dataclass(frozen=True)
class Row:
    """Numbers of one quantity in SI units; `unit` may turn: "rad" is shown in degrees where people want them."""

    name: str
    values: tuple[float, ...]
    unit: str
    tip: str
    note: str = ""  # stands instead of the numbers where there are none
    constant: bool = False  # never flickers: small numbers are shown with their power of ten

    def shown(self, degrees: bool) -> tuple[tuple[float, ...], str]:
        """Values and unit as they are shown."""
        if degrees and self.unit.startswith("rad"):
            return tuple(math.degrees(v) for v in self.values), self.unit.replace("rad", "°")
        return self.values, self.unit

    def python(self) -> str:
        """The values with full digits, as a Python list."""
        return repr([float(v) for v in self.values])


@dataclass(frozen=True)
class Section:
    title: str
    rows: tuple[Row, ...]
    joint: int = -1  # whose colour it bears: the number of a joint's curve


def pose(selection: Selection, snapshot: Snapshot) -> tuple[float, ...]:
    """x, y, z [m] and the quaternion w, x, y, z of a body; x, y, z of a target."""
    if selection.target >= 0:
        return _floats(snapshot.targets[selection.target])
    turned = quaternion(snapshot.rotation[selection.body])
    return (*_floats(snapshot.position[selection.body]), *turned)


def sections(stage: Stage, snapshot: Snapshot, selection: Selection) -> tuple[Section, ...]:
    if selection.target >= 0:
        return (_target(stage.model, snapshot, selection.target),)
    if selection.body >= 0:
        joint = carrying_joint(stage.model, selection.body)
        return (
            _motion(snapshot, selection.body),
            *([] if stage.model.joint_type[joint] == FREE else [_joint(stage.model, snapshot, joint)]),
            _mass(stage.model, selection.body),
        )
    return ()


def _motion(snapshot: Snapshot, body: int) -> Section:
    rotation = snapshot.rotation[body]
    rows = [
        Row("Position", _floats(snapshot.position[body]), "m", "Origin of the body in the world: x, y, z"),
        Row("Quaternion", quaternion(rotation), "", "Orientation of the body in the world: w, x, y, z"),
        Row("Rotation", rotation_vector(rotation), "rad", "The same orientation as an axis times its angle: x, y, z"),
        Row("Velocity", _floats(snapshot.twist[body, 3:]), "m/s", "Of the body's origin, world axes"),
        Row("Spin", _floats(snapshot.twist[body, :3]), "rad/s", "Angular velocity, world axes"),
    ]
    if snapshot.pull is not None and snapshot.pull.body == body:
        rows.append(Row("Mouse force", _floats(snapshot.pull.force), "N", "Of the spring to the cursor, world axes"))
    return Section("Motion", tuple(rows))


def _mass(model: Model, body: int) -> Section:
    tensor = model.body_inertia[body]
    six = (*np.diag(tensor), tensor[0, 1], tensor[0, 2], tensor[1, 2])
    about = "About the centre of mass in body axes: xx, yy, zz, xy, xz, yz"
    return Section(
        "Mass",
        (
            Row("Mass", (float(model.body_mass[body]),), "kg", "<b>m</b>", constant=True),
            Row("Centre", _floats(model.body_center[body]), "m", "Centre of mass in body axes: x, y, z"),
            Row("Inertia", _floats(six), "kg·m²", about, constant=True),
            Row("Moments", _floats(model.body_moments[body]), "kg·m²", "Principal moments of inertia", constant=True),
        ),
    )


def _joint(model: Model, snapshot: Snapshot, joint: int) -> Section:
    kind = int(model.joint_type[joint])
    number = joint - int((model.joint_type == FREE).sum())
    rows = tuple(row for row in _joint_rows(model, snapshot, joint, kind))
    return Section(f"{KINDS[kind].capitalize()} {model.joint_names[joint]}", rows, number)


def _joint_rows(model: Model, snapshot: Snapshot, joint: int, kind: int) -> Iterator[Row]:
    q, v = joint_q(model, snapshot.q, joint), slice(int(model.joint_v[joint]), int(model.joint_v[joint + 1]))
    turn, force = ("m", "N") if kind == SLIDER else ("rad", "N·m")
    if kind in (HINGE, SLIDER):
        name = "Position" if kind == SLIDER else "Angle"
        yield Row(name, q, turn, "<b>q</b> of the joint")
        yield Row("Limits", *_limits(model.joint_limits[joint], turn), "Stops of the joint", _no_limits(model, joint))
    elif kind == BALL:
        yield Row("Rotation", q, turn, "Of the child in the parent, as an axis times its angle: x, y, z")
        cone = float(model.joint_cone[joint])
        yield Row("Cone", (cone,) if np.isfinite(cone) else (), turn, "Largest angle of the axis", "none")
        yield Row("Twist", *_limits(model.joint_twist[joint], turn), "Stops of the turn about the axis", "none")
    if model.joint_v[joint] == model.joint_v[joint + 1]:
        return
    yield Row("Speed", _floats(snapshot.v[v]), f"{turn}/s", "<b>v</b> of the joint")
    total = np.zeros(v.stop - v.start)
    for name, torque in snapshot.torques.items():
        total = total + torque[v]
        yield Row(f"{name}", _floats(torque[v]), force, f'What controller "{name}" asks of the joint')
    limit = model.dof_torque_limit[v]
    yield Row("Applied", _floats(np.clip(total, -limit, limit)), force, "<b>τ</b>: all controllers, within the limits")
    yield from _loads(snapshot, joint)


def _loads(snapshot: Snapshot, joint: int) -> Iterator[Row]:
    """What the joint carries, where somebody asked the engine for it."""
    if snapshot.acting is None:
        return
    loads, note = snapshot.acting.loads, f"not told by {BACKENDS[snapshot.backend][0]}"
    load = () if loads is None else _floats(loads[joint])
    tip = f"{silent(snapshot.backend) or 'On its child, at the joint, world axes'}"
    yield Row("Carries, force", load[3:], "N", tip, note)
    yield Row("Carries, torque", load[:3], "N·m", tip, note)


def _target(model: Model, snapshot: Snapshot, target: int) -> Section:
    frame = int(model.target_frame[target])
    tool, point = snapshot.frames[frame], snapshot.targets[target]
    return Section(
        f"Target of {model.frame_names[frame]}",
        (
            Row("Position", _floats(point), "m", "Of the target in the world: x, y, z"),
            Row("Tool", _floats(tool), "m", f"Of {model.frame_names[frame]} in the world: x, y, z"),
            Row("Distance", (float(np.linalg.norm(point - tool)),), "m", "From the tool to the target"),
        ),
    )


def joint_q(model: Model, q: Array, joint: int) -> tuple[float, ...]:
    """A joint's coordinates as people read them: a ball's as a rotation vector."""
    own = q[model.joint_q[joint] : model.joint_q[joint + 1]]
    return _vector_of(own) if model.joint_type[joint] == BALL else _floats(own)


def quaternion(R: Array) -> tuple[float, ...]:
    """w, x, y, z with w ≥ 0 of a rotation matrix (Shepperd: from the largest component)."""
    squares = np.array([1 + R[0, 0] + R[1, 1] + R[2, 2], *(1 + 2 * R[i, i] - np.trace(R) for i in range(3))])
    rows = np.array(
        [
            [squares[0], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], squares[1], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], squares[2], R[1, 2] + R[2, 1]],
            [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], squares[3]],
        ]
    )
    best = rows[int(np.argmax(squares))]
    unit = best / np.linalg.norm(best)
    return _floats(unit if unit[0] >= 0 else -unit)


def rotation_vector(R: Array) -> tuple[float, ...]:
    return _vector_of(np.array(quaternion(R)))


def _vector_of(quat: Array) -> tuple[float, ...]:
    """The axis times the angle, the shorter way round."""
    w, axis = (quat[0], quat[1:]) if quat[0] >= 0 else (-quat[0], -quat[1:])
    s = float(np.linalg.norm(axis))
    return _floats(axis * (2 * math.atan2(s, w) / s if s > 1e-12 else 2.0))


def _limits(pair: Array, unit: str) -> tuple[tuple[float, ...], str]:
    return (_floats(pair) if np.isfinite(pair).any() else ()), unit


def _no_limits(model: Model, joint: int) -> str:
    return "locked" if model.joint_locked[joint] else "none"


def _floats(values: Any) -> tuple[float, ...]:
    return tuple(float(v) for v in values)
