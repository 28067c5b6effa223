"""Sine and cosine of the compiled kernels against the library's."""

from __future__ import annotations

import math

import numpy as np

from sim.jit import jit
from sim.spatial.trig import sine_and_cosine


@jit
def _table(x, out):
    for i in range(x.shape[0]):
        out[i, 0], out[i, 1] = sine_and_cosine(x[i])


def test_sine_and_cosine_are_right_to_the_last_bits() -> None:
    """Near multiples of π/2, where all digits but the last ones cancel, relative to their own size."""
    rng = np.random.default_rng(0)
    quarters = np.arange(-2000.0, 2000.0) * np.pi / 2
    far = np.array([1e5, 635999.0, 0.99e6, 1.01e6, 1e9, -1e12, 0.0, -0.0, 1e-300])
    x = np.concatenate([rng.uniform(-10, 10, 20000), rng.uniform(-9e5, 9e5, 20000), quarters, quarters + 1e-9, far])
    out = np.zeros((len(x), 2))
    _table(x, out)
    exact = np.array([(math.sin(a), math.cos(a)) for a in x])
    assert np.abs(out - exact).max() <= 2.3e-16
    sized = exact != 0.0
    assert np.abs(out[sized] / exact[sized] - 1).max() < 4e-16
    assert np.abs((out**2).sum(axis=1) - 1).max() < 5e-16


def test_what_is_no_number_has_none() -> None:
    x, out = np.array([math.nan, math.inf, -math.inf]), np.zeros((3, 2))
    _table(x, out)
    assert np.isnan(out).all()
