"""Scene files and the built-in scenes."""

from sim.files.builtin import builtin_names, scene_path
from sim.files.scene_file import load, read_scene

__all__ = ["builtin_names", "load", "read_scene", "scene_path"]
