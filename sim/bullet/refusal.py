"""What PyBullet cannot run, in a sentence, found without PyBullet: panels ask this of every scene they show."""

from __future__ import annotations

import numpy as np

from sim.model import FREE, Array, Model

# Bullet takes masses and moments below its SIMD_EPSILON for zero, and then does not move the body.
LEAST_INERTIA = 2.3e-16

# What a multibody has beyond these is dropped without a word. Coordinates: MAX_DEGREE_OF_FREEDOM less the base's 7.
MOST_COORDINATES = 121
MOST_LINKS = 127


def refusal(model: Model) -> str:
    """Why Bullet cannot run this model; "" if it can."""
    return _unknown(model) or _weightless(model) or _too_large(model)


def trees(model: Model) -> list[list[int]]:
    """The joints of every tree, its root first and parents before their children."""
    of_body: dict[int, list[int]] = {}
    out: list[list[int]] = []
    for j in map(int, model.tree_order):
        parent, child = int(model.joint_parent[j]), int(model.joint_child[j])
        if parent < 0:
            out.append([])
        tree = out[-1] if parent < 0 else of_body[parent]
        tree.append(j)
        of_body[child] = tree
    return out


def _unknown(model: Model) -> str:
    """What joints of ours can do and these multibodies, as they are driven here, do not."""
    has = {
        "closes a loop": model.joint_cut,
        "has friction": _any_dof(model, model.dof_friction > 0),
        "has a rotor": _any_dof(model, model.dof_rotor > 0),
        "has a cone": np.isfinite(model.joint_cone),
        "has a twist range": np.isfinite(model.joint_twist).any(axis=1),
        "is locked": model.joint_locked,
        "rebounds from its limits (restitution)": model.joint_restitution > 0,
    }
    for what, joints in has.items():
        for j in np.flatnonzero(joints):
            return f'PyBullet cannot run this scene: joint "{model.joint_names[j]}" {what}.'
    for given in model.scene.inputs:
        return f'PyBullet cannot run this scene: input "{given.name}" is a function of time.'
    return ""


def _any_dof(model: Model, dofs: Array) -> Array:
    """(nj,) bool: joints with any such velocity."""
    out = np.zeros(len(model.joint_names), dtype=bool)
    out[model.dof_joint[dofs]] = True
    return out


def _weightless(model: Model) -> str:
    for b, name in enumerate(model.body_names):
        if model.body_mass[b] < LEAST_INERTIA or model.body_moments[b, 0] < LEAST_INERTIA:
            return (
                f'PyBullet cannot move body "{name}": its mass ({model.body_mass[b]:.3g} kg) or smallest moment of '
                f"inertia ({model.body_moments[b, 0]:.3g} kg·m²) is below {LEAST_INERTIA:.2g}."
            )
    return ""


def _too_large(model: Model) -> str:
    for tree in trees(model):
        joints = [j for j in tree if model.joint_type[j] != FREE]
        width = sum(int(model.joint_q[j + 1] - model.joint_q[j]) for j in joints)
        if width > MOST_COORDINATES or len(joints) > MOST_LINKS:
            name = model.body_names[int(model.joint_child[tree[0]])]
            return (
                f'PyBullet cannot run the tree of body "{name}": it has {len(joints)} joints with {width} '
                f"coordinates, and PyBullet holds at most {MOST_LINKS} with {MOST_COORDINATES}."
            )
    return ""
