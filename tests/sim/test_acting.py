"""What acts, as snapshots tell it: controllers, inputs, joints; and only for who asked."""

from __future__ import annotations

import time

import numpy as np
import pytest

from sim.backend import BACKENDS, TELLING_LOADS, BackendError, silent, unavailable
from sim.command import Applied, Busy, LoadScene, StepOnce, WatchCauses, WatchForces
from sim.files import load
from sim.runner import Runner
from sim.simulation import Simulation

HERE = [name for name in BACKENDS if not unavailable(name)]


def test_the_table_of_engines_that_tell_loads_is_true():
    for name in HERE:
        world = Simulation(load("hinge_chain"), name)
        assert hasattr(world._engine, "joint_loads") == (name in TELLING_LOADS) == (not silent(name))
        if silent(name):
            with pytest.raises(BackendError, match="does not tell"):
                world.joint_loads()
            assert world.snapshot(forces=True).acting.loads is None
        world.close()


def test_the_joint_at_the_root_carries_what_accelerates_everything():
    """Newton: m_total (a_com − g) = force of the root joint, a_com from momenta a step apart."""
    world = Simulation(load("hinge_chain"), "impulse", dt=1e-4)
    world.advance(0.3)
    mass, center = world.model.body_mass, world.model.body_center

    def momentum() -> np.ndarray:
        r = world.reading
        arm = np.einsum("nij,nj->ni", r.rotation, center)
        return mass @ (r.twist[:, 3:] + np.cross(r.twist[:, :3], arm))

    before = momentum()
    world.step()
    force = world.snapshot(forces=True).acting.loads[0, 3:]
    world.step()
    rate = (momentum() - before) / (2 * world.dt)
    assert force == pytest.approx(rate - mass.sum() * world.model.gravity, abs=0.02)


def test_torques_are_those_of_controllers_within_limits_and_of_inputs():
    world = Simulation(load("arm_pd"), "impulse")
    world.step(5)
    acting = world.snapshot(forces=True).acting
    limit = world.model.dof_torque_limit
    assert acting.tau == pytest.approx(sum(world.snapshot().torques.values()))
    assert np.abs(acting.tau).max() == limit.max()  # the arm is far from where it should be
    driven = Simulation(load("rp_robot:forced"), "impulse")
    driven.step(200)
    acting, work = driven.snapshot(forces=True).acting, driven.reading.work
    power = acting.tau @ driven.v
    driven.step()
    assert abs(power) > 0.01 and (driven.reading.work - work) / driven.dt == pytest.approx(power, rel=0.02)


def test_snapshots_tell_forces_while_somebody_watches():
    runner = Runner(load("hinge_chain"), running=False)
    runner.start()
    try:
        assert wait(runner, WatchForces(True)).acting is not None
        assert wait(runner, WatchForces(False)).acting is None
    finally:
        runner.stop()


def wait(runner: Runner, command: WatchForces):
    runner.send(command)
    end = time.monotonic() + 120
    while time.monotonic() < end:
        event = runner.events.get(timeout=120)
        if isinstance(event, Applied) and event.command == command:
            assert event.inverse is None
            return runner.latest
        assert not isinstance(event, Busy) or event.sentence == "" or event.sentence.endswith("…")
    raise AssertionError("the command was not applied")


def test_the_runner_keeps_causes_while_somebody_watches_also_in_the_next_scene():
    runner = Runner(load("arm_gravity"), running=False)
    runner.start()
    for command in (StepOnce(5), WatchCauses(True), StepOnce(5), LoadScene(load("arm_reach")), StepOnce(3)):
        runner.send(command)
    runner.stop()
    _, values = runner.history.read("causes", 10.0)
    assert np.isfinite(values).all(1).tolist() == [False, *[True] * 3]
    runner.start()
    for command in (WatchCauses(False), StepOnce(2), WatchCauses(True), StepOnce(2)):
        runner.send(command)
    runner.stop()
    _, values = runner.history.read("causes", 10.0)
    assert np.isfinite(values).all(1).tolist() == [False] * 6 + [True] * 2
    said = [event.sentence for event in _drained(runner) if isinstance(event, Busy)]
    assert "Preparing the causes…" in said and said[-1] == ""
    runner.close()


def _drained(runner: Runner) -> list[object]:
    events = []
    while not runner.events.empty():
        events.append(runner.events.get())
    return events
