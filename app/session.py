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
from app.undo import Undo
from app.waiting import Waiting
from sim import command as cmd
from sim.files import is_builtin
from sim.lane_names import LANES
from sim.scene import Scene, SceneError, Vec3
from sim.state import Snapshot
from sim.tuning import changes, tuned

SPEEDS = (1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0, 2.0, 4.0, 8.0)
LEVELS = {"info": "", "ok": "Done: ", "warning": "Warning: ", "error": "Error: "}  # level -> the word shown with it


class Running(Protocol):
    """The part of sim.runner.Runner that the window uses."""

    latest: Snapshot | None
    events: queue.SimpleQueue[cmd.Event]
    frames: queue.SimpleQueue[Snapshot]
    frames_done: int
    history: Any
    course: Any

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
    edited = pyqtSignal()  # what differs from the scene's file may be something else now
    saved = pyqtSignal(object)  # Stage: the running world has a file of its own now
    _done = pyqtSignal(object, object, object)  # what to do with a worker's result, the result, a sentence

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
        self.read_again: Stage | None = None  # the file changed on disk: one looks at it from where one stands
        self._moved: dict[str, Vec3 | None] = {}  # targets moved by hand -> where they stood, off their paths
        self._noted: Stage | None = None  # whose notes have been told
        self._waiting = Waiting()
        self._workers = QThreadPool()
        self._done.connect(lambda then, result, sentence: then(result, sentence))
        self.undo = Undo(self._travel, self)

    # --- life -------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the physics thread."""
        self.runner = self._make_runner(self.stage.scene)
        self.runner.start()
        self._begin_paths()

    def finish_work(self) -> None:
        """Wait for the workers."""
        self._workers.waitForDone()

    def stop(self) -> None:
        self.undo.stop()
        self.finish_work()
        if self.runner is not None:
            self.runner.stop()

    def poll(self) -> None:
        """Take what the runner reports; called at display rate."""
        if self.runner is None:
            return
        edits = 0
        while not self.runner.events.empty():
            edits += self._take(self.runner.events.get())
        self._look()
        if edits:
            self.edited.emit()

    def _look(self) -> None:
        latest = self.runner.latest if self.runner else None
        if latest is None or latest is self.snapshot:
            return
        if self._scene_id is None:
            self._scene_id = latest.scene_id
        if latest.scene_id != self._scene_id:
            return  # of a scene whose `Loaded` comes with the next poll
        self.snapshot = latest
        self.snapshot_changed.emit(latest)

    def _take(self, event: cmd.Event) -> bool:
        """True if a person asked for what is reported."""
        is_asked = self.undo.take(event)
        match event:
            case cmd.Applied():
                self._waiting.settle(event.command)
                self._follow_targets(event, is_asked)
            case cmd.Refused():
                self._waiting.settle(event.command)
                self.say("error", event.sentence)
            case cmd.Loaded():
                self._show(event.scene, event.scene_id)
            case cmd.Busy():
                self.busy = event.sentence
            case cmd.Told(sentence):
                self.say("info", sentence)
            case cmd.Stopped():
                self.stopped = event.reason
                self.say("error", event.reason)
        self.reported.emit(event)
        return is_asked

    def _show(self, scene: Scene, scene_id: int | None) -> None:
        self._scene_id = scene_id
        if scene is self.stage.scene:
            self._tell_notes()
            return
        self.undo.leave(self.stage.scene, self.changes())
        self.stage = next((s for s in self._prepared if s.scene is scene), None) or set_stage(scene)
        self._prepared.clear()
        self._waiting.clear()
        self._moved = {}
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
        """Ours move on their own until a hand has pressed one for the first time; a file's always do as it says."""
        scene = self.stage.scene
        self.paths_on = {t.name: t.path is not None for t in scene.targets}
        if self.hands_on and (scene.path is None or is_builtin(scene.path)):
            for name, on in self.paths_on.items():
                if on:
                    self._hold(name)

    # --- messages ---------------------------------------------------------------------------------

    def say(self, level: str, text: str, path: Path | None = None) -> None:
        message = Message(level, text, time.time(), path)
        self.messages.append(message)
        self.said.emit(message)

    # --- commands ---------------------------------------------------------------------------------

    def send(self, command: cmd.Command) -> None:
        if self.runner is None:
            return
        self._waiting.note(command)
        self.undo.note(command, self.stage.scene)
        self.runner.send(command)

    def waits_for(self, command: cmd.Command) -> bool:
        """Whether a setting like this one is on its way, so that its control shows what was asked for."""
        return self._waiting.like(command) is not None

    def in_background(self, work: Callable[[], Any], then: Callable[[Any, str], None]) -> None:
        """Do what takes time in a worker; `then` gets its result, or None and a sentence, on this thread."""

        def run() -> None:
            try:
                self._done.emit(then, work(), "")
            except (SceneError, OSError) as problem:
                self._done.emit(then, None, str(problem))

        self._workers.start(_Job(run))

    def open(self, name_or_path: str | Path) -> None:
        """Read a scene in a worker, then ask the runner to run it; mistakes become a message."""
        self.in_background(lambda: load_stage(name_or_path), self._on_loaded)

    def _on_loaded(self, stage: Stage | None, sentence: str) -> None:
        if stage is None:
            self.say("error", sentence)
            return
        self._prepared.append(stage)
        if self.runner is None:
            self._show(stage.scene, None)
        self.send(cmd.LoadScene(stage.scene))

    def run_again(self, stage: Stage) -> None:
        """Run what the file on stage says now, seen from where one stands."""
        self.read_again = stage
        self._on_loaded(stage, "")

    def _travel(self, way: cmd.Command) -> None:
        """Undo and redo; a scene is made ready for the screen before it runs."""
        if not isinstance(way, cmd.LoadScene):
            self._give(way)
            return

        def go(stage: Stage | None, sentence: str) -> None:
            if stage is None:
                self.say("error", sentence)
                self.undo.give_up(way)
            else:
                self._prepared.append(stage)
                self._give(way)

        self.in_background(lambda: set_stage(way.scene), go)

    def _give(self, command: cmd.Command) -> None:
        """To the runner, and not into the list of what can be undone."""
        if self.runner is not None:
            self.runner.send(command)

    def reload(self) -> None:
        self.open(self.stage.scene.address)

    def toggle_play(self) -> None:
        asked = self._waiting.like(cmd.Play(True))
        self.send(cmd.Play(not (asked or self.snapshot).running))

    def reset(self) -> None:
        """Time and state back to the start; targets whose path was ended stay off it."""
        self.stopped = ""
        self.send(cmd.Reset())
        for name, on in self.paths_on.items():
            if not on:
                self._hold(name)

    def change_speed(self, notches: int) -> None:
        """Half or double; 0: real time."""
        now = (self._waiting.like(cmd.SetSpeed(1.0)) or self.snapshot).speed
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

    def _hold(self, name: str) -> None:
        """A target stays where it is; nobody asked for it, so it is nothing to undo or to save."""
        self.paths_on[name] = False
        self._give(cmd.FollowPath(name, False))

    def switch(self, number: int) -> None:
        """Controller `number` (from 1) on or off."""
        controllers = self.stage.scene.controllers
        if number <= len(controllers):
            name = controllers[number - 1].name
            asked = self._waiting.like(cmd.SetSwitch(name, True))
            now = asked.on if asked else self.snapshot.controllers.get(name, False)
            self.send(cmd.SetSwitch(name, not now))

    @property
    def beside(self) -> tuple[str, ...]:
        """What runs beside the leading engine, or is about to."""
        asked = self._waiting.like(cmd.Compare(()))
        return asked.beside if asked else tuple(lane.name for lane in self.snapshot.beside)

    def toggle_beside(self, name: str) -> None:
        """Let an engine, or the reference, run beside the leading one, or no more."""
        now = set(self.beside) ^ {name}
        leader = self._waiting.like(cmd.SetBackend("")) or cmd.SetBackend(self.snapshot.backend)
        self.send(cmd.Compare(tuple(lane for lane in LANES if lane in now and lane != leader.backend)))

    # --- what differs from the file ---------------------------------------------------------------

    def tuned(self) -> Scene:
        """The scene on stage with everything that was set since it was read."""
        index = {target.name: i for i, target in enumerate(self.stage.scene.targets)}
        now = {name: _vec3(self.snapshot.targets[index[name]]) for name in self._moved}
        moved = {name: place for name, place in now.items() if place != self._moved[name]}
        return tuned(self.stage.scene, self.stage.model, self.snapshot, moved)

    def changes(self) -> tuple[cmd.Command, ...]:
        """What a file would keep of what was set; () if it says so already."""
        return changes(self.stage.scene, self.tuned())

    def adopt(self, stage: Stage) -> None:
        """The running world is from now on the one of this stage's file, just written."""
        self.stage = stage
        self.paths_on = {t.name: self.paths_on.get(t.name, False) and t.path is not None for t in stage.scene.targets}
        self.saved.emit(stage)
        self.edited.emit()

    def _follow_targets(self, event: cmd.Applied, is_asked: bool) -> None:
        """Which targets are where a hand has put them, and which on their paths."""
        match event.command:
            case cmd.SetTarget(name):
                stood = event.inverse.position if isinstance(event.inverse, cmd.SetTarget) else None
                self._moved.setdefault(name, stood)
                self.paths_on[name] = False
            case cmd.FollowPath(name, on):
                self.paths_on[name] = on
                if on:
                    self._moved.pop(name, None)
                elif is_asked:
                    self._moved.setdefault(name, None)
            case cmd.LoadScene(_, settings):
                self._moved |= {c.target: None for c in settings if isinstance(c, cmd.SetTarget)}


def _vec3(values: Any) -> Vec3:
    x, y, z = (float(c) for c in values)
    return x, y, z
