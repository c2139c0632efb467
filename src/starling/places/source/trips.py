"""The public shape of the confidential records of trips, whatever their ends are counted by.

Forms: CSV with a header, Parquet (one file, or a folder of parts), and what a session holds.
"""

from functools import partial
from pathlib import Path

import pyarrow as pa

from starling.engine.held_records import Held, InMemory
from starling.engine.record_files import Records
from starling.engine.record_parts import no_number, open_tables
from starling.places.plan.trips import PlanOfTrips
from starling.places.source import wanted_of_unit


def open_records(data: str | Path | InMemory, plan: PlanOfTrips) -> Records | Held:
    """Check the public shape of records: their form, columns and types.

    Raises:
        SourceError: with all missing columns at once.
    """
    fix = f"the plan reads {', '.join(plan.columns.names)}"
    return open_tables(data, plan.columns.names, fix, partial(_wanted, plan), plan.format)


def _wanted(plan: PlanOfTrips, name: str, kind: pa.DataType) -> str:
    """As `record_parts.Wanted` says."""
    return no_number(kind) if name in plan.columns.coordinates else wanted_of_unit(plan, name, kind)
