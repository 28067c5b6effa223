"""A model as Bullet's multibodies: one for every tree, with a body or a massless piece of the world as its base."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.backend import BackendError
from sim.bullet.frames import principal_tree
from sim.bullet.quiet import pybullet
from sim.bullet.refusal import refusal, trees
from sim.dynamics.tree import Tree
from sim.model import BALL, FIXED, FREE, HINGE, SLIDER, Array, Model
from sim.spatial.rotation import matrix_to_quat

JOINT_KINDS = {
    HINGE: pybullet.JOINT_REVOLUTE,
    SLIDER: pybullet.JOINT_PRISMATIC,
    BALL: pybullet.JOINT_SPHERICAL,
    FIXED: pybullet.JOINT_FIXED,
}
BASE = -1  # Bullet's link index of a base

# Bullet clamps every velocity at 100 rad/s and m/s unless told otherwise.
NO_SPEED_LIMIT = 1e30


@dataclass(frozen=True)
class Multibody:
    """Where the joints and bodies of one tree are found in Bullet, and in q and v."""

    id: int
    base: tuple[int, int] | None  # of a free base: its first places in q and v
    scalars: list[int]  # links on hinges and sliders
    scalar_q: Array
    scalar_v: Array
    balls: list[int]  # links on ball joints
    ball_q: list[int]
    ball_v: list[int]
    links: list[int]  # links in the order of `bodies`
    bodies: Array  # without a free base, which is its own body
    base_body: int  # -1: the world


def build(client: int, model: Model) -> list[Multibody]:
    """Creates every tree of the model; raises BackendError for what Bullet cannot run."""
    if reason := refusal(model):
        raise BackendError(reason)
    tree = principal_tree(model)
    return [_create(client, model, tree, joints[0], joints) for joints in trees(model)]


def _create(client: int, model: Model, tree: Tree, root: int, joints: list[int]) -> Multibody:
    free = model.joint_type[root] == FREE
    base_body = int(model.joint_child[root]) if free else -1
    linked = joints[1:] if free else joints
    id = pybullet.createMultiBody(
        baseMass=float(model.body_mass[base_body]) if free else 0.0,
        physicsClientId=client,
        **_links(model, tree, linked, base_body),
    )
    if id < 0:
        name = model.body_names[int(model.joint_child[root])]
        raise BackendError(f'PyBullet could not create the tree of body "{name}".')
    link_of = _link_indices(client, id, linked)
    _set_dynamics(client, id, model, base_body, link_of)
    scalars = [j for j in linked if model.joint_type[j] in (HINGE, SLIDER)]
    balls = [j for j in linked if model.joint_type[j] == BALL]
    return Multibody(
        id=id,
        base=(int(model.joint_q[root]), int(model.joint_v[root])) if free else None,
        scalars=[link_of[j] for j in scalars],
        scalar_q=model.joint_q[scalars],
        scalar_v=model.joint_v[scalars],
        balls=[link_of[j] for j in balls],
        ball_q=model.joint_q[balls].tolist(),
        ball_v=model.joint_v[balls].tolist(),
        links=[link_of[j] for j in linked],
        bodies=model.joint_child[linked],
        base_body=base_body,
    )


def _links(model: Model, tree: Tree, joints: list[int], base_body: int) -> dict[str, list[object]]:
    """createMultiBody's arguments. A link's frame is its joint frame, placed in its parent's; I is placed in it."""
    frames = {-1: (np.zeros(3), np.eye(3)), base_body: (np.zeros(3), np.eye(3))}  # by body: its link frame in its I
    numbers = {-1: 0, base_body: 0}
    rows = []
    for number, j in enumerate(joints, start=1):
        parent, child = int(model.joint_parent[j]), int(model.joint_child[j])
        p_P, R_P = frames[parent]
        p_C, R_C = frames[child] = tree.child_position[j], tree.child_rotation[j]
        numbers[child] = number
        rows.append(
            {
                "linkMasses": float(model.body_mass[child]),
                "linkCollisionShapeIndices": -1,
                "linkVisualShapeIndices": -1,
                "linkPositions": (R_P.T @ (tree.position[j] - p_P)).tolist(),
                "linkOrientations": xyzw(matrix_to_quat(R_P.T @ tree.rotation[j])),
                "linkInertialFramePositions": (-R_C.T @ p_C).tolist(),
                "linkInertialFrameOrientations": xyzw(matrix_to_quat(R_C.T)),
                "linkParentIndices": numbers[parent],
                "linkJointTypes": JOINT_KINDS[int(model.joint_type[j])],
                "linkJointAxis": model.joint_axis[j].tolist(),
            }
        )
    return {key: [row[key] for row in rows] for key in rows[0]} if rows else {}


def _link_indices(client: int, id: int, joints: list[int]) -> dict[int, int]:
    """Joint -> link. Bullet numbers links depth first, but names them "link1", "link2"… in the order given."""
    names = [pybullet.getJointInfo(id, i, physicsClientId=client)[12].decode() for i in range(len(joints))]
    return {j: names.index(f"link{number}") for number, j in enumerate(joints, start=1)}


def _set_dynamics(client: int, id: int, model: Model, base_body: int, link_of: dict[int, int]) -> None:
    """Inertia and limits as the model has them; Bullet's own damping, motors and speed limit off.

    Every setting has its own call: given together, pybullet 3.2.7 loses the inertia.
    """

    def change(link: int, **setting: object) -> None:
        pybullet.changeDynamics(id, link, physicsClientId=client, **setting)

    change(BASE, linearDamping=0.0, angularDamping=0.0)
    change(BASE, maxJointVelocity=NO_SPEED_LIMIT)
    if base_body >= 0:
        change(BASE, localInertiaDiagonal=model.body_moments[base_body].tolist())
    for j, link in link_of.items():
        change(link, linearDamping=0.0, angularDamping=0.0)
        change(link, localInertiaDiagonal=model.body_moments[int(model.joint_child[j])].tolist())
        lower, upper = model.joint_limits[j].tolist()
        if np.isfinite([lower, upper]).all():
            change(link, jointLowerLimit=lower, jointUpperLimit=upper)
        if model.joint_type[j] in (HINGE, SLIDER):
            pybullet.setJointMotorControl2(id, link, pybullet.VELOCITY_CONTROL, force=0.0, physicsClientId=client)
        elif model.joint_type[j] == BALL:
            pybullet.setJointMotorControlMultiDof(
                id,
                link,
                pybullet.POSITION_CONTROL,
                targetPosition=[0.0, 0.0, 0.0, 1.0],
                targetVelocity=[0.0, 0.0, 0.0],
                positionGain=0.0,
                velocityGain=0.0,
                force=[0.0, 0.0, 0.0],
                physicsClientId=client,
            )


def xyzw(wxyz: Array) -> list[float]:
    """Bullet's order of a quaternion."""
    w, x, y, z = wxyz.tolist()
    return [x, y, z, w]
