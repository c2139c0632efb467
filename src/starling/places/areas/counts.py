"""Exact numbers of points by slice and area: counted by the engine as those of cells are (places/counts.py), with areas for cells."""

from functools import partial

from starling.engine.bounded_records import KEY
from starling.engine.spark import Spark
from starling.places.areas.plan.model import AreasPlan
from starling.places.areas.source.cells import cells_of
from starling.places.arrays import Int64
from starling.places.counts import by_cell
from starling.places.source import Held, Records
from starling.privacy.sampling.entropy import fresh_bytes
from starling.privacy.trust import Confidential


def count(plan: AreasPlan, records: Records | Held, cluster: Spark | None = None) -> Confidential[Int64]:
    """The computation of the exact number of points of each area of each slice, int64 (slices * areas,), or of a plan with a value of the
    units in both layers of each slice, int64 (slices * layers * areas,); reads nothing yet.

    It raises what that of cells raises.
    """
    return Confidential(lambda: by_cell(plan, partial(cells_of, plan), records, fresh_bytes(KEY), cluster))
