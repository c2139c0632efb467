"""Counting persons once, by all that decides which groups and cells they are in.

That is: the finest geographic unit, the set of race codes, the ethnicity code, and the cell of sex and age. Every group of every
level is a sum of these counts, so the data are read and counted once, and `groups.py` adds up.

Nothing here runs before the charge: `count` gives a recipe.
"""

from collections.abc import Generator, Iterator
from contextlib import closing
from functools import partial
from typing import Any, Final

import numpy as np
import pyarrow as pa

from starling.engine import duck
from starling.engine.spark import Spark
from starling.errors import OutputError
from starling.privacy.trust import Confidential
from starling.tables import cells
from starling.tables.counting_sql import COUNTING_SQL
from starling.tables.counts.distributed import count_on
from starling.tables.counts.groups import Counter, GroupCounts
from starling.tables.counts.kernels import Sets
from starling.tables.plan import Geography, Plan
from starling.tables.source import Persons
from starling.tables.source.lookup import Lookup, lookup
from starling.tables.source.race_sets import RaceSets
from starling.tables.source.reading import CHUNK, read

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
    """The recipe of the exact counts of every group of the plan; reads nothing yet.

    Args:
        plan: Levels and iterations.
        geography: Its public regions.
        persons: The checked, but unread, file of records.
        limits: Memory, disk and processors of DuckDB.
        chunk: Bytes of text read at once.
        cluster: A Spark that runs, to count instead of DuckDB; the counts are the same.

    The recipe raises SourceError when the file is no longer what was checked and OutputError when memory or disk do not
    suffice; never because of what a record says. Behind `publish` both are the one RunFailed.
    """
    return Confidential(partial(_count, plan, geography, persons, limits, chunk, cluster))


def _count(
    plan: Plan,
    geography: Geography,
    persons: Persons,
    limits: duck.Limits | None,
    chunk: int,
    cluster: Spark | None,
) -> GroupCounts:
    book = lookup(plan, geography)
    sets, counter = RaceSets(book.unknown), Counter(geography.units)
    if cluster is None:
        answer = _count_here(plan, persons, book, sets, limits, chunk)
    else:
        answer = count_on(cluster, COUNTING_SQL, plan, persons, book, _cells(), sets, chunk)
    with closing(answer):
        for columns in answer:
            counter.add(*columns)
    return GroupCounts(plan, geography, counter.sorted(), Sets(*sets.rows()))


def _count_here(
    plan: Plan, persons: Persons, book: Lookup, sets: RaceSets, limits: duck.Limits | None, chunk: int
) -> Generator[tuple[Any, ...], None, None]:
    """DuckDB's answer: columns of distinct (unit, races, qspan, cell) with their persons, batch by batch."""
    broken: list[Exception] = []

    def batches() -> Iterator[pa.RecordBatch]:
        try:
            for part in read(persons, plan, book, chunk=chunk):
                sets.number(part.records.races, part.several)
                yield pa.record_batch([pa.array(column) for column in part.records], schema=_PERSONS)
        except Exception as error:
            # The engine turns it into an error of its own; the reason is worth more.
            broken.append(error)
            raise

    tables = {"persons": pa.RecordBatchReader.from_batches(_PERSONS, batches()), "cells": _cells()}
    try:
        with closing(duck.run(COUNTING_SQL, tables, limits)) as answer:
            for batch in answer:
                yield tuple(column.to_numpy() for column in batch.columns)
    except OutputError:
        if broken:
            raise broken[0] from None
        raise


def _cells() -> pa.Table:
    """sex, age, cell: which of the 46 cells every sex and age is in."""
    band = cells.band_of_age(cells.BANDS23)
    ages = np.arange(cells.TOP_AGE + 1)
    return pa.table(
        {
            "sex": pa.array(np.repeat(np.arange(1, cells.SEXES + 1), len(ages)), pa.int8()),
            "age": pa.array(np.tile(ages, cells.SEXES), pa.int8()),
            "cell": pa.array(
                np.concatenate([sex * len(cells.BANDS23) + band for sex in range(cells.SEXES)]), pa.uint8()
            ),
        }
    )
