"""Arms by modified Denavit–Hartenberg tables: the same as multiplying out the rows, and every mistake at its line."""

from __future__ import annotations

from math import pi
from pathlib import Path

import numpy as np
import pytest

from sim.backend import BackendError, create
from sim.files import load, read_scene
from sim.model import compile_model
from sim.robot import Robot
from sim.scene import SceneError

ARM = """\
[dh.arm]
position = [0.1, 0.2, 0.3]
rotation = { axis = [1, 2, 3], angle = 0.7 }
tool = { name = "tip", alpha = 0.4, d = 0.05, theta = 0.2, r = 0.1 }

[[dh.arm.link]]
name = "base"
joint = "yaw"
alpha = 0.3
d = 0.1
theta = 0.2
r = 0.4
mass = 3
center = [0.01, 0.02, -0.1]
inertia = [0.2, 0.2, 0.1]
inertia_about = "origin"
limits = [-2, 2]

[[dh.arm.link]]
name = "rail"
type = "slider"
alpha = -0.9
d = 0.25
theta = 1.1
r = -0.15
mass = 1
damping = 0.5

[[dh.arm.link]]
name = "hand"
alpha = 1.4
mass = 0.7
rotor_inertia = 1e-4
gear = 50
q = 0.2
"""
ROWS = ((0.3, 0.1, 0.2, 0.4), (-0.9, 0.25, 1.1, -0.15), (1.4, 0.0, 0.0, 0.0))


def written(folder: Path, text: str) -> Path:
    path = folder / "arm.toml"
    path.write_text(text, encoding="utf8")
    return path


def row(alpha: float, d: float, theta: float, r: float) -> np.ndarray:
    """Rot_x(α) Trans_x(d) Rot_z(θ) Trans_z(r), multiplied out."""
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    x = np.array([[1, 0, 0, d], [0, ca, -sa, 0], [0, sa, ca, 0], [0, 0, 0, 1.0]])
    return x @ np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, r], [0, 0, 0, 1.0]])


def test_frames_are_the_product_of_the_rows(tmp_path: Path) -> None:
    robot = Robot(read_scene(written(tmp_path, ARM)))
    assert robot.joint_names == ("yaw", "rail", "hand")
    base = np.eye(4)
    K = np.array([[0, -3, 2], [3, 0, -1], [-2, 1, 0]]) / np.sqrt(14)
    base[:3, :3] = np.eye(3) + np.sin(0.7) * K + (1 - np.cos(0.7)) * K @ K
    base[:3, 3] = (0.1, 0.2, 0.3)
    for q in np.random.default_rng(0).uniform(-2, 2, (10, 3)):
        (a1, d1, t1, r1), (a2, d2, t2, r2), (a3, d3, t3, r3) = ROWS
        expected = base @ row(a1, d1, t1 + q[0], r1)
        np.testing.assert_allclose(robot.pose("base", q), expected, atol=1e-14)
        expected = expected @ row(a2, d2, t2, r2 + q[1]) @ row(a3, d3, t3 + q[2], r3)
        np.testing.assert_allclose(robot.pose("hand", q), expected, atol=1e-14)
        np.testing.assert_allclose(robot.pose("tip", q), expected @ row(0.4, 0.05, 0.2, 0.1), atol=1e-14)


def test_rows_carry_what_bodies_and_joints_have(tmp_path: Path) -> None:
    scene = read_scene(written(tmp_path, ARM))
    model = compile_model(scene)
    assert [j.kind for j in scene.joints] == ["hinge", "slider", "hinge"]
    assert scene.joints[0].limits == (-2, 2) and scene.joints[1].damping == 0.5
    assert model.dof_rotor[2] == pytest.approx(0.25)
    assert model.q0[2] == 0.2
    # About the origin: I + m (c² 1 − c cᵀ) is what was given.
    c = np.array([0.01, 0.02, -0.1])
    about_origin = model.body_inertia[0] + 3 * (c @ c * np.eye(3) - np.outer(c, c))
    np.testing.assert_allclose(about_origin, np.diag([0.2, 0.2, 0.1]), atol=1e-15)


def test_links_are_drawn_from_joint_to_joint(tmp_path: Path) -> None:
    """Every drawn part is as long as what it stands for, and a body without a tensor weighs what it shows."""
    scene = load("arm_6r")
    upper = [s for s in scene.bodies[1].shapes if s.kind == "capsule"]
    assert [s.size[1] for s in upper] == pytest.approx([0.7])
    assert all(any(s.kind == "cylinder" for s in body.shapes) for body in scene.bodies)
    assert scene.base_shapes
    hand = read_scene(written(tmp_path, ARM)).bodies[2]
    assert np.linalg.eigvalsh(np.diag(hand.inertia[:3]))[0] > 0


def test_single_parts_may_be_changed_beside_the_table(tmp_path: Path) -> None:
    more = "\n[joint.yaw]\ndamping = 3\n\n[body.hand]\nshape = { sphere = 0.1 }\n\n[variant.bent.joint.rail]\nq = 0.4\n"
    path = written(tmp_path, ARM + more)
    scene = read_scene(path)
    assert scene.joints[0].damping == 3 and scene.joints[0].limits == (-2, 2)
    assert [s.kind for s in scene.bodies[2].shapes] == ["sphere"]
    assert read_scene(path, "bent").joints[1].q == (0.4,)


MISTAKES = {
    "unknown key": ("theta = 1.1", "thet = 1.1", 24, 'link 2 of dh "arm" has no key "thet"; did you mean "theta"?'),
    "name twice": ('name = "rail"', 'name = "base"', 20, 'name is "base", which another link has already'),
    "no name": ('name = "rail"\n', "", 19, '"name" is missing'),
    "no mass": ("mass = 0.7\n", "", 29, '"mass" is missing'),
    "text for a number": ("alpha = -0.9", 'alpha = "left"', 22, "alpha is the text"),
    "about what": ('"origin"', '"elbow"', 16, "expected center or origin"),
    "negative damping": ("damping = 0.5", "damping = -1", 27, "damping is -1; expected 0 or more"),
    "impossible": (
        "center = [0.01, 0.02, -0.1]",
        "center = [0, 0, -0.3]",
        15,
        "moved from the frame's origin to the centre of mass, has principal moments -0.07",
    ),
    "no rows": (ARM[ARM.index("[[") :], "", 1, '"link" is missing'),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_sentence_at_its_line(name: str, tmp_path: Path) -> None:
    before, after, line, words = MISTAKES[name]
    assert before in ARM
    path = written(tmp_path, ARM.replace(before, after, 1))
    with pytest.raises(SceneError) as problem:
        read_scene(path)
    sentence = str(problem.value)
    assert sentence.startswith(f"{path}:{line}: "), sentence
    assert words in sentence and "\n" not in sentence


def test_the_first_link_of_the_six_axis_arm_is_impossible_about_its_origin(tmp_path: Path) -> None:
    """0.8 − 15 · 0.25² < 0: the table's own reading, which the scene says it does not take."""
    path = Path(load("arm_6r").path or "")
    text = path.read_text(encoding="utf8")
    tensor = "inertia = [0.8, 0.8, 0.1, 0, 0.05, 0]\n"
    assert tensor in text
    with pytest.raises(SceneError, match=r"link 1 of .*: inertia, moved .* has principal moments -0\.1476, -0\.1375"):
        read_scene(written(tmp_path, text.replace(tensor, tensor + 'inertia_about = "origin"\n')))


def test_the_arm_starts_within_its_limits() -> None:
    for joint in load("arm_6r").joints:
        assert joint.limits is not None
        assert joint.limits[0] - 1e-12 <= joint.q[0] <= joint.limits[1] + 1e-12
        assert joint.torque_limit == 5 * joint.gear
    assert load("arm_6r").joints[0].limits == (-pi, 0)


def test_point_masses_are_refused_by_engines_that_turn_bodies() -> None:
    model = compile_model(load("planar_2r"))
    with pytest.raises(BackendError, match=r'"link1" has no moment of inertia .* variant rods has inertia') as problem:
        create("impulse", model)
    assert "\n" not in str(problem.value)
    create("impulse", compile_model(load("planar_2r:rods"))).close()
