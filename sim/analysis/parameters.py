"""What a robot's joint forces depend on linearly: ten inertial parameters a body; rotor and friction a joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.dynamics.regressor import momentum_regressors, state_regressors
from sim.dynamics.tree import body_joints, tree_of
from sim.model import BALL, FREE, JOINT_TYPES, SLIDER, Model
from sim.spatial.rotation import skew

Array = np.ndarray[Any, np.dtype[Any]]

_KINDS = {number: kind for kind, number in JOINT_TYPES.items()}
# name -> unit; tensors are about the body's origin
INERTIAL = {
    "m": "kg",
    **{f"mc{axis}": "kg·m" for axis in "xyz"},
    **{f"I{axes}": "kg·m²" for axes in ("xx", "xy", "xz", "yy", "yz", "zz")},
}
JOINT = ("rotor", "viscous", "coulomb")
_UNITS = {False: ("kg·m²", "N·m·s", "N·m"), True: ("kg", "N·s/m", "N")}  # of hinges, of sliders


@dataclass(frozen=True)
class Parameters:
    """All parameters of a robot of hinges and sliders, with names such as link1.Izz and elbow.viscous."""

    model: Model
    names: tuple[str, ...]
    units: tuple[str, ...]
    values: Array  # (P,) those of the scene


def parameters_of(model: Model) -> Parameters:
    """Raises ValueError in one sentence for robots of other joints."""
    for kind, name in zip(model.joint_type, model.joint_names, strict=True):
        if kind in (BALL, FREE):
            raise ValueError(
                f'"{name}" is a {_KINDS[int(kind)]} joint; parameters are identified of robots of hinges and sliders'
            )
    if model.joint_cut.any():
        cut = model.joint_names[int(np.argmax(model.joint_cut))]
        raise ValueError(f'joint "{cut}" closes a loop; parameters are identified of trees, so leave it out')
    if model.nv == 0:
        raise ValueError("nothing moves; expected a robot of hinges and sliders")
    names = [f"{body}.{name}" for body in model.body_names for name in INERTIAL]
    units = [unit for _ in model.body_names for unit in INERTIAL.values()]
    for k in range(model.nv):
        j = int(model.dof_joint[k])
        names += [f"{model.joint_names[j]}.{name}" for name in JOINT]
        units += _UNITS[bool(model.joint_type[j] == SLIDER)]
    of_joints = np.column_stack([model.dof_rotor, model.dof_damping, model.dof_friction]).ravel()
    return Parameters(model, tuple(names), tuple(units), np.concatenate([*_inertial(model), of_joints]))


def _inertial(model: Model) -> list[Array]:
    """m, m c, and I_C + m (c² 1 − c cᵀ) of each body."""
    out = []
    for m, c, inertia in zip(model.body_mass, model.body_center, model.body_inertia, strict=True):
        tensor = inertia + m * skew(c) @ skew(c).T
        out.append(np.array([m, *(m * c), *tensor[np.triu_indices(3)]]))
    return out


def state_rows(model: Model, q: Array, v: Array, a: Array) -> Array:
    """(n, nv, P) tau of n states, a unit of each parameter."""
    Y = np.zeros(_shape(model, len(q)))
    state_regressors(tree_of(model), body_joints(model), model.gravity, q, v, a, *_scratch(model), Y)
    return _with_joints(Y, a, v, np.sign(v))


def step_rows(model: Model, h: Array, q: tuple[Array, Array], v: tuple[Array, Array]) -> Array:
    """(n, nv, P) mean tau over n steps of h (n,) from one state to the other, a unit of each parameter.

    ∫ tau dt = p(t₁) − p(t₀) + ∫ Y dt by Simpson's rule; the state half way is the cubic's through both ends, so
    that all is of fourth order in the step, and torques may jump between steps.
    """
    h = h[:, None]
    middle = 0.5 * (q[0] + q[1]) + h / 8 * (v[0] - v[1])
    speed = 1.5 * (q[1] - q[0]) / h - 0.25 * (v[0] + v[1])
    states = (q[0], v[0]), (middle, speed), (q[1], v[1])
    mean = np.zeros(_shape(model, len(h)))
    for state, change, share in zip(states, (-1.0, 0.0, 1.0), (1 / 6, 4 / 6, 1 / 6), strict=True):
        P, Y = _momenta(model, *state)
        P *= change / h[:, None]  # in place, and gone before the next: these arrays are large
        Y *= share
        mean += P
        mean += Y
        del P, Y
    return _with_joints(mean, (v[1] - v[0]) / h, (q[1] - q[0]) / h, np.sign(speed))


def _momenta(model: Model, q: Array, v: Array) -> tuple[Array, Array]:
    P, Y = np.zeros(_shape(model, len(q))), np.zeros(_shape(model, len(q)))
    momentum_regressors(tree_of(model), body_joints(model), model.gravity, q, v, *_scratch(model), P, Y)
    return P, Y


def _shape(model: Model, n: int) -> tuple[int, int, int]:
    """Of n equations a joint: a column for each parameter."""
    return n, model.nv, 10 * len(model.body_names) + 3 * model.nv


def _scratch(model: Model) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    nb, nv = len(model.body_names), model.nv
    place = np.zeros((nb, 3)), np.zeros((nb, 3, 3)), np.zeros((nv, 6)), np.zeros((3, 3)), np.zeros((3, 3))
    return place, (np.zeros((nb, 6)), np.zeros((nb, 6)), np.zeros((nv, 6)))


def _with_joints(Y: Array, a: Array, v: Array, sign: Array) -> Array:
    """rotor a + viscous v + coulomb sign(v) in the columns behind those of the bodies."""
    nv = Y.shape[1]
    for k in range(nv):
        Y[:, k, 3 * (k - nv) :][:, :3] = np.stack([a[:, k], v[:, k], sign[:, k]], axis=1)
    return Y
