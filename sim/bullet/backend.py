"""PyBullet behind the Backend protocol: every tree a multibody in reduced coordinates, without contacts.

Bullet steps semi-implicitly: v⁺ = v + h M⁻¹(tau − c), then q⁺ = q ⊕ h v⁺. Joints have no gap by construction.

Its own variables are q and v in the frames of `sim.bullet.frames`, in double precision. A saved state is exact
in them and the next step depends on nothing else: joint limits are not warm started, and hinges and sliders
give back the very bits they were set to. Bullet's quaternions do not (they pass through a matrix and are
normalised), so after every step free bases and ball joints are set anew from the q and v that were read. A
state restored and stepped again, in this process or another on the same machine, gives the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from sim.backend import BackendError, Diverged
from sim.bullet.frames import Coordinates, principal_tree
from sim.bullet.multibody import BASE, Multibody, build, xyzw
from sim.bullet.quiet import pybullet
from sim.bullet.reading import origins
from sim.model import BALL, FREE, Array, Model
from sim.state import Control, Reading

if TYPE_CHECKING:
    from sim.bullet.damping import ImplicitDamping

MOST_TURN = 1.0  # [rad] of a body in a step
# [rad] Bullet turns free bases and ball joints by no more than this in a step, whatever their speed.
MOST_BULLET_TURN = math.pi / 4
_ADVICE = "try a smaller step or softer gains"


class BulletBackend:
    """One model in a PyBullet client of its own."""

    def __init__(self, model: Model) -> None:
        self._client = pybullet.connect(pybullet.DIRECT)
        if self._client < 0:
            raise BackendError("PyBullet could not open another world; close one that is no longer needed.")
        self._model = model
        self._coordinates = Coordinates(model)
        try:
            self._trees = build(self._client, model)
        except BackendError:
            self.close()
            raise
        self._damping = self._make_damping()
        pybullet.setGravity(*model.gravity.tolist(), physicsClientId=self._client)
        turning = np.flatnonzero(np.isin(model.joint_type, (FREE, BALL)))
        self._turning = list(zip(model.joint_child[turning], model.joint_v[turning], strict=True))
        self._dt = 0.0
        self._square = np.empty((3, 3))
        self.set(model.q0, model.v0)

    def set(self, q: Array, v: Array) -> None:
        self._q, self._v = self._coordinates.to_bullet(q, v)
        self._work = 0.0
        self._enter()

    def load(self, variables: Mapping[str, Array]) -> None:
        self._q, self._v = variables["q"].copy(), variables["v"].copy()
        self._work = float(variables["work"])
        self._enter()

    def save(self) -> dict[str, Array]:
        return {"q": self._q.copy(), "v": self._v.copy(), "work": np.array(self._work)}

    def advance(self, control: Control, dt: float, n: int) -> None:
        if dt != self._dt:
            pybullet.setTimeStep(dt, physicsClientId=self._client)
            self._dt = dt
        self._refuse_infinite(control)
        pushed = np.flatnonzero(control.wrench.any(axis=1)).tolist()
        power = self._power(control)
        for _ in range(n):
            self._apply_torques(control)
            for body in pushed:
                self._apply_wrench(body, control.wrench[body])
            pybullet.stepSimulation(physicsClientId=self._client)
            before = self._q, self._v
            self._q, self._v = self._taken()
            if reason := self._divergence(dt):
                self._q, self._v = before
                self._enter()
                raise Diverged(reason)
            for tree in self._trees:
                self._enter_quaternions(tree)
            power_before, power = power, self._power(control)
            self._work += 0.5 * dt * (power_before + power)

    def _power(self, control: Control) -> float:
        """Of motors, damping and wrenches [W]: tau·v − v·D v + Σ (torque·ω + force·v_com). Stops are not counted."""
        tau = self._coordinates.force_to_bullet(self._q, control.tau) if control.tau.any() else control.tau
        power = float((tau - self._model.dof_damping * self._v) @ self._v)
        if control.wrench.any():
            power += float((control.wrench * self._inertial_frames()[:, 7:13]).sum())
        return power

    def read(self) -> Reading:
        q, v = self._coordinates.from_bullet(self._q, self._v)
        model, nb = self._model, len(self._model.body_names)
        position, rotation, twist = np.empty((nb, 3)), np.empty((nb, 3, 3)), np.empty((nb, 6))
        frames = self._inertial_frames()
        origins(frames, model.body_center, model.body_axes, self._square, position, rotation, twist)
        return Reading(q, v, position, rotation, twist, joint_gap=0.0, joint_angle_error=0.0, work=self._work)

    def close(self) -> None:
        if self._client >= 0:
            pybullet.disconnect(physicsClientId=self._client)
            self._client = -1

    def __del__(self) -> None:
        if getattr(self, "_client", -1) >= 0 and pybullet.isConnected(self._client):
            self.close()

    def _make_damping(self) -> ImplicitDamping | None:
        """Only where something is damped: its kernels take seconds to compile for the first time."""
        if not self._model.dof_damping.any():
            return None
        from sim.bullet.damping import ImplicitDamping

        return ImplicitDamping(self._model, principal_tree(self._model))

    def _enter(self) -> None:
        """Bullet's state from q and v."""
        for tree in self._trees:
            self._enter_quaternions(tree)
            values = self._q[tree.scalar_q].tolist(), self._v[tree.scalar_v].tolist()
            for link, q, v in zip(tree.scalars, *values, strict=True):
                pybullet.resetJointState(tree.id, link, q, v, physicsClientId=self._client)

    def _enter_quaternions(self, tree: Multibody) -> None:
        q, v, client = self._q, self._v, self._client
        if tree.base:
            iq, iv = tree.base
            pose = q[iq : iq + 3].tolist(), xyzw(q[iq + 3 : iq + 7])
            pybullet.resetBasePositionAndOrientation(tree.id, *pose, physicsClientId=client)
            pybullet.resetBaseVelocity(
                tree.id, v[iv + 3 : iv + 6].tolist(), v[iv : iv + 3].tolist(), physicsClientId=client
            )
        for link, iq, iv in zip(tree.balls, tree.ball_q, tree.ball_v, strict=True):
            pybullet.resetJointStateMultiDof(
                tree.id, link, xyzw(q[iq : iq + 4]), v[iv : iv + 3].tolist(), physicsClientId=client
            )

    def _taken(self) -> tuple[Array, Array]:
        """q and v as Bullet has them."""
        q, v = np.empty_like(self._q), np.empty_like(self._v)
        client = self._client
        for tree in self._trees:
            if tree.base:
                iq, iv = tree.base
                position, (x, y, z, w) = pybullet.getBasePositionAndOrientation(tree.id, physicsClientId=client)
                linear, angular = pybullet.getBaseVelocity(tree.id, physicsClientId=client)
                q[iq : iq + 7] = (*position, w, x, y, z)
                v[iv : iv + 6] = (*angular, *linear)
            if tree.scalars:
                states = pybullet.getJointStates(tree.id, tree.scalars, physicsClientId=client)
                q[tree.scalar_q] = [s[0] for s in states]
                v[tree.scalar_v] = [s[1] for s in states]
            if tree.balls:
                states = pybullet.getJointStatesMultiDof(tree.id, tree.balls, physicsClientId=client)
                for state, iq, iv in zip(states, tree.ball_q, tree.ball_v, strict=True):
                    x, y, z, w = state[0]
                    q[iq : iq + 4] = (w, x, y, z)
                    v[iv : iv + 3] = state[1]
        return q, v

    def _apply_torques(self, control: Control) -> None:
        """Bullet forgets joint torques after every step."""
        tau = self._coordinates.force_to_bullet(self._q, control.tau)
        if self._damping:
            tau = self._damping.torques(self._q, self._v, tau, control.wrench, self._dt)
        if not tau.any():
            return
        mode, client = pybullet.TORQUE_CONTROL, self._client
        for tree in self._trees:
            if tree.base and tau[tree.base[1] : tree.base[1] + 6].any():
                self._apply_wrench(tree.base_body, tau[tree.base[1] : tree.base[1] + 6])
            if tree.scalars:
                forces = tau[tree.scalar_v].tolist()
                pybullet.setJointMotorControlArray(tree.id, tree.scalars, mode, forces=forces, physicsClientId=client)
            for link, iv in zip(tree.balls, tree.ball_v, strict=True):
                force = tau[iv : iv + 3].tolist()
                pybullet.setJointMotorControlMultiDof(tree.id, link, mode, force=force, physicsClientId=client)

    def _apply_wrench(self, body: int, wrench: Array) -> None:
        """[torque; force] about the centre of mass, world axes, for the coming step."""
        tree, link = self._place_of(body)
        client, frame = self._client, pybullet.WORLD_FRAME
        if link == BASE:
            center = pybullet.getBasePositionAndOrientation(tree.id, physicsClientId=client)[0]
        else:
            center = pybullet.getLinkState(tree.id, link, computeForwardKinematics=True, physicsClientId=client)[0]
        pybullet.applyExternalTorque(tree.id, link, wrench[:3].tolist(), frame, physicsClientId=client)
        pybullet.applyExternalForce(tree.id, link, wrench[3:].tolist(), center, frame, physicsClientId=client)

    def _place_of(self, body: int) -> tuple[Multibody, int]:
        for tree in self._trees:
            if tree.base_body == body:
                return tree, BASE
            if len(where := np.flatnonzero(tree.bodies == body)):
                return tree, tree.links[int(where[0])]
        raise IndexError(body)

    def _inertial_frames(self) -> Array:
        """(nb, 13): centre of mass, principal axes as xyzw, angular velocity, velocity of the centre.

        Of a link state these are exact; the "link frame" beside them has passed through single precision.
        """
        rows = np.empty((len(self._model.body_names), 13))
        client = self._client
        for tree in self._trees:
            if tree.base:
                pose = pybullet.getBasePositionAndOrientation(tree.id, physicsClientId=client)
                linear, angular = pybullet.getBaseVelocity(tree.id, physicsClientId=client)
                rows[tree.base_body] = (*pose[0], *pose[1], *angular, *linear)
            if tree.links:
                states = pybullet.getLinkStates(
                    tree.id, tree.links, computeLinkVelocity=True, computeForwardKinematics=True, physicsClientId=client
                )
                rows[tree.bodies] = [(*s[0], *s[1], *s[7], *s[6]) for s in states]
        return rows

    def _refuse_infinite(self, control: Control) -> None:
        """Before the step, since Bullet would carry it into every body of the tree."""
        for j in self._model.dof_joint[~np.isfinite(control.tau)]:
            raise Diverged(f'the torque of joint "{self._model.joint_names[j]}" became infinite; {_ADVICE}')
        for b in np.flatnonzero(~np.isfinite(control.wrench).all(axis=1)):
            raise Diverged(f'the force on body "{self._model.body_names[b]}" became infinite; {_ADVICE}')

    def _divergence(self, dt: float) -> str:
        """Which body went first and why, or ""."""
        model, v = self._model, self._v
        if not (np.isfinite(self._q).all() and np.isfinite(v).all()):
            lost = [
                not np.isfinite([*self._q[iq:end_q], *v[iv:end_v]]).all()
                for iq, end_q, iv, end_v in zip(
                    model.joint_q[:-1], model.joint_q[1:], model.joint_v[:-1], model.joint_v[1:], strict=True
                )
            ]
            first = next(j for j in model.tree_order if lost[j])
            return f'body "{model.body_names[model.joint_child[first]]}" became infinite; {_ADVICE}'
        # No body turns faster than all joint speeds together: link velocities are only asked for when that is much.
        if np.abs(v).sum() * dt <= MOST_BULLET_TURN:
            return ""
        for body, iv in self._turning:
            if np.linalg.norm(v[iv : iv + 3]) * dt > MOST_BULLET_TURN:
                return f'body "{model.body_names[body]}" turned by more than PyBullet\'s π/4 in one step; {_ADVICE}'
        turns = np.linalg.norm(self._inertial_frames()[:, 7:10], axis=1) * dt
        if turns.max() > MOST_TURN:
            name = model.body_names[int(turns.argmax())]
            return f'body "{name}" turned by more than 1 rad in one step; {_ADVICE}'
        return ""
