"""What the tree engine cannot run, without importing it."""

from __future__ import annotations

import numpy as np

from sim.model import Model


def refusal(model: Model) -> str:
    """Why not, in a sentence; "" if it can. (A joint that nothing resists is found when the engine is made.)"""
    if not model.joint_cut.any():
        return ""
    name = model.joint_names[int(np.argmax(model.joint_cut))]
    return f'The tree engine cannot run this scene: joint "{name}" closes a loop.'
