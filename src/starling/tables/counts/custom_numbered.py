"""Counting custom records where every record counts: DuckDB counts shares of the records, which are numbers by then."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import pairwise
from typing import Final

import numpy as np
import pyarrow as pa

from starling.engine import duck
from starling.engine.machine import in_order
from starling.tables.counts.contributions import cell_of, numbers_of
from starling.tables.counts.custom_tally import CombinedValues, Tally
from starling.tables.counts.kernels import Int32, Int64
from starling.tables.plan import Plan
from starling.tables.plan.columns import Column
from starling.tables.plan.counting_sql import CUSTOM_SQL
from starling.tables.source.declared_reading import Batch, read_declared
from starling.tables.source.declared_records import DeclaredRecords
from starling.tables.source.value_sets import ValueSets

SHARE: Final = 1 << 20
"""Records that DuckDB counts at a time. Public, and of no effect on a count."""
DENSE: Final = 1 << 20
"""Keys up to which a table of all of them is held."""
_RECORDS: Final = pa.schema([("unit", pa.int32()), ("groups", pa.int32()), ("cell", pa.uint8())])


def count_numbered(plan: Plan, records: DeclaredRecords, tally: Tally, limits: duck.Limits) -> list[CombinedValues]:
    """Fill the tally; gives what each number of it means. Raises as `count_custom` says."""
    sets = [ValueSets(column) for column in records.columns.groups if column.several]
    combinations = Combinations()
    each = duck.Limits(limits.memory // limits.threads, limits.disk, 1, limits.spill)

    def answer(share: pa.Table) -> list[pa.RecordBatch]:
        return list(duck.run(CUSTOM_SQL, {"records": share}, each))

    with closing(read_declared(records, sets)) as batches:
        numbered = (_numbered(plan, batch, combinations, tally) for batch in batches)
        with closing(in_order(answer, _shares(numbered))) as answers:
            for counted_batches in answers:
                for batch in counted_batches:
                    tally.add(*(column.to_numpy() for column in batch.columns))
    meanings = _meanings(records.columns.groups, sets)
    return [
        tuple(meaning[number] for meaning, number in zip(meanings, each, strict=True)) for each in combinations.rows()
    ]


def _numbered(plan: Plan, batch: Batch, combinations: "Combinations", tally: Tally) -> pa.RecordBatch:
    """The records of a batch by unit, number of their combination, and cell; those of aggregates are added to the tally."""
    groups = combinations.number(batch.groups, len(batch.area))
    for number, each in zip(numbers_of(plan, batch.numbers), tally.spread.values(), strict=True):
        each.add(batch.area, groups, np.maximum(number, 0), (number >= 0).astype(np.int64))
    cells = cell_of(plan, batch.detail, len(batch.area)).astype(np.uint8)
    return pa.record_batch([pa.array(each) for each in (batch.area, groups, cells)], schema=_RECORDS)


def _shares(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """SHARE records and up to a batch more at a time."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(map(len, waiting)) >= SHARE:
            yield pa.Table.from_batches(waiting, _RECORDS)
            waiting = []
    yield pa.Table.from_batches(waiting, _RECORDS)


class Combinations:
    """Numbers of the combinations of what records say of several columns, in the order in which they are met; confidential."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, ...], int] = {}

    def number(self, columns: tuple[Int32, ...], records: int) -> Int32:
        """The number of each record's combination: int32 (records,)."""
        keys = np.zeros(records, dtype=np.int64)
        for column in columns:
            # Folded column by column, so that no key is larger than records times values.
            keys = keys * (int(column.max(initial=0)) + 1) + column
            if len(columns) > 1:
                keys = distinct(keys)[1]
        some, places = distinct(keys)
        met = zip(*(column[some].tolist() for column in columns), strict=True) if columns else [()] * len(some)
        return np.array([self._numbers.setdefault(each, len(self._numbers)) for each in met], dtype=np.int32)[places]

    def rows(self) -> Iterator[tuple[int, ...]]:
        """All combinations by number: what each column says."""
        return iter(self._numbers)


def distinct(keys: Int64) -> tuple[Int64, Int64]:
    """A record of each key that occurs, keys ascending, and the place of each record's key among them; keys are 0 or more.

    >>> distinct(np.array([7, 2, 7]))[1].tolist()
    [1, 0, 1]
    """
    size = int(keys.max(initial=0)) + 1
    if size > DENSE:
        _, some, places = np.unique(keys, return_index=True, return_inverse=True)
        return some, places
    # Few keys are told apart by a table of all that could be, several times faster than by sorting.
    record = np.full(size, -1)
    record[keys] = np.arange(len(keys))
    present = np.flatnonzero(record >= 0)
    place = np.zeros(size, dtype=np.int64)
    place[present] = np.arange(len(present))
    return record[present], place[keys]


def _meanings(columns: tuple[Column, ...], sets: list[ValueSets]) -> list[list[tuple[int, ...]]]:
    meanings, waiting = [], iter(sets)
    for column in columns:
        if column.several:
            offsets, values = next(waiting).rows()
            meanings.append([tuple(values[a:b].tolist()) for a, b in pairwise(offsets)])
        else:
            meanings.append([(value,) for value in range(column.outside + 1)])
    return meanings
