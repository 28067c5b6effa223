"""Going back in time: the same bits as when one was there, whatever was changed meanwhile."""

from __future__ import annotations

import numpy as np
import pytest

from sim.command import (
    Command,
    PullBody,
    ReleaseBody,
    Reset,
    SetBackend,
    SetGain,
    SetGravity,
    SetSolver,
    SetStep,
    SetSwitch,
    SetTarget,
)
from sim.files import load
from sim.rewind import SPACING, Rewind
from sim.simulation import Simulation
from tests.worlds import ENGINES

BODY = load("arm_reach").bodies[-1].name

# step -> what somebody does before it
EVENTS: dict[int, Command] = {
    40: SetTarget("target", (0.4, 0.3, 0.5)),
    90: SetGain("reach", "kp", 600.0),
    130: SetSwitch("gravity", False),
    150: PullBody(BODY, (0.0, 0.0, 0.1), (0.5, 0.5, 0.9)),
    190: ReleaseBody(),
    260: SetGravity((0.0, 0.0, -3.7)),
    310: SetStep(5e-4),
}


class Watched:
    """A world that is stepped with its keyframes noted, and what it was at every step."""

    def __init__(self, backend: str = "impulse") -> None:
        self.world = Simulation(load("arm_reach"), backend)
        self.rewind = Rewind(self.world)
        self.digests = {0: self.world.state.digest()}

    def apply(self, command: Command) -> None:
        self.world.apply(command)
        self.rewind.change(command)

    def run(self, steps: int, events: dict[int, Command]) -> None:
        for _ in range(steps):
            if command := events.get(self.world.step_count):
                self.apply(command)
            self.rewind.note()
            self.world.step(1)
            self.digests[self.world.step_count] = self.world.state.digest()


@pytest.mark.parametrize("engine", ENGINES)
def test_every_earlier_state_comes_back_to_the_bit(engine):
    watched = Watched(engine)
    watched.run(380, EVENTS)
    for count in (1, 2, 37, 20, 30, 61, 99, 100):
        goal = watched.world.step_count - count
        watched.rewind.back(count)
        assert watched.world.step_count == goal
        assert _without_paths(watched, goal)


def _without_paths(watched: Watched, step: int) -> bool:
    """Whether the state is the one of that step; that a target has left its path is a setting, which stays."""
    state = watched.world.state
    if step < 40:
        assert not state.desk["paths"].any()
        state.desk["paths"][:] = True
    return state.digest() == watched.digests[step]


def test_settings_stay_and_the_way_on_is_theirs():
    watched = Watched()
    watched.run(200, EVENTS)
    watched.rewind.back(150)
    world = watched.world
    assert world.step_count == 50 and world.time == 50 * world.dt
    assert world.snapshot().gains["reach"]["kp"] == 600.0
    assert not world.snapshot().controllers["gravity"]
    twin = Watched()
    twin.run(50, EVENTS)
    for command in (SetGain("reach", "kp", 600.0), SetSwitch("gravity", False)):
        twin.apply(command)
    twin.run(80, {})
    watched.run(80, {})
    assert watched.digests[130] == twin.digests[130]


def test_back_and_on_again_writes_the_same_history():
    watched = Watched()
    watched.run(250, {})
    before = watched.world.history.last_rows(60.0)
    watched.rewind.back(130)
    assert len(watched.world.history.last_rows(60.0)) == 121
    watched.run(130, {})
    assert np.array_equal(watched.world.history.last_rows(60.0), before)


def test_a_full_history_does_not_show_what_was_overwritten(monkeypatch):
    monkeypatch.setattr("sim.history.SECONDS", 0.2)
    watched = Watched()
    watched.run(330, {})
    watched.rewind.back(60)
    times = watched.world.history.last_rows(60.0)[:, 0]
    assert np.allclose(times, np.arange(131, 271) * 1e-3)


def test_the_engine_comes_back_with_the_state():
    watched = Watched()
    watched.run(120, {100: SetBackend("tree")})
    watched.rewind.back(40)
    assert watched.world.backend_name == "impulse"
    assert watched.world.state.digest() == watched.digests[80]


def test_before_the_start_and_after_a_reset_there_is_nothing():
    watched = Watched()
    with pytest.raises(ValueError, match="Nothing before"):
        watched.rewind.back(1)
    watched.run(30, {})
    watched.rewind.back(10 * SPACING)
    assert watched.world.state.digest() == watched.digests[0]
    with pytest.raises(ValueError, match="Nothing before"):
        watched.rewind.back(1)
    watched.run(30, {})
    watched.apply(Reset())
    with pytest.raises(ValueError, match="Nothing before"):
        watched.rewind.back(1)


def test_old_keyframes_give_way(monkeypatch):
    monkeypatch.setattr("sim.rewind.MOST_BYTES", 20_000)
    watched = Watched()
    watched.run(2000, {})
    frames = watched.rewind._frames
    assert 1 <= len(frames) < 2000 // SPACING
    watched.rewind.back(5000)
    assert watched.world.step_count == frames[0].state.step > 0
    assert watched.world.state.digest() == watched.digests[watched.world.step_count]


@pytest.mark.parametrize("engine", ENGINES)
def test_back_and_forth_every_moment_is_what_it_was(engine):
    watched = Watched(engine)
    watched.run(380, EVENTS)
    world, end = watched.world, watched.world.time
    times = {step: time for step, time in zip(range(381), _times(), strict=True)}
    for step in (37, 350, 120, 121, 0, 380, 270, 380):
        watched.rewind.go_to(times[step])
        assert (world.step_count, world.time) == (step, times[step])
        assert _without_paths(watched, step)
        assert watched.rewind.reach == (0.0, end)
    watched.rewind.go_to(1e9)
    assert world.step_count == 380
    watched.rewind.go_to(-1.0)
    assert world.step_count == 0


def _times() -> list[float]:
    """Of the steps under EVENTS, one of which changes their length."""
    watched = Watched()
    times = [0.0]
    for _ in range(380):
        watched.run(1, EVENTS)
        times.append(watched.world.time)
    return times


def test_going_back_and_on_with_another_gain_is_a_run_that_had_it_from_there():
    watched, twin = Watched(), Watched()
    watched.run(300, {})
    watched.rewind.go_to(120 * watched.world.dt)
    watched.apply(SetGain("reach", "kp", 77.0))
    assert watched.rewind.reach == (0.0, watched.world.time)  # what came then is not to come again
    watched.run(150, {})
    twin.run(270, {120: SetGain("reach", "kp", 77.0)})
    assert watched.digests[270] == twin.digests[270]
    assert np.array_equal(watched.world.history.last_rows(60.0), twin.world.history.last_rows(60.0))


def test_a_step_from_the_past_forgets_the_future_and_a_look_does_not():
    watched = Watched()
    watched.run(250, {})
    before, dt = watched.world.history.last_rows(60.0), watched.world.dt
    for step in (30, 160, 90):
        watched.rewind.go_to(step * dt)
        assert np.array_equal(watched.world.history.last_rows(60.0), before[: step + 1])
    watched.rewind.go_to(250 * dt)
    assert np.array_equal(watched.world.history.last_rows(60.0), before)
    watched.rewind.go_to(90 * dt)
    watched.run(1, {})
    assert watched.rewind.reach == (0.0, 91 * dt)


def test_the_history_is_whole_again_after_a_visit_to_another_step_size():
    watched = Watched()
    watched.run(400, EVENTS)
    world, end = watched.world, watched.world.time
    known = world.history.rows_from(0)
    watched.rewind.go_to(0.2)
    rows = world.history.rows_from(0)
    assert rows[-1, 0] == world.time == pytest.approx(0.2) and rows.tobytes() == known[: len(rows)].tobytes()
    watched.rewind.go_to(0.1)
    watched.rewind.go_to(end)
    assert world.history.rows_from(0).tobytes() == known.tobytes()


def test_going_back_over_another_solver_is_choosing_it_there():
    watched, twin = Watched(), Watched()
    watched.run(200, {150: SetSolver("dense")})
    watched.rewind.back(100)
    twin.run(100, {})
    twin.apply(SetSolver("dense"))
    assert watched.world.scene.solver == "dense"
    for steps in (0, 60):
        watched.run(steps, {})
        twin.run(steps, {})
        assert watched.world.state.digest() == twin.world.state.digest()
