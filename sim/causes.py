"""Torques by cause: what turns a joint, and how much of it comes from gravity, from motion, from whom.

Over a step of h from (q₀, v₀) to (q₁, v₁), in the middle of it:

    M(q̄) ā = Σ controllers + inputs + mouse − g(q̄) − C(q̄, v̄) v̄ + held        q̄, v̄ means, ā = (v₁ − v₀)/h

Torques of controllers and mouse act for the whole step as they are, everything else is second order in h. `held` is
what the joints themselves do: damping, friction, stops, locks, and what closes loops. It is not computed but left over,
so the causes add up to M ā to rounding; that it is what the laws of friction and stops say is what tests ask.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sim.bundle import Bundle
from sim.control.controls import Controls
from sim.dynamics.inertia import world_inertias
from sim.dynamics.inputs import Inputs, add_inputs, inputs_of
from sim.dynamics.kinematics import kinematics
from sim.dynamics.motion import accelerations, subspace_rates, velocities
from sim.dynamics.rnea import rnea
from sim.dynamics.tree import Tree, tree_of, tree_tuple
from sim.history import History
from sim.jit import address, inner, jit
from sim.model import BALL, FREE, Model
from sim.spatial.kernels import cross, rotate

Array = np.ndarray[Any, np.dtype[Any]]


class Causes(NamedTuple):
    """What `explain` reads and writes."""

    tree: Tree
    inputs: Inputs
    mass: Array  # (nb,)
    center: Array  # (nb, 3)
    inertia: Array  # (nb, 3, 3)
    gravity: Array  # (3,)
    rotor: Array  # (nv,)
    q: Array  # (nq,) after the step
    v: Array  # (nv,)
    moment: Array  # (2,) when the step began [s], and its length
    share: Array  # (nc, nv) of the controllers
    wrench: Array  # (nb, 6) of the mouse about the centres of mass
    rows: Array  # the history's; the last is of the step's start
    counter: Array  # (1,)
    out: Array  # (n, causes, nv), row by row beside the history's

    middle: Array  # (nq,)
    speed: Array  # (nv,)
    acceleration: Array  # (nv,)
    still: Array  # (nv,) zero
    nothing: Array  # (3,) zero
    no_wrench: Array  # (nb, 6) zero
    p: Array  # (nb, 3)
    R: Array  # (nb, 3, 3)
    S: Array  # (nv, 6)
    dS: Array  # (nv, 6)
    V: Array  # (nb, 6)
    A: Array  # (nb, 6)
    f: Array  # (nb, 6)
    W: Array  # (nb, 6)
    push: Array  # (nb, 6)
    tau: Array  # (nv,)
    inertias: Array  # (nb, 10)
    frames: Array  # (2, 3, 3)


class Explainer:
    """Writes the causes of every step into `history.causes`; `entry` and `where` are what a kernel calls."""

    def __init__(self, model: Model, controls: Controls, history: History) -> None:
        nb, nq, nv = len(model.body_names), model.nq, model.nv
        sizes: dict[str, tuple[int, ...]] = {"middle": (nq,), "nothing": (3,), "p": (nb, 3), "R": (nb, 3, 3)}
        sizes |= {name: (nv,) for name in ("speed", "acceleration", "still", "tau")}
        sizes |= {name: (nb, 6) for name in ("no_wrench", "V", "A", "f", "W", "push")}
        sizes |= {"S": (nv, 6), "dS": (nv, 6), "inertias": (nb, 10), "frames": (2, 3, 3)}
        arrays = Causes(
            tree=tree_of(model),
            inputs=inputs_of(model),
            mass=model.body_mass,
            center=model.body_center,
            inertia=model.body_inertia,
            gravity=model.gravity,
            rotor=model.dof_rotor,
            q=controls.q,
            v=controls.v,
            moment=controls.moment,
            share=controls.tau,
            wrench=controls.wrench,
            rows=history.rows,
            counter=history.counter,
            out=history.keep_causes(),
            **{name: np.zeros(size) for name, size in sizes.items()},
        )
        self._bundle = Bundle(arrays)  # kept for the kernels that know its address
        self.entry, self.where = address(explain, self._bundle, 0.0), self._bundle.where


@jit
def explain(e, time):
    """The causes of the step that ends at `time`, into e.out; all nan where its start is not known."""
    out, before = e.out[e.counter[0] % e.out.shape[0]], e.rows[(e.counter[0] - 1) % e.rows.shape[0]]
    if e.counter[0] == 0 or before[0] != e.moment[0]:
        for i in range(out.shape[0]):
            for k in range(out.shape[1]):
                out[i, k] = np.nan
        return
    _go_to_the_middle(e, before, time - before[0])
    nc, nv = e.share.shape
    for k in range(nv):
        for i in range(nc):
            out[i, k] = e.share[i, k]
        e.tau[k] = 0.0
    for b in range(e.mass.shape[0]):
        for k in range(6):
            e.push[b, k] = 0.0
    add_inputs(e.inputs, 0.5 * (before[0] + time), e.R, e.center, e.tau, e.push)
    _along_joints(e, e.push, out[nc])
    for k in range(nv):
        out[nc, k] += e.tau[k]
    _along_joints(e, e.wrench, out[nc + 1])
    for b in range(e.mass.shape[0]):
        for k in range(3):
            e.push[b, k], e.push[b, 3 + k] = 0.0, e.mass[b] * e.gravity[k]
    _along_joints(e, e.push, out[nc + 2])
    _inverse_dynamics(e, e.still, out[nc + 3])
    _inverse_dynamics(e, e.acceleration, e.tau)
    for k in range(nv):
        held = e.tau[k] - out[nc + 3, k]
        out[nc + 3, k] = -out[nc + 3, k]
        for i in range(nc + 4):
            held -= out[i, k]
        out[nc + 4, k] = held


@inner
def _go_to_the_middle(e, before, h):
    """q̄, v̄ and ā of the step, and where the bodies are and how they move there."""
    tree, nq = tree_tuple(e.tree), e.q.shape[0]
    for i in range(nq):
        e.middle[i] = 0.5 * (before[1 + i] + e.q[i])
    for j in range(tree.kind.shape[0]):
        if tree.kind[j] == BALL or tree.kind[j] == FREE:
            _mean_rotation(before, e.q, e.middle, tree.q_start[j + 1] - 4)
    for k in range(e.v.shape[0]):
        v = before[1 + nq + k]
        e.speed[k], e.acceleration[k] = 0.5 * (v + e.v[k]), (e.v[k] - v) / h
    kinematics(tree, e.middle, e.p, e.R, e.S, e.frames[0], e.frames[1])
    velocities(tree, e.S, e.speed, e.V)
    subspace_rates(tree, e.S, e.V, e.speed, e.dS)
    world_inertias(e.mass, e.center, e.inertia, e.p, e.R, e.inertias)


@inner
def _mean_rotation(before, q, middle, at):
    """The quaternion half way; q and −q are the same rotation."""
    along = 0.0
    for i in range(at, at + 4):
        along += before[1 + i] * q[i]
    sign = 1.0 if along >= 0.0 else -1.0
    size = 0.0
    for i in range(at, at + 4):
        middle[i] = before[1 + i] + sign * q[i]
        size += middle[i] ** 2
    for i in range(at, at + 4):
        middle[i] /= np.sqrt(size)


@inner
def _along_joints(e, wrench, tau):
    """tau_k = S_k · Σ_{bodies behind k} (torque + c × force; force), of wrenches (nb, 6) about the centres of mass."""
    tree = tree_tuple(e.tree)
    for b in range(wrench.shape[0]):
        d = rotate(e.R[b], e.center[b])
        x, w = (e.p[b, 0] + d[0], e.p[b, 1] + d[1], e.p[b, 2] + d[2]), wrench[b]
        n = cross(x[0], x[1], x[2], w[3], w[4], w[5])
        for i in range(3):
            e.W[b, i], e.W[b, 3 + i] = w[i] + n[i], w[3 + i]
    for i in range(tree.order.shape[0] - 1, -1, -1):
        j = tree.order[i]
        c, parent = tree.child[j], tree.parent[j]
        for k in range(tree.v_start[j], tree.v_start[j + 1]):
            tau[k] = 0.0
            for a in range(6):
                tau[k] += e.S[k, a] * e.W[c, a]
        if parent >= 0:
            for a in range(6):
                e.W[parent, a] += e.W[c, a]


@inner
def _inverse_dynamics(e, a, tau):
    """tau = M(q̄) a + C(q̄, v̄) v̄, without gravity."""
    tree = tree_tuple(e.tree)
    accelerations(tree, e.S, e.dS, e.speed, a, e.A)
    rnea(tree, e.S, e.V, e.A, e.inertias, e.rotor, e.nothing, e.p, e.no_wrench, a, e.f, tau)
