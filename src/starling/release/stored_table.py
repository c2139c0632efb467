"""Rows of a published table by the values of its columns, in time and memory that do not grow with the table.

A Parquet file states the least and the largest value of each column in each of its row groups, and rows of a release stand region by
region: so of a national table one row group, or a few, are read. No more than `MOST_GROUPS` are: what is asked too widely ends there, and
says so.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from starling.errors import ParameterError

MOST_GROUPS: Final = 12
"""Row groups that are read for one page."""


@dataclass(frozen=True, slots=True)
class Window:
    """Some rows of a table, one after the other.

    Attributes:
        rows: The rows.
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
    """

    def __init__(self, path: Path) -> None:
        self._file = pq.ParquetFile(path)
        self.size = int(self._file.metadata.num_rows)
        self.schema: pa.Schema = self._file.schema_arrow
        self.labels = tuple(field.name for field in self.schema if pa.types.is_string(field.type))
        """The columns of texts, by which rows are chosen."""

    @cached_property
    def _bounds(self) -> dict[str, list[tuple[str, str] | None]]:
        """The least and the largest text of each column in each row group; None where the file does not state them."""
        metadata, bounds = self._file.metadata, {}
        for place, name in enumerate(self.schema.names):
            if name not in self.labels:
                continue
            stated = [metadata.row_group(group).column(place).statistics for group in range(metadata.num_row_groups)]
            bounds[name] = [(each.min, each.max) if each is not None and each.has_min_max else None for each in stated]
        return bounds

    @cached_property
    def _sizes(self) -> list[int]:
        metadata = self._file.metadata
        return [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]

    def _groups(self, where: Mapping[str, str]) -> list[int]:
        """The row groups that may have rows with these values.

        Raises:
            ParameterError: a column that holds no texts.
        """
        if unknown := sorted(set(where) - set(self.labels)):
            raise ParameterError(unknown[0], "is no column to choose by", f"take {', '.join(self.labels)}")

        def may_have(group: int) -> bool:
            bounds = ((self._bounds[column][group], value) for column, value in where.items())
            return all(each is None or each[0] <= value <= each[1] for each, value in bounds)

        return [group for group in range(len(self._sizes)) if may_have(group)]

    def _matching(self, group: int, where: Mapping[str, str], columns: Sequence[str] | None = None) -> pa.Table:
        """Those columns, or all, of the rows of one group that have these values; what chooses is read first."""
        if not where:
            return self._file.read_row_group(group, columns=columns)
        chosen = None
        deciding = self._file.read_row_group(group, columns=list(where))
        for name, value in where.items():
            one = pc.equal(deciding[name], value)
            chosen = one if chosen is None else pc.and_(chosen, one)
        places = np.flatnonzero(np.asarray(pc.fill_null(chosen, False)))
        if not len(places):
            return self.schema.empty_table()
        return self._file.read_row_group(group, columns=columns).take(pa.array(places))

    def window(self, where: Mapping[str, str], first: int, most: int) -> Window:
        """Up to `most` rows with these values, from the `first` one on, in their order.

        Raises:
            ParameterError: a column that holds no texts.
        """
        parts: list[pa.Table] = []
        left, groups = first, self._groups(where)
        for at, group in enumerate(groups):
            if not where and left >= self._sizes[group]:
                left -= self._sizes[group]
                continue
            if sum(map(len, parts)) > most or at >= MOST_GROUPS + (0 if where else len(groups)):
                break
            rows = self._matching(group, where)
            parts.append(rows.slice(left, most + 1))
            left = max(left - len(rows), 0)
        else:
            at = len(groups)
        rows = pa.concat_tables(parts) if parts else self.schema.empty_table()
        full = len(rows) > most
        return Window(rows.slice(0, most), first, full, full or at >= len(groups))

    def pieces(self, where: Mapping[str, str]) -> Iterator[pa.Table]:
        """All rows with these values, row group by row group; raises ParameterError as `window`."""
        for group in self._groups(where):
            rows = self._matching(group, where)
            if len(rows):
                yield rows

    def values(self, column: str, where: Mapping[str, str], most: int) -> list[str] | None:
        """The values of a column in rows with these values of others, in their order; None where there are more than `most`, or too many
        row groups would have to be read.

        Raises:
            ParameterError: a column that holds no texts.
        """
        if len(groups := self._groups(where)) > MOST_GROUPS:
            return None
        seen: dict[Any, None] = {}
        for group in groups:
            seen |= dict.fromkeys(pc.unique(self._matching(group, where, [column])[column]).to_pylist())
            if len(seen) > most:
                return None
        return [value for value in seen if value is not None]
