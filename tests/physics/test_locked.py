"""Locked joints are fixed where they are: two links with a locked elbow are one rigid body."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim.model import compile_model
from sim.rest import body_poses
from sim.scene import Body, Joint, Pose, Scene
from tests.mechanisms import four_bar
from tests.watch import OURS, SOLVERS, Watched
from tests.worlds import rod

TIP = Pose((0.0, 0.0, -0.25))
KINDS = {
    "hinge": {"kind": "hinge", "axis": (0.3, 1.0, -0.4), "q": (0.9,)},
    "slider": {"kind": "slider", "axis": (0.3, 1.0, -0.4), "q": (0.12,)},
    "ball": {"kind": "ball", "q": (0.8, 0.0, 0.36, 0.48)},
}


def arm(elbow: dict, last: dict | None = None) -> Scene:
    """A ball at the shoulder, so that every moment of the merged body counts; a hinge at the end."""
    joints = (
        Joint("shoulder", "ball", "world", "a", q=(0.6, 0.8, 0.0, 0.0), v=(1.0, -2.0, 3.0)),
        Joint(name="elbow", parent="a", child="b", at=TIP, locked=True, **elbow),
        Joint("wrist", "hinge", "b", "c", TIP, axis=(1.0, 0.0, 0.0), v=(4.0,), **(last or {})),
    )
    return Scene("arm", "Arm", bodies=tuple(rod(n) for n in "abc"), joints=joints)


def merged(scene: Scene) -> Scene:
    """Bodies a and b as one, by the parallel axes of both."""
    model = compile_model(scene)
    p, R = body_poses(model, model.q0)
    place, turn = R[0].T @ (p[1] - p[0]), R[0].T @ R[1]
    masses, centers = model.body_mass[:2], [model.body_center[0], place + turn @ model.body_center[1]]
    tensors = [model.body_inertia[0], turn @ model.body_inertia[1] @ turn.T]
    total = masses.sum()
    center = (masses[0] * centers[0] + masses[1] * centers[1]) / total
    inertia = np.zeros((3, 3))
    for m, c, t in zip(masses, centers, tensors, strict=True):
        d = c - center
        inertia += t + m * (d @ d * np.eye(3) - np.outer(d, d))
    six = tuple(float(inertia[i]) for i in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    one = Body("a", float(total), tuple(float(x) for x in center), six)
    wrist = replace(scene.joints[2], parent="a", at=_pose(place + turn @ np.array(TIP.position), turn))
    return replace(scene, bodies=(one, scene.bodies[2]), joints=(scene.joints[0], wrist))


def _pose(position: np.ndarray, R: np.ndarray) -> Pose:
    w = 0.5 * np.sqrt(1 + np.trace(R))
    vector = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * w)
    return Pose(tuple(float(x) for x in position), (float(w), *(float(x) for x in vector)))


@pytest.mark.parametrize("solver", OURS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_locked_elbow_makes_one_body_of_two(kind, solver):
    """Both converge to the same motion, at second order; q, v of the elbow stand still."""
    scene = arm(KINDS[kind])
    one = merged(scene)

    def apart(h: float) -> float:
        locked, rigid = Watched(scene, solver, h), Watched(one, solver, h)
        r, s = locked.step(round(0.5 / h)), rigid.step(round(0.5 / h))
        assert np.array_equal(r.q[4:-1], KINDS[kind]["q"]) and not r.v[3:-1].any()
        assert max(r.joint_gap, r.joint_angle_error) <= 1e-8
        return float(np.abs(np.concatenate([r.q[:4] - s.q[:4], r.q[-1:] - s.q[-1:], r.v[:3] - s.v[:3]])).max())

    coarse, fine = apart(1e-3), apart(5e-4)
    assert fine < 1e-3 and (fine < coarse / 3 or coarse < 1e-8)


@pytest.mark.parametrize("solver", OURS)
def test_forces_on_a_locked_joint_do_nothing(solver):
    worlds = [Watched(arm({**KINDS["hinge"], **more}), solver) for more in ({}, {"friction": 1.0, "damping": 2.0})]
    worlds[1].control.tau[3] = 50.0
    a, b = (w.step(200) for w in worlds)
    assert np.abs(a.q - b.q).max() < 1e-9 and b.work == 0.0


@pytest.mark.parametrize("solver", OURS)
def test_a_locked_joint_set_elsewhere_is_locked_there(solver):
    scene = arm(KINDS["hinge"])
    world = Watched(scene, solver)
    q = np.array(world.model.q0)
    q[4] = -0.3
    world.backend.set(q, world.model.v0)
    there = Watched(
        replace(scene, joints=tuple(replace(j, q=(-0.3,)) if j.locked else j for j in scene.joints)), solver
    )
    a, b = world.step(300), there.step(300)
    assert a.q[4] == -0.3 and np.abs(a.q - b.q).max() < 1e-12 and np.abs(a.v - b.v).max() < 1e-12


@pytest.mark.parametrize("solver", OURS)
def test_a_saved_lock_is_where_it_was(solver):
    world, other = Watched(arm(KINDS["ball"]), solver), Watched(arm(KINDS["ball"]), solver)
    q = np.array(world.model.q0)
    q[4:8] = (0.6, 0.8, 0.0, 0.0)
    world.backend.set(q, world.model.v0)
    world.step(50)
    other.backend.load(world.backend.save())
    a, b = world.step(50), other.step(50)
    assert np.array_equal(a.q, b.q) and np.array_equal(a.v, b.v)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", ["coupler", "ground"])
def test_a_loop_with_a_locked_joint_stands(name, solver):
    """One freedom, taken away: in the tree or where the loop is cut."""
    scene = four_bar(0.7)
    model = compile_model(scene)
    at = {n: float(model.q0[i]) for i, n in enumerate(model.joint_names)}
    joints = tuple(replace(j, q=(at[j.name],), locked=j.name == name) for j in scene.joints)
    world = Watched(replace(scene, joints=joints), solver)
    track = world.track(1.0)
    assert np.abs(track.q - track.q[0]).max() < 1e-7 and np.abs(track.v).max() < 1e-9
    assert track.gap.max() <= 1e-8
