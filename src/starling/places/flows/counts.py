"""Exact numbers of trips from area to area, counted as points in cells are (places/counts.py): by DuckDB or Spark, or as they are read.

A trip lies in one pair of areas of one slice, which stands for the cell. Of a person at most k trips count over all slices together, those
of smallest keyed hash.
"""

from functools import partial

from starling.engine.bounded_records import KEY
from starling.engine.held_records import Held
from starling.engine.record_files import Records
from starling.engine.spark import Spark
from starling.places.counts import points_by_cell
from starling.places.flows.plan import Plan
from starling.places.flows.source import Int64, pairs_of
from starling.privacy.sampling.entropy import fresh_bytes
from starling.privacy.trust import Confidential


def count(plan: Plan, records: Records | Held, cluster: Spark | None = None) -> Confidential[Int64]:
    """The computation of the exact trips from area to area, int64 (slices, areas, areas), by DuckDB or by a Spark that runs; reads
    nothing yet.

    The computation raises SourceError when a file is no longer what was checked and OutputError when memory or disk do not suffice; never
    because of what a record says.
    """
    return Confidential(lambda: tally(plan, records, fresh_bytes(KEY), cluster))


def tally(plan: Plan, records: Records | Held, key: bytes, cluster: Spark | None = None) -> Int64:
    """The trips from area to area, int64 (slices, areas, areas); `key` is that of the hash that chooses a person's."""
    counts = points_by_cell(plan, partial(pairs_of, plan), records, key, cluster)
    return counts.reshape(-1, plan.levels.areas, plan.levels.areas)
