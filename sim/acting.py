"""What acts on the bodies at an instant, beside gravity and the mouse: computed only for who wants to see it."""

from __future__ import annotations

from sim.backend import Backend, BackendError, silent
from sim.dynamics.inputs import apply_inputs, inputs_of
from sim.model import Model
from sim.state import Acting, Array, Control, Reading


def acting(model: Model, backend: str, engine: Backend, control: Control, reading: Reading) -> Acting:
    """Forces as the controllers decided them last; the scene's inputs at the same moment."""
    tau, wrench = control.tau.copy(), control.wrench.copy()
    wrench[:] = 0.0
    if model.scene.inputs:
        apply_inputs(inputs_of(model), control.time, reading.rotation, model.body_center, tau, wrench)
    loads = None if silent(backend) else joint_loads(backend, engine, control)
    return Acting(tau, wrench, loads)


def joint_loads(backend: str, engine: Backend, control: Control) -> Array:
    """(joints, 6) [torque; force] that each joint exerts on its child; raises BackendError if the engine is silent."""
    if reason := silent(backend):
        raise BackendError(reason)
    loads: Array = engine.joint_loads(control)  # type: ignore[attr-defined]
    return loads
