"""A window for tests: the real widgets over a runner without physics that obeys at once."""

from __future__ import annotations

import queue
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from app.session import Running, Session
from app.settings import Settings
from app.stage import Stage, load_stage
from app.window import Window
from sim import command as cmd
from sim.backend import integrator_of
from sim.control import CONTROLLERS
from sim.history import History
from sim.model import compile_model
from sim.rest import rest_snapshot
from sim.scene import Scene
from sim.state import Beside, Figures, Pull, Snapshot


class StillRunner:
    """Takes commands like sim.runner.Runner and applies them on the spot; `tick` lets time pass."""

    def __init__(self, scene: Scene) -> None:
        self.events: queue.SimpleQueue[cmd.Event] = queue.SimpleQueue()
        self.frames: queue.SimpleQueue[Snapshot] = queue.SimpleQueue()
        self.frames_done = 0
        self.sent: list[cmd.Command] = []
        self.refuse: dict[type[cmd.Command], str] = {}
        self.stopped = False
        self.course = None
        self._scene_id = 0
        self._load(scene)

    def _load(self, scene: Scene) -> None:
        self._scene_id += 1
        model = compile_model(scene)
        gains = {
            c.name: {g.name: c.gains.get(g.name, g.default) for g in CONTROLLERS[c.kind].gains}
            for c in scene.controllers
        }
        rest = rest_snapshot(scene, model)
        self.scene, self.model = scene, model
        self.history = History(model, scene.dt)
        self.latest = replace(rest, scene_id=self._scene_id, running=True, real_time_factor=1.0, gains=gains)
        self.events.put(cmd.Loaded(scene, self._scene_id))

    def start(self) -> None:
        pass

    def stop(self) -> None:
        self.stopped = True

    def send(self, command: cmd.Command) -> None:
        self.sent.append(command)
        if sentence := self.refuse.get(type(command)):
            self.events.put(cmd.Refused(command, sentence))
            return
        inverse = self._inverse(command)
        if isinstance(command, cmd.LoadScene):
            self._load(command.scene)
        else:
            self.latest = replace(self.latest, **self._changes(command))
        self.events.put(cmd.Applied(self.latest.step, command, inverse))

    def _inverse(self, command: cmd.Command) -> cmd.Command | None:
        if isinstance(command, cmd.SetGain):
            return replace(command, value=self.latest.gains[command.controller][command.gain])
        return cmd.LoadScene(self.scene) if isinstance(command, cmd.LoadScene) else None

    def _changes(self, command: cmd.Command) -> dict[str, object]:
        now = self.latest
        match command:
            case cmd.Play(running):
                return {"running": running}
            case cmd.SetSpeed(speed):
                return {"speed": speed}
            case cmd.SetBackend(backend):
                return {"backend": backend, "integrator": integrator_of(backend, self.scene)}
            case cmd.SetIntegrator(integrator):
                return {"integrator": integrator}
            case cmd.SetJointTarget(name, joint, q):
                return {"joint_targets": {**now.joint_targets, name: self._held(name, joint, q)}}
            case cmd.SetSolver(solver):
                return {"solver": solver}
            case cmd.SetStabilisation(stabilise):
                return {"stabilise": stabilise}
            case cmd.SetStep(dt):
                return {"dt": dt}
            case cmd.SetGravity(gravity):
                return {"gravity": gravity}
            case cmd.SetSwitch(name, on):
                return {"controllers": {**now.controllers, name: on}}
            case cmd.SetGain(name, gain, value):
                return {"gains": {**now.gains, name: {**now.gains[name], gain: value}}}
            case cmd.SetTolerance(tolerance):
                return {"tolerance": tolerance}
            case cmd.Compare(beside):
                figures = Figures("", "", now.dt, *(0.0,) * 8)
                lanes = (Beside(name, now.position, now.rotation, "", figures) for name in beside)
                return {"beside": tuple(lanes), "lead": figures if beside else None}
            case cmd.SetTarget(name, position):
                targets = now.targets.copy()
                targets[[t.name for t in self.scene.targets].index(name)] = position
                return {"targets": targets}
            case cmd.PullBody(body, point, anchor):
                index = [b.name for b in self.scene.bodies].index(body)
                place = now.position[index] + now.rotation[index] @ np.array(point)
                return {"pull": Pull(index, place, np.array(anchor), 100.0 * (np.array(anchor) - place))}
            case cmd.ReleaseBody():
                return {"pull": None}
        return {}

    def _held(self, name: str, joint: str, q: tuple[float, ...]) -> np.ndarray:
        model = self.model
        held = np.array(self.latest.joint_targets.get(name, model.q0))
        j = model.joint_names.index(joint)
        held[model.joint_q[j] : model.joint_q[j + 1]] = q
        return held

    def tick(self, seconds: float = 1 / 60) -> Snapshot:
        step = self.latest.step + round(seconds / self.latest.dt)
        self.latest = replace(self.latest, step=step, time=step * self.latest.dt)
        return self.latest

    def of(self, kind: type[cmd.Command]) -> list[cmd.Command]:
        return [command for command in self.sent if isinstance(command, kind)]


class Bench:
    """The window with its runner; the first picture has been painted and the plots are there."""

    def __init__(  # type: ignore[no-untyped-def]
        self,
        qtbot,
        folder: Path,
        scene: str | Stage = "arm_reach",
        make_runner: Callable[[Scene], Running] = StillRunner,
        theme: str = "light",
    ) -> None:
        self.bot = qtbot
        stage = load_stage(scene) if isinstance(scene, str) else scene
        self.session = Session(stage, make_runner)
        self.settings = Settings(folder / "settings.ini")
        self.window = Window(self.session, self.settings, theme)
        self.viewport = self.window.viewport
        self.window.take_place((1280, 800))
        self.window.show()
        qtbot.waitUntil(lambda: self.session.runner is not None, timeout=20000)
        self.settle()
        self.window.activateWindow()
        self.viewport.setFocus()
        qtbot.waitUntil(self.viewport.hasFocus)
        if make_runner is StillRunner:
            self.runner.sent.clear()

    @property
    def runner(self) -> StillRunner:
        runner = self.session.runner
        assert isinstance(runner, StillRunner)
        return runner

    def settle(self) -> None:
        """Until everything sent has been reported and shown."""
        runner = self.session.runner
        assert runner is not None
        shown = lambda: self.session.snapshot is runner.latest and runner.events.empty()  # noqa: E731
        self.bot.waitUntil(shown, timeout=120_000)
        snapshot = self.session.snapshot
        self.window.control.refresh(snapshot)
        self.window.physics.refresh(snapshot)
        self.window.comparison.refresh(snapshot)
        self.window.inspector.refresh(snapshot)
        self.window.menus.refresh()

    def body_pixel(self, body: int) -> tuple[int, int]:
        """A pixel where this body would be picked."""
        hand, visuals = self.viewport.hand, self.session.stage.visuals
        centers = visuals.instances(self.session.snapshot)[visuals.body == body, :, 3]
        for x, y in hand.camera.project(centers, *hand.size):
            hit = hand._body_at(round(float(x)), round(float(y)))
            if hit and hit[0] == body and hand._target_at(round(float(x)), round(float(y))) < 0:
                return round(float(x)), round(float(y))
        raise AssertionError(f"nothing of body {body} is in view")

    def target_pixel(self) -> tuple[int, int]:
        hand = self.viewport.hand
        [(x, y)] = hand.camera.project(self.session.snapshot.targets[:1], *hand.size)
        return round(float(x)), round(float(y))

    def close(self) -> None:
        self.window.close()
        self.bot.waitUntil(lambda: not self.window.isVisible(), timeout=20000)
        self.window.deleteLater()
