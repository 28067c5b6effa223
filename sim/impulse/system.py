"""A Model in the terms of maximal coordinates: every body at its centre of mass, in its principal axes.

A joint knows where its two frames are on its two bodies. The frames are turned so that their third
axis is the joint's axis: a hinge or slider then keeps two rows of n = (first, second axis).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sim.model import BALL, FIXED, FREE, HINGE, SLIDER, Model

Array = np.ndarray[Any, np.dtype[Any]]

ROWS = {FREE: 0, BALL: 3, HINGE: 5, SLIDER: 5, FIXED: 6}


class System(NamedTuple):
    """Constants of one world; nb bodies, nj joints, m constraint rows, nv velocities."""

    mass: Array  # (nb,)
    moments: Array  # (nb, 3) principal
    jointed: Array  # (nb,) True where a constraint acts
    kind: Array  # (nj,)
    parent: Array  # (nj,) -1: world
    child: Array  # (nj,)
    parent_anchor: Array  # (nj, 3) joint frame in the parent's principal axes, from its centre of mass
    parent_frame: Array  # (nj, 3, 3)
    child_anchor: Array  # (nj, 3)
    child_frame: Array  # (nj, 3, 3)
    limits: Array  # (nj, 2)
    row_start: Array  # (nj + 1,)
    v_start: Array  # (nj + 1,)
    dof_joint: Array  # (nv,)
    damping: Array  # (nv,)
    damping_rate: Array  # (nv,) an upper bound of the decay rate that the damping causes [1/s]
    gravity: Array  # (3,)


def system_of(model: Model) -> System:
    nb, nj = len(model.body_names), len(model.joint_names)
    sides = [_side(model, j, child) for child in (False, True) for j in range(nj)]
    anchors = np.array([s[0] for s in sides]).reshape(2, nj, 3)
    frames = np.array([s[1] for s in sides]).reshape(2, nj, 3, 3)
    jointed = np.zeros(nb, dtype=np.bool_)
    for j in np.flatnonzero(model.joint_type != FREE):
        for b in (model.joint_parent[j], model.joint_child[j]):
            if b >= 0:
                jointed[b] = True
    rows = [ROWS[int(k)] for k in model.joint_type]
    return System(
        mass=model.body_mass,
        moments=model.body_moments,
        jointed=jointed,
        kind=model.joint_type,
        parent=model.joint_parent,
        child=model.joint_child,
        parent_anchor=anchors[0],
        parent_frame=frames[0],
        child_anchor=anchors[1],
        child_frame=frames[1],
        limits=model.joint_limits,
        row_start=np.concatenate([[0], np.cumsum(rows)]).astype(np.int64),
        v_start=model.joint_v,
        dof_joint=model.dof_joint,
        damping=model.dof_damping,
        damping_rate=_damping_rate(model, frames),
        gravity=model.gravity,
    )


def _side(model: Model, j: int, child: bool) -> tuple[Array, Array]:
    """Anchor and frame of joint j on one of its bodies, in that body's principal axes."""
    turn = _axis_frame(model.joint_axis[j]) if model.joint_type[j] in (HINGE, SLIDER) else np.eye(3)
    if model.joint_type[j] == FREE:
        body, position, rotation = (int(model.joint_child[j]) if child else -1), np.zeros(3), np.eye(3)
    elif child:
        body, position, rotation = (
            int(model.joint_child[j]),
            model.joint_child_position[j],
            model.joint_child_rotation[j],
        )
    else:
        body, position, rotation = int(model.joint_parent[j]), model.joint_position[j], model.joint_rotation[j]
    if body < 0:
        return position, rotation @ turn
    axes = model.body_axes[body]
    return axes.T @ (position - model.body_center[body]), axes.T @ rotation @ turn


def _axis_frame(axis: Array) -> Array:
    """A right-handed frame whose third column is `axis`."""
    first = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    first /= np.linalg.norm(first)
    return np.column_stack([first, np.cross(axis, first), axis])


def _damping_rate(model: Model, frames: Array) -> Array:
    """d (n·I_P⁻¹ n + n·I_C⁻¹ n): how fast the damping alone would stop the two bodies, held by nothing else.

    Joints only make the bodies heavier, so this bounds the true rate. For sliders the masses count. A
    ball's axes turn in the parent, whose smallest moment is then taken.
    """
    rate = np.zeros(model.nv)
    for k in range(model.nv):
        j = int(model.dof_joint[k])
        kind, parent, child = int(model.joint_type[j]), int(model.joint_parent[j]), int(model.joint_child[j])
        column = 2 if kind in (HINGE, SLIDER) else k - int(model.joint_v[j])
        if model.dof_damping[k] == 0.0:
            continue
        if kind == SLIDER:
            inverse = 1 / model.body_mass[child] + (1 / model.body_mass[parent] if parent >= 0 else 0.0)
        else:
            n = frames[1, j][:, column]
            inverse = float(n**2 @ (1 / model.body_moments[child]))
            if parent >= 0:
                n = frames[0, j][:, column]
                own = n**2 @ (1 / model.body_moments[parent])
                inverse += float(own if kind == HINGE else 1 / model.body_moments[parent].min())
        rate[k] = model.dof_damping[k] * inverse
    return rate
