"""Implicit PD: the torque of a step in which spring and damper are implicit, in time linear in the joints."""

from __future__ import annotations

import math

from sim.control.joint_error import driven, joint_errors
from sim.control.saturation import FREE, MOST_PASSES, full, saturate
from sim.dynamics.aba import aba
from sim.dynamics.links import Links
from sim.jit import jit


@jit
def implicit_pd(c, i):
    """tau = kp (error − h v⁺) − kd v⁺ with v⁺ = v + h a, held over the step.

    a is what articulated bodies give with h Kd + h² Kp (and h D of the joints' own damping) added to every joint's
    inertia. Joints whose motor is at its limit give that and add nothing.   gains kp, kd
    """
    h, kp, kd, tau, row = c.moment[1], c.gains[i, 0], c.gains[i, 1], c.tau[i], c.row
    start, drive, a, state, armature = row[0], row[1], row[2], row[3], row[4]
    t = c.links
    links = Links(t.parent, t.kind, t.q_start, t.v_start, t.branching, t.fixed, t.inertia)
    joint_errors(c, i, start)
    for k in range(tau.shape[0]):
        state[k] = FREE
        start[k] = kp * (start[k] - h * c.v[k]) - kd * c.v[k] if driven(c, k) else 0.0
    for _ in range(MOST_PASSES):
        for k in range(tau.shape[0]):
            soft = h * kd + h * h * kp if driven(c, k) and state[k] == FREE else 0.0
            armature[k] = math.inf if c.locked[k] else c.rotor[k] + soft + h * c.damping[k]
            drive[k] = (c.total[k] + start[k] if state[k] == FREE else full(c, state, k)) - c.damping[k] * c.v[k]
        aba(links, c.W, c.U, c.q, c.v, drive, armature, c.gravity, c.f_ext, a)
        for k in range(tau.shape[0]):
            tau[k] = start[k] - (h * kd + h * h * kp) * a[k] if driven(c, k) else 0.0
        if not saturate(c, tau, state):
            break
