"""Boxes: their points and their parts, against slow twins."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.places.mechanism.boxes import areas, box_counts, cumulative, parts

SIDE = st.integers(1, 9)


@settings(max_examples=40, deadline=None)
@given(SIDE, SIDE, SIDE, SIDE)
def test_parts_tile_their_box_at_the_stated_edges(rows: int, columns: int, down: int, across: int) -> None:
    boxes = np.array([[0, 1, 0, 1], [3, 3 + rows, 5, 5 + columns]], dtype=np.int32)
    found, above = parts(boxes, np.array([1, down]), np.array([4, across]))
    assert above.tolist() == [0] + [1] * (len(found) - 1)
    m, n = min(down, rows), min(across, columns)
    assert found[1:].tolist() == [
        [3 + i * rows // m, 3 + (i + 1) * rows // m, 5 + j * columns // n, 5 + (j + 1) * columns // n]
        for i in range(m)
        for j in range(n)
    ]
    assert areas(found)[1:].sum() == rows * columns


@settings(max_examples=40, deadline=None)
@given(SIDE, SIDE, st.integers(0, 2**32))
def test_points_of_boxes_are_those_of_their_cells(rows: int, columns: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    exact = rng.integers(0, 1 << 40, (rows, columns))
    top, left = rng.integers(0, rows, 5), rng.integers(0, columns, 5)
    boxes = np.stack([top, rng.integers(top, rows) + 1, left, rng.integers(left, columns) + 1], axis=1).astype(np.int32)
    assert box_counts(cumulative(exact), boxes).tolist() == [exact[a:b, c:d].sum() for a, b, c, d in boxes]
