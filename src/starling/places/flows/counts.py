"""Exact numbers of trips from area to area, counted as points in cells are (places/counts.py): by DuckDB or Spark, or as they are read.

A trip lies in one pair of areas of one slice, which stands for the cell. Of a person at most k trips count over all slices together, those
of smallest keyed hash. Of plans with stops the cell is the whole way of a trip: trips are kept whole, and cut into legs once they are,
part by part, so that memory does not grow with the ways that there are.
"""

from contextlib import closing
from functools import partial

import numpy as np

from starling.engine.bounded_records import KEY
from starling.engine.held_records import Held
from starling.engine.record_files import Records
from starling.engine.spark import Spark
from starling.places.arrays import Int64
from starling.places.counts import parts_of_some, points_by_cell
from starling.places.flows.plan import Plan
from starling.places.flows.source import pairs_of, ways_of
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
    shape = (len(plan.slice_names), plan.levels.areas, plan.levels.areas)
    if not plan.columns.between:
        return points_by_cell(plan, partial(pairs_of, plan), records, key, cluster).reshape(shape)
    legs = np.zeros(shape, dtype=np.int64)
    with closing(parts_of_some(plan, plan.codes, partial(ways_of, plan), records, key, cluster)) as answer:
        for ways, trips in answer:
            add_legs(plan, ways, trips, legs)
    return legs


def add_legs(plan: Plan, ways: Int64, trips: Int64, legs: Int64) -> None:
    """Add the legs of trips by their way, as `ways_of` has it, to those from area to area, int64 (slices, areas, areas)."""
    areas, stops = plan.levels.areas, len(plan.columns.between)
    whole = (*(areas + 1,) * stops, areas, areas)
    places: list[Int64] = []
    for many in reversed(whole):
        ways, place = np.divmod(ways, many)
        places.append(place)
    destination, origin, *back = places
    here = origin
    for place in reversed(back):
        there = place < areas
        np.add.at(legs, (ways[there], here[there], place[there]), trips[there])
        here = np.where(there, place, here)
    np.add.at(legs, (ways, here, destination), trips)
