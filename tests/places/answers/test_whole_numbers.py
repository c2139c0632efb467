"""Whole numbers of released points: each is its number rounded up or down, and no run of them is off by one."""

import doctest

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from starling.places.answers import whole_numbers as whole_numbers_module
from starling.places.answers.whole_numbers import whole_boxes, whole_cells, whole_numbers
from starling.places.arrays import Float64, Int32, Int64
from starling.places.postprocess.leaves import counted


def test_examples_hold() -> None:
    assert doctest.testmod(whole_numbers_module).failed == 0


@st.composite
def released(draw: st.DrawFn) -> tuple[Float64, Int32]:
    """A grid of eighths, whose sums are exact, tiled by boxes that are cut at random."""
    rows, columns = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    eighths = st.one_of(st.just(0), st.integers(-9, 9), st.integers(-(10**6), 10**6))
    grid = np.array(draw(st.lists(eighths, min_size=rows * columns, max_size=rows * columns))).reshape(rows, columns)
    boxes = [(0, rows, 0, columns)]
    for at in draw(st.lists(st.integers(0, 99), max_size=12)):
        south, north, west, east = boxes.pop(at % len(boxes))
        if at % 2 and north - south > 1:
            middle = (south + north) // 2
            boxes += [(south, middle, west, east), (middle, north, west, east)]
        elif east - west > 1:
            middle = (west + east) // 2
            boxes += [(south, north, west, middle), (south, north, middle, east)]
        else:
            boxes.append((south, north, west, east))
    return grid / 8, np.array(boxes, dtype=np.int32)


def nearby(whole: Int64, numbers: Float64) -> bool:
    """Whether each is rounded up or down, so that a whole number stays what it is."""
    return bool(((whole == np.floor(numbers)) | (whole == np.ceil(numbers))).all())


@given(case=released())
def test_cells_and_boxes_are_rounded_up_or_down_and_add_up(case: tuple[Float64, Int32]) -> None:
    grid, boxes = case
    points = counted(grid, boxes)
    cells, counts = whole_cells(grid, boxes)
    assert nearby(cells, grid)
    assert nearby(counts, points)
    assert counts.tolist() == counted(cells.astype(np.float64), boxes).tolist()
    assert cells.sum() == np.floor(grid.sum() + 0.5)
    assert whole_boxes(boxes, points).tolist() == counts.tolist(), "without cells the boxes are the same"
    order = np.random.default_rng(1).permutation(len(boxes))
    again, moved = whole_cells(grid, boxes[order])
    assert again.tolist() == cells.tolist(), "the order of the table does not matter"
    assert moved.tolist() == counts[order].tolist()


@given(values=st.lists(st.integers(-99, 99), max_size=30))
def test_no_run_is_off_by_one(values: list[int]) -> None:
    numbers = np.array(values, dtype=np.float64) / 8
    whole = whole_numbers(numbers)
    ends = np.concatenate([[0.0], np.cumsum(whole - numbers)])
    assert np.ptp(ends) < 1


def test_a_square_of_a_quadtree_is_off_by_less_than_one() -> None:
    """Boxes of one square stand in one run."""
    boxes = np.array([(row, row + 1, column, column + 1) for row in range(8) for column in range(8)], dtype=np.int32)
    grid = np.random.default_rng(2).exponential(0.4, (8, 8))
    off = whole_cells(grid, boxes)[0] - grid
    for side in (2, 4, 8):
        sums = off.reshape(8 // side, side, 8 // side, side).sum(axis=(1, 3))
        assert np.abs(sums).max() < 1
