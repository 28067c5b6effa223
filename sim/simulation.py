"""One world: a model, an engine, controllers, targets and what happened. No threads.

    import sim
    world = sim.Simulation(sim.load("arm_reach"))
    world.advance(2.0)
    world.q, world.v, world.state
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from sim.acting import acting, joint_loads
from sim.backend import INTEGRATORS, Diverged, create, integrator_of, without
from sim.causes import Explainer
from sim.check import check
from sim.command import (
    Command,
    FollowPath,
    PullBody,
    Reset,
    SetBackend,
    SetGravity,
    SetIntegrator,
    SetSolver,
    SetStabilisation,
    SetStep,
)
from sim.control.controls import decide, move_targets
from sim.control.desk import COMMANDS, Desk
from sim.history import History
from sim.ledger import Ledger
from sim.march import Loop, make_loop, march
from sim.model import compile_model
from sim.record import ENTERED, SURVEYED, WRITTEN, make_record, record
from sim.scene import Scene
from sim.state import Array, Control, Reading, Snapshot, State, new_sight
from sim.valueless import valueless
from sim.wording import find

LONGEST_MARCH = 2000  # steps without a word from Python, which alone hears Ctrl+C


class Simulation:
    """Steps a scene on one of the engines. Raises SceneError, BackendError or Diverged, each one sentence."""

    def __init__(self, scene: Scene, backend: str | None = None, dt: float | None = None) -> None:
        self.scene = scene if dt is None else replace(scene, dt=dt)
        self.dt = self.scene.dt
        self.backend_name = backend or scene.backend
        self.time = 0.0
        self.step_count = 0
        self._explains = False
        self._every = 1  # steps in which controllers decide once
        self._since = 0, 0.0  # step and time from which on dt holds
        self.model = compile_model(self.scene)
        self._engine = create(self.backend_name, self.model)
        self.desk = Desk(self.model)
        self.history = History(self.model, self.dt)
        self.ledger = Ledger(self.model)
        self._furnish()
        self._observe(WRITTEN)

    def _furnish(self) -> None:
        """Everything that steps need, for the engine, desk, history and ledger there are."""
        model, controls = self.model, self.desk.controls
        sight = new_sight(model.nq, model.nv, len(model.body_names))
        self._sight = sight._replace(q=controls.q, v=controls.v)
        self._control = Control(controls.total, controls.wrench)
        self._kept, self._record = make_record(model, controls, self._sight, self.history, self.ledger)
        self._loop: Loop | None = None
        self.explain(self._explains)

    def explain(self, on: bool) -> None:
        """Whether the causes of every step are kept in the history (sim/causes.py), which costs about half a step."""
        self._explains = on
        if not on:
            self.history.forget_causes()
        self._explainer = Explainer(self.model, self.desk.controls, self.history) if on else None
        self._kept.explainer[:] = (self._explainer.entry, self._explainer.where) if self._explainer else 0

    # Stepping

    def advance(self, seconds: float) -> None:
        """Take as many steps as fit into `seconds`, rounded to the nearest."""
        if not 0.0 <= seconds < math.inf:
            raise ValueError(f"A world goes on by a time of 0 s or more, not by {seconds} s.")
        self.step(round(seconds / self.dt))

    def step(self, n: int = 1) -> None:
        if not (isinstance(n, int | np.integer) and n >= 0):
            raise ValueError(f"A world takes a whole number of steps, 0 or more, not {n}.")
        try:
            self._step(n)
        except Diverged as error:
            stages = (self.time, self.time + 0.5 * self.dt, self._time_of(self.step_count + 1))
            if reason := valueless(self.scene, stages):
                raise Diverged(reason) from error
            raise

    def _step(self, n: int) -> None:
        stepper = getattr(self._engine, "stepper", None)
        if stepper is None:
            for _ in range(n):
                self._step_from_python()
            return
        if self._loop is None:
            held = self._control.tau, self._control.wrench
            self._loop = make_loop(stepper(self._sight), self.desk.bundle, *held, self._record)
        while n > 0:
            self._march(self._loop, min(n, LONGEST_MARCH))
            n -= LONGEST_MARCH

    def _march(self, loop: Loop, n: int) -> None:
        first, start = self._since
        times = start + (np.arange(n + 1) + (self.step_count - first)) * self.dt
        status, where, done = march(*loop, times, self.dt, self.step_count, self._every)
        self._count(done)
        if status:
            divergence: Callable[[int, int], Diverged] = self._engine.divergence  # type: ignore[attr-defined]
            raise divergence(status, where)

    def _step_from_python(self) -> None:
        decide(self.desk.bundle, self.time, self.dt)
        self._control.time = self.time
        self._engine.advance(self._control, self.dt, 1)
        self._count(1)
        self._observe(WRITTEN)

    def _count(self, steps: int) -> None:
        self.step_count += steps
        self.time = self._time_of(self.step_count)

    def _time_of(self, step: int) -> float:
        first, start = self._since
        return start + (step - first) * self.dt

    def _observe(self, much: float = SURVEYED) -> None:
        """Look at the engine from Python: for states that no step led to, and at every step of PyBullet."""
        self._sight.take(self._engine.read())
        move_targets(self.desk.bundle, self.time)
        record(self._record, self.time, much)

    def open_account(self) -> None:
        """Another state, engine or comparison begins an account of its own; the motion does not notice."""
        self.ledger = Ledger(self.model)
        self._furnish()
        self._observe(ENTERED)

    def begin_beside(self, lead: Simulation, finer: int, seconds: float) -> None:
        """Take over state and settings of another world of this scene, whose steps are `finer` times as long.

        Controllers decide as often as there, so that nothing but the engine differs. The history is of so many seconds.
        """
        self._every = finer
        self.desk.take_over(lead.desk)
        self._engine.set(lead.q, lead.v)
        first, start = lead._since
        self.time, self.step_count = lead.time, finer * lead.step_count
        self.begin_history((finer * first, start), seconds)

    def begin_history(self, since: tuple[int, float], seconds: float | None = None) -> None:
        """Whatever is written down begins with the state of now; `since`: from which step and time on dt holds."""
        self._since = since
        self.history = History(self.model, self.dt, seconds)
        self.ledger = Ledger(self.model)
        self._furnish()
        self._observe(WRITTEN)

    # What it shows

    @property
    def q(self) -> Array:
        return self._sight.q.copy()

    @property
    def v(self) -> Array:
        return self._sight.v.copy()

    @property
    def reading(self) -> Reading:
        """What the engine reports now; it stays as it is."""
        return self._sight.reading()

    @property
    def integrator(self) -> str:
        """How the engine steps, by name."""
        return integrator_of(self.backend_name, self.scene)

    @property
    def notes(self) -> tuple[str, ...]:
        """What people should know of the model, a sentence each: where loops are cut, and what closed them."""
        return self.model.notes

    @property
    def state(self) -> State:
        """Everything the next step depends on; assign it to go back there exactly."""
        return State(self.backend_name, self.step_count, self.time, self._engine.save(), self.desk.save())

    @state.setter
    def state(self, state: State) -> None:
        if not state.fits(self.state):
            raise ValueError("This state is of another scene; assign one that a world of the same scene gave.")
        if state.backend != self.backend_name:
            self._switch_engine(state.backend)
        self._engine.load(state.engine)
        self.step_count, self.time = state.step, state.time
        if self._time_of(state.step) != state.time:
            self._since = state.step, state.time
        self.desk.load(state.desk)
        self.open_account()

    def joint_loads(self) -> Array:
        """(joints, 6) [torque; force] that each joint exerts on its child, at the child's joint frame, world axes.

        As of this instant, with what the controllers decided last; motors, damping and friction do not count.
        """
        return joint_loads(self.backend_name, self._engine, self._control)

    def snapshot(self, scene_id: int = 0, forces: bool = False) -> Snapshot:
        """What is shown of this instant; with `forces` also what acts, which costs about a step."""
        r, desk = self.reading, self.desk
        return Snapshot(
            scene_id=scene_id,
            backend=self.backend_name,
            solver=self.scene.solver,
            stabilise=self.scene.stabilise,
            gravity=self.scene.gravity,
            dt=self.dt,
            step=self.step_count,
            time=self.time,
            running=False,
            speed=1.0,
            real_time_factor=0.0,
            q=r.q,
            v=r.v,
            position=r.position,
            rotation=r.rotation,
            twist=r.twist,
            frames=self._kept.frames.copy(),
            targets=desk.controls.point.copy(),
            torques=desk.torques(),
            kinetic=float(self._kept.energy[0]),
            potential=float(self._kept.energy[1]),
            joint_gap=r.joint_gap,
            joint_angle_error=r.joint_angle_error,
            step_time=0.0,
            integrator=self.integrator,
            acting=acting(self.model, self.backend_name, self._engine, self._control, r) if forces else None,
            pull=desk.pull(),
            controllers=desk.switches(),
            gains=desk.gain_values(),
            joint_targets=desk.joint_targets(),
        )

    def close(self) -> None:
        self._engine.close()

    # Commands

    def apply(self, command: Command) -> Command | None:
        """Carry out a command between two steps; returns the command that undoes it, if there is one."""
        if type(command) not in COMMANDS:
            return _APPLY[type(command)](self, command)
        inverse = self.desk.apply(command)
        if isinstance(command, FollowPath):
            move_targets(self.desk.bundle, self.time)
        elif isinstance(command, PullBody):
            decide(self.desk.bundle, self.time, 0.0)
        return inverse

    def _reset(self, _: Reset) -> None:
        self._engine.set(self.model.q0, self.model.v0)
        self.time, self.step_count = 0.0, 0
        self.desk.let_go()
        self.begin_history((0, 0.0))

    def _set_backend(self, c: SetBackend) -> Command:
        inverse = SetBackend(self.backend_name)
        q, v = self.q, self.v
        self._switch_engine(c.backend)
        self._engine.set(q, v)
        self.open_account()
        return inverse

    def _tune_engine(self, setting: str, value: str) -> str:
        """Returns what held before."""
        if reason := without(self.backend_name, setting):
            raise ValueError(reason)
        if setting == "integrator":
            find(INTEGRATORS[self.backend_name], value, "integrator")
        before: str = self.integrator if setting == "integrator" else getattr(self.scene, setting)
        self.change_scene(**{setting: value})
        return before

    def _set_gravity(self, c: SetGravity) -> Command:
        inverse = SetGravity(self.scene.gravity)
        before = float(self._kept.energy[1])
        self.change_scene(gravity=c.gravity)
        self.history.rebase(float(self._kept.energy[1]) - before)
        return inverse

    def _set_step(self, c: SetStep) -> Command:
        check(scene := replace(self.scene, dt=c.dt))
        inverse = SetStep(self.dt)
        self.scene, self.dt, self._since = scene, c.dt, (self.step_count, self.time)
        self.history = self.history.resized(self.dt)
        self.open_account()
        return inverse

    def change_scene(self, **changes: Any) -> None:
        """The world goes on under a changed scene from the same q and v; raises before anything has changed."""
        scene = replace(self.scene, **changes)
        model = compile_model(scene)
        engine, desk = create(self.backend_name, model), Desk(model)
        engine.set(self.q, self.v)
        desk.take_over(self.desk)
        self._engine.close()
        self.scene, self.model, self._engine, self.desk = scene, model, engine, desk
        self.open_account()

    def _switch_engine(self, name: str) -> None:
        engine = create(name, self.model)
        self._engine.close()
        self._engine, self.backend_name = engine, name


_APPLY: dict[type[Command], Callable[[Simulation, Any], Command | None]] = {
    Reset: Simulation._reset,
    SetBackend: Simulation._set_backend,
    SetSolver: lambda world, c: SetSolver(world._tune_engine("solver", c.solver)),
    SetStabilisation: lambda world, c: SetStabilisation(world._tune_engine("stabilise", c.stabilise)),
    SetIntegrator: lambda world, c: SetIntegrator(world._tune_engine("integrator", c.integrator)),
    SetStep: Simulation._set_step,
    SetGravity: Simulation._set_gravity,
}

__all__ = ["Diverged", "Simulation"]
