"""Small scenes to look at, written in Python."""

from __future__ import annotations

from typing import Any

from sim.scene import Body, Frame, Joint, Pose, Scene, Shape, Target

MASS: dict[str, Any] = {"mass": 1.0, "center": (0.0, 0.0, 0.0), "inertia": (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)}


def block(name: str, shape: Shape, at: tuple[float, float, float]) -> Body:
    return Body(name, **MASS, shapes=(shape,), pose=Pose(at))


def blocks(*bodies: Body, **more: Any) -> Scene:
    return Scene("blocks", "Blocks", gravity=(0.0, 0.0, 0.0), bodies=bodies, **more)


def small_arm() -> Scene:
    """A post, a turret on a vertical hinge, two links on horizontal ones and a target."""
    link = Shape("capsule", (0.05, 0.5), Pose((0.0, 0.0, 0.25)))
    return Scene(
        "arm",
        "Arm",
        bodies=(
            Body("turret", **MASS, shapes=(Shape("cylinder", (0.06, 0.1), Pose((0.0, 0.0, 0.05)), "base"),)),
            Body("upper", **MASS, shapes=(link,)),
            Body("fore", **MASS, shapes=(link,)),
        ),
        joints=(
            Joint("yaw", "hinge", "world", "turret", Pose((0.0, 0.0, 0.3)), q=(0.4,)),
            Joint("shoulder", "hinge", "turret", "upper", Pose((0.0, 0.0, 0.1)), axis=(0.0, 1.0, 0.0), q=(0.5,)),
            Joint("elbow", "hinge", "upper", "fore", Pose((0.0, 0.0, 0.5)), axis=(0.0, 1.0, 0.0), q=(1.2,)),
        ),
        frames=(Frame("tool", "fore", Pose((0.0, 0.0, 0.5))),),
        targets=(Target("target", (0.6, -0.4, 0.5), "tool"),),
        base_shapes=(Shape("cylinder", (0.07, 0.3), Pose((0.0, 0.0, 0.15)), "base"),),
    )
