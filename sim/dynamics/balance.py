"""Energy of the links where forward dynamics has just been: one more pass outward, a small part of its work."""

from __future__ import annotations

from sim.dynamics.aba import HEIGHT, POSITION, ROTATION, VELOCITY, WEIGHT
from sim.dynamics.links import SCREW
from sim.jit import inner
from sim.spatial.blocks import ZERO3, add3, back, cross3, dot3, get3, get6, get9, put, scale3, symmetric
from sim.spatial.screws import cycled, motion_into, uncycled


@inner
def link_energy(links, W, gravity):
    """T and V [J], and the power of the weight [W].

        g_i = R_iᵀ g_p        height_i = height_p − g_p·p_i        (of the link's origin, times |g|)
        T = Σ ½ (ω·L + v·P)   V = Σ m height − g·h                 power = Σ g·P

    Reads   links (Links), W of `articulated_bodies` at the same q and v; gravity (3,) [m/s²]
    """
    kinetic, potential, power = 0.0, 0.0, 0.0
    g, height = ZERO3, 0.0
    for i in range(links.parent.shape[0]):
        j = links.parent[i]
        if j < 0:
            g, height = (gravity[0], gravity[1], gravity[2]), 0.0
        elif j != i - 1:
            g, height = get3(W, j, WEIGHT), W[j, HEIGHT]
        if links.kind[i] == SCREW:
            height -= g[0] * links.fixed[i, 2]
            _, g = motion_into(links.fixed[i, 0], links.fixed[i, 1], 0.0, ZERO3, cycled(g))
            g = uncycled(g)
            height -= g[2] * links.fixed[i, 4]
            _, g = motion_into(W[i, 0], W[i, 1], 0.0, ZERO3, g)
        else:
            height -= dot3(g, get3(W, i, POSITION))
            g = back(get9(W, i, ROTATION), g)
        if links.branching[i]:
            put(g, W, i, WEIGHT)
            W[i, HEIGHT] = height
        m, h = links.inertia[i, 0], get3(links.inertia, i, 1)
        w, u = get3(W, i, VELOCITY), get3(W, i, VELOCITY + 3)
        L = add3(symmetric(get6(links.inertia, i, 4), w), cross3(h, u))
        P = add3(scale3(m, u), cross3(w, h))
        kinetic += 0.5 * (dot3(w, L) + dot3(u, P))
        potential += m * height - dot3(g, h)
        power += dot3(g, P)
    return kinetic, potential, power
