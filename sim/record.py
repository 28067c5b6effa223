"""What is kept of every step: energies and frames, a row of the history, an entry in the ledger."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sim.bundle import Bundle
from sim.control.controls import Controls
from sim.dynamics.energy import energy_and_momentum
from sim.dynamics.kinematics import frame_points
from sim.history import History
from sim.jit import address, call, inner, jit
from sim.ledger import Book, Ledger, enter, enter_momenta
from sim.model import Model
from sim.state import SOLVES, WORK, Array, Sight

SURVEYED, ENTERED, WRITTEN = 0.0, 1.0, 2.0  # how much is kept of a state


class Record(NamedTuple):
    """Everything that `record` reads and writes."""

    sight: Sight
    book: Book
    mass: Array  # (nb,)
    center: Array  # (nb, 3)
    inertia: Array  # (nb, 3, 3)
    gravity: Array  # (3,)
    rotor: Array  # (nv,)
    frame_body: Array  # (nf,)
    frame_position: Array  # (nf, 3)
    target_frame: Array  # (nt,)
    point: Array  # (nt, 3) the targets
    tau: Array  # (nv,)
    grip: Array  # (1,) the body that the mouse holds, or -1
    energy: Array  # (8,) of sim.dynamics.energy
    frames: Array  # (nf, 3)
    rows: Array
    counter: Array  # (1,)
    zero: Array  # (1,)
    momenta: Array  # (1,) where `enter_momenta` is, which only worlds that keep a momentum need
    explainer: Array  # (2,) where `explain` of sim/causes.py is and what it works on, while somebody watches; else 0


def make_record(model: Model, controls: Controls, sight: Sight, history: History, ledger: Ledger) -> tuple[Record, Any]:
    """The arrays, and the same as a bundle."""
    arrays = Record(
        sight=sight,
        book=ledger.book,
        mass=model.body_mass,
        center=model.body_center,
        inertia=model.body_inertia,
        gravity=model.gravity,
        rotor=model.dof_rotor,
        frame_body=model.frame_body,
        frame_position=model.frame_position,
        target_frame=model.target_frame,
        point=controls.point,
        tau=controls.total,
        grip=controls.grip,
        energy=np.zeros(8),
        frames=np.zeros((len(model.frame_names), 3)),
        rows=history.rows,
        counter=history.counter,
        zero=history.zero,
        momenta=np.zeros(1, dtype=np.int64),
        explainer=np.zeros(2, dtype=np.int64),
    )
    if ledger.book.kept.any():
        bodies = arrays.mass, arrays.center, arrays.inertia, sight.position, sight.rotation, sight.twist
        arrays.momenta[0] = address(enter_momenta, Bundle(ledger.book), arrays.energy, *bodies)
    return arrays, Bundle(arrays)


@inner
def _survey(r):
    """Energy, momentum and frames of what is in sight."""
    s = r.sight
    energy_and_momentum(r.mass, r.center, r.inertia, r.gravity, s.position, s.rotation, s.twist, r.energy)
    for k in range(s.v.shape[0]):
        r.energy[0] += 0.5 * r.rotor[k] * s.v[k] * s.v[k]
    frame_points(r.frame_body, r.frame_position, s.position, s.rotation, r.frames)


@inner
def _enter(r):
    """An entry in the ledger of what was surveyed."""
    s = r.sight
    enter(r.book, r.energy, s.account[WORK], s.account[SOLVES], s.errors[0], s.errors[1], r.grip[0] >= 0)
    if r.book.kept[0] or r.book.kept[1]:
        bodies = r.mass, r.center, r.inertia, s.position, s.rotation, s.twist
        call(r.momenta[0], (r.book, r.energy, *bodies))


@jit
def record(r, time, much):
    """Surveys the world; if that is not all, enters it in the ledger, and writes a row of the history."""
    _survey(r)
    if much >= ENTERED:
        _enter(r)
    if much < WRITTEN:
        return
    if r.explainer[0] != 0:
        call(r.explainer[0], (r.explainer[1], time))
    s, row = r.sight, r.rows[r.counter[0] % r.rows.shape[0]]
    if r.counter[0] == 0:
        r.zero[0] = r.energy[0] + r.energy[1]
    row[0] = time
    at = _copy(s.q, row, 1)
    at = _copy(s.v, row, at)
    at = _copy(r.tau, row, at)
    for t in range(r.target_frame.shape[0]):
        x, goal = r.frames[r.target_frame[t]], r.point[t]
        row[at] = math.sqrt((x[0] - goal[0]) ** 2 + (x[1] - goal[1]) ** 2 + (x[2] - goal[2]) ** 2)
        at += 1
    row[at], row[at + 1] = r.energy[0], r.energy[1]
    at = _copy(r.energy[5:8], row, at + 2)
    for k in range(3):
        w, R = s.twist[0], s.rotation[0]
        row[at + k] = R[0, k] * w[0] + R[1, k] * w[1] + R[2, k] * w[2]
    row[at + 3], row[at + 4] = r.zero[0], s.errors[0]
    at += 5
    for t in range(r.point.shape[0]):
        at = _copy(r.point[t], row, at)
    r.counter[0] += 1


@inner
def _copy(values, row, at):
    """Returns where the next values go."""
    for k in range(values.shape[0]):
        row[at + k] = values[k]
    return at + values.shape[0]
