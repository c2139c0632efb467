"""Invented points of a plan of areas, to try everything with: most in few of its areas, all in its slices."""

from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import shapely

from starling.places.areas.plan.areas_grammar import FILE, with_file
from starling.places.areas.plan.model import AreasPlan
from starling.places.arrays import Float64, Int64
from starling.places.generate.standing_in import Invention, column_of_value, columns_of_points, columns_of_units
from starling.planfile.invented import SEED, write_titled
from starling.planfile.values import write_new

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
    units = columns_of_units(plan, random, points)
    return pa.table({**where, **units, **column_of_value(plan, random, points)})


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


class WithAreas(Invention):
    """Of a plan that has public areas, which lie beside it."""

    __slots__ = ()

    def plan_file(self, path: Path, plan: Any, folder: Path) -> Path:
        """Write the plan and its areas."""
        write_new(folder / FILE, plan.areas.text())
        return write_titled(path, folder, lambda values: with_file(values, FILE))


INVENTION: Final = WithAreas(records, NOTICE)
