"""PyBullet obeys the laws of mechanics; whole trees are in test_bullet_trees.py."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim.backend import BackendError, create, unavailable
from sim.model import Model, compile_model
from sim.scene import Body, Input, Joint, Pose, Scene
from sim.state import Control
from tests.mechanisms import four_bar

if reason := unavailable("pybullet"):
    pytest.skip(reason, allow_module_level=True)

from sim.bullet.backend import BulletBackend

G = 9.81
Open = Callable[[Model], BulletBackend]


@pytest.fixture
def start() -> Iterator[Open]:
    with ExitStack() as stack:
        yield lambda model: stack.enter_context(closing(BulletBackend(model)))


def world(bodies: list[Body], joints: list[Joint] | None = None, gravity: float = 0.0) -> Model:
    scene = Scene("test", "Test", gravity=(0.0, 0.0, -gravity), bodies=tuple(bodies), joints=tuple(joints or []))
    return compile_model(scene)


def body(name: str = "a", mass: float = 2.0, center=(0.0, 0.0, 0.0), inertia=(0.1, 0.2, 0.25, 0.0, 0.0, 0.0)) -> Body:
    return Body(name, mass, center, inertia)


def no_control(model: Model) -> Control:
    return Control(np.zeros(model.nv), np.zeros((len(model.body_names), 6)))


def tensor(six: tuple[float, ...]) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


TILTED = (0.20, 0.22, 0.15, 0.03, -0.02, 0.04)  # no principal axis along x, y or z


def test_free_fall_is_the_closed_form_of_semi_implicit_steps(start):
    model = world([replace(body(center=(0.1, 0.0, 0.2)), pose=Pose((0.0, 0.0, 5.0)))], gravity=G)
    engine, n, h = start(model), 250, 2e-3
    engine.advance(no_control(model), h, n)
    reading = engine.read()
    assert reading.position[0] == pytest.approx([0.0, 0.0, 5.0 - G * h * h * n * (n + 1) / 2], abs=1e-12)
    assert reading.v == pytest.approx([0, 0, 0, 0, 0, -G * h * n], abs=1e-12)


def test_speed_is_not_clamped(start):
    model = world([body()])
    engine = start(model)
    engine.set(model.q0, np.array([0.0, 0.0, 0.0, 700.0, 0.0, 0.0]))
    engine.advance(no_control(model), 1e-3, 10)
    assert engine.read().v[3] == 700.0


def test_symmetric_body_spins_on_about_its_symmetry_axis(start):
    model = world([replace(body(inertia=(0.2, 0.2, 0.3, 0, 0, 0)), pose=Pose(rotation=(0.8, 0.0, 0.6, 0.0)))])
    engine = start(model)
    axis = engine.read().rotation[0, :, 2]
    engine.set(model.q0, np.concatenate([7.0 * axis, np.zeros(3)]))
    engine.advance(no_control(model), 1e-3, 1000)
    reading = engine.read()
    assert reading.v[:3] == pytest.approx(7.0 * axis, abs=1e-9)
    assert reading.rotation[0, :, 2] == pytest.approx(axis, abs=1e-9)


def test_torque_meets_the_whole_inertia_tensor(start):
    model = world([body(inertia=TILTED, center=(0.3, -0.2, 0.1))])
    engine, control = start(model), no_control(model)
    torque = np.array([0.3, -0.5, 0.7])
    control.wrench[0, :3] = torque
    engine.advance(control, 1e-4, 1)
    assert engine.read().v[:3] == pytest.approx(np.linalg.solve(tensor(TILTED), torque) * 1e-4, rel=1e-9)


def test_force_on_a_free_body_gives_ft_over_m_to_its_center(start):
    model = world([body(center=(0.3, -0.2, 0.1), inertia=TILTED)])
    engine, control = start(model), no_control(model)
    control.wrench[0, 3:] = (1.0, 2.0, -3.0)
    engine.advance(control, 1e-3, 500)
    reading = engine.read()
    assert reading.v[:3] == pytest.approx(np.zeros(3), abs=1e-12)
    assert reading.v[3:] == pytest.approx(np.array([1.0, 2.0, -3.0]) * 0.5 / 2.0, rel=1e-9)


def pendulum(kind: str, damping: float = 0.0, limits=None, q=()) -> Joint:
    """A hinge about y, or a ball, at 1 m; its child's frame is turned and shifted against the joint frame."""
    return Joint(
        "pivot",
        kind,
        "world",
        "bob",
        at=Pose((0.0, 0.0, 1.0)),
        child_at=Pose((0.0, 0.0, 0.5)),
        axis=(0.0, 1.0, 0.0),
        damping=damping,
        limits=limits,
        q=q,
    )


BOB = body("bob", mass=1.5, center=(0.0, 0.0, -0.1), inertia=(0.04, 0.05, 0.02, 0.0, 0.0, 0.0))
ARM = 0.6  # from the pivot to the centre of mass


def period(engine: BulletBackend, model: Model, value: Callable[[], float], h: float = 1e-3) -> float:
    """Between the first and the third crossing of zero, interpolated."""
    times, before = [], value()
    for step in range(1, 5000):
        engine.advance(no_control(model), h, 1)
        now = value()
        if before * now < 0:
            times.append(h * (step - now / (now - before)))
            if len(times) == 3:
                return times[2] - times[0]
        before = now
    raise AssertionError("it does not swing")


def test_hinged_pendulum_has_the_small_angle_period(start):
    model = world([BOB], [pendulum("hinge", q=(0.02,))], gravity=G)
    engine = start(model)
    expected = 2 * np.pi * np.sqrt((0.05 + 1.5 * ARM**2) / (1.5 * G * ARM))
    assert period(engine, model, lambda: engine.read().q[0]) == pytest.approx(expected, rel=1e-3)


def test_ball_pendulum_swings_in_the_plane_of_its_release(start):
    half = 0.01
    model = world([BOB], [pendulum("ball", q=(np.cos(half), np.sin(half), 0.0, 0.0))], gravity=G)
    engine = start(model)
    expected = 2 * np.pi * np.sqrt((0.04 + 1.5 * ARM**2) / (1.5 * G * ARM))
    assert period(engine, model, lambda: engine.read().position[0, 1]) == pytest.approx(expected, rel=1e-3)
    assert engine.read().position[0, 0] == pytest.approx(0.0, abs=1e-12)


def test_a_torque_equal_to_the_weights_holds_a_horizontal_hinge(start):
    model = world([BOB], [pendulum("hinge", q=(np.pi / 2,))], gravity=G)
    engine, control = start(model), no_control(model)
    control.tau[0] = 1.5 * G * ARM
    engine.advance(control, 1e-3, 1000)
    assert engine.read().q[0] == pytest.approx(np.pi / 2, abs=1e-9)


def test_hinge_angle_counts_whole_turns(start):
    model = world([body("bob", center=(0.0, 0.0, -0.5))], [pendulum("hinge")])
    engine = start(model)
    engine.set(np.array([0.5]), np.array([9.0]))
    engine.advance(no_control(model), 1e-3, 2000)
    assert engine.read().q[0] == pytest.approx(18.5, rel=1e-9)


@pytest.mark.parametrize("kind", ["hinge", "ball"])
def test_damping_decays_with_d_over_inertia(start, kind):
    rate = 0.8 / 0.59  # [1/s] about y
    model = world([BOB], [pendulum(kind, damping=0.8)])
    engine = start(model)
    engine.set(model.q0, np.array([2.0]) if kind == "hinge" else np.array([0.0, 2.0, 0.0]))
    engine.advance(no_control(model), 1e-3, 1000)
    speed = np.linalg.norm(engine.read().v)
    assert -np.log(speed / 2.0) == pytest.approx(rate, rel=0.01)


def test_strong_damping_stops_without_overshooting(start):
    model = world([BOB], [pendulum("ball", damping=50.0)])  # about z, d h / I = 2.5
    engine = start(model)
    engine.set(model.q0, np.array([0.0, 0.0, 1.0]))
    speed = 1.0
    for _ in range(8):
        engine.advance(no_control(model), 1e-3, 1)
        before, speed = speed, engine.read().v[2]
        assert 0 < speed < before / 2


def test_damped_hinge_turns_at_torque_over_d(start):
    model = world([BOB], [pendulum("hinge", damping=100.0)])
    engine, control = start(model), no_control(model)
    control.tau[0] = 30.0
    engine.advance(control, 1e-2, 100)
    assert engine.read().v[0] == pytest.approx(0.3, rel=1e-6)


def test_a_hinge_falls_onto_its_limit_and_stays(start):
    model = world([BOB], [pendulum("hinge", limits=(-2.0, -0.4), q=(-1.5,))], gravity=G)
    engine = start(model)
    engine.advance(no_control(model), 1e-3, 3000)
    reading = engine.read()
    assert reading.q[0] == pytest.approx(-0.4, abs=1e-4)
    assert reading.v[0] == pytest.approx(0.0, abs=1e-4)


def momenta(model: Model, engine: BulletBackend) -> np.ndarray:
    """Linear and, about the world origin, angular momentum from the reported poses and twists."""
    r, total = engine.read(), np.zeros(6)
    for b in range(len(model.body_names)):
        arm = r.rotation[b] @ model.body_center[b]
        p = model.body_mass[b] * (r.twist[b, 3:] + np.cross(r.twist[b, :3], arm))
        L = r.rotation[b] @ model.body_inertia[b] @ r.rotation[b].T @ r.twist[b, :3]
        total += np.concatenate([p, L + np.cross(r.position[b] + arm, p)])
    return total


def test_internal_torque_leaves_the_momenta_of_floating_bodies(start):
    bodies = [body("a", inertia=TILTED, center=(0.1, 0.0, 0.1)), body("b", mass=1.0)]
    joint = Joint(
        "h", "hinge", "a", "b", at=Pose((0.2, 0.1, 0.3)), child_at=Pose((-0.3, 0.0, 0.1)), axis=(1.0, 2.0, 0.5)
    )
    model = world(bodies, [joint])
    control = no_control(model)
    control.tau[6] = 0.2
    drift = []
    for h in (1e-3, 5e-4):
        engine = start(model)
        engine.advance(control, h, round(1.0 / h))
        assert abs(engine.read().v[6]) > 1.0
        drift.append(np.abs(momenta(model, engine)).max())
    assert drift[0] < 2e-3
    assert drift[1] < 0.6 * drift[0]


def test_a_state_at_a_limit_continues_with_the_same_bits(start):
    model = world([BOB], [pendulum("hinge", limits=(-2.0, -0.4), q=(-0.5,))], gravity=G)
    engine, other = start(model), start(model)
    for _ in range(150):
        saved = engine.save()
        engine.advance(no_control(model), 1e-3, 1)
        other.load(saved)
        other.advance(no_control(model), 1e-3, 1)
        assert engine.save()["q"].tobytes() == other.save()["q"].tobytes()
        assert engine.save()["v"].tobytes() == other.save()["v"].tobytes()


def test_what_pybullet_cannot_run_is_refused_in_a_sentence():
    with pytest.raises(BackendError, match='cannot move body "a"'):
        create("pybullet", world([body(inertia=(1e-17, 1e-17, 1e-17, 0, 0, 0))]))
    bodies = [body(f"l{i}") for i in range(40)]
    joints = [Joint(f"j{i}", "ball", f"l{i - 1}" if i else "world", f"l{i}") for i in range(40)]
    with pytest.raises(BackendError, match="40 joints with 160 coordinates"):
        create("pybullet", world(bodies, joints))


UNKNOWN = {
    "has friction": {"friction": 0.1},
    "has a rotor": {"rotor_inertia": 1e-5, "gear": 100.0},
    "has a cone": {"kind": "ball", "cone": 0.5},
    "has a twist range": {"kind": "ball", "twist": (-1.0, 1.0)},
    "is locked": {"locked": True},
    "rebounds from its limits": {"limits": (-1.0, 1.0), "restitution": 0.5},
}


@pytest.mark.parametrize("what", UNKNOWN)
def test_what_its_joints_do_not_do_is_refused_by_name(what):
    joint = replace(pendulum("hinge"), **UNKNOWN[what])
    with pytest.raises(BackendError, match=f'PyBullet cannot run this scene: joint "pivot" {what}'):
        create("pybullet", world([BOB], [joint]))


def test_loops_and_inputs_are_refused_by_name():
    with pytest.raises(BackendError, match=r'PyBullet cannot run this scene: joint "ground" closes a loop\.'):
        create("pybullet", compile_model(four_bar(1.0, (0.5, -1.5))))
    scene = Scene("push", "Push", bodies=(body(),), inputs=(Input("wind", body="a", force=("sin(t)", 0.0, 0.0)),))
    with pytest.raises(BackendError, match='PyBullet cannot run this scene: input "wind"'):
        create("pybullet", compile_model(scene))


def test_closing_twice_is_fine_and_leaves_no_world_behind():
    import pybullet

    engine = BulletBackend(world([body()]))
    client = engine._client
    assert pybullet.isConnected(client)
    engine.close()
    engine.close()
    assert not pybullet.isConnected(client)


def test_importing_it_prints_nothing():
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", "import sim.bullet.quiet"], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout + done.stderr == ""
