"""Every built-in scene in the window: nothing is cut or complained about; variants, notes, engines that refuse."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QFontMetrics, QFontMetricsF
from PyQt6.QtWidgets import QLabel

from app.panels.scenes import NAME, SUMMARY, VARIANT, WRAPPED, _boxes, _font_of
from app.scales import spread
from app.style import font
from app.theme import CAPTION_PT, RIGHT_DOCK
from app.widgets.choice import ARROW
from app.widgets.curve_ends import bottom_axis
from sim.backend import BACKENDS
from sim.command import LoadScene, Reset, SetSolver, SetStabilisation, StepOnce
from sim.files import builtin_names, load
from sim.runner import Runner
from tests.app.window_bench import Bench

LEFT, KEY, SHIFT = Qt.MouseButton.LeftButton, Qt.Key, Qt.KeyboardModifier.ShiftModifier
FAMILIES = [name for name in builtin_names() if load(name).variants]


def open_scene(bench, name: str) -> None:
    bench.session.open(name)
    path = load(name).address
    bench.bot.waitUntil(lambda: bench.session.stage.scene.address == path)
    bench.settle()


def row_of(bench, name: str):
    scenes = bench.window.scenes
    return next(scenes.item(r) for r in range(scenes.count()) if scenes.item(r).data(NAME) == load(name).address)


def variant_rows(bench) -> list[str]:
    scenes = bench.window.scenes
    return [scenes.item(r).data(VARIANT) for r in range(scenes.count()) if scenes.item(r).data(VARIANT)]


def click(bench, name: str) -> None:
    scenes = bench.window.scenes
    scenes.scrollToItem(row_of(bench, name))
    bench.bot.mouseClick(scenes.viewport(), LEFT, pos=scenes.visualItemRect(row_of(bench, name)).center())
    bench.bot.waitUntil(lambda: bench.session.stage.scene.address == load(name).address)
    bench.settle()


@pytest.fixture
def bench(qtbot, tmp_path):
    bench = Bench(qtbot, tmp_path)
    yield bench
    bench.close()


# --- every scene ----------------------------------------------------------------------------------------


def test_every_scene_opens_without_a_warning_and_without_a_text_that_is_cut(bench, qtlog):
    names = builtin_names() + [f"{name}:{variant}" for name in FAMILIES for variant in load(name).variants]
    for name in names:
        open_scene(bench, name)
        for tab in (bench.window.control, bench.window.physics):
            bench.window.tabs.setCurrentWidget(tab)
            bench.bot.wait(20)
            assert_labels_fit(tab, name)
        assert_choices_fit(bench, name)
        assert_rows_fit(bench, name)
        assert_curves_have_names(bench, name)
    assert [record.message for record in qtlog.records] == []


def assert_labels_fit(tab, scene: str) -> None:
    for label in tab.findChildren(QLabel):
        if label.isVisible() and label.wordWrap():
            assert label.height() >= label.heightForWidth(label.width()), (scene, label.text())
        elif label.isVisible():
            assert label.width() >= label.sizeHint().width(), (scene, label.text())
        assert label.mapTo(tab, label.rect().bottomRight()).x() < max(tab.width(), RIGHT_DOCK - 20)


def assert_choices_fit(bench, scene: str) -> None:
    """Whatever may be chosen has room; nothing stands beyond the panel's edge."""
    for choice in bench.window.physics.choices.values():
        room = choice.width() - ARROW - 2 * 8
        for row in range(choice.count()):
            text = choice.itemText(row)
            assert choice.fontMetrics().horizontalAdvance(text) <= room, (scene, text)
        right = choice.mapTo(bench.window.physics, choice.rect().bottomRight()).x()
        assert right < bench.window.physics.width(), (scene, choice.accessibleName())


def assert_rows_fit(bench, scene: str) -> None:
    scenes = bench.window.scenes
    for row in range(scenes.count()):
        item = scenes.item(row)
        if item.data(NAME) is None:
            continue
        box, index = scenes.visualItemRect(item), scenes.indexFromItem(item)
        title, summary = _boxes(box, index)
        needed = QFontMetrics(_font_of(index)).boundingRect(title, WRAPPED, item.text())
        assert box.contains(title) and title.contains(needed), (scene, item.text())
        if item.data(SUMMARY):
            needed = QFontMetrics(font(CAPTION_PT)).boundingRect(summary, WRAPPED, item.data(SUMMARY))
            assert box.contains(summary) and summary.contains(needed), (scene, item.text())


def assert_curves_have_names(bench, scene: str) -> None:
    """Every curve of a plot has its name and value beside it: no plot holds more curves than that leaves room for."""
    line = QFontMetricsF(font(CAPTION_PT)).height()
    for plot in bench.window.plots.plots:
        assert plot.title.width() >= plot.title.sizeHint().width(), (scene, plot.info.title)
        room = plot.ends.height() - bottom_axis() + line / 2
        assert len(spread([0.0] * len(plot.curves), room, line)) == len(plot.curves), (scene, plot.info.title)


@pytest.mark.parametrize("size", [(1920, 1080), (960, 600)])
def test_large_and_small_windows_cut_nothing(bench, size):
    open_scene(bench, "double_pendulum:c")
    bench.window.resize(*size)
    bench.bot.waitUntil(lambda: (bench.window.width(), bench.window.height()) == size)
    for tab in (bench.window.control, bench.window.physics):
        bench.window.tabs.setCurrentWidget(tab)
        bench.bot.wait(50)
        assert_labels_fit(tab, str(size))
    assert_choices_fit(bench, str(size))
    assert_rows_fit(bench, str(size))
    scenes = bench.window.scenes
    assert scenes.viewport().rect().contains(scenes.visualItemRect(scenes.currentItem()))
    rows = [scenes.visualItemRect(scenes.item(r)) for r in range(scenes.count())]
    assert all(above.bottom() < below.top() for above, below in pairwise(rows))


def test_the_scene_on_stage_is_in_view_with_all_its_variants(bench):
    scenes = bench.window.scenes
    seen = scenes.viewport().rect()
    for name in builtin_names():
        open_scene(bench, name)
        assert scenes.currentItem() is row_of(bench, name)
        rows = [name, *(f"{name}:{variant}" for variant in load(name).variants)]
        for row in rows:
            assert seen.contains(scenes.visualItemRect(row_of(bench, row))), row


# --- variants -------------------------------------------------------------------------------------------


def test_variants_stand_below_their_scene_alone_and_go_with_it(bench):
    assert variant_rows(bench) == []
    click(bench, "double_pendulum")
    assert variant_rows(bench) == ["a", "b", "c"]
    click(bench, "free_body")
    assert variant_rows(bench) == []


def test_a_chosen_variant_is_loaded_named_and_kept_by_reset_and_reload(bench):
    click(bench, "double_pendulum")
    click(bench, "double_pendulum:b")
    assert bench.session.stage.scene.variant == "b"
    assert bench.session.snapshot.q == pytest.approx([0.5, 0.5])
    assert bench.window.windowTitle() == "Double pendulum from (0.5,\xa00.5) · b – Impulse"
    assert bench.window.scenes.currentItem() is row_of(bench, "double_pendulum:b")
    assert variant_rows(bench) == ["a", "b", "c"]

    bench.viewport.setFocus()
    bench.runner.sent.clear()
    bench.bot.keyClick(bench.viewport, KEY.Key_R)
    bench.settle()
    assert [type(c) for c in bench.runner.sent] == [Reset]
    before = bench.session.stage
    bench.bot.keyClick(bench.viewport, KEY.Key_R, SHIFT)
    bench.bot.waitUntil(lambda: bench.session.stage is not before)
    [loaded] = bench.runner.of(LoadScene)
    assert loaded.scene.variant == bench.session.stage.scene.variant == "b"
    assert bench.window.scenes.currentItem() is row_of(bench, "double_pendulum:b")


def test_variants_are_reached_by_the_keyboard_and_say_what_they_are(bench):
    click(bench, "double_pendulum")
    scenes = bench.window.scenes
    scenes.setFocus()
    for _ in range(3):
        bench.bot.keyClick(scenes, KEY.Key_Down)
    item = scenes.currentItem()
    assert item.text() == "c  from (¾π,\xa0¾π)"
    assert item.data(Qt.ItemDataRole.AccessibleTextRole) == "Variant c: Double pendulum from (¾π,\xa0¾π)"
    assert "chaos" in item.toolTip()
    bench.bot.keyClick(scenes, KEY.Key_Return)
    bench.bot.waitUntil(lambda: bench.session.stage.scene.variant == "c")


def test_a_file_with_variants_is_listed_by_its_own_title(bench, tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text('extends = "double_pendulum"\ntitle = "Mine"\n[variant.moon]\ntitle = "Mine on the moon"\n')
    bench.session.open(f"{mine}:moon")
    bench.bot.waitUntil(lambda: bench.session.stage.scene.variant == "moon")
    assert variant_rows(bench)[-1] == "moon"
    assert bench.window.scenes.currentItem().text() == "moon  on the moon"
    [row] = bench.window.scenes.findItems("Mine", Qt.MatchFlag.MatchExactly)
    assert row.data(NAME) == str(mine)


def test_a_variant_that_cannot_be_read_is_offered_with_the_reason(bench, tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text('extends = "double_pendulum"\n[variant.bad]\ngravity = "much"\n')
    bench.session.open(mine)
    bench.bot.waitUntil(lambda: bench.session.stage.scene.path == str(mine))
    scenes = bench.window.scenes
    bad = next(scenes.item(r) for r in range(scenes.count()) if scenes.item(r).data(VARIANT) == "bad")
    assert "mine.toml:3" in bad.toolTip()
    before = bench.session.stage
    scenes.scrollToItem(bad)
    bench.bot.mouseClick(scenes.viewport(), LEFT, pos=scenes.visualItemRect(bad).center())
    bench.bot.waitUntil(lambda: bool(bench.session.messages))
    assert "mine.toml:3" in bench.session.messages[-1].text and bench.session.stage is before


# --- what is said of a scene ----------------------------------------------------------------------------


def test_notes_are_told_once_and_forgotten_with_their_scene(bench):
    note = 'Joint "rocker" closes a loop: the tree is cut there.'
    open_scene(bench, "four_bar")
    assert [(m.level, m.text) for m in bench.session.messages] == [("info", note)]
    assert bench.window.status.text.toolTip() == note
    assert bench.viewport.overlay().level == "info" and note not in bench.viewport.overlay().line
    bench.session.reset()
    bench.settle()
    open_scene(bench, "free_body")
    assert [m.text for m in bench.session.messages] == [note]
    assert bench.window.status.text.toolTip() == ""


def test_the_first_scene_tells_its_notes_too(qtbot, tmp_path):
    bench = Bench(qtbot, tmp_path, "parallelogram")
    assert len(bench.session.messages) == 1 and "closes a loop" in bench.session.messages[0].text
    bench.close()


def test_an_engine_that_refuses_the_scene_is_greyed_with_its_sentence(bench):
    sentence = 'PyBullet cannot run this scene: joint "rocker" closes a loop.'
    action = bench.window.menus.actions["engine:pybullet"]
    for name, said in (("four_bar", sentence), ("hinge_chain", "")):
        open_scene(bench, name)
        item = bench.window.physics.choices["backend"].model().item(list(BACKENDS).index("pybullet"))
        assert action.isEnabled() == item.isEnabled() == (said == "")
        assert item.toolTip() == said
        assert (action.toolTip() == said) == bool(said)


# --- the running world ----------------------------------------------------------------------------------


def test_solver_and_stabilisation_change_under_a_loop_that_stays_where_it_is(qtbot, tmp_path):
    bench = Bench(qtbot, tmp_path, "four_bar", lambda scene: Runner(scene, running=False))
    session = bench.session
    session.send(StepOnce(300))
    bench.bot.waitUntil(lambda: session.snapshot.step == 300, timeout=120_000)
    q, v = session.snapshot.q.copy(), session.snapshot.v.copy()
    assert np.abs(v).max() > 0.01
    bench.window.tabs.setCurrentWidget(bench.window.physics)
    choices = bench.window.physics.choices
    for name, keys in (("stabilise", "feedback rattle"), ("solver", "dense sparse")):
        for key, value in zip((KEY.Key_Down, KEY.Key_Up), keys.split(), strict=True):
            choices[name].setFocus()
            bench.bot.keyClick(choices[name], key)
            holds = lambda name=name, value=value: getattr(session.snapshot, name) == value  # noqa: E731
            bench.bot.waitUntil(holds, timeout=120_000)
            assert np.abs(session.snapshot.q - q).max() < 1e-9
            assert np.abs(session.snapshot.v - v).max() < 1e-9
            assert session.snapshot.step == 300
    assert session.messages[-1].level == "info"  # nothing was refused
    bench.close()


def test_what_a_change_was_can_be_sent_back(qtbot, tmp_path):
    bench = Bench(qtbot, tmp_path, "slider_crank", lambda scene: Runner(scene, running=False))
    inverses = []
    bench.session.reported.connect(lambda event: inverses.append(getattr(event, "inverse", None)))
    for command, inverse in (
        (SetStabilisation("feedback"), SetStabilisation("rattle")),
        (SetSolver("dense"), SetSolver("sparse")),
    ):
        bench.session.send(command)
        bench.bot.waitUntil(lambda inverse=inverse: inverse in inverses, timeout=120_000)
    bench.close()
