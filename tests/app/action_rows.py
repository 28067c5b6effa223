"""What every row of the table of actions must change: a state in which it can, and what holds only afterwards.

The scene has one of everything: a ball joint, a hinge, a slider, a target and nine controllers.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from PyQt6.QtGui import QColor, QGuiApplication, QImage
from PyQt6.QtWidgets import QApplication, QDialog, QMenu

from app import style
from app.camera import Camera
from app.inspection import pose
from app.render.overlays import OVERLAYS
from app.scene_files import MOST_RECENT
from app.selection import Selection
from app.theme import THEMES
from app.widgets.film_dialog import FilmDialog
from sim.command import Compare, Play, SetBackend, SetGain, SetSpeed, SetSwitch, StepOnce
from sim.files import load
from sim.files.run_file import read_run
from sim.lane_names import LANES
from sim.past import is_run_file
from sim.plots import CAUSE_ROWS, JOINT_PLOTS, PLOTS
from tests.app.window_bench import Bench

UPPER, FORE, TOOL = range(3)  # bodies: on the ball, on the hinge, on the slider
GAIN = 12.5  # of kp, where it was tuned

ZOO = """title = "Zoo"
summary = "One of everything."
try = ["Drag it."]
plots = ["joint_angle"]
[body.upper]
mass = 1.0
shape = { capsule = 0.05, from = [0, 0, 0], to = [0, 0, 0.5] }
[body.fore]
mass = 1.0
shape = { capsule = 0.05, from = [0, 0, 0], to = [0.4, 0, 0] }
[body.tool]
mass = 0.5
shape = { box = [0.1, 0.1, 0.1] }
[joint.shoulder]
type = "ball"
parent = "world"
child = "upper"
position = [0, 0, 0.3]
[joint.elbow]
type = "hinge"
parent = "upper"
child = "fore"
position = [0, 0, 0.5]
axis = [0, 1, 0]
[joint.rail]
type = "slider"
parent = "fore"
child = "tool"
position = [0.4, 0, 0]
axis = [1, 0, 0]
[frame.tip]
body = "tool"
[target.goal]
position = [0.6, -0.3, 0.9]
frame = "tip"
""" + "".join(
    f'[controller.c{n}]\ntype = "joint_pd"\nenabled = false\ngains = {{ kp = 80, kd = 8 }}\n' for n in range(1, 10)
)


@dataclass(frozen=True)
class Case:
    """`prepare` makes the row one that can be chosen and returns what `holds` compares with."""

    holds: Callable[[Bench, Any], object]
    prepare: Callable[[Bench], Any] = lambda bench: None


# --- preparing -----------------------------------------------------------------------------------------


def send(bench: Bench, *commands: Any) -> None:
    for command in commands:
        bench.session.send(command)
    bench.bot.waitUntil(lambda: not bench.session.undo.on_the_way, timeout=60_000)
    bench.settle()


def stepped(steps: int) -> Callable[[Bench], int]:
    def prepare(bench: Bench) -> int:
        at = bench.session.snapshot.step + steps
        send(bench, StepOnce(steps))
        bench.bot.waitUntil(lambda: bench.session.snapshot.step == at, timeout=60_000)
        return at

    return prepare


def sent(*commands: Any) -> Callable[[Bench], None]:
    return lambda bench: send(bench, *commands)


def slow(bench: Bench) -> None:
    send(bench, SetSpeed(0.25))
    bench.bot.waitUntil(lambda: bench.session.snapshot.speed == 0.25, timeout=60_000)
    bench.settle()


def pushed(bench: Bench) -> QImage:
    """Under way, with a controller that acts, and looked at again at rest."""
    send(bench, SetSwitch("c1", True))
    stepped(200)(bench)
    return picture(bench)


def speaks_of_angles(bench: Bench) -> None:
    bench.session.shown.toggle_plot("joint_angle:elbow")


def units(bench: Bench) -> list[str]:
    return [plot.info.unit for plot in bench.window.plots.plots]


def selected(body: int) -> Callable[[Bench], None]:
    return lambda bench: bench.session.shown.select(Selection(body=body))


def tuned(bench: Bench) -> None:
    send(bench, SetGain("c1", "kp", GAIN))


def other_way(bench: Bench) -> None:
    """A view that no key leads to."""
    bench.viewport.hand.camera = Camera((0.1, 0.1, 0.6), 4.0, 0.3, 0.2)


def picture(bench: Bench) -> QImage:
    bench.viewport.tick()
    image: QImage = bench.viewport.grabFramebuffer()
    return image.copy(0, 40, image.width(), image.height() - 40)  # without the line of words


# --- what holds ----------------------------------------------------------------------------------------


def gain(bench: Bench) -> float:
    return bench.session.snapshot.gains["c1"]["kp"]


def dialogs(bench: Bench) -> list[QDialog]:
    return [w for w in QApplication.topLevelWidgets() if isinstance(w, QDialog) and w.isVisible()]


def titled(title: str) -> Callable[[Bench, Any], bool]:
    return lambda bench, _: title in [dialog.windowTitle() for dialog in dialogs(bench)]


def arrived(bench: Bench) -> bool:
    return bench.viewport.hand.glide is None


def looks(x: float, y: float, z: float) -> Callable[[Bench, Any], bool]:
    def holds(bench: Bench, _: Any) -> bool:
        return arrived(bench) and bool(bench.viewport.hand.camera.forward() @ [x, y, z] > 0.999)

    return holds


def looks_at(center: Callable[[Bench], Any]) -> Callable[[Bench, Any], bool]:
    def holds(bench: Bench, _: Any) -> bool:
        return arrived(bench) and bool(np.allclose(bench.viewport.hand.camera.look_at, center(bench), atol=1e-9))

    return holds


def shows_plot(title: Callable[[Bench], str]) -> Callable[[Bench, Any], bool]:
    def holds(bench: Bench, _: Any) -> bool:
        return title(bench) in [plot.info.title for plot in bench.window.plots.plots if plot.isVisible()]

    return holds


def written(suffix: str) -> Callable[[Bench, Any], bool]:
    """The last message leads to a file of this kind that was not there before."""

    def holds(bench: Bench, count: int) -> bool:
        told = [m.path for m in bench.session.messages[count:] if m.level == "ok" and m.path]
        return any(path.suffix == suffix and path.stat().st_size > 0 for path in told)

    return holds


def leads_here_again(bench: Bench, step: int) -> bool:
    """A run was saved, with the gain that was tuned and the steps that were taken."""
    last = bench.session.messages[-1] if bench.session.messages else None
    if last is None or last.path is None or not is_run_file(last.path):
        return False
    run = read_run(last.path)
    return run.end.step == step and run.entries[-1].command == SetGain("c1", "kp", GAIN)


def has_theme(name: str) -> Callable[[Bench, Any], bool]:
    def holds(bench: Bench, _: Any) -> bool:
        ground = bench.window.control.grab().toImage().pixelColor(1, 1)
        return bench.viewport.theme == name and ground == QColor(THEMES[name].panel)

    return holds


def marked(row: str) -> Callable[[Bench, Any], bool]:
    return lambda bench, _: bench.window.menus.actions[row].isChecked()


def lanes(bench: Bench) -> list[str]:
    return [lane.name for lane in bench.session.snapshot.beside]


def draws(bench: Bench, before: QImage) -> bool:
    return picture(bench) != before


def trail_grows(bench: Bench, _: Any) -> bool:
    trail = bench.viewport.view().overlays.trail
    return trail is not None and len(trail.times) > 3


def body_center(body: int) -> Callable[[Bench], Any]:
    return lambda bench: bench.session.stage.visuals.body_sphere(bench.session.snapshot, body)[0]


def scene_center(bench: Bench) -> Any:
    return bench.session.stage.visuals.bounds(bench.session.snapshot)[0]


def copied(bench: Bench, _: Any) -> bool:
    text = QGuiApplication.clipboard().text()
    wanted = list(pose(Selection(body=FORE), bench.session.snapshot))
    return text.startswith("[") and ast.literal_eval(text) == wanted


# --- the rows --------------------------------------------------------------------------------------------

_heard = Case(written(""), lambda bench: len(bench.session.messages))


def _both(first: Callable[[Bench], Any], second: Callable[[Bench], Any]) -> Callable[[Bench], Any]:
    def prepare(bench: Bench) -> Any:
        first(bench)
        return second(bench)

    return prepare


FILES = {
    "open": Case(lambda b, _: b.session.stage.scene.title == "Recent 3"),
    **{
        f"recent:{n}": Case(lambda b, _, n=n: b.session.stage.scene.title == f"Recent {n}") for n in range(MOST_RECENT)
    },
    "save": Case(
        lambda b, path: not b.window.windowTitle().startswith("*") and load(path).controllers[0].gains["kp"] == GAIN,
        _both(tuned, lambda b: b.session.stage.scene.path),
    ),
    "save_as": Case(lambda b, _: Path(b.session.stage.scene.path or "").name == "mine.toml"),
    "record": Case(lambda b, _: b.viewport.overlay().recording != ""),
    "record_with": Case(lambda b, _: [type(d) for d in dialogs(b)] == [FilmDialog]),
    "picture": replace(_heard, holds=written(".png")),
    "export": replace(_heard, holds=written(".csv")),
    "save_run": Case(leads_here_again, _both(tuned, stepped(5))),
    "undo": Case(lambda b, _: gain(b) == 80.0, tuned),
    "redo": Case(lambda b, _: gain(b) == GAIN, _both(tuned, lambda b: (b.session.undo.undo(), send(b)))),
}

SIMULATION = {
    "play": Case(lambda b, _: b.session.snapshot.running),
    "pause": Case(lambda b, _: not b.session.snapshot.running, sent(Play(True))),
    "step": Case(lambda b, at: b.session.snapshot.step == at + 1, stepped(3)),
    "steps": Case(lambda b, at: b.session.snapshot.step == at + 100, stepped(3)),
    "back": Case(lambda b, at: b.session.snapshot.step == at - 1, stepped(150)),
    "steps_back": Case(lambda b, at: b.session.snapshot.step == at - 100, stepped(150)),
    "reset": Case(lambda b, _: b.session.snapshot.step == 0 and gain(b) == GAIN, _both(tuned, stepped(20))),
    "reload": Case(
        lambda b, before: b.session.snapshot.scene_id > before and gain(b) == 80.0,
        _both(tuned, lambda b: b.session.snapshot.scene_id),
    ),
    "slower": Case(lambda b, _: b.window.menus.speed.text() == "0.5×"),
    "faster": Case(lambda b, _: b.window.menus.speed.text() == "2×"),
    "real_time": Case(lambda b, _: b.window.menus.speed.text() == "1×", slow),
    **{
        f"engine:{name}": Case(lambda b, _, name=name: b.session.snapshot.backend == name, sent(SetBackend(other)))
        for name, other in (("impulse", "tree"), ("tree", "impulse"), ("pybullet", "impulse"))
    },
    "beside:impulse": Case(lambda b, _: lanes(b) == ["impulse"], sent(SetBackend("tree"))),
    **{f"beside:{name}": Case(lambda b, _, name=name: lanes(b) == [name]) for name in LANES if name != "impulse"},
    "beside_again": Case(
        lambda b, before: b.session.snapshot.lead.since > before,
        _both(sent(Compare(("tree",))), lambda b: (b.session.snapshot.lead.since, stepped(5)(b))[0]),
    ),
    "save_comparison": replace(_heard, holds=written(".html"), prepare=_both(sent(Compare(("tree",))), _heard.prepare)),
    **{
        f"controller:{n}": Case(
            lambda b, _, n=n: [name for name, on in b.session.snapshot.controllers.items() if on] == [f"c{n}"]
        )
        for n in range(1, 10)
    },
}

VIEW = {
    "home": Case(lambda b, _: arrived(b) and b.viewport.hand.camera == b.session.stage.home()),
    "frame": Case(looks_at(body_center(TOOL)), selected(TOOL)),
    "frame_all": Case(looks_at(scene_center), selected(TOOL)),
    "front": Case(looks(0.0, 1.0, 0.0)),
    "right": Case(looks(-1.0, 0.0, 0.0)),
    "top": Case(looks(0.0, 0.0, -1.0)),
    "orthographic": Case(lambda b, before: b.viewport.hand.camera.orthographic and draws(b, before), picture),
    **{
        f"overlay:{name}": Case(draws, pushed) for name in OVERLAYS if name != "trails"
    },
    "overlay:trails": Case(trail_grows, sent(Play(True))),
    "theme:light": Case(has_theme("light"), lambda b: b.window.choose_theme("dark")),
    "theme:dark": Case(has_theme("dark")),
    "theme:system": Case(lambda b, _: has_theme(style.resolve("system"))(b, _) and marked("theme:system")(b, _)),
    "theme": Case(has_theme("dark")),
    "quality:fast": Case(draws, _both(lambda b: b.window.choose_quality("fine"), picture)),
    "quality:fine": Case(draws, _both(lambda b: b.window.choose_quality("fast"), picture)),
    "quality:auto": Case(marked("quality:auto"), lambda b: b.window.choose_quality("fast")),
    "angles:degrees": Case(lambda b, _: "°" in units(b), speaks_of_angles),
    "angles:radians": Case(
        lambda b, _: "rad" in units(b),
        _both(speaks_of_angles, lambda b: b.window.menus.actions["angles:degrees"].trigger()),
    ),
    "text:larger": Case(lambda b, before: text_height(b) > before, lambda b: text_height(b)),
    "text:smaller": Case(lambda b, before: text_height(b) < before, lambda b: text_height(b)),
    "text:usual": Case(
        lambda b, before: text_height(b) < before,
        lambda b: [b.window.menus.actions["text:larger"].trigger() for _ in range(2)] and text_height(b),
    ),
    **{
        f"panel:{name}": Case(lambda b, _, name=name: not b.window.docks[name].isVisible())
        for name in ("scenes", "control", "plots")
    },
    "viewport_only": Case(lambda b, _: b.window.isFullScreen() and b.viewport.size() == b.window.size()),
}


def text_height(bench: Bench) -> int:
    return bench.window.control.switches["c1"].fontMetrics().height()


SELECTION = {
    "follow": Case(lambda b, _: b.viewport.hand.followed == FORE, selected(FORE)),
    **{
        f"plot:own:{kind}": Case(shows_plot(lambda b, kind=kind: f"{JOINT_PLOTS[kind][0]} of elbow"), selected(FORE))
        for kind in JOINT_PLOTS
    },
    **{
        f"plot:own:{row}": Case(shows_plot(lambda b, a=axis: f"Torque on shoulder {a} by cause"), selected(UPPER))
        for row, axis in zip(CAUSE_ROWS, "xyz", strict=True)
    },
    **{
        f"plot:{name}": Case(shows_plot(lambda b, name=name: PLOT_TITLES[name]), lambda b: no_plots(b))
        for name in PLOTS
    },
    "copy": Case(copied, selected(FORE)),
    "hide": Case(draws, _both(selected(FORE), picture)),
    "show_all": Case(draws, _both(lambda b: b.viewport.hand.toggle_hidden(FORE), picture)),
}

PLOT_TITLES = {
    "tool_error": "Tool error",
    "torque": "Joint torques and forces",
    "joint_angle": "Joint angles and positions",
    "joint_speed": "Joint speeds",
    "slide": "Slides",
    "slide_speed": "Speed of slides",
    "energy": "Energy",
    "drift": "Energy drift",
    "momentum": "Angular momentum",
    "spin": "Spin of upper in body axes",
    "causes": "Torque on shoulder x by cause",
}


def no_plots(bench: Bench) -> None:
    for name in bench.session.shown.plots:
        bench.session.shown.toggle_plot(name)


HELP = {
    "help": Case(lambda b, _: bool(b.window.help and b.window.help.isVisible())),
    "notes": Case(titled("Zoo")),
    "messages": Case(titled("Messages")),
    "about": Case(titled("Impulse")),
    "diagnostics": Case(
        lambda b, _: all(
            word in QGuiApplication.clipboard().text() for word in ("zoo.toml: 3 bodies", "impulse", "OpenGL", "Python")
        )
    ),
    "cancel": Case(lambda b, _: b.session.shown.selection == Selection(), selected(FORE)),
}

CASES: dict[str, Case] = {**FILES, **SIMULATION, **VIEW, **SELECTION, **HELP}
ROW_OF = {"pause": "play"}  # cases that are another state of a row

# --- what makes a row grey, and the sentence that says why -------------------------------------------------


def on_bullet(bench: Bench) -> None:
    send(bench, SetBackend("pybullet"))
    bench.bot.waitUntil(lambda: bench.session.snapshot.backend == "pybullet", timeout=60_000)


GREY: dict[str, tuple[str, Callable[[Bench], Any]]] = {
    "record_with": ("A recording is running.", lambda b: b.window.filming.start()),
    "undo": ("There is nothing to undo.", lambda b: None),
    "redo": ("There is nothing to redo.", lambda b: None),
    "overlay:loads": ("PyBullet", on_bullet),
    "beside:impulse": ("This engine leads.", lambda b: None),
    "beside_again": ("No engine runs beside", lambda b: None),
    "save_comparison": ("No engine runs beside", lambda b: None),
    "follow": ("No body is selected", lambda b: None),
    "copy": ("Nothing is selected", lambda b: None),
    "hide": ("No body is selected", lambda b: None),
    "show_all": ("Nothing is hidden.", lambda b: None),
}


# --- between two of them -------------------------------------------------------------------------------------


def calm(bench: Bench) -> None:
    """At rest at the start of the zoo, untouched, seen from its home, in the usual look."""
    window, hand, shown = bench.window, bench.viewport.hand, bench.session.shown
    window.filming.stop()
    bench.bot.waitUntil(lambda: not window.filming.unfinished, timeout=60_000)
    for widget in QApplication.topLevelWidgets():
        if widget is not window and widget.isVisible() and not isinstance(widget, QMenu):
            widget.close()
    if window.help is not None:
        window.help.hide()
    if window.is_viewport_only:
        window.toggle_viewport_only()
        bench.bot.waitUntil(lambda: not window.isFullScreen(), timeout=20_000)
    for dock in window.docks.values():
        dock.show()
    window.bottom.tabs.setCurrentIndex(0)
    if not math.isclose(style.text_scale(), 1.0):
        window.menus.actions["text:usual"].trigger()
    window.choose_theme("light")
    window.choose_quality("fast")
    for name in bench.viewport.overlays.on:
        window.toggle_overlay(name)
    bench.session.finish_work()
    begin_again(bench)
    shown.show_degrees(False)
    shown.select(Selection())
    hand.cancel()
    hand.show_all()
    hand.followed = -1
    hand.glide = None
    other_way(bench)
    QGuiApplication.clipboard().setText("nothing")
    window.activateWindow()
    bench.viewport.setFocus()
    bench.bot.waitUntil(bench.viewport.hasFocus)
    bench.settle()


def begin_again(bench: Bench) -> None:
    session = bench.session
    if not is_untouched(bench):
        before = session.snapshot.scene_id
        zoo(bench).write_text(ZOO, encoding="utf-8")
        session.open(zoo(bench))
        bench.bot.waitUntil(lambda: session.snapshot.scene_id > before, timeout=60_000)
    send(bench, Play(False), SetSpeed(1.0), Compare(()))
    session.reset()
    at_rest = lambda now: now.step == 0 and not now.running and now.speed == 1.0  # noqa: E731
    bench.bot.waitUntil(lambda: at_rest(session.snapshot), timeout=60_000)
    session.undo.done.clear()
    session.undo.undone.clear()
    bench.settle()


def is_untouched(bench: Bench) -> bool:
    """Whether the zoo is on stage as its file says it, which reading it again would not change."""
    session, scene = bench.session, bench.session.stage.scene
    return (
        scene.path == str(zoo(bench))
        and zoo(bench).read_text(encoding="utf-8") == ZOO
        and session.changes() == ()
        and session.shown.plots == scene.plots
        and not (session.undo.done or session.undo.undone or session.undo.on_the_way)
    )


def zoo(bench: Bench) -> Path:
    return bench.settings.folder / "zoo.toml"
