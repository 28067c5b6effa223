"""What is known of a robot's motion, as equations for its parameters: W π = tau."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sim.analysis import point_masses
from sim.analysis.parameters import parameters_of, state_rows, step_rows
from sim.expression import compile_expression, value_at
from sim.model import HINGE, Model

Array = np.ndarray[Any, np.dtype[Any]]

STILL = 1e-9  # [rad/s, m/s] below which nobody knows how much friction holds
AT_STOP = 1e-6  # [rad, m] beside what a joint moves in a step
MOST_NUMBERS = 20_000_000  # of float64 in all equations, 160 MB; what is made of them takes twice as much beside it
RANGE = 0.5  # [m] to either side, of sliders without limits
FILLED = 0.9  # of the joint range
WAVES, SLOWEST = 5, 0.1  # sines of a joint, [Hz] of the first


@dataclass(frozen=True)
class Motion:
    """n equations of nv joint forces each; those that are not `known` are left out."""

    model: Model
    rows: Array  # (n, nv, P)
    points: Array | None  # (n, nv, 5) of two point masses (sim.analysis.point_masses)
    tau: Array  # (n, nv) [N·m or N]
    known: Array  # (n, nv) bool

    def noisy(self, share: float, seed: int) -> Motion:
        """With Gaussian noise of a share of each joint's rms torque on its torques."""
        rms = np.sqrt(np.mean(self.tau**2, axis=0))
        noise = np.random.default_rng(seed).normal(size=self.tau.shape)
        return replace(self, tau=self.tau + share * rms * noise)

    def equations(self, rows: Array) -> tuple[Array, Array, Array]:
        """(m, P) coefficients, (m,) torques, and (m,) whose joint."""
        joint = np.broadcast_to(np.arange(self.model.nv), self.known.shape)
        known = rows.reshape(-1, rows.shape[2]) if self.known.all() else rows[self.known]
        return known, self.tau[self.known], joint[self.known]


def of_states(model: Model, q: Array, v: Array, a: Array, tau: Array) -> Motion:
    """From states with their accelerations and torques."""
    points = _points(model, lambda m: state_rows(m, q, v, a))
    moving = ~np.broadcast_to(model.joint_locked[model.dof_joint], v.shape)
    return Motion(model, state_rows(model, q, v, a), points, tau, moving & (np.abs(v) > STILL))


def of_steps(model: Model, times: Array, q: Array, v: Array, tau: Array) -> Motion:
    """From n states and the torques (n − 1, nv) that act between them; of very many steps some, evenly spread.

    Left out is what nobody knows: what holds a joint that is locked or stands still or turns round, and all of a step
    in which a joint may meet its stop.
    """
    first = spread(len(tau), most_equations(model))
    h, tau = np.diff(times)[first], tau[first]
    q01, v01 = (q[first], q[first + 1]), (v[first], v[first + 1])
    points = _points(model, lambda m: step_rows(m, h, q01, v01))
    locked, (low, high) = model.joint_locked[model.dof_joint], model.joint_limits[model.dof_joint].T
    still = (v01[0] * v01[1] <= 0.0) | (np.minimum(np.abs(v01[0]), np.abs(v01[1])) < STILL)
    near = AT_STOP + h[:, None] * np.maximum(np.abs(v01[0]), np.abs(v01[1]))
    free = ~((np.minimum(*q01) < low + near) | (np.maximum(*q01) > high - near)).any(axis=1)
    return Motion(model, step_rows(model, h, q01, v01), points, tau, free[:, None] & ~still & ~locked)


def most_equations(model: Model) -> int:
    """Steps or states for which there is room."""
    return max(MOST_NUMBERS // (model.nv * len(parameters_of(model).names)), 1)


def spread(count: int, most: int) -> Array:
    """At most so many of `count` places, evenly spread."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.int64))


def _points(model: Model, rows: Any) -> Array | None:
    return point_masses.regressor(model, rows) if point_masses.is_two_point_masses(model) else None


def of_columns(model: Model, columns: dict[str, Array]) -> Motion:
    """From a log's columns. Torques are those of the controllers and the scene's own inputs."""
    if driven := [i.name for i in model.scene.inputs if i.body is not None]:
        raise ValueError(f'input "{driven[0]}" pushes a body; parameters are identified from torques at joints alone')
    known = {f"q.{name}" for name in model.joint_names}
    if foreign := [c for c in columns if c.startswith("q.") and c.partition(" [")[0] not in known]:
        raise ValueError(f'the log has a column "{foreign[0]}" and this scene no such joint; expected its own log')
    units = [("rad", "rad/s", "N·m") if model.joint_type[j] == HINGE else ("m", "m/s", "N") for j in model.dof_joint]
    names = [model.joint_names[j] for j in model.dof_joint]
    times = _column(columns, "time [s]")
    q = np.column_stack([_column(columns, f"q.{n} [{u[0]}]") for n, u in zip(names, units, strict=True)])
    v = np.column_stack([_column(columns, f"v.{n} [{u[1]}]") for n, u in zip(names, units, strict=True)])
    if len(times) < 2 or not np.isfinite([*times, *q.ravel(), *v.ravel()]).all() or np.diff(times).min() <= 0.0:
        raise ValueError("the log has no steps forward in time; expected rows of a run, each later than the one before")
    tau = np.zeros((len(times) - 1, model.nv))
    for k, (name, unit) in enumerate(zip(names, units, strict=True)):
        if model.dof_actuated[k]:
            tau[:, k] = _column(columns, f"torque.{name} [{unit[2]}]")[1:]  # a row has what led to it
    return of_steps(model, times, q, v, tau + _inputs(model, times))


def _column(columns: dict[str, Array], name: str) -> Array:
    if name not in columns:
        raise ValueError(f'the log has no column "{name}"; expected its own log')
    return columns[name]


def _inputs(model: Model, times: Array) -> Array:
    """(n − 1, nv) means of the inputs at joints over the steps, by Simpson's rule."""
    out, middle = np.zeros((len(times) - 1, model.nv)), 0.5 * (times[1:] + times[:-1])
    for given in model.scene.inputs:
        first = int(model.joint_v[model.joint_names.index(str(given.joint))])
        for k, expression in enumerate(given.torque):
            program = compile_expression(expression)
            ends, half = (np.array([value_at(program, t) for t in at]) for at in (times, middle))
            out[:, first + k] += (ends[:-1] + 4.0 * half + ends[1:]) / 6.0
    return out


def excitation(model: Model, times: Array, seed: int) -> tuple[Array, Array, Array]:
    """q, v and a, each (n, nv), of sines of five frequencies a joint, within the limits; locked joints stay."""
    rng = np.random.default_rng(seed)
    q, v, a = (np.zeros((len(times), model.nv)) for _ in range(3))
    for k, j in enumerate(model.dof_joint):
        low, high = model.joint_limits[j]
        half = np.pi if model.joint_type[j] == HINGE else RANGE
        start = model.q0[k]
        low, high = (low if np.isfinite(low) else start - half), (high if np.isfinite(high) else start + half)
        amplitude, phase = rng.uniform(0.3, 1.0, WAVES), rng.uniform(0.0, 2.0 * np.pi, WAVES)
        amplitude *= FILLED * 0.5 * (high - low) / amplitude.sum()
        rate = 2.0 * np.pi * SLOWEST * (np.arange(WAVES) + rng.uniform(0.5, 1.5, WAVES))
        angle = np.outer(times, rate) + phase
        q[:, k] = 0.5 * (low + high) + np.sin(angle) @ amplitude
        v[:, k] = np.cos(angle) @ (amplitude * rate)
        a[:, k] = -np.sin(angle) @ (amplitude * rate**2)
        if model.joint_locked[j]:
            q[:, k], v[:, k], a[:, k] = start, 0.0, 0.0
    return q, v, a
