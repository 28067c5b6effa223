"""What the Inspector tells, against independent computations."""

from __future__ import annotations

import ast
import math

import numpy as np
import pytest

from app.inspection import Row, pose, quaternion, rotation_vector, sections
from app.selection import Selection, carrying_joint
from app.stage import load_stage
from app.widgets.joint_targets import degrees_of, held_q
from app.widgets.value_row import FIGURE_SPACE, number_text
from sim.spatial.rotation import axis_angle_to_matrix, quat_to_matrix


def random_rotations(count):
    rng = np.random.default_rng(5)
    quats = rng.normal(size=(count, 4))
    quats /= np.linalg.norm(quats, axis=1, keepdims=True)
    return [quat_to_matrix(q) for q in quats]


HALF_TURNS = [np.diag(d) for d in ((1.0, -1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, -1.0, 1.0))]


@pytest.mark.parametrize("R", [np.eye(3), *HALF_TURNS, *random_rotations(20)])
def test_quaternions_and_rotation_vectors_give_the_rotation_back(R):
    quat, vector = np.array(quaternion(R)), np.array(rotation_vector(R))
    assert quat[0] >= 0 and np.linalg.norm(quat) == pytest.approx(1.0)
    assert quat_to_matrix(quat) == pytest.approx(R, abs=1e-12)
    angle = np.linalg.norm(vector)
    assert angle <= math.pi + 1e-12
    axis = vector / angle if angle > 0 else np.array([0.0, 0.0, 1.0])
    assert axis_angle_to_matrix(axis, angle) == pytest.approx(R, abs=1e-9)


def test_every_body_of_every_kind_has_its_numbers():
    for name in ("arm_reach", "ball_arm", "free_body", "slider_crank", "four_bar"):
        stage = load_stage(name)
        for body in range(len(stage.scene.bodies)):
            joint = carrying_joint(stage.model, body)
            assert stage.model.joint_child[joint] == body
            shown = sections(stage, stage.rest, Selection(body=body))
            rows = [row for section in shown for row in section.rows]
            assert all(row.values or row.note for row in rows), name
            assert all(row.tip for row in rows)
            assert [r.values for r in rows if r.name == "Mass"] == [(stage.scene.bodies[body].mass,)]
            assert pose(Selection(body=body), stage.rest)[:3] == tuple(stage.rest.position[body])


def test_degrees_are_shown_and_radians_copied():
    row = Row("Angle", (math.pi / 3,), "rad", "")
    assert row.shown(True) == ((pytest.approx(60.0),), "°") and row.shown(False) == ((math.pi / 3,), "rad")
    assert ast.literal_eval(row.python()) == [math.pi / 3]
    assert Row("Spin", (1.0,), "rad/s", "").shown(True) == ((pytest.approx(math.degrees(1)),), "°/s")
    assert Row("Force", (1.0,), "N", "").shown(True) == ((1.0,), "N")


def test_a_target_tells_how_far_its_tool_is():
    stage = load_stage("arm_reach")
    [section] = sections(stage, stage.rest, Selection(target=0))
    values = {row.name: np.array(row.values) for row in section.rows}
    assert values["Distance"][0] == pytest.approx(np.linalg.norm(values["Position"] - values["Tool"]))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0000"),
        (-0.12346, "−0.1235"),
        (12.3456, "12.346"),
        (12345.6, "12346"),
        (1e-7, "1.0e−7"),
        (-0.0, "0.0000"),
    ],
)
def test_numbers_have_seven_places(value, text):
    assert number_text(value).strip(FIGURE_SPACE) == text and len(number_text(value)) == 7


@pytest.mark.parametrize("power", range(-12, 4))
@pytest.mark.parametrize("mantissa", [1.0, -2.4183, 7.4435, 9.996])
def test_a_small_constant_keeps_its_digits_in_seven_places(power, mantissa):
    value = mantissa * 10.0**power
    text = number_text(value, constant=True)
    assert len(text) == 7
    enough = 0.005 if value > 0 and power >= -9 else 0.05 if value > 0 or power >= -9 else 0.5
    assert float(text.replace("−", "-").strip(FIGURE_SPACE)) == pytest.approx(value, rel=enough)


def test_joint_targets_come_back_as_they_are_shown():
    rng = np.random.default_rng(2)
    for _ in range(20):
        vector = rng.normal(size=3)
        quat = np.array(held_q(list(vector)))
        shorter = vector * min(1.0, math.pi / np.linalg.norm(vector))
        assert rotation_vector(quat_to_matrix(quat)) == pytest.approx(shorter, abs=1e-9)
    assert held_q([0.0, 0.0, 0.0]) == (1.0, 0.0, 0.0, 0.0) and held_q([0.3]) == (0.3,)


def test_balls_have_three_sliders_and_hinges_one_from_stop_to_stop():
    ball = load_stage("ball_arm").model
    assert len(degrees_of(ball)) == 3 * len(ball.joint_names)
    arm = load_stage("arm_reach").model
    degrees = degrees_of(arm)
    assert [d.title for d in degrees] == list(arm.joint_names)
    for degree in degrees:
        if degree.stops:
            assert (degree.low, degree.high) == tuple(arm.joint_limits[degree.joint])
