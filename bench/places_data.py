"""Points on grids that studies of places measure against: real ones of the folder that STARLING_DATA names, and the paper's Gaussians.

Sets in `HELD_OUT` were named before anything was tuned: a study leaves them out unless it is asked for them, once, at the end. Boxes of
points are those of the NOTE.md beside them. The paper's Los Angeles data are not public; nothing here stands for them.
"""

import gzip
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from bench.peers import ROOT
from starling.places.arrays import Int64

Float64: TypeAlias = npt.NDArray[np.float64]

SIDE: Final = 1024
"""Cells of a side of grids made from points, but for storms."""
POINTS: Final = 1_000_000
"""Of a Gaussian, before those outside the grid are dropped."""
HELD_OUT: Final = frozenset({"checkin", "Stroke_2D", "storms"})


@dataclass(frozen=True, slots=True)
class Box:
    """A public box in degrees, half-open.

    Attributes:
        west: Smallest longitude.
        east: Where longitudes end.
        south: Smallest latitude.
        north: Where latitudes end.
    """

    west: float
    east: float
    south: float
    north: float

    def count(self, longitude: Float64, latitude: Float64, side: int) -> Int64:
        """Points in each cell, int64 (side, side), southern row first; points outside are dropped."""
        inside = (longitude >= self.west) & (longitude < self.east) & (latitude >= self.south) & (latitude < self.north)
        x = (longitude[inside] - self.west) / (self.east - self.west)
        y = (latitude[inside] - self.south) / (self.north - self.south)
        return counted(side * x, side * y, side)


def counted(x: Float64, y: Float64, side: int) -> Int64:
    """Points in each cell of a square grid, of points in cell units; those outside are dropped."""
    inside = (x >= 0) & (x < side) & (y >= 0) & (y < side)
    cells = np.floor(y[inside]).astype(np.int64) * side + np.floor(x[inside]).astype(np.int64)
    return np.bincount(cells, minlength=side * side).astype(np.int64).reshape(side, side)


def folder() -> Path:
    """Where the data lie."""
    return Path(os.environ.get("STARLING_DATA") or ROOT.parent / "shared" / "data") / "places"


def published_grid(name: str) -> Int64:
    """A grid of DPBench, 256 x 256."""
    with np.load(folder() / f"{name}.npz") as file:
        return np.asarray(file["counts"], dtype=np.int64)


def of_points(name: str, box: Box, side: int = SIDE) -> Int64:
    """A grid of points in a Parquet or CSV file with columns lon and lat."""
    path = folder() / name
    if name.endswith(".parquet"):
        table = pa.parquet.read_table(path, columns=["lon", "lat"])
    else:
        with gzip.open(path) as file:
            table = pa.csv.read_csv(file)
    longitude, latitude = (table[each].to_numpy().astype(np.float64) for each in ("lon", "lat"))
    return box.count(longitude, latitude, side)


def gaussian(sigma: int, seed: int) -> Int64:
    """A million points around a random centre with independent normal deviations of `sigma` cells, as in the paper (Section 5.1)."""
    random = np.random.default_rng(seed)
    x, y = random.uniform(0, SIDE, 2)
    return counted(random.normal(x, sigma, POINTS), random.normal(y, sigma, POINTS), SIDE)


GROUPS: Final[dict[str, dict[str, Callable[[], Int64]]]] = {
    "g20": {f"g20 seed {seed}": partial(gaussian, 20, seed) for seed in (1, 2)},
    "g50": {f"g50 seed {seed}": partial(gaussian, 50, seed) for seed in (1, 2)},
    "g100": {f"g100 seed {seed}": partial(gaussian, 100, seed) for seed in (1, 2)},
    "dp6": {
        name: partial(published_grid, name)
        for name in ("cabspottingE", "BeijingTaxiE", "checkin", "twitter", "Stroke_2D", "Adult_2D")
    },
    "pts": {
        "uber": partial(of_points, "uber_nyc_2014.parquet", Box(-74.3, -73.7, 40.5, 41.0)),
        "crime": partial(of_points, "houston_crime_2010.parquet", Box(-95.8, -95.0, 29.5, 30.15)),
        "earthquakes": partial(of_points, "earthquakes.csv.gz", Box(-180, 180, -90, 90)),
    },
    "storms": {"storms": partial(of_points, "storms.parquet", Box(-140, 20, 0, 80), 256)},
}
"""The data sets by the columns of the spec's table."""


@cache
def grid(name: str) -> Int64:
    """A data set by its name; it is kept, and must not be changed."""
    found = {each: make for sets in GROUPS.values() for each, make in sets.items()}[name]()
    found.setflags(write=False)
    return found
