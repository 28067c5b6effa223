"""Typed access to the tables of a scene file: what is missing, unknown or of the wrong kind is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import cos, hypot, sin
from typing import Any, NoReturn, TypeVar, cast

from sim.plausible import FINITE, LARGEST, ROTATION_TOLERANCE, check_direction
from sim.scene import Expression, Pose, Quat, SceneError, Vec3
from sim.wording import at, numbers, place, suggestion

V = TypeVar("V")

_ROUNDING = 1e-15  # what is left in the length of a quaternion that has been normalised


class Table:
    """One table of the file. Readers named after a type take a key that must be there; see `optional`."""

    def __init__(self, data: dict[str, Any], where: tuple[str, ...], keys: Sequence[str]) -> None:
        self.data = data
        self.where = where
        for key in data:
            if key not in keys:
                raise SceneError(f'{place(where)} has no key "{key}"; {suggestion(key, keys)}', (*where, key))

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)

    def optional(self, key: str, read: Callable[[str], V], default: V) -> V:
        """`read(key)` if the key is there."""
        return read(key) if key in self.data else default

    def fail(self, sentence: str, *key: str) -> NoReturn:
        """A mistake at a key of this table, or in the table as a whole."""
        raise SceneError(at(self.where, sentence), (*self.where, *key))

    def value(self, key: str, expected: str) -> Any:
        if key not in self.data:
            self.fail(f'"{key}" is missing; expected {expected}')
        return self.data[key]

    def number(self, key: str) -> float:
        return self._number(self.value(key, "a number"), key)

    def numbers(self, key: str, count: int | None = None) -> tuple[float, ...]:
        """A list of numbers, of a given length if `count` says so."""
        expected = "a list of numbers" if count is None else f"a list of {count} numbers"
        return self._members(key, count, expected, self._number)

    def expression(self, key: str) -> Expression:
        return self._expression(self.value(key, "a number or a function of t"), key)

    def expressions(self, key: str, count: int) -> tuple[Expression, ...]:
        return self._members(key, count, f"a list of {count} numbers or functions of t", self._expression)

    def vector(self, key: str) -> Vec3:
        return cast(Vec3, self.numbers(key, 3))

    def vectors(self, key: str) -> tuple[Vec3, ...]:
        """A list of [x, y, z]."""
        rows = self.value(key, "a list of points [x, y, z]")
        if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
            self.fail(f"{key} is {shown(rows)}; expected a list of points [x, y, z]", key)
        for number, row in enumerate(rows):
            if len(row) != 3:
                self.fail(f"{key} has a point of {numbers(len(row))}; expected 3", key, str(number))
        return tuple(cast(Vec3, tuple(self._number(x, key, str(n)) for x in row)) for n, row in enumerate(rows))

    def pair(self, key: str) -> tuple[float, float]:
        return cast("tuple[float, float]", self.numbers(key, 2))

    def text(self, key: str, expected: str = "text in quotes") -> str:
        text = self.value(key, expected)
        if not isinstance(text, str):
            self.fail(f"{key} is {shown(text)}; expected {expected}", key)
        return text

    def texts(self, key: str) -> tuple[str, ...]:
        texts = self.value(key, "a list of texts in quotes")
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            self.fail(f"{key} is {shown(texts)}; expected a list of texts in quotes", key)
        return tuple(texts)

    def flag(self, key: str) -> bool:
        flag = self.value(key, "true or false")
        if not isinstance(flag, bool):
            self.fail(f"{key} is {shown(flag)}; expected true or false", key)
        return flag

    def table(self, key: str, keys: Sequence[str]) -> Table:
        return Table(self._table(key), (*self.where, key), keys)

    def named(self, key: str, keys: Sequence[str]) -> list[tuple[str, Table]]:
        """Tables by names that people choose, such as [body.NAME], in the order of the file."""
        names = self.open_table(key)
        for name, value in names.data.items():
            if not isinstance(value, dict):
                raise SceneError(f'{key} "{name}" is {shown(value)}; expected a table', (key, name))
        return [(name, names.table(name, keys)) for name in names]

    def open_table(self, key: str) -> Table:
        """A table whose keys are names that people choose; empty if there is none."""
        data = self._table(key) if key in self.data else {}
        return Table(data, (*self.where, key), list(data))

    def list_of_tables(self, key: str, keys: Sequence[str]) -> list[Table]:
        values = self.value(key, "a list of tables { ... }")
        if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
            self.fail(f"{key} is {shown(values)}; expected a list of tables {{ ... }}", key)
        return [Table(value, (*self.where, key, str(number)), keys) for number, value in enumerate(values)]

    def rotation(self, key: str) -> Quat:
        """[w, x, y, z] or { axis = [x, y, z], angle = radians }.

        A quaternion is normalised, unless it is that already or so far off that `sim.check` will refuse it.
        """
        value = self.value(key, "a rotation")
        if isinstance(value, dict):
            return self._axis_angle(key)
        if not isinstance(value, list):
            self.fail(f"{key} is {shown(value)}; expected [w, x, y, z] or {{ axis = [x, y, z], angle = ... }}", key)
        q = self.numbers(key, 4)
        length = hypot(*q)
        off = abs(length - 1)
        return cast(Quat, tuple(c / length for c in q) if _ROUNDING < off <= ROTATION_TOLERANCE else q)

    def _axis_angle(self, key: str) -> Quat:
        table = self.table(key, ("axis", "angle"))
        axis, angle = table.vector("axis"), table.number("angle")
        check_direction((*table.where, "axis"), axis)
        return turn_about(axis, angle)

    def pose(self, prefix: str = "") -> Pose:
        """The keys `position` and `rotation`, both optional."""
        start = Pose()
        return Pose(
            self.optional(f"{prefix}position", self.vector, start.position),
            self.optional(f"{prefix}rotation", self.rotation, start.rotation),
        )

    def _table(self, key: str) -> dict[str, Any]:
        value = self.value(key, "a table")
        if not isinstance(value, dict):
            self.fail(f"{key} is {shown(value)}; expected a table", key)
        return value

    def _members(self, key: str, count: int | None, expected: str, read: Callable[..., V]) -> tuple[V, ...]:
        values = self.value(key, expected)
        if not isinstance(values, list):
            self.fail(f"{key} is {shown(values)}; expected {expected}", key)
        if count is not None and len(values) != count:
            self.fail(f"{key} has {numbers(len(values))}; expected {count}", key)
        return tuple(read(value, key, str(i)) for i, value in enumerate(values))

    def _expression(self, value: Any, *key: str) -> Expression:
        """A text is looked at by `sim.check`."""
        return value if isinstance(value, str) else self._number(value, *key, expected="a number or a function of t")

    def _number(self, value: Any, *key: str, expected: str = "a number") -> float:
        """`key` is that of the number, or of its list and its place there."""
        verb = "is" if len(key) == 1 else "contains"
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.fail(f"{key[0]} {verb} {shown(value)}; expected {expected}", *key)
        try:
            number = float(value)
        except OverflowError:
            number = float("inf")
        if not abs(number) <= LARGEST:
            self.fail(f"{key[0]} {verb} {number:g}; expected {FINITE}", *key)
        return number


def turn_about(axis: Vec3, angle: float) -> Quat:
    """The quaternion of a turn about an axis of any length."""
    s = sin(angle / 2) / hypot(*axis)
    return (cos(angle / 2), s * axis[0], s * axis[1], s * axis[2])


def shown(value: Any) -> str:
    """A value of the file in a sentence."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'the text "{value if len(value) <= 40 else value[:37] + "..."}"'
    if isinstance(value, int) and abs(value) >= 10**15:
        return "a huge number"
    return str(value)
