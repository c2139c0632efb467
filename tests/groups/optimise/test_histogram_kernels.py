"""Kernels on histograms against plain Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.groups.optimise import histogram_kernels as kernels
from starling.groups.optimise.tree import Int64
from starling.groups.optimise.water_kernels import Families
from tests.groups.optimise.random_trees import level_by_trying


@pytest.mark.parametrize("off", [-30, -4, 0, 3, 30])
def test_steps_do_not_depend_on_the_guess(off: int) -> None:
    numbers = np.random.default_rng(2)
    cells = numbers.integers(-5, 6, (7, 40)).astype(np.int32)
    rows, offsets = numbers.permutation(7), np.array([0, 3, 7])
    noisy, lows = numbers.integers(-5, 6, (2, 40)), numbers.integers(0, 9, (2, 40))
    guesses = np.full((2, 40), off, dtype=np.int32)
    steps = np.empty((2, 40, 6), dtype=np.int64)
    kernels.steps_above_leaves(cells, Families(rows, offsets), guesses, noisy, lows, 3, 2, steps)
    for u, s, i in np.ndindex(2, 40, 6):
        target = int(lows[u, s]) + 1 + i
        level = level_by_trying(cells[rows[offsets[u] : offsets[u + 1]], s].tolist(), target)
        assert steps[u, s, i] == 3 * (2 * (target - noisy[u, s]) - 1) + 2 * (2 * level - 1)


def test_the_root_takes_the_cheapest_steps_and_smaller_sizes_first() -> None:
    steps, starts = np.array([1, 4, 6, 2, 4, 5, 4, 7, 9]), np.array([0, 3, 6, 9])
    lows = np.array([10, 0, 5])
    for total, expected in ((15, [10, 0, 5]), (17, [11, 1, 5]), (18, [12, 1, 5]), (20, [12, 2, 6]), (24, [13, 3, 8])):
        counts: Int64 = np.empty(3, dtype=np.int64)
        kernels.take_at_root(steps, starts, lows, total, counts)
        assert counts.tolist() == expected


def test_windows_of_the_root_may_differ_in_width() -> None:
    steps, starts, lows = np.array([1, 4, 2, 4, 5, 6]), np.array([0, 2, 5, 6]), np.array([10, 0, 5])
    for total, expected in ((18, [12, 1, 5]), (19, [12, 2, 5]), (21, [12, 3, 6])):
        counts: Int64 = np.empty(3, dtype=np.int64)
        kernels.take_at_root(steps, starts, lows, total, counts)
        assert counts.tolist() == expected


@pytest.mark.slow
@given(st.lists(st.integers(-(1 << 62), 1 << 62) | st.integers(-900, 900), min_size=1, max_size=40))
def test_costs_are_put_in_order(costs: list[int]) -> None:
    given_costs = np.array(costs, dtype=np.int64)
    kernels.put_in_order(given_costs, np.empty(kernels.BUCKETS, dtype=np.int64))
    assert given_costs.tolist() == sorted(costs)


def test_the_water_level_is_the_least_that_reaches_the_target() -> None:
    numbers = np.random.default_rng(1)
    for _ in range(200):
        values = -np.sort(-numbers.integers(-9, 10, numbers.integers(1, 6)))
        target = int(numbers.integers(1, 20))
        assert kernels.water_level(values, target) == level_by_trying(values.tolist(), target)
