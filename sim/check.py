"""Is a scene plausible? One sentence for the first thing that is not, whatever the scene was made from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import pi

import numpy as np

from sim.backend import BACKENDS, INTEGRATORS
from sim.control import CONTROLLERS
from sim.expression import ExpressionError, compile_expression
from sim.plausible import (
    check_bound,
    check_direction,
    check_known,
    check_numbers,
    check_pose,
    check_quaternion,
    fail,
    key_of,
)
from sim.scene import (
    JOINT_WIDTHS,
    NO_ROTATION,
    ORIGIN,
    SHAPE_KINDS,
    SOLVERS,
    STABILISATIONS,
    WORLD,
    Body,
    CirclePath,
    ControllerSpec,
    Expression,
    FormulaPath,
    Frame,
    Input,
    Joint,
    LinePath,
    Scene,
    SceneError,
    Shape,
    Target,
    TargetPath,
    closing_joints,
)
from sim.wording import Where, at, listing, numbers, place, suggestion

JOINT_KINDS = tuple(kind for kind in JOINT_WIDTHS if kind != "free")
COLORS = ("link", "link2", "base")
LONGEST_STEP = 0.1  # [s]
SHAPE_SIZES = (1e-6, 1e6)  # [m]
LIGHTEST = 1e-9  # [kg] a body of 1e-12 kg among usual ones: loops come apart, and `tree` finds that nothing resists
NARROWEST_CONE = 0.001  # [rad] in which it is still clear which way a ball swings
TRIANGLE_TOLERANCE = 1e-9  # relative, of the largest principal moment

# What only some kinds of joints have.
_ONLY_ON = {
    "limits": ("hinge", "slider"),
    "rotor_inertia": ("hinge", "slider"),
    "gear": ("hinge", "slider"),
    "cone": ("ball",),
    "twist": ("ball",),
}
_SIZE_COUNTS = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2}
_HEX_COLOR = re.compile(r"#[0-9a-fA-F]{6}")


def check(scene: Scene) -> None:
    """Raises SceneError for the first implausible thing; `where` is its key path in a scene file."""
    _check_world(scene)
    carriers = _carriers(scene)
    _check_names(scene, carriers)
    for body in scene.bodies:
        _check_body(body, carriers.get(body.name))
    for joint in scene.joints:
        _check_joint(joint, scene)
    for frame in scene.frames:
        where = ("frame", frame.name)
        check_known((*where, "body"), frame.body, "body", [*_names(scene.bodies), WORLD])
        check_pose(where, frame.pose)
    for target in scene.targets:
        _check_target(target, scene)
    for controller in scene.controllers:
        _check_controller(controller, scene)
    for given in scene.inputs:
        _check_input(given, scene)
    for number, shape in enumerate(scene.base_shapes):
        check_shape(("world", "shapes", str(number)), shape)
    _check_camera(scene)


def _names(things: Sequence[Body | Joint | Frame | Target | ControllerSpec | Input]) -> list[str]:
    return [thing.name for thing in things]


def _check_world(scene: Scene) -> None:
    if not scene.bodies:
        raise SceneError("the scene has no body; expected at least one [body.NAME]")
    check_numbers(("gravity",), scene.gravity, 3)
    if not 0 < scene.dt <= LONGEST_STEP:
        fail(("dt",), f"dt is {scene.dt:g} s; expected a step above 0 and at most {LONGEST_STEP} s")
    check_known(("backend",), scene.backend, "engine", BACKENDS)
    if scene.integrator is not None:
        integrators = [name for names in INTEGRATORS.values() for name in names]
        check_known(("integrator",), scene.integrator, "integrator", integrators)
    check_known(("solver",), scene.solver, "solver", SOLVERS)
    check_known(("stabilise",), scene.stabilise, "stabilisation", STABILISATIONS)
    for number, plot in enumerate(scene.plots):
        _check_plot(("plots", str(number)), plot, scene)


def _check_plot(where: Where, name: str, scene: Scene) -> None:
    """A plot of the table, or one joint's curves of it: "joint_angle:elbow"."""
    from sim.plots import CAUSES, JOINT_PLOTS, OF_JOINT, PLOTS  # imports sim.model, which imports this module

    kind, of_joint, joint = name.partition(OF_JOINT)
    check_known(where, kind, "plot", PLOTS)
    if not of_joint:
        return
    if kind == CAUSES:
        check_known(where, joint, "joint", _turned(scene))
        return
    if kind not in JOINT_PLOTS:
        fail(where, f'plots names "{name}", but only {listing(JOINT_PLOTS)} can be of one joint')
    check_known(where, joint, "joint", [j.name for j in scene.joints if j.kind != "fixed"])


def _turned(scene: Scene) -> list[str]:
    """What can be turned on its own: a joint of one axis, or an axis of a ball."""
    axes = {"hinge": ("",), "slider": ("",), "ball": (" x", " y", " z")}
    return [f"{j.name}{axis}" for j in scene.joints for axis in axes.get(j.kind, ())]


def _carriers(scene: Scene) -> dict[str, str]:
    """The joint that each body hangs from; free bodies are missing."""
    closing = closing_joints(scene)
    return {j.child: j.name for j in scene.joints if j.name not in closing}


def _check_names(scene: Scene, carriers: Mapping[str, str]) -> None:
    """Names are unique among their kind, and a free body lends its name to the joint it moves on."""
    free = [b.name for b in scene.bodies if b.name not in carriers]
    kinds = {
        "body": [WORLD, *_names(scene.bodies)],
        "joint": [*free, *_names(scene.joints)],
        "frame": _names(scene.frames),
        "target": _names(scene.targets),
        "controller": _names(scene.controllers),
        "input": _names(scene.inputs),
    }
    for kind, names in kinds.items():
        for number, name in enumerate(names):
            if not name:
                raise SceneError(f'[{kind}.""] has an empty name; expected a word', (kind, name))
            if name in names[:number]:
                owner = "the world" if name == WORLD else f"a free body's own joint or another {kind}"
                raise SceneError(f'{kind} "{name}" has the name of {owner}; expected another name', (kind, name))


def _check_body(body: Body, joint: str | None) -> None:
    where = ("body", body.name)
    check_bound((*where, "mass"), body.mass, " kg")
    if body.mass < LIGHTEST:
        fail((*where, "mass"), f"mass is {body.mass:g} kg; expected at least {LIGHTEST:g} kg")
    check_numbers((*where, "center"), body.center, 3)
    _check_inertia((*where, "inertia"), body.inertia)
    check_pose(where, body.pose)
    check_numbers((*where, "velocity"), body.velocity, 6)
    for number, shape in enumerate(body.shapes):
        check_shape((*where, "shapes", str(number)), shape)
    if joint is None:
        return
    given = {"position": any(body.pose.position), "rotation": body.pose.rotation != NO_ROTATION}
    for key in [key for key, is_set in (given | {"velocity": any(body.velocity)}).items() if is_set]:
        fail((*where, key), f'{key} is only for free bodies, and joint "{joint}" places this one; expected it there')


def _check_inertia(where: Where, inertia: Sequence[float]) -> None:
    check_numbers(where, inertia, 6)
    if problem := inertia_problem(inertia):
        fail(where, f"inertia {problem}")


def inertia_problem(inertia: Sequence[float]) -> str:
    """What no solid has about its centre of mass, in words; "" if all is well.

    Principal moments a ≤ b ≤ c are integrals of y² + z² and the like: none is negative, and c ≤ a + b. Points and
    thin rods have zeros among them, which is for the engine to accept.
    """
    xx, yy, zz, xy, xz, yz = inertia
    a, b, c = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).tolist()
    moments = f"has principal moments {a:.4g}, {b:.4g} and {c:.4g} kg·m²"
    if a < -TRIANGLE_TOLERANCE * abs(c):
        return f"{moments}; expected none below 0"
    if a + b < c * (1 - TRIANGLE_TOLERANCE):
        return f"{moments}; expected none above the sum of the others, as about a solid's centre of mass"
    return ""


def check_shape(where: Where, shape: Shape) -> None:
    """A solid of positive size in a known colour."""
    if shape.kind not in SHAPE_KINDS:
        raise SceneError(f'{place(where)} is a "{shape.kind}"; {suggestion(shape.kind, SHAPE_KINDS)}', where)
    key = (*where, shape.kind)
    check_numbers(key, shape.size, _SIZE_COUNTS[shape.kind])
    for value in shape.size:
        check_bound(key, value, " m")
        if not SHAPE_SIZES[0] <= value <= SHAPE_SIZES[1]:
            fail(key, f"{shape.kind} has a size of {value:g} m; expected {SHAPE_SIZES[0]:g} to {SHAPE_SIZES[1]:g} m")
    check_pose(where, shape.pose)
    if shape.color not in COLORS and not _HEX_COLOR.fullmatch(shape.color):
        fail((*where, "color"), f'color is "{shape.color}"; expected {listing([*COLORS, "#rrggbb"], "or")}')


def _check_joint(joint: Joint, scene: Scene) -> None:
    where = ("joint", joint.name)
    if joint.kind == "free":
        fail((*where, "type"), "type is free; expected no joint at all, since a body without one is free")
    check_known((*where, "type"), joint.kind, "joint type", JOINT_KINDS)
    bodies = _names(scene.bodies)
    check_known((*where, "parent"), joint.parent, "body", [*bodies, WORLD])
    if joint.child == WORLD:
        fail((*where, "child"), 'child is "world", which cannot move; expected a body, with the world as parent')
    check_known((*where, "child"), joint.child, "body", bodies)
    if joint.parent == joint.child:
        fail((*where, "child"), f'child and parent are both "{joint.child}"; expected two bodies')
    check_pose(where, joint.at)
    check_pose(where, joint.child_at, "child_")
    check_direction((*where, "axis"), joint.axis)
    _check_coordinates((*where, "q"), joint, joint.q)
    if joint.v:
        check_numbers((*where, "v"), joint.v, JOINT_WIDTHS[joint.kind][1])
    check_bound((*where, "damping"), joint.damping, "", zero=True)
    check_bound((*where, "friction"), joint.friction, "", zero=True)
    check_bound((*where, "rotor_inertia"), joint.rotor_inertia, "", zero=True)
    check_bound((*where, "gear"), joint.gear, "")
    if joint.torque_limit is not None:
        check_bound((*where, "torque_limit"), joint.torque_limit, "")
    _check_stops(where, joint)


def _check_stops(where: Where, joint: Joint) -> None:
    """Limits, cone and twist, and what else only some kinds of joints have."""
    default = Joint("", "", "", "")
    for key, kinds in _ONLY_ON.items():
        if joint.kind not in kinds and getattr(joint, key) != getattr(default, key):
            only = listing(f"{kind}s" for kind in kinds)
            fail((*where, key), f"this is a {joint.kind} joint; expected {key} only on {only}")
    for key, span in (("limits", joint.limits), ("twist", joint.twist)):
        if span is None:
            continue
        check_numbers((*where, key), span, 2)
        if span[0] > span[1]:
            fail((*where, key), f"{key} has {span[0]:g} before {span[1]:g}; expected the lower one first")
    if joint.twist is not None and max(map(abs, joint.twist)) > pi:
        fail((*where, "twist"), f"twist is {list(joint.twist)}; expected radians from -π to π")
    if joint.cone is not None and not NARROWEST_CONE <= joint.cone <= pi:
        fail((*where, "cone"), f"cone is {joint.cone:g}; expected radians from {NARROWEST_CONE} to π")
    if not 0 <= joint.restitution <= 1:
        fail((*where, "restitution"), f"restitution is {joint.restitution:g}; expected 0 to 1")
    if joint.restitution and joint.limits is None and joint.cone is None and joint.twist is None:
        fail((*where, "restitution"), "restitution is of stops, and there are none; expected limits, cone or twist")


def _check_coordinates(where: Where, joint: Joint, q: Sequence[float]) -> None:
    """Joint coordinates: none given (the zero position), or as many as the joint has."""
    if not q:
        return
    if joint.kind == "ball":
        check_quaternion(where, q)
    check_numbers(where, q, JOINT_WIDTHS[joint.kind][0])


def _check_target(target: Target, scene: Scene) -> None:
    where = ("target", target.name)
    check_numbers((*where, "position"), target.position, 3)
    check_known((*where, "frame"), target.frame, "frame", [f.name for f in scene.frames])
    check_quaternion((*where, "rotation"), target.rotation)
    if target.path is not None:
        _check_path((*where, "path"), target.path)


def _check_path(where: Where, path: TargetPath) -> None:
    if isinstance(path, FormulaPath):
        _check_expressions((*where, "formula"), path.formula, 3)
        return
    check_bound((*where, "period"), path.period, " s")
    if isinstance(path, CirclePath):
        check_bound((*where, "circle"), path.radius, " m")
        check_direction((*where, "normal"), path.normal)
    elif isinstance(path, LinePath):
        check_numbers((*where, "line"), path.to, 3)
    elif not path.points:
        fail((*where, "waypoints"), "waypoints is empty; expected at least one point [x, y, z]")
    for number, point in enumerate(getattr(path, "points", ())):
        check_numbers((*where, "waypoints", str(number)), point, 3)


def _check_controller(spec: ControllerSpec, scene: Scene) -> None:
    where = ("controller", spec.name)
    check_known((*where, "type"), spec.kind, "controller type", CONTROLLERS)
    kind = CONTROLLERS[spec.kind]
    gains = {gain.name: gain for gain in kind.gains}
    for name, value in spec.gains.items():
        key = (*where, "gains", name)
        if name not in gains:
            fail(key, f'{spec.kind} has no gain "{name}"; {suggestion(name, gains)}')
        low, high, unit = gains[name].low, gains[name].high, gains[name].unit
        if not low <= value <= high:
            fail(key, f"{name} is {value:g}; expected {low:g} to {high:g} {unit}")
    if spec.target is not None:
        check_known((*where, "target"), spec.target, "target", _names(scene.targets))
    elif kind.needs_target:
        raise SceneError(at(where, '"target" is missing; expected the name of a target'), where)
    _check_by_joint(spec, scene)


def _check_by_joint(spec: ControllerSpec, scene: Scene) -> None:
    """What a controller is given joint by joint: coordinates to hold, torques to give."""
    where, kind = ("controller", spec.name), CONTROLLERS[spec.kind]
    joints = _names(scene.joints)
    for table in ("joint_target", "torque"):
        for name in getattr(spec, table):
            if name not in joints:
                fail((*where, table, name), f'there is no joint "{name}"; {suggestion(name, joints)}')
    for name, q in spec.joint_target.items():
        _check_coordinates((*where, "joint_target", name), scene.joint(name), q)
    for name, torques in spec.torque.items():
        _check_expressions((*where, "torque", name), torques, JOINT_WIDTHS[scene.joint(name).kind][1])
    if spec.torque and not kind.gives_torques:
        fail((*where, "torque"), f"a {spec.kind} controller has no torque; expected none")
    if kind.gives_torques and not spec.torque:
        raise SceneError(at(where, '"torque" is missing; expected torques by joint'), where)


def _check_input(given: Input, scene: Scene) -> None:
    where = ("input", given.name)
    if (given.joint is None) == (given.body is None):
        found = "neither joint nor body is" if given.joint is None else "joint and body are both"
        raise SceneError(at(where, f"{found} given; expected one of them"), where)
    if given.joint is not None:
        check_known((*where, "joint"), given.joint, "joint", _names(scene.joints))
        kind = scene.joint(given.joint).kind
        if kind == "fixed":
            fail((*where, "joint"), f'joint "{given.joint}" is fixed; expected one that moves')
        if any(given.force) or given.at != ORIGIN:
            key = "force" if any(given.force) else "at"
            fail((*where, key), f"{key} is for bodies; expected only a torque along the joint")
        key = "force" if kind == "slider" else "torque"
        _check_expressions((*where, key), given.torque, JOINT_WIDTHS[kind][1])
    else:
        check_known((*where, "body"), str(given.body), "body", _names(scene.bodies))
        _check_expressions((*where, "force"), given.force, 3)
        check_numbers((*where, "at"), given.at, 3)
        if given.torque:
            _check_expressions((*where, "torque"), given.torque, 3)


def _check_expressions(where: Where, values: Sequence[Expression], count: int) -> None:
    if len(values) != count:
        fail(where, f"{key_of(where)} has {numbers(len(values))}; expected {count}")
    for number, value in enumerate(values):
        member = (*where, str(number))
        if not isinstance(value, str):
            check_numbers(member, (value,), 1)
            continue
        try:
            compile_expression(value)
        except ExpressionError as error:
            fail(member, f"{key_of(member)} {error}")


def _check_camera(scene: Scene) -> None:
    camera = scene.camera
    for key in ("azimuth", "elevation", "distance"):
        value = getattr(camera, key)
        if value is not None:
            check_numbers(("camera", key), (value,), 1)
    if camera.elevation is not None and abs(camera.elevation) > pi / 2:
        fail(("camera", "elevation"), f"elevation is {camera.elevation:g}; expected radians from -π/2 to π/2")
    if camera.distance is not None:
        check_bound(("camera", "distance"), camera.distance, " m")
    if camera.look_at is not None:
        check_numbers(("camera", "look_at"), camera.look_at, 3)
