"""Open chains: joints that hold, energy and momenta that stay, and motions known to many digits."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from sim.backend import create
from sim.files import load
from sim.model import Model, compile_model
from sim.scene import Pose, Scene
from sim.simulation import Simulation
from sim.state import Reading
from tests.tangles import forest
from tests.worlds import free_control, random_tree, run

SPACE = (0.0, 0.0, 0.0)


def poses(reading: Reading) -> np.ndarray:
    return np.concatenate([reading.position.ravel(), reading.rotation.ravel()])


@pytest.mark.parametrize("name", ["ball_chain", "hinge_chain"])
def test_chains_hold_and_keep_their_energy_for_a_minute(name):
    """Every step of 60 s at 1 ms, as the account of a run has it.

    The motion is chaotic: after some 15 s the last bit of a sum decides which of many motions follows, and the fastest
    moment of that decides the drift. So the drift is the median of fifteen, under gravities that differ by rounding.
    """
    scene = load(name)
    down, drifts = np.array(scene.gravity), []
    for k in range(15):
        with closing(Simulation(replace(scene, gravity=tuple(down * (1 + 1e-13 * k))))) as world:
            world.advance(60.0)
            assert world.ledger.joint_gap <= 1e-9
            assert world.ledger.joint_angle_error <= 1e-9
            drifts.append(world.ledger.energy_drift)
    assert np.median(drifts) <= 1e-3


def test_a_hundred_links_hold_while_they_crack():
    """Through the crack of the whip, after 1.4 s, where the last links turn by half a radian a step."""
    with closing(Simulation(load("long_chain"))) as world:
        fastest = 0.0
        for _ in range(3000):
            world.step()
            fastest = max(fastest, float(np.abs(world.reading.twist[-5:, :3]).max()))
        assert fastest > 200.0
        assert world.ledger.joint_gap <= 1e-9
        assert world.ledger.joint_angle_error <= 1e-9


@pytest.mark.parametrize("name", ["ball_chain", "hinge_chain", "double_pendulum"])
def test_chains_converge_at_second_order(name):
    exact = poses(run(load(name), 1.0, 2.5e-5).read())
    coarse, fine = (np.abs(poses(run(load(name), 1.0, h).read()) - exact).max() for h in (1e-3, 5e-4))
    assert 1.9 < np.log2(coarse / fine) < 2.1


REFERENCES = {  # of 34 digits, at t = 4 s: q₁, q₂, q₁', q₂'
    "a": (18.258280778478, 8.850180755529, 4.567801104512, 4.120047018448),
    "b": (2.313101526686, -5.101177799781, 7.313378358916, -4.294554344625),
    "c": (3.449166380392, -7.857784683046, -2.491613155966, 8.830939391850),
}


@pytest.mark.parametrize("variant", REFERENCES)
def test_the_double_pendulum_comes_to_its_reference_as_the_step_shrinks(variant):
    """Four times nearer with every half, and extrapolated to nothing within 1e-6; chaos magnifies a miss of 1e-9 so."""

    def miss(h: float) -> np.ndarray:
        r = run(load(f"double_pendulum:{variant}"), 4.0, h).read()
        return np.concatenate([r.q, r.v]) - REFERENCES[variant]

    coarse, fine = miss(1e-4), miss(5e-5)
    assert coarse / fine == pytest.approx(4.0, rel=2e-3)
    assert np.abs((4 * fine - coarse) / 3).max() < 1e-6


def momenta(model: Model, r: Reading) -> np.ndarray:
    """Linear, and angular about the world origin."""
    linear, angular = np.zeros(3), np.zeros(3)
    for b, m in enumerate(model.body_mass):
        R, omega = r.rotation[b], r.twist[b, :3]
        arm = R @ model.body_center[b]
        v = r.twist[b, 3:] + np.cross(omega, arm)
        linear += m * v
        angular += np.cross(r.position[b] + arm, m * v) + R @ model.body_inertia[b] @ R.T @ omega
    return np.concatenate([linear, angular])


@pytest.mark.parametrize("solver", ["sparse", "dense"])
@pytest.mark.parametrize("seed", range(4))
def test_floating_trees_keep_their_momenta(seed, solver):
    scene = replace(random_tree(seed, 7, floating=True), gravity=SPACE, solver=solver)
    model = compile_model(scene)
    backend = create("impulse", model)
    before = momenta(model, backend.read())
    backend.advance(free_control(model), 1e-3, 2000)
    assert np.abs(momenta(model, backend.read()) - before).max() < 1e-11 * max(1.0, np.abs(before).max())


def test_what_acts_between_bodies_keeps_the_momenta_too():
    """Torques of joints, damping, friction and rotors without a stator on the world: L stays, rotors' spin aside."""
    scene = replace(random_tree(3, 7, floating=True), gravity=SPACE)
    joints = tuple(replace(j, damping=0.3, friction=0.2) if j.kind != "fixed" else j for j in scene.joints)
    model = compile_model(replace(scene, joints=joints))
    backend = create("impulse", model)
    before = momenta(model, backend.read())
    control = free_control(model)
    control.tau[6:] = np.random.default_rng(0).normal(size=model.nv - 6)
    backend.advance(control, 1e-3, 1000)
    assert np.abs(momenta(model, backend.read()) - before).max() < 1e-11 * max(1.0, np.abs(before).max())


def moved(scene: Scene, by: tuple[float, float, float]) -> Scene:
    def away(pose: Pose) -> Pose:
        return Pose(tuple(a + b for a, b in zip(pose.position, by, strict=True)), pose.rotation)

    joints = tuple(replace(j, at=away(j.at)) if j.parent == "world" else j for j in scene.joints)
    carried = {j.child for j in scene.joints}
    bodies = tuple(b if b.name in carried else replace(b, pose=away(b.pose)) for b in scene.bodies)
    return replace(scene, joints=joints, bodies=bodies)


@pytest.mark.parametrize("solver", ["sparse", "dense"])
def test_a_kilometre_from_the_origin_is_like_the_origin(solver):
    """Coordinates there have 1e-13 m, which the motion of half a second magnifies; nothing gets worse than that."""
    scene = replace(forest(2), solver=solver)
    by = (700.0, -500.0, 600.0)
    near, far = run(scene, 0.5, 1e-3).read(), run(moved(scene, by), 0.5, 1e-3).read()
    assert far.position - by == pytest.approx(near.position, abs=1e-8)
    assert far.twist == pytest.approx(near.twist, abs=1e-7)
    assert far.joint_gap < 1e-9


def test_trees_in_one_world_do_not_feel_each_other():
    """Each moves as it would alone, up to where the position solves of the others stop."""
    both = run(forest(4, (4, 5), (False, True)), 0.2, 1e-3).read()
    alone = run(random_tree(4, 4, False), 0.2, 1e-3).read()
    assert both.position[:4] == pytest.approx(alone.position, abs=1e-8)
    assert both.rotation[:4] == pytest.approx(alone.rotation, abs=1e-8)
