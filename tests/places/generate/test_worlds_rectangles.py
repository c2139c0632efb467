"""Rectangles of the paper's workloads: of their area, within the grid."""

import pytest

from starling.places.generate.worlds import RECTANGLES, workloads


def test_rectangles_are_squares_of_the_box_and_random_ones() -> None:
    kinds = dict(workloads((100, 400), 3))
    for name, share in (("squares of 2 %", 0.02), ("squares of 10 %", 0.1)):
        x0, y0, x1, y1 = kinds[name].T
        assert len(x0) == RECTANGLES
        whole = (x0 > 0) & (y0 > 0) & (x1 < 400) & (y1 < 100)
        assert ((x1 - x0) * (y1 - y0))[whole] == pytest.approx(share * 40_000)
    for rectangles in kinds.values():
        x0, y0, x1, y1 = rectangles.T
        assert (x0 <= x1).all()
        assert (y0 <= y1).all()
        assert rectangles.min() >= 0
        assert x1.max() <= 400
        assert y1.max() <= 100
