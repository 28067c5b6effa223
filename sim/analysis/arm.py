"""The joints that carry a frame, as inverse kinematics walks them."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.dynamics.inverse_kinematics import Arm
from sim.dynamics.links import SCREW, Links, links_of
from sim.model import BALL, FREE, JOINT_TYPES, SLIDER, Model
from sim.spatial.rotation import axis_angle_to_matrix

Array = np.ndarray[Any, np.dtype[Any]]

_KINDS = {number: kind for kind, number in JOINT_TYPES.items()}


def arm_of(model: Model, body: int, local: Array) -> tuple[Arm, Array]:
    """The joints between the world and a frame placed on `body` at `local` (4, 4), and their numbers in the model.

    Raises ValueError in one sentence where they are not hinges and sliders, or there are none.
    """
    links, on = links_of(model)
    path = _path(links, int(on.link[body]) if body >= 0 else -1)
    joints = np.searchsorted(model.joint_q, links.q_start[path], side="right") - 1
    _refuse(model, joints)
    tool = _pose(on.R[body], on.p[body]) @ local if body >= 0 else local
    place = np.array([_place(links, i) for i in path])
    low, high = model.joint_limits[joints].T.copy()
    held = model.joint_locked[joints].copy()
    ranged = np.isfinite(high - low) & (high > low) & ~held
    middle, draw = np.zeros(len(joints)), np.zeros(len(joints))
    middle[ranged] = 0.5 * (low[ranged] + high[ranged])
    draw[ranged] = (high[ranged] - low[ranged]) ** -2.0
    arm = Arm(
        slides=model.joint_type[joints] == SLIDER,
        held=held,
        place=place,
        tool=np.array([row(tool)]),
        low=low,
        high=high,
        middle=middle,
        draw=draw,
        reach=np.array([np.linalg.norm(place[:, 9:], axis=1).sum() + np.linalg.norm(tool[:3, 3])]),
    )
    return arm, joints


def _path(links: Links, link: int) -> list[int]:
    """The links from the base to this one."""
    path: list[int] = []
    while link >= 0:
        path.append(link)
        link = int(links.parent[link])
    return path[::-1]


def _refuse(model: Model, joints: Array) -> None:
    for j in joints:
        if model.joint_type[j] in (BALL, FREE):
            kind, name = _KINDS[int(model.joint_type[j])], model.joint_names[j]
            raise ValueError(
                f'"{name}" is a {kind} joint, and inverse kinematics moves hinges and sliders; '
                "choose a frame that only those carry"
            )
    if model.joint_locked[joints].all():
        raise ValueError("no joint moves this frame; expected one that hinges or sliders carry")


def _place(links: Links, i: int) -> Array:
    """R by rows and p of a link in its parent at q = 0; of a screw R = R_x(α) R_z(θ), p = (d, −r sin α, r cos α)."""
    if links.kind[i] != SCREW:
        return links.fixed[i]
    cosine, sine, d, theta, r = links.fixed[i, :5]
    R_x = np.array([[1.0, 0.0, 0.0], [0.0, cosine, -sine], [0.0, sine, cosine]])
    R = R_x @ axis_angle_to_matrix(np.array([0.0, 0.0, 1.0]), theta)
    return np.array([*R.ravel(), d, -r * sine, r * cosine])


def _pose(R: Array, p: Array) -> Array:
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R, p
    return X


def row(X: Array) -> Array:
    """(12,) R by rows and p of a pose (4, 4)."""
    return np.array([*X[:3, :3].ravel(), *X[:3, 3]])
