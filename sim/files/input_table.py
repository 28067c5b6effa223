"""Inputs in a scene file: { joint = "crank", torque = "2*sin(3*t)" }, { body = "b", force = [0, 0, "10*t"] }…"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from sim.files.reader import Table
from sim.scene import ORIGIN, Expression, Input, Joint

Three = tuple[Expression, Expression, Expression]


def read_inputs(top: Table, keys: Sequence[str], joints: Sequence[Joint]) -> tuple[Input, ...]:
    """All [input.NAME]."""
    kinds = {joint.name: joint.kind for joint in joints}
    return tuple(_input(name, table, kinds) for name, table in top.named("input", keys))


def _input(name: str, table: Table, kinds: Mapping[str, str]) -> Input:
    if ("joint" in table) == ("body" in table):
        found = "joint and body are both given" if "joint" in table else '"joint" or "body" is missing'
        table.fail(f"{found}; expected the name of what it drives")
    if "joint" in table:
        return _joint_input(name, table, kinds)
    if "torque" not in table and "force" not in table:
        table.fail('"force" is missing; expected 3 numbers or functions of t, or a torque of as many')
    no_force: tuple[Expression, ...] = (0.0, 0.0, 0.0)
    return Input(
        name,
        body=table.text("body", "the name of a body"),
        torque=table.optional("torque", lambda key: table.expressions(key, 3), ()),
        force=cast(Three, table.optional("force", lambda key: table.expressions(key, 3), no_force)),
        at=table.optional("at", table.vector, ORIGIN),
    )


def _joint_input(name: str, table: Table, kinds: Mapping[str, str]) -> Input:
    """What drives a slider is called a force."""
    joint = table.text("joint", "the name of a joint")
    if joint not in kinds:
        return Input(name, joint=joint)  # sim.check refuses it
    key, other = ("force", "torque") if kinds[joint] == "slider" else ("torque", "force")
    if other in table:
        table.fail(f'joint "{joint}" is a {kinds[joint]}; expected a {key}', other)
    if "at" in table:
        table.fail("at is where a force on a body acts; expected none on a joint", "at")
    torque = table.expressions(key, 3) if kinds[joint] == "ball" else (table.expression(key),)
    return Input(name, joint=joint, torque=torque)
