"""Stacked curves: bands as thick as their parts, one upon the other, and sums that stay sums."""

from __future__ import annotations

import numpy as np
import pytest

from app.stacks import band_middles, stacked, strongest


def test_bands_are_as_thick_as_their_parts_and_end_at_the_sums_of_each_sign():
    values = np.random.default_rng(0).normal(size=(50, 5))
    up, down = stacked(values)
    thickness = np.diff(up, axis=1, prepend=0.0) - np.diff(down, axis=1, prepend=0.0)
    assert thickness == pytest.approx(np.abs(values))
    assert up[:, -1] + down[:, -1] == pytest.approx(values.sum(axis=1))
    assert up[:, -1] - down[:, -1] == pytest.approx(np.abs(values).sum(axis=1))


def test_labels_stand_in_their_bands_which_do_not_overlap():
    values = np.array([2.0, -1.0, 3.0, -4.0])
    assert band_middles(values).tolist() == [1.0, -0.5, 3.5, -3.0]


def test_the_strongest_row_of_every_bin_is_a_row_of_the_data():
    times = np.arange(1000) * 1e-3
    values = np.random.default_rng(1).normal(size=(1000, 3))
    values[437] = 50.0, -40.0, 1.0  # a peak one sample wide
    t, v = strongest(times, values, 0.02)
    assert len(t) == 50 and (np.diff(t) > 0).all()
    assert 0.437 in t
    for when, row in zip(t, v, strict=True):
        assert (row == values[round(when / 1e-3)]).all()


def test_rows_that_are_not_known_are_left_out():
    times, values = np.arange(100) * 1e-3, np.ones((100, 2))
    values[:60] = np.nan
    t, v = strongest(times, values, 0.01)
    assert t.min() >= 0.06 and np.isfinite(v).all()
    t, v = strongest(times, np.full((100, 2), np.nan), 0.01)
    assert len(t) == 0 and v.shape == (0, 2)
