"""A run saved, read and taken again ends in the same bits, whatever was asked of it on the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sim import command as cmd
from sim.backend import INTEGRATORS
from sim.control.desk import COMMANDS
from sim.files import load
from sim.files.log import Log
from sim.files.run_file import read_run, write_run
from sim.past import JOURNALLED, Fail, Hold, Run, RunTold
from sim.replay import Replay
from sim.scene import SOLVERS, STABILISATIONS, Input, Scene
from sim.simulation import _APPLY
from tests.sim.driver import Driver
from tests.worlds import ENGINES

SCENES = {"impulse": "arm_reach", "tree": "ball_arm_pd", "pybullet": "arm_pd"}
COUNT = 60


def told(driver: Driver) -> Run:
    driver.ask(cmd.TellRun())
    return next(event.run for event in reversed(driver.events) if isinstance(event, RunTold))


def again(run: Run, tmp_path: Any, backend: str | None = None) -> tuple[Replay, Log]:
    """From a file, with a log of every step."""
    write_run(run, tmp_path / "a.run.json")
    replay = Replay(read_run(tmp_path / "a.run.json"), backend)
    log = Log(replay.world.model)
    log.add(replay.world.history)
    while not replay.is_over:
        replay.obey()
        log.go_on(replay.world.history)
        replay.step(17)
        log.add(replay.world.history)
    return replay, log


def rows(driver: Driver) -> np.ndarray:
    log = Log(driver.runner.history.model)
    log.add(driver.runner.history)
    return log.rows


def commands(scene: Scene, rng: np.random.Generator) -> Iterator[cmd.Command]:
    """COUNT of them in any order, with steps between them; some are refused."""
    near = rng.uniform

    def point(low: float, high: float) -> tuple[float, float, float]:
        x, y, z = near(low, high, 3).tolist()
        return x, y, z

    def quaternion() -> tuple[float, ...]:
        q = rng.normal(size=4)
        return tuple((q / np.linalg.norm(q)).tolist())

    controllers = [spec.name for spec in scene.controllers]
    bodies = [body.name for body in scene.bodies]
    makers = [
        lambda: cmd.SetGain(str(rng.choice(controllers)), str(rng.choice(["kp", "kd"])), float(near(5, 90))),
        lambda: cmd.SetSwitch(str(rng.choice(controllers)), bool(rng.random() < 0.7)),
        lambda: cmd.SetTarget("target", point(0.2, 0.6)),
        lambda: cmd.FollowPath("target", bool(rng.random() < 0.6)),
        lambda: cmd.SetJointTarget("pd", str(rng.choice([j.name for j in scene.joints])), (float(near(-1, 1)),)),
        lambda: cmd.SetJointTarget("pd", str(rng.choice([j.name for j in scene.joints])), quaternion()),
        lambda: cmd.PullBody(str(rng.choice(bodies)), point(0, 0.1), point(0.2, 0.7)),
        lambda: cmd.ReleaseBody(),
        lambda: cmd.SetBackend(str(rng.choice(ENGINES))),
        lambda: cmd.SetIntegrator(str(rng.choice(INTEGRATORS["tree"]))),
        lambda: cmd.SetSolver(str(rng.choice(SOLVERS))),
        lambda: cmd.SetStabilisation(str(rng.choice(STABILISATIONS))),
        lambda: cmd.SetStep(float(rng.choice([5e-4, 1e-3, 7e-4]))),
        lambda: cmd.SetGravity((0.0, float(near(-2, 2)), float(near(-10, -3)))),
        lambda: cmd.StepBack(int(rng.integers(1, 120))),
        lambda: cmd.StepBack(int(rng.integers(1, 40))),
        lambda: cmd.GoTo(float(near(0.0, 0.6))),
        lambda: cmd.GoTo(10.0),
        lambda: cmd.SetSpeed(2.0),
        lambda: cmd.WatchCauses(bool(rng.random() < 0.5)),
    ]
    reset = int(rng.integers(COUNT // 2))
    for i in range(COUNT):
        yield cmd.Reset() if i == reset else makers[int(rng.integers(len(makers)))]()
        if rng.random() < 0.7:
            yield cmd.StepOnce(int(rng.integers(1, 90)))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("engine", ENGINES)
def test_a_run_of_random_commands_is_taken_again_to_the_bit(drive, tmp_path, engine, seed):
    scene = replace(load(SCENES[engine]), backend=engine)
    driver = drive(scene)
    answers = [driver.ask(command) for command in commands(scene, np.random.default_rng([seed, len(engine)]))]
    run = told(driver)
    assert sum(isinstance(answer, cmd.Applied) for answer in answers) > COUNT and run.end.step > 20
    kinds = {type(entry.command) for entry in run.entries}
    assert Hold in kinds and len(kinds) > 3
    replay, log = again(run, tmp_path)
    assert replay.is_same and replay.distance == 0.0
    assert replay.world.state.digest() == run.end.digest and replay.world.v.tolist() == list(run.end.v)
    assert log.rows.tobytes() == rows(driver).tobytes()
    written = (tmp_path / "a.run.json").read_bytes()
    write_run(read_run(tmp_path / "a.run.json"), tmp_path / "b.run.json")
    assert (tmp_path / "b.run.json").read_bytes() == written


def test_everything_that_changes_physics_is_journalled():
    assert set(JOURNALLED.values()) == {*COMMANDS, *_APPLY, Hold, Fail} - {cmd.Reset}


def leads_there(driver: Driver, tmp_path: Any) -> Run:
    run = told(driver)
    assert again(run, tmp_path)[0].is_same
    return run


def test_a_setting_that_no_engine_heeded_when_one_went_back_holds_later(drive, tmp_path):
    driver = drive(replace(load("arm_reach"), backend="tree"))
    for command in (cmd.StepOnce(40), cmd.SetBackend("impulse"), cmd.SetSolver("dense"), cmd.StepOnce(40)):
        driver.ask(command)
    driver.ask(cmd.StepBack(60))
    assert driver.runner.latest.backend == "tree"
    driver.ask(cmd.SetBackend("impulse"))
    driver.ask(cmd.StepOnce(50))
    assert driver.runner.latest.solver == "dense"
    leads_there(driver, tmp_path)


def test_the_way_forward_again_is_known_until_something_is_done(drive, tmp_path):
    driver, gain = drive("arm_reach"), cmd.SetGain("reach", "kp", 500.0)
    for command in (cmd.StepOnce(50), gain, cmd.StepOnce(50), cmd.GoTo(0.02)):
        driver.ask(command)
    assert gain not in [entry.command for entry in leads_there(driver, tmp_path).entries]
    driver.ask(cmd.GoTo(9.0))
    run = leads_there(driver, tmp_path)
    assert run.end.step == 100 and gain in [entry.command for entry in run.entries]
    driver.ask(cmd.GoTo(0.02))
    driver.ask(cmd.StepOnce(1))
    driver.ask(cmd.GoTo(9.0))
    run = leads_there(driver, tmp_path)
    assert run.end.step == 21 and gain not in [entry.command for entry in run.entries]


def test_a_run_begins_at_the_last_reset_with_what_was_set_then(drive, tmp_path):
    driver = drive("arm_reach")
    for command in (
        *(cmd.SetGain("reach", "kp", 77.0), cmd.SetTarget("target", (0.4, 0.3, 0.5)), cmd.SetStep(5e-4)),
        *(cmd.SetGravity((0.0, 0.0, -3.7)), cmd.SetBackend("tree"), cmd.SetIntegrator("gauss4"), cmd.StepOnce(30)),
        *(cmd.Reset(), cmd.StepOnce(40)),
    ):
        driver.ask(command)
    run = leads_there(driver, tmp_path)
    assert run.entries == () and run.end.time == 40 * 5e-4
    assert cmd.SetGain("reach", "kp", 77.0) in run.begin.settings


def test_what_is_asked_of_a_running_world_comes_before_the_same_steps_again(drive, tmp_path):
    driver = drive("arm_reach", running=True)
    for i in range(40):
        driver.ask(cmd.SetGain("reach", "kp", 100.0 + i))
    driver.ask(cmd.Play(False))
    run = leads_there(driver, tmp_path)
    assert [entry.command.value for entry in run.entries] == [100.0 + i for i in range(40)]


def test_a_scene_with_settings_of_its_own_begins_with_them(drive, tmp_path):
    driver = drive("arm_reach")
    driver.ask(cmd.LoadScene(load("double_pendulum:b"), (cmd.SetBackend("tree"), cmd.SetIntegrator("euler"))))
    driver.ask(cmd.StepOnce(70))
    run = leads_there(driver, tmp_path)
    back = read_run(tmp_path / "a.run.json")
    assert (back.scene.name, back.scene.variant) == ("double_pendulum", "b") and run.entries == ()


def test_a_step_that_failed_is_tried_again(drive, tmp_path):
    """What it did to the memory of the controllers is part of the state."""
    force = Input("wind", body="forearm", force=("sqrt(0.05 - t)", 0.0, 0.0))
    driver = drive(replace(load("arm_reach"), inputs=(force,)))
    driver.ask(cmd.StepOnce(80))
    driver.ask(cmd.StepOnce(1))
    run = leads_there(driver, tmp_path)
    assert 40 < run.end.step < 60 and [type(entry.command) for entry in run.entries] == [Fail, Fail]
    driver.ask(cmd.StepBack(20))
    leads_there(driver, tmp_path)


def test_another_engine_comes_close(drive, tmp_path):
    driver = drive("arm_reach")
    for command in (cmd.StepOnce(100), cmd.SetSolver("dense"), cmd.StepOnce(100), cmd.StepBack(50)):
        driver.ask(command)
    replay, _ = again(told(driver), tmp_path, "tree")
    assert replay.world.backend_name == "tree" and replay.world.step_count == 150
    assert 0.0 < replay.distance < 1e-3 and not replay.is_same
