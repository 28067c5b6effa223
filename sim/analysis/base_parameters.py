"""Which combinations of parameters some motion shows: the columns of tau = W π that are independent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.analysis.triangle import Told, triangle

Array = np.ndarray[Any, np.dtype[Any]]

DEPENDENT = 1e-8  # of a column's length, what other columns may leave of it
LEFT = (0.3, 0.1, 0.03, 1e-2, 1e-3, 1e-4, 1e-6, DEPENDENT)
ROUNDING = 1e-9  # of a combination's largest coefficient


@dataclass(frozen=True)
class BaseParameters:
    """B combinations β = combination π of P parameters, with W π = W[:, columns] β for all π."""

    columns: Array  # (B,) one parameter of each combination, whose coefficient is 1
    combination: Array  # (B, P)
    names: tuple[str, ...]  # such as "link1.Izz + 0.25 link2.m"

    def __len__(self) -> int:
        return len(self.columns)


def base_parameters(W: Array, names: tuple[str, ...], each: Told = lambda _: None) -> BaseParameters:
    """Columns that others do not give, and of which of those the rest are made."""
    R = triangle(W, each)
    columns, waiting = _independent(R)
    combination = np.zeros((len(columns), len(names)))
    combination[np.arange(len(columns)), columns] = 1.0
    if waiting:
        combination[:, waiting] = np.linalg.lstsq(R[:, columns], R[:, waiting], rcond=None)[0]
    combination[np.abs(combination) < ROUNDING * np.abs(combination).max(axis=1, keepdims=True, initial=1.0)] = 0.0
    sums = tuple(_sum(row, names, column) for row, column in zip(combination, columns, strict=True))
    return BaseParameters(np.array(columns, dtype=np.int64), combination, sums)


def rank(W: Array, each: Told = lambda _: None) -> int:
    """How many base parameters there are."""
    return len(_independent(triangle(W, each))[0])


def _independent(R: Array) -> tuple[list[int], list[int]]:
    """Columns that others do not give, and those that they do; columns of nothing are in neither.

    Gram–Schmidt, each column orthogonalised twice. First columns are preferred, but only among those of which about as
    much is left: otherwise they would be independent only by a little.
    """
    lengths = np.linalg.norm(R, axis=0)
    waiting = [int(j) for j in np.flatnonzero(lengths > DEPENDENT * lengths.max(initial=0.0))]
    basis, left = np.zeros((len(R), len(waiting))), R[:, waiting] / lengths[waiting]
    columns: list[int] = []
    for least in LEFT:
        others: list[int] = []
        for j, rest in zip(waiting, left.T, strict=True):
            found = basis[:, : len(columns)]
            for _ in range(2):
                rest = rest - found @ (found.T @ rest)
            size = float(np.linalg.norm(rest))
            if size > least:
                basis[:, len(columns)] = rest / size
                columns.append(j)
            else:
                others.append(j)
        left = R[:, others] / lengths[others]
        waiting = others
    return sorted(columns), waiting


def _sum(row: Array, names: tuple[str, ...], first: int) -> str:
    """a + 0.25 b − c, beginning with the parameter `first`."""
    text = names[first]
    for j in np.flatnonzero(row):
        if j != first:
            size = f"{abs(row[j]):.6g}"
            text += f" {'+' if row[j] > 0 else '−'} {'' if size == '1' else size + ' '}{names[j]}"
    return text
