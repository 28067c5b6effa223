"""Postures and lines against the figures they were worked out for, closed forms, and forward kinematics."""

from __future__ import annotations

from dataclasses import replace
from math import cos, hypot, pi, sin

import numpy as np
import pytest

import sim
from benchmarks.mechanisms import arm7, arm7_within_limits
from sim.dynamics.inverse_kinematics import _turn_to
from sim.jit import jit
from sim.robot import Robot
from sim.scene import Frame, Pose, Scene
from sim.spatial.blocks import get9
from sim.spatial.rotation import axis_angle_to_matrix, matrix_to_quat, quat_product, rotation_vector
from tests.worlds import random_tree


@pytest.fixture(scope="module")
def arm() -> Robot:
    return Robot(sim.load("arm_6r"))


@pytest.fixture(scope="module")
def planar() -> Robot:
    """Two links of 0.5 m in the plane y = 0, shoulder at a height of 1.3 m; positive angles lift."""
    return Robot(sim.load("planar_2r"))


def with_joint(scene: Scene, name: str, **changes: object) -> Robot:
    joints = tuple(replace(j, **changes) if j.name == name else j for j in scene.joints)
    return Robot(replace(scene, joints=joints))


def inside(robot: Robot, q: np.ndarray, tolerance: float = 1e-12) -> bool:
    low, high = robot.model.joint_limits.T
    return bool(np.all(q >= low - tolerance) and np.all(q <= high + tolerance))


def error(robot: Robot, frame: str, q: np.ndarray, wanted: np.ndarray) -> float:
    """The larger of distance and turn from the pose `wanted`."""
    pose = robot.pose(frame, q)
    turn = rotation_vector(wanted[:3, :3] @ pose[:3, :3].T)
    return max(float(np.linalg.norm(wanted[:3, 3] - pose[:3, 3])), float(np.linalg.norm(turn)))


class TestSixAxisArm:
    @pytest.mark.parametrize(
        ("place", "start", "clamped"),
        [
            ((-0.1, -0.7, 0.3), (-1.57, 0, -1.47, -1.47, -1.47, -1.47), ()),
            ((0.64, -0.10, 1.14), (0, 0.8, 0, 1, 2, 0), ("joint5",)),
        ],
    )
    def test_the_two_places(self, arm: Robot, place: tuple, start: tuple, clamped: tuple) -> None:
        found = arm.posture("tool", place, q=start)
        assert found.reached and found.iterations <= 100 and found.starts == 1
        assert np.linalg.norm(arm.pose("tool", found.q)[:3, 3] - place) < 1e-9
        assert inside(arm, found.q)
        assert np.abs(found.q - np.clip(start, *arm.model.joint_limits.T)).max() < 0.5  # sane, and near by
        assert found.clamped == clamped

    def test_the_straight_line(self, arm: Robot) -> None:
        begin, end = np.array([-0.1, -0.7, 0.3]), np.array([0.64, -0.1, 1.14])
        line = arm.line("tool", end)
        assert line.steps == 1270 and len(line.q) == 1271 and line.followed
        np.testing.assert_array_equal(line.q[0], arm.model.q0)
        points = np.array([arm.pose("tool", q)[:3, 3] for q in line.q])
        along = (end - begin) / np.linalg.norm(end - begin)
        off = points - begin - np.outer((points - begin) @ along, along)
        assert np.linalg.norm(off, axis=1).max() < 1e-6
        strides = np.linalg.norm(np.diff(points, axis=0), axis=1)
        assert strides.min() > 1e-3 and strides.max() < 1.001e-3 and np.linalg.norm(points[-1] - end) < 1e-6
        assert all(inside(arm, q) for q in line.q) and line.outside == 0.0
        assert np.abs(np.diff(line.q, axis=0)).max() == line.joint_step < 0.01

    def test_without_the_pull_to_the_middle_it_leaves_the_range(self, arm: Robot) -> None:
        line = arm.line("tool", (0.64, -0.1, 1.14), gain=0.0)
        assert not line.followed and line.joint == "joint5"
        assert line.outside == pytest.approx(0.33, abs=5e-3)

    def test_a_line_out_of_reach_ends_where_the_arm_does(self, arm: Robot) -> None:
        line = arm.line("tool", (3.0, 0.0, 0.5))
        assert not line.followed and 0 < len(line.q) - 1 < line.steps

    def test_whole_poses(self, arm: Robot) -> None:
        low, high = arm.model.joint_limits.T
        for q in np.random.default_rng(0).uniform(low, high, (100, 6)):
            pose = arm.pose("tool", q)
            found = arm.posture("tool", pose[:3, 3], matrix_to_quat(pose[:3, :3]))
            assert found.reached and error(arm, "tool", found.q, pose) < 1e-9 and inside(arm, found.q)


class TestSevenHinges:
    @pytest.mark.parametrize("whole", [True, False])
    def test_every_place_in_reach_is_reached_within_the_limits(self, whole: bool) -> None:
        robot = Robot(arm7_within_limits())
        low, high = robot.model.joint_limits.T
        poses = [robot.pose("flange", q) for q in np.random.default_rng(1).uniform(low, high, (1000, 7))]
        places = np.array([[*pose[:3, :3].ravel(), *pose[:3, 3]] for pose in poses])
        Q, _ = robot.inverse_kinematics("flange").postures(places, whole, robot.model.q0)
        for q, pose in zip(Q, poses, strict=True):
            assert np.linalg.norm(robot.pose("flange", q)[:3, 3] - pose[:3, 3]) < 1e-9
            assert not whole or error(robot, "flange", q, pose) < 1e-9
            assert inside(robot, q, 0.0)
        again, _ = robot.inverse_kinematics("flange").postures(places, whole, robot.model.q0)
        np.testing.assert_array_equal(again, Q)

    @pytest.mark.parametrize("short", [0.0, 1e-9, 1e-4, 0.3])
    @pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, -2, 3), (-1, 1e-4, 0)])
    def test_half_a_turn_away(self, axis: tuple, short: float) -> None:
        robot = Robot(arm7())
        start = robot.pose("flange", robot.model.q0)
        pose = np.eye(4)
        pose[:3, 3] = 0.35, 0.1, 0.5
        pose[:3, :3] = axis_angle_to_matrix(np.array(axis), pi - short) @ start[:3, :3]
        found = robot.posture("flange", pose[:3, 3], matrix_to_quat(pose[:3, :3]))
        assert found.reached and error(robot, "flange", found.q, pose) < 1e-9

    def test_hinges_without_limits_go_the_shorter_way_round(self) -> None:
        robot, rng = Robot(arm7()), np.random.default_rng(2)
        for _ in range(200):
            start, q = rng.uniform(-20, 20, (2, 7))
            pose = robot.pose("flange", q)
            found = robot.posture("flange", pose[:3, 3], matrix_to_quat(pose[:3, :3]), start)
            assert found.reached and np.abs(found.q - start).max() <= pi + 1e-12
            assert error(robot, "flange", found.q, pose) < 1e-9


@jit
def turn_to(D, R):
    return _turn_to(get9(D, 0, 0), get9(R, 0, 0))


@pytest.mark.parametrize("short", [3.0, 1.0, 0.5, 0.1, 1e-3, 1e-6, 0.0])
def test_the_turn_from_one_attitude_to_another(short: float) -> None:
    """By the quaternion's logarithm; exactly half a turn may go either way."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        axis = rng.normal(size=3)
        R = axis_angle_to_matrix(rng.normal(size=3), rng.uniform(0, pi))
        D = axis_angle_to_matrix(axis, pi - short) @ R
        w = np.array(turn_to(D.reshape(1, 9), R.reshape(1, 9)))
        wanted = (pi - short) * axis / np.linalg.norm(axis)
        apart = min(np.linalg.norm(w - wanted), np.linalg.norm(w + wanted) if short == 0.0 else np.inf)
        assert apart < 1e-9


class TestWhatIsOutOfReach:
    @pytest.mark.parametrize("x", [(1.5, 0.0), (-0.9, 1.2), (0.0, -3.0)])
    def test_the_nearest_is_the_arm_stretched_out(self, planar: Robot, x: tuple[float, float]) -> None:
        found = planar.posture("tool", (x[0], 0.0, 1.3 + x[1]))
        assert not found.reached
        assert found.distance == pytest.approx(hypot(*x) - 1.0, abs=1e-9)

    def test_beside_the_plane_of_the_arm(self, planar: Robot) -> None:
        found = planar.posture("tool", (0.6, 0.25, 1.6))
        assert not found.reached and found.distance == pytest.approx(0.25, abs=1e-9)

    def test_stops_keep_it_farther_away(self, planar: Robot) -> None:
        """The elbow bent by at least π/2 leaves the tool within √½ of the shoulder."""
        bent = with_joint(planar.model.scene, "elbow", limits=(pi / 2, 3.0))
        found = bent.posture("tool", (0.9, 0.0, 1.3))
        assert not found.reached and found.distance == pytest.approx(0.9 - 0.5**0.5, abs=1e-9)
        assert found.q[1] == pytest.approx(pi / 2, abs=1e-9)

    def test_an_attitude_that_the_arm_has_not(self, planar: Robot) -> None:
        """Turned about x by 0.1, which nothing does here: at best the tool is there, or turned about y by as much."""
        found = planar.posture("tool", (0.6, 0.0, 1.5), (cos(0.05), sin(0.05), 0, 0))
        assert not found.reached and found.angle > 0.0
        near = planar.pose("tool", found.q)
        assert np.linalg.norm(near[:3, 3] - (0.6, 0.0, 1.5)) == pytest.approx(found.distance, abs=1e-12)


class TestLimits:
    @pytest.mark.parametrize("side", [0, 1])
    def test_they_belong_to_the_range(self, arm: Robot, side: int) -> None:
        q = arm.model.joint_limits[:, side]
        found = arm.posture("tool", arm.pose("tool", q)[:3, 3], q=q)
        assert found.reached and found.iterations == 0 and found.clamped == ()

    def test_a_start_on_them_to_rounding_is_inside(self, arm: Robot) -> None:
        q = arm.model.joint_limits[:, 1]
        place = arm.pose("tool", q)[:3, 3]
        assert arm.posture("tool", place, q=q + 1e-13).clamped == ()
        assert arm.posture("tool", place, q=q + 1e-11).clamped == arm.joint_names

    def test_a_way_round_is_found_where_the_straight_one_is_barred(self, planar: Robot) -> None:
        """Elbow up is barred, so the arm that starts near it comes from below."""
        bent = with_joint(planar.model.scene, "elbow", limits=(0.0, 3.0))
        up = np.array([1.2, 0.0])
        place = bent.pose("tool", [1.2, 0.9])[:3, 3]
        found = bent.posture("tool", place, q=up)
        assert found.reached
        np.testing.assert_allclose(found.q, [1.2, 0.9], atol=1e-8)


class TestOtherArms:
    @pytest.mark.parametrize("seed", range(40))
    def test_hinges_and_sliders_in_any_tree(self, seed: int) -> None:
        scene = random_tree(seed, 10)
        turning = (replace(j, kind="hinge", q=j.q[:1], v=j.v[:1]) if j.kind == "ball" else j for j in scene.joints)
        tip = Frame("tip", "b9", Pose((0.1, -0.2, 0.3), (0.5, 0.5, -0.5, 0.5)))
        robot = Robot(replace(scene, joints=tuple(turning), frames=(tip,)))
        goal = robot.model.q0 + np.random.default_rng(seed).uniform(-0.7, 0.7, robot.model.nq)
        wanted = robot.pose("tip", goal)
        found = robot.posture("tip", wanted[:3, 3], matrix_to_quat(wanted[:3, :3]))
        assert found.reached and error(robot, "tip", found.q, wanted) < 1e-8
        carrying = robot.jacobian("tip", goal).any(axis=0)
        np.testing.assert_array_equal(found.q[~carrying], robot.model.q0[~carrying])

    def test_a_locked_joint_stays(self, arm: Robot) -> None:
        held = with_joint(arm.model.scene, "joint2", locked=True)
        found = held.posture("tool", held.pose("tool", (-1.0, 0.0, -1.2, -1.0, -0.5, -0.5))[:3, 3])
        assert found.reached and found.q[1] == arm.model.q0[1]
        line = held.line("tool", (-0.05, -0.65, 0.35))
        assert np.all(line.q[:, 1] == arm.model.q0[1])

    def test_a_slider(self) -> None:
        robot = Robot(sim.load("rp_robot"))
        found = robot.posture("carriage", (-3.0, 0.0, 1.5 + 4.0))
        assert found.reached
        angle, length = found.q
        at = (0.2 + length) * np.array([cos(angle), sin(angle)])
        np.testing.assert_allclose(at, (-3.0, 4.0), atol=1e-8)

    def test_attitudes_are_those_of_the_world(self) -> None:
        """A quarter turn about z on top of where the flange is."""
        robot = Robot(arm7())
        start = robot.pose("flange", robot.model.q0)
        turned = quat_product(np.array([cos(pi / 4), 0, 0, sin(pi / 4)]), matrix_to_quat(start[:3, :3]))
        found = robot.posture("flange", start[:3, 3], turned)
        moved = robot.pose("flange", found.q)[:3, :3] @ start[:3, :3].T
        np.testing.assert_allclose(moved, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-9)


@pytest.mark.parametrize(
    ("scene", "frame", "arguments", "words"),
    [
        ("ball_arm", "tool", ((0, 0, 1),), 'shoulder" is a ball joint'),
        ("free_body", "body", ((0, 0, 1),), "is a free joint"),
        ("arm_6r", "tol", ((0, 0, 1),), 'did you mean "tool"'),
        ("arm_6r", "tool", ((0, 0),), "position has 2 numbers; expected 3"),
        ("arm_6r", "tool", ((0, 0, 1), (2, 0, 0, 0)), "rotation is a quaternion of length 2"),
        ("arm_6r", "tool", ((0, 0, 1), None, (0, 0)), "q has 2 numbers; expected 6"),
    ],
)
def test_mistakes_are_told(scene: str, frame: str, arguments: tuple, words: str) -> None:
    robot = Robot(sim.load(scene))
    with pytest.raises(ValueError, match=words):
        robot.posture(robot.model.body_names[0] if frame == "body" else frame, *arguments)


def test_a_line_of_too_many_strides_is_refused(arm: Robot) -> None:
    with pytest.raises(ValueError, match="at most 1000000 strides"):
        arm.line("tool", (0.64, -0.1, 1.14), stride=1e-8)
