"""Trees of private medians: the sensitivity of the score, the exact loss of whole releases, exact spending."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.places.mechanism import kd_tree
from starling.places.mechanism.boxes import cumulative
from starling.places.mechanism.growing import GrowingTree
from starling.places.mechanism.kd_tree import MEDIANS, KdTree, balances
from starling.places.mechanism.quadtree import GROWTH, Levels
from starling.privacy.neighbours import ADD_REMOVE_PERSON, ADD_REMOVE_POINT
from tests.places.mechanism.enumeration import amounts, check_cost, largest_loss, losses, neighbours


def test_one_point_changes_each_score_by_one() -> None:
    for cells in product(range(3), repeat=4):
        grid = np.array(cells).reshape(1, 4)
        before = balances(cumulative(grid), [0, 1, 0, 4], 1)
        assert before.tolist() == [-abs(2 * sum(cells[:cut]) - sum(cells)) for cut in (1, 2, 3)]
        for other in neighbours(grid, 1):
            after = balances(cumulative(other), [0, 1, 0, 4], 1)
            assert (np.abs(after - before) == 1).all()
            assert np.array_equal(balances(cumulative(other.T.copy()), [0, 4, 0, 1], 0), after)


@pytest.mark.parametrize("points", [1, 2])
def test_the_exact_loss_over_all_neighbours_is_within_the_cost(points: int, monkeypatch: pytest.MonkeyPatch) -> None:
    method = KdTree((1, 3), ADD_REMOVE_PERSON, Fraction(2), points, height=1)
    check_cost(method, Fraction(2))
    # One of both cuts is unlikely, and a point in the first cell makes it better and the other worse.
    grid = np.array([[1, 60, 40]])
    assert Fraction(19, 10) < largest_loss(method, [grid], points, (-5, 200), monkeypatch) <= 2
    # A score that is taken for half as sensitive, so that cuts cost twice as much, is found.
    right = kd_tree.medians
    monkeypatch.setattr(kd_tree, "medians", lambda a, b, c, amount: right(a, b, c, 2 * amount))
    assert any(each > 2 for each in losses(method, [grid], points, (-5, 200), monkeypatch))


@pytest.mark.slow
def test_the_exact_loss_of_several_levels_is_within_the_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    method = KdTree((1, 5), ADD_REMOVE_POINT, Fraction(2), height=3, levels="steep")
    check_cost(method, Fraction(2))
    assert (1 - MEDIANS) * 2 < largest_loss(method, [np.array([[1, 20, 9, 9, 0]])], 1, (-5, 200), monkeypatch) <= 2


@settings(max_examples=30, deadline=None)
@given(
    st.tuples(st.integers(1, 9), st.integers(1, 9)),
    st.integers(1, 6),
    st.sampled_from(sorted(GROWTH)),
    st.fractions(Fraction(1, 5), 4, max_denominator=20),
)
def test_counts_of_every_path_spend_their_budget(
    shape: tuple[int, int], height: int, levels: Levels, epsilon: Fraction
) -> None:
    measured = KdTree(shape, ADD_REMOVE_PERSON, epsilon, 2, height, levels).draw(
        np.arange(shape[0] * shape[1]).reshape(shape)
    )
    measured.tree.check()
    assert {each for row in amounts(measured) for each in row} == {(1 - MEDIANS) * epsilon / 2}


def test_boxes_are_cut_at_their_medians() -> None:
    exact = np.zeros((8, 8), dtype=np.int64)
    exact[1, 2] = exact[1, 5] = exact[6, 3] = exact[6, 6] = 10**6
    # At this budget the chance of any other cut is below e^-1000.
    measured = KdTree((8, 8), ADD_REMOVE_POINT, Fraction(10), height=2).draw(exact)
    boxes = measured.tree.boxes
    assert 2 <= boxes[1, 1] <= 6
    assert [3 <= boxes[3, 3] <= 5, 4 <= boxes[5, 3] <= 6] == [True, True]
    tree = GrowingTree(exact)
    assert kd_tree.medians(tree.sums, tree.boxes, np.array([1]), Fraction(10)).tolist()[0] in (4, 5)
