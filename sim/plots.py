"""The table of plots: what each shows of a history's rows, under which name, unit and labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.cause_names import INERTIA, INPUTS, cause_names
from sim.model import BALL, FREE, HINGE, SLIDER, Model
from sim.wording import find

if TYPE_CHECKING:
    from sim.history import History, Rows

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class PlotInfo:
    """What a plot shows: one curve a label. `min_span` keeps noise from being blown up."""

    name: str
    title: str
    unit: str
    min_span: float
    labels: tuple[str, ...]
    numbers: tuple[int, ...]  # of the curves, which have the colour of the joint or curve so numbered
    stacked: bool = False  # the last curve is the sum of the others, which are drawn upon each other
    logarithmic: bool = False  # shown as log10 of the magnitude


@dataclass(frozen=True)
class Plot:
    title: str | Callable[[Model], str]
    unit: str | Callable[[Model], str]
    min_span: float
    labels: Callable[[Model], tuple[str, ...]]
    values: Callable[[History, Rows], Array]  # rows of the history -> (n, curves)
    numbers: Callable[[Model], tuple[int, ...]] | None = None  # None: 0, 1, 2…
    logarithmic: bool = False


def plot_values(history: History, rows: Rows, name: str) -> Array:
    """(n, curves) of a plot by its name, as `plot_info` tells them."""
    kind, _, joint = name.partition(OF_JOINT)
    find(tuple(PLOTS), kind, "plot")
    if kind == CAUSES:
        return _by_cause(history, rows, joint)
    values = PLOTS[kind].values(history, rows)
    return values[:, _curves_of(history.model, joint)] if joint else values


def plot_info(model: Model, name: str) -> PlotInfo:
    """Of a plot of the table, or of one joint's curves alone: "joint_angle:elbow"."""
    kind, _, joint = name.partition(OF_JOINT)
    plot = PLOTS[kind]
    if kind == CAUSES:
        return _cause_info(model, name, plot)
    title, unit = (text if isinstance(text, str) else text(model) for text in (plot.title, plot.unit))
    labels = plot.labels(model)
    numbers = plot.numbers(model) if plot.numbers else tuple(range(len(labels)))
    whole = PlotInfo(kind, title, unit, plot.min_span, labels, numbers, logarithmic=plot.logarithmic)
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


# --- torques by cause: one plot a velocity, its parts stacked, and what they add up to ---


def caused(model: Model, name: str) -> int:
    """Which velocity a plot of causes is of: "elbow", "shoulder y" of a ball, "" the first; -1 if there is none."""
    labels = _dof_labels(model)
    if not labels:
        return -1
    return int(_jointed(model)[find(labels, name, "joint") if name else 0])


def cause_plots(model: Model, joint: int) -> list[str]:
    """The names of the plots of causes of a joint, one a velocity."""
    own = model.dof_joint[_jointed(model)] == joint
    return [f"{CAUSES}{OF_JOINT}{label}" for label, is_own in zip(_dof_labels(model), own, strict=True) if is_own]


def _shown_causes(model: Model) -> list[int]:
    """Inputs are listed where a scene has some."""
    names = cause_names(model)
    return [i for i, name in enumerate(names) if name != INPUTS or model.scene.inputs]


def _cause_labels(model: Model) -> tuple[str, ...]:
    names = cause_names(model)
    return (*(names[i] for i in _shown_causes(model)), INERTIA) if _dof_labels(model) else ()


def _by_cause(history: History, rows: Rows, name: str) -> Array:
    dof = caused(history.model, name)
    if dof < 0:
        return np.zeros((len(rows), 0))
    parts = rows.causes(dof)[:, _shown_causes(history.model)]
    return np.concatenate([parts, parts.sum(axis=1, keepdims=True)], axis=1)


def _cause_info(model: Model, name: str, plot: Plot) -> PlotInfo:
    labels, dof = _cause_labels(model), caused(model, name.partition(OF_JOINT)[2])
    slides = dof >= 0 and model.joint_type[model.dof_joint[dof]] == SLIDER
    own = _dof_labels(model)[int(np.flatnonzero(_jointed(model) == dof)[0])] if dof >= 0 else ""
    title = f"{'Force' if slides else 'Torque'} on {own} by cause"
    return PlotInfo(name, title, "N" if slides else "N·m", plot.min_span, labels, (0,) * len(labels), True)


# --- the columns of other plots ---


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

CAUSES = "causes"  # the plot of one joint's torques by cause
CAUSE_ROWS = tuple(f"{CAUSES} {axis}" for axis in range(3))  # what menus call those of one joint, a ball having three
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
    "drift": Plot("Energy drift", "J", 1e-9, lambda m: ("drift",), _drift, logarithmic=True),
    "momentum": Plot("Angular momentum", "N·m·s", 1e-6, lambda m: _XYZ, _column("momentum")),
    "spin": Plot(lambda m: f"Spin of {m.body_names[0]} in body axes", "rad/s", 0.01, lambda m: _XYZ, _column("spin")),
    CAUSES: Plot("Torques by cause", "N·m", 0.1, _cause_labels, lambda history, rows: _by_cause(history, rows, "")),
}
