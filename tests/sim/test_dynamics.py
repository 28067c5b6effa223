"""Kinematics, Jacobians, weight and energy against differences and an independent forward kinematics."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from sim.backend import create
from sim.dynamics.energy import energy_and_momentum
from sim.dynamics.gravity import gravity_torques
from sim.dynamics.jacobian import frame_jacobian
from sim.dynamics.kinematics import kinematics
from sim.dynamics.tree import body_joints, tree_of
from sim.model import BALL, FREE, Model, compile_model
from sim.rest import body_poses
from sim.spatial.rotation import matrix_to_quat, quat_to_matrix, rotation_vector
from tests.worlds import energy, random_tree

SEEDS = range(6)


def shifted(model: Model, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
    """q moved along the joint velocities dq: ball in child axes, free [ω; v] in world axes."""
    out = np.array(q)
    for j, kind in enumerate(model.joint_type):
        iq, d = int(model.joint_q[j]), dq[model.joint_v[j] : model.joint_v[j + 1]]
        if kind == FREE:
            out[iq : iq + 3] += d[3:]
            out[iq + 3 : iq + 7] = matrix_to_quat(turn(d[:3]) @ quat_to_matrix(q[iq + 3 : iq + 7]))
        elif kind == BALL:
            out[iq : iq + 4] = matrix_to_quat(quat_to_matrix(q[iq : iq + 4]) @ turn(d))
        else:
            out[iq : iq + len(d)] += d
    return out


def turn(w: np.ndarray) -> np.ndarray:
    angle = np.linalg.norm(w)
    return quat_to_matrix(np.concatenate([[np.cos(angle / 2)], np.sinc(angle / 2 / np.pi) * w / 2]))


class Motion(NamedTuple):
    p: np.ndarray
    R: np.ndarray
    S: np.ndarray


def motion_of(model: Model) -> Motion:
    nb = len(model.body_names)
    motion = Motion(np.zeros((nb, 3)), np.zeros((nb, 3, 3)), np.zeros((model.nv, 6)))
    kinematics(tree_of(model), model.q0, *motion, np.zeros((3, 3)), np.zeros((3, 3)))
    return motion


@pytest.mark.parametrize("seed", SEEDS)
def test_compiled_kinematics_agrees_with_the_plain_one(seed):
    model = compile_model(random_tree(seed, floating=seed % 2 == 1))
    motion = motion_of(model)
    position, rotation = body_poses(model, model.q0)
    assert np.allclose(motion.p, position, atol=1e-13)
    assert np.allclose(motion.R, rotation, atol=1e-13)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_jacobian_is_the_derivative_of_a_point(seed):
    model = compile_model(random_tree(seed, floating=seed % 2 == 1))
    motion = motion_of(model)
    body, local, h = len(model.body_names) - 1, np.array([0.2, -0.1, 0.3]), 1e-5
    jacobian = np.zeros((6, model.nv))
    x = motion.p[body] + motion.R[body] @ local
    frame_jacobian(body_joints(model), model.joint_parent, model.joint_v, motion.S, body, x, jacobian)

    def point(dq: np.ndarray) -> np.ndarray:
        p, R = body_poses(model, shifted(model, model.q0, dq))
        return p[body] + R[body] @ local

    for k, unit in enumerate(np.eye(model.nv)):
        difference = (point(h * unit) - point(-h * unit)) / (2 * h)
        assert np.allclose(jacobian[3:, k], difference, atol=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_weight_torques_are_the_slope_of_the_potential(seed):
    model = compile_model(random_tree(seed, floating=seed % 2 == 1))
    motion, tau, h = motion_of(model), np.zeros(model.nv), 1e-5
    topology = (model.tree_order, model.joint_parent, model.joint_child, model.joint_v)
    masses = (model.body_mass, model.body_center, model.gravity)
    scratch = np.zeros((len(model.body_names), 6))
    gravity_torques(*topology, *masses, motion.p, motion.R, motion.S, scratch, tau)

    def potential(dq: np.ndarray) -> float:
        p, R = body_poses(model, shifted(model, model.q0, dq))
        centers = p + np.einsum("nij,nj->ni", R, model.body_center)
        return -float(model.body_mass @ (centers @ model.gravity))

    for k, unit in enumerate(np.eye(model.nv)):
        slope = (potential(h * unit) - potential(-h * unit)) / (2 * h)
        assert tau[k] == pytest.approx(slope, abs=1e-7)


@pytest.mark.parametrize("seed", SEEDS)
def test_energy_and_momentum_from_poses_and_twists(seed):
    model = compile_model(random_tree(seed, floating=True))
    r = create("impulse", model).read()
    out = np.zeros(8)
    masses = (model.body_mass, model.body_center, model.body_inertia, model.gravity)
    energy_and_momentum(*masses, r.position, r.rotation, r.twist, out)
    assert out[0] + out[1] == pytest.approx(energy(model, r), rel=1e-12)
    shift = np.array([3.0, -2.0, 1.0])
    moved = np.zeros(8)
    energy_and_momentum(*masses, r.position + shift, r.rotation, r.twist, moved)
    assert moved[5:] == pytest.approx(out[5:], abs=1e-10)  # about the common centre: the origin does not matter
    assert moved[1] - out[1] == pytest.approx(model.body_mass.sum() * 9.81, rel=1e-12)


def test_rotations_go_there_and_back():
    rng = np.random.default_rng(0)
    for _ in range(200):
        w = rng.normal(size=3)
        w *= rng.uniform(0, np.pi - 1e-3) / np.linalg.norm(w)
        assert np.allclose(rotation_vector(turn(w)), w, atol=1e-9)
    for axis in np.eye(3):
        assert np.allclose(np.abs(rotation_vector(turn(np.pi * axis))), np.pi * axis, atol=1e-7)
