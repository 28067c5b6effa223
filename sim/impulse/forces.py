"""All that acts on the bodies beside gravity and the joints: given wrenches, joint torques, timed inputs."""

from __future__ import annotations

from sim.dynamics.inputs import add_inputs
from sim.jit import inner
from sim.model import BALL, FREE
from sim.spatial.kernels import cross, rotate


@inner
def gather(sys, w, s, time):
    """w.wrench = given wrenches + Gᵀ tau at the present pose; w.tau of the active joints."""
    for k in range(w.torque.shape[0]):
        w.torque[k] = w.held_tau[k]
    for b in range(w.given.shape[0]):
        for k in range(6):
            w.given[b, k] = w.held_wrench[b, k]
    add_inputs(sys.inputs, time, s.R, sys.center, w.torque, w.given)
    for b in range(w.given.shape[0]):
        if sys.kind[b] == FREE and sys.v_start[b] >= 0:
            _push_free(sys, s, b, w.torque[sys.v_start[b] : sys.v_start[b] + 6], w.given[b])
        for k in range(6):
            w.wrench[b, k] = w.given[b, k]
    for j in range(sys.kind.shape[0]):
        if not w.active[j]:
            continue
        p, c = sys.parent[j], sys.child[j]
        for k in range(3 if sys.kind[j] == BALL else 1):
            f = w.torque[sys.v_start[j] + k]
            w.tau[j, k] = f
            if f == 0.0:
                continue
            G = w.G[j, k]
            for a in range(6):
                if p >= 0:
                    w.wrench[p, a] += G[a] * f
                w.wrench[c, a] += G[6 + a] * f


@inner
def _push_free(sys, s, b, tau, wrench):
    """[torque; force] at the origin of a free body, moved to its centre of mass."""
    r0, r1, r2 = rotate(s.R[b], sys.child_anchor[b])
    e0, e1, e2 = cross(r0, r1, r2, tau[3], tau[4], tau[5])
    wrench[0] += tau[0] + e0
    wrench[1] += tau[1] + e1
    wrench[2] += tau[2] + e2
    for k in range(3, 6):
        wrench[k] += tau[k]


@inner
def power(w):
    """Of what `gather` found, at the velocities w.V and w.rate."""
    total = 0.0
    for b in range(w.given.shape[0]):
        for k in range(6):
            total += w.given[b, k] * w.V[b, k]
    for j in range(w.tau.shape[0]):
        if w.active[j]:
            total += w.tau[j, 0] * w.rate[j, 0] + w.tau[j, 1] * w.rate[j, 1] + w.tau[j, 2] * w.rate[j, 2]
    return total
