"""Inverse kinematics: the joint coordinates that bring a frame of a robot to a place, or along a straight line."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from app.commands.arguments import CommandError, add_numbers, number
from sim.wording import listing

if TYPE_CHECKING:
    from sim.analysis.posture import Line, Posture
    from sim.robot import Robot

EXAMPLES = """\
examples:
  main.py ik three_link_arm --position 0.5,0.1,0.6
  main.py ik arm_6r --position=-0.1,-0.7,0.3 --q=-1.57,0,-1.47,-1.47,-1.47,-1.47 --json
  main.py ik arm_6r --position 0.3 -0.5 0.6 --rotation 0,1,0,0 --frame tool
  main.py ik arm_6r --line 0.64,-0.1,1.14
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scene", metavar="SCENE", help="a built-in scene, or a scene file")
    add_numbers(parser, "--position", "where the frame should be [m]", "X,Y,Z")
    add_numbers(parser, "--rotation", "its attitude there, as a quaternion (default: any)", "W,X,Y,Z")
    add_numbers(parser, "--line", "instead of --position: move it straight to here [m]", "X,Y,Z")
    stride = number("a length above 0 and at most 1 m", 1e-9, 1.0)
    parser.add_argument("--stride", type=stride, metavar="M", help="of --line, a step (default: 0.001)")
    add_numbers(parser, "--q", "where the joints begin (default: where the scene starts)")
    parser.add_argument("--frame", metavar="NAME", help="what gets there (default: the scene's last frame, or body)")
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object, in full digits")


def run(args: argparse.Namespace) -> int:
    from sim.files import load
    from sim.robot import Robot

    _check(args)
    robot = Robot(load(args.scene))
    frame = args.frame or robot.tool
    try:
        if args.line:
            _tell_line(args, robot, frame)
        else:
            _tell_posture(args, robot, frame)
    except ValueError as error:
        raise CommandError(f"{args.scene}: {error}") from error
    return 0


def _check(args: argparse.Namespace) -> None:
    if (args.position is None) == (args.line is None):
        raise CommandError("Either --position says where the frame should be, or --line where it should move to.")
    if args.line and args.rotation:
        raise CommandError("--rotation goes with --position; on a --line the frame may turn as it likes.")
    if args.stride and not args.line:
        raise CommandError("--stride goes with --line.")


def _tell_posture(args: argparse.Namespace, robot: Robot, frame: str) -> None:
    found = robot.posture(frame, args.position, args.rotation, args.q)
    if not found.reached:
        raise CommandError(_unreached(args, robot, frame, found), 1)
    result = {
        "scene": robot.model.scene.name,
        "frame": frame,
        "joints": list(robot.joint_names),
        "q": found.q.tolist(),
        "distance": found.distance,
        "angle": found.angle,
        "iterations": found.iterations,
        "starts": found.starts,
        "clamped": list(found.clamped),
    }
    what = "position and attitude" if args.rotation else "position"
    head = (
        f"{robot.model.scene.title} · {frame} reaches its {what} within {found.distance:.1g} m"
        f"{f' and {found.angle:.1g} rad' if args.rotation else ''}, {found.iterations} iterations"
        f" from {found.starts} start{'s' if found.starts > 1 else ''}"
    )
    lines = [head, *_joints(robot, result["q"]), *_clamped(found)]
    print(json.dumps(result) if args.json else "\n".join(lines))


def _unreached(args: argparse.Namespace, robot: Robot, frame: str, found: Posture) -> str:
    place = ", ".join(f"{x:g}" for x in args.position)
    away = f"{found.distance:.6g} m" + (f" and {found.angle:.6g} rad" if args.rotation else "")
    q = ",".join(f"{x:.6g}" for x in found.q)
    return (
        f"{args.scene}: nothing within the limits brings {frame} to ({place}){' so turned' if args.rotation else ''}; "
        f"the nearest that was found is {away} away, with --q={q}."
    )


def _tell_line(args: argparse.Namespace, robot: Robot, frame: str) -> None:
    from sim.analysis.posture import STRIDE

    line = robot.line(frame, args.line, args.stride or STRIDE, args.q)
    if not line.followed:
        raise CommandError(_left(args, robot, frame, line), 1)
    result = {
        "scene": robot.model.scene.name,
        "frame": frame,
        "joints": list(robot.joint_names),
        "steps": line.steps,
        "distance": line.distance,
        "largest_joint_step": line.joint_step,
        "clamped": list(line.clamped),
        "q": line.q.tolist(),
    }
    head = (
        f"{robot.model.scene.title} · {frame} moves straight in {line.steps} steps, never {line.distance:.1g} m"
        f" off; no joint moves more than {line.joint_step:.2g} in a step; at the end"
    )
    lines = [head, *_joints(robot, line.q[-1].tolist()), *_clamped(line)]
    print(json.dumps(result) if args.json else "\n".join(lines))


def _left(args: argparse.Namespace, robot: Robot, frame: str, line: Line) -> str:
    if len(line.q) <= line.steps:
        x = ", ".join(f"{x:.4g}" for x in robot.pose(frame, line.q[-1])[:3, 3])
        return f"{args.scene}: {frame} gets to ({x}) on this line and no farther; end it within reach."
    return (
        f'{args.scene}: on this line joint "{line.joint}" passes its limit by {line.outside:.3g}; '
        "begin with another --q, or end elsewhere."
    )


def _joints(robot: Robot, q: list[float]) -> list[str]:
    """A line a joint."""
    m, lines = robot.model, []
    width = max(map(len, robot.joint_names))
    for name in robot.joint_names:
        j = m.joint_names.index(name)
        own = q[m.joint_q[j] : m.joint_q[j + 1]]
        unit = {"hinge": "rad", "slider": "m"}.get(robot.kinds[j], "")
        lines.append(f"  {name:<{width}}  {' '.join(f'{x:10.6f}' for x in own)} {unit}".rstrip())
    return lines


def _clamped(found: Posture | Line) -> list[str]:
    if not found.clamped:
        return []
    names, several = listing(found.clamped), len(found.clamped) > 1
    return [f"  {names} began outside {'their limits and were' if several else 'its limits and was'} moved inside"]
