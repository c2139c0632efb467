"""Occupied cells along the curve: every box of a quadtree has the points that a table of all cells gives it."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.places.arrays import Int64
from starling.places.mechanism.adaptive import Adaptive, Streets
from starling.places.mechanism.boxes import areas, box_counts, cumulative, parts
from starling.places.mechanism.two_regimes import TwoRegimes
from starling.places.occupied import OccupiedCells, occupied
from starling.privacy.neighbours import ADD_REMOVE_POINT


def of(cells: Int64) -> OccupiedCells:
    rows, columns = cells.shape
    there = np.flatnonzero(cells)
    return occupied((rows, columns), there, cells.reshape(-1)[there])


@st.composite
def grids(draw: st.DrawFn) -> Int64:
    rows, columns = draw(st.integers(1, 13)), draw(st.integers(2, 13))
    cells = draw(st.lists(st.integers(0, 3), min_size=rows * columns, max_size=rows * columns))
    return np.array(cells, dtype=np.int64).reshape(rows, columns)


@pytest.mark.examples(20)
@given(grids())
def test_boxes_of_every_depth_have_the_points_of_their_cells(cells: Int64) -> None:
    result, sums = of(cells), cumulative(cells)
    boxes = np.array([[0, len(cells), 0, cells.shape[1]]], dtype=np.int32)
    while True:
        assert result.box_counts(boxes).tolist() == box_counts(sums, boxes).tolist()
        if (areas(boxes) == 1).all():
            break
        two = np.full(len(boxes), 2)
        boxes, _ = parts(boxes, two, two)
    assert len(boxes) == cells.size


def test_an_empty_grid_of_2_40_cells_has_no_points() -> None:
    none = np.empty(0, dtype=np.int64)
    result = occupied((1 << 20, 1 << 20), none, none)
    assert result.box_counts(np.array([[0, 1 << 20, 0, 1 << 20]], dtype=np.int32)).tolist() == [0]


def test_the_corners_of_a_grid_of_2_40_cells_are_apart() -> None:
    side = 1 << 20
    corners = np.array([0, side - 1, side * (side - 1), side * side - 1])
    result = occupied((side, side), corners, np.array([1, 2, 3, 4]))
    half = side // 2
    quarters = np.array(
        [[0, half, 0, half], [0, half, half, side], [half, side, 0, half], [half, side, half, side]], dtype=np.int32
    )
    assert result.box_counts(quarters).tolist() == [1, 2, 3, 4]
    assert result.places.tolist() == [0, (1 << 40) // 3, 2 * (1 << 40) // 3, (1 << 40) - 1]


@pytest.mark.parametrize("kind", [Adaptive, Streets, partial(TwoRegimes, many=1), partial(TwoRegimes, many=10**9)])
def test_the_same_noise_gives_the_same_release_as_a_table_of_all_cells(
    kind: Callable[..., Adaptive | TwoRegimes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So the distribution of a release is that of the dense method, whose guarantee is enumerated."""
    cells = np.array([[0, 900, 0, 0, 2], [0, 0, 0, 0, 0], [70, 0, 0, 0, 800]], dtype=np.int64)
    method = kind((3, 5), ADD_REMOVE_POINT, Fraction(1))
    monkeypatch.setattr("starling.places.mechanism.growing.draw", lambda _, shape: np.zeros(shape, dtype=np.int64))
    dense, sparse = method.draw(cells), method.draw(of(cells))
    assert sparse.tree.boxes.tolist() == dense.tree.boxes.tolist()
    assert sparse.node.tolist() == dense.node.tolist()
    assert sparse.value.tolist() == dense.value.tolist()
    assert sparse.noises == dense.noises
    assert len(dense.tree.parents) > 5
