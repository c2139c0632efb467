"""Numbers of sets: equal sets share one, different sets never do, and the codes come back."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.tables.plan.iterations import MOST_RACE_CODES
from starling.tables.source.value_sets import ValueSets

UNKNOWN = 9


def rows(sets: list[tuple[int, ...]]) -> np.ndarray[tuple[int, int], np.dtype[np.int16]]:
    several = np.full((len(sets), 8), -1, dtype=np.int16)
    for row, codes in enumerate(sets):
        several[row, : len(codes)] = codes
    return several


@pytest.mark.examples(30)
@given(
    st.lists(
        st.lists(st.sets(st.integers(0, UNKNOWN), min_size=2, max_size=8).map(lambda s: tuple(sorted(s))), max_size=30),
        max_size=5,
    )
)
def test_numbers_stand_for_sets(batches: list[list[tuple[int, ...]]]) -> None:
    numbers = ValueSets(UNKNOWN, MOST_RACE_CODES)
    given_: dict[int, tuple[int, ...]] = {}
    for batch in batches:
        races = np.array([0, 3, *(-1 - row for row in range(len(batch)))], dtype=np.int32)
        numbers.number(races, rows(batch))
        assert races[:2].tolist() == [0, 3]
        for number, codes in zip(races[2:].tolist(), batch, strict=True):
            assert given_.setdefault(number, codes) == codes
    assert len(set(given_.values())) == len(given_)
    offsets, members = numbers.rows()
    result = [tuple(members[start:stop].tolist()) for start, stop in pairwise(offsets)]
    assert result[: UNKNOWN + 2] == [(), *((code,) for code in range(UNKNOWN + 1))]
    assert {number: result[number] for number in given_} == given_


def test_many_sets_in_batches() -> None:
    """Enough to grow the table many times, each set met twice."""
    numbers = ValueSets(2000, MOST_RACE_CODES)
    work = np.array([(a, b) for a in range(250) for b in range(a + 1, 250)])
    pairs: list[tuple[int, tuple[int, ...]]] = []
    for which in [*range(7), *range(7)]:
        actual = work[which::7]
        races = (-1 - np.arange(len(actual))).astype(np.int32)
        numbers.number(races, rows([tuple(pair) for pair in actual.tolist()]))
        pairs += zip(races.tolist(), map(tuple, actual.tolist()), strict=True)
    offsets, codes = numbers.rows()
    assert len(offsets) - 1 == 2002 + len(work)
    assert all(tuple(codes[offsets[number] : offsets[number + 1]].tolist()) == codes_ for number, codes_ in pairs)
