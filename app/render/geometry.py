"""Meshes, instances and marks in the driver's memory, and how each kind of them is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import c_void_p
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from OpenGL import GL

# PyOpenGL's own glVertexAttribPointer files the pointer under the current context, which it cannot find when
# the context was made by another library than it was told; these are offsets into buffers, nothing to keep.
from OpenGL.raw.GL.VERSION.GL_2_0 import glVertexAttribPointer

from app.render.marks import FLOATS as MARK_FLOATS
from app.render.mesh import drawn_sizes, unit_meshes
from app.render.solids import SPHERE
from app.render.view import View
from app.render.visuals import Visuals
from app.theme import THEMES
from sim.state import Snapshot

Array = np.ndarray[Any, np.dtype[Any]]

FLOAT = 4  # bytes
POSE_FLOATS = 12
ROW = 20  # floats of an instance, [R | p], size, colour and body; and of a mark
MANY = 400  # instances, from which on round ones are small enough for fewer segments
SORTED = 32  # instances, from which on the nearest come first: what they hide is not shaded
assert MARK_FLOATS == ROW


@dataclass(frozen=True)
class Part:
    """Where a mesh lies in the buffers."""

    indices: int
    offset: int  # bytes
    first_vertex: int


@dataclass(frozen=True)
class Drawing:
    """Instances of one mesh, drawn by one call; `coarse` is the mesh that throws its shadow."""

    vertex_array: int
    fine: Part
    coarse: Part
    instances: int


class Geometry:
    """One buffer for all that changes, rows of instances and then of marks, uploaded at once every frame.

    As last uploaded: instances (n, 3, 4) of the solids; centers, radii: spheres around all that casts a shadow.
    """

    def __init__(self) -> None:
        self._vertices, self._triangles, self._moving = (int(b) for b in GL.glGenBuffers(3))
        self._nothing = int(GL.glGenVertexArrays(1))
        self._solids: list[Drawing] = []
        self._ghosts: list[list[Drawing]] = []
        self._balls: list[Drawing] = []  # of the targets
        self._marks = 0
        self._segments = (0, 0)
        self._meshes: list[dict[int, Part]] = []  # of each kind: for the picture, for the shadow map

    def set_visuals(self, visuals: Visuals, segments: int, caster_segments: int) -> None:
        self._visuals, self._theme, self._most_ghosts = visuals, "", 0
        n, targets = len(visuals), len(visuals.scene.targets)
        self.radii = np.concatenate([visuals.bounding, np.full(targets, visuals.target_radius)])
        self.instances = np.zeros((n, 3, 4), dtype=np.float32)
        self.centers = np.zeros((n + targets, 3), dtype=np.float32)
        self._lasting = np.zeros((n, ROW - POSE_FLOATS), dtype=np.float32)
        self._use_meshes(round_segments(segments, n), round_segments(caster_segments, n))
        self._reserve(2 * targets + 4)

    def upload(self, snapshot: Snapshot, targets: Array, marks: Array, view: View) -> None:
        """Everything that is drawn, in one go."""
        visuals, ghosts, n = self._visuals, snapshot.beside, len(self._visuals)
        if len(marks) > len(self._rows) - self._first_mark or len(ghosts) > self._most_ghosts:
            self._most_ghosts = max(len(ghosts), self._most_ghosts)
            self._reserve(2 * len(marks))
        self._use_theme(view.theme)
        self.centers[n:] = self._rows[n : len(self.radii), 3:POSE_FLOATS:4] = targets
        for number, ghost in enumerate(ghosts):
            visuals.instances(ghost, self.instances)
            self._fill(len(self.radii) + n * number, view)
        visuals.instances(snapshot, self.instances)
        self.centers[:n] = self.instances[:, :, 3]
        self._fill(0, view)
        used = self._first_mark + len(marks)
        self._rows[self._first_mark : used] = marks
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._moving)
        GL.glBufferData(GL.GL_ARRAY_BUFFER, self._rows.nbytes, None, GL.GL_STREAM_DRAW)
        GL.glBufferSubData(GL.GL_ARRAY_BUFFER, 0, FLOAT * ROW * used, self._rows)
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, 0)

    def _fill(self, first: int, view: View) -> None:
        """Rows of the solids where `instances` has them, without hidden ones, the nearest of each kind first."""
        n, poses = len(self._visuals), self.instances.reshape(-1, POSE_FLOATS)
        rows = self._rows[first : first + n]
        if view.hidden:
            self.instances[np.isin(self._visuals.body, list(view.hidden)), :, :3] = 0.0  # of no size
        if n < SORTED:
            rows[:, :POSE_FLOATS], rows[:, POSE_FLOATS:] = poses, self._lasting
            return
        depth = self.instances[:, :, 3] @ view.camera.forward().astype(np.float32)
        order = np.concatenate([k + np.argsort(depth[k : k + count]) for k, count in self._visuals.ranges])
        rows[:, :POSE_FLOATS], rows[:, POSE_FLOATS:] = poses[order], self._lasting[order]

    def draw_solids(self) -> None:
        _draw(self._solids)

    def draw_ghost(self, number: int) -> None:
        _draw(self._ghosts[number])

    def draw_casters(self) -> None:
        """All that throws a shadow: solids and targets, whose shadow shows how high they are."""
        _draw(self._solids + self._balls, coarse=True)

    def draw_marks(self, count: int) -> None:
        GL.glBindVertexArray(self._marks)
        GL.glDrawArraysInstanced(GL.GL_TRIANGLE_STRIP, 0, 4, count)

    def bind_nothing(self) -> None:
        """For passes whose vertices come from their numbers alone; the core profile wants an array all the same."""
        GL.glBindVertexArray(self._nothing)

    def release(self) -> None:
        self._delete_vertex_arrays()
        GL.glDeleteVertexArrays(1, [self._nothing])
        GL.glDeleteBuffers(3, [self._vertices, self._triangles, self._moving])

    # --- buffers ---

    def _use_meshes(self, *segments: int) -> None:
        if segments == self._segments:
            return
        self._segments = segments
        self._meshes = []
        vertices, triangles, first, offset = [], [], 0, 0
        for around in segments:
            parts = {}
            for kind, mesh in unit_meshes(around).items():
                parts[kind] = Part(mesh.triangles.size, offset, first)
                first += len(mesh.vertices)
                offset += mesh.triangles.nbytes
                vertices.append(mesh.vertices)
                triangles.append(mesh.triangles)
            self._meshes.append(parts)
        GL.glBindVertexArray(0)
        for target, buffer, parts in (
            (GL.GL_ARRAY_BUFFER, self._vertices, vertices),
            (GL.GL_ELEMENT_ARRAY_BUFFER, self._triangles, triangles),
        ):
            data = np.concatenate(parts)
            GL.glBindBuffer(target, buffer)
            GL.glBufferData(target, data.nbytes, data, GL.GL_STATIC_DRAW)
            GL.glBindBuffer(target, 0)

    def _use_theme(self, theme: str) -> None:
        """Sizes and colours, which last until another theme is chosen."""
        if theme != self._theme:
            self._theme, visuals = theme, self._visuals
            self._lasting[:, :4] = drawn_sizes(visuals.kind, visuals.size)
            self._lasting[:, 4:7] = visuals.colors(THEMES[theme])
            self._lasting[:, 7] = np.where(visuals.lights_up, visuals.body, -1)

    def _reserve(self, marks: int) -> None:
        """One array for all: rows of solids, of targets, of the solids of each ghost; then marks."""
        n = len(self._visuals)
        self._first_mark = len(self.radii) + n * self._most_ghosts
        self._rows = np.zeros((self._first_mark + marks, ROW), dtype=np.float32)
        targets = self._rows[n : len(self.radii)]
        targets[:, :POSE_FLOATS] = np.eye(3, 4).ravel()
        targets[:, POSE_FLOATS : POSE_FLOATS + 3] = self._visuals.target_radius
        self._make_vertex_arrays()

    # --- vertex arrays: where each kind's attributes lie in the buffers ---

    def _make_vertex_arrays(self) -> None:
        self._delete_vertex_arrays()
        n, targets = len(self._visuals), len(self._visuals.scene.targets)
        self._solids, *self._ghosts = (
            [self._drawing(kind, first + k, c) for kind, (k, c) in enumerate(self._visuals.ranges) if c]
            for first in (0, *(len(self.radii) + n * number for number in range(self._most_ghosts)))
        )
        self._balls = [self._drawing(SPHERE, n, targets)] if targets else []
        self._marks = int(GL.glGenVertexArrays(1))
        GL.glBindVertexArray(self._marks)
        _attributes(self._moving, ROW, [(location, 4) for location in range(5)], self._first_mark, instanced=True)
        GL.glBindVertexArray(0)
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, 0)

    def _delete_vertex_arrays(self) -> None:
        drawings = (*self._solids, *self._balls, *chain.from_iterable(self._ghosts))
        arrays = [d.vertex_array for d in drawings] + ([self._marks] if self._marks else [])
        if arrays:
            GL.glDeleteVertexArrays(len(arrays), arrays)

    def _drawing(self, kind: int, first: int, count: int) -> Drawing:
        """`count` instances of one mesh from row `first` on."""
        array = int(GL.glGenVertexArrays(1))
        GL.glBindVertexArray(array)
        _attributes(self._vertices, 7, ((0, 4), (1, 3)))
        _attributes(self._moving, ROW, [(location, 4) for location in range(2, 7)], first, instanced=True)
        GL.glBindBuffer(GL.GL_ELEMENT_ARRAY_BUFFER, self._triangles)
        GL.glBindVertexArray(0)
        fine, coarse = (parts[kind] for parts in self._meshes)
        return Drawing(array, fine, coarse, count)


def round_segments(segments: int, instances: int) -> int:
    """Around round bodies: half as many, a multiple of 4, where there are many instances."""
    return segments if instances < MANY else -(-segments // 8) * 4


def _draw(drawings: list[Drawing], coarse: bool = False) -> None:
    for d in drawings:
        part = d.coarse if coarse else d.fine
        GL.glBindVertexArray(d.vertex_array)
        GL.glDrawElementsInstancedBaseVertex(
            GL.GL_TRIANGLES, part.indices, GL.GL_UNSIGNED_INT, c_void_p(part.offset), d.instances, part.first_vertex
        )


def _attributes(
    buffer: int, row: int, parts: Sequence[tuple[int, int]], first: int = 0, instanced: bool = False
) -> None:
    """Attributes that follow each other in rows of `row` floats, from row `first` on: location and floats of each."""
    GL.glBindBuffer(GL.GL_ARRAY_BUFFER, buffer)
    start = FLOAT * row * first
    for location, floats in parts:
        GL.glEnableVertexAttribArray(location)
        glVertexAttribPointer(location, floats, GL.GL_FLOAT, GL.GL_FALSE, FLOAT * row, c_void_p(start))
        GL.glVertexAttribDivisor(location, int(instanced))
        start += FLOAT * floats
