"""Everything a person can ask for, in one table: menus, toolbar, keys and help are made from it.

Keys without Ctrl, Alt or F belong to the viewport alone, so that they never take Space, letters, digits
or arrows from a focused control (see `is_bare`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import pi, radians
from typing import TYPE_CHECKING

from app.action import Action, Text, is_bare
from app.actions_comparison import COMPARISON_ACTIONS
from app.actions_files import FILE_ACTIONS
from app.actions_help import HELP_ACTIONS, READING_ACTIONS
from app.actions_selection import SELECTION_ACTIONS
from app.camera import Camera
from app.pacing import QUALITIES
from app.render.overlays import OVERLAYS
from app.style import CHOICES
from sim.backend import BACKENDS, silent
from sim.command import SetBackend, StepBack, StepOnce
from sim.control import CONTROLLERS

if TYPE_CHECKING:
    from app.window import Window

MANY_STEPS = 100
__all__ = ["ACTIONS", "MOUSE", "TOOLBAR", "Action", "Text", "is_bare"]
PANELS = {"scenes": "Scenes", "control": "Control and physics", "plots": "Plots"}
BELOW = radians(89.0)  # straight down, short of the pole


# --- what the rows do ---------------------------------------------------------------------------------


def _switch_title(window: Window, number: int) -> str:
    controllers = window.session.stage.scene.controllers
    return CONTROLLERS[controllers[number - 1].kind].title if number <= len(controllers) else ""


def _is_switched_on(window: Window, number: int) -> bool:
    controllers = window.session.stage.scene.controllers
    return number <= len(controllers) and window.session.snapshot.controllers.get(controllers[number - 1].name, False)


def _look_from(azimuth: float, elevation: float) -> Callable[[Window], None]:
    """View along an axis; from there once more, from the opposite side."""

    def do(window: Window) -> None:
        hand = window.viewport.hand
        at = hand.glide.end if hand.glide else hand.camera
        there = _near(at, azimuth, elevation)
        if elevation and there:
            turned = replace(at, azimuth=azimuth, elevation=-elevation)
        else:
            turned = replace(at, azimuth=azimuth + (pi if there else 0.0), elevation=elevation)
        window.viewport.look(turned)

    return do


def _near(camera: Camera, azimuth: float, elevation: float) -> bool:
    turn = (camera.azimuth - azimuth + pi) % (2 * pi) - pi
    return abs(turn) < 1e-3 and abs(camera.elevation - elevation) < 1e-3


def _toggle_orthographic(window: Window) -> None:
    hand = window.viewport.hand
    hand.camera = replace(hand.camera, orthographic=not hand.camera.orthographic)


def _overlay_refusal(window: Window, name: str) -> str:
    """Joint forces are known to some engines only; what is on can always be switched off."""
    wanted = name == "loads" and name not in window.viewport.overlays.on
    return silent(window.session.snapshot.backend) if wanted else ""


def _home(window: Window) -> None:
    window.viewport.look(window.session.stage.home())


# --- the table ----------------------------------------------------------------------------------------

ACTIONS: tuple[Action, ...] = (
    *FILE_ACTIONS,
    Action(
        "play",
        "Simulation",
        lambda w: "Pause" if w.session.snapshot.running else "Play",
        lambda w: w.session.toggle_play(),
        ("Space",),
        lambda w: "pause" if w.session.snapshot.running else "play",
        "Let the world run, or hold it",
        "Play or pause",
    ),
    Action(
        "step",
        "Simulation",
        "One step on",
        lambda w: w.session.send(StepOnce()),
        ("Right",),
        "step",
        "Hold the world and take one step",
    ),
    Action(
        "steps",
        "Simulation",
        f"{MANY_STEPS} steps on",
        lambda w: w.session.send(StepOnce(MANY_STEPS)),
        ("Shift+Right",),
        tip=f"Hold the world and take {MANY_STEPS} steps",
    ),
    Action(
        "back",
        "Simulation",
        "One step back",
        lambda w: w.session.send(StepBack()),
        ("Left",),
        "back",
        "Hold the world and go back one step, exactly",
    ),
    Action(
        "steps_back",
        "Simulation",
        f"{MANY_STEPS} steps back",
        lambda w: w.session.send(StepBack(MANY_STEPS)),
        ("Shift+Left",),
        tip=f"Hold the world and go back {MANY_STEPS} steps, exactly",
    ),
    Action(
        "reset",
        "Simulation",
        "Reset",
        lambda w: w.session.reset(),
        ("R", "Backspace"),
        "reset",
        "Time and state back to the start; gains, switches and camera stay",
    ),
    Action(
        "reload",
        "Simulation",
        "Reload file",
        lambda w: w.session.reload(),
        ("Shift+R",),
        tip="Read the scene's file again",
    ),
    Action(
        "slower",
        "Simulation",
        "Half speed",
        lambda w: w.session.change_speed(-1),
        ("-",),
        "slower",
        "Half as fast",
        group=1,
    ),
    Action(
        "faster",
        "Simulation",
        "Double speed",
        lambda w: w.session.change_speed(1),
        ("+", "="),
        "faster",
        "Twice as fast",
        help_keys="+",
        group=1,
    ),
    Action(
        "real_time",
        "Simulation",
        "Real time",
        lambda w: w.session.change_speed(0),
        ("Ctrl+0",),
        tip="One simulated second a second",
        group=1,
    ),
    *(
        Action(
            f"engine:{name}",
            "Simulation/Engine",
            title,
            lambda w, name=name: w.session.send(SetBackend(name)),
            checked=lambda w, name=name: w.session.snapshot.backend == name,
            refusal=lambda w, name=name: w.session.stage.refusals[name],
            help="-",
            group=2,
            tip="Go on with this engine from the same positions and velocities",
        )
        for name, (title, _) in BACKENDS.items()
    ),
    *COMPARISON_ACTIONS,
    *(
        Action(
            f"controller:{n}",
            "Simulation/Controllers",
            lambda w, n=n: _switch_title(w, n),
            lambda w, n=n: w.session.switch(n),
            (f"Ctrl+{n}",),
            checked=lambda w, n=n: _is_switched_on(w, n),
            help="Switch controller 1…9" if n == 1 else "-",
            help_keys="Ctrl+1…9",
            group=2,
        )
        for n in range(1, 10)
    ),
    Action("home", "View", "Home", _home, ("0",), "frame", "Back to the view at start"),
    Action(
        "frame",
        "View",
        "Frame selection",
        lambda w: w.viewport.frame_selection(),
        ("F",),
        tip="Fit the view to what is selected, or to everything",
        context="/",
    ),
    Action(
        "frame_all",
        "View",
        "Frame everything",
        lambda w: w.viewport.frame_all(),
        ("Home",),
        tip="Fit the view to the scene",
        context="/",
    ),
    Action("front", "View", "Front", _look_from(-pi / 2, 0.0), ("1",), tip="Again: from behind", group=1),
    Action("right", "View", "Right", _look_from(0.0, 0.0), ("3",), tip="Again: from the left", group=1),
    Action("top", "View", "Top", _look_from(-pi / 2, BELOW), ("7",), tip="Again: from below", group=1),
    Action(
        "orthographic",
        "View",
        "Orthographic",
        _toggle_orthographic,
        ("5",),
        tip="Parallel lines stay parallel",
        checked=lambda w: w.viewport.hand.camera.orthographic,
        group=1,
    ),
    *(
        Action(
            f"overlay:{name}",
            "View/Overlays",
            title,
            lambda w, name=name: w.toggle_overlay(name),
            tip=tip,
            checked=lambda w, name=name: name in w.viewport.overlays.on,
            refusal=lambda w, name=name: _overlay_refusal(w, name),
            help="-",
            group=2,
        )
        for name, (title, tip) in OVERLAYS.items()
    ),
    *(
        Action(
            f"theme:{choice}",
            "View/Theme",
            title,
            lambda w, choice=choice: w.choose_theme(choice),
            checked=lambda w, choice=choice: w.theme_choice == choice,
            help="-",
            group=2,
        )
        for choice, title in CHOICES.items()
    ),
    *(
        Action(
            f"quality:{choice}",
            "View/Quality",
            title,
            lambda w, choice=choice: w.choose_quality(choice),
            checked=lambda w, choice=choice: w.viewport.quality.choice == choice,
            help="-",
            group=2,
        )
        for choice, title in QUALITIES.items()
    ),
    *READING_ACTIONS,
    *(
        Action(
            f"panel:{name}",
            "View/Panels",
            title,
            lambda w, name=name: w.toggle_panel(name),
            checked=lambda w, name=name: not w.docks[name].isHidden(),
            help="-",
            group=3,
        )
        for name, title in PANELS.items()
    ),
    Action(
        "viewport_only",
        "View",
        "Viewport only",
        lambda w: w.toggle_viewport_only(),
        ("F11",),
        checked=lambda w: w.is_viewport_only,
        tip="Hide the panels and fill the screen",
        group=3,
    ),
    Action("theme", "", "Light or dark", lambda w: w.toggle_theme(), icon="theme", tip="Light or dark", help="-"),
    *SELECTION_ACTIONS,
    *HELP_ACTIONS,
)

# Ids in the order of the toolbar; "|" is a line, "<>" a gap that pushes the rest to the right.
TOOLBAR = (
    *("play", "back", "step", "reset", "|"),
    *("slower", "speed", "faster", "|"),
    *("record", "picture", "<>"),
    *("help", "theme"),
)

# What the mouse does, for the help; it has no rows above because no menu can do it.
MOUSE = (
    ("Left drag on it", "Move a target"),
    ("Ctrl + drag on it", "Pull a body"),
    ("Left drag", "Turn the view"),
    ("Right, middle or Shift + left drag", "Move the view"),
    ("Wheel or pinch", "Zoom to the cursor"),
    ("Click", "Select"),
    ("Double click", "Look at a point"),
    ("Right click", "What can be done with it"),
)
