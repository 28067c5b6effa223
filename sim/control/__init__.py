"""Controllers, one a file, and the table of them.

The table alone is light: panels and the scene reader use it without compiling anything. A controller's
class is imported when a simulation needs it.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sim.scene import SceneError

if TYPE_CHECKING:
    from sim.control.controller import Controller
    from sim.model import Model
    from sim.scene import ControllerSpec


@dataclass(frozen=True)
class Gain:
    """A number a person may tune while the world runs."""

    name: str
    symbol: str
    unit: str
    low: float
    high: float
    default: float
    tip: str


@dataclass(frozen=True)
class ControllerKind:
    """What a kind of controller is called and tuned by; `factory` is "module:class"."""

    title: str
    summary: str
    gains: tuple[Gain, ...]
    factory: str
    needs_target: bool = False
    needs_tree: bool = False  # cannot work where joints close loops
    holds_joints: bool = False  # has targets of joints


CONTROLLERS: dict[str, ControllerKind] = {
    "gravity": ControllerKind(
        "Gravity compensation",
        "Every joint carries the weight of what hangs from it: τ = g(q).",
        (),
        "sim.control.gravity:Gravity",
        needs_tree=True,
    ),
    "joint_pd": ControllerKind(
        "Joint PD",
        "A spring and a damper at every joint: τ = kp·error − kd·velocity.",
        (
            Gain("kp", "kp", "N·m/rad", 0.0, 500.0, 80.0, "Stiffness of the spring at every joint"),
            Gain("kd", "kd", "N·m·s/rad", 0.0, 20.0, 4.0, "Damping at every joint"),
        ),
        "sim.control.joint_pd:JointPd",
        holds_joints=True,
    ),
    "jacobian_transpose": ControllerKind(
        "Jacobian transpose",
        "Pulls the tool to the target with a force, through the joints: τ = Jᵀ f.",
        (
            Gain("kp", "kp", "N/m", 0.0, 3000.0, 300.0, "Stiffness of the spring from the tool to the target"),
            Gain("kd", "kd", "N·s/m", 0.0, 400.0, 40.0, "Damping of the tool's motion towards the target"),
            Gain("force_cap", "f max", "N", 1.0, 1000.0, 100.0, "The pull is never stronger than this"),
        ),
        "sim.control.jacobian_transpose:JacobianTranspose",
        needs_target=True,
        needs_tree=True,
    ),
}


def create(spec: ControllerSpec, model: Model) -> Controller:
    """The controller that `spec` describes, for this model; raises SceneError where it cannot work."""
    kind = CONTROLLERS[spec.kind]
    if kind.needs_tree and model.joint_cut.any():
        closing = model.joint_names[int(model.joint_cut.argmax())]
        raise SceneError(
            f'controller "{spec.name}": {kind.title.lower()} needs a tree, and joint "{closing}" closes a loop; '
            "expected none, or joint_pd",
            ("controller", spec.name),
        )
    module, _, cls = kind.factory.partition(":")
    controller: Controller = getattr(importlib.import_module(module), cls)(spec, model)
    return controller
