"""The two solvers of the impulse engine are one physics: linear along the tree, and the textbook's dense matrix.

Both stop a position solve at 1e-10 m of 1 ms (less of shorter steps), which leaves the velocities some 1e-10 apart.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from sim.files import load
from sim.files.builtin import builtin_names
from sim.scene import Scene
from sim.simulation import Simulation
from tests.tangles import EVERYTHING, closed, forest, furnished
from tests.twins import Twins, carried
from tests.worlds import random_tree

STABILISATIONS = ("rattle", "feedback")


def scenes() -> list[str]:
    """All but the longest; of a scene with point masses, which this engine refuses, its variant with inertia."""
    names = [name for name in builtin_names() if name != "long_chain"]
    return [f"{name}:rods" if "rods" in load(name).variants else name for name in names]


@pytest.mark.parametrize("name", scenes())
def test_solvers_agree_from_1000_states_along_a_run(name):
    """Every 10 ms of ten seconds, with the scene's inputs and the torques of its controllers."""
    twins = Twins(load(name))
    with closing(Simulation(load(name), "impulse")) as world:
        for _ in range(1000):
            twins.meet(world.state.engine)
            twins.control.time = world.time
            world.step()
            snapshot = world.snapshot()
            tau = sum(snapshot.torques.values(), np.zeros(twins.model.nv)) * twins.model.dof_actuated
            twins.control.tau[:] = np.clip(tau, -twins.model.dof_torque_limit, twins.model.dof_torque_limit)
            twins.step(1e-3)
            velocity, pose = twins.disagreement()
            assert velocity < 1e-9
            assert pose < 1e-9
            world.step(9)


def test_solvers_agree_on_a_hundred_links():
    velocity, pose = Twins(load("long_chain")).compare(1e-3, 20, 100)
    assert velocity < 1e-9
    assert pose < 1e-9


def pushed(scene: Scene, seed: int) -> Twins:
    rng = np.random.default_rng(seed)
    twins = Twins(scene)
    twins.control.tau[:] = rng.normal(size=twins.control.tau.shape)
    twins.control.wrench[:] = rng.normal(size=twins.control.wrench.shape)
    return twins


@pytest.mark.parametrize("stabilise", STABILISATIONS)
@pytest.mark.parametrize("what", [(), ("damping",), ("rotor",), ("locked",), ("friction",), ("limits",), EVERYTHING])
def test_solvers_agree_on_random_trees(what, stabilise):
    """Of one to eight bodies on every kind of joint, every third without a base, under random torques and wrenches."""
    for seed in range(12):
        tree = furnished(random_tree(seed, 1 + seed % 8, floating=seed % 3 == 0), seed, what)
        velocity, pose = pushed(replace(tree, stabilise=stabilise), seed).compare(1e-4, 20, 10)
        assert velocity < (1e-9 if "friction" not in what and "limits" not in what else 1e-8), seed
        assert pose < 1e-9


@pytest.mark.parametrize("stabilise", STABILISATIONS)
@pytest.mark.parametrize("kinds", [("ball",), ("hinge",), ("slider",), ("fixed",), ("hinge", "ball")])
def test_solvers_agree_on_forests_with_spatial_loops(kinds, stabilise):
    for seed in range(5):
        world = closed(forest(seed), seed, kinds)
        twins = pushed(replace(world, stabilise=stabilise), seed)
        velocity, pose = twins.compare(1e-4, 20, 10)
        assert velocity < 1e-9
        assert pose < 1e-9
        assert stabilise == "feedback" or twins.sparse.read().joint_gap < 1e-9


def test_solvers_agree_on_loops_with_everything():
    for seed in range(5):
        world = furnished(closed(forest(seed), seed, ("ball",)), seed, ("damping", "friction", "rotor"))
        velocity, pose = pushed(world, seed).compare(1e-4, 20, 10)
        assert velocity < 1e-8
        assert pose < 1e-9


def test_solvers_stay_together_through_many_steps():
    """Each with its own guesses: after 50 ms their tolerances have not added up to more than 1e-7."""
    for seed in range(4):
        twins = pushed(forest(seed), seed)
        twins.meet()
        twins.step(1e-3, 50)
        assert max(twins.disagreement()) < 1e-7


@pytest.mark.parametrize("seed", range(6))
def test_joints_of_trees_carry_the_same_in_both(seed):
    """Torques and forces are unique there. They are as exact as C/h² is: 1e-4 N a kilogram at 1 ms."""
    twins = pushed(random_tree(seed, 7, floating=seed % 2 == 0), seed)
    for _ in range(10):
        twins.meet()
        before = twins.sparse.save()
        twins.step(1e-3)
        ours, theirs = carried(twins.sparse, before), carried(twins.dense, before)
        assert np.abs(ours - theirs).max() < 3e-4 * max(1.0, np.abs(ours).max())
        assert np.abs(ours).max() > 1.0


def test_a_resting_joint_carries_the_weight():
    """A chain that hangs still: the position solve answers half a kick, with half the weight on the first hinge."""
    twins = Twins(load("hinge_chain", {"joint.anchor.q": np.pi / 2}))
    before = twins.sparse.save()
    twins.step(1e-3, 5)
    for engine in (twins.sparse, twins.dense):
        force = carried(engine, before)[0]
        weight = 9.81 * float(twins.model.body_mass.sum())
        assert force[5] == pytest.approx(0.5 * weight, rel=1e-6)
        assert np.abs(force[:5]).max() < 1e-6 * weight
