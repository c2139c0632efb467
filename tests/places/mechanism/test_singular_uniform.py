"""The whole grid as one count: cost, the exact loss over all neighbours, the form."""

from fractions import Fraction

import numpy as np
import pytest

from starling.places.mechanism.singular import Uniform
from starling.privacy.neighbours import ADD_REMOVE_PERSON, ADD_REMOVE_POINT
from tests.places.mechanism.enumeration import (
    check_cost,
    largest_loss,
    neighbours,
    releases,
    tiny_grids,
    total_probability,
)


@pytest.mark.series(1)
@pytest.mark.parametrize("points", [1, 2])
def test_the_exact_loss_over_all_neighbours_is_the_cost(points: int, monkeypatch: pytest.MonkeyPatch) -> None:
    method = Uniform((2, 2), ADD_REMOVE_PERSON, Fraction(1, 3), points)
    check_cost(method, Fraction(1, 3))
    assert largest_loss(method, tiny_grids((2, 2)), points, range(-3, 9), monkeypatch) == Fraction(1, 3)
    # A unit with twice the points that the plan allows is found.
    assert largest_loss(method, tiny_grids((2, 2)), 2 * points, range(-3, 9), monkeypatch) == Fraction(2, 3)


def test_the_enumerated_releases_are_all_that_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    method = Uniform((1, 2), ADD_REMOVE_POINT, Fraction(1))
    grid = np.array([[2, 1]])
    assert total_probability(method, grid, range(-30, 36), monkeypatch) == pytest.approx(1, abs=1e-12)
    assert len(list(neighbours(grid, 2))) == 5
    assert len(list(releases(method, grid, grid + np.array([1, 0]), range(-30, 36), monkeypatch))) == 66


def test_one_box_is_measured_once() -> None:
    measured = Uniform((3, 4), ADD_REMOVE_POINT, Fraction(1000)).draw(np.full((3, 4), 7))
    measured.tree.check()
    assert (measured.value.tolist(), measured.node.tolist(), measured.steered.tolist()) == ([84], [0], [False])
