"""Joints that look like joints: a pin through the links for a hinge, a ball for a ball joint, a rail for a slider."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.render.solids import CAPSULE, CYLINDER, SPHERE, Rail, Solid, distance, long_axis, support, thickness
from app.theme import JOINT_RADIUS
from sim.model import BALL, FREE, HINGE, SLIDER, Model

Array = np.ndarray[Any, np.dtype[Any]]

PROUD = 0.3  # link radii by which a pin stands out at each end
DEPTH = 2.5  # link radii that a pin goes into either side at most
THICKER = 1.25  # times the thinner link: what a pin takes of the thicker one
SPACING = 0.3  # of the distance to the next hinge beside it: a pin is no thicker
COLLAR_RADIUS, COLLAR_LENGTH = 1.12, 0.7  # link radii, of a pin around links that run along its axis
ALONG = 0.8  # cosine above which a link runs along the axis, or another axis beside it
AXLE_RADIUS, AXLE_PROUD = 0.5, 0.16  # pin radii, of the axle whose ends show in a pin's ends
HOUSED_RADIUS = 0.6  # of a ball or housing, of the pin through it
SEEN = 0.55  # part of a pin's rims that should be outside of the links
PROUDER = 1.5  # radii of the link across it, of a ring around a housing
RIM_POINTS = 12
SHORT = 3.0  # radii: a housing that is no link
TOUCHING = 1e-6  # [m]
RAIL_RADIUS = 0.16  # of the radius of what slides
RAIL_LENGTH = 4.0  # times the length of what slides, at rest, where no limits say how far it goes
LONE_RADIUS = 0.02  # [m] of a link, where nothing is drawn near the joint


@dataclass(frozen=True)
class Part:
    """A piece of what shows a joint, placed in its frame; `color` None is the joint's own."""

    kind: int
    size: Array
    center: Array
    color: str | None = None


@dataclass(frozen=True)
class Side:
    """The solids of one of two bodies that lie at a joint; anchor and frame (3, 3) in that body, z being the axis."""

    solids: list[Solid]
    every: list[Solid]  # of the body, wherever they lie
    anchor: Array
    frame: Array

    def radius(self) -> float:
        return max((thickness(s) for s in self.solids), default=0.0)

    def along(self) -> bool:
        """Whether the link runs along the joint's axis."""
        longest = [a for a in map(long_axis, self.solids) if a is not None]
        return bool(longest) and all(abs(a @ self.frame[:, 2]) > ALONG for a in longest)

    def housings(self) -> list[Solid]:
        """Round solids along the axis and around it, the thickest first."""
        found = []
        for s in self.every:
            aside = self.frame[:, :2].T @ (s.place[:, 3] - self.anchor)
            if s.kind in (CYLINDER, CAPSULE) and abs(s.place[:, 2] @ self.frame[:, 2]) > ALONG:
                found += [s] if np.linalg.norm(aside) < thickness(s) / 2 else []
        return sorted(found, key=thickness, reverse=True)

    def hides(self, point: Array) -> bool:
        """Whether a point of the joint's frame lies in a solid."""
        at = self.anchor + self.frame @ point
        return any(distance(s, at) == 0.0 for s in self.every)

    def span(self, column: int = 2) -> tuple[float, float]:
        """From where to where the solids reach along a direction of the frame, counted from the anchor."""
        ends = [_span(s, self.anchor, self.frame[:, column]) for s in self.solids]
        return min((low for low, _ in ends), default=0.0), max((high for _, high in ends), default=0.0)


def _span(s: Solid, anchor: Array, direction: Array) -> tuple[float, float]:
    own = (s.place[:, :3].T @ direction)[None]
    middle = float((s.place[:, 3] - anchor) @ direction)
    reach = float(support(np.array([s.kind]), s.size[None], own)[0])
    return middle - reach, middle + reach


@dataclass(frozen=True)
class Seat:
    """A joint and what lies at it on both sides."""

    parent: Side
    child: Side
    beside: float  # how far the nearest parallel hinge on the same bodies is [m]
    travel: tuple[float, float]  # of a slider: its limits, ±inf where there are none
    start: float  # of a slider: its q


def joint_solids(model: Model, solids: list[Solid]) -> list[Solid]:
    """What shows each joint, in the joint's colour; nothing for free and fixed ones. A rail is part of the parent."""
    first = int((model.joint_type == FREE).sum())
    on_body: dict[int, list[Solid]] = {}
    for solid in solids:
        on_body.setdefault(solid.body, []).append(solid)
    hinges = _hinges(model)
    out = []
    for j, kind in enumerate(map(int, model.joint_type)):
        if kind not in _MARKS:
            continue
        seat = _seat(model, j, on_body, hinges)
        side, body = (seat.parent, model.joint_parent[j]) if kind == SLIDER else (seat.child, model.joint_child[j])
        rail = _growing(seat, j) if kind == SLIDER else None
        for part in _MARKS[kind](seat):
            place = np.concatenate([side.frame, (side.anchor + side.frame @ part.center)[:, None]], axis=1)
            out.append(Solid(part.kind, part.size, place, int(body), part.color or j - first, False, rail))
    return out


Ends = tuple[tuple[int, Array, Array], tuple[int, Array, Array]]


def _ends(model: Model, j: int) -> Ends:
    """Body, anchor and rotation of the joint's frame on both sides."""
    return (
        (int(model.joint_parent[j]), model.joint_position[j], model.joint_rotation[j]),
        (int(model.joint_child[j]), model.joint_child_position[j], model.joint_child_rotation[j]),
    )


def _hinges(model: Model) -> dict[int, list[tuple[Array, Array]]]:
    """Anchors and axes of the hinges on each body."""
    out: dict[int, list[tuple[Array, Array]]] = {}
    for j in np.flatnonzero(model.joint_type == HINGE):
        for body, anchor, R in _ends(model, j):
            out.setdefault(body, []).append((anchor, R @ model.joint_axis[j]))
    return out


def _seat(
    model: Model, j: int, on_body: dict[int, list[Solid]], hinges: dict[int, list[tuple[Array, Array]]]
) -> Seat:
    frame = _frame_along(model.joint_axis[j])
    ends = _ends(model, j)
    parent, child = (_side(on_body.get(body, []), anchor, R @ frame) for body, anchor, R in ends)
    gaps = [
        float(np.linalg.norm(other - anchor))
        for body, anchor, R in ends
        if body >= 0
        for other, axis in hinges.get(body, [])
        if abs(axis @ R @ frame[:, 2]) > ALONG
    ]
    low, high = (float(limit) for limit in model.joint_limits[j])
    start = float(model.q0[model.joint_q[j]]) if model.joint_type[j] == SLIDER else 0.0
    return Seat(parent, child, min((gap for gap in gaps if gap > 0), default=np.inf), (low, high), start)


def _side(solids: list[Solid], anchor: Array, frame: Array) -> Side:
    return Side(_near(solids, anchor), solids, anchor, frame)


def _near(solids: list[Solid], anchor: Array) -> list[Solid]:
    """What touches the anchor or nearly does."""
    return [s for s in solids if distance(s, anchor) <= 0.75 * thickness(s)]


def _pin(seat: Seat) -> list[Part]:
    """The first way to show a hinge of which enough is seen, or the one of which most is."""
    best, most = [], -1.0
    for way in (_through_links, _through_housing, _around_housings):
        for parts in way(seat):
            seen = _seen(seat, parts[0])
            if seen >= SEEN:
                return parts
            if seen > most:
                best, most = parts, seen
    return best


def _seen(seat: Seat, pin: Part) -> float:
    """Part of its rims, at both ends and in the middle, that lies in no solid of the two bodies."""
    r, half = float(pin.size[0]), float(pin.size[2])
    angles = np.linspace(0.0, 2 * np.pi, RIM_POINTS, endpoint=False)
    rim = np.stack([r * np.cos(angles), r * np.sin(angles), 0 * angles], axis=1) * 0.99
    points = [pin.center + p + [0.0, 0.0, z] for p in rim for z in (-half, 0.0, half)]
    return float(np.mean([not (seat.parent.hides(p) or seat.child.hides(p)) for p in points]))


def _through_housing(seat: Seat) -> list[list[Part]]:
    """Proud of a ball or housing that would swallow a pin as thick as the links."""
    around = [s for side in (seat.child, seat.parent) for s in side.solids if s.kind == SPHERE]
    around += seat.child.housings()[:1]
    if not around:
        return []
    thick = max(map(thickness, around))
    reach = max(max(-low, high) for low, high in (_span_of(seat, s) for s in around))
    r = min(HOUSED_RADIUS * thick, SPACING * seat.beside)
    return [_pin_of(r, reach + PROUD * thick / 2, 0.0)]


def _around_housings(seat: Seat) -> list[list[Part]]:
    """A ring around what lies along the axis: at the anchor, in its middle or at one of its ends."""
    rings = []
    for side in (seat.child, seat.parent):
        for housing in side.housings():
            r, half = COLLAR_RADIUS * thickness(housing), COLLAR_LENGTH / 2 * thickness(housing)
            low, high = _span(housing, side.anchor, side.frame[:, 2])
            wide = max(half, PROUDER * seat.child.radius()) if side is seat.parent else half
            at_anchor = [[_cylinder(r, wide)]] if low < 0.0 < high else []
            along = [[_cylinder(r, half, middle)] for middle in ((low + high) / 2, high - half, low + half)]
            rings += at_anchor + along if r < seat.beside / 2 else []
    return rings


def _span_of(seat: Seat, solid: Solid) -> tuple[float, float]:
    side = seat.child if any(solid is s for s in seat.child.every) else seat.parent
    return _span(solid, side.anchor, side.frame[:, 2])


def _through_links(seat: Seat) -> list[list[Part]]:
    """Through both links, wherever they lie along the axis, and proud of them; a ring around links along the axis."""
    parent, child = seat.parent, seat.child
    if child.along() or (not child.solids and parent.along()):
        return _around_links(seat)
    across = [side.radius() for side in (parent, child) if side.solids and not side.along()]
    link = min(_link_radius(seat), THICKER * min(across, default=np.inf))
    spans = [_within(side, DEPTH * link) for side in (parent, child) if not side.along()]
    low, high = min((a for a, _ in spans), default=0.0), max((b for _, b in spans), default=0.0)
    middle, half = (low + high) / 2, max((high - low) / 2, link) + PROUD * link
    r = min(JOINT_RADIUS * link, SPACING * seat.beside)
    return [_pin_of(r, half, middle)]


def _around_links(seat: Seat) -> list[list[Part]]:
    """A ring at the anchor; none where a housing lies elsewhere on the axis, or is all there is and lies across."""
    parent, child = seat.parent, seat.child
    for housing in child.housings()[:1]:
        low, high = _span(housing, child.anchor, child.frame[:, 2])
        if not low - TOUCHING <= 0.0 <= high + TOUCHING:
            return _around_housings(seat)[:1]
        if not parent.along() and child.span()[1] - child.span()[0] < SHORT * thickness(housing):
            return []
    around = max(parent.radius(), child.radius())
    return [[_cylinder(COLLAR_RADIUS * around, COLLAR_LENGTH / 2 * around)]]


def _pin_of(r: float, half: float, middle: float) -> list[Part]:
    """With an axle whose ends show in the pin's ends."""
    return [_cylinder(r, half, middle), _cylinder(AXLE_RADIUS * r, half + AXLE_PROUD * r, middle, "base")]


def _within(side: Side, depth: float) -> tuple[float, float]:
    low, high = side.span()
    return max(low, -depth), min(high, depth)


def _ball(seat: Seat) -> list[Part]:
    r = JOINT_RADIUS * _link_radius(seat)
    return [Part(SPHERE, np.array([r, r, r, 0.0]), np.zeros(3))]


def _rail(seat: Seat) -> list[Part]:
    """Two bars at the sides of what slides, from limit to limit."""
    low, high = seat.child.span()
    free = _free_travel(seat)
    first, last = (
        limit if np.isfinite(limit) else seat.start + sign * free
        for limit, sign in zip(seat.travel, (-1, 1), strict=True)
    )
    first, last = first + low, last + high
    r = RAIL_RADIUS * (seat.child.radius() or LONE_RADIUS)
    size = np.array([r, r, (last - first) / 2, 0.0])
    return [Part(CYLINDER, size, np.array([0.0, side, (first + last) / 2])) for side in seat.child.span(1)]


def _free_travel(seat: Seat) -> float:
    """To either side of where the slider rests, on a rail that has no limits there."""
    low, high = seat.child.span()
    return RAIL_LENGTH / 2 * max(high - low, LONE_RADIUS)


def _growing(seat: Seat, joint: int) -> Rail | None:
    """What makes the rail longer where the slider has no limits; None where it has both."""
    down, up = (np.inf if np.isfinite(limit) else _free_travel(seat) for limit in seat.travel)
    return Rail(joint, seat.start, down, up) if min(down, up) < np.inf else None


_MARKS: dict[int, Callable[[Seat], list[Part]]] = {HINGE: _pin, BALL: _ball, SLIDER: _rail}


def _cylinder(radius: float, half: float, middle: float = 0.0, color: str | None = None) -> Part:
    return Part(CYLINDER, np.array([radius, radius, half, 0.0]), np.array([0.0, 0.0, middle]), color)


def _link_radius(seat: Seat) -> float:
    """Of the child's link, or of the parent's where that is a little thicker."""
    parent, child = seat.parent.radius(), seat.child.radius()
    own = child or parent or LONE_RADIUS
    return max(own, min(parent, THICKER * own))


def _frame_along(axis: Array) -> Array:
    """A right-handed frame whose z is the axis; its y is level where the axis is one of the coordinate axes."""
    z = axis / np.linalg.norm(axis)
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)
