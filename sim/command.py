"""What can be asked of a running world. Each is applied by the runner between two steps."""

from __future__ import annotations

from dataclasses import dataclass

from sim.scene import Quat, Scene, Vec3


@dataclass(frozen=True)
class Command:
    """Base of all commands."""


@dataclass(frozen=True)
class Play(Command):
    running: bool


@dataclass(frozen=True)
class StepOnce(Command):
    """Pauses and takes `count` steps."""

    count: int = 1


@dataclass(frozen=True)
class StepBack(Command):
    """Pauses and goes back `count` steps, exactly, as far as they are known; settings stay."""

    count: int = 1


@dataclass(frozen=True)
class GoTo(Command):
    """Pauses and goes to a moment that was, exactly: back, or forward again until something changes; settings stay."""

    time: float  # [s]; the nearest step that is known counts


@dataclass(frozen=True)
class Reset(Command):
    """Back to the start state; gains and switches stay."""


@dataclass(frozen=True)
class SetSpeed(Command):
    speed: float  # simulated seconds a second


@dataclass(frozen=True)
class SetTarget(Command):
    """Moves a target; its own path ends. Without a rotation it keeps its attitude."""

    target: str
    position: Vec3
    rotation: Quat | None = None


@dataclass(frozen=True)
class FollowPath(Command):
    """Lets a target move on its own path, or stops it where it is."""

    target: str
    on: bool


@dataclass(frozen=True)
class SetSwitch(Command):
    controller: str
    on: bool


@dataclass(frozen=True)
class SetGain(Command):
    controller: str
    gain: str
    value: float


@dataclass(frozen=True)
class SetJointTarget(Command):
    """What a controller of joints holds a joint at: one number, or wxyz of a ball."""

    controller: str
    joint: str
    q: tuple[float, ...]


@dataclass(frozen=True)
class SetBackend(Command):
    """Another engine from the same q and v."""

    backend: str


@dataclass(frozen=True)
class Compare(Command):
    """Lets other engines, or the "reference", run beside the leading one from where it is now; () ends that."""

    beside: tuple[str, ...]


@dataclass(frozen=True)
class SetTolerance(Command):
    """From which distance on two engines are told to be apart."""

    tolerance: float  # [rad, m], sim/apart.py


@dataclass(frozen=True)
class SetSolver(Command):
    """Another of SOLVERS from the same q and v."""

    solver: str


@dataclass(frozen=True)
class SetStabilisation(Command):
    """Another of STABILISATIONS from the same q and v."""

    stabilise: str


@dataclass(frozen=True)
class SetIntegrator(Command):
    """Another of the engine's INTEGRATORS from the same q and v."""

    integrator: str


@dataclass(frozen=True)
class SetStep(Command):
    """Another step size from here on."""

    dt: float  # [s]


@dataclass(frozen=True)
class SetGravity(Command):
    gravity: Vec3  # [m/s²]


@dataclass(frozen=True)
class PullBody(Command):
    """The mouse spring: from `point` (body axes, from the body origin) to `anchor` (world)."""

    body: str
    point: Vec3
    anchor: Vec3


@dataclass(frozen=True)
class ReleaseBody(Command):
    """Lets go of the mouse spring."""


@dataclass(frozen=True)
class WatchForces(Command):
    """Asks for snapshots that tell what acts (`Snapshot.acting`), or for plain ones again."""

    on: bool


@dataclass(frozen=True)
class WatchCauses(Command):
    """Asks for torques by cause in the history (sim/causes.py), from the next step on, or for no more of them."""

    on: bool


@dataclass(frozen=True)
class LoadScene(Command):
    """A scene already read from its file, and what to set in it before it runs; compiled on the physics thread."""

    scene: Scene
    settings: tuple[Command, ...] = ()


@dataclass(frozen=True)
class Record(Command):
    """Asks for a snapshot in `runner.frames` every 1/fps simulated seconds (None: no more).

    While `most_waiting` of them are not done with, as `runner.frames_done` counts them, a running world waits.
    """

    fps: float | None
    most_waiting: int = 600


@dataclass(frozen=True)
class TellRun(Command):
    """Asks for everything that led from the beginning to now (sim/past.py: RunTold)."""


@dataclass(frozen=True)
class Event:
    """Base of what the runner reports back."""


@dataclass(frozen=True)
class Applied(Event):
    step: int
    command: Command
    inverse: Command | None


@dataclass(frozen=True)
class Refused(Event):
    command: Command
    sentence: str


@dataclass(frozen=True)
class Loaded(Event):
    """A scene runs; `scene_id` is what its snapshots carry."""

    scene: Scene
    scene_id: int


@dataclass(frozen=True)
class Busy(Event):
    """Something takes longer: a sentence to show, or "" when it is done."""

    sentence: str


@dataclass(frozen=True)
class Told(Event):
    """Something that people should know and nobody asked for."""

    sentence: str


@dataclass(frozen=True)
class Stopped(Event):
    """The world stopped by itself (divergence); the last good state stands."""

    reason: str
