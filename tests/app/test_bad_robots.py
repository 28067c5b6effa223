"""What robots and the tree engine cannot do, as a user meets it: one sentence, a failure, never a traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

ARM = """\
title = "Arm"

[body.upper]
mass = 1
center = [0.25, 0, 0]
inertia = [0.01, 0.02, 0.02]

[body.hand]
mass = 1
center = [0, 0, 0]
inertia = [0, 0, 0]

[joint.shoulder]
type = "hinge"
parent = "world"
child = "upper"
axis = [0, -1, 0]

[joint.wrist]
type = "hinge"
parent = "upper"
child = "hand"
position = [0.5, 0, 0]
axis = [0, -1, 0]
"""
MOTOR = '[input.motor]\njoint = "wrist"\ntorque = "{}"\n'
HAND = "center = [0, 0, 0]\ninertia = [0, 0, 0]"
SOLID = "inertia = [0.01, 0.01, 0.01]"
MASSLESS = ARM.replace("mass = 1\ncenter = [0, 0, 0]", "mass = 0\ncenter = [0, 0, 0]")
ESCAPES = (
    "__import__('os').getpid()",
    "().__class__",
    "open('x')",
    "t.real",
    "[1, 2][0]",
    "lambda: 1",
    "t if t else 1",
    "x := 1",
)
# what is typed, with {} for a scene file; that file; words of the sentence
CASES = {
    "a loop on the tree engine": ("run four_bar --backend tree", "", 'joint "rocker" closes a loop'),
    "the numbers of a loop": ("analyse four_bar", "", "closes a loop"),
    "too few coordinates": ("analyse arm_6r --q 1 2", "", "q has 2 numbers; expected 6"),
    "too many velocities": ("analyse rp_robot --v 1 2 3", "", "v has 3 numbers; expected 2"),
    "a run from too few": ("run arm_6r --q 1,2", "", "expected 6"),
    "words for numbers": ("analyse arm_6r --q up down", "", 'such as 0.5,-1.2, not "up"'),
    "no such frame": ("analyse arm_6r --frame tol", "", 'no frame "tol"; did you mean "tool"?'),
    "a point on its own axis": ("run {} --backend tree", ARM, 'nothing resists joint "wrist"'),
    "a massless last link": ("run {} --backend tree", MASSLESS, "mass is 0 kg; expected"),
    "the numbers of a massless link": ("analyse {}", MASSLESS, "mass is 0 kg; expected"),
    "no such integrator": ("run rp_robot --backend tree --integrator rk5", "", "rk4"),
    **{
        f"the input {text}": ("run {} --backend tree", ARM.replace(HAND, SOLID) + MOTOR.format(text), "torque")
        for text in ESCAPES
    },
}


@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_one_sentence(name: str, tmp_path: Path) -> None:
    line, scene, words = CASES[name]
    path = tmp_path / "arm.toml"
    path.write_text(scene, encoding="utf8")
    command = [sys.executable, "main.py", *line.format(path).split()]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode not in (0, 1), ended.stderr  # 1 is how Python ends with a traceback
    assert ended.stdout == "" and "Traceback" not in ended.stderr
    assert words in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1, ended.stderr


def test_the_same_arm_runs_with_a_rotor_or_a_solid_hand(tmp_path: Path) -> None:
    for made in (ARM + "rotor_inertia = 1e-4\n", ARM.replace(HAND, SOLID) + MOTOR.format("0.1*sin(2*t) + max(t, 1)")):
        path = tmp_path / "arm.toml"
        path.write_text(made, encoding="utf8")
        command = [sys.executable, "main.py", "run", str(path), "--backend", "tree", "--duration", "0.1"]
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr
