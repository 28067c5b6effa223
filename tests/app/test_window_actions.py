"""Every row of the table of actions, by its menu, its button and each of its keys: each does what it says, and a grey
one says why. What each must change is in action_rows.py."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QKeySequence
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from app import style
from app.actions import ACTIONS, TOOLBAR
from app.scene_files import MOST_RECENT
from app.stage import load_stage
from sim.runner import Runner
from tests.app.action_rows import CASES, GREY, ROW_OF, ZOO, calm
from tests.app.window_bench import Bench

ROWS = {row.id: row for row in ACTIONS}
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(scope="module")
def shared(request, qapp, tmp_path_factory):
    """One window on the real physics for all rows: each begins at rest in a scene just read."""
    folder = tmp_path_factory.mktemp("zoo")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IMPULSE_OUTPUT", str(folder / "films"))
        (folder / "zoo.toml").write_text(ZOO, encoding="utf-8")
        bench = Bench(QtBot(request), folder, load_stage(folder / "zoo.toml"), Runner)
        yield bench
        bench.close()
    style.set_text_scale(1.0)


@pytest.fixture
def bench(shared, monkeypatch, tmp_path):
    recent = [tmp_path / f"recent{n}.toml" for n in range(MOST_RECENT)]
    for n, path in enumerate(recent):
        path.write_text(ZOO.replace("Zoo", f"Recent {n}"), encoding="utf-8")
    names = {
        "Save scene": "mine.toml",
        "Export data": "data.csv",
        "Save table": "table.html",
        "Save run": "mine",
    }
    saves = {title: tmp_path / name for title, name in names.items()}
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(recent[3]), ""))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda _, title, *rest: (str(saves[title]), ""))
    calm(shared)
    shared.window.files.recent = [str(path) for path in recent]
    yield shared
    shared.window.filming.stop()
    shared.bot.waitUntil(lambda: not shared.window.filming.unfinished, timeout=60_000)


def ways(row) -> list[str]:
    return [*["menu"] * bool(row.menu), *["button"] * (row.id in TOOLBAR), *row.keys]


def do(bench, row, way: str) -> None:
    menus = bench.window.menus
    if way == "menu":
        choose(bench, menus.menus[row.menu], menus.actions[row.id])
    elif way == "button":
        QTest.mouseClick(menus.toolbar.widgetForAction(menus.actions[row.id]), LEFT)
    else:
        QTest.keySequence(bench.window.windowHandle(), QKeySequence(way))


def choose(bench, menu, action) -> None:
    """Open the menu, go to the entry and press Return."""
    menu.popup(bench.window.mapToGlobal(QPoint(10, 10)))
    bench.bot.waitUntil(menu.isVisible)
    assert action in menu.actions() and action.isVisible()
    menu.setActiveAction(action)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    if menu.isVisible():  # nothing could be chosen
        menu.close()
    bench.bot.waitUntil(lambda: QApplication.activePopupWidget() is None)


def test_there_is_a_case_for_every_row_and_no_key_belongs_to_two():
    assert {ROW_OF.get(name, name) for name in CASES} == set(ROWS) - {"quit"}
    keys = [QKeySequence(key).toString() for row in ACTIONS for key in row.keys]
    assert len(keys) == len(set(keys))
    assert all(ways(row) for row in ACTIONS)


@pytest.mark.parametrize("name", CASES)
def test_a_row_does_what_it_says(bench, name):
    case, row = CASES[name], ROWS[ROW_OF.get(name, name)]
    for n, way in enumerate(ways(row)):
        if n:
            calm(bench)
        before = case.prepare(bench)
        bench.window.menus.refresh()
        action = bench.window.menus.actions[row.id]
        assert action.isEnabled() and action.isVisible(), action.toolTip()
        bench.bot.wait(40)
        assert not case.holds(bench, before), "it holds already"
        do(bench, row, way)
        bench.bot.waitUntil(lambda before=before: bool(case.holds(bench, before)), timeout=60_000)


@pytest.mark.parametrize("name", GREY)
def test_a_grey_row_says_why_and_does_nothing(bench, name):
    sentence, prepare = GREY[name]
    row, action = ROWS[name], bench.window.menus.actions[name]
    prepare(bench)
    bench.window.menus.refresh()
    assert not action.isEnabled() and sentence in action.toolTip()
    done: list[bool] = []
    action.triggered.connect(done.append)
    for way in ways(row):
        do(bench, row, way)
    bench.bot.wait(50)
    action.triggered.disconnect(done.append)
    assert done == []


@pytest.mark.parametrize(("key", "forward"), [("1", (0, -1, 0)), ("3", (1, 0, 0)), ("7", (0, 0, 1))])
def test_a_view_key_once_more_looks_from_the_opposite_side(bench, key, forward):
    hand = bench.viewport.hand
    for _ in range(2):
        QTest.keySequence(bench.window.windowHandle(), QKeySequence(key))
        bench.bot.wait(20)
        bench.bot.waitUntil(lambda: hand.glide is None)
    assert hand.camera.forward() @ forward > 0.999


def test_an_engine_that_cannot_run_the_scene_and_one_that_is_missing_are_grey(bench, monkeypatch):
    stage = bench.session.stage
    for name in ("tree", "pybullet"):
        monkeypatch.setitem(stage.refusals, name, "It cannot.")
        bench.window.menus.refresh()
        action = bench.window.menus.actions[f"engine:{name}"]
        assert not action.isEnabled() and action.toolTip() == "It cannot."


def test_nothing_can_be_exported_before_anything_has_run(bench, monkeypatch):
    action = bench.window.menus.actions["export"]
    monkeypatch.setattr(bench.session, "runner", None)
    bench.window.menus.refresh()
    assert not action.isEnabled() and "Nothing has run yet" in action.toolTip()


@pytest.mark.parametrize("way", ["menu", "Ctrl+Q"])
def test_quit(qtbot, tmp_path, way):
    bench = Bench(qtbot, tmp_path)
    do(bench, ROWS["quit"], way)
    qtbot.waitUntil(lambda: not bench.window.isVisible())
    assert bench.runner.stopped


def test_menus_and_tips_show_the_keys_of_the_table(shared):
    for row in ACTIONS:
        action = shared.window.menus.actions[row.id]
        shown = {key.toString() for key in action.shortcuts()}
        assert shown <= {QKeySequence(key).toString() for key in row.keys}
        assert bool(shown) == bool(row.keys), row.id


