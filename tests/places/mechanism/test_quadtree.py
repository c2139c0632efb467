"""Quadtrees of public shape: amounts by level, the exact loss over all neighbours, boxes of one cell."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.errors import PlanError
from starling.places.mechanism import quadtree
from starling.places.mechanism.kd_tree import KdTree
from starling.places.mechanism.quadtree import GROWTH, Levels, Quadtree
from starling.privacy.neighbours import ADD_REMOVE_PERSON, ADD_REMOVE_POINT
from tests.places.mechanism.enumeration import amounts, check_cost, largest_loss, tiny_grids, total_probability


@pytest.mark.parametrize("levels", sorted(GROWTH))
def test_levels_share_the_budget_as_their_names_say(levels: Levels) -> None:
    method = Quadtree((64, 64), ADD_REMOVE_PERSON, Fraction(1, 10), 7, height=6, levels=levels)
    check_cost(method, Fraction(1, 10))
    drift = [float(b / a) for a, b in zip(method.amounts, method.amounts[1:], strict=False)]
    assert drift == pytest.approx([GROWTH[levels] ** (1 / 3)] * 6, rel=1e-10)


@pytest.mark.series(1)
@pytest.mark.parametrize("points", [1, 2])
@pytest.mark.parametrize("shape", [(2, 2), (1, 4), (1, 3)])
def test_the_exact_loss_over_all_neighbours_is_the_cost(
    points: int, shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    method = Quadtree(shape, ADD_REMOVE_PERSON, Fraction(1, 2), points, height=max(shape) // 2)
    assert largest_loss(method, tiny_grids(shape), points, (-1, 8), monkeypatch) == Fraction(1, 2)
    # Noise for half the sensitivity is found.
    right = quadtree.level_amounts
    monkeypatch.setattr(quadtree, "level_amounts", lambda amount, *more: right(2 * amount, *more))
    assert largest_loss(method, tiny_grids(shape), points, (-1, 8), monkeypatch) == 1


def test_the_enumerated_releases_are_all_that_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    method = Quadtree((1, 2), ADD_REMOVE_POINT, Fraction(6), height=1)
    assert total_probability(method, np.array([[2, 1]]), range(-4, 8), monkeypatch) == pytest.approx(1, abs=1e-3)


@settings(max_examples=40, deadline=None)
@given(
    st.tuples(st.integers(1, 9), st.integers(1, 9)),
    st.integers(0, 4),
    st.sampled_from(sorted(GROWTH)),
    st.fractions(Fraction(1, 5), 4, max_denominator=20),
)
def test_every_path_spends_the_budget(shape: tuple[int, int], height: int, levels: Levels, epsilon: Fraction) -> None:
    method = Quadtree(shape, ADD_REMOVE_PERSON, epsilon, 2, height, levels)
    measured = method.draw(np.arange(shape[0] * shape[1]).reshape(shape))
    measured.tree.check()
    assert {each for row in amounts(measured) for each in row} == {epsilon / 2}
    assert not measured.steered.any()


@pytest.mark.parametrize("height", [-1, 27])
def test_a_height_beyond_any_grid_is_refused(height: int) -> None:
    with pytest.raises(PlanError, match="height is not from 0 to 26"):
        Quadtree((4, 4), ADD_REMOVE_POINT, Fraction(1), height=height)
    with pytest.raises(PlanError, match="height is not from 1 to 26"):
        KdTree((4, 4), ADD_REMOVE_POINT, Fraction(1), height=height)


def test_values_are_those_of_their_boxes() -> None:
    exact = np.arange(35).reshape(5, 7) ** 2
    measured = Quadtree((5, 7), ADD_REMOVE_POINT, Fraction(10_000), height=3).draw(exact)
    boxes = measured.tree.boxes[measured.node]
    assert measured.value.tolist() == [exact[t:b, s:e].sum() for t, b, s, e in boxes]
    # A cell that is reached early is measured again at each further depth, and 5 x 7 cells need a height of 3.
    assert len(measured.tree.parents) < len(measured.node) == 1 + 4 + 16 + 35
