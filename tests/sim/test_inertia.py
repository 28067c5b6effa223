"""Mass properties against integrals over points, and against what must not depend on how a solid is cut up."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from sim.scene import Pose, Shape
from sim.spatial.inertia import mass_properties
from sim.spatial.rotation import matrix_to_quat, quat_to_matrix

QUARTER_TURN_ABOUT_X = (np.cos(pi / 4), np.sin(pi / 4), 0.0, 0.0)
TILTED = tuple(np.array([0.8, 0.3, -0.4, 0.2]) / np.linalg.norm([0.8, 0.3, -0.4, 0.2]))

INSIDE = {
    "box": lambda x, y, z: (abs(x) <= 0.1) & (abs(y) <= 0.15) & (abs(z) <= 0.2),
    "sphere": lambda x, y, z: x * x + y * y + z * z <= 0.2**2,
    "cylinder": lambda x, y, z: (x * x + y * y <= 0.1**2) & (abs(z) <= 0.2),
    "capsule": lambda x, y, z: x * x + y * y + np.maximum(abs(z) - 0.1, 0) ** 2 <= 0.1**2,
}
SIZES = {"box": (0.2, 0.3, 0.4), "sphere": (0.2,), "cylinder": (0.1, 0.4), "capsule": (0.1, 0.2)}


@pytest.mark.parametrize("kind", SIZES)
def test_a_solid_weighs_what_its_points_weigh(kind: str) -> None:
    """∫ρ dV and ∫ρ (r² 1 − r rᵀ) dV over a fine grid of points."""
    n = 120
    edge = 0.42
    ticks = (np.arange(n) + 0.5) / n * edge - edge / 2
    x, y, z = np.meshgrid(ticks, ticks, ticks, indexing="ij")
    inside = INSIDE[kind](x, y, z)
    points = np.stack([x[inside], y[inside], z[inside]])
    cell = (edge / n) ** 3
    sums = points @ points.T
    tensor = (np.trace(sums) * np.eye(3) - sums) * cell

    solid = mass_properties([Shape(kind, SIZES[kind])])

    assert solid.mass == pytest.approx(points.shape[1] * cell, rel=0.02)
    np.testing.assert_allclose(solid.inertia, tensor, rtol=0.03, atol=1e-6 * np.trace(tensor))


def test_two_half_boxes_are_one_box() -> None:
    whole = mass_properties([Shape("box", (0.2, 0.3, 0.4))], density=500.0)
    halves = mass_properties(
        [Shape("box", (0.2, 0.3, 0.2), Pose((0.0, 0.0, side * 0.1))) for side in (-1, 1)], density=500.0
    )

    assert halves.mass == pytest.approx(12.0, rel=1e-14)
    assert whole.mass == pytest.approx(12.0, rel=1e-14)
    np.testing.assert_allclose(halves.inertia, whole.inertia, rtol=1e-13, atol=1e-16)


def test_a_capsule_without_length_is_nearly_a_ball() -> None:
    ball = mass_properties([Shape("sphere", (0.3,))])
    capsule = mass_properties([Shape("capsule", (0.3, 1e-6))])

    np.testing.assert_allclose(capsule.inertia, ball.inertia, rtol=1e-5, atol=1e-12)


def test_a_thin_rod_has_a_twelfth_of_its_mass_times_length_squared() -> None:
    rod = mass_properties([Shape("capsule", (1e-5, 2.0))]).scaled(3.0)

    assert rod.inertia[0, 0] == pytest.approx(3.0 * 2.0**2 / 12, rel=1e-4)
    assert rod.inertia[2, 2] == pytest.approx(0.0, abs=1e-8)


def test_a_turned_box_swaps_its_moments() -> None:
    upright = mass_properties([Shape("box", (0.2, 0.3, 0.4))]).inertia
    lying = mass_properties([Shape("box", (0.2, 0.3, 0.4), Pose(rotation=QUARTER_TURN_ABOUT_X))]).inertia

    np.testing.assert_allclose(np.diag(lying), np.diag(upright)[[0, 2, 1]], rtol=1e-14)


def test_moving_and_turning_everything_keeps_the_principal_moments() -> None:
    shapes = [
        Shape("cylinder", (0.02, 0.3)),
        Shape("box", (0.05, 0.1, 0.2), Pose((0.3, -0.1, 0.2), QUARTER_TURN_ABOUT_X)),
        Shape("capsule", (0.03, 0.1), Pose((0.0, 0.2, 0.1))),
    ]
    R, p = quat_to_matrix(np.array(TILTED)), np.array([2.0, -1.0, 0.5])
    moved = [
        Shape(
            s.kind,
            s.size,
            Pose(tuple(R @ s.pose.position + p), tuple(matrix_to_quat(R @ quat_to_matrix(np.array(s.pose.rotation))))),
        )
        for s in shapes
    ]
    here, there = mass_properties(shapes), mass_properties(moved)

    np.testing.assert_allclose(there.center, R @ here.center + p, rtol=1e-13)
    np.testing.assert_allclose(there.inertia, R @ here.inertia @ R.T, rtol=1e-10, atol=1e-17)
    np.testing.assert_allclose(np.linalg.eigvalsh(there.inertia), np.linalg.eigvalsh(here.inertia), rtol=1e-11)


def test_two_balls_make_a_dumbbell() -> None:
    """m d²/2 each about the middle, and nothing but their own moments along the line between them."""
    balls = [Shape("sphere", (0.05,), Pose((x, 0.0, 0.0))) for x in (0.1, 0.9)]
    dumbbell = mass_properties(balls).scaled(4.0)
    own = 2 / 5 * 4.0 * 0.05**2

    np.testing.assert_allclose(dumbbell.center, (0.5, 0.0, 0.0), atol=1e-15)
    np.testing.assert_allclose(np.diag(dumbbell.inertia), [own, own + 0.64, own + 0.64], rtol=1e-13)
    xx, yy, zz, xy, xz, yz = dumbbell.six()
    assert (xx, yy, zz) == tuple(np.diag(dumbbell.inertia))
    assert (xy, xz, yz) == (0.0, 0.0, 0.0)


def test_off_diagonal_moments_of_a_tilted_rod_have_their_sign() -> None:
    """A rod along (1, 1, 0) has I_xy = −∫ρ x y dV < 0."""
    rod = Shape("cylinder", (0.001, 1.0), Pose(rotation=(np.sqrt(0.5), -0.5, 0.5, 0.0)))
    xy = mass_properties([rod]).scaled(1.0).six()[3]

    assert xy == pytest.approx(-1 / 24, rel=1e-4)
