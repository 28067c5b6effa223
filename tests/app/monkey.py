"""A monkey at the window: seeded clicks, drags, keys, switches, drops and choices, and what they left behind."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PyQt6 import sip
from PyQt6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PyQt6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QKeySequence, QWheelEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLineEdit, QMenu, QWidget

from app import style
from app.action import Action
from app.actions import ACTIONS
from app.panels.scenes import NAME
from tests.app.window_bench import Bench

LEFT, RIGHT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton
NONE, CTRL, SHIFT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
)
# Not pressed: what ends the run, and what opens a window of the system's.
SPARED = ("quit",)


class Monkey:
    """`act` does one thing at random; `seen` is what a person could notice."""

    def __init__(self, bench: Bench, seed: int, folder: Path, scenes: tuple[str, ...]) -> None:
        self.bench, self.random = bench, random.Random(seed)
        self.files = [*_good_files(folder), *_broken_files(folder)]
        self.scenes = scenes
        self.rows = [row for row in ACTIONS if row.id not in SPARED]
        self.deeds: list[tuple[str, bool]] = []  # what was done, and whether it changed something
        self._ways: dict[Callable[[], str], int] = {
            self.press_key: 6,
            self.trigger: 5,
            self.drag: 5,
            self.drag_target: 3,
            self.click_widget: 5,
            self.type_number: 2,
            self.turn_wheel: 2,
            self.choose_scene: 1,
            self.drop: 1,
            self.undo: 3,
        }

    def act(self) -> None:
        before = self.seen()
        [way] = self.random.choices(list(self._ways), list(self._ways.values()))
        deed = way()
        self.bench.bot.wait(30)
        self.deeds.append((deed, self.seen() != before))
        self.close_popups()

    @property
    def changing(self) -> float:
        """The part of its deeds that changed something."""
        return sum(changed for _, changed in self.deeds) / max(len(self.deeds), 1)

    def seen(self) -> tuple[Any, ...]:
        window, session, hand = self.bench.window, self.bench.session, self.bench.viewport.hand
        s, focus = session.snapshot, QApplication.focusWidget()
        return (
            *(s.backend, s.integrator, s.solver, s.stabilise, s.dt, s.gravity, s.running, s.speed, s.scene_id),
            *(str(s.gains), str(s.controllers), str(s.joint_targets), s.pull is None),
            str(session.paths_on) if any(session.paths_on.values()) else s.targets.tolist(),
            s.step if not s.running else 0,
            *(hand.camera, hand.glide and hand.glide.end, hand.gesture is None, hand.hover_target, hand.hover_body),
            *(session.beside, s.tolerance, window.bottom.tabs.currentIndex()),
            *(session.shown.selection, session.shown.plots, session.shown.degrees, hand.hidden, hand.followed),
            *(window.theme_choice, window.is_viewport_only, [d.isHidden() for d in window.docks.values()]),
            *(self.bench.viewport.quality.choice, style.text_scale(), window.tabs.currentIndex(), focus),
            *(len(session.messages), window.windowTitle(), window.filming.on, window.filming.unfinished),
            *(window.scenes.verticalScrollBar().value(), window.scenes.currentRow(), window.offer.isVisible()),
            [w.windowTitle() for w in QApplication.topLevelWidgets() if w.isVisible() and not isinstance(w, QMenu)],
            bool(window.help and window.help.isVisible()),
            focus.text() if isinstance(focus, QLineEdit) else "",
            QGuiApplication.clipboard().text(),
            session.busy,
        )

    # --- deeds ----------------------------------------------------------------------------------------

    def press_key(self) -> str:
        row = self.random.choice([row for row in self._able() if row.keys])
        key = self.random.choice(row.keys)
        if self.random.random() < 0.8:
            self.bench.viewport.setFocus()
        QTest.keySequence(QApplication.focusWidget() or self.bench.viewport, QKeySequence(key))
        return f"key {key}"

    def trigger(self) -> str:
        row = self.random.choice([row for row in self._able() if row.menu])
        self.bench.window.menus.actions[row.id].trigger()
        return f"menu {row.id}"

    def _able(self) -> list[Action]:
        """Nobody presses what is greyed."""
        actions = self.bench.window.menus.actions
        return [row for row in self.rows if actions[row.id].isEnabled() and actions[row.id].isVisible()]

    def drag(self) -> str:
        viewport = self.bench.viewport
        button = self.random.choice([LEFT, LEFT, RIGHT, MIDDLE])
        keys = self.random.choice([NONE, NONE, CTRL, SHIFT])
        start, end = self._point(viewport), self._point(viewport)
        self._drag(viewport, button, keys, start, end)
        return f"drag {button.name} {keys.name}"

    def drag_target(self) -> str:
        hand, targets = self.bench.viewport.hand, self.bench.session.snapshot.targets
        places = hand.camera.project(targets, *hand.size) if len(targets) else targets
        if not len(places) or not np.isfinite(places).all():  # none, or behind the camera
            return self.drag()
        x, y = (round(float(c)) for c in self.random.choice(list(places))[:2])
        self._drag(self.bench.viewport, LEFT, NONE, QPoint(x, y), self._point(self.bench.viewport))
        return "drag target"

    def click_widget(self) -> str:
        """Any visible thing that takes the focus."""
        window = self.bench.window
        widgets = [w for w in window.findChildren(QWidget) if w.isVisible() and w.isEnabled() and _can_click(w)]
        if not widgets:
            return self.press_key()
        widget = self.random.choice(widgets)
        name = f"click {type(widget).__name__} {widget.objectName() or widget.accessibleName()}"
        if self.random.random() < 0.3:
            self._drag(widget, LEFT, NONE, self._point(widget), self._point(widget))
        else:
            QTest.mouseClick(widget, LEFT, NONE, self._point(widget))
        return name

    def type_number(self) -> str:
        fields = [f for f in self.bench.window.findChildren(QLineEdit) if f.isVisible() and f.isEnabled()]
        if not fields:
            return self.press_key()
        field = self.random.choice(fields)
        field.setFocus()
        field.selectAll()
        text = self.random.choice(["0.5", "-3", "1e9", "nan", "12,5", "7", "0.25"])
        QTest.keyClicks(field, text)
        QTest.keyClick(field, self.random.choice([Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Tab]))
        return f"type {text!r} into {field.objectName()}"

    def turn_wheel(self) -> str:
        widget = self.random.choice([self.bench.viewport, self.bench.viewport, self.bench.window.scenes.viewport()])
        at, notch = QPointF(self._point(widget)), self.random.choice([-240, -120, 120, 240])
        globally = QPointF(widget.mapToGlobal(at.toPoint()))
        phase = Qt.ScrollPhase.NoScrollPhase
        event = QWheelEvent(at, globally, QPoint(), QPoint(0, notch), Qt.MouseButton.NoButton, NONE, phase, False)
        QApplication.sendEvent(widget, event)
        return f"wheel {notch}"

    def choose_scene(self) -> str:
        """Of those that this run is about: others would have to be compiled."""
        panel = self.bench.window.scenes
        items = [panel.item(row) for row in range(panel.count())]
        able = [item for item in items if Path(str(item.data(NAME))).stem in self.scenes]
        item = self.random.choice(able)
        panel.scrollToItem(item)
        QTest.mouseClick(panel.viewport(), LEFT, NONE, panel.visualItemRect(item).center())
        return f"scene {item.text()}"

    def drop(self) -> str:
        path = self.random.choice(self.files)
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path))])
        at, copy, window = QPointF(self._point(self.bench.window)), Qt.DropAction.CopyAction, self.bench.window
        QApplication.sendEvent(window, QDragEnterEvent(at.toPoint(), copy, data, LEFT, NONE))
        QApplication.sendEvent(window, QDropEvent(at, copy, data, LEFT, NONE))
        return f"drop {path.name}"

    def undo(self) -> str:
        undo = self.bench.session.undo
        if not undo.done and not undo.undone:
            return self.drag_target()
        back = not undo.undone or (bool(undo.done) and self.random.random() < 0.6)
        QTest.keySequence(self.bench.viewport, QKeySequence("Ctrl+Z" if back else "Ctrl+Shift+Z"))
        return "undo" if back else "redo"

    # --- hands ----------------------------------------------------------------------------------------

    def _drag(self, widget: QWidget, button: Qt.MouseButton, keys: Qt.KeyboardModifier, a: QPoint, b: QPoint) -> None:
        QTest.mousePress(widget, button, keys, a)
        for n in range(1, 6):
            QTest.mouseMove(widget, a + (b - a) * n / 5)
            self.bench.bot.wait(8)
            if sip.isdeleted(widget):  # another scene has come meanwhile
                return
        if self.random.random() < 0.15:
            QTest.keyClick(widget, Qt.Key.Key_Escape)
        QTest.mouseRelease(widget, button, keys, b)

    def _point(self, widget: QWidget) -> QPoint:
        return QPoint(self.random.randrange(max(widget.width(), 1)), self.random.randrange(max(widget.height(), 1)))

    def close_popups(self) -> None:
        """Menus, lists and dialogs that would take all that follows."""
        while popup := QApplication.activePopupWidget():
            popup.close()
        for widget in QApplication.topLevelWidgets():
            if widget.isVisible() and widget is not self.bench.window:
                widget.close()
        if QApplication.activeWindow() is not self.bench.window:  # no window manager gives the keyboard back
            self.bench.window.activateWindow()


def _can_click(widget: QWidget) -> bool:
    """Not what is cut away by a scrolling area, nor the lists of scenes, which have a deed of their own."""
    gallery = "qt_scrollarea_viewport" in widget.objectName() or widget.inherits("QListWidget")
    in_view = not widget.visibleRegion().isEmpty()
    return in_view and not gallery and widget.focusPolicy() != Qt.FocusPolicy.NoFocus


def _good_files(folder: Path) -> list[Path]:
    """Own scenes that run on kernels the built-in ones need too."""
    stiff, lost = folder / "stiff.toml", folder / "variants.toml"
    stiff.write_text('extends = "arm_reach"\ntitle = "Stiff"\n[controller.reach.gains]\nkp = 2000\n')
    lost.write_text('extends = "arm_reach"\ntitle = "Weightless"\ngravity = 0\n[variant.moon]\ngravity = 1.62\n')
    return [stiff, lost]


def _broken_files(folder: Path) -> list[Path]:
    broken, empty = folder / "broken.toml", folder / "empty.toml"
    broken.write_text('[body.a]\nmass = "much"\n')
    empty.write_text("")
    return [broken, empty, folder / "missing.toml", folder]
