"""Undo and redo of settings, targets, engine and scene; never of time.

The runner reports every command with its inverse. Undo sends the inverse, and what comes back with that is
the way forward again. What belongs to one gesture, as the many steps of a drag, is one entry.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from PyQt6.QtCore import QEvent, QObject, Qt, pyqtSignal
from PyQt6.QtGui import QGuiApplication, QKeyEvent
from PyQt6.QtWidgets import QApplication

from sim import command as cmd
from sim.backend import BACKENDS
from sim.control import CONTROLLERS
from sim.lane_names import lane_title
from sim.scene import Scene
from sim.wording import listing

MOST = 500  # entries; older ones are forgotten


def _controller_title(scene: Scene, name: str) -> str:
    return next((CONTROLLERS[c.kind].title for c in scene.controllers if c.name == name), name)


# What can be undone: the fields that say what is set, and the words after "Undo".
EDITS: dict[type[cmd.Command], tuple[tuple[str, ...], Callable[[Any, Scene], str]]] = {
    cmd.SetGain: (("controller", "gain"), lambda c, s: f"{c.gain} of {_controller_title(s, c.controller)}"),
    cmd.SetSwitch: (
        ("controller",),
        lambda c, s: f"switching {_controller_title(s, c.controller)} {'on' if c.on else 'off'}",
    ),
    cmd.SetJointTarget: (("controller", "joint"), lambda c, _: f"target of {c.joint}"),
    cmd.SetTarget: (("target",), lambda c, _: f"moving {c.target}"),
    cmd.FollowPath: (("target",), lambda c, _: f"{'starting' if c.on else 'stopping'} the path of {c.target}"),
    cmd.SetBackend: ((), lambda c, _: f"engine {BACKENDS[c.backend][0]}"),
    cmd.SetSolver: ((), lambda c, _: f"{c.solver} solver"),
    cmd.SetStabilisation: ((), lambda c, _: f"stabilisation by {c.stabilise}"),
    cmd.SetIntegrator: ((), lambda c, _: f"integrator {c.integrator}"),
    cmd.SetStep: ((), lambda c, _: f"step {1e3 * c.dt:.4g} ms"),
    cmd.SetGravity: ((), lambda c, _: "change of gravity"),
    cmd.Compare: (
        (),
        lambda c, _: f"comparison with {listing(map(lane_title, c.beside))}" if c.beside else "end of the comparison",
    ),
    cmd.SetTolerance: ((), lambda c, _: f"tolerance {c.tolerance:.4g}"),
    cmd.LoadScene: ((), lambda c, _: f"opening “{c.scene.title}”"),
}


@dataclass(frozen=True)
class Entry:
    text: str
    way: cmd.Command  # back, of an entry to undo; forward again, of one to redo
    setting: tuple[Any, ...] = ()
    gesture: int = -1


@dataclass(frozen=True)
class Sent:
    """A command on its way; `onto` is the stack that its inverse belongs on."""

    command: cmd.Command
    entry: Entry
    onto: list[Entry]


class Gestures(QObject):
    """Counts what hands do: a press with all that is dragged until its release, or the press of a key."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.number = 0
        if app := QApplication.instance():
            app.installEventFilter(self)

    def stop(self) -> None:
        """Before the application goes: it would ask until its very end."""
        if app := QApplication.instance():
            app.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.MouseButtonPress:
            self.number += 1
        elif kind == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            held = event.isAutoRepeat() or QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
            self.number += not held
        return False


class Undo(QObject):
    changed = pyqtSignal()  # what would be undone or redone next is something else

    def __init__(self, send: Callable[[cmd.Command], None], parent: QObject | None = None) -> None:
        """`send` hands a command to the runner, without noting it here."""
        super().__init__(parent)
        self.done: list[Entry] = []
        self.undone: list[Entry] = []
        self._send = send
        self._sent: deque[Sent] = deque()
        self._wishes: deque[tuple[list[Entry], list[Entry]]] = deque()  # to travel from a stack onto another
        self._left: cmd.LoadScene | None = None
        self._gestures = Gestures(self)
        self.stop = self._gestures.stop

    def note(self, command: cmd.Command, scene: Scene) -> None:
        """A person asks for this; called before the runner gets it."""
        if type(command) in EDITS:
            fields, words = EDITS[type(command)]
            setting = (type(command), *(getattr(command, name) for name in fields))
            entry = Entry(words(command, scene), command, setting, self._gestures.number)
            self._sent.append(Sent(command, entry, self.done))
            if not self.done:
                self.changed.emit()

    def undo(self) -> None:
        self._wish(self.done, self.undone)

    def redo(self) -> None:
        self._wish(self.undone, self.done)

    @property
    def can_undo(self) -> bool:
        return bool(self.done) or self._awaits(self.done)

    @property
    def can_redo(self) -> bool:
        return bool(self.undone) or self._awaits(self.undone)

    def _wish(self, stack: list[Entry], onto: list[Entry]) -> None:
        self._wishes.append((stack, onto))
        self._grant()

    def _grant(self) -> None:
        """The last thing done is on its stack once the runner has answered, and it may be busy for seconds."""
        while self._wishes and not (self.is_changing_scene or self._awaits(self._wishes[0][0])):
            self._travel(*self._wishes.popleft())

    def _awaits(self, stack: list[Entry]) -> bool:
        return any(sent.onto is stack for sent in self._sent)

    def _travel(self, stack: list[Entry], onto: list[Entry]) -> None:
        if not stack:
            return
        entry = stack.pop()
        self._sent.append(Sent(entry.way, replace(entry, gesture=-1), onto))
        self._send(entry.way)
        self.changed.emit()

    @property
    def on_the_way(self) -> bool:
        """Whether the runner has still to answer."""
        return bool(self._sent)

    @property
    def is_changing_scene(self) -> bool:
        """Entries below belong to another scene until it is there."""
        return any(isinstance(sent.command, cmd.LoadScene) for sent in self._sent)

    def leave(self, scene: Scene, settings: tuple[cmd.Command, ...]) -> None:
        """Another scene has taken the place of this one, which was set like that."""
        self._left = cmd.LoadScene(scene, settings)

    def take(self, event: cmd.Event) -> bool:
        """What the runner reports; True if a person or an undo asked for it."""
        command = getattr(event, "command", None)
        sent = next((sent for sent in self._sent if sent.command is command), None)
        if sent is None:
            return False
        before = self._next()
        self._sent = deque(other for other in self._sent if other is not sent)
        if isinstance(event, cmd.Applied):
            inverse = self._left if isinstance(command, cmd.LoadScene) and self._left else event.inverse
            if inverse is not None and inverse != command:
                self._push(sent, inverse)
        if self._next() != before or not self.done:
            self.changed.emit()
        self._grant()
        return True

    def _next(self) -> tuple[list[Entry], list[Entry]]:
        return self.done[-1:], self.undone[-1:]

    def give_up(self, command: cmd.Command) -> None:
        """A way that turned out to be blocked before the runner got it."""
        self._sent = deque(sent for sent in self._sent if sent.command is not command)
        self._grant()

    def _push(self, sent: Sent, inverse: cmd.Command) -> None:
        entry, stack = sent.entry, sent.onto
        is_new = entry.gesture >= 0
        if is_new:
            self.undone.clear()
        if is_new and stack and (stack[-1].setting, stack[-1].gesture) == (entry.setting, entry.gesture):
            if stack[-1].way == sent.command:  # the drag went back to where it began
                stack.pop()
            return
        stack.append(replace(entry, way=inverse))
        del stack[:-MOST]
