"""Plausibility of scenes that were built in Python, without any file."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan, pi

import numpy as np
import pytest

from sim.check import check
from sim.model import compile_model
from sim.scene import (
    Body,
    CameraSpec,
    CirclePath,
    ControllerSpec,
    FormulaPath,
    Frame,
    Input,
    Joint,
    LinePath,
    Pose,
    Scene,
    SceneError,
    Shape,
    Target,
    WaypointPath,
)
from sim.spatial.rotation import axis_angle_to_matrix

BALL = Body("ball", 1.0, (0.0, 0.0, 0.0), (0.1, 0.1, 0.1, 0.0, 0.0, 0.0), (Shape("sphere", (0.1,)),))
ROD = replace(BALL, name="rod", shapes=())
HINGE = Joint("pivot", "hinge", "world", "rod", limits=(-1.0, 1.0))
SCENE = Scene(
    "test",
    "Test",
    bodies=(BALL, ROD),
    joints=(HINGE,),
    frames=(Frame("tool", "rod"),),
    targets=(Target("goal", (0.0, 0.0, 1.0), "tool", CirclePath(0.1, 2.0)),),
    controllers=(ControllerSpec("reach", "jacobian_transpose", target="goal"),),
)


def with_body(**changes: object) -> Scene:
    return replace(SCENE, bodies=(replace(BALL, **changes), ROD))


def with_joint(**changes: object) -> Scene:
    return replace(SCENE, joints=(replace(HINGE, **changes),))


def with_ball(**changes: object) -> Scene:
    return with_joint(kind="ball", limits=None, **changes)


def with_input(**changes: object) -> Scene:
    return replace(SCENE, inputs=(replace(Input("push", joint="pivot", torque=("sin(t)",)), **changes),))


def on_body(**changes: object) -> Scene:
    return replace(SCENE, inputs=(replace(Input("push", body="ball", force=(0.0, 0.0, "t")), **changes),))


def with_target(**changes: object) -> Scene:
    return replace(SCENE, targets=(replace(SCENE.targets[0], **changes),))


def with_controller(**changes: object) -> Scene:
    return replace(SCENE, controllers=(replace(SCENE.controllers[0], **changes),))


IMPLAUSIBLE = [
    (replace(SCENE, bodies=()), "", "the scene has no body"),
    (replace(SCENE, dt=0.0), "dt", "dt is 0 s"),
    (replace(SCENE, dt=nan), "dt", "dt is nan s"),
    (replace(SCENE, gravity=(0.0, 0.0, inf)), "gravity", "gravity contains inf"),
    (replace(SCENE, backend="ode"), "backend", "no such engine"),
    (replace(SCENE, plots=("energies",)), "plots.0", 'did you mean "energy"?'),
    (replace(SCENE, plots=("torque:pivto",)), "plots.0", 'no such joint; did you mean "pivot"?'),
    (replace(SCENE, plots=("energy:pivot",)), "plots.0", "only joint_angle, joint_speed and torque can be"),
    (replace(SCENE, bodies=(BALL, BALL, ROD)), "body.ball", 'body "ball" has the name of'),
    (with_body(name=""), "body.", "empty name"),
    (with_joint(name="ball"), "joint.ball", "a free body's own joint"),
    (with_body(mass=0.0), "body.ball.mass", "mass is 0 kg; expected a number above 0"),
    (with_body(mass=1e-30), "body.ball.mass", "mass is 1e-30 kg; expected at least 1e-09 kg"),
    (with_body(mass=nan), "body.ball.mass", "expected a finite number"),
    (with_body(mass=1e300), "body.ball.mass", "expected a finite number"),
    (with_body(center=(0.0, nan, 0.0)), "body.ball.center", "center contains nan"),
    (with_body(inertia=(1.0, 1.0, 1.0)), "body.ball.inertia", "inertia has 3 numbers; expected 6"),
    (with_body(inertia=(1.0, 1.0, -1.0, 0.0, 0.0, 0.0)), "body.ball.inertia", "principal moments -1, 1 and 1"),
    (with_body(inertia=(1.0, 1.0, 2.1, 0.0, 0.0, 0.0)), "body.ball.inertia", "expected none above the sum"),
    (with_body(velocity=(0.0, 0.0, 0.0)), "body.ball.velocity", "velocity has 3 numbers; expected 6"),
    (with_body(pose=Pose(rotation=(2.0, 0.0, 0.0, 0.0))), "body.ball.rotation", "quaternion of length 2"),
    (with_body(shapes=(Shape("cone", (1.0,)),)), "body.ball.shapes.0", 'shape 1 of body "ball" is a "cone"'),
    (with_body(shapes=(Shape("box", (1.0,)),)), "body.ball.shapes.0.box", "box has 1 number; expected 3"),
    (with_body(shapes=(Shape("box", (1.0, 0.0, 1.0)),)), "body.ball.shapes.0.box", "box is 0 m"),
    (with_body(shapes=(Shape("sphere", (1e-9,)),)), "body.ball.shapes.0.sphere", "expected 1e-06 to 1e+06 m"),
    (with_body(shapes=(Shape("sphere", (1.0,), color="red"),)), "body.ball.shapes.0.color", 'color is "red"'),
    (replace(SCENE, base_shapes=(Shape("box", ()),)), "world.shapes.0.box", "shape 1 of the world: box has 0 numbers"),
    (replace(SCENE, bodies=(BALL, replace(ROD, velocity=(1.0,) * 6))), "body.rod.velocity", "only for free bodies"),
    (with_joint(kind="weld"), "joint.pivot.type", "no such joint type"),
    (with_joint(kind="free"), "joint.pivot.type", "a body without one is free"),
    (with_joint(parent="wrld"), "joint.pivot.parent", 'did you mean "world"?'),
    (with_joint(child="world", parent="rod"), "joint.pivot.child", "cannot move"),
    (with_joint(parent="rod"), "joint.pivot.child", "both"),
    (with_joint(axis=(0.0, 0.0, 0.0)), "joint.pivot.axis", "length 0"),
    (with_joint(axis=(0.0, nan, 0.0)), "joint.pivot.axis", "axis contains nan"),
    (with_joint(child_at=Pose((0.0, 0.0, inf))), "joint.pivot.child_position", "child_position contains inf"),
    (with_joint(q=(1.0, 2.0)), "joint.pivot.q", "q has 2 numbers; expected 1"),
    (with_joint(kind="ball", limits=None, q=(1.0, 1.0, 0.0, 0.0)), "joint.pivot.q", "quaternion of length 1.41421"),
    (with_joint(kind="fixed", limits=None, v=(1.0,)), "joint.pivot.v", "v has 1 number; expected 0"),
    (with_joint(damping=-1.0), "joint.pivot.damping", "damping is -1; expected 0 or more"),
    (with_joint(torque_limit=0.0), "joint.pivot.torque_limit", "torque_limit is 0"),
    (with_joint(limits=(1.0, -1.0)), "joint.pivot.limits", "the lower one first"),
    (with_joint(limits=(nan, 1.0)), "joint.pivot.limits", "limits contains nan"),
    (with_joint(kind="ball"), "joint.pivot.limits", "this is a ball joint; expected limits only on hinges and sliders"),
    (with_joint(friction=-1.0), "joint.pivot.friction", "friction is -1; expected 0 or more"),
    (with_joint(friction=nan), "joint.pivot.friction", "friction is nan"),
    (with_joint(rotor_inertia=-1.0), "joint.pivot.rotor_inertia", "expected 0 or more"),
    (with_joint(gear=0.0), "joint.pivot.gear", "gear is 0; expected a number above 0"),
    (with_ball(rotor_inertia=1.0), "joint.pivot.rotor_inertia", "only on hinges and sliders"),
    (with_ball(gear=2.0), "joint.pivot.gear", "only on hinges and sliders"),
    (with_joint(cone=1.0), "joint.pivot.cone", "this is a hinge joint; expected cone only on balls"),
    (with_joint(twist=(0.0, 1.0)), "joint.pivot.twist", "expected twist only on balls"),
    (with_ball(cone=0.0), "joint.pivot.cone", "cone is 0; expected radians from 0.001 to π"),
    (with_ball(cone=3.2), "joint.pivot.cone", "cone is 3.2"),
    (with_ball(cone=nan), "joint.pivot.cone", "cone is nan"),
    (with_ball(twist=(1.0, -1.0)), "joint.pivot.twist", "expected the lower one first"),
    (with_ball(twist=(-4.0, 1.0)), "joint.pivot.twist", "expected radians from -π to π"),
    (with_joint(restitution=1.1), "joint.pivot.restitution", "restitution is 1.1; expected 0 to 1"),
    (with_joint(limits=None, restitution=0.5), "joint.pivot.restitution", "expected limits, cone or twist"),
    (replace(SCENE, solver="dence"), "solver", 'no such solver; did you mean "dense"?'),
    (replace(SCENE, integrator="rk5"), "integrator", 'did you mean "rk4"?'),
    (replace(SCENE, stabilise="glue"), "stabilise", "expected rattle or feedback"),
    (with_input(joint=None), "input.push", "neither joint nor body is given"),
    (with_input(body="ball"), "input.push", "joint and body are both given"),
    (with_input(joint="pivto"), "input.push.joint", 'did you mean "pivot"?'),
    (with_input(torque=()), "input.push.torque", "torque has 0 numbers; expected 1"),
    (with_input(torque=(nan,)), "input.push.torque.0", "torque contains nan"),
    (with_input(torque=("2*x",)), "input.push.torque.0", 'torque contains "x"; expected numbers, t, pi'),
    (with_input(force=(1.0, 0.0, 0.0)), "input.push.force", "force is for bodies"),
    (with_input(at=(1.0, 0.0, 0.0)), "input.push.at", "at is for bodies"),
    (on_body(body="bull"), "input.push.body", 'did you mean "ball"?'),
    (on_body(torque=(1.0,)), "input.push.torque", "torque has 1 number; expected 3"),
    (on_body(force=(0.0, "t)", 0.0)), "input.push.force.1", "no formula"),
    (on_body(at=(0.0, inf, 0.0)), "input.push.at", "at contains inf"),
    (replace(SCENE, inputs=(Input("", joint="pivot", torque=(1.0,)),)), "input.", "empty name"),
    (replace(SCENE, frames=(Frame("tool", "hand"),)), "frame.tool.body", 'body names "hand"'),
    (with_target(frame="tip"), "target.goal.frame", "no such frame"),
    (replace(SCENE, frames=()), "target.goal.frame", "there is none"),
    (with_target(position=(nan, 0.0, 0.0)), "target.goal.position", "position contains nan"),
    (with_target(path=CirclePath(-1.0, 1.0)), "target.goal.path.circle", "circle is -1 m"),
    (with_target(path=CirclePath(1.0, 0.0)), "target.goal.path.period", "period is 0 s"),
    (with_target(path=CirclePath(1.0, 1.0, (0.0, 0.0, 0.0))), "target.goal.path.normal", "normal has length 0"),
    (with_target(path=LinePath((0.0, nan, 0.0), 1.0)), "target.goal.path.line", "line contains nan"),
    (with_target(path=WaypointPath((), 1.0)), "target.goal.path.waypoints", "waypoints is empty"),
    (with_target(path=WaypointPath(((0.0, inf, 0.0),), 1.0)), "target.goal.path.waypoints.0", "contains inf"),
    (with_target(path=FormulaPath(("x", 0.0, 0.0))), "target.goal.path.formula.0", 'contains "x"'),
    (with_target(rotation=(2.0, 0.0, 0.0, 0.0)), "target.goal.rotation", "quaternion of length 2"),
    (with_controller(torque={"pivot": (1.0,)}), "controller.reach.torque", "has no torque"),
    (with_controller(kind="torque", gains={}), "controller.reach", '"torque" is missing'),
    (with_controller(kind="torque", gains={}, torque={"pivot": (1.0, 2.0)}), "controller.reach.torque.pivot", "has 2"),
    (with_controller(kind="pid"), "controller.reach.type", "no such controller type"),
    (with_controller(target=None), "controller.reach", '"target" is missing'),
    (with_controller(target="gaol"), "controller.reach.target", 'did you mean "goal"?'),
    (with_controller(gains={"ki": 1.0}), "controller.reach.gains.ki", 'no gain "ki"'),
    (with_controller(gains={"kp": nan}), "controller.reach.gains.kp", "kp is nan; expected 0 to 3000 N/m"),
    (with_controller(joint_target={"pivto": (1.0,)}), "controller.reach.joint_target.pivto", 'did you mean "pivot"?'),
    (with_controller(joint_target={"pivot": (1.0, 2.0)}), "controller.reach.joint_target.pivot", "has 2 numbers"),
    (replace(SCENE, camera=CameraSpec(azimuth=nan)), "camera.azimuth", "azimuth contains nan"),
    (replace(SCENE, camera=CameraSpec(elevation=2.0)), "camera.elevation", "elevation is 2"),
    (replace(SCENE, camera=CameraSpec(distance=-1.0)), "camera.distance", "distance is -1 m"),
    (replace(SCENE, camera=CameraSpec(look_at=(0.0, 0.0))), "camera.look_at", "look_at has 2 numbers; expected 3"),
]


def test_a_plausible_scene_passes() -> None:
    check(SCENE)
    compile_model(SCENE)


@pytest.mark.parametrize(("scene", "where", "part"), IMPLAUSIBLE, ids=[f"{w} {p}" for _, w, p in IMPLAUSIBLE])
def test_the_implausible_is_refused_and_its_place_named(scene: Scene, where: str, part: str) -> None:
    with pytest.raises(SceneError) as caught:
        check(scene)

    assert part in str(caught.value)
    assert ".".join(caught.value.where) == where


def test_forces_drive_whatever_moves() -> None:
    check(with_input())
    check(on_body(torque=("t", 0.0, "-t"), at=(0.1, 0.0, 0.0)))
    fixed = replace(with_joint(kind="fixed", limits=None), inputs=with_input().inputs)
    with pytest.raises(SceneError, match='joint "pivot" is fixed; expected one that moves'):
        check(fixed)


def test_a_ring_of_bodies_hangs_together_and_its_first_body_is_free() -> None:
    ring = tuple(
        Joint(f"j{i}", "hinge", parent, child, Pose((1.0, 0.0, 0.0)), actuated=False)
        for i, (parent, child) in enumerate(["ab", "bc", "ca"])
    )
    bodies = (replace(ROD, name="a", pose=Pose((0.0, 0.0, 1.0))), replace(ROD, name="b"), replace(ROD, name="c"))
    model = compile_model(Scene("ring", "Ring", bodies=bodies, joints=ring))
    assert model.joint_names == ("a", "j0", "j1", "j2")
    assert model.joint_cut.tolist() == [False, False, False, True]
    with pytest.raises(SceneError, match="a free body's own joint"):
        check(Scene("ring", "Ring", bodies=bodies, joints=(*ring[:2], replace(ring[2], name="a"))))


def test_a_start_outside_the_limits_is_allowed() -> None:
    check(with_joint(q=(3.0,)))


def test_a_plate_is_just_possible_and_anything_flatter_is_not() -> None:
    """For a plate without thickness the triangle inequality is an equality."""
    R = axis_angle_to_matrix(np.array([1.0, 2.0, 3.0]), 0.7)

    def turned(moments: tuple[float, float, float]) -> Scene:
        i = R @ np.diag(moments) @ R.T
        return with_body(inertia=(i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]))

    check(turned((0.3, 0.5, 0.8)))
    with pytest.raises(SceneError, match=r"0\.3, 0\.5 and 0\.8"):
        check(turned((0.3, 0.5, 0.8 * (1 + 1e-8))))


def test_the_impossible_link_of_a_published_robot_is_found() -> None:
    """15 kg at 0.25 m from the frame in which the tensor diag(0.8, 0.8, 0.1), I_xz = 0.05 is given."""
    about_center = (0.8 - 15 * 0.25**2, 0.8 - 15 * 0.25**2, 0.1, 0.0, 0.05, 0.0)
    with pytest.raises(SceneError, match="expected none below 0"):
        check(with_body(mass=15.0, center=(0.0, 0.0, -0.25), inertia=about_center))


def test_looking_straight_down_is_allowed() -> None:
    check(replace(SCENE, camera=CameraSpec(elevation=pi / 2)))
