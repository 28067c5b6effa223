"""What the window shows and asks for: the scene on stage, the newest snapshot, messages, commands to the runner.

Panels observe this and never each other. Nothing here steps, compiles or waits: scenes are read by a
worker, everything else goes through the runner's queues.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from PyQt6.QtCore import QObject, QRunnable, QThreadPool, pyqtSignal

from app.shown import Shown
from app.stage import Stage, load_stage, set_stage
from sim import command as cmd
from sim.scene import Scene, SceneError, Vec3
from sim.state import Snapshot

SPEEDS = (1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0, 2.0, 4.0, 8.0)
LEVELS = {"info": "", "ok": "Done: ", "warning": "Warning: ", "error": "Error: "}  # level -> the word shown with it


class Running(Protocol):
    """The part of sim.runner.Runner that the window uses."""

    latest: Snapshot | None
    events: queue.SimpleQueue[cmd.Event]
    frames: queue.SimpleQueue[Snapshot]
    history: Any

    def start(self) -> None: ...
    def send(self, command: cmd.Command) -> None: ...
    def stop(self) -> None: ...


@dataclass(frozen=True)
class Message:
    """A sentence for the person at the screen; `path` is a file it speaks of."""

    level: str
    text: str
    when: float  # seconds since the epoch
    path: Path | None = None


def _physics_thread(scene: Scene) -> Running:
    from sim.runner import Runner

    return Runner(scene)


class _Job(QRunnable):
    def __init__(self, work: Callable[[], None]) -> None:
        super().__init__()
        self.run = work  # type: ignore[method-assign]


class Session(QObject):
    stage_changed = pyqtSignal(object)  # Stage
    snapshot_changed = pyqtSignal(object)  # Snapshot, at display rate
    said = pyqtSignal(object)  # Message
    reported = pyqtSignal(object)  # every Event of the runner
    target_pressed = pyqtSignal()
    _loaded = pyqtSignal(object, object)  # Stage or None, sentence

    def __init__(self, stage: Stage, make_runner: Callable[[Scene], Running] = _physics_thread) -> None:
        super().__init__()
        self.stage = stage
        self.snapshot = stage.rest
        self.shown = Shown(stage)
        self.messages: list[Message] = []
        self.busy = ""
        self.stopped = ""  # why the world stopped by itself
        self.hands_on = False  # somebody has pressed a target, now or in an earlier run
        self.paths_on = {t.name: t.path is not None for t in stage.scene.targets}
        self.runner: Running | None = None
        self._make_runner = make_runner
        self._scene_id: int | None = None
        self._prepared: list[Stage] = []
        self._noted: Stage | None = None  # whose notes have been told
        self._waiting: dict[tuple[Any, ...], cmd.Command] = {}
        self._workers = QThreadPool()
        self._loaded.connect(self._on_loaded)

    # --- life -------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the physics thread."""
        self.runner = self._make_runner(self.stage.scene)
        self.runner.start()
        self._begin_paths()

    def stop(self) -> None:
        self._workers.waitForDone()
        if self.runner is not None:
            self.runner.stop()

    def poll(self) -> None:
        """Take what the runner reports; called at display rate."""
        if self.runner is None:
            return
        while not self.runner.events.empty():
            self._take(self.runner.events.get())
        latest = self.runner.latest
        if latest is None or latest is self.snapshot:
            return
        if self._scene_id is None:
            self._scene_id = latest.scene_id
        if latest.scene_id != self._scene_id:
            return  # of a scene whose `Loaded` comes with the next poll
        self.snapshot = latest
        self.snapshot_changed.emit(latest)

    def _take(self, event: cmd.Event) -> None:
        match event:
            case cmd.Applied():
                self._settle(event.command)
            case cmd.Refused():
                self._settle(event.command)
                self.say("error", event.sentence)
            case cmd.Loaded():
                self._show(event.scene, event.scene_id)
            case cmd.Busy():
                self.busy = event.sentence
            case cmd.Stopped():
                self.stopped = event.reason
                self.say("error", event.reason)
        self.reported.emit(event)

    def _show(self, scene: Scene, scene_id: int | None) -> None:
        self._scene_id = scene_id
        if scene is self.stage.scene:
            self._tell_notes()
            return
        self.stage = next((s for s in self._prepared if s.scene is scene), None) or set_stage(scene)
        self._prepared.clear()
        self._waiting.clear()
        self.stopped = ""
        self.snapshot = self.stage.rest
        self.shown.begin(self.stage)
        self._begin_paths()
        self.stage_changed.emit(self.stage)
        self._tell_notes()

    def _tell_notes(self) -> None:
        """What people should know of the model on stage, once."""
        if self.stage.model.notes and self._noted is not self.stage:
            self._noted = self.stage
            self.say("info", " ".join(self.stage.model.notes))

    def _begin_paths(self) -> None:
        """Targets move on their own until a hand has pressed one for the first time."""
        self.paths_on = {t.name: t.path is not None for t in self.stage.scene.targets}
        if self.hands_on:
            for name, on in self.paths_on.items():
                if on:
                    self.follow_path(name, False)

    # --- messages ---------------------------------------------------------------------------------

    def say(self, level: str, text: str, path: Path | None = None) -> None:
        message = Message(level, text, time.time(), path)
        self.messages.append(message)
        self.said.emit(message)

    # --- commands ---------------------------------------------------------------------------------

    def send(self, command: cmd.Command) -> None:
        if self.runner is None:
            return
        if key := _setting(command):
            self._waiting[key] = command
        self.runner.send(command)

    def waits_for(self, command: cmd.Command) -> bool:
        """Whether a setting like this one is on its way, so that its control shows what was asked for."""
        return _setting(command) in self._waiting

    def _asked(self, like: cmd.Command) -> Any:
        """The command on its way that sets the same as `like`, or None."""
        return self._waiting.get(_setting(like))

    def _settle(self, command: cmd.Command) -> None:
        key = _setting(command)
        if key and self._waiting.get(key) == command:
            del self._waiting[key]

    def open(self, name_or_path: str | Path) -> None:
        """Read a scene in a worker, then ask the runner to run it; mistakes become a message."""

        def work() -> None:
            try:
                stage = load_stage(name_or_path)
            except (SceneError, OSError) as problem:
                self._loaded.emit(None, str(problem))
            else:
                self._loaded.emit(stage, "")

        self._workers.start(_Job(work))

    def _on_loaded(self, stage: Stage | None, sentence: str) -> None:
        if stage is None:
            self.say("error", sentence)
            return
        self._prepared.append(stage)
        if self.runner is None:
            self._show(stage.scene, None)
        self.send(cmd.LoadScene(stage.scene))

    def reload(self) -> None:
        self.open(self.stage.scene.address)

    def toggle_play(self) -> None:
        asked = self._asked(cmd.Play(True))
        self.send(cmd.Play(not (asked or self.snapshot).running))

    def reset(self) -> None:
        """Time and state back to the start; targets whose path was ended stay off it."""
        self.stopped = ""
        self.send(cmd.Reset())
        for name, on in self.paths_on.items():
            if not on:
                self.send(cmd.FollowPath(name, False))

    def change_speed(self, notches: int) -> None:
        """Half or double; 0: real time."""
        now = (self._asked(cmd.SetSpeed(1.0)) or self.snapshot).speed
        nearest = min(range(len(SPEEDS)), key=lambda i: abs(SPEEDS[i] - now))
        index = min(max(nearest + notches, 0), len(SPEEDS) - 1)
        self.send(cmd.SetSpeed(SPEEDS[index] if notches else 1.0))

    def press_target(self, index: int) -> None:
        """A hand on a target: it stops where it is, and nobody has to be told any more what to drag."""
        x, y, z = (float(c) for c in self.snapshot.targets[index])
        self.set_target(index, (x, y, z))
        self.hands_on = True
        self.target_pressed.emit()

    def set_target(self, index: int, position: Vec3) -> None:
        name = self.stage.scene.targets[index].name
        self.paths_on[name] = False
        self.send(cmd.SetTarget(name, position))

    def follow_path(self, name: str, on: bool) -> None:
        self.paths_on[name] = on
        self.send(cmd.FollowPath(name, on))

    def switch(self, number: int) -> None:
        """Controller `number` (from 1) on or off."""
        controllers = self.stage.scene.controllers
        if number <= len(controllers):
            name = controllers[number - 1].name
            asked = self._asked(cmd.SetSwitch(name, True))
            now = asked.on if asked else self.snapshot.controllers.get(name, False)
            self.send(cmd.SetSwitch(name, not now))


# Settings whose controls must not fall back to the old value while the command is on its way.
_SETTINGS: dict[type[cmd.Command], tuple[str, ...]] = {
    cmd.SetSwitch: ("controller",),
    cmd.SetGain: ("controller", "gain"),
    cmd.SetTarget: ("target",),
    cmd.SetJointTarget: ("controller", "joint"),
    cmd.SetIntegrator: (),
    cmd.SetBackend: (),
    cmd.SetSolver: (),
    cmd.SetStabilisation: (),
    cmd.SetStep: (),
    cmd.SetGravity: (),
    cmd.SetSpeed: (),
    cmd.Play: (),
}


def _setting(command: cmd.Command) -> tuple[Any, ...]:
    """What a command sets, without the value; () if it is not a setting."""
    fields = _SETTINGS.get(type(command))
    return () if fields is None else (type(command), *(getattr(command, f) for f in fields))
