"""Integers near cumulative counts: water-filling against all ways to share out, and the conditions."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.groups.optimise.cumulative_problem import CumulativeProblem
from starling.groups.optimise.rounding import pour, round_cumulative, round_root
from tests.groups.optimise.random_trees import assert_conditions


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    wanted=st.lists(st.integers(-24, 24), min_size=1, max_size=4),
    rooms=st.lists(st.integers(0, 7), min_size=4, max_size=4),
    part=st.integers(1, 100),
)
def test_nothing_else_that_fits_is_nearer(wanted: list[int], rooms: list[int], part: int) -> None:
    room = rooms[: len(wanted)]
    if not sum(room):
        return
    groups = 1 + part * (sum(room) - 1) // 100
    targets = np.array(wanted) / 3
    added = np.empty(len(wanted), dtype=np.int64)
    pour(groups, targets, np.array(room), np.empty(targets.size), added)
    ways = [way for way in product(*(range(each + 1) for each in room)) if sum(way) == groups]
    assert tuple(added) in ways
    least = min(np.sum((targets - way) ** 2) for way in ways)
    assert np.isclose(np.sum((targets - added) ** 2), least, atol=1e-9)


def test_ties_go_to_the_first_child() -> None:
    added = np.empty(4, dtype=np.int64)
    pour(2, np.full(4, 0.5), np.full(4, 2), np.empty(4), added)
    assert added.tolist() == [1, 1, 0, 0]
    pour(7, np.full(4, 1.75), np.full(4, 7), np.empty(4), added)
    assert added.tolist() == [2, 2, 2, 1]


def test_bounds_and_sum_hold_where_doubles_are_coarse() -> None:
    numbers = np.random.default_rng(2)
    for _ in range(200):
        room = numbers.integers(0, 1 << 57, 6)
        groups = int(room.sum() * numbers.random()) + 1
        added = np.empty(6, dtype=np.int64)
        pour(groups, numbers.normal(size=6) * 2.0 ** numbers.integers(0, 63), room, np.empty(6), added)
        assert int(added.sum()) == groups
        assert ((added >= 0) & (added <= room)).all()


def test_the_root_never_falls_and_ends_at_the_total() -> None:
    counts = round_root(np.array([2.4, -7.0, 3.6, 99.0, 1.0]), 10)
    assert counts.tolist() == [2, 0, 2, 6, 0]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), total=st.integers(0, 50), public=st.booleans())
def test_the_conditions_hold_whatever_the_targets(seed: int, total: int, public: bool) -> None:
    numbers = np.random.default_rng(seed)
    parents = [np.array([0, 0]), np.array([1, 0, 1, 1])]
    noisy = [numbers.integers(-9, 60, (count, 6)) for count in (1, 2, 4)]
    leaves = numbers.multinomial(total, np.full(4, 0.25))
    totals = [np.array([total]), np.array([leaves[1], total - leaves[1]]), leaves]
    problem = CumulativeProblem.of(noisy, parents, total, None, totals if public else None)
    levels = round_cumulative(problem, numbers.normal(scale=40.0, size=(7, 6)))
    assert_conditions(levels, parents, total)
    if public:
        assert [level.sum(axis=1).tolist() for level in levels] == [each.tolist() for each in totals]
