"""The earth mover's distance is the least that must be moved."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from starling.groups.optimise.distances import earth_movers_distance

SIZES = st.lists(st.integers(0, 7), max_size=6)


@given(SIZES, SIZES)
def test_groups_of_a_region_move_in_the_order_of_their_sizes(one: list[int], other: list[int]) -> None:
    number = min(len(one), len(other))
    one, other = one[:number], other[:number]
    apart = np.bincount(one, minlength=8) - np.bincount(other, minlength=8)
    moved = sum(abs(a - b) for a, b in zip(sorted(one), sorted(other), strict=True))
    assert earth_movers_distance(apart[None]) == moved
    assert earth_movers_distance(np.stack([apart, -apart])) == 2 * moved


def test_a_group_too_many_is_moved_beyond_the_largest_size() -> None:
    assert earth_movers_distance(np.array([[0, 1, 0, 0]])) == 3
