"""The tree as forward dynamics walks it: one link a moving joint, in its own frame, constants gathered.

Link frames sit on their joint, turned so that a hinge or slider moves along +z: then every joint's motion subspace S
is made of unit columns, and IA S is a column of IA. Where along z, and which way x points, is chosen so that x meets
the next hinge's axis at a right angle: that hinge's frame is then reached by a screw about x and one about z (modified
Denavit–Hartenberg), which takes half the work of a general change of frame. What hangs from a fixed joint is part of
the link it hangs from. Links are listed depth first, so that on a chain the parent is the link before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sim.model import FIXED, HINGE, SLIDER, Model
from sim.spatial.rotation import skew

Array = np.ndarray[Any, np.dtype[Any]]

SCREW = 5  # beside the joint types of sim.model
_PARALLEL = 1e-9  # sine of the angle between axes below which they are taken for parallel, if they really are
_FARTHEST = 10.0  # where x may meet the axes, against how far the joints are apart


class Links(NamedTuple):
    """n links, every parent before its children; -1 is the world."""

    parent: Array  # (n,)
    kind: Array  # (n,) FREE, BALL, HINGE, SLIDER, or SCREW: a hinge reached by two screws
    q_start: Array  # (n,)
    v_start: Array  # (n,)
    branching: Array  # (n,) bool: has children other than the next link
    fixed: Array  # (n, 12) R (by rows) and p of the link in its parent at q = 0 [m]; of a SCREW cos α, sin α, d, θ, r
    inertia: Array  # (n, 10) m, h = m c, I about the link's origin (xx, xy, xz, yy, yz, zz) [kg, kg·m, kg·m²]


class BodyPlaces(NamedTuple):
    """Where the bodies sit on the links."""

    link: Array  # (nb,) -1 for bodies fixed to the world
    p: Array  # (nb, 3) p_LB
    R: Array  # (nb, 3, 3) R_LB


def links_of(model: Model) -> tuple[Links, BodyPlaces]:
    """Merge what is fixed, choose the links' frames, and move the inertias to their origins."""
    nb = len(model.body_names)
    X_LB = np.tile(np.eye(4), (nb, 1, 1))  # the bodies on their links
    body_link = np.full(nb, -1, dtype=np.int64)
    moving: list[int] = []
    parents: list[int] = []
    places: list[Array] = []
    for j in _depth_first(model):
        parent, child = int(model.joint_parent[j]), int(model.joint_child[j])
        X, link = _pose(model.joint_rotation[j], model.joint_position[j]), -1
        if parent >= 0:  # the joint frame seen from the parent's link
            X, link = X_LB[parent] @ X, int(body_link[parent])
        X_JB = _inverse(_pose(model.joint_child_rotation[j], model.joint_child_position[j]))
        if model.joint_type[j] == FIXED:
            body_link[child], X_LB[child] = link, X @ X_JB
            continue
        turn = _z_to(model.joint_axis[j]) if model.joint_type[j] in (HINGE, SLIDER) else np.eye(3)
        T = _pose(turn, np.zeros(3))
        body_link[child], X_LB[child] = len(moving), _inverse(T) @ X_JB
        moving.append(j)
        parents.append(link)
        places.append(X @ T)
    kind = model.joint_type[moving]
    fixed = _choose_frames(kind, parents, places, body_link, X_LB)
    on = BodyPlaces(body_link, X_LB[:, :3, 3].copy(), X_LB[:, :3, :3].copy())
    links = Links(
        parent=np.array(parents, dtype=np.int64),
        kind=kind,
        q_start=model.joint_q[moving],
        v_start=model.joint_v[moving],
        branching=np.array([any(p == i for p in parents[i + 2 :]) for i in range(len(moving))], dtype=bool),
        fixed=fixed,
        inertia=_inertias(model, on, len(moving)),
    )
    return links, on


def _choose_frames(kind: Array, parents: list[int], places: list[Array], body_link: Array, X_LB: Array) -> Array:
    """Turns and shifts link frames along their z, in place, and marks the hinges that become screws."""
    fixed = np.zeros((len(kind), 12))
    for i in range(1, len(kind)):
        if parents[i] == i - 1 and kind[i] == HINGE and kind[i - 1] in (HINGE, SLIDER, SCREW):
            Z = _facing(places[i])
            if Z is None:
                continue
            places[i - 1] = places[i - 1] @ Z
            for k in [k for k, parent in enumerate(parents) if parent == i - 1]:
                places[k] = _inverse(Z) @ places[k]
            X_LB[body_link == i - 1] = _inverse(Z) @ X_LB[body_link == i - 1]
            kind[i] = SCREW
    for i, X in enumerate(places):
        R, p = X[:3, :3], X[:3, 3]
        if kind[i] == SCREW:  # R = R_x(α) R_z(θ), p = (d, −r sin α, r cos α)
            fixed[i, :5] = R[2, 2], -R[1, 2], p[0], np.arctan2(-R[0, 1], R[0, 0]), p[2] * R[2, 2] + p[1] * R[1, 2]
        else:
            fixed[i] = [*R.ravel(), *p]
    return fixed


def _facing(X: Array) -> Array | None:
    """The turn about z and shift along it after which x meets the z axis of X at a right angle.

    None where the two axes are so nearly parallel that this would be far away, and the products inaccurate.
    """
    p, z = X[:3, 3], X[:3, 2]
    normal = np.array([-z[1], z[0], 0.0])  # ẑ × z
    sine = float(np.linalg.norm(normal))
    if sine > _PARALLEL:
        x = normal / sine
        h, _, t = np.linalg.solve(np.column_stack([[0.0, 0.0, 1.0], x, -z]), p)  # p = h ẑ + d x − t z
        if max(abs(h), abs(t)) > _FARTHEST * np.linalg.norm(p):
            return None
    elif sine > 0.0:
        return None
    else:
        across = np.array([p[0], p[1], 0.0])
        distance = float(np.linalg.norm(across))
        x, h = (across / distance if distance > 0 else np.array([1.0, 0.0, 0.0])), float(p[2])
    return _pose(np.column_stack([x, [-x[1], x[0], 0.0], [0.0, 0.0, 1.0]]), np.array([0.0, 0.0, h]))


def _pose(R: Array, p: Array) -> Array:
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R, p
    return X


def _inverse(X: Array) -> Array:
    return _pose(X[:3, :3].T, -X[:3, :3].T @ X[:3, 3])


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
