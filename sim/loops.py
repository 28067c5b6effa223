"""The joints that close a loop in plain NumPy: how far each is from holding, and what moves it.

The tree leads to both bodies of a cut joint. With x_P, F_P and x_C, F_C its frame on either side,

    d = F_Pᵀ (x_C − x_P)        E = F_Pᵀ F_C        the child's place and rotation as the joint sees them
    ω = F_Pᵀ ΔV.angular         ḋ = F_Pᵀ (ΔV.linear + ΔV.angular × x_C)

where ΔV = Σ ±S_k v_k is the relative twist at the world origin, + on the child's way to the base, − on the parent's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sim.model import BALL, FIXED, FREE, HINGE, SLIDER, Array, Model
from sim.rest import body_poses, joint_motion
from sim.spatial.rotation import across, log_rate, matrix_to_quat, rotation_vector, skew


@dataclass(frozen=True)
class Loop:
    """A cut joint and its way round: the tree's joints from its child (+1) and its parent (−1) to where they meet."""

    joint: int
    path: dict[int, int]
    side: Array  # (nv,) the path's sign of every velocity, 0 off the path
    across: Array  # (2, 3) directions across the joint's axis


class Rows(NamedTuple):
    """Residuals of one loop: gap [m], turn [rad] and their Jacobian (gap and turn, nv)."""

    gap: Array
    turn: Array
    jacobian: Array


class Closure(NamedTuple):
    """A cut joint as the tree places it: d (3,), E (3, 3); ω and ḋ a unit of every velocity, (3, nv) each."""

    d: Array
    E: Array
    omega: Array
    d_rate: Array


def loops_of(model: Model) -> list[Loop]:
    joint_of = {int(model.joint_child[j]): int(j) for j in model.tree_order}

    def to_base(body: int) -> list[int]:
        way = []
        while body >= 0:
            way.append(joint_of[body])
            body = int(model.joint_parent[way[-1]])
        return way

    loops = []
    for c in map(int, np.flatnonzero(model.joint_cut)):
        child, parent = to_base(int(model.joint_child[c])), to_base(int(model.joint_parent[c]))
        path = {j: 1 for j in child if j not in parent} | {j: -1 for j in parent if j not in child}
        side = np.array([path.get(int(j), 0) for j in model.dof_joint], dtype=float)
        loops.append(Loop(c, dict(sorted(path.items())), side, across(model.joint_axis[c])))
    return loops


def motions(model: Model, p: Array, R: Array) -> Array:
    """S (nv, 6): an axis a through r moves the world origin's point with (a; r × a), a slide with (0; a)."""
    S = np.zeros((model.nv, 6))
    for j in model.tree_order:
        kind, child = model.joint_type[j], model.joint_child[j]
        block = S[model.joint_v[j] : model.joint_v[j + 1]]
        frame = R[child] @ model.joint_child_rotation[j]
        if kind == HINGE:
            block[0, :3] = frame @ model.joint_axis[j]
        elif kind == SLIDER:
            block[0, 3:] = frame @ model.joint_axis[j]
        elif kind == BALL:
            block[:, :3] = frame.T
        elif kind == FREE:
            block[:] = np.eye(6)
        block[:, 3:] += block[:, :3] @ skew(p[child] + R[child] @ model.joint_child_position[j]).T
    return S


def closures(model: Model, loops: list[Loop], q: Array) -> list[Closure]:
    """Every loop's cut joint at the tree's q."""
    p, R = body_poses(model, q)
    S = motions(model, p, R)
    return [_closure(model, loop, p, R, S) for loop in loops]


def _closure(model: Model, loop: Loop, p: Array, R: Array, S: Array) -> Closure:
    j, parent, child = loop.joint, int(model.joint_parent[loop.joint]), int(model.joint_child[loop.joint])
    p_P, R_P = (p[parent], R[parent]) if parent >= 0 else (np.zeros(3), np.eye(3))
    F_P, F_C = R_P @ model.joint_rotation[j], R[child] @ model.joint_child_rotation[j]
    x_P, x_C = p_P + R_P @ model.joint_position[j], p[child] + R[child] @ model.joint_child_position[j]
    angular, linear = loop.side[:, None] * S[:, :3], loop.side[:, None] * S[:, 3:]
    return Closure(F_P.T @ (x_C - x_P), F_P.T @ F_C, F_P.T @ angular.T, F_P.T @ (linear + angular @ skew(x_C)).T)


def rows(model: Model, loop: Loop, at: Closure) -> Rows:
    """What keeps the cut joint from holding.

    ball    d                                   hinge   d, and the rotation that E gives the axis
    slider  d across the axis, and log E        fixed   d, log E; also what is locked, from its own q
    """
    kind, axis = int(model.joint_type[loop.joint]), model.joint_axis[loop.joint]
    if kind == BALL and not model.joint_locked[loop.joint]:
        return Rows(at.d, np.zeros(0), at.d_rate)
    if kind == HINGE and not model.joint_locked[loop.joint]:
        turn, rate = _swing(axis, loop.across, at.E)
        return Rows(at.d, turn, np.concatenate([at.d_rate, rate @ at.omega]))
    if kind == SLIDER and not model.joint_locked[loop.joint]:
        kept, slide, held = loop.across, np.zeros(3), np.eye(3)
    else:
        q = model.q0[model.joint_q[loop.joint] : model.joint_q[loop.joint + 1]]
        kept, (slide, held) = np.eye(3), joint_motion(kind, axis, q)
    turn = rotation_vector(at.E @ held.T)
    return Rows(kept @ (at.d - slide), turn, np.concatenate([kept @ at.d_rate, log_rate(turn) @ at.omega]))


def _swing(axis: Array, N: Array, E: Array) -> tuple[Array, Array]:
    """The shortest rotation from the axis a to E a in the two directions N across it, and its rate N·(…) ω.

    θ n = f u,   u = a × E a,   c = a · E a = cos θ,   f = θ / sin θ,   df/dc = (c f − 1) / sin² θ
    u̇ = c ω − E a (a · ω),     ċ = −ω · (a × E a) = −u · ω
    """
    turned = E @ axis
    u, c = skew(axis) @ turned, float(axis @ turned)
    s = float(np.linalg.norm(u))
    if s < 1e-9 and c < 0:  # opposite: any way round is the shortest
        return np.array([np.pi, 0.0]), N
    f = float(np.arctan2(s, c)) / s if s > 1e-9 else 1.0
    slope = (c * f - 1) / s**2 if s > 1e-4 else -1 / 3
    u_rate = c * np.eye(3) - np.outer(turned, axis)
    return f * (N @ u), N @ (f * u_rate - slope * np.outer(u, u))


def measured_q(model: Model, loop: Loop, at: Closure) -> Array:
    """The cut joint's own coordinates; of a hinge the angle nearest to the one that was given."""
    kind, axis = int(model.joint_type[loop.joint]), model.joint_axis[loop.joint]
    if kind == HINGE:
        first, second = loop.across
        angle = np.arctan2(second @ at.E @ first, first @ at.E @ first)
        given = model.q0[model.joint_q[loop.joint]]
        return np.array([angle + 2 * np.pi * np.round((given - angle) / (2 * np.pi))])
    if kind == SLIDER:
        return np.array([axis @ at.d])
    return matrix_to_quat(at.E) if kind == BALL else np.zeros(0)


def measured_v(model: Model, loop: Loop, at: Closure, v: Array) -> Array:
    """The cut joint's own velocities; of a ball in child axes."""
    kind, axis = int(model.joint_type[loop.joint]), model.joint_axis[loop.joint]
    if kind == FIXED:
        return np.zeros(0)
    if kind == BALL:
        return at.E.T @ (at.omega @ v)
    return np.array([axis @ ((at.omega if kind == HINGE else at.d_rate) @ v)])
