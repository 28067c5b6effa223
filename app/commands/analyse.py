"""The numbers of a robot in one state: poses, Jacobian, M, C, g, energies, manipulability, bounds."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from app.commands.arguments import CommandError, add_start
from sim.wording import listing

if TYPE_CHECKING:
    from sim.robot import Robot

EXAMPLES = """\
examples:
  main.py analyse three_link_arm --q 0 0.5 -1
  main.py analyse arm_6r --q=-1.5708,0,-1.5708,-1.5708,-1.5708,-1.5708 --v 0.5 1 -0.5 0.5 1 -0.5 --json
  main.py analyse arm_6r --bounds
"""
WIDEST = 12  # columns of a matrix that is printed
_UNITS = {  # of q, v and g
    "hinge": ("rad", "rad/s", "N·m"),
    "slider": ("m", "m/s", "N"),
    "ball": ("wxyz", "rad/s", "N·m"),
    "free": ("m, wxyz", "rad/s, m/s", "N·m, N"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scene", metavar="SCENE", help="a built-in scene, or a scene file")
    add_start(
        parser,
        "joint coordinates (default: where the scene starts)",
        "joint velocities (default: those the scene starts with)",
    )
    parser.add_argument("--frame", metavar="NAME", help="whose Jacobian (default: the scene's last frame, or body)")
    parser.add_argument("--bounds", action="store_true", help="also bound M and g over the joint range (seconds)")
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object, in full digits")


def run(args: argparse.Namespace) -> int:
    from sim.files import load
    from sim.robot import Robot

    robot = Robot(load(args.scene))
    try:
        result = _analysis(robot, args)
    except ValueError as error:
        raise CommandError(f"{args.scene}: {error}") from error
    print(json.dumps(result) if args.json else _summary(robot, result))
    return 0


def _analysis(robot: Robot, args: argparse.Namespace) -> dict[str, Any]:
    model = robot.model
    q, v = args.q or model.q0.tolist(), args.v or model.v0.tolist()
    frame = args.frame or robot.tool
    shape = robot.velocity_ellipsoid(frame, q)
    result = {
        "scene": model.scene.name,
        "joints": list(robot.joint_names),
        "q": q,
        "v": v,
        "frames": {name: _frame(robot, name, q, v) for name in robot.frame_names},
        "frame": frame,
        "jacobian": robot.jacobian(frame, q).tolist(),
        "velocity_ellipsoid": {"radii": shape.radii.tolist(), "axes": shape.axes.T.tolist()},
        "best_direction": shape.best_direction.tolist(),
        "manipulability": shape.manipulability,
        "mass_matrix": robot.mass_matrix(q).tolist(),
        "coriolis_matrix": robot.coriolis_matrix(q, v).tolist(),
        "gravity_torques": robot.gravity_torques(q).tolist(),
        "center_of_mass": robot.center_of_mass(q).tolist(),
        "kinetic_energy": robot.kinetic_energy(q, v),
        "potential_energy": robot.potential_energy(q),
    }
    if args.bounds:
        result |= {"mass_bounds": list(robot.mass_bounds()), "gravity_bound": robot.gravity_bound()}
    return result


def _frame(robot: Robot, name: str, q: list[float], v: list[float]) -> dict[str, Any]:
    axis, angle = robot.axis_angle(name, q)
    return {
        "position": robot.pose(name, q)[:3, 3].tolist(),
        "quaternion": robot.quaternion(name, q).tolist(),
        "axis": axis.tolist(),
        "angle": angle,
        "twist": robot.twist(name, q, v).tolist(),
    }


def _summary(robot: Robot, result: dict[str, Any]) -> str:
    frame = result["frame"]
    place = result["frames"][frame]
    radii = result["velocity_ellipsoid"]["radii"]
    lines = [
        f"{robot.model.scene.title} · place q, velocity v, and g that carries the weight of what hangs from each joint",
        *_joints(robot, result),
        f"{frame} ({_others(robot)})",
        f"  position [m]        {_row(place['position'])}",
        f"  quaternion wxyz     {_row(place['quaternion'])}",
        f"  axis, angle [rad]   {_row(place['axis'])}   {_row([place['angle']])}",
        f"  twist [rad/s; m/s]  {_row(place['twist'])}",
        f"  fastest along       {_row(result['best_direction'])}",
        f"  ellipsoid [m/s]     {_row(radii)}   manipulability {result['manipulability']:.6f}",
        *_matrix("  Jacobian [ω; v]", result["jacobian"]),
        "the whole",
        *_matrix("  mass matrix M", result["mass_matrix"]),
        *_matrix("  Coriolis matrix C", result["coriolis_matrix"]),
        f"  centre of mass [m]  {_row(result['center_of_mass'])}",
        f"  energy [J]          {_row([result['kinetic_energy']])} kinetic"
        f" {_row([result['potential_energy']])} potential",
    ]
    if "mass_bounds" in result:
        low, high = result["mass_bounds"]
        lines.append(
            f"  over the range      eigenvalues of M {low:.5f} to {high:.5f}, Σ|g| ≤ {result['gravity_bound']:.4f}"
        )
    return "\n".join(lines)


def _joints(robot: Robot, result: dict[str, Any]) -> list[str]:
    """A line a joint: q, v and the weight it carries."""
    m, lines = robot.model, []
    width = max((len(name) for name in robot.joint_names), default=0)
    for name in robot.joint_names:
        j = m.joint_names.index(name)
        q, v = (slice(starts[j], starts[j + 1]) for starts in (m.joint_q, m.joint_v))
        kind = robot.kinds[j]
        place, speed, effort = _UNITS[kind]
        values = ((place, result["q"][q]), (speed, result["v"][v]), (effort, result["gravity_torques"][v]))
        columns = "  ".join(f"{symbol}{_row(x)} {unit}" for symbol, (unit, x) in zip("qvg", values, strict=True))
        lines.append(f"  {name:<{width}} {kind:<6}  {columns}")
    return lines


def _others(robot: Robot) -> str:
    names = [name for name in robot.frame_names if not name.endswith(".com")]
    more = listing(names) if len(names) <= WIDEST else f"any of {len(names)} frames and bodies"
    return f"--frame: {more}, or with .com their centre of mass"


def _row(values: list[float]) -> str:
    return " ".join(f"{value if abs(value) >= 5e-7 else 0.0:10.6f}" for value in values)


def _matrix(title: str, rows: list[list[float]]) -> list[str]:
    if rows and len(rows[0]) > WIDEST:
        return [f"{title:<22}{len(rows)} × {len(rows[0])}, given by --json"]
    if not any(any(row) for row in rows):
        return [f"{title:<22}zero"]
    return [f"{title if i == 0 else '':<22}{_row(row)}" for i, row in enumerate(rows)]
