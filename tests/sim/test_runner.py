"""The physics thread, by what goes in and comes out. Nothing here depends on how fast the machine is."""

from __future__ import annotations

import threading
import time

import numpy as np

from sim.command import (
    Applied,
    Busy,
    Loaded,
    LoadScene,
    Play,
    PullBody,
    Record,
    Refused,
    ReleaseBody,
    Reset,
    SetBackend,
    SetGain,
    SetGravity,
    SetJointTarget,
    SetSpeed,
    SetStep,
    SetSwitch,
    SetTarget,
    StepBack,
    StepOnce,
    Stopped,
)
from sim.files import load
from sim.scene import Body, Scene
from sim.simulation import Simulation
from tests.sim.driver import Driver
from tests.worlds import ENGINES, hanging


def test_stepping_while_paused_takes_exactly_those_steps(drive):
    driver = drive("arm_reach")
    driver.ask(StepOnce(250))
    world = Simulation(load("arm_reach"))
    world.step(250)
    assert driver.runner.latest.step == 250
    assert np.array_equal(driver.runner.latest.q, world.q)


def test_commands_are_applied_in_order_and_replay_to_the_same_bits(drive):
    """A list of (step, command) replayed without a thread gives the same state."""
    driver = drive("arm_reach", running=True)
    rng = np.random.default_rng(0)
    for i in range(40):
        command = SetGain("reach", "kp", 100.0 + i) if i % 3 else SetTarget("target", tuple(rng.uniform(0.2, 0.5, 3)))
        driver.ask(command)
    driver.ask(Play(False))
    end = driver.runner.latest
    world = Simulation(load("arm_reach"))
    for event in driver.events:
        if isinstance(event, Applied) and isinstance(event.command, SetGain | SetTarget):
            assert event.step >= world.step_count
            world.step(event.step - world.step_count)
            world.apply(event.command)
    world.step(end.step - world.step_count)
    assert np.array_equal(end.q, world.q) and np.array_equal(end.v, world.v)


def test_a_list_of_steps_and_commands_replays_to_the_same_digest(drive):
    """Everything that can be commanded of a running world, at whatever steps it fell on."""
    driver = drive("arm_pd", running=True)
    rng = np.random.default_rng(1)
    joints = ("yaw", "shoulder", "elbow")
    for i in range(30):
        commands = (
            SetJointTarget("pd", joints[i % 3], (float(rng.uniform(-1, 1)),)),
            SetGain("pd", "kp", float(rng.uniform(20, 200))),
            SetSwitch("gravity", bool(i % 4)),
            PullBody("forearm", (0.0, 0.0, 0.3), tuple(rng.uniform(0.2, 0.6, 3))),
            ReleaseBody(),
            SetGravity((0.0, 0.0, float(rng.uniform(-10, -5)))),
            SetStep(float(rng.choice([1e-3, 5e-4]))),
            SetBackend(str(rng.choice(["impulse", "tree"]))),
        )
        driver.ask(commands[i % len(commands)])
    driver.ask(Play(False))
    end = driver.runner.latest
    applied = [event for event in driver.events if isinstance(event, Applied)]
    recorded = [(e.step, e.command) for e in applied if not isinstance(e.command, Play | LoadScene)]
    digests = []
    for _ in range(2):
        world = Simulation(load("arm_pd"))
        for step, command in recorded:
            world.step(step - world.step_count)
            world.apply(command)
        world.step(end.step - world.step_count)
        digests.append(world.state.digest())
    assert digests[0] == digests[1] == driver.runner._simulation.state.digest()
    assert np.array_equal(end.q, world.q) and np.array_equal(end.v, world.v)


def test_inverses_undo_what_was_commanded(drive):
    driver = drive("arm_reach")
    before = driver.runner.latest
    done = [
        driver.ask(command)
        for command in (
            SetGain("reach", "kp", 700.0),
            SetTarget("target", (0.5, 0.2, 0.5)),
            SetTarget("target", (0.5, 0.3, 0.5)),
            SetSwitch("gravity", False),
            SetGravity((0.0, 0.0, -1.62)),
            SetStep(5e-4),
            SetBackend("tree"),
            SetSpeed(2.0),
        )
    ]
    for event in reversed(done):
        driver.ask(event.inverse)
    after = driver.runner.latest
    for field in ("gains", "controllers", "gravity", "dt", "backend", "speed"):
        assert getattr(after, field) == getattr(before, field)
    assert np.array_equal(after.targets, before.targets)


def test_after_a_stop_the_same_world_goes_on(drive):
    driver = drive("arm_reach", running=True)
    driver.ask(SetGain("reach", "kp", 777.0))
    driver.runner.stop()
    stopped = driver.runner.latest
    time.sleep(0.03)
    assert driver.runner.latest is stopped
    driver.runner.start()
    driver.until(lambda: driver.runner.latest.step > stopped.step)
    assert driver.runner.latest.scene_id == stopped.scene_id
    assert driver.runner.latest.gains["reach"]["kp"] == 777.0


def test_what_is_too_slow_slows_down_and_still_obeys(drive):
    """A hundred links 64 times as fast as time: never caught up with, and every command is answered."""
    driver = drive("long_chain", running=True)
    driver.ask(SetSpeed(64.0))
    start = driver.runner.latest
    begin = time.monotonic()
    for _ in range(20):
        assert isinstance(driver.ask(SetGravity((0.0, 0.0, -9.81))), Applied)
    driver.until(lambda: driver.runner.latest.step > start.step + 200)
    passed = driver.runner.latest.time - start.time
    assert passed < 64.0 * (time.monotonic() - begin) + 1.0
    assert driver.runner.latest.real_time_factor < 64.0


def test_simulated_time_moves_while_running_and_stands_while_paused(drive):
    driver = drive("arm_reach", running=True)
    driver.until(lambda: driver.runner.latest.time > 0.1)
    driver.ask(Play(False))
    stopped = driver.runner.latest.step
    time.sleep(0.05)
    assert driver.runner.latest.step == stopped and not driver.runner.latest.running
    driver.ask(Play(True))
    driver.until(lambda: driver.runner.latest.step > stopped)


def test_a_recording_has_a_frame_for_every_period_of_simulated_time(drive):
    driver = drive("arm_reach")
    driver.ask(StepOnce(7))
    driver.ask(Record(60.0))
    driver.ask(StepOnce(1000))
    driver.ask(Record(None))
    driver.ask(StepOnce(100))
    times = []
    while not driver.runner.frames.empty():
        times.append(driver.runner.frames.get().time)
    assert len(times) == 61
    assert np.allclose(times, 0.007 + np.arange(61) / 60, atol=0.0006)


def test_a_world_that_outruns_the_drawing_of_its_film_waits_for_it_and_loses_no_frame(drive):
    """Counted at 64 × real time: never more frames wait than may, and they come one a period all the same."""
    driver, most = drive("arm_reach"), 5
    driver.ask(SetSpeed(64.0))
    driver.ask(Record(60.0, most))
    driver.ask(Play(True))
    times = []
    for done in range(40):
        driver.until(lambda done=done: driver.runner.frames.qsize() == most)
        driver.ask(SetGain("reach", "kp", 100.0 + done))  # a world that waits still obeys
        stands = driver.runner.latest.step
        driver.ask(SetGain("reach", "kd", 10.0 + done))
        assert driver.runner.frames.qsize() == most and driver.runner.latest.step == stands
        times.append(driver.runner.frames.get().time)
        driver.runner.frames_done += 1
    assert np.allclose(times, np.arange(40) / 60, atol=0.0006)
    driver.ask(Record(None))
    driver.until(lambda: driver.runner.latest.step > stands + 1000)  # without a film it runs on
    assert driver.runner.frames.qsize() <= most


def test_a_scene_that_cannot_be_loaded_leaves_the_old_one_running(drive):
    driver = drive("arm_reach")
    bad = Scene("bad", "Bad", bodies=(Body("b", -1.0, (0, 0, 0), (1, 1, 1, 0, 0, 0)),))
    answer = driver.ask(LoadScene(bad))
    assert isinstance(answer, Refused) and "mass" in answer.sentence
    driver.ask(StepOnce(5))
    assert driver.runner.latest.step == 5 and driver.runner.latest.position.shape[0] == 3


def test_another_scene_is_swapped_in_and_the_inverse_brings_the_old_one_back(drive):
    driver = drive("arm_reach")
    first = driver.runner.latest.scene_id
    answer = driver.ask(LoadScene(load("free_body")))
    assert driver.runner.latest.scene_id == first + 1 and len(driver.runner.latest.position) == 1
    assert any(isinstance(e, Loaded) and e.scene.name == "free_body" for e in driver.events)
    driver.ask(answer.inverse)
    assert driver.runner.latest.position.shape[0] == 3


def test_engine_and_speed_change_and_nonsense_is_refused(drive):
    driver = drive("arm_reach")
    other = ENGINES[-1]
    assert driver.ask(SetBackend(other)).inverse == SetBackend("impulse")
    assert driver.runner.latest.backend == other
    assert driver.ask(SetSpeed(0.25)).inverse == SetSpeed(1.0)
    assert driver.runner.latest.speed == 0.25
    for nonsense in (SetSpeed(0.0), SetSpeed(float("nan")), SetBackend("warp"), Record(-1.0)):
        assert isinstance(driver.ask(nonsense), Refused)
    assert driver.runner.latest.backend == other and driver.runner.latest.speed == 0.25


def test_a_change_of_engine_says_that_it_is_prepared_and_leaves_the_world_where_it_is(drive):
    driver = drive(load("arm_reach"), False)
    driver.ask(StepOnce(100))
    before = driver.runner.latest
    driver.events.clear()
    driver.ask(SetBackend("tree"))
    said = [event.sentence for event in driver.events if isinstance(event, Busy)]
    after = driver.runner.latest
    assert said == ["Preparing the engine…", ""]
    assert after.step == before.step and after.time == before.time
    assert np.abs(after.q - before.q).max() < 1e-9


def test_divergence_stops_the_world_says_which_body_and_keeps_the_last_good_state(drive):
    spinning = hanging(np.pi, v=(999.95,))  # falling speeds it up past 1 rad a step
    driver = drive(spinning)
    driver.ask(StepOnce(2000))
    while not driver.runner.events.empty():
        driver.events.append(driver.runner.events.get())
    stops = [e for e in driver.events if isinstance(e, Stopped)]
    assert len(stops) == 1 and '"rod"' in stops[0].reason and "t = " in stops[0].reason
    assert np.isfinite(driver.runner.latest.q).all()
    driver.ask(Reset())
    assert driver.runner.latest.step == 0


def test_stop_ends_the_thread():
    before = threading.active_count()
    for running in (True, False):
        driver = Driver(load("hinge_chain"), running)
        driver.runner.stop()
    assert threading.active_count() == before


def test_steps_back_pause_the_world_and_are_exact(drive):
    driver = drive("arm_reach")
    driver.ask(StepOnce(150))
    q = driver.runner.latest.q
    driver.ask(StepOnce(30))
    driver.ask(StepBack(30))
    assert driver.runner.latest.step == 150 and not driver.runner.latest.running
    assert np.array_equal(driver.runner.latest.q, q)
    driver.ask(StepBack(1000))
    assert driver.runner.latest.step == 0
    answer = driver.ask(StepBack(1))
    assert isinstance(answer, Refused) and "before this moment" in answer.sentence
