"""Random worlds for tests: several trees, with all that a joint can have, and with loops closed by construction."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np

from sim.model import compile_model
from sim.rest import body_poses
from sim.scene import Body, Joint, Pose, Scene
from sim.spatial.rotation import matrix_to_quat
from tests.worlds import quaternion, random_tree

EVERYTHING = ("damping", "friction", "rotor", "limits", "locked")


def furnished(scene: Scene, seed: int, what: Collection[str]) -> Scene:
    """Joints with random damping, friction, rotors, stops or locks."""
    rng = np.random.default_rng(seed)
    return replace(scene, joints=tuple(replace(j, **_extras(j, rng, what)) for j in scene.joints))


def _extras(joint: Joint, rng: np.random.Generator, what: Collection[str]) -> dict[str, Any]:
    extras: dict[str, Any] = {}
    if joint.kind == "fixed":
        return extras
    if "damping" in what:
        extras["damping"] = float(rng.uniform(0.0, 2.0) * (rng.random() < 0.7))
    if "friction" in what:
        extras["friction"] = float(rng.uniform(0.0, 2.0) * (rng.random() < 0.7))
    if "locked" in what and rng.random() < 0.3:
        extras.update(locked=True, v=())
    if "rotor" in what and joint.kind != "ball":
        extras.update(rotor_inertia=float(rng.uniform(0.0, 0.02)), gear=2.0)
    if "limits" in what:
        extras["restitution"] = float(rng.choice([0.0, 0.5, 1.0]))
        if joint.kind == "ball":
            extras.update(cone=3.0, twist=(-3.0, 3.0))
        else:
            extras["limits"] = tuple(joint.q[0] + side * float(rng.uniform(0.05, 0.5)) for side in (-1.0, 1.0))
    return extras


def forest(seed: int, sizes: tuple[int, ...] = (4, 5), floating: tuple[bool, ...] = (False, True)) -> Scene:
    """Several random trees in one world."""
    bodies: list[Body] = []
    joints: list[Joint] = []
    for i, (n, free) in enumerate(zip(sizes, floating, strict=True)):
        tree = random_tree(seed + 100 * i, n, free)

        def named(name: str, i: int = i) -> str:
            return name if name == "world" else f"{name}.{i}"

        bodies += [replace(b, name=named(b.name)) for b in tree.bodies]
        joints += [replace(j, name=named(j.name), parent=named(j.parent), child=named(j.child)) for j in tree.joints]
    return Scene(f"forest {seed}", "Forest", bodies=tuple(bodies), joints=tuple(joints))


def closed(scene: Scene, seed: int, kinds: tuple[str, ...]) -> Scene:
    """At rest, with one more joint a kind between bodies of the scene, where it already holds."""
    rng = np.random.default_rng(seed)
    scene = replace(scene, joints=tuple(replace(j, v=()) for j in scene.joints))
    scene = replace(scene, bodies=tuple(replace(b, velocity=(0.0,) * 6) for b in scene.bodies))
    model = compile_model(scene)
    p, R = body_poses(model, model.q0)
    carried = [b for b in range(len(p)) if any(j.child == scene.bodies[b].name for j in scene.joints)]
    joints = []
    for k, kind in enumerate(kinds):
        child = int(rng.choice(carried))
        parent = int(rng.choice([b for b in range(len(p)) if b != child]))
        x, F = p[child] + 0.2 * rng.normal(size=3), _matrix(rng)
        at, child_at = (_seen(p[b], R[b], x, F) for b in (parent, child))
        names = scene.bodies[parent].name, scene.bodies[child].name
        joints.append(Joint(f"loop{k}", kind, *names, at, child_at, axis=(0.6, 0.0, 0.8), actuated=False))
    return replace(scene, joints=scene.joints + tuple(joints))


def _matrix(rng: np.random.Generator) -> np.ndarray:
    w, x, y, z = quaternion(rng)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _seen(p: np.ndarray, R: np.ndarray, x: np.ndarray, F: np.ndarray) -> Pose:
    """The frame F at x as a body at p, R carries it."""
    position, rotation = R.T @ (x - p), matrix_to_quat(R.T @ F)
    return Pose(tuple(map(float, position)), tuple(map(float, rotation)))
