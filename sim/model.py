"""A scene flattened into constant arrays, the form every kernel works on.

Names read noun first: `body_mass`, `joint_axis`, `dof_damping`. Arrays follow the scene's order;
`tree_order` is the topological permutation of the joints that kernels walk from the base to the tips.
Joints that close a loop are cut out of the tree: of two joints with the same child, and in a ring, the
one listed last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.check import check
from sim.scene import JOINT_WIDTHS, WORLD, Joint, Scene
from sim.scene import closing_joints as closing_joints
from sim.spatial.rotation import quat_to_matrix

Array = np.ndarray[Any, np.dtype[Any]]

FREE, BALL, HINGE, SLIDER, FIXED = range(5)
JOINT_TYPES = {"free": FREE, "ball": BALL, "hinge": HINGE, "slider": SLIDER, "fixed": FIXED}


@dataclass(frozen=True)
class Model:
    """Read-only arrays of one scene. nb bodies, nj joints (implicit free ones first), nq, nv coordinates."""

    scene: Scene
    gravity: Array  # (3,) [m/s²]

    body_names: tuple[str, ...]
    body_mass: Array  # (nb,) [kg]
    body_center: Array  # (nb, 3) centre of mass in body axes [m]
    body_inertia: Array  # (nb, 3, 3) about the centre of mass, body axes [kg·m²]
    body_moments: Array  # (nb, 3) principal moments, ascending
    body_axes: Array  # (nb, 3, 3) R_BP: principal axes as columns, right-handed

    joint_names: tuple[str, ...]
    joint_type: Array  # (nj,) FREE, BALL, HINGE, SLIDER, FIXED
    joint_parent: Array  # (nj,) body, or -1 for the world
    joint_child: Array  # (nj,) body
    joint_position: Array  # (nj, 3) joint frame in the parent
    joint_rotation: Array  # (nj, 3, 3)
    joint_child_position: Array  # (nj, 3) joint frame in the child
    joint_child_rotation: Array  # (nj, 3, 3)
    joint_axis: Array  # (nj, 3) unit, in the joint frame
    joint_limits: Array  # (nj, 2) ±inf where there are none
    joint_cone: Array  # (nj,) inf where there is none
    joint_twist: Array  # (nj, 2) ±inf where there are none
    joint_restitution: Array  # (nj,)
    joint_locked: Array  # (nj,) bool
    joint_cut: Array  # (nj,) bool: closes a loop
    joint_q: Array  # (nj + 1,) first coordinate of each joint
    joint_v: Array  # (nj + 1,) first velocity of each joint
    tree_order: Array  # (nb,) the joints of the tree, every parent before its children

    dof_joint: Array  # (nv,)
    dof_damping: Array  # (nv,)
    dof_friction: Array  # (nv,) Coulomb; of a ball the same bound on each, for the whole torque
    dof_rotor: Array  # (nv,) inertia of the motor seen at the joint, gear² rotor_inertia
    dof_torque_limit: Array  # (nv,) inf where there is none
    dof_actuated: Array  # (nv,) bool

    frame_names: tuple[str, ...]
    frame_body: Array  # (nf,) body, or -1 for the world
    frame_position: Array  # (nf, 3)
    frame_rotation: Array  # (nf, 3, 3)

    target_names: tuple[str, ...]
    target_frame: Array  # (nt,) index of the frame that should reach it
    target_start: Array  # (nt, 3)
    target_turn: Array  # (nt, 3, 3) attitudes for controllers of whole poses

    q0: Array  # (nq,) with all loops closed
    v0: Array  # (nv,)
    notes: tuple[str, ...] = ()  # what people should know of it, a sentence each

    @property
    def nq(self) -> int:
        return int(self.joint_q[-1])

    @property
    def nv(self) -> int:
        return int(self.joint_v[-1])


def compile_model(scene: Scene) -> Model:
    """Flatten a scene and close its loops; raises SceneError where it makes no sense as a mechanism."""
    check(scene)
    cut = closing_joints(scene)
    model = _flatten(scene, cut)
    if not cut:
        return model
    from sim.assemble import assemble  # works on the types of this module

    return assemble(model)


def _flatten(scene: Scene, cut: tuple[str, ...]) -> Model:
    body_index = {b.name: i for i, b in enumerate(scene.bodies)} | {WORLD: -1}
    joints = _implicit_free_joints(scene, cut) + scene.joints
    order = _tree_order(joints, cut)
    bodies = scene.bodies
    inertia = np.array([_tensor(b.inertia) for b in bodies]).reshape(-1, 3, 3)
    moments, axes = _principal(inertia)
    widths = [JOINT_WIDTHS[j.kind] for j in joints]
    dof_joint = np.repeat(np.arange(len(joints)), [w[1] for w in widths])

    def per_dof(values: list[float]) -> Array:
        return np.array(values, dtype=float)[dof_joint]

    arrays: dict[str, Any] = {
        "gravity": _vectors([scene.gravity])[0],
        "body_mass": np.array([b.mass for b in bodies], dtype=float),
        "body_center": _vectors([b.center for b in bodies]),
        "body_inertia": inertia,
        "body_moments": moments,
        "body_axes": axes,
        "joint_type": np.array([JOINT_TYPES[j.kind] for j in joints], dtype=np.int64),
        "joint_parent": np.array([body_index[j.parent] for j in joints], dtype=np.int64),
        "joint_child": np.array([body_index[j.child] for j in joints], dtype=np.int64),
        "joint_position": _vectors([j.at.position for j in joints]),
        "joint_rotation": _rotations([j.at.rotation for j in joints]),
        "joint_child_position": _vectors([j.child_at.position for j in joints]),
        "joint_child_rotation": _rotations([j.child_at.rotation for j in joints]),
        "joint_axis": _unit(_vectors([j.axis for j in joints])),
        "joint_limits": _ranges([j.limits for j in joints]),
        "joint_cone": np.array([np.inf if j.cone is None else j.cone for j in joints], dtype=float),
        "joint_twist": _ranges([j.twist for j in joints]),
        "joint_restitution": np.array([j.restitution for j in joints], dtype=float),
        "joint_locked": np.array([j.locked for j in joints], dtype=bool),
        "joint_cut": np.array([j.name in cut and j.kind != "free" for j in joints], dtype=bool),
        "joint_q": np.concatenate([[0], np.cumsum([w[0] for w in widths])]).astype(np.int64),
        "joint_v": np.concatenate([[0], np.cumsum([w[1] for w in widths])]).astype(np.int64),
        "tree_order": order,
        "dof_joint": dof_joint,
        "dof_damping": per_dof([j.damping for j in joints]),
        "dof_friction": per_dof([j.friction for j in joints]),
        "dof_rotor": per_dof([j.gear**2 * j.rotor_inertia for j in joints]),
        "dof_torque_limit": per_dof([np.inf if j.torque_limit is None else j.torque_limit for j in joints]),
        "dof_actuated": per_dof([j.actuated for j in joints]) > 0,
        "frame_body": np.array([body_index[f.body] for f in scene.frames], dtype=np.int64),
        "frame_position": _vectors([f.pose.position for f in scene.frames]),
        "frame_rotation": _rotations([f.pose.rotation for f in scene.frames]),
        "target_frame": np.array(
            [[f.name for f in scene.frames].index(t.frame) for t in scene.targets], dtype=np.int64
        ),
        "target_start": _vectors([t.position for t in scene.targets]),
        "target_turn": _rotations([t.rotation for t in scene.targets]),
        "q0": np.concatenate([_start_q(j) for j in joints] or [np.zeros(0)]),
        "v0": np.concatenate([_start_v(j, w[1]) for j, w in zip(joints, widths, strict=True)] or [np.zeros(0)]),
    }
    for array in arrays.values():
        array.setflags(write=False)
    return Model(
        scene=scene,
        body_names=tuple(b.name for b in bodies),
        joint_names=tuple(j.name for j in joints),
        frame_names=tuple(f.name for f in scene.frames),
        target_names=tuple(t.name for t in scene.targets),
        **arrays,
    )


def _implicit_free_joints(scene: Scene, cut: tuple[str, ...]) -> tuple[Joint, ...]:
    """One free joint, bearing the body's name, for every body that hangs from no joint."""
    children = {j.child for j in scene.joints if j.name not in cut}
    return tuple(
        Joint(
            name=b.name,
            kind="free",
            parent=WORLD,
            child=b.name,
            q=(*b.pose.position, *b.pose.rotation),
            v=b.velocity,
            actuated=False,
        )
        for b in scene.bodies
        if b.name not in children
    )


def _tree_order(joints: tuple[Joint, ...], cut: tuple[str, ...]) -> Array:
    """Joints from the bases to the tips, without those that close a loop."""
    placed = {WORLD}
    order: list[int] = []
    waiting = [i for i, joint in enumerate(joints) if joint.kind == "free" or joint.name not in cut]
    while waiting:
        ready = [i for i in waiting if joints[i].parent in placed]
        placed.update(joints[i].child for i in ready)
        order += ready
        waiting = [i for i in waiting if i not in ready]
    return np.array(order, dtype=np.int64)


def _start_q(joint: Joint) -> Array:
    if joint.q:
        q = np.array(joint.q, dtype=float)
        if joint.kind in ("ball", "free"):
            q[-4:] /= np.linalg.norm(q[-4:])
        return q
    if joint.kind == "ball":
        return np.array([1.0, 0.0, 0.0, 0.0])
    return np.zeros(JOINT_WIDTHS[joint.kind][0])


def _start_v(joint: Joint, width: int) -> Array:
    return np.array(joint.v, dtype=float) if joint.v else np.zeros(width)


def _tensor(six: tuple[float, ...]) -> list[list[float]]:
    xx, yy, zz, xy, xz, yz = six
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


def _principal(inertia: Array) -> tuple[Array, Array]:
    """Moments and right-handed axes with R diag(moments) Rᵀ = inertia."""
    if len(inertia) == 0:
        return np.zeros((0, 3)), np.zeros((0, 3, 3))
    moments, axes = np.linalg.eigh(inertia)
    axes[np.linalg.det(axes) < 0, :, 0] *= -1.0
    return moments, np.ascontiguousarray(axes)


def _vectors(rows: list[Any]) -> Array:
    return np.array(rows, dtype=float).reshape(len(rows), 3)


def _rotations(quats: list[Any]) -> Array:
    return np.array([quat_to_matrix(np.array(q, dtype=float)) for q in quats]).reshape(len(quats), 3, 3)


def _ranges(pairs: list[tuple[float, float] | None]) -> Array:
    return np.array([pair or (-np.inf, np.inf) for pair in pairs], dtype=float).reshape(-1, 2)


def _unit(rows: Array) -> Array:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
