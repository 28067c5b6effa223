"""PyBullet on our models: multibodies, or free bodies with hinges as pairs of point-to-point constraints."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.mechanics import Array, Motion, from_inertial, start, to_inertial
from sim.bullet.backend import BulletBackend
from sim.bullet.quiet import pybullet
from sim.model import FREE, HINGE, Model
from sim.spatial.rotation import matrix_to_quat, quat_to_matrix

LEVER = 0.05  # [m] between the two points of its axis that hold a hinge
ITERATIONS = 50  # of the constraint solver; PyBullet's default


def step_of_nothing() -> Callable[[], None]:
    """A step of a world without bodies: what the call itself costs."""
    return partial(pybullet.stepSimulation, physicsClientId=pybullet.connect(pybullet.DIRECT))


class Multibodies:
    """Trees in reduced coordinates as our backend builds them, stepped without anything that it adds to a step."""

    def __init__(self, model: Model, dt: float) -> None:
        self._backend = BulletBackend(model)
        pybullet.setTimeStep(dt, physicsClientId=self._backend._client)

    def advance(self, steps: int) -> None:
        step, client = pybullet.stepSimulation, self._backend._client
        for _ in range(steps):
            step(physicsClientId=client)

    def close(self) -> None:
        self._backend.close()


class Reaching:
    """Bullet's inverse kinematics of the last link of an arm of hinges, without regard to limits."""

    def __init__(self, model: Model) -> None:
        self._backend = BulletBackend(model)
        (tree,) = self._backend._trees
        self._client, self._id, self._links = self._backend._client, tree.id, list(tree.scalars)

    def pose(self, q: Array) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Where Bullet has its link, and how turned (xyzw); the arm stays there."""
        for link, angle in zip(self._links, q.tolist(), strict=True):
            pybullet.resetJointState(self._id, link, angle, physicsClientId=self._client)
        *_, position, rotation = pybullet.getLinkState(
            self._id, self._links[-1], computeForwardKinematics=1, physicsClientId=self._client
        )
        return position, rotation

    def solve(self, position: tuple[float, ...], rotation: tuple[float, ...]) -> Array:
        """From where the arm stands."""
        found = pybullet.calculateInverseKinematics(
            self._id,
            self._links[-1],
            position,
            rotation,
            maxNumIterations=100,
            residualThreshold=1e-9,
            physicsClientId=self._client,
        )
        return np.array(found)

    def close(self) -> None:
        self._backend.close()


class FreeBodies:
    """Every body free, without contacts and damping. PyBullet takes one step a call.

    A free body is by default a multibody without links. `rigid` makes it Bullet's older rigid body
    (useMaximalCoordinates), whose constraints are solved faster.
    """

    def __init__(self, model: Model, dt: float, rigid: bool = False) -> None:
        self.model = model
        self._client = pybullet.connect(pybullet.DIRECT)
        pybullet.setGravity(*model.gravity.tolist(), physicsClientId=self._client)
        pybullet.setTimeStep(dt, physicsClientId=self._client)
        pybullet.setPhysicsEngineParameter(numSolverIterations=ITERATIONS, physicsClientId=self._client)
        frames = to_inertial(model, start(model))
        self._bodies = [self._create(frames, b, rigid) for b in range(len(model.body_names))]
        ground = pybullet.createMultiBody(
            0.0, self._box(np.ones(3)) if rigid else -1, useMaximalCoordinates=rigid, physicsClientId=self._client
        )
        self._without_contacts(ground)
        for j in np.flatnonzero(model.joint_type != FREE):
            self._join(int(j), ground)

    def advance(self, steps: int) -> None:
        step, client = pybullet.stepSimulation, self._client
        for _ in range(steps):
            step(physicsClientId=client)

    def motion(self) -> Motion:
        client = self._client
        poses = [pybullet.getBasePositionAndOrientation(b, physicsClientId=client) for b in self._bodies]
        speeds = [pybullet.getBaseVelocity(b, physicsClientId=client) for b in self._bodies]
        position = np.array([p for p, _ in poses])
        rotation = np.array([quat_to_matrix(np.array([w, x, y, z])) for _, (x, y, z, w) in poses])
        twist = np.array([[*angular, *linear] for linear, angular in speeds])
        return from_inertial(self.model, Motion(position, rotation, twist))

    def close(self) -> None:
        pybullet.disconnect(physicsClientId=self._client)

    def _create(self, frames: Motion, b: int, rigid: bool) -> int:
        """A body at its inertial frame. A rigid body has the moments of its shape: set otherwise they become nan."""
        client, mass, moments = self._client, float(self.model.body_mass[b]), self.model.body_moments[b]
        w, x, y, z = matrix_to_quat(frames.rotation[b]).tolist()
        body = pybullet.createMultiBody(
            mass,
            self._box(np.sqrt(6.0 * (moments.sum() - 2.0 * moments) / mass)) if rigid else -1,
            basePosition=frames.position[b].tolist(),
            baseOrientation=[x, y, z, w],
            useMaximalCoordinates=rigid,
            physicsClientId=client,
        )
        self._without_contacts(body)
        pybullet.changeDynamics(body, -1, linearDamping=0.0, angularDamping=0.0, physicsClientId=client)
        if not rigid:
            pybullet.changeDynamics(body, -1, localInertiaDiagonal=moments.tolist(), physicsClientId=client)
        angular, linear = frames.twist[b, :3].tolist(), frames.twist[b, 3:].tolist()
        pybullet.resetBaseVelocity(body, linear, angular, physicsClientId=client)
        return int(body)

    def _box(self, edges: Array) -> int:
        half = (edges / 2.0).tolist()
        return int(pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=half, physicsClientId=self._client))

    def _without_contacts(self, body: int) -> None:
        pybullet.setCollisionFilterGroupMask(body, -1, 0, 0, physicsClientId=self._client)

    def _join(self, j: int, ground: int) -> None:
        model = self.model
        if model.joint_type[j] != HINGE:
            raise ValueError(f'joint "{model.joint_names[j]}" is no hinge')
        parent, child = int(model.joint_parent[j]), int(model.joint_child[j])
        for along in (0.0, LEVER):
            axis = along * model.joint_axis[j]
            on_parent = model.joint_position[j] + model.joint_rotation[j] @ axis
            on_child = model.joint_child_position[j] + model.joint_child_rotation[j] @ axis
            pybullet.createConstraint(
                self._bodies[parent] if parent >= 0 else ground,
                -1,
                self._bodies[child],
                -1,
                pybullet.JOINT_POINT2POINT,
                [0.0, 0.0, 0.0],
                (self._local(parent, on_parent) if parent >= 0 else on_parent).tolist(),
                self._local(child, on_child).tolist(),
                physicsClientId=self._client,
            )

    def _local(self, body: int, point: Array) -> Array:
        """A point of the body in its inertial frame."""
        local: Array = self.model.body_axes[body].T @ (point - self.model.body_center[body])
        return local
