"""What is selected: a body or a target of the scene on stage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.model import Model


@dataclass(frozen=True)
class Selection:
    body: int = -1
    target: int = -1

    def name(self, model: Model) -> str:
        return model.body_names[self.body] if self.body >= 0 else model.target_names[self.target]


def carrying_joint(model: Model, body: int) -> int:
    """The joint of the tree that carries a body: every body has one, free ones an implicit one."""
    return int(np.flatnonzero((model.joint_child == body) & ~model.joint_cut)[0])
