"""The compact store: whatever the counter is fed comes back sorted by unit, and pieces add up over several threads."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.tables.counts import groups
from starling.tables.counts.groups import Counter, GroupCounts
from starling.tables.counts.kernels import Sets
from starling.tables.plan import GeographyLevel, pieces, whole
from tests.tables.small import small_geography, small_plan

ROW = st.tuples(st.integers(0, 4), st.integers(0, 9), st.integers(0, 3), st.integers(0, 45), st.integers(1, 1200))


@given(st.lists(st.lists(ROW, max_size=20), max_size=4))
def test_the_counter_loses_nobody_and_sorts(batches: list[list[tuple[int, int, int, int, int]]]) -> None:
    counter = Counter(5)
    for batch in batches:
        rows = np.array(batch, dtype=np.int64).reshape(-1, 5)
        counter.add(
            rows[:, 0].astype(np.int32),
            rows[:, 1].astype(np.int32),
            rows[:, 2].astype(np.int16),
            rows[:, 3].astype(np.uint8),
            rows[:, 4],
        )
    counted = counter.sorted()
    unit = np.repeat(np.arange(5), np.diff(counted.starts))
    found: dict[tuple[int, ...], int] = {}
    for *key, persons in zip(unit, counted.races, counted.qspan, counted.cell, counted.persons, strict=True):
        found[tuple(map(int, key))] = found.get(tuple(map(int, key)), 0) + int(persons)
    expected: dict[tuple[int, ...], int] = {}
    for *key, persons in (row for batch in batches for row in batch):
        expected[tuple(key)] = expected.get(tuple(key), 0) + persons
    assert found == expected
    assert all(counted.persons > 0)
    record = sum(column.itemsize for column in (counted.races, counted.qspan, counted.cell, counted.persons))
    assert record == 8, "bytes of a stored record"


@pytest.mark.parametrize("workers", [1, 2, 3, 16])
def test_threads_share_out_units(monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
    """However many threads, each county's persons are counted once."""
    monkeypatch.setattr(groups, "processors", lambda: workers)
    plan = small_plan()
    geography = small_geography(plan, counties=7)
    counter = Counter(7)
    county = np.repeat(np.arange(7), [5, 0, 1, 900, 0, 3, 2]).astype(np.int32)
    code = np.arange(len(county), dtype=np.int32) % 4  # number of a set: none, or one of three codes
    zeros = np.zeros(len(county))
    counter.add(county, code, zeros.astype(np.int16) + 3, zeros.astype(np.uint8), np.ones(len(county), np.int64))
    sets = Sets(np.array([0, 0, 1, 2, 3]), np.array([0, 1, 2], np.int16))
    counts = GroupCounts(plan, geography, counter.sorted(), sets)
    for number, level in enumerate(plan.levels):
        region = geography.region_of_unit[level.geography][county]
        expected = [
            np.count_nonzero((region == here) & (code == 1 + plan.codes.index(iteration.codes[0])))
            for here in range(len(geography.regions[level.geography]))
            for iteration in level.iterations
        ]
        piece = whole(plan, geography, number)
        assert counts.totals(piece).tolist() == expected
        assert counts.cells(piece, np.arange(len(expected))).sum(axis=1).tolist() == expected


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("most", [1, 2, 3, 100])
def test_pieces_of_any_size_are_slices_of_the_level(monkeypatch: pytest.MonkeyPatch, workers: int, most: int) -> None:
    """Regions without units, units without a region, regions of several units."""
    monkeypatch.setattr(groups, "processors", lambda: workers)
    plan = small_plan(geographies=(GeographyLevel.COUNTY,))
    region = np.array([2, -1, 0, 4, 0, 2, 4, 4, -1, 0, 2, 2], dtype=np.int32)
    geography = replace(small_geography(plan, 5), units=12, region_of_unit={GeographyLevel.COUNTY: region})
    counter = Counter(12)
    for unit, persons in enumerate([9, 4, 1, 7, 7, 2, 3, 8, 5, 1, 1, 3]):
        some = np.full(persons, unit, dtype=np.int32)
        code, cell = np.arange(persons, dtype=np.int32) % 2, np.arange(persons, dtype=np.uint8)
        counter.add(some, code, np.zeros(persons, np.int16), cell, np.ones(persons, np.int64))
    counts = GroupCounts(plan, geography, counter.sorted(), Sets(np.array([0, 1, 2]), np.array([0, 1], np.int16)))
    level = whole(plan, geography, 0)
    totals, cells = counts.totals(level), counts.cells(level, np.arange(level.groups))
    assert totals.sum() == 9 + 1 + 7 + 7 + 2 + 3 + 8 + 1 + 1 + 3
    assert np.array_equal(totals, cells.sum(axis=1))
    found = pieces(plan, geography, most)
    assert np.array_equal(np.concatenate([counts.totals(piece) for piece in found]), totals)
    assert np.array_equal(np.concatenate([counts.cells(piece, np.arange(piece.groups)) for piece in found]), cells)
