"""Coulomb friction: what it can hold does not move, and what slides is slowed down by exactly its bound."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim.model import compile_model
from sim.scene import Body, Joint, Pose, Scene
from tests.mechanisms import four_bar, with_joint
from tests.watch import OURS, SOLVERS, Watched, runs, weightless
from tests.worlds import hanging, quaternion, rod

MOMENTS = (0.01, 0.012, 0.02)
LOAD = 0.25 * 9.81 * 0.125  # of the level rod on its hinge [N·m]
ROD = 0.25 * (0.25**2 + 0.03**2) / 12 + 0.25 * 0.125**2  # its inertia about the hinge


def block(name: str = "block", mass: float = 2.0) -> Body:
    return Body(name, mass, (0.0, 0.0, 0.0), (*MOMENTS, 0.0, 0.0, 0.0))


def slope(angle: float, friction: float, v: float = 0.0) -> Scene:
    """A slider that points uphill."""
    axis = (float(np.cos(angle)), 0.0, float(np.sin(angle)))
    joint = Joint("slide", "slider", "world", "block", axis=axis, v=(v,), friction=friction)
    return Scene("slope", "Slope", bodies=(block(),), joints=(joint,))


def ball(friction: float, v: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Scene:
    joint = Joint("ball", "ball", "world", "block", v=v, friction=friction)
    return Scene("ball", "Ball", bodies=(block(),), joints=(joint,))


def turned(angle: float) -> tuple[float, float, float, float]:
    return float(np.cos(angle / 2)), float(np.sin(angle / 2)), 0.0, 0.0


def rods(*joints: dict) -> Scene:
    """A chain of rods, the joints hinges about y unless they say otherwise."""
    bodies = tuple(rod(f"r{i}") for i in range(len(joints)))
    made = []
    for i, more in enumerate(joints):
        parent = f"r{i - 1}" if i else "world"
        at = Pose((0.0, 0.0, -0.25 if i else 0.0))
        made.append(Joint(**{"name": f"j{i}", "kind": "hinge", "axis": (0.0, 1.0, 0.0), **more},
                          parent=parent, child=f"r{i}", at=at))  # fmt: skip
    return Scene("rods", "Rods", bodies=bodies, joints=tuple(made))


def rubbed_four_bar(*frictions: float, **drive: object) -> Scene:
    scene = four_bar(0.7, **drive)
    return replace(scene, joints=tuple(replace(j, friction=f) for j, f in zip(scene.joints, frictions, strict=True)))


TIGHT = 1.0001
BALL = Joint("ball", "ball", "world", "rod", q=turned(np.pi / 2), friction=TIGHT * LOAD)
HELD = {
    "level rod": hanging(-np.pi / 2, friction=TIGHT * LOAD),
    "slope": slope(0.5, TIGHT * 2 * 9.81 * np.sin(0.5)),
    "ball": Scene("ball", "Ball", bodies=(rod("rod"),), joints=(BALL,)),
    "three in a row": rods(*({"q": (-1.3,), "friction": f} for f in (3.0, 2.0, 0.4))),
    "all hinges of a four-bar": rubbed_four_bar(2.0, 2.0, 2.0, 2.0),
    "a four-bar by two of them": rubbed_four_bar(5.0, 0.001, 0.01, 5.0),
}


@pytest.mark.parametrize(("name", "solver"), runs(HELD))
def test_what_friction_holds_does_not_move_for_a_minute(name, solver):
    world = Watched(HELD[name], solver)
    start = world.backend.read().q
    track = world.track(60.0 if solver == "sparse" else 10.0, batch=20)
    assert np.abs(track.v).max() <= 1e-9
    assert np.abs(track.q - start).max() <= 1e-9
    assert world.unsettled == 0


@pytest.mark.parametrize("solver", OURS)
@pytest.mark.parametrize("joint", [
    {"q": (0.4,), "friction": 5.0},
    {"kind": "slider", "q": (0.05,), "friction": 50.0},
    {"kind": "ball", "q": turned(0.4), "friction": 5.0},
], ids=["hinge", "slider", "ball"])  # fmt: skip
def test_a_joint_held_inside_of_a_moving_chain_does_not_creep(joint, solver):
    world = Watched(rods({"q": (-1.3,)}, joint, {"q": (0.5,), "axis": (1.0, 0.0, 0.0)}), solver)
    start = world.backend.read().q[1:-1]
    track = world.track(20.0, batch=20)
    assert np.abs(track.v[:, 0]).max() > 3.0  # the chain does move
    assert np.abs(track.v[:, 1:-1]).max() <= 1e-9
    assert np.abs(track.q[:, 1:-1] - start).max() <= 1e-9
    assert track.gap.max() <= 1e-8


@pytest.mark.parametrize("solver", OURS)
def test_friction_just_below_the_load_slides(solver):
    for scene, excess, inertia in (
        (hanging(-np.pi / 2, friction=0.999 * LOAD), 0.001 * LOAD, ROD),
        (slope(0.5, 0.999 * 2 * 9.81 * np.sin(0.5)), -0.001 * 2 * 9.81 * np.sin(0.5), 2.0),
    ):
        v = Watched(scene, solver).step(100).v[0]
        assert v == pytest.approx(0.1 * excess / inertia, rel=1e-3)


STOPPING = {
    "hinge": (weightless(hanging(0.0, v=(2.0,), friction=0.01)), 2.0, 0.01 / ROD),
    "hinge with a rotor": (
        weightless(hanging(0.0, v=(2.0,), friction=0.01, rotor_inertia=1e-4, gear=10.0)), 2.0, 0.01 / (ROD + 0.01),
    ),
    "slider": (weightless(slope(0.0, 3.0, v=1.0)), 1.0, 1.5),
    "uphill": (slope(0.3, 8.0, v=2.0), 2.0, 4.0 + 9.81 * np.sin(0.3)),
} | {
    f"ball about {'xyz'[k]}": (
        weightless(ball(0.03, tuple(3.0 * (i == k) for i in range(3)))), 3.0, 0.03 / MOMENTS[k],
    ) for k in range(3)
}  # fmt: skip


@pytest.mark.parametrize("solver", OURS)
@pytest.mark.parametrize("name", STOPPING)
def test_friction_slows_down_by_its_bound_stops_in_time_and_holds(name, solver):
    """v = v₀ − (F/I) t until v₀ I/F, and rest from there on."""
    scene, v0, slowing = STOPPING[name]
    stop = v0 / slowing
    world = Watched(scene, solver)
    track = world.track(1.5 * stop)
    speed = np.linalg.norm(track.v, axis=1)
    assert np.abs(speed - np.maximum(v0 - slowing * track.t, 0.0)).max() < 1e-8 * v0
    assert track.t[np.argmax(speed < 1e-9)] == pytest.approx(stop, rel=1e-3, abs=1e-3)
    assert speed[track.t > stop + 1e-3].max() <= 1e-9
    rest = track.q[-1]
    assert np.abs(world.step(10000).q - rest).max() <= 1e-9
    assert world.unsettled == 0


@pytest.mark.parametrize("solver", OURS)
@pytest.mark.parametrize(("outer", "inner"), [(0.02, 0.05), (0.05, 0.02)])
def test_two_frictions_in_series(outer, inner, solver):
    """A disk spins on a disk on a base. The inner friction drags the lower one along, if the outer one lets it:

    ω₂ falls at F_i/I, ω₁ grows at (F_i − F_o)/I until both are one; that slows down at F_o/2I.
    """
    inertia = MOMENTS[2]
    joints = (
        Joint("base", "hinge", "world", "lower", friction=outer),
        Joint("disks", "hinge", "lower", "upper", v=(4.0,), friction=inner),
    )
    scene = weightless(Scene("disks", "Disks", bodies=(block("lower"), block("upper")), joints=joints))
    world = Watched(scene, solver)
    drag = max(inner - outer, 0.0) / inertia
    together = 4.0 / (inner / inertia + drag)
    common = drag * together
    track = world.track(together + 2 * inertia * common / outer + 0.1)
    lower = np.where(track.t < together, drag * track.t, common - outer / (2 * inertia) * (track.t - together))
    upper = 4.0 - inner / inertia * track.t
    assert np.abs(track.v[:, 0] - np.maximum(lower, 0.0)).max() < 2e-3
    before = track.t < together
    assert np.abs((track.v.sum(axis=1) - upper)[before]).max() < 1e-9
    assert np.abs(track.v[-1]).max() <= 1e-9 and world.unsettled == 0


def test_friction_and_damping_together():
    """I ω̇ = −F − d ω: ω = (ω₀ + F/d) exp(−d t/I) − F/d until t = (I/d) ln(1 + d ω₀/F)."""
    d, F = 0.004, 0.006
    track = Watched(weightless(hanging(0.0, damping=d, v=(5.0,), friction=F))).track(4.0)
    stop = ROD / d * np.log(1 + 5.0 * d / F)
    expected = (5.0 + F / d) * np.exp(-d * track.t / ROD) - F / d
    assert np.abs(track.v[:, 0] - np.where(track.t < stop, expected, 0.0)).max() < 5e-6
    assert track.t[np.argmax(np.abs(track.v[:, 0]) < 1e-9)] == pytest.approx(stop, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_four_bar_with_friction_in_all_hinges_runs_down_and_rests(solver):
    world = Watched(rubbed_four_bar(0.3, 0.1, 0.2, 0.3, v=(12.0,)), solver)
    track = world.track(4.0)
    assert np.abs(track.v).max() > 5.0
    assert np.abs(track.v[-500:]).max() <= 1e-9 and np.ptp(track.q[-500:], axis=0).max() <= 1e-9
    assert track.rise < 1e-8 and track.gap.max() <= 1e-8
    assert track.imbalance < 1e-3 * np.ptp(track.energy)
    assert world.unsettled == 0


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("rubbing", ["crank", "ground"])
def test_where_a_loop_is_cut_makes_no_difference_to_friction(rubbing, solver):
    scene = with_joint(four_bar(0.7, v=(8.0,)), rubbing, friction=0.4)
    model = compile_model(scene)
    at = dict(zip(model.joint_names, model.q0, strict=True))
    crank, coupler, rocker, ground = (replace(j, q=(float(at[j.name]),)) for j in scene.joints)
    worlds = [Watched(replace(scene, joints=j), solver) for j in (scene.joints, (crank, ground, coupler, rocker))]
    assert [w.model.joint_names[int(np.argmax(w.model.joint_cut))] for w in worlds] == ["ground", "rocker"]
    tracks = [w.track(0.3) for w in worlds]
    assert np.abs(tracks[0].q[:, 0] - tracks[1].q[:, 0]).max() < 1e-7
    for track in tracks:
        assert track.imbalance < 1e-3 * np.ptp(track.energy) and track.rise < 1e-8


@pytest.mark.parametrize("solver", OURS)
@pytest.mark.parametrize("friction", [0.01, 0.1, 1.0])
def test_balls_in_a_chain_slide_and_stick(friction, solver):
    """Each bounds the length of its own torque; together they settle at every step."""
    rng = np.random.default_rng(0)
    joints = [
        {"kind": "ball", "q": quaternion(rng), "v": tuple(float(x) for x in 3 * rng.normal(size=3)), "friction": f}
        for f in friction * np.arange(4, 0, -1.0) ** 2 / 16
    ]
    world = Watched(rods(*joints), solver)
    track = world.track(2.0)
    assert world.unsettled == 0
    assert track.rise < 1e-4 and track.gap.max() <= 1e-8
    # The integrator's own, at up to 40 rad/s; the strongest friction stops 40 rad/s within one step.
    assert track.imbalance < (2e-2 if solver == "tree" else 5e-3)


@pytest.mark.parametrize("solver", OURS)
def test_a_ball_comes_to_rest_on_its_cone_though_friction_alone_could_not_hold_it(solver):
    cone, start = 0.6, 0.3
    up = Pose((0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0))
    joint = Joint("ball", "ball", "world", "rod", at=up, q=turned(start), friction=0.05, cone=cone)
    world = Watched(Scene("cone", "Cone", bodies=(rod("rod"),), joints=(joint,)), solver)
    assert LOAD * np.sin(start) > 0.05
    track = world.track(3.0)
    x, y = track.q[-1][1:3]
    assert 2 * np.arcsin(np.hypot(x, y)) == pytest.approx(cone, abs=1e-6)
    assert np.abs(track.v[-1000:]).max() <= 1e-9 and world.unsettled == 0
