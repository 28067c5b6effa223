"""Impulse's physics: scenes, engines, controllers. No Qt, no OpenGL, no printing.

    import sim
    world = sim.Simulation(sim.load("arm_reach"), backend="impulse", dt=1e-3)
    world.advance(2.0)
    world.q, world.v, world.state
"""

from __future__ import annotations

from typing import Any

_PUBLIC = {
    "load": "sim.files",
    "with_start": "sim.start",
    "write_scene": "sim.files.scene_writer",
    "Simulation": "sim.simulation",
    "Runner": "sim.runner",
    "Robot": "sim.robot",
    "compile_progress": "sim.jit",
}


def __getattr__(name: str) -> Any:
    """Imported on first use: the window paints before numba is there."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'sim' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_PUBLIC[name]), name)
