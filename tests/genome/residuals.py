"""Chunks of calls, and the slow twin of columns with covariates taken out."""

from collections.abc import Iterable

import numpy as np

from starling.genome.adjusted import Coding, Columns
from starling.genome.arrays import Float64, Int8
from starling.genome.source import Calls
from starling.genome.source.calls import packed

CODED = {"additive": (0, 1, 2), "dominant": (0, 1, 1), "recessive": (0, 0, 1)}


def as_calls(carried: Int8, second: bool = False) -> Calls:
    """A chunk of carried copies, int8 (c, n), -1 where there is no call."""
    numbers = np.where(second & (carried >= 0), 2 - carried, carried).astype(np.int8)
    return Calls(np.arange(len(carried)), packed(numbers), np.full(len(carried), second))


def whole(tiles: Iterable[Columns]) -> Columns:
    """Tiles of columns as one."""
    return Columns(*(np.concatenate(parts) for parts in zip(*tiles, strict=True)))


def plain_residuals(carried: Int8, coding: Coding, covariates: Float64) -> Float64:
    """The slow twin: each SNP filled by its mean, and the residuals of its least squares."""
    design = np.column_stack([np.ones(carried.shape[1]), covariates])
    rows = []
    for row in carried:
        called = row >= 0
        column = np.array([CODED[coding][copies] if copies >= 0 else np.nan for copies in row.tolist()])
        column[~called] = column[called].mean() if called.any() else 0.0
        rows.append(column - design @ np.linalg.lstsq(design, column, rcond=None)[0])
    return np.array(rows)
