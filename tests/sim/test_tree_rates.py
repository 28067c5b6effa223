"""How fast damping acts anywhere an arm can be: ab4 follows it only below h · rate = 0.3."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim.backend import create
from sim.files import load
from sim.model import BALL, FIXED, FREE, Model, compile_model
from sim.robot import Robot
from sim.scene import Scene
from sim.tree.system import system_of
from tests.worlds import free_control, quaternion, random_forest


def damped(seed: int) -> Scene:
    scene = random_forest(seed)
    return replace(scene, joints=tuple(replace(j, damping=0.05 * (j.kind != "fixed")) for j in scene.joints))


def anywhere(model: Model, rng: np.random.Generator) -> np.ndarray:
    """Every joint anywhere, or in line: multiples of π/2 are where links lie on each other's axes."""
    q, straight = np.array(model.q0), rng.random() < 0.3
    for j, kind in enumerate(model.joint_type):
        part = q[model.joint_q[j] : model.joint_q[j + 1]]
        if kind == BALL:
            part[:] = (1.0, 0.0, 0.0, 0.0) if straight else quaternion(rng)
        elif kind not in (FREE, FIXED):
            part[:] = rng.integers(-2, 3) * np.pi / 2 if straight else rng.uniform(-4, 4)
    return q


SCENES = {
    **{name: load(name) for name in ("arm_6r", "three_link_arm", "ball_arm")},
    **{f"tree {seed}": damped(seed) for seed in (1, 2, 3, 5, 8)},
}


@pytest.mark.parametrize("name", SCENES)
def test_damping_is_nowhere_faster_than_was_found(name: str) -> None:
    """The largest eigenvalue of M(q)⁻¹ D and d_k (M⁻¹)_kk, at poses that the search has not seen."""
    robot = Robot(SCENES[name])
    model, system = robot.model, system_of(robot.model)
    root, rng = np.sqrt(model.dof_damping), np.random.default_rng(9)
    for _ in range(600):
        scaled = root[:, None] * np.linalg.inv(robot.mass_matrix(anywhere(model, rng))) * root
        assert np.linalg.eigvalsh(scaled)[-1] <= system.stiffest[0]
    assert system.stiffest[0] > 0


def test_ab4_is_stable_where_an_arm_loses_most_of_its_inertia() -> None:
    """Pointing straight up it turns about its own axis, with a hundredth of its inertia: ω decays as exp(−rate t)."""
    scene = replace(load("three_link_arm"), gravity=(0.0, 0.0, 0.0), controllers=(), integrator="ab4")
    joints = tuple(replace(j, q=(0.0,), v=(3.0 * (j.name == scene.joints[0].name),)) for j in scene.joints)
    scene = replace(scene, joints=joints)
    model = compile_model(scene)
    rate = float(model.dof_damping[0] / Robot(scene).mass_matrix(model.q0)[0, 0])
    assert rate > 50
    h = 0.6 / rate  # ab4 itself would grow without bound
    backend, control = create("tree", model), free_control(model)
    for k in range(1, 40):
        backend.advance(control, h, 1)
        assert backend.read().v[0] == pytest.approx(3.0 * np.exp(-rate * k * h), rel=2e-3 * k, abs=1e-12)
