"""The equation of motion at the present q and v, for controllers that know it: M a + D v + c = tau."""

from __future__ import annotations

from sim.dynamics.crba import crba
from sim.dynamics.inertia import composite, world_inertias
from sim.dynamics.motion import accelerations, subspace_rates, velocities
from sim.dynamics.rnea import rnea
from sim.dynamics.tree import tree_tuple
from sim.jit import inner


@inner
def inverse_dynamics(c, a, tau):
    """tau = M a + D v + c(q, v): what gives the accelerations a (nv,), damping of the joints included.

    Leaves   c.V, c.A: velocities and accelerations of the bodies at the world origin
    """
    tree = tree_tuple(c.tree)
    velocities(tree, c.S, c.v, c.V)
    subspace_rates(tree, c.S, c.V, c.v, c.dS)
    accelerations(tree, c.S, c.dS, c.v, a, c.A)
    world_inertias(c.mass, c.center, c.inertia, c.p, c.R, c.inertias)
    rnea(tree, c.S, c.V, c.A, c.inertias, c.rotor, c.gravity, c.p, c.no_wrench, a, c.f, tau)
    for k in range(tau.shape[0]):
        tau[k] += c.damping[k] * c.v[k]


@inner
def mass_matrix(c):
    """c.M = M(q); a locked joint neither moves nor is moved by others."""
    tree = tree_tuple(c.tree)
    world_inertias(c.mass, c.center, c.inertia, c.p, c.R, c.inertias)
    composite(tree, c.inertias)
    crba(tree, c.body_joint, c.S, c.inertias, c.rotor, c.M)
    for k in range(c.M.shape[0]):
        if c.locked[k]:
            for r in range(c.M.shape[0]):
                c.M[k, r], c.M[r, k] = 0.0, 0.0
            c.M[k, k] = 1.0
