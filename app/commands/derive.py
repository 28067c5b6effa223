"""Derive a robot's equations of motion in symbols, by Lagrange and Euler: M(q) q'' + C(q, q') q' + g(q) = tau.

Numbers are those of the scene. C is made of Christoffel symbols; rotors are part of M, friction and damping of nothing.
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from app.commands.arguments import CommandError

if TYPE_CHECKING:
    from sim.analysis.lagrange import Equations
    from sim.scene import Scene

EXAMPLES = """\
examples:
  main.py derive rp_robot
  main.py derive planar_2r --latex
  main.py derive double_pendulum --json
"""
WIDEST = 118  # of a matrix in rows; a wider one is told entry by entry


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("scene", metavar="SCENE", help="a built-in scene, or a scene file")
    parser.add_argument("--latex", action="store_true", help="print the equation for LaTeX")
    parser.add_argument("--json", action="store_true", help="print both as one JSON object")


def run(args: argparse.Namespace) -> int:
    from sim.files import load
    from sim.model import compile_model

    if args.latex and args.json:
        raise CommandError("--json holds the LaTeX too; leave --latex out.")
    scene = load(args.scene)
    try:
        from sim.analysis.formula import latex_equation
        from sim.analysis.lagrange import derive
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "sympy":
            raise
        raise CommandError("SymPy is not installed; `make run` installs it.", 1) from missing
    try:
        equations = derive(compile_model(scene))
    except ValueError as error:
        raise CommandError(f"{args.scene}: {error}") from error
    if args.json:
        print(json.dumps(_result(scene, equations)))
    else:
        print(latex_equation(equations) if args.latex else _summary(scene, equations))
    return 0


def _rows(matrix: Any) -> list[list[str]]:
    from sim.analysis.formula import text

    return [[text(x) for x in matrix.row(i)] for i in range(matrix.rows)]


def _result(scene: Scene, equations: Equations) -> dict[str, Any]:
    from sim.analysis.formula import latex_equation

    return {
        "scene": f"{scene.name}:{scene.variant}" if scene.variant else scene.name,
        "joints": list(equations.joints),
        "M": _rows(equations.M),
        "C": _rows(equations.C),
        "g": [row[0] for row in _rows(equations.g)],
        "latex": latex_equation(equations),
    }


def _summary(scene: Scene, equations: Equations) -> str:
    units = ("m" if slides else "rad" for slides in equations.sliders)
    names = [f"{q} {joint} [{unit}]" for q, joint, unit in zip(equations.q, equations.joints, units, strict=True)]
    lines = [f"{scene.title} · M(q) q'' + C(q, q') q' + g(q) = tau", f"  {', '.join(names)}"]
    for name, matrix in (("M", equations.M), ("C", equations.C), ("g", equations.g)):
        lines += _matrix(name, _rows(matrix))
    if any(joint.damping or joint.friction for joint in scene.joints):
        lines.append("  Friction and damping are not in it: tau is what they leave of the motors' torques.")
    return "\n".join(lines)


def _matrix(name: str, rows: list[list[str]]) -> list[str]:
    """In rows with columns below each other, or if that is too wide entry by entry, without those that are 0."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    if sum(widths) + 3 * len(widths) + 6 <= WIDEST:
        padded = ("   ".join(f"{x:<{w}}" for x, w in zip(row, widths, strict=True)) for row in rows)
        return [f"  {name if i == 0 else ' '} {'=' if i == 0 else ' '} [ {row} ]" for i, row in enumerate(padded)]
    lines = []
    for i, row in enumerate(rows, start=1):
        for k, x in enumerate(row, start=1):
            twice = name == "M" and i != k
            if x != "0" and not (twice and k < i):
                lines.append(f"  {name}{i}{k if len(row) > 1 else ''}{f' = M{k}{i}' if twice else ''} = {x}")
    return lines
