"""What is counted of a custom record, as one row that any engine counts: area, values of groups, cell of the detail, and its numbers.

Beside `person`, where persons are protected, the columns are `unit`, the area; `groups`, the values of all columns of groups as bytes,
which mean the same to every worker and whatever other records there are; `cell`; and `n0`, `n1` ... for each kind of aggregates: the
units of the number above the least one, of which sums are made, or the class that quantiles are of; below 0 for a record without a
number. It is all that there is to know of the record: where at most k records of a person count, they are chosen by these rows
(engine/bounded_records.py).
"""

from collections.abc import Generator, Iterator
from functools import partial
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from starling.engine.bounded_records import PERSON
from starling.engine.delimited import Part
from starling.tables.counts.kernels import Int32, Int64
from starling.tables.plan import Aggregate, Plan
from starling.tables.plan.columns import Column
from starling.tables.source.declared_reading import Batch, read_declared, read_part
from starling.tables.source.declared_records import DeclaredRecords

Kind: TypeAlias = tuple[str, tuple[int, ...]]
"""A column of numbers, and where the classes of quantiles begin; none for sums."""

_VALUE: Final = np.dtype("<i4")
_END: Final = -1
"""What ends the values of a column of several."""
_NOTHING: Final = -2
"""Stands where a set has no further value."""


def kinds_of(plan: Plan) -> dict[Kind, Aggregate]:
    """The aggregates that need numbers of their own, each with one that is of it."""
    return {kind_of(each): each for each in plan.aggregates}


def kind_of(aggregate: Aggregate) -> Kind:
    """The numbers that an aggregate is made of."""
    return aggregate.column, () if aggregate.quantiles is None else aggregate.quantiles.cuts


def content_of(plan: Plan) -> pa.Schema:
    """The columns of a row, but for the person."""
    numbers = [(f"n{at}", pa.int64()) for at in range(len(kinds_of(plan)))]
    return pa.schema([("unit", pa.int32()), ("groups", pa.binary()), ("cell", pa.int16()), *numbers])


def contributions(plan: Plan, records: DeclaredRecords, part: Part) -> Iterator[pa.RecordBatch]:
    """The rows of a part of files, in a worker of a cluster; raises SourceError as `read_declared` does."""
    return map(partial(contribution, plan, records.columns.groups), read_part(records, part))


def all_contributions(plan: Plan, records: DeclaredRecords) -> Generator[pa.RecordBatch, None, None]:
    """The rows of all records; raises SourceError as `read_declared` does."""
    return read_declared(records, partial(contribution, plan, records.columns.groups))


def contribution(plan: Plan, columns: tuple[Column, ...], batch: Batch) -> pa.RecordBatch:
    """The rows of a batch of records."""
    content = content_of(plan)
    arrays = [
        pa.array(batch.area, pa.int32()),
        _packed(columns, batch),
        pa.array(cell_of(plan, batch.detail, len(batch.area)), pa.int16()),
        *(pa.array(each, pa.int64()) for each in numbers_of(plan, batch.numbers)),
    ]
    if batch.person is None:
        return pa.record_batch(arrays, schema=content)
    return pa.record_batch([batch.person, *arrays], schema=pa.schema([PERSON, *content]))


def cell_of(plan: Plan, detail: tuple[Int32, ...], records: int) -> Int64:
    """int64 (records,): the finest cell of the detail that each record is in."""
    attributes = zip(plan.detail.attributes, detail, strict=True)
    return plan.detail.cell_of(tuple(numbers.astype(np.int64) + each.low for each, numbers in attributes), records)


def numbers_of(plan: Plan, numbers: tuple[Int64, ...]) -> list[Int64]:
    """int64 (records,) of each kind of aggregates: the number above the least one, or its class; below 0 for none."""
    places = [*dict.fromkeys(each.column for each in plan.aggregates)]
    columns = []
    for (column, cuts), aggregate in kinds_of(plan).items():
        number = numbers[places.index(column)]
        if cuts:
            classes = np.searchsorted(np.array(cuts, dtype=np.int64) - aggregate.low, number, side="right") - 1
            number = np.where(number < 0, number, classes)
        columns.append(number)
    return columns


def _packed(columns: tuple[Column, ...], batch: Batch) -> pa.Array:
    """The values of each record as bytes, four for each: of a column the value, or its values ascending and what ends them."""
    rows, waiting = len(batch.area), iter(batch.several)
    several = any(column.several for column in columns)
    width = sum(column.most + 1 if column.several else 1 for column in columns)
    table = np.full((rows, width), _NOTHING, dtype=_VALUE)
    at = 0
    for column, values in zip(columns, batch.groups, strict=True):
        if not column.several:
            table[:, at] = values
            at += 1
            continue
        one, more = values > 0, values < 0
        table[one, at] = values[one] - 1
        of_set = next(waiting)
        table[more, at : at + column.most] = np.where(of_set < 0, _NOTHING, of_set)[-1 - values[more]]
        at += column.most + 1
        table[:, at - 1] = _END
    there = table != _NOTHING if several else None
    lengths = np.full(rows, width) if there is None else np.count_nonzero(there, axis=1)
    ends = np.append(0, np.cumsum(lengths * _VALUE.itemsize)).astype(np.int32)
    packed = table if there is None else table[there]
    return pa.BinaryArray.from_buffers(pa.binary(), rows, [None, pa.py_buffer(ends), pa.py_buffer(packed)])


class PackedGroups:
    """Numbers of the values of the columns of groups that rows have as bytes, in the order in which they are met; confidential."""

    def __init__(self, columns: tuple[Column, ...]) -> None:
        self._columns = columns
        self._numbers: dict[bytes, int] = {}

    def number(self, packed: pa.Array) -> Int32:
        """int32 (rows,): the number of what each row says; what was not met before gets a new one."""
        coded = pc.dictionary_encode(packed)
        for each in coded.dictionary.to_pylist():
            self._numbers.setdefault(each, len(self._numbers))
        of_text = np.array([self._numbers[each] for each in coded.dictionary.to_pylist()], dtype=np.int32)
        return np.asarray(of_text[coded.indices.to_numpy()])

    def rows(self) -> list[tuple[tuple[int, ...], ...]]:
        """Of each number the values of every column."""
        return [tuple(self._unpacked(np.frombuffer(each, _VALUE).tolist())) for each in self._numbers]

    def _unpacked(self, values: list[int]) -> Iterator[tuple[int, ...]]:
        begin = 0
        for column in self._columns:
            end = values.index(_END, begin) if column.several else begin + 1
            yield tuple(values[begin:end])
            begin = end + column.several
