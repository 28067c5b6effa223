"""The controllers, targets and the mouse of one world, by their names."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sim.bundle import Bundle
from sim.command import (
    Command,
    FollowPath,
    PullBody,
    ReleaseBody,
    SetGain,
    SetJointTarget,
    SetSwitch,
    SetTarget,
)
from sim.control import CONTROLLERS, Gain
from sim.control import paths as path_kernels
from sim.control.controls import Array, Controls, bare_controls, place
from sim.expression import Program, compile_expression
from sim.jit import address
from sim.model import Model
from sim.scene import CirclePath, ControllerSpec, FormulaPath, LinePath, Quat, SceneError, Vec3, WaypointPath
from sim.spatial.rotation import matrix_to_quat, quat_to_matrix
from sim.state import Pull
from sim.target_path import stops
from sim.wording import find

_PATHS = {CirclePath: "circle", LinePath: "line", WaypointPath: "waypoints", FormulaPath: "formula"}


class Desk:
    """`controls` are the arrays, `bundle` the same for kernels. Commands give back what undoes them."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.specs = model.scene.controllers
        self.names = tuple(spec.name for spec in self.specs)
        for spec in self.specs:
            _refuse_loops(spec, model)
        self.controls = _with_programs(model, bare_controls(model, len(self.specs)))
        for i, spec in enumerate(self.specs):
            self._enter(i, spec)
        for i, target in enumerate(model.scene.targets):
            if target.path is not None:
                self.controls.path[i] = path_kernels.constants(target)
                self.controls.following[i] = True
        self.bundle = Bundle(self.controls)
        self._find_kernels()

    def _enter(self, i: int, spec: ControllerSpec) -> None:
        c, kind, model = self.controls, CONTROLLERS[spec.kind], self.model
        c.on[i], c.late[i] = spec.enabled, kind.late
        c.gains[i, : len(kind.gains)] = [spec.gains.get(gain.name, gain.default) for gain in kind.gains]
        c.target[i] = model.target_names.index(spec.target) if spec.target else 0
        for name, q in spec.joint_target.items():
            c.q_target[i, self._places(name)] = q

    def _find_kernels(self) -> None:
        self.controls.place[0] = address(place, self.bundle, self.controls.q)
        for i, spec in enumerate(self.specs):
            kind = CONTROLLERS[spec.kind]
            self.controls.address[i] = address(_kernel(kind.kernel), self.bundle, i)
            if kind.helper:
                self.controls.helper[i] = address(_kernel(kind.helper), self.bundle, i)
        for i, target in enumerate(self.model.scene.targets):
            if target.path is not None:
                kernel = getattr(path_kernels, _PATHS[type(target.path)])
                self.controls.path_address[i] = address(kernel, self.bundle, i, 0.0)

    def _places(self, joint: str) -> slice:
        j = self.model.joint_names.index(joint)
        return slice(int(self.model.joint_q[j]), int(self.model.joint_q[j + 1]))

    def take_over(self, other: Desk) -> None:
        """Everything that people set, from the desk of the same scene before something else in it changed."""
        for name in ("on", "gains", "q_target", "point", "velocity", "turn", "following", "memory", "grip", "grip_at"):
            getattr(self.controls, name)[...] = getattr(other.controls, name)

    # What it shows

    def gains(self, name: str) -> Array:
        """A view, in the order of the table."""
        i = self._controller(name)
        view: Array = self.controls.gains[i, : len(self._table(i))]
        return view

    def gain_values(self) -> dict[str, dict[str, float]]:
        values = self.controls.gains
        return {
            name: {gain.name: float(values[i, k]) for k, gain in enumerate(self._table(i))}
            for i, name in enumerate(self.names)
        }

    def switches(self) -> dict[str, bool]:
        return dict(zip(self.names, self.controls.on.tolist(), strict=True))

    def torques(self) -> dict[str, Array]:
        """What each controller that is on gave for the last step (nv,)."""
        c = self.controls
        return {name: c.tau[i].copy() for i, name in enumerate(self.names) if c.on[i]}

    def joint_targets(self) -> dict[str, Array]:
        """(nq,) of every controller that holds joints."""
        c = self.controls
        return {
            spec.name: c.q_target[i].copy() for i, spec in enumerate(self.specs) if CONTROLLERS[spec.kind].holds_joints
        }

    def pull(self) -> Pull | None:
        """The mouse spring as it acted in the last step."""
        c = self.controls
        if c.grip[0] < 0:
            return None
        return Pull(int(c.grip[0]), c.pull[0].copy(), c.grip_at[1].copy(), c.pull[1].copy())

    # What state consists of

    def save(self) -> dict[str, Array]:
        c = self.controls
        parts = {"targets": c.point, "turns": c.turn, "held": c.q_target, "paths": c.following, "memory": c.memory}
        return {name: array.copy() for name, array in parts.items()}

    def load(self, saved: Mapping[str, Array]) -> None:
        c = self.controls
        c.point[:], c.turn[:], c.q_target[:] = saved["targets"], saved["turns"], saved["held"]
        c.following[:], c.memory[:] = saved["paths"], saved["memory"]
        c.velocity[:] = 0.0

    # Commands

    def apply(self, command: Command) -> Command | None:
        return COMMANDS[type(command)](self, command)

    def _set_target(self, c: SetTarget) -> Command:
        i = find(self.model.target_names, c.target, "target")
        if len(c.position) != 3 or not np.isfinite(c.position).all():
            raise ValueError(f'The target "{c.target}" needs three finite coordinates.')
        if c.rotation is not None and not abs(np.linalg.norm(c.rotation) - 1.0) < 1e-3:
            raise ValueError(f'The rotation of target "{c.target}" must be a quaternion of length 1.')
        on = self.controls
        x, y, z = on.point[i].tolist()
        inverse: Command = SetTarget(c.target, (x, y, z), self._attitude(i) if c.rotation else None)
        if on.following[i] and c.rotation is None:
            inverse = FollowPath(c.target, True)
        on.point[i], on.velocity[i], on.following[i] = c.position, 0.0, False
        if c.rotation is not None:
            on.turn[i] = quat_to_matrix(np.array(c.rotation) / np.linalg.norm(c.rotation))
        return inverse

    def _attitude(self, i: int) -> Quat:
        w, x, y, z = matrix_to_quat(self.controls.turn[i]).tolist()
        return w, x, y, z

    def _follow_path(self, c: FollowPath) -> Command:
        i = find(self.model.target_names, c.target, "target")
        if c.on and self.model.scene.targets[i].path is None:
            raise ValueError(f'The target "{c.target}" has no path in this scene.')
        inverse = FollowPath(c.target, bool(self.controls.following[i]))
        self.controls.following[i] = c.on
        self.controls.velocity[i] = 0.0
        return inverse

    def _set_switch(self, c: SetSwitch) -> Command:
        i = self._controller(c.controller)
        inverse = SetSwitch(c.controller, bool(self.controls.on[i]))
        self.controls.on[i] = c.on
        self.controls.tau[i] = 0.0
        return inverse

    def _set_gain(self, c: SetGain) -> Command:
        i = self._controller(c.controller)
        table = self._table(i)
        k = find(tuple(g.name for g in table), c.gain, "gain")
        if not table[k].low <= c.value <= table[k].high:
            raise ValueError(
                f"{table[k].symbol} of {c.controller} takes {table[k].low:g} to {table[k].high:g} {table[k].unit}, "
                f"not {c.value:g}."
            )
        inverse = SetGain(c.controller, c.gain, float(self.controls.gains[i, k]))
        self.controls.gains[i, k] = c.value
        return inverse

    def _set_joint_target(self, c: SetJointTarget) -> Command:
        i = self._controller(c.controller)
        holding = tuple(s.name for s in self.specs if CONTROLLERS[s.kind].holds_joints)
        find(holding, c.controller, "controller of joints")
        find(self.model.joint_names, c.joint, "joint")
        places = self._places(c.joint)
        before = self.controls.q_target[i, places]
        q = np.array(c.q, dtype=float)
        if q.shape != before.shape or not np.isfinite(q).all():
            count = "one finite number" if len(before) == 1 else f"{len(before)} finite numbers"
            raise ValueError(f'The target of joint "{c.joint}" needs {count}.')
        if len(q) == 4:
            if not abs(np.linalg.norm(q) - 1.0) < 1e-3:
                raise ValueError(f'The target of joint "{c.joint}" must be a quaternion of length 1.')
            q /= np.linalg.norm(q)
        inverse = SetJointTarget(c.controller, c.joint, tuple(before.tolist()))
        self.controls.q_target[i, places] = q
        return inverse

    def _grip(self, c: PullBody) -> None:
        self.controls.grip[0] = find(self.model.body_names, c.body, "body")
        self.controls.grip_at[:] = c.point, c.anchor

    def _release(self, _: ReleaseBody) -> None:
        self.controls.grip[0] = -1

    def grip(self) -> Command:
        """The command that lets the mouse hold what it holds."""
        body, (point, anchor) = int(self.controls.grip[0]), self.controls.grip_at.tolist()
        return PullBody(self.model.body_names[body], tuple(point), tuple(anchor)) if body >= 0 else ReleaseBody()

    def let_go(self) -> None:
        """Of the mouse, and of what the controllers remember and gave last."""
        self.controls.grip[0] = -1
        self.controls.memory[:] = np.nan
        self.controls.tau[:] = 0.0
        self.controls.total[:] = 0.0

    def _controller(self, name: str) -> int:
        return find(self.names, name, "controller")

    def _table(self, i: int) -> tuple[Gain, ...]:
        return CONTROLLERS[self.specs[i].kind].gains


def _kernel(name: str) -> Any:
    """Of "module:function"."""
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(module), function)


def _refuse_loops(spec: ControllerSpec, model: Model) -> None:
    kind = CONTROLLERS[spec.kind]
    if kind.needs_tree and model.joint_cut.any():
        closing = model.joint_names[int(model.joint_cut.argmax())]
        raise SceneError(
            f'controller "{spec.name}": {kind.title.lower()} needs a tree, and joint "{closing}" closes a loop; '
            "expected none, or joint_pd",
            ("controller", spec.name),
        )


def _with_programs(model: Model, controls: Controls) -> Controls:
    """The same with the programs of timed torques and formulas, and the points of paths, one after the other."""
    programs: list[Program] = []

    def add(expression: float | str) -> tuple[int, int]:
        start = sum(len(p.op) for p in programs)
        programs.append(compile_expression(expression))
        return start, start + len(programs[-1].op)

    for i, spec in enumerate(model.scene.controllers):
        for name, torques in spec.torque.items():
            first = int(model.joint_v[model.joint_names.index(name)])
            for k, expression in enumerate(torques):
                controls.program[i, first + k] = add(expression)
    way: list[Vec3] = []
    for i, target in enumerate(model.scene.targets):
        if isinstance(target.path, FormulaPath):
            controls.way_program[i] = [add(expression) for expression in target.path.formula]
        if isinstance(target.path, WaypointPath):
            way += stops(target)
        controls.way_start[i + 1] = len(way)
    return controls._replace(
        op=np.concatenate([p.op for p in programs] or [controls.op]),
        value=np.concatenate([p.value for p in programs] or [controls.value]),
        stack=np.zeros(max((p.depth for p in programs), default=1)),
        way=np.array(way, dtype=float).reshape(-1, 3),
    )


COMMANDS: dict[type[Command], Callable[[Desk, Any], Command | None]] = {
    SetTarget: Desk._set_target,
    FollowPath: Desk._follow_path,
    SetSwitch: Desk._set_switch,
    SetGain: Desk._set_gain,
    SetJointTarget: Desk._set_joint_target,
    PullBody: Desk._grip,
    ReleaseBody: Desk._release,
}
