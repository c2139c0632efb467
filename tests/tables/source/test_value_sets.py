"""Numbers of sets: one number for one set whatever the order of its values, and every set comes back."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from starling.tables.source.value_sets import NONE, ValueSets, gather

INPUTS = st.lists(st.lists(st.integers(-1, 5), max_size=6), max_size=30)


@given(st.lists(INPUTS, max_size=4), st.integers(1, 4))
def test_sets_come_back_from_their_numbers(batches: list[list[list[int]]], most: int) -> None:
    numbers = ValueSets(5, most)
    met: list[tuple[int, frozenset[int]]] = []
    for records in batches:
        offsets = np.cumsum([0, *map(len, records)])
        values = np.array([value for record in records for value in record], dtype=np.int32)
        result, several = np.empty(len(records), np.int32), np.empty((len(records) + 1, most), np.int32)
        used = gather(offsets, values, most, result, several)
        numbers.number(result, several[:used])
        wanted = (frozenset(list(dict.fromkeys(v for v in record if v != NONE))[:most]) for record in records)
        met += zip(result.tolist(), wanted, strict=True)
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
