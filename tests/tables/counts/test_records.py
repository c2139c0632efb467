"""The store of counted records: whatever it is fed comes back, each record with its unit, however runs and portions are cut."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.engine.spill import Spill
from starling.errors import OutputError
from starling.tables.counts import records
from starling.tables.counts.kernels import MOST_PERSONS
from starling.tables.counts.records import Records

UNITS = 5
KEY = st.tuples(st.integers(0, 2**31 - 1), st.integers(0, 2**15 - 1), st.integers(0, 45))
ROW = st.tuples(st.integers(0, UNITS - 1), KEY | st.just((0, 0, 0)), st.integers(1, 1200))
Rows = list[tuple[int, tuple[int, int, int], int]]


def filled(batches: list[Rows]) -> Records:
    """A store of five units that was fed these rows."""
    store = Records(UNITS, Spill())
    for batch in batches:
        rows = np.array([(unit, *key, persons) for unit, key, persons in batch], dtype=np.int64).reshape(-1, 5)
        unit, races, qspan, cell, persons = rows.T
        store.add(
            unit.astype(np.int32), races.astype(np.int32), qspan.astype(np.int16), cell.astype(np.uint8), persons.copy()
        )
    store.put_away()
    return store


def search(store: Records, units: list[int], most: int) -> Counter[tuple[int, tuple[int, int, int]]]:
    """Persons by unit and key, read back portion by portion."""
    persons: Counter[tuple[int, tuple[int, int, int]]] = Counter()
    for part in store.parts(np.array(units, dtype=np.int64)):
        portion = store.read(part)
        assert 0 < len(portion.records) <= most
        assert len(portion.units)
        for unit, start, stop in zip(portion.units, portion.starts, portion.stops, strict=True):
            assert start < stop, "a unit without a record is not in a portion"
            for record in portion.records[start:stop].tolist():
                assert 1 <= record & 0xFF <= MOST_PERSONS
                key = (record >> 32, record >> 16 & 0xFFFF, record >> 8 & 0xFF)
                persons[int(unit), key] += record & 0xFF
    return persons


@pytest.mark.examples(33)
@given(
    st.lists(st.lists(ROW, max_size=12), max_size=6),
    st.sets(st.integers(0, UNITS - 1)),
    st.integers(1, 40),
    st.integers(1, 12),
)
def test_nobody_is_lost_or_counted_twice(batches: list[Rows], units: set[int], run: int, portion: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "RUN", run)
        patch.setattr(records, "PORTION", portion)
        store = filled(batches)
        expected: Counter[tuple[int, tuple[int, int, int]]] = Counter()
        for unit, key, persons in (row for batch in batches for row in batch):
            if unit in units:
                expected[unit, key] += persons
        assert search(store, sorted(units), portion) == expected
        assert search(store, sorted(units), portion) == expected, "reading uses nothing up"


def test_a_unit_with_all_records_is_read_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """One crowded unit needs no more memory than many."""
    monkeypatch.setattr(records, "PORTION", 10)
    store = filled([[(3, (number, 0, 0), 1) for number in range(95)]])
    lengths = [part.length for part in store.parts(np.arange(UNITS))]
    assert sum(lengths) == 95
    assert max(lengths) <= 10


def test_what_lies_between_far_units_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "PORTION", 10)
    rows = [(unit, (number, 0, 0), 1) for unit, many in enumerate((3, 500, 3)) for number in range(many)]
    assert sum(part.length for part in filled([rows]).parts(np.array([0, 2]))) < 20


def test_a_disk_that_is_full() -> None:
    store = Records(UNITS, Spill(most=40))
    one = np.zeros(1, np.int32)
    store.add(one, one, one.astype(np.int16), one.astype(np.uint8), one.astype(np.int64) + 1)
    with pytest.raises(OutputError):
        store.put_away()
