"""Steps: the same bits however they are grouped, halves where they are too long, a sentence where they fail."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sim.backend import BackendError, Diverged, create
from sim.files import builtin_names, load
from sim.model import compile_model
from sim.scene import Scene
from tests.tangles import EVERYTHING, closed, forest, furnished
from tests.worlds import energy, free_control, hanging, random_tree


def worlds() -> dict[str, Scene]:
    """Every built-in scene that the engine takes, and what has everything, on both solvers and both stabilisations."""
    scenes = {name: load(name) for name in builtin_names()}
    scenes["everything"] = furnished(random_tree(5, 7), 5, EVERYTHING)
    scenes["loops"] = closed(forest(1), 1, ("hinge", "ball"))
    scenes["dense"] = replace(scenes["everything"], solver="dense")
    scenes["feedback"] = replace(scenes["everything"], stabilise="feedback")
    return {name: scene for name, scene in scenes.items() if engine_of(scene)}


def engine_of(scene: Scene) -> Any:
    try:
        return create("impulse", compile_model(scene))
    except BackendError:  # point masses
        return None


WORLDS = worlds()


def same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> bool:
    return a.keys() == b.keys() and all(a[k].tobytes() == b[k].tobytes() for k in a)


@pytest.mark.parametrize("name", WORLDS)
def test_a_hundred_steps_at_once_are_a_hundred_steps(name):
    at_once, one_by_one = engine_of(WORLDS[name]), engine_of(WORLDS[name])
    control = free_control(at_once.model)
    control.tau[:] = 0.1
    control.wrench[0, 3] = 0.2
    at_once.advance(control, 1e-3, 100)
    for k in range(100):
        control.time = k * 1e-3
        one_by_one.advance(control, 1e-3, 1)
    a, b = at_once.read(), one_by_one.read()
    assert a.q.tobytes() == b.q.tobytes() and a.v.tobytes() == b.v.tobytes()
    assert same(at_once.save(), one_by_one.save())


@pytest.mark.parametrize("name", WORLDS)
def test_a_state_goes_on_in_another_engine_as_in_its_own(name):
    engine, other = engine_of(WORLDS[name]), engine_of(WORLDS[name])
    control = free_control(engine.model)
    engine.advance(control, 1e-3, 137)
    other.advance(control, 2e-3, 11)  # something else in its memory
    other.load(engine.save())
    control.time = 0.137
    for e in (engine, other):
        e.advance(control, 1e-3, 100)
    assert same(engine.save(), other.save())
    assert engine.read().v.tobytes() == other.read().v.tobytes()


def test_turns_are_counted_however_many_steps_are_taken_at_once():
    """At half a radian a step, where rates no longer tell the angles."""
    scene = replace(hanging(0.0, v=(500.0,)), gravity=(0.0, 0.0, 0.0))
    at_once, one_by_one = engine_of(scene), engine_of(scene)
    control = free_control(at_once.model)
    at_once.advance(control, 1e-3, 20_000)
    for _ in range(20_000):
        one_by_one.advance(control, 1e-3, 1)
    assert at_once.read().q[0] == one_by_one.read().q[0] > 1e4


def follow(scene: Scene, h: float, seconds: float) -> tuple[Any, float, str]:
    """The engine, the largest gap or angle of all steps, and the sentence that ended it, if one did."""
    engine, worst = engine_of(scene), 0.0
    try:
        for k in range(round(seconds / h)):
            engine.advance(replace(free_control(engine.model), time=k * h), h, 1)
            r = engine.read()
            worst = max(worst, r.joint_gap, r.joint_angle_error)
    except Diverged as failure:
        return engine, worst, str(failure)
    return engine, worst, ""


@pytest.mark.parametrize("h", [5e-3, 1e-2, 2e-2, 5e-2, 0.1])
@pytest.mark.parametrize(
    "name", ["hinge_chain", "ball_chain", "long_chain", "double_pendulum", "four_bar", "slider_crank"]
)
def test_long_steps_hold_together_or_end_with_a_sentence(name, h):
    """Never a gap: what cannot be followed is said, and the last good state stays."""
    engine, worst, sentence = follow(load(name), h, 3.0)
    r = engine.read()
    assert worst < 1e-9
    assert r.joint_gap < 1e-9
    assert np.isfinite(r.q).all() and np.isfinite(r.v).all()
    if sentence:
        assert any(f'"{body}"' in sentence for body in (*engine.model.body_names, *engine.model.joint_names))
        assert sentence.endswith("try a smaller step or softer gains")


def test_a_whip_is_followed_in_halves_of_a_long_step():
    """A hundred links at 20 ms: positions that no whole step finds, and where it goes is where short steps go."""
    long, worst, sentence = follow(load("long_chain"), 2e-2, 1.0)
    assert not sentence
    assert worst < 1e-9
    assert long.save()["ledger"][-1] > 60, "parts of the 50 steps"
    short, _, _ = follow(load("long_chain"), 1e-3, 1.0)
    assert np.abs(long.read().position - short.read().position).max() < 0.05


@pytest.mark.parametrize("name", ["hinge_chain", "ball_chain", "four_bar"])
def test_a_joint_that_cannot_be_held_is_named(name):
    """Torn at by a weight beyond all measure; the state is that before the step, to the last bit."""
    engine = engine_of(load(name))
    before = engine.save()
    control = free_control(engine.model)
    control.wrench[1, 5] = 1e12
    with pytest.raises(Diverged, match=r'joint "\w+" could not be held together; try a smaller step'):
        engine.advance(control, 1e-3, 1)
    assert same(engine.save(), before)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_no_infinity_passes_in_silence(bad):
    """Of a body without joints, on a hinge and in a loop; forces and torques."""
    for name in ("free_body", "hinge_chain", "four_bar"):
        engine = engine_of(load(name))
        good = engine.save()
        control = free_control(engine.model)
        control.wrench[0, 4] = bad
        with pytest.raises(Diverged):
            engine.advance(control, 1e-3, 3)
        assert np.isfinite(engine.read().v).all()
        assert engine.save()["x"].tobytes() == good["x"].tobytes()


def drive(scene: Scene, torque: Any, seconds: float) -> tuple[Any, str]:
    engine = engine_of(scene)
    control = free_control(engine.model)
    try:
        for _ in range(round(seconds / 1e-3)):
            control.tau[:] = torque(engine.read())
            engine.advance(control, 1e-3, 1)
    except Diverged as failure:
        return engine, str(failure)
    return engine, ""


def test_a_controller_that_is_too_stiff_ends_with_the_body_that_went_first():
    """Explicit damping with h kd/I > 2 overshoots more with every step."""
    engine, sentence = drive(hanging(0.5), lambda r: -20.0 * r.v, 1.0)
    assert sentence.startswith('body "rod" turned by more than 1 rad in one step')
    assert np.isfinite(engine.read().q).all()
    assert not drive(hanging(0.5), lambda r: -0.02 * r.v, 1.0)[1]


def test_energy_from_nowhere_is_divergence():
    """A state whose energy rises behind the engine's back: momenta grown by half without any work."""
    engine = engine_of(hanging(0.5, v=(10.0,)))
    control = free_control(engine.model)
    engine.advance(control, 1e-3, 10)
    state = engine.save()
    engine.load(state | {name: 1.5 * state[name] for name in ("P", "L")})
    with pytest.raises(Diverged, match="energy came from nowhere"):
        engine.advance(control, 1e-3, 1)


@pytest.mark.parametrize("speed", [100.0, 500.0, 900.0])
def test_fast_motion_alone_is_not_divergence(speed):
    """Up to 0.9 rad a step, for a second, and the energy stays."""
    scene = replace(hanging(0.0, v=(speed,)), gravity=(0.0, 0.0, 0.0))
    engine, worst, sentence = follow(scene, 1e-3, 1.0)
    assert not sentence
    assert worst < 1e-9
    model = engine.model
    assert energy(model, engine.read()) == pytest.approx(energy(model, engine_of(scene).read()), rel=1e-6)


def test_work_that_is_done_is_not_energy_from_nowhere():
    """A motor that spins a rod up from rest to 300 rad/s."""
    engine, sentence = drive(replace(hanging(0.0), gravity=(0.0, 0.0, 0.0)), lambda r: np.array([1.0]), 1.5)
    assert not sentence
    assert engine.read().v[0] > 250.0
    assert energy(engine.model, engine.read()) == pytest.approx(engine.read().work, rel=1e-3)
