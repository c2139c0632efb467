"""What is public of a release of trips on a grid, in its folder: the plan, and the noisy numbers, as they were drawn.

plan/plan.json                  every choice, as the keys of a plan file state it
measurements/trips.parquet      noisy numbers of origins, of destinations and of pairs, in the order in which they were drawn

Which boxes they are of follows from the numbers before them (mechanism.py), so that no file says it.
"""

from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from starling.errors import ParameterError
from starling.places.artifact import plan_files
from starling.places.artifact.plan_files import MEASUREMENTS
from starling.places.trips.measurements import MeasuredTrips
from starling.places.trips.mechanism import PARTS, TripTree
from starling.places.trips.plan import Plan
from starling.release.checks import InvalidRelease
from starling.release.encrypted import Create

TRIPS: Final = f"{MEASUREMENTS}/trips.parquet"
SCHEMA: Final = pa.schema([("part", pa.int8()), ("value", pa.int64())])
TITLE: Final = "Noisy numbers of trips, in the order in which they were drawn"
WORDS: Final = {
    "part": "What it is a number of: 0 for boxes of origins, 1 for boxes of destinations, 2 for pairs of boxes",
    "value": "Noisy number of trips; may be negative",
}


def mechanism_of(plan: Plan) -> TripTree:
    """The mechanism of a plan."""
    return TripTree(plan.grid.shape, plan.relation, plan.epsilon, plan.trips)


write_plan: Final = plan_files.write_plan


def read_plan(folder: Path) -> Plan:
    """What `write_plan` wrote. Raises IntegrityError where the file is not what it writes, and PlanError where it states a plan that cannot
    be.
    """
    return plan_files.read_plan(folder, Plan)


def write_measurements(create: Create, _: Plan, drawn: MeasuredTrips) -> None:
    """Write what was drawn; `create` makes the file."""
    parts = (drawn.origins.value, drawn.destinations.value, drawn.pairs.value)
    with create(TRIPS) as file, pq.ParquetWriter(file, SCHEMA, compression="zstd", write_statistics=False) as writer:
        for part, values in enumerate(parts):
            writer.write_table(pa.table([np.full(len(values), part, dtype=np.int8), values], SCHEMA))


def read_measurements(folder: Path, plan: Plan) -> MeasuredTrips:
    """What was drawn, from what `write_measurements` wrote. Raises InvalidRelease where the numbers are not those of boxes that follow."""
    refuse = partial(InvalidRelease, MEASUREMENTS, TRIPS)
    table = plan_files.read_rows(folder, TRIPS, SCHEMA)
    if plan_files.has_nulls(table):
        raise refuse("has a missing value")
    part, value = (np.ascontiguousarray(column.to_numpy()) for column in table.columns)
    many = np.bincount(part[part >= 0], minlength=len(PARTS))
    if not np.array_equal(part, np.repeat(np.arange(len(many)), many)) or len(many) != len(PARTS):
        raise refuse("has other parts than a release writes")
    try:
        return mechanism_of(plan).replay(np.split(value, np.cumsum(many)[:-1]))
    except ParameterError as error:
        raise refuse(f"has {error.problems[0].field} that {error.problems[0].problem}") from None
