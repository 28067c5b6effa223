"""Closed loops for tests, written in Python: planar ones in x and z, angles from x towards z."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from sim.model import Model
from sim.rest import body_poses
from sim.scene import Body, Joint, Pose, Scene, Shape

UP = (0.0, -1.0, 0.0)  # an axis about which positive angles lift x towards z


def link(name: str, length: float, mass: float = 1.0) -> Body:
    """A bar from its origin along x."""
    along, side = mass * 0.02**2 / 6, mass * (length**2 + 0.02**2) / 12
    shape = Shape("box", (length, 0.02, 0.02), Pose((length / 2, 0.0, 0.0)))
    return Body(name, mass, (length / 2, 0.0, 0.0), (along, side, side, 0.0, 0.0, 0.0), (shape,))


def pin(name: str, parent: str, child: str, x: float = 0.0, q: float = 0.0, **more: Any) -> Joint:
    """A hinge at x on the parent, at the child's origin unless `child_at` says otherwise."""
    more.setdefault("actuated", False)
    return Joint(name, "hinge", parent, child, Pose((x, 0.0, 0.0)), axis=UP, q=(q,), **more)


SIZES = (0.5, 0.2, 0.45, 0.4)


def four_bar(
    crank: float, guess: tuple[float, float] = (0.0, 0.0), sizes: tuple[float, ...] = SIZES, **drive: Any
) -> Scene:
    """Ground G, crank a, coupler b, rocker c; `guess` are the coupler's and rocker's relative angles."""
    G, a, b, c = sizes
    joints = (
        pin("crank", "world", "crank", q=crank, **{"actuated": True, **drive}),
        pin("coupler", "crank", "coupler", a, guess[0]),
        pin("rocker", "coupler", "rocker", b, guess[1]),
        pin("ground", "world", "rocker", G, child_at=Pose((c, 0.0, 0.0))),
    )
    bodies = (link("crank", a), link("coupler", b), link("rocker", c))
    return Scene("four_bar", "Four-bar", bodies=bodies, joints=joints)


def slider_crank(
    crank: float, guess: tuple[float, float] = (0.0, 0.0), r: float = 0.15, length: float = 0.4, **drive: Any
) -> Scene:
    """Crank r, rod `length`, a piston on the x axis that closes the loop."""
    joints = (
        pin("crank", "world", "crank", q=crank, **{"actuated": True, **drive}),
        pin("rod", "crank", "rod", r, guess[0]),
        pin("wrist", "rod", "piston", length, guess[1]),
        Joint("slide", "slider", "world", "piston", axis=(1.0, 0.0, 0.0), actuated=False),
    )
    bodies = (link("crank", r), link("rod", length), link("piston", 0.1))
    return Scene("slider_crank", "Slider crank", bodies=bodies, joints=joints)


def with_joint(scene: Scene, name: str, **changes: Any) -> Scene:
    return replace(scene, joints=tuple(replace(j, **changes) if j.name == name else j for j in scene.joints))


def joint_frames(model: Model, q: np.ndarray, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Origin (2, 3) and axes (2, 3, 3) of a joint's frame in the world, as its parent and as its child carry it."""
    p, R = body_poses(model, q)
    j = model.joint_names.index(name)
    places = [
        (int(model.joint_parent[j]), model.joint_position[j], model.joint_rotation[j]),
        (int(model.joint_child[j]), model.joint_child_position[j], model.joint_child_rotation[j]),
    ]
    found = [(p[b] + R[b] @ x, R[b] @ F) if b >= 0 else (x, F) for b, x, F in places]
    return np.array([f[0] for f in found]), np.array([f[1] for f in found])
