"""Numbers of what records say are the same for the same, whatever batches and shares they come in."""

from unittest import mock

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.tables.counts.own_numbered import Combinations
from tests.tables.counts.test_own_counting import counted
from tests.tables.own_worlds import World, expected, worlds

COLUMN = st.integers(0, 3)


@settings(max_examples=40)
@given(
    st.integers(0, 3).flatmap(lambda columns: st.lists(st.tuples(*[COLUMN] * columns), max_size=12)), st.integers(1, 5)
)
def test_a_combination_has_one_number(rows: list[tuple[int, ...]], size: int) -> None:
    combinations, found = Combinations(), []
    for begin in range(0, len(rows), size):
        some = rows[begin : begin + size]
        columns = tuple(np.array(column, np.int32) for column in zip(*some, strict=True))
        found += combinations.number(columns, len(some)).tolist()
    said = list(combinations.rows())
    assert [said[number] for number in found] == rows
    assert sorted(said) == sorted(set(rows))


@settings(max_examples=15, deadline=None)
@given(worlds())
def test_shares_add_up(world: World) -> None:
    with mock.patch("starling.tables.counts.own_numbered.SHARE", 1), mock.patch("starling.engine.held_records.ROWS", 2):
        assert counted(world.plan, world.table()) == expected(world)
