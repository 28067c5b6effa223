"""The robot's numbers against the figures of the arms they were worked out for, closed forms, and its refusals."""

from __future__ import annotations

from dataclasses import replace
from math import cos, pi, sin

import numpy as np
import pytest

import sim
from sim.analysis.box_search import lowest
from sim.robot import Robot
from sim.scene import SceneError
from tests.worlds import hanging, random_forest

Q_I = np.array([-pi / 2, 0, -pi / 2, -pi / 2, -pi / 2, -pi / 2])
Q_F = np.array([0, pi / 4, 0, pi / 2, pi / 2, 0])
Q_DYNAMICS = pi * np.array([1 / 4, -1 / 8, -1 / 3, 0, -1 / 2, -1 / 7])
SPEEDS = np.array([0.5, 1, -0.5, 0.5, 1, -0.5])
STATES = np.random.default_rng(3).uniform(-2, 2, (20, 3, 2))  # q, v, a of two joints


@pytest.fixture(scope="module")
def arm() -> Robot:
    return Robot(sim.load("arm_6r"))


def digits(values: object, expected: object, places: int = 6) -> None:
    """Equal to all the digits given."""
    np.testing.assert_allclose(values, expected, rtol=0, atol=0.5000001 * 10**-places)


class TestSixAxisArm:
    def test_names(self, arm: Robot) -> None:
        assert arm.joint_names == tuple(f"joint{i}" for i in range(1, 7))
        assert arm.frame_names[:2] == ("tool", "link1") and arm.frame_names[-1] == "link6.com"

    def test_where_the_tool_is(self, arm: Robot) -> None:
        digits(arm.pose("tool", Q_I)[:3, 3], (-0.1, -0.7, 0.3), 12)
        digits(arm.pose("tool", Q_F)[:3, 3], (0.636396, -0.1, 1.136396))

    def test_how_it_is_turned(self, arm: Robot) -> None:
        axis, angle = arm.axis_angle("tool", Q_I)
        digits(axis, (-0.577, -0.577, 0.577), 3)
        digits(angle, 2.094, 3)
        axis, angle = arm.axis_angle("tool", Q_F)
        digits(axis, (0.281, 0.679, -0.679), 3)
        digits(angle, 2.593564)
        w, *xyz = arm.quaternion("tool", Q_F)
        digits(w, cos(angle / 2), 12)
        digits(xyz, sin(angle / 2) * axis, 12)

    def test_how_it_moves(self, arm: Robot) -> None:
        digits(arm.twist("tool", Q_I, SPEEDS), (0, -1, 0, 0.35, -0.1, 0.6), 12)
        digits(arm.twist("tool", Q_F, SPEEDS), (1.060660, 0, 0.146447, -0.551041, 0.318198, 0.459619))

    def test_where_it_moves_best(self, arm: Robot) -> None:
        for q, best, measure in (
            (Q_I, (0.365957, -0.326320, 0.871545), 0.111562),
            (Q_F, (-0.711444, -0.097480, 0.695949), 0.059017),
        ):
            shape = arm.velocity_ellipsoid("tool", q)
            digits(shape.best_direction * np.sign(shape.best_direction @ best), best)
            digits(arm.manipulability("tool", q), measure)
            J = arm.jacobian("tool", q)[3:]
            assert arm.manipulability("tool", q) == pytest.approx(np.sqrt(np.linalg.det(J @ J.T)), rel=1e-12)
            faster = max(
                np.linalg.norm(J @ x) / np.linalg.norm(x) for x in np.random.default_rng(0).normal(size=(99, 6))
            )
            assert faster < shape.radii[0]

    def test_weight(self, arm: Robot) -> None:
        digits(arm.gravity_torques(Q_DYNAMICS), (0, 94.296902, 2.304832, 0, 0, 0))

    def test_mass_matrix(self, arm: Robot) -> None:
        M = arm.mass_matrix(Q_DYNAMICS)
        digits(np.diag(M), (5.866295, 8.425, 1.01, 0.119, 0.069, 0.059))
        for i, j, value in ((1, 2, -0.038268), (1, 4, -0.069401), (2, 3, 1.54), (2, 5, 0.02), (3, 5, 0.02)):
            digits(M[i - 1, j - 1], value)
        digits(M[0, 5], -0.001305)

    def test_jacobian_of_the_sixth_centre_of_mass(self, arm: Robot) -> None:
        expected = (
            (-0.475756, 0.329630, 0.140211, 0, 0, 0),
            (0.475756, 0.329630, 0.140211, 0, 0, 0),
            (0, 0.672821, 0.026105, 0, 0, 0),
        )
        digits(arm.jacobian("link6.com", Q_DYNAMICS)[3:], expected)

    def test_bounds_over_the_joint_range(self, arm: Robot) -> None:
        low, high = arm.mass_bounds()
        digits((low, high), (0.05737, 10.19855), 5)
        digits(arm.gravity_bound(), 134.8875, 4)
        assert arm.mass_bounds() == (low, high)
        limits = arm.model.joint_limits
        for q in np.random.default_rng(0).uniform(*limits.T, (200, 6)):
            values = np.linalg.eigvalsh(arm.mass_matrix(q))
            assert low <= values[0] and values[-1] <= high
            assert np.abs(arm.gravity_torques(q)).sum() <= 134.8876

    def test_where_the_first_tensor_is_taken_does_not_matter(self, arm: Robot) -> None:
        """Link 1 turns only about z, through its centre of mass: any other moment of it is without effect."""
        scene = arm.model.scene
        other = replace(scene.bodies[0], inertia=(0.3, 0.35, 0.1, 0.0, 0.0, 0.0))
        twin = Robot(replace(scene, bodies=(other, *scene.bodies[1:])))
        rng = np.random.default_rng(1)
        for q in rng.uniform(-3, 3, (10, 6)):
            np.testing.assert_allclose(twin.mass_matrix(q), arm.mass_matrix(q), atol=1e-14)


def rp_terms(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """M, C and g as Lagrange and Euler give them."""
    (_, x), (turn, slide) = q, v
    arm = 2 * x + 0.4
    M = np.array([[2 * x * x + 0.8 * x + 3.08, 0.0], [0.0, 2.0]])
    C = np.array([[slide * arm, turn * arm], [-turn * arm, 0.0]])
    return M, C, np.array([19.62 * cos(q[0]) * (x + 0.2), 19.62 * sin(q[0])])


def test_the_rp_robot_has_the_equations_of_its_textbook() -> None:
    robot = Robot(sim.load("rp_robot"))
    assert robot.joint_names == ("turn", "slide")
    for q, v, a in STATES:
        M, C, g = rp_terms(q, v)
        np.testing.assert_allclose(robot.mass_matrix(q), M, atol=1e-13)
        np.testing.assert_allclose(robot.coriolis_matrix(q, v), C, atol=1e-13)
        np.testing.assert_allclose(robot.gravity_torques(q), g, atol=1e-13)
        np.testing.assert_allclose(robot.inverse_dynamics(q, v, a), M @ a + C @ v + g, atol=1e-12)


def test_a_locked_slider_leaves_a_pendulum() -> None:
    robot = Robot(sim.load("rp_robot:locked"))
    for q, v, _ in STATES:
        v = np.array([v[0], 0.0])
        M, _, g = rp_terms(q, v)
        turn, slide = robot.forward_dynamics(q, v, (0.7, 5.0))
        assert slide == 0.0
        assert turn == pytest.approx((0.7 - g[0]) / M[0, 0], rel=1e-12)


def test_the_planar_arm_is_linear_in_its_parameters() -> None:
    """τ = H(q, v, a) · parameters."""
    robot = Robot(sim.load("planar_2r"))
    parameters = np.array([0.5, 0.25, 0.25, 1.0, 0.5])
    for (q1, q2), (v1, v2), (a1, a2) in STATES:
        c1, c12, c2, s2, g = cos(q1), cos(q1 + q2), cos(q2), sin(q2), 9.81
        H = np.array(
            [
                [a1, c2 * (2 * a1 + a2) - s2 * (2 * v1 * v2 + v2 * v2), a1 + a2, g * c1, g * c12],
                [0.0, c2 * a1 + s2 * v1 * v1, a1 + a2, 0.0, g * c12],
            ]
        )
        tau = robot.inverse_dynamics((q1, q2), (v1, v2), (a1, a2))
        np.testing.assert_allclose(tau, H @ parameters, atol=1e-12)
        np.testing.assert_allclose(robot.forward_dynamics((q1, q2), (v1, v2), tau), (a1, a2), atol=1e-10)


def test_rods_add_their_own_inertia() -> None:
    """M of a double pendulum of rods: I = m L²/12 + m r²/4 about their middles."""
    robot = Robot(sim.load("planar_2r:rods"))
    moment, L, c = 0.25 / 12 + 1e-4, 0.5, 0.25
    for (_, q2), _, _ in STATES:
        m22 = moment + c * c
        m12 = m22 + L * c * cos(q2)
        m11 = 2 * moment + c * c + L * L + c * c + 2 * L * c * cos(q2)
        np.testing.assert_allclose(robot.mass_matrix((0.3, q2)), [[m11, m12], [m12, m22]], atol=1e-14)


def test_the_double_pendulum_has_its_tensors_and_its_mass_matrix() -> None:
    robot = Robot(sim.load("double_pendulum"))
    h, w, (L1, L2) = 0.06, 0.08, (0.7, 0.4)
    for tensor, L in zip(robot.model.body_inertia, (L1, L2), strict=True):
        np.testing.assert_allclose(np.diag(tensor), np.array([w * w + L * L, h * h + L * L, h * h + w * w]) / 12)
    I1, I2 = robot.model.body_inertia[:, 0, 0]
    for q, _, _ in STATES:
        m22 = I2 + 0.04
        m12 = m22 + L1 * 0.2 * cos(q[1])
        m11 = I1 + 0.35**2 + m22 + L1 * L1 + 2 * L1 * 0.2 * cos(q[1])
        np.testing.assert_allclose(robot.mass_matrix(q), [[m11, m12], [m12, m22]], atol=1e-14)
        up = -9.81 * np.array([(0.35 + L1) * sin(q[0]) + 0.2 * sin(q[0] + q[1]), 0.2 * sin(q[0] + q[1])])
        np.testing.assert_allclose(robot.gravity_torques(q), up, atol=1e-13)


def test_energies_and_the_centre_of_mass_of_a_hanging_rod() -> None:
    robot = Robot(hanging(0.0))
    x = robot.center_of_mass([0.4])
    np.testing.assert_allclose(x, [-0.125 * sin(0.4), 0, 1 - 0.125 * cos(0.4)], atol=1e-15)
    assert robot.potential_energy([0.4]) == pytest.approx(0.25 * 9.81 * x[2])
    about_pivot = 0.25 * (0.25**2 + 0.03**2) / 12 + 0.25 * 0.125**2
    assert robot.kinetic_energy([0.4], [3.0]) == pytest.approx(0.5 * about_pivot * 9)


def test_the_search_finds_the_lowest_of_many_valleys() -> None:
    """Rastrigin's function, whose valleys on a grid hide the one at the origin; shifted, and with a kink."""

    def valleys(x: np.ndarray) -> np.ndarray:
        y = x - 0.3
        return np.asarray((y * y - 3 * np.cos(2 * np.pi * y) + 3 + np.abs(y)).sum(axis=1))

    value, x = lowest(valleys, np.full(3, -4.0), np.full(3, 3.0))
    assert value < 1e-5
    np.testing.assert_allclose(x, 0.3, atol=1e-5)


def test_mistakes_are_one_sentence_each(arm: Robot) -> None:
    q, v = Q_I, np.zeros(6)
    for call, words in (
        (lambda: arm.mass_matrix(q[:5]), "q has 5 numbers; expected 6"),
        (lambda: arm.mass_matrix([q]), "q has the shape"),
        (lambda: arm.mass_matrix("straight"), "q is not a list of numbers"),
        (lambda: arm.mass_matrix([*q[:5], np.nan]), "q contains nan"),
        (lambda: arm.coriolis_matrix(q, v[:3]), "v has 3 numbers"),
        (lambda: arm.forward_dynamics(q, v, np.full(6, np.inf)), "tau contains inf"),
        (lambda: arm.inverse_dynamics(q, v, []), "a has 0 numbers"),
        (lambda: arm.pose("tol", q), 'no frame "tol"; did you mean "tool"'),
        (lambda: arm.inverse_dynamics(q, v, v, {"tool": [1, 2, 3]}), 'wrench on "tool" has 3 numbers; expected 6'),
        (lambda: arm.inverse_dynamics(q, v, v, {"hand": np.zeros(6)}), 'no frame "hand"'),
    ):
        with pytest.raises(ValueError, match=words) as problem:
            call()
        assert "\n" not in str(problem.value)


def test_a_quaternion_that_is_none_is_refused() -> None:
    robot = Robot(sim.load("ball_arm"))
    with pytest.raises(ValueError, match='q of "elbow" is a quaternion of length 2'):
        robot.mass_matrix([1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0])


def test_a_link_that_nothing_resists_is_named() -> None:
    """A point mass on its own hinge axis: the last row of the mass matrix is zero."""
    scene = sim.load("planar_2r")
    loose = replace(scene.bodies[1], center=(0.0, 0.0, 0.0))
    robot = Robot(replace(scene, bodies=(scene.bodies[0], loose)))
    assert abs(robot.mass_matrix((0.3, 0.2))[1]).max() < 1e-15
    with pytest.raises(ValueError, match='singular: nothing resists joint "elbow"'):
        robot.forward_dynamics((0.3, 0.2), (0, 0), (2, 1))
    held = tuple(replace(j, locked=j.name == "elbow") for j in scene.joints)
    shoulder, elbow = Robot(replace(scene, bodies=(scene.bodies[0], loose), joints=held)).forward_dynamics(
        (0.3, 0.2), (0, 0), (2, 1)
    )
    assert elbow == 0.0 and shoulder == pytest.approx((2 - 2 * 9.81 * 0.5 * cos(0.3)) / 0.5)


def test_massless_links_are_refused_by_the_scene() -> None:
    scene = hanging(0.0)
    with pytest.raises(SceneError, match="mass is 0 kg; expected a number above 0"):
        Robot(replace(scene, bodies=(replace(scene.bodies[0], mass=0.0),)))


def test_loops_are_refused() -> None:
    with pytest.raises(SceneError, match="closes a loop"):
        Robot(sim.load("four_bar"))


def test_unbounded_sliders_have_no_bounds() -> None:
    with pytest.raises(ValueError, match='slider "slide" has no limits'):
        Robot(sim.load("rp_robot")).mass_bounds()


def test_a_scene_where_nothing_moves_has_empty_numbers() -> None:
    scene = hanging(0.0)
    robot = Robot(replace(scene, joints=(replace(scene.joints[0], kind="fixed", q=()),)))
    assert robot.joint_names == ()
    assert robot.mass_matrix([]).shape == (0, 0)
    assert robot.jacobian("rod", []).shape == (6, 0)
    assert robot.forward_dynamics([], [], []).shape == (0,)


def test_numbers_do_not_depend_on_what_was_asked_before() -> None:
    robot = Robot(random_forest(5))
    rng = np.random.default_rng(0)
    q, v = robot.model.q0, rng.normal(size=robot.model.nv)
    before = robot.coriolis_matrix(q, v)
    robot.mass_matrix(q), robot.gravity_torques(q), robot.forward_dynamics(q, -v, v)
    assert np.array_equal(robot.coriolis_matrix(q, v), before)
