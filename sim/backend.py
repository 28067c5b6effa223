"""Engines behind one protocol, imported on demand."""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sim.model import Model
    from sim.scene import Scene
    from sim.state import Array, Control, Reading


class BackendError(RuntimeError):
    """An engine that is missing or cannot run this scene, in one sentence."""


class Diverged(RuntimeError):
    """The motion can no longer be followed; names the body or joint that went first."""


class Backend(Protocol):
    """One engine running one model."""

    def __init__(self, model: Model) -> None: ...

    def set(self, q: Array, v: Array) -> None:
        """Start from joint coordinates."""

    def load(self, variables: Mapping[str, Array]) -> None:
        """Restore the engine's own variables exactly, as `save` gave them."""

    def save(self) -> dict[str, Array]:
        """A copy of the engine's own variables: all that the next step depends on."""

    def advance(self, control: Control, dt: float, n: int) -> None:
        """Take n steps of dt with `control` held; raises Diverged and then keeps the last good state."""

    def read(self) -> Reading: ...

    # An engine whose steps compiled code can take also has `stepper(sight) -> Stepper` (sim/state.py), and
    # `divergence(status, where) -> Diverged` for what that returns.

    def close(self) -> None:
        """Free what the engine holds outside of Python."""


# id -> (name shown to people, "module:class")
BACKENDS = {
    "impulse": ("Constraint impulses", "sim.impulse.backend:ImpulseBackend"),
    "tree": ("Articulated tree", "sim.tree.backend:TreeBackend"),
    "pybullet": ("PyBullet", "sim.bullet.backend:BulletBackend"),
}

# id -> the integrators to choose from, the usual one first. The impulse engine has none: `stabilise` says how it steps.
INTEGRATORS: dict[str, tuple[str, ...]] = {
    "impulse": (),
    "tree": ("rk4", "euler", "explicit_euler", "ab4", "gauss4"),
    "pybullet": ("semi-implicit",),
}


# id -> the scene's settings that this engine heeds beside step and gravity
SETTINGS: dict[str, tuple[str, ...]] = {"impulse": ("solver", "stabilise"), "tree": ("integrator",), "pybullet": ()}


def integrator_of(name: str, scene: Scene) -> str:
    """How this engine steps this scene, by name."""
    offered = INTEGRATORS[name]
    if not offered:
        return scene.stabilise
    return scene.integrator if scene.integrator in offered else offered[0]


def unavailable(name: str) -> str:
    """Why this engine cannot run here, in a sentence; "" if it can."""
    if name not in BACKENDS:
        return f'There is no engine "{name}"; there are {", ".join(BACKENDS)}.'
    if name == "pybullet" and importlib.util.find_spec("pybullet") is None:
        return "PyBullet is not installed; `make pybullet` builds it (about 5 minutes)."
    return ""


def refusal(name: str, model: Model) -> str:
    """Why this engine cannot run this model here, in a sentence; "" if it can. Creates no world, imports no engine.

    What an engine refuses stands in the module `refusal` beside its backend; an engine that runs everything has none.
    """
    if reason := unavailable(name):
        return reason
    module = BACKENDS[name][1].rpartition(".")[0] + ".refusal"
    if importlib.util.find_spec(module) is None:
        return ""
    sentence: str = importlib.import_module(module).refusal(model)
    return sentence


TELLING_LOADS = ("impulse",)  # engines that know what their joints carry


def silent(name: str) -> str:
    """Why this engine cannot show what joints carry, in a sentence; "" if it can."""
    if name in TELLING_LOADS:
        return ""
    telling = " and ".join(BACKENDS[n][0] for n in TELLING_LOADS)
    return f"{BACKENDS[name][0]} does not tell what its joints carry; {telling} does."


def without(name: str, setting: str) -> str:
    """Why a setting means nothing to this engine, in a sentence; "" if it heeds it."""
    if setting in SETTINGS[name]:
        return ""
    having = " and ".join(BACKENDS[n][0] for n, settings in SETTINGS.items() if setting in settings)
    return f"{BACKENDS[name][0]} does this in its own way; there is a choice with {having}."


def create(name: str, model: Model) -> Backend:
    """The engine `name` for this model; raises BackendError with a sentence."""
    if reason := refusal(name, model):
        raise BackendError(reason)
    module, _, cls = BACKENDS[name][1].partition(":")
    backend: Backend = getattr(importlib.import_module(module), cls)(model)
    return backend
