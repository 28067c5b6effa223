"""PyBullet on a branching tree of every joint kind, with tilted inertias and turned, shifted joint frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import numpy as np
import pytest

from sim.backend import Diverged, create, unavailable
from sim.model import BALL, FREE, HINGE, SLIDER, Model, compile_model
from sim.scene import Body, Joint, Pose, Scene
from sim.state import Control

if reason := unavailable("pybullet"):
    pytest.skip(reason, allow_module_level=True)

from sim.bullet.backend import BulletBackend

Open = Callable[[Model], BulletBackend]


@pytest.fixture
def start() -> Iterator[Open]:
    with ExitStack() as stack:
        yield lambda model: stack.enter_context(closing(BulletBackend(model)))


def no_control(model: Model) -> Control:
    return Control(np.zeros(model.nv), np.zeros((len(model.body_names), 6)))


def mixed(damping: float = 0.0) -> Model:
    rng = np.random.default_rng(5)

    def pose() -> Pose:
        quat = rng.normal(size=4)
        return Pose(tuple(rng.normal(scale=0.3, size=3)), tuple(quat / np.linalg.norm(quat)))

    bodies = []
    for name in ("base", "a", "b", "c", "d", "e", "solo"):
        axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        tensor = axes @ np.diag([0.03, 0.04, 0.06]) @ axes.T
        six = tuple(tensor[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]].tolist())
        bodies.append(Body(name, rng.uniform(0.5, 2.0), tuple(rng.normal(scale=0.2, size=3)), six))
    joints = [
        Joint(kind + parent, kind, parent, child, pose(), pose(), tuple(rng.normal(size=3)), damping=damping)
        for kind, parent, child in (
            ("hinge", "base", "a"),
            ("ball", "base", "b"),
            ("slider", "a", "c"),
            ("ball", "c", "d"),
            ("fixed", "b", "e"),
        )
    ]
    return compile_model(Scene("mixed", "Mixed", bodies=tuple(bodies), joints=tuple(joints)))


def random_motion(model: Model, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    q, v = rng.normal(size=model.nq), rng.normal(size=model.nv)
    for j in np.flatnonzero(np.isin(model.joint_type, (FREE, BALL))):
        quat = q[model.joint_q[j + 1] - 4 : model.joint_q[j + 1]]
        quat /= np.copysign(np.linalg.norm(quat), quat[0])
    return q, v


def turn(vector: np.ndarray) -> np.ndarray:
    """exp [w]× summed as a series, scaled down and squared up again."""
    w = np.array(vector) / 1024
    K = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    R = np.eye(3) + K + K @ K / 2 + K @ K @ K / 6 + K @ K @ K @ K / 24
    return np.linalg.matrix_power(R, 1024)


def quat_turn(quat: np.ndarray) -> np.ndarray:
    angle = 2 * np.arctan2(np.linalg.norm(quat[1:]), quat[0])
    return turn(angle * quat[1:] / np.linalg.norm(quat[1:]))


def transform(R: np.ndarray, p: np.ndarray) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T


def forward_kinematics(model: Model, q: np.ndarray, v: np.ndarray, t: float) -> dict[int, np.ndarray]:
    """4×4 poses by body after moving on for the time t with constant v."""
    poses = {-1: np.eye(4)}
    for j in model.tree_order:
        x = q[model.joint_q[j] : model.joint_q[j + 1]]
        u = v[model.joint_v[j] : model.joint_v[j + 1]] * t
        kind, axis = model.joint_type[j], model.joint_axis[j]
        if kind == FREE:
            motion = transform(turn(u[:3]) @ quat_turn(x[3:]), x[:3] + u[3:])
        elif kind == BALL:
            motion = transform(quat_turn(x) @ turn(u), np.zeros(3))
        elif kind == HINGE:
            motion = transform(turn(axis * (x[0] + u[0])), np.zeros(3))
        elif kind == SLIDER:
            motion = transform(np.eye(3), axis * (x[0] + u[0]))
        else:
            motion = np.eye(4)
        at = transform(model.joint_rotation[j], model.joint_position[j])
        child_at = transform(model.joint_child_rotation[j], model.joint_child_position[j])
        poses[int(model.joint_child[j])] = poses[int(model.joint_parent[j])] @ at @ motion @ np.linalg.inv(child_at)
    return poses


@pytest.mark.parametrize("seed", range(4))
def test_what_is_set_is_read_and_poses_and_twists_follow_it(start, seed):
    model = mixed()
    q, v = random_motion(model, seed)
    engine, eps = start(model), 1e-5
    engine.set(q, v)
    reading = engine.read()
    assert reading.q == pytest.approx(q, abs=1e-12)
    assert reading.v == pytest.approx(v, abs=1e-12)
    now, after, before = (forward_kinematics(model, q, v, t) for t in (0.0, eps, -eps))
    for b in range(len(model.body_names)):
        assert reading.position[b] == pytest.approx(now[b][:3, 3], abs=1e-10)
        assert reading.rotation[b] == pytest.approx(now[b][:3, :3], abs=1e-10)
        rate = (after[b] - before[b]) / (2 * eps)
        spin = rate[:3, :3] @ now[b][:3, :3].T
        assert reading.twist[b, 3:] == pytest.approx(rate[:3, 3], abs=1e-7)
        assert reading.twist[b, :3] == pytest.approx([spin[2, 1], spin[0, 2], spin[1, 0]], abs=1e-7)


@pytest.mark.parametrize("damping", [0.0, 0.5])
def test_every_joint_kind_converges_to_the_impulse_engine(start, damping):
    """With joint torques and wrenches on all of it; PyBullet's error halves with its step."""
    model = mixed(damping)
    q, v = random_motion(model, 11)
    rng = np.random.default_rng(12)
    control = Control(rng.normal(size=model.nv), rng.normal(size=(len(model.body_names), 6)))
    reference = create("impulse", model)
    reference.set(q, v)
    reference.advance(control, 1e-4, 500)
    expected = reference.read()
    errors = []
    for h in (4e-4, 2e-4):
        engine = start(model)
        engine.set(q, v)
        engine.advance(control, h, round(0.05 / h))
        errors.append(np.abs(engine.read().twist - expected.twist).max())
    assert errors[0] < 0.02
    assert errors[1] == pytest.approx(errors[0] / 2, rel=0.05)


def bits(engine: BulletBackend) -> bytes:
    r = engine.read()
    return b"".join(a.tobytes() for a in (*engine.save().values(), r.q, r.v, r.position, r.rotation, r.twist))


@pytest.mark.parametrize("damping", [0.0, 0.5])
def test_a_restored_state_continues_with_the_same_bits(start, damping):
    model = mixed(damping)
    control = no_control(model)
    control.tau[:] = 0.1
    control.wrench[2] = 0.3
    engine, other = start(model), start(model)
    engine.advance(control, 1e-3, 40)
    saved = engine.save()
    engine.advance(control, 1e-3, 50)
    other.load(saved)
    assert all(np.array_equal(a, saved[k]) for k, a in other.save().items())
    for n in (1, 30, 19):
        other.advance(control, 1e-3, n)
    assert bits(other) == bits(engine)


@pytest.mark.parametrize(("joint", "torque"), [("slidera", 1e9), ("hingebase", 1e7), ("ballc", 1e306)])
def test_divergence_names_a_body_and_keeps_the_last_good_state(start, joint, torque):
    model = mixed()
    engine, control = start(model), no_control(model)
    engine.advance(control, 1e-3, 5)
    good = bits(engine)
    control.tau[model.joint_v[model.joint_names.index(joint)]] = torque
    with pytest.raises(Diverged, match=r'body "(base|a|b|c|d|e)" (turned|became)'):
        engine.advance(control, 1e-3, 20)
    assert bits(engine) == good
    engine.advance(no_control(model), 1e-3, 5)
    assert np.isfinite(engine.read().twist).all()


def test_an_infinite_torque_or_force_is_named(start):
    model = mixed()
    engine, control = start(model), no_control(model)
    control.tau[model.joint_v[model.joint_names.index("hingebase")]] = np.nan
    with pytest.raises(Diverged, match='torque of joint "hingebase"'):
        engine.advance(control, 1e-3, 1)
    control = no_control(model)
    control.wrench[6, 3] = np.inf
    with pytest.raises(Diverged, match='force on body "solo"'):
        engine.advance(control, 1e-3, 1)
