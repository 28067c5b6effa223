"""Draws one frame of a scene into any framebuffer of a current OpenGL 3.3 context.

Passes: shadow map, bodies, outline of the selected one, floor, sky, ghosts, marks; then the samples are averaged into
the given framebuffer. All instances of a frame go to the driver in one upload, everything else the shaders need in a
second, small one.
"""

from __future__ import annotations

from dataclasses import dataclass

from OpenGL import GL

from app.engine_colors import ghost_color
from app.render.canvas import Canvas
from app.render.frame import FrameBlock
from app.render.geometry import Geometry
from app.render.program import FRAME_BINDING, Program
from app.render.shadow import ShadowMap, shadow_matrix, shadow_patch
from app.render.targets import frame_marks, shown_targets
from app.render.view import View
from app.render.visuals import Visuals
from app.theme import GHOST_OPACITY, OUTLINE_WIDTH, THEMES, linear, rgb
from sim.state import Snapshot


@dataclass(frozen=True)
class Quality:
    shadow_texels: int
    shadow_taps: int  # how soft shadows are: 2 × 2, 3 × 3 or 6 × 6 texels, see shadow.glsl
    samples: int
    segments: int  # around round bodies
    caster_segments: int  # around them in the shadow map


QUALITIES = {
    "auto": Quality(2048, 1, 4, 40, 20),
    "fine": Quality(2048, 2, 4, 40, 40),
    "fast": Quality(1024, 0, 0, 20, 20),
}
SHADOWED = ("solid", "floor")  # programs that look up shadows
NO_SHADOWS = -1
SHADOW_RIM = 4.0  # texels around a body that its shadow may reach, as shadow.glsl looks them up


class Renderer:
    """Needs the same context current in every call. Colours, light and sizes come from the theme."""

    def __init__(self, visuals: Visuals, quality: str = "auto") -> None:
        self.gl_renderer = _text(GL.glGetString(GL.GL_RENDERER))
        self._quality = QUALITIES[quality]
        self._frame = FrameBlock()
        self._frame_buffer = int(GL.glGenBuffers(1))
        GL.glBindBuffer(GL.GL_UNIFORM_BUFFER, self._frame_buffer)
        GL.glBufferData(GL.GL_UNIFORM_BUFFER, self._frame.data.nbytes, None, GL.GL_DYNAMIC_DRAW)
        GL.glBindBuffer(GL.GL_UNIFORM_BUFFER, 0)
        self._canvas = Canvas()
        self._programs: dict[tuple[str, int], Program] = {}
        self._shadow_maps: dict[int, ShadowMap] = {}
        self._geometry = Geometry()
        self.set_visuals(visuals)

    def set_visuals(self, visuals: Visuals) -> None:
        """Draw another scene from now on."""
        self._visuals = visuals
        self._geometry.set_visuals(visuals, self._quality.segments, self._quality.caster_segments)

    def set_quality(self, quality: str) -> None:
        """ "auto", "fine" or "fast"; what another level needed is kept, so that changing back is free."""
        if QUALITIES[quality] is not self._quality:
            self._quality = QUALITIES[quality]
            self._geometry.set_visuals(self._visuals, self._quality.segments, self._quality.caster_segments)

    def draw(self, framebuffer: int, width: int, height: int, snapshot: Snapshot, view: View) -> None:
        """A frame of width × height physical pixels; leaves `framebuffer` bound and the state as Qt expects it."""
        targets = shown_targets(snapshot, view)
        marks = frame_marks(targets, self._visuals, snapshot, view, width, height)
        self._geometry.upload(snapshot, targets, marks, view)
        self._upload_frame(width, height, snapshot, view)
        _begin_state()
        self._draw_shadow()
        self._canvas.begin(width, height, self._quality.samples)
        GL.glClearColor(*rgb(THEMES[view.theme].horizon), 1.0)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
        GL.glBindTexture(GL.GL_TEXTURE_2D, self._shadow_map().texture)
        self._draw_bodies()
        self._draw_outline(height, snapshot, view)
        self._draw_surroundings(view)
        self._draw_ghosts(snapshot, view)
        self._draw_marks(len(marks))
        _end_state()
        self._canvas.resolve(framebuffer)

    def release(self) -> None:
        """Give everything back to the driver; the context must be current."""
        self._canvas.release()
        self._geometry.release()
        for program in self._programs.values():
            program.release()
        for shadow_map in self._shadow_maps.values():
            shadow_map.release()
        self._programs.clear()
        self._shadow_maps.clear()
        GL.glDeleteBuffers(1, [self._frame_buffer])

    # --- a frame ---

    def _upload_frame(self, width: int, height: int, snapshot: Snapshot, view: View) -> None:
        frame, visuals, texels = self._frame, self._visuals, self._quality.shadow_texels
        frame.set_theme(view.theme)
        frame.set_camera(view.camera, width, height)
        frame.set_screen(width, height, view.hover_body)
        frame.set_floor(view, height, visuals.radius)
        frame.set_ring(view, visuals.target_radius)
        center, radius = visuals.light_bounds(snapshot, self._geometry.instances)
        matrix = shadow_matrix(center, radius, texels)
        frame.set_shadow(matrix, texels)
        margin = SHADOW_RIM * 2 * radius / texels
        frame.set_patch(shadow_patch(self._geometry.centers, self._geometry.radii, margin))
        GL.glBindBuffer(GL.GL_UNIFORM_BUFFER, self._frame_buffer)
        GL.glBufferSubData(GL.GL_UNIFORM_BUFFER, 0, frame.data.nbytes, frame.data)
        GL.glBindBuffer(GL.GL_UNIFORM_BUFFER, 0)
        GL.glBindBufferBase(GL.GL_UNIFORM_BUFFER, FRAME_BINDING, self._frame_buffer)

    def _draw_shadow(self) -> None:
        shadow = self._shadow_map()
        shadow.begin()
        GL.glUseProgram(self._program("depth").id)
        self._geometry.draw_casters()
        shadow.end()

    def _draw_bodies(self) -> None:
        GL.glUseProgram(self._program("solid").id)
        self._geometry.draw_solids()

    def _draw_outline(self, height: int, snapshot: Snapshot, view: View) -> None:
        """The far sides of the selected body's solids, a little enlarged: what shows of them is its outline."""
        if view.selected_body < 0:
            return
        program = self._program("outline")
        width = OUTLINE_WIDTH * view.scale * view.camera.pixel_size(snapshot.position[view.selected_body], height)
        GL.glUseProgram(program.id)
        GL.glUniform1f(program.uniform("chosen"), view.selected_body)
        GL.glUniform1f(program.uniform("grow"), width)
        GL.glUniform3f(program.uniform("ink"), *rgb(THEMES[view.theme].accent))
        GL.glCullFace(GL.GL_FRONT)
        self._geometry.draw_solids()
        GL.glCullFace(GL.GL_BACK)

    def _draw_ghosts(self, snapshot: Snapshot, view: View) -> None:
        """Of the engines beside. Each first into the depth buffer alone, then its nearest faces: no inner ones shine.

        A little farther away than they are, so that a ghost that agrees with the bodies lies behind them.
        """
        if not snapshot.beside:
            return
        program = self._program("ghost")
        GL.glUseProgram(program.id)
        for on in (GL.GL_CULL_FACE, GL.GL_BLEND, GL.GL_POLYGON_OFFSET_FILL):
            GL.glEnable(on)
        for number, lane in enumerate(snapshot.beside):
            tint = linear(ghost_color(THEMES[view.theme], lane.name))
            GL.glUniform4f(program.uniform("tint"), *tint, GHOST_OPACITY)
            GL.glPolygonOffset(1.0 + number, 4.0 * (1 + number))  # ghosts that agree lie behind each other, too
            for visible in (GL.GL_FALSE, GL.GL_TRUE):
                GL.glColorMask(visible, visible, visible, visible)
                GL.glDepthMask(not visible)
                self._geometry.draw_ghost(number)
        for off in (GL.GL_CULL_FACE, GL.GL_BLEND, GL.GL_POLYGON_OFFSET_FILL):
            GL.glDisable(off)

    def _draw_surroundings(self, view: View) -> None:
        """Floor and sky, only where no body is in front; from below the floor is not there."""
        self._geometry.bind_nothing()
        GL.glDisable(GL.GL_CULL_FACE)
        if view.camera.above_floor():
            GL.glUseProgram(self._program("floor").id)
            GL.glDrawArrays(GL.GL_TRIANGLE_STRIP, 0, 4)
            GL.glUseProgram(self._program("floor", shadows=False).id)
            GL.glDrawArrays(GL.GL_TRIANGLE_STRIP, 0, 10)
        GL.glDepthMask(GL.GL_FALSE)
        GL.glDepthFunc(GL.GL_LEQUAL)
        GL.glUseProgram(self._program("sky").id)
        GL.glDrawArrays(GL.GL_TRIANGLE_STRIP, 0, 4)

    def _draw_marks(self, count: int) -> None:
        """Faintly where something hides them, then fully where nothing does."""
        if count == 0:
            return
        program = self._program("mark")
        GL.glUseProgram(program.id)
        GL.glEnable(GL.GL_BLEND)
        behind = program.uniform("behind")
        for compare, value in ((GL.GL_GREATER, 1.0), (GL.GL_LEQUAL, 0.0)):
            GL.glDepthFunc(compare)
            GL.glUniform1f(behind, value)
            self._geometry.draw_marks(count)

    # --- made when first needed ---

    def _program(self, name: str, shadows: bool = True) -> Program:
        taps = self._quality.shadow_taps if shadows and name in SHADOWED else NO_SHADOWS
        if (name, taps) not in self._programs:
            self._programs[name, taps] = Program(name, TAPS=taps)
        return self._programs[name, taps]

    def _shadow_map(self) -> ShadowMap:
        texels = self._quality.shadow_texels
        if texels not in self._shadow_maps:
            self._shadow_maps[texels] = ShadowMap(texels)
        return self._shadow_maps[texels]


def _begin_state() -> None:
    """What the passes rely on, whoever used the context before."""
    for off in (GL.GL_BLEND, GL.GL_SCISSOR_TEST, GL.GL_STENCIL_TEST, GL.GL_FRAMEBUFFER_SRGB):
        GL.glDisable(off)
    GL.glEnable(GL.GL_DEPTH_TEST)
    GL.glEnable(GL.GL_CULL_FACE)
    GL.glCullFace(GL.GL_BACK)
    GL.glFrontFace(GL.GL_CCW)
    GL.glDepthFunc(GL.GL_LESS)
    GL.glDepthMask(GL.GL_TRUE)
    GL.glClearDepth(1.0)
    GL.glColorMask(GL.GL_TRUE, GL.GL_TRUE, GL.GL_TRUE, GL.GL_TRUE)
    # Opacity accumulates, so that the picture stays opaque under faint marks.
    GL.glBlendFuncSeparate(GL.GL_SRC_ALPHA, GL.GL_ONE_MINUS_SRC_ALPHA, GL.GL_ONE, GL.GL_ONE_MINUS_SRC_ALPHA)
    GL.glActiveTexture(GL.GL_TEXTURE0)


def _end_state() -> None:
    """Nothing bound and the tests off, for Qt's painter."""
    GL.glBindVertexArray(0)
    GL.glUseProgram(0)
    GL.glBindTexture(GL.GL_TEXTURE_2D, 0)
    GL.glBindBufferBase(GL.GL_UNIFORM_BUFFER, FRAME_BINDING, 0)
    for off in (GL.GL_DEPTH_TEST, GL.GL_CULL_FACE, GL.GL_BLEND):
        GL.glDisable(off)
    GL.glDepthFunc(GL.GL_LESS)
    GL.glDepthMask(GL.GL_TRUE)
    GL.glBlendFunc(GL.GL_ONE, GL.GL_ZERO)


def _text(value: bytes | str | None) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else value or ""
