"""Counting persons once, by all that decides which groups and cells they are in.

That is: the finest geographic unit, the set of race codes, the ethnicity code, and the cell of sex and age. Every group of every
level is a sum of these counts, so the data are read and counted once, and population_groups.py adds up. DuckDB counts one share of the
file after the other, which is the same for whoever adds, in memory that does not grow with the file (docs/decisions/0016-flat-memory.md).
Spark runs the same text over the same records, which its workers read; its answer is put into the form that DuckDB's has.

Nothing here runs before the charge: `count` gives a deferred computation.
"""

from collections.abc import Generator
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np
import pyarrow as pa

from starling.engine import duck
from starling.engine.machine import in_order
from starling.engine.spark import Spark
from starling.engine.spill import Spill
from starling.privacy.trust import Confidential
from starling.tables.counts.kernels import Int16, Int32, Int64, Sets, UInt8
from starling.tables.counts.population_groups import GroupCounts
from starling.tables.counts.records import Records
from starling.tables.plan import Detail, Geography, Plan
from starling.tables.plan.counting_sql import counting_sql
from starling.tables.source import Persons
from starling.tables.source.lookup import Lookup, RaceSets, lookup
from starling.tables.source.reading import CHUNK, from_codes, person_parts, read

SHARE: Final = 1 << 21
"""Records that DuckDB counts at a time, so that more of them need no more memory. Public, and of no effect on a count."""

_PERSONS: Final = pa.schema(
    [("unit", pa.int32()), ("races", pa.int32()), ("qspan", pa.int16()), ("sex", pa.int8()), ("age", pa.int8())]
)


def count(
    plan: Plan,
    geography: Geography,
    persons: Persons,
    *,
    limits: duck.Limits | None = None,
    chunk: int = CHUNK,
    cluster: Spark | None = None,
) -> Confidential[GroupCounts]:
    """The computation of the exact counts of every group of the plan; reads nothing yet.

    Args:
        plan: Levels and iterations.
        geography: The public regions of the plan.
        persons: The checked, but unread, file of records.
        limits: Memory, disk and processors of DuckDB, and disk of the counted records.
        chunk: Bytes of text read at once.
        cluster: A Spark that runs, to count instead of DuckDB; the counts are the same.

    The computation raises SourceError when the file is no longer what was checked and OutputError when memory or disk do not
    suffice; never because of what a record says. Behind `publish` both are the one RunFailed.
    """
    return Confidential(partial(_count, plan, geography, persons, limits, chunk, cluster))


def _count(
    plan: Plan, geography: Geography, persons: Persons, limits: duck.Limits | None, chunk: int, cluster: Spark | None
) -> GroupCounts:
    book = lookup(plan, geography)
    limits = limits or duck.default_limits()
    sets, records = RaceSets(book.unknown), Records(geography.units, Spill(limits.spill, limits.disk))
    if cluster is None:
        answer = _count_here(plan, persons, book, sets, limits, chunk)
    else:
        answer = count_on(cluster, counting_sql(plan.detail), plan, persons, book, _cells(plan.detail), sets, chunk)
    with closing(answer):
        for columns in answer:
            records.add(*columns)
    records.put_away()
    return GroupCounts(plan, geography, records, {"race": Sets(*sets.rows())})


def _count_here(
    plan: Plan, persons: Persons, book: Lookup, sets: RaceSets, limits: duck.Limits, chunk: int
) -> Generator[tuple[Any, ...], None, None]:
    """DuckDB's answers: columns of (unit, races, qspan, cell) with their persons, each distinct within SHARE records of the file."""
    text, public = counting_sql(plan.detail), _cells(plan.detail)
    # Half of the processors count while the others read. Nearly every record is a group of its own, so that several threads
    # on one share would spend more on putting their groups together than they save.
    workers = max(limits.threads // 2, 1)
    disk = None if limits.disk is None else limits.disk // workers
    each = replace(limits, memory=limits.memory // workers, disk=disk, threads=1)

    def counted(share: pa.Table) -> list[pa.RecordBatch]:
        return list(duck.run(text, {"persons": share, "cells": public}, each))

    with closing(in_order(counted, _shares(plan, persons, book, sets, chunk), workers=workers)) as answers:
        for answer in answers:
            for batch in answer:
                yield tuple(column.to_numpy() for column in batch.columns)


def _shares(plan: Plan, persons: Persons, book: Lookup, sets: RaceSets, chunk: int) -> Generator[pa.Table, None, None]:
    """The records in the order of the file, SHARE of them and up to a chunk more at a time."""
    waiting: list[pa.RecordBatch] = []
    with closing(read(persons, plan, book, chunk=chunk)) as chunks:
        for part in chunks:
            sets.number(part.records.races, part.several)
            waiting.append(pa.record_batch([pa.array(column) for column in part.records], schema=_PERSONS))
            if sum(map(len, waiting)) >= SHARE:
                yield pa.Table.from_batches(waiting, _PERSONS)
                waiting = []
    yield pa.Table.from_batches(waiting, _PERSONS)


def _cells(detail: Detail) -> pa.Table:
    """Which of the finest cells every combination of the numbers of the attributes is in: their columns, and `cell`."""
    numbers = np.meshgrid(*(np.arange(each.low, each.high + 1) for each in detail.attributes), indexing="ij")
    columns = {
        each.name: pa.array(number.ravel(), pa.int8()) for each, number in zip(detail.attributes, numbers, strict=True)
    }
    return pa.table({**columns, "cell": pa.array(detail.cell_of(tuple(numbers)).ravel(), pa.uint8())})


def count_on(
    cluster: Spark, text: str, plan: Plan, persons: Persons, book: Lookup, public: pa.Table, sets: RaceSets, chunk: int
) -> Generator[tuple[Int32, Int32, Int16, UInt8, Int64], None, None]:
    """The columns of the answer to the text, batch by batch: unit, number of the set of race codes, qspan, cell, persons.

    Args:
        cluster: Running.
        text: That of `counting_sql`.
        plan: Says which columns are read.
        persons: The checked file.
        book: What its text is looked up in.
        public: The table `cells`.
        sets: Numbers the sets of race codes.
        chunk: Bytes of text that a worker reads at once.
    """
    # Spark has no unsigned integers.
    small = public.set_column(public.schema.get_field_index("cell"), "cell", public["cell"].cast(pa.int16()))
    tables = {"persons": person_parts(persons, plan, book, chunk=chunk), "cells": small}
    with closing(cluster.run(text, tables)) as answer:
        for batch in answer:
            unit, races, qspan, cell, many = batch.columns
            yield (
                unit.to_numpy(),
                from_codes(races, sets),
                qspan.to_numpy(),
                cell.to_numpy().astype(np.uint8),
                many.to_numpy(),
            )
