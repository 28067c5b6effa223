"""One world: exact state, commands and their inverses, history."""

from __future__ import annotations

import numpy as np
import pytest

from sim.command import FollowPath, Reset, SetBackend, SetGain, SetSwitch, SetTarget
from sim.files import builtin_names, load
from sim.model import compile_model
from sim.plots import JOINT_PLOTS, PLOTS, plot_info
from sim.rest import rest_snapshot
from sim.scene import SceneError
from sim.simulation import Simulation
from tests.worlds import ENGINES

# Loops, rotors, inputs.
NOT_BULLET = ("four_bar", "parallelogram", "slider_crank", "arm_6r", "arm_6r_reach", "planar_2r")


@pytest.mark.parametrize("name", builtin_names())
def test_a_restored_state_gives_the_same_bits(name):
    world = Simulation(load(name))
    world.step(57)
    saved = world.state.copy()
    digest = saved.digest()
    world.step(83)
    end = world.state.digest()
    world.state = saved
    assert world.state.digest() == digest
    world.step(83)
    assert world.state.digest() == end


@pytest.mark.parametrize("name", builtin_names())
def test_two_worlds_of_one_scene_are_the_same_to_the_last_bit(name):
    first, second = Simulation(load(name)), Simulation(load(name))
    first.step(60)
    for _ in range(60):
        second.step(1)
    assert first.state.digest() == second.state.digest()


def test_the_digest_sees_every_variable():
    world = Simulation(load("arm_reach"))
    state = world.state
    for name, array in state.engine.items():
        changed = state.copy()
        flat = changed.engine[name].reshape(-1)
        if flat.size == 0:
            continue
        flat[0] = np.nextafter(flat[0], np.inf) if flat.dtype == float else 1 - flat[0]
        assert changed.digest() != state.digest(), name
        assert array is not changed.engine[name]


@pytest.mark.parametrize("name", [n for n in builtin_names() if n not in NOT_BULLET])
def test_changing_the_engine_and_back_keeps_q_and_v(name, other=ENGINES[-1]):
    world = Simulation(load(name))
    world.advance(0.4)
    q, v = world.q.copy(), world.v.copy()
    inverse = world.apply(SetBackend(other))
    assert world.backend_name == other
    world.apply(inverse)
    assert world.backend_name == world.scene.backend
    assert np.abs(world.q - q).max() < 1e-6
    assert np.abs(world.v - v).max() < 1e-6


def test_an_unknown_engine_is_refused_and_the_world_goes_on():
    world = Simulation(load("arm_reach"))
    with pytest.raises(RuntimeError, match="no engine"):
        world.apply(SetBackend("warp"))
    world.step(3)
    assert world.backend_name == "impulse" and world.step_count == 3


@pytest.mark.parametrize(
    "command",
    [SetSwitch("gravity", False), SetGain("reach", "kp", 900.0), FollowPath("target", False)],
)
def test_an_inverse_undoes_its_command(command):
    world = Simulation(load("arm_reach"))
    before = world.snapshot()
    inverse = world.apply(command)
    assert inverse != command
    world.apply(inverse)
    after = world.snapshot()
    assert after.gains == before.gains and after.controllers == before.controllers
    assert np.array_equal(after.targets, before.targets)


def test_moving_a_target_ends_its_path_and_undo_takes_it_up_again():
    world = Simulation(load("arm_reach"))
    inverse = world.apply(SetTarget("target", (0.1, 0.2, 0.9)))
    world.advance(0.5)
    assert np.array_equal(world.snapshot().targets[0], (0.1, 0.2, 0.9))
    assert inverse == FollowPath("target", True)
    back = world.apply(SetTarget("target", (0.3, 0.2, 0.9)))
    world.apply(back)
    assert np.array_equal(world.snapshot().targets[0], (0.1, 0.2, 0.9))


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (SetGain("reach", "kp", -1.0), "takes 0 to 3000"),
        (SetGain("reach", "kp", float("nan")), "takes 0 to 3000"),
        (SetGain("reach", "ki", 1.0), 'no gain "ki"'),
        (SetSwitch("autopilot", True), 'no controller "autopilot"'),
        (SetTarget("moon", (0, 0, 0)), 'no target "moon"'),
        (SetTarget("target", (0, float("inf"), 0)), "finite"),
        (SetTarget("target", (0, 0)), "three finite"),
    ],
)
def test_a_command_that_makes_no_sense_is_one_sentence(command, words):
    world = Simulation(load("arm_reach"))
    digest = world.state.digest()
    with pytest.raises(ValueError, match=words):
        world.apply(command)
    assert world.state.digest() == digest


@pytest.mark.parametrize("dt", [0.0, -1e-3, float("nan"), 1.0])
def test_a_step_that_makes_no_sense_is_refused_at_the_start(dt):
    with pytest.raises(SceneError, match="expected a step above 0"):
        Simulation(load("arm_reach"), dt=dt)


def test_time_goes_on_by_whole_steps_only():
    world = Simulation(load("arm_reach"))
    digest = world.state.digest()
    for seconds in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="0 s or more"):
            world.advance(seconds)
    for count in (-1, 1.5):
        with pytest.raises(ValueError, match="whole number of steps"):
            world.step(count)
    assert world.state.digest() == digest


def test_a_plot_that_is_not_there_is_one_sentence():
    with pytest.raises(ValueError, match='no plot "torqe"'):
        Simulation(load("arm_reach")).history.read("torqe", seconds=1.0)


def test_reset_goes_back_to_the_start_and_keeps_settings():
    world = Simulation(load("arm_reach"))
    start = world.q.copy()
    world.apply(SetGain("reach", "kp", 500.0))
    world.advance(0.5)
    world.apply(Reset())
    assert world.time == 0.0 and np.array_equal(world.q, start)
    assert world.snapshot().gains["reach"]["kp"] == 500.0
    assert world.history.count == 1


@pytest.mark.parametrize("name", builtin_names())
def test_the_first_frame_is_where_the_engine_starts(name):
    scene = load(name)
    rest, start = rest_snapshot(scene), Simulation(scene).snapshot()
    assert np.allclose(rest.position, start.position, atol=1e-12)
    assert np.allclose(rest.rotation, start.rotation, atol=1e-12)
    assert np.allclose(rest.frames, start.frames, atol=1e-12)
    assert np.allclose(rest.targets, start.targets, atol=1e-12)


@pytest.mark.parametrize("name", builtin_names())
def test_every_plot_has_a_curve_for_each_label(name):
    world = Simulation(load(name))
    world.explain(True)
    world.step(25)
    for plot in PLOTS:
        times, values = world.history.read(plot, 10.0)
        info = plot_info(world.model, plot)
        assert len(times) == 26 and np.all(np.diff(times) > 0)
        assert values.shape == (26, len(info.labels))
        assert np.isfinite(values[1 if info.stacked else 0 :]).all()  # nothing has caused the start


def test_history_keeps_the_last_rows_when_it_wraps():
    world = Simulation(load("hinge_chain"))
    world.history.rows = world.history.rows[:100].copy()
    world._furnish()
    world.step(350)
    times, angles = world.history.read("joint_angle", 0.05)
    assert times[-1] == pytest.approx(world.time) and len(times) in (50, 51)
    assert np.array_equal(angles[-1], world.q)
    times, _ = world.history.read("joint_angle", 99.0)
    assert len(times) == 100 and np.allclose(np.diff(times), 1e-3)


@pytest.mark.parametrize("name", ["slider_crank", "ball_arm_pd", "arm_6r"])
def test_one_joint_alone_has_its_curves_of_the_whole_plot(name):
    world = Simulation(load(name))
    world.step(25)
    for kind in JOINT_PLOTS:
        whole, (times, values) = plot_info(world.model, kind), world.history.read(kind, 10.0)
        parts = [plot_info(world.model, f"{kind}:{joint}") for joint in world.model.joint_names]
        assert sum((part.labels for part in parts), ()) == whole.labels
        assert sum((part.numbers for part in parts), ()) == whole.numbers
        own = [world.history.read(part.name, 10.0) for part in parts]
        assert all(np.array_equal(t, times) for t, _ in own)
        assert np.array_equal(np.concatenate([v for _, v in own], axis=1), values)
        assert {part.unit for part in parts} == set(whole.unit.split(", "))


def test_plots_say_which_units_their_curves_have():
    """Hinges in radians, sliders in metres; a plot that holds both says both."""
    crank, bars, solids = (compile_model(load(name)) for name in ("slider_crank", "four_bar", "free_bodies"))
    plots = ("joint_angle", "joint_speed", "torque")
    assert [plot_info(crank, p).unit for p in plots] == ["rad, m", "rad/s, m/s", "N·m, N"]
    assert [plot_info(bars, p).unit for p in plots] == ["rad", "rad/s", "N·m"]
    assert plot_info(crank, "joint_angle").title == "Joint angles and positions"
    assert plot_info(bars, "joint_angle").title == "Joint angles"
    assert plot_info(solids, "spin").title == "Spin of handle in body axes"


def test_slides_are_plotted_alone_in_the_colour_of_their_joint():
    world = Simulation(load("slider_crank"))
    world.step(50)
    info = plot_info(world.model, "slide")
    assert (info.labels, info.numbers, info.unit) == (("slide",), (3,), "m")
    for name, now in (("slide", world.q[3]), ("slide_speed", world.v[3])):
        _, values = world.history.read(name, 10.0)
        assert values.shape == (51, 1) and values[-1, 0] == now
    _, x = world.history.read("slide", 10.0)
    _, speed = world.history.read("slide_speed", 10.0)
    np.testing.assert_allclose(np.diff(x[:, 0]), 5e-4 * (speed[1:, 0] + speed[:-1, 0]), atol=1e-8)
    assert plot_info(compile_model(load("four_bar")), "slide").labels == ()


@pytest.mark.parametrize("name", ["arm_pd", "ball_chain"])
def test_a_state_of_another_scene_is_refused_and_nothing_has_changed(name):
    world, other = Simulation(load("arm_reach")), Simulation(load(name))
    before = world.state.digest()
    with pytest.raises(ValueError, match=r"^This state is of another scene; .*\.$"):
        world.state = other.state
    assert world.state.digest() == before
