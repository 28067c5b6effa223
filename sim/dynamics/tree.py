"""The part of a Model that kinematics walks, as one bundle for compiled kernels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sim.jit import inner
from sim.model import Model

Array = np.ndarray[Any, np.dtype[Any]]


class Tree(NamedTuple):
    order: Array
    kind: Array
    parent: Array
    child: Array
    position: Array
    rotation: Array
    child_position: Array
    child_rotation: Array
    axis: Array
    q_start: Array
    v_start: Array


def tree_of(model: Model) -> Tree:
    return Tree(
        model.tree_order,
        model.joint_type,
        model.joint_parent,
        model.joint_child,
        model.joint_position,
        model.joint_rotation,
        model.joint_child_position,
        model.joint_child_rotation,
        model.joint_axis,
        model.joint_q,
        model.joint_v,
    )


@inner
def tree_tuple(t):
    """A bundle as the tuple for which kinematics and its kin are compiled already."""
    return Tree(
        t.order,
        t.kind,
        t.parent,
        t.child,
        t.position,
        t.rotation,
        t.child_position,
        t.child_rotation,
        t.axis,
        t.q_start,
        t.v_start,
    )


def body_joints(model: Model) -> Array:
    """(nb,) the joint of the tree whose child each body is: the way from a tip to its base."""
    out = np.full(len(model.body_names), -1, dtype=np.int64)
    out[model.joint_child[model.tree_order]] = model.tree_order
    return out
