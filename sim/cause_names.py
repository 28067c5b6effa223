"""What may turn a joint, by name: the columns of sim/causes.py."""

from __future__ import annotations

import numpy as np

from sim.model import Model

INPUTS, MOUSE, GRAVITY, CORIOLIS = "inputs", "mouse", "gravity", "Coriolis"
INERTIA = "inertia"  # what all causes add up to: M(q) a


_CONTROL = " control"


def is_controller(cause: str) -> bool:
    return cause.endswith(_CONTROL)


def cause_names(model: Model) -> tuple[str, ...]:
    """In the order of the columns: the controllers, one of which may be called gravity, then what else may act."""
    controllers = (f"{c.name}{_CONTROL}" for c in model.scene.controllers)
    return (*controllers, INPUTS, MOUSE, GRAVITY, CORIOLIS, held_name(model))


def held_name(model: Model) -> str:
    """What the joints of this model can do by themselves."""
    does = {
        "friction": model.dof_damping.any() or model.dof_friction.any(),
        "stops": np.isfinite(model.joint_limits).any() or np.isfinite(model.joint_cone).any(),
        "locks": model.joint_locked.any(),
        "loop": model.joint_cut.any(),
    }
    return ", ".join(name for name, is_there in does.items() if is_there) or "friction"
