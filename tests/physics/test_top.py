"""A heavy symmetric top on a ball joint, against its closed forms (Goldstein, Classical Mechanics, §5.7)."""

from __future__ import annotations

import numpy as np
import pytest

from sim.backend import create
from sim.model import compile_model
from sim.scene import Body, Joint, Pose, Scene
from tests.worlds import free_control

M, ARM, G = 0.5, 0.06, 9.81
ACROSS, ALONG = 8e-4, 6e-4  # moments about the centre of mass
A, C = ACROSS + M * ARM**2, ALONG  # about the pivot, across and along the axis
PIVOT = (0.3, -0.2, 1.0)


def top(tilt: float, precession: float, spin: float, solver: str = "sparse") -> Scene:
    """Its axis leans by `tilt` from z towards x; it turns by `precession` about z and by `spin` about its axis."""
    rate = (-precession * np.sin(tilt), 0.0, precession * np.cos(tilt) + spin)  # in its own axes
    attitude = (np.cos(tilt / 2), 0.0, np.sin(tilt / 2), 0.0)
    body = Body("top", M, (0.0, 0.0, ARM), (ACROSS, ACROSS, ALONG, 0.0, 0.0, 0.0))
    joint = Joint("tip", "ball", "world", "top", Pose(PIVOT), q=attitude, v=rate)
    return Scene("top", "Top", bodies=(body,), joints=(joint,), solver=solver)


def axis_after(scene: Scene, seconds: float, steps: int) -> np.ndarray:
    model = compile_model(scene)
    backend = create("impulse", model)
    backend.advance(free_control(model), seconds / steps, steps)
    return backend.read().rotation[0][:, 2]


def extrapolated(scene: Scene, seconds: float, steps: int) -> np.ndarray:
    """(4 x(h/2) − x(h))/3: what a second-order engine says of the limit h → 0."""
    return (4 * axis_after(scene, seconds, 2 * steps) - axis_after(scene, seconds, steps)) / 3


@pytest.mark.parametrize("solver", ["sparse", "dense"])
@pytest.mark.parametrize(("tilt", "fast"), [(0.4, 0), (0.4, 1), (1.0, 0), (1.0, 1), (np.pi / 2, 0), (2.2, 0), (2.2, 1)])
def test_steady_precession(tilt, fast, solver):
    """A cos θ Ω² − C ω₃ Ω + m g l = 0: two speeds at which the axis goes round without nodding; one if it is level."""
    axial = 150.0
    level = [A * np.cos(tilt)] if tilt != np.pi / 2 else []
    omega = sorted(np.roots([*level, -C * axial, M * G * ARM]), key=abs)[fast]
    scene = top(tilt, omega, axial - omega * np.cos(tilt), solver)
    seconds = 0.5
    axis = extrapolated(scene, seconds, 1000)
    angle = omega * seconds
    expected = [np.sin(tilt) * np.cos(angle), np.sin(tilt) * np.sin(angle), np.cos(tilt)]
    assert axis == pytest.approx(expected, abs=2e-5)


def nutation(tilt: float, axial: float) -> tuple[float, float, float]:
    """Released with its axis at rest: the lowest cos θ, the time of one nod, and how far it precesses in it.

    u = cos θ swings between u₀ and u₁ < u₀, roots with u₂ > 1 of u̇² = (2mgl/A)(u₀ − u)(u − u₁)(u₂ − u);
    φ̇ = C ω₃ (u₀ − u)/(A (1 − u²)). With u = u₁ + (u₀ − u₁) cos² s both integrals are over a smooth period.
    """
    u0, lam = np.cos(tilt), (C * axial) ** 2 / (4 * A * M * G * ARM)
    root = np.sqrt(lam * lam - 2 * lam * u0 + 1)
    u1, u2 = lam - root, lam + root
    s = (np.arange(200) + 0.5) * np.pi / 200
    u = u1 + (u0 - u1) * np.cos(s) ** 2
    dt = np.pi / 200 * 2 / np.sqrt(2 * M * G * ARM / A * (u2 - u))
    return u1, float(dt.sum()), float((dt * C * axial * (u0 - u) / (A * (1 - u * u))).sum())


@pytest.mark.parametrize(("tilt", "axial"), [(0.5, 150.0), (1.2, 100.0), (0.9, 60.0)])
def test_nutation(tilt, axial):
    """After one nod the axis is up where it started, further round by the mean precession; half way it is lowest."""
    lowest, period, round_by = nutation(tilt, axial)
    scene = top(tilt, 0.0, axial)
    assert extrapolated(scene, period / 2, 500)[2] == pytest.approx(lowest, abs=1e-6)
    axis = extrapolated(scene, period, 1000)
    assert axis[2] == pytest.approx(np.cos(tilt), abs=1e-6)
    assert np.arctan2(axis[1], axis[0]) == pytest.approx(round_by, abs=1e-5)


def test_mean_precession_of_a_fast_top():
    """Over many nods: m g l/(C ω₃), to first order in how slow that is."""
    axial, seconds = 300.0, 1.5
    axis = axis_after(top(1.0, 0.0, axial), seconds, 4000)
    mean = np.arctan2(axis[1], axis[0]) / seconds
    assert mean == pytest.approx(M * G * ARM / (C * axial), rel=0.02)
