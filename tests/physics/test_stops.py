"""Stops of hinges and sliders: nothing passes them, nothing gains energy at them, and what rests on them stays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim.scene import Body, Joint, Pose, Scene
from tests.mechanisms import four_bar, slider_crank, with_joint
from tests.watch import OURS, SOLVERS, Track, Watched, weightless
from tests.worlds import hanging, rod

PASSED = 1e-6  # [rad, m]
GAP = 1e-8


def beyond(track: Track, limits: tuple[float, float], joint: int = 0) -> float:
    """How far a joint went past its stops."""
    q = track.q[:, joint]
    return float(max(q.max() - limits[1], limits[0] - q.min()))


def waves(scene: Scene, solver: str, seconds: float = 1.5) -> float:
    """The largest gain of energy in a step that the integrator shows on the same thing without stops."""
    joints = tuple(replace(j, limits=None, restitution=0.0) for j in scene.joints)
    return 1.1 * Watched(replace(scene, joints=joints), solver).track(seconds).rise


def block(name: str, mass: float = 1.0) -> Body:
    return Body(name, mass, (0.0, 0.0, 0.0), (0.01, 0.01, 0.01, 0.0, 0.0, 0.0))


def sliders(*joints: dict, axis: tuple[float, float, float] = (0.0, 0.0, 1.0)) -> Scene:
    """Blocks of 1 kg, each on a slider to the one before."""
    bodies = tuple(block(f"b{i}") for i in range(len(joints)))
    made = tuple(
        Joint(f"s{i}", "slider", f"b{i - 1}" if i else "world", f"b{i}", axis=axis, **more)
        for i, more in enumerate(joints)
    )
    return Scene("sliders", "Sliders", bodies=bodies, joints=made)


def rods(*joints: dict) -> Scene:
    bodies = tuple(rod(f"r{i}") for i in range(len(joints)))
    made = []
    for i, more in enumerate(joints):
        at = Pose((0.0, 0.0, -0.25 if i else 0.0))
        made.append(Joint(f"j{i}", "hinge", f"r{i - 1}" if i else "world", f"r{i}", at, axis=(0.0, 1.0, 0.0), **more))
    return Scene("rods", "Rods", bodies=bodies, joints=tuple(made))


@pytest.mark.parametrize("solver", OURS)
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_pendulum_bounces_off_its_stop(restitution, solver):
    """From q = 1 onto a stop at the bottom: each bounce keeps e² of the height."""
    limits = (0.0, 3.0)
    scene = hanging(1.0, limits=limits, restitution=restitution)
    world = Watched(scene, solver)
    bottom = -0.25 * 9.81 * (0.125 - 1.0)
    track = world.track(6.0)
    height = track.energy[0] - bottom
    assert beyond(track, limits) <= PASSED
    assert track.gap.max() <= GAP
    assert track.rise <= waves(scene, solver) < 3e-8
    assert world.unsettled == 0

    bounces = np.flatnonzero(np.diff(np.sign(track.v[:, 0])) > 0)
    kept = (track.energy[1:] - bottom) / height
    if restitution == 1.0:
        assert np.abs(kept - 1.0).max() < 1e-3
    elif restitution == 0.5:
        after = [kept[i + 3] for i in bounces[:5]]
        assert np.allclose(after, 0.25 ** np.arange(1, 6), rtol=1e-3)


@pytest.mark.parametrize("solver", OURS)
def test_an_elastic_pendulum_keeps_its_height_over_twenty_bounces(solver):
    track = Watched(hanging(1.0, limits=(0.0, 3.0), restitution=1.0), solver).track(9.0)
    peaks = np.flatnonzero((track.v[:-1, 0] > 0) & (track.v[1:, 0] <= 0))
    bounces = np.flatnonzero((track.v[:-1, 0] < 0) & (track.v[1:, 0] >= 0))
    assert len(bounces) >= 20
    heights = 1 - np.cos(track.q[peaks, 0])
    assert np.abs(heights / (1 - np.cos(1.0)) - 1).max() < 1e-3


@pytest.mark.parametrize("solver", OURS)
@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_what_rests_on_a_stop_does_not_creep(restitution, solver):
    """Pressed by its weight for a minute, away from the bottom."""
    world = Watched(hanging(1.2, limits=(0.7, 2.0), restitution=restitution), solver)
    world.step(2000)
    track = world.track(60.0, batch=20)
    assert np.abs(track.v).max() <= 1e-9
    assert np.ptp(track.q) <= 1e-9 and abs(track.q[-1, 0] - 0.7) <= PASSED


@pytest.mark.parametrize("solver", OURS)
@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
def test_a_falling_slider_lands_when_and_as_it_should(restitution, solver):
    """z = z₀ − ½ g t² until √(2 z₀/g); then parabolas of e v, the first one to its end."""
    g, z0 = 9.81, 0.3
    world = Watched(sliders({"q": (z0,), "limits": (0.0, 1.0), "restitution": restitution}), solver)
    land = np.sqrt(2 * z0 / g)
    speed = restitution * g * land
    again = land + 2 * speed / g
    track = world.track(min(again, land + 0.3))
    since = track.t - land
    expected = np.where(since < 0, z0 - g * track.t**2 / 2, speed * since - g * since**2 / 2)
    if restitution == 0.0:
        expected = np.maximum(expected, 0.0)
    assert np.abs(track.q[:, 0] - expected).max() < 1e-8


@pytest.mark.parametrize("solver", OURS)
def test_two_stops_reached_in_the_same_instant(solver):
    """Both joints turn round, no energy is lost; and where one is dead, its share only."""
    for e, after in ((1.0, (-2.0, -1.0)), (0.0, (0.0, 0.0))):
        joints = [{"v": (v,), "limits": (-1.0, v * 0.1), "restitution": e} for v in (2.0, 1.0)]
        world = Watched(weightless(sliders(*joints)), solver)
        track = world.track(0.15)
        assert np.allclose(track.v[-1], after, atol=1e-9)
        assert beyond(track, (-1.0, 0.2)) <= PASSED and beyond(track, (-1.0, 0.1), 1) <= PASSED
        assert track.imbalance < 1e-9


def test_an_impact_conserves_the_momentum_of_free_bodies():
    """Two free bodies on a hinge: ω₂ − ω₁ turns round by e, I₁ ω₁ + I₂ ω₂ stays."""
    inertia = 0.01, 0.03
    bodies = tuple(
        replace(block(n), inertia=(0.02, 0.02, i, 0.0, 0.0, 0.0)) for n, i in zip("ab", inertia, strict=True)
    )
    joint = Joint("hinge", "hinge", "a", "b", v=(3.0,), limits=(-1.0, 0.3), restitution=0.5)
    r = Watched(weightless(Scene("pair", "Pair", bodies=bodies, joints=(joint,)))).step(150)
    spin = r.twist[:, 2]
    assert spin[1] - spin[0] == pytest.approx(-1.5, abs=1e-9)
    assert inertia[0] * spin[0] + inertia[1] * spin[1] == pytest.approx(0.03 * 3.0, abs=1e-12)


@pytest.mark.parametrize("solver", OURS)
def test_a_joint_between_equal_limits_is_held_whatever_else_hits(solver):
    joints = ({"q": (0.4,), "limits": (0.4, 0.4), "restitution": 1.0}, {"q": (1.0,), "limits": (0.2, 2.0)})
    world = Watched(rods(*joints, {"q": (-0.5,), "limits": (-1.0, 0.1), "restitution": 1.0}), solver)
    track = world.track(2.0)
    assert beyond(track, (0.4, 0.4)) <= PASSED and np.abs(track.v[:, 0]).max() <= 1e-9
    assert track.rise < 1e-6 and track.gap.max() <= GAP


@pytest.mark.parametrize("solver", OURS)
def test_a_joint_that_starts_outside_can_only_move_back(solver):
    pressed = Watched(hanging(0.9, limits=(1.5, 2.5)), solver)
    track = pressed.track(1.0)
    assert np.abs(track.q - 0.9).max() <= 1e-9 and track.rise <= 1e-12

    limits = (-0.5, 0.5)
    inward, free = Watched(hanging(0.9, limits=limits), solver), Watched(hanging(0.9), solver)
    assert np.abs(inward.track(0.15).q - free.track(0.15).q).max() < 1e-8  # no stop is in its way
    track = inward.track(2.0)
    assert beyond(track, limits) <= PASSED and track.rise < 1e-7

    thrown = Watched(weightless(hanging(0.9, v=(2.0,), limits=limits, restitution=1.0)), solver)
    assert thrown.step(10).v[0] == pytest.approx(-2.0, abs=1e-9)


@pytest.mark.parametrize("solver", OURS)
def test_starting_at_a_stop_with_a_velocity_into_it_is_an_impact(solver):
    r = Watched(weightless(hanging(0.3, v=(-2.0,), limits=(0.3, 1.0), restitution=0.5)), solver).step(100)
    assert r.v[0] == pytest.approx(1.0, abs=1e-9) and r.q[0] == pytest.approx(0.4, abs=1e-6)


@pytest.mark.parametrize("solver", OURS)
def test_an_arm_thrown_against_its_stops_by_a_huge_torque(solver):
    limits = (-1.9, 1.9)
    world = Watched(rods(*({"q": (0.1,), "limits": limits, "restitution": 0.3} for _ in range(3))), solver)
    for direction in (1.0, -1.0, 1.0):
        world.control.tau[:] = direction * np.array([60.0, 20.0, 5.0])
        track = world.track(0.3)
        for joint in range(3):
            assert beyond(track, limits, joint) <= PASSED
        assert track.gap.max() <= GAP
        assert np.abs(track.v[-50:]).max() <= 1e-9
        assert np.allclose(track.q[-1], direction * 1.9, atol=PASSED)


@pytest.mark.parametrize("solver", OURS)
def test_forces_of_a_curved_path_do_not_press_a_joint_through_its_stop(solver):
    """A whirling arm is stretched by nothing but its motion: no torque, no weight."""
    scene = weightless(rods({"v": (10.0,)}, {"q": (0.5,), "limits": (0.5, 2.0)}))
    track = Watched(scene, solver).track(3.0)
    assert beyond(track, (0.5, 2.0), 1) <= PASSED
    assert np.ptp(track.energy) < 1e-6 * track.energy[0]
    locked = replace(scene.joints[1], limits=None, locked=True)
    rigid = Watched(replace(scene, joints=(scene.joints[0], locked)), solver)
    assert np.abs(track.q[:, 0] - rigid.track(3.0).q[:, 0]).max() < 1e-6


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("restitution", [0.0, 1.0])
def test_stops_inside_of_loops(restitution, solver):
    for scene, joint, limits in (
        (four_bar(0.7, v=(6.0,)), "crank", (-2.0, 2.0)),
        (four_bar(0.7, v=(6.0,)), "ground", None),
        (slider_crank(0.7, v=(6.0,)), "slide", None),
    ):
        start = Watched(scene, solver)
        index = start.model.joint_names.index(joint)
        now = float(start.model.q0[index])
        limits = limits or (now - 0.05, now + 0.05)
        world = Watched(with_joint(scene, joint, limits=limits, restitution=restitution), solver)
        track = world.track(1.0)
        assert beyond(track, limits, index) <= PASSED
        assert track.gap.max() <= GAP and world.unsettled == 0
        assert track.rise <= waves(scene, solver)
        if restitution == 1.0:
            assert np.ptp(track.energy) < 1e-3 * track.energy[0]


@pytest.mark.parametrize("solver", OURS)
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_stack_of_pendulums_chatters_on_its_stops(restitution, solver):
    stops = {"q": (0.5,), "limits": (0.2, 1.0), "restitution": restitution}
    world = Watched(rods(stops, stops), solver)
    track = world.track(3.0)
    assert max(beyond(track, (0.2, 1.0), j) for j in (0, 1)) <= PASSED
    assert track.rise < 1e-6 and track.gap.max() <= GAP and world.unsettled == 0
    if restitution < 1.0:
        assert np.abs(track.v[-300:]).max() <= 1e-9
    else:
        assert np.ptp(track.energy) < 1e-5


@pytest.mark.parametrize("solver", OURS)
def test_an_impact_gains_nothing_from_a_joint_that_leaves_its_stop(solver):
    """Both at their stops at once, one moving in and one out: what the first does to the second is the next impact."""
    for v in ((-2.0, 0.3), (-2.0, 3.0), (1.0, -3.0)):
        joints = [{"q": (0.5,), "v": (x,), "limits": (0.5, 2.0), "restitution": 1.0} for x in v]
        world = Watched(weightless(rods(*joints)), solver)
        start = world.energy()
        world.step()
        assert world.energy() == pytest.approx(start, rel=1e-7)


@pytest.mark.parametrize("solver", OURS)
def test_a_narrow_range_does_not_hold_up_the_run(solver):
    """10⁴ bounces a step at first: they end, and the joint stays where it belongs."""
    world = Watched(weightless(hanging(0.5, v=(10.0,), limits=(0.5, 0.5 + 1e-6), restitution=1.0)), solver)
    track = world.track(0.05)
    assert beyond(track, (0.5, 0.5 + 1e-6)) <= PASSED
    assert np.all(np.diff(track.energy) <= 1e-12)
