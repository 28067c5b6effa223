"""What people set while a scene runs: as the scene that says so, and as the commands that set it again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from sim.backend import SETTINGS as ENGINE_SETTINGS
from sim.backend import integrator_of
from sim.command import (
    Command,
    SetBackend,
    SetGain,
    SetGravity,
    SetIntegrator,
    SetJointTarget,
    SetSolver,
    SetStabilisation,
    SetStep,
    SetSwitch,
    SetTarget,
)
from sim.control import CONTROLLERS
from sim.model import Model
from sim.scene import ControllerSpec, Scene, Vec3
from sim.state import Snapshot

# Settings of the whole scene: the field of Scene and Snapshot, and the command that sets it.
SETTINGS: dict[str, Callable[[Any], Command]] = {
    "backend": SetBackend,
    "solver": SetSolver,
    "stabilise": SetStabilisation,
    "dt": SetStep,
    "gravity": SetGravity,
}


def tuned(scene: Scene, model: Model, snapshot: Snapshot, moved: Mapping[str, Vec3]) -> Scene:
    """The scene with the settings of the snapshot; the targets in `moved` stand there, off their paths."""
    now = replace(scene, **{name: getattr(snapshot, name) for name in SETTINGS})
    if "integrator" in ENGINE_SETTINGS[now.backend] and snapshot.integrator != integrator_of(now.backend, scene):
        now = replace(now, integrator=snapshot.integrator)
    return replace(
        now,
        controllers=tuple(_tuned_controller(spec, model, snapshot) for spec in scene.controllers),
        targets=tuple(replace(t, position=moved[t.name], path=None) if t.name in moved else t for t in scene.targets),
    )


def changes(scene: Scene, other: Scene) -> tuple[Command, ...]:
    """The commands that give a world running `scene` the settings of `other`; () if they are the same.

    Things are found by their names; what only one of the scenes has is left alone.
    """
    return (*_scene_changes(scene, other), *_controller_changes(scene, other), *_target_changes(scene, other))


def _tuned_controller(spec: ControllerSpec, model: Model, snapshot: Snapshot) -> ControllerSpec:
    """Gains and joint targets that are what they are anyway stay unsaid."""
    held = gains_of(spec)
    gains = {name: value for name, value in snapshot.gains.get(spec.name, {}).items() if held.get(name) != value}
    return replace(
        spec,
        enabled=snapshot.controllers.get(spec.name, spec.enabled),
        gains={**spec.gains, **gains},
        joint_target={**spec.joint_target, **_joint_targets(spec, model, snapshot)},
    )


def _joint_targets(spec: ControllerSpec, model: Model, snapshot: Snapshot) -> dict[str, tuple[float, ...]]:
    """Those that are not what the scene says, or the start pose where it says nothing."""
    held = snapshot.joint_targets.get(spec.name)
    if held is None:
        return {}
    joints = {name: slice(model.joint_q[j], model.joint_q[j + 1]) for j, name in enumerate(model.joint_names)}
    now = {name: tuple(held[q].tolist()) for name, q in joints.items()}
    said = {name: spec.joint_target.get(name, tuple(model.q0[q].tolist())) for name, q in joints.items()}
    return {name: q for name, q in now.items() if q != said[name]}


def gains_of(spec: ControllerSpec) -> dict[str, float]:
    """All gains of a controller: the scene's, and the usual ones where it says none."""
    return {gain.name: spec.gains.get(gain.name, gain.default) for gain in CONTROLLERS[spec.kind].gains}


def _scene_changes(scene: Scene, other: Scene) -> Iterator[Command]:
    """What the wanted engine has no use for is set before it takes over, if the present one has."""
    changed = [name for name in SETTINGS if getattr(other, name) != getattr(scene, name)]
    early = [name for name in changed if _is_heeded(scene, name) and not _is_heeded(other, name)]
    late = [name for name in changed if _is_heeded(other, name)]
    for name in (*early, *late):
        yield SETTINGS[name](getattr(other, name))
    wanted = integrator_of(other.backend, other)
    if _is_heeded(other, "integrator") and wanted != integrator_of(other.backend, scene):
        yield SetIntegrator(wanted)


def _is_heeded(scene: Scene, setting: str) -> bool:
    """Whether the scene's engine takes it; step, gravity and the engine itself concern every one."""
    of_some = any(setting in settings for settings in ENGINE_SETTINGS.values())
    return not of_some or setting in ENGINE_SETTINGS[scene.backend]


def _controller_changes(scene: Scene, other: Scene) -> Iterator[Command]:
    others = {(spec.name, spec.kind): spec for spec in other.controllers}
    for spec in scene.controllers:
        if (wanted := others.get((spec.name, spec.kind))) is None:
            continue
        if wanted.enabled != spec.enabled:
            yield SetSwitch(spec.name, wanted.enabled)
        held = gains_of(spec)
        for gain, value in gains_of(wanted).items():
            if value != held[gain]:
                yield SetGain(spec.name, gain, value)
        for joint, q in wanted.joint_target.items():
            if q != spec.joint_target.get(joint):
                yield SetJointTarget(spec.name, joint, q)


def _target_changes(scene: Scene, other: Scene) -> Iterator[Command]:
    others = {target.name: target for target in other.targets}
    for target in scene.targets:
        wanted = others.get(target.name, target)
        if (wanted.position, wanted.path) != (target.position, target.path):
            yield SetTarget(target.name, wanted.position)
