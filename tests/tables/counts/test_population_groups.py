"""Pieces add up over several threads, whatever their size, and the iterations of a code are those of the definitions."""

from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from starling.engine.spill import Spill
from starling.tables.counts import population_groups
from starling.tables.counts.kernels import Sets
from starling.tables.counts.population_groups import GroupCounts, _of_codes
from starling.tables.counts.records import Records
from starling.tables.plan import GeographyLevel, Plan, pieces
from starling.tables.plan.iterations import Kind
from tests.tables.plan.invented import census_folder
from tests.tables.small import small_geography, small_plan, whole


@pytest.mark.parametrize("small", [0, population_groups.SMALL])
@pytest.mark.parametrize("workers", [1, 2, 3, 16])
def test_threads_share_out_units(monkeypatch: pytest.MonkeyPatch, workers: int, small: int) -> None:
    """However many threads, each county's persons are counted once."""
    monkeypatch.setattr(population_groups, "SMALL", small)
    monkeypatch.setattr(population_groups, "processors", lambda: workers)
    plan = small_plan()
    geography = small_geography(plan, counties=7)
    records = Records(7, Spill())
    county = np.repeat(np.arange(7), [5, 0, 1, 900, 0, 3, 2]).astype(np.int32)
    code = np.arange(len(county), dtype=np.int32) % 4  # number of a set: none, or one of three codes
    zeros = np.zeros(len(county))
    records.add(county, code, zeros.astype(np.int16) + 3, zeros.astype(np.uint8), np.ones(len(county), np.int64))
    sets = Sets(np.array([0, 0, 1, 2, 3]), np.array([0, 1, 2], np.int16))
    records.put_away()
    counts = GroupCounts(plan, geography, records, {"race": sets})
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


@pytest.mark.parametrize("small", [0, population_groups.SMALL])
@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("most", [1, 2, 3, 100])
def test_pieces_of_any_size_are_slices_of_the_level(
    monkeypatch: pytest.MonkeyPatch, workers: int, most: int, small: int
) -> None:
    """Regions without units, units without a region, regions of several units."""
    monkeypatch.setattr(population_groups, "SMALL", small)
    monkeypatch.setattr(population_groups, "processors", lambda: workers)
    plan = small_plan(geographies=(GeographyLevel.COUNTY,))
    region = np.array([2, -1, 0, 4, 0, 2, 4, 4, -1, 0, 2, 2], dtype=np.int32)
    geography = replace(small_geography(plan, 5), units=12, region_of_unit={GeographyLevel.COUNTY: region})
    records = Records(12, Spill())
    for unit, persons in enumerate([9, 4, 1, 7, 7, 2, 3, 8, 5, 1, 1, 3]):
        some = np.full(persons, unit, dtype=np.int32)
        code, cell = np.arange(persons, dtype=np.int32) % 2, np.arange(persons, dtype=np.uint8)
        records.add(some, code, np.zeros(persons, np.int16), cell, np.ones(persons, np.int64))
    records.put_away()
    counts = GroupCounts(plan, geography, records, {"race": Sets(np.array([0, 1, 2]), np.array([0, 1], np.int16))})
    level = whole(plan, geography, 0)
    totals, cells = counts.totals(level), counts.cells(level, np.arange(level.groups))
    assert totals.sum() == 9 + 1 + 7 + 7 + 2 + 3 + 8 + 1 + 1 + 3
    assert np.array_equal(totals, cells.sum(axis=1))
    result = pieces(plan, geography, most)
    assert np.array_equal(np.concatenate([counts.totals(piece) for piece in result]), totals)
    assert np.array_equal(np.concatenate([counts.cells(piece, np.arange(piece.groups)) for piece in result]), cells)


KINDS: Final[tuple[tuple[Kind, bool], ...]] = (("race", False), ("race", True), ("ethnicity", False))


def test_the_iterations_of_a_code_are_those_of_the_definitions(tmp_path: Path) -> None:
    plan = Plan.load(census_folder(tmp_path / "plan"))
    for level in plan.levels:
        for kind, alone in KINDS:
            offsets, positions = _of_codes(plan, level, kind, alone=alone)
            assert offsets.dtype == np.int64
            assert positions.dtype == np.int32
            # One more, without iterations, for whatever is no code.
            assert len(offsets) == len(plan.codes) + 2
            assert offsets[-1] == offsets[-2]
            for index, code in enumerate(plan.codes):
                expected = [
                    position
                    for position, each in enumerate(level.iterations)
                    if code in each.codes and (each.kind, each.alone) == (kind, alone)
                ]
                assert positions[offsets[index] : offsets[index + 1]].tolist() == expected


def test_the_iterations_of_production_are_every_mapping_that_is_tabulated(shared_data: Path) -> None:
    plan = Plan.load(shared_data / "tables" / "NMFv7-2020")
    assert (len(plan.codes), len(plan.definitions.iterations)) == (1755, 3054)
    assert sum(len(each.codes) for each in plan.definitions.iterations) == 14088
    for level in plan.levels[:4]:
        result = sum(len(_of_codes(plan, level, kind, alone=alone).positions) for kind, alone in KINDS)
        assert result == sum(len(each.codes) for each in level.iterations)
