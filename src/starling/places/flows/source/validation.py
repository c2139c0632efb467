"""What is wrong with the records of trips, for their custodian's eyes: never part of a release, never shown by one.

A release takes every record by its stated rule, silently (source.py). Here every record that would be dropped is counted, and the first are
named with their line; what is shown of values, release/causes.py says.
"""

from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from starling.engine.delimited import labels, plain
from starling.engine.held_records import Held
from starling.engine.record_files import Records
from starling.errors import SHOWN
from starling.places.arrays import Int64
from starling.places.flows.plan import Plan
from starling.places.flows.source import areas_at
from starling.places.source.validation import FIX, check_unit, inspected
from starling.privacy.trust import NotPrivate
from starling.release.domain import Validated
from starling.release.faults import Tally

MOST_FAULTY: Final = "look at the columns and the ids of the areas before anything else"


def validate(plan: Plan, records: Records | Held, *, most: int = SHOWN) -> NotPrivate[Validated]:
    """Read all records and list for the custodian which of them a release would drop, and why.

    Args:
        plan: Public choices.
        records: The checked records.
        most: How many faults are listed; all are counted.

    Raises:
        SourceError: a file is no longer what was checked.
    """
    return inspected(partial(_check, plan), plan, records, Tally(most, FIX), MOST_FAULTY)


def _check(plan: Plan, table: pa.Table, lines: Int64, file: str, tally: Tally) -> None:
    """Add the faults of some records."""
    for place in plan.columns.ends:
        areas, column = areas_at(plan, table, place), place.ids
        if not column:
            tally.add(f"{place.x}, {place.y}", "is missing, no point, or in no area", areas < 0, lines, file)
            continue
        texts = labels(table[column])
        missing = texts.is_null().to_numpy(zero_copy_only=False)
        tally.add(column, "is missing", missing, lines, file)
        unknown = (areas < 0) & ~missing
        tally.add(column, "is no id of an area", unknown, lines, file)
        tally.show(column, "is no id of an area", "code", texts.filter(pa.array(unknown)), plan.areas.ids)
    for place in plan.columns.between:
        names = [name for name in (place.ids, place.x, place.y) if name]
        stated = np.logical_or.reduce([_stated(table[name]) for name in names])
        unknown = (areas_at(plan, table, place) < 0) & stated
        fix = "correct it; a release passes over it"
        tally.add(", ".join(names), "is a stop in no area", unknown, lines, file, fix=fix)
    check_unit(plan, table, lines, file, tally)


def _stated(column: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    """bool (records,): whether a column says anything."""
    values = plain(column)
    floats = pa.types.is_floating(values.type)
    numbers = floats or pa.types.is_integer(values.type) or pa.types.is_decimal(values.type)
    missing = pc.is_null(values, nan_is_null=floats) if numbers else labels(values).is_null()
    return ~np.asarray(missing.to_numpy(zero_copy_only=False), dtype=np.bool_)
