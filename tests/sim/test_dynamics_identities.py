"""Laws that tie the algorithms of sim/dynamics together, on random trees of every joint type.

ABA works in link frames on merged bodies, everything else at the world origin: where they agree, both are right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from sim.backend import create
from sim.dynamics.links import SCREW, links_of
from sim.dynamics.motion import accelerations, subspace_rates, velocities
from sim.dynamics.tree import tree_of
from sim.model import BALL, FREE, HINGE, SLIDER, compile_model
from sim.robot import Robot
from sim.scene import Body, Joint, Pose, Scene
from sim.spatial.rotation import skew
from tests.sim.test_dynamics import motion_of, shifted
from tests.worlds import free_control, random_forest, random_tree, rod

TREES = 200
H = 2e-3  # of the stencil [s]


class Case:
    """A robot in a random state of motion, pushed by its motors and by a wrench on its last frame."""

    def __init__(self, seed: int) -> None:
        self.robot = Robot(random_forest(seed))
        rng = np.random.default_rng(1000 + seed)
        self.q, nv = self.robot.model.q0, self.robot.model.nv
        self.v, self.a, self.tau = rng.normal(size=nv), 10 * rng.normal(size=nv), 10 * rng.normal(size=nv)
        self.wrenches = {"tip": 5 * rng.normal(size=6), "b0.com": 5 * rng.normal(size=6)}

    def rate(self, function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """d/dt f(q(t)) where q moves with v: central differences of sixth order."""
        total = 0.0
        for k, weight in ((1, 45.0), (2, -9.0), (3, 1.0)):
            ahead, behind = (shifted(self.robot.model, self.q, s * k * H * self.v) for s in (1, -1))
            total = total + weight * (function(ahead) - function(behind))
        return total / (60 * H)


def cases() -> Iterator[Case]:
    return (Case(seed) for seed in range(TREES))


def near(x: np.ndarray, y: np.ndarray, tolerance: float, least: float = 0.0) -> None:
    """The largest difference against the largest entry (or `least`, where entries may vanish)."""
    if np.size(x):
        assert np.abs(x - y).max() <= tolerance * max(np.abs(y).max(), least)


def test_the_trees_have_everything() -> None:
    models = [case.robot.model for case in cases()]
    assert {int(kind) for m in models for kind in m.joint_type} == {0, 1, 2, 3, 4}
    assert max(np.count_nonzero(m.joint_type != 4) for m in models) >= 20
    assert any(np.count_nonzero(m.joint_parent < 0) == 3 for m in models)
    assert any(m.dof_rotor.any() for m in models)
    kinds = np.concatenate([links_of(m)[0].kind for m in models])
    assert min(np.count_nonzero(kinds == kind) for kind in (FREE, BALL, HINGE, SLIDER, SCREW)) > 50
    assert any(links_of(m)[0].branching.any() for m in models)


def test_inverse_dynamics_undoes_forward_dynamics() -> None:
    for case in cases():
        a = case.robot.forward_dynamics(case.q, case.v, case.tau, case.wrenches)
        tau = case.robot.inverse_dynamics(case.q, case.v, a, case.wrenches)
        near(tau, case.tau, 1e-11)


@pytest.mark.parametrize("tilt", [0.0, 1e-15, 1e-12, 1e-9, 1e-7, 1e-4])
def test_nearly_parallel_axes_lose_no_digits(tilt: float) -> None:
    """Where they meet at a right angle is then far away, or nowhere."""
    rng = np.random.default_rng(0)
    rods = tuple(rod(f"r{i}") for i in range(5))
    joints = tuple(
        Joint(
            f"j{i}",
            "hinge",
            f"r{i - 1}" if i else "world",
            f"r{i}",
            Pose((0.1, 0.02 * i, -0.25)),
            axis=(tilt * i, 1.0, tilt * (i % 2)),
        )
        for i in range(5)
    )
    robot = Robot(Scene("parallel", "Parallel", bodies=rods, joints=joints))
    q, v, tau = rng.normal(size=(3, 5))
    near(robot.inverse_dynamics(q, v, robot.forward_dynamics(q, v, tau)), tau, 1e-12)


def test_the_terms_of_the_equation_of_motion_add_up() -> None:
    """M a + C v + g − Σ Jᵀ wrench = RNEA."""
    for case in cases():
        robot, q, v = case.robot, case.q, case.v
        tau = robot.mass_matrix(q) @ case.a + robot.coriolis_matrix(q, v) @ v + robot.gravity_torques(q)
        for frame, wrench in case.wrenches.items():
            tau -= robot.jacobian(frame, q).T @ wrench
        near(tau, robot.inverse_dynamics(q, v, case.a, case.wrenches), 1e-12)


def test_the_mass_matrix_is_that_of_the_kinetic_energy() -> None:
    """½ vᵀ M v = Σ ½ m v_c² + ½ ωᵀ I ω + ½ rotor v², from the twists at the centres of mass."""
    for case in cases():
        robot, m = case.robot, case.robot.model
        energy = 0.5 * m.dof_rotor @ case.v**2
        for b, name in enumerate(m.body_names):
            twist = robot.twist(f"{name}.com", case.q, case.v)
            R = robot.pose(name, case.q)[:3, :3]
            energy += 0.5 * m.body_mass[b] * twist[3:] @ twist[3:]
            energy += 0.5 * twist[:3] @ R @ m.body_inertia[b] @ R.T @ twist[:3]
        assert robot.kinetic_energy(case.q, case.v) == pytest.approx(energy, rel=1e-12, abs=1e-15)
        M = robot.mass_matrix(case.q)
        assert np.array_equal(M, M.T)
        assert len(M) == 0 or np.linalg.eigvalsh(M)[0] > 0


def test_rate_of_the_mass_matrix_less_twice_coriolis_is_skew() -> None:
    for case in cases():
        C = case.robot.coriolis_matrix(case.q, case.v)
        rate = case.rate(case.robot.mass_matrix)
        near(rate, C + C.T, 1e-10, least=1.0)


def test_jacobians_are_derivatives_of_poses_and_have_derivatives() -> None:
    for case in cases():
        robot, q, v = case.robot, case.q, case.v
        X = robot.pose("tip", q)
        twist = robot.twist("tip", q, v)
        V = np.zeros((4, 4))
        V[:3, :3], V[:3, 3] = skew(twist[:3]), twist[3:] - np.cross(twist[:3], X[:3, 3])
        near(case.rate(lambda q, r=robot: r.pose("tip", q)), V @ X, 1e-10, least=1.0)  # d/dt X = [V]× X
        near(case.rate(lambda q, r=robot: r.jacobian("tip", q)), robot.jacobian_rate("tip", q, v), 1e-10, least=1.0)


def test_the_motion_transform_turns_with_the_velocity() -> None:
    """d/dt X = [V]× X for the 6 × 6 transform of a moving frame to the world."""

    def transform(X: np.ndarray) -> np.ndarray:
        R, p = X[:3, :3], X[:3, 3]
        return np.block([[R, np.zeros((3, 3))], [skew(p) @ R, R]])

    for case in cases():
        X, twist = case.robot.pose("tip", case.q), case.robot.twist("tip", case.q, case.v)
        w, v = twist[:3], twist[3:] - np.cross(twist[:3], X[:3, 3])
        V = np.block([[skew(w), np.zeros((3, 3))], [skew(v), skew(w)]])
        near(case.rate(lambda q, r=case.robot: transform(r.pose("tip", q))), V @ transform(X), 1e-10, least=1.0)


def test_power_goes_into_energy() -> None:
    """d/dt (T + V) = v · tau + Σ twist · wrench, with the accelerations of forward dynamics."""
    for case in cases():
        robot, q, v = case.robot, case.q, case.v
        a = robot.forward_dynamics(q, v, case.tau, case.wrenches)
        kinetic = v @ robot.mass_matrix(q) @ a + 0.5 * v @ case.rate(robot.mass_matrix) @ v
        potential = case.rate(lambda q, r=robot: np.array(r.potential_energy(q)))
        parts = [v @ case.tau, *(robot.twist(name, q, v) @ w for name, w in case.wrenches.items())]
        assert kinetic + potential == pytest.approx(sum(parts), abs=1e-9 * max(1.0, abs(kinetic), abs(potential)))


def test_gravity_torques_are_inverse_dynamics_at_rest() -> None:
    for case in cases():
        rest = np.zeros(case.robot.model.nv)
        near(case.robot.inverse_dynamics(case.q, rest, rest), case.robot.gravity_torques(case.q), 1e-12, least=1.0)


def test_locked_joints_stay_and_the_others_move_as_without_them() -> None:
    """Forward dynamics with a locked joint is that of the same tree with M's row and column struck out."""
    for seed in range(20):
        case = Case(seed)
        scene = case.robot.model.scene
        if not scene.joints or case.robot.model.nv < 2:
            continue
        joints = tuple(type(j)(**{**vars(j), "locked": i % 2 == 0}) for i, j in enumerate(scene.joints))
        locked = Robot(type(scene)(**{**vars(scene), "joints": joints}))
        held = locked.model.joint_locked[locked.model.dof_joint]
        v = np.where(held, 0.0, case.v)
        a = locked.forward_dynamics(case.q, v, case.tau)
        assert not a[held].any()
        tau = locked.inverse_dynamics(case.q, v, a)
        near(tau[~held], case.tau[~held], 1e-11)


def test_a_rolling_cylinder_accelerates_at_its_contact() -> None:
    """Rolling along +x at the speed v, its spatial acceleration at the point of contact is (0, 0, 0; 0, 0, v²/r)."""
    r, speed = 0.3, 1.7
    wheel = Body("wheel", 2.0, (0.0, 0.0, 0.0), (0.05, 0.09, 0.05, 0.0, 0.0, 0.0), pose=Pose((0.0, 0.0, r)))
    model = compile_model(Scene("roll", "Rolling", bodies=(wheel,)))
    tree, motion, v = tree_of(model), motion_of(model), np.array([0.0, speed / r, 0.0, speed, 0.0, 0.0])
    V, A, dS = np.zeros((1, 6)), np.zeros((1, 6)), np.zeros((6, 6))
    velocities(tree, motion.S, v, V)
    subspace_rates(tree, motion.S, V, v, dS)
    accelerations(tree, motion.S, dS, v, np.zeros(6), A)
    assert np.allclose(V, [[0, speed / r, 0, 0, 0, 0]], atol=1e-15)  # it stands still where it touches
    assert np.allclose(A, [[0, 0, 0, 0, 0, speed**2 / r]], atol=1e-13)


@pytest.mark.parametrize("seed", range(4))
def test_the_impulse_engine_accelerates_alike(seed: int) -> None:
    """Another formulation, bodies held together by impulses: (v(h) − v(0))/h, extrapolated to h → 0."""
    scene = random_tree(seed, floating=seed % 2 == 1)
    robot = Robot(scene)
    model = compile_model(scene)

    def slope(h: float) -> np.ndarray:
        backend = create("impulse", model)
        backend.advance(free_control(model), h, 1)
        return np.asarray((backend.read().v - model.v0) / h)

    first = [2 * slope(h / 2) - slope(h) for h in (2e-4, 1e-4)]
    measured = (4 * first[1] - first[0]) / 3
    near(measured, robot.forward_dynamics(model.q0, model.v0, np.zeros(model.nv)), 1e-6)
