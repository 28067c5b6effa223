"""Friction, damping, rotors and stops of every kind at once, on random trees and loops: nothing breaks a law."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim.model import compile_model
from sim.scene import Joint, Scene
from tests.mechanisms import four_bar, slider_crank
from tests.watch import OURS, SOLVERS, Watched
from tests.worlds import random_tree


def swing_and_twist(joint: Joint) -> tuple[float, float]:
    w, *vector = joint.q
    along = float(np.dot(joint.axis, vector) / np.linalg.norm(joint.axis))
    twist = 2 * np.arctan2(along, w)
    return 2 * np.arccos(min(1.0, np.hypot(w, along))), float((twist + np.pi) % (2 * np.pi) - np.pi)


def load_joint(joint: Joint, q: float, rng: np.random.Generator) -> Joint:
    """Some of everything, over decades; the joint starts within its stops, often close to one."""
    more: dict = {}
    if joint.kind == "fixed":
        return joint
    if rng.random() < 0.6:
        more["friction"] = float(10 ** rng.uniform(-3, 1.5))
    if rng.random() < 0.4:
        more["damping"] = float(10 ** rng.uniform(-3, 1))
    below, above = rng.uniform(0, 0.5, 2)
    if joint.kind != "ball":
        if rng.random() < 0.4:
            more["rotor_inertia"] = float(10 ** rng.uniform(-4, 0))
        if rng.random() < 0.6:
            more["limits"] = (float(q - below), float(q + above))
    else:
        swing, twist = swing_and_twist(joint)
        if rng.random() < 0.5:
            more["twist"] = (float(max(-3.1, twist - below)), float(min(3.1, twist + above)))
        if rng.random() < 0.6:
            more["cone"] = min(3.0, float(swing + rng.uniform(0, 0.5)))
    if more.keys() & {"limits", "twist", "cone"}:
        more["restitution"] = float(rng.choice([0.0, 0.5, 1.0]))
    return replace(joint, **more)


def loaded_tree(seed: int) -> Scene:
    rng = np.random.default_rng(1000 + seed)
    scene = random_tree(seed, n=int(rng.integers(2, 9)), floating=bool(rng.integers(2)))
    return replace(scene, joints=tuple(load_joint(j, j.q[0] if j.q else 0.0, rng) for j in scene.joints))


def loaded_loop(seed: int) -> Scene:
    rng = np.random.default_rng(seed)
    angle, v = float(rng.uniform(0.5, 2.0)), (float(4 * rng.normal()),)
    scene = slider_crank(angle, v=v) if seed % 3 == 1 else four_bar(angle, v=v)
    model = compile_model(scene)
    return replace(
        scene, joints=tuple(load_joint(j, float(q), rng) for j, q in zip(scene.joints, model.q0, strict=True))
    )


def watch(scene: Scene, solver: str) -> None:
    world = Watched(scene, solver)
    track = world.track(0.6)
    assert world.unsettled == 0
    assert track.gap.max() <= 1e-8
    assert track.rise < 1e-5
    model = world.model
    for j, (low, high) in enumerate(model.joint_limits):
        if np.isfinite(low):
            q = track.q[:, model.joint_q[j]]
            assert q.min() >= low - 1e-6 and q.max() <= high + 1e-6
    lost = track.energy[0] - track.energy.min()
    assert track.imbalance < 2e-2 * max(lost, 1.0)


@pytest.mark.parametrize("solver", OURS)
@pytest.mark.parametrize("seed", range(16))
def test_random_trees(seed, solver):
    watch(loaded_tree(seed), solver)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", range(16))
def test_random_loops(seed, solver):
    watch(loaded_loop(seed), solver)


@pytest.mark.parametrize("seed", range(6))
def test_both_solvers_agree_after_a_step_with_everything_acting(seed):
    """Velocities to 1e-9, from the same state along a run."""
    for scene in (loaded_tree(seed), loaded_loop(seed)):
        sparse, dense = Watched(scene, "sparse"), Watched(scene, "dense")
        for _ in range(60):
            r = sparse.step(5)
            dense.backend.set(r.q, r.v)
            sparse.backend.set(r.q, r.v)
            a, b = sparse.step(), dense.step()
            scale = max(1.0, float(np.abs(a.twist).max()))
            assert np.abs(a.twist - b.twist).max() < 1e-6 * scale
