"""`ik`, `identify` and `derive` as a person meets them: results, JSON, exit codes and one-sentence complaints."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from app.cli import main
from app.video import ROOT
from tests.app.test_cli import complaint
from tests.app.test_cli_record import read_to_end

PLACE = "--position=-0.1,-0.7,0.3"
ENGINE = (
    ["--backend", "tree"],
    ["--integrator", "rk4"],
    ["--solver", "dense"],
    ["--stabilise", "feedback"],
    ["--dt", "0.01"],
)
START = (["--duration", "5"], ["--q", "0,0"], ["--v", "0,0"])


def told(capsys: pytest.CaptureFixture[str], *line: str) -> dict:
    """What a command prints with --json."""
    assert main([*line, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == "" and out.count("\n") == 1
    return json.loads(out)


# --- ik -----------------------------------------------------------------------------------------------


def test_ik_brings_the_tool_to_a_place(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["ik", "arm_6r", PLACE, "--q=-1.57,0,-1.47,-1.47,-1.47,-1.47"]
    result = told(capsys, *line)
    assert result["joints"] == [f"joint{i}" for i in range(1, 7)] and result["frame"] == "tool"
    assert result["distance"] < 1e-9 and result["clamped"] == []
    q = ",".join(map(repr, result["q"]))
    tool = told(capsys, "analyse", "arm_6r", f"--q={q}")["frames"]["tool"]["position"]
    np.testing.assert_allclose(tool, (-0.1, -0.7, 0.3), atol=1e-9)
    assert main(line) == 0
    text = capsys.readouterr().out
    assert f"joint5  {result['q'][4]:10.6f} rad" in text and "began outside" not in text


def test_ik_says_what_it_moved_inside_the_limits(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["ik", "arm_6r", "--position", "0.64", "-0.10", "1.14", "--q", "0,0.8,0,1,2,0"]
    assert told(capsys, *line)["clamped"] == ["joint5"]
    assert main(line) == 0
    assert "joint5 began outside its limits and was moved inside" in capsys.readouterr().out


def test_ik_turns_the_tool_too(capsys: pytest.CaptureFixture[str]) -> None:
    result = told(capsys, "ik", "arm_6r", "--position", "0.3,-0.5,0.6", "--rotation", "0,1,0,0")
    q = ",".join(map(repr, result["q"]))
    tool = told(capsys, "analyse", "arm_6r", f"--q={q}")["frames"]["tool"]
    np.testing.assert_allclose(tool["position"], (0.3, -0.5, 0.6), atol=1e-9)
    np.testing.assert_allclose(np.abs(tool["quaternion"]), (0, 1, 0, 0), atol=1e-9)


def test_ik_follows_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["ik", "arm_6r", "--line", "0.64,-0.1,1.14"]
    result = told(capsys, *line)
    assert result["steps"] == 1270 and np.shape(result["q"]) == (1271, 6)
    assert result["distance"] < 1e-6 and result["largest_joint_step"] < 0.01
    assert main([*line, "--stride", "0.01"]) == 0
    assert "moves straight in 127 steps" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["arm_6r"], 2, "Either --position says where the frame should be, or --line"),
        (["arm_6r", PLACE, "--line", "0,0,1"], 2, "Either --position"),
        (["arm_6r", "--position", "1", "up"], 2, 'such as 0.5,-1.2, not "up"'),
        (["arm_6r", "--position", "1"], 2, "position has 1 number; expected 3 (x, y and z)"),
        (["arm_6r", PLACE, "--rotation", "2,0,0,0"], 2, "rotation is a quaternion of length 2; expected 1"),
        (["arm_6r", "--position", "1e308,0,0.5"], 2, "position contains 1e+308; expected a finite number, at most"),
        (["arm_6r", PLACE, "--rotation=1,0,-1e200,0"], 2, "rotation contains -1e+200; expected a finite number"),
        (["arm_6r", "--line", "0,0,1e300"], 2, "line contains 1e+300; expected a finite number, at most 1e+09"),
        (["planar_2r", PLACE, "--q", "1e308,0"], 2, "q contains 1e+308; expected a finite number, at most 1e+09"),
        (["arm_6r", PLACE, "--frame", "tol"], 2, 'did you mean "tool"'),
        (["arm_6r", PLACE, "--q", "1"], 2, "q has 1 number; expected 6"),
        (["arm_6r", PLACE, "--stride", "0.1"], 2, "--stride goes with --line"),
        (["arm_6r", "--line", "0,0,1", "--rotation", "1,0,0,0"], 2, "--rotation goes with --position"),
        (["arm_6r", "--line", "0,0,1", "--stride", "0"], 2, "--stride wants a length above 0"),
        (["arm_6r", "--line", "0,0,1", "--stride", "1e-8"], 2, "expected at most 1000000 strides"),
        (["ball_arm", PLACE], 2, '"shoulder" is a ball joint'),
        (["four_bar", PLACE], 2, "closes a loop"),
        (["planar_2r", "--position", "3,0,1.3"], 1, "to (3, 0, 1.3); the nearest that was found is 2 m away"),
        (["arm_6r", "--line", "3,0,0"], 1, "tool gets to (0.8207, -0.4921, 0.2109) on this line and no farther"),
        (
            ["arm_6r", "--line=-0.1,-0.7,0.3", "--q", "0,0.785398,0,1.570796,1.570796,0"],
            1,
            'on this line joint "joint5" passes its limit by 0.305',
        ),
    ],
)
def test_what_ik_cannot_do_is_one_sentence(
    arguments: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ik", *arguments]) == code
    assert words in complaint(capsys)


# --- identify -----------------------------------------------------------------------------------------


def test_identify_finds_masses_and_lengths_again(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["identify", "planar_2r:identify", "--duration", "1"]
    result = told(capsys, *line)
    assert result["scene"] == "planar_2r:identify" and result["possible"] == len(result["combinations"]) == 11
    found = {row["name"]: row for row in result["point_masses"]}
    for name, value, unit in (("m1", 1.0, "kg"), ("m2", 1.0, "kg"), ("L1", 0.5, "m"), ("L2", 0.5, "m")):
        assert found[name]["value"] == pytest.approx(value, abs=1e-9)
        assert found[name]["scene_value"] == value and found[name]["unit"] == unit
    noisy = told(capsys, *line, "--noise", "0.01", "--seed", "4")
    assert noisy != told(capsys, *line, "--noise", "0.01", "--seed", "5")
    assert noisy == told(capsys, *line, "--noise", "0.01", "--seed", "4")
    assert 1e-5 < noisy["point_masses"][0]["interval"] < 0.01
    assert main(line) == 0
    text = capsys.readouterr().out
    assert "show 11 of 11 combinations" in text and "link1.mcx + 0.5 link2.m " in text


def test_identify_excites_a_robot_or_reads_a_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    excited = told(capsys, "identify", "arm_6r", "--excite")
    assert len(excited["combinations"]) == 52
    log = str(tmp_path / "run.npz")
    assert main(["run", "arm_reach", "--backend", "tree", "--duration", "1", "--log", log]) == 0
    capsys.readouterr()
    logged = told(capsys, "identify", "arm_reach", "--from", log)
    for row in logged["combinations"]:
        assert row["value"] == pytest.approx(row["scene_value"], abs=1e-8)
    heavier = told(capsys, "identify", "arm_reach", "--from", log, "--set", "body.forearm.mass=2")
    other = [row for row in heavier["combinations"] if abs(row["value"] - row["scene_value"]) > 1e-3]
    assert other and all("forearm." in row["name"] for row in other)


@pytest.mark.soak
def test_identify_of_a_hundred_joints_shows_how_far_it_is_and_has_room() -> None:
    """15 300 equations of 1300 parameters in a process of its own, at a terminal."""
    terminal, child_side = pty.openpty()
    command = [sys.executable, ROOT / "main.py", "identify", "long_chain", "--excite", "--duration", "2", "--json"]
    env = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, env=env, cwd=ROOT, stdout=out, stderr=child_side)
        os.close(child_side)
        shown = b"".join(iter(lambda: read_to_end(terminal), b""))
        os.close(terminal)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        result = json.load(out)
    assert child.returncode == 0 and result["equations"] == 15_300
    assert result["possible"] == len(result["combinations"]) == 599
    shares = [int(share) for share in re.findall(rb"(\d+) %", shown)]
    assert len(shares) > 5 and shares == sorted(shares)
    assert used.ru_maxrss < 800_000  # kB


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ball_arm"], '"shoulder" is a ball joint'),
        (["three_link_arm", "--duration", "0.2"], "no torque is known while a joint moves"),
        (["planar_2r", "--duration", "0.002"], "are too few; expected a longer motion"),
        (["planar_2r", "--from", "nothing.csv"], 'Cannot read "nothing.csv": No such file'),
        (["planar_2r", "--from", "README.md"], "is no log; expected a .csv or .npz file"),
        (["planar_2r", "--from", "a.csv", "--noise", "0.1"], "of a log; leave --noise out"),
        (["planar_2r", "--from", "a.csv", "--excite", "--seed", "0"], "leave --excite and --seed out"),
        *((["planar_2r", "--from", "a.csv", *given], f"of a log; leave {given[0]} out") for given in ENGINE),
        *((["planar_2r", "--from", "a.csv", *given], f"of a log; leave {given[0]} out") for given in START),
        *((["planar_2r", "--excite", *given], f"without an engine; leave {given[0]} out") for given in ENGINE),
        (["planar_2r", "--excite", "--v", "1,1"], "without an engine; leave --v out"),
        (["planar_2r", "--noise", "2"], "--noise wants a share from 0 to 1"),
        (["planar_2r", "--excite", "--duration", "0"], "moves nothing; expected a longer one"),
    ],
)
def test_what_cannot_be_identified_is_one_sentence(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["identify", *arguments]) == 2
    assert words in complaint(capsys)


# --- derive -------------------------------------------------------------------------------------------


def test_derive_prints_the_equations(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", "rp_robot"]) == 0
    text = capsys.readouterr().out
    assert "q1 turn [rad], q2 slide [m]" in text and "M = [ 2q2² + 0.8q2 + 3.08   0 ]" in text
    assert "g = [ 19.62 cos q1 (q2 + 0.2) ]" in text and "Friction" not in text
    result = told(capsys, "derive", "rp_robot")
    assert result["C"] == [["q2'(2q2 + 0.4)", "q1'(2q2 + 0.4)"], ["−q1'(2q2 + 0.4)", "0"]]
    assert result["joints"] == ["turn", "slide"]
    assert main(["derive", "rp_robot", "--latex"]) == 0
    assert capsys.readouterr().out == result["latex"] + "\n"
    assert main(["derive", "three_link_arm"]) == 0
    text = capsys.readouterr().out
    assert "\n  M23 = M32 = 0.135 cos q3 + 0.08698781881\n" in text and "Friction and damping are not in it" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["long_chain"], "100 coordinates would fill many pages; equations are derived of up to 6"),
        (["four_bar"], 'joint "rocker" closes a loop'),
        (["ball_arm"], '"shoulder" is a ball joint'),
        (["rp_robt"], 'did you mean "rp_robot"'),
        (["rp_robot", "--latex", "--json"], "leave --latex out"),
    ],
)
def test_what_cannot_be_derived_is_one_sentence(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["derive", *arguments]) == 2
    assert words in complaint(capsys)


def test_without_sympy_derive_says_how_to_get_it() -> None:
    code = "import sys; sys.modules['sympy'] = None; import app.cli; sys.exit(app.cli.main(['derive', 'rp_robot']))"
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 1 and ended.stdout == ""
    assert ended.stderr == "impulse: SymPy is not installed; `make run` installs it.\n"
