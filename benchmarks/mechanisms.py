"""The mechanisms that engines are compared on, each described once, as a Scene."""

from __future__ import annotations

import math
from dataclasses import replace

from sim.scene import Body, Joint, Pose, Scene, Shape

LINK_LENGTH, LINK_MASS = 0.1, 0.1  # [m], [kg]
LINK_SECTION = (0.02, 0.03)  # [m] along x and y
TILT = 0.05  # [rad] of the turned hinges of a chain that nearly hangs


def horizontal(n: int) -> list[float]:
    """A straight chain that points along y."""
    return [math.pi / 2] + [0.0] * (n - 1)


def nearly_hanging(n: int) -> list[float]:
    """A chain that points nearly straight down: its first two hinges are turned a little, the others not."""
    return [TILT, TILT] + [0.0] * (n - 2)


def zigzag(n: int) -> list[float]:
    """Hanging, with every hinge turned to one side and the other in turn: the fastest vibrations a chain has."""
    return [TILT * (-1) ** (i // 2) for i in range(n)]


def chain(q: list[float]) -> Scene:
    """Links that hang from one another along −z at q = 0, on hinges about x and y in turn."""
    bodies, joints = [], []
    for i, angle in enumerate(q):
        size = (*LINK_SECTION, LINK_LENGTH)
        center = (0.0, 0.0, -LINK_LENGTH / 2)
        bodies.append(Body(f"link{i}", LINK_MASS, center, _box(LINK_MASS, *size), (Shape("box", size, Pose(center)),)))
        at = Pose((0.0, 0.0, -LINK_LENGTH if i else 0.0))
        axis = (0.0, 1.0, 0.0) if i % 2 else (1.0, 0.0, 0.0)
        parent = f"link{i - 1}" if i else "world"
        joints.append(Joint(f"hinge{i}", "hinge", parent, f"link{i}", at, axis=axis, q=(angle,)))
    return Scene(f"chain{len(q)}", f"Chain of {len(q)} links", bodies=tuple(bodies), joints=tuple(joints))


def double_pendulum(q1: float, q2: float) -> Scene:
    """Links of 0.7 and 0.4 m on a post of 0.5 m; hinges about x, pointing straight up at q = 0."""
    bodies, joints = [], []
    for i, (height, length, angle) in enumerate(((0.5, 0.7, q1), (0.7, 0.4, q2))):
        bodies.append(Body(f"link{i}", 1.0, (0.0, 0.0, length / 2), _box(1.0, 0.06, 0.08, length)))
        parent = f"link{i - 1}" if i else "world"
        at = Pose((0.0, 0.0, height))
        joints.append(Joint(f"hinge{i}", "hinge", parent, f"link{i}", at, axis=(1.0, 0.0, 0.0), q=(angle,)))
    return Scene("double_pendulum", "Double pendulum", bodies=tuple(bodies), joints=tuple(joints))


# name -> (length of the link along its z [m], mass [kg], radius [m], axis of the hinge at its foot, start [rad])
ARM7 = {
    "shoulder_yaw": (0.34, 4.2, 0.075, (0.0, 0.0, 1.0), 0.3),
    "shoulder_pitch": (0.21, 3.6, 0.070, (0.0, 1.0, 0.0), 0.7),
    "upper_roll": (0.20, 3.1, 0.065, (0.0, 0.0, 1.0), -0.4),
    "elbow": (0.19, 2.7, 0.062, (0.0, 1.0, 0.0), -1.1),
    "fore_roll": (0.20, 1.9, 0.058, (0.0, 0.0, 1.0), 0.5),
    "wrist": (0.10, 1.6, 0.052, (0.0, 1.0, 0.0), 0.9),
    "flange": (0.12, 0.5, 0.045, (0.0, 0.0, 1.0), 0.0),
}
ARM7_LIMITS = (2.967, 2.094, 2.967, 2.094, 2.967, 2.094, 3.054)  # [rad] to either side


def arm7() -> Scene:
    """A light arm of seven hinges that roll and pitch in turn, pointing straight up at q = 0."""
    bodies, joints, foot, parent = [], [], 0.0, "world"
    for name, (length, mass, radius, axis, angle) in ARM7.items():
        across = mass * (3 * radius**2 + length**2) / 12.0
        inertia = (across, across, mass * radius**2 / 2.0, 0.0, 0.0, 0.0)
        bodies.append(Body(name, mass, (0.0, 0.0, length / 2), inertia))
        joints.append(Joint(name, "hinge", parent, name, Pose((0.0, 0.0, foot)), axis=axis, q=(angle,)))
        foot, parent = length, name
    return Scene("arm7", "Arm of seven hinges", bodies=tuple(bodies), joints=tuple(joints))


def arm7_within_limits() -> Scene:
    """The same with the joint limits that such arms have."""
    arm = arm7()
    joints = zip(arm.joints, ARM7_LIMITS, strict=True)
    return replace(arm, joints=tuple(replace(joint, limits=(-limit, limit)) for joint, limit in joints))


def tumbling_body() -> Scene:
    """Weightless, spun about its middle axis with a little of the other two, so that it turns over."""
    spin = (0.01, 6.0, 0.01, 0.0, 0.0, 0.0)
    body = Body("body", 1.0, (0.0, 0.0, 0.0), (0.02, 0.03, 0.045, 0.0, 0.0, 0.0), velocity=spin)
    return Scene("tumble", "Tumbling body", gravity=(0.0, 0.0, 0.0), bodies=(body,))


def _box(mass: float, x: float, y: float, z: float) -> tuple[float, float, float, float, float, float]:
    """The tensor of a solid box about its centre."""
    a, b, c = (mass * edge**2 / 12.0 for edge in (x, y, z))
    return (b + c, a + c, a + b, 0.0, 0.0, 0.0)
