"""The framebuffer a frame is drawn into, multisampled or not, before it goes to the screen or a picture."""

from __future__ import annotations

from OpenGL import GL


class Canvas:
    """Colour and depth of one size; `resolve` averages its samples into another framebuffer."""

    def __init__(self) -> None:
        self._made_for = (0, 0, -1)
        self._framebuffer = 0
        self._buffers: list[int] = []

    def begin(self, width: int, height: int, samples: int) -> None:
        """Bind it in the given size."""
        if self._made_for != (width, height, samples):
            self.release()
            self._make(width, height, samples)
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._framebuffer)
        GL.glViewport(0, 0, width, height)

    def resolve(self, framebuffer: int) -> None:
        """Copy the picture and leave `framebuffer` bound."""
        width, height, _ = self._made_for
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, self._framebuffer)
        GL.glBindFramebuffer(GL.GL_DRAW_FRAMEBUFFER, framebuffer)
        box = (0, 0, width, height)
        GL.glBlitFramebuffer(*box, *box, GL.GL_COLOR_BUFFER_BIT, GL.GL_NEAREST)
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, framebuffer)

    def release(self) -> None:
        if self._framebuffer:
            GL.glDeleteFramebuffers(1, [self._framebuffer])
            GL.glDeleteRenderbuffers(len(self._buffers), self._buffers)
        self._framebuffer, self._buffers, self._made_for = 0, [], (0, 0, -1)

    def _make(self, width: int, height: int, samples: int) -> None:
        self._framebuffer = int(GL.glGenFramebuffers(1))
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._framebuffer)
        samples_here = min(samples, int(GL.glGetIntegerv(GL.GL_MAX_SAMPLES)))
        parts = (
            (GL.GL_COLOR_ATTACHMENT0, GL.GL_RGBA8),
            (GL.GL_DEPTH_ATTACHMENT, GL.GL_DEPTH_COMPONENT24),
        )
        for attachment, form in parts:
            buffer = int(GL.glGenRenderbuffers(1))
            GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, buffer)
            GL.glRenderbufferStorageMultisample(GL.GL_RENDERBUFFER, samples_here, form, width, height)
            GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, attachment, GL.GL_RENDERBUFFER, buffer)
            self._buffers.append(buffer)
        GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, 0)
        if GL.glCheckFramebufferStatus(GL.GL_FRAMEBUFFER) != GL.GL_FRAMEBUFFER_COMPLETE:
            raise RuntimeError(f"OpenGL cannot draw a picture of {width} × {height} pixels with {samples} samples")
        self._made_for = (width, height, samples)
