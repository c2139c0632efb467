"""Records of one's own as batches of numbers, for whoever counts them.

It is called inside the deferred computation, so after the charge; only the first line stands before it and looks at the public shape alone:

    records = open_declared(path_or_frame, columns)
    numbers = [ValueSets(each) for each in columns.groups if each.several]
    for batch in read_declared(records, numbers):
        batch.area, batch.groups, batch.detail

A record is dropped, uncounted, when its area or an attribute of the detail has no value of its public domain, so that a total and its cells
count the same records. A value of an attribute of groups that is outside its domain is in no set of values; where the attribute has
several, it spoils "all of". How a field is read: declared_values.py. A line of CSV that has another number of fields than the header, or
a quote that is not closed, is dropped too.

Memory: a few batches, whatever the number of records. They come in the order of the file, so that the numbers of sets are the same on any
machine. A text is looked up once in a batch, however many of its records have it.
"""

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from starling.engine.delimited import Part
from starling.engine.machine import in_order
from starling.engine.record_files import Records
from starling.engine.record_parts import tables
from starling.errors import SourceError
from starling.tables.plan.columns import Column, RecordColumns
from starling.tables.source.declared_records import DeclaredRecords
from starling.tables.source.declared_values import Read, given, reader, sets, values
from starling.tables.source.lookup import Int32
from starling.tables.source.value_sets import ValueSets


class Batch(NamedTuple):
    """Some consecutive records that are counted, as columns of one length.

    Attributes:
        area: int32: the smallest area, by its place among the codes; 0 for all where no column says it.
        groups: int32 of each attribute of groups: the number of the value, `column.outside` for none of the domain; where a record has
            several, the number of their set (value_sets.py).
        detail: int32 of each attribute of the detail: the number of the value.
    """

    area: Int32
    groups: tuple[Int32, ...]
    detail: tuple[Int32, ...]


Unnumbered: TypeAlias = tuple[Batch, list[Int32]]
"""A batch whose sets have no numbers yet, and the sets of each column of several values."""


def read_declared(records: DeclaredRecords, numbers: Sequence[ValueSets]) -> Generator[Batch, None, None]:
    """All records that are counted, in the order of the file.

    Args:
        records: The checked records.
        numbers: Number the sets of values, one for each column of groups that says several, in their order; sets that were not met
            before are entered.

    Raises:
        SourceError: the files are gone, or are not what was checked. Never because of what a record says.
    """
    check_unchanged(records)
    work = _Reading(records.columns)
    with closing(_unnumbered(records, work)) as batches:
        for batch, several in batches:
            waiting = iter(zip(numbers, several, strict=True))
            for column, found in zip(records.columns.groups, batch.groups, strict=True):
                if column.several:
                    number, rows = next(waiting)
                    number.number(found, rows)
            yield batch


def check_unchanged(records: DeclaredRecords) -> None:
    """Raise SourceError unless the files have the public shape that they had when they were checked."""
    try:
        same = records.reopened() == records.source
    except SourceError:
        same = False
    if not same:
        raise SourceError("records", "are not what was checked", "leave the file alone")


def _unnumbered(records: DeclaredRecords, work: "_Reading") -> Generator[Unnumbered, None, None]:
    source = records.source
    if isinstance(source, Records) and source.form == "text":
        # A part is parsed by the thread that reads it.
        for found in in_order(partial(work.of_part, source), source.parts):
            yield from found
    else:
        coded = records.columns.fields
        rows = (table for part in source.parts for table in tables(source, part, coded))
        yield from in_order(work.of_table, rows)


@dataclass(frozen=True)
class _Reading:
    """Turns tables of fields into batches.

    Attributes:
        columns: What is read.
    """

    columns: RecordColumns

    @cached_property
    def reads(self) -> dict[Column, Read]:
        """How the fields of each column are read."""
        return {each: reader(each.domain) for each in (*self.columns.single, *self.columns.groups)}

    def of_part(self, source: Records, part: Part) -> list[Unnumbered]:
        """The batches of a part of text."""
        return [self.of_table(table) for table in tables(source, part)]

    def of_table(self, table: pa.Table) -> Unnumbered:
        """The records of a table that are counted."""
        fields = {name: table[name].combine_chunks() for name in self.columns.fields}
        single = [self._single(each, fields) for each in self.columns.single]
        kept = np.ones(len(table), dtype=np.bool_)
        for column, found in zip(self.columns.single, single, strict=True):
            kept &= found < column.outside
        several: list[Int32] = []
        groups = []
        for column in self.columns.groups:
            if column.several:
                said = given(column, self.reads[column], [fields[name] for name in column.fields])
                found, rows = sets(column, said, column.most)
                several.append(rows)
            else:
                found = self._single(column, fields)
            groups.append(found[kept])
        left = [found[kept] for found in single]
        area = left.pop(0) if self.columns.area else np.zeros(int(kept.sum()), dtype=np.int32)
        return Batch(area, tuple(groups), tuple(left)), several

    def _single(self, column: Column, fields: dict[str, pa.Array]) -> Int32:
        return values(column, self.reads[column], fields[column.fields[0]])
