"""The coarse grid: its size by the noisy number of points, the exact loss over all neighbours, exact spending."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.places.mechanism.uniform_grid import UniformGrid, side
from starling.privacy.neighbours import ADD_REMOVE_PERSON, ADD_REMOVE_POINT
from tests.places.mechanism.enumeration import amounts, check_cost, largest_loss, scripted, tiny_grids


def choices(amount: Fraction) -> Sequence[int]:
    """Numbers of points that give a grid of 1, 2, 3 and many boxes a side; counts below and above all."""
    return (-9, 30, 80, 10**6) if amount <= Fraction(1, 50) else (-9, 30)


@pytest.mark.series(1)
@pytest.mark.parametrize(("shape", "points"), [((2, 2), 1), ((3, 3), 1), ((2, 3), 2)])
def test_the_exact_loss_over_all_neighbours_is_the_cost(
    shape: tuple[int, int], points: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = UniformGrid(shape, ADD_REMOVE_PERSON, Fraction(1), points)
    check_cost(method, Fraction(1))
    assert largest_loss(method, tiny_grids(shape), points, choices, monkeypatch) == 1
    # Noise for units of half as many points is found.
    assert largest_loss(method, tiny_grids(shape)[:1], 2 * points, choices, monkeypatch) == 2


@given(st.fractions(Fraction(-5), 10**6))
def test_a_side_is_the_root_rounded_up(number: Fraction) -> None:
    result = side(number)
    assert result == max(1, ceil(sqrt(max(float(number), 0)))) or (result - 1) ** 2 < number <= result**2


def test_boxes_are_as_many_as_fit_the_noisy_number(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted((4210, 0), monkeypatch) as script:
        measured, _ = script.tree(UniformGrid((64, 5), ADD_REMOVE_POINT, Fraction(1, 2)), np.zeros((64, 5), int), ())
    # ceil(sqrt(4,210 / 20)) = 15 boxes along 64 rows; 5 columns have no more than 5.
    measured.tree.check()
    assert len(measured.tree.parents) == 1 + 15 * 5
    assert sorted(set(measured.tree.boxes[1:, 0].tolist())) == [i * 64 // 15 for i in range(15)]
    assert {each for row in amounts(measured) for each in row} == {Fraction(1, 2)}
    assert measured.steered.tolist() == [True] + [False] * 75


@pytest.mark.series(1)
@pytest.mark.parametrize("points", [1, 2])
def test_a_public_number_of_boxes_gets_all_of_the_budget(points: int, monkeypatch: pytest.MonkeyPatch) -> None:
    method = UniformGrid((3, 4), ADD_REMOVE_PERSON, Fraction(1), points, boxes=2)
    check_cost(method, Fraction(1))
    assert [(line.name, line.epsilon) for line in method.budget] == [("boxes", Fraction(1))]
    assert largest_loss(method, tiny_grids((3, 4))[:2], points, choices, monkeypatch) == 1
    measured = method.draw(np.zeros((3, 4), dtype=np.int64))
    assert measured.node.tolist() == [1, 2, 3, 4]
    assert not measured.steered.any()


def test_fewer_than_no_boxes_are_refused() -> None:
    with pytest.raises(ParameterError, match="boxes are below 0"):
        UniformGrid((3, 4), ADD_REMOVE_POINT, Fraction(1), boxes=-1)
