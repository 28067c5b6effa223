"""The colour of an engine in curves, dots and marks, the same wherever it runs beside another, as that of its ghost."""

from __future__ import annotations

from app.theme import Theme
from sim.lane_names import LANES


def ghost_color(theme: Theme, name: str) -> str:
    return theme.ghosts[LANES.index(name) % len(theme.ghosts)]


def engine_color(theme: Theme, name: str, leader: str) -> str:
    """The leading one has the colour of text."""
    return theme.text if name == leader else ghost_color(theme, name)
