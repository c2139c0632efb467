"""Custom records as batches of numbers, for whoever counts them.

It is called inside the deferred computation, so after the charge; only the first line stands before it and looks at the public shape alone:

    records = open_declared(path_or_frame, columns)
    for batch in read_declared(records, lambda batch: batch):
        batch.area, batch.groups, batch.detail

Where a person is protected, at most k records of each are counted of what it gives (counts/custom_counting.py).

A record is dropped, uncounted, when its area or an attribute of the detail has no value of its public domain, so that a total and its cells
count the same records. A value of an attribute of groups that is outside its domain is in no set of values; where the attribute has
several, it spoils "all of". How a field is read: declared_values.py. A line of CSV that has another number of fields than the header, or
a quote that is not closed, is dropped too. A record without a number takes no part in sums and quantiles of it (declared_values.py).

Memory: a few batches, whatever the number of records. They come in the order of the file. A text is looked up once in a batch, however
many of its records have it.
"""

from collections.abc import Callable, Generator, Iterator
from typing import NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from starling.engine.delimited import Part, labels
from starling.engine.machine import in_order
from starling.engine.record_files import Records
from starling.engine.record_parts import tables
from starling.tables.plan.columns import RecordColumns
from starling.tables.source.declared_records import DeclaredRecords
from starling.tables.source.declared_values import reader, record_values, sets, units_above, values
from starling.tables.source.lookup import Int32, Int64

T = TypeVar("T")


class Batch(NamedTuple):
    """Some records that are counted, as columns of one length.

    Attributes:
        area: int32: the smallest area, by its place among the codes; 0 for all where no column says it.
        groups: int32 of each attribute of groups: the number of the value, `column.outside` for none of the domain; where a record may have
            several, a row of them as `declared_values.sets` gives it.
        detail: int32 of each attribute of the detail: the number of the value.
        numbers: int64 of each column of numbers: units above the least one, NONE without a number (declared_values.py).
        person: Whose each record is; None where each record is protected by itself.
    """

    area: Int32
    groups: tuple[Int32, ...]
    detail: tuple[Int32, ...]
    numbers: tuple[Int64, ...]
    person: pa.Array | None


def read_declared(records: DeclaredRecords, make: Callable[[Batch], T]) -> Generator[T, None, None]:
    """What `make` makes of the records that are counted, batch by batch in the order of the file, in the threads that read them.

    Raises:
        SourceError: the files are gone, or are not what was checked. Never because of what a record says.
    """
    records.check_unchanged()
    source, coded, batch = records.source, coded_fields(records.columns), _reading(records.columns)

    def read(table: pa.Table) -> T:
        return make(batch(table))

    if isinstance(source, Records) and source.form == "text":
        # A part is parsed by the thread that reads it.
        for results in in_order(lambda part: list(map(read, tables(source, part, coded))), source.parts):
            yield from results
    else:
        yield from in_order(read, (table for part in source.parts for table in tables(source, part, coded)))


def read_part(records: DeclaredRecords, part: Part) -> Iterator[Batch]:
    """The records of a part of files that are counted, in their order, in a worker of a cluster; raises as `read_declared` does."""
    return map(_reading(records.columns), tables(records.source, part, coded_fields(records.columns)))


def coded_fields(columns: RecordColumns) -> tuple[str, ...]:
    """The columns of Parquet that are read as dictionaries, which say few different things: all but that of persons."""
    return tuple(dict.fromkeys(field for each in (*columns.single, *columns.groups) for field in each.fields))


def _reading(columns: RecordColumns) -> Callable[[pa.Table], Batch]:
    """What turns a table of fields into the records of it that are counted."""
    reads = {each: reader(each.domain, columns.format) for each in (*columns.single, *columns.groups)}

    def batch(table: pa.Table) -> Batch:
        fields = {name: table[name].combine_chunks() for name in columns.fields}
        single = [values(each, reads[each], fields[each.fields[0]]) for each in columns.single]
        readable = np.ones(len(table), dtype=np.bool_)
        for column, numbers in zip(columns.single, single, strict=True):
            readable &= numbers < column.outside
        person = None if columns.unit is None else labels(fields[columns.unit.field])
        if person is not None:
            readable &= person.is_valid().to_numpy(zero_copy_only=False)
            person = person.filter(pa.array(readable))
        groups = []
        for column in columns.groups:
            if column.several:
                of_records = record_values(column, reads[column], [fields[name] for name in column.fields])
                numbers = sets(column, of_records, column.most)
            else:
                numbers = values(column, reads[column], fields[column.fields[0]])
            groups.append(numbers[readable])
        left = [numbers[readable] for numbers in single]
        area = left.pop(0) if columns.area else np.zeros(int(readable.sum()), dtype=np.int32)
        measured = (units_above(each, fields[each.fields[0]], columns.format)[readable] for each in columns.numbers)
        return Batch(area, tuple(groups), tuple(left), tuple(measured), person)

    return batch
