"""Meshes, instances and marks in the driver's memory, and how each kind of them is drawn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from ctypes import c_void_p
from dataclasses import dataclass
from typing import Any

import numpy as np
from OpenGL import GL

# PyOpenGL's own glVertexAttribPointer files the pointer under the current context, which it cannot find when
# the context was made by another library than it was told; these are offsets into buffers, nothing to keep.
from OpenGL.raw.GL.VERSION.GL_2_0 import glVertexAttribPointer

from app.render.marks import FLOATS as MARK_FLOATS
from app.render.mesh import drawn_sizes, unit_meshes
from app.render.solids import SPHERE
from app.render.visuals import Visuals
from app.theme import THEMES
from sim.state import Snapshot

Array = np.ndarray[Any, np.dtype[Any]]

FLOAT = 4  # bytes
POSE_FLOATS, LASTING_FLOATS = 12, 8
MANY = 400  # instances, from which on round ones are small enough for fewer segments


@dataclass(frozen=True)
class Drawing:
    """Instances of one mesh, drawn by one call."""

    vertex_array: int
    indices: int
    offset: int  # bytes
    first_vertex: int
    instances: int


class Geometry:
    """Two buffers of instances: poses and marks, uploaded at once every frame, and what lasts (size, colour, body).

    As last uploaded: instances (n, 3, 4) of the solids; centers, radii: spheres around all that casts a shadow.
    """

    def __init__(self) -> None:
        self._vertices, self._triangles, self._lasting, self._moving = (int(b) for b in GL.glGenBuffers(4))
        self._nothing = int(GL.glGenVertexArrays(1))
        self._solids: list[Drawing] = []
        self._balls: list[Drawing] = []  # of the targets
        self._marks = 0
        self._segments = 0
        self._meshes: dict[int, tuple[int, int, int]] = {}  # of each kind: indices, their offset, first vertex

    def set_visuals(self, visuals: Visuals, segments: int) -> None:
        self._visuals, self._theme = visuals, ""
        targets = len(visuals.scene.targets)
        self.radii = np.concatenate([visuals.bounding, np.full(targets, visuals.target_radius)])
        self._use_meshes(segments if len(visuals) < MANY else segments // 2)
        self._reserve_marks(2 * targets + 4)

    def upload(
        self,
        snapshot: Snapshot,
        targets: Array,
        marks: Sequence[tuple[float, ...]],
        theme: str,
        hidden: Collection[int] = (),
    ) -> None:
        """Everything that moved, in one go."""
        if len(marks) > len(self._mark_rows):
            self._reserve_marks(2 * len(marks))
        self._visuals.instances(snapshot, self.instances)
        if hidden:
            self.instances[np.isin(self._visuals.body, list(hidden)), :, :3] = 0.0  # of no size
        self.centers[len(self._visuals) :] = targets
        if marks:
            self._mark_rows[: len(marks)] = marks
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._moving)
        used = POSE_FLOATS * len(self.radii) + MARK_FLOATS * len(marks)
        GL.glBufferData(GL.GL_ARRAY_BUFFER, self._upload.nbytes, None, GL.GL_STREAM_DRAW)
        GL.glBufferSubData(GL.GL_ARRAY_BUFFER, 0, FLOAT * used, self._upload)
        if theme != self._theme:
            self._theme = theme
            self._upload_lasting()
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, 0)

    def draw_solids(self) -> None:
        _draw(self._solids)

    def draw_casters(self) -> None:
        """All that throws a shadow: solids and targets, whose shadow shows how high they are."""
        _draw(self._solids)
        _draw(self._balls)

    def draw_marks(self, count: int) -> None:
        GL.glBindVertexArray(self._marks)
        GL.glDrawArraysInstanced(GL.GL_TRIANGLE_STRIP, 0, 4, count)

    def bind_nothing(self) -> None:
        """For passes whose vertices come from their numbers alone; the core profile wants an array all the same."""
        GL.glBindVertexArray(self._nothing)

    def release(self) -> None:
        self._delete_vertex_arrays()
        GL.glDeleteVertexArrays(1, [self._nothing])
        GL.glDeleteBuffers(4, [self._vertices, self._triangles, self._lasting, self._moving])

    # --- buffers ---

    def _use_meshes(self, segments: int) -> None:
        if segments == self._segments:
            return
        self._segments = segments
        vertices, triangles, first, offset = [], [], 0, 0
        for kind, mesh in unit_meshes(segments).items():
            self._meshes[kind] = (mesh.triangles.size, offset, first)
            first += len(mesh.vertices)
            offset += mesh.triangles.nbytes
            vertices.append(mesh.vertices)
            triangles.append(mesh.triangles)
        GL.glBindVertexArray(0)
        for target, buffer, parts in (
            (GL.GL_ARRAY_BUFFER, self._vertices, vertices),
            (GL.GL_ELEMENT_ARRAY_BUFFER, self._triangles, triangles),
        ):
            data = np.concatenate(parts)
            GL.glBindBuffer(target, buffer)
            GL.glBufferData(target, data.nbytes, data, GL.GL_STATIC_DRAW)
            GL.glBindBuffer(target, 0)

    def _upload_lasting(self) -> None:
        visuals = self._visuals
        n = len(visuals)
        rows = np.zeros((len(self.radii), LASTING_FLOATS), dtype=np.float32)
        rows[:n, :4] = drawn_sizes(visuals.kind, visuals.size)
        rows[:n, 4:7] = visuals.colors(THEMES[self._theme])
        rows[:n, 7] = np.where(visuals.lights_up, visuals.body, -1)
        rows[n:, :3] = visuals.target_radius
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._lasting)
        GL.glBufferData(GL.GL_ARRAY_BUFFER, rows.nbytes, rows, GL.GL_STATIC_DRAW)

    def _reserve_marks(self, count: int) -> None:
        """One array for all that moves: [R | p] of solids, then of targets, then marks."""
        poses = POSE_FLOATS * len(self.radii)
        self._upload = np.zeros(poses + MARK_FLOATS * count, dtype=np.float32)
        instances = self._upload[:poses].reshape(-1, 3, 4)
        instances[:, :, :3] = np.eye(3)
        self.instances, self.centers = instances[: len(self._visuals)], instances[:, :, 3]
        self._mark_rows = self._upload[poses:].reshape(count, MARK_FLOATS)
        self._make_vertex_arrays()

    # --- vertex arrays: where each kind's attributes lie in the buffers ---

    def _make_vertex_arrays(self) -> None:
        self._delete_vertex_arrays()
        self._solids = [
            self._drawing(kind, first, count) for kind, (first, count) in enumerate(self._visuals.ranges) if count
        ]
        n, targets = len(self._visuals), len(self._visuals.scene.targets)
        self._balls = [self._drawing(SPHERE, n, targets)] if targets else []
        self._marks = int(GL.glGenVertexArrays(1))
        GL.glBindVertexArray(self._marks)
        start = FLOAT * POSE_FLOATS * len(self.radii)
        _attributes(self._moving, MARK_FLOATS, ((0, 4), (1, 4), (2, 4), (3, 4), (4, 4)), start, instanced=True)
        GL.glBindVertexArray(0)
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, 0)

    def _delete_vertex_arrays(self) -> None:
        arrays = [d.vertex_array for d in (*self._solids, *self._balls)] + ([self._marks] if self._marks else [])
        if arrays:
            GL.glDeleteVertexArrays(len(arrays), arrays)

    def _drawing(self, kind: int, first: int, count: int) -> Drawing:
        array = int(GL.glGenVertexArrays(1))
        GL.glBindVertexArray(array)
        _attributes(self._vertices, 7, ((0, 4), (1, 3)))
        poses, lasting = FLOAT * POSE_FLOATS * first, FLOAT * LASTING_FLOATS * first
        _attributes(self._moving, POSE_FLOATS, ((2, 4), (3, 4), (4, 4)), poses, instanced=True)
        _attributes(self._lasting, LASTING_FLOATS, ((5, 4), (6, 4)), lasting, instanced=True)
        GL.glBindBuffer(GL.GL_ELEMENT_ARRAY_BUFFER, self._triangles)
        GL.glBindVertexArray(0)
        return Drawing(array, *self._meshes[kind], count)


def _draw(drawings: list[Drawing]) -> None:
    for d in drawings:
        GL.glBindVertexArray(d.vertex_array)
        GL.glDrawElementsInstancedBaseVertex(
            GL.GL_TRIANGLES, d.indices, GL.GL_UNSIGNED_INT, c_void_p(d.offset), d.instances, d.first_vertex
        )


def _attributes(
    buffer: int, row: int, parts: Sequence[tuple[int, int]], start: int = 0, instanced: bool = False
) -> None:
    """Attributes that follow each other in rows of `row` floats: location and number of floats each."""
    GL.glBindBuffer(GL.GL_ARRAY_BUFFER, buffer)
    for location, floats in parts:
        GL.glEnableVertexAttribArray(location)
        glVertexAttribPointer(location, floats, GL.GL_FLOAT, GL.GL_FALSE, FLOAT * row, c_void_p(start))
        GL.glVertexAttribDivisor(location, int(instanced))
        start += FLOAT * floats
