"""Simulate a scene without a screen: a summary, one JSON object, or a log of every step."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.commands.arguments import CommandError, add_simulation, output, scene_of, step_count
from app.commands.compiling import prepared
from app.commands.progress import ProgressBar

if TYPE_CHECKING:
    from sim.files.log import Log
    from sim.simulation import Simulation

EXAMPLES = """\
examples:
  main.py run arm_reach
  main.py run hinge_chain --duration 10 --dt 0.0005 --json
  main.py run arm_reach --backend pybullet --log reach.csv
  main.py run three_link_arm --q 0,0.5,-1 --v 0,0,2 --set joint.elbow.damping=0
"""
BURST = 20  # steps between two looks at the clock


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_simulation(parser)
    log = output(".csv", ".npz")
    parser.add_argument("--log", type=log, metavar="FILE", help="write every step to a .csv or .npz file")
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object, in full digits")


def run(args: argparse.Namespace) -> int:
    from sim.backend import Diverged
    from sim.files.log import Log

    simulation = prepared(scene_of(args))
    steps = step_count(args.duration, simulation.dt)
    log = Log(simulation.model) if args.log else None
    try:
        seconds = _simulate(simulation, steps, log)
    except Diverged as problem:
        save_log(log, args.log)  # the steps before it are what one wants to see
        raise CommandError(f"Stopped at t = {simulation.time:.6g} s: {problem}.", 1) from problem
    finally:
        simulation.close()
    save_log(log, args.log)
    result = result_of(simulation, seconds)
    print(json.dumps(result) if args.json else summary_of(simulation, result))
    return 0


def _simulate(simulation: Simulation, steps: int, log: Log | None) -> float:
    """All steps; returns their processor time [s]."""
    seconds = 0.0
    if log:
        log.add(simulation.history)
    with ProgressBar(simulation.scene.name, steps) as bar:
        while (left := steps - simulation.step_count) > 0:
            before = time.process_time()
            try:
                simulation.step(min(BURST, left))
            finally:
                seconds += time.process_time() - before
                if log:
                    log.add(simulation.history)
            bar.at(simulation.step_count)
    return seconds


def save_log(log: Log | None, path: Path) -> None:
    from sim.files.draft import cannot_write

    if log:
        try:
            log.save(path)
        except OSError as error:
            raise CommandError(cannot_write(path, error), 1) from error


def result_of(simulation: Simulation, seconds: float) -> dict[str, Any]:
    """Everything about the run; `sim.ledger` says what the drifts are."""
    from sim.spatial.rotation import matrix_to_quat

    scene, reading, ledger = simulation.scene, simulation.reading, simulation.ledger
    bodies = {
        name: {
            "position": reading.position[i].tolist(),
            "rotation": matrix_to_quat(reading.rotation[i]).tolist(),
            "twist": reading.twist[i].tolist(),
        }
        for i, name in enumerate(simulation.model.body_names)
    }
    return {
        "scene": f"{scene.name}:{scene.variant}" if scene.variant else scene.name,
        "backend": simulation.backend_name,
        "integrator": simulation.integrator,
        "dt": simulation.dt,
        "steps": simulation.step_count,
        "time": simulation.time,
        "q": reading.q.tolist(),
        "v": reading.v.tolist(),
        "bodies": bodies,
        "energy_start": ledger.energy_start,
        "energy_end": ledger.energy_end,
        "energy_work": ledger.energy_work,
        "energy_drift": ledger.energy_drift,
        "momentum_drift": ledger.momentum_drift,
        "angular_momentum_drift": ledger.angular_momentum_drift,
        "joint_gap": ledger.joint_gap,
        "joint_angle_error": ledger.joint_angle_error,
        "solves_per_step": ledger.solves_per_step,
        "us_per_step": 1e6 * seconds / max(simulation.step_count, 1),
    }


def summary_of(simulation: Simulation, result: dict[str, Any]) -> str:
    from sim.backend import BACKENDS

    model, end = simulation.model, simulation.snapshot()
    engine = f"{BACKENDS[simulation.backend_name][0]}, {simulation.integrator}"
    lines = [
        f"{simulation.scene.title} · {engine} · {end.step} steps of {1e3 * simulation.dt:g} ms",
        f"  time         {end.time:.6g} s, {result['us_per_step']:.1f} µs of processor time a step",
        "  energy       {energy_start:.6g} J at the start, {energy_end:.6g} J now".format(**result),
        "               {energy_work:.6g} J of work, drift {energy_drift:.2g}".format(**result),
        "  joints       apart by at most {joint_gap:.2g} m and {joint_angle_error:.2g} rad".format(**result),
    ]
    conserved = {"momentum": result["momentum_drift"], "spin": result["angular_momentum_drift"]}
    lines += [f"  {name:<12} drift {drift:.2g}" for name, drift in conserved.items() if drift is not None]
    if dead := simulation.reading.dead_points:
        lines.append(f"  dead points  met in {dead} steps, where it could go on in two ways and followed its velocity")
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
