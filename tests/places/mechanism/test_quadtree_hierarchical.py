"""Trees of grids: their fan-out, the exact loss of whole releases over all neighbours, exact spending."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.places.mechanism import quadtree
from starling.places.mechanism.quadtree import Hierarchical, fan_out, levels_below
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from tests.places.mechanism.enumeration import amounts, check_cost, largest_loss, losses, tiny_grids


@given(st.integers(2, 300))
def test_the_fan_out_is_the_cheapest(side: int) -> None:
    result = fan_out(side)
    costs = {parts: parts * levels_below(side, parts) ** 2 for parts in range(2, side + 1)}
    assert costs[result] == min(costs.values())
    assert result ** levels_below(side, result) >= side > result ** (levels_below(side, result) - 1)


@pytest.mark.series(2)
@pytest.mark.parametrize("points", [1, 2])
@pytest.mark.parametrize("shape", [(2, 2), (1, 5), (3, 2)])
def test_the_exact_loss_over_all_neighbours_is_the_cost(
    shape: tuple[int, int], points: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = Hierarchical(shape, ADD_REMOVE_PERSON, Fraction(1, 2), points)
    check_cost(method, Fraction(1, 2))
    assert largest_loss(method, tiny_grids(shape), points, (-5, 90), monkeypatch) == Fraction(1, 2)
    # A level that is forgotten in the division of the budget is found.
    monkeypatch.setattr(quadtree, "shares", lambda amount, ones: [amount / (len(ones) - 1)] * len(ones))
    every = losses(method, tiny_grids(shape)[:1], points, (-5, 90), monkeypatch)
    assert any(each > Fraction(1, 2) for each in every)


@settings(max_examples=30, deadline=None)
@given(st.tuples(st.integers(1, 30), st.integers(1, 30)), st.fractions(Fraction(1, 5), 4, max_denominator=20))
def test_every_path_spends_the_budget_and_ends_in_cells(shape: tuple[int, int], epsilon: Fraction) -> None:
    measured = Hierarchical(shape, ADD_REMOVE_PERSON, epsilon, 3).draw(np.arange(shape[0] * shape[1]).reshape(shape))
    measured.tree.check()
    assert {each for row in amounts(measured) for each in row} == {epsilon / 3}
    assert (measured.tree.areas[measured.tree.leaves] == 1).all()
    assert not measured.steered.any()
