"""The scenes that come with the program."""

from __future__ import annotations

import os
from pathlib import Path

from sim.scene import SceneError
from sim.wording import suggestion

SCENES = Path(__file__).resolve().parents[2] / "assets" / "scenes"

# In the order of the gallery; a new scene is a file in assets/scenes and a line here.
_GALLERY = (
    "free_body",
    "free_bodies",
    "ball_chain",
    "hinge_chain",
    "long_chain",
    "four_bar",
    "parallelogram",
    "slider_crank",
    "double_pendulum",
    "planar_2r",
    "rp_robot",
    "arm_6r",
    "arm_6r_reach",
    "three_link_arm",
    "arm_gravity",
    "arm_pd",
    "arm_reach",
    "ball_arm",
    "ball_arm_gravity",
    "ball_arm_pd",
    "ball_arm_reach",
)


def builtin_names() -> list[str]:
    """Names of the built-in scenes in gallery order."""
    return list(_GALLERY)


def scene_path(name: str) -> Path:
    """The file of a built-in scene."""
    if name not in _GALLERY:
        raise SceneError(f'There is no built-in scene "{name}"; {suggestion(name, _GALLERY)}')
    return SCENES / f"{name}.toml"


def is_builtin(path: str | os.PathLike[str]) -> bool:
    """Whether a file is one of these, which are only read."""
    return Path(path).resolve().parent == SCENES and Path(path).stem in _GALLERY


def split_variant(name: str, folder: str = "") -> tuple[str, str | None]:
    """SCENE:VARIANT in its two parts. A file in `folder` may have colons of its own."""
    scene, colon, variant = name.rpartition(":")
    if not colon or not scene or set(variant) & set("/\\") or os.path.exists(os.path.join(folder, name)):
        return name, None
    return scene, variant
