"""Invented trips of a plan, to try everything with: their ends are near a few centres, those of a trip independent."""

from typing import Final

import numpy as np
import pyarrow as pa

from starling.places.flows.generate import NOTICE
from starling.places.generate.standing_in import ALIKE, Invention, points_in
from starling.places.trips.plan import Plan
from starling.planfile.invented import SEED


def records(plan: Plan, trips: int, seed: int = SEED) -> pa.Table:
    """So many invented trips by a public seed, in the columns that the plan reads; all lie in its box."""
    random = np.random.default_rng(seed)
    ends = [each for _ in range(2) for each in points_in(plan.grid, random, trips)]
    columns = {name: pa.array(each) for name, each in zip(plan.columns.coordinates, ends, strict=True)}
    if plan.columns.person:
        persons = max(1, trips // min(ALIKE, plan.trips))
        columns[plan.columns.person] = pa.array(random.integers(0, persons, trips)).cast(pa.string())
    return pa.table(columns)


INVENTION: Final = Invention(records, NOTICE, "trips")
