"""Invented trips of a plan, to try everything with: their ends are near a few centres, those of a trip independent."""

from typing import Final

import numpy as np
import pyarrow as pa

from starling.places.flows.generate import NOTICE
from starling.places.generate.standing_in import Invention, columns_of_units, points_in
from starling.places.trips.plan import Plan
from starling.planfile.invented import SEED


def records(plan: Plan, trips: int, seed: int = SEED) -> pa.Table:
    """So many invented trips by a public seed, in the columns that the plan reads; all lie in its box."""
    random = np.random.default_rng(seed)
    ends = [each for _ in range(2) for each in points_in(plan.grid, random, trips)]
    columns = {name: pa.array(each) for name, each in zip(plan.columns.coordinates, ends, strict=True)}
    return pa.table({**columns, **columns_of_units(plan, random, trips)})


INVENTION: Final = Invention(records, NOTICE, "trips")
