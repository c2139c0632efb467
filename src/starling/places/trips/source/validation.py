"""What is wrong with the records of trips on a grid, for their custodian's eyes: never part of a release, never shown by one.

A release takes every record by its stated rule, silently (source/__init__.py). Here every record that would be dropped is counted, and the
first are named with their line.
"""

from functools import partial

import numpy as np
import pyarrow as pa

from starling.engine.held_records import Held
from starling.engine.record_files import Records
from starling.errors import SHOWN
from starling.places.arrays import Int64
from starling.places.source.validation import FIX, MOST_FAULTY, check_unit, inspected
from starling.places.trips.plan import Plan
from starling.places.trips.source import ends_of
from starling.privacy.trust import NotPrivate
from starling.release.domain import Validated
from starling.release.faults import Tally


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
    columns = plan.columns.coordinates
    for named, (x, y) in zip((columns[:2], columns[2:]), ends_of(plan, table), strict=True):
        none = np.isnan(x) | np.isnan(y)
        tally.add(", ".join(named), "is missing or no point", none, lines, file)
        tally.add(", ".join(named), "is outside the box", ~none & ~plan.grid.holds(x, y), lines, file)
    check_unit(plan, table, lines, file, tally)
