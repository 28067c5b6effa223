"""Rows of the table for what is selected; the viewport's own menu offers them too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtGui import QGuiApplication

from app.action import Action
from app.inspection import pose
from app.selection import Selection
from sim.plots import CAUSE_ROWS, JOINT_PLOTS, PLOTS

if TYPE_CHECKING:
    from app.window import Window

NOTHING = "Nothing is selected: click a body or a target."
NO_BODY = "No body is selected: click one."


def _no_selection(window: Window) -> str:
    selection = window.session.shown.selection
    return "" if selection.body >= 0 or selection.target >= 0 else NOTHING


def _no_body(window: Window) -> str:
    return "" if window.session.shown.selection.body >= 0 else NO_BODY


def _follow_refusal(window: Window) -> str:
    """What is followed can always be let go."""
    return "" if window.viewport.hand.followed >= 0 else _no_body(window)


def _follow(window: Window) -> None:
    hand, body = window.viewport.hand, window.session.shown.selection.body
    hand.toggle_follow(body if body >= 0 else hand.followed)


def _is_followed(window: Window) -> bool:
    body, followed = window.session.shown.selection.body, window.viewport.hand.followed
    return followed >= 0 and body in (-1, followed)


def _copy_pose(window: Window) -> None:
    selection = window.session.shown.selection
    QGuiApplication.clipboard().setText(repr(list(pose(selection, window.session.snapshot))))
    window.session.say("ok", f"Copied the pose of {selection.name(window.session.stage.model)}.")


def _hide(window: Window) -> None:
    window.viewport.hand.toggle_hidden(window.session.shown.selection.body)
    window.session.shown.select(Selection())


def _own_plot(window: Window, kind: str) -> str:
    """The name of the plot of the selected body's own joint, "" if there is none."""
    return window.plots.own.get(kind, "")


def _toggle_own(window: Window, kind: str) -> None:
    if name := _own_plot(window, kind):
        window.session.shown.toggle_plot(name)


SELECTION_ACTIONS = (
    Action(
        "follow",
        "Selection",
        "Follow",
        _follow,
        tip="The view goes along with the body",
        checked=_is_followed,
        refusal=_follow_refusal,
        context="/",
    ),
    *(
        Action(
            f"plot:own:{kind}",
            "Selection/Plot",
            lambda w, kind=kind: w.plots.offered.get(_own_plot(w, kind), ""),
            lambda w, kind=kind: _toggle_own(w, kind),
            tip="Show this curve of the joint that carries the selected body in a plot of its own, or put it away",
            checked=lambda w, kind=kind: _own_plot(w, kind) in w.session.shown.plots,
            help="-",
            context="Plot",
        )
        for kind in (*JOINT_PLOTS, *CAUSE_ROWS)
    ),
    *(
        Action(
            f"plot:{name}",
            "Selection/Plot",
            lambda w, name=name: w.plots.offered.get(name, ""),
            lambda w, name=name: w.session.shown.toggle_plot(name),
            tip="Show this plot, or put it away",
            checked=lambda w, name=name: name in w.session.shown.plots,
            help="-",
            line=number == 0,
            context="Plot",
        )
        for number, name in enumerate(PLOTS)
    ),
    Action(
        "copy",
        "Selection",
        "Copy pose",
        _copy_pose,
        ("Ctrl+C",),
        tip="As a Python list with full digits: x, y, z [m], then the quaternion w, x, y, z of a body",
        refusal=_no_selection,
        context="/",
    ),
    Action(
        "hide",
        "Selection",
        "Hide",
        _hide,
        tip="Draw the body no longer; it goes on moving",
        refusal=_no_body,
        context="/",
    ),
    Action(
        "show_all",
        "Selection",
        "Show hidden bodies",
        lambda w: w.viewport.hand.show_all(),
        tip="Draw everything again",
        refusal=lambda w: "" if w.viewport.hand.hidden else "Nothing is hidden.",
        context="/",
    ),
    Action(
        "cancel",
        "Selection",
        "Deselect",
        lambda w: w.cancel(),
        ("Esc",),
        tip="End a drag without effect, or else select nothing",
        help="Cancel a drag, then deselect, then leave F11",
        group=1,
    ),
)
