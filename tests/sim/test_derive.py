"""Equations in symbols: the RP robot's as it is printed, closed forms, and the numeric algorithms at random states."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import sim
from sim.analysis.formula import latex, latex_equation, text
from sim.analysis.lagrange import Equations, derive
from sim.model import compile_model
from sim.robot import Robot
from sim.scene import Body, Joint, Pose, Scene
from tests.sim.test_identify import scalar_tree

SCENES = {
    **{name: lambda name=name: sim.load(name) for name in ("double_pendulum", "planar_2r", "rp_robot")},
    **{name: lambda name=name: sim.load(name) for name in ("three_link_arm", "arm_6r", "rp_robot:locked")},
    "a tree with rotors": lambda: scalar_tree(0, 3),
    "another": lambda: scalar_tree(1, 3),
}
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def equations_of(scene: Scene) -> Equations:
    return derive(compile_model(scene))


def value(formula: str, q: np.ndarray, v: np.ndarray) -> float:
    """What a formula says at a state, read from its text as a person does: cos² q1 (q2 + 0.2) is a product."""
    token = r"(?<![\w.])[\d.]+(?:e[+-]?\d+)?|[\d.]+(?:e-\d+)?|q\d'?|cos|sin|[⁰¹²³⁴-⁹]+|[()+−]"
    tokens = re.findall(token, formula)
    assert "".join(tokens) == formula.replace(" ", "")
    out, function = "", ""
    for t in tokens:
        power = f"**{t.translate(SUPERSCRIPTS)}"
        if t in ("cos", "sin"):
            out, function = out + _times(out) + "(np." + t, ")"
        elif re.match("[⁰¹²³⁴-⁹]", t):
            out, function = (out, function + power) if out.endswith(("cos", "sin")) else (out + power, function)
        elif t in "+−":
            out += t.replace("−", "-")
        elif t == "(":
            out += t if function and out.endswith(("cos", "sin")) else _times(out) + t
            function = function and "(" + function
        elif t == ")":
            out += t
            if function.startswith("("):
                out, function = out + function[1:], ""
        else:
            name = f"{'v' if t.endswith(chr(39)) else 'q'}[{int(t[1:].rstrip(chr(39))) - 1}]" if t[0] == "q" else t
            if out.endswith(("cos", "sin")):
                out, function = out + f"({name})" + function, ""
            else:
                out += _times(out) + name
    return float(eval(out, {"np": np, "q": q, "v": v}))


def _times(before: str) -> str:
    return "*" if before and before[-1] not in "(+-*" else ""


def numbers(matrix: object, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    rows = range(matrix.rows)  # type: ignore[attr-defined]
    return np.array([[value(text(x), q, v) for x in matrix.row(i)] for i in rows])  # type: ignore[attr-defined]


def bare(x: object) -> str:
    return text(x).replace(" ", "")


def test_the_rp_robot_comes_out_as_it_is_printed() -> None:
    e = equations_of(sim.load("rp_robot"))
    assert [[bare(x) for x in e.M.row(i)] for i in (0, 1)] == [["2q2²+0.8q2+3.08", "0"], ["0", "2"]]
    assert [[bare(x) for x in e.C.row(i)] for i in (0, 1)] == [
        ["q2'(2q2+0.4)", "q1'(2q2+0.4)"],
        ["−q1'(2q2+0.4)", "0"],
    ]
    assert [text(x) for x in e.g] == ["19.62 cos q1 (q2 + 0.2)", "19.62 sin q1"]
    assert e.joints == ("turn", "slide") and e.sliders == (False, True)


def test_its_latex() -> None:
    e = equations_of(sim.load("rp_robot"))
    assert latex(e.M[0, 0]) == r"2\,q_{2}^{2} + 0.8\,q_{2} + 3.08"
    assert latex(e.C[1, 0]) == r"-\dot q_{1}\left(2\,q_{2} + 0.4\right)"
    assert latex(e.g[0]) == r"19.62 \cos q_{1} \left(q_{2} + 0.2\right)"
    whole = latex_equation(e)
    assert whole.count(r"\begin{bmatrix}") == whole.count(r"\end{bmatrix}") == 6
    assert r"\ddot q_{2}" in whole and whole.endswith(r"\begin{bmatrix} \tau_{1} \\ f_{2} \end{bmatrix}")
    assert all(whole.count(a) == whole.count(b) for a, b in ((r"\left(", r"\right)"), ("{", "}")))


def test_the_planar_arm_comes_out_as_in_every_textbook() -> None:
    e = equations_of(sim.load("planar_2r"))
    assert [text(x) for x in e.M] == ["0.5 cos q2 + 0.75", "0.25 cos q2 + 0.25", "0.25 cos q2 + 0.25", "0.25"]
    assert [text(x) for x in e.C] == ["−0.25q2' sin q2", "−0.25 sin q2 (q1' + q2')", "0.25q1' sin q2", "0"]
    assert [text(x) for x in e.g] == ["9.81 cos q1 + 4.905 cos(q1 + q2)", "4.905 cos(q1 + q2)"]


@pytest.mark.parametrize("name", SCENES)
def test_what_is_printed_agrees_with_the_numeric_algorithms(name: str) -> None:
    scene = SCENES[name]()
    e, robot = equations_of(scene), Robot(scene)
    free = ~robot.model.joint_locked[robot.model.dof_joint]
    rng = np.random.default_rng(0)
    for _ in range(10):
        q, v = rng.uniform(-2, 2, (2, robot.model.nv))
        q, v = np.where(free, q, robot.model.q0), np.where(free, v, 0.0)
        M, C, g = (numbers(x, q[free], v[free]) for x in (e.M, e.C, e.g))
        largest = np.abs(robot.mass_matrix(q)).max()
        np.testing.assert_allclose(M, robot.mass_matrix(q)[np.ix_(free, free)], rtol=0, atol=1e-8 * largest)
        np.testing.assert_allclose(g[:, 0], robot.gravity_torques(q)[free], rtol=0, atol=1e-7)
        bias = robot.inverse_dynamics(q, v, np.zeros(robot.model.nv)) - robot.gravity_torques(q)
        np.testing.assert_allclose(C @ v[free], bias[free], rtol=0, atol=1e-7 * max(1.0, largest))
        if len(e.q) == 2:  # there is only one C that is linear in v and has Ṁ − 2C skew then
            np.testing.assert_allclose(C, robot.coriolis_matrix(q, v), rtol=0, atol=1e-8 * largest)
        h = 1e-5
        rate = (numbers(e.M, (q + h * v)[free], v) - numbers(e.M, (q - h * v)[free], v)) / (2 * h)
        skew = rate - 2 * C
        np.testing.assert_allclose(skew, -skew.T, rtol=0, atol=1e-6 * max(1.0, largest))


def test_a_rotor_is_added_to_its_own_entry() -> None:
    plain = sim.load("rp_robot")
    geared = replace(plain, joints=(replace(plain.joints[0], rotor_inertia=1e-4, gear=50.0), plain.joints[1]))
    assert text(equations_of(geared).M[0, 0]) == "2q2² + 0.8q2 + 3.33"


def test_small_numbers_are_powers_of_ten() -> None:
    rod = Body("rod", 1e-6, (0.5, 0.0, 0.0), (0.0, 1e-7, 1e-7, 0.0, 0.0, 0.0))
    light = Scene("light", "Light", bodies=(rod,), joints=(Joint("j", "hinge", "world", "rod", axis=(0, 1, 0)),))
    entry = equations_of(light).M[0]
    assert text(entry) == "3.5e-7" and latex(entry) == r"3.5 \cdot 10^{-7}"


def test_the_lightest_robots_have_masses_too() -> None:
    """A mass on a weightless rod turns with m l², a body with its tensor: neither is rounding, however small."""
    for arm, tensor, whole in ((0.01, 0.0, "1e-13"), (0.0, 4e-13, "4e-13"), (0.02, 1e-13, "5e-13")):
        body = Body("body", 1e-9, (arm, 0.0, 0.0), (0.0, tensor, tensor, 0.0, 0.0, 0.0))
        joint = Joint("j", "hinge", "world", "body", axis=(0, 1, 0))
        assert text(equations_of(Scene("light", "Light", bodies=(body,), joints=(joint,))).M[0]) == whole


def test_lengths_are_not_rounded() -> None:
    body = Body("body", 1.0, (3e-13, 0.0, 0.0), (0.0, 1e-26, 1e-26, 0.0, 0.0, 0.0))
    joint = Joint("j", "hinge", "world", "body", axis=(0, 1, 0))
    assert text(equations_of(Scene("short", "Short", bodies=(body,), joints=(joint,))).M[0]) == "1e-25"


def skewed(n: int) -> Scene:
    """A chain of hinges with axes every way."""
    bodies = tuple(Body(f"b{i}", 1.0, (0.1, 0.2, 0.3), (0.1, 0.1, 0.1, 0.01, 0.02, 0.03)) for i in range(n))
    turn = (0.7, 0.1, 0.5, float(np.sqrt(1 - 0.75)))
    joints = tuple(
        Joint(f"j{i}", "hinge", f"b{i - 1}" if i else "world", f"b{i}", Pose((0.1, 0.3, 0.2), turn), axis=(1, 2, 3))
        for i in range(n)
    )
    return Scene("skewed", "Skewed", bodies=bodies, joints=joints)


@pytest.mark.parametrize(
    ("scene", "words"),
    [
        (lambda: sim.load("long_chain"), "100 coordinates would fill many pages"),
        (lambda: sim.load("four_bar"), 'joint "rocker" closes a loop'),
        (lambda: sim.load("ball_arm"), '"shoulder" is a ball joint'),
        (lambda: sim.load("free_body"), "moves freely"),
        (lambda: skewed(5), "more terms than anybody reads"),
        (lambda: replace(skewed(1), joints=(replace(skewed(1).joints[0], locked=True),)), "nothing moves"),
    ],
)
def test_what_is_not_derived_is_told(scene: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        equations_of(scene())  # type: ignore[operator]
