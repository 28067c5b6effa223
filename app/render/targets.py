"""All marks of a frame: overlays, targets with the line under a dragged one, the mouse spring."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.render.arrows import add_overlays, add_spring
from app.render.handles import draw_handles
from app.render.marks import CLEAR, Marks, paint
from app.render.view import View
from app.render.visuals import Visuals
from app.theme import HIDDEN_OPACITY, OVERLAY_HIDDEN_OPACITY, TARGET_OUTLINE, THEMES
from sim.state import Snapshot

Array = np.ndarray[Any, np.dtype[Any]]

HALO = 0.5  # of the target's radius
DEPTH_LINE = 0.75  # half width [px]
FLAT = np.array([1.0, 1.0, 0.0])


def shown_targets(snapshot: Snapshot, view: View) -> Array:
    """(n, 3) where targets are drawn: the dragged one where the hand holds it."""
    targets = np.array(snapshot.targets, dtype=float).reshape(-1, 3)
    if view.drag is not None:
        targets[view.drag[0]] = view.drag[1]
    return targets


def frame_marks(targets: Array, visuals: Visuals, snapshot: Snapshot, view: View, width: int, height: int) -> Array:
    """(m, FLOATS) in the order they are drawn."""
    marks, theme = Marks(view.camera, width, height, view.scale), THEMES[view.theme]
    if view.overlays.on:
        marks.hidden = OVERLAY_HIDDEN_OPACITY
        add_overlays(marks, visuals.model, visuals.radius, snapshot, view)
        marks.hidden = HIDDEN_OPACITY
    if view.drag is not None:
        hand = targets[view.drag[0]][None]
        line = paint(theme.depth_line)
        marks.lines(hand * FLAT, hand, DEPTH_LINE, line, line * CLEAR)
    if 0 <= view.handles < len(targets):
        draw_handles(marks, targets[view.handles], visuals.target_radius, view, height)
    if len(targets):
        hovered = -1 if view.drag is not None else view.hover_target
        halo = np.where(np.arange(len(targets)) == hovered, HALO, 0.0)
        fill, ink = paint(theme.target), paint(theme.target_outline)
        marks.discs(targets, visuals.target_radius, fill, ink, TARGET_OUTLINE, halo)
    if snapshot.pull is not None:
        add_spring(marks, snapshot.pull, theme)
    return marks.rows()
