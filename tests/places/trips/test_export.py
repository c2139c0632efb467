"""Files that flow maps read of trips on a grid: boxes by their middles, whole trips without ghosts, and intervals that hold together."""

import csv
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import shapely

import starling
from starling.errors import ParameterError
from starling.places.plan.grid import Grid
from starling.places.trips.analysis import TripsRelease
from starling.places.trips.export import locations
from starling.places.trips.publish import TRIPS
from starling.release.payment import PaymentOptions
from tests.places.trips.worlds import MANY, plan

WAYS = {((0.5, 0.5), (2.5, 1.5)): 900, ((3.5, 2.5), (0.5, 0.5)): 300}
"""The places of MANY, longitude before latitude."""


def test_trips_that_surely_are_there_are_exported(released: Path, tmp_path: Path) -> None:
    with starling.open_release(released) as opened:
        assert isinstance(opened, TripsRelease)
        opened.export(tmp_path / "exported")
        with pytest.raises(ParameterError, match="have none"):
            opened.export(tmp_path / "none", "May")
    with (tmp_path / "exported" / "locations.csv").open() as file:
        places = {row["id"]: (float(row["lon"]), float(row["lat"])) for row in csv.DictReader(file)}
    with (tmp_path / "exported" / "flows.csv").open() as file:
        flows = {(places[row["origin"]], places[row["dest"]]): int(row["count"]) for row in csv.DictReader(file)}
    assert WAYS.keys() <= flows.keys()
    table = pq.read_table(tmp_path / "exported" / "flows.parquet")
    for row in table.to_pylist():
        way = places[row["origin"]], places[row["destination"]]
        assert shapely.get_coordinates(shapely.from_wkb(row["geometry"])).tolist() == [list(each) for each in way]
        assert row["lower"] > 0
        if way in WAYS:
            assert row["lower"] <= WAYS[way] <= row["upper"]


def test_locations_are_middles_of_boxes_on_this_side_of_the_antimeridian() -> None:
    grid = Grid((Fraction(170), Fraction(-50), Fraction(-170), Fraction(-34)), 16, 20, "degrees")
    boxes = np.array([[0, 2, 0, 4], [0, 16, 18, 20]], dtype=np.int32)
    made = locations(grid, boxes)
    assert made.ids == ["0-2/0-4", "0-16/18-20"]
    assert made.places.tolist() == [[172, -49], [-171, -42]]
    assert made.names[0] == "rows 0 to 1, columns 0 to 3"


def test_plain_units_are_refused(tmp_path: Path) -> None:
    grid = {"crs": "plain", "crs_name": "EPSG:2263", "box": ["0", "0", "4", "3"], "rows": 3, "columns": 4}
    TRIPS.release(plan(tmp_path, grid=grid), MANY, tmp_path / "out", payment=PaymentOptions(unvalidated=True))
    with starling.open_release(tmp_path / "out") as opened:
        assert isinstance(opened, TripsRelease)
        with pytest.raises(ParameterError, match="flow maps place in degrees"):
            opened.export(tmp_path / "exported")
