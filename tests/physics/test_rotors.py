"""Rotors: a motor that turns n times as fast adds n² J to its joint, and to nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim.scene import Body, Joint, Pose, Scene
from tests.mechanisms import four_bar, slider_crank
from tests.watch import ORDER, OURS, Watched, runs, weightless
from tests.worlds import hanging, rod

ROD = 0.25 * (0.25**2 + 0.03**2) / 12 + 0.25 * 0.125**2
GRAVITY, MASS, LENGTH = 9.81, 0.25, 0.25
OWN = MASS * (LENGTH**2 + 0.03**2) / 12  # of a rod about its centre


def arm(first: dict | None = None, second: dict | None = None) -> Scene:
    """Two rods on parallel hinges, both angles from hanging, the second relative to the first."""
    joints = (
        Joint("a", "hinge", "world", "a", axis=(0.0, 1.0, 0.0), **{"q": (-1.0,), "v": (3.0,), **(first or {})}),
        Joint("b", "hinge", "a", "b", Pose((0.0, 0.0, -LENGTH)), axis=(0.0, 1.0, 0.0),
              **{"q": (0.5,), "v": (-5.0,), **(second or {})}),
    )  # fmt: skip
    return Scene("arm", "Arm", bodies=(rod("a"), rod("b")), joints=joints)


def mass_matrix(q: np.ndarray, rotors: np.ndarray) -> np.ndarray:
    """Lagrange by hand: T of both centres of mass and spins, plus the rotors on the diagonal."""
    c, half = np.cos(q[1]), LENGTH / 2
    far = MASS * (LENGTH**2 + half**2 + 2 * LENGTH * half * c) + OWN
    cross = MASS * (half**2 + LENGTH * half * c) + OWN
    near = MASS * half**2 + OWN
    return np.array([[near + far, cross], [cross, near]]) + np.diag(rotors)


def acceleration(q: np.ndarray, v: np.ndarray, rotors: np.ndarray, tau: np.ndarray) -> np.ndarray:
    half, s = LENGTH / 2, np.sin(q[1])
    k = MASS * LENGTH * half * s
    bias = np.array([-k * (2 * v[0] * v[1] + v[1] ** 2), k * v[0] ** 2])
    # Angles about +y turn −z towards −x, so heights are −l cos of the sums all the same.
    weight = MASS * GRAVITY * half * np.sin(q[0] + q[1])
    gravity = np.array([1.5 * MASS * GRAVITY * LENGTH * np.sin(q[0]) + weight, weight])
    return np.linalg.solve(mass_matrix(q, rotors), tau - bias - gravity)


def runge_kutta(
    q: np.ndarray, v: np.ndarray, rotors: np.ndarray, tau: np.ndarray, seconds: float, n: int
) -> np.ndarray:
    h = seconds / n
    y = np.concatenate([q, v])

    def rate(y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[2:], acceleration(y[:2], y[2:], rotors, tau)])

    for _ in range(n):
        k1 = rate(y)
        k2 = rate(y + h / 2 * k1)
        k3 = rate(y + h / 2 * k2)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(y + h * k3))
    return y


@pytest.mark.parametrize("solver", OURS)
def test_one_joint_has_its_own_inertia_and_that_of_the_rotor(solver):
    """(I + n² J) q̈ = τ; of a slider (m + n² J) q̈ = f."""
    world = Watched(weightless(hanging(0.2, rotor_inertia=2e-5, gear=30.0)), solver)
    world.control.tau[0] = 0.05
    r = world.step(500)
    assert r.v[0] == pytest.approx(0.5 * 0.05 / (ROD + 900 * 2e-5), rel=1e-6)

    block = Body("block", 2.0, (0.0, 0.0, 0.0), (0.01, 0.01, 0.01, 0.0, 0.0, 0.0))
    slide = Joint("slide", "slider", "world", "block", rotor_inertia=0.03, gear=10.0)
    world = Watched(weightless(Scene("slider", "Slider", bodies=(block,), joints=(slide,))), solver)
    world.control.tau[0] = 4.0
    r = world.step(500)
    assert r.v[0] == pytest.approx(0.5 * 4.0 / 5.0, rel=1e-10)
    assert r.q[0] == pytest.approx(0.125 * 4.0 / 5.0, rel=1e-10)


@pytest.mark.parametrize("solver", OURS)
@pytest.mark.parametrize("gears", [(3.0, 0.0), (0.0, 3.0), (5.0, 2.0)])
def test_an_arm_with_rotors_converges_to_its_equations(gears, solver):
    inertia = 1e-3
    rotors, tau = inertia * np.square(gears), np.array([0.2, -0.1])
    more = [{"rotor_inertia": inertia, "gear": g} if g else {} for g in gears]
    exact = runge_kutta(np.array([-1.0, 0.5]), np.array([3.0, -5.0]), rotors, tau, 0.4, 4000)

    def miss(h: float) -> float:
        world = Watched(arm(*more), solver, h)
        world.control.tau[:] = tau
        r = world.step(round(0.4 / h))
        return float(np.abs(np.concatenate([r.q, r.v]) - exact).max())

    coarse, fine = miss(2e-3), miss(1e-3)
    assert abs(np.log2(coarse / fine) - ORDER[solver]) < 0.11
    assert fine < 1e-3


def loaded(scene: Scene, rotors: dict[str, float]) -> Scene:
    return replace(scene, joints=tuple(replace(j, rotor_inertia=rotors.get(j.name, 0.0)) for j in scene.joints))


def spatial() -> Scene:
    """A ball, then hinges about crossed axes and a slider."""
    places = [Pose((0.0, 0.0, -LENGTH if i else 0.0)) for i in range(4)]
    joints = (
        Joint("ball", "ball", "world", "r0", places[0], q=(0.8, 0.6, 0.0, 0.0), v=(1.0, -2.0, 3.0)),
        Joint("x", "hinge", "r0", "r1", places[1], axis=(1.0, 0.0, 0.0), q=(0.4,), v=(4.0,)),
        Joint("slide", "slider", "r1", "r2", places[2], axis=(0.0, 0.6, 0.8), q=(0.05,), v=(0.3,)),
        Joint("y", "hinge", "r2", "r3", places[3], axis=(0.0, 1.0, 0.0), q=(-0.7,), v=(-3.0,)),
    )
    return Scene("spatial", "Spatial", bodies=tuple(rod(f"r{i}") for i in range(4)), joints=joints)


SMOOTH = {
    "arm": loaded(arm(), {"a": 0.02, "b": 0.005}),
    "spatial": loaded(spatial(), {"x": 0.1, "slide": 2.0, "y": 0.004}),
    "four-bar, tree joint": loaded(four_bar(0.7, v=(6.0,)), {"crank": 0.02}),
    "four-bar, cut joint": loaded(four_bar(0.7, v=(6.0,)), {"ground": 0.05, "coupler": 0.01}),
    "slider-crank": loaded(slider_crank(0.7, v=(6.0,)), {"crank": 0.01, "slide": 1.0}),
    "cone": replace(
        loaded(spatial(), {"x": 0.1, "y": 0.004}),
        joints=tuple(replace(j, cone=1.3, twist=(-0.2, 0.2)) if j.kind == "ball" else j
                     for j in loaded(spatial(), {"x": 0.1, "y": 0.004}).joints),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("name", "solver"), runs(SMOOTH))
def test_energy_with_the_rotors_share_is_kept_at_second_order(name, solver):
    """On trees, in loops, and behind a ball that leans on its stops (where an impact takes its share)."""
    coarse, fine = (Watched(SMOOTH[name], solver, h).track(0.5).imbalance for h in (1e-3, 5e-4))
    assert fine < coarse / 3 and coarse < 2e-3


@pytest.mark.parametrize("solver", OURS)
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_an_impact_includes_the_rotors_momentum(restitution, solver):
    """v⁺ = v⁻ − M⁻¹ e₂ (1 + e) v₂⁻/(M⁻¹)₂₂ with the rotors in M."""
    rotors = np.array([0.02, 0.005])
    stop = {"limits": (-3.0, 0.5), "restitution": restitution, "v": (5.0,), "rotor_inertia": rotors[1]}
    world = Watched(weightless(arm({"rotor_inertia": rotors[0]}, stop)), solver, 1e-5)
    before = np.array([3.0, 5.0])
    inverse = np.linalg.inv(mass_matrix(np.array([-1.0, 0.5]), rotors))
    after = before - inverse[:, 1] * (1 + restitution) * before[1] / inverse[1, 1]
    assert np.allclose(world.step(1).v, after, atol=1e-3)  # at the stop from the start: the impact is the first thing
    assert world.backend.read().work == pytest.approx(
        0.5 * after @ np.linalg.solve(inverse, after) - 0.5 * before @ np.linalg.solve(inverse, before), abs=1e-9
    )


@pytest.mark.parametrize("solver", OURS)
def test_a_rotor_on_a_joint_that_is_held_waits_for_it(solver):
    """Held by its stop under load for a second, then pulled off: it starts from rest with its full inertia."""
    scene = weightless(hanging(0.3, limits=(0.3, 3.0), rotor_inertia=0.01))
    world = Watched(scene, solver)
    world.control.tau[0] = -0.5
    assert abs(world.step(1000).v[0]) <= 1e-12
    world.control.tau[0] = 0.05
    assert world.step(200).v[0] == pytest.approx(0.2 * 0.05 / (ROD + 0.01), rel=1e-6)


def test_a_rotor_belongs_to_its_joint_though_there_are_as_many_velocities_as_joints():
    """A ball, two fixed joints and a hinge: four joints, four velocities."""
    tip, turning = Pose((0.0, 0.0, -LENGTH)), {"axis": (1.0, 0.0, 0.0), "v": (4.0,), "rotor_inertia": 0.1}
    joints = (
        Joint("ball", "ball", "world", "r0", v=(1.0, -2.0, 3.0)),
        Joint("hinge", "hinge", "r0", "r1", tip, **turning),
        Joint("f2", "fixed", "r1", "r2", tip),
        Joint("f3", "fixed", "r2", "r3", tip),
    )
    scene = Scene("as many", "As many", bodies=tuple(rod(f"r{i}") for i in range(4)), joints=joints)
    world = Watched(scene)
    assert world.model.nv == len(world.model.joint_names)
    assert np.ptp(world.track(0.5).energy) < 1e-3
