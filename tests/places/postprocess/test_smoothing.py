"""Smoothing against a slow twin, and the counts that it keeps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.places.arrays import Float64
from starling.places.measurements import MeasuredTree
from starling.places.postprocess.leaves import Estimate
from starling.places.postprocess.pieces import piecewise
from starling.places.postprocess.smoothing import box_means, smoothed
from tests.places.postprocess.trees import measured


def slow_means(grid: Float64, radius: int) -> Float64:
    """The mean of the square around each cell, cell by cell."""
    out = np.empty_like(grid)
    for row, column in np.ndindex(grid.shape):
        rows, columns = (
            slice(max(row - radius, 0), row + radius + 1),
            slice(max(column - radius, 0), column + radius + 1),
        )
        out[row, column] = grid[rows, columns].mean()
    return out


@pytest.mark.examples(33)
@given(st.integers(1, 20), st.integers(1, 20), st.integers(1, 24), st.integers(0, 2**32))
def test_means_are_those_of_a_slow_twin(rows: int, columns: int, radius: int, seed: int) -> None:
    grid = np.random.default_rng(seed).exponential(5, (rows, columns))
    out = np.empty_like(grid)
    box_means(grid, radius, out)
    assert out == pytest.approx(slow_means(grid, radius), rel=1e-9)


def test_smoothing_takes_the_radii_twice_each_and_gives_boxes_their_counts_again() -> None:
    leaves = np.array([[0, 4, 0, 16], [4, 16, 0, 16]], dtype=np.int32)
    counts = np.array([64.0, 960.0])
    grid = Estimate((16, 16), leaves, counts).grid()
    for radius in (2, 2, 1, 1):
        grid = slow_means(grid, radius)
        grid[:4] *= counts[0] / grid[:4].sum()
        grid[4:] *= counts[1] / grid[4:].sum()
    assert smoothed(Estimate((16, 16), leaves, counts)).grid() == pytest.approx(grid, rel=1e-9)


@given(measured())
def test_boxes_keep_their_counts_and_no_cell_is_negative(made: MeasuredTree) -> None:
    result = smoothed(piecewise(made))
    grid = result.grid()
    assert np.isfinite(grid).all()
    assert (grid >= 0).all()
    for (south, north, west, east), count in zip(result.leaves, result.counts, strict=True):
        assert grid[south:north, west:east].sum() == pytest.approx(count, rel=1e-9)


def test_the_same_bits_come_again_and_an_empty_box_stays_empty() -> None:
    random = np.random.default_rng(4)
    leaves = np.array([[r, r + 8, c, c + 8] for r in range(0, 64, 8) for c in range(0, 128, 8)], dtype=np.int32)
    counts = np.maximum(random.normal(5, 20, len(leaves)), 0)
    created = Estimate((64, 128), leaves, counts)
    first, second = smoothed(created).grid(), smoothed(created).grid()
    assert first.tobytes() == second.tobytes()
    for south, north, west, east in leaves[counts == 0]:
        assert not first[south:north, west:east].any()
