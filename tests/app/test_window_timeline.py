"""The timeline by mouse and keys: moments that were, exactly, and only the newest wish."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PyQt6.QtCore import QPoint, Qt

from app.theme import TIMELINE_HEIGHT
from sim.command import Applied, GoTo, Play, SetGain, StepBack, StepOnce
from sim.runner import Runner
from tests.app.window_bench import Bench, StillRunner

KEY, LEFT, SHIFT = Qt.Key, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier
PATIENCE = 60_000


class SlowRunner(StillRunner):
    """Answers to GoTo when it is told to."""

    def send(self, command):
        if isinstance(command, GoTo):
            self.sent.append(command)
        else:
            super().send(command)

    def answer(self) -> None:
        self.events.put(Applied(0, self.of(GoTo)[-1], None))


@pytest.fixture
def bench(qtbot, tmp_path):
    """500 steps have been taken, and the world is held."""
    bench = Bench(qtbot, tmp_path, "arm_reach", Runner)
    taken, steps = [], StepOnce(500)
    bench.session.reported.connect(lambda event: taken.append(getattr(event, "command", None)))
    for command in (Play(False), steps):
        bench.session.send(command)
    bench.bot.waitUntil(lambda: steps in taken, timeout=PATIENCE)
    bench.settle()
    yield bench
    bench.close()


def at(strip, part: float) -> QPoint:
    left, right = strip._groove()
    return QPoint(round(left + part * (right - left)), strip.height() // 2)


def there(bench, step: int) -> None:
    bench.bot.waitUntil(lambda: bench.session.snapshot.step == step, timeout=PATIENCE)
    bench.settle()


def test_a_click_goes_to_a_moment_and_the_end_is_still_there(bench):
    strip, end = bench.window.timeline, bench.session.snapshot
    bench.bot.mouseClick(strip, LEFT, pos=at(strip, 0.0))
    there(bench, 0)
    assert strip.text() == "0.000 s" and strip.value() == strip.minimum()
    assert (strip.first, strip.last) == (0.0, end.time) and not bench.session.snapshot.running
    bench.bot.mouseClick(strip, LEFT, pos=at(strip, 1.0))
    there(bench, end.step)
    assert (bench.session.snapshot.q == end.q).all() and (bench.session.snapshot.v == end.v).all()


def test_keys_on_the_strip_and_the_same_numbers_as_when_one_was_there(bench):
    strip, end = bench.window.timeline, bench.session.snapshot.step
    strip.setFocus()
    bench.bot.waitUntil(strip.hasFocus)
    bench.bot.keyClick(strip, KEY.Key_Left)
    there(bench, end - 1)
    bench.bot.keyClick(strip, KEY.Key_Left, SHIFT)
    there(bench, end - 101)
    seen = bench.session.snapshot
    bench.bot.keyClick(strip, KEY.Key_Home)
    there(bench, 0)
    for _ in range((end - 101) // 100):
        before = bench.session.snapshot.step
        bench.bot.keyClick(strip, KEY.Key_Right, SHIFT)
        there(bench, before + 100)
    while bench.session.snapshot.step < seen.step:
        before = bench.session.snapshot.step
        bench.bot.keyClick(strip, KEY.Key_Right)
        there(bench, before + 1)
    assert (bench.session.snapshot.q == seen.q).all() and bench.session.snapshot.time == seen.time
    bench.bot.keyClick(strip, KEY.Key_End)
    there(bench, end)


def test_play_from_the_past_goes_on_from_there_and_a_change_ends_the_future(bench):
    strip, end = bench.window.timeline, bench.session.snapshot.time
    bench.bot.mouseClick(strip, LEFT, pos=at(strip, 0.0))
    there(bench, 0)
    bench.session.send(SetGain("reach", "kp", 77.0))
    bench.settle()
    bench.bot.waitUntil(lambda: strip.last == 0.0, timeout=PATIENCE)
    bench.viewport.setFocus()
    bench.bot.keyClick(bench.viewport, KEY.Key_Space)
    bench.bot.waitUntil(lambda: bench.session.snapshot.step > 10, timeout=PATIENCE)
    assert strip.last < end or bench.session.snapshot.time >= end


def test_a_drag_asks_for_one_moment_at_a_time_and_ends_at_the_newest(qtbot, tmp_path):
    bench = Bench(qtbot, tmp_path, make_runner=SlowRunner)
    strip, runner = bench.window.timeline, bench.runner
    runner.latest = replace(runner.latest, step=1000, time=1.0, reach=(0.0, 1.0))
    bench.settle()
    runner.sent.clear()
    bench.bot.mousePress(strip, LEFT, pos=at(strip, 0.9))
    for part in (0.8, 0.7, 0.6, 0.5):
        bench.bot.mouseMove(strip, at(strip, part))
    bench.bot.waitUntil(lambda: abs(strip.shown - 0.5) < 0.01)  # at once, whatever the world does
    bench.bot.mouseRelease(strip, LEFT, pos=at(strip, 0.5))
    assert [round(c.time, 1) for c in runner.of(GoTo)] == [0.9]
    runner.answer()
    bench.bot.waitUntil(lambda: len(runner.of(GoTo)) == 2)
    assert runner.of(GoTo)[-1].time == strip.shown
    runner.answer()
    bench.settle()
    bench.bot.waitUntil(lambda: strip._asked is None)
    assert len(runner.of(GoTo)) == 2
    bench.close()


def test_after_a_click_space_and_arrows_are_still_the_views(bench):
    bench.viewport.setFocus()
    bench.bot.mouseClick(bench.window.timeline, LEFT, pos=at(bench.window.timeline, 0.5))
    assert bench.viewport.hasFocus()


def test_it_has_its_height_its_name_its_tip_and_arrows_of_its_own(qtbot, tmp_path):
    bench = Bench(qtbot, tmp_path)
    strip = bench.window.timeline
    assert strip.height() == TIMELINE_HEIGHT and strip.accessibleName() and strip.toolTip()
    assert strip.mapTo(bench.window, QPoint(0, 0)).y() > bench.window.plots.mapTo(bench.window, QPoint(0, 0)).y()
    strip.setFocus()
    bench.bot.waitUntil(strip.hasFocus)
    bench.runner.sent.clear()
    bench.bot.keyClick(strip, KEY.Key_Left)
    assert not bench.runner.of(StepBack) and len(bench.runner.of(GoTo)) == 1
    bench.close()
