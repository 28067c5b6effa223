"""Every action of the table, by its menu and by each of its keys: each changes something that can be seen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PyQt6.QtGui import QGuiApplication, QKeySequence
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QFileDialog, QMenu

from app import style
from app.actions import ACTIONS
from app.scene_files import MOST_RECENT
from app.selection import Selection
from sim.command import Record, SetGain
from tests.app.window_bench import Bench

MENUS = tuple(dict.fromkeys(row.menu.partition("/")[0] for row in ACTIONS))
WAYS = {row.id: ("menu", *row.keys) if row.menu else row.keys for row in ACTIONS}


@pytest.fixture
def bench(qtbot, tmp_path, monkeypatch):
    monkeypatch.setenv("IMPULSE_OUTPUT", str(tmp_path / "out"))
    bench = Bench(qtbot, tmp_path)
    scene = bench.session.stage.scene.path
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (scene, ""))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "mine.toml"), ""))
    bench.window.files.recent = [str(tmp_path / f"{n}.toml") for n in range(MOST_RECENT)]
    yield bench
    if bench.window.isVisible():
        bench.window.filming.stop()
        bench.bot.waitUntil(lambda: not bench.window.filming.unfinished, timeout=30000)
    bench.close()
    style.set_text_scale(1.0)


def seen(bench):
    """What a person could notice."""
    window, hand = bench.window, bench.viewport.hand
    return (
        window.isVisible(),
        len(bench.runner.sent),
        id(bench.session.stage),
        hand.glide.end if hand.glide else hand.camera,
        hand.gesture,
        hand.followed,
        hand.hidden,
        bench.session.shown.selection,
        bench.session.shown.plots,
        bench.session.shown.degrees,
        bench.viewport.overlays.on,
        window.theme_choice,
        bench.viewport.quality.choice,
        bench.viewport.overlays,
        style.text_scale(),
        window.is_viewport_only,
        [dock.isHidden() for dock in window.docks.values()],
        QGuiApplication.clipboard().text(),
        [w.windowTitle() for w in QApplication.topLevelWidgets() if w.isVisible() and not isinstance(w, QMenu)],
        bool(window.help and window.help.isVisible()),
        window.filming.unfinished,
        len(bench.session.messages),
    )


def prepare(bench, name):
    """What the action needs in order to have something to do."""
    window, hand, shown = bench.window, bench.viewport.hand, bench.session.shown
    QGuiApplication.clipboard().setText("nothing")
    hand.glide, hand.hidden, hand.followed = None, frozenset(), -1
    hand.camera = replace(hand.camera, distance=1.234, azimuth=0.3, elevation=0.2)
    shown.select(Selection(body=1))
    if window.is_viewport_only:
        window.toggle_viewport_only()
    kind, _, choice = name.partition(":")
    if kind == "theme" and choice:
        window.choose_theme("dark" if choice == "light" else "light")
    elif kind == "quality":
        bench.viewport.quality.choose("fast" if choice != "fast" else "fine")
    elif kind == "angles":
        shown.show_degrees(choice != "degrees")
    elif kind == "text":
        style.set_text_scale(1.25)
    elif name == "show_all":
        hand.toggle_hidden(2)
    elif name in ("undo", "redo"):
        bench.session.send(SetGain("reach", "kp", bench.session.snapshot.gains["reach"]["kp"] + 1.0))
        bench.settle()
        if name == "redo":
            bench.session.undo.undo()
            bench.settle()
    window.menus.refresh()


def tidy(bench):
    """Close what was opened and come back to the viewport."""
    for widget in QApplication.topLevelWidgets():
        if widget.isVisible() and widget is not bench.window:
            widget.close()
    if bench.window.help is not None:
        bench.window.help.hide()
    bench.window.activateWindow()
    bench.viewport.setFocus()
    bench.bot.waitUntil(bench.viewport.hasFocus)
    bench.session.finish_work()
    bench.bot.waitUntil(lambda: not bench.window.filming.unfinished, timeout=30000)
    bench.settle()


def menu_action(bench, row):
    action = bench.window.menus.actions[row.id]
    assert action in bench.window.menus.menus[row.menu].actions()
    return action


def do(bench, row, way):
    if way == "menu":
        menu_action(bench, row).trigger()
    else:
        QTest.keySequence(bench.viewport, QKeySequence(way))


def changed_from(bench, before, what):
    def check():
        assert seen(bench) != before, what

    return check


@pytest.mark.parametrize("menu", MENUS, ids=lambda name: name or "keys alone")
def test_every_action_does_something_by_its_menu_and_by_each_key(bench, menu):
    rows = [row for row in ACTIONS if row.menu.partition("/")[0] == menu and row.id != "quit"]
    done = 0
    for row in rows:
        for way in WAYS[row.id]:
            prepare(bench, row.id)
            action = bench.window.menus.actions[row.id]
            if not (action.isVisible() and action.isEnabled()):
                assert row.id.startswith(("controller:", "plot:")) or action.toolTip() != row.tip
                continue
            before = seen(bench)
            bench.bot.wait(20)
            assert seen(bench) == before, "nothing moves by itself"
            do(bench, row, way)
            bench.bot.waitUntil(changed_from(bench, before, f"{row.id} by {way}"), timeout=20000)
            done += 1
            if bench.runner.sent and bench.runner.sent[-1] == Record(60.0):
                bench.window.filming.stop()
                bench.bot.waitUntil(lambda: not bench.window.filming.unfinished, timeout=30000)
            tidy(bench)
    assert done >= len(rows) / 2


@pytest.mark.parametrize("way", ["menu", "Ctrl+Q"])
def test_quit(bench, way):
    [row] = [row for row in ACTIONS if row.id == "quit"]
    do(bench, row, way)
    bench.bot.waitUntil(lambda: not bench.window.isVisible())
    assert bench.runner.stopped


def test_keys_of_the_table_are_what_the_help_and_menus_show(bench):
    for row in ACTIONS:
        shown = {key.toString() for key in bench.window.menus.actions[row.id].shortcuts()}
        assert shown <= {QKeySequence(key).toString() for key in row.keys}
        assert bool(shown) == bool(row.keys), row.id
