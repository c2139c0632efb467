"""Counting in shares, and the persons of the Census: by unit, set of race codes, ethnicity code, and cell of sex and age.

DuckDB counts one share of the records after the other, which is the same for whoever adds, in memory that does not grow with the file
(docs/decisions/0016-flat-memory.md). Spark runs the same text over the same records, which its workers read.

Nothing here runs before the charge: `counts.count` gives a deferred computation.
"""

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
import pyarrow as pa

from starling.engine import duck
from starling.engine.bounded_records import KEY, PERSON, bounded_sql, bounds_of
from starling.engine.by_person import run_by_person
from starling.engine.delimited import Part
from starling.engine.machine import in_order
from starling.engine.spark import Parts, Spark
from starling.privacy.sampling.entropy import fresh_bytes
from starling.tables.counts.kernels import Sets
from starling.tables.counts.records import Records
from starling.tables.plan import Detail, Geography, Plan
from starling.tables.plan.counting_sql import counting_sql
from starling.tables.plan.iterations import MOST_RACE_CODES
from starling.tables.source import Persons
from starling.tables.source.declared_reading import Batch, read_declared, read_part
from starling.tables.source.declared_records import DeclaredRecords
from starling.tables.source.lookup import Lookup, lookup
from starling.tables.source.reading import from_codes, person_parts, read
from starling.tables.source.value_sets import ValueSets

SHARE: Final = 1 << 21
"""Records that DuckDB counts at a time, so that more of them need no more memory. Public, and of no effect on a count."""

_PERSONS: Final = pa.schema(
    [("unit", pa.int32()), ("races", pa.int32()), ("qspan", pa.int16()), ("sex", pa.int8()), ("age", pa.int8())]
)


def count_in_shares(
    text: str,
    name: str,
    batches: Generator[pa.RecordBatch, None, None],
    schema: pa.Schema,
    public: Mapping[str, pa.Table],
    limits: duck.Limits,
) -> Generator[pa.RecordBatch, None, None]:
    """DuckDB's answers to a text, each distinct within SHARE records and up to a batch more.

    The text names the records, which are batches of a schema, and other tables, which are public; `limits` are those of all of DuckDB.
    Raises OutputError when memory or disk do not suffice.
    """
    # Half of the processors count while the others read. Nearly every record is a group of its own, so that several threads
    # on one share would spend more on putting their groups together than they save.
    workers = max(limits.threads // 2, 1)
    disk = None if limits.disk is None else limits.disk // workers
    each = replace(limits, memory=limits.memory // workers, disk=disk, threads=1)

    def shares() -> Iterator[pa.Table]:
        waiting: list[pa.RecordBatch] = []
        for batch in batches:
            waiting.append(batch)
            if sum(map(len, waiting)) >= SHARE:
                yield pa.Table.from_batches(waiting, schema)
                waiting = []
        yield pa.Table.from_batches(waiting, schema)

    def counted(share: pa.Table) -> list[pa.RecordBatch]:
        return list(duck.run(text, {name: share, **public}, each))

    with closing(batches), closing(in_order(counted, shares(), workers=workers)) as answers:
        for answer in answers:
            yield from answer


def count_rows(
    records: DeclaredRecords,
    content: pa.Schema,
    select: Callable[[str, str], str],
    make: Callable[[Batch], pa.RecordBatch],
    limits: duck.Limits,
    cluster: Spark | None,
) -> Generator[pa.RecordBatch, None, None]:
    """The engine's answers to a text over rows of custom records, at most the plan's number of each person; the same row may stand in
    several.

    Args:
        records: The checked, but unread, records.
        content: The columns of a row, but for the person: all there is to know of a record.
        select: The text, from what stands after FROM, and what stands after that.
        make: The rows of some records, the person first where there is one; it can be sent to a worker.
        limits: Those of all of DuckDB.
        cluster: A Spark that runs, to count instead.
    """
    unit = records.columns.unit
    if unit is None:
        text, tables = select("records", ""), {}
    else:
        ranked = select("ranked", "CROSS JOIN bounds WHERE ranked.place <= bounds.most")
        text, tables = bounded_sql(content, ranked), {"bounds": bounds_of(fresh_bytes(KEY), unit.most)}
    if cluster is not None:
        records.check_unchanged()
        schema = content if unit is None else pa.schema([PERSON, *content])
        parts = Parts(schema, records.source.parts, partial(_part_rows, records, make))
        return cluster.run(text, {"records": parts, **tables})
    rows = read_declared(records, make)
    if unit is None:
        return count_in_shares(text, "records", rows, content, tables, limits)
    return run_by_person(text, content, rows, tables, limits)


def _part_rows(
    records: DeclaredRecords, make: Callable[[Batch], pa.RecordBatch], part: Part
) -> Iterator[pa.RecordBatch]:
    """The rows of a part of files, in a worker of a cluster; raises SourceError as `read_declared` does."""
    return map(make, read_part(records, part))


def record_batch(content: pa.Schema, arrays: list[pa.Array], batch: Batch) -> pa.RecordBatch:
    """The rows of a batch of records, of columns `content`; the person first where there is one."""
    if batch.person is None:
        return pa.record_batch(arrays, schema=content)
    return pa.record_batch([batch.person, *arrays], schema=pa.schema([PERSON, *content]))


def count_persons(
    plan: Plan,
    geography: Geography,
    persons: Persons,
    counted: Records,
    limits: duck.Limits,
    cluster: Spark | None,
) -> dict[str, Sets]:
    """Fill the counted records; gives the sets of race codes that they number. Raises as `counts.count` says."""
    book, sets, text = lookup(plan, geography), ValueSets(len(plan.codes), MOST_RACE_CODES), counting_sql(plan.detail)
    public = {"cells": _cells(plan.detail)}
    if cluster is None:
        answers = count_in_shares(text, "persons", _numbered(plan, persons, book, sets), _PERSONS, public, limits)
    else:
        answers = cluster.run(text, {"persons": person_parts(persons, plan, book), **public})
    with closing(answers):
        for batch in answers:
            unit, races, qspan, cell, many = batch.columns
            number = races.to_numpy() if cluster is None else from_codes(races, sets)
            counted.add(unit.to_numpy(), number, qspan.to_numpy(), cell.to_numpy().astype(np.uint8), many.to_numpy())
    offsets, codes = sets.rows()
    return {"race": Sets(offsets, codes.astype(np.int16))}


def _numbered(plan: Plan, persons: Persons, book: Lookup, sets: ValueSets) -> Generator[pa.RecordBatch, None, None]:
    with closing(read(persons, plan, book)) as chunks:
        for part in chunks:
            sets.number(part.records.races, part.several)
            yield pa.record_batch([pa.array(column) for column in part.records], schema=_PERSONS)


def _cells(detail: Detail) -> pa.Table:
    """Which of the finest cells every combination of the numbers of the attributes is in: their columns, and `cell`."""
    numbers = np.meshgrid(*(np.arange(each.low, each.high + 1) for each in detail.attributes), indexing="ij")
    columns = {
        each.name: pa.array(number.ravel(), pa.int8()) for each, number in zip(detail.attributes, numbers, strict=True)
    }
    # Spark has no unsigned integers.
    return pa.table({**columns, "cell": pa.array(detail.cell_of(tuple(numbers)).ravel(), pa.int16())})
