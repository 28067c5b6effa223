"""A function of time that has no value ends a run with its own name, not with that of a body it has spoilt."""

from __future__ import annotations

import pytest

import sim
from sim.backend import Diverged

PATH = {"target.target.path": {"formula": [0.5, "0.1*log(0.05 - t)", 0.5]}}
TORQUE = {"controller.push.type": "torque", "controller.push.torque.elbow": "sqrt(0.05 - t)"}
INPUT = {"input.push.joint": "elbow", "input.push.torque": "1/(t - 0.05)"}


SENTENCES = (
    (INPUT, 'torque of input "push" has no value at t = 0.05 s', ("impulse", "tree")),  # PyBullet refuses it at once
    (TORQUE, 'torque of controller "push" has no value at t = 0.051 s', ("impulse", "tree", "pybullet")),
    (PATH, 'path of target "target" has no value at t = 0.05 s', ("impulse", "tree", "pybullet")),
)


@pytest.mark.parametrize(("changes", "words", "engine"), [(c, w, e) for c, w, engines in SENTENCES for e in engines])
def test_what_has_no_value_is_named(changes, words, engine):
    world = sim.Simulation(sim.load("arm_reach", changes), backend=engine)
    with pytest.raises(Diverged) as stopped:
        world.advance(0.1)
    assert words in str(stopped.value)
    assert world.time < 0.0525
    world.close()
