"""`main.py replay` and films of runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.cli import main
from app.theme import LIGHT, rgb
from sim.command import Command, SetBackend, SetGain, SetStep, SetTarget
from sim.files import load
from sim.files.run_file import read_run, run_text, write_run
from sim.journal import Journal
from sim.past import Run
from sim.scene import Input
from sim.simulation import Simulation
from tests.app.test_cli import complaint
from tests.app.test_cli_record import decoded

AWAY = SetTarget("target", (0.4, -0.4, 0.9))


def run_of(*script: Command | int, name: str = "arm_reach", **changes: Any) -> Run:
    """Of commands and numbers of steps."""
    world = Simulation(replace(load(name), **changes))
    journal = Journal(world)
    for line in script:
        if isinstance(line, int):
            world.step(line)
        else:
            world.apply(line)
            journal.note(line)
    return replace(journal.run(), program="9.8.7")


@pytest.fixture
def saved(tmp_path: Path) -> Callable[[Run], str]:
    def save(run: Run) -> str:
        write_run(run, tmp_path / "a.run.json")
        return str(tmp_path / "a.run.json")

    return save


def test_a_run_without_commands_is_the_run_of_its_scene(saved, tmp_path, capsys):
    path = saved(run_of(300))
    assert main(["replay", path, "--json", "--log", str(tmp_path / "replay.csv")]) == 0
    replayed = json.loads(capsys.readouterr().out)
    assert main(["run", "arm_reach", "--duration", "0.3", "--json", "--log", str(tmp_path / "run.csv")]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert (tmp_path / "replay.csv").read_bytes() == (tmp_path / "run.csv").read_bytes()
    assert replayed.pop("same_bits") and replayed.pop("q_difference") == 0.0
    assert replayed.pop("recorded_by") == "9.8.7"
    assert {**replayed, "us_per_step": 0} == {**plain, "us_per_step": 0}


def test_the_log_has_every_step_over_changes_of_its_size(saved, tmp_path, capsys):
    path = saved(run_of(100, SetStep(5e-4), 100, SetGain("reach", "kp", 90.0), 50, SetStep(2e-3), 30))
    assert main(["replay", path, "--log", str(tmp_path / "log.npz")]) == 0
    assert "it ended in the same bits" in capsys.readouterr().out
    with np.load(tmp_path / "log.npz") as log:
        assert np.allclose(np.diff(log["time [s]"]), [1e-3] * 100 + [5e-4] * 150 + [2e-3] * 30, rtol=1e-9)


def test_other_bits_are_told_with_how_far_they_are(saved, tmp_path, capsys):
    run = run_of(200, AWAY, 100)
    moved = (run.end.q[0] + 0.25, *run.end.q[1:])
    path = saved(replace(run, end=replace(run.end, digest="0" * 64, q=moved)))
    assert main(["replay", path]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("Reach the target") and err.count("\n") == 1
    assert f"{path}: it ended in other bits; q differs by at most 0.25 (recorded by Impulse 9.8.7)." in err
    assert main(["replay", path, "--json"]) == 1
    result = json.loads(capsys.readouterr().out)
    assert not result["same_bits"] and result["q_difference"] == 0.25


def test_on_another_engine_bits_may_differ(saved, capsys):
    assert (
        main(["replay", saved(run_of(100, AWAY, 100, SetBackend("impulse"), 50)), "--backend", "tree", "--json"]) == 0
    )
    result = json.loads(capsys.readouterr().out)
    assert result["backend"] == "tree" and result["steps"] == 250
    assert not result["same_bits"] and 0.0 < result["q_difference"] < 1e-3


def test_an_engine_that_is_missing_is_told_and_another_can_do_it(saved, capsys, monkeypatch):
    path = saved(run_of(100, AWAY, 100))
    text = Path(path).read_text(encoding="utf-8").replace('"backend": "impulse"', '"backend": "pybullet"')
    Path(path).write_text(text, encoding="utf-8")
    monkeypatch.setattr("sim.backend.importlib.util.find_spec", lambda name: None)
    assert main(["replay", path]) == 2
    assert "PyBullet is not installed" in (said := complaint(capsys)) and "--backend NAME" in said
    assert main(["replay", path, "--backend", "impulse"]) == 0


def test_mistakes_are_one_sentence(saved, tmp_path, capsys):
    path = saved(run_of(10, SetGain("reach", "kp", 90.0), 10))
    for arguments, words in (
        (["replay"], "required: FILE"),
        (["replay", str(tmp_path / "none.run.json")], "it cannot be read: No such file"),
        (["replay", path, "--backend", "bulet"], 'did you mean "pybullet"?'),
        (["run", path], f"a saved run, not a scene; `main.py replay {path}` takes it again"),
        (["record", path, str(tmp_path / "a.mp4"), "--dt", "0.01"], "--dt is for scenes"),
        (["record", path, str(tmp_path / "a.mp4"), "--set", "dt=0.01"], "--set is for scenes"),
        (["record", path, str(tmp_path / "a.mp4"), "--duration", "3"], "is at most 0.02 s, not 3 s"),
    ):
        assert main(arguments) == 2
        assert words in complaint(capsys)
    Path(path).write_text(run_text(read_run(path)).replace('"kp", "value": 90', '"kq", "value": 90'), encoding="utf-8")
    assert main(["replay", path]) == 2
    said = complaint(capsys)
    assert said.startswith(f"{path}: its entry 1 (SetGain): There is no ") and '"kq"' in said


def test_a_run_that_diverges_here_is_told(saved, capsys):
    """As on a machine where a scene that went well then goes wrong."""
    run = run_of(40, inputs=(Input("wind", body="forearm", force=("sqrt(0.05 - t)", 0.0, 0.0)),))
    path = saved(replace(run, end=replace(run.end, step=90)))
    assert main(["replay", path]) == 1
    assert complaint(capsys).startswith("Stopped at t = 0.05")


def test_a_film_shows_the_run_over_changes_of_the_step(saved, tmp_path, capsys):
    path = saved(run_of(200, SetStep(5e-4), AWAY, 600, SetStep(1e-3), 100))  # 0.6 s
    film = tmp_path / "a.mp4"
    assert main(["record", path, str(film), "--fps", "30", "--size", "240x180"]) == 0
    frames = decoded(film)
    assert len(frames) == 18
    assert (
        main(["record", "arm_reach", str(tmp_path / "b.mp4"), "--duration", "0.6", "--fps", "30", "--size", "240x180"])
        == 0
    )
    plain = decoded(tmp_path / "b.mp4")
    apart = [float(np.linalg.norm(amber(a) - amber(b))) for a, b in zip(frames, plain, strict=True)]
    assert max(apart[:6]) < 1.0 and min(apart[7:]) > 10.0, "the target went elsewhere at 0.2 s"


def amber(frame: np.ndarray) -> np.ndarray:
    """Where the target is in the picture."""
    return np.argwhere(np.abs(frame / 255 - rgb(LIGHT.target)).sum(axis=2) < 0.15).mean(axis=0)


def test_a_picture_of_a_run_is_its_end(saved, tmp_path):
    """Commands after the last step are part of it; an earlier picture is that of the scene then."""
    run = run_of(200, AWAY)
    for name, duration in (("end.png", []), ("before.png", ["--duration", "0.1"])):
        assert main(["record", saved(run), str(tmp_path / name), "--size", "320x240", *duration]) == 0
    (end,), (before,) = decoded(tmp_path / "end.png"), decoded(tmp_path / "before.png")
    assert main(["record", "arm_reach", str(tmp_path / "plain.png"), "--size", "320x240", "--duration", "0.1"]) == 0
    assert np.array_equal(before, decoded(tmp_path / "plain.png")[0]) and not np.array_equal(end, before)
