"""Trees of private medians: the sensitivity of the score, the exact loss of whole releases, exact spending."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.places.measurements import Int64
from starling.places.mechanism import kd_tree
from starling.places.mechanism.boxes import cumulative
from starling.places.mechanism.growing import GrowingTree
from starling.places.mechanism.kd_tree import MEDIANS, KdTree, balances
from starling.places.mechanism.quadtree import GROWTH, Levels
from starling.privacy.neighbours import ADD_REMOVE_PERSON, ADD_REMOVE_POINT
from tests.places.mechanism.enumeration import Choices, Drawn, Script, amounts, check_cost, neighbours, of, scripted


def test_one_point_changes_each_score_by_one() -> None:
    for cells in product(range(3), repeat=4):
        grid = np.array(cells).reshape(1, 4)
        before = balances(cumulative(grid), [0, 1, 0, 4], 1)
        assert before.tolist() == [-abs(2 * sum(cells[:cut]) - sum(cells)) for cut in (1, 2, 3)]
        for other in neighbours(grid, 1):
            after = balances(cumulative(other), [0, 1, 0, 4], 1)
            assert (np.abs(after - before) == 1).all()
            assert np.array_equal(balances(cumulative(other.T.copy()), [0, 4, 0, 1], 0), after)


@dataclass(frozen=True)
class Selected:
    """A cut that the exponential mechanism drew."""

    exact: tuple[int, ...]
    amount: Fraction
    value: int

    @property
    def log_chance(self) -> float:
        weights = [exp(float(self.amount) * score / 2) for score in self.exact]
        return log(weights[self.value] / sum(weights))


def loss(one: Drawn | Selected, other: Drawn | Selected) -> Fraction:
    if isinstance(one, Selected) and isinstance(other, Selected):
        assert (one.amount, one.value) == (other.amount, other.value)
        return Fraction(one.log_chance - other.log_chance)
    assert isinstance(one, Drawn)
    assert isinstance(other, Drawn)
    return one.loss(other)


def all_losses(method: KdTree, one: Int64, other: Int64, choices: Choices, patch: pytest.MonkeyPatch) -> list[Fraction]:
    """The loss of every release; a cut is any of its places."""
    found: list[Fraction] = []
    open_scripts: list[tuple[int, ...]] = [()]
    with scripted(choices, patch) as script, patch.context() as patched:

        def select(scores: Int64, amount: Fraction) -> list[int]:
            at = len(script.drawn)
            value = script.given[at] if at < len(script.given) else 0
            script.drawn.append(Selected(tuple(scores.tolist()), amount, value))  # type: ignore[arg-type]
            return [value]

        patched.setattr(kd_tree, "exponential_mechanism", select)
        while open_scripts:
            given = open_scripts.pop()
            (_, left), (_, right) = (replay(script, method, grid, given) for grid in (one, other))
            for place in range(len(given), len(left)):
                here, before = left[place], tuple(each.value for each in left[:place])
                if here.exact != right[place].exact:
                    values = range(len(here.exact)) if isinstance(here, Selected) else of(choices, here.amount)
                    open_scripts += [(*before, value) for value in values[1:]]
            found.append(sum((loss(a, b) for a, b in zip(left, right, strict=True)), Fraction(0)))
    return found


def replay(
    script: Script, method: KdTree, grid: Int64, given: Sequence[int]
) -> tuple[object, Sequence[Drawn | Selected]]:
    return script.replay(method, grid, given)


def largest(method: KdTree, grid: Int64, points: int, patch: pytest.MonkeyPatch) -> Fraction:
    """The largest loss over all neighbours and releases."""
    found = (all_losses(method, grid, other, (-5, 200), patch) for other in neighbours(grid, points))
    return max(abs(each) for losses in found for each in losses)


@pytest.mark.parametrize("points", [1, 2])
def test_the_exact_loss_over_all_neighbours_is_within_the_cost(points: int, monkeypatch: pytest.MonkeyPatch) -> None:
    method = KdTree((1, 3), ADD_REMOVE_PERSON, Fraction(2), points, height=1)
    check_cost(method, Fraction(2))
    # One of both cuts is unlikely, and a point in the first cell makes it better and the other worse.
    grid = np.array([[1, 60, 40]])
    assert Fraction(19, 10) < largest(method, grid, points, monkeypatch) <= 2
    # A score that is taken for half as sensitive, so that cuts cost twice as much, is found.
    right = kd_tree.medians
    monkeypatch.setattr(kd_tree, "medians", lambda a, b, c, amount: right(a, b, c, 2 * amount))
    assert largest(method, grid, points, monkeypatch) > 2


def test_the_exact_loss_of_several_levels_is_within_the_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    method = KdTree((1, 5), ADD_REMOVE_POINT, Fraction(2), height=3, levels="steep")
    check_cost(method, Fraction(2))
    assert (1 - MEDIANS) * 2 < largest(method, np.array([[1, 20, 9, 9, 0]]), 1, monkeypatch) <= 2


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
