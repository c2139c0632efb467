"""Of a person at most k records count: all of those with fewer, whatever the order of the records; and the key decides which."""

from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tables.aggregate_worlds import aggregate_worlds
from tests.tables.counts.test_custom_counting import counted
from tests.tables.counts.test_spread_records import exact
from tests.tables.custom_worlds import World

KEYS = st.binary(min_size=32, max_size=32)


@st.composite
def worlds_of_persons(draw: st.DrawFn, most: int = 10) -> World:
    """Worlds whose records have a person, or none, and of which up to three of a person count."""
    world = draw(aggregate_worlds(most))
    who = draw(st.lists(st.sampled_from(["a", "b", "c", ""]), min_size=len(world.records), max_size=len(world.records)))
    records = tuple({**each, "who": name} for each, name in zip(world.records, who, strict=True))
    return World({**world.values, "records": {"of-a-person": draw(st.integers(1, 3)), "person": "who"}}, records)


def search(world: World, key: bytes) -> tuple[Any, Any]:
    """The counts, and the exact numbers of aggregates."""
    with mock.patch("starling.tables.counts.counting.fresh_bytes", return_value=key):
        counts = counted(world.plan, world.table()) if world.plan.levels else {}
        return counts, exact(world.plan, world.table())


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(worlds_of_persons())
def test_a_large_k_keeps_every_record_that_has_a_person(world: World) -> None:
    whose = World({**world.values, "records": {"of-a-person": 99, "person": "who"}}, world.records)
    each = World({**world.values, "records": {"of-a-person": 1}}, tuple(row for row in world.records if row["who"]))
    assert search(whose, bytes(32)) == search(each, bytes(32))


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(worlds_of_persons(), KEYS, st.randoms(use_true_random=False))
def test_the_order_of_records_changes_nothing(world: World, key: bytes, chance: Any) -> None:
    shuffled = list(world.records)
    chance.shuffle(shuffled)
    assert search(world, key) == search(world.with_records(shuffled), key)


@pytest.mark.series(1)
@pytest.mark.parametrize("person", ["x", "1"], ids=["text", "digits"])
def test_the_key_decides_which_are_kept(person: str) -> None:
    """Of ten records one, by each of twelve keys: fewer than five of them are kept with a probability of 0.0031, were the keys drawn."""
    values = {
        "title": "One person",
        "privacy": {"unit": "person", "neighbours": "add-remove", "measure": "epsilon"},
        "records": {"of-a-person": 1, "person": "who"},
        "columns": [{"name": "age", "from": 0, "to": 9}],
        "groups": [{"name": "ages", "columns": ["age"]}],
        "publication": {"negative-counts": True},
        "levels": [{"groups": "ages", "budget": "1"}],
    }
    world = World(values, tuple({"age": str(age), "who": person} for age in range(10)))
    remaining = [search(world, bytes([at] * 32))[0] for at in range(12)]
    assert all(sum(each.total() for each in one.values()) == 1 for one in remaining)
    assert len({str(each) for each in remaining}) > 4
