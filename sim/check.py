"""Is a scene plausible? One sentence for the first thing that is not, whatever the scene was made from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import hypot, pi
from typing import NoReturn

import numpy as np

from sim.backend import BACKENDS
from sim.control import CONTROLLERS
from sim.scene import (
    JOINT_WIDTHS,
    NO_ROTATION,
    SHAPE_KINDS,
    WORLD,
    Body,
    ControllerSpec,
    Joint,
    Pose,
    Scene,
    SceneError,
    Shape,
    Target,
    closing_joints,
)
from sim.wording import Where, at, listing, numbers, place, suggestion

JOINT_KINDS = tuple(kind for kind in JOINT_WIDTHS if kind != "free")
COLORS = ("link", "link2", "base")
LONGEST_STEP = 0.1  # [s]
LARGEST = 1e9  # of all numbers in SI units; squares and cubes of what is beyond overflow
SHAPE_SIZES = (1e-6, 1e6)  # [m]
FINITE = f"a finite number, at most {LARGEST:g}"
ROTATION_TOLERANCE = 1e-3  # how far from 1 the length of a quaternion may be
TRIANGLE_TOLERANCE = 1e-9  # relative, of the largest principal moment

_SIZE_COUNTS = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2}
_HEX_COLOR = re.compile(r"#[0-9a-fA-F]{6}")


def check(scene: Scene) -> None:
    """Raises SceneError for the first implausible thing; `where` is its key path in a scene file."""
    _check_world(scene)
    _check_names(scene)
    cut = closing_joints(scene)
    joint_of = {j.child: j.name for j in scene.joints if j.name not in cut}
    for body in scene.bodies:
        _check_body(body, joint_of.get(body.name))
    for joint in scene.joints:
        _check_joint(joint, scene)
    for frame in scene.frames:
        where = ("frame", frame.name)
        _check_known((*where, "body"), frame.body, "body", [*_names(scene.bodies), WORLD])
        _check_pose(where, frame.pose)
    for target in scene.targets:
        _check_target(target, scene)
    for controller in scene.controllers:
        _check_controller(controller, scene)
    for number, shape in enumerate(scene.base_shapes):
        check_shape(("world", "shapes", str(number)), shape)
    _check_camera(scene)


def _fail(where: Where, sentence: str) -> NoReturn:
    """`where` ends with the key (of a list: the key and a number), which the sentence names itself."""
    table = where[: -2 if where[-1].isdigit() else -1]
    raise SceneError(at(table, sentence), where)


def _names(things: Sequence[Body] | Sequence[Joint] | Sequence[Target] | Sequence[ControllerSpec]) -> list[str]:
    return [thing.name for thing in things]


def _check_world(scene: Scene) -> None:
    if not scene.bodies:
        raise SceneError("the scene has no body; expected at least one [body.NAME]")
    _check_numbers(("gravity",), scene.gravity, 3)
    if not 0 < scene.dt <= LONGEST_STEP:
        _fail(("dt",), f"dt is {scene.dt:g} s; expected a step above 0 and at most {LONGEST_STEP} s")
    _check_known(("backend",), scene.backend, "engine", BACKENDS)
    from sim.history import PLOTS  # imports sim.model, which imports this module

    for number, plot in enumerate(scene.plots):
        _check_known(("plots", str(number)), plot, "plot", PLOTS)


def _check_names(scene: Scene) -> None:
    """Names are unique among their kind, and a free body lends its name to the joint it moves on."""
    cut = closing_joints(scene)
    children = {j.child for j in scene.joints if j.name not in cut}
    free = [b.name for b in scene.bodies if b.name not in children]
    kinds = {
        "body": [WORLD, *_names(scene.bodies)],
        "joint": [*free, *_names(scene.joints)],
        "frame": [f.name for f in scene.frames],
        "target": _names(scene.targets),
        "controller": _names(scene.controllers),
    }
    for kind, names in kinds.items():
        for number, name in enumerate(names):
            if not name:
                raise SceneError(f"a {kind} has an empty name; expected a word", (kind, name))
            if name in names[:number]:
                owner = "the world" if name == WORLD else f"a free body's own joint or another {kind}"
                raise SceneError(f'{kind} "{name}" has the name of {owner}; expected another name', (kind, name))


def _check_known(where: Where, name: str, kind: str, known: Iterable[str]) -> None:
    if name not in known:
        _fail(where, f'{_key(where)} names "{name}", but there is no such {kind}; {suggestion(name, known)}')


def _key(where: Where) -> str:
    return where[-2] if where[-1].isdigit() else where[-1]


def _check_numbers(where: Where, values: Sequence[float], count: int) -> None:
    if len(values) != count:
        _fail(where, f"{_key(where)} has {numbers(len(values))}; expected {count}")
    for value in values:
        if not abs(value) <= LARGEST:
            _fail(where, f"{_key(where)} contains {value:g}; expected {FINITE}")


def check_direction(where: Where, vector: Sequence[float]) -> None:
    """Three numbers that point somewhere."""
    _check_numbers(where, vector, 3)
    length = hypot(*vector)
    if not 1e-6 < length < 1e6:
        _fail(where, f"{_key(where)} has length {length:g}; expected a direction such as [0, 0, 1]")


def _check_quaternion(where: Where, rotation: Sequence[float]) -> None:
    _check_numbers(where, rotation, 4)
    length = hypot(*rotation)
    if abs(length - 1) > ROTATION_TOLERANCE:
        _fail(where, f"{_key(where)} is a quaternion of length {length:.6g}; expected w, x, y, z of length 1")


def _check_pose(where: Where, pose: Pose, prefix: str = "") -> None:
    _check_numbers((*where, f"{prefix}position"), pose.position, 3)
    _check_quaternion((*where, f"{prefix}rotation"), pose.rotation)


def _check_bound(where: Where, value: float, unit: str, *, zero: bool = False) -> None:
    """Above 0, or not below it."""
    if value < 0 or (value == 0 and not zero):
        _fail(where, f"{_key(where)} is {value:g}{unit}; expected {'0 or more' if zero else 'a number above 0'}")
    if not value <= LARGEST:
        _fail(where, f"{_key(where)} is {value:g}{unit}; expected {FINITE}")


def _check_body(body: Body, joint: str | None) -> None:
    where = ("body", body.name)
    _check_bound((*where, "mass"), body.mass, " kg")
    _check_numbers((*where, "center"), body.center, 3)
    _check_inertia((*where, "inertia"), body.inertia)
    _check_pose(where, body.pose)
    _check_numbers((*where, "velocity"), body.velocity, 6)
    for number, shape in enumerate(body.shapes):
        check_shape((*where, "shapes", str(number)), shape)
    if joint is None:
        return
    given = {"position": any(body.pose.position), "rotation": body.pose.rotation != NO_ROTATION}
    for key in [key for key, is_set in (given | {"velocity": any(body.velocity)}).items() if is_set]:
        _fail((*where, key), f'{key} is only for free bodies, and joint "{joint}" places this one; expected it there')


def _check_inertia(where: Where, inertia: Sequence[float]) -> None:
    """A solid has positive principal moments a ≤ b ≤ c with c ≤ a + b: each is an integral of y² + z² and the like."""
    _check_numbers(where, inertia, 6)
    xx, yy, zz, xy, xz, yz = inertia
    a, b, c = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).tolist()
    moments = f"inertia has principal moments {a:.4g}, {b:.4g} and {c:.4g} kg·m²"
    if a <= 0:
        _fail(where, f"{moments}; expected all of them above 0")
    if a + b < c * (1 - TRIANGLE_TOLERANCE):
        _fail(where, f"{moments}; expected none above the sum of the others, as about a solid's centre of mass")


def check_shape(where: Where, shape: Shape) -> None:
    """A solid of positive size in a known colour."""
    if shape.kind not in SHAPE_KINDS:
        raise SceneError(f'{place(where)} is a "{shape.kind}"; {suggestion(shape.kind, SHAPE_KINDS)}', where)
    key = (*where, shape.kind)
    _check_numbers(key, shape.size, _SIZE_COUNTS[shape.kind])
    for value in shape.size:
        _check_bound(key, value, " m")
        if not SHAPE_SIZES[0] <= value <= SHAPE_SIZES[1]:
            _fail(key, f"{shape.kind} has a size of {value:g} m; expected {SHAPE_SIZES[0]:g} to {SHAPE_SIZES[1]:g} m")
    _check_pose(where, shape.pose)
    if shape.color not in COLORS and not _HEX_COLOR.fullmatch(shape.color):
        _fail((*where, "color"), f'color is "{shape.color}"; expected {listing([*COLORS, "#rrggbb"], "or")}')


def _check_joint(joint: Joint, scene: Scene) -> None:
    where = ("joint", joint.name)
    if joint.kind == "free":
        _fail((*where, "type"), "type is free; expected no joint at all, since a body without one is free")
    _check_known((*where, "type"), joint.kind, "joint type", JOINT_KINDS)
    bodies = _names(scene.bodies)
    _check_known((*where, "parent"), joint.parent, "body", [*bodies, WORLD])
    if joint.child == WORLD:
        _fail((*where, "child"), 'child is "world", which cannot move; expected a body, with the world as parent')
    _check_known((*where, "child"), joint.child, "body", bodies)
    if joint.parent == joint.child:
        _fail((*where, "child"), f'child and parent are both "{joint.child}"; expected two bodies')
    _check_pose(where, joint.at)
    _check_pose(where, joint.child_at, "child_")
    check_direction((*where, "axis"), joint.axis)
    _check_coordinates((*where, "q"), joint, joint.q)
    if joint.v:
        _check_numbers((*where, "v"), joint.v, JOINT_WIDTHS[joint.kind][1])
    _check_bound((*where, "damping"), joint.damping, "", zero=True)
    if joint.torque_limit is not None:
        _check_bound((*where, "torque_limit"), joint.torque_limit, "")
    if joint.limits is not None:
        _check_limits((*where, "limits"), joint.kind, joint.limits)


def _check_coordinates(where: Where, joint: Joint, q: Sequence[float]) -> None:
    """Joint coordinates: none given (the zero position), or as many as the joint has."""
    if not q:
        return
    if joint.kind == "ball":
        _check_quaternion(where, q)
    _check_numbers(where, q, JOINT_WIDTHS[joint.kind][0])


def _check_limits(where: Where, kind: str, limits: tuple[float, float]) -> None:
    if kind not in ("hinge", "slider"):
        _fail(where, f"limits are only for hinges and sliders, and this is a {kind} joint; expected none")
    _check_numbers(where, limits, 2)
    if limits[0] > limits[1]:
        _fail(where, f"limits are [{limits[0]:g}, {limits[1]:g}]; expected the lower one first")


def _check_target(target: Target, scene: Scene) -> None:
    where = ("target", target.name)
    _check_numbers((*where, "position"), target.position, 3)
    _check_known((*where, "frame"), target.frame, "frame", [f.name for f in scene.frames])
    if target.path is not None:
        _check_bound((*where, "path", "circle"), target.path.radius, " m")
        _check_bound((*where, "path", "period"), target.path.period, " s")
        check_direction((*where, "path", "normal"), target.path.normal)


def _check_controller(spec: ControllerSpec, scene: Scene) -> None:
    where = ("controller", spec.name)
    _check_known((*where, "type"), spec.kind, "controller type", CONTROLLERS)
    kind = CONTROLLERS[spec.kind]
    gains = {gain.name: gain for gain in kind.gains}
    for name, value in spec.gains.items():
        key = (*where, "gains", name)
        if name not in gains:
            _fail(key, f'{spec.kind} has no gain "{name}"; {suggestion(name, gains)}')
        low, high, unit = gains[name].low, gains[name].high, gains[name].unit
        if not low <= value <= high:
            _fail(key, f"{name} is {value:g}; expected {low:g} to {high:g} {unit}")
    if spec.target is not None:
        _check_known((*where, "target"), spec.target, "target", _names(scene.targets))
    elif kind.needs_target:
        raise SceneError(at(where, '"target" is missing; expected the name of a target'), where)
    for name, q in spec.joint_target.items():
        key = (*where, "joint_target", name)
        if name not in _names(scene.joints):
            _fail(key, f'there is no joint "{name}"; {suggestion(name, _names(scene.joints))}')
        _check_coordinates(key, scene.joint(name), q)


def _check_camera(scene: Scene) -> None:
    camera = scene.camera
    for key in ("azimuth", "elevation", "distance"):
        value = getattr(camera, key)
        if value is not None:
            _check_numbers(("camera", key), (value,), 1)
    if camera.elevation is not None and abs(camera.elevation) > pi / 2:
        _fail(("camera", "elevation"), f"elevation is {camera.elevation:g}; expected radians from -π/2 to π/2")
    if camera.distance is not None:
        _check_bound(("camera", "distance"), camera.distance, " m")
    if camera.look_at is not None:
        _check_numbers(("camera", "look_at"), camera.look_at, 3)
