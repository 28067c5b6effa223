"""MuJoCo on our models: free bodies joined by equalities, or a tree of hinges in reduced coordinates."""

from __future__ import annotations

from collections.abc import Iterable

import mujoco
import numpy as np

from benchmarks.mechanics import Array, Motion, from_inertial, start, to_inertial
from sim.backend import Diverged
from sim.model import FREE, HINGE, Model
from sim.spatial.rotation import matrix_to_quat, quat_to_matrix

LEVER = 0.05  # [m] between the two points of its axis that hold a hinge


class MujocoWorld:
    """A compiled MJCF text. mj_step takes many steps in one call, looping in C."""

    def __init__(self, model: Model, text: str) -> None:
        self.model = model
        self.constants = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.constants)

    def advance(self, steps: int) -> None:
        mujoco.mj_step(self.constants, self.data, nstep=steps)

    def close(self) -> None:
        """Python frees it all."""

    def refuse_reset(self) -> None:
        """MuJoCo goes back to the start without a word when a state becomes infinite."""
        if any(warning.number for warning in self.data.warning):
            raise Diverged("MuJoCo gave a warning or began anew, so that its figures mean nothing")

    def energy(self) -> tuple[float, float]:
        """T and V as MuJoCo itself sums them."""
        mujoco.mj_forward(self.constants, self.data)
        mujoco.mj_energyPos(self.constants, self.data)
        mujoco.mj_energyVel(self.constants, self.data)
        potential, kinetic = self.data.energy
        return float(kinetic), float(potential)


class FreeBodies(MujocoWorld):
    """Every body free; a hinge is two `connect` equalities, LEVER apart on its axis.

    Bodies are placed by their inertial frames, in which MuJoCo's mass matrix is diagonal. The constraints are
    solved by Newton's method on sparse matrices, its fastest for long chains.
    """

    def __init__(self, model: Model, dt: float, integrator: str = "Euler") -> None:
        frames = to_inertial(model, start(model))
        bodies = "".join(_free_body(model, frames, b) for b in range(len(model.body_names)))
        option = f'timestep="{dt!r}" integrator="{integrator}" solver="Newton" jacobian="sparse"'
        super().__init__(model, _document(model, option, bodies, "".join(_connects(model))))
        twist = np.hstack([frames.twist[:, 3:], np.einsum("bji,bj->bi", frames.rotation, frames.twist[:, :3])])
        self.data.qvel[:] = twist.ravel()

    def motion(self) -> Motion:
        """MuJoCo's free joints: position, quaternion; velocity in world axes, angular velocity in the body's."""
        self.refuse_reset()
        q, v = self.data.qpos.reshape(-1, 7), self.data.qvel.reshape(-1, 6)
        rotation = np.array([quat_to_matrix(quat) for quat in q[:, 3:]])
        twist = np.hstack([np.einsum("bij,bj->bi", rotation, v[:, 3:]), v[:, :3]])
        return from_inertial(self.model, Motion(q[:, :3].copy(), rotation, twist))


class HingeTree(MujocoWorld):
    """A serial tree of hinges in reduced coordinates."""

    def __init__(self, model: Model, dt: float, integrator: str) -> None:
        bodies = "".join(_hinged(model, j) for j in range(len(model.joint_names)) if model.joint_parent[j] < 0)
        super().__init__(model, _document(model, f'timestep="{dt!r}" integrator="{integrator}"', bodies))
        self.data.qpos[:], self.data.qvel[:] = model.q0, model.v0

    def coordinates(self) -> tuple[Array, Array]:
        self.refuse_reset()
        return self.data.qpos.copy(), self.data.qvel.copy()


def _document(model: Model, option: str, bodies: str, equalities: str = "") -> str:
    return (
        f'<mujoco><option {option} gravity="{_text(model.gravity)}"><flag contact="disable"/></option>'
        f"<worldbody>{bodies}</worldbody><equality>{equalities}</equality></mujoco>"
    )


def _free_body(model: Model, frames: Motion, b: int) -> str:
    return (
        f'<body name="{b}" pos="{_text(frames.position[b])}" quat="{_text(matrix_to_quat(frames.rotation[b]))}">'
        f'<freejoint/><inertial pos="0 0 0" mass="{_text([model.body_mass[b]])}" '
        f'diaginertia="{_text(model.body_moments[b])}"/></body>'
    )


def _connects(model: Model) -> Iterable[str]:
    """MuJoCo finds the point on the other body from the start pose, in which the joint is closed."""
    for j in np.flatnonzero(model.joint_type != FREE):
        if model.joint_type[j] != HINGE:
            raise ValueError(f'joint "{model.joint_names[j]}" is no hinge')
        parent, child = model.joint_parent[j], model.joint_child[j]
        axes = model.body_axes[child]
        anchor = axes.T @ (model.joint_child_position[j] - model.body_center[child])
        axis = axes.T @ model.joint_child_rotation[j] @ model.joint_axis[j]
        other = f'body2="{parent}"' if parent >= 0 else ""
        for along in (0.0, LEVER):
            yield f'<connect body1="{child}" {other} anchor="{_text(anchor + along * axis)}"/>'


def _hinged(model: Model, j: int) -> str:
    """The body of joint j, placed at q = 0, and all that hang from it. Joint and body frames coincide."""
    b = model.joint_child[j]
    if model.joint_type[j] != HINGE or model.joint_child_position[j].any():
        raise ValueError(f'joint "{model.joint_names[j]}" is no hinge at the origin of its body')
    turn = matrix_to_quat(model.joint_rotation[j] @ model.joint_child_rotation[j].T)
    axis = model.joint_child_rotation[j] @ model.joint_axis[j]
    t = model.body_inertia[b]
    tensor = [t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2]]
    behind = "".join(_hinged(model, int(k)) for k in np.flatnonzero(model.joint_parent == b))
    return (
        f'<body pos="{_text(model.joint_position[j])}" quat="{_text(turn)}">'
        f'<inertial pos="{_text(model.body_center[b])}" mass="{_text([model.body_mass[b]])}" '
        f'fullinertia="{_text(tensor)}"/><joint type="hinge" axis="{_text(axis)}"/>{behind}</body>'
    )


def _text(numbers: Iterable[float]) -> str:
    return " ".join(f"{float(x):.17g}" for x in numbers)
