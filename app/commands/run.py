"""Simulate a scene without a screen: a summary, one JSON object, or a log of every step."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.commands.arguments import CommandError, add_simulation, output, step_count
from app.commands.compiling import prepared
from app.commands.progress import ProgressBar

if TYPE_CHECKING:
    from sim.files.log import Log
    from sim.simulation import Simulation
    from sim.state import Snapshot

EXAMPLES = """\
examples:
  main.py run arm_reach
  main.py run hinge_chain --duration 10 --dt 0.0005 --json
  main.py run arm_reach --backend pybullet --log reach.csv
"""


@dataclass
class Findings:
    """What was seen on the way from `start` to `end`."""

    start: Snapshot
    end: Snapshot
    joint_gap: float = 0.0  # largest of all steps [m]
    joint_angle_error: float = 0.0  # [rad]
    seconds: float = 0.0  # processor time of all steps

    def see(self, snapshot: Snapshot) -> None:
        self.end = snapshot
        self.joint_gap = max(self.joint_gap, snapshot.joint_gap)
        self.joint_angle_error = max(self.joint_angle_error, snapshot.joint_angle_error)

    @property
    def us_per_step(self) -> float:
        return 1e6 * self.seconds / max(self.end.step, 1)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_simulation(parser)
    log = output(".csv", ".npz")
    parser.add_argument("--log", type=log, metavar="FILE", help="write every step to a .csv or .npz file")
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object, in full digits")


def run(args: argparse.Namespace) -> int:
    from sim.backend import Diverged
    from sim.files import load
    from sim.files.log import Log

    simulation = prepared(load(args.scene), args.backend, args.dt)
    steps = step_count(args.duration, simulation.dt)
    log = Log(simulation.model) if args.log else None
    try:
        findings = _simulate(simulation, steps, log)
    except Diverged:
        _save(log, args)  # the steps before it are what one wants to see
        raise
    finally:
        simulation.close()
    _save(log, args)
    print(json.dumps(_result(simulation, findings)) if args.json else _summary(simulation, findings))
    return 0


def _simulate(simulation: Simulation, steps: int, log: Log | None) -> Findings:
    """Step by step, so that nothing between two frames is missed."""
    first = simulation.snapshot()
    findings = Findings(first, first)
    findings.see(first)
    if log:
        log.add(first)
    with ProgressBar(simulation.scene.name, steps) as bar:
        for number in range(steps):
            before = time.process_time()
            simulation.step()
            findings.seconds += time.process_time() - before
            snapshot = simulation.snapshot()
            findings.see(snapshot)
            if log:
                log.add(snapshot)
            bar.at(number + 1)
    return findings


def _save(log: Log | None, args: argparse.Namespace) -> None:
    from sim.files.draft import cannot_write

    if log:
        try:
            log.save(args.log)
        except OSError as error:
            raise CommandError(cannot_write(args.log, error), 1) from error


def _result(simulation: Simulation, findings: Findings) -> dict[str, Any]:
    from sim.spatial.rotation import matrix_to_quat

    start, end = findings.start, findings.end
    bodies = {
        name: {
            "position": end.position[i].tolist(),
            "rotation": matrix_to_quat(end.rotation[i]).tolist(),
            "twist": end.twist[i].tolist(),
        }
        for i, name in enumerate(simulation.model.body_names)
    }
    return {
        "scene": simulation.scene.name,
        "backend": simulation.backend_name,
        "dt": simulation.dt,
        "steps": end.step,
        "time": end.time,
        "q": end.q.tolist(),
        "v": end.v.tolist(),
        "bodies": bodies,
        "energy_start": start.kinetic + start.potential,
        "energy_end": end.kinetic + end.potential,
        "joint_gap": findings.joint_gap,
        "joint_angle_error": findings.joint_angle_error,
        "us_per_step": findings.us_per_step,
    }


def _summary(simulation: Simulation, findings: Findings) -> str:
    from sim.backend import BACKENDS

    start, end, model = findings.start, findings.end, simulation.model
    engine = BACKENDS[simulation.backend_name][0]
    lines = [
        f"{simulation.scene.title} · {engine} · {end.step} steps of {1e3 * simulation.dt:g} ms",
        f"  time         {end.time:.6g} s, {findings.us_per_step:.1f} µs of processor time a step",
        f"  energy       {start.kinetic + start.potential:.6g} J at the start, {end.kinetic + end.potential:.6g} J now",
        f"  joints       apart by at most {findings.joint_gap:.2g} m and {findings.joint_angle_error:.2g} rad",
    ]
    for index, name in enumerate(model.joint_names):
        q = _numbers(end.q[model.joint_q[index] : model.joint_q[index + 1]])
        v = _numbers(end.v[model.joint_v[index] : model.joint_v[index + 1]])
        lines.append(f"  {name:<12} q {q}  v {v}")
    for target, frame, at in zip(model.target_names, model.target_frame, end.targets, strict=True):
        distance = sum((a - b) ** 2 for a, b in zip(end.frames[frame], at, strict=True)) ** 0.5
        lines.append(f"  {model.frame_names[frame]:<12} {1e3 * distance:.2f} mm from {target}")
    return "\n".join(lines)


def _numbers(values: Any) -> str:
    return " ".join(f"{value:+.5f}" for value in values)
