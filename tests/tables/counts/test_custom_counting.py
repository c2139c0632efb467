"""Custom records are counted as the words of their plan say, from every form, and one record more is one more in few groups."""

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.engine.held_records import InMemory
from starling.privacy.events import MONOTONE
from starling.privacy.trust import inspect
from starling.tables.counts import GroupCounts, count
from starling.tables.plan import Geography, Plan, read_regions
from starling.tables.source import open_records
from tests.privacy.leaves import factors
from tests.tables.custom_worlds import COLOURS, Group, World, expected, groups_of, worlds
from tests.tables.small import whole


def counted(plan: Plan, data: Path | InMemory) -> dict[Group, Counter[tuple[int, ...]]]:
    """Records by cell in each group that has some, as they are counted for a release."""
    geography = read_regions(plan)
    return cells_of(plan, geography, inspect(count(plan, geography, open_records(data, plan))).value)


def cells_of(plan: Plan, geography: Geography, counts: GroupCounts) -> dict[Group, Counter[tuple[int, ...]]]:
    """Records by cell in each group that has some."""
    lengths = [max(len(cuts), 1) for cuts in plan.detail.partitions[-1]]
    result: dict[Group, Counter[tuple[int, ...]]] = {}
    for number, level in enumerate(plan.levels):
        piece = whole(plan, geography, number)
        cells = counts.cells(piece, np.arange(piece.groups))
        assert np.array_equal(cells.sum(axis=1), counts.totals(piece))
        for group, cell in zip(*np.nonzero(cells), strict=True):
            region, iteration = divmod(int(group), piece.iterations)
            key = level.geography, geography.regions[level.geography][region], level.iterations[iteration].code
            place = tuple(map(int, np.unravel_index(int(cell), lengths))) if lengths else ()
            result.setdefault(key, Counter())[place] += int(cells[group, cell])
    return result


@pytest.mark.examples(6)
@settings(max_examples=25, deadline=None)
@given(worlds())
def test_every_form_counts_as_the_words_of_the_plan_say(world: World) -> None:
    wanted = expected(world)
    with tempfile.TemporaryDirectory() as name:
        for data in (world.csv(Path(name)), world.parquet(Path(name)), world.table()):
            assert counted(world.plan, data) == wanted


@pytest.mark.examples(6)
@settings(max_examples=25, deadline=None)
@given(worlds(most=4))
def test_all_neighbours_differ_by_one_record_in_at_most_stability_groups(world: World) -> None:
    """Delta(g_i) of SafeTab 2022: what each level's budget is divided by."""
    plan = world.plan
    most = {(level.geography, plan.families[level.iteration_level - 1]): level.stability for level in plan.levels}
    assert factors(plan.guarantee) == {MONOTONE}
    whole_world = counted(plan, world.table())
    for gone, record in enumerate(world.records):
        rest = counted(plan, world.with_records([*world.records[:gone], *world.records[gone + 1 :]]).table())
        moved = Counter()  # type: Counter[tuple[str, str]]
        for group in whole_world.keys() | rest.keys():
            change = whole_world.get(group, Counter()).copy()
            change.subtract(rest.get(group, Counter()))
            apart = [each for each in change.values() if each]
            assert apart in ([], [1]), "a record more never lowers a count"
            moved[group[0], group[2].partition(":")[0]] += len(apart)
        assert all(groups <= most[level] for level, groups in moved.items() if groups)
        assert sum(moved.values()) == len(groups_of(world, record))


@pytest.mark.slow
@pytest.mark.examples(6)
@settings(max_examples=25, deadline=None)
@given(worlds(most=8), st.integers(1, 3), st.data())
def test_all_of_a_persons_records_change_little(world: World, most: int, data: st.DataObject) -> None:
    """Of a person's k records at most k lie in a group, and at most k s in all groups of a level, as `Choices.degree` supposes."""
    person = data.draw(st.lists(st.sampled_from("abc"), min_size=len(world.records), max_size=len(world.records)))
    records = [{**each, "who": name} for each, name in zip(world.records, person, strict=True)]
    text = World({**world.values, "records": {"of-a-person": most, "person": "who"}}, tuple(records))
    plan = text.plan
    assert plan.degree(plan.levels[0]) == plan.levels[0].stability * most**2
    assert factors(plan.guarantee) == {MONOTONE}
    # The key of the hash chooses which records are kept: it is the same for neighbours.
    with mock.patch("starling.tables.counts.counting.fresh_bytes", bytes):
        everybody = counted(plan, text.table())
        for gone in set(person):
            rest = counted(plan, text.with_records([each for each in records if each["who"] != gone]).table())
            moved = Counter()  # type: Counter[tuple[str, str]]
            for group in everybody.keys() | rest.keys():
                change = everybody.get(group, Counter()).copy()
                change.subtract(rest.get(group, Counter()))
                assert all(each >= 0 for each in change.values()), "a person more never lowers a count"
                assert change.total() <= most
                moved[group[0], group[2].partition(":")[0]] += change.total()
            bounds = {
                (level.geography, plan.families[level.iteration_level - 1]): level.stability for level in plan.levels
            }
            assert all(groups <= most * bounds[level] for level, groups in moved.items() if groups)


@pytest.mark.parametrize(
    ("family", "record", "stability"),
    [
        ({"columns": []}, {}, 1),
        ({"columns": ["colour"]}, {"colour": "red"}, 1),
        ({"columns": ["skills"]}, {"skills": "p;q;r;s"}, 3),
        ({"columns": ["skills", "colour"]}, {"skills": "s;r;q;p", "colour": "blue"}, 3),
        ({"columns": ["skills"], "sets": {"a": ["p"], "b": ["p", "q"], "c": ["r"]}}, {"skills": "p;r"}, 3),
        (
            {"columns": ["skills"], "sets": {"a": ["p"], "b": ["p", "q"], "c": ["r"]}, "match": "all"},
            {"skills": "p"},
            2,
        ),
    ],
)
def test_the_stability_is_reached(family: dict[str, Any], record: dict[str, str], stability: int) -> None:
    columns = [{"name": "colour", "values": [*COLOURS]}]
    columns += [{"name": "skills", "values": ["p", "q", "r", "s"], "separator": ";", "most": 3}]  # type: ignore[dict-item]
    values = {
        "title": "One family",
        "privacy": {"unit": "person", "neighbours": "add-remove", "measure": "epsilon"},
        "records": {"of-a-person": 1},
        "columns": columns,
        "groups": [{"name": "family", **family}],
        "publication": {"negative-counts": True},
        "levels": [{"groups": "family", "budget": "1"}],
    }
    world = World(values, ({"colour": "", "skills": "", **record},))
    assert [level.stability for level in world.plan.levels] == [stability]
    assert len(counted(world.plan, world.table())) == stability


@pytest.mark.examples(5)
@settings(max_examples=15, deadline=None)
@given(worlds())
def test_shares_add_up(world: World) -> None:
    with (
        mock.patch("starling.tables.counts.counting.SHARE", 1),
        mock.patch("starling.engine.held_records.ROWS", 2),
    ):
        assert counted(world.plan, world.table()) == expected(world)
