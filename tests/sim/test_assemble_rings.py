"""Rings in space closed at load, and the Jacobian and velocities of what closes them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim.assemble import assemble
from sim.loops import closures, loops_of, rows
from sim.model import Model, compile_model
from sim.rest import body_poses
from sim.scene import Joint, Pose, Scene
from sim.spatial.rotation import matrix_to_quat, quat_to_matrix, rotation_exp, rotation_vector
from tests.mechanisms import link, with_joint
from tests.worlds import quaternion

CLOSED = 1e-12
ANGLES = np.linspace(-3.1, 3.1, 50)


def bennett(theta: float, guess: tuple[float, float], alpha: float, beta: float, a: float = 0.3) -> Scene:
    """Four hinges that move although they should not: opposite links equal, a / sin α = b / sin β."""
    b = a * np.sin(beta) / np.sin(alpha)

    def end(length: float, twist: float) -> Pose:
        return Pose((length, 0.0, 0.0), tuple(rotation_exp(np.array([twist, 0.0, 0.0])).tolist()))

    joints = (
        Joint("j1", "hinge", "world", "l1", q=(theta,)),
        Joint("j2", "hinge", "l1", "l2", end(a, alpha), q=(guess[0],), actuated=False),
        Joint("j3", "hinge", "l2", "l3", end(b, beta), q=(guess[1],), actuated=False),
        Joint("j4", "hinge", "world", "l3", end(-b, -beta), end(a, alpha), actuated=False),
    )
    return Scene("bennett", "Bennett", bodies=(link("l1", a), link("l2", b), link("l3", a)), joints=joints)


def test_a_bennett_ring_moves_by_its_own_law():
    """tan(θ1/2) tan(θ2/2) = sin((β + α)/2) / sin((β − α)/2), and opposite angles are opposite (Bennett 1903)."""
    alpha, beta = 0.7, 1.2
    ratio = np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2)
    for theta in np.linspace(0.3, 2.8, 20):
        expected = 2 * np.arctan(ratio / np.tan(theta / 2))
        model = compile_model(bennett(theta, (expected + 0.05, -theta + 0.05), alpha, beta))
        (at,) = closures(model, loops_of(model), model.q0)
        part = rows(model, loops_of(model)[0], at)
        assert max(np.abs(part.gap).max(), np.abs(part.turn).max()) <= CLOSED
        assert model.q0[1:3] == pytest.approx([expected, -theta], abs=1e-10)
        assert "dead point" not in model.notes[0]


def random_ring(seed: int, n: int, closing: str, floating: bool = False) -> tuple[Scene, np.ndarray]:
    """n bodies on hinges (and a slider and a ball) closed at a random pose; and that pose's coordinates."""
    rng = np.random.default_rng(seed)
    kinds = ["hinge"] * n
    if n == 5:
        kinds[2], kinds[3] = "ball", "slider"
    names = [f"b{i}" for i in range(n)]
    bodies = tuple(link(name, 0.3) for name in names)
    joints = []
    for i, kind in enumerate(kinds):
        if floating and i == 0:
            continue
        at = Pose(tuple(rng.normal(size=3) * 0.3), quaternion(rng))
        q = quaternion(rng) if kind == "ball" else (float(rng.uniform(-1, 1)),)
        parent = names[i - 1] if i else "world"
        axis = tuple(rng.normal(size=3).tolist())
        joints.append(Joint(f"j{i}", kind, parent, names[i], at, axis=axis, q=q, actuated=i == 0))
    open_chain = Scene("ring", "Ring", bodies=bodies, joints=tuple(joints))
    model = compile_model(open_chain)
    p, R = body_poses(model, model.q0)
    child_at = Pose(tuple(rng.normal(size=3) * 0.2), quaternion(rng))
    x, F = p[-1] + R[-1] @ child_at.position, R[-1] @ quat_to_matrix(np.array(child_at.rotation))
    parent = "b0" if floating else "world"
    if floating:
        x, F = R[0].T @ (x - p[0]), R[0].T @ F
    at = Pose(tuple(x.tolist()), tuple(matrix_to_quat(F).tolist()))
    axis = tuple(rng.normal(size=3).tolist())
    closing_joint = Joint("last", closing, parent, names[-1], at, child_at, axis, actuated=False)
    return replace(open_chain, joints=(*joints, closing_joint)), model.q0


def disturbed(scene: Scene, amount: float, seed: int) -> Scene:
    rng = np.random.default_rng(seed)

    def shaken(joint: Joint) -> Joint:
        if joint.kind == "ball" and joint.q:
            q = np.array(joint.q) + amount * rng.normal(size=4)
            return replace(joint, q=tuple((q / np.linalg.norm(q)).tolist()))
        return replace(joint, q=(joint.q[0] + amount * float(rng.normal()),)) if joint.q else joint

    return replace(scene, joints=tuple(j if j.actuated else shaken(j) for j in scene.joints))


@pytest.mark.parametrize("closing", ["hinge", "slider", "ball", "fixed"])
@pytest.mark.parametrize("n", [5, 6, 7])
def test_spatial_rings_close_from_near_a_closed_pose(n, closing):
    for seed in range(5):
        scene, q = random_ring(seed, n, closing)
        model = compile_model(disturbed(scene, 0.02, seed))
        (at,) = closures(model, loops_of(model), model.q0)
        part = rows(model, loops_of(model)[0], at)
        assert max(np.abs(part.gap).max(), np.abs(part.turn).max(initial=0.0)) <= CLOSED
        assert model.q0[0] == q[0]


def test_a_seven_hinge_ring_returns_to_the_pose_its_first_joint_decides():
    """7 − 6 = 1 freedom: with one joint held the pose is isolated."""
    scene, q = random_ring(3, 6, "hinge")
    assert compile_model(disturbed(scene, 0.01, 1)).q0[:6] == pytest.approx(q, abs=1e-9)


def test_the_jacobian_of_every_kind_of_closing_joint_is_the_difference_quotient():
    from sim.assemble import _moved

    for closing in ("hinge", "slider", "ball", "fixed"):
        for locked in (False, True):
            scene = with_joint(random_ring(1, 5, closing, floating=True)[0], "last", locked=locked)
            scene = disturbed(scene, 0.3, 2)
            flat = unclosed(scene)
            (loop,) = loops_of(flat)

            def residual(q: np.ndarray) -> np.ndarray:
                part = rows(flat, loop, closures(flat, [loop], q)[0])  # noqa: B023
                return np.concatenate([part.gap, part.turn])

            J = rows(flat, loop, closures(flat, [loop], flat.q0)[0]).jacobian
            for k in range(flat.nv):
                step = 1e-6 * (np.arange(flat.nv) == k)
                column = (residual(_moved(flat, flat.q0, step)) - residual(_moved(flat, flat.q0, -step))) / 2e-6
                assert J[:, k] == pytest.approx(column, abs=1e-8)


def unclosed(scene: Scene) -> Model:
    from sim.model import _flatten
    from sim.scene import closing_joints

    return _flatten(scene, closing_joints(scene))


def test_spatial_start_velocities_keep_the_ring_closed():
    from sim.assemble import _moved

    for closing in ("hinge", "slider", "ball", "fixed"):
        scene = with_joint(random_ring(4, 7, closing)[0], "j0", v=(0.7,))
        model = compile_model(scene)
        flat, h = unclosed(scene), 1e-4
        (loop,) = loops_of(flat)
        tree = np.where(model.joint_cut[model.dof_joint], 0.0, model.v0)
        ends = [closures(flat, [loop], _moved(flat, model.q0, s * h * tree))[0] for s in (1, -1)]
        residuals = [np.concatenate(rows(flat, loop, end)[:2]) for end in ends]
        assert residuals[0] == pytest.approx(residuals[1], abs=20 * h**3)
        turn = rotation_vector(ends[1].E.T @ ends[0].E) / (2 * h)  # in child axes
        axis = model.joint_axis[loop.joint]
        slide = axis @ (ends[0].d - ends[1].d) / (2 * h)
        expected = {"hinge": [axis @ turn], "slider": [slide], "ball": turn, "fixed": []}[closing]
        assert model.v0[model.joint_v[loop.joint] :] == pytest.approx(np.array(expected), abs=1e-6)


def test_the_same_scene_gives_the_same_bits():
    scene = disturbed(random_ring(2, 7, "hinge")[0], 0.05, 3)
    assert compile_model(scene).q0.tobytes() == compile_model(scene).q0.tobytes()
    flat = unclosed(scene)
    assert assemble(flat).q0.tobytes() == assemble(flat).q0.tobytes()
