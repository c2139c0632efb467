"""Every cell measured: the guarantee, the exact loss over all neighbours, the form."""

from fractions import Fraction

import numpy as np
import pytest

from starling.places.mechanism.method import Method
from starling.places.mechanism.singular import Singular
from starling.privacy.budget import Epsilon
from starling.privacy.neighbours import ADD_REMOVE_PERSON, ADD_REMOVE_POINT
from tests.places.mechanism.enumeration import largest_loss, tiny_grids, total_probability


@pytest.mark.parametrize("points", [1, 5])
def test_its_cost_is_the_budget(points: int) -> None:
    method: Method = Singular((3, 4), ADD_REMOVE_PERSON, Fraction(1, 7), points)
    assert method.guarantee.cost == Epsilon(Fraction(1, 7))
    assert sum(each.epsilon for each in method.budget) == Fraction(1, 7)


@pytest.mark.series(1)
@pytest.mark.parametrize("points", [1, 2])
def test_the_exact_loss_over_all_neighbours_is_the_cost(points: int, monkeypatch: pytest.MonkeyPatch) -> None:
    method = Singular((2, 2), ADD_REMOVE_PERSON, Fraction(1, 3), points)
    assert largest_loss(method, tiny_grids((2, 2)), points, (-5, 90), monkeypatch) == Fraction(1, 3)
    # A unit with twice the points that the plan allows is found.
    assert largest_loss(method, tiny_grids((2, 2))[:1], 2 * points, (-5, 90), monkeypatch) == Fraction(2, 3)


def test_the_enumerated_releases_are_all_that_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    method = Singular((1, 2), ADD_REMOVE_POINT, Fraction(2))
    assert total_probability(method, np.array([[2, 1]]), range(-9, 14), monkeypatch) == pytest.approx(1, abs=1e-7)


def test_every_cell_is_measured_row_by_row() -> None:
    exact = np.arange(12, dtype=np.int64).reshape(3, 4) * 1000
    # At epsilon 1,000 the noise is 0 but for a chance of 1 in 10^430.
    measured = Singular((3, 4), ADD_REMOVE_POINT, Fraction(1000)).draw(exact)
    measured.tree.check()
    assert measured.value.tolist() == exact.reshape(-1).tolist()
    top, _, left, _ = measured.tree.boxes[measured.node].T
    assert (exact[top, left] == measured.value).all()
    assert not measured.steered.any()


def test_a_grid_of_one_cell_is_its_root() -> None:
    measured = Singular((1, 1), ADD_REMOVE_POINT, Fraction(1000)).draw(np.array([[5]]))
    measured.tree.check()
    assert (measured.node.tolist(), measured.value.tolist()) == ([0], [5])
