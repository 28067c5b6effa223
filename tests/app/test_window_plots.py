"""Plots under the mouse: the crosshair, hovered curves, room for curves, one joint alone."""

from __future__ import annotations

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF

from app.curve_names import legend, parted, stroke
from app.numbers import brief
from app.scales import nearest_curve, row_at
from app.selection import Selection
from app.stage import load_stage
from app.theme import THEMES
from app.widgets.live_plot import AXIS_SLACK, LivePlot
from app.widgets.plot_heading import Legend
from sim.files import load
from sim.plots import plot_info
from tests.app.window_bench import Bench

FOREARM = 2


@pytest.fixture
def make(qtbot, tmp_path):
    benches = []

    def make(scene="arm_reach"):
        benches.append(Bench(qtbot, tmp_path, scene))
        return benches[-1]

    yield make
    for bench in benches:
        bench.close()


def run_history(bench, seconds=10.0, first=5.0):
    """Every torque is a line: curve i has the value i + t; errors are t millimetres."""
    history = bench.runner.history
    n = round(seconds / 1e-3)
    times = first + np.arange(n)[:, None] * 1e-3
    history.rows[:n] = 0.0
    history.rows[:n, history.columns["time"]] = times
    tau = history.columns["tau"]
    history.rows[:n, tau] = times + np.arange(tau.stop - tau.start)
    history.rows[:n, history.columns["error"]] = times * 1e-3
    history.counter[0] = n
    bench.window.plots.refresh()
    bench.bot.wait(20)


def field(plot):
    """Where the curves are, in pixels of the plot."""
    return plot.canvas.getPlotItem().getViewBox().sceneBoundingRect().translated(QPointF(plot.canvas.pos()))


def move(bench, plot, x, y):
    bench.bot.mouseMove(plot, QPoint(round(x), round(y)))


def leave(bench, plot):
    bench.bot.mouseMove(bench.viewport, QPoint(30, 30))
    bench.bot.waitUntil(lambda: plot.age is None)


def test_the_crosshair_tells_all_plots_values_at_the_time_under_the_mouse(make):
    bench = make()
    run_history(bench)
    error, torque = bench.window.plots.plots
    newest = list(torque.ends._texts)
    area = field(error)
    move(bench, error, area.left() + 0.25 * area.width(), area.top() + 3)
    for plot in (error, torque):
        assert plot.crosshair.isVisible() and plot.age == pytest.approx(-7.5, abs=0.1)
        time = float(plot.crosshair.time.removeprefix("t ").removesuffix(" s"))
        assert time == pytest.approx(15.0 + plot.age, abs=0.02)
    assert [float(t) for t in torque.ends._texts] == pytest.approx([time, time + 1, time + 2], abs=0.02)
    assert float(error.ends._texts[0]) == pytest.approx(time, abs=0.02)
    move(bench, error, area.left() + 0.5 * area.width(), area.top() + 3)
    assert float(torque.ends._texts[0]) == pytest.approx(10.0, abs=0.1)
    leave(bench, error)
    assert torque.age is None and torque.crosshair.x is None and torque.ends._texts == newest


def test_a_still_mouse_reads_what_flows_past_it(make):
    bench = make()
    run_history(bench, first=5.0)
    plot = bench.window.plots.plots[1]
    area = field(plot)
    move(bench, plot, area.center().x(), area.top() + 3)
    before = float(plot.ends._texts[0])
    run_history(bench, first=8.0)
    assert float(plot.ends._texts[0]) == pytest.approx(before + 3.0, abs=0.02)


def test_before_the_first_sample_nothing_is_told(make):
    bench = make()
    run_history(bench, seconds=2.0)
    plot = bench.window.plots.plots[1]
    move(bench, plot, field(plot).left() + 5, field(plot).center().y())
    assert plot.ends._texts == ["–"] * 3 and plot.crosshair.time == ""


def widths(plot):
    return [curve.opts["pen"].width() for curve in plot.curves]


def test_the_hovered_curve_is_thicker_and_so_is_that_of_a_hovered_label(make):
    bench = make()
    run_history(bench)
    plot = bench.window.plots.plots[1]
    area = field(plot)
    y = float(plot._to_pixels(np.zeros(1), np.array([12.0]))[1][0])  # the second curve is 12 at t = 11 s
    move(bench, plot, area.left() + 0.6 * area.width(), y + plot.canvas.y())
    assert widths(plot) == [1, 2, 1]
    row = plot.ends.rows()[2].center() + QPointF(plot.ends.pos())
    move(bench, plot, row.x(), row.y())
    assert widths(plot) == [1, 1, 2] and plot.age is None
    leave(bench, plot)
    bench.bot.waitUntil(lambda: widths(plot) == [1, 1, 1])


@pytest.mark.parametrize("scene", ["arm_reach", "ball_arm_pd", "arm_6r", "ball_chain"])
def test_curves_have_most_of_a_plot_in_the_smallest_window(make, scene):
    bench = make(scene)
    bench.window.resize(960, 600)
    bench.bot.waitUntil(lambda: bench.window.width() == 960)
    run_history(bench)
    for extra in (None, "energy", "momentum"):
        if extra:
            bench.session.shown.toggle_plot(extra)
            bench.bot.wait(50)
            bench.window.plots.refresh()
            bench.bot.wait(50)
        for plot in bench.window.plots.plots:
            assert field(plot).width() >= 0.6 * plot.width(), (scene, plot.info.name)
            several = len(plot.curves) > 1 and any(parted(name)[0] for name in plot.info.labels)
            assert not several or plot.legend.isVisible() or plot.ends.form.name == "full"
    assert bench.window.width() == 960


# --- one joint alone ------------------------------------------------------------------------------------


def test_the_menu_offers_the_bodys_own_curves_first_and_they_are_saved(make, tmp_path):
    bench = make()
    bench.session.shown.select(Selection(body=FOREARM))
    bench.window.menus.popup(QPoint(400, 300))
    menu = bench.window.menus.context
    [plots] = [action.menu() for action in menu.actions() if action.text() == "Plot"]
    texts = [action.text() for action in plots.actions() if action.isVisible() and not action.isSeparator()]
    own = ["Angle of elbow [rad]", "Speed of elbow [rad/s]", "Torque of elbow [N·m]", "Torque on elbow by cause [N·m]"]
    assert texts[:5] == [*own, "Tool error [mm]"]
    plots.actions()[0].trigger()
    menu.close()
    plot = bench.window.plots.plots[-1]
    assert plot.info.name == "joint_angle:elbow" and plot.colors == [THEMES["light"].curve(2)]
    assert bench.window.menus.actions["plot:own:joint_angle"].isChecked()
    run_history(bench)
    path = tmp_path / "mine.toml"
    assert bench.window.files.save(path) is not False
    bench.bot.waitUntil(path.exists, timeout=10000)
    assert load(path).plots == ("tool_error", "torque", "joint_angle:elbow")
    bench.session.shown.select(Selection())
    bench.window.menus.refresh()
    assert not bench.window.menus.actions["plot:own:joint_angle"].isVisible()
    bench.window.open_file(path)
    bench.bot.waitUntil(lambda: bench.session.stage.scene.name == "mine")
    assert [p.info.name for p in bench.window.plots.plots] == ["tool_error", "torque", "joint_angle:elbow"]


# --- without a window -----------------------------------------------------------------------------------


def test_long_numbers_of_an_axis_leave_no_trace(qtbot):
    """A plot that once needed room for them looks like one that never did."""
    info = plot_info(load_stage("rp_robot").model, "joint_speed")
    once, never = (LivePlot(info, THEMES["light"], 10.0) for _ in range(2))
    for plot in (once, never):
        qtbot.addWidget(plot)
        plot.resize(247, 178)
        plot.show()
    times = np.arange(1000) * 0.01
    small, large = (np.stack([top * times / 10.0, -0.1 * top * times / 10.0], axis=1) for top in (-0.0123, 25.0))
    once.show_values(times, small, 0.0)
    for plot in (once, never):
        plot.show_values(times, large, 1.0)
    assert once.ends.form == never.ends.form and once.ends.form.characters > 0
    assert field(once).width() == pytest.approx(field(never).width(), abs=AXIS_SLACK)


@pytest.mark.parametrize("width", [120, 150, 180, 240, 400])
def test_names_above_a_plot_take_a_second_line_before_one_is_cut(qapp, width):
    names = ("gravity control", "reach control", "gravity", "Coriolis", "inertia")
    title = Legend(names)
    title.take_width(width)
    places = title.places(width)
    ends = [x + title._metrics.horizontalAdvance(word) for _, word, _, x in places]
    assert max(ends) <= width and max(line for _, _, line, _ in places) <= 1
    assert title.height() >= (1 + places[-1][2]) * title._metrics.height() - 1
    complete = [curve for curve, word, _, _ in places if word == names[curve]]
    assert complete == list(range(len(complete)))
    if len(complete) < len(names):
        cut = [word for curve, word, _, _ in places if curve not in complete]  # nothing where not even "…" has room
        assert len(cut) <= 1 and places[-1][2] == 1 and all(word.endswith("…") for word in cut)


def test_names_are_shortened_by_joint_and_axis():
    assert [parted(name) for name in ("elbow x", "x", "elbow")] == [("elbow", "x"), ("", "x"), ("elbow", "")]
    assert legend(("a x", "a y", "b x")) == [(0, "a"), (2, "b")]
    assert [word for _, word in legend(("joint1", "joint2", "tool", "joint3"))] == ["joint1", "2", "tool", "joint3"]
    assert len({stroke(1, f"elbow {axis}") for axis in "xyz"}) == 3 and stroke(1, "elbow") == ()


@pytest.mark.parametrize("value", [0.0, 1.0, -12.8349, 0.25712, -1234.0, -123456.0, 3.2e-9, -9.9e-12, float("nan")])
def test_brief_numbers_have_the_room_they_are_given(value):
    text = brief(value, 6)
    assert len(text) <= 6
    if np.isfinite(value):
        assert float(text.replace("−", "-")) == pytest.approx(value, rel=0.3)


def test_the_nearest_curve_and_row():
    x = np.arange(0.0, 100.0, 1.0)
    curves = np.stack([np.full(100, 10.0), x, np.full(100, np.nan)], axis=1)
    assert nearest_curve(x, curves, (50.0, 12.0), 5.0) == 0
    assert nearest_curve(x, curves, (50.5, 52.0), 5.0) == 1
    assert nearest_curve(x, curves, (50.0, 30.0), 5.0) == -1
    assert nearest_curve(x[:0], curves[:0], (50.0, 30.0), 5.0) == -1
    assert [row_at(x, t) for t in (-0.1, 0.0, 3.4, 3.6, 200.0)] == [None, 0, 3, 4, 99]
