"""Which function of time of a scene has no value: why a world stopped, when that is why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from sim.expression import compile_expression, value_at
from sim.scene import Expression, FormulaPath, Scene
from sim.wording import place


def valueless(scene: Scene, times: Iterable[float]) -> str:
    """The first one that is not finite at one of the times, in a sentence without its stop; "" if all are."""
    for where, function in _functions(scene):
        program = compile_expression(function)
        for t in times:
            if not np.isfinite(value_at(program, t)):
                return f"{place(where)} has no value at t = {t:.6g} s; write it so that {function} is finite there"
    return ""


def _functions(scene: Scene) -> Iterator[tuple[tuple[str, ...], Expression]]:
    for i in scene.inputs:
        yield from ((("input", i.name, "torque"), f) for f in i.torque)
        yield from ((("input", i.name, "force"), f) for f in i.force)
    for c in scene.controllers:
        yield from ((("controller", c.name, "torque"), f) for torque in c.torque.values() for f in torque)
    for t in scene.targets:
        if isinstance(t.path, FormulaPath):
            yield from ((("target", t.name, "path"), f) for f in t.path.formula)
