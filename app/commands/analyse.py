"""The numbers of a robot in one state: poses, Jacobian, M, C, g, energies, manipulability, bounds."""

from __future__ import annotations

import argparse
import json
from argparse import ArgumentTypeError
from itertools import chain
from typing import TYPE_CHECKING, Any

from app.commands.arguments import CommandError, number

if TYPE_CHECKING:
    from sim.robot import Robot

EXAMPLES = """\
examples:
  main.py analyse three_link_arm --q 0 0.5 -1
  main.py analyse arm_6r --q=-1.5708,0,-1.5708,-1.5708,-1.5708,-1.5708 --v 0.5 1 -0.5 0.5 1 -0.5 --json
  main.py analyse arm_6r --bounds
"""
_ENTRY = number("a number", -1e9, 1e9)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scene", metavar="SCENE", help="a built-in scene, or a scene file")
    parser.add_argument(
        *("--q",), nargs="+", type=_numbers, metavar="Q", help="joint coordinates (default: where the scene starts)"
    )
    parser.add_argument(
        *("--v",), nargs="+", type=_numbers, metavar="V", help="joint velocities (default: those the scene starts with)"
    )
    parser.add_argument("--frame", metavar="NAME", help="whose Jacobian (default: the scene's last frame, or body)")
    parser.add_argument("--bounds", action="store_true", help="also bound M and g over the joint range (seconds)")
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object, in full digits")


def _numbers(text: str) -> list[float]:
    """One number, or several with commas between them."""
    try:
        return [_ENTRY(part) for part in text.split(",")]
    except ArgumentTypeError:
        raise ArgumentTypeError(f'wants numbers, not "{text}".') from None


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
    q = list(chain.from_iterable(args.q)) if args.q else model.q0.tolist()
    v = list(chain.from_iterable(args.v)) if args.v else model.v0.tolist()
    frame = args.frame or (model.frame_names or model.body_names)[-1]
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
    lines = [
        f"{robot.model.scene.title} · {len(robot.joint_names)} joints: {', '.join(robot.joint_names)}",
        f"  q                   {_row(result['q'])}",
        f"  v                   {_row(result['v'])}",
        f"  {frame}",
        f"    position [m]      {_row(place['position'])}",
        f"    axis, angle       {_row(place['axis'])}, {place['angle']:.6f} rad",
        f"    twist [ω; v]      {_row(place['twist'])}",
        f"    fastest along     {_row(result['best_direction'])}",
        f"    manipulability    {result['manipulability']:.6f}",
        *_matrix("  Jacobian [ω; v]", result["jacobian"]),
        *_matrix("  mass matrix M", result["mass_matrix"]),
        *_matrix("  Coriolis matrix C", result["coriolis_matrix"]),
        f"  gravity torques g   {_row(result['gravity_torques'])}",
        f"  centre of mass [m]  {_row(result['center_of_mass'])}",
        f"  energy [J]          {result['kinetic_energy']:.6f} kinetic, {result['potential_energy']:.6f} potential",
    ]
    if "mass_bounds" in result:
        low, high = result["mass_bounds"]
        lines.append(
            f"  over the range      eigenvalues of M {low:.5f} to {high:.5f}, Σ|g| ≤ {result['gravity_bound']:.4f}"
        )
    return "\n".join(lines)


def _row(values: list[float]) -> str:
    return " ".join(f"{value if abs(value) >= 5e-7 else 0.0:10.6f}" for value in values)


def _matrix(title: str, rows: list[list[float]]) -> list[str]:
    return [f"{title if i == 0 else '':<22}{_row(row)}" for i, row in enumerate(rows)]
