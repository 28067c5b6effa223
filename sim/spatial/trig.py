"""Sine and cosine together, inlined: the library's calls take a twentieth of a step more."""

from __future__ import annotations

import math

from sim.jit import as_written

# π/2 in three parts of 33 bits each, so that a multiple up to 2²⁰ of the first two is exact (Cody & Waite 1980).
_PART1, _PART2, _PART3 = 1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21
_FURTHEST = 1e6  # [rad]
_WHOLE = 1.5 * 2.0**52  # what is added to it loses its fraction


@as_written
def sine_and_cosine(x):
    """(sin x, cos x) to the last bit or two: x = n π/2 + r, |r| ≤ π/4, and the series of r to r¹⁷."""
    if not abs(x) < _FURTHEST:
        return math.sin(x), math.cos(x)
    n = (x * (2.0 / math.pi) + _WHOLE) - _WHOLE
    r = ((x - n * _PART1) - n * _PART2) - n * _PART3
    z = r * r
    s = 1 / 6227020800 + z * (-1 / 1307674368000 + z * (1 / 355687428096000))
    s = -1 / 6 + z * (1 / 120 + z * (-1 / 5040 + z * (1 / 362880 + z * (-1 / 39916800 + z * s))))
    c = -1 / 3628800 + z * (1 / 479001600 + z * (-1 / 87178291200 + z * (1 / 20922789888000)))
    c = 1 / 24 + z * (-1 / 720 + z * (1 / 40320 + z * c))
    s, c = r + r * z * s, 1.0 - z * (0.5 - z * c)
    quarter = int(n) & 3
    if quarter & 1:
        s, c = c, -s
    return (-s, -c) if quarter & 2 else (s, c)
