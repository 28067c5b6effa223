"""Parameters found again: regressors against Newton–Euler, ranks, the planar arm's masses and lengths, noise, logs."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import sim
from sim.analysis.base_parameters import base_parameters
from sim.analysis.least_squares import student_95
from sim.analysis.motion import Motion, excitation, most_equations, of_columns, of_states, of_steps, spread
from sim.analysis.parameters import parameters_of, state_rows, step_rows
from sim.analysis.triangle import triangle
from sim.files.log import Log, read_log
from sim.identify import Identification, from_excitation, from_log, from_run, identified, masses_and_lengths, possible
from sim.model import compile_model
from sim.robot import Robot
from sim.scene import Input, Scene
from sim.simulation import Simulation
from tests.worlds import hanging, random_tree


def scalar_tree(seed: int, n: int = 8) -> Scene:
    """Hinges, sliders and fixed joints with rotors, damping and friction, frames turned on both sides."""
    scene = random_tree(seed, n)
    joints = tuple(
        replace(j, kind="hinge" if j.kind == "ball" else j.kind, q=j.q[:1], v=j.v[:1]) for j in scene.joints
    )
    own = {"rotor_inertia": 1e-3, "gear": 5.0, "damping": 0.3, "friction": 0.2}
    return replace(scene, joints=tuple(j if j.kind == "fixed" else replace(j, **own) for j in joints))


def needed(robot: Robot, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """(n, nv) by inverse dynamics and the laws of friction."""
    m = robot.model
    tau = np.array([robot.inverse_dynamics(*state) for state in zip(q, v, a, strict=True)])
    return tau + m.dof_damping * v + m.dof_friction * np.sign(v)


def worst(found: Identification) -> float:
    c = found.combinations
    return float(np.max(np.abs(c.values - c.scene_values) / np.maximum(1.0, np.abs(c.scene_values))))


class TestRegressor:
    @pytest.mark.parametrize("seed", range(10))
    def test_it_is_inverse_dynamics(self, seed: int) -> None:
        robot = Robot(scalar_tree(seed))
        q, v, a = np.random.default_rng(seed).uniform(-2, 2, (3, 10, robot.model.nv))
        tau = needed(robot, q, v, a)
        given = state_rows(robot.model, q, v, a) @ parameters_of(robot.model).values
        np.testing.assert_allclose(given, tau, rtol=0, atol=1e-12 * np.abs(tau).max())

    @pytest.mark.parametrize("seed", range(5))
    def test_over_steps_it_is_the_mean_torque_to_fourth_order(self, seed: int) -> None:
        """Against inverse dynamics along the same sines, integrated by Gauss's four points."""
        robot = Robot(scalar_tree(seed))
        errors = []
        for h in (4e-2, 2e-2):
            times = np.linspace(0.0, 0.4, round(0.4 / h) + 1)
            nodes, weights = np.polynomial.legendre.leggauss(4)
            mean = sum(
                w / 2 * needed(robot, *excitation(robot.model, times[:-1] + h * (1 + x) / 2, seed))
                for x, w in zip(nodes, weights, strict=True)
            )
            q, v, _ = excitation(robot.model, times, seed)
            same = (v[1:] * v[:-1] > 0).all(axis=1)
            rows = step_rows(robot.model, np.diff(times), (q[:-1], q[1:]), (v[:-1], v[1:]))
            given = rows @ parameters_of(robot.model).values
            errors.append(np.abs(given - mean)[same].max())
        assert errors[1] < errors[0] / 10
        assert errors[1] < 1e-3

    def test_the_planar_arm_has_the_matrix_of_the_document(self) -> None:
        model = compile_model(sim.load("planar_2r"))
        rng = np.random.default_rng(1)
        (q, v, a), g = rng.uniform(-2, 2, (3, 20, 2)), 9.81
        points = of_states(model, q, v, a, v).points
        s2, c2, c1, c12 = np.sin(q[:, 1]), np.cos(q[:, 1]), np.cos(q[:, 0]), np.cos(q.sum(axis=1))
        (v1, v2), (a1, a2), zero = v.T, a.T, np.zeros(20)
        first = (a1, c2 * (2 * a1 + a2) - s2 * (2 * v1 * v2 + v2**2), a1 + a2, g * c1, g * c12)
        second = (zero, c2 * a1 + s2 * v1**2, a1 + a2, zero, g * c12)
        np.testing.assert_allclose(points, np.stack([np.stack(first, 1), np.stack(second, 1)], 1), atol=1e-12)


class TestTriangle:
    @pytest.mark.parametrize("shape", [(5000, 7), (2500, 1200), (1000, 4), (3, 7)])
    def test_it_has_the_same_products_of_columns(self, shape: tuple[int, int]) -> None:
        """RᵀR = WᵀQᵀQ W = WᵀW."""
        W, shares = np.random.default_rng(0).normal(size=shape), []
        R = triangle(W, shares.append)
        np.testing.assert_array_equal(R, np.triu(R))
        np.testing.assert_allclose(R.T @ R, W.T @ W, rtol=0, atol=1e-12 * shape[0])
        assert R.shape == (min(shape), shape[1]) and shares == sorted(shares) and shares[-1] == 1.0

    def test_it_takes_little_room_beside_the_equations(self) -> None:
        W = np.random.default_rng(0).normal(size=(60_000, 20))
        tracemalloc.start()
        base_parameters(W, tuple(f"p{k}" for k in range(20)))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < W.nbytes / 4

    def test_equations_of_steps_take_three_times_the_room_of_their_rows(self) -> None:
        model = compile_model(sim.load("long_chain"))
        times = np.linspace(0.0, 0.1, 21)
        q, v, _ = excitation(model, times, 0)
        of_steps(model, times, q, v, v[1:])
        tracemalloc.start()
        rows = of_steps(model, times, q, v, v[1:]).rows
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 3.2 * rows.nbytes

    def test_people_are_told_how_much_is_done(self) -> None:
        shares: list[float] = []
        from_excitation(sim.load("arm_6r"), 10.0, fitted=shares.append)
        assert shares == sorted(shares) and shares[-1] == 1.0 and len(shares) > 20


class TestBaseParameters:
    @pytest.mark.parametrize(
        ("scene", "all_of_them", "inertial"),
        [("arm_6r", 52, 36), ("planar_2r", 11, 6), ("rp_robot", 11, 6), ("double_pendulum", 11, 6)],
    )
    def test_how_many_there_are(self, scene: str, all_of_them: int, inertial: int) -> None:
        model = compile_model(sim.load(scene))
        assert possible(model) == all_of_them
        q, v, a = np.random.default_rng(3).uniform(-2, 2, (3, 300, model.nv))
        names = parameters_of(model).names[: 10 * len(model.body_names)]
        W = state_rows(model, q, v, a)[:, :, : len(names)].reshape(-1, len(names))
        assert len(base_parameters(W, names)) == inertial == np.linalg.matrix_rank(W, tol=1e-9 * np.linalg.norm(W))

    @pytest.mark.parametrize("seed", range(5))
    def test_combinations_say_all_that_the_parameters_do(self, seed: int) -> None:
        model = compile_model(scalar_tree(seed))
        parameters = parameters_of(model)
        q, v, a = np.random.default_rng(seed).uniform(-2, 2, (3, 200, model.nv))
        W = state_rows(model, q, v, a).reshape(-1, len(parameters.names))
        base = base_parameters(W, parameters.names)
        pi_ = np.random.default_rng(seed + 1).normal(size=len(parameters.names))
        np.testing.assert_allclose(W[:, base.columns] @ (base.combination @ pi_), W @ pi_, atol=1e-9 * np.abs(W).max())

    def test_the_planar_arm_by_hand(self) -> None:
        names = from_excitation(sim.load("planar_2r"), 5.0).combinations.names
        assert names[:3] == ("link1.mcx + 0.5 link2.m", "link1.mcz", "link1.Iyy + 0.25 link2.m + shoulder.rotor")


@cache
def planar_motion() -> Motion:
    world = Simulation(sim.load("planar_2r:identify"))
    log = Log(world.model)
    log.add(world.history)
    world.advance(2.0)
    log.add(world.history)
    return of_columns(world.model, dict(zip(log.columns, log.rows.T, strict=True)))


class TestPlanarArm:
    def test_a_run_gives_masses_and_lengths(self) -> None:
        found = from_run(Simulation(sim.load("planar_2r:identify")), 2.0)
        assert found.point_masses is not None and found.point_masses.names == ("m1", "m2", "L1", "L2")
        np.testing.assert_allclose(found.point_masses.values, (1, 1, 0.5, 0.5), rtol=0, atol=1e-9)
        np.testing.assert_array_equal(found.point_masses.scene_values, (1, 1, 0.5, 0.5))
        assert worst(found) < 1e-9

    def test_other_masses_and_lengths_are_found_by_their_motion_alone(self) -> None:
        """The run is of another arm than the scene that is asked for its geometry's directions."""
        scene = sim.load("planar_2r:identify")
        first, second = scene.bodies
        bodies = replace(first, mass=1.7, center=(0.4, 0, 0)), replace(second, mass=0.6, center=(0.3, 0, 0))
        at = replace(scene.joints[1].at, position=(0.4, 0.0, 0.0))
        other = replace(scene, bodies=bodies, joints=(scene.joints[0], replace(scene.joints[1], at=at)))
        found = from_run(Simulation(other), 2.0).point_masses
        assert found is not None
        np.testing.assert_allclose(found.values, (1.7, 0.6, 0.4, 0.3), rtol=0, atol=1e-8)

    def test_intervals_contain_the_truth_19_times_of_20(self) -> None:
        held = np.zeros(4)
        for seed in range(200):
            found = masses_and_lengths(planar_motion().noisy(0.01, seed))
            assert found is not None
            held += np.abs(found.values - (1, 1, 0.5, 0.5)) <= found.intervals
        assert np.all(held >= 181) and np.all(held <= 198), held

    def test_a_motion_that_shows_too_little_gives_no_masses(self) -> None:
        scene = sim.load("planar_2r")
        held = replace(scene, joints=(scene.joints[0], replace(scene.joints[1], locked=True)))
        still = of_states(compile_model(scene), *np.ones((3, 50, 2)), np.ones((50, 2)))
        assert identified(still).point_masses is None
        found = from_run(Simulation(held), 0.3)
        assert found.point_masses is None and found.possible == 5
        assert len(found.combinations.names) == 4  # while it turns one way, friction is part of the constant torque

    def test_noise_is_a_share_of_each_joints_torque(self) -> None:
        found = identified(planar_motion(), 0.01, 5)
        np.testing.assert_allclose(found.residuals, (0.02, 0.01), rtol=0.05)


class TestAnyRobot:
    def test_six_axes_with_rotors_and_friction(self) -> None:
        found = from_excitation(sim.load("arm_6r"), 10.0)
        assert len(found.combinations.names) == found.possible == 52
        assert worst(found) < 1e-9 and found.point_masses is None

    def test_noise_leaves_it_in_the_intervals(self) -> None:
        found = from_excitation(sim.load("arm_6r"), 10.0, 0.01, seed=3).combinations
        inside = np.abs(found.values - found.scene_values) <= found.intervals
        assert 44 <= inside.sum() <= 52

    def test_a_long_chain_takes_no_more_room_than_there_is(self) -> None:
        chain = compile_model(sim.load("long_chain"))
        some = spread(5000, most_equations(chain))
        assert 10 * len(parameters_of(chain).names) < len(some) * chain.nv < 20_000
        assert some[0] == 0 and some[-1] == 4999 and np.ptp(np.diff(some)) <= 1
        np.testing.assert_array_equal(spread(3, 100), [0, 1, 2])

    @pytest.mark.parametrize("seed", range(4))
    def test_trees_of_hinges_and_sliders(self, seed: int) -> None:
        found = from_excitation(scalar_tree(seed), 20.0)
        assert len(found.combinations.names) == found.possible and worst(found) < 1e-8

    def test_an_excitation_keeps_the_limits_and_is_its_own_derivative(self) -> None:
        model = compile_model(sim.load("arm_6r"))
        times = np.linspace(0.0, 10.0, 100_001)
        q, v, a = excitation(model, times, 1)
        low, high = model.joint_limits.T
        assert np.all(q > low) and np.all(q < high)
        np.testing.assert_allclose(np.gradient(q, times, axis=0)[1:-1], v[1:-1], atol=1e-5)
        np.testing.assert_allclose(np.gradient(v, times, axis=0)[1:-1], a[1:-1], atol=1e-4)

    def test_friction_rotor_and_damping_of_a_driven_hinge(self) -> None:
        motor = Input("motor", joint="hinge", torque=("1.5*sin(3*t) + 0.8*sin(7*t)",))
        arm = hanging(0.3, damping=0.05, friction=0.1, rotor_inertia=1e-5, gear=50.0)
        scene = replace(arm, inputs=(motor,), backend="tree")
        found = from_run(Simulation(scene), 4.0).combinations
        at = dict(zip(found.names, found.values, strict=True))
        assert at["hinge.viscous"] == pytest.approx(0.05, abs=1e-5)
        assert at["hinge.coulomb"] == pytest.approx(0.1, abs=1e-5)
        np.testing.assert_allclose(found.values, found.scene_values, atol=1e-5)

    def test_stops_are_left_out(self) -> None:
        """Both joints of a double pendulum bounce off their stops for ten seconds."""
        pendulum = sim.load("double_pendulum")
        stops = tuple(replace(j, limits=(-2.0, 2.0), restitution=0.9) for j in pendulum.joints)
        motor = Input("motor", joint="elbow", torque=("2*sin(4*t)",))
        scene = replace(pendulum, joints=stops, inputs=(motor,), backend="tree", dt=5e-4)
        world = Simulation(scene)
        found = from_run(world, 5.0)
        rows = world.history.last_rows(5.0)[:, world.history.columns["q"]]
        assert np.abs(rows).max() > 1.999
        assert len(found.combinations.names) == 11 and worst(found) < 1e-6


class TestLogs:
    @pytest.mark.parametrize("kind", ["csv", "npz"])
    def test_controllers_that_hold_their_torques_over_a_step(self, tmp_path: Path, kind: str) -> None:
        scene = replace(sim.load("arm_reach"), backend="tree")
        world = Simulation(scene)
        log = Log(world.model)
        for _ in range(30):
            log.add(world.history)
            world.advance(0.1)
        log.add(world.history)
        log.save(tmp_path / f"run.{kind}")
        found = from_log(scene, tmp_path / f"run.{kind}")
        assert len(found.combinations.names) == 22 and worst(found) < 1e-9
        columns = read_log(tmp_path / f"run.{kind}")
        assert tuple(columns) == log.columns
        np.testing.assert_array_equal(np.column_stack(list(columns.values())), log.rows)

    def test_a_log_of_another_arm_tells_that_arms_masses(self, tmp_path: Path) -> None:
        """What is found is in the log, not in the scene."""
        scene = replace(sim.load("arm_reach"), backend="tree")
        heavier = replace(scene, bodies=tuple(replace(b, mass=1.5 * b.mass) for b in scene.bodies))
        world = Simulation(heavier)
        log = Log(world.model)
        world.advance(3.0)
        log.add(world.history)
        log.save(tmp_path / "run.npz")
        found, own = from_log(scene, tmp_path / "run.npz"), parameters_of(world.model)
        named = dict(zip(own.names, own.values, strict=True))
        at = dict(zip(found.combinations.names, found.combinations.values, strict=True))
        assert at["forearm.mcz"] == pytest.approx(named["forearm.mcz"], abs=1e-9)
        assert named["forearm.mcz"] == pytest.approx(1.5 * 0.27)

    def test_what_a_log_lacks_is_told(self, tmp_path: Path) -> None:
        world = Simulation(sim.load("planar_2r"))
        log = Log(world.model)
        world.advance(0.01)
        log.add(world.history)
        columns = dict(zip(log.columns, log.rows.T, strict=True))
        model = world.model
        of_columns(model, columns)
        for missing in ("time [s]", "v.elbow [rad/s]", "torque.elbow [N·m]"):
            with pytest.raises(ValueError, match="the log has no column"):
                of_columns(model, {name: column for name, column in columns.items() if name != missing})
        with pytest.raises(ValueError, match=r'column "q.yaw \[rad\]" and this scene no such joint'):
            of_columns(model, columns | {"q.yaw [rad]": log.rows[:, 0]})
        with pytest.raises(ValueError, match="no steps forward in time"):
            of_columns(model, columns | {"time [s]": log.rows[::-1, 0]})
        (tmp_path / "noise.npz").write_bytes(bytes(range(200)))
        (tmp_path / "noise.csv").write_text("a,b\n1,x\n")
        (tmp_path / "empty.csv").write_text("")
        for name in ("noise.npz", "noise.csv", "empty.csv", "run.txt"):
            with pytest.raises(ValueError, match="is no log"):
                read_log(tmp_path / name)


@pytest.mark.parametrize(
    ("scene", "words"),
    [
        ("ball_arm", "is a ball joint"),
        ("free_body", "is a free joint"),
        ("four_bar", "closes a loop"),
        ("three_link_arm", "no torque is known"),
    ],
)
def test_what_cannot_be_identified_is_told(scene: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        from_run(Simulation(sim.load(scene)), 0.5)


def test_forces_on_bodies_are_refused() -> None:
    wind = Input("wind", body="rod", force=(1.0, 0.0, 0.0))
    with pytest.raises(ValueError, match='"wind" pushes a body'):
        from_run(Simulation(replace(hanging(0.3), inputs=(wind,))), 0.1)


@pytest.mark.parametrize(("freedom", "quantile"), [(5, 2.5706), (10, 2.2281), (30, 2.0423), (10**6, 1.95997)])
def test_students_quantile(freedom: int, quantile: float) -> None:
    assert student_95(freedom) == pytest.approx(quantile, abs=3e-3 if freedom == 5 else 2e-4)


def test_locked_joints_say_nothing() -> None:
    scene = sim.load("rp_robot:locked")
    motor = Input("motor", joint="turn", torque=("4*sin(2*t)",))
    found = from_run(Simulation(replace(scene, inputs=(motor,), backend="tree")), 2.0)
    names = " ".join(found.combinations.names)
    assert "slide." not in names and len(found.combinations.names) == found.possible == 5
    assert worst(found) < 1e-9
