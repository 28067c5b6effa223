"""The energy of the links from what forward dynamics leaves behind, against the robot's own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim.backend import create
from sim.dynamics.aba import U_WIDTH, WIDTH, articulated_bodies
from sim.dynamics.balance import link_energy
from sim.dynamics.links import links_of
from sim.files import load
from sim.jit import jit
from sim.model import compile_model
from sim.robot import Robot
from tests.worlds import free_control, random_forest


@jit
def _energy(links, W, U, q, v, tau, armature, gravity, f_ext, vd):
    articulated_bodies(links, W, U, q, v, tau, armature, gravity, f_ext, vd)
    return link_energy(links, W, gravity)


@pytest.mark.parametrize("seed", range(30))
def test_links_have_the_energy_of_their_bodies(seed: int) -> None:
    """T = ½ vᵀ (M − rotors) v; V up to what is fixed to the world; the weight's power is −g(q)·v."""
    robot = Robot(random_forest(seed))
    model, (links, on) = robot.model, links_of(robot.model)
    n, nv = len(links.parent), model.nv
    if n == 0:
        return
    q, v = np.array(model.q0), np.random.default_rng(seed).normal(size=nv)
    work = np.zeros((n, WIDTH)), np.zeros((nv, U_WIDTH))
    given = np.zeros(nv), np.array(model.dof_rotor), np.array(model.gravity), np.zeros((n, 6)), np.zeros(nv)
    kinetic, potential, power = _energy(links, *work, q, v, *given)
    still = sum(
        9.81 * model.body_mass[b] * robot.pose(f"{name}.com", q)[2, 3]
        for b, name in enumerate(model.body_names)
        if on.link[b] < 0
    )
    assert kinetic == pytest.approx(robot.kinetic_energy(q, v) - 0.5 * model.dof_rotor @ v**2, rel=1e-12)
    assert potential == pytest.approx(robot.potential_energy(q) - still, rel=1e-12, abs=1e-11)
    assert power == pytest.approx(-robot.gravity_torques(q) @ v, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("wait", [3, 61, 100])
def test_letting_go_late_is_no_divergence(wait: int) -> None:
    """Out of rest, explicit Euler gains more than a tenth of what there is in its first ten steps."""
    scene = replace(load("double_pendulum:c"), integrator="explicit_euler")
    robot, model = Robot(scene), compile_model(scene)
    backend, control = create("tree", model), free_control(model)
    control.tau[:] = robot.gravity_torques(model.q0)
    backend.advance(control, 1e-3, wait)
    control.tau[:] = 0.0
    for _ in range(40):
        backend.advance(control, 1e-3, 1)
    assert np.abs(backend.read().v).max() > 0.1
