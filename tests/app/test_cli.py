"""The command line as a person meets it: results, files, exit codes and one-sentence complaints."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from app.cli import main
from app.commands import COMMANDS, window
from app.commands.arguments import CommandError
from app.video import ROOT
from sim.files import builtin_names

WITHOUT_SCREEN = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
FALLING = """
title = "Falling"
dt = 0.01
[body.stone]
mass = 2.0
position = [0.0, 0.0, 10.0]
velocity = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
shapes = [{ sphere = 0.1 }]
"""

FOUR_BAR = """
[body.crank]
mass = 1.0
shape = { capsule = 0.01, from = [0, 0, 0], to = [0.2, 0, 0] }
[body.coupler]
mass = 1.0
shape = { capsule = 0.01, from = [0, 0, 0], to = [0.45, 0, 0] }
[body.rocker]
mass = 1.0
shape = { capsule = 0.01, from = [0, 0, 0], to = [0.4, 0, 0] }
[joint]
crank = { type = "hinge", parent = "world", child = "crank", axis = [0, -1, 0], q = 1.0 }
coupler = { type = "hinge", parent = "crank", child = "coupler", axis = [0, -1, 0], position = [0.2, 0, 0] }
rocker = { type = "hinge", parent = "coupler", child = "rocker", axis = [0, -1, 0], position = [0.45, 0, 0], q = -1.5 }
[joint.ground]
type = "hinge"
parent = "world"
child = "rocker"
axis = [0, -1, 0]
position = [0.5, 0, 0]
child_position = [0.4, 0, 0]
"""


def program(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    """main.py in a process of its own, without any screen."""
    command = [sys.executable, ROOT / "main.py", *arguments]
    return subprocess.run(command, env=WITHOUT_SCREEN, capture_output=True, text=True, **options)


def complaint(capsys: pytest.CaptureFixture[str]) -> str:
    """The one sentence on stderr, nothing on stdout."""
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("impulse: ") and err.endswith("\n") and err.count("\n") == 1
    return err.removeprefix("impulse: ").strip()


# --- what goes wrong ----------------------------------------------------------------------------------

MISTAKES = {
    "run": "required: SCENE",
    "run arm_reech": 'did you mean "arm_reach"?',
    "run missing.toml": "there is no such file",
    "run {noise}": "noise.toml:1: ",
    "run {folder}": "directory",
    "run {heavy}": "heavy.toml:5: ",
    "run arm_reach --dt fast": "--dt wants a step above 0",
    "run arm_reach --dt 0": "--dt wants a step above 0",
    "run arm_reach --dt -0.001": "--dt wants a step above 0",
    "run arm_reach --dt=-0.001": "--dt wants a step above 0",
    "run arm_reach --duration nan": "--duration wants a time",
    "run arm_reach --duration 1e6 --dt 1e-9": "steps; the limit is",
    "run arm_reach --backend bulet": 'did you mean "pybullet"?',
    "run arm_reach --backend": "--backend needs a value",
    "run arm_reach --durration 3": 'did you mean "--duration"?',
    "run arm_reach twice": '"twice" is one argument too many',
    "run hinge_chain --q 0.1,0.2": "q has 2 numbers; expected 3 of",
    "run hinge_chain --v -1": "v has 1 number; expected 3 of",
    "run hinge_chain --q 0.1,b,c": "--q wants numbers with commas or spaces between them",
    "run hinge_chain --q 0.1 nan 1": "--q wants numbers with commas or spaces between them",
    "run hinge_chain --q 0.1,1e12,1": "q contains 1e+12",
    "run free_body --q 0,0,0,2,0,0,0": "rotation is a quaternion of length 2",
    "run hinge_chain --integrator rk4": "--stabilise rattle or feedback says how it steps",
    "run hinge_chain --backend tree --integrator rk5": 'cannot be "rk5" on tree; did you mean "rk4"?',
    "run {ring} --backend tree": 'The tree engine cannot run this scene: joint "ground" closes a loop.',
    "run hinge_chain --backend pybullet --integrator rk4": 'cannot be "rk4" on pybullet; expected semi-implicit',
    "run hinge_chain --solver desne": 'did you mean "dense"?',
    "run hinge_chain --backend pybullet --solver dense": "--solver is for the impulse engine",
    "run hinge_chain --backend pybullet --stabilise feedback": "add --backend impulse",
    "run {ring} --backend pybullet": 'PyBullet cannot run this scene: joint "ground" closes a loop.',
    "run {ring} --q 0,0,0,0,0": "expected 4 of crank, coupler, rocker and ground, in this order",
    "run arm_reach --log run.txt": "ends in .csv or .npz",
    "run arm_reach --log {folder}/missing/run.csv": "there is no folder",
    "record arm_reach": "required: OUT",
    "record arm_reach film.avi": "ends in .mp4, .gif or .png",
    "record arm_reach {folder}/a.gif --fps 60": "at most 50",
    "record arm_reach {folder}/a.mp4 --size wide": "such as 1280x720",
    "record arm_reach {folder}/a.mp4 --size 4x4": "16 to 8192",
    "record arm_reach {folder}/a.mp4 --theme drak": 'did you mean "dark"?',
    "record arm_reach {folder}": "ends in .mp4, .gif or .png",
    "recrod arm_reach film.mp4": 'did you mean "record"?',
    "--theme dark record": "main.py record",
    "arm_reech": 'did you mean "arm_reach"?',
    "scenes all": '"all" is one argument too many',
    "arm_reach --shot picture.jpg": "ends in .png",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_is_one_sentence(line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "noise.toml").write_bytes(bytes(range(128, 256)))
    (tmp_path / "heavy.toml").write_text(FALLING.replace("2.0", "-2.0"))
    (tmp_path / "ring.toml").write_text(FOUR_BAR)
    names = {name: tmp_path / f"{name}.toml" for name in ("noise", "heavy", "ring")} | {"folder": tmp_path}
    assert main([word.format(**names) for word in line.split()]) == 2
    assert MISTAKES[line] in complaint(capsys)
    assert sorted(os.listdir(tmp_path)) == ["heavy.toml", "noise.toml", "ring.toml"]


def test_without_a_screen_the_window_says_what_to_do_instead() -> None:
    ended = program("hinge_chain")
    assert ended.returncode == 2
    assert ended.stdout == "" and ended.stderr.count("\n") == 1
    assert "DISPLAY" in ended.stderr
    assert "main.py record hinge_chain" in ended.stderr and "main.py run hinge_chain" in ended.stderr


def test_divergence_is_one_sentence_and_keeps_the_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spinning = FALLING.replace("[0.0, 0.0, 0.0, 1.0", "[500.0, 0.0, 0.0, 1.0")
    (tmp_path / "spinning.toml").write_text(spinning)
    assert main(["run", str(tmp_path / "spinning.toml"), "--log", str(tmp_path / "run.csv")]) == 1
    assert re.fullmatch(r'Stopped at t = 0 s: body "stone" turned .*; try a smaller step .*', complaint(capsys))
    assert len((tmp_path / "run.csv").read_text().splitlines()) == 2


def test_nobody_reads_to_the_end() -> None:
    command = f"{sys.executable} main.py scenes | true; exit ${{PIPESTATUS[0]}}"
    ended = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True)
    assert ended.stderr == ""
    assert ended.returncode in (0, 141)


# --- scenes, help -------------------------------------------------------------------------------------


def test_scenes_are_listed_for_people_and_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scenes", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == builtin_names()
    assert all(set(row) == {"name", "title", "summary", "group", "variants"} for row in rows)
    assert all(row["title"] and row["summary"] and row["group"] for row in rows)
    assert {row["name"]: row["variants"] for row in rows if row["variants"]} == {
        "double_pendulum": ["a", "b", "c"],
        "planar_2r": ["identify", "rods"],
        "rp_robot": ["forced", "hanging", "locked", "locked_ramp"],
    }
    assert main(["scenes"]) == 0
    text = capsys.readouterr().out
    assert all(row["name"] in text and row["title"] in text and row["group"] in text for row in rows)
    assert "double_pendulum:b" in text


def test_the_window_opens_variants_too(tmp_path: Path) -> None:
    assert window.scene("double_pendulum:b") == "double_pendulum:b"
    (tmp_path / "own.toml").touch()
    assert window.scene(f"{tmp_path / 'own.toml'}:x") == f"{tmp_path / 'own.toml'}:x"
    with pytest.raises(CommandError, match='There is no scene, scene file or command "duble_pendulum:b"'):
        window.scene("duble_pendulum:b")


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_every_command_has_help_with_examples(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*command.split(), "--help"])
    assert ended.value.code == 0
    assert f"main.py {command}".strip() in capsys.readouterr().out.partition("example")[2]


# --- analyse ------------------------------------------------------------------------------------------


def test_analyse_gives_the_numbers_of_a_robot(capsys: pytest.CaptureFixture[str]) -> None:
    """The RP robot at (0.4, 0.5) moving with (1, 2), by hand."""
    line = ["analyse", "rp_robot", "--q", "0.4", "0.5", "--v=1,2"]
    assert main([*line, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["joints"] == ["turn", "slide"] and result["frame"] == "carriage"
    assert np.allclose(result["mass_matrix"], [[2 * 0.25 + 0.4 + 3.08, 0], [0, 2]])
    assert np.allclose(result["coriolis_matrix"], [[2.8, 1.4], [-1.4, 0]])
    assert np.allclose(result["gravity_torques"], [19.62 * np.cos(0.4) * 0.7, 19.62 * np.sin(0.4)])
    assert np.allclose(result["frames"]["carriage"]["position"], [0.7 * np.cos(0.4), 0, 1.5 + 0.7 * np.sin(0.4)])
    assert result["kinetic_energy"] == pytest.approx(0.5 * (3.98 + 2 * 4))
    assert main(line) == 0
    text = capsys.readouterr().out
    assert "3.980000" in text
    for name, value in (("turn", "0.400000 rad "), ("turn", "1.000000 rad/s"), ("slide", "0.500000 m ")):
        assert any(row.split()[:1] == [name] and value in row + " " for row in text.splitlines()), (name, value)
    assert main(["analyse", "long_chain"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) < 130  # large matrices are for --json


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rp_robot", "--q", "1"], "q has 1 number; expected 2"),
        (["rp_robot", "--q", "1", "up"], 'between them, such as 0.5,-1.2, not "up"'),
        (["rp_robot", "--frame", "carrige"], 'did you mean "carriage"'),
        (["rp_robot", "--bounds"], 'slider "slide" has no limits'),
        (["four_bar"], "closes a loop"),
        (["rp_robt"], 'did you mean "rp_robot"'),
    ],
)
def test_what_cannot_be_analysed_is_one_sentence(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["analyse", *arguments]) == 2
    assert words in complaint(capsys)


# --- run ----------------------------------------------------------------------------------------------


def test_run_tells_where_everything_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A thrown stone: x = t, z = 10 − g t²/2, and its energy stays."""
    (tmp_path / "stone.toml").write_text(FALLING)
    line = ["run", str(tmp_path / "stone.toml"), "--duration", "1", "--json", "--log", str(tmp_path / "run.csv")]
    assert main(line) == 0
    out, err = capsys.readouterr()
    result = json.loads(out)
    assert err == "" and out.count("\n") == 1
    assert (result["steps"], result["dt"], result["backend"]) == (100, 0.01, "impulse")
    assert result["time"] == pytest.approx(1.0)
    stone = result["bodies"]["stone"]
    assert stone["position"] == pytest.approx([1.0, 0.0, 10 - 9.81 / 2], abs=0.06)
    assert stone["rotation"] == [1.0, 0.0, 0.0, 0.0]
    assert stone["twist"] == pytest.approx([0, 0, 0, 1, 0, -9.81])
    assert result["q"][:3] == stone["position"] and result["v"] == stone["twist"]
    assert result["energy_end"] == pytest.approx(result["energy_start"], abs=1.0)
    assert result["joint_gap"] == result["joint_angle_error"] == 0.0
    assert result["us_per_step"] > 0
    with open(tmp_path / "run.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 101
    assert float(rows[0]["q.stone.position.z [m]"]) == 10.0
    assert float(rows[-1]["q.stone.position.z [m]"]) == result["q"][2]
    assert float(rows[-1]["v.stone.linear.z [m/s]"]) == result["v"][5]


def test_run_measures_joints_on_every_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "run.npz"
    assert main(["run", "hinge_chain", "--duration", "0.2", "--json", "--log", str(log)]) == 0
    result = json.loads(capsys.readouterr().out)
    with np.load(log) as arrays:
        assert result["joint_gap"] == arrays["joint_gap [m]"].max() > 0
        energy = arrays["kinetic [J]"] + arrays["potential [J]"]
        assert energy[[0, -1]].tolist() == [result["energy_start"], result["energy_end"]]


KEYS = """scene backend integrator dt steps time q v bodies energy_start energy_end energy_work energy_drift
    momentum_drift angular_momentum_drift joint_gap joint_angle_error solves_per_step us_per_step"""


def result_of(capsys: pytest.CaptureFixture[str], *line: str | Path) -> dict:
    """What `run --json` prints."""
    assert main(["run", *map(str, line), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert list(result) == KEYS.split()
    return result


def test_run_keeps_an_account(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A thrown stone keeps its energy; gravity changes its momentum, but turns nothing."""
    (tmp_path / "stone.toml").write_text(FALLING)
    stone = result_of(capsys, tmp_path / "stone.toml", "--duration", "1")
    assert stone["energy_end"] == pytest.approx(stone["energy_start"], rel=1e-12)
    assert stone["energy_drift"] < 1e-12 and stone["energy_work"] == 0.0
    assert stone["momentum_drift"] is None and stone["angular_momentum_drift"] < 1e-12
    assert (stone["scene"], stone["integrator"]) == ("stone", "rattle")
    tumbling = result_of(capsys, "free_body", "--duration", "0.5")
    assert max(tumbling["momentum_drift"], tumbling["angular_momentum_drift"], tumbling["energy_drift"]) < 1e-12
    held = result_of(capsys, "hinge_chain", "--duration", "0.2", "--backend", "pybullet")
    assert held["momentum_drift"] is held["angular_momentum_drift"] is None
    assert held["integrator"] == "semi-implicit" and held["energy_drift"] > 1e-6


@pytest.mark.parametrize("scene", ["hinge_chain", "free_body", "ball_chain"])
def test_a_run_goes_on_from_where_another_ended(scene: str, capsys: pytest.CaptureFixture[str]) -> None:
    whole = result_of(capsys, scene, "--duration", "0.2")
    half = result_of(capsys, scene, "--duration", "0.1")
    start = [f"--{key}={','.join(map(repr, half[key]))}" for key in ("q", "v")]
    begun = result_of(capsys, scene, "--duration", "0", *start)
    assert begun["q"] == pytest.approx(half["q"], abs=1e-9) and begun["v"] == pytest.approx(half["v"], abs=1e-9)
    rest = result_of(capsys, scene, "--duration", "0.1", *start)
    assert rest["q"] == pytest.approx(whole["q"], abs=1e-7) and rest["v"] == pytest.approx(whole["v"], abs=1e-6)


def test_negative_numbers_may_follow_their_option(capsys: pytest.CaptureFixture[str]) -> None:
    result = result_of(capsys, "hinge_chain", "--q", "-0.1,.2,-3e-1", "--v", "-1,0,2", "--duration", "0")
    assert result["q"] == pytest.approx([-0.1, 0.2, -0.3], abs=1e-12)
    assert result["v"] == pytest.approx([-1, 0, 2], abs=1e-12)


@pytest.mark.parametrize("command", ["run", "analyse"])
@pytest.mark.parametrize("q", ["-0.1,0.2,-0.3", "-0.1 0.2 -0.3", "-0.1,0.2 -3e-1"])
def test_coordinates_are_given_with_commas_or_spaces(command: str, q: str, capsys: pytest.CaptureFixture[str]) -> None:
    line = [command, "hinge_chain", "--json", "--q", *q.split(), *(["--duration", "0"] if command == "run" else [])]
    assert main(line) == 0
    assert json.loads(capsys.readouterr().out)["q"] == pytest.approx([-0.1, 0.2, -0.3], abs=1e-12)


def test_a_loop_is_assembled_from_the_given_crank_and_told_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ring.toml").write_text(FOUR_BAR)
    line = ["run", str(tmp_path / "ring.toml"), "--duration", "0", "--json", "--q", "1.4,0,-1.5,0", "--v", "1,0,0,0"]
    assert main(line) == 0
    out, err = capsys.readouterr()
    assert err.startswith('Joint "ground" closes a loop: the tree is cut there, and') and err.count("\n") == 1
    result = json.loads(out)
    assert result["q"][0] == pytest.approx(1.4, abs=1e-12) and result["v"][0] == pytest.approx(1.0, abs=1e-9)
    rocker = result["bodies"]["rocker"]
    w, _, y, _ = rocker["rotation"]
    end = np.array(rocker["position"]) + 0.4 * np.array([1 - 2 * y * y, 0.0, -2 * w * y])
    assert end == pytest.approx([0.5, 0.0, 0.0], abs=1e-11)


def test_changes_of_the_scene_reach_the_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    from argparse import ArgumentParser

    import sim.files
    from app.commands.arguments import add_simulation, scene_of

    seen = {}

    def load(name: str, changes: dict[str, object] | None = None) -> object:
        seen.update(changes or {})
        return original(name)

    original = sim.files.load
    monkeypatch.setattr(sim.files, "load", load)
    monkeypatch.setattr(sim.files, "parse_change", lambda text: tuple(text.split("=")), raising=False)
    parser = ArgumentParser()
    add_simulation(parser)
    scene_of(parser.parse_args(["hinge_chain", "--set", "joint.a.damping=1", "--set", "gravity=0"]))
    assert seen == {"joint.a.damping": "1", "gravity": "0"}


def test_solver_and_stabilisation_reach_the_scene() -> None:
    from argparse import ArgumentParser

    from app.commands.arguments import add_simulation, scene_of

    parser = ArgumentParser()
    add_simulation(parser)
    scene = scene_of(
        parser.parse_args(["hinge_chain", "--solver", "dense", "--stabilise", "feedback", "--dt", "0.002"])
    )
    assert (scene.solver, scene.stabilise, scene.dt) == ("dense", "feedback", 0.002)


def test_run_takes_another_engine_and_step(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "hinge_chain", "--backend", "pybullet", "--dt", "0.002", "--duration", "0.1", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["backend"], result["dt"], result["steps"]) == ("pybullet", 0.002, 50)


def test_run_has_a_summary_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "arm_reach", "--duration", "0.05"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert all(word in out for word in ("50 steps of 1 ms", "yaw", "shoulder", "elbow", "mm from target"))
    assert all(word in out for word in ("J of work, drift", "rattle", "apart by")) and "momentum" not in out
    assert main(["run", "free_body", "--duration", "0.05"]) == 0
    assert "\n  momentum     drift " in capsys.readouterr().out


def test_warmup_finds_kernels_that_are_compiled_already(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["warmup"]) == 0
    assert main(["warmup"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "The kernels of arm_reach are ready."
