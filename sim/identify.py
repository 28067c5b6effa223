"""Identification: what a robot's masses, tensors, rotors and friction are, from how it moves under which torques.

    from sim.identify import from_run
    found = from_run(sim.Simulation(sim.load("planar_2r:identify")), 2.0).point_masses
    found.names, found.values, found.intervals, found.scene_values
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.analysis import point_masses
from sim.analysis.base_parameters import base_parameters, rank
from sim.analysis.least_squares import Estimate, estimate, student_95
from sim.analysis.motion import Motion, excitation, most_equations, of_columns, of_states
from sim.analysis.parameters import parameters_of, state_rows
from sim.analysis.triangle import Told, part
from sim.files.log import Log, read_log
from sim.model import Model, compile_model
from sim.robot import Robot
from sim.scene import Scene
from sim.simulation import Simulation

Array = np.ndarray[Any, np.dtype[Any]]

SAMPLES = 2000  # of an excitation
STEPS_AT_ONCE = 100
OVERDETERMINED = 6  # times as many equations as parameters, from random states


@dataclass(frozen=True)
class Found:
    """Quantities with their 95 % intervals, values ± intervals, beside what the scene says they are."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    values: Array
    intervals: Array
    scene_values: Array


@dataclass(frozen=True)
class Identification:
    """The combinations of parameters that the motion shows, and of two point masses their masses and lengths."""

    combinations: Found
    point_masses: Found | None
    residuals: Array  # (nv,) rms of what is not explained, by joint [N·m or N]
    equations: int
    possible: int  # combinations that some motion would show


def from_run(
    world: Simulation,
    seconds: float,
    noise: float = 0.0,
    seed: int = 0,
    each: Callable[[int], None] = lambda _: None,
    fitted: Told = lambda _: None,
) -> Identification:
    """Simulates the world as it is, controllers and inputs included; `each` is told the steps done."""
    parameters_of(world.model)
    log, last = Log(world.model), world.step_count + round(seconds / world.dt)
    log.add(world.history)
    while world.step_count < last:
        world.step(min(STEPS_AT_ONCE, last - world.step_count))
        log.add(world.history)
        each(world.step_count)
    return identified(of_columns(world.model, dict(zip(log.columns, log.rows.T, strict=True))), noise, seed, fitted)


def from_log(scene: Scene, path: str | os.PathLike[str], fitted: Told = lambda _: None) -> Identification:
    """From a log of this scene."""
    parameters_of(model := compile_model(scene))
    return identified(of_columns(model, read_log(path)), fitted=fitted)


def from_excitation(
    scene: Scene, seconds: float, noise: float = 0.0, seed: int = 0, fitted: Told = lambda _: None
) -> Identification:
    """Every joint moved through its range in sines, and the torques that takes."""
    parameters_of(model := compile_model(scene))
    robot = Robot(scene)
    if not seconds > 0.0:
        raise ValueError(f"an excitation of {seconds:g} s moves nothing; expected a longer one")
    q, v, a = excitation(model, np.linspace(0.0, seconds, min(SAMPLES, most_equations(model))), seed)
    needed = [robot.inverse_dynamics(*state) for state in zip(q, v, a, strict=True)]
    tau = np.array(needed) + model.dof_damping * v + model.dof_friction * np.sign(v)
    return identified(of_states(model, q, v, a, tau), noise, seed, fitted)


def identified(motion: Motion, noise: float = 0.0, seed: int = 0, fitted: Told = lambda _: None) -> Identification:
    """From any motion; noise is a share of each joint's rms torque. `fitted` is told the share of the work done."""
    model, parameters = motion.model, parameters_of(motion.model)
    motion = motion.noisy(noise, seed) if noise else motion
    W, tau, joint = motion.equations(motion.rows)
    if not tau.any():
        raise ValueError("no torque is known while a joint moves; expected motors or inputs that move the robot")
    base = base_parameters(W, parameters.names, part(fitted, 0, 3))
    if len(W) <= len(base):
        raise ValueError(f"{len(W)} equations for {len(base)} parameters are too few; expected a longer motion")
    fit = estimate(W[:, base.columns], tau, joint, model.nv, part(fitted, 1, 3))
    units = tuple(parameters.units[k] for k in base.columns)
    found = Found(base.names, units, fit.values, fit.intervals, base.combination @ parameters.values)
    return Identification(found, masses_and_lengths(motion), fit.residuals, len(W), possible(model, part(fitted, 2, 3)))


def possible(model: Model, each: Told = lambda _: None) -> int:
    """How many combinations of parameters motion can show at all: the rank for random states."""
    parameters = parameters_of(model)
    n = OVERDETERMINED * len(parameters.names) // model.nv + 1
    moves = ~model.joint_locked[model.dof_joint]
    q, v, a = np.random.default_rng(0).uniform(-2.0, 2.0, (3, n, model.nv)) * moves
    W = state_rows(model, q + model.q0 * ~moves, v, a)[:, moves]
    return rank(W.reshape(-1, len(parameters.names)), each)


def masses_and_lengths(motion: Motion) -> Found | None:
    """Of two point masses in a plane; None for other robots, and for motions that do not show them."""
    if motion.points is None:
        return None
    H, tau, joint = motion.equations(motion.points)
    if rank(H) < len(point_masses.COLUMNS):
        return None
    fit: Estimate = estimate(H, tau, joint, motion.model.nv)
    values, slope = point_masses.solved(fit.values)
    spread = student_95(fit.freedom) * np.sqrt(np.diag(slope @ fit.covariance @ slope.T))
    scene_values = point_masses.true_values(motion.model)
    return Found(point_masses.NAMES, point_masses.UNITS, values, spread, scene_values)
