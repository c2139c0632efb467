"""Boxes: their points, their parts and how unevenly their points lie, against slow twins.

Rows 69 and 70: the objective of HTF and its sensitivity.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.places.arrays import Int64
from starling.places.mechanism.boxes import (
    SENSITIVITY,
    areas,
    box_counts,
    cumulative,
    cut_axis,
    deviations,
    halves,
    parts,
)

SIDE = st.integers(1, 9)


@pytest.mark.examples(13)
@settings(max_examples=40, deadline=None)
@given(SIDE, SIDE, SIDE, SIDE)
def test_parts_tile_their_box_at_the_stated_edges(rows: int, columns: int, down: int, across: int) -> None:
    boxes = np.array([[0, 1, 0, 1], [3, 3 + rows, 5, 5 + columns]], dtype=np.int32)
    result, above = parts(boxes, np.array([1, down]), np.array([4, across]))
    assert above.tolist() == [0] + [1] * (len(result) - 1)
    m, n = min(down, rows), min(across, columns)
    assert result[1:].tolist() == [
        [3 + i * rows // m, 3 + (i + 1) * rows // m, 5 + j * columns // n, 5 + (j + 1) * columns // n]
        for i in range(m)
        for j in range(n)
    ]
    assert areas(result)[1:].sum() == rows * columns


@settings(max_examples=40, deadline=None)
@given(SIDE, SIDE, st.integers(0, 2**32))
def test_points_of_boxes_are_those_of_their_cells(rows: int, columns: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    exact = rng.integers(0, 1 << 40, (rows, columns))
    top, left = rng.integers(0, rows, 5), rng.integers(0, columns, 5)
    boxes = np.stack([top, rng.integers(top, rows) + 1, left, rng.integers(left, columns) + 1], axis=1).astype(np.int32)
    assert box_counts(cumulative(exact), boxes).tolist() == [exact[a:b, c:d].sum() for a, b, c, d in boxes]


def test_halves_are_cut_after_the_stated_rows_or_columns() -> None:
    boxes = np.array([[0, 4, 2, 5], [1, 2, 0, 9]], dtype=np.int32)
    assert cut_axis(boxes, 0).tolist() == [0, 1]
    assert cut_axis(boxes, 1).tolist() == [1, 1]
    near, far = halves(boxes, np.array([0, 1]), np.array([3, 2]))
    assert near.tolist() == [[0, 3, 2, 5], [1, 2, 0, 2]]
    assert far.tolist() == [[3, 4, 2, 5], [1, 2, 2, 9]]


def deviation(cells: Sequence[int]) -> int:
    """Of one part, by the formula."""
    n, q = sum(cells), len(cells)
    return 1024 * sum(abs(q * c - n) for c in cells) // q


def whole(cells: Int64) -> int:
    rows, columns = cells.shape
    return int(deviations(cells, cumulative(cells), np.array([[0, rows, 0, columns]], dtype=np.int32))[0])


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 2**32), st.sampled_from([3, 1000, 1 << 46]))
def test_deviations_are_those_of_the_formula(rows: int, columns: int, seed: int, most: int) -> None:
    cells = np.random.default_rng(seed).integers(0, most, (rows, columns))
    assert whole(cells) == deviation(cells.reshape(-1).tolist())


def test_the_objectives_of_figure_2_are_those_of_the_paper() -> None:
    """A grid with rows 00, 33, 33: cut after one row 0, after two rows 6, as a whole 8."""
    cells = np.array([[0, 0], [3, 3], [3, 3]])
    box = np.array([[0, 3, 0, 2]], dtype=np.int32)
    objectives = [
        deviations(cells, cumulative(cells), np.concatenate(halves(box, np.array([0]), np.array([cut])))).sum() // 1024
        for cut in (1, 2)
    ]
    assert objectives == [0, 6]
    assert whole(cells) == 8 * 1024


def test_deviations_are_exact_beyond_64_bits() -> None:
    cells = np.ones((50, 50), dtype=np.int64)
    cells[3, 4] = (1 << 51) + 12345
    assert 2500 * int(cells.sum()) * 2 > 1 << 62
    assert whole(cells) == deviation(cells.reshape(-1).tolist())


@pytest.mark.parametrize("q", [1, 2, 3, 4, 5, 6, 7])
def test_theorem_1_one_point_changes_a_part_by_less_than_twice_the_grain(q: int) -> None:
    largest = 0
    for cells in product(range(4 if q < 6 else 3), repeat=q):
        before = deviation(cells)
        for place in range(q):
            more = [*cells[:place], cells[place] + 1, *cells[place + 1 :]]
            largest = max(largest, abs(deviation(more) - before))
    # It is reached in an empty part; rounding down can add 1.
    reached = deviation([1] + [0] * (q - 1))
    assert reached == 2048 * (q - 1) // q
    assert reached <= largest <= min(reached + 1, SENSITIVITY)


@settings(max_examples=150, deadline=None)
@given(
    st.tuples(st.integers(1, 12), st.integers(2, 12)),
    st.integers(0, 2**32),
    st.sampled_from([1, 2, 50, 10**6, 10**12]),
    st.sampled_from([0.02, 0.3, 1.0]),
)
def test_theorem_1_one_point_changes_the_objective_of_no_cut_by_more_than_twice_the_grain(
    shape: tuple[int, int], seed: int, most: int, full: float
) -> None:
    """A random search: grids that are empty but for few cells, even ones and large ones, any cut, a point in any cell."""
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, most + 1, shape) * (rng.random(shape) < full)
    more = cells.copy()
    more[tuple(rng.integers(0, shape))] += 1
    box = np.array([[0, shape[0], 0, shape[1]]], dtype=np.int32)
    for cut in range(1, shape[1]):
        both = np.concatenate(halves(box, np.array([1]), np.array([cut])))
        before, after = (deviations(each, cumulative(each), both).sum() for each in (cells, more))
        assert abs(int(after) - int(before)) <= SENSITIVITY


def test_a_replacement_changes_a_part_by_more() -> None:
    assert abs(deviation([1, 0, 0, 0, 1, 0, 0, 0]) - deviation([2] + [0] * 7)) > 0
    assert deviation([0] * 4 + [2] * 4) - deviation([1, 0, 0, 0, 1, 2, 2, 2]) == SENSITIVITY
