"""The built-in scenes are what their descriptions say: masses, sizes, poses, limits and gains."""

from __future__ import annotations

from math import cos, hypot, pi, sin

import numpy as np
import pytest

from sim.files import builtin_names, load
from sim.model import compile_model
from sim.rest import rest_snapshot
from sim.scene import Scene, Shape
from sim.spatial.rotation import quat_to_matrix
from sim.target_path import position as target_position

ARMS = ("three_link_arm", "arm_gravity", "arm_pd", "arm_reach")
CHAINS = ("ball_chain", "hinge_chain")


@pytest.fixture(params=builtin_names())
def scene(request: pytest.FixtureRequest) -> Scene:
    return load(request.param)


def capsule_moments(mass: float, radius: float, length: float) -> tuple[float, float]:
    """Across and along the axis, by summing discs: ∫ρπr²(r²/4 + z²) dz and ∫ρπr⁴/2 dz."""
    z = (np.arange(200_000) + 0.5) / 200_000 * (length + 2 * radius) - (length / 2 + radius)
    beyond = np.maximum(np.abs(z) - length / 2, 0)
    square = radius**2 - beyond**2
    density = mass / square.sum()
    return float(density * (square * (square / 4 + z * z)).sum()), float(density * (square * square / 2).sum())


def test_every_scene_speaks_to_people(scene: Scene) -> None:
    assert scene.title and scene.summary.endswith(".")
    assert scene.group in ("Free bodies", "Joints", "Arms")
    assert 2 <= len(scene.try_this) <= 3
    assert all(sentence.endswith(".") for sentence in scene.try_this)
    assert len(scene.plots) == 2


def lowest(shape: Shape, position: np.ndarray, R: np.ndarray) -> float:
    """Height of a shape's lowest point: of a convex body, centre · z minus the support in the direction −z."""
    center = position + R @ shape.pose.position
    down = (R @ quat_to_matrix(np.array(shape.pose.rotation))).T @ [0.0, 0.0, 1.0]
    if shape.kind == "box":
        reach = np.abs(down) @ shape.size / 2
    else:
        radius, length = (*shape.size, 0.0)[:2]
        across = hypot(down[0], down[1]) if shape.kind == "cylinder" else 1.0
        reach = radius * across + abs(down[2]) * length / 2
    return float(center[2] - reach)


def test_every_scene_starts_above_the_floor(scene: Scene) -> None:
    snapshot = rest_snapshot(scene)
    for i, body in enumerate(scene.bodies):
        for shape in body.shapes:
            assert lowest(shape, snapshot.position[i], snapshot.rotation[i]) > 0
    for shape in scene.base_shapes:
        assert lowest(shape, np.zeros(3), np.eye(3)) > -1e-9


def test_scenes_are_grouped_together() -> None:
    groups = [load(name).group for name in builtin_names()]
    assert groups == ["Free bodies"] * 2 + ["Joints"] * 7 + ["Arms"] * 12


def test_the_free_body_spins_about_its_middle_axis() -> None:
    scene = load("free_body")
    (body,) = scene.bodies
    x, y, z = body.inertia[:3]

    assert scene.gravity == (0, 0, 0)
    assert max(abs(p) for p in body.inertia[3:]) < 1e-15
    assert y < x < z, "the spin is about x"
    assert min(x / y, z / x) > 1.2, "clearly distinct moments"
    assert hypot(*body.center) < 1e-15, "so that it turns on the spot"
    wx, wy, wz, *linear = body.velocity
    assert 0 < hypot(wy, wz) < 0.05 * wx
    assert linear == [0, 0, 0]


@pytest.mark.parametrize("name", CHAINS)
def test_chains_start_horizontal_and_at_rest(name: str) -> None:
    scene = load(name)
    model = compile_model(scene)
    snapshot = rest_snapshot(scene)
    across, along = capsule_moments(0.25, scene.bodies[0].shapes[0].size[0], 0.25)

    np.testing.assert_allclose(model.body_mass, 0.25)
    np.testing.assert_allclose(model.body_center, [[0.125, 0, 0]] * 3, atol=1e-15)
    np.testing.assert_allclose(model.body_inertia, [np.diag([along, across, across])] * 3, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(snapshot.position[:, 2], 1.0, atol=1e-15)
    np.testing.assert_allclose(snapshot.rotation[:, 2, 0], 0.0, atol=1e-15)
    tips = snapshot.position + snapshot.rotation @ [0.25, 0, 0]
    np.testing.assert_allclose(tips[:-1], snapshot.position[1:], atol=1e-15)
    assert not snapshot.v.any()
    assert {j.kind for j in scene.joints} == {name.removesuffix("_chain")}
    assert not model.dof_damping.any()


def test_the_hinge_chain_swings_in_one_plane() -> None:
    assert [j.axis for j in load("hinge_chain").joints] == [(0, 1, 0)] * 3


def test_the_ball_chain_does_not() -> None:
    assert abs(rest_snapshot(load("ball_chain")).position[2, 1]) > 0.1


@pytest.mark.parametrize("name", ARMS)
def test_the_arm_has_the_sizes_of_its_description(name: str) -> None:
    scene = load(name)
    model = compile_model(scene)

    assert [j.name for j in scene.joints] == ["yaw", "shoulder", "elbow"]
    np.testing.assert_allclose(model.body_mass, [2, 2, 1.2])
    np.testing.assert_allclose(model.joint_position, [[0, 0, 0.3], [0, 0, 0.1], [0, 0, 0.5]])
    np.testing.assert_allclose(model.joint_axis, [[0, 0, 1], [0, 1, 0], [0, 1, 0]])
    np.testing.assert_allclose(model.joint_limits, [[-pi, pi], [-1.9, 1.9], [-2.4, 2.4]])
    np.testing.assert_allclose(model.dof_damping, 0.5)
    np.testing.assert_allclose(model.dof_torque_limit, 60.0)
    np.testing.assert_allclose(model.body_center[1:], [[0, 0, 0.25], [0, 0, 0.225]], atol=1e-15)
    for body, length in zip(model.body_inertia[1:], (0.5, 0.45), strict=True):
        link = scene.bodies[1 if length == 0.5 else 2]
        across, along = capsule_moments(link.mass, link.shapes[0].size[0], length)
        np.testing.assert_allclose(body, np.diag([across, across, along]), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("name", ARMS)
def test_the_tool_is_where_trigonometry_puts_it(name: str) -> None:
    snapshot = rest_snapshot(load(name))
    yaw, shoulder, elbow = snapshot.q
    out = 0.5 * sin(shoulder) + 0.45 * sin(shoulder + elbow)
    up = 0.4 + 0.5 * cos(shoulder) + 0.45 * cos(shoulder + elbow)

    np.testing.assert_allclose(snapshot.frames, [[out * cos(yaw), out * sin(yaw), up]], atol=1e-14)
    assert up > 0.3
    assert not snapshot.v.any()


def test_which_controllers_start_switched_on() -> None:
    switches = {name: {c.kind: c.enabled for c in load(name).controllers} for name in ARMS}
    assert switches == {
        "three_link_arm": {"gravity": False},
        "arm_gravity": {"gravity": True},
        "arm_pd": {"gravity": True, "joint_pd": True},
        "arm_reach": {"gravity": True, "jacobian_transpose": True},
    }


def test_arms_on_balls_have_the_controllers_of_those_on_hinges() -> None:
    kinds = {name: [c.kind for c in load(name).controllers] for name in ("ball_arm_gravity", "ball_arm_reach")}
    assert kinds == {"ball_arm_gravity": ["gravity"], "ball_arm_reach": ["gravity", "jacobian_transpose"]}
    scene = load("ball_arm_pd")
    assert {joint.kind for joint in scene.joints} == {"ball"}
    assert scene.controllers[-1].joint_target.keys() == {joint.name for joint in scene.joints}
    for name in ("ball_arm_gravity", "ball_arm_pd", "ball_arm_reach"):
        assert next(c for c in load(name).controllers if c.kind == "gravity").enabled


def test_joint_pd_aims_at_angles_within_the_limits_that_it_does_not_start_at() -> None:
    scene = load("arm_pd")
    goal = scene.controllers[-1].joint_target
    for joint in scene.joints:
        assert joint.limits is not None
        low, high = joint.limits
        assert low < goal[joint.name][0] < high
        assert abs(goal[joint.name][0] - joint.q[0]) > 0.3


def test_reaching_has_its_gains_and_a_circle_within_reach() -> None:
    scene = load("arm_reach")
    (target,) = scene.targets
    path = target.path
    assert path is not None
    assert scene.controllers[-1].gains == {"kp": 300, "kd": 40, "force_cap": 100}
    assert scene.plots == ("tool_error", "torque")
    assert (path.radius, path.period) == (0.15, 6)

    for time in np.linspace(0, 6, 24):
        position = target_position(target, time)
        assert 0.3 < np.linalg.norm(position - [0, 0, 0.4]) < 0.85, "well inside 0.95 m from the shoulder"
        assert position[2] > 0.3

    start = target_position(target, 0.0)
    assert 0.01 < np.linalg.norm(rest_snapshot(scene).frames[0] - start) < 0.1
