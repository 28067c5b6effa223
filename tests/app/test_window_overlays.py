"""Overlays and quality from the View menu, in the real window."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.render.overlays import OVERLAYS
from sim.command import WatchForces
from sim.state import Acting
from tests.app.window_bench import Bench


@pytest.fixture
def bench(qtbot, tmp_path):
    bench = Bench(qtbot, tmp_path)
    yield bench
    bench.close()


def picture(bench) -> np.ndarray:
    bench.viewport.quality.choose("fast")
    bench.window.pulse()
    image = bench.viewport.grabFramebuffer().convertToFormat(bench.viewport.grabFramebuffer().format().Format_RGB32)
    data = image.constBits().asarray(image.sizeInBytes())
    return np.frombuffer(data, dtype=np.uint8).reshape(image.height(), image.width(), 4)[40:, :, :3].copy()


def test_every_overlay_changes_the_picture_and_its_menu_entry(bench):
    menus, runner = bench.window.menus, bench.runner
    joints = len(bench.session.stage.model.joint_names)
    acting = Acting(np.array([5.0, -20.0, 10.0]), np.zeros((3, 6)), np.tile([0.0, 0, 0, 0, 0, 60.0], (joints, 1)))
    twist = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.5], (3, 1))
    runner.latest = replace(runner.latest, acting=acting, twist=twist)
    bench.settle()
    for name in OVERLAYS:
        before, action = picture(bench), menus.actions[f"overlay:{name}"]
        action.trigger()
        if name == "trails":
            for _ in range(5):
                runner.tick(0.1)
                bench.settle()
                bench.window.pulse()
        assert action.isChecked() and (picture(bench) != before).any(), name
        action.trigger()
        assert not action.isChecked() and bench.viewport.overlays.on == frozenset()


def test_forces_are_asked_for_once_and_only_while_they_are_shown(bench):
    for name in ("forces", "loads", "frames", "forces", "loads"):
        bench.window.menus.actions[f"overlay:{name}"].trigger()
    assert bench.runner.of(WatchForces) == [WatchForces(True), WatchForces(False)]


def test_joint_forces_are_greyed_with_the_reason_where_the_engine_does_not_tell_them(bench):
    bench.runner.latest = replace(bench.runner.latest, backend="pybullet")
    bench.settle()
    action = bench.window.menus.actions["overlay:loads"]
    assert not action.isEnabled() and "PyBullet" in action.toolTip()


def test_a_chosen_quality_is_remembered_and_an_unknown_one_is_not(bench, qtbot, tmp_path):
    bench.window.menus.actions["quality:fast"].trigger()
    assert bench.viewport.quality.level == "fast" and bench.settings.text("quality", "") == "fast"
    bench.settings.set("quality", "nonsense")
    again = Bench(qtbot, tmp_path)
    assert again.viewport.quality.choice == "auto"
    again.close()
