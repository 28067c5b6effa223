"""Cone and twist of a ball, measured here by quaternion algebra: q = swing · twist about the axis."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim.scene import Body, Joint, Pose, Scene
from tests.watch import OURS, Track, Watched, weightless
from tests.worlds import rod

PASSED = 1e-6  # [rad]
Z = np.array([0.0, 0.0, 1.0])


def turn(axis: tuple[float, float, float], angle: float) -> np.ndarray:
    a = np.array(axis) / np.linalg.norm(axis)
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * a])


def product(a: np.ndarray, b: np.ndarray) -> tuple[float, ...]:
    vector = a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])
    return float(a[0] * b[0] - a[1:] @ b[1:]), *(float(x) for x in vector)


def swing_and_twist(q: np.ndarray, axis: np.ndarray = Z) -> tuple[np.ndarray, np.ndarray]:
    """Angles (n,) of rotations (n, 4): the twist is q's part along the axis, the swing what is left."""
    along = q[:, 1:] @ axis
    swing = 2 * np.arccos(np.minimum(np.hypot(q[:, 0], along), 1.0))
    twist = 2 * np.arctan2(along, q[:, 0])
    return swing, (twist + np.pi) % (2 * np.pi) - np.pi


def hung(joint: dict, body: Body | None = None) -> Scene:
    made = Joint("ball", "ball", "world", "rod", **{"q": (1.0, 0.0, 0.0, 0.0), **joint})
    return Scene("hung", "Hung", bodies=(body or rod("rod"),), joints=(made,))


LUMP = Body("rod", 1.0, (0.05, 0.03, -0.2), (0.01, 0.02, 0.015, 0.001, 0.002, -0.001))
THROWS = ((3.0, -4.0, 2.0), (0.0, 9.0, 0.0), (-6.0, 1.0, 8.0))


def check(world: Watched, track: Track, free: Track, cone: float, twist: tuple[float, float], axis: np.ndarray) -> None:
    swing, turned = swing_and_twist(track.q, axis)
    assert swing.max() <= cone + PASSED
    assert turned.max() <= twist[1] + PASSED and turned.min() >= twist[0] - PASSED
    assert track.gap.max() <= 1e-8 and world.unsettled == 0
    assert track.rise <= 3 * free.rise + 1e-9


@pytest.mark.parametrize("solver", OURS)
@pytest.mark.parametrize("restitution", [0.0, 1.0])
@pytest.mark.parametrize("v", THROWS)
@pytest.mark.parametrize("stops", [{"cone": 0.7}, {"twist": (-0.4, 0.3)}, {"cone": 0.7, "twist": (-0.4, 0.3)}])
def test_a_thrown_body_stays_within_its_cone_and_twist(stops, v, restitution, solver):
    """An uneven body, so that everything couples; the axis is not one of its own."""
    axis = np.array([0.3, -0.2, 1.0]) / np.linalg.norm([0.3, -0.2, 1.0])
    scene = hung({"v": v, "axis": tuple(axis), "restitution": restitution, **stops}, LUMP)
    free = Watched(hung({"v": v}, LUMP), solver).track(0.7)
    world = Watched(scene, solver)
    track = world.track(0.7)
    check(world, track, free, stops.get("cone", 3.0), stops.get("twist", (-np.pi, np.pi)), axis)
    if restitution == 1.0:
        assert np.ptp(track.energy) <= 5 * np.ptp(free.energy) + 1e-4
    assert track.imbalance <= 5 * np.ptp(free.energy) + 1e-4


@pytest.mark.parametrize("solver", OURS)
def test_gliding_along_a_vertical_cone_keeps_its_momentum_about_the_vertical(solver):
    """A rod thrown around a hanging cone so fast that it leans on it all the time: no friction, nothing slows it down.

    With e = 0 the first touch takes the swing's own speed away; from there L_z and the energy stay.
    """
    cone, whirl = 0.6, 14.0
    q = tuple(float(x) for x in turn((0.0, 1.0, 0.0), cone))
    world = Watched(hung({"q": q, "v": (-whirl * np.sin(cone), 0.0, whirl * np.cos(cone)), "cone": cone}), solver)
    inertia = np.diag(world.model.body_inertia[0]) + 0.25 * 0.125**2 * np.array([1.0, 1.0, 0.0])

    def spin() -> float:
        r = world.backend.read()
        R, omega = r.rotation[0], r.twist[0, :3]
        return float((R @ (inertia * (R.T @ omega)))[2])

    start = spin()
    spins, swings, energies = [], [], []
    for _ in range(4000):
        r = world.step()
        spins.append(spin())
        energies.append(world.energy())
        swings.append(swing_and_twist(r.q[None])[0][0])
    assert np.ptp(swings) <= PASSED and max(swings) <= cone + PASSED
    assert np.abs(np.array(spins) / start - 1).max() < 1e-9
    assert np.ptp(energies) < 1e-9 * abs(energies[0])
    assert r.twist[0, :3] @ Z == pytest.approx(whirl, rel=1e-5)  # some (whirl h)²


@pytest.mark.parametrize("solver", OURS)
def test_a_body_comes_to_rest_where_cone_and_twist_meet(solver):
    """Heavy off its axis, on a leaning cone: weight presses it against both."""
    lean = turn((1.0, 0.0, 0.0), 1.1)
    at = Pose((0.0, 0.0, 0.0), tuple(float(x) for x in lean))
    scene = hung({"at": at, "cone": 0.3, "twist": (-0.2, 0.2), "damping": 0.05, "friction": 0.1}, LUMP)
    world = Watched(scene, solver)
    track = world.track(4.0)
    swing, twist = swing_and_twist(track.q[-1:])
    assert swing[0] == pytest.approx(0.3, abs=PASSED) and abs(twist[0]) == pytest.approx(0.2, abs=PASSED)
    assert np.abs(track.v[-500:]).max() <= 1e-9 and np.ptp(track.q[-500:], axis=0).max() <= 1e-9


def test_a_cone_or_twist_as_wide_as_can_be_is_no_stop():
    throw = {"v": (9.0, 3.0, -5.0)}
    plain = Watched(hung(throw, LUMP)).track(0.5)
    wide = Watched(hung({**throw, "cone": float(np.pi), "twist": (-np.pi, np.pi)}, LUMP)).track(0.5)
    assert np.array_equal(plain.q, wide.q) and np.array_equal(plain.v, wide.v)


@pytest.mark.parametrize("solver", OURS)
@pytest.mark.parametrize("twist", [(-np.pi, 2.0), (-2.0, np.pi)])
def test_a_twist_range_may_begin_or_end_at_half_a_turn(twist, solver):
    """Spun towards π it stops there, though −π is the same place."""
    v = 3.0 if twist[1] == np.pi else -3.0
    world = Watched(weightless(hung({"v": (0.0, 0.0, v), "twist": twist, "restitution": 1.0})), solver)
    track = world.track(3.0)
    path = np.unwrap(swing_and_twist(track.q)[1])
    assert path.max() <= twist[1] + PASSED and path.min() >= twist[0] - PASSED
    assert np.ptp(path) == pytest.approx(np.pi + 2.0, abs=0.01)  # from one stop to the other
    assert np.abs(np.abs(track.v[:, 2]) - 3.0).max() < 1e-9


@pytest.mark.parametrize("solver", OURS)
def test_twist_stops_let_go_near_a_swing_of_pi_and_take_hold_again(solver):
    """There twist means nothing. Nothing jumps, no energy comes, and past it the body can only twist back."""
    for v in ((25.0, 0.5, 0.3), (0.3, 22.0, 2.0), (12.0, -18.0, 3.0), (-20.0, -6.0, -4.0)):
        worlds = [Watched(hung({"v": v, "twist": (-0.5, 0.5)}, LUMP), solver, h) for h in (1e-3, 5e-4)]
        coarse, fine = (w.track(1.0) for w in worlds)
        assert swing_and_twist(coarse.q)[0].max() > np.pi - 0.1
        assert max(t.gap.max() for t in (coarse, fine)) <= 1e-8 and worlds[0].unsettled == 0
        assert coarse.imbalance < 2e-3 and fine.imbalance < coarse.imbalance / 3.5  # second order, no jumps


@pytest.mark.parametrize("solver", OURS)
def test_cones_inside_of_a_chain(solver):
    bodies = tuple(rod(f"r{i}") for i in range(3))
    joints = []
    for i, v in enumerate(THROWS):
        at = Pose((0.0, 0.0, -0.25 if i else 0.0))
        more = {"v": v, "cone": 0.5, "twist": (-0.3, 0.3), "restitution": 0.5 * i}
        joints.append(Joint(f"j{i}", "ball", f"r{i - 1}" if i else "world", f"r{i}", at, **more))
    scene = Scene("chain", "Chain", bodies=bodies, joints=tuple(joints))
    world = Watched(scene, solver)
    track = world.track(2.0)
    for i in range(3):
        swing, twist = swing_and_twist(track.q[:, 4 * i : 4 * i + 4])
        assert swing.max() <= 0.5 + PASSED and np.abs(twist).max() <= 0.3 + PASSED
    assert track.gap.max() <= 1e-8 and world.unsettled == 0
    free = Watched(replace(scene, joints=tuple(replace(j, cone=None, twist=None, restitution=0.0) for j in joints)))
    assert track.rise <= 3 * free.track(2.0).rise


def leaning(tilt: float, turned: float = 0.0, **joint: object) -> Scene:
    """The axis leans by `tilt` about y; the body is turned about it."""
    return weightless(hung({"q": product(turn((0.0, 1.0, 0.0), tilt), turn((0.0, 0.0, 1.0), turned)), **joint}))


OUTSIDE = {
    "cone, pressed out": (leaning(0.9, cone=0.5), (0.0, 0.05, 0.0), 0.9),
    "cone, thrown out": (leaning(0.9, cone=0.5, v=(0.0, 2.0, 0.0)), (0.0, 0.0, 0.0), 0.9),
    "cone, thrown in and pressed out": (leaning(0.9, cone=0.5, v=(0.0, -2.0, 0.0)), (0.0, 0.05, 0.0), None),
    "cone, sliding along": (leaning(0.9, cone=0.5, v=(2.0, 0.0, 0.0)), (0.0, 0.0, 0.0), 0.9),
    "cone, elastic": (leaning(0.9, cone=0.5, v=(0.0, 2.0, 0.0), restitution=1.0), (0.0, 0.0, 0.0), None),
    "cone, with friction": (leaning(0.9, cone=0.5, v=(0.0, -2.0, 0.0), friction=0.02), (0.0, 0.05, 0.0), None),
    "twist, pressed out": (leaning(0.0, 0.9, twist=(-0.5, 0.5)), (0.0, 0.0, 0.01), None),
    "twist, pressed in": (leaning(0.0, 0.9, twist=(-0.5, 0.5)), (0.0, 0.0, -1e-5), None),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_ball_that_starts_outside_can_only_move_back(name):
    """Held from going further out, from there on its stops are the usual ones; the same with all engines of ours."""
    scene, torque, stays = OUTSIDE[name]
    ends = []
    for solver in OURS:
        world = Watched(scene, solver)
        world.control.tau[:] = torque
        track = world.track(0.6)
        swing, twist = swing_and_twist(track.q)
        angle = twist if name.startswith("twist") else swing
        outside = np.abs(angle[np.abs(angle) > 0.5])
        assert np.diff(outside, prepend=0.9).max() <= 1e-7
        if stays is not None:
            assert np.abs(angle - stays).max() < 1e-6
        ends.append(np.concatenate([track.q[-1], track.v[-1]]))
    assert np.abs(ends - ends[0]).max() < 1e-5
