"""The real window, measured in a process of its own: `-m tests.app.window_measures WIDTH HEIGHT SCALE THEME SCENE…`.

Prints, for each scene, a line of JSON: the viewport's part of the window, texts that have too little room, and the part
of the viewport's height that the scene spans.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


def main(width: str, height: str, scale: str, theme: str, *scenes: str) -> None:
    """A scene written with a + is looked at in every state of window_states.py."""
    os.environ["QT_SCALE_FACTOR"] = scale
    from app.program import Program
    from app.stage import load_stage
    from tests.app.window_bench import StillRunner
    from tests.app.window_states import STATES, fill

    program = Program(["impulse"], load_stage(scenes[0].rstrip("+")), theme, (int(width), int(height)), unattended=True)
    program.session._make_runner = StillRunner
    window = program.window
    window.show()
    program.app.processEvents()
    for name in scenes:
        scene = name.rstrip("+")
        window.session.open(scene)
        wait(program, lambda scene=scene: window.session.stage.scene.address == load_stage(scene).scene.address)
        settle(program)
        fill(window)
        print(json.dumps({"scene": scene, **measures(window)}), flush=True)
        for state in STATES if name.endswith("+") else ():
            STATES[state](window)
            settle(program, 0.06)
            print(json.dumps({"scene": scene, "state": state, "overfull": overfull(window)}), flush=True)
    program.session.busy = ""
    window.close()
    wait(program, lambda: not window.isVisible())


def wait(program: Any, done: Any, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not done():
        program.app.processEvents()
        time.sleep(0.002)
        if time.monotonic() > end:
            raise TimeoutError


def settle(program: Any, seconds: float = 0.4) -> None:
    end = time.monotonic() + seconds
    wait(program, lambda: time.monotonic() > end)


def measures(window: Any) -> dict[str, Any]:
    from tests.app.spans import box

    viewport = window.viewport
    low, high = box(window.session.stage, viewport.hand.camera, *viewport.hand.size)
    ratio = viewport.devicePixelRatioF()
    with tempfile.TemporaryDirectory() as folder:  # as --shot does it
        picture = window.grab()
        picture.save(str(Path(folder) / "shot.png"))
    return {
        "share": viewport.width() * viewport.height() / (window.width() * window.height()),
        "pixels": [picture.width(), picture.height(), ratio],
        "overfull": overfull(window),
        "span": float(high[1] - low[1]) / viewport.hand.size[1],
    }


def overfull(window: Any) -> list[str]:
    """Every visible text that is cut, runs over another or has too little room, in the window and its dialogs."""
    from PyQt6.QtWidgets import QApplication

    from tests.app.painted import ticks, watching

    found = []
    shown = [w for w in QApplication.topLevelWidgets() if w is window or (w.isVisible() and w.parent() is window)]
    for top in shown:
        with watching() as painted:
            top.grab()
            if top is window:
                window.viewport.grabFramebuffer()
        found += [f"{type(w).__name__} {text!r}: {need:.0f} of {room:.0f}" for w, text, need, room in texts(top)]
        found += [*painted.problems(), *ticks(top)]
    return found


def _plain_width(label: Any) -> int:
    """Of a label's text; its own hint is what it was before the last change of the size of text."""
    from PyQt6.QtCore import Qt

    shown = label.fontMetrics().size(int(Qt.TextFlag.TextShowMnemonic), label.text())
    return int(shown.width() + 2 * label.margin())


def texts(window: Any) -> Any:
    """Every visible text that does not fit: widget, text, what it needs, what it has."""
    from PyQt6.QtWidgets import QAbstractButton, QLabel, QTabBar

    for widget in window.findChildren(QLabel):
        if widget.isVisible() and widget.text() and not widget.visibleRegion().isEmpty():
            room = widget.contentsRect()
            if widget.wordWrap():
                need = widget.heightForWidth(widget.width()) - (widget.height() - room.height())
                if need > room.height() + 1:
                    yield widget, widget.text(), need, room.height()
            elif (need := _plain_width(widget)) > room.width() + 1:
                yield widget, widget.text(), need, room.width()
    for widget in window.findChildren(QAbstractButton):
        if widget.isVisible() and widget.text() and not widget.visibleRegion().isEmpty():
            shown = getattr(widget, "toolButtonStyle", None)
            only_icon = shown is not None and shown().name == "ToolButtonIconOnly"
            need = widget.fontMetrics().horizontalAdvance(widget.text().replace("&", ""))
            if need > widget.width() and not only_icon:
                yield widget, widget.text(), need, widget.width()
    for bar in window.findChildren(QTabBar):
        for i in range(bar.count()) if bar.isVisible() else ():
            need = bar.fontMetrics().horizontalAdvance(bar.tabText(i))
            if need > bar.tabRect(i).width():
                yield bar, bar.tabText(i), need, bar.tabRect(i).width()


if __name__ == "__main__":
    main(*sys.argv[1:])
