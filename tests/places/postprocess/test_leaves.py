"""Counts of boxes and how they are spread over cells."""

import numpy as np
import pytest

from starling.places.postprocess.leaves import Estimate

BOXES = np.array([[0, 2, 0, 1], [0, 2, 1, 4]], dtype=np.int32)


def test_counts_are_spread_evenly_over_the_cells_of_their_boxes() -> None:
    created = Estimate((2, 4), BOXES, np.array([4.0, 9.0]))
    assert created.grid() == pytest.approx(np.array([[2, 1.5, 1.5, 1.5]] * 2))


def test_cells_that_are_given_stand_for_an_even_spread() -> None:
    cells = np.arange(8.0).reshape(2, 4)
    assert Estimate((2, 4), BOXES, np.array([4.0, 24.0]), cells).grid() is cells
