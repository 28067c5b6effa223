"""What every controller is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from sim.command import SetJointTarget
from sim.control import CONTROLLERS
from sim.dynamics.kinematics import kinematics
from sim.dynamics.tree import body_joints, tree_of
from sim.model import Model
from sim.scene import ControllerSpec
from sim.wording import find

Array = np.ndarray[Any, np.dtype[Any]]


class Motion:
    """The world at a step boundary as controllers see it: q, v, poses p and R, motions S at the world origin."""

    def __init__(self, model: Model) -> None:
        nb = len(model.body_names)
        self.model = model
        self.tree = tree_of(model)
        self.body_joint = body_joints(model)
        self.q, self.v = model.q0, model.v0
        self.p, self.R, self.S = np.zeros((nb, 3)), np.zeros((nb, 3, 3)), np.zeros((model.nv, 6))
        self._scratch = np.zeros((3, 3)), np.zeros((3, 3))

    def update(self, q: Array, v: Array) -> None:
        self.q, self.v = q, v
        kinematics(self.tree, q, self.p, self.R, self.S, *self._scratch)


class Controller(Protocol):
    """Writes its joint forces to `tau` (nv,); `gains` follow the order of its table in CONTROLLERS."""

    gains: Array
    tau: Array

    def __init__(self, spec: ControllerSpec, model: Model) -> None: ...

    def compute(self, motion: Motion, targets: Array, target_velocities: Array) -> None:
        """targets, target_velocities (nt, 3) in world axes."""


def gains_of(spec: ControllerSpec) -> Array:
    """The gains of a spec in the table's order, defaults where it says nothing."""
    return np.array([spec.gains.get(g.name, g.default) for g in CONTROLLERS[spec.kind].gains], dtype=float)


def set_joint_target(model: Model, controllers: Mapping[str, Any], command: SetJointTarget) -> SetJointTarget:
    """Gives a controller that holds joints another target of one; returns what undoes it."""
    holding = {name: controller for name, controller in controllers.items() if hasattr(controller, "q_target")}
    find(tuple(holding), command.controller, "controller of joints")
    j = find(model.joint_names, command.joint, "joint")
    held = holding[command.controller].q_target[model.joint_q[j] : model.joint_q[j + 1]]
    if len(command.q) != len(held) or not np.isfinite(command.q).all():
        count = "one finite number" if len(held) == 1 else f"{len(held)} finite numbers"
        raise ValueError(f'The target of joint "{command.joint}" needs {count}.')
    inverse = SetJointTarget(command.controller, command.joint, tuple(held.tolist()))
    held[:] = command.q
    return inverse
