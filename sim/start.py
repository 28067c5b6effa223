"""Another start for a scene: q and v in the model's order, written back to where people write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import hypot
from typing import Any, cast

from sim.plausible import ROTATION_TOLERANCE
from sim.scene import JOINT_WIDTHS, Body, Joint, Pose, Quat, Scene, SceneError, Vec3, closing_joints
from sim.wording import listing, numbers

Numbers = tuple[float, ...]

# What the numbers of a joint are, where it has several.
_PARTS = {
    "q": {"free": "x y z and w x y z", "ball": "w x y z"},
    "v": {"free": "angular and linear x y z", "ball": "x y z"},
}


def with_start(scene: Scene, q: Sequence[float] | None = None, v: Sequence[float] | None = None) -> Scene:
    """The scene started from all of q, all of v, or both; None keeps the scene's own.

    Free bodies come first, in the order of the scene, then its joints. A loop is closed again from here: q of the
    joints that give way is their first guess, that of the joint that closes it only counts turns.
    """
    cut = closing_joints(scene)
    hanging = {j.child for j in scene.joints if j.name not in cut}
    movers = [("free", b.name) for b in scene.bodies if b.name not in hanging]
    movers += [(j.kind, j.name) for j in scene.joints]
    names = [name for _, name in movers]  # a free body lends its name to its joint: no two are alike
    qs = dict(zip(names, _shares("q", movers, q), strict=True))
    vs = dict(zip(names, _shares("v", movers, v), strict=True))
    bodies = tuple(b if b.name in hanging else _placed(b, qs[b.name], vs[b.name]) for b in scene.bodies)
    joints = tuple(_started(j, qs[j.name], vs[j.name]) for j in scene.joints)
    return replace(scene, bodies=bodies, joints=joints)


def _shares(what: str, movers: list[tuple[str, str]], values: Sequence[float] | None) -> list[Numbers | None]:
    """Each mover's part of the values; raises SceneError if their number is wrong."""
    if values is None:
        return [None] * len(movers)
    widths = [JOINT_WIDTHS[kind][what == "v"] for kind, _ in movers]
    if len(values) != sum(widths):
        wanted = [
            f"{name} ({_PARTS[what][kind]})" if width > 1 else name
            for (kind, name), width in zip(movers, widths, strict=True)
            if width
        ]
        of = f" of {listing(wanted)}, in this order" if wanted else ""
        raise SceneError(f"{what} has {numbers(len(values))}; expected {sum(widths)}{of}")
    ends = [sum(widths[: i + 1]) for i in range(len(widths))]
    return [tuple(map(float, values[end - w : end])) for end, w in zip(ends, widths, strict=True)]


def _placed(body: Body, q: Numbers | None, v: Numbers | None) -> Body:
    pose = body.pose if q is None else Pose(cast(Vec3, q[:3]), _unit(q[3:]))
    return replace(body, pose=pose, velocity=body.velocity if v is None else cast(Any, v))


def _started(joint: Joint, q: Numbers | None, v: Numbers | None) -> Joint:
    if q is not None and joint.kind == "ball":
        q = _unit(q)
    return replace(joint, q=joint.q if q is None else q, v=joint.v if v is None else v)


def _unit(q: Numbers) -> Quat:
    """A quaternion that is nearly of length 1 made so; others are left for `sim.check` to refuse."""
    length = hypot(*q)
    return cast(Quat, tuple(x / length for x in q) if abs(length - 1) <= ROTATION_TOLERANCE else q)
