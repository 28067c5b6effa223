"""A Model in the terms of maximal coordinates: every body at its centre of mass, in its principal axes.

Bodies stand in the order of the tree, every parent before its children, and joint i carries body i. The
joints that close loops follow behind: they are *cut*, that is solved as rows on top of the tree. The
dense solver is the same thing with every joint cut: then the tree is a heap of free bodies, and the
matrix of the cut rows is the textbook's J M⁻¹ Jᵀ.

A joint knows where its two frames are on its two bodies. Those of hinges and sliders are turned so that
their third axis is the joint's axis. A locked joint is a fixed joint at the coordinates it was locked at.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sim.dynamics.inputs import Inputs, inputs_of
from sim.model import BALL, FIXED, FREE, HINGE, SLIDER, Model
from sim.rest import joint_motion

Array = np.ndarray[Any, np.dtype[Any]]

ROWS = {FREE: 0, BALL: 3, HINGE: 5, SLIDER: 5, FIXED: 6}
AXES = {FREE: 0, BALL: 3, HINGE: 1, SLIDER: 1, FIXED: 0}  # velocities that damping, friction and motors act on


class System(NamedTuple):
    """Constants of one world; nb bodies, nj joints: one a body, then the cut ones."""

    gravity: Array  # (3,)
    inputs: Inputs  # bodies in the engine's order, points from their centres of mass in principal axes
    center: Array  # (nb, 3) zeros: where the centres of mass are, for `add_inputs`
    mass: Array  # (nb,)
    moments: Array  # (nb, 3) principal
    body: Array  # (nb,) index in the scene
    lone: Array  # (nb,) True where no joint acts

    joint: Array  # (nj,) index in the scene; -1: a free body whose joint is cut
    kind: Array  # (nj,)
    parent: Array  # (nj,) -1: world
    child: Array  # (nj,)
    parent_anchor: Array  # (nj, 3) joint frame in the parent's principal axes, from its centre of mass
    parent_frame: Array  # (nj, 3, 3)
    child_anchor: Array  # (nj, 3)
    child_frame: Array  # (nj, 3, 3)
    v_start: Array  # (nj,) first of its velocities in v; -1: none that anything acts on
    lightness: Array  # (nb, 4) 1/moments, 1/mass
    looped: Array  # (1,) bool: whether the scene has loops
    cut: Array  # (1,) bool: whether any joint is cut
    row_start: Array  # (nj + 1,) constraint rows of the cut joints, none for the others

    damping: Array  # (nj,)
    damping_rate: Array  # (nj,) an upper bound of the decay rate that the damping causes [1/s]
    friction: Array  # (nj,)
    rotor: Array  # (nj,)
    low: Array  # (nj, 2) stops of the joint's coordinate (hinge, slider), or of cone and twist (ball)
    high: Array  # (nj, 2)
    restitution: Array  # (nj,)
    limited: Array  # (nj,) bool: has stops
    acting: Array  # (nj,) bool: has stops, damping, friction or a rotor
    stop_frame: Array  # (nj, 3, 3) of a ball: a frame in its joint frames whose third axis cone and twist are about


def system_of(model: Model, dense: bool, q: Array) -> System:
    """Constants for one of the two solvers; `q` says where locked joints are."""
    tree = [int(j) for j in model.tree_order]
    engine_body = np.empty(len(tree) + 1, dtype=np.int64)
    engine_body[model.joint_child[tree]] = np.arange(len(tree))
    engine_body[-1] = -1  # of the world, scene index -1
    jointed = [j for j in range(len(model.joint_names)) if model.joint_type[j] != FREE]
    cut = jointed if dense else [j for j in jointed if model.joint_cut[j]]
    joints = [-1 if j in cut else j for j in tree] + cut
    held = {int(b) for j in jointed for b in (model.joint_parent[j], model.joint_child[j])}
    sides = [[_side(model, j, q, child) for j in joints] for child in (False, True)]
    frames = [np.array([s[1] for s in side]).reshape(-1, 3, 3) for side in sides]
    kind = np.array([_kind(model, j) for j in joints], dtype=np.int64)
    body = model.joint_child[tree]

    moves = (kind != FIXED) & (kind != FREE)

    def value(of_dof: Array) -> Array:
        """Per joint, that of its first velocity."""
        return np.array([of_dof[model.joint_v[j]] if m else 0.0 for j, m in zip(joints, moves, strict=True)])

    rows = [0] * len(tree) + [ROWS[int(k)] for k in kind[len(tree) :]]
    low, high = _stops(model, joints, kind)
    limited: Array = np.any(np.isfinite(low) | np.isfinite(high), axis=1)
    damping, friction, rotor = value(model.dof_damping), value(model.dof_friction), value(model.dof_rotor)
    return System(
        gravity=model.gravity,
        inputs=_inputs(model, engine_body),
        center=np.zeros((len(tree), 3)),
        mass=model.body_mass[body],
        moments=model.body_moments[body],
        body=body,
        lone=np.array([int(b) not in held for b in body], dtype=np.bool_),
        joint=np.array(joints, dtype=np.int64),
        kind=kind,
        parent=np.array([engine_body[model.joint_parent[j]] if j >= 0 else -1 for j in joints], dtype=np.int64),
        child=np.array([engine_body[model.joint_child[j]] if j >= 0 else i for i, j in enumerate(joints)]),
        parent_anchor=np.array([s[0] for s in sides[0]]).reshape(-1, 3),
        parent_frame=frames[0],
        child_anchor=np.array([s[0] for s in sides[1]]).reshape(-1, 3),
        child_frame=frames[1],
        v_start=np.where((np.array(joints) >= 0) & (kind != FIXED), model.joint_v[:-1][joints], -1),
        lightness=1.0 / np.column_stack([model.body_moments[body], model.body_mass[body]]),
        looped=np.array([model.joint_cut.any()]),
        cut=np.array([len(kind) > len(body)]),
        row_start=np.concatenate([[0], np.cumsum(rows)]).astype(np.int64),
        damping=damping,
        damping_rate=_damping_rate(model, joints, kind, frames),
        friction=friction,
        rotor=rotor,
        low=low,
        high=high,
        restitution=np.where(moves, model.joint_restitution[joints], 0.0),
        limited=limited,
        acting=limited | (damping > 0.0) | (friction > 0.0) | (rotor > 0.0),
        stop_frame=np.array([axis_frame(model.joint_axis[j]) for j in joints]).reshape(-1, 3, 3),
    )


def _inputs(model: Model, engine_body: Array) -> Inputs:
    inputs = inputs_of(model)
    at = [model.body_axes[b].T @ (p - model.body_center[b]) for b, p in zip(inputs.body, inputs.at, strict=True)]
    return inputs._replace(body=engine_body[inputs.body], at=np.array(at).reshape(-1, 3))


def _kind(model: Model, j: int) -> int:
    if j < 0:
        return FREE
    return FIXED if model.joint_locked[j] else int(model.joint_type[j])


def _side(model: Model, j: int, q: Array, child: bool) -> tuple[Array, Array]:
    """Anchor and frame of joint j on one of its bodies, in that body's principal axes."""
    if j < 0:  # a body whose joint is cut, seen at its centre of mass
        return np.zeros(3), np.eye(3)
    if model.joint_type[j] == FREE:  # seen at its origin, where its velocities and forces are given
        body = int(model.joint_child[j])
        return -model.body_axes[body].T @ model.body_center[body], np.eye(3)
    turn = axis_frame(model.joint_axis[j]) if model.joint_type[j] in (HINGE, SLIDER) else np.eye(3)
    if child:
        body, position, rotation = model.joint_child[j], model.joint_child_position[j], model.joint_child_rotation[j]
    else:
        body, position, rotation = model.joint_parent[j], model.joint_position[j], model.joint_rotation[j]
        if model.joint_locked[j]:
            qj = q[model.joint_q[j] : model.joint_q[j + 1]]
            slide, moved = joint_motion(int(model.joint_type[j]), model.joint_axis[j], qj)
            position, rotation = position + rotation @ slide, rotation @ moved
    if body < 0:
        return position, rotation @ turn
    axes = model.body_axes[body]
    return axes.T @ (position - model.body_center[body]), axes.T @ rotation @ turn


def axis_frame(axis: Array) -> Array:
    """A right-handed frame whose third column is `axis`."""
    first = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    first /= np.linalg.norm(first)
    return np.column_stack([first, np.cross(axis, first), axis])


def _stops(model: Model, joints: list[int], kind: Array) -> tuple[Array, Array]:
    """(nj, 2) lower and upper stops of the coordinates that `measure` gives."""
    low, high = np.full((len(joints), 2), -np.inf), np.full((len(joints), 2), np.inf)
    for i, j in enumerate(joints):
        if kind[i] in (HINGE, SLIDER):
            low[i, 0], high[i, 0] = model.joint_limits[j]
        elif kind[i] == BALL:
            high[i, 0] = model.joint_cone[j] if model.joint_cone[j] < np.pi else np.inf
            if np.ptp(model.joint_twist[j]) < 2 * np.pi:
                low[i, 1], high[i, 1] = model.joint_twist[j]
    return low, high


def _damping_rate(model: Model, joints: list[int], kind: Array, frames: list[Array]) -> Array:
    """d (n·I_P⁻¹ n + n·I_C⁻¹ n): how fast the damping alone would stop the two bodies, held by nothing else.

    Joints only make the bodies heavier, so this bounds the true rate. For sliders the masses count. A
    ball turns about every axis: its bodies' smallest moments count.
    """
    rate = np.zeros(len(joints))
    for i, j in enumerate(joints):
        if j < 0 or kind[i] not in (BALL, HINGE, SLIDER):
            continue
        for side, body in enumerate((int(model.joint_parent[j]), int(model.joint_child[j]))):
            if body < 0:
                continue
            if kind[i] == SLIDER:
                rate[i] += 1 / model.body_mass[body]
            elif kind[i] == BALL:
                rate[i] += 1 / model.body_moments[body].min()
            else:
                rate[i] += float(frames[side][i][:, 2] ** 2 @ (1 / model.body_moments[body]))
        rate[i] *= model.dof_damping[model.joint_v[j]]
    return rate
