"""What can run beside the leading engine, and what it is called."""

from __future__ import annotations

from sim.backend import BACKENDS, refusal
from sim.model import Model

REFERENCE = "reference"  # the lane that shows what all engines should do: the most precise one in finer steps
LANES = (*BACKENDS, REFERENCE)
TOLERANCE = 1e-3  # [rad, m] usual: from there on engines are apart
COLUMNS = ("apart", "energy", "gap")  # what is written down of every engine in a comparison


def yardstick_of(names: tuple[str, ...]) -> int:
    """Whom all are compared with, the leading engine's name being the first: the reference, or that one."""
    return names.index(REFERENCE) if REFERENCE in names else 0


def engine_of(name: str, model: Model) -> str:
    """The engine that runs in a lane: its own, or for the reference the one that steps most precisely."""
    if name != REFERENCE:
        return name
    return "tree" if not refusal("tree", model) else "impulse"


def lane_title(name: str) -> str:
    return "Reference" if name == REFERENCE else BACKENDS[name][0]


def lane_refusal(name: str, model: Model) -> str:
    """Why there cannot be such a lane, in a sentence; "" if there can."""
    if name != REFERENCE and name not in BACKENDS:
        return f'There is no engine "{name}"; there are {", ".join(LANES)}.'
    return refusal(engine_of(name, model), model)
