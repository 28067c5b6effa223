"""Forces, torques, velocities, frames and centres of mass as marks.

Lengths are in scale with the scene and never jump: an arrow is half the scene's radius long for a force as large as
its weight on earth, and for the speed of a fall through that radius; a torque turns half a circle where the weight
acts on half the radius.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

import numpy as np

from app.render.marks import CLEAR, QUARTERED, Marks, paint
from app.render.overlays import Trail
from app.render.view import View
from app.theme import THEMES, Theme
from app.trails import point_motion
from sim.model import BALL, FREE, HINGE, SLIDER, Model
from sim.state import Pull, Snapshot

Array = np.ndarray[Any, np.dtype[Any]]

GRAVITY = 9.81
LONGEST = 1.5  # scene radii
LEAST = 1e-3  # of the reference, below which nothing is drawn
LEAST_TURN = 0.05  # [rad], below which no arc is drawn
ARROW_LINE, TRAIL_LINE, AXIS_LINE, SPRING_LINE = 1.5, 1.6, 1.25, 1.5  # half widths [px]
DOT, CENTER, WHOLE_CENTER = 4.5, 5.0, 8.0  # radii of discs [px]
ARC_RADIUS = 0.17  # scene radii
DIAL_LINE, DIAL_OPACITY = 0.5, 0.4  # the circle that an arc lies on: half width [px]
ARC_STEP = pi / 16
ARC_HEAD = 0.5  # arc radii, at most
UP, ASIDE = np.array([0.0, 0.0, 1.0]), np.array([0.6, -0.8, 0.0])  # where the middle of an arc is
FULL_ARC = 1.75 * pi
AXIS_LENGTH, MANY_FRAMES = 0.17, 12  # scene radii; frames from which on axes are half as long and have no letters


class Scales:
    """Metres on the picture for a newton, a newton metre (radians, in fact) and a metre a second."""

    def __init__(self, model: Model, radius: float) -> None:
        weight = GRAVITY * max(float(model.body_mass.sum()), 1e-9)
        self.force = radius / 2 / weight
        self.turn = pi / (weight * radius / 2)
        self.speed = radius / 2 / sqrt(2 * GRAVITY * radius)
        self.longest = LONGEST * radius


def add_overlays(marks: Marks, model: Model, radius: float, snapshot: Snapshot, view: View) -> None:
    """Everything that is switched on, the thin things first."""
    over, theme = view.overlays, THEMES[view.theme]
    body = np.array([b for b in range(len(model.body_names)) if b not in view.hidden], dtype=int)
    scales = Scales(model, radius)
    if over.trail is not None and "trails" in over.on:
        _trail(marks, over.trail, snapshot, theme)
    if "frames" in over.on:
        _frames(marks, model, radius, snapshot, theme)
    if "centers" in over.on:
        _centers(marks, model, snapshot, body, theme)
    if "velocities" in over.on:
        place, velocity = point_motion(snapshot, body, model.body_center[body])
        _vectors(marks, place, scales.speed * velocity, scales.longest, theme.velocity, theme)
    if snapshot.acting is not None:
        if "forces" in over.on:
            _applied(marks, model, radius, snapshot, scales, theme)
        if "loads" in over.on and snapshot.acting.loads is not None:
            joints = np.flatnonzero(model.joint_type != FREE)
            force = snapshot.acting.loads[joints, 3:]
            place = _joint_places(model, snapshot, joints)
            _vectors(marks, place, scales.force * force, scales.longest, theme.constraint_force, theme)


def add_spring(marks: Marks, pull: Pull, theme: Theme) -> None:
    """From a dot on the grabbed point to an arrowhead where the hand is."""
    fill, ink = paint(theme.spring), paint(theme.target_outline)
    marks.arrows(pull.point[None], pull.anchor[None], SPRING_LINE, fill, ink)
    marks.dots(pull.point[None], DOT, fill, ink)


def _vectors(marks: Marks, start: Array, vector: Array, longest: float, color: str, theme: Theme) -> None:
    """Arrows of given lengths in metres; those too short to see are left out, those too long end early."""
    length = np.linalg.norm(vector, axis=1)
    shown = length > LEAST * longest
    start, vector, length = start[shown], vector[shown], length[shown]
    tip = start + vector * (np.minimum(length, longest) / length)[:, None]
    marks.arrows(start, tip, ARROW_LINE, paint(color), paint(theme.halo))


def _applied(marks: Marks, model: Model, radius: float, snapshot: Snapshot, scales: Scales, theme: Theme) -> None:
    """Sliders' forces as arrows, torques as arcs around their axes; inputs on bodies at the centres of mass."""
    acting = snapshot.acting
    assert acting is not None
    push = np.flatnonzero(model.joint_type == SLIDER)
    axes = _joint_axes(model, snapshot, push)
    forces = [acting.tau[model.joint_v[push]][:, None] * axes]
    starts = [_joint_places(model, snapshot, push)]
    turn = np.flatnonzero(np.isin(model.joint_type, (HINGE, BALL)))
    torques, places = _joint_torques(model, snapshot, turn, acting.tau), _joint_places(model, snapshot, turn)
    driven = np.flatnonzero(acting.wrench.any(axis=1))
    center, _ = point_motion(snapshot, driven, model.body_center[driven])
    forces.append(acting.wrench[driven, 3:])
    starts.append(center)
    _vectors(marks, np.concatenate(starts), scales.force * np.concatenate(forces), scales.longest, theme.force, theme)
    torques, places = np.concatenate([torques, acting.wrench[driven, :3]]), np.concatenate([places, center])
    for place, torque in zip(places, scales.turn * torques, strict=True):
        _arc(marks, place, torque, ARC_RADIUS * radius, theme)


def _arc(marks: Marks, center: Array, turn: Array, radius: float, theme: Theme) -> None:
    """An arrow around an axis, by the length of `turn` in radians and at most most of the way round.

    A thin circle closes it: a short arc alone would float beside the joint.
    """
    angle = float(np.linalg.norm(turn))
    if angle < LEAST_TURN:
        return
    axis, angle = turn / angle, min(angle, FULL_ARC)
    up = UP if abs(axis @ UP) < 0.9 else ASIDE
    x = up - (up @ axis) * axis
    x /= np.linalg.norm(x)
    y = np.cross(axis, x)

    def on_circle(first: float, last: float) -> Array:
        s = np.linspace(first, last, max(round((last - first) / ARC_STEP), 2) + 1)[:, None]
        points: Array = center + radius * (np.cos(s) * x + np.sin(s) * y)
        return points

    dial, points = on_circle(angle / 2, 2 * pi - angle / 2), on_circle(-angle / 2, angle / 2)
    fill, edge = paint(theme.force), paint(theme.halo)
    thin = paint(theme.force, DIAL_OPACITY)
    marks.lines(dial[:-1], dial[1:], DIAL_LINE, thin, thin * CLEAR)
    along = np.cross(axis, points[-1] - center)
    marks.curve(points, ARROW_LINE, fill, edge, points[-1] + ARC_HEAD * along)


def _frames(marks: Marks, model: Model, radius: float, snapshot: Snapshot, theme: Theme) -> None:
    """The axes of every body, and of the named frames; letters where there are few."""
    named = model.frame_body
    turn = np.where((named >= 0)[:, None, None], snapshot.rotation[named], np.eye(3)) @ model.frame_rotation
    place = np.concatenate([snapshot.position, snapshot.frames])
    rotation = np.concatenate([snapshot.rotation, turn])
    many = len(place) > MANY_FRAMES
    length = AXIS_LENGTH * radius / (2 if many else 1)
    for axis, color in enumerate(theme.axes):
        tip = place + length * rotation[:, :, axis]
        fill, edge = paint(color), paint(theme.halo)
        marks.lines(place, tip, AXIS_LINE, fill, edge)
        if not many:
            marks.letters("xyz"[axis], tip, place, fill, edge)


def _centers(marks: Marks, model: Model, snapshot: Snapshot, body: Array, theme: Theme) -> None:
    place, _ = point_motion(snapshot, body, model.body_center[body])
    light, dark = paint(theme.center_light), paint(theme.target_outline)
    marks.dots(place, CENTER, light, dark, QUARTERED)
    if len(body) > 1:
        mass = model.body_mass[body]
        marks.dots((mass @ place / mass.sum())[None], WHOLE_CENTER, light, dark, QUARTERED)


def _trail(marks: Marks, trail: Trail, snapshot: Snapshot, theme: Theme) -> None:
    """Thinner with age; up to where the points are in this very snapshot."""
    past = trail.times <= snapshot.time
    here, _ = point_motion(snapshot, trail.body, trail.local)
    points = np.concatenate([trail.points[past], here[None]])
    if len(points) < 2:
        return
    width = TRAIL_LINE * np.linspace(0.15, 1.0, len(points) - 1)
    fill = paint(theme.trail)
    for k in range(points.shape[1]):
        marks.lines(points[:-1, k], points[1:, k], width, fill, fill * CLEAR)


# --- joints in the world ---


def _joint_places(model: Model, snapshot: Snapshot, joints: Array) -> Array:
    """(n, 3) origins of the joints' frames on their children."""
    place, _ = point_motion(snapshot, model.joint_child[joints], model.joint_child_position[joints])
    return place


def _joint_axes(model: Model, snapshot: Snapshot, joints: Array) -> Array:
    """(n, 3) axes in the world."""
    own = np.einsum("nij,nj->ni", model.joint_child_rotation[joints], model.joint_axis[joints])
    return np.einsum("nij,nj->ni", snapshot.rotation[model.joint_child[joints]], own)


def _joint_torques(model: Model, snapshot: Snapshot, joints: Array, tau: Array) -> Array:
    """(n, 3) torques on the children in world axes; of balls, whose velocities are in axes of the child's side."""
    out = np.zeros((len(joints), 3))
    axes = _joint_axes(model, snapshot, joints)
    for i, j in enumerate(joints):
        v = int(model.joint_v[j])
        if model.joint_type[j] == HINGE:
            out[i] = tau[v] * axes[i]
        else:
            R = snapshot.rotation[model.joint_child[j]] @ model.joint_child_rotation[j]
            out[i] = R @ tau[v : v + 3]
    return out
