"""How far two courses of the same joint coordinates are from each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.model import BALL, FREE, HINGE, SLIDER, Model

Array = np.ndarray[Any, np.dtype[Any]]


class Apart:
    """The distance of the joint that is farthest: |Δq| of a hinge [rad] or slider [m], the angle between the attitudes
    of a ball or free body [rad], the way between two places of a free body [m]."""

    def __init__(self, model: Model) -> None:
        starts, kinds = model.joint_q, model.joint_type

        def columns(first: Array, width: int) -> Array:
            return first[:, None] + np.arange(width)

        self._single = starts[:-1][(kinds == HINGE) | (kinds == SLIDER)]
        free = starts[:-1][kinds == FREE]
        self._places = columns(free, 3)
        self._attitudes = columns(np.concatenate([starts[:-1][kinds == BALL], free + 3]), 4)

    def __call__(self, a: Array, b: Array) -> Array:
        """Of rows (n, nq) and (n, nq): (n,)."""
        places = a[:, self._places] - b[:, self._places]
        parts = (
            np.abs(a[:, self._single] - b[:, self._single]),
            np.sqrt((places * places).sum(axis=2)),
            _angles(a[:, self._attitudes], b[:, self._attitudes]),
        )
        return np.concatenate([np.zeros((len(a), 1)), *parts], axis=1).max(axis=1)


def apart_unit(model: Model) -> str:
    """ "rad", "m", or "rad, m" where joints turn and slide."""
    kinds = set(model.joint_type.tolist())
    turns, slides = bool(kinds & {HINGE, BALL, FREE}), bool(kinds & {SLIDER, FREE})
    return ", ".join(["rad"] * turns + ["m"] * slides) or "rad"


def _angles(a: Array, b: Array) -> Array:
    """Between attitudes, from the chord of their quaternions: |a − b| = 2 sin(angle / 4), a and −a being the same."""
    chord = np.minimum(_norm(a - b), _norm(a + b))
    return 4.0 * np.arcsin(np.minimum(0.5 * chord, 1.0))


def _norm(x: Array) -> Array:
    return np.sqrt((x * x).sum(axis=2))
