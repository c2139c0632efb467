"""Counting in shares, and the persons of the Census: by unit, set of race codes, ethnicity code, and cell of sex and age.

DuckDB counts one share of the records after the other, which is the same for whoever adds, in memory that does not grow with the file
(docs/decisions/0016-flat-memory.md). Spark runs the same text over the same records, which its workers read.

Nothing here runs before the charge: `counts.count` gives a deferred computation.
"""

from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Final

import numpy as np
import pyarrow as pa

from starling.engine import duck
from starling.engine.machine import in_order
from starling.engine.spark import Spark
from starling.tables.counts.kernels import Sets
from starling.tables.counts.records import Records
from starling.tables.plan import Detail, Geography, Plan
from starling.tables.plan.counting_sql import counting_sql
from starling.tables.plan.iterations import MOST_RACE_CODES
from starling.tables.source import Persons
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
        batches = _numbered(plan, persons, book, sets)
        answers = count_in_shares(text, "persons", batches, _PERSONS, public, limits)
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
