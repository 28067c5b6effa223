"""What people write and edit: a world in words, before it is flattened into arrays.

Everything here is frozen, in SI units and radians, z up. Quaternions are wxyz. `sim/files` reads and
writes these types, `sim/model.py` compiles them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Vec3 = tuple[float, float, float]
Quat = tuple[float, float, float, float]
Expression = float | str  # a number, or a function of time such as "2*sin(3*t)"

WORLD = "world"
ORIGIN: Vec3 = (0.0, 0.0, 0.0)
NO_ROTATION: Quat = (1.0, 0.0, 0.0, 0.0)

# Widths of a joint's coordinates q and velocities v (see `Joint`).
JOINT_WIDTHS = {"free": (7, 6), "ball": (4, 3), "hinge": (1, 1), "slider": (1, 1), "fixed": (0, 0)}
# How the impulse engine solves for its joints: linearly along the tree, or by the textbook's dense matrix.
SOLVERS = ("sparse", "dense")
# How it keeps joints together: exactly at every step, or by feedback of their velocities as the documents do.
STABILISATIONS = ("rattle", "feedback")
SHAPE_KINDS = ("box", "sphere", "cylinder", "capsule")


class SceneError(ValueError):
    """A mistake in a scene: one sentence with what, where and what was expected.

    `where` is the key path in the scene file, such as ("body", "turret", "mass"), from which the
    reader finds the line.
    """

    def __init__(self, sentence: str, where: tuple[str, ...] = ()) -> None:
        super().__init__(sentence)
        self.where = where


@dataclass(frozen=True)
class Pose:
    """A frame placed in another: p_AB and q_AB."""

    position: Vec3 = ORIGIN
    rotation: Quat = NO_ROTATION


@dataclass(frozen=True)
class Shape:
    """A solid primitive, seen and weighed; its own axis is z.

    size: box (x, y, z) full edges; sphere (radius,); cylinder and capsule (radius, length), the
    capsule's length being that of its straight part. `color` is a token of the theme
    (link, link2, base) or "#rrggbb".
    """

    kind: str
    size: tuple[float, ...]
    pose: Pose = Pose()
    color: str = "link"


@dataclass(frozen=True)
class Body:
    """A rigid body. `inertia` is (xx, yy, zz, xy, xz, yz) about the centre of mass in body axes [kg·m²].

    `pose` and `velocity` ([angular; linear] of the origin, world axes) count for bodies without a
    path to the world; the others are placed by their joints.
    """

    name: str
    mass: float
    center: Vec3
    inertia: tuple[float, float, float, float, float, float]
    shapes: tuple[Shape, ...] = ()
    pose: Pose = Pose()
    velocity: tuple[float, float, float, float, float, float] = (0.0,) * 6


@dataclass(frozen=True)
class Joint:
    """Connects `child` to `parent` (a body or "world").

    `at` places the joint frame in the parent, `child_at` in the child; at q = 0 both coincide. `axis`
    is in the joint frame; a ball's `cone` and `twist` are about it. q/v: hinge and slider one number
    each; ball wxyz of the child in the parent and the angular velocity in child axes; fixed nothing.

    In a closed loop the joints that are not `actuated` give way when the loop is assembled, q being
    their first guess.
    """

    name: str
    kind: str
    parent: str
    child: str
    at: Pose = Pose()
    child_at: Pose = Pose()
    axis: Vec3 = (0.0, 0.0, 1.0)
    q: tuple[float, ...] = ()
    v: tuple[float, ...] = ()
    damping: float = 0.0  # [N·m·s/rad] or [N·s/m], solved implicitly
    friction: float = 0.0  # Coulomb [N·m] or [N]; of a ball: of the whole torque
    rotor_inertia: float = 0.0  # [kg·m²] or [kg] of a motor that turns `gear` times as fast; hinge and slider
    gear: float = 1.0
    limits: tuple[float, float] | None = None  # [rad] or [m] of a hinge or slider
    cone: float | None = None  # [rad] of a ball: the largest angle between the axis on both sides
    twist: tuple[float, float] | None = None  # [rad] of a ball: turn about the axis
    restitution: float = 0.0  # of the stops: speed after over speed before
    locked: bool = False  # held at its q
    torque_limit: float | None = None  # [N·m] or [N], of all controllers together
    actuated: bool = True


@dataclass(frozen=True)
class Frame:
    """A named place on a body (or on the world): the tool of an arm."""

    name: str
    body: str
    pose: Pose = Pose()


@dataclass(frozen=True)
class CirclePath:
    """The target's own motion: a circle around its `position`, in the plane normal to `normal`."""

    radius: float
    period: float
    normal: Vec3 = (1.0, 0.0, 0.0)

    @property
    def words(self) -> str:
        return f"Radius {self.radius:g} m, once round in {self.period:g} s."


@dataclass(frozen=True)
class LinePath:
    """From its `position` straight to `to` and back, slowing down at both ends."""

    to: Vec3
    period: float

    @property
    def words(self) -> str:
        return f"There and back in {self.period:g} s."


@dataclass(frozen=True)
class WaypointPath:
    """From its `position` to each of the points and back to the start, in equal times, resting at each."""

    points: tuple[Vec3, ...]
    period: float

    @property
    def words(self) -> str:
        return f"{len(self.points) + 1} points, once round in {self.period:g} s."


@dataclass(frozen=True)
class FormulaPath:
    """x, y and z as functions of time [m]; `position` is where it stands when it does not move."""

    formula: tuple[Expression, Expression, Expression]

    @property
    def words(self) -> str:
        return ", ".join(f"{axis} = {x}" for axis, x in zip("xyz", self.formula, strict=True)) + "."


TargetPath = CirclePath | LinePath | WaypointPath | FormulaPath


@dataclass(frozen=True)
class Target:
    """A point that a frame should reach; dragged with the mouse or moving on its path.

    `rotation` is the attitude that controllers of whole poses turn the frame to.
    """

    name: str
    position: Vec3
    frame: str
    path: TargetPath | None = None
    rotation: Quat = NO_ROTATION


@dataclass(frozen=True)
class ControllerSpec:
    """A controller of `sim/control`, switched and tuned by its name in this scene.

    `gains` overrides the defaults of the controller's table; `joint_target` is what the controllers of
    joints hold, by joint name (empty: the start pose); `torque` what a controller of given torques gives,
    by joint name, as many as the joint has velocities.
    """

    name: str
    kind: str
    enabled: bool = True
    gains: dict[str, float] = field(default_factory=dict)
    target: str | None = None
    joint_target: dict[str, tuple[float, ...]] = field(default_factory=dict)
    torque: dict[str, tuple[Expression, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Input:
    """A force or torque as a function of time, on a joint or on a body.

    On a joint: `torque` (or force of a slider) along its velocities, as many as v has. On a body:
    `force` at the point `at` (body axes) and `torque`, both in world axes.
    """

    name: str
    joint: str | None = None
    body: str | None = None
    torque: tuple[Expression, ...] = ()
    force: tuple[Expression, Expression, Expression] = (0.0, 0.0, 0.0)
    at: Vec3 = ORIGIN


@dataclass(frozen=True)
class CameraSpec:
    """Where the view starts; None means: fitted to the scene."""

    azimuth: float | None = None
    elevation: float | None = None
    distance: float | None = None
    look_at: Vec3 | None = None


@dataclass(frozen=True)
class Scene:
    """A world and how to look at it."""

    name: str
    title: str
    summary: str = ""
    group: str = "My files"
    try_this: tuple[str, ...] = ()
    plots: tuple[str, ...] = ("energy", "joint_speed")
    gravity: Vec3 = (0.0, 0.0, -9.81)
    backend: str = "impulse"
    dt: float = 1e-3
    integrator: str | None = None  # of engines that have a choice; None: the engine's usual one
    solver: str = "sparse"  # of the impulse engine: SOLVERS
    stabilise: str = "rattle"  # of the impulse engine: STABILISATIONS
    bodies: tuple[Body, ...] = ()
    joints: tuple[Joint, ...] = ()
    frames: tuple[Frame, ...] = ()
    targets: tuple[Target, ...] = ()
    controllers: tuple[ControllerSpec, ...] = ()
    inputs: tuple[Input, ...] = ()
    base_shapes: tuple[Shape, ...] = ()  # drawn on the world, without mass
    camera: CameraSpec = CameraSpec()
    path: str | None = None  # the file it came from
    variant: str = ""  # which named set of changes was applied
    variants: tuple[str, ...] = ()  # those that the file offers

    @property
    def address(self) -> str:
        """What `sim.load` takes to read it again."""
        return (self.path or self.name) + (f":{self.variant}" if self.variant else "")

    def body(self, name: str) -> Body:
        return next(b for b in self.bodies if b.name == name)

    def joint(self, name: str) -> Joint:
        return next(j for j in self.joints if j.name == name)


def closing_joints(scene: Scene) -> tuple[str, ...]:
    """Names of the joints that close a loop, in the order of the scene.

    Every body hangs from the first listed joint whose child it is, unless that would close a ring.
    """
    parent_of: dict[str, str] = {}
    closing = []
    for joint in scene.joints:
        body = joint.parent
        while body in parent_of and body != joint.child:
            body = parent_of[body]
        if joint.child in parent_of or body == joint.child:
            closing.append(joint.name)
        else:
            parent_of[joint.child] = joint.parent
    return tuple(closing)
