"""One grid from the measurements: leaves that tile it, with the mean of their counts."""

from fractions import Fraction

import numpy as np
import pytest

from starling.places.measurements import MeasuredTree, Tree
from starling.places.postprocess import Estimate, estimate
from starling.privacy.distributions.discrete import DiscreteLaplace

BOXES = np.array([[0, 2, 0, 4], [0, 2, 0, 1], [0, 2, 1, 4]], dtype=np.int32)


def test_a_leaf_has_the_mean_of_its_counts_by_inverse_variance() -> None:
    noises = (DiscreteLaplace(Fraction(100)), DiscreteLaplace(Fraction(100)))
    node, value, noise = np.array([0, 1, 2, 2]), np.array([99, 4, 6, 12]), np.array([0, 0, 0, 1], dtype=np.int16)
    tree = Tree((2, 4), BOXES, np.array([-1, 0, 0]))
    made = estimate("any", MeasuredTree(tree, node, value, noise, noises, np.zeros(4, dtype=np.bool_)))
    assert made.leaves.tolist() == BOXES[1:].tolist()
    assert made.counts == pytest.approx([4, 9])
    assert made.grid() == pytest.approx(np.array([[2, 1.5, 1.5, 1.5]] * 2))


def test_cells_that_are_given_stand_for_an_even_spread() -> None:
    cells = np.arange(8.0).reshape(2, 4)
    assert Estimate((2, 4), BOXES[1:], np.array([4.0, 24.0]), cells).grid() is cells
