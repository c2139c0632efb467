"""The confidential records of trips on a grid: from which cell to which each leads.

Each end is two numbers, in degrees or plain units.

Every record follows one rule, so that none can stop a run: a trip is dropped, uncounted, if one of its ends is missing, no point, or
outside the box, or if it has no person where a person is protected.
"""

import numpy as np
import pyarrow as pa

from starling.engine.plain_text import numbers_of
from starling.places.arrays import Float64, Int64
from starling.places.source.cells import cells_at
from starling.places.source.values import numbers
from starling.places.trips.plan import Plan


def ends_of(plan: Plan, table: pa.Table) -> tuple[tuple[Float64, Float64], tuple[Float64, Float64]]:
    """Of the origin and of the destination, float64 (records,) and float64 (records,): x and y; NaN where there is none."""
    x, y, other_x, other_y = (
        np.ascontiguousarray(numbers(numbers_of(table[name], plan.format))) for name in plan.columns.coordinates
    )
    return (x, y), (other_x, other_y)


def pairs_of(plan: Plan, table: pa.Table) -> Int64:
    """int64 (records,): the cell of the origin times all cells, plus that of the destination; -1 for a record that is dropped."""
    origin, destination = (cells_at(plan.grid, x, y) for x, y in ends_of(plan, table))
    return np.where((origin >= 0) & (destination >= 0), origin * plan.grid.cells + destination, -1)
