"""Invented trips of a plan, to try everything with: most lead between few areas."""

from typing import Final

import numpy as np
import pyarrow as pa
import shapely

from starling.places.areas.generate import WithAreas
from starling.places.flows.plan import Plan
from starling.places.flows.plan.choices import Place
from starling.places.generate.standing_in import columns_of_units
from starling.planfile.invented import SEED

STEEP: Final = 1.1
"""The weight of the n-th area is n to the minus this."""
NOTICE: Final = "Invented data. Nobody made any of these trips: every one was drawn from the public seed below."


def records(plan: Plan, trips: int, seed: int = SEED) -> pa.Table:
    """So many invented trips by a public seed, in the columns that the plan reads; all lie between its areas."""
    random = np.random.default_rng(seed)
    many = plan.levels.areas
    weights = [random.permutation(np.arange(1.0, many + 1)) ** -STEEP for _ in range(2)]
    ends = [random.choice(many, trips, p=each / each.sum()) for each in weights]
    columns: dict[str, pa.Array] = {}
    for place, end in zip(plan.columns.ends, ends, strict=True):
        columns |= _columns_of(plan, place, pa.array(end))
    for place in plan.columns.between:
        # Half of them are not made.
        stop = pa.array(random.integers(0, many, trips), mask=random.random(trips) < 1 / 2)
        columns |= _columns_of(plan, place, stop)
    return pa.table({**columns, **columns_of_units(plan, random, trips)})


def _columns_of(plan: Plan, place: Place, areas: pa.Array) -> dict[str, pa.Array]:
    """The columns that say one place of each trip, from the number of its area, null for none."""
    if place.ids:
        return {place.ids: pa.array(plan.areas.ids).take(areas)}
    inside = shapely.get_coordinates(shapely.point_on_surface(plan.areas.geometries))
    return {name: pa.array(inside[:, axis]).take(areas) for axis, name in enumerate((place.x, place.y))}


INVENTION: Final = WithAreas(records, NOTICE, "trips")
