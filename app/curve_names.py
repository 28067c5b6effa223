"""Names of curves where room is short: the joint in the legend, the axis beside the value. No Qt."""

from __future__ import annotations

from app.theme import DASHES, dash

AXES = ("x", "y", "z")


def parted(label: str) -> tuple[str, str]:
    """Stem and axis of a curve's name: "elbow x" is the x of elbow, "x" that of nothing."""
    stem, _, last = label.rpartition(" ")
    return (stem, last) if last in AXES else (label, "")


def stroke(number: int, label: str) -> tuple[int, ...]:
    """Pen pattern of a curve: those of a ball joint share its colour and differ by axis."""
    stem, axis = parted(label)
    return DASHES[AXES.index(axis)] if stem and axis else dash(number)


def legend(labels: tuple[str, ...]) -> list[tuple[int, str]]:
    """Every stem once, with the curve whose colour it has; of a numbered row only the first in full: joint1 2 3."""
    entries: list[tuple[int, str]] = []
    seen: list[str] = []
    for i, label in enumerate(labels):
        stem = parted(label)[0]
        if not stem or stem in seen:
            continue
        front = _unnumbered(stem)
        follows = bool(seen) and front not in ("", stem) and _unnumbered(seen[-1]) == front != seen[-1]
        entries.append((i, stem.removeprefix(front) if follows else stem))
        seen.append(stem)
    return entries


def _unnumbered(stem: str) -> str:
    return stem.rstrip("0123456789")
