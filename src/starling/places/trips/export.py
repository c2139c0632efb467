"""Released trips on a grid in the formats of flow maps (places/flows/export.py): from the middle of one box to that of another.

Written are pairs of boxes that surely have trips, all together with a probability of 95 %.
"""

from pathlib import Path

import numpy as np

from starling.errors import ParameterError
from starling.places.answers.coordinates import corners_in_degrees
from starling.places.arrays import Int32
from starling.places.flows.export import Locations, write_files
from starling.places.plan.grid import Grid
from starling.places.trips.answers.released import ReleasedTrips


def write_all(out: Path, released: ReleasedTrips) -> tuple[Path, ...]:
    """Write released trips in all formats into the new folder `out`. Raises ParameterError where the grid is in plain units, which flow
    maps cannot place, and OutputError where the folder exists or cannot be written.
    """
    if released.plan.grid.crs == "plain":
        raise ParameterError("grid.crs", "is plain, and flow maps place in degrees", "read data/flows.parquet")
    pairs, trips, lower, upper = released.certain
    boxes, ends = np.unique(pairs.reshape(-1, 4), axis=0, return_inverse=True)
    columns = {"trips": trips, "lower": lower, "upper": upper}
    return write_files(out, locations(released.plan.grid, boxes), ends.reshape(-1, 2).astype(np.int64), columns)


def locations(grid: Grid, boxes: Int32) -> Locations:
    """Boxes of cells as locations, each in its middle; their ids are rows and columns, "0-8/16-24"."""
    south, north, west, east = boxes.T.tolist()
    ids = [f"{a}-{b}/{c}-{d}" for a, b, c, d in zip(south, north, west, east, strict=True)]
    corners = corners_in_degrees(grid, boxes)[:, :4]
    places = corners.mean(axis=1)
    places[:, 0] = np.where(places[:, 0] > 180, places[:, 0] - 360, places[:, 0])
    names = [
        f"rows {a} to {b - 1}, columns {c} to {d - 1}" for a, b, c, d in zip(south, north, west, east, strict=True)
    ]
    return Locations(ids, names, places)
