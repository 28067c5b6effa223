"""Masses and lengths of two links that move in a plane, each with its mass in a point at its end.

    tau = H a,    a = (m1 L1² + m2 L1², m2 L1 L2, m2 L2², (m1 + m2) L1, m2 L2)

and from a, without knowing any length: L2 = a3/a5, m2 = a5/L2, L1 = a2/(m2 L2), m1 = a4/L1 − m2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from sim.model import HINGE, Model

Array = np.ndarray[Any, np.dtype[Any]]

COLUMNS = ("m1 L1² + m2 L1²", "m2 L1 L2", "m2 L2²", "m1 L1 + m2 L1", "m2 L2")
NAMES, UNITS = ("m1", "m2", "L1", "L2"), ("kg", "kg", "m", "m")
_ALIKE = 1e-9


def is_two_point_masses(model: Model) -> bool:
    """Two hinges with parallel axes across which gravity acts, the second where the first link's mass is."""
    if len(model.body_names) != 2 or list(model.joint_type) != [HINGE, HINGE] or list(model.joint_parent) != [-1, 0]:
        return False
    frames = *model.joint_rotation, *model.joint_child_rotation
    arms, axis = model.body_center, model.joint_axis[0]
    return bool(
        not model.joint_child_position.any()
        and all(np.allclose(R, np.eye(3), atol=_ALIKE) for R in frames)
        and np.allclose(model.joint_axis[1], axis, atol=_ALIKE)
        and np.allclose(arms @ axis, 0.0, atol=_ALIKE)
        and np.linalg.norm(arms, axis=1).min() > _ALIKE
        and not model.body_inertia.any()
        and np.allclose(model.joint_position[1], arms[0], atol=_ALIKE)
        and np.linalg.norm(np.cross(model.gravity, axis)) > _ALIKE
        and not np.concatenate([model.dof_rotor, model.dof_damping, model.dof_friction]).any()
        and not model.joint_locked.any()
    )


def true_values(model: Model) -> Array:
    """m1, m2, L1, L2 of the scene."""
    return np.concatenate([model.body_mass, np.linalg.norm(model.body_center, axis=1)])


def regressor(model: Model, rows: Callable[[Model], Array]) -> Array:
    """H, (n, 2, 5), from the columns of the inertial parameters that `rows` gives of a model.

    What a first moment does by gravity and what it does by inertia are two columns of H; the second one is that of
    m2 L1 L2, and the geometry of the scene has L1 in it.
    """
    all_of_it, inertia = rows(model), rows(replace(model, gravity=np.zeros(3)))
    lengths = np.linalg.norm(model.body_center, axis=1)
    along = model.body_center / lengths[:, None]

    def moment(Y: Array, b: int) -> Array:
        return np.einsum("nki,i->nk", Y[:, :, 10 * b + 1 : 10 * b + 4], along[b])

    def square(b: int) -> Array:
        """Of m L²: the tensor of a point at the distance 1."""
        tensor = np.eye(3) - np.outer(along[b], along[b])
        return np.einsum("nki,i->nk", all_of_it[:, :, 10 * b + 4 : 10 * (b + 1)], tensor[np.triu_indices(3)])

    weight = all_of_it - inertia
    columns = (square(0), moment(inertia, 1) / lengths[0], square(1), moment(weight, 0), moment(weight, 1))
    return np.stack(columns, axis=2)


def solved(a: Array) -> tuple[Array, Array]:
    """(m1, m2, L1, L2) and its derivative (4, 5) by a."""
    _, a2, a3, a4, a5 = a
    L2, m2, L1 = a3 / a5, a5**2 / a3, a2 / a5
    values = np.array([a4 / L1 - m2, m2, L1, L2])
    d_m2 = np.array([0.0, 0.0, -m2 / a3, 0.0, 2.0 * a5 / a3])
    d_L1 = np.array([0.0, 1.0 / a5, 0.0, 0.0, -L1 / a5])
    d_L2 = np.array([0.0, 0.0, 1.0 / a5, 0.0, -L2 / a5])
    d_m1 = np.array([0.0, 0.0, 0.0, 1.0 / L1, 0.0]) - a4 / L1**2 * d_L1 - d_m2
    return values, np.stack([d_m1, d_m2, d_L1, d_L2])
