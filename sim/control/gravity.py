"""Gravity compensation: an arm at rest stays at rest in any pose; pushed, it floats."""

from __future__ import annotations

import numpy as np

from sim.control.controller import Array, Motion, gains_of
from sim.dynamics.gravity import gravity_torques
from sim.model import Model
from sim.scene import ControllerSpec


class Gravity:
    def __init__(self, spec: ControllerSpec, model: Model) -> None:
        self.gains = gains_of(spec)
        self.tau = np.zeros(model.nv)
        self._wrench = np.zeros((len(model.body_names), 6))

    def compute(self, motion: Motion, targets: Array, target_velocities: Array) -> None:
        model = motion.model
        gravity_torques(
            model.tree_order,
            model.joint_parent,
            model.joint_child,
            model.joint_v,
            model.body_mass,
            model.body_center,
            model.gravity,
            motion.p,
            motion.R,
            motion.S,
            self._wrench,
            self.tau,
        )
