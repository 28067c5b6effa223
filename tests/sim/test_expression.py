"""Functions of time: the compiled programs against the same formulas in NumPy, and texts that are no formulas."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim.dynamics.inputs import apply_inputs, inputs_of
from sim.expression import DEEPEST, FUNCTIONS, LONGEST, ExpressionError, compile_expression, value_at
from sim.model import compile_model
from sim.scene import Body, Input, Joint, Pose, Scene
from sim.spatial.rotation import axis_angle_to_matrix
from tests.worlds import hanging, rod

TIMES = np.array([0.0, 0.1, 0.5, 1.0, 2.0, 3.7, 12.5])

FORMULAS: dict[str, Callable[[Any], Any]] = {
    "3": lambda t: 3.0 + 0 * t,
    "2*sin(3*t)": lambda t: 2 * np.sin(3 * t),
    "t - 1 - 2": lambda t: (t - 1) - 2,
    "8/4/2*t": lambda t: t,
    "-t**2": lambda t: -(t * t),
    "2**3**2": lambda t: 512.0 + 0 * t,
    "2**-t": lambda t: 0.5**t,
    "+t + -1.5e-1": lambda t: t - 0.15,
    ".5*t + 2.": lambda t: t / 2 + 2,
    "cos(pi*t)*exp(-t)": lambda t: np.cos(np.pi * t) / np.exp(t),
    "tan(t/10) + tanh(t)": lambda t: np.sin(t / 10) / np.cos(t / 10) + 1 - 2 / (np.exp(2 * t) + 1),
    "sqrt(t) + log(1 + t)": lambda t: t**0.5 + np.log1p(t),
    "abs(1 - t)": lambda t: np.where(t < 1, 1 - t, t - 1),
    "sign(t - 1)": lambda t: np.array([-1, -1, -1, 0, 1, 1, 1.0]),
    "step(t - 1)": lambda t: np.array([0, 0, 0, 1, 1, 1, 1.0]),
    "ramp(t - 1)": lambda t: np.array([0, 0, 0, 0, 1, 2.7, 11.5]),
    "min(t, 1, 2 - t)": lambda t: np.minimum(np.minimum(t, 1), 2 - t),
    "max(1, t)": lambda t: np.where(t > 1, t, 1.0),
    "step(t - 1)*(2 - t) + (t + 1)*(t - (2 - t))": lambda t: np.heaviside(t - 1, 1) * (2 - t) + (t + 1) * (2 * t - 2),
    "  1 +\n 2*t ": lambda t: 1 + 2 * t,
}


def values(text: float | str, times: Any) -> Any:
    """Through the table and the kernel, as an engine evaluates it."""
    scene = replace(hanging(0.0), inputs=(Input("push", joint="hinge", torque=(text,)),))
    inputs = inputs_of(compile_model(scene))
    out = []
    for t in times:
        tau = np.zeros(1)
        apply_inputs(inputs, float(t), np.eye(3)[None], np.zeros((1, 3)), tau, np.zeros((1, 6)))
        out.append(tau[0])
    return np.array(out)


@pytest.mark.parametrize("text", FORMULAS)
def test_plain_evaluation_gives_the_same(text: str) -> None:
    """What places a target in the first frame, before anything is compiled."""
    values = [value_at(compile_expression(text), t) for t in TIMES]
    np.testing.assert_allclose(values, FORMULAS[text](TIMES), rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_have_the_values_of_numpy(text: str) -> None:
    np.testing.assert_allclose(values(text, TIMES), FORMULAS[text](TIMES), rtol=1e-13, atol=1e-13)


def test_a_number_is_itself() -> None:
    assert values(-2.5, [0.0, 7.0]).tolist() == [-2.5, -2.5]


def random_formula(rng: random.Random, depth: int) -> str:
    if depth == 0:
        return rng.choice(["t", "pi", "2", "0.3", "(1 + t)"])
    a, b = random_formula(rng, depth - 1), random_formula(rng, rng.randrange(depth))
    return rng.choice([f"({a} {sign} {b})" for sign in "+-*"] + [f"sin({a})", f"-{a}", f"min({a}, {b})", f"tanh({a})"])


def test_random_formulas_agree_with_python() -> None:
    """Python itself is the oracle, with nothing but the names of the formula in reach."""
    names = {"__builtins__": {}, "sin": np.sin, "tanh": np.tanh, "min": min, "pi": np.pi}
    rng = random.Random(3)
    for _ in range(60):
        text = random_formula(rng, 5)
        if len(text) <= LONGEST:
            expected = [float(eval(text, {**names, "t": t})) for t in (0.2, 1.9)]
            np.testing.assert_allclose(values(text, [0.2, 1.9]), expected, rtol=1e-11, atol=1e-11)


def test_what_has_no_value_is_seen() -> None:
    """Infinity and NaN reach the engine, which stops; no function hides them."""
    assert np.isinf(values("1/t", [0.0]))[0]
    for text in ("log(t - 1)", "sqrt(-1 - t)", "(t - 1)**0.5", "0/t"):
        hidden = (text, f"step({text})", f"sign({text})", f"ramp({text})", f"max(1, {text})", f"min({text}, 1)")
        assert all(np.isnan(values(whole, [0.0]))[0] for whole in hidden), text


REFUSED = {
    "": "is empty",
    "   ": "is empty",
    "__import__('os').system('true')": 'contains "__import__"; expected numbers, t, pi and the functions sin, cos',
    "open(t)": 'contains "open"; expected numbers',
    "sinn(t)": 'contains "sinn"; did you mean "sin"?',
    "t.real": "contains '.'; expected",
    "(1).__class__": "contains '.'",
    "t[0]": "contains '['",
    "t := 2": "contains ':'",
    "t^2": "expected ** for powers",
    "t % 2": "contains '%'",
    "t < 1": "contains '<'",
    "lambda: t": 'contains "lambda"',
    "1 if t else 2": 'contains "if"',
    "1or 2": 'contains "or"',
    "2t": "no formula",
    "sin t": "no formula",
    "2 *": "no formula",
    "(t": "no formula",
    "t)": "no formula",
    "1)+(2": "no formula",
    "sin": 'contains "sin" without its brackets; expected sin(…)',
    "sin()": "gives sin 0 arguments; expected one",
    "sin(t, t)": "gives sin 2 arguments",
    "max(t)": "gives max 1 arguments; expected two or more",
    "max(*t, 1)": 'contains "*t"',
    "t(2)": 'contains "t(2)"',
    "t // 2": 'contains "t // 2"',
    "t, 1": 'contains "(t, 1)"',
    "1_000": 'contains "_000"',
    "0x10": 'contains "x10"',
    "3j": 'contains "j"',
    "007": "no formula",
    "1e999": "too large",
    "1" + "0" * 400: "too large",
    "'2'": "contains",
    "t\0": "contains",
    "π": "contains",
    "t; t": "contains ';'",
    "-" * (DEEPEST + 1) + "t": "nested too deeply",
    "t+" * LONGEST + "t": f"expected at most {LONGEST}",
    "(" * 240 + "t" + ")" * 240: "no formula",
}


@pytest.mark.parametrize("text", REFUSED, ids=[text[:20] for text in REFUSED])
def test_what_is_no_formula_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        compile_expression(text)
    assert REFUSED[text] in str(caught.value)
    assert len(str(caught.value)) < 250


def test_noise_is_refused_or_computed_but_never_fails_otherwise() -> None:
    rng = random.Random(11)
    pieces = [*FUNCTIONS, "t", "pi", "(", ")", "+", "-", "*", "/", ",", " ", "1", "2.5", ".", "e", "__", "[", "'", "\\"]
    accepted = 0
    for _ in range(5000):
        text = "".join(rng.choice(pieces) for _ in range(rng.randrange(1, 12)))
        try:
            program = compile_expression(text)
        except ExpressionError:
            continue
        accepted += 1
        assert 1 <= program.depth <= len(program.op) == len(program.value)
    assert accepted > 50


def test_texts_are_never_executed() -> None:
    source = (Path(__file__).parents[2] / "sim" / "expression.py").read_text(encoding="utf-8")
    called = {ast.unparse(node.func) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)}
    assert not called & {"eval", "exec", "compile", "__import__", "getattr", "ast.literal_eval"}


def test_joints_and_bodies_get_what_is_theirs() -> None:
    """Torques along each joint's velocities; a force off the centre of mass turns the body, r × f."""
    ball = Joint("ball", "ball", "rod", "end", Pose((0.0, 0.0, -0.25)))
    slider = Joint("slider", "slider", "end", "tip", Pose((0.0, 0.0, -0.25)))
    scene = replace(
        hanging(0.3),
        bodies=(
            Body("loose", 1.0, (0.1, 0.2, 0.3), (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)),
            rod("rod"),
            rod("end"),
            rod("tip"),
        ),
        joints=(*hanging(0.3).joints, ball, slider),
        inputs=(
            Input("push", body="end", force=("t", 0.0, 1.0), at=(0.1, 0.0, -0.2)),
            Input("twist", joint="ball", torque=(1.0, "2*t", 3.0)),
            Input("drive", joint="hinge", torque=("-t",)),
            Input("again", joint="hinge", torque=(0.5,)),
            Input("slide", joint="slider", torque=("t**2",)),
            Input("turn", body="loose", torque=("1", "t", "0"), force=(0.0, 2.0, 0.0), at=(0.1, 0.2, 0.3)),
        ),
    )
    model = compile_model(scene)
    R = np.array([axis_angle_to_matrix(np.array([1.0, k, 2.0]), 0.4 * k) for k in range(4)])
    tau, wrench = np.full(model.nv, 10.0), np.full((4, 6), 100.0)

    apply_inputs(inputs_of(model), 2.0, R, model.body_center, tau, wrench)

    assert model.joint_names == ("loose", "hinge", "ball", "slider")
    np.testing.assert_allclose(tau - 10, [0, 0, 0, 0, 0, 0, -2 + 0.5, 1, 4, 3, 4])
    force = np.array([2.0, 0.0, 1.0])
    arm = R[2] @ (np.array([0.1, 0.0, -0.2]) - model.body_center[2])
    np.testing.assert_allclose(wrench[0] - 100, [1, 2, 0, 0, 2, 0], atol=1e-12)
    np.testing.assert_allclose(wrench[2] - 100, [*np.cross(arm, force), *force], rtol=1e-12)
    assert (wrench[[1, 3]] == 100).all()


def test_a_scene_without_inputs_adds_nothing() -> None:
    model = compile_model(Scene("loose", "Loose", bodies=(rod("rod"),)))
    tau, wrench = np.ones(6), np.ones((1, 6))
    apply_inputs(inputs_of(model), 1.0, np.eye(3)[None], model.body_center, tau, wrench)
    assert (tau == 1).all() and (wrench == 1).all()
