"""Invented trips of a plan, to try everything with: their ends are near a few centres, those of a trip independent."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from starling.engine.new_folder import new_folder
from starling.errors import ParameterError
from starling.places.flows.generate import MOST, NOTICE, RECORDS, TRIPS
from starling.places.generate.standing_in import ALIKE, points_in
from starling.places.trips.plan import Plan
from starling.planfile.invented import NOTE, PLAN, SEED, titled, write_note
from starling.planfile.values import toml_of, write_new
from starling.release.described import Generated


def records(plan: Plan, trips: int, seed: int = SEED) -> pa.Table:
    """So many invented trips by a public seed, in the columns that the plan reads; all lie in its box."""
    random = np.random.default_rng(seed)
    ends = [each for _ in range(2) for each in points_in(plan.grid, random, trips)]
    columns = {name: pa.array(each) for name, each in zip(plan.columns.coordinates, ends, strict=True)}
    if plan.columns.person:
        persons = max(1, trips // min(ALIKE, plan.trips))
        columns[plan.columns.person] = pa.array(random.integers(0, persons, trips)).cast(pa.string())
    return pa.table(columns)


def trips_of(plan: Plan) -> int:
    """How many trips are invented for a plan where nobody says."""
    return TRIPS if plan.expected is None else min(plan.expected, MOST)


def write_for(plan: Plan, out: Path, *, seed: int, trips: int | None = None) -> Generated:
    """Write invented trips of a plan, with a note, into a new folder. Raises ParameterError for a number below 0, and OutputError where the
    folder exists or cannot be made.
    """
    for name, number in (("seed", seed), ("points", trips or 0)):
        if number < 0:
            raise ParameterError(name, "is below 0", "give a number of 0 or more")
    table = records(plan, trips_of(plan) if trips is None else trips, seed)
    with new_folder(out) as folder:
        pq.write_table(table, folder / RECORDS, compression="zstd")
        write_note(folder, NOTICE, {"trips": len(table), "seed": seed})
    return Generated({"records": out / RECORDS}, out / NOTE, {"trips": len(table)})


def stand_in(plan: Plan, folder: Path) -> tuple[Path, Path]:
    """Invented records of a plan, with the plan itself, in an empty folder: the plan file, and the records."""
    write_new(folder / PLAN, toml_of({**plan.values(), "title": titled(plan.title)}))
    pq.write_table(records(plan, trips_of(plan)), folder / RECORDS, compression="zstd")
    return folder / PLAN, folder / RECORDS
