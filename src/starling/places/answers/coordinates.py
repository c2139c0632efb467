"""From cells of a public grid to degrees and the units of its box, and back; and how reference systems are named for others.

Cells of equal area are those of Lambert's cylindrical projection of the sphere with the earth's surface (plan/grid.py): x is R times the
longitude in radians, y is R times the sine of the latitude. Plain units have no degrees here.

On a grid across the antimeridian cells go on beyond it, and what is asked for is taken a turn further where it lies there: an end of a
rectangle where it is nearer to the grid's west than to the east of what the box leaves out, a ring as a whole, in each way in which it
meets the grid.
"""

from collections.abc import Mapping
from math import cos, radians
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from starling.errors import ParameterError
from starling.places.answers.hexagons import Projection
from starling.places.answers.regions import Region, meeting
from starling.places.arrays import Float64, Int32, Int64
from starling.places.plan.grid import RADIUS, TURN, Grid
from starling.places.plan.reference_systems import definition

Units: TypeAlias = Literal["cells", "box", "degrees"]
"""Cells of the grid from its south-western corner; the units of the plan's box; longitude and latitude."""
CRS84: Final = "OGC:CRS84"
"""Longitude and latitude in degrees, the default of GeoParquet and the only system of GeoJSON."""


def in_cells(grid: Grid, units: Units) -> Projection:
    """From points in some units to cell units of the grid; raises ParameterError for degrees where the grid is in plain units."""
    if units == "cells":
        return lambda points: points
    return degrees_in_cells(grid) if units == "degrees" else _box_in_cells(grid)


def _box_in_cells(grid: Grid) -> Projection:
    return lambda points: grid.in_cells(np.concatenate([points, points], axis=1))[:, :2]


def degrees_in_cells(grid: Grid) -> Projection:
    """From longitude and latitude in degrees to cell units of the grid. Raises ParameterError where the grid is in plain units."""
    _has_degrees(grid)
    inner = _box_in_cells(grid)
    if grid.crs == "degrees":
        return inner

    def project(points: Float64) -> Float64:
        turned = np.radians(points)
        return inner(float(RADIUS) * np.stack([turned[:, 0], np.sin(turned[:, 1])], axis=1))

    return project


def rectangles_in_cells(grid: Grid, units: Units, rectangles: Float64) -> Float64:
    """Rectangles, float64 (m, 4), in cell units of the grid; where it lies across the antimeridian, x0 may be beyond x1 there. Raises
    ParameterError as `in_cells`, and for one that meets such a grid from both sides.
    """
    turned = rectangles
    if grid.crosses and units != "cells":
        turn, (x0, _, x1, _) = _turn(grid, units), grid.box
        middle = float((x0 + x1) / 2) * (turn / float(TURN[grid.crs]))
        turned = rectangles.copy()
        turned[:, [0, 2]] += np.where(rectangles[:, [0, 2]] < middle, turn, 0.0)
        around = (rectangles[:, 0] < rectangles[:, 2]) & (turned[:, 0] >= turned[:, 2])
        if around.any():
            fix = "ask for its part in each side of the box"
            raise ParameterError(f"rectangle {int(around.argmax()) + 1}", "meets the box from both sides", fix)
    return np.asarray(in_cells(grid, units)(turned.reshape(-1, 2)).reshape(-1, 4))


def region_in_cells(grid: Grid, units: Units, region: Region) -> Region:
    """A region in cell units of the grid: across the antimeridian as often as a turn of it meets the grid; raises as `in_cells`."""
    project = in_cells(grid, units)
    if not grid.crosses or units == "cells":
        return [[project(ring) for ring in polygon] for polygon in region]
    turn = _turn(grid, units)
    return [
        [project(ring) for ring in each] for polygon in region for each in meeting(polygon, project, turn, grid.columns)
    ]


def _turn(grid: Grid, units: Units) -> float:
    return 360.0 if units == "degrees" else float(TURN[grid.crs])


def ends_in_box(grid: Grid, boxes: Int32) -> Float64:
    """float64 (boxes, 4): x0, y0, x1, y1 of boxes of cells in units of the grid's box; across the antimeridian x0 is beyond x1."""
    ends = corners(grid, boxes)[:, [0, 2]].reshape(-1, 4)
    if grid.crosses:
        half = float(TURN[grid.crs]) / 2
        ends[:, 0] -= np.where(ends[:, 0] >= half, 2 * half, 0.0)
        ends[:, 2] -= np.where(ends[:, 2] > half, 2 * half, 0.0)
    return np.asarray(ends)


def cut_at_antimeridian(rings: Float64, half: float) -> tuple[Float64, Int64]:
    """Rectangles as `corners` has them, cut where x is `half`, what lies beyond a turn back: rings, and the box of each."""
    at = np.arange(len(rings))
    east, west = rings.copy(), rings - (2 * half, 0.0)
    east[..., 0] = np.minimum(east[..., 0], half)
    west[..., 0] = np.maximum(west[..., 0], -half)
    some = [(each, np.ptp(each[..., 0], axis=1) > 0) for each in (east, west)]
    every, of = np.concatenate([each[wide] for each, wide in some]), np.concatenate([at[wide] for _, wide in some])
    order = np.argsort(of, kind="stable")
    return every[order], of[order]


def corners(grid: Grid, boxes: Int32) -> Float64:
    """float64 (boxes, 5, 2): the corners of boxes of cells in units of the grid's box, counter-clockwise, the first again at the end;
    across the antimeridian they go on beyond it.
    """
    south, north, west, east = boxes.astype(np.float64).T
    x0, y0, x1, y1 = map(float, grid.ends)
    x = x0 + (x1 - x0) / grid.columns * np.stack([west, east, east, west, west], axis=1)
    y = y0 + (y1 - y0) / grid.rows * np.stack([south, south, north, north, south], axis=1)
    return np.stack([x, y], axis=2)


def corners_in_degrees(grid: Grid, boxes: Int32) -> Float64:
    """float64 (boxes, 5, 2): the corners of boxes of cells, longitude and latitude in degrees. Raises ParameterError where the grid is in
    plain units.
    """
    _has_degrees(grid)
    result = corners(grid, boxes)
    if grid.crs == "degrees":
        return result
    part = result / float(RADIUS)
    turned: Float64 = np.stack([part[..., 0], np.arcsin(np.clip(part[..., 1], -1, 1))], axis=2)
    return np.asarray(np.degrees(turned))


def box_in_degrees(grid: Grid) -> tuple[float, float, float, float]:
    """West, south, east and north end of the grid, in degrees, the east beyond 180 where it lies across the antimeridian; raises
    ParameterError where it is in plain units.
    """
    whole = np.array([[0, grid.rows, 0, grid.columns]], dtype=np.int32)
    (west, south), (east, north) = corners_in_degrees(grid, whole)[0, [0, 2]].tolist()
    return west, south, east, north


def aspect(grid: Grid) -> float:
    """How wide a cell is drawn for its height: degrees as they lie at the middle of the box, but never narrower than a quarter."""
    x0, y0, x1, y1 = map(float, grid.ends)
    ratio = (x1 - x0) / grid.columns / ((y1 - y0) / grid.rows)
    return ratio * max(cos(radians((y0 + y1) / 2)), 0.25) if grid.crs == "degrees" else ratio


def reference_system(grid: Grid) -> str | Mapping[str, Any] | None:
    """What GeoParquet states of the coordinates: OGC:CRS84, the PROJJSON of the equal-area projection, or what defines plain units."""
    if grid.crs == "degrees":
        return CRS84
    return _EQUAL_AREA if grid.crs == "equal-area" else definition(grid.crs_name)


def _has_degrees(grid: Grid) -> None:
    if grid.crs == "plain":
        problem, fix = f"has plain units ({grid.crs_name}), which have no degrees here", "give units of the box"
        raise ParameterError("grid", problem, fix)


def _axis(name: str, short: str, direction: str, unit: str) -> dict[str, str]:
    return {"name": name, "abbreviation": short, "direction": direction, "unit": unit}


_EQUAL_AREA: Final[Mapping[str, Any]] = {
    "$schema": "https://proj.org/schemas/v0.7/projjson.schema.json",
    "type": "ProjectedCRS",
    "name": "Cylindrical equal area of a sphere with the earth's surface",
    "base_crs": {
        "type": "GeographicCRS",
        "name": "Sphere with the earth's surface",
        "datum": {
            "type": "GeodeticReferenceFrame",
            "name": "Sphere with the earth's surface",
            "ellipsoid": {"name": "Sphere", "radius": float(RADIUS)},
        },
        "coordinate_system": {
            "subtype": "ellipsoidal",
            "axis": [_axis("Longitude", "lon", "east", "degree"), _axis("Latitude", "lat", "north", "degree")],
        },
    },
    "conversion": {
        "name": "Lambert cylindrical equal area",
        "method": {"name": "Lambert Cylindrical Equal Area (Spherical)", "id": {"authority": "EPSG", "code": 9834}},
        "parameters": [
            {"name": name, "value": 0, "unit": unit, "id": {"authority": "EPSG", "code": code}}
            for name, unit, code in (
                ("Latitude of 1st standard parallel", "degree", 8823),
                ("Longitude of natural origin", "degree", 8802),
                ("False easting", "metre", 8806),
                ("False northing", "metre", 8807),
            )
        ],
    },
    "coordinate_system": {
        "subtype": "Cartesian",
        "axis": [_axis("Easting", "E", "east", "metre"), _axis("Northing", "N", "north", "metre")],
    },
}
