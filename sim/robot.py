"""The numbers of a robot: poses, Jacobians, the terms of M(q) a + C(q, v) v + g(q) = tau, energies, bounds.

robot = sim.Robot(sim.load("arm_6r"))
robot.pose("tool", q), robot.jacobian("tool", q), robot.mass_matrix(q)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sim.analysis.ellipsoid import Ellipsoid, ellipsoid
from sim.analysis.joint_range import JointRange
from sim.analysis.posture import GAIN, STRIDE, InverseKinematics, Line, Posture
from sim.dynamics.aba import U_WIDTH, WIDTH, aba
from sim.dynamics.coriolis import body_rates, coriolis
from sim.dynamics.crba import crba, mass_matrices
from sim.dynamics.gravity import gravity_torques
from sim.dynamics.inertia import center_of_mass, composite, world_inertias
from sim.dynamics.jacobian import frame_jacobian, frame_jacobian_rate
from sim.dynamics.kinematics import kinematics
from sim.dynamics.links import links_of
from sim.dynamics.motion import accelerations, subspace_rates, velocities
from sim.dynamics.rnea import rnea
from sim.dynamics.singular import loose_velocity
from sim.dynamics.tree import body_joints, tree_of
from sim.dynamics.wrenches import link_wrenches
from sim.model import FIXED, compile_model
from sim.plausible import FINITE, LARGEST
from sim.scene import JOINT_WIDTHS, Scene, SceneError
from sim.spatial.rotation import matrix_to_quat, quat_to_matrix, rotation_vector
from sim.wording import listing, numbers, suggestion

Array = np.ndarray[Any, np.dtype[Any]]
Vector = Sequence[float] | Array
Wrenches = Mapping[str, Vector]

QUATERNION_TOLERANCE = 1e-3


class Robot:
    """A scene without loops, asked for its numbers. SI units; 6-vectors are [angular; linear] in world axes.

    q and v follow `joint_names`: hinge and slider one number each; ball wxyz of the child in the parent and the
    angular velocity in child axes; a free body its position and wxyz, and [ω; v] of its origin in world axes.
    Frames are those of the scene, the bodies' own, and NAME.com at their centres of mass. Wrenches are
    {frame: [torque; force]} at the frame's origin. Rotors count wherever mass does; friction, damping and limits do
    not. Mistakes are a ValueError in one sentence.
    """

    def __init__(self, scene: Scene) -> None:
        self.model = compile_model(scene)
        if self.model.joint_cut.any():
            cut = self.model.joint_names[int(np.argmax(self.model.joint_cut))]
            raise SceneError(
                f'joint "{cut}" closes a loop; a robot\'s numbers need a tree, so leave it out', ("joint", cut)
            )
        m, nb, nv = self.model, len(self.model.body_names), self.model.nv
        self._tree, self._body_joint = tree_of(m), body_joints(m)
        self._links, self._on = links_of(m)
        self._masses = m.body_mass, m.body_center, m.body_inertia
        self._p, self._R, self._S = np.zeros((nb, 3)), np.zeros((nb, 3, 3)), np.zeros((nv, 6))
        self._V, self._dS, self._I = np.zeros((nb, 6)), np.zeros((nv, 6)), np.zeros((nb, 10))
        self._small = np.zeros((3, 3)), np.zeros((3, 3))
        self._frames = _frames(m)
        self._range = JointRange(m)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The moving joints in the order of q and v."""
        m = self.model
        return tuple(name for name, kind in zip(m.joint_names, m.joint_type, strict=True) if kind != FIXED)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Of all joints in the order of the model, those that do not move included."""
        return self._range.kinds

    @property
    def frame_names(self) -> tuple[str, ...]:
        return tuple(self._frames)

    @property
    def tool(self) -> str:
        """The frame that is meant where none is named: the scene's last one, or its last body."""
        return (self.model.frame_names or self.model.body_names)[-1]

    # Kinematics

    def pose(self, frame: str, q: Vector) -> Array:
        """(4, 4) the frame in the world."""
        body, local = self._frame(frame)
        self._place(self._q(q))
        return self._world(body, local)

    def quaternion(self, frame: str, q: Vector) -> Array:
        """wxyz of the frame, w ≥ 0."""
        return matrix_to_quat(self.pose(frame, q)[:3, :3])

    def axis_angle(self, frame: str, q: Vector) -> tuple[Array, float]:
        """Unit axis and angle in [0, π] of the frame's rotation; the axis is z where there is none."""
        w = rotation_vector(self.pose(frame, q)[:3, :3])
        angle = float(np.linalg.norm(w))
        return (w / angle if angle else np.array([0.0, 0.0, 1.0])), angle

    def jacobian(self, frame: str, q: Vector) -> Array:
        """(6, nv) the frame's twist, [angular; linear] of its origin, a unit of each v."""
        body, local = self._frame(frame)
        self._place(self._q(q))
        return self._jacobian(body, self._world(body, local)[:3, 3])

    def jacobian_rate(self, frame: str, q: Vector, v: Vector) -> Array:
        """(6, nv) dJ/dt, so that the frame's acceleration is J a + J̇ v."""
        body, local = self._frame(frame)
        self._move(self._q(q), self._v("v", v))
        J, x = np.zeros((6, self.model.nv)), self._world(body, local)[:3, 3].copy()
        frame_jacobian_rate(*self._paths(), self._S, self._dS, self._V, body, x, J)
        return J

    def twist(self, frame: str, q: Vector, v: Vector) -> Array:
        """(6,) [angular; linear] of the frame's origin."""
        return self.jacobian(frame, q) @ self._v("v", v)

    def velocity_ellipsoid(self, frame: str, q: Vector) -> Ellipsoid:
        """Of the frame's linear velocity, for joint velocities of length one."""
        return ellipsoid(self.jacobian(frame, q)[3:])

    def manipulability(self, frame: str, q: Vector) -> float:
        """√det(J Jᵀ) of the frame's linear velocity."""
        return self.velocity_ellipsoid(frame, q).manipulability

    # Inverse kinematics, of frames that hinges and sliders carry

    def posture(self, frame: str, position: Vector, rotation: Vector | None = None, q: Vector | None = None) -> Posture:
        """Joint coordinates within the limits that bring the frame to `position`, or also turn it to `rotation` (wxyz).

        Near q (default: the scene's start) if that leads there, else from anywhere in the joint range.
        """
        place = np.eye(4)
        place[:3, 3] = _bounded("position", _numbers("position", position, 3, ("x", "y", "z")))
        if rotation is not None:
            quaternion = _bounded("rotation", _numbers("rotation", rotation, 4, tuple("wxyz")))
            place[:3, :3] = quat_to_matrix(_quaternion("rotation", quaternion))
        return self.inverse_kinematics(frame).posture(place, rotation is not None, self._q_or_start(q))

    def line(self, frame: str, to: Vector, stride: float = STRIDE, q: Vector | None = None, gain: float = GAIN) -> Line:
        """The frame straight from where it is at q to the point `to`, a stride [m] a step.

        `gain` draws the joints to the middle of their range as far as the line leaves them free.
        """
        kinematics, end = self.inverse_kinematics(frame), _bounded("line", _numbers("line", to, 3, ("x", "y", "z")))
        start, clamped = kinematics.within(self._q_or_start(q))
        line = kinematics.line(self.pose(frame, start)[:3, 3], end, stride, start, gain)
        return replace(line, clamped=clamped)

    def inverse_kinematics(self, frame: str) -> InverseKinematics:
        """For many places of one frame."""
        return InverseKinematics(self.model, *self._frame(frame))

    def center_of_mass(self, q: Vector) -> Array:
        """(3,) of everything that is not fixed to the world by itself, bodies fixed to it included."""
        self._place(self._q(q))
        out = np.zeros(3)
        center_of_mass(*self._masses[:2], self._p, self._R, out)
        return out

    # Dynamics

    def mass_matrix(self, q: Vector) -> Array:
        """(nv, nv) M(q)."""
        self._place(self._q(q))
        return self._mass_matrix()

    def coriolis_matrix(self, q: Vector, v: Vector) -> Array:
        """(nv, nv) C(q, v), chosen so that Ṁ − 2C is skew symmetric."""
        self._move(self._q(q), self._v("v", v))
        B = np.zeros((len(self._p), 6, 6))
        C = np.zeros((self.model.nv, self.model.nv))
        body_rates(self._V, self._I, B)
        composite(self._tree, self._I)
        coriolis(self._tree, self._body_joint, self._S, self._dS, self._I, B, C)
        return C

    def gravity_torques(self, q: Vector) -> Array:
        """(nv,) g(q): what holds the robot still."""
        self._place(self._q(q))
        return self._gravity_torques()

    def inverse_dynamics(self, q: Vector, v: Vector, a: Vector, wrenches: Wrenches | None = None) -> Array:
        """(nv,) tau = M a + C v + g − Σ Jᵀ wrench."""
        velocity, acceleration = self._v("v", v), self._v("a", a)
        self._move(self._q(q), velocity)
        wrench = self._body_wrenches(wrenches or {})
        A, f, tau = np.zeros_like(self._V), np.zeros_like(self._V), np.zeros(self.model.nv)
        accelerations(self._tree, self._S, self._dS, velocity, acceleration, A)
        fields = self.model.dof_rotor, self.model.gravity, self._p, wrench
        rnea(self._tree, self._S, self._V, A, self._I, *fields, acceleration, f, tau)
        return tau

    def forward_dynamics(self, q: Vector, v: Vector, tau: Vector, wrenches: Wrenches | None = None) -> Array:
        """(nv,) a = M⁻¹ (tau + Σ Jᵀ wrench − C v − g); locked joints stay."""
        q, velocity, torque = self._q(q), self._v("v", v), self._v("tau", tau)
        self._place(q)
        self._refuse_singular()
        n, nv = len(self._links.parent), self.model.nv
        f_ext, a = np.zeros((n, 6)), np.zeros(nv)
        link_wrenches(*self._on, self._p, self._R, self._body_wrenches(wrenches or {}), f_ext)
        armature = np.where(self._locked(), np.inf, self.model.dof_rotor)
        work = np.zeros((n, WIDTH)), np.zeros((nv, U_WIDTH))
        aba(self._links, *work, q, velocity, torque, armature, self.model.gravity, f_ext, a)
        return a

    def kinetic_energy(self, q: Vector, v: Vector) -> float:
        """½ vᵀ M v [J]."""
        velocity = self._v("v", v)
        return 0.5 * float(velocity @ self.mass_matrix(q) @ velocity)

    def potential_energy(self, q: Vector) -> float:
        """−m g · c [J], 0 at the world's origin."""
        return -float(self.model.body_mass.sum() * self.model.gravity @ self.center_of_mass(q))

    # Over the joint range: limits, a full turn where a hinge has none, every rotation of a ball or free body

    def mass_bounds(self) -> tuple[float, float]:
        """The smallest and the largest eigenvalue that M(q) takes over the joint range."""

        def eigenvalues(Q: Array) -> Array:
            M = np.zeros((len(Q), self.model.nv, self.model.nv))
            arrays = self._p, self._R, self._S, self._I, *self._small
            mass_matrices(self._tree, self._body_joint, self._masses, self.model.dof_rotor, Q, *arrays, M)
            return np.asarray(np.linalg.eigvalsh(M))

        low = self._range.lowest(lambda Q: eigenvalues(Q)[:, 0])
        high = self._range.lowest(lambda Q: -eigenvalues(Q)[:, -1])
        return low, -high

    def gravity_bound(self) -> float:
        """The largest Σ|g_k(q)| over the joint range."""

        def total(q: Array) -> float:
            self._place(q)
            return -float(np.abs(self._gravity_torques()).sum())

        return -self._range.lowest(lambda Q: np.array([total(q) for q in Q]))

    # What all of these are made of

    def _q(self, q: Vector) -> Array:
        """q as an array, its quaternions normalised."""
        m = self.model
        out = _numbers("q", q, m.nq, self.joint_names)
        for j in np.flatnonzero([JOINT_WIDTHS[kind][0] >= 4 for kind in self._range.kinds]):
            part = out[m.joint_q[j + 1] - 4 : m.joint_q[j + 1]]
            part[:] = _quaternion(f'q of "{m.joint_names[j]}"', part)
        return out

    def _q_or_start(self, q: Vector | None) -> Array:
        return _bounded("q", self._q(self.model.q0 if q is None else q))

    def _v(self, name: str, values: Vector) -> Array:
        return _numbers(name, values, self.model.nv, self.joint_names)

    def _frame(self, name: str) -> tuple[int, Array]:
        if name not in self._frames:
            raise ValueError(f'there is no frame "{name}"; {suggestion(name, self._frames)}')
        return self._frames[name]

    def _place(self, q: Array) -> None:
        kinematics(self._tree, q, self._p, self._R, self._S, *self._small)

    def _move(self, q: Array, v: Array) -> None:
        self._place(q)
        velocities(self._tree, self._S, v, self._V)
        subspace_rates(self._tree, self._S, self._V, v, self._dS)
        world_inertias(*self._masses, self._p, self._R, self._I)

    def _world(self, body: int, local: Array) -> Array:
        if body < 0:
            return local.copy()
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = self._R[body], self._p[body]
        return X @ local

    def _paths(self) -> tuple[Array, Array, Array]:
        return self._body_joint, self.model.joint_parent, self.model.joint_v

    def _jacobian(self, body: int, x: Array) -> Array:
        J = np.zeros((6, self.model.nv))
        frame_jacobian(*self._paths(), self._S, body, x.copy(), J)
        return J

    def _mass_matrix(self) -> Array:
        M = np.zeros((self.model.nv, self.model.nv))
        world_inertias(*self._masses, self._p, self._R, self._I)
        composite(self._tree, self._I)
        crba(self._tree, self._body_joint, self._S, self._I, self.model.dof_rotor, M)
        return M

    def _gravity_torques(self) -> Array:
        m, tau = self.model, np.zeros(self.model.nv)
        topology = m.tree_order, m.joint_parent, m.joint_child, m.joint_v
        gravity_torques(*topology, *self._masses[:2], m.gravity, self._p, self._R, self._S, self._V, tau)
        return tau

    def _body_wrenches(self, wrenches: Wrenches) -> Array:
        """(nb, 6) what acts on the bodies, moved to their origins; on the world it does nothing."""
        out = np.zeros_like(self._V)
        for name, values in wrenches.items():
            body, local = self._frame(name)
            wrench = _numbers(f'wrench on "{name}"', values, 6, ("torque x, y, z", "force x, y, z"))
            if body >= 0:
                arm = self._world(body, local)[:3, 3] - self._p[body]
                out[body] += [*(wrench[:3] + np.cross(arm, wrench[3:])), *wrench[3:]]
        return out

    def _locked(self) -> Array:
        return np.asarray(self.model.joint_locked[self.model.dof_joint])

    def _refuse_singular(self) -> None:
        """See `sim.dynamics.singular`."""
        m = self.model
        moving = np.flatnonzero(~self._locked())
        if len(moving) == 0:
            return
        loose = loose_velocity(self._mass_matrix()[np.ix_(moving, moving)], self._S[moving], self._I)
        if loose is None:
            return
        name = m.joint_names[int(m.dof_joint[moving[loose]])]
        raise ValueError(
            f'the mass matrix is singular: nothing resists joint "{name}"; '
            "expected mass or inertia behind it that its motion moves, or a rotor"
        )


def _quaternion(name: str, values: Array) -> Array:
    length = float(np.linalg.norm(values))
    if abs(length - 1) > QUATERNION_TOLERANCE:
        raise ValueError(f"{name} is a quaternion of length {length:.6g}; expected 1")
    return values / length


def _frames(model: Any) -> dict[str, tuple[int, Array]]:
    """name -> (body, pose on it); a scene's frame comes before a body of the same name."""
    out: dict[str, tuple[int, Array]] = {}
    for f, name in enumerate(model.frame_names):
        out[name] = int(model.frame_body[f]), _transform(model.frame_position[f], model.frame_rotation[f])
    for b, name in enumerate(model.body_names):
        out.setdefault(name, (b, np.eye(4)))
    for b, name in enumerate(model.body_names):
        out.setdefault(f"{name}.com", (b, _transform(model.body_center[b], np.eye(3))))
    return out


def _transform(p: Array, R: Array) -> Array:
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R, p
    return X


def _bounded(name: str, values: Array) -> Array:
    """Numbers whose squares are finite as well."""
    if (too_large := values[np.abs(values) > LARGEST]).size:
        raise ValueError(f"{name} contains {too_large[0]:g}; expected {FINITE}")
    return values


def _numbers(name: str, values: Vector, count: int, parts: Sequence[str]) -> Array:
    """A copy as floats; anything but `count` finite numbers is refused."""
    try:
        out = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} is not a list of numbers; expected {count} of them") from None
    if out.shape != (count,):
        has = numbers(out.size) if out.ndim == 1 else f"the shape {out.shape}"
        raise ValueError(f"{name} has {has}; expected {count} ({listing(parts) if parts else 'nothing moves'})")
    if not np.isfinite(out).all():
        raise ValueError(f"{name} contains {out[~np.isfinite(out)][0]}; expected finite numbers")
    return out
