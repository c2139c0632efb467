"""Coordinates: cells to degrees and back, and a projection that others understand."""

from fractions import Fraction
from math import cos, radians

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.places.answers.coordinates import (
    aspect,
    box_in_degrees,
    corners,
    corners_in_degrees,
    degrees_in_cells,
    in_cells,
    reference_system,
)
from starling.places.plan.grid import RADIUS, Grid

DEGREES = Grid((Fraction(-20), Fraction(30), Fraction(20), Fraction(60)), 60, 80, "degrees")
METRES = Grid(
    (Fraction(-2_000_000), Fraction(-1_000_000), Fraction(3_000_000), Fraction(6_000_000)), 70, 50, "equal-area"
)
PLAIN = Grid((Fraction(5), Fraction(0), Fraction(25), Fraction(10)), 10, 20, "plain", "EPSG:2263")
BOXES = np.array([[0, 1, 0, 1], [10, 30, 5, 7]], dtype=np.int32)


@pytest.mark.parametrize("grid", [DEGREES, METRES])
def test_degrees_of_cells_come_back_as_cells(grid: Grid) -> None:
    rings = corners_in_degrees(grid, BOXES)
    cells = degrees_in_cells(grid)(rings.reshape(-1, 2)).reshape(-1, 5, 2)
    south, north, west, east = BOXES.T
    assert cells[:, 0] == pytest.approx(np.stack([west, south], axis=1), abs=1e-9)
    assert cells[:, 2] == pytest.approx(np.stack([east, north], axis=1), abs=1e-9)
    assert (cells[:, 0] == cells[:, 4]).all()


@pytest.mark.parametrize("grid", [DEGREES, METRES, PLAIN])
def test_units_of_cells_come_back_as_cells(grid: Grid) -> None:
    ring = corners(grid, BOXES[:1])[0]
    assert in_cells(grid, "box")(ring) == pytest.approx(np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]), abs=1e-9)


def test_the_ends_of_the_box_are_edges_of_cells() -> None:
    assert box_in_degrees(DEGREES) == (-20, 30, 20, 60)
    west, south, east, north = box_in_degrees(METRES)
    x, y = METRES.edges
    assert (west, south, east, north) == pytest.approx((x[0], y[0], x[-1], y[-1]), abs=1e-12)


def test_plain_units_have_no_degrees() -> None:
    for ask in (degrees_in_cells, box_in_degrees, lambda grid: corners_in_degrees(grid, BOXES)):
        with pytest.raises(ParameterError, match=r"plain units \(EPSG:2263\)"):
            ask(PLAIN)


def test_cells_are_drawn_as_wide_as_they_are() -> None:
    assert aspect(DEGREES) == pytest.approx(cos(radians(45)))
    assert aspect(METRES) == pytest.approx(1)
    assert aspect(PLAIN) == pytest.approx(1)
    arctic = Grid((Fraction(0), Fraction(80), Fraction(10), Fraction(90)), 10, 10, "degrees")
    assert aspect(arctic) == 0.25


def test_the_equal_area_projection_is_known_to_others() -> None:
    pyproj = pytest.importorskip("pyproj", reason="the extra `test` installs it")
    assert reference_system(DEGREES) == "OGC:CRS84"
    assert pyproj.CRS.from_json_dict(reference_system(PLAIN)).to_epsg() == 2263
    known = pyproj.CRS.from_json_dict(reference_system(METRES))
    sphere = pyproj.CRS.from_dict({"proj": "longlat", "R": float(RADIUS), "no_defs": True})
    change = pyproj.Transformer.from_crs(known, sphere, always_xy=True)
    result = np.stack(change.transform(*corners(METRES, BOXES).reshape(-1, 2).T), axis=1)
    assert result == pytest.approx(corners_in_degrees(METRES, BOXES).reshape(-1, 2), abs=1e-9)
