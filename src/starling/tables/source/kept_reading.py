"""Records of one's own of which at most k of a person, or of a household, are counted: batches as those of `read_declared`.

Records that are dropped, and those without a person, are left out first; of the others each person's k records of smallest keyed hash
are kept (engine/kept_records.py). What a record says is what is counted of it: area, values and sets of values, never a field as written.
A set is hashed by its values and not by its number, which other persons' records have a part in.

DuckDB chooses, and spills what does not fit into the memory that it is given.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing

import pyarrow as pa

from starling.engine import duck
from starling.engine.kept_records import PERSON, bounds_of, kept_sql
from starling.tables.plan.columns import RecordColumns
from starling.tables.source.declared_reading import Batch, Unnumbered, numbered, unnumbered
from starling.tables.source.declared_records import DeclaredRecords
from starling.tables.source.value_sets import ValueSets, as_bytes, from_bytes


def read_kept(
    records: DeclaredRecords, numbers: Sequence[ValueSets], key: bytes, limits: duck.Limits | None = None
) -> Generator[Batch, None, None]:
    """The records that are counted, at most k of each person, in any order.

    Args:
        records: The checked records, whose columns have a unit.
        numbers: As `read_declared` takes them.
        key: KEY bytes of entropy, drawn for this computation alone.
        limits: What DuckDB may use.

    Raises:
        SourceError: the files are gone, or are not what was checked.
        OutputError: memory or disk do not suffice. Neither is raised because of what a record says.
    """
    columns = records.columns
    assert columns.unit is not None
    content = content_of(columns)
    with closing(unnumbered(records)) as batches:
        rows = pa.RecordBatchReader.from_batches(pa.schema([PERSON, *content]), _rows(columns, content, batches))
        read = {"records": rows, "bounds": bounds_of(key, columns.unit.most)}
        with closing(duck.run(kept_sql(content, _answer(content)), read, limits)) as answer:
            for batch in answer:
                yield numbered(columns, _from_rows(columns, batch), numbers)


def content_of(columns: RecordColumns) -> pa.Schema:
    """What is counted of a record, as columns: area, g0, g1 ..., d0, d1 ..., n0, n1 ...; sets of values are bytes."""
    groups = [(f"g{at}", pa.binary() if each.several else pa.int32()) for at, each in enumerate(columns.groups)]
    detail = [(f"d{at}", pa.int32()) for at in range(len(columns.detail))]
    numbers = [(f"n{at}", pa.int64()) for at in range(len(columns.numbers))]
    return pa.schema([("area", pa.int32()), *groups, *detail, *numbers])


def _answer(content: pa.Schema) -> str:
    names = ", ".join(f"ranked.{field.name} AS {field.name}" for field in content)
    chosen = "FROM ranked CROSS JOIN bounds WHERE ranked.place <= bounds.most"
    return f"SELECT {names} {chosen}"


def _rows(columns: RecordColumns, content: pa.Schema, batches: Iterator[Unnumbered]) -> Iterator[pa.RecordBatch]:
    for found in batches:
        waiting = iter(found.several)
        groups = [
            as_bytes(each, next(waiting)) if column.several else each
            for column, each in zip(columns.groups, found.batch.groups, strict=True)
        ]
        said = (found.batch.area, *groups, *found.batch.detail, *found.batch.numbers)
        yield pa.record_batch([found.person, *map(pa.array, said)], schema=pa.schema([PERSON, *content]))


def _from_rows(columns: RecordColumns, rows: pa.RecordBatch) -> Unnumbered:
    several, groups = [], []
    area, *said = rows.columns
    for column, each in zip(columns.groups, said[: len(columns.groups)], strict=True):
        if column.several:
            found, sets = from_bytes(each, column.most)
            several.append(sets)
        else:
            found = each.to_numpy()
        groups.append(found)
    left = [each.to_numpy() for each in said[len(columns.groups) :]]
    detail, numbers = left[: len(columns.detail)], left[len(columns.detail) :]
    return Unnumbered(Batch(area.to_numpy(), tuple(groups), tuple(detail), tuple(numbers)), tuple(several), None)
