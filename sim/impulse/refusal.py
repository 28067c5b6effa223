"""What the impulse engine cannot run, without importing it."""

from __future__ import annotations

from sim.model import Model

_RODS = "rods"  # by custom the variant in which a scene of point masses has inertia
_NO_MOMENT = 1e-12  # smallest over largest


def refusal(model: Model) -> str:
    """Why not, in a sentence; "" if it can.

    Point masses and thin rods are legal in a scene: on a joint they may well resist its motion. But this engine turns
    every body by itself, and so divides by its moments of inertia.
    """
    for body, moments in zip(model.body_names, model.body_moments, strict=True):
        if moments[0] <= _NO_MOMENT * moments[-1]:
            rods = f"; variant {_RODS} has inertia" if _RODS in model.scene.variants else ""
            return (
                f'Body "{body}" has no moment of inertia about some axis, and the engine impulse turns every body '
                f"by itself; choose another engine, or give the body inertia{rods}."
            )
    return ""
