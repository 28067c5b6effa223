"""What changes while the tree engine runs (World), and its scratch (Work)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sim.dynamics.aba import U_WIDTH, WIDTH
from sim.model import BALL
from sim.tree.system import System

Array = np.ndarray[Any, np.dtype[Any]]

# What the ledger counts from the start of a run. PAST is how many steps ab4 can look back on, PAST_STEP how long
# they were.
WORK, STARTED, START_ENERGY, MOST_KINETIC, STEPS, UNSETTLED, PAST, PAST_STEP = range(8)
LEDGER = 8
# Places in Work.switches: whether friction or stops can act, a wrench on some body, an input on some joint, damping,
# and whether that is implicit over the step or part of the force at every stage.
BOUNDED, PUSHED, DRIVEN, DAMPED, IMPLICIT = range(5)
STAGES = 4


class World(NamedTuple):
    """All that the next step depends on; saved and restored exactly."""

    q: Array  # (nq,)
    v: Array  # (nv,)
    mode: Array  # (nv,) which bound friction and stops are at (bounds.py); of a ball: friction, swing, twist
    past_q: Array  # (3, nq) of ab4, the newest first: where the last steps began
    past_v: Array  # (3, nv)
    past_a: Array  # (3, nv)
    past_power: Array  # (3,)
    tau: Array  # (nv,) what acted in the last step: ab4 begins again where it jumps
    wrench: Array  # (nb, 6)
    ledger: Array  # (LEDGER,)


class Work(NamedTuple):
    """Scratch. Nothing here outlives a step."""

    switches: Array  # (5,) bool
    W: Array  # (n, WIDTH) of sim.dynamics.aba
    U: Array  # (nv, U_WIDTH)
    gravity: Array  # (3,) that of the scene, or none while impulses are answered
    tau: Array  # (nv,) all forces along the joints
    f_ext: Array  # (n, 6) wrenches on the links
    wrench: Array  # (nb, 6) wrenches on the bodies
    armature: Array  # (nv,) rotor + soft; infinite where a joint is held
    soft: Array  # (nv,) what implicit damping adds to a joint's inertia
    push: Array  # (nv,) the forces of friction and stops that are known
    low: Array  # (n,) bounds of the force that holds an axis
    high: Array  # (n,)
    slide: Array  # (nv,) added to a ball's ω for the direction of its friction [rad/s]
    creep: Array  # (n,) the damping that stands for the friction of a ball too slow for its steps [N·m·s/rad]
    began: Array  # (n, 2) swing and twist of balls when the part of a step began
    rest: Array  # (n, 2) which stop each of these rested on: 1 upper, −1 lower, 2 both, 0 none
    load: Array  # (n, 2) how hard that stop pushes [N·m]
    u: Array  # (STAGES, nv) distances of an integrator's stages from where the part of a step began
    v: Array  # (STAGES, nv) their velocities
    q: Array  # (nq,)
    du: Array  # (STAGES, nv) their rates
    dv: Array  # (STAGES, nv)
    power: Array  # (STAGES,)
    p: Array  # (nb, 3) poses, motions and velocities of sim.dynamics
    R: Array  # (nb, 3, 3)
    S: Array  # (nv, 6)
    V: Array  # (nb, 6)
    frames: Array  # (2, 3, 3)
    energy: Array  # (8,)
    q0: Array  # (2, nq) the state before the step, and before its last part
    v0: Array  # (2, nv)
    mode0: Array  # (nv,)
    ledger0: Array  # (2, LEDGER)
    row: Array  # (m, 2) rows of stops (rows.py): link, and 0 for axis or cone, 1 for twist
    J: Array  # (m, 3)
    answer: Array  # (m, nv) M⁻¹ Jᵀ
    A: Array  # (m, m) J M⁻¹ Jᵀ
    A_held: Array  # (m, m)
    target: Array  # (m,)
    impulse: Array  # (m,)
    active: Array  # (m,) bool
    both_ways: Array  # (m,) bool: the row may pull as well as push


def make_world(system: System, nq: int, nv: int) -> World:
    return World(
        q=np.zeros(nq),
        v=np.zeros(nv),
        mode=np.zeros(nv, dtype=np.int64),
        past_q=np.zeros((3, nq)),
        past_v=np.zeros((3, nv)),
        past_a=np.zeros((3, nv)),
        past_power=np.zeros(3),
        tau=np.zeros(nv),
        wrench=np.zeros((len(system.mass), 6)),
        ledger=np.zeros(LEDGER),
    )


def make_work(system: System, nq: int, nv: int) -> Work:
    n, nb = len(system.kind), len(system.mass)
    rows = int(np.where(system.kind == BALL, 2, 1)[system.bounded].sum())
    return Work(
        switches=np.zeros(5, dtype=np.bool_),
        W=np.zeros((n, WIDTH)),
        U=np.zeros((nv, U_WIDTH)),
        gravity=np.array(system.gravity),
        tau=np.zeros(nv),
        f_ext=np.zeros((n, 6)),
        wrench=np.zeros((nb, 6)),
        armature=np.zeros(nv),
        soft=np.zeros(nv),
        push=np.zeros(nv),
        low=np.zeros(n),
        high=np.zeros(n),
        slide=np.zeros(nv),
        creep=np.zeros(n),
        began=np.zeros((n, 2)),
        rest=np.zeros((n, 2), dtype=np.int64),
        load=np.zeros((n, 2)),
        u=np.zeros((STAGES, nv)),
        v=np.zeros((STAGES, nv)),
        q=np.zeros(nq),
        du=np.zeros((STAGES, nv)),
        dv=np.zeros((STAGES, nv)),
        power=np.zeros(STAGES),
        p=np.zeros((nb, 3)),
        R=np.zeros((nb, 3, 3)),
        S=np.zeros((nv, 6)),
        V=np.zeros((nb, 6)),
        frames=np.zeros((2, 3, 3)),
        energy=np.zeros(8),
        q0=np.zeros((2, nq)),
        v0=np.zeros((2, nv)),
        mode0=np.zeros(nv, dtype=np.int64),
        ledger0=np.zeros((2, LEDGER)),
        row=np.zeros((rows, 2), dtype=np.int64),
        J=np.zeros((rows, 3)),
        answer=np.zeros((rows, nv)),
        A=np.zeros((rows, rows)),
        A_held=np.zeros((rows, rows)),
        target=np.zeros(rows),
        impulse=np.zeros(rows),
        active=np.zeros(rows, dtype=np.bool_),
        both_ways=np.zeros(rows, dtype=np.bool_),
    )
