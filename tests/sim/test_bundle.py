"""Arrays in kernels: bundles show them as they are, nobody counts their users, and none are created."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core.errors import NumbaError

from sim.bundle import Bundle
from sim.jit import inlined, inner, jit, pasted


class Inside(NamedTuple):
    whole: Any  # (2,) of whole numbers
    truth: Any  # (3,) bool


class Outside(NamedTuple):
    cube: Any  # (2, 3, 4)
    columns: Any  # (3, 2) every other column of something wider
    inside: Inside
    turned: Any  # (4, 3) a transpose
    nothing: Any  # (0,)


def outside() -> Outside:
    cube, wide, tall = np.arange(24.0).reshape(2, 3, 4), np.arange(12.0).reshape(3, 4), np.arange(12.0).reshape(3, 4)
    inside = Inside(np.array([7, -8]), np.array([True, False, True]))
    return Outside(cube, wide[:, ::2], inside, tall.T, np.zeros(0))


@inner
def _weighed(part):
    """Σ of the entries times their places, and how many there are."""
    total = 0.0
    for i in range(part.shape[0]):
        for k in range(part.shape[1]):
            total += (10 * i + k) * part[i, k]
    return total, float(part.size)


@jit
def survey(b, out):
    out[0], out[1] = _weighed(b.cube[1])
    out[2], out[3] = _weighed(b.columns)
    out[4], out[5] = _weighed(b.turned)
    inside = b.inside
    out[6], out[7] = inside.whole[0], inside.whole[1]
    for k in range(inside.truth.shape[0]):
        out[8] += 10**k * inside.truth[k]
    out[9] = b.nothing.size


@jit
def change(b):
    row = b.cube[0][1:]
    row[1, 3] = -1.0
    b.columns[2, 1] = -2.0
    b.inside.whole[1] += 1
    b.inside.truth[1] = not b.inside.truth[1]


def test_kernels_see_arrays_as_they_are() -> None:
    arrays, out = outside(), np.zeros(10)
    survey(Bundle(arrays), out)

    def weighed(part: Any) -> tuple[float, int]:
        return sum((10 * i + k) * x for (i, k), x in np.ndenumerate(part)), part.size

    wanted = *weighed(arrays.cube[1]), *weighed(arrays.columns), *weighed(arrays.turned), 7, -8, 101, 0
    assert out.tolist() == list(wanted)


def test_kernels_write_into_the_arrays_themselves() -> None:
    arrays = outside()
    change(Bundle(arrays))
    assert (arrays.cube[0, 2, 3], arrays.columns[2, 1], arrays.columns.base[11]) == (-1.0, -2.0, 11.0)
    assert arrays.columns.base[10] == -2.0
    assert (arrays.inside.whole.tolist(), arrays.inside.truth.tolist()) == ([7, -7], [True, True, True])


def test_a_bundle_keeps_its_arrays() -> None:
    bundle, out = Bundle(outside()), np.zeros(10)
    overwriting = [outside().cube * np.nan for _ in range(100)]
    survey(bundle, out)
    assert np.isfinite(out).all(), len(overwriting)


@jit
def through_pieces(a, out):
    for row in a:
        out[0] += _weighed(a[1:])[0] + row[1:][0]


def test_nobody_counts_the_users_of_arrays() -> None:
    """numba's own functions for that are called NRT_incref and NRT_decref."""
    through_pieces.recompile()
    through_pieces(np.ones((3, 3)), np.zeros(1))
    [code] = through_pieces.inspect_asm().values()
    assert len(code.splitlines()) > 50
    assert re.findall("NRT_[a-z]+ref", code) == []


@inner
def _scratch(a):
    b = np.zeros(3)
    b[0] = a[0]
    return b[0]


@jit
def scratch_inside(a):
    return _scratch(a)


@jit
def own_scratch(a):
    return np.empty(3)[0] + a[0]


@jit
def literal(a):
    return np.array([1.0, a[0]])[1]


@jit
def copied(a):
    return a[1:].copy()[0]


@jit
def summed(a):
    return (a + a)[0]


@inlined
def _doubled(a):
    return (2.0 * a)[0]


@jit
def doubled_inside(a):
    return _doubled(a)


@pasted
def _ones():
    return np.ones(3)[0]


@jit
def ones_pasted(a):
    return _ones() + a[0]


@jit
def listed(a):
    return [1.0, a[0]][1]


@jit
def piece(a):
    return a[1:]


@jit
def pieces(a):
    return a[1:], a[2:]


@pytest.mark.parametrize(
    "kernel",
    [
        scratch_inside,
        own_scratch,
        literal,
        copied,
        summed,
        doubled_inside,
        ones_pasted,
        listed,
        piece,
        pieces,
    ],
)
def test_kernels_that_create_or_return_arrays_are_refused(kernel: Callable[..., Any]) -> None:
    with pytest.raises(NumbaError) as caught:
        kernel(np.arange(4.0))
    told = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
    assert "Kernels create no arrays and return none" in told
