"""Counting custom records, by area, what they say of the columns of groups, and cell of the detail.

What is counted of a record is one row, which means the same to every worker and whatever other records there are. Beside `person`, where
persons are protected, its columns are `unit`, the area; `groups`, the values of all columns of groups as bytes; `cell`; and `n0`, `n1` ...
for each kind of aggregates: the units of the number above the least one, of which sums are made, or the class that quantiles are of; below
0 for a record without a number. It is all that there is to know of the record: where at most k records of a person or a household count,
they are chosen by a keyed hash of these rows (engine/bounded_records.py), whose key each computation draws anew.

What rows say of the columns of groups gets a number, in the order in which it is met, and is expanded to the values of every family
afterwards. So the numbers mean nothing to whoever reads the counts.
"""

from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from functools import partial
from itertools import product
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from starling.engine import duck
from starling.engine.spark import Spark
from starling.tables.counts.counting import count_in_shares, count_rows, record_batch
from starling.tables.counts.kernels import Int32, Int64, Sets
from starling.tables.counts.records import Records
from starling.tables.counts.spread_records import SpreadRecords, limbs
from starling.tables.plan import Aggregate, Plan
from starling.tables.plan.columns import Column
from starling.tables.plan.counting_sql import custom_answer_sql
from starling.tables.source.declared_reading import Batch, read_declared
from starling.tables.source.declared_records import DeclaredRecords
from starling.tables.source.value_sets import NONE

Kind: TypeAlias = tuple[str, tuple[int, ...]]
"""A column of numbers, and where the classes of quantiles begin; none for sums."""

CombinedValues: TypeAlias = tuple[tuple[int, ...], ...]
"""What records say of the columns of groups: of each column its values."""
Spread: TypeAlias = Mapping[Kind, SpreadRecords]
"""The records of each kind of aggregates, by what they add to its cells."""


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


def all_contributions(plan: Plan, records: DeclaredRecords) -> Generator[pa.RecordBatch, None, None]:
    """The rows of all records; raises SourceError as `read_declared` does."""
    return read_declared(records, partial(contribution, plan, records.columns.groups))


def contribution(plan: Plan, columns: tuple[Column, ...], batch: Batch) -> pa.RecordBatch:
    """The rows of a batch of records."""
    arrays = [
        pa.array(batch.area, pa.int32()),
        _packed(columns, batch),
        pa.array(cell_of(plan, batch.detail, len(batch.area)), pa.int16()),
        *(pa.array(each, pa.int64()) for each in numbers_of(plan, batch.numbers)),
    ]
    return record_batch(content_of(plan), arrays, batch)


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
    rows, width = len(batch.area), sum(column.most + 1 if column.several else 1 for column in columns)
    table = np.full((rows, width), _END, dtype=_VALUE)
    at = 0
    for column, values in zip(columns, batch.groups, strict=True):
        if column.several:
            table[:, at : at + column.most] = np.where(values == NONE, _NOTHING, values)
            at += column.most + 1
        else:
            table[:, at] = values
            at += 1
    there = table != _NOTHING
    ends = np.append(0, np.cumsum(np.count_nonzero(there, axis=1) * _VALUE.itemsize)).astype(np.int32)
    return pa.BinaryArray.from_buffers(pa.binary(), rows, [None, pa.py_buffer(ends), pa.py_buffer(table[there])])


class PackedGroups:
    """Numbers of the values of the columns of groups that rows have as bytes, in the order in which they are met; confidential."""

    def __init__(self, columns: tuple[Column, ...]) -> None:
        self._columns = columns
        self._numbers: dict[bytes, int] = {}

    def number(self, packed: pa.Array) -> Int32:
        """int32 (rows,): the number of what each row says; what was not met before gets a new one. Numbers stay as they are."""
        if pa.types.is_integer(packed.type):
            return np.asarray(packed)
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


def count_custom(
    plan: Plan,
    records: DeclaredRecords,
    counted: Records,
    spread: Spread,
    limits: duck.Limits,
    cluster: Spark | None,
) -> dict[str, Sets]:
    """Fill the counted records and those of aggregates; gives the sets of values that they number. Raises as `counts.count` says."""
    groups = PackedGroups(records.columns.groups)
    with closing(_answer(plan, records, limits, cluster, spread, groups)) as answer:
        for batch in answer:
            columns = {name: batch[name] for name in batch.schema.names}
            unit, number = columns["unit"].to_numpy(), groups.number(columns["groups"])
            persons, cell = columns["persons"].to_numpy(), columns["cell"].to_numpy().astype(np.uint8)
            counted.add(unit, number, np.zeros(len(unit), np.int16), cell, persons)
            for at, ((_, cuts), each) in enumerate(spread.items()):
                if cuts:
                    each.add_classes(unit, number, columns[f"n{at}"].to_numpy(), persons)
                else:
                    each.add_sums(unit, number, limbs(columns[f"sum{at}"]), columns[f"given{at}"].to_numpy())
    return _sets_of_families(plan, records, groups.rows())


def _answer(
    plan: Plan,
    records: DeclaredRecords,
    limits: duck.Limits,
    cluster: Spark | None,
    spread: Spread,
    groups: PackedGroups,
) -> Generator[pa.RecordBatch, None, None]:
    """The engine's answer, as `custom_answer_sql` describes it; the same row may stand in it more than once."""
    content, make = content_of(plan), partial(contribution, plan, records.columns.groups)
    select = partial(custom_answer_sql, of_sums=tuple(not cuts for _, cuts in spread))
    if cluster is not None or records.columns.unit is not None:
        return count_rows(records, content, select, make, limits, cluster)
    # Numbered at once: a share of the records would hold all bytes of what they say.
    numbered = content.set(1, pa.field("groups", pa.int32()))
    rows = all_contributions(plan, records)
    batches = (each.set_column(1, numbered.field(1), pa.array(groups.number(each["groups"]))) for each in rows)
    return count_in_shares(select("records", ""), "records", batches, numbered, {}, limits)


def _sets_of_families(plan: Plan, records: DeclaredRecords, values_of_number: list[CombinedValues]) -> dict[str, Sets]:
    """Of each family the set of its values of every number, by indices in `plan.codes`; the one past the last stands for any other."""
    index, columns = {code: at for at, code in enumerate(plan.codes)}, records.columns.groups
    sets = {}
    for family in plan.records.families:
        places = [columns.index(column) for column in family.read(plan.records.by_name)]
        sizes = [columns[place].domain.size for place in places]
        codes = np.array(
            [*(index[code] for code, _ in family.values(plan.records.by_name)), len(index)], dtype=np.int16
        )
        rows: list[CombinedValues] = [tuple(row[place] for place in places) for row in values_of_number]
        known = {row: np.unique(codes[list(_values(row, sizes))]) for row in dict.fromkeys(rows)}
        of_row = [known[row] for row in rows]
        offsets = np.cumsum([0, *map(len, of_row)], dtype=np.int64)
        sets[family.name] = Sets(offsets, np.concatenate([np.zeros(0, np.int16), *of_row]))
    return sets


def _values(classes: CombinedValues, sizes: list[int]) -> Iterator[int]:
    """The values of a family of a combination: every choice of one class of each column; past the last where a class is outside."""
    for each in product(*classes):
        number, outside = 0, False
        for size, value in zip(sizes, each, strict=True):
            number, outside = number * size + value, outside or value >= size
        yield int(np.prod(sizes)) if outside else number
