"""Scene files and the built-in scenes."""

from sim.files.builtin import builtin_names, is_builtin, scene_path, split_variant
from sim.files.changes import parse_change
from sim.files.scene_file import load, read_scene

__all__ = ["builtin_names", "is_builtin", "load", "parse_change", "read_scene", "scene_path", "split_variant"]
