"""A scene in the words of a scene file: plain tables, lists, numbers and texts, without what is understood anyway.

Every number reads back as the same float64. Where a shorter way of writing, from and to, axis and angle,
gives exactly the same bits, it is taken.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import atan2, inf, nextafter
from typing import Any

import numpy as np

from sim.files.reader import turn_about
from sim.files.shape_table import LONG, laid_between
from sim.scene import (
    NO_ROTATION,
    ORIGIN,
    Body,
    CirclePath,
    ControllerSpec,
    FormulaPath,
    Frame,
    Input,
    Joint,
    LinePath,
    Pose,
    Quat,
    Scene,
    Shape,
    Target,
    TargetPath,
    Vec3,
    WaypointPath,
)
from sim.spatial.inertia import mass_properties
from sim.spatial.rotation import quat_to_matrix

Data = dict[str, Any]

_WHOLE = 1e15  # whole numbers below are written without a point
_DIGITS = 12  # that people write

# Keys that say what the fields of the same name do, in the order in which they are written.
_SCENE_KEYS = ("summary", "group", "try", "plots", "gravity", "backend", "dt", "integrator", "solver", "stabilise")
_JOINT_KEYS = (
    *("axis", "q", "v", "damping", "friction", "rotor_inertia", "gear", "limits", "cone", "twist", "restitution"),
    *("locked", "torque_limit", "actuated"),
)
_CAMERA_KEYS = ("azimuth", "elevation", "distance", "look_at")


def scene_data(scene: Scene) -> Data:
    """Everything but name, path and variants; raises nothing for a scene that `sim.check` accepts."""
    default = Scene("", "")
    fields = {"try": scene.try_this, "gravity": _gravity(scene.gravity)}
    usual: Data = {"try": default.try_this, "gravity": _gravity(default.gravity)}
    data: Data = {"title": scene.title}
    for key in _SCENE_KEYS:
        _put(data, key, fields.get(key, getattr(scene, key, None)), usual.get(key, getattr(default, key, None)))
    data |= {
        "world": _shapes(scene.base_shapes),
        "body": {body.name: _body(body) for body in scene.bodies},
        "joint": {joint.name: _joint(joint) for joint in scene.joints},
        "frame": {frame.name: _frame(frame) for frame in scene.frames},
        "target": {target.name: _target(target) for target in scene.targets},
        "controller": {controller.name: _controller(controller) for controller in scene.controllers},
        "input": {given.name: _input(given, scene) for given in scene.inputs},
        "camera": _given(_CAMERA_KEYS, scene.camera, default.camera),
    }
    return {key: value for key, value in data.items() if value != {}}


def plain(value: Any) -> Any:
    """Lists for tuples, and whole numbers without a point; never for -0.0, which is not 0."""
    if isinstance(value, tuple | list):
        return [plain(member) for member in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    number = float(value)
    return int(number) if number.is_integer() and abs(number) < _WHOLE and repr(number) != "-0.0" else number


def _same(a: Any, b: Any) -> bool:
    """To the bit: 0.0 is not -0.0."""
    return repr(plain(a)) == repr(plain(b))


def _put(data: Data, key: str, value: Any, usual: Any) -> None:
    if not _same(value, usual):
        data[key] = plain(value)


def _given(keys: Iterable[str], thing: object, default: object) -> Data:
    data: Data = {}
    for key in keys:
        _put(data, key, getattr(thing, key), getattr(default, key))
    return data


def _gravity(gravity: Vec3) -> Any:
    """How strong it is, if it points straight down."""
    x, y, z = gravity
    down = -z if z else 0.0
    return down if _same(gravity, (0.0, 0.0, -down if down else 0.0)) and down >= 0 else (x, y, z)


def _pose(pose: Pose, prefix: str = "") -> Data:
    data: Data = {}
    _put(data, f"{prefix}position", pose.position, ORIGIN)
    if not _same(pose.rotation, NO_ROTATION):
        data[f"{prefix}rotation"] = _rotation(pose.rotation)
    return data


def _rotation(rotation: Quat) -> Any:
    """{ axis, angle } about a coordinate axis if that is the same to the bit."""
    for k in range(3):
        angle = 2 * atan2(rotation[k + 1], rotation[0])
        for a in (round(angle, _DIGITS), angle, nextafter(angle, inf), nextafter(angle, -inf)):
            for sign in (1.0, -1.0):
                axis: Vec3 = (sign * (k == 0) or 0.0, sign * (k == 1) or 0.0, sign * (k == 2) or 0.0)
                if _same(turn_about(axis, sign * a), rotation):
                    return {"axis": plain(axis), "angle": plain(sign * a)}
    return plain(rotation)


def _shapes(shapes: tuple[Shape, ...]) -> Data:
    if len(shapes) == 1:
        return {"shape": _shape(shapes[0])}
    return {"shapes": [_shape(shape) for shape in shapes]} if shapes else {}


def _shape(shape: Shape) -> Data:
    data = _between(shape) if shape.kind in LONG and not _same(shape.pose.rotation, NO_ROTATION) else None
    if data is None:
        data = {shape.kind: plain(shape.size[0] if shape.kind == "sphere" else shape.size), **_pose(shape.pose)}
    _put(data, "color", shape.color, "link")
    return data


def _between(shape: Shape) -> Data | None:
    """{ capsule = r, from, to } if two points are found that say the same to the bit."""
    half = quat_to_matrix(np.array(shape.pose.rotation))[:, 2] * shape.size[1] / 2
    middle = np.array(shape.pose.position)
    for digits in (_DIGITS, 17):
        start, end = ([round(float(x), digits) + 0.0 for x in point] for point in (middle - half, middle + half))
        length, pose = laid_between((start[0], start[1], start[2]), (end[0], end[1], end[2]))
        if _same(((length,), pose.position, pose.rotation), (shape.size[1:], shape.pose.position, shape.pose.rotation)):
            return {shape.kind: plain(shape.size[0]), "from": plain(start), "to": plain(end)}
    return None


def _body(body: Body) -> Data:
    """Centre and tensor are left out where they are those of the shapes."""
    data: Data = {"mass": plain(body.mass)}
    solid = mass_properties(body.shapes) if body.shapes else None
    center = ORIGIN if solid is None else tuple(solid.center.tolist())
    if solid is None or not _same((body.center, body.inertia), (center, solid.scaled(body.mass).six())):
        _put(data, "center", body.center, center)
        products = body.inertia[3:]
        data["inertia"] = plain(body.inertia[:3] if _same(products, (0.0, 0.0, 0.0)) else body.inertia)
    data |= _pose(body.pose)
    _put(data, "velocity", body.velocity, (0.0,) * 6)
    return data | _shapes(body.shapes)


def _joint(joint: Joint) -> Data:
    """The axis of a joint that has no use for one is not written."""
    data: Data = {"type": joint.kind, "parent": joint.parent, "child": joint.child}
    data |= _pose(joint.at) | _pose(joint.child_at, "child_")
    data |= _given(_JOINT_KEYS, joint, Joint("", "", "", ""))
    if joint.kind == "fixed" or (joint.kind == "ball" and joint.cone is None and joint.twist is None):
        data.pop("axis", None)
    return data | {key: _coordinates(getattr(joint, key), joint.kind) for key in ("q", "v") if key in data}


def _coordinates(values: tuple[float, ...], kind: str) -> Any:
    """A number, a rotation or a list."""
    if kind == "ball" and len(values) == 4:
        return _rotation((values[0], values[1], values[2], values[3]))
    return plain(values[0] if len(values) == 1 else values)


def _frame(frame: Frame) -> Data:
    return {"body": frame.body, **_pose(frame.pose)}


def _target(target: Target) -> Data:
    data: Data = {"position": plain(target.position), "frame": target.frame}
    if not _same(target.rotation, NO_ROTATION):
        data["rotation"] = _rotation(target.rotation)
    if target.path is not None:
        data["path"] = _path(target.path)
    return data


def _path(path: TargetPath) -> Data:
    if isinstance(path, FormulaPath):
        return {"formula": plain(path.formula)}
    if isinstance(path, LinePath):
        return {"line": plain(path.to), "period": plain(path.period)}
    if isinstance(path, WaypointPath):
        return {"waypoints": plain(path.points), "period": plain(path.period)}
    data: Data = {"circle": plain(path.radius), "period": plain(path.period)}
    _put(data, "normal", path.normal, CirclePath(1.0, 1.0).normal)
    return data


def _controller(spec: ControllerSpec) -> Data:
    data: Data = {"type": spec.kind}
    _put(data, "enabled", spec.enabled, True)
    _put(data, "target", spec.target, None)
    if spec.gains:
        data["gains"] = {name: plain(value) for name, value in spec.gains.items()}
    if spec.joint_target:
        data["joint_target"] = {name: _coordinates(q, "ball") for name, q in spec.joint_target.items()}
    if spec.torque:
        data["torque"] = {name: plain(t[0] if len(t) == 1 else t) for name, t in spec.torque.items()}
    return data


def _input(given: Input, scene: Scene) -> Data:
    if given.joint is not None:
        kind = scene.joint(given.joint).kind
        value = given.torque if kind == "ball" else given.torque[0]
        return {"joint": given.joint, "force" if kind == "slider" else "torque": plain(value)}
    data: Data = {"body": given.body}
    if given.torque:
        data["torque"] = plain(given.torque)
    if not given.torque or not _same(given.force, (0.0, 0.0, 0.0)):
        data["force"] = plain(given.force)
    _put(data, "at", given.at, ORIGIN)
    return data
