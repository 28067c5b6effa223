"""All that acts at a moment, and the accelerations it gives: what integrators call at each of their stages."""

from __future__ import annotations

import math

from sim.dynamics.aba import VELOCITY
from sim.dynamics.balance import link_energy
from sim.dynamics.energy import energy_and_momentum
from sim.dynamics.inputs import add_inputs
from sim.dynamics.kinematics import kinematics
from sim.dynamics.links import Links
from sim.dynamics.motion import velocities
from sim.dynamics.tree import tree_tuple
from sim.dynamics.wrenches import link_wrenches
from sim.jit import inner
from sim.model import BALL
from sim.spatial.kernels import cross, rotate
from sim.tree.lie import displace, rates
from sim.tree.rows import accelerate, press
from sim.tree.world import BOUNDED, DAMPED, DRIVEN, IMPLICIT, PUSHED


@inner
def evaluate(sys, w, s, time, stage):
    """What happens at the distance w.u[stage] from s.q with the velocities w.v[stage].

    Writes  w.du, w.dv, the rates of both, and w.power of all that is not conservative [W]; q is left in w.q

    Implicit damping is −d (v₀ + θ h a): its part in a is an inertia, w.soft = θ h d.
    """
    tau, given, soft, u, v, du, a = w.tau, s.tau, w.soft, w.u[stage], w.v[stage], w.du[stage], w.dv[stage]
    q, q0 = w.q, s.q
    if q.shape[0] == u.shape[0]:  # hinges and sliders alone, for which a call costs more than the work
        for k in range(u.shape[0]):
            q[k], du[k] = q0[k] + u[k], v[k]
    else:
        displace(sys.kind, sys.q_start, sys.v_start, q0, u, q)
        rates(sys.kind, sys.v_start, u, v, du)
    for k in range(tau.shape[0]):
        tau[k] = given[k]
    if w.switches[PUSHED]:
        _push(sys, w, s, time)
    elif w.switches[DRIVEN]:
        add_inputs(sys.inputs, time, w.R, sys.center, tau, w.wrench)
    if w.switches[DAMPED]:
        damping, at = sys.damping, s.v if w.switches[IMPLICIT] else v
        for k in range(tau.shape[0]):
            tau[k] -= damping[k] * at[k]
    if w.switches[BOUNDED]:
        push = w.push
        for k in range(tau.shape[0]):
            tau[k] += push[k]
        _rub_balls(sys, w, v)
    accelerate(sys, w, q, v, a)
    if w.switches[BOUNDED]:
        press(sys, w, s, v, a)
    power = 0.0
    for k in range(tau.shape[0]):
        power += (tau[k] - soft[k] * a[k]) * v[k]
    if w.switches[PUSHED]:
        for i in range(w.f_ext.shape[0]):
            for k in range(6):
                power += w.f_ext[i, k] * w.W[i, VELOCITY + k]
    w.power[stage] = power


@inner
def _push(sys, w, s, time):
    """w.f_ext of the held wrenches and of the scene's inputs; both are about the centres of mass."""
    kinematics(tree_tuple(sys.tree), w.q, w.p, w.R, w.S, w.frames[0], w.frames[1])
    for b in range(w.wrench.shape[0]):
        for k in range(6):
            w.wrench[b, k] = s.wrench[b, k]
    add_inputs(sys.inputs, time, w.R, sys.center, w.tau, w.wrench)
    for b in range(w.wrench.shape[0]):
        r0, r1, r2 = rotate(w.R[b], sys.center[b])
        m0, m1, m2 = cross(r0, r1, r2, w.wrench[b, 3], w.wrench[b, 4], w.wrench[b, 5])
        w.wrench[b, 0] += m0
        w.wrench[b, 1] += m1
        w.wrench[b, 2] += m2
    link_wrenches(sys.body_link, sys.body_p, sys.body_R, w.p, w.R, w.wrench, w.f_ext)


@inner
def _rub_balls(sys, w, v):
    """−F ω/|ω| where a ball slides; w.slide says the direction where ω has none. Creeping, it is damped."""
    for i in range(sys.friction.shape[0]):
        if sys.kind[i] != BALL or sys.friction[i] == 0.0:
            continue
        k = sys.v_start[i]
        if math.isinf(w.armature[k]) or w.creep[i] > 0.0:
            continue
        x, y, z = v[k] + w.slide[k], v[k + 1] + w.slide[k + 1], v[k + 2] + w.slide[k + 2]
        f = sys.friction[i] / max(math.sqrt(x * x + y * y + z * z), 1e-300)
        w.tau[k] -= f * x
        w.tau[k + 1] -= f * y
        w.tau[k + 2] -= f * z


@inner
def energies(sys, w, s):
    """Kinetic and potential energy of what moves, in the present state [J]."""
    place(sys, w, s)
    energy_and_momentum(sys.mass, sys.center, sys.inertia, sys.gravity, w.p, w.R, w.V, w.energy)
    return w.energy[0] + _of_rotors(sys, s), w.energy[1] - sys.resting[0]


@inner
def balance(sys, w, s):
    """The same where the present state was evaluated last, and the power of the weight [W]."""
    links = Links(sys.parent, sys.kind, sys.q_start, sys.v_start, sys.branching, sys.fixed, sys.link_inertia)
    kinetic, potential, power = link_energy(links, w.W, sys.gravity)
    return kinetic + _of_rotors(sys, s), potential, power


@inner
def _of_rotors(sys, s):
    kinetic = 0.0
    for k in range(s.v.shape[0]):
        kinetic += 0.5 * sys.rotor[k] * s.v[k] * s.v[k]
    return kinetic


@inner
def place(sys, w, s):
    """w.p, w.R, and w.V: twists of the body origins, world axes."""
    tree = tree_tuple(sys.tree)
    kinematics(tree, s.q, w.p, w.R, w.S, w.frames[0], w.frames[1])
    velocities(tree, w.S, s.v, w.V)
    for b in range(w.V.shape[0]):
        V, p = w.V[b], w.p[b]
        e0, e1, e2 = cross(V[0], V[1], V[2], p[0], p[1], p[2])
        V[3] += e0
        V[4] += e1
        V[5] += e2
