"""Closed loops at load, against the geometry of their mechanisms."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from sim.files import read_scene
from sim.model import Model, compile_model
from sim.rest import body_poses, rest_snapshot
from sim.scene import ControllerSpec, Joint, Pose, Scene, SceneError
from sim.simulation import Simulation
from sim.spatial.rotation import axis_angle_to_matrix, quat_to_matrix, rotation_exp
from tests.mechanisms import UP, four_bar, joint_frames, link, pin, slider_crank, with_joint

CLOSED = 1e-12
ANGLES = np.linspace(-3.1, 3.1, 50)


def gap(model: Model, name: str) -> float:
    x, _ = joint_frames(model, model.q0, name)
    return float(np.linalg.norm(x[1] - x[0]))


def circles_meet(a: np.ndarray, ra: float, b: np.ndarray, rb: float, side: float) -> np.ndarray:
    """Where two circles cross, left (+1) or right (−1) of the way from a to b: the law of cosines."""
    d = np.linalg.norm(b - a)
    along = (d * d + ra * ra - rb * rb) / (2 * d)
    across = np.sqrt(ra * ra - along * along)
    e = (b - a) / d
    return a + along * e + side * across * np.array([-e[1], e[0]])


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_four_bar_closes_where_the_law_of_cosines_says_on_the_guessed_side(side):
    G, a, b, c = 0.5, 0.2, 0.45, 0.4
    for crank in ANGLES:
        B = a * np.array([np.cos(crank), np.sin(crank)])
        C = circles_meet(B, b, np.array([G, 0.0]), c, side)
        coupler = np.arctan2(*(C - B)[::-1])
        rocker = np.arctan2(*(np.array([G, 0.0]) - C)[::-1])
        guess = coupler - crank + 0.3, rocker - coupler - 0.3
        model = compile_model(four_bar(crank, guess))
        assert gap(model, "ground") <= CLOSED
        assert model.q0[0] == crank
        p, _ = body_poses(model, model.q0)
        assert p[2, [0, 2]] == pytest.approx(C, abs=1e-11)
        assert p[:, 1] == pytest.approx(np.zeros(3), abs=CLOSED)
        absolute = model.q0[3]  # ground turns the rocker in the world
        assert np.exp(1j * absolute) == pytest.approx(np.exp(1j * rocker), abs=1e-10)


def test_a_parallelogram_stays_one():
    for crank in ANGLES:
        model = compile_model(four_bar(crank, (-crank + 0.1, crank - np.pi), (0.5, 0.2, 0.5, 0.2)))
        _, R = body_poses(model, model.q0)
        assert gap(model, "ground") <= CLOSED
        assert R[1] == pytest.approx(np.eye(3), abs=1e-7 if abs(np.sin(crank)) < 0.1 else 1e-11)


def test_a_piston_is_where_the_crank_puts_it():
    r, length = 0.15, 0.4
    for crank in ANGLES:
        model = compile_model(slider_crank(crank, (-crank, 0.0)))
        place = r * np.cos(crank) + np.sqrt(length**2 - (r * np.sin(crank)) ** 2)
        assert model.q0[3] == pytest.approx(place, abs=1e-12)
        x, F = joint_frames(model, model.q0, "slide")
        assert x[1, 1:] == pytest.approx([0.0, 0.0], abs=CLOSED)
        assert F[1] == pytest.approx(np.eye(3), abs=CLOSED)


def test_a_crank_as_long_as_its_rod_has_two_ways_to_close():
    """Either the piston is at 2 r cos t, or it stays at the origin and the rod lies on the crank."""
    r = 0.3
    for crank in np.linspace(0.2, 1.3, 50):
        away = compile_model(slider_crank(crank, (-2 * crank + 0.1, crank), r, r))
        folded = compile_model(slider_crank(crank, (np.pi - 0.1, -np.pi - crank), r, r))
        assert away.q0[3] == pytest.approx(2 * r * np.cos(crank), abs=1e-11)
        assert folded.q0[3] == pytest.approx(0.0, abs=1e-11)


def test_the_dead_point_is_found_exactly_where_the_branches_meet():
    r = 0.3
    assert "dead point" in compile_model(slider_crank(np.pi / 2, (-2.9, -0.3), r, r)).notes[0]
    assert "dead point" not in compile_model(slider_crank(np.pi / 2 - 0.05, (-2.9, -0.3), r, r)).notes[0]
    assert "dead point" in compile_model(four_bar(0.0, (0.0, np.pi), (0.5, 0.2, 0.5, 0.2))).notes[0]
    assert all("dead point" not in compile_model(four_bar(t, (0.5, -1.5))).notes[0] for t in ANGLES)


def test_a_loop_that_cannot_close_is_refused_with_the_gap_that_remains():
    """A coupler and a rocker that together are shorter than the way from the crank's end to the ground."""
    crank, short = 1.0, 0.1
    B = 0.2 * np.array([np.cos(crank), np.sin(crank)])
    remains = np.hypot(0.5 - B[0], B[1]) - 2 * short
    with pytest.raises(SceneError) as caught:
        compile_model(four_bar(crank, (0.5, -1.5), (0.5, 0.2, short, short)))
    assert f"a gap of {remains:.4g} m remains with crank at 1 rad" in str(caught.value)
    assert caught.value.where == ("joint", "ground")


def test_an_axis_that_cannot_be_reached_is_refused_with_its_angle():
    tilt = 0.1
    at = Pose((0.5, 0.0, 0.0), tuple(rotation_exp(np.array([tilt, 0.0, 0.0])).tolist()))
    with pytest.raises(SceneError, match=r"an angle of 0\.1 rad remains with crank at 1 rad"):
        compile_model(with_joint(four_bar(1.0, (0.5, -1.5)), "ground", at=at))


def test_a_loop_without_passive_joints_keeps_its_first_and_moves_the_others():
    scene = four_bar(1.0, (0.5, -1.5))
    driven = replace(scene, joints=tuple(replace(j, actuated=True) for j in scene.joints))
    assert compile_model(driven).q0.tobytes() == compile_model(scene).q0.tobytes()


def test_a_loop_in_which_nothing_may_move_says_so():
    scene = four_bar(1.0, (0.5, -1.5))
    locked = replace(scene, joints=tuple(replace(j, locked=True) for j in scene.joints))
    with pytest.raises(SceneError, match=r"crank at 1 rad, coupler at 0.5 rad and rocker at -1.5 rad"):
        compile_model(locked)


def test_a_closed_start_is_taken_as_it_is_and_the_note_speaks_of_the_cut_only():
    first = compile_model(four_bar(1.0, (0.5, -1.5)))
    assert first.notes[0].startswith('Joint "ground" closes a loop: the tree is cut there, and coupler and rocker were')
    guess = float(first.q0[1]), float(first.q0[2])
    again = compile_model(four_bar(1.0, guess))
    assert again.q0[:3].tobytes() == first.q0[:3].tobytes()
    assert again.notes == ('Joint "ground" closes a loop: the tree is cut there.',)


def test_a_guess_in_line_with_the_goal_still_closes():
    """Stretched along x towards the ground pivot, no small motion brings the end closer."""
    model = compile_model(four_bar(0.0, (0.0, 0.0), (0.5, 0.2, 0.45, 0.4)))
    assert gap(model, "ground") <= CLOSED


def test_no_joint_turns_further_than_it_must():
    """An equilateral triangle from three bars in a line: every corner turns by a third."""
    bars = tuple(link(name, 1.0) for name in "abc")
    corners = tuple(pin(f"{i}{j}", i, j, 1.0) for i, j in ("ab", "bc", "ca"))
    model = compile_model(Scene("triangle", "Triangle", bodies=bars, joints=corners))
    assert np.abs(model.q0[7:]) == pytest.approx(np.full(3, 2 * np.pi / 3), abs=1e-11)
    assert gap(model, "ca") <= CLOSED


def test_the_closing_hinge_counts_turns_from_the_given_angle():
    plain = compile_model(four_bar(1.0, (0.5, -1.5))).q0[3]
    for turns in (-2, 3):
        near = with_joint(four_bar(1.0, (0.5, -1.5)), "ground", q=(plain + 2 * np.pi * turns + 1.0,))
        assert compile_model(near).q0[3] == pytest.approx(plain + 2 * np.pi * turns, abs=1e-12)


def test_a_locked_closing_joint_holds_its_angle():
    """The rocker's angle in the world then decides the crank's."""
    wanted = compile_model(four_bar(0.9, (0.0, -1.5)))
    scene = with_joint(four_bar(0.7, (0.1, -1.6), actuated=False), "ground", locked=True, q=(float(wanted.q0[3]),))
    assert compile_model(scene).q0 == pytest.approx(wanted.q0, abs=1e-10)


def test_a_welded_loop_closes_in_place_and_rotation():
    """The rocker as two halves that a fixed joint joins: the same four-bar."""
    whole = compile_model(four_bar(1.0, (0.5, -1.5)))
    scene = four_bar(1.0, (0.5, -1.5))
    stub = pin("pivot", "world", "stub", 0.5, 2.0)
    weld = Joint("weld", "fixed", "stub", "rocker", Pose((0.2, 0.0, 0.0)), Pose((0.2, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0)))
    halves = replace(scene, bodies=(*scene.bodies, link("stub", 0.2)), joints=(*scene.joints[:3], stub, weld))
    model = compile_model(halves)
    x, F = joint_frames(model, model.q0, "weld")
    assert np.abs(x[1] - x[0]).max() <= CLOSED and np.abs(F[1] - F[0]).max() <= CLOSED
    assert model.q0[:3] == pytest.approx(whole.q0[:3], abs=1e-11)


def test_a_rod_between_two_balls_turns_the_rocker_by_the_closed_form():
    """Crank about z, rocker about y: |B − C(θ)| = l is α cos θ + β sin θ = γ."""
    a, c, rod, G = 0.2, 0.3, 0.6, 0.5
    guess = tuple(rotation_exp(np.array([0.1, -0.8, 0.2])).tolist())
    for t in ANGLES:
        joints = (
            Joint("crank", "hinge", "world", "crank", q=(float(t),)),
            Joint("rocker", "hinge", "world", "rocker", Pose((G, 0.1, 0.1)), axis=UP, q=(1.8,), actuated=False),
            Joint("near", "ball", "crank", "rod", Pose((a, 0.0, 0.0)), q=guess, actuated=False),
            Joint("far", "ball", "rocker", "rod", Pose((c, 0.0, 0.0)), Pose((rod, 0.0, 0.0)), actuated=False),
        )
        scene = Scene("rssr", "RSSR", bodies=(link("crank", a), link("rocker", c), link("rod", rod)), joints=joints)
        model = compile_model(scene)
        assert gap(model, "far") <= CLOSED
        B, D = a * np.array([np.cos(t), np.sin(t), 0.0]), np.array([G, 0.1, 0.1])
        e = B - D
        alpha, beta, gamma = 2 * c * e[0], 2 * c * e[2], e @ e + c * c - rod * rod
        theta = model.q0[1]
        assert alpha * np.cos(theta) + beta * np.sin(theta) == pytest.approx(gamma, abs=1e-12)
        _, F = joint_frames(model, model.q0, "far")
        far = model.q0[model.joint_q[3] : model.joint_q[4]]
        assert F[0] @ quat_to_matrix(far) == pytest.approx(F[1], abs=1e-12)


def test_start_velocities_are_those_of_the_closed_mechanism():
    """All q of two nearby closed poses differ by 2 h v, the closing joint's too."""
    h, speed = 1e-5, 3.0
    for build, guess in ((four_bar, (0.0, -2.0)), (slider_crank, (-1.2, 0.2))):
        model = compile_model(build(1.0, guess, v=(speed,)))
        near = tuple(model.q0[1:3].tolist())
        ahead, behind = (compile_model(build(1.0 + s * speed * h, near)).q0 for s in (1, -1))
        assert model.v0[0] == speed
        assert model.v0 == pytest.approx((ahead - behind) / (2 * h), abs=1e-7)


def test_speeds_that_contradict_each_other_are_refused():
    closed = compile_model(four_bar(1.0, (0.5, -1.5)))
    guess = float(closed.q0[1]), float(closed.q0[2])
    scene = with_joint(four_bar(1.0, guess, v=(1.0,)), "rocker", actuated=True, v=(1.0,))
    with pytest.raises(SceneError, match="start velocity of crank and rocker") as caught:
        compile_model(scene)
    assert caught.value.where == ("joint", "ground")


def test_two_loops_that_share_bodies_close_together():
    """A four-bar with two more bars from the coupler's end to a second pivot: every bar keeps its length."""
    base = four_bar(0.8, (0.3, -1.5))
    more = (
        pin("arm", "coupler", "arm", 0.3, -1.0),
        pin("lever", "arm", "lever", 0.3, -1.0),
        pin("second", "world", "lever", 0.35, child_at=Pose((0.25, 0.0, 0.0))),
    )
    scene = replace(base, bodies=(*base.bodies, link("arm", 0.3), link("lever", 0.25)), joints=(*base.joints, *more))
    model = compile_model(scene)
    assert gap(model, "ground") <= CLOSED and gap(model, "second") <= CLOSED
    assert len(model.notes) == 2
    alone = compile_model(base)
    assert model.q0[1:3] == pytest.approx(alone.q0[1:3], abs=1e-10), "the dyad has no say in the four-bar"


def test_loops_that_share_nothing_close_as_if_alone():
    base = four_bar(0.8, (0.3, -1.5))

    def named(text: str) -> str:
        return text if text == "world" else f"{text}2"

    twin = [replace(j, name=named(j.name), parent=named(j.parent), child=named(j.child)) for j in base.joints]
    bodies = (*base.bodies, *(replace(b, name=named(b.name)) for b in base.bodies))
    model = compile_model(replace(base, bodies=bodies, joints=(*base.joints, *twin)))
    alone = compile_model(base)
    assert model.q0[:4].tobytes() == model.q0[4:].tobytes() == alone.q0.tobytes()


def rhombus(**root: object) -> Scene:
    side = 0.3
    names = ("a", "b", "c", "d")
    bodies = tuple(link(name, side) for name in names)
    joints = tuple(pin(f"{i}{j}", i, j, side, 1.2) for i, j in pairwise(names))
    closing = pin("da", "d", "a", side)
    return Scene("rhombus", "Rhombus", bodies=(replace(bodies[0], **root), *bodies[1:]), joints=(*joints, closing))


def test_a_floating_ring_closes_and_stays_where_its_first_body_was_put():
    turn = tuple(rotation_exp(np.array([0.3, -0.4, 0.5])).tolist())
    model = compile_model(rhombus(pose=Pose((1.0, 2.0, 3.0), turn), velocity=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6)))
    assert model.joint_names[0] == "a" and model.joint_cut.tolist() == [False] * 4 + [True]
    assert model.q0[:7] == pytest.approx([1.0, 2.0, 3.0, *turn], abs=1e-15)
    assert model.v0 == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0, 0, 0, 0], abs=1e-15)
    assert gap(model, "da") <= CLOSED
    q = model.q0[7:10]
    assert q[0] == pytest.approx(q[2], abs=1e-11)
    assert q[0] + q[1] == pytest.approx(np.pi, abs=1e-11), "opposite sides of a rhombus are parallel"


def test_a_joint_between_two_free_trees_pulls_them_together():
    bodies = (link("a", 0.3), replace(link("c", 0.3), pose=Pose((0.0, 0.0, 0.5))), link("b", 0.3))
    joints = (pin("ab", "a", "b", 0.3, 0.3, actuated=True), Joint("cb", "hinge", "c", "b", axis=(1.0, 0.2, 0.1)))
    model = compile_model(Scene("pair", "Pair", bodies=bodies, joints=joints))
    x, F = joint_frames(model, model.q0, "cb")
    axis = model.joint_axis[3]
    assert np.abs(x[1] - x[0]).max() <= CLOSED
    assert F[1] @ axis == pytest.approx(F[0] @ axis, abs=CLOSED)
    assert model.q0[14] == 0.3
    assert model.notes[0].count("moved") == 1


def test_the_first_frame_shows_the_closed_loop():
    scene = four_bar(1.0, (0.5, -1.5))
    snapshot = rest_snapshot(scene)
    end = snapshot.position[2] + snapshot.rotation[2] @ (0.4, 0.0, 0.0)
    assert end == pytest.approx([0.5, 0.0, 0.0], abs=CLOSED)


BROKEN = """
[body.crank]
mass = 1.0
shape = { capsule = 0.01, from = [0, 0, 0], to = [0.2, 0, 0] }
[body.rocker]
mass = 1.0
shape = { capsule = 0.01, from = [0, 0, 0], to = [0.1, 0, 0] }
[joint.crank]
type = "hinge"
parent = "world"
child = "crank"
[joint.knee]
type = "hinge"
parent = "crank"
child = "rocker"
position = [0.2, 0, 0]
[joint.ground]
type = "hinge"
parent = "world"
child = "rocker"
position = [0.5, 0, 0]
child_position = [0.1, 0, 0]
"""


def test_a_file_with_a_loop_that_cannot_close_names_its_line(tmp_path: Path):
    (tmp_path / "broken.toml").write_text(BROKEN)
    with pytest.raises(SceneError, match=r'broken\.toml:17: joint "ground" cannot close its loop: a gap of 0\.2 m'):
        read_scene(tmp_path / "broken.toml")


@pytest.mark.parametrize("kind", ["gravity", "jacobian_transpose"])
def test_controllers_that_walk_a_tree_are_refused_on_a_loop(kind):
    from sim.scene import Frame, Target

    scene = replace(
        four_bar(1.0, (0.5, -1.5)),
        frames=(Frame("tip", "coupler"),),
        targets=(Target("goal", (0.0, 0.0, 0.0), "tip"),),
        controllers=(ControllerSpec("help", kind, target="goal" if kind == "jacobian_transpose" else None),),
    )
    with pytest.raises(SceneError, match=r'controller "help".*joint "ground" closes a loop') as caught:
        Simulation(scene)
    assert caught.value.where == ("controller", "help")


def test_axis_angle_and_exponential_agree():
    w = np.array([0.3, -0.8, 0.5])
    R = axis_angle_to_matrix(w, float(np.linalg.norm(w)))
    assert quat_to_matrix(rotation_exp(w)) == pytest.approx(R, abs=1e-15)
    assert rotation_exp(np.zeros(3)).tolist() == [1.0, 0.0, 0.0, 0.0]
