"""The tables of a release of trips on a grid, declared once: trips by pair of boxes, and origins and destinations by cell."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Final

import numpy as np
import pyarrow as pa

from starling.places.answers.cover import SIDES
from starling.places.artifact.columns import CELL_WORDS, CELLS, PIECE, declared
from starling.places.artifact.plan_files import sheet
from starling.places.artifact.public_plan import WORDS as SIDE_WORDS
from starling.places.trips.answers.released import END, ReleasedTrips
from starling.places.trips.artifact.public_plan import SCHEMA as MEASUREMENTS
from starling.places.trips.artifact.public_plan import TITLE, TRIPS, WORDS
from starling.places.trips.plan import Plan
from starling.release.datapackage import Sheet
from starling.release.table_files import Table

FLOWS: Final = "flows"
_ENDS: Final = ("origin", "destination")
FLOW_WORDS: Final = {
    **{
        f"{end}_{side}": f"Of the box where trips {does}: {SIDE_WORDS[side][0].lower()}{SIDE_WORDS[side][1:]}"
        for (end, does), side in product(zip(_ENDS, ("begin", "end"), strict=True), SIDES)
    },
    "trips": "Estimated trips from the one box to the other",
}
FLOW_TABLE: Final = pa.schema([(name, pa.float64() if name == "trips" else pa.int32()) for name in FLOW_WORDS])
CELL_TABLE_WORDS: Final = {
    "row": CELL_WORDS["row"],
    "column": CELL_WORDS["column"],
    "origins": "Estimated trips that begin in the cell; need not be whole",
    "destinations": "Estimated trips that end in the cell; need not be whole",
}
CELL_TABLE: Final = pa.schema([(name, pa.float64() if name in END else pa.int32()) for name in CELL_TABLE_WORDS])


def tables(plan: Plan) -> tuple[Table, ...]:
    """The tables of a release, each as Parquet, and as CSV where it is not long."""
    key = tuple(f"{end}_{side}" for end, side in product(_ENDS, ("south", "west")))
    return (
        declared(FLOWS, f"Trips ({plan.trip}) by pair of boxes of cells", FLOW_TABLE, FLOW_WORDS, key),
        declared(CELLS, f"Ends of trips ({plan.trip}) by cell", CELL_TABLE, CELL_TABLE_WORDS, ("row", "column")),
    )


def sheets(_: Plan) -> list[Sheet]:
    """The measurements for the data package."""
    return [sheet(TRIPS, TITLE, MEASUREMENTS, WORDS)]


def pieces(released: ReleasedTrips) -> Iterator[Mapping[str, pa.Table]]:
    """Rows of both tables."""
    boxes, trips = released.estimate.boxes, released.estimate.trips
    for first in range(0, len(boxes), PIECE):
        sides = [np.ascontiguousarray(side) for side in boxes[first : first + PIECE].T]
        yield {FLOWS: pa.table([*sides, trips[first : first + PIECE]], FLOW_TABLE)}
    row, column = (each.reshape(-1).astype(np.int32) for each in np.indices(released.plan.grid.shape))
    yield {CELLS: pa.table([row, column, *(each.reshape(-1) for each in released.margins)], CELL_TABLE)}
