"""Energies of the world, at the velocities w.V and w.rate."""

from __future__ import annotations

from sim.impulse.world import ACTED_ON
from sim.jit import inner


@inner
def body_energy(w, s, b):
    """½ (P·v + L·ω)."""
    P, L, V = s.P[b], s.L[b], w.V[b]
    return 0.5 * (P[0] * V[3] + P[1] * V[4] + P[2] * V[5] + L[0] * V[0] + L[1] * V[1] + L[2] * V[2])


@inner
def weight_energy(sys, s, b):
    """−m g·x."""
    g, x = sys.gravity, s.x[b]
    return -sys.mass[b] * (g[0] * x[0] + g[1] * x[1] + g[2] * x[2])


@inner
def rotors_energy(sys, w):
    """½ Σ J q̇²."""
    T = 0.0
    for j in range(sys.kind.shape[0] * w.switches[ACTED_ON]):
        T += 0.5 * sys.rotor[j] * w.rate[j, 0] ** 2
    return T


@inner
def kinetic(sys, w, s):
    T = rotors_energy(sys, w)
    for b in range(s.x.shape[0]):
        T += body_energy(w, s, b)
    return T


@inner
def energy(sys, w, s):
    """T + V."""
    E = kinetic(sys, w, s)
    for b in range(s.x.shape[0]):
        E += weight_energy(sys, s, b)
    return E
