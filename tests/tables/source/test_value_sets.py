"""Numbers of sets: one number for one set whatever the order of its values, and every set comes back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.tables.source.value_sets import NONE, ValueSets, gather

INPUTS = st.lists(st.lists(st.integers(-1, 5), max_size=6), max_size=30)


@given(INPUTS, st.integers(1, 4))
def test_the_first_different_values_of_a_record_are_its_row(records: list[list[int]], most: int) -> None:
    offsets = np.cumsum([0, *map(len, records)])
    values = np.array([value for record in records for value in record], dtype=np.int32)
    rows = np.full((len(records), most), NONE, dtype=np.int32)
    gather(offsets, values, rows)
    first = [sorted(list(dict.fromkeys(v for v in record if v != NONE))[:most]) for record in records]
    assert rows.tolist() == [each + [NONE] * (most - len(each)) for each in first]


@pytest.mark.examples(30)
@given(st.lists(st.lists(st.sets(st.integers(0, 5), max_size=4), max_size=30), max_size=4))
def test_sets_come_back_from_their_numbers(batches: list[list[set[int]]]) -> None:
    numbers = ValueSets(5, 4)
    met: list[tuple[int, frozenset[int]]] = []
    for records in batches:
        several = [sorted(each) for each in records if len(each) > 1]
        table = np.array([each + [NONE] * (4 - len(each)) for each in several], dtype=np.int32).reshape(-1, 4)
        place = iter(range(len(several)))
        result = np.array(
            [-1 - next(place) if len(each) > 1 else max(each, default=-1) + 1 for each in records], dtype=np.int32
        )
        numbers.number(result, table)
        met += zip(result.tolist(), map(frozenset, records), strict=True)
    offsets, values = numbers.rows()
    for number, wanted_set in met:
        assert values[offsets[number] : offsets[number + 1]].tolist() == sorted(wanted_set)
    assert len({number for number, _ in met}) == len({each for _, each in met})
    assert offsets[:8].tolist() == [0, 0, 1, 2, 3, 4, 5, 6]


def test_numbers_stay_when_the_table_grows() -> None:
    numbers = ValueSets(10_000, 2)
    pairs = np.array([(low, low + 1 + high) for low in range(100) for high in range(100)], dtype=np.int32)
    first, second = -1 - np.arange(len(pairs), dtype=np.int32), -1 - np.arange(len(pairs), dtype=np.int32)
    for begin in range(0, len(pairs), 300):
        part = -1 - np.arange(len(pairs[begin : begin + 300]), dtype=np.int32)
        numbers.number(part, pairs[begin : begin + 300])
        first[begin : begin + 300] = part
    numbers.number(second, pairs)
    assert first.tolist() == second.tolist() == list(range(10_002, 20_002))
