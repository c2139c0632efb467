"""Integers with given sums that are nearest to values, against all there are."""

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.groups.optimise.tree import Tree
from starling.groups.optimise.water import nearest_row, nearest_with_sum
from starling.groups.optimise.water_kernels import Families


@settings(max_examples=100, deadline=None)
@given(values=st.lists(st.integers(-4, 4), min_size=1, max_size=4), target=st.integers(0, 5))
def test_no_other_integers_are_nearer(values: list[int], target: int) -> None:
    result = nearest_row(np.array([values]), target)[0]
    assert result.min() >= 0
    assert result.sum() == target
    every = (each for each in product(range(target + 1), repeat=len(values)) if sum(each) == target)
    least = min(sum((x - a) ** 2 for x, a in zip(each, values, strict=True)) for each in every)
    assert ((result - values) ** 2).sum() == least


def test_families_are_filled_apart_and_in_any_order_of_rows() -> None:
    tree = Tree.of([[0, 0], [1, 0, 1, 0]])
    values = np.array([[5, 0], [1, 0], [5, 0], [2, 0]])
    result = nearest_with_sum(values, Families.of(tree, 1), np.array([[3, 1], [8, 0]]))
    assert result.tolist() == [[4, 0], [1, 0], [4, 0], [2, 1]]


def test_who_is_first_among_equals_shifts_with_the_size() -> None:
    result = nearest_with_sum(
        np.zeros((3, 6), dtype=np.int64), Families(np.arange(3), np.array([0, 3])), np.ones((1, 6), dtype=np.int64)
    )
    assert result.argmax(axis=0).tolist() == [0, 1, 2, 0, 1, 2]


def test_targets_far_above_and_values_far_below_are_filled_exactly() -> None:
    values = np.array([[-(1 << 57)], [1 << 57]])
    result = nearest_row(values.T, 1 << 58).T
    assert result.tolist() == [[0], [1 << 58]]
    values = np.full((2, 1), -(1 << 57))
    assert nearest_row(values.T, 3).T.tolist() == [[2], [1]]
