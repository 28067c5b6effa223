"""Shader programs from assets/shaders."""

from __future__ import annotations

import re
from pathlib import Path

from OpenGL import GL

SHADERS = Path(__file__).resolve().parents[2] / "assets" / "shaders"
FRAME_BINDING = 0
_INCLUDE = re.compile(r'^#include "(.+)"$', re.MULTILINE)


class Program:
    """NAME.vert and NAME.frag linked; `defines` become #define lines after the version."""

    def __init__(self, name: str, **defines: int) -> None:
        self.id = GL.glCreateProgram()
        stages = ((GL.GL_VERTEX_SHADER, f"{name}.vert"), (GL.GL_FRAGMENT_SHADER, f"{name}.frag"))
        shaders = [_compiled(stage, file, defines) for stage, file in stages]
        for shader in shaders:
            GL.glAttachShader(self.id, shader)
        GL.glLinkProgram(self.id)
        for shader in shaders:
            GL.glDetachShader(self.id, shader)
            GL.glDeleteShader(shader)
        if not GL.glGetProgramiv(self.id, GL.GL_LINK_STATUS):
            raise RuntimeError(f"shader program {name}: {_text(GL.glGetProgramInfoLog(self.id))}")
        block = GL.glGetUniformBlockIndex(self.id, "Frame")
        if block != GL.GL_INVALID_INDEX:
            GL.glUniformBlockBinding(self.id, block, FRAME_BINDING)

    def uniform(self, name: str) -> int:
        return int(GL.glGetUniformLocation(self.id, name))

    def release(self) -> None:
        GL.glDeleteProgram(self.id)


def source(file: str) -> str:
    """A shader's text with its includes in place."""
    text = (SHADERS / file).read_text(encoding="utf-8")
    return _INCLUDE.sub(lambda match: source(match.group(1)), text)


def _compiled(stage: int, file: str, defines: dict[str, int]) -> int:
    version, rest = source(file).split("\n", 1)
    lines = [version, *(f"#define {name} {value}" for name, value in defines.items()), rest]
    shader = GL.glCreateShader(stage)
    GL.glShaderSource(shader, "\n".join(lines))
    GL.glCompileShader(shader)
    if not GL.glGetShaderiv(shader, GL.GL_COMPILE_STATUS):
        raise RuntimeError(f"{file}: {_text(GL.glGetShaderInfoLog(shader))}")
    return int(shader)


def _text(log: bytes | str) -> str:
    return log.decode(errors="replace") if isinstance(log, bytes) else log
