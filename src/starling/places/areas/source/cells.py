"""In which area of which slice a record lies: the one function by which every engine counts."""

from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from starling.engine.delimited import labels
from starling.places.areas.plan.model import AreasPlan
from starling.places.areas.plan.polygons import Areas
from starling.places.areas.source.locate import locator_of
from starling.places.arrays import Int32, Int64
from starling.places.source.cells import points_of, slices_of


def cells_of(plan: AreasPlan, table: pa.Table) -> Int64:
    """int64 (records,): slice times areas, plus area; -1 for a record that is dropped."""
    areas = areas_of(plan, table).astype(np.int64)
    if plan.slices is None:
        return areas
    at = slices_of(plan, table)
    return np.where((at >= 0) & (areas >= 0), at * len(plan.areas) + areas, -1)


def areas_of(plan: AreasPlan, table: pa.Table) -> Int32:
    """int32 (records,): the area of each record; -1 for none."""
    if plan.columns.area:
        return labelled(plan.areas, table[plan.columns.area])
    return locator_of(plan.areas).assign(*points_of(plan, table))


def labelled(areas: Areas, column: pa.ChunkedArray) -> Int32:
    """int32 (records,): the area whose id each record has; -1 for none."""
    at = pc.index_in(labels(column), _ids(areas)).fill_null(-1)
    return np.asarray(at.to_numpy(zero_copy_only=False), dtype=np.int32)


@lru_cache(maxsize=4)
def _ids(areas: Areas) -> pa.Array:
    return pa.array([each.encode() for each in areas.ids], pa.binary())
