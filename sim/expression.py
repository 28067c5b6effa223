"""Functions of time as people write them, "2*sin(3*t)", compiled to a postfix program. Nothing is ever executed.

The text is cut into numbers, names and signs first, so that only these reach Python's own parser; of its
tree only the nodes below are taken.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from math import isfinite, pi
from typing import Any, NamedTuple

import numpy as np

from sim.wording import listing, suggestion

Array = np.ndarray[Any, np.dtype[Any]]

LONGEST = 500  # characters
DEEPEST = 250  # operations within operations; a sum of n terms has n - 1

# Instructions. A number is pushed, t is pushed; the others take one or two operands and push what comes out.
NUMBER, TIME, NEGATE, ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER = range(8)
SIN, COS, TAN, TANH, EXP, LOG, SQRT, ABS, SIGN, STEP, RAMP, MIN, MAX = range(8, 21)

FUNCTIONS = {
    "sin": SIN,
    "cos": COS,
    "tan": TAN,
    "tanh": TANH,
    "exp": EXP,
    "log": LOG,
    "sqrt": SQRT,
    "abs": ABS,
    "sign": SIGN,
    "step": STEP,
    "ramp": RAMP,
    "min": MIN,
    "max": MAX,
}
_OPERATORS: dict[type[ast.AST], int] = {
    ast.Add: ADD,
    ast.Sub: SUBTRACT,
    ast.Mult: MULTIPLY,
    ast.Div: DIVIDE,
    ast.Pow: POWER,
}
_OF_TWO = (MIN, MAX)
_NAMES = ("t", "pi", *FUNCTIONS)
_EXPECTED = f"expected numbers, t, pi and the functions {listing(FUNCTIONS)}"

_TOKEN = re.compile(r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d]\w*)|(?P<sign>[-+*/(),])|.")


class ExpressionError(ValueError):
    """What is wrong with a text, to follow its name: 'contains "x"; expected …'."""


class Program(NamedTuple):
    """Postfix: `value` is what a NUMBER pushes."""

    op: Array  # (n,) int64
    value: Array  # (n,) float64
    depth: int  # operands waiting at once


def compile_expression(expression: float | str) -> Program:
    """The program of a number or of a text; raises ExpressionError."""
    code: list[tuple[int, float]] = []
    if isinstance(expression, str):
        _emit(_parse(" ".join(expression.split())), code, DEEPEST)
    else:
        code.append((NUMBER, float(expression)))
    return Program(
        np.array([op for op, _ in code], dtype=np.int64),
        np.array([value for _, value in code], dtype=np.float64),
        _depth([op for op, _ in code]),
    )


def _parse(text: str) -> ast.expr:
    if not text:
        raise ExpressionError("is empty; expected a number or a function of t")
    if len(text) > LONGEST:
        raise ExpressionError(f"has {len(text)} characters; expected at most {LONGEST}")
    for token in _TOKEN.finditer(text):
        _check_token(token)
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, RecursionError, MemoryError):
        raise ExpressionError(f'is "{_short(text)}", which is no formula; expected one such as "2*sin(3*t)"') from None


def _check_token(token: re.Match[str]) -> None:
    word = token.group()
    if word == "^":
        raise ExpressionError('contains "^"; expected ** for powers')
    if token["name"] and word not in _NAMES:
        hint = suggestion(word, _NAMES)
        raise ExpressionError(f'contains "{word}"; {hint if "mean" in hint else _EXPECTED}')
    if not (token["number"] or token["name"] or token["sign"] or word == " "):
        raise ExpressionError(f"contains {word!a}; {_EXPECTED}")


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."


def _emit(node: ast.expr, code: list[tuple[int, float]], room: int) -> None:
    """Operands first, then what is done to them."""
    if room == 0:
        raise ExpressionError(f"is nested too deeply; expected at most {DEEPEST} levels")
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            code.append((NUMBER, _finite(value)))
        case ast.Name(id="t"):
            code.append((TIME, 0.0))
        case ast.Name(id="pi"):
            code.append((NUMBER, pi))
        case ast.Name(id=name):
            raise ExpressionError(f'contains "{name}" without its brackets; expected {name}(…)')
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            _emit(operand, code, room - 1)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            _emit(operand, code, room - 1)
            code.append((NEGATE, 0.0))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            _emit(left, code, room - 1)
            _emit(right, code, room - 1)
            code.append((_OPERATORS[type(op)], 0.0))
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in FUNCTIONS:
            _emit_call(name, arguments, code, room)
        case _:
            raise ExpressionError(f'contains "{_short(ast.unparse(node))}"; {_EXPECTED}, joined by + - * / and **')


def _emit_call(name: str, arguments: list[ast.expr], code: list[tuple[int, float]], room: int) -> None:
    """min and max take two or more, the others one."""
    op = FUNCTIONS[name]
    if len(arguments) < 2 if op in _OF_TWO else len(arguments) != 1:
        wanted = "two or more" if op in _OF_TWO else "one"
        raise ExpressionError(f"gives {name} {len(arguments)} arguments; expected {wanted}")
    for number, argument in enumerate(arguments):
        _emit(argument, code, room - 1)
        if number > 0 or op not in _OF_TWO:
            code.append((op, 0.0))


def _finite(value: float) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if not isfinite(number):
        raise ExpressionError("contains a number that is too large; expected at most 1e308")
    return number


def _depth(ops: list[int]) -> int:
    """The most operands that wait at once."""
    deepest = waiting = 0
    for op in ops:
        if op in (NUMBER, TIME):
            waiting += 1
        elif ADD <= op <= POWER or op in _OF_TWO:
            waiting -= 1
        deepest = max(deepest, waiting)
    return deepest


_MEANINGS: dict[int, Callable[..., float]] = {
    NEGATE: operator.neg,
    ADD: operator.add,
    SUBTRACT: operator.sub,
    MULTIPLY: operator.mul,
    DIVIDE: operator.truediv,
    POWER: operator.pow,
    SIN: np.sin,
    COS: np.cos,
    TAN: np.tan,
    TANH: np.tanh,
    EXP: np.exp,
    LOG: np.log,
    SQRT: np.sqrt,
    ABS: abs,
    SIGN: np.sign,
    STEP: lambda x: np.heaviside(x, 1.0),
    RAMP: lambda x: np.maximum(x, 0.0),
    MIN: np.minimum,
    MAX: np.maximum,
}


def value_at(program: Program, t: float) -> float:
    """The program's value at the time t, in plain NumPy; compiled steps have their own (sim/dynamics/inputs.py)."""
    waiting: list[Any] = []
    with np.errstate(all="ignore"):
        for op, number in zip(program.op.tolist(), program.value, strict=True):
            if op in (NUMBER, TIME):
                waiting.append(number if op == NUMBER else np.float64(t))
                continue
            count = 2 if ADD <= op <= POWER or op in _OF_TWO else 1
            operands = waiting[-count:]
            waiting[-count:] = [_MEANINGS[op](*operands)]
    return float(waiting[0])
