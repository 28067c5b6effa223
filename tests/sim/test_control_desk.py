"""Targets, gains and switches by command: what undoes them, what a state keeps, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim.command import FollowPath, SetGain, SetJointTarget, SetSwitch, SetTarget
from sim.control import CONTROLLERS
from sim.control.controls import MOST_GAINS
from sim.files import load
from sim.scene import ControllerSpec, SceneError
from sim.simulation import Simulation

SETTINGS = (
    ("arm_reach", SetTarget("target", (0.4, 0.1, 0.7))),
    ("arm_reach", SetTarget("target", (0.4, 0.1, 0.7), (0.6, 0.8, 0.0, 0.0))),
    ("arm_reach", FollowPath("target", False)),
    ("arm_reach", SetGain("reach", "kp", 555.0)),
    ("arm_reach", SetSwitch("gravity", False)),
    ("arm_pd", SetJointTarget("pd", "elbow", (0.3,))),
    ("ball_arm_pd", SetJointTarget("pd", "elbow", (0.6, 0.0, 0.8, 0.0))),
)


def settings(world: Simulation) -> tuple[object, ...]:
    c = world.desk.controls
    return tuple(np.array(a).tolist() for a in (c.on, c.gains, c.q_target, c.point, c.following))


@pytest.mark.parametrize(("name", "command"), SETTINGS)
def test_an_inverse_brings_back_what_held_before_and_its_own_inverse_what_came_after(name, command):
    world = Simulation(load(name), "tree")
    world.step(10)
    before = settings(world)
    inverse = world.apply(command)
    after = settings(world)
    assert after != before and inverse is not None
    again = world.apply(inverse)
    if not isinstance(command, SetTarget) or command.rotation is None:
        assert settings(world) == before
    world.apply(again)
    assert world.desk.controls.q_target.tolist() == after[2] and world.desk.controls.on.tolist() == after[0]


@pytest.mark.parametrize("engine", ["impulse", "tree"])
@pytest.mark.parametrize("name", ["arm_reach", "ball_arm_pd", "arm_6r_reach"])
def test_steps_at_once_and_one_by_one_end_at_the_same_bits(name, engine):
    digests = set()
    for batch in (300, 1, 7):
        world = Simulation(load(name), engine)
        left = 300
        while left > 0:
            world.step(min(batch, left))
            left -= batch
        digests.add(world.state.digest())
    assert len(digests) == 1


@pytest.mark.parametrize("engine", ["impulse", "tree"])
def test_a_detour_is_part_of_the_state(engine):
    """The arm goes round its yaw stop; taken up in the middle, it ends at the same bits."""
    scene = load("arm_reach")
    joints = tuple(replace(j, q=q) for j, q in zip(scene.joints, ((2.9,), (0.9,), (1.0,)), strict=True))
    world = Simulation(replace(scene, joints=joints), engine)
    world.apply(SetTarget("target", (-0.6, -0.3, 0.6)))
    while world.desk.controls.memory[1, 0] != 1.0:
        assert world.time < 3.0, "it never went round"
        world.step(10)
    saved = world.state
    world.advance(3.0)
    end = world.state.digest()
    assert np.linalg.norm(world.snapshot().frames[0] - [-0.6, -0.3, 0.6]) < 1e-3
    world.state = saved.copy()
    world.advance(3.0)
    assert world.state.digest() == end


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (SetTarget("goal", (0.0, 0.0, 0.0)), 'no target "goal"'),
        (SetTarget("target", (float("nan"), 0.0, 0.0)), "three finite coordinates"),
        (SetTarget("target", (0.0, 0.0, 0.0), (1.0, 1.0, 0.0, 0.0)), "quaternion of length 1"),
        (SetGain("reach", "kp", 1e9), "0 to 3000 N/m"),
        (SetGain("reach", "ki", 1.0), 'no gain "ki"'),
        (SetSwitch("reech", True), 'no controller "reech"'),
        (SetJointTarget("reach", "elbow", (0.1,)), "controller of joints"),
        (SetJointTarget("gravity", "elbow", (0.1,)), "controller of joints"),
    ],
)
def test_nonsense_is_refused_in_a_sentence_and_changes_nothing(command, words):
    world = Simulation(load("arm_reach"), "tree")
    before = settings(world)
    with pytest.raises(ValueError, match=words):
        world.apply(command)
    assert settings(world) == before


def test_joint_targets_are_of_the_joint_they_are_for():
    world = Simulation(load("ball_arm_pd"), "tree")
    for q, words in (((0.1,), "4 finite numbers"), ((1.0, 1.0, 0.0, 0.0), "length 1")):
        with pytest.raises(ValueError, match=words):
            world.apply(SetJointTarget("pd", "elbow", q))


def test_what_needs_a_tree_is_refused_on_a_loop_and_the_rest_is_not():
    scene = load("four_bar")
    frame = replace(load("arm_reach").frames[0], body=scene.bodies[0].name)
    scene = replace(scene, frames=(frame,), targets=(replace(load("arm_reach").targets[0], path=None),))
    for kind, row in CONTROLLERS.items():
        torque = {scene.joints[0].name: (0.1,)} if row.gives_torques else {}
        spec = ControllerSpec("c", kind, target="target" if row.needs_target else None, torque=torque)
        if row.needs_tree:
            with pytest.raises(SceneError, match="closes a loop"):
                Simulation(replace(scene, controllers=(spec,)))
        else:
            Simulation(replace(scene, controllers=(spec,))).step(5)


def test_the_table_fits_the_kernels():
    for kind in CONTROLLERS.values():
        assert len(kind.gains) <= MOST_GAINS
        for gain in kind.gains:
            assert gain.low <= gain.default <= gain.high and gain.symbol and gain.tip
