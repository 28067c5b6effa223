"""One world: a model, an engine, controllers, targets and what happened. No threads.

import sim
world = sim.Simulation(sim.load("arm_reach"))
world.advance(2.0)
world.q, world.v, world.state
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from sim.acting import acting, joint_loads
from sim.backend import INTEGRATORS, Diverged, create, integrator_of, without
from sim.check import check
from sim.command import (
    Command,
    FollowPath,
    PullBody,
    ReleaseBody,
    Reset,
    SetBackend,
    SetGain,
    SetGravity,
    SetIntegrator,
    SetJointTarget,
    SetSolver,
    SetStabilisation,
    SetStep,
    SetSwitch,
    SetTarget,
)
from sim.control import CONTROLLERS
from sim.control import create as create_controller
from sim.control.controller import Motion, set_joint_target
from sim.control.mouse_spring import Grip
from sim.dynamics.energy import energy_and_momentum
from sim.dynamics.kinematics import frame_points
from sim.history import History
from sim.ledger import Ledger
from sim.model import compile_model
from sim.scene import Scene
from sim.state import Array, Control, Pull, Reading, Snapshot, State
from sim.target_path import Circle
from sim.wording import find


class Simulation:
    """Steps a scene on one of the engines. Raises SceneError, BackendError or Diverged, each one sentence."""

    def __init__(self, scene: Scene, backend: str | None = None, dt: float | None = None) -> None:
        self.scene = scene
        self.model = compile_model(scene)
        self.dt = dt or scene.dt
        self.backend_name = backend or scene.backend
        self.time = 0.0
        self.step_count = 0
        self._since = 0, 0.0  # step and time from which on dt holds
        self.controllers = {c.name: create_controller(c, self.model) for c in scene.controllers}
        self.enabled = {c.name: c.enabled for c in scene.controllers}
        self._targets = np.array(self.model.target_start)
        self._target_velocities = np.zeros_like(self._targets)
        self._circles = [Circle(t.position, t.path) if t.path else None for t in scene.targets]
        self._paths = np.array([t.path is not None for t in scene.targets], dtype=bool)
        self._grip: Grip | None = None
        self._pull: Pull | None = None
        self._motion = Motion(self.model)
        self._control = Control(np.zeros(self.model.nv), np.zeros((len(self.model.body_names), 6)))
        self._energy = np.zeros(8)
        self._engine = create(self.backend_name, self.model)
        self._rotors = bool(self.model.dof_rotor.any())
        self.history = History(self.model, self.dt)
        self.ledger = Ledger(self.model)
        self._observe()
        self._record()

    # Stepping

    def advance(self, seconds: float) -> None:
        """Take as many steps as fit into `seconds`, rounded to the nearest."""
        self.step(round(seconds / self.dt))

    def step(self, n: int = 1) -> None:
        for _ in range(n):
            self._decide()
            self._engine.advance(self._control, self.dt, 1)
            self.step_count += 1
            self.time = self._time_of(self.step_count)
            self._observe()
            self._record()

    def _time_of(self, step: int) -> float:
        first, start = self._since
        return start + (step - first) * self.dt

    def _decide(self) -> None:
        """Controllers and the mouse → Control, from the last reading; torque limits hold for their sum."""
        self._control.time = self.time
        tau = self._control.tau
        tau[:] = 0.0
        for name, controller in self.controllers.items():
            if self.enabled[name]:
                controller.compute(self._motion, self._targets, self._target_velocities)
                tau += controller.tau
        tau *= self.model.dof_actuated
        np.clip(tau, -self.model.dof_torque_limit, self.model.dof_torque_limit, out=tau)
        self._control.wrench[:] = 0.0
        self._pull = self._grip.pull(self.model, self.reading, self._control.wrench) if self._grip else None

    def _observe(self) -> None:
        """Read the engine, move the targets that follow a path, update what controllers see."""
        model = self.model
        self.reading: Reading = self._engine.read()
        for i, circle in enumerate(self._circles):
            if circle and self._paths[i]:
                self._targets[i], self._target_velocities[i] = circle.motion(self.time)
        self._motion.update(self.reading.q, self.reading.v)
        r = self.reading
        energy_and_momentum(
            model.body_mass,
            model.body_center,
            model.body_inertia,
            model.gravity,
            r.position,
            r.rotation,
            r.twist,
            self._energy,
        )
        if self._rotors:
            self._energy[0] += 0.5 * model.dof_rotor @ (r.v * r.v)
        self._frames = np.empty((len(model.frame_names), 3))
        frame_points(model.frame_body, model.frame_position, r.position, r.rotation, self._frames)

    def _record(self) -> None:
        energy, model, r = self._energy, self.model, self.reading
        away = self._frames[model.target_frame] - self._targets
        self.history.write(
            time=self.time,
            q=r.q,
            v=r.v,
            tau=self._control.tau,
            error=np.sqrt((away * away).sum(axis=1)),
            kinetic=energy[0],
            potential=energy[1],
            momentum=energy[5:8],
            spin=r.twist[0, :3] @ r.rotation[0],
        )
        self.ledger.enter(r, energy, pushed=self._pull is not None)

    def _open_ledger(self) -> None:
        """Another state or engine begins an account of its own."""
        self.ledger = Ledger(self.model)
        self.ledger.enter(self.reading, self._energy)

    # What it shows

    @property
    def q(self) -> Array:
        return self.reading.q

    @property
    def v(self) -> Array:
        return self.reading.v

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
        return State(
            self.backend_name,
            self.step_count,
            self.time,
            self._engine.save(),
            self._targets.copy(),
            self._paths.copy(),
        )

    @state.setter
    def state(self, state: State) -> None:
        if state.backend != self.backend_name:
            self._switch_engine(state.backend)
        self._engine.load(state.engine)
        self.step_count, self.time = state.step, state.time
        if self._time_of(state.step) != state.time:
            self._since = state.step, state.time
        self._targets[:] = state.targets
        self._paths[:] = state.paths
        self._target_velocities[:] = 0.0
        self._observe()
        self._open_ledger()

    def joint_loads(self) -> Array:
        """(joints, 6) [torque; force] that each joint exerts on its child, at the child's joint frame, world axes.

        As of this instant, with what the controllers decided last; motors, damping and friction do not count.
        """
        return joint_loads(self.backend_name, self._engine, self._control)

    def snapshot(self, scene_id: int = 0, forces: bool = False) -> Snapshot:
        """What is shown of this instant; with `forces` also what acts, which costs about a step."""
        r = self.reading
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
            frames=self._frames,
            targets=self._targets.copy(),
            torques={n: c.tau.copy() for n, c in self.controllers.items() if self.enabled[n]},
            kinetic=float(self._energy[0]),
            potential=float(self._energy[1]),
            joint_gap=r.joint_gap,
            joint_angle_error=r.joint_angle_error,
            step_time=0.0,
            integrator=self.integrator,
            pull=self._pull,
            acting=acting(self.model, self.backend_name, self._engine, self._control, r) if forces else None,
            controllers=dict(self.enabled),
            gains={n: self._gain_values(n) for n in self.controllers},
            joint_targets={n: c.q_target.copy() for n, c in self.controllers.items() if hasattr(c, "q_target")},
        )

    def close(self) -> None:
        self._engine.close()

    # Commands

    def apply(self, command: Command) -> Command | None:
        """Carry out a command between two steps; returns the command that undoes it, if there is one."""
        return _APPLY[type(command)](self, command)

    def _reset(self, _: Reset) -> None:
        self._engine.set(self.model.q0, self.model.v0)
        self.time, self.step_count, self._since = 0.0, 0, (0, 0.0)
        self._grip = self._pull = None
        self._control.tau[:] = 0.0
        self.history = History(self.model, self.dt)
        self.ledger = Ledger(self.model)
        self._observe()
        self._record()

    def _set_target(self, c: SetTarget) -> Command:
        i = find(self.model.target_names, c.target, "target")
        if not np.isfinite(c.position).all():
            raise ValueError(f'The target "{c.target}" needs three finite coordinates.')
        x, y, z = (float(a) for a in self._targets[i])
        inverse: Command = FollowPath(c.target, True) if self._paths[i] else SetTarget(c.target, (x, y, z))
        self._targets[i] = c.position
        self._target_velocities[i] = 0.0
        self._paths[i] = False
        return inverse

    def _follow_path(self, c: FollowPath) -> Command:
        i = find(self.model.target_names, c.target, "target")
        if c.on and self.scene.targets[i].path is None:
            raise ValueError(f'The target "{c.target}" has no path in this scene.')
        inverse = FollowPath(c.target, bool(self._paths[i]))
        self._paths[i] = c.on
        self._target_velocities[i] = 0.0
        self._observe()
        return inverse

    def _set_switch(self, c: SetSwitch) -> Command:
        find(tuple(self.controllers), c.controller, "controller")
        inverse = SetSwitch(c.controller, self.enabled[c.controller])
        self.enabled[c.controller] = c.on
        return inverse

    def _set_gain(self, c: SetGain) -> Command:
        find(tuple(self.controllers), c.controller, "controller")
        table = self._gain_table(c.controller)
        i = find(tuple(g.name for g in table), c.gain, "gain")
        if not table[i].low <= c.value <= table[i].high:
            raise ValueError(
                f"{table[i].symbol} of {c.controller} takes {table[i].low:g} to {table[i].high:g} {table[i].unit}, "
                f"not {c.value:g}."
            )
        gains = self.controllers[c.controller].gains
        inverse = SetGain(c.controller, c.gain, float(gains[i]))
        gains[i] = c.value
        return inverse

    def _set_backend(self, c: SetBackend) -> Command:
        inverse = SetBackend(self.backend_name)
        q, v = self.reading.q, self.reading.v
        self._switch_engine(c.backend)
        self._engine.set(q, v)
        self._observe()
        self._open_ledger()
        return inverse

    def _tune_engine(self, setting: str, value: str) -> str:
        """Returns what held before."""
        if reason := without(self.backend_name, setting):
            raise ValueError(reason)
        if setting == "integrator":
            find(INTEGRATORS[self.backend_name], value, "integrator")
        before: str = self.integrator if setting == "integrator" else getattr(self.scene, setting)
        self._change_scene(**{setting: value})
        return before

    def _set_gravity(self, c: SetGravity) -> Command:
        inverse = SetGravity(self.scene.gravity)
        before = float(self._energy[1])
        self._change_scene(gravity=c.gravity)
        self.history.rebase(float(self._energy[1]) - before)
        return inverse

    def _set_step(self, c: SetStep) -> Command:
        check(scene := replace(self.scene, dt=c.dt))
        inverse = SetStep(self.dt)
        self.scene, self.dt, self._since = scene, c.dt, (self.step_count, self.time)
        self.history = self.history.resized(self.dt)
        self._open_ledger()
        return inverse

    def _change_scene(self, **changes: Any) -> None:
        """The world goes on under a changed scene from the same q and v; raises before anything has changed."""
        scene = replace(self.scene, **changes)
        model = compile_model(scene)
        engine = create(self.backend_name, model)
        engine.set(self.reading.q, self.reading.v)
        self._engine.close()
        self.scene, self.model, self._engine, self._motion = scene, model, engine, Motion(model)
        self._observe()
        self._open_ledger()

    def _switch_engine(self, name: str) -> None:
        engine = create(name, self.model)
        self._engine.close()
        self._engine, self.backend_name = engine, name

    def _pull_to(self, c: PullBody) -> None:
        b = find(self.model.body_names, c.body, "body")
        self._grip = Grip(b, np.array(c.point, dtype=float), np.array(c.anchor, dtype=float))

    def _release(self, _: ReleaseBody) -> None:
        self._grip = self._pull = None

    def _gain_table(self, name: str) -> tuple[Any, ...]:
        kind = next(c.kind for c in self.scene.controllers if c.name == name)
        return CONTROLLERS[kind].gains

    def _gain_values(self, name: str) -> dict[str, float]:
        values = self.controllers[name].gains
        return {g.name: float(x) for g, x in zip(self._gain_table(name), values, strict=True)}


_APPLY: dict[type[Command], Callable[[Simulation, Any], Command | None]] = {
    Reset: Simulation._reset,
    SetTarget: Simulation._set_target,
    FollowPath: Simulation._follow_path,
    SetSwitch: Simulation._set_switch,
    SetGain: Simulation._set_gain,
    SetBackend: Simulation._set_backend,
    SetSolver: lambda world, c: SetSolver(world._tune_engine("solver", c.solver)),
    SetStabilisation: lambda world, c: SetStabilisation(world._tune_engine("stabilise", c.stabilise)),
    SetIntegrator: lambda world, c: SetIntegrator(world._tune_engine("integrator", c.integrator)),
    SetJointTarget: lambda world, c: set_joint_target(world.model, world.controllers, c),
    SetStep: Simulation._set_step,
    SetGravity: Simulation._set_gravity,
    PullBody: Simulation._pull_to,
    ReleaseBody: Simulation._release,
}

__all__ = ["Diverged", "Simulation"]
