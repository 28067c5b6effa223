"""Pictures, looked at by their pixels. Drawn without a screen, in a thread of their own beside Qt's contexts."""

from __future__ import annotations

import ctypes
import pickle
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from app.camera import Camera
from app.picking import ray_distances
from app.render.egl import EglContext
from app.render.offscreen import NoOpenGL, OffscreenRenderer
from app.render.view import View
from app.render.visuals import Visuals
from app.theme import DARK, KEY_DIRECTION, LIGHT
from sim.model import compile_model
from sim.rest import rest_snapshot
from sim.scene import Body, Frame, Shape, Target
from sim.state import Pull
from tests.app.small_scenes import MASS, block, blocks, small_arm
from tests.app.studio import AMBER, HEIGHT, WIDTH, Studio, byte, centroid, home, pixel


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    studio = Studio()
    yield studio
    studio.close()


# --- the target ---


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("orthographic", [False, True])
def test_the_target_is_exactly_amber_and_where_the_camera_says(studio: Studio, theme: str, orthographic: bool):
    scene = small_arm()
    camera = replace(home(scene), orthographic=orthographic)
    for turn in ((0, 0), (60, 20)):
        turned = camera.orbit(*turn)
        found = centroid(studio.draw(scene, View(turned, theme)), AMBER)
        assert np.abs(found - turned.project(scene.targets[0].position, WIDTH, HEIGHT)[0]).max() < 1.0


def test_a_dragged_target_is_under_the_hand_with_a_ring_on_the_floor(studio: Studio):
    scene = small_arm()
    camera, hand = home(scene), (0.5, 0.0, 0.45)
    resting = studio.draw(scene, View(camera))
    dragged = studio.draw(scene, View(camera, drag=(0, hand)))
    assert np.abs(centroid(dragged, AMBER) - camera.project(hand, WIDTH, HEIGHT)[0]).max() < 1.0
    radius = Visuals(scene, compile_model(scene)).target_radius
    for angle in np.linspace(0, 2 * np.pi, 12, endpoint=False):
        row, column = pixel(camera, np.array([hand[0] + radius * np.cos(angle), radius * np.sin(angle), 0.0]))
        near = np.abs(dragged - resting)[row - 1 : row + 2, column - 1 : column + 2].sum(axis=2)
        assert near.max() > 60


def test_hovering_grows_a_halo_and_leaves_the_middle(studio: Studio):
    scene = small_arm()
    camera = home(scene)
    plain, hovered = studio.draw(scene, View(camera)), studio.draw(scene, View(camera, hover_target=0))
    changed = np.abs(plain - hovered).max(axis=2) > 5
    row, column = pixel(camera, scene.targets[0].position)
    assert not changed[row, column] and changed.sum() > 100


def test_a_hidden_target_shows_through_at_35_percent(studio: Studio):
    wall = block("wall", Shape("box", (0.1, 1.0, 1.0), color="#406080"), (0.5, 0.0, 0.5))
    aim = {"frames": (Frame("tool", "wall"),), "targets": (Target("t", (0.0, 0.0, 0.5), "tool"),)}
    camera = Camera((0.0, 0.0, 0.5), 3.0, 0.0, 0.2)
    covered = studio.draw(blocks(wall, **aim), View(camera))
    empty = studio.draw(blocks(wall), View(camera))
    at = pixel(camera, (0.0, 0.0, 0.5))
    assert covered[at] == pytest.approx(0.65 * empty[at] + 0.35 * np.array(AMBER), abs=2)


def test_a_tool_as_thick_as_the_target_leaves_it_whole(studio: Studio):
    """Two balls at one place are not seen by turns: the target is amber all over, from wherever one looks."""
    size = 0.05
    for _ in range(20):  # a target is as large as the scene makes it
        scene = blocks(
            block("tool", Shape("sphere", (size,)), (0.0, 0.0, 0.5)),
            block("far", Shape("sphere", (0.05,)), (0.8, 0.0, 0.5)),
            frames=(Frame("tip", "tool"),),
            targets=(Target("t", (0.0, 0.0, 0.5), "tip"),),
        )
        size = Visuals(scene, compile_model(scene)).target_radius
    for azimuth in (-2.0, -1.0, 0.7, 2.5):
        camera = Camera((0.0, 0.0, 0.5), 0.6, azimuth, 0.3)
        picture = studio.draw(scene, View(camera))
        row, column = pixel(camera, (0.0, 0.0, 0.5))
        reach = 0.9 * size / camera.pixel_size((0.0, 0.0, 0.5), HEIGHT)
        rows, columns = np.ogrid[:HEIGHT, :WIDTH]
        inside = np.hypot(rows - row, columns - column) < reach
        assert inside.sum() > 500
        assert (picture[inside] == AMBER).all()


# --- bodies, light and shadow ---


def test_the_nearer_body_hides_the_farther(studio: Studio):
    ball = Shape("sphere", (0.2,))
    scene = blocks(
        block("red", replace(ball, color="#C00000"), (0.6, 0.0, 0.5)),
        block("blue", replace(ball, color="#0000C0"), (-0.6, 0.0, 0.5)),
    )
    for azimuth, channel in ((0.0, 0), (np.pi, 2)):
        camera = Camera((0.0, 0.0, 0.5), 4.0, azimuth, 0.0)
        middle = studio.draw(scene, View(camera))[pixel(camera, (0.0, 0.0, 0.5))]
        assert int(np.argmax(middle)) == channel


def rays(camera: Camera, pixels: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for row, column in pixels:
        yield camera.ray(column, row, WIDTH, HEIGHT)


def test_shadows_fall_where_bodies_stand_in_the_light_and_nowhere_else(studio: Studio, monkeypatch):
    scene = replace(small_arm(), targets=(), frames=())
    camera = home(scene).orbit(-150, 40)
    with_shadow = studio.draw(scene, View(camera))
    monkeypatch.setattr("app.render.geometry.Geometry.draw_casters", lambda self: None)
    without = studio.draw(scene, View(camera))
    changed = np.argwhere(np.abs(with_shadow - without).max(axis=2) > 2)
    assert len(changed) >= 0.003 * WIDTH * HEIGHT
    assert (with_shadow <= without).all()

    visuals, snapshot = Visuals(scene, compile_model(scene)), rest_snapshot(scene)
    light = np.array(KEY_DIRECTION) / np.linalg.norm(KEY_DIRECTION)
    fat = replace_sizes(visuals, 0.02)  # the soft rim of a shadow
    rng = np.random.default_rng(0)
    for origin, direction in rays(camera, rng.permutation(changed)[:250]):
        if np.isfinite(ray_distances(fat, snapshot, origin, direction)).any():
            continue  # on a body, or at its rim
        floor = origin - direction * origin[2] / direction[2]
        assert floor[2] == pytest.approx(0, abs=1e-9)
        assert np.isfinite(ray_distances(fat, snapshot, floor, light)).any()


def replace_sizes(visuals: Visuals, more: float) -> Visuals:
    """The same solids, thicker."""
    thick = Visuals(visuals.scene, visuals.model)
    thick.size = thick.size + more * np.where(thick.size > 0, 1.0, 0.0)
    return thick


def test_the_floor_is_its_token_and_58_percent_of_its_light_in_a_shadow(studio: Studio):
    scene = blocks(block("slab", Shape("box", (0.6, 0.6, 0.02)), (0.0, 0.0, 0.4)))
    light = np.array(KEY_DIRECTION) / KEY_DIRECTION[2]
    inside = np.array([0.0, 0.0, 0.4]) - 0.4 * light
    between = np.array([0.05, 0.05, 0.0])  # the middle of a cell of the grid
    shaded = np.round(inside, 1) + between
    for theme in (LIGHT, DARK):
        camera = Camera((0.0, 0.0, 0.2), 3.0, -0.9, 0.3)
        picture = studio.draw(scene, View(camera, theme.name))
        bright = picture[pixel(camera, np.array([0.5, -0.5, 0.0]) + between)]
        assert bright == pytest.approx(byte(theme.floor), abs=1)
        dark = picture[pixel(camera, shaded)]
        assert to_linear(dark) == pytest.approx(0.58 * to_linear(byte(theme.floor)), rel=0.05)


def to_linear(color: np.ndarray) -> np.ndarray:
    c = np.asarray(color) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


@pytest.mark.parametrize(("quality", "tones"), [("fine", 3), ("auto", 3), ("fast", 0)])
def test_edges_hold_intermediate_tones(studio: Studio, quality: str, tones: int):
    scene = blocks(block("block", Shape("box", (1.0, 1.0, 1.0), color="#000000"), (0.0, 0.0, 3.0)))
    camera = Camera((0.0, 0.0, 3.0), 5.0, 0.3, -0.05)
    picture = studio.draw(scene, View(camera), quality=quality).sum(axis=2)
    sky, body = picture[0, 0], picture[HEIGHT // 2, WIDTH // 2]
    part = (picture - body) / (sky - body)
    edge = part[HEIGHT // 4 : 3 * HEIGHT // 4]
    between = edge[(edge > 0.15) & (edge < 0.9)]
    assert len(np.unique(np.round(between, 1))) >= tones
    assert tones or len(between) == 0


def test_a_body_under_the_cursor_lights_up_but_not_its_joint(studio: Studio):
    scene = small_arm()
    camera, snapshot = home(scene), rest_snapshot(scene)
    plain, lit = studio.draw(scene, View(camera)), studio.draw(scene, View(camera, hover_body=2))
    link = pixel(camera, snapshot.position[2] + snapshot.rotation[2] @ [0.0, 0.0, 0.3])
    assert (lit[link] > plain[link]).all()
    pin = pixel(camera, snapshot.position[2] - 0.09 * snapshot.rotation[2][:, 1])
    assert (lit[pin] == plain[pin]).all()


def test_the_spring_runs_from_the_grabbed_point_to_the_hand(studio: Studio):
    scene = small_arm()
    camera, snapshot = home(scene), rest_snapshot(scene)
    point = snapshot.position[2] + snapshot.rotation[2] @ [0.0, -0.06, 0.3]
    anchor = point + 0.3 * camera.up() + 0.1 * camera.right()
    pulled = replace(snapshot, pull=Pull(2, point, anchor, np.zeros(3)))
    picture = studio.draw(scene, View(camera), pulled)
    for part in (0.3, 0.6, 0.9):
        row, column = pixel(camera, point + part * (anchor - point))
        assert (np.abs(picture[row - 1 : row + 2, column - 1 : column + 2] - AMBER).max(axis=2) < 30).any()


def test_a_scene_without_shapes_can_be_looked_at(studio: Studio):
    scene = blocks(Body("bare", **MASS))
    assert studio.draw(scene, View(home(scene))).std() > 0


# --- the context ---


def test_the_state_is_left_as_qt_expects_it(studio: Studio):
    def work() -> None:
        from OpenGL import GL

        scene = small_arm()
        offscreen = OffscreenRenderer(scene, WIDTH, HEIGHT)
        offscreen.render(rest_snapshot(scene), View(home(scene), hover_target=0))
        bound = (
            *(GL.GL_VERTEX_ARRAY_BINDING, GL.GL_CURRENT_PROGRAM, GL.GL_ARRAY_BUFFER_BINDING),
            *(GL.GL_ELEMENT_ARRAY_BUFFER_BINDING, GL.GL_UNIFORM_BUFFER_BINDING, GL.GL_TEXTURE_BINDING_2D),
        )
        assert [int(GL.glGetIntegerv(name)) for name in bound] == [0] * len(bound)
        tests = (GL.GL_DEPTH_TEST, GL.GL_CULL_FACE, GL.GL_BLEND, GL.GL_SCISSOR_TEST, GL.GL_POLYGON_OFFSET_FILL)
        assert not any(GL.glIsEnabled(test) for test in tests)
        assert GL.glGetBooleanv(GL.GL_DEPTH_WRITEMASK)
        offscreen.close()

    studio.run(work)


def test_changing_quality_and_scene_and_back_gives_the_same_picture(studio: Studio):
    def work() -> None:
        from OpenGL import GL

        scene, other = small_arm(), blocks(block("ball", Shape("sphere", (0.2,)), (0.0, 0.0, 0.3)))
        offscreen, view, rest = OffscreenRenderer(scene, WIDTH, HEIGHT), View(home(scene)), rest_snapshot(scene)
        first = offscreen.render(rest, view)
        offscreen._renderer.set_quality("fast")
        assert (offscreen.render(rest, view) != first).any()
        offscreen._renderer.set_visuals(Visuals(other, compile_model(other)))
        assert (offscreen.render(rest_snapshot(other), view) != first).any()
        offscreen._renderer.set_visuals(offscreen.visuals)
        offscreen._renderer.set_quality("fine")
        assert (offscreen.render(rest, replace(view, theme="dark")) != first).any()
        assert (offscreen.render(rest, view) == first).all()
        assert GL.glGetError() == GL.GL_NO_ERROR
        offscreen.close()

    studio.run(work)


def test_a_missing_library_is_named(monkeypatch):
    def missing(name: str) -> None:
        raise OSError(name)

    monkeypatch.setattr(ctypes, "CDLL", missing)
    with pytest.raises(NoOpenGL, match="libegl1"):
        EglContext()


def test_a_view_can_be_sent_to_another_process():
    view = View(Camera((0.0, 0.0, 0.0), 1.0), "dark", drag=(0, (1.0, 2.0, 3.0)))
    assert pickle.loads(pickle.dumps(view)) == view
