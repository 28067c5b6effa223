"""Logs of a run as CSV or NPZ: one row a step, every column with its name and unit."""

from __future__ import annotations

import csv
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.files.draft import Draft
from sim.model import BALL, FIXED, FREE, HINGE, SLIDER, Model

if TYPE_CHECKING:
    from sim.history import History

Array = np.ndarray[Any, np.dtype[Any]]

AT_A_TIME = 100  # rows of text: between two such blocks other threads have their turn
_XYZ = ("x", "y", "z")
_WXYZ = ("w", *_XYZ)

# joint type -> (coordinate, unit) of each of its columns
_Parts = dict[int, tuple[tuple[str, str], ...]]
_Q: _Parts = {
    HINGE: (("", "rad"),),
    SLIDER: (("", "m"),),
    BALL: tuple((f".{c}", "1") for c in _WXYZ),
    FREE: (*((f".position.{c}", "m") for c in _XYZ), *((f".rotation.{c}", "1") for c in _WXYZ)),
    FIXED: (),
}
_V: _Parts = {
    HINGE: (("", "rad/s"),),
    SLIDER: (("", "m/s"),),
    BALL: tuple((f".{c}", "rad/s") for c in _XYZ),
    FREE: (*((f".angular.{c}", "rad/s") for c in _XYZ), *((f".linear.{c}", "m/s") for c in _XYZ)),
    FIXED: (),
}
_TORQUE: _Parts = {
    HINGE: (("", "N·m"),),
    SLIDER: (("", "N"),),
    BALL: tuple((f".{c}", "N·m") for c in _XYZ),
    FREE: (*((f".torque.{c}", "N·m") for c in _XYZ), *((f".force.{c}", "N") for c in _XYZ)),
    FIXED: (),
}


class Log:
    """Rows of time, q, v, controller torques, energies, joint gap, targets and how far tools are from them.

    Columns are named `name [unit]`, such as `q.elbow [rad]`; q and v follow the model's joints, torques
    its actuated ones, and `error.` is the distance of a target's tool from it.
    """

    def __init__(self, model: Model) -> None:
        self._actuated = model.dof_actuated
        torques = np.array(_columns("torque", _TORQUE, model), dtype=object)[self._actuated]
        self.columns: tuple[str, ...] = (
            "time [s]",
            *_columns("q", _Q, model),
            *_columns("v", _V, model),
            *torques,
            "kinetic [J]",
            "potential [J]",
            "joint_gap [m]",
            *(f"target.{name}.{c} [m]" for name in model.target_names for c in _XYZ),
            *(f"error.{name} [m]" for name in model.target_names),
        )
        self._blocks: list[Array] = []
        self._next = 0

    def add(self, history: History) -> None:
        """The rows that were written since the last time, or at first all that are there."""
        rows, at = history.rows_from(self._next), history.columns
        torque = rows[:, at["tau"]][:, self._actuated]
        others = [rows[:, at[name]] for name in ("kinetic", "potential", "gap", "targets", "error")]
        self._blocks.append(np.hstack([*(rows[:, at[name]] for name in ("time", "q", "v")), torque, *others]))
        self._next = history.count

    def go_on(self, history: History) -> None:
        """In a history that may be another one; its rows so far count as added."""
        self._next = history.count

    @property
    def rows(self) -> Array:
        """(n, columns) of what was added so far."""
        return np.concatenate(self._blocks) if self._blocks else np.zeros((0, len(self.columns)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all rows to a .csv or .npz file, complete or not at all; raises OSError."""
        write = WRITERS[Path(path).suffix.lower()]
        with Draft(path) as draft:
            write(draft.path, self.columns, self.rows)


def read_log(path: str | os.PathLike[str]) -> dict[str, Array]:
    """The columns of a .csv or .npz log by name; raises ValueError in one sentence, or OSError."""
    read = READERS.get(Path(path).suffix.lower())
    if read is None:
        raise ValueError(f'"{path}" is no log; expected a .csv or .npz file that `run --log` wrote')
    try:
        return read(os.fspath(path))
    except (ValueError, KeyError, StopIteration, UnicodeDecodeError, csv.Error, zipfile.BadZipFile) as error:
        raise ValueError(f'"{path}" is no log that `run --log` wrote, or it is damaged') from error


def _read_csv(path: str) -> dict[str, Array]:
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        names = next(rows)
        values = np.array([[float(x) for x in row] for row in rows]).reshape(-1, len(names))
    return dict(zip(names, values.T, strict=True))


def _read_npz(path: str) -> dict[str, Array]:
    with np.load(path, allow_pickle=False) as file:
        return {name: np.asarray(file[name], dtype=float) for name in file.files}


def _columns(quantity: str, parts: _Parts, model: Model) -> list[str]:
    return [
        f"{quantity}.{name}{part} [{unit}]"
        for name, kind in zip(model.joint_names, model.joint_type, strict=True)
        for part, unit in parts[int(kind)]
    ]


def _write_csv(path: str, columns: tuple[str, ...], rows: Array) -> None:
    """Numbers as Python writes them: the shortest text that reads back as the same float64."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for first in range(0, len(rows), AT_A_TIME):
            writer.writerows(rows[first : first + AT_A_TIME].tolist())


def _write_npz(path: str, columns: tuple[str, ...], rows: Array) -> None:
    """One float64 array a column, under the column's name."""
    with open(path, "wb") as file:
        np.savez_compressed(file, **dict(zip(columns, rows.T, strict=True)))


WRITERS: dict[str, Callable[[str, tuple[str, ...], Array], None]] = {".csv": _write_csv, ".npz": _write_npz}
READERS: dict[str, Callable[[str], dict[str, Array]]] = {".csv": _read_csv, ".npz": _read_npz}
