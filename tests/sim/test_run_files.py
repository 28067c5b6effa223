"""Files with runs: every mistake in one is one sentence that begins with the file."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sim.command import PullBody, SetBackend, SetGain, SetTarget
from sim.files import load
from sim.files.command_data import command_data, read_command
from sim.files.run_file import read_run, run_text, write_run
from sim.journal import Journal
from sim.past import Run
from sim.replay import Replay
from sim.scene import SceneError
from sim.simulation import Simulation

AWKWARD = (0.1, -0.0, 5e-324)  # its nearest float64, a sign, the smallest number there is


@pytest.fixture(scope="module")
def run() -> Run:
    world = Simulation(load("arm_reach"))
    journal = Journal(world)
    for command in (SetGain("reach", "kp", 0.1 + 0.2), PullBody("forearm", AWKWARD, (0.5, 0.5, 0.9))):
        world.apply(command)
        journal.note(command)
        world.step(10)
    return journal.run()


def test_numbers_and_texts_come_back_to_the_bit(run, tmp_path):
    write_run(run, tmp_path / "a.run.json")
    back = read_run(tmp_path / "a.run.json")
    assert repr(back.entries) == repr(run.entries) and back.begin.state.digest() == run.begin.state.digest()
    assert (back.end, back.begin.settings, back.begin.since) == (run.end, run.begin.settings, run.begin.since)
    assert run_text(back) == run_text(run)


def test_numbers_of_numpy_are_written_as_what_they_are():
    command = SetTarget("t", tuple(np.array(AWKWARD)), tuple(np.float64([1, 0, 0, 0])))
    text = json.dumps(command_data(command))
    assert repr(read_command(json.loads(text))) == repr(SetTarget("t", AWKWARD, (1.0, 0.0, 0.0, 0.0)))


def put(*path: Any) -> Callable[[dict[str, Any]], None]:
    """Sets a value in the file: the keys that lead to it, and the value."""

    def change(data: Any) -> None:
        *keys, last, value = path
        for key in keys:
            data = data[key]
        data[last] = value

    return change


GAIN = ("entries", 0, "do")
MISTAKES: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "no run": (lambda d: d.pop("impulse_run"), "this is no run"),
    "another format": (put("impulse_run", 99), "its format is version 99, and this program reads version 1"),
    "no program": (lambda d: d.pop("program"), '"program" is missing'),
    "no end": (put("end", "digest", 5), '"end.digest" has the wrong kind of value'),
    "words in q": (put("end", "q", ["a"]), '"end.q" has the wrong kind'),
    "entries": (put("entries", {}), '"entries" has the wrong kind'),
    "an entry": (put("entries", 0, 7), 'entry 1: "step" is missing'),
    "truth for a step": (put("entries", 0, "step", True), 'entry 1: "step" has the wrong kind'),
    "order": (put("entries", 0, "step", 15), 'the steps of "entries" go back'),
    "past the end": (put("entries", 1, "step", 21), 'the steps of "entries" go back, or past the end'),
    "unknown command": (
        put(*GAIN, {"SetGains": {}}),
        'entry 1: there is no command "SetGains"; did you mean "SetGain"?',
    ),
    "two commands": (put(*GAIN, {"SetGain": {}, "SetStep": {}}), "entry 1: a command is one name"),
    "fields": (put(*GAIN, {"SetGain": {"controller": "reach"}}), 'SetGain consists of "controller", "gain", "value"'),
    "kind": (put(*GAIN, "SetGain", "value", "5"), "SetGain.value is a number, not '5'"),
    "length": (put("entries", 1, "do", "PullBody", "point", [1.0]), "PullBody.point is a list of 3, not of 1"),
    "no list": (put("entries", 1, "do", "PullBody", "point", 1.0), "PullBody.point is a list, not 1.0"),
    "array": (put("begin", "engine", "x", "base64", "AAAA"), '"begin.engine.x" does not have the bytes'),
    "type of array": (put("begin", "engine", "x", "type", "|O"), '"begin.engine.x" is no array'),
    "step size": (put("begin", "settings", []), '"begin" does not say which step size holds'),
    "scene": (put("scene", "toml", "[body.a]\nmass = 1\n"), "in its scene, arm_reach.toml:1: "),
}


def written(run: Run, tmp_path: Any, change: Callable[[dict[str, Any]], Any]) -> Any:
    data = json.loads(run_text(run))
    change(data)
    (tmp_path / "a.run.json").write_text(json.dumps(data), encoding="utf-8")
    return tmp_path / "a.run.json"


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_a_file_is_one_sentence(run, tmp_path, name):
    change, words = MISTAKES[name]
    path = written(run, tmp_path, change)
    with pytest.raises(SceneError) as caught:
        read_run(path)
    assert str(caught.value).startswith(f"{path}: ") and words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [('{\n "impulse_run": 1,\n oops', "line 3, column 2: this is not JSON"), ("[" * 100_000, "no text in JSON")],
)
def test_what_is_not_json_is_told_with_its_place(tmp_path, text, words):
    path = tmp_path / "a.run.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SceneError, match=words):
        read_run(path)
    with pytest.raises(SceneError, match=r"it cannot be read: No such file"):
        read_run(tmp_path / "none.run.json")
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SceneError, match="no text in JSON"):
        read_run(path)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (SetGain("reach", "kq", 5.0), r"its entry 1 \(SetGain\): There is no gain \"kq\""),
        (SetTarget("goal", (0.0, 0.0, 0.0)), r"its entry 1 \(SetTarget\): There is no target \"goal\""),
        (SetBackend("moon"), r"its entry 1 \(SetBackend\): There is no engine \"moon\""),
    ],
)
def test_a_command_that_does_not_fit_the_scene_is_told_by_its_number(run, tmp_path, command, words):
    replay = Replay(read_run(written(run, tmp_path, put(*GAIN, command_data(command)))))
    with pytest.raises(SceneError, match=words):
        replay.obey()


def test_a_beginning_of_another_scene_is_told(run, tmp_path):
    other = Journal(Simulation(load("hinge_chain"))).run()
    begin = json.loads(run_text(other))["begin"]
    with pytest.raises(SceneError, match="its beginning does not fit its scene"):
        Replay(read_run(written(run, tmp_path, put("begin", begin))))


def test_a_run_is_no_scene(run, tmp_path):
    write_run(run, tmp_path / "a.run.json")
    with pytest.raises(SceneError, match=r"a saved run, not a scene; `main.py replay .*a\.run\.json` takes it again"):
        load(tmp_path / "a.run.json")


def test_a_run_that_begins_on_its_way_belongs_to_its_engine(tmp_path):
    world = Simulation(load("arm_reach"))
    world.step(30)
    journal = Journal(world)
    world.step(20)
    write_run(journal.run(), tmp_path / "a.run.json")
    replay = Replay(run := read_run(tmp_path / "a.run.json"))
    replay.go_to(1.0)
    assert replay.is_over and replay.is_same
    with pytest.raises(SceneError, match="it begins on its way"):
        Replay(run, "tree")
