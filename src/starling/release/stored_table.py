"""Rows of a published table by the values of its columns, in time and memory that do not grow with the table.

A Parquet file states the least and the largest value of each column in each of its row groups, and rows of a release stand region by
region: so of a national table one row group, or a few, are read. Of these the columns that choose come first, as places in a dictionary;
the others are read where a row was chosen alone.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from starling.errors import ParameterError

Chosen: TypeAlias = Mapping[str, Collection[str]]
"""The values of columns of texts that rows have: of each column any of them."""

MOST_GROUPS: Final = 8
"""Row groups that are searched for one page."""
MOST_PLACES: Final = 16
"""Row groups whose chosen rows are remembered: a megabyte each at most."""
MOST_READ: Final = 3
"""Row groups of which all columns are read for one page."""


@dataclass(frozen=True, slots=True)
class Window:
    """Some rows of a table, one after the other.

    Attributes:
        rows: The rows; texts as places in a dictionary.
        first: How many rows that have the wanted values stand before them.
        more: Whether others follow.
        searched: Whether all row groups that may have such rows were searched as far as was needed; False where there were too many.
    """

    rows: pa.Table
    first: int
    more: bool
    searched: bool


class StoredTable:
    """A table of a release as it lies on the disk.

    Args:
        path: Its Parquet file.

    Attributes:
        size: Its rows.
        schema: Its columns, texts as texts.
        labels: The columns of texts, by which rows are chosen.
    """

    def __init__(self, path: Path) -> None:
        plain = pq.ParquetFile(path)
        metadata = plain.metadata
        self.size = int(metadata.num_rows)
        self.schema: pa.Schema = plain.schema_arrow
        self.labels = tuple(field.name for field in self.schema if pa.types.is_string(field.type))
        self._file = pq.ParquetFile(path, metadata=metadata, read_dictionary=list(self.labels))
        self._reading = Lock()
        # A page asks for the same rows several times: for what it shows, for what is missing, and for a picture.
        self._places = lru_cache(MOST_PLACES)(self._new_places)
        self._bounds: dict[str, list[tuple[str, str] | None]] = {}

    def _bounds_of(self, column: str) -> list[tuple[str, str] | None]:
        """The least and the largest text of a column in each row group; None where the file does not state them."""
        if column not in self._bounds:
            metadata, place = self._file.metadata, self.schema.names.index(column)
            stated = (metadata.row_group(group).column(place).statistics for group in range(metadata.num_row_groups))
            self._bounds[column] = [
                (each.min, each.max) if each is not None and each.has_min_max else None for each in stated
            ]
        return self._bounds[column]

    @cached_property
    def _sizes(self) -> list[int]:
        metadata = self._file.metadata
        return [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]

    def _groups(self, where: Chosen) -> list[int]:
        """The row groups that may have rows with these values; raises ParameterError as `check_columns`."""
        check_columns(self.schema, where)
        groups = [at for at, size in enumerate(self._sizes) if size]
        for column, values in where.items():
            bounds = self._bounds_of(column)
            groups = [at for at in groups if (b := bounds[at]) is None or any(b[0] <= each <= b[1] for each in values)]
        return groups

    def candidates(self, where: Chosen) -> int:
        """How many rows are in the row groups that may have rows with these values; raises ParameterError as `check_columns`."""
        return sum(self._sizes[group] for group in self._groups(where))

    def _read(self, group: int, columns: Sequence[str] | None, rows: int) -> pa.RecordBatch:
        """The first rows of a group, of which nothing further is decoded."""
        # A file object that two threads read at once is not theirs to share.
        with self._reading:
            return next(self._file.iter_batches(batch_size=rows, row_groups=[group], columns=columns))

    def _new_places(self, group: int, where: tuple[tuple[str, tuple[str, ...]], ...]) -> npt.NDArray[np.int32]:
        """Where the rows of a group stand that have these values."""
        if not where:
            return np.arange(self._sizes[group], dtype=np.int32)
        deciding = self._read(group, [name for name, _ in where], self._sizes[group])
        matching = np.ones(len(deciding), dtype=bool)
        for name, values in where:
            matching &= _are(deciding.column(name), values)
        return np.flatnonzero(matching).astype(np.int32)

    def _taken(self, group: int, places: npt.NDArray[np.int32], columns: Sequence[str] | None = None) -> pa.Table:
        """The rows of a group at these places, of which there is one at least."""
        first, last = int(places[0]), int(places[-1])
        rows = pa.Table.from_batches([self._read(group, columns, last + 1)])
        return rows.slice(first) if last - first == len(places) - 1 else rows.take(pa.array(places))

    def window(self, where: Chosen, first: int, most: int, *, bounded: bool = False) -> Window:
        """Up to `most` rows with these values, from the `first` one on, in their order.

        Args:
            where: The wanted values.
            first: How many of the rows are left out before.
            most: How many are given.
            bounded: Whether the search ends after `MOST_GROUPS` row groups, or after `MOST_READ` of which rows were read.

        Raises:
            ParameterError: a column that holds no texts.
        """
        parts: list[pa.Table] = []
        key = _key(where)
        left, wanted, searched = first, most + 1, True
        for at, group in enumerate(self._groups(where)):
            if not where and left >= self._sizes[group]:
                left -= self._sizes[group]
                continue
            if not wanted:
                break
            if bounded and where and (at >= MOST_GROUPS or len(parts) >= MOST_READ):
                searched = False
                break
            places = self._places(group, key)
            chosen = places[left : left + wanted]
            left = max(left - len(places), 0)
            if len(chosen):
                parts.append(self._taken(group, chosen))
                wanted -= len(chosen)
        rows = pa.concat_tables(parts).unify_dictionaries() if parts else self.schema.empty_table()
        return Window(rows.slice(0, most), first, len(rows) > most, searched)

    def pieces(self, where: Chosen) -> Iterator[pa.Table]:
        """All rows with these values, texts as texts, row group by row group; raises ParameterError as `window`."""
        key = _key(where)
        for group in self._groups(where):
            places = self._places(group, key)
            if len(places):
                yield self._taken(group, places).cast(self.schema)

    def count(self, where: Chosen) -> int:
        """How many rows have these values; raises ParameterError as `window`."""
        if not where:
            return self.size
        key = _key(where)
        return sum(len(self._places(group, key)) for group in self._groups(where))

    def largest(self, column: str) -> pa.Table:
        """The first row with the largest number in a column; none where there is no number."""
        tops = dict(enumerate(self._tops(column)))
        numbers = [each for each in tops.values() if each is not None]
        if not numbers:
            return self.schema.empty_table()
        group = next(at for at, each in tops.items() if each == max(numbers))
        here = self._read(group, [column], self._sizes[group])[column]
        return self._taken(group, np.array([pc.index(here, max(numbers)).as_py()], np.int32)).cast(self.schema)

    def _tops(self, column: str) -> Iterator[Any]:
        """The largest number of a column in each row group; read where the file does not state it."""
        metadata, place = self._file.metadata, self.schema.names.index(column)
        for group, size in enumerate(self._sizes):
            if not size:
                yield None
                continue
            stated = metadata.row_group(group).column(place).statistics
            read = stated is None or not stated.has_min_max
            yield pc.max(self._read(group, [column], size)[column]).as_py() if read else stated.max

    def values(self, column: str, where: Chosen, most: int) -> list[str] | None:
        """The values of a column in rows with these values of others, in their order; None where there are more than `most`, or too many
        row groups would have to be read.

        Raises:
            ParameterError: a column that holds no texts.
        """
        if len(groups := self._groups(where)) > MOST_GROUPS:
            return None
        seen: dict[Any, None] = {}
        key = _key(where)
        for group in groups:
            if len(places := self._places(group, key)):
                seen |= dict.fromkeys(pc.unique(self._taken(group, places, [column])[column]).to_pylist())
            if len(seen) > most:
                return None
        return [value for value in seen if value is not None]


def check_columns(schema: pa.Schema, wanted: Collection[str]) -> None:
    """Raises ParameterError for a column that holds no texts."""
    labels = [field.name for field in schema if pa.types.is_string(_values(field.type))]
    if unknown := sorted(set(wanted) - set(labels)):
        raise ParameterError(unknown[0], "is no column to choose by", f"take {', '.join(labels) or 'the table'}")


def _key(where: Chosen) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The wanted values as a key, the same in any order."""
    return tuple(sorted((column, tuple(sorted(values))) for column, values in where.items()))


def _values(kind: pa.DataType) -> pa.DataType:
    """The type of the values of a column, however they are stored."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _are(chunk: pa.Array, values: Collection[str]) -> npt.NDArray[np.bool_]:
    """Whether each value of a part of a column is one of these."""
    wanted = pa.array(sorted(values), pa.string())
    if not pa.types.is_dictionary(chunk.type):
        return np.asarray(pc.is_in(chunk, value_set=wanted))
    # Each name is looked at once; -1, of a missing value, takes the last, which is no name.
    names = np.append(np.asarray(pc.is_in(chunk.dictionary, value_set=wanted)), False)
    places = chunk.indices if not chunk.null_count else chunk.indices.fill_null(-1)
    result: npt.NDArray[np.bool_] = names[np.asarray(places)]
    return result
