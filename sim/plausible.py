"""Single values of a scene: each finds its one sentence for what is implausible, and its place in the file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import hypot
from typing import NoReturn

from sim.scene import Pose, SceneError
from sim.wording import Where, at, numbers, suggestion

LARGEST = 1e9  # of all numbers in SI units; squares and cubes of what is beyond overflow
FINITE = f"a finite number, at most {LARGEST:g}"
ROTATION_TOLERANCE = 1e-3  # how far from 1 the length of a quaternion may be


def fail(where: Where, sentence: str) -> NoReturn:
    """`where` ends with the key (of a list: the key and a number), which the sentence names itself."""
    table = where[: -2 if where[-1].isdigit() else -1]
    raise SceneError(at(table, sentence), where)


def key_of(where: Where) -> str:
    return where[-2] if where[-1].isdigit() else where[-1]


def check_known(where: Where, name: str, kind: str, known: Iterable[str]) -> None:
    if name not in known:
        fail(where, f'{key_of(where)} names "{name}", but there is no such {kind}; {suggestion(name, known)}')


def check_numbers(where: Where, values: Sequence[float], count: int) -> None:
    if len(values) != count:
        fail(where, f"{key_of(where)} has {numbers(len(values))}; expected {count}")
    for value in values:
        if not abs(value) <= LARGEST:
            fail(where, f"{key_of(where)} contains {value:g}; expected {FINITE}")


def check_direction(where: Where, vector: Sequence[float]) -> None:
    """Three numbers that point somewhere."""
    check_numbers(where, vector, 3)
    length = hypot(*vector)
    if not 1e-6 < length < 1e6:
        fail(where, f"{key_of(where)} has length {length:g}; expected a direction such as [0, 0, 1]")


def check_quaternion(where: Where, rotation: Sequence[float]) -> None:
    check_numbers(where, rotation, 4)
    length = hypot(*rotation)
    if abs(length - 1) > ROTATION_TOLERANCE:
        fail(where, f"{key_of(where)} is a quaternion of length {length:.6g}; expected w, x, y, z of length 1")


def check_pose(where: Where, pose: Pose, prefix: str = "") -> None:
    check_numbers((*where, f"{prefix}position"), pose.position, 3)
    check_quaternion((*where, f"{prefix}rotation"), pose.rotation)


def check_bound(where: Where, value: float, unit: str, *, zero: bool = False) -> None:
    """Above 0, or not below it."""
    if value < 0 or (value == 0 and not zero):
        fail(where, f"{key_of(where)} is {value:g}{unit}; expected {'0 or more' if zero else 'a number above 0'}")
    if not value <= LARGEST:
        fail(where, f"{key_of(where)} is {value:g}{unit}; expected {FINITE}")
