"""The account of a run against closed forms and balances."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from sim.backend import create
from sim.bundle import Bundle
from sim.command import PullBody, Reset, SetBackend
from sim.files import load
from sim.ledger import Ledger, enter, enter_momenta
from sim.model import Model, compile_model
from sim.scene import Body, Input, Joint, Pose, Scene
from sim.simulation import Simulation
from sim.state import Reading
from tests.worlds import energy, free_control, hanging, quaternion, random_tree

G = 9.81
STONE = Body("stone", 2.0, (0.1, 0.0, 0.2), (0.2, 0.22, 0.15, 0.03, -0.02, 0.04), pose=Pose((0.0, 0.0, 5.0)))
FALL = Scene("fall", "Fall", bodies=(replace(STONE, velocity=(0.0, 0.0, 0.0, 1.0, 0.0, 3.0)),))
SPACE = (0.0, 0.0, 0.0)


def test_a_falling_body_keeps_its_energy_exactly():
    with closing(Simulation(FALL, dt=0.01)) as world:
        world.advance(1.0)
        assert world.ledger.energy_drift < 1e-14
        assert world.ledger.energy_work == 0.0
        assert world.ledger.momentum_drift is None
        assert world.ledger.angular_momentum_drift < 1e-14


def test_semi_implicit_steps_lose_the_first_order_part_in_free_fall():
    """From rest after n steps E(0) − E = ½ m g² h² n, and V has fallen by m g² h² n (n + 1) / 2."""
    n = 50
    with closing(Simulation(replace(FALL, bodies=(STONE,)), "pybullet", 0.01)) as world:
        world.step(n)
        assert world.ledger.energy_drift == pytest.approx(1 / (n + 1), rel=1e-9)


def test_the_work_of_a_constant_force_is_the_energy_it_gives():
    """Through the centre of mass of a weightless body: W = ΔT, whatever the step."""
    model = compile_model(replace(FALL, gravity=SPACE))
    with closing(create("pybullet", model)) as engine:
        before = energy(model, engine.read())
        control = free_control(model)
        control.wrench[0, 3:] = (3.0, -2.0, 1.0)
        engine.advance(control, 0.01, 100)
        reading = engine.read()
        v = np.array([1.0, 0.0, 3.0]) + control.wrench[0, 3:] / 2.0
        assert reading.work == pytest.approx(0.5 * 2.0 * (v @ v - 10.0), rel=1e-12)
        assert reading.work == pytest.approx(energy(model, reading) - before, rel=1e-12)


def test_a_torque_and_a_damper_enter_with_their_work():
    """I ω' = τ − d ω from rest: W = ½ I ω², of which τ θ − W went into the damper."""
    scene = replace(hanging(0.0, damping=0.05), gravity=SPACE)
    model = compile_model(scene)
    off = []
    for h in (2e-3, 1e-3):
        with closing(create("pybullet", model)) as engine:
            control = free_control(model)
            control.tau[0] = 0.1
            engine.advance(control, h, round(0.2 / h))
            reading = engine.read()
            off.append(abs(reading.work - energy(model, reading)))
            assert 0 < reading.work < 0.1 * reading.q[0]
    assert off[0] / off[1] == pytest.approx(2.0, rel=0.05)


def test_work_is_part_of_a_saved_state():
    with closing(Simulation(load("arm_reach"), "pybullet")) as world:
        world.step(100)
        saved = world.state
        world.step(50)
        once = world.reading.work
        world.state = saved
        world.step(50)
        assert world.reading.work == once != 0.0


def test_the_balance_of_an_arm_on_pybullet_closes_as_the_step_shrinks():
    drifts = []
    for dt in (2e-3, 1e-3, 5e-4):
        with closing(Simulation(load("arm_reach"), "pybullet", dt)) as world:
            world.advance(1.0)
            assert abs(world.ledger.energy_work) > 0.1
            drifts.append(world.ledger.energy_drift)
    assert drifts[2] < 0.01
    assert drifts[0] / drifts[1] > 1.8 and drifts[1] / drifts[2] > 1.8


def test_the_energy_of_rotors_counts():
    start = [
        Simulation(hanging(0.3, v=(2.0,), rotor_inertia=rotor, gear=50.0)).ledger.energy_start for rotor in (0.0, 1e-5)
    ]
    assert start[1] - start[0] == pytest.approx(0.5 * 50.0**2 * 1e-5 * 2.0**2, rel=1e-12)


def conserved(scene: Scene) -> tuple[bool, bool]:
    """Whether linear and angular momentum have a drift at all."""
    with closing(Simulation(scene)) as world:
        return world.ledger.momentum_drift is not None, world.ledger.angular_momentum_drift is not None


def test_momenta_are_only_judged_where_something_conserves_them():
    held = Joint("pin", "ball", "world", "stone")
    push = Input("wind", body="stone", force=(1.0, 0.0, 0.0))
    weightless = replace(FALL, gravity=SPACE)
    resting = replace(STONE, pose=Pose())
    assert conserved(weightless) == (True, True)
    assert conserved(FALL) == (False, True)
    assert conserved(replace(weightless, bodies=(resting,), joints=(held,))) == (False, False)
    assert conserved(replace(weightless, inputs=(push,))) == (False, False)


def test_what_the_mouse_pulls_is_no_longer_judged():
    with closing(Simulation(replace(FALL, gravity=SPACE))) as world:
        world.step()
        assert world.ledger.momentum_drift == pytest.approx(0.0, abs=1e-14)
        world.apply(PullBody("stone", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)))
        world.step()
        assert world.ledger.momentum_drift is None and world.ledger.angular_momentum_drift is None


def test_a_floating_tree_keeps_its_momenta():
    scene = replace(random_tree(2, floating=True), gravity=SPACE)
    with closing(Simulation(scene)) as world:
        world.advance(0.5)
        assert world.ledger.momentum_drift < 1e-12
        assert world.ledger.angular_momentum_drift < 1e-11


def by_hand(model: Model, reading: Reading) -> np.ndarray:
    """T, V, momentum, and angular momentum about the common centre of mass."""
    mass, C, V = model.body_mass, np.zeros(3), np.zeros(3)
    centers, speeds = [], []
    for b, m in enumerate(mass):
        arm = reading.rotation[b] @ model.body_center[b]
        centers.append(reading.position[b] + arm)
        speeds.append(reading.twist[b, 3:] + np.cross(reading.twist[b, :3], arm))
        C, V = C + m * centers[-1] / mass.sum(), V + m * speeds[-1] / mass.sum()
    L = np.zeros(3)
    for b, m in enumerate(mass):
        R = reading.rotation[b]
        L += R @ model.body_inertia[b] @ R.T @ reading.twist[b, :3] + m * np.cross(centers[b] - C, speeds[b] - V)
    return np.array([energy(model, reading), 0.0, *(mass.sum() * V), *L])


def entered(ledger: Ledger, model: Model, r: Reading) -> None:
    book, sums = Bundle(ledger.book), by_hand(model, r)
    enter(book, sums, r.work, float(r.solves), r.joint_gap, r.joint_angle_error, False)
    bodies = model.body_mass, model.body_center, model.body_inertia
    enter_momenta(book, sums, *bodies, r.position, r.rotation, r.twist)


def pair(speed: float, spin: float) -> tuple[Model, Reading]:
    """Two equal bodies that fly apart along x and turn against each other about x; all sums are zero."""
    other = replace(STONE, name="other", center=(0.0, 0.0, 0.0), inertia=(0.2, 0.2, 0.2, 0.0, 0.0, 0.0), pose=Pose())
    first = replace(other, name="first")
    model = compile_model(Scene("pair", "Pair", gravity=SPACE, bodies=(first, other)))
    twist = np.array([[spin, 0, 0, speed, 0, 0], [-spin, 0, 0, -speed, 0, 0]], dtype=float)
    position = np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
    return model, Reading(model.q0, model.v0, position, np.tile(np.eye(3), (2, 1, 1)), twist, 0.0, 0.0)


def test_where_nothing_moves_as_a_whole_momenta_are_compared_with_what_the_parts_carry():
    """2 kg at ±1.5 m/s carry 6 kg·m/s; a disturbance of 6e-6 is 1e-6 of that. Spin: 2 · 0.2 · 5 = 2 N·m·s."""
    model, reading = pair(1.5, 5.0)
    ledger = Ledger(model)
    entered(ledger, model, reading)
    assert ledger.momentum_drift == ledger.angular_momentum_drift == 0.0
    disturbed = reading.twist.copy()
    disturbed[0, 3] += 3e-6
    disturbed[1, 0] += 1e-5
    changed = replace(reading, twist=disturbed)
    entered(ledger, model, changed)
    assert ledger.momentum_drift == pytest.approx(1e-6, rel=1e-4)
    assert ledger.angular_momentum_drift == pytest.approx(1e-6, rel=1e-4)


def test_a_moving_whole_is_compared_with_its_start():
    model, reading = pair(0.0, 0.0)
    forward, aside = np.eye(6)[3], np.eye(6)[4]
    ledger = Ledger(model)
    for speed in (0.0, 0.04, 0.0):
        entry = replace(reading, twist=reading.twist + 4.0 * forward + speed * aside)
        entered(ledger, model, entry)
    assert ledger.momentum_drift == pytest.approx(0.01, rel=1e-9), "the worst of all steps, not the last"


def test_resting_is_no_drift():
    rng = np.random.default_rng(0)
    with closing(Simulation(load("arm_gravity"), "pybullet")) as world:
        world.advance(0.2)
        assert world.ledger.energy_drift < 1e-3
    scene = replace(FALL, gravity=SPACE, bodies=(replace(STONE, pose=Pose(rotation=quaternion(rng))),))
    with closing(Simulation(scene)) as world:
        world.advance(0.1)
        ledger = world.ledger
        assert (ledger.energy_drift, ledger.momentum_drift, ledger.angular_momentum_drift) == (0.0, 0.0, 0.0)


def test_another_state_engine_or_start_opens_another_account():
    with closing(Simulation(load("hinge_chain"))) as world:
        saved = world.state
        world.advance(0.3)
        end = world.ledger.energy_end
        world.apply(SetBackend("pybullet"))
        assert world.ledger.energy_start == pytest.approx(end, rel=1e-9)
        world.advance(0.1)
        assert world.ledger.energy_drift > 1e-6
        world.state = saved
        assert world.ledger.energy_drift == 0.0
        world.advance(0.1)
        assert world.ledger.energy_drift < 1e-4
        world.apply(Reset())
        assert world.ledger.energy_start == world.ledger.energy_end and world.ledger.joint_gap < 1e-12
