"""The program with a window, from its first moment to its exit code.

Qt is imported inside `run_window`: what decides about it (scale, OpenGL library, whether there is a
display at all) has to be settled before.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from app.display import display_problem
from sim.scene import SceneError

if TYPE_CHECKING:
    from app.stage import Stage

__all__ = ["DEFAULT_SCENE", "display_problem", "run_window"]

DEFAULT_SCENE = "arm_reach"
QT_LOGGING = "qt.qpa.*=false"  # Qt's own words about the desktop it finds; failures come as sentences of ours


def run_window(
    scene_name: str | None,
    shot: str | os.PathLike[str] | None = None,
    after: float = 3.0,
    size: tuple[int, int] | None = None,
    theme: str | None = None,
    scale: float | None = None,
    report: str | os.PathLike[str] | None = None,
    beside: tuple[str, ...] = (),
) -> int:
    """Open the window with a scene, by default that of last time, and return when it is closed.

    Raises SceneError before anything opens. `shot` saves a picture of the window after so many seconds and closes
    it; `report` writes times and driver as JSON once the world has moved; `beside` names engines to compare with.
    """
    if scale is not None:
        os.environ["QT_SCALE_FACTOR"] = f"{scale:g}"
    os.environ.setdefault("QT_LOGGING_RULES", QT_LOGGING)

    stage, problem = _first_stage(scene_name or (DEFAULT_SCENE if shot is not None else None))

    from app.program import Program

    program = Program(sys.argv[:1], stage, theme, size, unattended=shot is not None)
    program.window.beside = beside
    if problem:
        program.session.say("warning", problem)
    if shot is not None:
        program.shoot(Path(shot), after)
    if report is not None:
        program.report(Path(report))
    return program.run()


def _first_stage(scene_name: str | None) -> tuple[Stage, str]:
    """The scene asked for, or the one of last time; where that cannot be shown any more, the usual one and why."""
    from app.stage import load_stage

    if scene_name is not None:
        return load_stage(scene_name), ""
    from app.scene_files import LAST
    from app.settings import Settings

    last = Settings().text(LAST, DEFAULT_SCENE)
    try:
        return load_stage(last), ""
    except (SceneError, OSError) as problem:
        return load_stage(DEFAULT_SCENE), f"The scene of last time cannot be opened. {problem}"
