"""What the joints carry at this instant: constraint forces of the state as it stands, for display.

The same solvers at the level of accelerations: J a = γ, where γ is what the turning of the bodies alone asks
of a joint, and forces stand where a step has momenta:

    point    γ = ω_p × (ω_p × r_p) − ω_c × (ω_c × r_c)  (+ 2 q̇ ω_p × a of a slider)
    axis     γ = ω_p × z q̇                              (of a hinge)

Where joints are redundant their loads are not determined; then they are those of least norm over all rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.impulse.advance import activate, arrive
from sim.impulse.bounds import HELD, find_bounds, free_axes, solve_bounded
from sim.impulse.forces import gather
from sim.impulse.project import factor, solve, take_momenta
from sim.impulse.rows import add_impulse
from sim.impulse.step import copy_coordinates, soften
from sim.impulse.system import System
from sim.impulse.tree import ASKED, carry_down, momentum_of
from sim.impulse.world import Work, World
from sim.jit import inner, jit
from sim.model import BALL, FREE, HINGE, SLIDER
from sim.spatial.kernels import cross, rotate
from sim.state import Control

Array = np.ndarray[Any, np.dtype[Any]]

MOVING = 1e-9  # [rad/s, m/s] faster than which friction has a direction


def joint_loads(system: System, work: Work, world: World, kernel: tuple[Any, ...], control: Control) -> Array:
    """(nj, 6) [torque; force] on the child of each joint of the engine, at the child's anchor, world axes."""
    kept = [array.copy() for array in world]
    wrench, rows = np.zeros((len(system.mass), 6)), np.zeros(len(work.block.rhs))
    redundant = load_state(*kernel, control.tau, control.wrench, control.time, wrench, rows)
    if redundant:
        wrench, rows = _least(kernel, redundant, wrench, rows)
    out = np.zeros((len(system.kind), 6))
    out[: len(wrench)] = np.where((system.kind[: len(wrench)] == FREE)[:, None], 0.0, wrench)
    for r in range(int(system.row_start[-1])):
        j = int(work.block.joint[r])
        child = int(system.child[j])
        force = work.block.J[r, 9:] * rows[r]
        arm = world.R[child] @ system.child_anchor[j]
        out[j, :3] += work.block.J[r, 6:9] * rows[r] - np.cross(arm, force)
        out[j, 3:] += force
    for array, old in zip(world, kept, strict=True):
        array[...] = old
    return out


def _least(kernel: tuple[Any, ...], redundant: int, wrench: Array, rows: Array) -> tuple[Array, Array]:
    """Takes out of the loads what the joints only do to each other."""
    found = np.concatenate([wrench.ravel(), rows])
    useless = np.zeros((redundant, len(found)))
    for k in range(redundant):
        alone, row = np.zeros_like(wrench), np.zeros_like(rows)
        load_nothing(*kernel, k, alone, row)
        useless[k] = np.concatenate([alone.ravel(), row])
    found -= np.linalg.lstsq(useless.T, found, rcond=None)[0] @ useless
    return found[: wrench.size].reshape(wrench.shape), found[wrench.size :]


@jit
def load_state(sys, w, s, tau, held, time, wrench, rows):
    """What the joints carry: wrench (nb, 6) at the anchors of the tree, rows of the cut joints.

    Spoils the momenta, which the caller brings back. Returns how many of the cut rows are redundant.
    """
    activate(sys, w, tau, held)
    arrive(sys, w, s)
    copy_coordinates(s.coordinate, w.start)
    gather(sys, w, s, time)
    soften(sys, w, 0.0)
    free_axes(sys, w)
    bounded = find_bounds(sys, w, s, 1.0)
    _resist(sys, w, s)
    factor(sys, w, s)
    _turning(sys, w, s)
    for b in range(s.x.shape[0]):  # forces stand where momenta would
        V, L, f = w.V[b], s.L[b], w.wrench[b]
        e0, e1, e2 = cross(V[0], V[1], V[2], L[0], L[1], L[2])
        L[0], L[1], L[2] = f[0] - e0, f[1] - e1, f[2] - e2
        for k in range(3):
            s.P[b, k] = f[3 + k] + sys.mass[b] * sys.gravity[k]
    for j in range(sys.kind.shape[0]):
        w.rotor_speed[j] = 0.0
        w.pi[j] = 0.0
    if bounded:
        solve_bounded(sys, w, s, ASKED)
    else:
        take_momenta(s, w)
        _ask(sys, w)
        solve(sys, w, ASKED)
    _carry(sys, w, s, wrench)
    for r in range(w.block.size[0]):
        rows[r] = w.block.lam[r]
    return w.block.size[0] - w.block.size[1]


@inner
def _ask(sys, w):
    for b in range(w.base.shape[0]):
        for k in range(6):
            w.b[b, k] = w.base[b, k]
    for r in range(w.block.size[0]):
        w.block.rhs[r] = w.base_rows[r] if r < sys.row_start[-1] else 0.0


@inner
def _carry(sys, w, s, wrench):
    """wrench = what passes through each joint of the tree: M a − forces − the cut rows' share, summed from the tips."""
    for b in range(wrench.shape[0]):
        m = momentum_of(sys.mass[b], sys.moments[b], s.R[b], w.V[b])
        for k in range(6):
            wrench[b, k] = m[k] - w.momentum[b, k]
    for r in range(w.block.size[0]):
        j = w.block.joint[r]
        add_impulse(w.block.J[r], sys.parent[j], sys.child[j], -w.block.lam[r], wrench)
    carry_down(sys, w, wrench)


@inner
def _resist(sys, w, s):
    """Damping, and the friction of joints that move, as forces; what is at rest keeps its bounds."""
    for j in range(sys.kind.shape[0]):
        if not w.active[j]:
            continue
        axes = 3 if sys.kind[j] == BALL else 1
        speed = 0.0
        for k in range(axes):
            speed += w.rate[j, k] * w.rate[j, k]
        speed = speed**0.5
        slides = sys.friction[j] > 0.0 and speed > MOVING
        for k in range(axes):
            f = -sys.damping[j] * w.rate[j, k]
            if slides:
                f -= sys.friction[j] * w.rate[j, k] / speed
            p, c, G = sys.parent[j], sys.child[j], w.G[j, k]
            for a in range(6):
                if p >= 0:
                    w.wrench[p, a] += G[a] * f
                w.wrench[c, a] += G[6 + a] * f
        if slides and sys.kind[j] == BALL:
            w.high[j, 2] = 0.0
        elif speed > MOVING:
            w.low[j, 0], w.high[j, 0] = 0.0, 0.0
        for k in range(3):
            if w.low[j, k] == w.high[j, k]:
                s.mode[j, k] = HELD


@inner
def _turning(sys, w, s):
    """w.base and w.base_rows = γ."""
    for i in range(s.x.shape[0]):
        for k in range(6):
            w.base[i, k] = 0.0
        if sys.kind[i] != FREE:
            _gamma(sys, w, s, i, w.base[i])
    for j in range(s.x.shape[0], sys.kind.shape[0]):
        for k in range(6):
            w.gamma[k] = 0.0
        _gamma(sys, w, s, j, w.gamma)
        for r in range(sys.row_start[j], sys.row_start[j + 1]):
            J, g = w.block.J[r], w.gamma
            n, o = (J[9:], 3) if J[9] != 0.0 or J[10] != 0.0 or J[11] != 0.0 else (J[6:], 0)
            w.base_rows[r] = n[0] * g[o] + n[1] * g[o + 1] + n[2] * g[o + 2]


@inner
def _gamma(sys, w, s, j, out):
    """γ [angular; linear] of one joint."""
    p, c, kind = sys.parent[j], sys.child[j], sys.kind[j]
    W = w.V[c]
    r0, r1, r2 = rotate(s.R[c], sys.child_anchor[j])
    a0, a1, a2 = s.x[c, 0] + r0, s.x[c, 1] + r1, s.x[c, 2] + r2
    e0, e1, e2 = cross(W[0], W[1], W[2], r0, r1, r2)
    f0, f1, f2 = cross(W[0], W[1], W[2], e0, e1, e2)
    out[3], out[4], out[5] = -f0, -f1, -f2
    if p < 0:
        return
    U = w.V[p]
    r0, r1, r2 = a0 - s.x[p, 0], a1 - s.x[p, 1], a2 - s.x[p, 2]
    d0, d1, d2 = cross(U[0], U[1], U[2], r0, r1, r2)
    f0, f1, f2 = cross(U[0], U[1], U[2], d0, d1, d2)
    out[3], out[4], out[5] = out[3] + f0, out[4] + f1, out[5] + f2
    if kind == SLIDER:  # the child's anchor slides over the parent at the relative velocity v
        v0 = W[3] + e0 - U[3] - d0
        v1 = W[4] + e1 - U[4] - d1
        v2 = W[5] + e2 - U[5] - d2
        f0, f1, f2 = cross(U[0], U[1], U[2], v0, v1, v2)
        out[3], out[4], out[5] = out[3] + 2.0 * f0, out[4] + 2.0 * f1, out[5] + 2.0 * f2
    elif kind == HINGE:  # ω_c − ω_p = z q̇
        out[0], out[1], out[2] = cross(U[0], U[1], U[2], W[0] - U[0], W[1] - U[1], W[2] - U[2])


@jit
def load_nothing(sys, w, s, k, wrench, rows):
    """Loads number k that the joints can carry against each other with nothing moving: a null vector of A.

    With A = L Lᵀ, L = (L₁; L₂): z = (−L₁⁻ᵀ L₂ᵀ e_k; e_k) in the order of the pivots.
    """
    block = w.block
    n, rank = block.size[0], block.size[1]
    z = block.temporary[0]
    for i in range(n):
        z[i] = 0.0
    z[rank + k] = 1.0
    for i in range(rank - 1, -1, -1):
        total = -block.L[rank + k, i]
        for c in range(i + 1, rank):
            total -= block.L[c, i] * z[c]
        z[i] = total / block.L[i, i]
    for b in range(w.momentum.shape[0]):
        for a in range(6):
            w.momentum[b, a] = 0.0
            wrench[b, a] = 0.0
    for i in range(n):
        r = block.order[i]
        rows[r] = z[i]
        j = block.joint[r]
        add_impulse(block.J[r], sys.parent[j], sys.child[j], -z[i], wrench)
    carry_down(sys, w, wrench)

