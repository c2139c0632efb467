"""Exact numbers of trips of the pairs of cells that have any, counted as points in cells are (places/counts.py): by DuckDB or Spark.

A pair of cells stands for the cell. Of a person at most k trips count, those of smallest keyed hash.
"""

from functools import partial

import numpy as np

from starling.engine.bounded_records import KEY
from starling.engine.held_records import Held
from starling.engine.record_files import Records
from starling.engine.spark import Spark
from starling.places.counts import points_of_some
from starling.places.trips.measurements import Trips
from starling.places.trips.plan import Plan
from starling.places.trips.source import pairs_of
from starling.privacy.sampling.entropy import fresh_bytes
from starling.privacy.trust import Confidential


def count(plan: Plan, records: Records | Held, cluster: Spark | None = None) -> Confidential[Trips]:
    """The computation of the exact trips between cells, by DuckDB or by a Spark that runs; reads nothing yet.

    The computation raises SourceError when a file is no longer what was checked and OutputError when memory or disk do not suffice; never
    because of what a record says.
    """
    return Confidential(lambda: tally(plan, records, fresh_bytes(KEY), cluster))


def tally(plan: Plan, records: Records | Held, key: bytes, cluster: Spark | None = None) -> Trips:
    """The trips between cells; `key` is that of the hash that chooses a person's."""
    pairs, trips = points_of_some(plan, plan.cells, partial(pairs_of, plan), records, key, cluster)
    cells = np.divmod(pairs, plan.grid.cells)
    ends = np.stack([each for cell in cells for each in np.divmod(cell, plan.grid.columns)], axis=1)
    return Trips(plan.grid.shape, ends.astype(np.int32), trips)
