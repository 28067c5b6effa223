"""What changes while a world runs: State (exact), Control (what acts on it), Snapshot (what is shown)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class State:
    """Everything the next step depends on, exactly; restored and stepped again it gives the same bits.

    `engine` holds the backend's own variables (impulse: x, R, p, L, lam, turns; pybullet: q, v). q, v,
    poses and twists are derived from it by `Backend.read()`.
    """

    backend: str
    step: int
    time: float  # [s]
    engine: Mapping[str, Array]
    desk: Mapping[str, Array]  # targets of tools and joints, and which follow their own paths

    def copy(self) -> State:
        return replace(
            self,
            engine={k: a.copy() for k, a in self.engine.items()},
            desk={k: a.copy() for k, a in self.desk.items()},
        )

    def fits(self, other: State) -> bool:
        """Whether both can be of one scene: the same things, each of the same size."""
        parts = [(self.desk, other.desk)] + [(self.engine, other.engine)] * (self.backend == other.backend)
        return all({n: a.shape for n, a in p.items()} == {n: a.shape for n, a in q.items()} for p, q in parts)

    def digest(self) -> str:
        """SHA-256 over every bit of the state."""
        h = hashlib.sha256(f"{self.backend} {self.step} {self.time!r}".encode())
        for part in (self.engine, self.desk):
            for name in sorted(part):
                h.update(name.encode())
                h.update(np.ascontiguousarray(part[name]).tobytes())
        return h.hexdigest()


@dataclass
class Control:
    """What acts on the bodies during one step, held constant over it.

    tau (nv,) joint forces in the order of v; wrench (n_body, 6) [torque; force] on each body about its
    centre of mass, world axes. `time` is that of the step's start: the scene's inputs are functions of it.
    """

    tau: Array
    wrench: Array
    time: float = 0.0


@dataclass(frozen=True)
class Reading:
    """What a backend reports after a step. Poses and twists are of the body origins, in world axes."""

    q: Array
    v: Array
    position: Array  # (n_body, 3)
    rotation: Array  # (n_body, 3, 3)
    twist: Array  # (n_body, 6) [angular; linear]
    joint_gap: float  # largest distance between anchors [m]
    joint_angle_error: float  # largest angle between hinge axes [rad]
    work: float = 0.0  # done since the start by all that is not conservative: motors, damping, friction, stops [J]
    solves: int = 0  # joint position solves since the start, of engines that have them
    dead_points: int = 0  # steps in which loops could have continued in more than one way


WORK, SOLVES, DEAD_POINTS = range(3)  # places in Sight.account


class Sight(NamedTuple):
    """The world as an engine reports it after a step, into the same arrays every time."""

    q: Array  # (nq,)
    v: Array  # (nv,)
    position: Array  # (nb, 3) of the body origins
    rotation: Array  # (nb, 3, 3)
    twist: Array  # (nb, 6)
    errors: Array  # (2,) largest gap [m] and angle [rad] of the joints
    account: Array  # (3,) work [J], position solves, dead points since the start

    def take(self, r: Reading) -> None:
        for mine, given in zip(self, (r.q, r.v, r.position, r.rotation, r.twist), strict=False):
            mine[...] = given
        self.errors[:] = r.joint_gap, r.joint_angle_error
        self.account[:] = r.work, r.solves, r.dead_points

    def reading(self) -> Reading:
        """A copy that stays."""
        gap, angle = self.errors.tolist()
        work, solves, dead = self.account.tolist()
        q, v, position, rotation, twist = (array.copy() for array in self[:5])
        return Reading(q, v, position, rotation, twist, gap, angle, work, int(solves), int(dead))


def new_sight(nq: int, nv: int, nb: int) -> Sight:
    poses = np.zeros((nb, 3)), np.zeros((nb, 3, 3)), np.zeros((nb, 6))
    return Sight(np.zeros(nq), np.zeros(nv), *poses, np.zeros(2), np.zeros(3))


@dataclass(frozen=True)
class Stepper:
    """How compiled code steps an engine: two entries, and the arguments of each that stay.

    advance(*given, tau, wrench, time, h, n) returns (status, where, steps done); look(*seen) reports the world.
    """

    advance: Any
    given: tuple[Any, ...]
    look: Any
    seen: tuple[Any, ...]


@dataclass(frozen=True)
class Pull:
    """The mouse spring as it acted: the grabbed point, where it is pulled to, and the force."""

    body: int
    point: Array  # (3,) world
    anchor: Array  # (3,) world
    force: Array  # (3,) [N]


@dataclass(frozen=True)
class Acting:
    """What acts on the bodies at an instant, beside gravity and the mouse."""

    tau: Array  # (nv,) joint forces of controllers, limits applied, and of the scene's inputs
    wrench: Array  # (n_body, 6) [torque; force] of the inputs about the centres of mass, world axes
    loads: Array | None  # (n_joint, 6) what each joint exerts on its child, at its frame; None: the engine is silent


@dataclass(frozen=True)
class Figures:
    """How one engine fares since a comparison began; distances are from the yardstick [rad, m], see sim/apart.py."""

    backend: str
    integrator: str
    dt: float  # [s]
    since: float  # when it began to be compared [s]; all that follows is from then on
    cost: float  # processor time of a step of the leading world [s]
    speed: float  # simulated time by processor time
    energy_drift: float  # sim/ledger.py, the largest of all accounts
    gap: float  # the largest between two halves of a joint [m]
    apart: float  # now
    apart_most: float  # the largest that was seen
    apart_first: float  # when it was first more than the tolerance [s], until now; nan: never


@dataclass(frozen=True)
class Beside:
    """An engine that runs beside the leading one, as it is now."""

    name: str  # of its lane
    position: Array  # (n_body, 3)
    rotation: Array  # (n_body, 3, 3)
    stopped: str  # why it could not go on, or ""
    figures: Figures


@dataclass(frozen=True)
class Snapshot:
    """What one frame draws and plots: immutable, published by reference."""

    scene_id: int  # changes when another scene is loaded
    backend: str
    solver: str
    stabilise: str
    gravity: tuple[float, float, float]  # [m/s²]
    dt: float
    step: int
    time: float
    running: bool
    speed: float  # wanted: simulated seconds a second
    real_time_factor: float  # reached
    q: Array
    v: Array
    position: Array  # (n_body, 3)
    rotation: Array  # (n_body, 3, 3)
    twist: Array  # (n_body, 6)
    frames: Array  # (n_frame, 3) positions of the scene's frames
    targets: Array  # (n_target, 3)
    torques: Mapping[str, Array]  # by controller name, (nv,)
    kinetic: float
    potential: float
    joint_gap: float
    joint_angle_error: float
    step_time: float  # median processor time of a step [s]
    integrator: str = ""  # how the engine steps, by name
    reach: tuple[float, float] = (0.0, 0.0)  # the moments that can be gone to exactly: from, to [s]
    beside: tuple[Beside, ...] = ()  # in a comparison: the other engines
    lead: Figures | None = None  # and how the leading one fares
    tolerance: float = 1e-3  # from which on two are apart [rad, m]
    pull: Pull | None = None
    acting: Acting | None = None  # only for who asked (`WatchForces`)
    controllers: Mapping[str, bool] = field(default_factory=dict)  # name -> switched on
    gains: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    joint_targets: Mapping[str, Array] = field(default_factory=dict)  # by controller name, (nq,)
