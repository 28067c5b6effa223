"""Runs as files NAME.run.json, complete in themselves; what is read back is the same run, to the bit.

Arrays are the bytes of their numbers in base64, little end first; other numbers are the shortest text that reads back
as the same float64.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sim.command import SetStep
from sim.files.command_data import command_data, read_command
from sim.files.draft import Draft
from sim.files.scene_file import parse_scene
from sim.files.scene_writer import scene_text
from sim.past import End, Entry, Keyframe, Run
from sim.scene import Scene, SceneError
from sim.state import Array, State

FORMAT = 1
_KEY = "impulse_run"  # its value is the version of the format
_TYPES = ("<f8", "<i8", "|b1")


def write_run(run: Run, path: str | os.PathLike[str]) -> None:
    """Complete or not at all; raises SceneError and OSError."""
    text = run_text(run)
    with Draft(path) as draft, open(draft.path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def run_text(run: Run) -> str:
    """With a line for every entry."""
    scene = {"name": run.scene.name, "variant": run.scene.variant, "toml": scene_text(run.scene)}
    begin, state, end = run.begin, run.begin.state, run.end
    head = {
        _KEY: FORMAT,
        "program": run.program,
        "scene": scene,
        "begin": {
            "backend": state.backend,
            "step": state.step,
            "time": state.time,
            "since": begin.since,
            "settings": [command_data(command) for command in begin.settings],
            "engine": {name: _array_data(array) for name, array in state.engine.items()},
            "desk": {name: _array_data(array) for name, array in state.desk.items()},
        },
    }
    tail = {"step": end.step, "time": end.time, "digest": end.digest, "q": end.q, "v": end.v}
    entries = ",\n".join(f"  {_json({'step': e.step, 'do': command_data(e.command)})}" for e in run.entries)
    lines = [f" {_json(key)}: {_json(value)}" for key, value in head.items()]
    lines += [f' "entries": [\n{entries}\n ]' if entries else ' "entries": []', f' "end": {_json(tail)}']
    return "{\n" + ",\n".join(lines) + "\n}\n"


def read_run(path: str | os.PathLike[str]) -> Run:
    """Raises SceneError, one sentence that begins with the file, for whatever keeps it from being a run."""
    file = os.fspath(path)
    try:
        return _run(_Part(_parse(file), ""))
    except (SceneError, ValueError) as problem:
        raise SceneError(f"{file}: {problem}") from None


def _parse(file: str) -> dict[str, Any]:
    try:
        with open(file, encoding="utf-8-sig") as stream:
            data = json.load(stream)
    except json.JSONDecodeError as error:
        message = f"line {error.lineno}, column {error.colno}: this is not JSON ({error.msg})"
        raise SceneError(f"{message}; expected a run that was saved whole.") from None
    except (RecursionError, UnicodeDecodeError):
        raise SceneError("this is no text in JSON; expected a run that was saved.") from None
    except OSError as error:
        raise SceneError(f"it cannot be read: {error.strerror or error}.") from None
    if not isinstance(data, dict) or _KEY not in data:
        raise SceneError("this is no run; File ▸ Save run… in the window writes one.")
    if data[_KEY] != FORMAT:
        raise SceneError(
            f"its format is version {data[_KEY]!r:.20}, and this program reads version {FORMAT}; "
            f"take it again with the Impulse that wrote it ({data.get('program', 'unknown')!s:.20})."
        )
    return data


class _Part:
    """A table in the file, whose members are asked for by their names and kinds."""

    def __init__(self, data: dict[str, Any], where: str) -> None:
        self.data, self._where = data, where

    def get(self, key: str, *kinds: type) -> Any:
        value = self.data.get(key)
        if type(value) not in kinds:
            fault = "has the wrong kind of value" if key in self.data else "is missing"
            raise SceneError(f'"{self._where}{key}" {fault}.')
        return value

    def part(self, key: str) -> _Part:
        return _Part(self.get(key, dict), f"{self._where}{key}.")

    def number(self, key: str) -> float:
        return float(self.get(key, int, float))

    def numbers(self, key: str) -> tuple[float, ...]:
        values = self.get(key, list)
        if not all(type(value) in (int, float) for value in values):
            raise SceneError(f'"{self._where}{key}" has the wrong kind of value.')
        return tuple(map(float, values))

    def arrays(self, key: str) -> dict[str, Array]:
        part = self.part(key)
        return {name: _array(part.get(name, dict), f'"{part._where}{name}"') for name in part.data}


def _run(top: _Part) -> Run:
    begin, end = _keyframe(top.part("begin")), _end(top.part("end"))
    entries = tuple(_entry(data, number) for number, data in enumerate(top.get("entries", list), 1))
    steps = [begin.state.step, *(entry.step for entry in entries), end.step]
    if steps != sorted(steps):
        raise SceneError('the steps of "entries" go back, or past the end.')
    return Run(_scene(top.part("scene")), begin, entries, end, top.get("program", str))


def _scene(part: _Part) -> Scene:
    """By its own name; the file that it came from does not matter any more."""
    name, variant, text = (part.get(key, str) for key in ("name", "variant", "toml"))
    try:
        scene = parse_scene(text, f"{name}.toml")
    except SceneError as problem:
        raise SceneError(f"in its scene, {problem}") from None
    return replace(scene, name=name, variant=variant, path=None)


def _keyframe(part: _Part) -> Keyframe:
    settings = tuple(read_command(data) for data in part.get("settings", list))
    since = part.get("since", list)
    if [type(value) for value in since] != [int, float] or not any(isinstance(c, SetStep) for c in settings):
        raise SceneError('"begin" does not say which step size holds.')
    step, backend = part.get("step", int), part.get("backend", str)
    state = State(backend, step, part.number("time"), part.arrays("engine"), part.arrays("desk"))
    return Keyframe(state, settings, (since[0], since[1]))


def _entry(data: Any, number: int) -> Entry:
    try:
        part = _Part(data if isinstance(data, dict) else {}, "")
        return Entry(part.get("step", int), read_command(part.get("do", dict)))
    except ValueError as problem:
        raise SceneError(f"entry {number}: {problem}") from None


def _end(part: _Part) -> End:
    place = part.get("step", int), part.number("time"), part.get("digest", str)
    return End(*place, part.numbers("q"), part.numbers("v"))


def _array_data(array: Array) -> dict[str, Any]:
    little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    if little.dtype.str not in _TYPES:
        raise TypeError(f"an array of {array.dtype} cannot be written")
    bits = base64.b64encode(little.tobytes()).decode()
    return {"type": little.dtype.str, "shape": list(array.shape), "base64": bits}


def _array(data: Mapping[str, Any], where: str) -> Array:
    kind, shape, bits = data.get("type"), data.get("shape"), data.get("base64")
    if kind not in _TYPES or not isinstance(shape, list) or not isinstance(bits, str):
        raise SceneError(f"{where} is no array.")
    try:
        raw = base64.b64decode(bits, validate=True)
        return np.frombuffer(raw, kind).reshape(shape).astype(np.dtype(kind).newbyteorder("="))
    except (binascii.Error, ValueError, TypeError):
        raise SceneError(f"{where} does not have the bytes that its shape wants.") from None


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
