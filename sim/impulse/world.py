"""What changes while the impulse engine runs (World), and its scratch (Work)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sim.impulse.block import Block, make_block
from sim.impulse.system import System
from sim.impulse.tree import make_tree

Array = np.ndarray[Any, np.dtype[Any]]

BOUNDED, ACTED_ON, AT_DEAD_POINT = range(3)  # places in Work.switches
# What the ledger counts from the start of a run.
WORK, SOLVES, START_ENERGY, MOST_KINETIC, STARTED, DEAD_POINTS, USUAL_RANK, UNSETTLED, STEPS = range(9)
LEDGER = 9


class World(NamedTuple):
    """All that the next step depends on; saved and restored exactly."""

    x: Array  # (nb, 3) centres of mass
    R: Array  # (nb, 3, 3) principal axes
    P: Array  # (nb, 3) linear momenta
    L: Array  # (nb, 3) angular momenta about the centres of mass, world axes
    lam: Array  # (3, nb, 6) what the joints carried in the last three position solves, over h; world axes
    mu: Array  # (3, rows) the same for the rows of cut joints
    coordinate: Array  # (nj, 2) hinge angle with its turns, slide; swing and twist of a ball
    mode: Array  # (nj, 3) which bound friction and stops were at (sim/impulse/bounds.py)
    grip: Array  # (nj, 3, 3) where friction holds: a coordinate [0, 0], or the frame of a ball in its parent's
    ledger: Array  # (LEDGER,)


class Work(NamedTuple):
    """Scratch. Nothing here outlives a step but what is a function of the pose."""

    # What `factor_tree` leaves for `solve_tree`, for each body and the joint that carries it.
    arm: Array  # (nb, 3) from the anchor to the centre of mass
    reach: Array  # (nb, 3) from the parent's anchor to this one
    axis: Array  # (nb, 3) z of a hinge, a of a slider
    inertia: Array  # (nb, 21) articulated, with the joint's own motion projected out
    U: Array  # (nb, 6) IA S of hinges and sliders
    D: Array  # (nb,) 1/(Sᵀ IA S + s); 0 where the joint is held
    ball: Array  # (nb, 21) of balls: IA before the projection (A, H: 15), then (A + s)⁻¹ (6)
    root: Array  # (nb, 6, 6) of free bodies: the Cholesky factor of IA
    p: Array  # (nb, 6)
    u: Array  # (nb, 3) Sᵀ p − π
    b: Array  # (nb, 6) the joints' velocities that are asked for, beside S q̇
    pi: Array  # (nj,) momentum that a joint's own inertia and pushes bring along its axis
    qd: Array  # (nj, 3)

    block: Block
    switches: Array  # (3,) bool: whether friction or stops can act, whether anything but gravity and joints does,
    # and whether the step is one through a dead point
    fresh: Array  # (1,) 1 while tree and block are factored for the pose and for the five arrays below
    factored_soft: Array
    factored_slip: Array
    factored_held: Array
    factored_rows: Array
    factored_axis: Array
    soft: Array  # (nj,) what damping and rotors add to a joint's inertia
    slip: Array  # (nj, 4) of a sliding ball: what friction adds across its direction of sliding; that direction
    held: Array  # (nj,) joints that may not move
    hold_rows: Array  # (nj,) how many directions of a ball may not turn
    hold_axis: Array  # (nj, 2, 3) which
    hold_which: Array  # (nj,) 1: its swing, 2: its twist, 3: both
    hold_at: Array  # (nj, 2) the coordinates at which joints are held
    low: Array  # (nj, 3) bounds of the impulses of friction and stops: axis or cone, twist, ball friction
    high: Array  # (nj, 3)
    target: Array  # (nj, 2) the velocity at which an axis is held
    impulse: Array  # (nj, 3) what was found
    slip_speed: Array  # (nj,) of balls that slide
    settling: Array  # (nj,) 1 while that still changes
    rate: Array  # (nj, 3) joint velocities: at the start of the step, child axes for balls
    rate_half: Array  # (nj, 3) after its first half
    rate_end: Array  # (nj, 3) at its end
    middle: Array  # (nj, 3) averages over it: of the coordinates, and of a ball's speed
    rotor_speed: Array  # (nj,)
    theta: Array  # (nj,) share of the damping that is implicit
    V: Array  # (nb, 6) at the centres of mass
    momentum: Array  # (nb, 6) [angular; linear]
    J: Array  # (nb, 6) impulses [angular; linear]
    wrench: Array  # (nb, 6)
    held_tau: Array  # (nv,) joint forces of this call, in the scene's order
    held_wrench: Array  # (nb, 6)
    given: Array  # (nb, 6) wrenches that do not come from joint torques
    torque: Array  # (nv,) in the scene's order
    tau: Array  # (nj, 3) torques of active joints
    anchor: Array  # (nb, 3)
    x_new: Array
    R_new: Array
    active: Array  # (nj,) bool: joints whose velocities are needed
    G: Array  # (nj, 3, 12) their rows at the present pose
    start: Array  # (nj, 2) coordinates at the start of the step
    base: Array  # (nb, 6) joint velocities that feedback asks for
    base_rows: Array  # (rows of the block,)
    gamma: Array  # (6,)
    frames: Array  # (4, 3, 3)
    points: Array  # (3, 3)
    directions: Array  # (2, 3)
    good: Array  # (2, ...) copies of the world: before the step, and before its last part


def make_world(system: System) -> World:
    nb, nj = len(system.mass), len(system.kind)
    return World(
        x=np.zeros((nb, 3)),
        R=np.tile(np.eye(3), (nb, 1, 1)),
        P=np.zeros((nb, 3)),
        L=np.zeros((nb, 3)),
        lam=np.zeros((3, nb, 6)),
        mu=np.zeros((3, int(system.row_start[-1]))),
        coordinate=np.zeros((nj, 2)),
        mode=np.zeros((nj, 3), dtype=np.int64),
        grip=np.zeros((nj, 3, 3)),
        ledger=np.zeros(LEDGER),
    )


def make_work(system: System, nv: int) -> Work:
    nb, nj = len(system.mass), len(system.kind)
    size = sum(a.size for a in make_world(system))
    block = make_block(system)
    return Work(
        **make_tree(nb, nj),
        block=block,
        switches=np.zeros(3, dtype=np.bool_),
        fresh=np.zeros(1, dtype=np.int64),
        factored_soft=np.zeros(nj),
        factored_slip=np.zeros((nj, 4)),
        factored_held=np.zeros(nj, dtype=np.bool_),
        factored_rows=np.zeros(nj, dtype=np.int64),
        factored_axis=np.zeros((nj, 2, 3)),
        soft=np.zeros(nj),
        slip=np.zeros((nj, 4)),
        held=np.zeros(nj, dtype=np.bool_),
        hold_rows=np.zeros(nj, dtype=np.int64),
        hold_axis=np.zeros((nj, 2, 3)),
        hold_which=np.zeros(nj, dtype=np.int64),
        hold_at=np.zeros((nj, 2)),
        low=np.zeros((nj, 3)),
        high=np.zeros((nj, 3)),
        target=np.zeros((nj, 2)),
        impulse=np.zeros((nj, 3)),
        slip_speed=np.zeros(nj),
        settling=np.zeros(nj, dtype=np.int64),
        rate=np.zeros((nj, 3)),
        rate_half=np.zeros((nj, 3)),
        rate_end=np.zeros((nj, 3)),
        middle=np.zeros((nj, 3)),
        rotor_speed=np.zeros(nj),
        theta=np.zeros(nj),
        V=np.zeros((nb, 6)),
        momentum=np.zeros((nb, 6)),
        J=np.zeros((nb, 6)),
        wrench=np.zeros((nb, 6)),
        held_tau=np.zeros(nv),
        held_wrench=np.zeros((nb, 6)),
        given=np.zeros((nb, 6)),
        torque=np.zeros(nv),
        tau=np.zeros((nj, 3)),
        anchor=np.zeros((nb, 3)),
        x_new=np.zeros((nb, 3)),
        R_new=np.zeros((nb, 3, 3)),
        active=np.zeros(nj, dtype=np.bool_),
        G=np.zeros((nj, 3, 12)),
        start=np.zeros((nj, 2)),
        base=np.zeros((nb, 6)),
        base_rows=np.zeros(len(block.rhs)),
        gamma=np.zeros(6),
        frames=np.zeros((4, 3, 3)),
        points=np.zeros((3, 3)),
        directions=np.zeros((2, 3)),
        good=np.zeros((2, size)),
    )
