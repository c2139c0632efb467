"""What is counted of a record says what its batch said, whatever other records there are."""

import pyarrow as pa
import pytest
from hypothesis import given, settings

from starling.tables.counts.custom_counting import PackedGroups, all_contributions, content_of
from starling.tables.source import open_records
from starling.tables.source.declared_records import DeclaredRecords
from tests.tables.aggregate_worlds import aggregate_worlds
from tests.tables.custom_worlds import World
from tests.tables.source.declared_twin import read


def opened(world: World) -> DeclaredRecords:
    records = open_records(world.table(), world.plan)
    assert isinstance(records, DeclaredRecords)
    return records


@pytest.mark.examples(10)
@settings(max_examples=30, deadline=None)
@given(aggregate_worlds())
def test_rows_say_what_batches_say(world: World) -> None:
    records = opened(world)
    wanted = [each.groups for each in read(records)]
    rows = list(all_contributions(world.plan, records))
    assert all(each.schema == content_of(world.plan) for each in rows)
    packed = PackedGroups(records.columns.groups)
    numbers = [number for each in rows for number in packed.number(each["groups"]).tolist()]
    text = [tuple(map(frozenset, packed.rows()[number])) for number in numbers]
    assert text == wanted


@pytest.mark.examples(8)
@settings(max_examples=20, deadline=None)
@given(aggregate_worlds(most=6))
def test_a_row_does_not_depend_on_other_records(world: World) -> None:
    """So that the hash that chooses a person's records knows nothing of other persons."""
    group = pa.Table.from_batches(all_contributions(world.plan, opened(world)), content_of(world.plan)).to_pylist()
    apart = [
        row
        for record in world.records
        for batch in all_contributions(world.plan, opened(world.with_records([record])))
        for row in batch.to_pylist()
    ]
    assert apart == group
