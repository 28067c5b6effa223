"""[dh.NAME] in a scene file: a serial arm by modified Denavit–Hartenberg rows, made into bodies and joints.

Frame i stands in frame i − 1 at Rot_x(alpha) Trans_x(d) Rot_z(theta + q) Trans_z(r) (of a slider r + q); it is the
frame of body i, which turns about its own z.
"""

from __future__ import annotations

from math import cos, sin
from typing import Any

import numpy as np

from sim.check import inertia_problem
from sim.files.document import Document
from sim.files.reader import Table, shown
from sim.scene import WORLD, Pose
from sim.spatial.rotation import matrix_to_quat, quat_to_matrix

ARM_KEYS = ("parent", "position", "rotation", "radius", "link", "tool")
_ROW = ("alpha", "d", "theta", "r")
_TOOL_KEYS = ("name", *_ROW)
_OWN_KEYS = ("name", "joint", "inertia_about", *_ROW)
# What the rows say themselves.
_NOT_OF_BODIES = ("position", "rotation", "velocity")
_NOT_OF_JOINTS = (
    "parent",
    "child",
    "position",
    "rotation",
    "child_position",
    "child_rotation",
    "axis",
    "cone",
    "twist",
)
_ABOUT = ("center", "origin")
RADIUS = 0.05  # [m] of the drawn links, thinner towards the tip
TAPER = 0.9


def expand_dh(document: Document, body_keys: tuple[str, ...], joint_keys: tuple[str, ...]) -> None:
    """Bodies, joints and a tool frame in place of every arm; what the file says of single ones is laid over."""
    if "dh" not in document.data:
        return
    made = Document(document.file, {"body": {}, "joint": {}, "frame": {}, "world": {"shapes": []}}, {})
    of_bodies = tuple(key for key in body_keys if key not in _NOT_OF_BODIES)
    of_joints = tuple(key for key in joint_keys if key not in _NOT_OF_JOINTS)
    for _, arm in Table(document.data, (), list(document.data)).named("dh", ARM_KEYS):
        _expand(arm, of_bodies, of_joints, document, made)
    rest = {key: value for key, value in document.data.items() if key != "dh"}
    made.lay_over(rest, {where: place for where, place in document.places.items() if where[0] != "dh"})
    document.data, document.places = made.data, made.places


def _expand(
    arm: Table, of_bodies: tuple[str, ...], of_joints: tuple[str, ...], document: Document, made: Document
) -> None:
    rows = arm.list_of_tables("link", (*_OWN_KEYS, *dict.fromkeys((*of_bodies, *of_joints))))
    tool = arm.table("tool", _TOOL_KEYS) if "tool" in arm else None
    radius = arm.optional("radius", arm.number, RADIUS)
    base, parent = arm.pose(), arm.optional("parent", arm.text, WORLD)
    names = [_unused(row, "name", row.text("name"), made.data["body"]) for row in rows]
    for i, (row, name) in enumerate(zip(rows, names, strict=True)):
        joint = _unused(row, "joint", row.optional("joint", row.text, name), made.data["joint"])
        body = {key: row.data[key] for key in of_bodies if key in row}
        if "inertia" in row and row.optional("inertia_about", row.text, "center") != "center":
            body["inertia"] = _about_center(row)
        if "shape" not in row and "shapes" not in row:
            following = rows[i + 1].optional("d", rows[i + 1].number, 0.0) if i + 1 < len(rows) else 0.0
            body["shapes"] = _shapes(_row(row)[3], following, _end(tool) if name == names[-1] else None, radius, i)
        made.data["body"][name] = body
        made.data["joint"][joint] = {
            "type": "hinge",
            **{key: row.data[key] for key in of_joints if key in row},
            **_placed(base if i == 0 else Pose(), row),
            **{"parent": parent if i == 0 else names[i - 1], "child": name},
        }
        for where, place in document.below(row.where).items():
            made.places[("body", name, *where)] = place
            made.places[("joint", joint, *where)] = place
    if tool is not None:
        frame = tool.optional("name", tool.text, "tool")
        made.data["frame"][frame] = {"body": names[-1], **_placed(Pose(), tool)}
        made.places[("frame", frame)] = document.place(tool.where)
    if parent == WORLD and "world" not in document.data:
        made.data["world"]["shapes"] += _pedestal(base, radius)


def _unused(row: Table, key: str, name: str, names: dict[str, Any]) -> str:
    if name in names:
        row.fail(f'{key} is "{name}", which another link has already; expected another name', key)
    names[name] = {}
    return name


def _row(row: Table) -> tuple[float, float, float, float]:
    alpha, d, theta, r = (row.optional(key, row.number, 0.0) for key in _ROW)
    return alpha, d, theta, r


def _placed(base: Pose, row: Table) -> dict[str, list[float]]:
    """Position and rotation of the row's frame at q = 0."""
    alpha, d, theta, r = _row(row)
    a, b, c, e = cos(alpha / 2), sin(alpha / 2), cos(theta / 2), sin(theta / 2)
    R = quat_to_matrix(np.array(base.rotation))
    p = np.array(base.position) + R @ [d, -r * sin(alpha), r * cos(alpha)]
    rotation = matrix_to_quat(R @ quat_to_matrix(np.array([a * c, b * c, -b * e, a * e])))
    return {"position": p.tolist(), "rotation": rotation.tolist()}


def _about_center(row: Table) -> list[float]:
    """I_C = I_O − m (c² 1 − c cᵀ), refused where no solid has it."""
    about = row.text("inertia_about")
    if about not in _ABOUT:
        row.fail(f"inertia_about is {shown(about)}; expected center or origin", "inertia_about")
    given = row.numbers("inertia")
    if len(given) not in (3, 6):
        return list(given)  # a mistake that the reader names
    m, (x, y, z) = row.number("mass"), row.optional("center", row.vector, (0.0, 0.0, 0.0))
    xx, yy, zz, xy, xz, yz = (*given, 0.0, 0.0, 0.0)[:6]
    six = [
        *(xx - m * (y * y + z * z), yy - m * (x * x + z * z), zz - m * (x * x + y * y)),
        *(xy + m * x * y, xz + m * x * z, yz + m * y * z),
    ]
    if problem := inertia_problem(six):
        row.fail(f"inertia, moved from the frame's origin to the centre of mass, {problem}", "inertia")
    return six


def _end(tool: Table | None) -> list[float] | None:
    return None if tool is None else _placed(Pose(), tool)["position"]


def _shapes(r: float, d: float, end: list[float] | None, radius: float, i: int) -> list[dict[str, Any]]:
    """A cylinder about the joint, capsules up its own offset r, along x to the next joint, and out to the tool."""
    thick = radius * TAPER**i
    color = "link" if i % 2 == 0 else "link2"
    low = -r + 1.5 * thick if r > 3 * thick else -1.5 * thick
    out: list[dict[str, Any]] = [
        {"cylinder": 1.25 * thick, "from": [0.0, 0.0, low], "to": [0.0, 0.0, low + 3 * thick], "color": "base"}
    ]
    if abs(r) > 3 * thick:
        start = -r + 3 * thick if r > 0 else -r
        out.append({"capsule": thick, "from": [0.0, 0.0, start], "to": [0.0, 0.0, 0.0], "color": color})
    for tip in ([d, 0.0, 0.0], end or [0.0, 0.0, 0.0]):
        if np.linalg.norm(tip) > thick:
            out.append({"capsule": 0.9 * thick, "from": [0.0, 0.0, 0.0], "to": tip, "color": color})
    return out


def _pedestal(base: Pose, radius: float) -> list[dict[str, Any]]:
    p = np.array(base.position)
    up = quat_to_matrix(np.array(base.rotation))[:, 2]
    return [
        {"cylinder": 2.2 * radius, "from": p.tolist(), "to": (p + 0.3 * radius * up).tolist(), "color": "base"},
        {"cylinder": 1.5 * radius, "from": p.tolist(), "to": (p + 1.5 * radius * up).tolist(), "color": "base"},
    ]
