"""Numbers, slider scales, plot ranges, decimation and labels: the maths behind the widgets."""

from __future__ import annotations

import numpy as np
import pytest

from app.numbers import brief, clock, compact, parse, power_of_ten, significant
from app.pacing import AutoQuality
from app.scales import LiveRange, LogScale, decimate, fitted_range, grid_decades, grid_values, one_two_five, spread


@pytest.mark.parametrize("scale", [LogScale(0.0, 3000.0), LogScale(1.0, 1000.0), LogScale(0.01, 20.0)])
def test_a_slider_scale_is_monotonic_reaches_both_ends_and_comes_back(scale):
    positions = np.linspace(0.0, 1.0, 101)
    values = [scale.value(p) for p in positions]
    assert values[0] == pytest.approx(scale.low) and values[-1] == pytest.approx(scale.high)
    assert np.all(np.diff(values) > 0)
    assert [scale.position(v) for v in values] == pytest.approx(positions)


def test_a_slider_gives_every_decade_the_same_room():
    scale = LogScale(0.0, 1000.0)
    steps = np.diff([scale.position(v) for v in (10.0, 100.0, 1000.0)])
    assert steps[0] == pytest.approx(steps[1], rel=0.02)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.15, "0.1500"), (-12.3, "−12.30"), (9.99996, "10.00"), (0.0, "0.000"), (31e6, "3.100e7"), (2e-6, "2.000e−6")],
)
def test_four_significant_digits(value, text):
    assert significant(value) == text


@pytest.mark.parametrize(
    ("value", "most", "text"),
    [(-3.21e-5, 7, "−3.2e−5"), (-12.8432, 5, "−12.8"), (-1e-9, 5, "−1e−9"), (770.43, 7, "770.4")],
)
def test_numbers_beside_curves_take_the_digits_there_is_room_for(value, most, text):
    assert brief(value, most) == text and len(text) <= most


def test_powers_of_ten_are_written_as_in_print():
    assert [power_of_ten(n) for n in (-12, -5, 0, 3)] == ["10⁻¹²", "10⁻⁵", "1", "10³"]


@pytest.mark.parametrize("value", [0.0, 300.0, 0.15, 12345.0, 4e-5, 1.5e-7, 3e12, -0.25])
def test_what_a_field_shows_reads_back(value):
    assert parse(compact(value)) == pytest.approx(value, rel=1e-3)


def test_fields_understand_a_comma_and_refuse_nonsense():
    assert parse(" 1,5 ") == 1.5 and parse("−2") == -2.0
    assert parse("abc") is None and parse("nan") is None and parse("") is None


def test_recording_times():
    assert clock(7.44) == "0:07.4" and clock(59.96) == "1:00.0" and clock(125.0) == "2:05.0"


@pytest.mark.parametrize(("low", "high"), [(0.0, 0.3), (-7.0, 120.0), (49.9, 50.1), (-3.0, -2.0), (0.0, 0.0)])
def test_a_plot_range_holds_data_and_zero_and_is_not_wasteful(low, high):
    a, b = fitted_range(low, high, 0.1)
    assert a <= min(low, 0.0) and b >= max(high, 0.0)
    assert b - a <= max(1.6 * (max(high, 0.0) - min(low, 0.0)), 0.16)


def test_curves_fill_their_plot():
    """Whatever the data span, little of the plot is empty: a quarter in the mean, and never half."""
    spans = np.geomspace(0.1, 1000.0, 400)
    for part in (0.0, 0.3, 0.5, 0.9):  # of it below zero
        ranges = [fitted_range(-part * span, (1.0 - part) * span, 1e-3) for span in spans]
        filled = spans / np.ptp(ranges, axis=1)
        assert filled.mean() > 0.75 and filled.min() > 0.5


def test_one_two_five():
    assert [one_two_five(x) for x in (0.9, 1.0, 1.1, 3.0, 6.0)] == pytest.approx([1.0, 1.0, 2.0, 5.0, 10.0])


def test_a_range_grows_at_once_and_shrinks_after_two_seconds():
    live = LiveRange(1.0)
    assert live.update(0.0, 1.0, 0.0)
    assert live.update(0.0, 40.0, 0.1) and live.high >= 40.0
    for now in (0.2, 1.0, 2.1):
        assert not live.update(0.0, 1.0, now)
    assert live.update(0.0, 1.0, 2.3) and live.high < 2.0


def test_noise_below_the_smallest_span_is_not_blown_up():
    live = LiveRange(1.0)
    live.update(-1e-6, 1e-6, 0.0)
    assert live.high - live.low >= 1.0


@pytest.mark.parametrize(("low", "high"), [(0.0, 60.0), (-20.0, 40.0), (-0.5, 0.2), (0.0, 1e-6), (-3.0, 0.0)])
def test_at_most_two_grid_lines_besides_zero(low, high):
    values = grid_values(low, high)
    assert 1 <= len(values) <= 2
    assert all(low <= v <= high and v != 0 for v in values)


@pytest.mark.parametrize("span", np.geomspace(0.01, 40.0, 25))
@pytest.mark.parametrize("low", (-12.0, -9.4, -3.0, 0.3))
def test_a_logarithmic_plot_names_two_powers_of_ten_away_from_its_bottom(low, span):
    """One of them may be 1: the bottom line alone would leave the curve without a scale."""
    bottom, top = fitted_range(low, low + span, 3.0, with_zero=False)
    first, second = grid_decades(bottom, top)
    assert first == int(first) and second == int(second)
    assert bottom + 0.2 * (top - bottom) <= first < second <= top


def test_decimation_keeps_the_peaks_and_does_not_flicker():
    times = np.arange(10000) * 1e-3
    values = np.zeros((10000, 2))
    values[4321, 0], values[777, 1] = 5.0, -3.0
    t, v = decimate(times, values, 0.02)
    assert len(t) <= 1002 and v[:, 0].max() == 5.0 and v[:, 1].min() == -3.0
    shifted_t, shifted_v = decimate(times[20:], values[20:], 0.02)
    assert np.array_equal(shifted_t, t[2:]) and np.array_equal(shifted_v, v[2:])


def test_labels_stay_inside_and_apart():
    placed = spread([50.0, 51.0, 52.0, 500.0, -20.0], 100.0, 12.0)
    centers = sorted(placed.values())
    assert len(placed) == 5 and centers[0] >= 6.0 and centers[-1] <= 94.0
    assert np.all(np.diff(centers) >= 12.0 - 1e-9)
    assert len(spread([1.0] * 50, 100.0, 12.0)) == 8


def frames(quality, count, seconds, start=0.0, holding=False):
    now = start
    for _ in range(count):
        now += seconds
        quality.frame(now, seconds, holding)
    return now


def test_auto_goes_down_after_two_slow_seconds_but_never_during_a_drag():
    quality = AutoQuality()
    now = frames(quality, 20, 0.05)
    assert quality.level == "auto"
    now = frames(quality, 60, 0.05, now, holding=True)
    assert quality.level == "auto"
    frames(quality, 1, 0.05, now)
    assert quality.level == "fast"


def test_auto_stays_with_quick_frames_and_draws_a_fine_one_when_all_is_still():
    quality = AutoQuality()
    now = frames(quality, 500, 0.016)
    assert quality.level == "auto"
    assert quality.still_level(now + 0.1) == "auto"
    assert quality.still_level(now + 0.3) == "fine"


def test_a_chosen_quality_is_kept():
    quality = AutoQuality("fine")
    now = frames(quality, 100, 0.2)
    assert quality.level == "fine" == quality.still_level(now + 1.0)
