"""The built-in mechanisms: their loops close, their sizes are those of the textbooks, nothing runs into the floor."""

from __future__ import annotations

from itertools import combinations
from math import atan2, cos, dist, hypot, pi, sin, sqrt
from typing import Any

import numpy as np
import pytest

from sim.files import load
from sim.model import Model, compile_model
from sim.rest import body_poses
from sim.scene import Body, Scene

LOOPS = {"four_bar": "rocker", "parallelogram": "right", "slider_crank": "slide"}


def joint_frames(model: Model, name: str) -> tuple[Any, Any, Any, Any]:
    """Where a joint is and how it is turned, seen from its parent and from its child."""
    p, R = body_poses(model, model.q0)
    j = model.joint_names.index(name)
    parent, child = model.joint_parent[j], model.joint_child[j]
    p_P, R_P = (p[parent], R[parent]) if parent >= 0 else (np.zeros(3), np.eye(3))
    return (
        p_P + R_P @ model.joint_position[j],
        R_P @ model.joint_rotation[j],
        p[child] + R[child] @ model.joint_child_position[j],
        R[child] @ model.joint_child_rotation[j],
    )


def anchor(scene: Scene, name: str) -> Any:
    return joint_frames(compile_model(scene), name)[0]


@pytest.mark.parametrize("name", LOOPS)
def test_the_last_joint_closes_the_loop_and_the_start_pose_is_closed(name: str) -> None:
    scene = load(name)
    model = compile_model(scene)
    assert [n for n, cut in zip(model.joint_names, model.joint_cut, strict=True) if cut] == [LOOPS[name]]
    assert scene.joints[-1].name == LOOPS[name]

    at, turned, child_at, child_turned = joint_frames(model, LOOPS[name])
    (q,) = scene.joints[-1].q
    axis = np.array(scene.joints[-1].axis)
    slide, turn = (q, 0.0) if scene.joints[-1].kind == "slider" else (0.0, q)
    np.testing.assert_allclose(child_at, at + turned @ axis * slide, atol=1e-15)
    # About −y by q: x goes to (cos q, 0, sin q).
    np.testing.assert_allclose(child_turned[:, 0], turned @ [cos(turn), 0, sin(turn)], atol=1e-15)


@pytest.mark.parametrize("name", LOOPS)
def test_loops_are_planar_and_only_the_crank_has_a_motor(name: str) -> None:
    scene = load(name)
    assert [j.actuated for j in scene.joints] == [True, False, False, False]
    assert all(j.axis == (0, -1, 0) for j in scene.joints if j.kind == "hinge")
    assert all(body.center[1] == 0 for body in scene.bodies)
    _, R = body_poses(compile_model(scene), compile_model(scene).q0)
    np.testing.assert_allclose(R[:, :, 1], [[0, 1, 0]] * len(scene.bodies), atol=1e-15)


@pytest.mark.parametrize("name", LOOPS)
def test_bars_that_meet_run_beside_each_other(name: str) -> None:
    """As in a real linkage: no bar can ever touch one that it is pinned to, whatever the angle."""
    scene = load(name)
    p, _ = body_poses(compile_model(scene), compile_model(scene).q0)
    depth = {body.name: y for body, y in zip(scene.bodies, p[:, 1], strict=True)}
    for joint in scene.joints:
        if joint.parent != "world" and joint.kind == "hinge":
            apart = abs(depth[joint.parent] - depth[joint.child])
            assert apart > half_depth(scene.body(joint.parent)) + half_depth(scene.body(joint.child))


def half_depth(body: Body) -> float:
    """Along y, of bars and blocks that are not turned about x."""
    return max(s.size[1] / 2 if s.kind == "box" else s.size[0] for s in body.shapes)


def test_the_crank_of_the_four_bar_can_turn_fully() -> None:
    """Grashof: shortest + longest < the sum of the others, and the shortest is the crank."""
    scene = load("four_bar")
    a, b, c, d = (anchor(scene, name) for name in ("crank", "pin", "tip", "rocker"))
    sides = ((a, b), (b, c), (c, d), (d, a))
    crank, coupler, rocker, ground = (float(np.linalg.norm((x - y)[[0, 2]])) for x, y in sides)
    assert (crank, coupler, rocker, ground) == pytest.approx((0.2, 0.45, 0.4, 0.5))
    assert crank + ground < coupler + rocker


def test_the_four_bar_is_open_and_upright() -> None:
    """Coupler and rocker above the ground line, by the law of cosines."""
    scene = load("four_bar")
    B, D = np.array([0.2 * cos(1.0), 0.2 * sin(1.0)]), np.array([0.5, 0.0])
    along = (D - B) / np.linalg.norm(D - B)
    reach = (0.45**2 - 0.4**2 + (D - B) @ (D - B)) / (2 * np.linalg.norm(D - B))
    C = B + reach * along + sqrt(0.45**2 - reach**2) * np.array([-along[1], along[0]])
    np.testing.assert_allclose(anchor(scene, "tip")[[0, 2]] - [0, 0.35], C, atol=1e-14)


def test_the_parallelogram_stays_one() -> None:
    """Equal arms, level bar, and less than a quarter turn from hanging: with no more energy it never lies flat."""
    scene = load("parallelogram")
    a, b, c, d = (anchor(scene, name) for name in ("left", "left_pin", "right_pin", "right"))
    np.testing.assert_allclose(b - a, c - d, atol=1e-15)
    assert np.linalg.norm((b - a)[[0, 2]]) == pytest.approx(0.3)
    np.testing.assert_allclose(c - b, [0.5, 0, 0], atol=1e-15)
    assert abs(atan2((b - a)[2], (b - a)[0]) + pi / 2) < 1.3
    assert not any(j.v for j in scene.joints) and not scene.inputs


def test_the_piston_is_where_trigonometry_puts_it() -> None:
    scene = load("slider_crank")
    r, length, angle = 0.15, 0.4, scene.joint("crank").q[0]
    stroke = r * cos(angle) + sqrt(length**2 - (r * sin(angle)) ** 2)
    np.testing.assert_allclose(anchor(scene, "wrist")[[0, 2]], [stroke, 0.25], atol=1e-15)
    assert scene.joint("slide").q[0] == pytest.approx(stroke, abs=1e-15)
    low, high = scene.joint("slide").limits or (0.0, 0.0)
    assert low < length - r and high > length + r, "no stop within the stroke"


@pytest.mark.parametrize("name", ["four_bar", "slider_crank"])
def test_the_motor_starts_gently(name: str) -> None:
    (motor,) = load(name).inputs
    assert (motor.joint, motor.body) == ("crank", None)
    assert str(motor.torque[0]).endswith("*min(t, 1)")


def test_the_long_chain_is_a_hundred_links_that_never_reach_the_floor() -> None:
    scene = load("long_chain")
    model = compile_model(scene)
    p, R = body_poses(model, model.q0)

    assert len(scene.bodies) == len(scene.joints) == 100
    assert model.tree_order.tolist() == list(range(100))
    np.testing.assert_allclose(p[:, 0], 0.1 * np.arange(100), atol=1e-12)
    np.testing.assert_allclose(p[:, 2], 10.5, atol=1e-12)
    np.testing.assert_allclose(R, np.tile(np.eye(3), (100, 1, 1)), atol=1e-15)
    assert p[0, 2] > 100 * 0.1 + 0.1
    assert [b.shapes[0].color for b in scene.bodies] == ["link", "link2"] * 50
    assert len({(b.mass, b.inertia) for b in scene.bodies}) == 1
    assert load("long_chain", {"chain.link.count": 50}).bodies == scene.bodies[:50]


@pytest.mark.parametrize(
    ("variant", "q"), [("", (0.2, 0.1)), (":a", (0.2, 0.1)), (":b", (0.5, 0.5)), (":c", (3 * pi / 4, 3 * pi / 4))]
)
def test_the_double_pendulum_is_that_of_the_figures(variant: str, q: tuple[float, float]) -> None:
    scene = load(f"double_pendulum{variant}")
    model = compile_model(scene)
    assert scene.variants == ("a", "b", "c")
    assert tuple(model.q0) == q and not model.v0.any()
    assert scene.gravity == (0, 0, -9.81)
    np.testing.assert_array_equal(model.joint_axis, [[1, 0, 0]] * 2)
    np.testing.assert_allclose(model.joint_position[1, 1:], [0, 0.7])
    np.testing.assert_allclose(model.joint_child_position[1, 1:], [0, 0])
    assert model.joint_position[1, 0] - model.joint_child_position[1, 0] > 0.06, "side by side"
    h, w = 0.06, 0.08
    for body, length in zip(scene.bodies, (0.7, 0.4), strict=True):
        moments = (w * w + length**2, h * h + length**2, h * h + w * w)
        assert body.mass == 1
        np.testing.assert_allclose(body.center, [0, 0, length / 2], atol=1e-16)
        np.testing.assert_allclose(body.inertia, [*(np.array(moments) / 12), 0, 0, 0], rtol=1e-14, atol=1e-17)
    post = next(s for s in scene.base_shapes if s.kind == "box")
    assert post.size[2] == 0.5
    assert post.pose.position[2] + 0.25 == model.joint_position[0, 2] > 0.7 + 0.4 + w, "both links can hang"


def bounding_radius(body: Body) -> float:
    """Of a ball around the origin that holds all shapes."""
    reach = {
        "box": lambda x, y, z: hypot(x, y, z) / 2,
        "sphere": lambda r: r,
        "cylinder": lambda r, length: hypot(r, length / 2),
        "capsule": lambda r, length: r + length / 2,
    }
    return float(max(hypot(*s.pose.position) + reach[s.kind](*s.size) for s in body.shapes))


def test_free_bodies_turn_on_the_spot_and_never_meet() -> None:
    scene = load("free_bodies")
    assert scene.gravity == (0, 0, 0) and not scene.joints
    assert len(scene.bodies) >= 5
    for body in scene.bodies:
        assert hypot(*body.center) < 1e-15, "so that it does not drift"
        assert body.velocity[3:] == (0, 0, 0) and hypot(*body.velocity[:3]) > 1
        assert body.pose.position[2] > bounding_radius(body)
    for a, b in combinations(scene.bodies, 2):
        assert dist(a.pose.position, b.pose.position) > bounding_radius(a) + bounding_radius(b) + 0.05
    kinds = {tuple(round(m / max(b.inertia[:3]), 2) for m in b.inertia[:3]) for b in scene.bodies}
    assert len(kinds) == len(scene.bodies), "all of them different"
