"""Overlays, looked at by their pixels: where arrows end, what a ghost blends, what is hidden or outlined."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import replace
from math import pi, sqrt
from pathlib import Path

import numpy as np
import pytest

from app.camera import Camera
from app.cli import main
from app.render.arrows import ARC_RADIUS
from app.render.overlays import OVERLAYS, Overlays
from app.render.view import View
from app.render.visuals import Visuals
from app.theme import GHOST_OPACITY, LIGHT, OUTLINE_WIDTH, THEMES, linear
from app.trails import Trails
from sim.lane_names import LANES
from sim.model import compile_model
from sim.rest import rest_snapshot
from sim.scene import Body, Joint, Pose, Scene, Shape
from sim.simulation import Simulation
from sim.state import Acting, Beside, Figures, Snapshot
from tests.app.small_scenes import MASS, block, blocks, small_arm
from tests.app.studio import WIDTH, Studio, byte, home, pixel

BALL = Shape("sphere", (0.1,))
FRONT = Camera((0.0, 0.0, 1.0), 4.0, -pi / 2, 0.0, orthographic=True)  # x to the right, z up


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    studio = Studio()
    yield studio
    studio.close()


def ball(at: tuple[float, float, float] = (0.0, 0.0, 1.0)) -> Scene:
    return blocks(block("ball", BALL, at))


def shown(*names: str, **more: object) -> Overlays:
    return Overlays(frozenset(names), **more)  # type: ignore[arg-type]


def colored(picture: np.ndarray, color: str, tolerance: int = 40) -> np.ndarray:
    """(rows, columns) of the pixels of a colour, or nearly."""
    return np.argwhere(np.abs(picture - byte(color)).max(axis=2) < tolerance)


def moving(scene: Scene, velocity: tuple[float, float, float]) -> Snapshot:
    rest = rest_snapshot(scene)
    twist = rest.twist.copy()
    twist[:, 3:] = velocity
    return replace(rest, twist=twist)


def beside(rest: Snapshot, *shifts: object) -> Snapshot:
    """The same with ghosts, each moved aside."""
    figures = Figures("tree", "rk4", *(0.0,) * 9)
    names = LANES[1 : 1 + len(shifts)]
    moved = zip(names, shifts, strict=True)
    ghosts = (Beside(name, rest.position + shift, rest.rotation, "", figures) for name, shift in moved)
    return replace(rest, beside=tuple(ghosts))


# --- arrows ---


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_velocity_arrow_ends_in_proportion_to_the_speed(studio: Studio, theme: str):
    scene = ball()
    radius = Visuals(scene, compile_model(scene)).radius
    view = View(FRONT, theme, overlays=shown("velocities"))
    fall = sqrt(2 * 9.81 * radius)
    for speed in (1.0 * fall, 2.5 * fall):
        picture = studio.draw(scene, view, moving(scene, (speed, 0.0, 0.0)))
        right = colored(picture, THEMES[theme].velocity)[:, 1].max()
        tip = FRONT.project((0.5 * radius * speed / fall, 0.0, 1.0), WIDTH, 320)[0][0]
        assert right == pytest.approx(tip, abs=3)


def test_a_body_at_rest_has_no_arrow(studio: Studio):
    scene = ball()
    picture = studio.draw(scene, View(FRONT, overlays=shown("velocities")))
    assert len(colored(picture, LIGHT.velocity)) == 0


def pendulum() -> Scene:
    bob = Body("bob", **MASS, shapes=(BALL,))
    hinge = Joint("hinge", "hinge", "world", "bob", Pose((0.0, 0.0, 1.5)), Pose((0.0, 0.0, 0.5)), axis=(0.0, 1.0, 0.0))
    return Scene("pendulum", "Pendulum", bodies=(bob,), joints=(hinge,))


def test_a_hanging_body_is_carried_upwards_by_its_weight(studio: Studio):
    """One weight is half a scene radius long, from the joint up."""
    world = Simulation(pendulum())
    world.step()
    radius = Visuals(world.scene, world.model).radius
    view = View(FRONT, overlays=shown("loads"))
    found = colored(studio.draw(world.scene, view, world.snapshot(forces=True)), LIGHT.constraint_force)
    top = FRONT.project((0.0, 0.0, 1.5 + 0.5 * radius), WIDTH, 320)[0]
    assert found[:, 0].min() == pytest.approx(top[1], abs=3)
    assert found[:, 1].mean() == pytest.approx(top[0], abs=1)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_torque_turns_around_its_joint(studio: Studio, sign: float):
    """Half a circle is over the joint, and its head is where a positive turn about the axis leads."""
    scene = pendulum()
    model = compile_model(scene)
    radius = Visuals(scene, model).radius
    torque = sign * 9.81 * radius / 2
    acting = Acting(np.array([torque]), np.zeros((1, 6)), None)
    view = View(FRONT, overlays=shown("forces"))
    found = colored(studio.draw(scene, view, replace(rest_snapshot(scene), acting=acting)), LIGHT.force)
    center = FRONT.project((0.0, 0.0, 1.5), WIDTH, 320)[0]
    assert found[:, 0].min() < center[1] - 10
    lowest = found[np.argmax(found[:, 0])]  # the head stands below the ends of the half circle
    assert np.sign(lowest[1] - center[0]) == sign  # a turn about +y takes z to x


def test_the_arrow_of_a_small_torque_lies_on_a_circle_around_its_joint(studio: Studio):
    """A short arc alone would float: the thin circle goes on, left, right and below."""
    scene = pendulum()
    radius = Visuals(scene, compile_model(scene)).radius
    acting = Acting(np.array([0.1 * 9.81 * radius / 2]), np.zeros((1, 6)), None)
    pictures = [
        studio.draw(scene, View(FRONT, overlays=shown("forces")), replace(rest_snapshot(scene), acting=one))
        for one in (acting, None)
    ]
    changed = np.argwhere(np.abs(pictures[0] - pictures[1]).max(axis=2) > 8)
    center = FRONT.project((0.0, 0.0, 1.5), WIDTH, 320)[0]
    size = ARC_RADIUS * radius / FRONT.pixel_size((0.0, 0.0, 1.5), 320)
    away = changed - center[::-1]
    assert away.min(axis=0) == pytest.approx([-size, -size], abs=8.0)
    assert away.max(axis=0) == pytest.approx([size, size], abs=2.0)


def test_frames_point_along_the_axes_of_bodies(studio: Studio):
    turned = Body("ball", **MASS, shapes=(BALL,), pose=Pose((0.0, 0.0, 1.0), (sqrt(0.5), 0.0, -sqrt(0.5), 0.0)))
    picture = studio.draw(blocks(turned), View(FRONT, overlays=shown("frames")))
    x, _, z = LIGHT.axes
    row, column = pixel(FRONT, (0.0, 0.0, 1.0))
    up, left = colored(picture, x), colored(picture, z)  # turned by −90° about y: x is up, z to the left
    assert up[:, 0].min() < row - 10 and abs(up[:, 1].mean() - column) < 4
    assert left[:, 1].min() < column - 10 and abs(left[:, 0].mean() - row) < 4


def test_the_sign_of_a_centre_of_mass_is_quartered(studio: Studio):
    body = replace(block("ball", BALL, (0.0, 0.0, 1.0)), center=(0.3, 0.0, 0.0))
    picture = studio.draw(blocks(body), View(FRONT, overlays=shown("centers")))
    row, column = pixel(FRONT, (0.3, 0.0, 1.0))
    quarters = [picture[row + a * 2, column + b * 2].sum() for a, b in ((-1, 1), (1, -1), (-1, -1), (1, 1))]
    assert max(quarters[2:]) < 200 and min(quarters[:2]) > 600


# --- trails ---


def test_a_trail_is_round_however_rarely_it_is_looked_at():
    """A point on a circle of radius 1, seen 8 times a turn: the cubics stay within a thousandth of it."""
    scene = ball()
    model = compile_model(scene)
    trails, rest = Trails(model), rest_snapshot(scene)
    omega = 2 * pi * 0.5
    for time in np.arange(0.0, 3.0, 0.25):
        c, s = np.cos(omega * time), np.sin(omega * time)
        twist = np.array([[0.0, 0.0, 0.0, -omega * s, omega * c, 0.0]])
        trails.observe(replace(rest, time=float(time), position=np.array([[c, s, 1.0]]), twist=twist))
    assert trails.path is not None
    points = trails.path.points[:, 0]
    assert np.hypot(points[:, 0], points[:, 1]) == pytest.approx(np.ones(len(points)), abs=1e-3)
    assert np.diff(trails.path.times).max() < 0.02
    turned = np.unwrap(np.arctan2(points[:, 1], points[:, 0]))
    assert turned == pytest.approx(omega * trails.path.times, abs=0.01)


def test_a_trail_begins_anew_when_time_runs_backwards_or_leaps():
    scene = ball()
    trails, rest = Trails(compile_model(scene)), rest_snapshot(scene)
    for time in (1.0, 1.1, 1.2):
        trails.observe(replace(rest, time=time))
    assert trails.path is not None
    trails.observe(replace(rest, time=0.0))
    assert trails.path is None
    trails.observe(replace(rest, time=0.1))
    assert trails.path is not None and trails.path.times.max() == pytest.approx(0.1)
    trails.observe(replace(rest, time=9.0))
    assert trails.path is None


def test_a_trail_leads_to_where_the_body_is(studio: Studio):
    scene = ball()
    trails = Trails(compile_model(scene))
    for x in np.linspace(-1.0, 0.0, 30):
        snapshot = replace(moving(scene, (1.0, 0.0, 0.0)), time=float(x) + 1.0, position=np.array([[x, 0.0, 1.0]]))
        trails.observe(snapshot)
    drawn = studio.draw(scene, View(FRONT, overlays=shown("trails", trail=trails.path)), snapshot)
    found = np.argwhere(np.abs(drawn - studio.draw(scene, View(FRONT), snapshot)).max(axis=2) > 8)
    ends = FRONT.project([(-1.0, 0.0, 1.0), (-0.1, 0.0, 1.0)], WIDTH, 320)
    assert found[:, 1].min() == pytest.approx(ends[0][0], abs=6)
    assert found[:, 1].max() >= ends[1][0] - 3 and np.ptp(found[:, 0]) <= 4


# --- ghosts, hidden and selected bodies ---


def test_a_ghost_blends_once_however_many_of_its_faces_lie_behind_each_other(studio: Studio):
    two = blocks(block("near", BALL, (0.0, -0.5, 1.0)), block("far", Shape("box", (0.3, 0.3, 0.3)), (0.0, 0.5, 1.0)))
    one = blocks(block("near", BALL, (0.0, -0.5, 1.0)))
    aside = np.array([0.8, 0.0, 0.0])
    at = pixel(FRONT, (0.8, 0.0, 1.0))
    pixels = []
    for scene in (two, one):
        rest = rest_snapshot(scene)
        pixels.append(studio.draw(scene, View(FRONT), beside(rest, aside))[at])
    assert (pixels[0] == pixels[1]).all()
    behind = studio.draw(one, View(FRONT), rest_snapshot(one))[at]
    tint = np.array([1.055 * min(1.1 * c, 1.0) ** (1 / 2.4) - 0.055 for c in linear(LIGHT.ghosts[1])])
    assert pixels[1] == pytest.approx((1 - GHOST_OPACITY) * behind + GHOST_OPACITY * 255 * tint, abs=3)


def test_every_engine_beside_has_its_own_tint(studio: Studio):
    shifts = [np.array([x, 0.0, 0.0]) for x in (-0.6, 0.6, 0.9)]
    picture = studio.draw(ball(), View(FRONT), beside(rest_snapshot(ball()), *shifts))
    empty = studio.draw(ball(), View(FRONT))
    seen = [picture[at] - empty[at] for at in (pixel(FRONT, (x, 0.0, 1.0)) for x in (-0.6, 0.6, 0.9))]
    for change, tint in zip(seen, LIGHT.ghosts[1:], strict=True):
        assert int(change.argmax()) == int(byte(tint).argmax()) and change.min() < -30


def test_a_ghost_that_agrees_cannot_be_seen(studio: Studio):
    scene = small_arm()
    rest, camera = rest_snapshot(scene), home(scene)
    plain = studio.draw(scene, View(camera))
    with_ghost = studio.draw(scene, View(camera), beside(rest, 0.0))
    assert (np.abs(plain - with_ghost).max(axis=2) > 30).mean() < 0.002


def test_a_hidden_body_leaves_no_shadow_either(studio: Studio):
    scene = blocks(block("one", BALL, (-0.5, 0.0, 0.3)), block("two", BALL, (0.5, 0.0, 0.3)))
    camera = Camera((0.0, 0.0, 0.2), 3.0, -pi / 2, 0.5)
    empty = studio.draw(blocks(Body("bare", **MASS)), View(camera))
    both = studio.draw(scene, View(camera))
    one = studio.draw(scene, View(camera, hidden=frozenset({1})))
    half = WIDTH // 2
    assert (one[:, :half] == both[:, :half]).all()
    changed = np.abs(both - empty).max(axis=2) > 10
    right = changed[:, half:]
    assert right.sum() > 300
    assert np.abs(one - both).max(axis=2)[:, half:][right].min() > 0


def test_the_selected_body_has_an_outline_around_it_and_not_on_it(studio: Studio):
    shapes = {BALL: (0.1, 0.1), Shape("box", (0.3, 0.3, 0.3)): (0.15, 0.15)}  # half height and width
    shapes |= {Shape("capsule", (0.1, 0.4)): (0.3, 0.1), Shape("cylinder", (0.1, 0.4)): (0.2, 0.1)}
    for shape, half in shapes.items():
        scene = blocks(block("it", shape, (0.0, 0.0, 1.0)))
        plain = studio.draw(scene, View(FRONT))
        picked = studio.draw(scene, View(FRONT, selected_body=0))
        changed = np.argwhere(np.abs(picked - plain).max(axis=2) > 20)
        assert len(colored(picked, LIGHT.accent)) > 0.5 * len(changed)
        at = FRONT.project((0.0, 0.0, 1.0), WIDTH, 320)[0][::-1]
        size = np.abs(changed - at).max(axis=0)
        expected = np.array(half) / FRONT.pixel_size((0.0, 0.0, 1.0), 320) + OUTLINE_WIDTH
        assert size == pytest.approx(expected, abs=1.6)
        assert np.abs(changed - at).max(axis=1).min() > 0.6 * min(expected)  # nothing inside


# --- how it gets to the driver ---


def test_everything_of_a_frame_goes_to_the_driver_in_two_uploads(studio: Studio, monkeypatch: pytest.MonkeyPatch):
    from OpenGL import GL

    scene = small_arm()
    rest = rest_snapshot(scene)
    uploads: list[int] = []
    send = GL.glBufferSubData
    monkeypatch.setattr(GL, "glBufferSubData", lambda *a: (uploads.append(a[2]), send(*a)))
    view = View(home(scene), selected_body=1, overlays=Overlays(frozenset(OVERLAYS)))
    studio.draw(scene, view, beside(rest, 0.1, 0.1))
    assert len(uploads) == 2 and max(uploads) > 12 * 4 * 3 * len(Visuals(scene, compile_model(scene)))


def test_overlays_are_values_that_can_be_compared_kept_and_sent():
    over = Overlays(frozenset({"frames"}))
    assert over == Overlays(frozenset({"frames"})) and hash(over)
    assert over.toggled("frames").on == frozenset() and over.toggled("loads").needs_forces
    assert over.toggled("frames").toggled("frames") == over and not over.needs_forces
    sent = pickle.loads(pickle.dumps(View(FRONT, overlays=over)))
    assert sent.overlays.on == {"frames"}


def test_pictures_from_the_command_line_show_what_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    pictures = []
    for more in ([], ["--show", "trails,velocities", "--theme", "light"], ["--show", "loads"]):
        path = tmp_path / f"{len(pictures)}.png"
        assert main(["record", "hinge_chain", str(path), "--duration", "0.2", "--size", "320x200", *more]) == 0
        pictures.append(path.read_bytes())
    assert len(set(pictures)) == 3
    capsys.readouterr()
    out = str(tmp_path / "x.png")
    assert main(["record", "hinge_chain", out, "--show", "loads", "--backend", "tree"]) == 2
    assert "does not tell what its joints carry" in capsys.readouterr().err
    assert main(["record", "hinge_chain", out, "--show", "load"]) == 2
    assert 'did you mean "loads"?' in capsys.readouterr().err
