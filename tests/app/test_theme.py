"""The palettes must be readable and told apart, also by people who see fewer colours."""

from __future__ import annotations

import re
from dataclasses import fields
from itertools import combinations

import numpy as np
import pytest

from app.camera import FIELD_OF_VIEW
from app.theme import DARK, LIGHT, SKY_BLEND, THEMES, Theme, dash, linear, rgb

# Machado, Oliveira & Fernandes 2009, severity 1.0, on linear RGB.
SIGHTS = {
    "normal": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
RGB_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
themes = pytest.mark.parametrize("theme", THEMES.values(), ids=lambda t: t.name)


def contrast(a: str, b: str) -> float:
    """WCAG 2.1."""
    low, high = sorted(float(np.dot(linear(c), (0.2126, 0.7152, 0.0722))) for c in (a, b))
    return (high + 0.05) / (low + 0.05)


def lab(light: np.ndarray) -> np.ndarray:
    x = RGB_TO_XYZ @ light / (0.95047, 1.0, 1.08883)
    f = np.where(x > 216 / 24389, np.cbrt(x), (24389 / 27 * x + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def ciede2000(one: np.ndarray, two: np.ndarray) -> float:
    """Sharma, Wu & Dalal 2005."""
    (L1, a1, b1), (L2, a2, b2) = one, two
    mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    G = 0.5 * (1 - np.sqrt(mean**7 / (mean**7 + 25**7)))
    C1, C2 = np.hypot(a1 * (1 + G), b1), np.hypot(a2 * (1 + G), b2)
    h1, h2 = (np.degrees(np.arctan2(b, a * (1 + G))) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180 if C1 * C2 else 0.0
    L, C = (L1 + L2) / 2, (C1 + C2) / 2
    h = np.radians(h1 + turn / 2 if C1 * C2 else h1 + h2)
    T = 1 - 0.17 * np.cos(h - np.radians(30)) + 0.24 * np.cos(2 * h)
    T += 0.32 * np.cos(3 * h + np.radians(6)) - 0.20 * np.cos(4 * h - np.radians(63))
    parts = (
        (L2 - L1) / (1 + 0.015 * (L - 50) ** 2 / np.sqrt(20 + (L - 50) ** 2)),
        (C2 - C1) / (1 + 0.045 * C),
        2 * np.sqrt(C1 * C2) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * C * T),
    )
    bend = 30 * np.exp(-(((np.degrees(h) % 360 - 275) / 25) ** 2))
    mixed = -2 * np.sqrt(C**7 / (C**7 + 25**7)) * np.sin(np.radians(2 * bend))
    return float(np.sqrt(sum(p * p for p in parts) + mixed * parts[1] * parts[2]))


@pytest.mark.parametrize(
    ("one", "two", "published"),
    [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 2.5, 0.0), (50.0, 0.0, -2.5), 4.3065),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_the_measure_itself(one, two, published):
    assert ciede2000(np.array(one), np.array(two)) == pytest.approx(published, abs=1e-4)


@themes
@pytest.mark.parametrize("sight", SIGHTS)
def test_curves_are_told_apart(theme: Theme, sight: str):
    seen = [lab(np.clip(SIGHTS[sight] @ np.array(linear(c)), 0, 1)) for c in theme.curves]
    assert min(ciede2000(a, b) for a, b in combinations(seen, 2)) >= 10


@themes
@pytest.mark.parametrize("sight", SIGHTS)
def test_engines_beside_are_told_apart_from_the_leading_one_and_each_other(theme: Theme, sight: str):
    colors = (theme.text, *theme.ghosts)
    seen = [lab(np.clip(SIGHTS[sight] @ np.array(linear(c)), 0, 1)) for c in colors]
    assert min(ciede2000(a, b) for a, b in combinations(seen, 2)) >= 10
    assert min(contrast(c, theme.plot) for c in colors) >= 3.0


@themes
def test_curves_stand_out_from_the_plot(theme: Theme):
    assert min(contrast(c, theme.plot) for c in theme.curves) >= 3.0


@themes
def test_text_is_readable(theme: Theme):
    for ground in (theme.window, theme.panel, theme.plot, theme.hover, theme.select):
        for color in (theme.text, theme.muted):
            assert contrast(color, ground) >= 4.5
    for color in (theme.ok, theme.warn, theme.error, theme.accent):
        assert min(contrast(color, theme.panel), contrast(color, theme.window)) >= 4.5
    assert contrast(theme.accent, theme.hover) >= 4.5  # links under the mouse
    assert contrast(theme.on_accent, theme.accent) >= 4.5
    assert contrast(theme.outline, theme.panel) >= 3.0


@themes
@pytest.mark.parametrize("elevation", [-5.0, 18.0, 89.0])
def test_the_line_over_the_view_is_readable_on_the_sky_and_the_floor(theme: Theme, elevation: float):
    """At the top of the picture, from the lowest to the highest view that orbiting leads to."""
    top = np.degrees(FIELD_OF_VIEW) / 2 - elevation
    part = min(max(top / SKY_BLEND, 0.0), 1.0)
    blend = part * part * (3.0 - 2.0 * part)
    horizon, sky = np.array(linear(theme.horizon)), np.array(linear(theme.sky))
    behind = [horizon + blend * (sky - horizon), np.array(linear(theme.floor))]
    for color in (theme.muted, theme.text, theme.warn, theme.error):
        for light in behind:
            low, high = sorted(float(np.dot(c, (0.2126, 0.7152, 0.0722))) for c in (light, np.array(linear(color))))
            assert (high + 0.05) / (low + 0.05) >= 4.5


@themes
def test_the_target_stands_out_from_links_and_floor(theme: Theme):
    amber = lab(np.array(linear(theme.target)))
    others = (theme.link, theme.link2, theme.base, theme.floor, theme.horizon, *theme.curves)
    assert min(ciede2000(amber, lab(np.array(linear(c)))) for c in others) >= 15


@themes
def test_every_colour_is_a_hex_of_six_digits(theme: Theme):
    for field in fields(theme):
        value = getattr(theme, field.name)
        for color in value if isinstance(value, tuple) else [value]:
            assert field.name == "name" or re.fullmatch("#[0-9A-F]{6}", color)


def test_curves_repeat_with_another_dash():
    assert LIGHT.curve(6) == LIGHT.curve(0)
    assert len({(LIGHT.curve(i), dash(i)) for i in range(18)}) == 18


def test_scene_files_name_tokens_or_give_a_hex():
    assert DARK.shape_color("base") == DARK.base != LIGHT.shape_color("base")
    assert DARK.shape_color("#123456") == "#123456"


def test_hex_to_numbers():
    assert rgb("#FF8000") == (1.0, 128 / 255, 0.0)
    assert linear("#FFFFFF") == pytest.approx((1.0, 1.0, 1.0))
    assert linear("#808080")[0] == pytest.approx(0.2158605, abs=1e-6)
