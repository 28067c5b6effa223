"""What the window can look like beyond a scene just opened: full plots, long words, cards, dialogs, a hand at work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from PyQt6.QtWidgets import QApplication

from app.gestures import TargetDrag
from app.kept import Kept
from app.selection import Selection
from sim.comparison import Course
from sim.lane_names import LANES
from sim.ring import Ring
from sim.state import Beside, Figures

LONG = "/home/somebody/Documents/robots/a folder with a rather long name/another one/arm_reach 2026-11-18 14.03.22.mp4"
SIZES = (1.0, 1234.5, 1e-9, 98765.0)  # of numbers beside curves


def fill(window: Any, size: float = 1234.5) -> None:
    """Ten seconds of history with numbers of about this size, of both signs."""
    history = window.session.runner.history
    steps = 2000
    t = np.linspace(0.0, 10.0, steps)
    waves = np.sin(t[:, None] * 0.7 + np.arange(history.rows.shape[1]))
    history.rows[:steps] = -size * waves
    history.rows[:steps, history.columns["time"]] = t[:, None] + 4321.0
    causes = history.keep_causes()
    count = min(len(causes), steps)
    causes[:count] = size * np.sin(t[:count, None, None] + np.arange(causes.shape[1])[None, :, None])
    history.counter[0] = count
    snapshot = window.session.runner.latest
    window.session.runner.latest = replace(snapshot, time=4331.0, step=4331000, reach=(4271.0, 4331.0))
    for plot in window.plots.plots:
        plot._written = -np.inf
    window.session.poll()
    window.plots.refresh()


def sized(size: float) -> Callable[[Any], None]:
    return lambda window: fill(window, size)


def small(window: Any) -> None:
    fill(window, 1.0)


def four_plots(window: Any) -> None:
    shown = window.session.shown
    for name in shown.plots:
        shown.toggle_plot(name)
    for name in [n for n in window.plots.offered if ":" not in n][:4]:
        shown.toggle_plot(name)
    fill(window)


def causes(window: Any) -> None:
    window.session.shown.toggle_plot("causes")
    fill(window)


def crosshair(part: float) -> Callable[[Any], None]:
    def do(window: Any) -> None:
        for plot in window.plots.plots:
            plot.show_crosshair(-10.0 * (1.0 - part))

    return do


def hovered(window: Any) -> None:
    for plot in window.plots.plots:
        plot._hover(len(plot.curves) - 1)


def compared(size: float, stopped: str = "") -> Callable[[Any], None]:
    """Three engines beside the leading one, with ten seconds of differences and figures of about this size."""

    def do(window: Any) -> None:
        runner = window.session.runner
        now = runner.latest
        figures = Figures(now.backend, "semi-implicit", 1e-3, 0.0, 1e-6 * size, *(size,) * 5, now.time - 4.0)
        others = [name for name in LANES if name != now.backend]
        why = (stopped, *[""] * (len(others) - 1))  # the first alone
        ghosts = zip(others, why, strict=True)
        lanes = tuple(Beside(name, now.position, now.rotation, word, figures) for name, word in ghosts)
        ring = Ring(2000, 1 + 3 * (1 + len(others)))
        t = np.linspace(now.time - 10.0, now.time, 2000)
        rows = np.column_stack([t, *(size * np.exp(np.sin(t + i)) for i in range(3 * (1 + len(others))))])
        if stopped:
            rows[1000:, 4:7] = np.nan
        ring.append(rows)
        runner.course = Course((now.backend, *others), ring)
        runner.latest = replace(now, lead=figures, beside=lanes)
        window.bottom.show_comparison()
        window.session.poll()
        window.comparison.refresh(window.session.snapshot)
        window.bottom.draw()

    return do


def plots_again(window: Any) -> None:
    window.bottom.tabs.setCurrentIndex(0)


def body_selected(window: Any) -> None:
    window.session.shown.select(Selection(body=len(window.session.stage.scene.bodies) - 1))
    window.tabs.setCurrentWidget(window.inspector)
    window.inspector.refresh(window.session.snapshot)


def target_selected(window: Any) -> None:
    if window.session.stage.scene.targets:
        window.session.shown.select(Selection(target=0))


def physics(window: Any) -> None:
    window.tabs.setCurrentWidget(window.physics)


def said(level: str) -> Callable[[Any], None]:
    from pathlib import Path

    return lambda window: window.session.say(level, f"Recorded 0:07.4 min: {LONG}", Path(LONG))


def busy(window: Any) -> None:
    window.session.busy = "Preparing the impulse engine for the first time on this machine, which takes about a minute."


def stopped(window: Any) -> None:
    window.session.busy, window.viewport._message_until = "", 0.0
    window.session.stopped = "Stopped at t = 4331.123 s: the joint “shoulder” came apart by 0.123 m, more than 0.1 m."


def lagging(window: Any) -> None:
    """The longest line: slower than asked for, with a recording beside it."""
    window.session.stopped = ""
    window.viewport.recording = "12:34.5"
    window.viewport._line = ("Slower than asked: 0.02× instead of 8.00× · t 4331.12 s", "warning")
    window.viewport._line_time = np.inf


def dragged(x: float, y: float) -> Callable[[Any], None]:
    """A target in the hand, with its coordinates beside it."""

    def do(window: Any) -> None:
        hand = window.viewport.hand
        hand.cancel()
        if not window.session.stage.scene.targets:
            return
        width, height = hand.size
        at = hand.camera.project(window.session.snapshot.targets[:1], width, height)[0]
        hand.gesture = TargetDrag(hand, 0, float(at[0]), float(at[1]))
        hand.gesture.move(x * width, y * height)

    return do


def offer(window: Any) -> None:
    window.viewport.hand.cancel()
    window.offer.show_offer(Kept("arm_reach", window.session.stage.scene, datetime.now() - timedelta(days=99)))


def help_card(window: Any) -> None:
    window.offer.hide()
    window.toggle_help()


def messages(window: Any) -> None:
    window.toggle_help()
    window.menus.actions["messages"].trigger()


def film_dialog(window: Any) -> None:
    window.menus.actions["record_with"].trigger()


def notes(window: Any) -> None:
    window.menus.actions["notes"].trigger()


def about(window: Any) -> None:
    window.menus.actions["about"].trigger()


def large_text(window: Any) -> None:
    """And all of the above that has words of its own."""
    close_dialogs(window)
    for _ in range(3):
        window.menus.actions["text:larger"].trigger()
    fill(window)


def large_help(window: Any) -> None:
    window.toggle_help()


def large_crosshair(window: Any) -> None:
    window.toggle_help()
    crosshair(0.5)(window)
    hovered(window)


def large_drag(window: Any) -> None:
    dragged(0.99, 0.98)(window)
    body_selected(window)


def usual_text(window: Any) -> None:
    """As it began, for the next scene."""
    window.menus.actions["text:usual"].trigger()
    window.viewport._line_time, window.viewport.recording = 0.0, ""


def close_dialogs(window: Any) -> None:
    for widget in QApplication.topLevelWidgets():
        if widget is not window and widget.isVisible():
            widget.close()


def gains_turned(window: Any) -> None:
    """Every gain away from its default, as wide as it can be."""
    window.tabs.setCurrentWidget(window.control)
    for row in window.control.gains.values():
        row.show_value(row.gain.high)
        row.show_value(row.gain.high / 3.0)


STATES: dict[str, Callable[[Any], None]] = {
    "full plots": fill,
    **{f"numbers of {size:g}": sized(size) for size in SIZES},
    "crosshair at the left": crosshair(0.0),
    "crosshair in the middle": crosshair(0.5),
    "crosshair at the right": crosshair(1.0),
    "a curve hovered": hovered,
    "four plots": four_plots,
    "causes": causes,
    "engines compared": compared(1234.5),
    "engines compared, small numbers": compared(-1.234e-10),
    "engines compared, one stopped": compared(1e6, "stopped at t = 4331.123 s: the joint came apart"),
    "plots again": plots_again,
    "gains turned": gains_turned,
    "physics": physics,
    "a body selected": body_selected,
    "a target selected": target_selected,
    "done": said("ok"),
    "an error": said("error"),
    "busy": busy,
    "stopped": stopped,
    "slow and recording": lagging,
    "dragged up left": dragged(0.01, 0.05),
    "dragged down right": dragged(0.99, 0.98),
    "offer": offer,
    "help": help_card,
    "messages": messages,
    "film": film_dialog,
    "notes": notes,
    "about": about,
    "large text": large_text,
    "large text, control": gains_turned,
    "large text, physics": physics,
    "large text, help": large_help,
    "large text, engines compared": compared(1234.5),
    "large text, plots again": plots_again,
    "large text, crosshair": large_crosshair,
    "large text, a hand": large_drag,
    "usual text": usual_text,
}
