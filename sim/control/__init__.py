"""Controllers, one a file, and the table of them.

The table alone is light: panels and the scene reader use it without compiling anything. A controller's
kernel is imported when a simulation needs it.
"""

from __future__ import annotations

from dataclasses import dataclass


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
    """What a kind of controller is called and tuned by; `kernel` is "module:function" (sim/control/controls.py)."""

    title: str
    summary: str
    gains: tuple[Gain, ...]
    kernel: str
    needs_target: bool = False
    needs_tree: bool = False  # cannot work where joints close loops
    holds_joints: bool = False  # has targets of joints
    gives_torques: bool = False  # torques by joint in the scene
    late: bool = False  # foresees the step, and so has to know what the others give
    helper: str = ""  # another kernel that it calls by its address


_SPRING = Gain("kp", "kp", "N·m/rad", 0.0, 500.0, 80.0, "Stiffness of the spring at every joint")
_DAMPER = Gain("kd", "kd", "N·m·s/rad", 0.0, 20.0, 4.0, "Damping at every joint")
_STIFF = (
    Gain("kp", "kp", "N·m/rad", 0.0, 8000.0, 80.0, "Stiffness of the spring at every joint"),
    Gain("kd", "kd", "N·m·s/rad", 0.0, 400.0, 4.0, "Damping at every joint"),
)
_PULL = (
    Gain("kp", "kp", "N/m", 0.0, 3000.0, 300.0, "Stiffness of the spring from the tool to the target"),
    Gain("kd", "kd", "N·s/m", 0.0, 400.0, 40.0, "Damping of the tool's motion towards the target"),
    Gain("force_cap", "f max", "N", 1.0, 1000.0, 100.0, "The pull is never stronger than this"),
)

CONTROLLERS: dict[str, ControllerKind] = {
    "gravity": ControllerKind(
        "Gravity compensation",
        "Every joint carries the weight of what hangs from it: τ = g(q).",
        (),
        "sim.control.gravity:gravity",
        needs_tree=True,
    ),
    "joint_pd": ControllerKind(
        "Joint PD",
        "A spring and a damper at every joint: τ = kp·error − kd·velocity.",
        (_SPRING, _DAMPER),
        "sim.control.joint_pd:joint_pd",
        holds_joints=True,
    ),
    "stable_pd": ControllerKind(
        "Stable joint PD",
        "The spring and damper of the end of the step, foreseen from the mass matrix: stays calm at any gain.",
        _STIFF,
        "sim.control.stable_pd:stable_pd",
        needs_tree=True,
        holds_joints=True,
        late=True,
    ),
    "implicit_pd": ControllerKind(
        "Implicit joint PD",
        "Spring and damper solved together with the motion of the step: stays calm at any gain.",
        _STIFF,
        "sim.control.implicit_pd:implicit_pd",
        needs_tree=True,
        holds_joints=True,
        late=True,
    ),
    "computed_torque": ControllerKind(
        "Computed torque",
        "Takes inertia, gravity and friction out, so that each joint follows its own spring and damper: "
        "τ = M (kp·error − kd·velocity) + c.",
        (
            Gain("kp", "kp", "1/s²", 0.0, 2500.0, 100.0, "How strongly an error speeds a joint up"),
            Gain("kd", "kd", "1/s", 0.0, 200.0, 20.0, "How strongly a speed slows it down"),
        ),
        "sim.control.computed_torque:computed_torque",
        needs_tree=True,
        holds_joints=True,
    ),
    "jacobian_transpose": ControllerKind(
        "Jacobian transpose",
        "Pulls the tool to the target with a force, through the joints: τ = Jᵀ f.",
        _PULL,
        "sim.control.jacobian_transpose:jacobian_transpose",
        needs_target=True,
        needs_tree=True,
        helper="sim.control.detour:way_round",
    ),
    "pose_transpose": ControllerKind(
        "Jacobian transpose of a pose",
        "Pulls the tool to the target and turns it to the target's attitude: τ = Jᵀ (n; f).",
        (
            *_PULL,
            Gain("kr", "kr", "N·m/rad", 0.0, 300.0, 30.0, "Stiffness of the turning towards the target's attitude"),
            Gain("kw", "kw", "N·m·s/rad", 0.0, 30.0, 3.0, "Damping of the tool's turning"),
        ),
        "sim.control.jacobian_transpose:pose_transpose",
        needs_target=True,
        needs_tree=True,
        helper="sim.control.detour:way_round",
    ),
    "operational_space": ControllerKind(
        "Operational space",
        "Takes inertia, gravity and friction out, so that the tool moves like a lone mass on a spring to the target.",
        (
            Gain("kp", "kp", "1/s²", 0.0, 2500.0, 100.0, "How strongly an error speeds the tool up"),
            Gain("kd", "kd", "1/s", 0.0, 200.0, 20.0, "How strongly a speed towards or past it slows the tool down"),
            Gain("kn", "kn", "1/s", 0.0, 50.0, 5.0, "Brings joints back that move without moving the tool"),
        ),
        "sim.control.operational_space:operational_space",
        needs_target=True,
        needs_tree=True,
        holds_joints=True,
    ),
    "torque": ControllerKind(
        "Given torques",
        "Torques of the scene, constant or functions of time, held over each step.",
        (Gain("share", "share", "", 0.0, 2.0, 1.0, "How much of the given torques acts"),),
        "sim.control.torque:torque",
        gives_torques=True,
    ),
}
