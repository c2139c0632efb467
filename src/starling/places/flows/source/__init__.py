"""The confidential records of trips: from which area to which each leads.

Where a trip begins, stops or ends is said by the id
of an area, or by a longitude and a latitude.

Every record follows one rule, so that none can stop a run: a trip is dropped, uncounted, if one of its ends is missing, names no area, or
lies in none, if its time is in no slice, or if it has no person where a person is protected. A stop that is missing, names no area or
lies in none is passed over: the leg leads on to the next place.
"""

import numpy as np
import pyarrow as pa

from starling.engine.delimited import plain
from starling.engine.plain_text import numbers_of
from starling.places.areas.plan.polygons import Areas
from starling.places.areas.source.cells import labelled
from starling.places.areas.source.locate import locator_of
from starling.places.arrays import Int64
from starling.places.flows.plan import Plan
from starling.places.flows.plan.choices import Place
from starling.places.source.cells import slices_of
from starling.places.source.values import numbers

MOST_DIGITS = 6
"""Of ids that are whole numbers: those of no more are looked up in a table."""


def pairs_of(plan: Plan, table: pa.Table) -> Int64:
    """int64 (records,): slice times pairs of areas, plus origin times areas, plus destination; -1 for a record that is dropped."""
    origin, destination = (areas_at(plan, table, place) for place in plan.columns.ends)
    pairs = np.where((origin >= 0) & (destination >= 0), origin * plan.levels.areas + destination, -1)
    if plan.slices is None:
        return pairs
    at = slices_of(plan, table)
    return np.where((at >= 0) & (pairs >= 0), at * plan.levels.areas**2 + pairs, -1)


def ways_of(plan: Plan, table: pa.Table) -> Int64:
    """int64 (records,): the whole way of each trip with stops as a number below `Plan.codes`: slice, stops in their order, each by its area
    or, passed over, by the number of areas, then origin and destination; -1 for a record that is dropped.
    """
    pairs, areas = pairs_of(plan, table), plan.levels.areas
    slices, ends = np.divmod(pairs, areas**2)
    ways = slices
    for place in plan.columns.between:
        stop = areas_at(plan, table, place)
        ways = ways * (areas + 1) + np.where(stop >= 0, stop, areas)
    return np.where(pairs >= 0, ways * areas**2 + ends, -1)


def areas_at(plan: Plan, table: pa.Table, place: Place) -> Int64:
    """int64 (records,): the area in which one place of each trip lies, -1 for none."""
    if place.ids:
        return areas_named(plan.areas, table[place.ids])
    east, north = (numbers(numbers_of(table[axis], plan.format)) for axis in (place.x, place.y))
    return locator_of(plan.areas).assign(east, north).astype(np.int64)


def areas_named(areas: Areas, column: pa.ChunkedArray) -> Int64:
    """int64 (records,): the area of each id, -1 for none."""
    values = plain(column)
    decimal = [(at, each) for at, each in enumerate(areas.ids) if each.isdecimal()]
    # Longer ones are not made numbers of: of thousands of digits Python makes none.
    if not pa.types.is_integer(values.type) or any(len(each) > MOST_DIGITS for _, each in decimal):
        return labelled(areas, column).astype(np.int64)
    # An id that a whole number is written as, such as 7, never 07: then the number can be looked up.
    whole = {int(each): at for at, each in decimal if str(int(each)) == each}
    table = np.full(max(whole, default=0) + 2, -1, dtype=np.int64)
    table[list(whole)] = list(whole.values())
    # Cast before nulls are filled: an unsigned column has no -1, and of 2^63 or more the cast makes a number below 0.
    stated = values.cast(pa.int64(), safe=False).fill_null(-1).to_numpy(zero_copy_only=False)
    known = (stated >= 0) & (stated < len(table) - 1)
    return np.asarray(table[np.where(known, stated, len(table) - 1)])
