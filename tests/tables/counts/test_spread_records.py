"""Sums and classes of records are what the words of the plan say, from every form, and one record moves them by a bounded amount."""

import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.engine.held_records import InMemory
from starling.engine.spark import Spark
from starling.engine.spill import Spill
from starling.privacy.trust import inspect
from starling.tables.counts import count_records
from starling.tables.counts.spread_records import SpreadRecords
from starling.tables.plan import Plan, aggregate_pieces, read_regions
from starling.tables.source import open_records
from tests.tables.aggregate_worlds import aggregate_worlds, aggregates_of, expected_aggregate
from tests.tables.own_worlds import Group, World
from tests.tables.plan.test_aggregates import SUMS

pytestmark = pytest.mark.usefixtures("few_parts")


def exact(plan: Plan, data: Path | InMemory, cluster: Spark | None = None) -> list[dict[Group, list[int]]]:
    """The exact numbers of each aggregate in each group that has some, as they are found for a release."""
    geography = read_regions(plan)
    counts = inspect(count_records(plan, geography, open_records(data, plan), cluster=cluster)).value
    found: list[dict[Group, list[int]]] = [{} for _ in plan.aggregates]
    for piece in aggregate_pieces(plan, geography, 3):
        level, numbers = plan.aggregates[piece.level].level, counts.aggregate(piece)
        assert numbers.shape == (piece.groups, plan.aggregates[piece.level].cells)
        for group in np.flatnonzero(numbers.any(axis=1)).tolist():
            region, iteration = divmod(group, piece.iterations)
            name = geography.regions[level.geography][piece.first + region]
            found[piece.level][level.geography, name, level.iterations[iteration].code] = numbers[group].tolist()
    return found


def wanted(world: World) -> list[dict[Group, list[int]]]:
    """What the words of the plan file say, in plan order."""
    plan = world.plan
    by_name = {}
    for kind, said in aggregates_of(world):
        key = (said.get("regions", "all"), said["groups"], said["of"], kind == "quantiles")
        by_name[key] = expected_aggregate(world, kind, said)
    return [
        by_name[each.level.geography, plan.families[each.level.iteration_level - 1], each.column, bool(each.quantiles)]
        for each in plan.aggregates
    ]


@settings(max_examples=40, deadline=None)
@given(aggregate_worlds())
def test_every_form_gives_the_numbers_that_the_words_of_the_plan_say(world: World) -> None:
    with tempfile.TemporaryDirectory() as name:
        for data in (world.csv(Path(name)), world.parquet(Path(name)), world.table()):
            assert exact(world.plan, data) == wanted(world)


@settings(max_examples=20, deadline=None)
@given(aggregate_worlds())
def test_records_that_are_added_up_first_give_the_same_numbers(world: World) -> None:
    with mock.patch("starling.tables.counts.spread_records.FEW", 0):
        assert exact(world.plan, world.table()) == wanted(world)


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


@settings(max_examples=25, deadline=None)
@given(aggregate_worlds(most=8), st.integers(1, 3), st.data())
def test_all_of_a_persons_records_move_it_by_as_many_sensitivities(
    world: World, most: int, data: st.DataObject
) -> None:
    who = data.draw(st.lists(st.sampled_from("ab"), min_size=len(world.records), max_size=len(world.records)))
    records = [{**each, "who": name} for each, name in zip(world.records, who, strict=True)]
    said = World({**world.values, "records": {"of-a-person": most, "person": "who"}}, tuple(records))
    plan = said.plan
    # The key of the hash chooses which records are kept: it is the same for neighbours.
    with mock.patch("starling.tables.counts.own_packed.fresh_bytes", bytes):
        whole = exact(plan, said.table())
        for person in set(who):
            rest = exact(plan, said.with_records([each for each in records if each["who"] != person]).table())
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
    with mock.patch("starling.tables.counts.spread_records.RUN", 2):
        for number, many in ((3, 1), (0, 0), (0, 1), (10, 1), (15, 2)):
            area, groups = np.array([1], np.int32), np.array([0], np.int32)
            records.add(area, groups, np.array([number], np.int64), np.array([many], np.int64))
    records.put_away()
    parts = [records.read(part).records.tolist() for part in records.parts(np.array([0, 1, 2]))]
    # Cell and weight of each record that has a number, twice; two records that say 15 together are one row.
    wanted = [0, 7, 1, 3, 0, 10, 1, 0, 0, 0, 1, 10, 0, 5, 1, 15]
    assert sorted(number for part in parts for number in part) == sorted(wanted)
