"""Small worlds for tests, written in Python."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from sim.backend import BACKENDS, create, refusal, unavailable
from sim.files import builtin_names, load
from sim.model import Model, compile_model
from sim.scene import Body, Frame, Joint, Pose, Scene, Shape
from sim.state import Control

ENGINES = tuple(name for name in BACKENDS if not unavailable(name))


def _runs(name: str) -> bool:
    scene = load(name)
    return not refusal(scene.backend, compile_model(scene))


# The built-in scenes that their own engine can run: all but point masses, until the engine for them is there.
RUNNABLE = [name for name in builtin_names() if _runs(name)]


def rod(name: str, length: float = 0.25, mass: float = 0.25, width: float = 0.03) -> Body:
    """A box that hangs from its origin along −z."""
    a, b = mass * (length**2 + width**2) / 12, mass * width**2 / 6
    shape = Shape("box", (width, width, length), Pose((0.0, 0.0, -length / 2)))
    return Body(name, mass, (0.0, 0.0, -length / 2), (a, a, b, 0.0, 0.0, 0.0), (shape,))


def hanging(q: float, damping: float = 0.0, **joint: Any) -> Scene:
    """One rod on a hinge about y at the height 1 m; q = 0 hangs."""
    at = Pose((0.0, 0.0, 1.0))
    hinge = Joint("hinge", "hinge", "world", "rod", at, axis=(0.0, 1.0, 0.0), q=(q,), damping=damping)
    return Scene("hanging", "Hanging rod", bodies=(rod("rod"),), joints=(Joint(**{**vars(hinge), **joint}),))


def quaternion(rng: np.random.Generator) -> tuple[float, float, float, float]:
    q = rng.normal(size=4)
    w, x, y, z = (float(c) for c in q / np.linalg.norm(q))
    return w, x, y, z


def random_tree(seed: int, n: int = 6, floating: bool = False) -> Scene:
    """n bodies with off-centre masses and turned tensors on joints of every kind, frames turned on both sides."""
    rng = np.random.default_rng(seed)
    bodies, joints = [], []
    kinds = ["ball", "hinge", "slider", "hinge", "fixed", "ball"]
    for i in range(n):
        bodies.append(_body(rng, i))
        if i == 0 and floating:
            continue
        parent = "world" if i == 0 else f"b{int(rng.integers(i))}"
        joints.append(_joint(rng, i, kinds[i % len(kinds)], parent))
    if floating:
        bodies[0] = _thrown(rng, bodies[0])
    return Scene(f"tree {seed}", "Random tree", bodies=tuple(bodies), joints=tuple(joints))


def random_forest(seed: int) -> Scene:
    """1 to 30 joints of every kind on one to three bases, standing or flying, some with rotors."""
    rng = np.random.default_rng(seed)
    n, trees = int(rng.integers(1, 31)), int(rng.integers(1, 4))
    bodies, joints = [], []
    for i in range(n):
        bodies.append(_body(rng, i))
        if i < trees and rng.random() < 0.4:
            bodies[i] = _thrown(rng, bodies[i])
            continue
        parent = "world" if i < trees else f"b{i - 1 if rng.random() < 0.6 else int(rng.integers(i))}"
        joint = _joint(rng, i, str(rng.choice(["hinge", "hinge", "slider", "ball", "fixed"])), parent)
        if joint.kind in ("hinge", "slider") and rng.random() < 0.5:
            joint = replace(joint, rotor_inertia=float(rng.uniform(1e-5, 1e-4)), gear=30.0)
        joints.append(joint)
    frames = (Frame("tip", f"b{n - 1}", Pose(_vector(rng, 0.3), quaternion(rng))),)
    return Scene(f"forest {seed}", "Random forest", bodies=tuple(bodies), joints=tuple(joints), frames=frames)


def _body(rng: np.random.Generator, i: int) -> Body:
    moments = rng.uniform(0.02, 0.03, 3)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    t = turn @ np.diag(moments) @ turn.T
    xx, yy, zz, xy, xz, yz = (float(x) for x in (t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2]))
    return Body(f"b{i}", float(rng.uniform(0.5, 2)), _vector(rng, 0.1), (xx, yy, zz, xy, xz, yz))


def _thrown(rng: np.random.Generator, body: Body) -> Body:
    """Somewhere, turned and moving."""
    velocity = tuple(float(x) for x in rng.normal(size=6))
    return Body(**{**vars(body), "pose": Pose(_vector(rng, 1.0), quaternion(rng)), "velocity": velocity})


def _joint(rng: np.random.Generator, i: int, kind: str, parent: str) -> Joint:
    q = {"ball": quaternion(rng), "fixed": ()}.get(kind, (float(rng.uniform(-1, 1)),))
    v = tuple(float(x) for x in rng.normal(size={"ball": 3, "fixed": 0}.get(kind, 1)))
    at, child_at = Pose(_vector(rng, 0.3), quaternion(rng)), Pose(_vector(rng, 0.1), quaternion(rng))
    return Joint(f"j{i}", kind, parent, f"b{i}", at, child_at, _vector(rng, 1.0), q, v)


def _vector(rng: np.random.Generator, scale: float) -> tuple[float, float, float]:
    x, y, z = (float(c) for c in scale * rng.normal(size=3))
    return x, y, z


def free_control(model: Model) -> Control:
    return Control(np.zeros(model.nv), np.zeros((len(model.body_names), 6)))


def run(scene: Scene, seconds: float, dt: float, engine: str = "impulse") -> Any:
    """The engine after a run without controllers, in one call."""
    model = compile_model(scene)
    backend = create(engine, model)
    backend.advance(free_control(model), dt, round(seconds / dt))
    return backend


def energy(model: Model, reading: Any) -> float:
    """T + V by hand: ½ m v² + ½ ω·Iω − m g·c for every body."""
    total = 0.0
    for b, mass in enumerate(model.body_mass):
        R, omega = reading.rotation[b], reading.twist[b, :3]
        arm = R @ model.body_center[b]
        v = reading.twist[b, 3:] + np.cross(omega, arm)
        local = R.T @ omega
        total += 0.5 * mass * v @ v + 0.5 * local @ model.body_inertia[b] @ local
        total -= mass * model.gravity @ (reading.position[b] + arm)
    return float(total)


def elliptic_period(k: float) -> float:
    """4 K(k), the complete elliptic integral by the arithmetic-geometric mean."""
    a, b = 1.0, np.sqrt(1.0 - k * k)
    while abs(a - b) > 1e-15:
        a, b = 0.5 * (a + b), np.sqrt(a * b)
    return float(4.0 * np.pi / (2.0 * a))
