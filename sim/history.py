"""The last minute of a run, step by step: what plots and logs read.

The physics thread writes one row a step; anybody may read at any time. A reader copies, then looks at
the writer's counter again and drops the rows that were overwritten meanwhile. No lock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sim.model import BALL, FREE, HINGE, SLIDER, Model
from sim.wording import find

Array = np.ndarray[Any, np.dtype[Any]]

_SECONDS = 60.0
_MOST_NUMBERS = 8_000_000  # of float64: 64 MB
_MOST_CAUSES = 4_000_000  # of float64: 32 MB


@dataclass(frozen=True)
class PlotInfo:
    """What a plot shows: one curve a label. `min_span` keeps noise from being blown up."""

    name: str
    title: str
    unit: str
    min_span: float
    labels: tuple[str, ...]
    numbers: tuple[int, ...]  # of the curves, which have the colour of the joint or curve so numbered


@dataclass(frozen=True)
class Plot:
    title: str | Callable[[Model], str]
    unit: str | Callable[[Model], str]
    min_span: float
    labels: Callable[[Model], tuple[str, ...]]
    values: Callable[[History, Rows], Array]  # rows of the history -> (n, curves)
    numbers: Callable[[Model], tuple[int, ...]] | None = None  # None: 0, 1, 2…


class History:
    """Rows of (time, q, v, tau, target distances, kinetic, potential, angular momentum, spin, start energy,
    joint gap).

    The kernel of sim/record.py writes them: a row first, then `counter`. `zero` is the energy of the start.
    """

    def __init__(self, model: Model, dt: float) -> None:
        self.model = model
        widths = {
            "time": 1,
            "q": model.nq,
            "v": model.nv,
            "tau": model.nv,
            "error": len(model.target_names),
            "kinetic": 1,
            "potential": 1,
            "momentum": 3,
            "spin": 3,
            "start": 1,
            "gap": 1,
        }
        ends = np.cumsum(list(widths.values()))
        self.columns = {k: slice(int(e) - w, int(e)) for (k, w), e in zip(widths.items(), ends, strict=True)}
        width = int(ends[-1])
        length = int(min(_SECONDS / dt, _MOST_NUMBERS / width))
        self.rows = np.zeros((max(length, 100), width))
        self.oldest = 0  # the first row there is, as long as it has not been overwritten
        self.counter = np.zeros(1, dtype=np.int64)
        self.zero = np.full(1, np.nan)
        self.causes = _no_causes(model)

    def keep_causes(self, count: int) -> Array:
        """Room for what turns the joints (sim/causes.py), row by row as in `rows`; nan before anybody watched."""
        if not self.causes.size:
            length = min(len(self.rows), _MOST_CAUSES // max(count * self.model.nv, 1))
            self.causes = np.full((length, count, self.model.nv), np.nan)
        return self.causes

    def forget_causes(self) -> None:
        self.causes = _no_causes(self.model)

    @property
    def count(self) -> int:
        """Rows written since the start, of which the last few are there."""
        return int(self.counter[0])

    def rebase(self, jump: float) -> None:
        """Energy counts from another zero from the next row on, so that drift does not see the jump."""
        self.zero[0] += jump

    def cut(self, time: float) -> None:
        """Forget what came after `time`."""
        self.oldest = max(self.oldest, self.count - len(self.rows))
        if self.oldest < self.count:
            times = self._copy(self.oldest, self.count, self.columns["time"])[:, 0]
            self.counter[0] = self.oldest + max(int(np.searchsorted(times, time, side="right")), 1)
            self.zero[0] = self.rows[(self.count - 1) % len(self.rows), self.columns["start"]][0]

    def resized(self, dt: float) -> History:
        """The same rows in a history that holds as much time with another step, as far as they fit."""
        other = History(self.model, dt)
        kept = self.last_rows(_SECONDS)[-len(other.rows) :]
        other.rows[: len(kept)] = kept
        other.counter[0], other.zero[0] = len(kept), self.zero[0]
        return other

    def last_rows(self, seconds: float) -> Array:
        """A copy of the rows of the last `seconds`, oldest first."""
        return self.rows_from(self._span(seconds)[0])

    def rows_from(self, first: int) -> Array:
        """A copy of the rows from number `first` on that are still there, oldest first."""
        end = self.count
        first = min(max(first, self.oldest, end - len(self.rows)), end)
        rows = self._copy(first, end, slice(None))
        return rows[self._overwritten(first) :]

    def read_causes(self, dof: int, seconds: float) -> tuple[Array, Array]:
        """Times (n,) and what turned the velocity `dof` (n, causes) over the last `seconds`."""
        first, end = self._span(seconds)
        rows = Rows(self, first, end)
        times, values, gone = rows[:, self.columns["time"]][:, 0], rows.causes(dof), self._overwritten(first)
        return times[gone:], values[gone:]

    def _span(self, seconds: float) -> tuple[int, int]:
        """The first row of the last `seconds`, and the one behind the last."""
        first, end = max(self.oldest, self.count - len(self.rows)), self.count
        if first == end:
            return first, end
        times = self._copy(first, end, self.columns["time"])[:, 0]
        return first + int(np.searchsorted(times, times[-1] - seconds)), end

    def _overwritten(self, first: int) -> int:
        """How many rows from `first` on have gone while they were read."""
        return max(0, self.count - len(self.rows) - first)

    def _copy(self, first: int, end: int, columns: slice) -> Array:
        size = len(self.rows)
        if first == end:
            return np.zeros((0, self.rows[:, columns].shape[1]))
        a, b = first % size, (end - 1) % size + 1
        if a < b:
            return self.rows[a:b, columns].copy()
        return np.concatenate([self.rows[a:, columns], self.rows[:b, columns]])

    def read(self, name: str, seconds: float) -> tuple[Array, Array]:
        """Times (n,) and values (n, k) of a plot over the last `seconds`; only its own columns are copied."""
        kind, _, joint = name.partition(OF_JOINT)
        find(tuple(PLOTS), kind, "plot")
        first, end = self._span(seconds)
        rows = Rows(self, first, end)
        times, values = rows[:, self.columns["time"]][:, 0], PLOTS[kind].values(self, rows)
        if joint:
            values = values[:, _curves_of(self.model, joint)]
        gone = self._overwritten(first)
        return times[gone:], values[gone:]


def _no_causes(model: Model) -> Array:
    return np.zeros((0, 0, model.nv))


class Rows:
    """Rows of a history, copied column by column as a plot asks for them: a long chain has hundreds."""

    def __init__(self, history: History, first: int, end: int) -> None:
        self._history, self._first, self._end = history, first, end

    def __len__(self) -> int:
        return self._end - self._first

    def __getitem__(self, at: tuple[slice, slice]) -> Array:
        """rows[:, columns]"""
        return self._history._copy(self._first, self._end, at[1])

    def causes(self, dof: int) -> Array:
        """(n, causes) what turns the velocity `dof` (sim/causes.py); nan where nobody watched."""
        history, kept = self._history, self._history.causes
        values = np.full((len(self), kept.shape[1]), np.nan)
        first = max(self._first, self._end - len(kept))
        if first < self._end:
            values[first - self._first :] = kept[np.arange(first, self._end) % len(kept), :, dof]
            values[: max(history.count - len(kept) - self._first, 0)] = np.nan
        return values


def plot_info(model: Model, name: str) -> PlotInfo:
    """Of a plot of the table, or of one joint's curves alone: "joint_angle:elbow"."""
    kind, _, joint = name.partition(OF_JOINT)
    plot = PLOTS[kind]
    title, unit = (text if isinstance(text, str) else text(model) for text in (plot.title, plot.unit))
    labels = plot.labels(model)
    numbers = plot.numbers(model) if plot.numbers else tuple(range(len(labels)))
    whole = PlotInfo(kind, title, unit, plot.min_span, labels, numbers)
    return _of_joint(whole, model, joint) if joint else whole


def _of_joint(whole: PlotInfo, model: Model, joint: str) -> PlotInfo:
    curves = _curves_of(model, joint)
    slides = model.joint_type[model.joint_names.index(joint)] == SLIDER
    word = JOINT_PLOTS[whole.name][int(slides)]
    return replace(
        whole,
        name=f"{whole.name}{OF_JOINT}{joint}",
        title=f"{word} of {joint}",
        unit=whole.unit.split(", ")[-1 if slides else 0],  # a plot of both names the sliders' last
        labels=tuple(whole.labels[i] for i in curves),
        numbers=tuple(whole.numbers[i] for i in curves),
    )


def _curves_of(model: Model, joint: str) -> Array:
    """Which curves of a plot of all joints are this one's."""
    return np.flatnonzero(model.dof_joint[_jointed(model)] == find(model.joint_names, joint, "joint"))


def _column(name: str, scale: float = 1.0) -> Callable[[History, Rows], Array]:
    return lambda history, rows: rows[:, history.columns[name]] * scale


def _jointed(model: Model) -> Array:
    """Which velocities belong to joints that people built, not to implicit free ones."""
    return np.flatnonzero(model.joint_type[model.dof_joint] != FREE)


def _dof_labels(model: Model) -> tuple[str, ...]:
    labels = []
    for k in _jointed(model):
        j = int(model.dof_joint[k])
        axis = " xyz"[k - model.joint_v[j] + 1] if model.joint_type[j] == BALL else ""
        labels.append(f"{model.joint_names[j]} {axis}".strip())
    return tuple(labels)


def _dof_numbers(model: Model) -> tuple[int, ...]:
    """All curves of a joint have its number."""
    first = int((model.joint_type == FREE).sum())
    return tuple(int(j) - first for j in model.dof_joint[_jointed(model)])


def _by_kind(turning: str, sliding: str, form: str = "{}", between: str = ", ") -> Callable[[Model], str]:
    """What curves of hinges and balls are called, or of sliders, or of both together."""

    def text(model: Model) -> str:
        slides = model.joint_type[model.dof_joint[_jointed(model)]] == SLIDER
        parts = [turning] * bool((~slides).any()) + [sliding] * bool(slides.any())
        return form.format(between.join(parts))

    return text


def _dof_column(name: str) -> Callable[[History, Rows], Array]:
    return lambda history, rows: rows[:, history.columns[name]][:, _jointed(history.model)]


def _angles(history: History, rows: Rows) -> Array:
    """Hinge angles and slider positions as they are, ball joints as rotation vectors."""
    model, q = history.model, rows[:, history.columns["q"]]
    parts = []
    for j, kind in enumerate(model.joint_type):
        qj = q[:, model.joint_q[j] : model.joint_q[j + 1]]
        if kind in (HINGE, SLIDER):
            parts.append(qj)
        elif kind == BALL:
            s = np.linalg.norm(qj[:, 1:], axis=1, keepdims=True)
            angle = 2 * np.arctan2(s, qj[:, :1])
            parts.append(qj[:, 1:] * np.where(s > 1e-12, angle / np.maximum(s, 1e-12), 2.0))
    return np.concatenate(parts, axis=1) if parts else np.zeros((len(rows), 0))


def _sliders(model: Model) -> tuple[int, ...]:
    return tuple(int(j) for j in np.flatnonzero(model.joint_type == SLIDER))


def _slider_labels(model: Model) -> tuple[str, ...]:
    return tuple(model.joint_names[j] for j in _sliders(model))


def _slider_numbers(model: Model) -> tuple[int, ...]:
    first = int((model.joint_type == FREE).sum())
    return tuple(j - first for j in _sliders(model))


def _slider_column(name: str) -> Callable[[History, Rows], Array]:
    def values(history: History, rows: Rows) -> Array:
        starts = history.model.joint_q if name == "q" else history.model.joint_v
        return rows[:, history.columns[name]][:, starts[list(_sliders(history.model))]]

    return values


def _energies(history: History, rows: Rows) -> Array:
    kinetic, potential = rows[:, history.columns["kinetic"]], rows[:, history.columns["potential"]]
    return np.concatenate([kinetic, potential, kinetic + potential], axis=1)


def _drift(history: History, rows: Rows) -> Array:
    return _energies(history, rows)[:, 2:] - rows[:, history.columns["start"]]


OF_JOINT = ":"  # between the name of a plot and that of the joint it shows alone
JOINT_PLOTS = {  # what the curves of one joint are called, for hinges and balls and for sliders
    "joint_angle": ("Angle", "Position"),
    "joint_speed": ("Speed", "Speed"),
    "torque": ("Torque", "Force"),
}

_XYZ = ("x", "y", "z")
_TITLE = "Joint {}", " and "

PLOTS: dict[str, Plot] = {
    "tool_error": Plot("Tool error", "mm", 1.0, lambda m: m.target_names, _column("error", 1000.0)),
    "torque": Plot(
        _by_kind("torques", "forces", *_TITLE), _by_kind("N·m", "N"), 0.1, _dof_labels, _dof_column("tau"), _dof_numbers
    ),
    "joint_angle": Plot(
        _by_kind("angles", "positions", *_TITLE), _by_kind("rad", "m"), 0.01, _dof_labels, _angles, _dof_numbers
    ),
    "joint_speed": Plot(
        "Joint speeds", _by_kind("rad/s", "m/s"), 0.01, _dof_labels, _dof_column("v"), _dof_numbers
    ),
    "slide": Plot("Slides", "m", 0.001, _slider_labels, _slider_column("q"), _slider_numbers),
    "slide_speed": Plot("Speed of slides", "m/s", 0.01, _slider_labels, _slider_column("v"), _slider_numbers),
    "energy": Plot("Energy", "J", 0.01, lambda m: ("kinetic", "potential", "total"), _energies),
    "drift": Plot("Energy drift", "J", 1e-9, lambda m: ("drift",), _drift),
    "momentum": Plot("Angular momentum", "N·m·s", 1e-6, lambda m: _XYZ, _column("momentum")),
    "spin": Plot(lambda m: f"Spin of {m.body_names[0]} in body axes", "rad/s", 0.01, lambda m: _XYZ, _column("spin")),
}
