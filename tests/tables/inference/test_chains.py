"""Regions of a chain are worked on parent by parent, and found again by their ids."""

from itertools import pairwise
from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from starling.tables.inference.chains import Chain, _by_parent


@given(st.lists(st.integers(1, 6), min_size=1, max_size=3), st.randoms())
def test_regions_of_one_parent_are_brought_together(sizes: list[int], random: Random) -> None:
    """Whatever the order of the ids: the parent of each region in the new order is the place of its old parent there."""
    by_id = [np.array([random.randrange(above) for _ in range(below)]) for above, below in pairwise([2, *sizes])]
    rows, parents = _by_parent(2, by_id)
    order = [
        np.arange(size) if isinstance(row, slice) else row.ravel() for row, size in zip(rows, [2, *sizes], strict=True)
    ]
    for step, parent in enumerate(parents[1:], start=1):
        assert (np.diff(parent) >= 0).all()
        assert sorted(order[step].tolist()) == list(range(sizes[step - 1]))
        assert np.array_equal(order[step - 1][parent], by_id[step - 1][order[step]])


@given(st.permutations(range(6)))
def test_a_region_stands_where_its_row_is(order: list[int]) -> None:
    chain = Chain.__new__(Chain)
    chain.rows, chain.parent = [slice(None), np.array(order)[:, np.newaxis]], [np.zeros(6, np.int64)] * 2
    assert chain.places[0].tolist() == [*range(6)]
    assert [order[place] for place in chain.places[1]] == [*range(6)]
