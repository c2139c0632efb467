"""Counting for cross tables: the records in every cell of the largest tables, by region of the finest level.

A row is a record's region in the finest level and its value of each column. Tables within another one, and regions of other levels, are
sums of these counts. The counts stand in memory, whose size is that of the published tables, which is public.
"""

from collections.abc import Mapping
from contextlib import closing
from functools import partial

import numpy as np
import pyarrow as pa

from starling.engine import duck
from starling.engine.spark import Spark
from starling.privacy.compiled import compiled
from starling.tables.counts.counting import count_rows, record_batch
from starling.tables.counts.kernels import Int32, Int64
from starling.tables.plan import Geography, Plan
from starling.tables.plan.counting_sql import cross_answer_sql
from starling.tables.plan.residuals import Shape, Table
from starling.tables.source.declared_reading import Batch
from starling.tables.source.declared_records import DeclaredRecords


class CrossCounts:
    """The exact counts of all tables; confidential.

    Args:
        counts: Of each of the largest tables, int64 (regions of the finest level, cells), the last column first.
    """

    def __init__(self, shape: Shape, counts: Mapping[Table, Int64]) -> None:
        self._shape = shape
        self._levels = [dict(counts)]
        for parents in reversed(shape.parents):
            order = np.argsort(parents, kind="stable")
            starts = np.searchsorted(np.array(parents)[order], np.arange(max(parents) + 1))
            above = {table: np.add.reduceat(each[order], starts, axis=0) for table, each in self._levels[0].items()}
            self._levels.insert(0, above)

    def part(self, level: int, part: Table, /) -> Int64:
        """The records by the columns of a part, in every region of a level: int64 (regions, values of each column ...)."""
        every = self._levels[level]
        table = min((each for each in every if set(part) <= set(each)), key=self._shape.cells)
        counts = every[table].reshape(-1, *(self._shape.sizes[column] for column in table))
        summed: Int64 = counts.sum(axis=tuple(1 + at for at, column in enumerate(table) if column not in part))
        return summed


def count_cells(
    plan: Plan, geography: Geography, records: DeclaredRecords, limits: duck.Limits, cluster: Spark | None
) -> CrossCounts:
    """The exact counts of the cross tables of a plan; arguments and errors as of `counts.count`."""
    assert plan.cross is not None
    shape, columns = plan.cross_shape, len(plan.cross.columns)
    region_of_area = geography.region_of_unit[plan.cross.levels[-1]]
    content = pa.schema([("region", pa.int32()), *((f"x{at}", pa.int32()) for at in range(columns))])
    largest = [table for table in shape.tables if not any(set(table) < set(other) for other in shape.tables)]
    counts = {table: np.zeros((shape.regions[-1], shape.cells(table)), dtype=np.int64) for table in largest}
    select = partial(cross_answer_sql, columns=columns)
    make = partial(contribution, content, region_of_area)
    with closing(count_rows(records, content, select, make, limits, cluster)) as answer:
        for batch in answer:
            region, persons = batch["region"].to_numpy(), batch["persons"].to_numpy()
            values = np.stack([batch[f"x{at}"].to_numpy() for at in range(columns)])
            for table, each in counts.items():
                strides = [shape.cells(table[at + 1 :]) for at in range(len(table))]
                add_cells(region, values, np.array(table, np.int64), np.array(strides, np.int64), persons, each)
    return CrossCounts(shape, counts)


def contribution(content: pa.Schema, region_of_area: Int32, batch: Batch) -> pa.RecordBatch:
    """The rows of a batch of records."""
    arrays = [pa.array(each, pa.int32()) for each in (region_of_area[batch.area], *batch.detail)]
    return record_batch(content, arrays, batch)


@compiled
def add_cells(region: Int32, values: Int32, columns: Int64, strides: Int64, persons: Int64, counts: Int64) -> None:
    """Add rows to the cells of a table, `counts`, int64 (regions, cells); values are int32 (columns, rows)."""
    for row in range(len(region)):
        cell = np.int64(0)
        for at in range(len(columns)):
            cell += values[columns[at], row] * strides[at]
        counts[region[row], cell] += persons[row]
