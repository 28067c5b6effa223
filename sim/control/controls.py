"""What controllers work on: the world as it moves, their targets and gains, and the torques they give.

Everything is one bundle of arrays, so that a controller is a compiled kernel `kernel(c, i)`: it reads c, its own gains
c.gains[i], and writes its joint forces to c.tau[i]. Kernels are called by their addresses (sim/jit.py): only those that
a scene has are compiled.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sim.dynamics.aba import U_WIDTH, WIDTH
from sim.dynamics.kinematics import kinematics
from sim.dynamics.links import Links, links_of
from sim.dynamics.tree import Tree, body_joints, tree_of, tree_tuple
from sim.jit import call, inner, jit
from sim.model import Model
from sim.spatial.kernels import cross, rotate

Array = np.ndarray[Any, np.dtype[Any]]
Shapes = dict[str, tuple[int, ...]]

MOST_GAINS = 5
MOST_ACCELERATION = 25.0 * 9.81  # [m/s²] that the mouse gives the body it holds
OMEGA = 2.0 * np.pi * 4.0  # [rad/s] of the mouse's spring


class Controls(NamedTuple):
    """nc controllers, nt targets, nb bodies, nf frames."""

    tree: Tree
    body_joint: Array  # (nb,)
    mass: Array  # (nb,)
    center: Array  # (nb, 3)
    inertia: Array  # (nb, 3, 3)
    gravity: Array  # (3,)
    rotor: Array  # (nv,)
    damping: Array  # (nv,)
    limit: Array  # (nv,) of all torques together
    actuated: Array  # (nv,) bool
    locked: Array  # (nv,) bool
    joint: Array  # (nv,) whose velocity it is
    span: Array  # (nv, 2) limits of hinges and sliders
    links: Links  # of forward dynamics

    q: Array  # (nq,) the world at the step boundary, as the engine reports it
    v: Array  # (nv,)
    p: Array  # (nb, 3) poses and motions at the world origin of that q (sim.dynamics.kinematics)
    R: Array  # (nb, 3, 3)
    S: Array  # (nv, 6)
    moment: Array  # (2,) time [s] and step [s]

    place: Array  # (1,) where the kernel of that name is
    address: Array  # (nc,) where the controllers' kernels are
    helper: Array  # (nc,) and those that help them
    on: Array  # (nc,) bool
    late: Array  # (nc,) bool: answers what the others do
    gains: Array  # (nc, MOST_GAINS)
    target: Array  # (nc,) which target, or 0
    q_target: Array  # (nc, nq) joint coordinates to hold
    program: Array  # (nc, nv, 2) where the programs of timed torques begin and end
    op: Array  # their instructions (sim.expression), and those of paths
    value: Array
    stack: Array
    memory: Array  # (nc, 4 + nq) of controllers that have some (sim/control/detour.py); at first all nan
    tau: Array  # (nc, nv) what each gives [N·m or N]
    total: Array  # (nv,) their sum within the limits

    point: Array  # (nt, 3) targets [m]
    velocity: Array  # (nt, 3) [m/s]
    turn: Array  # (nt, 3, 3) attitudes
    following: Array  # (nt,) bool: moves on its own path
    path_address: Array  # (nt,) of the kernels that move them
    path: Array  # (nt, 10) constants of the paths (sim/control/paths.py)
    way: Array  # (points, 3) of all paths through points
    way_start: Array  # (nt + 1,)
    way_program: Array  # (nt, 3, 2) where the formulas of a path begin and end
    tool_body: Array  # (nt,) the frames that shall reach them
    tool_at: Array  # (nt, 3)
    tool_turn: Array  # (nt, 3, 3)

    grip: Array  # (1,) the body that the mouse holds, or -1
    grip_at: Array  # (2, 3) the point held, in body axes, and where it is pulled to
    pull: Array  # (2, 3) the held point in the world [m] and the force there [N]
    wrench: Array  # (nb, 6) on the bodies about their centres of mass [N·m; N]

    V: Array  # (nb, 6) scratch
    A: Array  # (nb, 6)
    f: Array  # (nb, 6)
    dS: Array  # (nv, 6)
    inertias: Array  # (nb, 10)
    M: Array  # (nv, nv)
    J: Array  # (6, nv)
    X: Array  # (3, nv)
    row: Array  # (6, nv)
    trial: Array  # (nq,)
    no_wrench: Array  # (nb, 6)
    f_ext: Array  # (n, 6) of forward dynamics, with its work arrays
    W: Array  # (n, WIDTH)
    U: Array  # (nv, U_WIDTH)
    frames: Array  # (2, 3, 3)


def bare_controls(model: Model, nc: int) -> Controls:
    """Room for nc controllers and the model's targets, all off and still."""
    nb, nv, nt = len(model.body_names), model.nv, len(model.target_names)
    frame, links = model.target_frame, links_of(model)[0]
    zeros = {name: np.zeros(shape) for name, shape in _shapes(nb, nv, nt, nc, len(links.parent)).items()}
    return Controls(
        **zeros,
        trial=np.zeros(model.nq),
        tree=tree_of(model),
        body_joint=body_joints(model),
        mass=model.body_mass,
        center=model.body_center,
        inertia=model.body_inertia,
        gravity=model.gravity,
        rotor=model.dof_rotor,
        damping=model.dof_damping,
        limit=model.dof_torque_limit,
        actuated=model.dof_actuated,
        locked=model.joint_locked[model.dof_joint],
        joint=model.dof_joint,
        span=model.joint_limits[model.dof_joint],
        links=links,
        q=np.array(model.q0),
        v=np.array(model.v0),
        place=np.zeros(1, dtype=np.int64),
        address=np.zeros(nc, dtype=np.int64),
        helper=np.zeros(nc, dtype=np.int64),
        on=np.zeros(nc, dtype=np.bool_),
        late=np.zeros(nc, dtype=np.bool_),
        target=np.zeros(nc, dtype=np.int64),
        q_target=np.tile(model.q0, (nc, 1)),
        program=np.zeros((nc, nv, 2), dtype=np.int64),
        op=np.zeros(0, dtype=np.int64),
        memory=np.full((nc, 4 + model.nq), np.nan),
        point=np.array(model.target_start),
        turn=np.array(model.target_turn),
        following=np.zeros(nt, dtype=np.bool_),
        path_address=np.zeros(nt, dtype=np.int64),
        way_start=np.zeros(nt + 1, dtype=np.int64),
        way_program=np.zeros((nt, 3, 2), dtype=np.int64),
        tool_body=model.frame_body[frame],
        tool_at=model.frame_position[frame],
        tool_turn=model.frame_rotation[frame],
        grip=np.full(1, -1, dtype=np.int64),
    )


def _shapes(nb: int, nv: int, nt: int, nc: int, links: int) -> Shapes:
    """Of the arrays of numbers that begin at zero."""
    bodies: Shapes = {"p": (nb, 3), "R": (nb, 3, 3), "wrench": (nb, 6), "no_wrench": (nb, 6), "inertias": (nb, 10)}
    bodies |= {"V": (nb, 6), "A": (nb, 6), "f": (nb, 6)}
    joints: Shapes = {"S": (nv, 6), "dS": (nv, 6), "total": (nv,), "U": (nv, U_WIDTH), "M": (nv, nv)}
    joints |= {"J": (6, nv), "X": (3, nv), "row": (6, nv)}
    others: Shapes = {"velocity": (nt, 3), "path": (nt, 10), "way": (0, 3), "gains": (nc, MOST_GAINS), "tau": (nc, nv)}
    others |= {"f_ext": (links, 6), "W": (links, WIDTH), "moment": (2,), "value": (0,), "stack": (1,)}
    return bodies | joints | others | {"grip_at": (2, 3), "pull": (2, 3), "frames": (2, 3, 3)}


@jit
def decide(c, time, h):
    """Controllers and mouse → c.total and c.wrench, held over the step of h from `time`.

    Over no time at all only the mouse pulls, as it would if time went on. Those that are `late` find in c.total what
    the others give. Where the sum passes a joint's limit, every share of it is cut in proportion, so that the shares
    still add up to what acts.
    """
    c.moment[0], c.moment[1] = time, h
    call(c.place[0], (c, c.q))
    _pull(c)
    if h == 0.0:
        return
    nc, nv = c.tau.shape
    for k in range(nv):
        c.total[k] = 0.0
    for turn in range(2):
        for i in range(nc):
            if c.on[i] and c.late[i] == (turn == 1):
                call(c.address[i], (c, i))
                for k in range(nv):
                    if not c.actuated[k]:
                        c.tau[i, k] = 0.0
                    c.total[k] += c.tau[i, k]
    for k in range(nv):
        if abs(c.total[k]) > c.limit[k]:
            share = c.limit[k] / abs(c.total[k])
            c.total[k] = c.limit[k] if c.total[k] > 0.0 else -c.limit[k]
            for i in range(nc):
                if c.on[i]:
                    c.tau[i, k] *= share


@jit
def place(c, q):
    """c.p, c.R, c.S at the joint coordinates q."""
    kinematics(tree_tuple(c.tree), q, c.p, c.R, c.S, c.frames[0], c.frames[1])


@jit
def move_targets(c, time):
    """Targets on their own paths: where they are at `time`, and how fast."""
    for i in range(c.point.shape[0]):
        if c.following[i]:
            call(c.path_address[i], (c, i, time))


@inner
def _pull(c):
    """The spring between the cursor and a grabbed point: as strong as the body can take, and no stronger.

        f = m ω² (anchor − x) − 2 m ω v,   ω = 2π · 4 Hz,   |f| ≤ 25 m · 9.81 m/s²

    Scaled by the mass of the grabbed body it is critically damped on that body alone, and at 1 ms far from unstable
    even on the end of a free rod, where a quarter of the mass resists.
    """
    for b in range(c.wrench.shape[0]):
        for k in range(6):
            c.wrench[b, k] = 0.0
    b = c.grip[0]
    if b < 0:
        return
    m, at = c.mass[b], c.grip_at
    a = rotate(c.R[b], at[0])
    d = rotate(c.R[b], c.center[b])
    x = c.p[b, 0] + a[0], c.p[b, 1] + a[1], c.p[b, 2] + a[2]
    u = point_velocity(c, b, x)
    f0 = m * OMEGA * (OMEGA * (at[1, 0] - x[0]) - 2.0 * u[0])
    f1 = m * OMEGA * (OMEGA * (at[1, 1] - x[1]) - 2.0 * u[1])
    f2 = m * OMEGA * (OMEGA * (at[1, 2] - x[2]) - 2.0 * u[2])
    size = np.sqrt(f0 * f0 + f1 * f1 + f2 * f2)
    share = min(1.0, m * MOST_ACCELERATION / max(size, 1e-300))
    f0, f1, f2 = share * f0, share * f1, share * f2
    n0, n1, n2 = cross(a[0] - d[0], a[1] - d[1], a[2] - d[2], f0, f1, f2)
    w = c.wrench[b]
    w[0], w[1], w[2], w[3], w[4], w[5] = n0, n1, n2, f0, f1, f2
    c.pull[0, 0], c.pull[0, 1], c.pull[0, 2] = x
    c.pull[1, 0], c.pull[1, 1], c.pull[1, 2] = f0, f1, f2


@inner
def point_velocity(c, body, x):
    """Of the point x [m] fixed to `body`, from the joints' motions: Σ v_k (S_k.linear + S_k.angular × x)."""
    u0, u1, u2 = 0.0, 0.0, 0.0
    b = body
    while b >= 0:
        j = c.body_joint[b]
        for k in range(c.tree.v_start[j], c.tree.v_start[j + 1]):
            s = c.S[k]
            e0, e1, e2 = cross(s[0], s[1], s[2], x[0], x[1], x[2])
            u0 += c.v[k] * (s[3] + e0)
            u1 += c.v[k] * (s[4] + e1)
            u2 += c.v[k] * (s[5] + e2)
        b = c.tree.parent[j]
    return u0, u1, u2
