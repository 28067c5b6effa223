"""Commands as what JSON can say, {"SetGain": {"controller": "pd", ...}}, and back, by the types of their fields."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from sim.command import Command
from sim.past import JOURNALLED
from sim.wording import suggestion

_WORDS: dict[Any, str] = {float: "a number", int: "a whole number", str: "a text", bool: "true or false"}


def command_data(command: Command) -> dict[str, Any]:
    return {type(command).__name__: {f.name: _data(getattr(command, f.name)) for f in fields(command)}}


def read_command(data: Any) -> Command:
    """Raises ValueError with a sentence."""
    if not isinstance(data, Mapping) or len(data) != 1:
        raise ValueError("a command is one name with its values.")
    ((name, values),) = data.items()
    if name not in JOURNALLED:
        raise ValueError(f'there is no command "{name}"; {suggestion(name, tuple(JOURNALLED))}')
    hints = _HINTS[name]
    if not isinstance(values, Mapping) or set(values) != set(hints):
        wanted = ", ".join(f'"{key}"' for key in hints) or "nothing"
        raise ValueError(f"{name} consists of {wanted}.")
    return JOURNALLED[name](**{key: _value(hint, values[key], f"{name}.{key}") for key, hint in hints.items()})


def _hints(command: type[Command]) -> dict[str, Any]:
    hints = get_type_hints(command)
    return {field.name: hints[field.name] for field in fields(command)}


def _data(value: Any) -> Any:
    if isinstance(value, Command):
        return command_data(value)
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [_data(member) for member in value] if isinstance(value, tuple | list) else value


def _value(hint: Any, data: Any, where: str) -> Any:
    if get_origin(hint) in (Union, types.UnionType):
        return None if data is None else _value(get_args(hint)[0], data, where)
    if get_origin(hint) is tuple:
        return _tuple(get_args(hint), data, where)
    if hint is Command:
        return read_command(data)
    allowed = (int, float) if hint is float else (hint,)
    if type(data) not in allowed:
        raise ValueError(f"{where} is {_WORDS[hint]}, not {data!r:.40}.")
    return data


def _tuple(hints: tuple[Any, ...], data: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(data, Sequence) or isinstance(data, str):
        raise ValueError(f"{where} is a list, not {data!r:.40}.")
    if hints[-1] is Ellipsis:
        hints = (hints[0],) * len(data)
    if len(data) != len(hints):
        raise ValueError(f"{where} is a list of {len(hints)}, not of {len(data)}.")
    return tuple(_value(hint, member, where) for hint, member in zip(hints, data, strict=True))


_HINTS = {name: _hints(command) for name, command in JOURNALLED.items()}
