"""Shares of the quarters of a box by the box and its neighbours; work on rows by several threads, the same on any machine."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from math import exp, log
from typing import Final, TypeVar

import numpy as np

from starling.places.arrays import Float64
from starling.privacy.compiled import compiled

T = TypeVar("T")

BAND: Final = 64
"""Rows that one thread works on at a time. What is added up is added up by bands, whatever the number of threads."""


def in_bands(side: int, work: Callable[[int, int], T]) -> list[T]:
    """What `work` gives for bands of rows, from a first to before an end, in order, by several threads; the bands depend on the side
    alone.
    """
    if side <= BAND:
        return [work(0, side)]
    ends = range(0, side + BAND, BAND)  # A side is a power of two.
    with ThreadPoolExecutor() as pool:
        return list(pool.map(work, ends[:-1], ends[1:]))


def guides(field: Float64, heights: Float64, widths: Float64) -> Float64:
    """float64 (n, n, 4): shares of the quarters of each box, row by row, by a geometric mean of the box and its neighbours, from float64
    (n, n), at least 0, and the rows and columns of cells of quarters, float64 (2 n,) each.

    A quarter without cells has the share 0, and so have all quarters of a box without cells.
    """
    out, logs = np.empty((*field.shape, 4)), logarithms(field, 1.0)
    in_bands(len(field), lambda first, end: _guides(logs, heights, widths, out, first, end))
    return out


@compiled
def _guides(logs: Float64, heights: Float64, widths: Float64, out: Float64, first: int, end: int) -> None:
    side = len(logs)
    for row in range(first, end):
        for column in range(side):
            total = 0.0
            for k in range(4):
                near = max(row - 1, 0) if k < 2 else min(row + 1, side - 1)
                neighbours = max(column - 1, 0) if k % 2 == 0 else min(column + 1, side - 1)
                mean = (
                    9 * logs[row, column] + 3 * logs[near, column] + 3 * logs[row, neighbours] + logs[near, neighbours]
                )
                out[row, column, k] = exp(mean / 16) * (heights[2 * row + k // 2] * widths[2 * column + k % 2])
                total += out[row, column, k]
            if total > 0:
                for k in range(4):
                    out[row, column, k] /= total


def logarithms(values: Float64, more: float) -> Float64:
    """The logarithms of values and a little more; NumPy's own differ with the processor."""
    out = np.empty(values.shape)
    _logarithms(values.reshape(-1), more, out.reshape(-1))
    return out


@compiled
def _logarithms(values: Float64, more: float, out: Float64) -> None:
    for place in range(values.size):
        out[place] = log(values[place] + more)
