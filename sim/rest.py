"""The world before its first step, in plain NumPy: what the first frame draws, with no kernel needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.backend import integrator_of
from sim.model import BALL, FREE, HINGE, SLIDER, Model, compile_model
from sim.scene import Scene
from sim.spatial.rotation import axis_angle_to_matrix, quat_to_matrix
from sim.state import Snapshot
from sim.target_path import position as target_position

Array = np.ndarray[Any, np.dtype[Any]]


def body_poses(model: Model, q: Array) -> tuple[Array, Array]:
    """Positions (nb, 3) and rotations (nb, 3, 3) of the body origins in the world.

    R_WC = R_WP R_PJ R_q R_CJᵀ and p_WC = p_WP + R_WP (p_PJ + R_PJ d_q) − R_WC p_CJ
    """
    p = np.zeros((len(model.body_names), 3))
    R = np.tile(np.eye(3), (len(model.body_names), 1, 1))
    for j in model.tree_order:
        parent, child = int(model.joint_parent[j]), int(model.joint_child[j])
        qj = q[model.joint_q[j] : model.joint_q[j + 1]]
        if model.joint_type[j] == FREE:
            p[child], R[child] = qj[:3], quat_to_matrix(qj[3:])
            continue
        p_W, R_W = (p[parent], R[parent]) if parent >= 0 else (np.zeros(3), np.eye(3))
        slide, turn = joint_motion(int(model.joint_type[j]), model.joint_axis[j], qj)
        R_J = R_W @ model.joint_rotation[j]
        R[child] = R_J @ turn @ model.joint_child_rotation[j].T
        p[child] = p_W + R_W @ model.joint_position[j] + R_J @ slide - R[child] @ model.joint_child_position[j]
    return p, R


def joint_motion(kind: int, axis: Array, q: Array) -> tuple[Array, Array]:
    """d_q (3,) and R_q (3, 3) of a joint that is not free."""
    if kind == HINGE:
        return np.zeros(3), axis_angle_to_matrix(axis, q[0])
    if kind == SLIDER:
        return q[0] * axis, np.eye(3)
    if kind == BALL:
        return np.zeros(3), quat_to_matrix(q)
    return np.zeros(3), np.eye(3)


def frame_positions(model: Model, position: Array, rotation: Array) -> Array:
    """(nf, 3) where the scene's frames are."""
    out = np.array(model.frame_position, dtype=float)
    on = model.frame_body >= 0
    body = model.frame_body[on]
    out[on] = position[body] + np.einsum("nij,nj->ni", rotation[body], model.frame_position[on])
    return out


def _target_starts(scene: Scene) -> Array:
    """(nt, 3) where the targets are at time 0, on their paths if they have one."""
    return np.array([target_position(t, 0.0) for t in scene.targets]).reshape(-1, 3)


def rest_snapshot(scene: Scene, model: Model | None = None) -> Snapshot:
    """The start pose at time 0."""
    model = model or compile_model(scene)
    position, rotation = body_poses(model, model.q0)
    return Snapshot(
        scene_id=-1,
        backend=scene.backend,
        solver=scene.solver,
        stabilise=scene.stabilise,
        gravity=scene.gravity,
        dt=scene.dt,
        step=0,
        time=0.0,
        running=False,
        speed=1.0,
        real_time_factor=0.0,
        q=model.q0.copy(),
        v=model.v0.copy(),
        position=position,
        rotation=rotation,
        twist=np.zeros((len(position), 6)),
        frames=frame_positions(model, position, rotation),
        targets=_target_starts(scene),
        torques={},
        kinetic=0.0,
        potential=0.0,
        joint_gap=0.0,
        joint_angle_error=0.0,
        step_time=0.0,
        integrator=integrator_of(scene.backend, scene),
        controllers={c.name: c.enabled for c in scene.controllers},
        gains={c.name: dict(c.gains) for c in scene.controllers},
    )
