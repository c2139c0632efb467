"""Numbers of what records say are the same for the same, whatever batches and shares they come in."""

from unittest import mock

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.tables.counts.combinations import Combinations, distinct

COLUMN = st.integers(0, 3)


@settings(max_examples=40)
@given(
    st.integers(0, 3).flatmap(lambda columns: st.lists(st.tuples(*[COLUMN] * columns), max_size=12)), st.integers(1, 5)
)
def test_a_combination_has_one_number(rows: list[tuple[int, ...]], size: int) -> None:
    combinations, result = Combinations(), []
    for begin in range(0, len(rows), size):
        some = rows[begin : begin + size]
        columns = tuple(np.array(column, np.int32) for column in zip(*some, strict=True))
        result += combinations.number(columns, len(some)).tolist()
    text = list(combinations.rows())
    assert [text[number] for number in result] == rows
    assert sorted(text) == sorted(set(rows))


@given(st.lists(st.integers(0, 40), max_size=20))
def test_keys_are_told_apart_by_a_table_as_by_sorting(keys: list[int]) -> None:
    report = np.array(keys, dtype=np.int64)
    for dense in (0, 1 << 20):
        with mock.patch("starling.tables.counts.combinations.DENSE", dense):
            some, places = distinct(report)
        assert report[some].tolist() == sorted(set(keys))
        assert report[some][places].tolist() == keys
