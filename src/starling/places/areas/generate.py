"""Invented points of a plan of areas, to try everything with: most in few of its areas, all in its slices."""

from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import shapely

from starling.engine.new_folder import new_folder
from starling.errors import ParameterError
from starling.places.areas.plan.areas_grammar import with_file
from starling.places.areas.plan.model import AreasPlan
from starling.places.areas.plan.polygons import Float64, Int64
from starling.places.generate.standing_in import RECORDS, columns_of_points, columns_of_units, points_of
from starling.planfile.invented import NOTE, SEED, write_note, write_titled
from starling.release.described import Generated

NOTICE: Final = (
    "Invented data. Nobody was at any of these points: every one was drawn from the public seed below. Maps made from them are no "
    "statistics of any area."
)
FEW: Final = 0.3
"""The less, the fewer areas have most of the points."""
TRIES: Final = 16
"""Places within the box of an area that are tried before a place that surely lies in it is taken."""


def records(plan: AreasPlan, points: int, seed: int = SEED) -> pa.Table:
    """So many invented points by a public seed, in the columns that the plan reads."""
    random = np.random.default_rng(seed)
    areas = random.choice(len(plan.areas), points, p=random.dirichlet(np.full(len(plan.areas), FEW)))
    if plan.columns.area:
        where = {plan.columns.area: pa.array(plan.areas.ids).take(pa.array(areas))}
    else:
        where = columns_of_points(plan, *_placed(plan, areas, random))
    return pa.table({**where, **columns_of_units(plan, random, points)})


def _placed(plan: AreasPlan, areas: Int64, random: np.random.Generator) -> tuple[Float64, Float64]:
    """Longitudes and latitudes of a point in each of the areas."""
    geometries = plan.areas.geometries
    bounds = shapely.bounds(geometries)[areas]
    inside = shapely.point_on_surface(shapely.make_valid(geometries))[areas]
    x, y = shapely.get_x(inside), shapely.get_y(inside)
    waiting = np.arange(len(areas))
    for _ in range(TRIES):
        some = bounds[waiting]
        tried_x, tried_y = random.uniform(some[:, 0], some[:, 2]), random.uniform(some[:, 1], some[:, 3])
        hit = shapely.intersects_xy(geometries[areas[waiting]], tried_x, tried_y)
        x[waiting[hit]], y[waiting[hit]] = tried_x[hit], tried_y[hit]
        waiting = waiting[~hit]
    return x, y


def write_for(plan: AreasPlan, out: Path, *, seed: int, points: int | None = None) -> Generated:
    """Write invented points of a plan with a note into a new folder; raises as `AreasPlan.generate` of a session does."""
    for name, number in (("seed", seed), ("points", points or 0)):
        if number < 0:
            raise ParameterError(name, "is below 0", "give a number of 0 or more")
    table = records(plan, points_of(plan) if points is None else points, seed)
    with new_folder(out) as folder:
        pq.write_table(table, folder / RECORDS, compression="zstd")
        write_note(folder, NOTICE, {"points": len(table), "seed": seed})
    return Generated({"records": out / RECORDS}, out / NOTE, {"points": len(table)}, None)


def stand_in(path: Path, plan: AreasPlan, folder: Path) -> tuple[Path, Path]:
    """Invented records of a plan, with the plan and its areas, in an empty folder: the plan file, and the records.

    Raises:
        ParameterError: records name cells of H3, and the extra h3 is missing.
        OutputError, OSError: the folder cannot be written.
    """
    polygons = folder / "areas.geojson"
    polygons.write_text(plan.areas.text(), encoding="utf-8")

    def change(values: dict[str, Any]) -> dict[str, Any]:
        return with_file(values, polygons.name)

    written = write_titled(path, folder, change)
    pq.write_table(records(plan, points_of(plan)), folder / RECORDS, compression="zstd")
    return written, folder / RECORDS
