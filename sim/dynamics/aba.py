"""Forward dynamics in linear time: the articulated-body algorithm."""

from __future__ import annotations

from sim.dynamics.links import SCREW
from sim.jit import inlined, inner, jit
from sim.model import BALL, FREE, HINGE, SLIDER
from sim.spatial.blocks import (
    ZERO3,
    ZERO6,
    ZERO9,
    add3,
    add6,
    add9,
    back,
    column,
    cross3,
    dot3,
    forth,
    get3,
    get6,
    get9,
    less_square,
    moved_inertia,
    product,
    put,
    scale3,
    symmetric,
)
from sim.spatial.screws import (
    cycled,
    cycled_inertia,
    force_out_of,
    inertia_out_of,
    motion_into,
    uncycled,
    uncycled_inertia,
)
from sim.spatial.trig import sine_and_cosine

# Columns of the work array W, a row a link: pose in the parent (of a SCREW only cos and sin of its angle), velocity,
# velocity-product acceleration, acceleration, bias force, and what branches other than the next link add to the
# inertia. Columns of the work array U, a row a degree of freedom: IA S (6), 1/D, u.
ROTATION, POSITION, VELOCITY, PRODUCT, ACCELERATION, FORCE, BLOCK_A, BLOCK_B, BLOCK_C = 0, 9, 12, 18, 24, 30, 36, 42, 51
INVERSE, DRIVE = 6, 7
WEIGHT, HEIGHT = 57, 60  # of sim.dynamics.balance
WIDTH, U_WIDTH = 61, 8


@jit
def aba(links, W, U, q, v, tau, armature, gravity, f_ext, vd):
    """Forward dynamics from Python; kernels call `articulated_bodies`."""
    articulated_bodies(links, W, U, q, v, tau, armature, gravity, f_ext, vd)


@inlined
def articulated_bodies(links, W, U, q, v, tau, armature, gravity, f_ext, vd):
    """The accelerations that the joint forces tau produce.

        v_i = X_i v_p + S_i qd_i                c_i = v_i × S_i qd_i
        IA_i = I_i + Σ_children Xᵀ Ia X         pA_i = v_i ×* I_i v_i − f_ext + Σ_children Xᵀ pa
        U = IA S,  D = Sᵀ U + armature,  u = tau − Sᵀ pA
        Ia = IA − U D⁻¹ Uᵀ                      pa = pA + Ia c + U D⁻¹ u
        a' = X_i a_p + c_i                      qdd = D⁻¹ (u − Uᵀ a'),  a_i = a' + S qdd     (a_0 = −gravity)

    S is made of unit columns (see links.py), eliminated one after the other, so that D is always a number. An infinite
    armature locks a joint. A free joint's v is [ω; v] in world axes, hence v̇ = R a + ω × v there; its armature is not
    looked at.

    Reads   links (Links); q (nq,), v (nv,), tau (nv,) [N·m or N]; armature (nv,) added to D [kg·m² or kg];
            gravity (3,) [m/s²]; f_ext (n, 6) on the links at their origins, link axes [N·m; N]
    Writes  vd (nv,) [rad/s² or m/s²]; W, U are scratch
    Source  Featherstone 2008, table 7.1
    """
    _velocities(links, W, q, v, f_ext)
    _inertias(links, W, U, tau, armature)
    _accelerations(links, W, U, v, gravity, vd)


@inlined
def _velocities(links, W, q, v, f_ext):
    """Outward. What the next link needs of this one stays in registers: on its way through memory it would stall."""
    w, u = ZERO3, ZERO3
    for i in range(links.parent.shape[0]):
        iq, iv, j = links.q_start[i], links.v_start[i], links.parent[i]
        if j < 0:
            w, u = ZERO3, ZERO3
        elif j != i - 1:
            w, u = get3(W, j, VELOCITY), get3(W, j, VELOCITY + 3)
        if links.kind[i] == SCREW:
            angle, x = q[iq] + links.fixed[i, 3], v[iv]
            s, c = sine_and_cosine(angle)
            w, u = motion_into(links.fixed[i, 0], links.fixed[i, 1], links.fixed[i, 2], cycled(w), cycled(u))
            w, u = motion_into(c, s, links.fixed[i, 4], uncycled(w), uncycled(u))
            w = w[0], w[1], w[2] + x
            W[i, 0], W[i, 1] = c, s
            W[i, PRODUCT], W[i, PRODUCT + 1] = w[1] * x, -w[0] * x
            W[i, PRODUCT + 3], W[i, PRODUCT + 4] = u[1] * x, -u[0] * x
        else:
            w, u = _velocity_of_others(links.kind[i], links.fixed, i, q, iq, v, iv, w, u, W)
        put(w, W, i, VELOCITY)
        put(u, W, i, VELOCITY + 3)
        _bias_force(links.inertia, i, w, u, f_ext, W)
        if links.branching[i]:
            put(ZERO6, W, i, BLOCK_A)
            put(ZERO9, W, i, BLOCK_B)
            put(ZERO6, W, i, BLOCK_C)


@inner
def _velocity_of_others(kind, X, i, q, iq, v, iv, w, u, W):
    """A link reached by any R and p, its velocity across the joint being (wJ; uJ) in link axes."""
    R, p = get9(X, i, 0), get3(X, i, 9)
    wJ, uJ = ZERO3, ZERO3
    if kind == HINGE:
        s, c = sine_and_cosine(q[iq])
        R, wJ = product(R, (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)), (0.0, 0.0, v[iv])
    elif kind == SLIDER:
        p, uJ = add3(p, scale3(q[iq], (R[2], R[5], R[8]))), (0.0, 0.0, v[iv])
    elif kind == BALL:
        R, wJ = product(R, _matrix(q, iq)), (v[iv], v[iv + 1], v[iv + 2])
    else:
        R, p = _matrix(q, iq + 3), (q[iq], q[iq + 1], q[iq + 2])
        wJ, uJ = back(R, (v[iv], v[iv + 1], v[iv + 2])), back(R, (v[iv + 3], v[iv + 4], v[iv + 5]))
    u = add3(back(R, add3(u, cross3(w, p))), uJ)
    w = add3(back(R, w), wJ)
    put(R, W, i, ROTATION)
    put(p, W, i, POSITION)
    put(cross3(w, wJ), W, i, PRODUCT)
    put(add3(cross3(w, uJ), cross3(u, wJ)), W, i, PRODUCT + 3)
    return w, u


@inlined
def _matrix(q, k):
    """R of the unit quaternion q[k:k + 4]."""
    w, x, y, z = q[k], q[k + 1], q[k + 2], q[k + 3]
    return (
        *(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        *(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        *(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


@inlined
def _bias_force(inertia, i, w, u, f_ext, W):
    """pA = V ×* I V − f_ext."""
    m, h = inertia[i, 0], get3(inertia, i, 1)
    L = add3(symmetric(get6(inertia, i, 4), w), cross3(h, u))
    P = add3(scale3(m, u), cross3(w, h))
    n, f = add3(cross3(w, L), cross3(u, P)), cross3(w, P)
    put((n[0] - f_ext[i, 0], n[1] - f_ext[i, 1], n[2] - f_ext[i, 2]), W, i, FORCE)
    put((f[0] - f_ext[i, 3], f[1] - f_ext[i, 4], f[2] - f_ext[i, 5]), W, i, FORCE + 3)


@inlined
def _inertias(links, W, U, tau, armature):
    """Inward: what each joint feels of everything behind it."""
    A, B, C, n, f = ZERO6, ZERO9, ZERO6, ZERO3, ZERO3
    for i in range(links.parent.shape[0] - 1, -1, -1):
        k, j = links.v_start[i], links.parent[i]
        m, h = links.inertia[i, 0], get3(links.inertia, i, 1)
        A = add6(A, get6(links.inertia, i, 4))
        B = B[0], B[1] - h[2], B[2] + h[1], B[3] + h[2], B[4], B[5] - h[0], B[6] - h[1], B[7] + h[0], B[8]
        C = C[0] + m, C[1], C[2], C[3] + m, C[4], C[5] + m
        n, f = add3(n, get3(W, i, FORCE)), add3(f, get3(W, i, FORCE + 3))
        if links.branching[i]:
            A, B, C = add6(A, get6(W, i, BLOCK_A)), add9(B, get9(W, i, BLOCK_B)), add6(C, get6(W, i, BLOCK_C))
        if links.kind[i] == SCREW:
            A, B, C, n, f = _eliminate(A, B, C, n, f, 2, armature[k], tau[k], U, k)
            A, B, C, n, f = _carry(links.fixed, W, i, A, B, C, n, f)
        else:
            A, B, C, n, f = _inertia_of_others(links.kind[i], A, B, C, n, f, armature, tau, W, i, U, k, j)
        if j >= 0 and j != i - 1:
            put(add3(n, get3(W, j, FORCE)), W, j, FORCE)
            put(add3(f, get3(W, j, FORCE + 3)), W, j, FORCE + 3)
            put(add6(A, get6(W, j, BLOCK_A)), W, j, BLOCK_A)
            put(add9(B, get9(W, j, BLOCK_B)), W, j, BLOCK_B)
            put(add6(C, get6(W, j, BLOCK_C)), W, j, BLOCK_C)
        if j != i - 1 or j < 0:
            A, B, C, n, f = ZERO6, ZERO9, ZERO6, ZERO3, ZERO3


@inlined
def _eliminate(A, B, C, n, f, s, armature, tau, U, k):
    """Ia = IA − U Uᵀ/D and pA + U u/D for the unit column s."""
    a, b = column(A, B, C, s)
    D = (a[s] if s < 3 else b[s - 3]) + armature
    u = tau - (n[s] if s < 3 else f[s - 3])
    e = 1.0 / D
    put(a, U, k, 0)
    put(b, U, k, 3)
    U[k, INVERSE], U[k, DRIVE] = e, u
    A, B, C = less_square(A, B, C, e, a, b)
    return A, B, C, add3(n, scale3(e * u, a)), add3(f, scale3(e * u, b))


@inlined
def _carry(X, W, i, A, B, C, n, f):
    """pa + Ia c, then both seen from the parent: out of the screw about z, then out of the one about x.

    c = (c0, c1, 0; d0, d1, 0) for a hinge.
    """
    c0, c1, d0, d1 = W[i, PRODUCT], W[i, PRODUCT + 1], W[i, PRODUCT + 3], W[i, PRODUCT + 4]
    n = (
        n[0] + A[0] * c0 + A[1] * c1 + B[0] * d0 + B[1] * d1,
        n[1] + A[1] * c0 + A[3] * c1 + B[3] * d0 + B[4] * d1,
        n[2] + A[2] * c0 + A[4] * c1 + B[6] * d0 + B[7] * d1,
    )
    f = (
        f[0] + B[0] * c0 + B[3] * c1 + C[0] * d0 + C[1] * d1,
        f[1] + B[1] * c0 + B[4] * c1 + C[1] * d0 + C[3] * d1,
        f[2] + B[2] * c0 + B[5] * c1 + C[2] * d0 + C[4] * d1,
    )
    n, f = force_out_of(W[i, 0], W[i, 1], X[i, 4], n, f)
    A, B, C = inertia_out_of(W[i, 0], W[i, 1], X[i, 4], A, B, C)
    A, B, C = cycled_inertia(A, B, C)
    n, f = force_out_of(X[i, 0], X[i, 1], X[i, 2], cycled(n), cycled(f))
    A, B, C = inertia_out_of(X[i, 0], X[i, 1], X[i, 2], A, B, C)
    A, B, C = uncycled_inertia(A, B, C)
    return A, B, C, uncycled(n), uncycled(f)


@inner
def _inertia_of_others(kind, A, B, C, n, f, armature, tau, W, i, U, k, parent):
    """The columns of a hinge (2), slider (5), ball (2, 1, 0) or free link (5 … 0), whose tau is in world axes."""
    R, p = get9(W, i, ROTATION), get3(W, i, POSITION)
    if kind == HINGE:
        A, B, C, n, f = _eliminate(A, B, C, n, f, 2, armature[k], tau[k], U, k)
    elif kind == SLIDER:
        A, B, C, n, f = _eliminate(A, B, C, n, f, 5, armature[k], tau[k], U, k)
    elif kind == BALL:
        for s in range(2, -1, -1):
            A, B, C, n, f = _eliminate(A, B, C, n, f, s, armature[k + s], tau[k + s], U, k + s)
    else:
        t, u = back(R, (tau[k], tau[k + 1], tau[k + 2])), back(R, (tau[k + 3], tau[k + 4], tau[k + 5]))
        for s in range(5, -1, -1):
            A, B, C, n, f = _eliminate(A, B, C, n, f, s, 0.0, t[s] if s < 3 else u[s - 3], U, k + s)
    if parent >= 0:
        c, d = get3(W, i, PRODUCT), get3(W, i, PRODUCT + 3)
        n = forth(R, add3(n, add3(symmetric(A, c), forth(B, d))))
        f = forth(R, add3(f, add3(back(B, c), symmetric(C, d))))
        n = add3(n, cross3(p, f))
        A, B, C = moved_inertia(R, p, A, B, C)
    return A, B, C, n, f


@inlined
def _accelerations(links, W, U, v, gravity, vd):
    """Outward: the joints' accelerations, from a base that accelerates upwards instead of gravity."""
    a, b = ZERO3, ZERO3
    for i in range(links.parent.shape[0]):
        j, k = links.parent[i], links.v_start[i]
        if j < 0:
            a, b = ZERO3, (-gravity[0], -gravity[1], -gravity[2])
        elif j != i - 1:
            a, b = get3(W, j, ACCELERATION), get3(W, j, ACCELERATION + 3)
        if links.kind[i] == SCREW:
            a, b = motion_into(links.fixed[i, 0], links.fixed[i, 1], links.fixed[i, 2], cycled(a), cycled(b))
            a, b = motion_into(W[i, 0], W[i, 1], links.fixed[i, 4], uncycled(a), uncycled(b))
            a = a[0] + W[i, PRODUCT], a[1] + W[i, PRODUCT + 1], a[2]
            b = b[0] + W[i, PRODUCT + 3], b[1] + W[i, PRODUCT + 4], b[2]
            vd[k] = _solve(U, k, a, b)
            a = a[0], a[1], a[2] + vd[k]
        else:
            a, b = _acceleration_of_others(links.kind[i], W, i, U, k, a, b, v, vd)
        put(a, W, i, ACCELERATION)
        put(b, W, i, ACCELERATION + 3)


@inlined
def _solve(U, k, a, b):
    """qdd = (u − Uᵀ a')/D."""
    return U[k, INVERSE] * (U[k, DRIVE] - dot3(get3(U, k, 0), a) - dot3(get3(U, k, 3), b))


@inner
def _acceleration_of_others(kind, W, i, U, k, a, b, v, vd):
    """Columns in the opposite order of their elimination; a free link's v̇ = R a + ω × v in world axes."""
    R, p = get9(W, i, ROTATION), get3(W, i, POSITION)
    b = add3(back(R, add3(b, cross3(a, p))), get3(W, i, PRODUCT + 3))
    a = add3(back(R, a), get3(W, i, PRODUCT))
    if kind == HINGE:
        vd[k] = _solve(U, k, a, b)
        return (a[0], a[1], a[2] + vd[k]), b
    if kind == SLIDER:
        vd[k] = _solve(U, k, a, b)
        return a, (b[0], b[1], b[2] + vd[k])
    for s in range(3):
        vd[k + s] = _solve(U, k + s, a, b)
        a = add3(a, (vd[k + s] * (s == 0), vd[k + s] * (s == 1), vd[k + s] * (s == 2)))
    if kind == FREE:
        for s in range(3):
            x = _solve(U, k + 3 + s, a, b)
            b = add3(b, (x * (s == 0), x * (s == 1), x * (s == 2)))
            vd[k + 3 + s] = x
        w, u = (v[k], v[k + 1], v[k + 2]), (v[k + 3], v[k + 4], v[k + 5])
        t = forth(R, (vd[k], vd[k + 1], vd[k + 2]))
        f = add3(forth(R, (vd[k + 3], vd[k + 4], vd[k + 5])), cross3(w, u))
        vd[k], vd[k + 1], vd[k + 2], vd[k + 3], vd[k + 4], vd[k + 5] = t[0], t[1], t[2], f[0], f[1], f[2]
    return a, b
