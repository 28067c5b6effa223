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

    def close(self) -> None:
        """Free what the engine holds outside of Python."""


# id -> (name shown to people, "module:class")
BACKENDS = {
    "impulse": ("Constraint impulses", "sim.impulse.backend:ImpulseBackend"),
    "tree": ("Articulated tree", "sim.tree.backend:TreeBackend"),
    "pybullet": ("PyBullet", "sim.bullet.backend:BulletBackend"),
}

# Engines that turn every body by itself and so divide by its moments of inertia; the others turn joints.
_RODS = "rods"  # by custom the variant in which a scene of point masses has inertia
_NO_MOMENT = 1e-12  # smallest over largest
_TURNS_BODIES = ("impulse", "pybullet-free")

# id -> the integrators to choose from, the usual one first. The impulse engine has none: `stabilise` says how it steps.
INTEGRATORS: dict[str, tuple[str, ...]] = {
    "impulse": (),
    "tree": ("rk4", "euler", "explicit_euler", "ab4", "gauss4"),
    "pybullet": ("semi-implicit",),
}


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
    """Why this engine cannot run this model, in a sentence; "" if it can.

    Point masses and thin rods are legal in a scene: on a joint they may well resist its motion.
    """
    if reason := unavailable(name):
        return reason
    if name in _TURNS_BODIES:
        for body, moments in zip(model.body_names, model.body_moments, strict=True):
            if moments[0] <= _NO_MOMENT * moments[-1]:
                rods = f"; variant {_RODS} has inertia" if _RODS in model.scene.variants else ""
                return (
                    f'Body "{body}" has no moment of inertia about some axis, and the engine {name} turns every body '
                    f"by itself; choose another engine, or give the body inertia{rods}."
                )
    return ""


def create(name: str, model: Model) -> Backend:
    """The engine `name` for this model; raises BackendError with a sentence."""
    if reason := refusal(name, model):
        raise BackendError(reason)
    module, _, cls = BACKENDS[name][1].partition(":")
    backend: Backend = getattr(importlib.import_module(module), cls)(model)
    return backend
