"""Constants of the tree engine: a Model's links, what acts on them, and how stiff its damping is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sim.backend import BackendError
from sim.dynamics.crba import mass_matrices
from sim.dynamics.inputs import Inputs, inputs_of
from sim.dynamics.links import links_of
from sim.dynamics.singular import loose_velocity
from sim.dynamics.tree import Tree, body_joints, tree_of
from sim.model import BALL, FREE, HINGE, SLIDER, Model
from sim.rest import body_poses

Array = np.ndarray[Any, np.dtype[Any]]

# The search for the pose at which damping acts fastest: how many poses, then how often which number of trials a joint,
# up to how many velocities; MARGIN is by how much it may be faster elsewhere.
POSES, FEW_POSES, SWEEPS, TRIALS, SEARCHED, MARGIN = 256, 48, 2, 16, 30, 1.5
_SEARCHED = (HINGE, SLIDER, BALL)


class System(NamedTuple):
    """n links, nv velocities, nb bodies."""

    tree: Tree
    inputs: Inputs
    gravity: Array  # (3,)

    parent: Array  # (n,) the fields of sim.dynamics.links.Links
    kind: Array  # (n,)
    q_start: Array  # (n,)
    v_start: Array  # (n,)
    branching: Array  # (n,)
    fixed: Array  # (n, 12)
    link_inertia: Array  # (n, 10)

    body_link: Array  # (nb,) see sim.dynamics.links.BodyPlaces
    body_p: Array  # (nb, 3)
    body_R: Array  # (nb, 3, 3)
    mass: Array  # (nb,)
    center: Array  # (nb, 3)
    inertia: Array  # (nb, 3, 3)
    resting: Array  # (1,) potential energy of bodies fixed to the world [J]

    rotor: Array  # (nv,)
    locked: Array  # (nv,) bool
    damping: Array  # (nv,)
    damping_rate: Array  # (nv,) an upper bound of the rate at which a joint's own damping slows it [1/s]
    stiffest: Array  # (1,) the same of all dampings together

    friction: Array  # (n,)
    friction_rate: Array  # (n,) of a ball: an upper bound of the acceleration it gives [rad/s²]
    low: Array  # (n, 2) stops of the coordinate (hinge, slider), or of cone and twist (ball)
    high: Array  # (n, 2)
    restitution: Array  # (n,)
    axis: Array  # (n, 3) of a ball: what cone and twist are about, in its joint frames
    bounded: Array  # (n,) bool: has friction or stops


def system_of(model: Model) -> System:
    """Raises BackendError where nothing resists a joint."""
    links, on = links_of(model)
    joint = model.dof_joint[links.v_start]
    locked = model.joint_locked[model.dof_joint]
    low, high = np.full((len(joint), 2), -np.inf), np.full((len(joint), 2), np.inf)
    for i, j in enumerate(joint):
        if model.joint_type[j] == BALL:
            high[i, 0] = model.joint_cone[j]
            low[i, 1], high[i, 1] = model.joint_twist[j]
        elif model.joint_type[j] != FREE:
            low[i, 0], high[i, 0] = model.joint_limits[j]
    friction = model.dof_friction[links.v_start]
    limited: Array = np.any(np.isfinite(low) | np.isfinite(high), axis=1)
    answers = _answers(model, locked)
    rate, stiffest = _damping_rates(model, answers)
    return System(
        tree=tree_of(model),
        inputs=inputs_of(model),
        gravity=model.gravity,
        parent=links.parent,
        kind=links.kind,
        q_start=links.q_start,
        v_start=links.v_start,
        branching=links.branching,
        fixed=links.fixed,
        link_inertia=links.inertia,
        body_link=on.link,
        body_p=on.p,
        body_R=on.R,
        mass=model.body_mass,
        center=model.body_center,
        inertia=model.body_inertia,
        resting=_potential(model, on.link < 0),
        rotor=model.dof_rotor,
        locked=locked,
        damping=model.dof_damping,
        damping_rate=rate,
        stiffest=np.array([stiffest]),
        friction=friction,
        friction_rate=_friction_rates(model, links.v_start, friction, answers),
        low=low,
        high=high,
        restitution=model.joint_restitution[joint],
        axis=model.joint_axis[joint],
        bounded=(limited | (friction > 0.0)) & ~locked[links.v_start],
    )


def _potential(model: Model, which: Array) -> Array:
    p, R = body_poses(model, model.q0)
    centers = p + np.einsum("nij,nj->ni", R, model.body_center)
    return np.array([-float(model.body_mass[which] @ (centers[which] @ model.gravity))])


def _answers(model: Model, locked: Array) -> Array:
    """(m, nv, nv) M⁻¹ at the start and where it is largest, 0 where joints are locked; refuses a singular M."""
    nv, nb = model.nv, len(model.body_names)
    moving = np.flatnonzero(~locked)
    S, inertias = np.zeros((nv, 6)), np.zeros((nb, 10))
    scratch = np.zeros((nb, 3)), np.zeros((nb, 3, 3)), S, inertias, np.zeros((3, 3)), np.zeros((3, 3))
    masses = model.body_mass, model.body_center, model.body_inertia
    tree, path = tree_of(model), body_joints(model)

    def matrices(Q: Array) -> Array:
        M = np.zeros((len(Q), nv, nv))
        mass_matrices(tree, path, masses, model.dof_rotor, np.ascontiguousarray(Q), *scratch, M)
        return M[:, moving][:, :, moving]

    def inverses(Q: Array) -> Array:
        out = np.zeros((len(Q), nv, nv))
        out[:, moving[:, None], moving] = np.linalg.inv(matrices(Q))
        return out

    slowed = bool(model.dof_damping[moving].any() or model.dof_friction[moving].any())
    if len(moving) == 0:
        return np.zeros((0, nv, nv))
    loose = loose_velocity(matrices(model.q0[None])[0], S[moving], inertias)
    if loose is not None:
        name = model.joint_names[int(model.dof_joint[moving[loose]])]
        raise BackendError(
            f'The tree engine cannot run this scene: nothing resists joint "{name}"; '
            "expected mass or inertia behind it that its motion moves, or a rotor."
        )
    return inverses(_poses(model, inverses)) if slowed else np.zeros((0, nv, nv))


def _damping_rates(model: Model, answers: Array) -> tuple[Array, float]:
    """d_k (M⁻¹)_kk of every joint, and the largest eigenvalue of M⁻¹ D, over the poses."""
    rates, stiffest = np.zeros(model.nv), 0.0
    root = np.sqrt(model.dof_damping)
    if root.any():
        for inverse in answers:
            scaled = root[:, None] * inverse * root
            rates = np.maximum(rates, MARGIN * np.diag(scaled))
            stiffest = max(stiffest, MARGIN * float(np.linalg.eigvalsh(scaled)[-1]))
    return rates, stiffest


def _friction_rates(model: Model, v_start: Array, friction: Array, answers: Array) -> Array:
    """F times the largest eigenvalue of a ball's own part of M⁻¹, over the poses."""
    out = np.zeros(len(v_start))
    for i, k in enumerate(v_start):
        if friction[i] > 0.0 and model.joint_type[model.dof_joint[k]] == BALL:
            for inverse in answers:
                out[i] = max(out[i], MARGIN * friction[i] * np.linalg.eigvalsh(inverse[k : k + 3, k : k + 3])[-1])
    return out


def _poses(model: Model, inverses: Callable[[Array], Array]) -> Array:
    """q0 and the pose where M⁻¹ D is largest, D being damping and friction: the best of many, then every joint in turn.

    It peaks sharply where links are in line with an axis, so half of the poses have every joint at a right angle.
    """
    rng = np.random.default_rng(0)
    root = np.sqrt(model.dof_damping + model.dof_friction)

    def size(Q: Array) -> Array:
        return np.asarray(np.linalg.eigvalsh(root[:, None] * inverses(Q) * root)[:, -1])

    free = [j for j in range(len(model.joint_type)) if not model.joint_locked[j] and model.joint_type[j] in _SEARCHED]
    Q = np.tile(model.q0, (POSES if model.nv <= SEARCHED else FEW_POSES, 1))
    for n, q in enumerate(Q[1:]):
        for j in free:
            _place(model, q, j, rng, n % 2 == 0)
    best = Q[int(np.argmax(size(Q)))].copy()
    for _ in range(SWEEPS if model.nv <= SEARCHED else 0):
        for j in free:
            trials = np.tile(best, (TRIALS, 1))
            for q in trials[1:]:
                _place(model, q, j, rng, False)
            best = trials[int(np.argmax(size(trials)))].copy()
    return np.array([model.q0, best])


def _place(model: Model, q: Array, j: int, rng: np.random.Generator, aligned: bool) -> None:
    """Joint j anywhere: within a turn or a metre or two, a ball any way; or at a multiple of π/2."""
    part = q[model.joint_q[j] : model.joint_q[j + 1]]
    if model.joint_type[j] == BALL:
        part[:] = rng.choice([-1.0, 0.0, 1.0], 4) if aligned else rng.normal(size=4)
        part[0] += not part.any()
        part /= np.linalg.norm(part)
    else:
        part[:] = rng.integers(-1, 3) * np.pi / 2 if aligned else rng.uniform(-np.pi, np.pi)
