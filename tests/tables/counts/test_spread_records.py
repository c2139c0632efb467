"""Sums and classes of records are what the words of the plan say, from every form, and one record moves them by a bounded amount."""

import tempfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from starling.engine.held_records import InMemory
from starling.engine.spill import Spill
from starling.privacy.trust import inspect
from starling.tables.counts import GroupCounts, count
from starling.tables.counts.kernels import Iterations, Memberships
from starling.tables.counts.spread_records import LARGEST, SpreadRecords, add_weights, joined, limbs
from starling.tables.plan import Aggregate, Geography, Plan, aggregate_pieces, read_regions
from starling.tables.plan.aggregates import NARROW, WIDEST
from starling.tables.source import open_records
from tests.tables.aggregate_worlds import aggregate_worlds, aggregates_of, expected_aggregate
from tests.tables.custom_worlds import Group, World
from tests.tables.plan.test_aggregates import SUMS


def exact(plan: Plan, data: Path | InMemory) -> list[dict[Group, list[int]]]:
    """The exact numbers of each aggregate in each group that has some, as they are found for a release."""
    geography = read_regions(plan)
    return numbers_of(plan, geography, inspect(count(plan, geography, open_records(data, plan))).value)


def numbers_of(plan: Plan, geography: Geography, counts: GroupCounts) -> list[dict[Group, list[int]]]:
    """The exact numbers of each aggregate in each group that has some."""
    result: list[dict[Group, list[int]]] = [{} for _ in plan.aggregates]
    for piece in aggregate_pieces(plan, geography, 3):
        level, numbers = plan.aggregates[piece.level].level, counts.aggregate(piece)
        assert numbers.shape == (piece.groups, plan.aggregates[piece.level].cells)
        for group in np.flatnonzero(numbers.any(axis=1)).tolist():
            region, iteration = divmod(group, piece.iterations)
            name = geography.regions[level.geography][piece.first + region]
            result[piece.level][level.geography, name, level.iterations[iteration].code] = numbers[group].tolist()
    return result


def wanted(world: World) -> list[dict[Group, list[int]]]:
    """What the words of the plan file say, in plan order."""
    plan = world.plan
    by_name = {}
    for kind, text in aggregates_of(world):
        key = (text.get("regions", "all"), text["groups"], text["of"], kind == "quantiles")
        by_name[key] = expected_aggregate(world, kind, text)
    return [
        by_name[each.level.geography, plan.families[each.level.iteration_level - 1], each.column, bool(each.quantiles)]
        for each in plan.aggregates
    ]


@pytest.mark.slow
@pytest.mark.examples(6)
@settings(max_examples=40, deadline=None)
@given(aggregate_worlds())
def test_every_form_gives_the_numbers_that_the_words_of_the_plan_say(world: World) -> None:
    with tempfile.TemporaryDirectory() as name:
        for data in (world.csv(Path(name)), world.parquet(Path(name)), world.table()):
            assert exact(world.plan, data) == wanted(world)


@pytest.mark.slow
@pytest.mark.examples(6)
@settings(max_examples=25, deadline=None)
@given(aggregate_worlds(most=4))
def test_a_record_moves_at_most_stability_groups_each_by_its_sensitivity(world: World) -> None:
    """All neighbours: of sums the pair moves by W in L1 and at most W in L2, of quantiles one class by one."""
    plan, whole = world.plan, exact(world.plan, world.table())
    for gone in range(len(world.records)):
        rest = exact(plan, world.with_records([*world.records[:gone], *world.records[gone + 1 :]]).table())
        for aggregate, before, after in zip(plan.aggregates, whole, rest, strict=True):
            nothing = [0] * aggregate.cells
            moved = [
                np.array(before.get(group, nothing)) - np.array(after.get(group, nothing))
                for group in before.keys() | after.keys()
            ]
            moved = [each for each in moved if each.any()]
            assert len(moved) <= aggregate.level.stability
            limit = aggregate.width if aggregate.quantiles is None else 1
            assert all(each.sum() == limit and (each >= 0).all() for each in moved)
            assert all((each**2).sum() <= limit**2 for each in moved)


@pytest.mark.slow
@pytest.mark.examples(6)
@settings(max_examples=25, deadline=None)
@given(aggregate_worlds(most=8), st.integers(1, 3), st.data())
def test_all_of_a_persons_records_move_it_by_as_many_sensitivities(
    world: World, most: int, data: st.DataObject
) -> None:
    who = data.draw(st.lists(st.sampled_from("ab"), min_size=len(world.records), max_size=len(world.records)))
    records = [{**each, "who": name} for each, name in zip(world.records, who, strict=True)]
    text = World({**world.values, "records": {"of-a-person": most, "person": "who"}}, tuple(records))
    plan = text.plan
    # The key of the hash chooses which records are kept: it is the same for neighbours.
    with mock.patch("starling.tables.counts.counting.fresh_bytes", bytes):
        whole = exact(plan, text.table())
        for person in set(who):
            rest = exact(plan, text.with_records([each for each in records if each["who"] != person]).table())
            for aggregate, before, after in zip(plan.aggregates, whole, rest, strict=True):
                nothing, limit = [0] * aggregate.cells, aggregate.width if aggregate.quantiles is None else 1
                moved = [
                    sum(before.get(group, nothing)) - sum(after.get(group, nothing))
                    for group in before.keys() | after.keys()
                ]
                assert all(0 <= each <= most * limit for each in moved)
                assert sum(moved) <= most * aggregate.level.stability * limit


def test_records_in_several_runs_add_up() -> None:
    records = SpreadRecords(SUMS, 3, Spill(None, None))
    with mock.patch("starling.tables.counts.records.RUN", 2):
        for number, many in ((3, 1), (0, 0), (0, 1), (10, 1), (15, 2)):
            area, groups = np.array([1], np.int32), np.array([0], np.int32)
            records.add_sums(area, groups, limbs(pa.array([number], pa.decimal128(38))), np.array([many], np.int64))
    records.put_away()
    parts = [records.read(part).records.tolist() for part in records.parts(np.array([0, 1, 2]))]
    # Lower limbs of both numbers of what records say, but for zeros.
    wanted = [0, 7, 2, 3, 0, 10, 2, 10, 0, 5, 2, 15]
    assert sorted(number for part in parts for number in part) == sorted(wanted)


def joined_of(records: SpreadRecords, sums: Aggregate) -> list[list[int]]:
    """Both numbers of each of three areas, every record being in the one group."""
    nobody = Iterations(np.zeros(2, np.int64), np.zeros(0, np.int32))
    members = Memberships(Iterations(np.array([0, 1]), np.zeros(1, np.int32)), nobody, 1)
    table = np.zeros((3, 4), dtype=np.int64)
    for part in records.parts(np.arange(3)):
        add_weights(records.read(part), np.arange(3, dtype=np.int32), 0, members, table)
    numbers: list[list[int]] = joined(table, wide=sums.wide).tolist()
    return numbers


@pytest.mark.examples(33)
@given(
    st.integers(1, WIDEST),
    st.lists(st.tuples(st.integers(0, 2), st.fractions(0, 1), st.integers(1, 2**35)), min_size=1, max_size=6),
)
@example(WIDEST, [(0, Fraction(1), 2**35)] * 6)
@example(NARROW, [(0, Fraction(1), 2**35)])
def test_no_number_of_records_overflows(width: int, rows: list[tuple[int, Fraction, int]]) -> None:
    """Widths up to the widest with 2^37 records: exact in a wide column, and in a narrow one cut at a public limit."""
    sums = replace(SUMS, low=0, high=width)
    records, expected = SpreadRecords(sums, 3, Spill(None, None)), [[0, 0] for _ in range(3)]
    for area, share, many in rows:
        number = int(share * width) * many
        above, area_of, group = (
            limbs(pa.array([number], pa.decimal128(38))),
            np.array([area], np.int32),
            np.zeros(1, np.int32),
        )
        records.add_sums(area_of, group, above, np.array([many], np.int64))
        expected[area] = [expected[area][0] + width * many - number, expected[area][1] + number]
    records.put_away()
    limit = max(map(max, expected)) if sums.wide else LARGEST
    assert joined_of(records, sums) == [[min(each, limit) for each in pair] for pair in expected]


def test_a_record_is_kept_by_its_limbs(tmp_path: Path) -> None:
    """Low and high limb of what the number lacks of the largest one, then of what it is above the least; those of 0 are left out."""
    spread = SpreadRecords(SUMS, 3, Spill(tmp_path))
    above = limbs(pa.array([4, 0], pa.decimal128(38)))
    spread.add_sums(np.array([2, 0], np.int32), np.array([0, 1], np.int32), above, np.array([1, 0]))
    spread.put_away()
    parts = [spread.read(part).records.tolist() for part in spread.parts(np.array([0, 1, 2]))]
    assert parts == [[0, SUMS.width - 4, 2, 4]]
