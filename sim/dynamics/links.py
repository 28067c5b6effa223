"""The tree as forward dynamics walks it: one link a moving joint, in its own frame, constants gathered.

Link frames sit where the joint meets the child, turned so that a hinge or slider moves along +z: then every joint's
motion subspace S is made of unit columns, and IA S is a column of IA. What hangs from a fixed joint is part of the
link it hangs from. Links are listed depth first, so that on a chain the parent is the link before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sim.model import FIXED, HINGE, SLIDER, Model
from sim.spatial.rotation import skew

Array = np.ndarray[Any, np.dtype[Any]]


class Links(NamedTuple):
    """n links, every parent before its children; -1 is the world."""

    parent: Array  # (n,)
    kind: Array  # (n,) FREE, BALL, HINGE, SLIDER
    q_start: Array  # (n,)
    v_start: Array  # (n,)
    branching: Array  # (n,) bool: has children other than the next link
    fixed: Array  # (n, 12) R (by rows) and p of the link in its parent at q = 0 [m]
    inertia: Array  # (n, 10) m, h = m c, I about the link's origin (xx, xy, xz, yy, yz, zz) [kg, kg·m, kg·m²]


class BodyPlaces(NamedTuple):
    """Where the bodies sit on the links."""

    link: Array  # (nb,) -1 for bodies fixed to the world
    p: Array  # (nb, 3) p_LB
    R: Array  # (nb, 3, 3) R_LB


def links_of(model: Model) -> tuple[Links, BodyPlaces]:
    """Merge what is fixed, turn joint axes to +z, and move the inertias to the links' origins."""
    nb = len(model.body_names)
    on = BodyPlaces(np.full(nb, -1, dtype=np.int64), np.zeros((nb, 3)), np.tile(np.eye(3), (nb, 1, 1)))
    moving: list[int] = []
    parents: list[int] = []
    fixed: list[list[float]] = []
    for j in _depth_first(model):
        parent, child = int(model.joint_parent[j]), int(model.joint_child[j])
        R, p, link = model.joint_rotation[j], model.joint_position[j], -1
        if parent >= 0:  # the joint frame seen from the parent's link
            R, p, link = on.R[parent] @ R, on.p[parent] + on.R[parent] @ p, int(on.link[parent])
        R_JB = model.joint_child_rotation[j].T
        p_JB = -R_JB @ model.joint_child_position[j]
        if model.joint_type[j] == FIXED:
            on.link[child], on.p[child], on.R[child] = link, p + R @ p_JB, R @ R_JB
            continue
        turn = _z_to(model.joint_axis[j]) if model.joint_type[j] in (HINGE, SLIDER) else np.eye(3)
        on.link[child], on.p[child], on.R[child] = len(moving), turn.T @ p_JB, turn.T @ R_JB
        moving.append(j)
        parents.append(link)
        fixed.append([*(R @ turn).ravel(), *p])
    links = Links(
        parent=np.array(parents, dtype=np.int64),
        kind=model.joint_type[moving],
        q_start=model.joint_q[moving],
        v_start=model.joint_v[moving],
        branching=np.array([any(p == i for p in parents[i + 2 :]) for i in range(len(moving))], dtype=bool),
        fixed=np.array(fixed, dtype=float).reshape(-1, 12),
        inertia=_inertias(model, on, len(moving)),
    )
    return links, on


def _depth_first(model: Model) -> list[int]:
    """The joints of the tree, each followed by what hangs from it."""
    children: dict[int, list[int]] = {}
    for j in model.tree_order:
        children.setdefault(int(model.joint_parent[j]), []).append(int(j))
    order: list[int] = []
    waiting = children.get(-1, [])[::-1]
    while waiting:
        order.append(waiting.pop())
        waiting += children.get(int(model.joint_child[order[-1]]), [])[::-1]
    return order


def _inertias(model: Model, on: BodyPlaces, n: int) -> Array:
    """I_O = R I_C Rᵀ + m (c² 1 − c cᵀ), summed over the bodies of each link."""
    out = np.zeros((n, 10))
    for b, i in enumerate(on.link):
        if i >= 0:
            m, R = model.body_mass[b], on.R[b]
            c = on.p[b] + R @ model.body_center[b]
            about_origin = R @ model.body_inertia[b] @ R.T + m * skew(c) @ skew(c).T
            out[i] += [m, *(m * c), *about_origin[np.triu_indices(3)]]
    return out


def _z_to(axis: Array) -> Array:
    """A rotation whose third column is the unit vector `axis`; the identity for +z."""
    x = np.cross([0.0, 1.0, 0.0] if abs(axis[1]) < 0.9 else [0.0, 0.0, 1.0], axis)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])
