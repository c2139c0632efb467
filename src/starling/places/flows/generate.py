"""Invented trips of a plan, to try everything with: most lead between few areas."""

from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import shapely

from starling.engine.new_folder import new_folder
from starling.errors import ParameterError
from starling.places.areas.plan.areas_grammar import FILE, with_file
from starling.places.flows.plan import Plan
from starling.places.generate.standing_in import columns_of_units
from starling.planfile.invented import NOTE, PLAN, SEED, titled, write_note
from starling.planfile.values import toml_of, write_new
from starling.release.described import Generated

TRIPS: Final = 20_000
"""Trips that are invented where the plan expects none."""
MOST: Final = 100_000
"""And at most, whatever it expects."""
STEEP: Final = 1.1
"""The weight of the n-th area is n to the minus this."""
RECORDS: Final = "records.parquet"
NOTICE: Final = "Invented data. Nobody made any of these trips: every one was drawn from the public seed below."


def records(plan: Plan, trips: int, seed: int = SEED) -> pa.Table:
    """So many invented trips by a public seed, in the columns that the plan reads; all lie between its areas."""
    random = np.random.default_rng(seed)
    many = plan.levels.areas
    weights = [random.permutation(np.arange(1.0, many + 1)) ** -STEEP for _ in range(2)]
    ends = [random.choice(many, trips, p=each / each.sum()) for each in weights]
    named = plan.columns
    columns: dict[str, pa.Array] = {}
    places = shapely.get_coordinates(shapely.point_on_surface(plan.areas.geometries))
    keys = (
        (named.origin, named.origin_x, named.origin_y),
        (named.destination, named.destination_x, named.destination_y),
    )
    for (name, x, y), end in zip(keys, ends, strict=True):
        if name:
            columns[name] = pa.array(plan.areas.ids).take(pa.array(end))
        else:
            columns |= {x: pa.array(places[end, 0]), y: pa.array(places[end, 1])}
    return pa.table({**columns, **columns_of_units(plan, random, trips)})


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
    values = with_file({**plan.values(), "title": titled(plan.title)}, FILE)
    write_new(folder / FILE, plan.areas.text())
    write_new(folder / PLAN, toml_of(values))
    pq.write_table(records(plan, trips_of(plan)), folder / RECORDS, compression="zstd")
    return folder / PLAN, folder / RECORDS
