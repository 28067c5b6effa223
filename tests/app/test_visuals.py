"""What is drawn of a scene, and how large it stands in the picture; no OpenGL needed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.camera import fit
from app.picking import ray_distances
from app.render.frame import grid_step
from app.render.mesh import drawn_sizes, unit_meshes
from app.render.solids import BOX, CAPSULE, CYLINDER, SPHERE
from app.render.visuals import Visuals
from app.stage import load_stage
from app.theme import DARK, LIGHT, linear
from sim.files import builtin_names, load
from sim.model import FIXED, FREE, compile_model
from sim.rest import body_poses, rest_snapshot
from sim.simulation import Simulation
from sim.start import with_start
from sim.state import Snapshot
from tests.app.small_scenes import small_arm
from tests.app.spans import box, surface_points
from tests.mechanisms import four_bar

PENDULUMS = tuple(f"double_pendulum:{variant}" for variant in "abc")


@pytest.mark.parametrize("name", [*builtin_names(), *PENDULUMS])
def test_every_scene_spans_55_to_75_percent_of_the_height(name: str):
    stage = load_stage(name)
    low, high = box(stage, stage.home(), 1280, 720)
    assert 0.55 <= (high - low)[1] / 720 <= 0.75
    assert low.min() >= 0 and high[0] < 1280 and high[1] < 720


def test_pins_sit_on_their_joints_in_the_joints_colour_and_thicker_than_the_links():
    scene = small_arm()
    model = compile_model(scene)
    visuals, snapshot = Visuals(scene, model), rest_snapshot(scene, model)
    world, colors = visuals.instances(snapshot), visuals.colors(LIGHT)
    for j, name in enumerate(("yaw", "shoulder", "elbow")):
        joint = scene.joint(name)
        pins = [i for i in range(len(visuals)) if np.allclose(colors[i], linear(LIGHT.curve(j)))]
        assert len(pins) == 1 and visuals.kind[pins[0]] == CYLINDER
        parent = j - 1
        anchor, axis = np.array(joint.at.position), np.array(joint.axis)
        if parent >= 0:
            anchor = snapshot.position[parent] + snapshot.rotation[parent] @ anchor
            axis = snapshot.rotation[parent] @ axis
        assert world[pins[0], :, 3] == pytest.approx(anchor, abs=1e-6)
        assert abs(world[pins[0], :, 2] @ axis) == pytest.approx(1.0, abs=1e-6)
        radius, half = visuals.size[pins[0], 0], visuals.size[pins[0], 2]
        if name == "elbow":
            assert radius == pytest.approx(1.3 * 0.05) and half > 0.05
        else:
            assert radius > 0.06


def test_a_joint_that_closes_a_loop_is_drawn_like_the_others():
    scene = four_bar(1.0, (0.5, -1.5))
    model = compile_model(scene)
    visuals, snapshot = Visuals(scene, model), rest_snapshot(scene, model)
    colors, world = visuals.colors(LIGHT), visuals.instances(snapshot)
    (pin,) = [i for i in range(len(visuals)) if np.allclose(colors[i], linear(LIGHT.curve(3)))]
    assert visuals.kind[pin] == CYLINDER
    assert world[pin, :, 3] == pytest.approx([0.5, 0.0, 0.0], abs=1e-6)
    center, radius = visuals.light_bounds(snapshot, world)
    assert np.linalg.norm(surface_points(visuals, snapshot) - center, axis=1).max() <= radius < 2.0


def pins_of(visuals: Visuals, number: int) -> list[int]:
    """The solids in the colour of a joint."""
    colors = visuals.colors(LIGHT)
    return [i for i in range(len(visuals)) if np.allclose(colors[i], linear(LIGHT.curve(number)))]


def along(visuals: Visuals, snapshot: Snapshot, solid: int, axis: np.ndarray) -> tuple[float, float]:
    """From where to where a solid reaches along an axis of the world."""
    meshes, sizes = unit_meshes(32), drawn_sizes(visuals.kind, visuals.size)
    place, v = visuals.instances(snapshot)[solid], meshes[int(visuals.kind[solid])].vertices
    local = v[:, :3] * sizes[solid, :3] + v[:, 3:4] * [0.0, 0.0, sizes[solid, 3]]
    ends = (local @ place[:, :3].T + place[:, 3]) @ axis
    return float(ends.min()), float(ends.max())


@pytest.mark.parametrize(("name", "number"), [("four_bar", 1), ("four_bar", 2), ("parallelogram", 2)])
def test_a_pin_goes_through_both_bars_and_stands_proud_of_them(name: str, number: int):
    scene = load(name)
    model = compile_model(scene)
    visuals, snapshot = Visuals(scene, model), rest_snapshot(scene, model)
    y = np.array([0.0, 1.0, 0.0])
    (pin,) = pins_of(visuals, number)
    ends = along(visuals, snapshot, pin, y)
    joint = scene.joints[number]
    bodies = [model.body_names.index(body) for body in (joint.parent, joint.child)]
    bars = np.flatnonzero((visuals.kind == CAPSULE) & np.isin(visuals.body, bodies))
    spans = [along(visuals, snapshot, i, y) for i in bars]
    assert len(spans) == 2
    low, high = min(s[0] for s in spans), max(s[1] for s in spans)
    assert ends[0] < low and ends[1] > high
    assert ends[1] - ends[0] < 1.3 * (high - low)


def test_pins_of_a_chain_do_not_run_into_each_other():
    scene = load("long_chain")
    visuals = Visuals(scene, compile_model(scene))
    radius = visuals.size[visuals.kind == CYLINDER][:, 0]
    assert np.sort(radius)[:-2].max() < 0.1 / 2  # all but post and plate; the hinges are 0.1 m apart


@pytest.mark.parametrize("limits", [(0.24, 0.56), None])
def test_a_slider_runs_on_two_bars_that_stay_with_the_parent(limits: tuple[float, float] | None):
    scene = load("slider_crank")
    joints = tuple(replace(j, limits=limits) if j.name == "slide" else j for j in scene.joints)
    scene = replace(scene, joints=joints)
    model = compile_model(scene)
    visuals, snapshot = Visuals(scene, model), rest_snapshot(scene, model)
    bars = pins_of(visuals, 3)
    assert len(bars) == 2 and (visuals.kind[bars] == CYLINDER).all() and (visuals.body[bars] == -1).all()
    x, y = np.eye(3)[:2]
    (piston,) = np.flatnonzero((visuals.kind == BOX) & (visuals.body == 2))
    block = along(visuals, snapshot, piston, x)
    for bar in bars:
        first, last = along(visuals, snapshot, bar, x)
        assert first < block[0] and last > block[1]
        if limits:
            assert (first, last) == pytest.approx((limits[0] - 0.04, limits[1] + 0.04), abs=1e-6)
    sides = sorted(float(visuals.instances(snapshot)[bar, 1, 3]) for bar in bars)
    assert sides == pytest.approx(along(visuals, snapshot, piston, y), abs=1e-6)


@pytest.mark.parametrize("q", [-25.0, -0.5, 0.0, 0.5, 25.0])
@pytest.mark.parametrize("turn", [-1.2, 0.4])
def test_a_slider_without_limits_never_leaves_its_rail(q: float, turn: float):
    scene = load("rp_robot")
    visuals, rest = Visuals(scene, compile_model(scene)), rest_snapshot(scene)
    snapshot = rest_snapshot(with_start(scene, [turn, q]))
    axis = snapshot.rotation[0] @ [1.0, 0.0, 0.0]
    block = along(visuals, snapshot, int(np.flatnonzero((visuals.kind == BOX) & (visuals.body == 1))[0]), axis)
    bars = pins_of(visuals, 1)
    still = [along(visuals, rest, bar, np.array([1.0, 0.0, 0.0])) for bar in bars]
    out = axis @ snapshot.position[0]
    for bar, (first, last) in zip(bars, still, strict=True):
        low, high = along(visuals, snapshot, bar, axis)
        assert (low, high) == pytest.approx((min(first + out, block[0]), max(last + out, block[1])), abs=1e-5)
        origin = visuals.instances(snapshot)[bar, :, 3] + axis * ((high - low) / 2 - 0.01) + [0.0, -3.0, 0.0]
        distances = ray_distances(visuals, snapshot, origin, np.array([0.0, 1.0, 0.0]))
        assert distances[bar] == pytest.approx(3.0 - visuals.size[bar, 0], abs=1e-5)


MOVING = ("free_bodies", "long_chain", "four_bar", "parallelogram", "slider_crank", *PENDULUMS)


@pytest.mark.parametrize("name", MOVING)
def test_the_motion_of_a_scene_stays_in_the_picture_and_fills_it(name: str):
    scene = load(name)
    world = Simulation(scene, dt=2e-3)
    visuals = Visuals(scene, world.model)
    camera = fit(*visuals.bounds(rest_snapshot(scene, world.model)), scene.camera)
    low, high = np.full(2, np.inf), np.full(2, -np.inf)
    for _ in range(40):
        seen = camera.project(surface_points(visuals, world.snapshot()), 814, 531)  # the viewport at 1280 × 800
        low, high = np.minimum(low, seen.min(axis=0)), np.maximum(high, seen.max(axis=0))
        world.advance(0.1)
    assert 0.55 <= (high - low)[1] / 531 <= 0.75
    assert (low > 0).all() and high[0] < 814 and high[1] < 531


def test_links_alternate_in_colour():
    scene = small_arm()
    visuals = Visuals(scene, compile_model(scene))
    colors = visuals.colors(DARK)
    upper, fore = (colors[np.flatnonzero((visuals.body == b) & (visuals.kind == CAPSULE))[0]] for b in (1, 2))
    assert upper == pytest.approx(linear(DARK.link)) and fore == pytest.approx(linear(DARK.link2))


@pytest.mark.parametrize("kind", [BOX, SPHERE, CYLINDER, CAPSULE])
def test_meshes_are_closed_turned_outward_and_of_the_right_volume(kind: int):
    size = np.array([{BOX: (0.3, 0.5, 0.2, 0), SPHERE: (0.4, 0.4, 0.4, 0)}.get(kind, (0.2, 0.2, 0.5, 0))], dtype=float)
    if kind == CAPSULE:
        size = np.array([[0.2, 0.2, 0.2, 0.5]])
    mesh, drawn = unit_meshes(64)[kind], drawn_sizes(np.array([kind]), size)[0]
    points = mesh.vertices[:, :3] * drawn[:3] + mesh.vertices[:, 3:4] * [0.0, 0.0, drawn[3]]
    a, b, c = (points[mesh.triangles[:, i]] for i in range(3))
    area = np.cross(b - a, c - a) / 2
    volume = (a * np.cross(b, c)).sum() / 6
    expected = {
        BOX: 8 * 0.3 * 0.5 * 0.2,
        SPHERE: 4 / 3 * np.pi * 0.4**3,
        CYLINDER: np.pi * 0.2**2 * 1.0,
        CAPSULE: np.pi * 0.2**2 * 1.0 + 4 / 3 * np.pi * 0.2**3,
    }[kind]
    assert area.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-6)  # the faces of a closed surface cancel
    assert volume == pytest.approx(expected, rel=0.01)
    normals = mesh.vertices[mesh.triangles[:, 0], 4:] / drawn[:3]
    assert ((area * normals).sum(axis=1) > -1e-9).all()


def test_the_grid_gets_coarser_with_the_pixel_and_never_jumps():
    pixels = np.geomspace(1e-5, 10, 4000)
    steps, faded = np.array([grid_step(p) for p in pixels]).T
    assert set(np.round(steps, 6)) == {0.01, 0.1, 1.0, 10.0}
    assert (np.diff(steps) >= 0).all() and faded.min() >= 0 and faded.max() <= 1
    jump = np.flatnonzero(np.diff(steps) > 0)
    assert (faded[jump] > 0.97).all() and (faded[jump + 1] == 0).all()
    wide = (steps > 0.01) & (steps < 10)
    assert (steps[wide] / pixels[wide] >= 8).all()


def test_the_light_covers_every_solid_and_keeps_still_while_joints_move():
    scene = small_arm()
    model = compile_model(scene)
    visuals = Visuals(scene, model)
    rng = np.random.default_rng(2)
    spheres = set()
    for _ in range(20):
        position, rotation = body_poses(model, rng.uniform(-2, 2, model.nq))
        moved = replace(rest_snapshot(scene, model), position=position, rotation=rotation)
        center, radius = visuals.light_bounds(moved, visuals.instances(moved))
        spheres.add((*np.round(center, 9), round(radius, 9)))
        assert np.linalg.norm(surface_points(visuals, moved) - center, axis=1).max() <= radius
    assert len(spheres) == 1


@pytest.mark.parametrize("name", builtin_names())
def test_every_joint_shows_its_colour_outside_of_the_links(name: str):
    """At least a tenth of the surface of what shows a joint lies in no solid of any body, as the scene starts."""
    scene = load(name)
    model = compile_model(scene)
    visuals, snapshot = Visuals(scene, model), rest_snapshot(scene, model)
    links = np.flatnonzero(visuals.lights_up)
    world = visuals.instances(snapshot).astype(float)
    free = int((model.joint_type == FREE).sum())
    for number in range(len(model.joint_names) - free):
        if model.joint_type[free + number] == FIXED:
            continue
        marks = [i for i, color in enumerate(visuals._colors) if color == number and not visuals.lights_up[i]]
        assert marks, model.joint_names[free + number]
        points = np.concatenate([surface(visuals, world, i) for i in marks])
        inside = np.zeros(len(points), dtype=bool)
        for i in links:
            inside |= within(visuals, world, i, points)
        assert (~inside).mean() >= 0.1, model.joint_names[free + number]


def surface(visuals: Visuals, world: np.ndarray, i: int) -> np.ndarray:
    """Points all over a solid: its mesh, pushed together along its axis by several factors."""
    v, size = unit_meshes(32)[int(visuals.kind[i])].vertices, drawn_sizes(visuals.kind, visuals.size)[i]
    local = [v[:, :3] * size[:3] + v[:, 3:4] * [0.0, 0.0, part * size[3]] for part in np.linspace(0.0, 1.0, 6)]
    return np.concatenate(local) @ world[i, :, :3].T + world[i, :, 3]


def within(visuals: Visuals, world: np.ndarray, i: int, points: np.ndarray) -> np.ndarray:
    """Whether points of the world lie in solid i."""
    p, size = (points - world[i, :, 3]) @ world[i, :, :3], visuals.size[i]
    if visuals.kind[i] == BOX:
        return (np.abs(p) <= size[:3]).all(axis=1)
    if visuals.kind[i] == CYLINDER:
        return (np.hypot(p[:, 0], p[:, 1]) <= size[0]) & (np.abs(p[:, 2]) <= size[2])
    p[:, 2] -= np.clip(p[:, 2], -size[3], size[3])
    return np.linalg.norm(p, axis=1) <= size[0]


@pytest.mark.parametrize("name", ["rp_robot", "rp_robot:locked", "rp_robot:hanging"])
def test_an_arm_that_turns_over_stays_in_the_picture(name: str):
    """At every angle of its hinge both ends of the RP robot's arm are well inside of the window's view."""
    stage = load_stage(name)
    angles = np.linspace(-np.pi, np.pi, 60)
    ends = [(side * 0.45 * np.cos(a), 0.0, 1.5 + side * 0.45 * np.sin(a)) for a in angles for side in (-1, 1)]
    seen = stage.home().project(ends, 495, 296)  # of the smallest window
    assert seen[:, 1].min() > 0.08 * 296 and seen[:, 1].max() < 0.92 * 296
    assert seen[:, 0].min() > 0 and seen[:, 0].max() < 495
