"""Shapes in a scene file: { box = [x, y, z] }, { sphere = r }, { capsule = r, from = [...], to = [...] }…"""

from __future__ import annotations

from math import hypot

from sim.check import check_shape
from sim.files.reader import Table
from sim.scene import SHAPE_KINDS, Pose, Shape, Vec3
from sim.wording import listing

_KEYS = (*SHAPE_KINDS, "from", "to", "position", "rotation", "color")
LONG = ("cylinder", "capsule")


def read_shapes(owner: Table) -> tuple[Shape, ...]:
    """What a table gives as `shape` or as a list of `shapes`; nothing if neither."""
    if "shape" in owner and "shapes" in owner:
        owner.fail("shape and shapes are both given; expected one of them", "shape")
    if "shape" in owner:
        return (_shape(owner.table("shape", _KEYS)),)
    if "shapes" in owner:
        return tuple(_shape(table) for table in owner.list_of_tables("shapes", _KEYS))
    return ()


def _shape(table: Table) -> Shape:
    kinds = [kind for kind in SHAPE_KINDS if kind in table]
    if len(kinds) != 1:
        found = f"{listing(kinds)} are given together" if kinds else "its kind is missing"
        table.fail(f"{found}; expected one of {listing(SHAPE_KINDS)}")
    kind = kinds[0]
    size, pose = _between(table, kind) if "from" in table or "to" in table else (_size(table, kind), table.pose())
    shape = Shape(kind, size, pose, table.optional("color", table.text, "link"))
    check_shape(table.where, shape)
    return shape


def _size(table: Table, kind: str) -> tuple[float, ...]:
    if kind == "sphere":
        return (table.number(kind),)
    if kind == "box":
        return table.numbers(kind, 3)
    if not isinstance(table.value(kind, "a size"), list):
        table.fail(f"{kind} is a single number; expected [radius, length], or a radius with from and to", kind)
    return table.numbers(kind, 2)


def _between(table: Table, kind: str) -> tuple[tuple[float, float], Pose]:
    """Radius and length, and the pose that lays the shape's z axis from one point to another."""
    if kind not in LONG:
        table.fail(f"from and to are only for {listing(LONG)}; expected position and rotation", "from")
    for key in ("position", "rotation"):
        if key in table:
            table.fail(f"{key} is given beside from and to; expected one or the other", key)
    radius, start, end = table.number(kind), table.vector("from"), table.vector("to")
    if start == end:
        table.fail("from and to are the same point; expected two points", "to")
    length, pose = laid_between(start, end)
    return (radius, length), pose


def laid_between(start: Vec3, end: Vec3) -> tuple[float, Pose]:
    """The length between two points, and the pose of a shape whose z axis runs from one to the other."""
    x, y, z = (b - a for a, b in zip(start, end, strict=True))
    length = hypot(x, y, z)
    middle: Vec3 = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, (start[2] + end[2]) / 2)
    return length, Pose(middle, _turn_z_to(x / length, y / length, z / length))


def _turn_z_to(x: float, y: float, z: float) -> tuple[float, float, float, float]:
    """The shortest turn of +z to a unit vector d: q ∝ (1 + z·d, z × d)."""
    norm = hypot(1 + z, y, x)
    if norm < 1e-9:
        return (0.0, 1.0, 0.0, 0.0)
    return ((1 + z) / norm, -y / norm, x / norm, 0.0)
