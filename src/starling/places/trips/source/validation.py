"""What is wrong with the records of trips on a grid, for their custodian's eyes: never part of a release, never shown by one.

A release takes every record by its stated rule, silently (source/__init__.py). Here every record that would be dropped is counted, and the
first are named with their line.
"""

from functools import partial

import numpy as np
import pyarrow as pa

from starling.engine.bounded_records import persons_of
from starling.engine.delimited import labels
from starling.engine.held_records import Held
from starling.engine.record_files import Records
from starling.engine.record_parts import tables
from starling.errors import SHOWN, Findings
from starling.places.measurements import Int64
from starling.places.source.validation import FIX, MOST_FAULTY
from starling.places.trips.plan import Plan
from starling.places.trips.source import ends_of
from starling.privacy.trust import Confidential, NotPrivate, inspect
from starling.release.domain import Validated
from starling.release.faults import Tally, notes_of_persons


def validate(plan: Plan, records: Records | Held, *, most: int = SHOWN) -> NotPrivate[Validated]:
    """Read all records and list for the custodian which of them a release would drop, and why.

    Args:
        plan: Public choices.
        records: The checked records.
        most: How many faults are listed; all are counted.

    Raises:
        SourceError: a file is no longer what was checked.
    """
    return inspect(Confidential(partial(_validated, plan, records, most)))


def _validated(plan: Plan, records: Records | Held, most: int) -> Validated:
    tally = Tally(most, FIX)
    for table, lines, file in tally.tables(records, partial(tables, records)):
        _check(plan, table, lines, file, tally)
    problems = tally.findings(tuple(tally.decisive(records.name, MOST_FAULTY)))
    return Validated(problems, _notes(plan, records), f"{tally.total:,} records", {"records": tally.total})


def _check(plan: Plan, table: pa.Table, lines: Int64, file: str, tally: Tally) -> None:
    """Add the faults of some records."""
    columns = plan.columns.coordinates
    for named, (x, y) in zip((columns[:2], columns[2:]), ends_of(plan, table), strict=True):
        none = np.isnan(x) | np.isnan(y)
        tally.add(", ".join(named), "is missing or no point", none, lines, file)
        tally.add(", ".join(named), "is outside the box", ~none & ~plan.grid.holds(x, y), lines, file)
    if plan.columns.person:
        missing = labels(table[plan.columns.person]).is_null().to_numpy(zero_copy_only=False)
        tally.add(plan.columns.person, "is missing", np.asarray(missing), lines, file)


def _notes(plan: Plan, records: Records | Held) -> Findings:
    """How many persons have more trips than count, and whether a person is rather the number of a row."""
    if not plan.columns.person:
        return Findings(0, {}, ())
    person = plan.columns.person
    read = (labels(table[person]) for part in records.parts for table in tables(records, part))
    return notes_of_persons(person, persons_of(read, plan.trips), plan.trips, "trips_per_person", records.name)
