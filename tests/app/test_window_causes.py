"""Torques by cause in the window: asked for by a right click, told by the running physics, stacked in the plot."""

from __future__ import annotations

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QColor

from app.stacks import stacked
from app.theme import THEMES
from app.widgets.stacked_plot import cause_colors
from sim import command as cmd
from sim.runner import Runner
from tests.app.window_bench import Bench, StillRunner

FOREARM = 2


@pytest.fixture
def make(qtbot, tmp_path):
    benches = []

    def make(scene="arm_reach", runner=Runner, theme="light"):
        benches.append(Bench(qtbot, tmp_path, scene, runner, theme))
        return benches[-1]

    yield make
    for bench in benches:
        bench.close()


def ask(bench, title):
    """Right click on the forearm, then the row of its Plot menu."""
    bench.bot.mouseClick(bench.viewport, Qt.MouseButton.RightButton, pos=QPoint(*bench.body_pixel(FOREARM)))
    menu = bench.window.menus.context
    plots = next(action.menu() for action in menu.actions() if action.text() == "Plot")
    next(action for action in plots.actions() if action.text() == title).trigger()
    menu.close()
    return bench.window.plots.plots[-1]


def has_run(plot, rows=500):
    return lambda: len(plot._times) >= rows


def test_a_right_click_shows_what_turns_the_joint_and_the_parts_add_up(make):
    bench = make()
    plot = ask(bench, "Torque on elbow by cause [N·m]")
    bench.bot.waitUntil(has_run(plot), timeout=60_000)
    labels = plot.info.labels
    assert labels[-1] == "inertia" and {"gravity", "Coriolis", "mouse", "reach control"} < set(labels)
    values = plot._values
    assert values[:, :-1].sum(axis=1) == pytest.approx(values[:, -1], abs=1e-12)
    carried = values[:, labels.index("gravity")] + values[:, labels.index("gravity control")]
    assert np.abs(carried).max() < 0.05 * np.abs(values[:, labels.index("gravity")]).max()  # compensation holds


def test_the_mouse_is_a_cause_while_it_pulls(make):
    bench = make("arm_gravity")
    plot = ask(bench, "Torque on elbow by cause [N·m]")
    bench.bot.waitUntil(has_run(plot), timeout=60_000)
    mouse = plot.info.labels.index("mouse")
    assert not plot._values[:, mouse].any()
    x, y = bench.body_pixel(FOREARM)
    bench.bot.mousePress(bench.viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, QPoint(x, y))
    bench.bot.mouseMove(bench.viewport, QPoint(x + 20, y + 40))
    bench.bot.waitUntil(lambda: np.abs(plot._values[:, mouse]).max() > 0.1, timeout=20_000)
    bench.bot.mouseRelease(bench.viewport, Qt.MouseButton.LeftButton, pos=QPoint(x + 20, y + 40))
    bench.bot.waitUntil(lambda: plot._values[-1, mouse] == 0.0, timeout=20_000)


def test_physics_is_asked_only_while_such_a_plot_is_shown(make):
    bench = make(runner=StillRunner)
    ask(bench, "Torque on elbow by cause [N·m]")
    bench.bot.waitUntil(lambda: bench.runner.of(cmd.WatchCauses) == [cmd.WatchCauses(True)])
    bench.session.shown.toggle_plot("causes:elbow")
    bench.bot.waitUntil(lambda: bench.runner.of(cmd.WatchCauses)[-1] == cmd.WatchCauses(False))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_bands_are_painted_where_they_reach_in_the_colours_of_their_causes(make, theme):
    bench = make(theme=theme)
    plot = ask(bench, "Torque on elbow by cause [N·m]")
    bench.bot.waitUntil(has_run(plot, 1500), timeout=60_000)
    bench.session.send(cmd.Play(False))
    bench.bot.waitUntil(lambda: not bench.session.snapshot.running)
    bench.bot.wait(100)
    bench.window.plots.refresh()
    image = plot.canvas.grab().toImage()
    up, down = stacked(plot._y[:, :-1])
    row = len(up) - 60
    tallest = int(np.argmax(np.diff(up[row], prepend=0.0) - np.diff(down[row], prepend=0.0)))
    x, y = plot._to_pixels(plot._x[row : row + 1], np.array([plot._places(plot._y[row])[tallest]]))
    ratio = image.devicePixelRatio()
    seen = QColor(image.pixel(round(float(x[0]) * ratio), round(float(y[0]) * ratio)))
    assert seen == plot.bands.items[tallest].brush().color()
    plot._hover(tallest)
    assert plot.bands.items[tallest].brush().color() == QColor(plot.colors[tallest])


@pytest.mark.parametrize("theme", THEMES)
def test_causes_have_the_colours_of_the_look(theme):
    t = THEMES[theme]
    labels = ("gravity control", "reach control", "mouse", "gravity", "Coriolis", "friction, stops", "inertia")
    wanted = [t.curves[1], t.curves[2], t.warn, t.curves[0], t.curves[3], t.curves[4], t.curves[5]]
    assert cause_colors(t, labels) == wanted


def test_a_ball_offers_a_plot_for_each_of_its_axes(make):
    bench = make("ball_arm_pd", StillRunner)
    body = bench.session.stage.model.body_names.index("forearm")
    bench.bot.mouseClick(bench.viewport, Qt.MouseButton.RightButton, pos=QPoint(*bench.body_pixel(body)))
    menu = bench.window.menus.context
    plots = next(action.menu() for action in menu.actions() if action.text() == "Plot")
    texts = [action.text() for action in plots.actions() if "by cause" in action.text()]
    menu.close()
    assert [f"Torque on elbow {axis} by cause [N·m]" for axis in "xyz"] == texts[:3]
