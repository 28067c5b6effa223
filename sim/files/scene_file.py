"""Scene files: TOML to Scene. The format is described in docs/scenes.md."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from sim.check import JOINT_KINDS
from sim.control import CONTROLLERS
from sim.files.builtin import builtin_names, scene_path, split_variant
from sim.files.chain_table import expand_chains
from sim.files.changes import Change, apply_changes, key_paths
from sim.files.dh_table import expand_dh
from sim.files.document import PATH_KINDS, Document, choose_variant, read_document
from sim.files.input_table import read_inputs
from sim.files.reader import Table
from sim.files.shape_table import read_shapes
from sim.model import compile_model
from sim.scene import (
    NO_ROTATION,
    Body,
    CameraSpec,
    CirclePath,
    ControllerSpec,
    Expression,
    FormulaPath,
    Frame,
    Joint,
    LinePath,
    Scene,
    SceneError,
    Shape,
    Target,
    TargetPath,
    Vec3,
    WaypointPath,
)
from sim.spatial.inertia import MassProperties, mass_properties
from sim.wording import listing

Six = tuple[float, float, float, float, float, float]

_SCENE_KEYS = (
    *("title", "summary", "group", "try", "plots", "gravity", "backend", "dt", "integrator", "solver", "stabilise"),
    *("body", "joint", "chain", "dh", "frame", "target", "controller", "input", "camera", "world"),
)
# The keys of each table; "" is the top of the file.
KEYS: dict[str, tuple[str, ...]] = {
    "": (*_SCENE_KEYS, "extends", "variant"),
    "variant": _SCENE_KEYS,
    "body": ("mass", "density", "center", "inertia", "position", "rotation", "velocity", "shape", "shapes"),
    "joint": (
        *("type", "parent", "child", "position", "rotation", "child_position", "child_rotation"),
        *("axis", "q", "v", "damping", "friction", "rotor_inertia", "gear", "limits", "cone", "twist", "restitution"),
        *("locked", "torque_limit", "actuated"),
    ),
    "chain": ("count", "parent", "body", "joint"),
    "frame": ("body", "position", "rotation"),
    "target": ("position", "rotation", "frame", "path"),
    "path": ("circle", "line", "waypoints", "formula", "period", "normal"),
    "controller": ("type", "enabled", "gains", "target", "joint_target", "torque"),
    "input": ("joint", "body", "torque", "force", "at"),
    "camera": ("azimuth", "elevation", "distance", "look_at"),
    "world": ("shape", "shapes"),
}


def load(name_or_path: str | os.PathLike[str], changes: Mapping[str, object] | None = None) -> Scene:
    """A built-in scene by its name, or a scene file by its path; SCENE:VARIANT for one of its variants.

    `changes` sets values by their key paths, {"joint.elbow.damping": 0.2}, as if the file had them.
    """
    name, variant = split_variant(os.fspath(name_or_path))
    if name in builtin_names():
        return read_scene(scene_path(name), variant, changes)
    is_bare_name = not Path(name).suffix and os.path.basename(name) == name
    if is_bare_name and not os.path.exists(name):
        scene_path(name)  # refuses it with the nearest name
    return read_scene(name, variant, changes)


def read_scene(
    path: str | os.PathLike[str], variant: str | None = None, changes: Mapping[str, object] | None = None
) -> Scene:
    """Reads and checks a scene file; every mistake is a SceneError that begins with its place, "FILE:LINE: "."""
    return _compose(read_document(path), variant, key_paths(changes or {}))


def parse_scene(text: str, path: str | os.PathLike[str]) -> Scene:
    """The scene that the file would be if it said `text`."""
    return _compose(read_document(path, text=text), None, [])


def _compose(document: Document, variant: str | None, changes: Sequence[Change]) -> Scene:
    try:
        choose_variant(document, variant)
        apply_changes(document, changes, chains=True)
        expand_chains(document, KEYS["chain"])
        expand_dh(document, KEYS["body"], KEYS["joint"])
        apply_changes(document, changes, chains=False)
        scene = _scene(Table(document.data, (), KEYS[""]), document.file, variant or "")
        compile_model(scene)
    except SceneError as error:
        raise document.located(error) from None
    return scene


def _scene(top: Table, path: str, variant: str) -> Scene:
    name = Path(path).stem
    default = Scene(name=name, title=name.replace("_", " "), path=path)
    joints = tuple(_joint(name, table) for name, table in top.named("joint", KEYS["joint"]))
    return Scene(
        name=name,
        title=top.optional("title", top.text, default.title),
        summary=top.optional("summary", top.text, default.summary),
        group=top.optional("group", top.text, default.group),
        try_this=top.optional("try", top.texts, default.try_this),
        plots=top.optional("plots", top.texts, default.plots),
        gravity=_gravity(top, default.gravity),
        backend=top.optional("backend", top.text, default.backend),
        dt=top.optional("dt", top.number, default.dt),
        integrator=top.optional("integrator", top.text, default.integrator),
        solver=top.optional("solver", top.text, default.solver),
        stabilise=top.optional("stabilise", top.text, default.stabilise),
        bodies=tuple(_body(name, table) for name, table in top.named("body", KEYS["body"])),
        joints=joints,
        frames=tuple(
            Frame(name, table.text("body", "the name of a body"), table.pose())
            for name, table in top.named("frame", KEYS["frame"])
        ),
        targets=tuple(_target(name, table) for name, table in top.named("target", KEYS["target"])),
        controllers=tuple(_controller(name, table) for name, table in top.named("controller", KEYS["controller"])),
        inputs=read_inputs(top, KEYS["input"], joints),
        base_shapes=_world_shapes(top),
        camera=_camera(top),
        path=path,
        variant=variant,
        variants=tuple(name for name, _ in top.named("variant", KEYS["variant"])),
    )


def _gravity(top: Table, default: Vec3) -> Vec3:
    """A vector, or how strongly things fall."""
    if "gravity" not in top:
        return default
    if isinstance(top.value("gravity", "a number"), list):
        return top.vector("gravity")
    strength = top.number("gravity")
    if strength < 0:
        top.fail(f"gravity is {strength:g}; expected how strong it is downwards (9.81), or [x, y, z]", "gravity")
    return (0.0, 0.0, -strength if strength else 0.0)


def _body(name: str, table: Table) -> Body:
    shapes = read_shapes(table)
    solid = mass_properties(shapes) if shapes else None
    mass = _mass(table, solid)
    center = (0.0, 0.0, 0.0) if solid is None else cast(Vec3, tuple(solid.center.tolist()))
    return Body(
        name=name,
        mass=mass,
        center=table.optional("center", table.vector, center),
        inertia=_inertia(table, mass, solid),
        shapes=shapes,
        pose=table.pose(),
        velocity=cast(Six, table.numbers("velocity", 6)) if "velocity" in table else (0.0,) * 6,
    )


def _mass(table: Table, solid: MassProperties | None) -> float:
    if "density" not in table:
        if "mass" not in table:
            table.fail('"mass" is missing; expected a number, or a density')
        return table.number("mass")
    if "mass" in table:
        table.fail("mass and density are both given; expected one of them", "density")
    density = table.number("density")
    if density <= 0:
        table.fail(f"density is {density:g} kg/m³; expected a number above 0", "density")
    if solid is None:
        table.fail("density needs shapes to fill; expected shapes, or a mass and an inertia", "density")
    return density * solid.mass


def _inertia(table: Table, mass: float, solid: MassProperties | None) -> Six:
    """As given (xx yy zz, or xx yy zz xy xz yz), or of the shapes with this mass spread evenly."""
    if "inertia" not in table:
        if solid is None:
            table.fail('"inertia" is missing; expected 3 or 6 numbers, or shapes to take it from')
        if "center" in table:
            table.fail("center is given without inertia; expected both, or neither and shapes", "center")
        return solid.scaled(mass).six()
    numbers = table.numbers("inertia")
    if len(numbers) not in (3, 6):
        table.fail(
            f"inertia has {len(numbers)} of them; expected 3 numbers (xx yy zz) or 6 (xx yy zz xy xz yz)", "inertia"
        )
    return cast(Six, numbers if len(numbers) == 6 else (*numbers, 0.0, 0.0, 0.0))


def _joint(name: str, table: Table) -> Joint:
    default = Joint(name, "", "", "")
    kind = table.text("type", listing(JOINT_KINDS, "or"))
    if "axis" in table and (kind == "fixed" or (kind == "ball" and "cone" not in table and "twist" not in table)):
        only = "hinges, sliders and balls with a cone or twist"
        table.fail(f"axis is only for {only}, and this is a {kind} joint; expected none", "axis")
    return Joint(
        name=name,
        kind=kind,
        parent=table.text("parent", "the name of a body, or world"),
        child=table.text("child", "the name of a body"),
        at=table.pose(),
        child_at=table.pose("child_"),
        axis=table.optional("axis", table.vector, default.axis),
        q=_coordinates(table, "q"),
        v=_coordinates(table, "v"),
        damping=table.optional("damping", table.number, default.damping),
        friction=table.optional("friction", table.number, default.friction),
        rotor_inertia=table.optional("rotor_inertia", table.number, default.rotor_inertia),
        gear=table.optional("gear", table.number, default.gear),
        limits=table.optional("limits", table.pair, None),
        cone=table.optional("cone", table.number, None),
        twist=table.optional("twist", table.pair, None),
        restitution=table.optional("restitution", table.number, default.restitution),
        locked=table.optional("locked", table.flag, default.locked),
        torque_limit=table.optional("torque_limit", table.number, None),
        actuated=table.optional("actuated", table.flag, default.actuated),
    )


def _coordinates(table: Table, key: str) -> tuple[float, ...]:
    """A number, a list of them, or a rotation (of a ball joint)."""
    if key not in table:
        return ()
    value: Any = table.value(key, "a number")
    if isinstance(value, dict) or (isinstance(value, list) and len(value) == 4):
        return table.rotation(key)
    return table.numbers(key) if isinstance(value, list) else (table.number(key),)


def _target(name: str, table: Table) -> Target:
    path = _path(table.table("path", KEYS["path"])) if "path" in table else None
    place, frame = table.vector("position"), table.text("frame", "the name of a frame")
    return Target(name, place, frame, path, table.optional("rotation", table.rotation, NO_ROTATION))


def _path(table: Table) -> TargetPath:
    given = [kind for kind in PATH_KINDS if kind in table]
    if len(given) != 1:
        found = f"{listing(given)} are given together" if given else f'"{PATH_KINDS[0]}" is missing'
        table.fail(f"{found}; expected one of {listing(PATH_KINDS, 'or')}", *given[1:2])
    for key, without in (("period", ("formula",)), ("normal", PATH_KINDS[1:])):
        if key in table and given[0] in without:
            table.fail(f"a path of kind {given[0]} has no {key}; expected none", key)
    if given[0] == "formula":
        return FormulaPath(cast("tuple[Expression, Expression, Expression]", table.expressions("formula", 3)))
    period = table.number("period")
    if given[0] == "circle":
        return CirclePath(table.number("circle"), period, table.optional("normal", table.vector, (1.0, 0.0, 0.0)))
    if given[0] == "line":
        return LinePath(table.vector("line"), period)
    return WaypointPath(table.vectors("waypoints"), period)


def _controller(name: str, table: Table) -> ControllerSpec:
    gains, joints, torques = (table.open_table(key) for key in ("gains", "joint_target", "torque"))
    return ControllerSpec(
        name=name,
        kind=table.text("type", listing(CONTROLLERS, "or")),
        enabled=table.optional("enabled", table.flag, True),
        gains={gain: gains.number(gain) for gain in gains},
        target=table.optional("target", table.text, None),
        joint_target={joint: _coordinates(joints, joint) for joint in joints},
        torque={joint: _torques(torques, joint) for joint in torques},
    )


def _torques(table: Table, joint: str) -> tuple[Expression, ...]:
    """One for a hinge or slider, three for a ball."""
    value: Any = table.value(joint, "a number or a function of t")
    return table.expressions(joint, len(value)) if isinstance(value, list) else (table.expression(joint),)


def _camera(top: Table) -> CameraSpec:
    if "camera" not in top:
        return CameraSpec()
    table = top.table("camera", KEYS["camera"])
    return CameraSpec(
        azimuth=table.optional("azimuth", table.number, None),
        elevation=table.optional("elevation", table.number, None),
        distance=table.optional("distance", table.number, None),
        look_at=table.optional("look_at", table.vector, None),
    )


def _world_shapes(top: Table) -> tuple[Shape, ...]:
    return read_shapes(top.table("world", KEYS["world"])) if "world" in top else ()
