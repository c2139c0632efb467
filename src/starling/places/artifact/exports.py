"""A released grid in the formats of others: boxes as GeoParquet and GeoJSON, the grid as .npz, counts of H3 cells as Parquet.

GeoParquet 1.1: each box is a polygon in WKB, and the metadata `geo` says in which coordinates. GeoJSON (RFC 7946) is in degrees, longitude
first. All of it is made of released numbers.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from starling.places.answers.hexagons import Projection, hexagon_regions, touching
from starling.places.answers.rectangles import CumulativeGrid, Float64
from starling.places.answers.regions import cell_shares
from starling.places.measurements import Int32

Columns: TypeAlias = Mapping[str, npt.NDArray[np.float64] | npt.NDArray[np.int64]]

CRS84: Final = "OGC:CRS84"
"""Longitude and latitude in degrees, the default of GeoParquet, which then has no key for it."""
_RECTANGLE: Final = np.dtype(
    [("order", "u1"), ("kind", "<u4"), ("rings", "<u4"), ("corners", "<u4"), ("corner", "<f8", (5, 2))]
)
"""A polygon of one ring of five corners in WKB, little-endian."""


@dataclass(frozen=True, slots=True)
class Coordinates:
    """Where the cells of a grid lie.

    Attributes:
        west: Where the first column begins.
        south: Where the first row begins.
        width: Of a cell.
        height: Of a cell.
        crs: What GeoParquet states: "OGC:CRS84", the PROJJSON of another reference system, or None for plain units.
    """

    west: float
    south: float
    width: float
    height: float
    crs: str | Mapping[str, Any] | None

    def corners(self, boxes: Int32) -> Float64:
        """float64 (boxes, 5, 2): the corners of boxes of cells, counter-clockwise, the first one again at the end."""
        south, north, west, east = boxes.astype(np.float64).T
        x = self.west + self.width * np.stack([west, east, east, west, west], axis=1)
        y = self.south + self.height * np.stack([south, south, north, north, south], axis=1)
        return np.stack([x, y], axis=2)


def write_geoparquet(path: Path, boxes: Int32, columns: Columns, place: Coordinates) -> None:
    """Write boxes as polygons with a column `geometry`, behind the others.

    Args:
        path: A new file.
        boxes: int32 (boxes, 4).
        columns: Numbers of each box.
        place: Where the cells lie.
    """
    records = np.zeros(len(boxes), dtype=_RECTANGLE)
    records["order"], records["kind"], records["rings"], records["corners"] = 1, 3, 1, 5
    records["corner"] = corners = place.corners(boxes)
    ends = np.arange(len(boxes) + 1, dtype=np.int32) * _RECTANGLE.itemsize
    geometry = pa.BinaryArray.from_buffers(
        pa.binary(), len(boxes), [None, pa.py_buffer(ends.tobytes()), pa.py_buffer(records.tobytes())]
    )
    about: dict[str, Any] = {
        "encoding": "WKB",
        "geometry_types": ["Polygon"],
        "orientation": "counterclockwise",
        "edges": "planar",
        "bbox": [*corners.min(axis=(0, 1)).tolist(), *corners.max(axis=(0, 1)).tolist()],
    }
    if place.crs != CRS84:
        about["crs"] = place.crs
    geo = {"version": "1.1.0", "primary_column": "geometry", "columns": {"geometry": about}}
    table = pa.table({**{name: pa.array(each) for name, each in columns.items()}, "geometry": geometry})
    pq.write_table(table.replace_schema_metadata({"geo": json.dumps(geo)}), path, compression="zstd")


def write_geojson(path: Path, boxes: Int32, columns: Columns, corners: Float64) -> None:
    """Write boxes as a feature collection, a feature a line.

    Args:
        path: A new file.
        boxes: int32 (boxes, 4): rows and columns of cells, which become properties too.
        columns: Numbers of each box.
        corners: float64 (boxes, 5, 2): longitude and latitude in degrees.
    """
    names = ["first_row", "end_row", "first_column", "end_column", *columns]
    rows = zip(*(each.tolist() for each in (*boxes.T, *columns.values())), strict=True)
    with path.open("x", encoding="utf-8") as file:
        file.write('{"type": "FeatureCollection", "features": [')
        for number, (values, ring) in enumerate(zip(rows, corners.tolist(), strict=True)):
            feature = {
                "type": "Feature",
                "geometry": {"type": "Polygon", "coordinates": [ring]},
                "properties": dict(zip(names, values, strict=True)),
            }
            file.write(("," if number else "") + "\n" + json.dumps(feature))
        file.write("\n]}\n")


def write_npz(path: Path, grid: Float64, place: Coordinates) -> None:
    """Write the grid with the ends of its rows and columns: arrays `counts`, `x` and `y`; row 0 is the southern one.

    Args:
        path: A new file.
        grid: float64 (rows, columns).
        place: Where the cells lie.
    """
    rows, columns = grid.shape
    x = place.west + place.width * np.arange(columns + 1)
    y = place.south + place.height * np.arange(rows + 1)
    with path.open("xb") as file:
        np.savez_compressed(file, counts=grid, x=x, y=y)


def hexagon_table(
    grid: CumulativeGrid,
    box: tuple[float, float, float, float],
    resolution: int,
    project: Projection,
) -> pa.Table:
    """Released points of all H3 cells that touch the box: `h3`, `count`, and `share`, the part of the H3 cell within the box.

    Args:
        grid: The released grid.
        box: West, south, east and north end of the grid, in degrees.
        resolution: Of H3, 0 to 15.
        project: From degrees to cell units of the grid.

    Raises:
        ParameterError: another resolution, too many cells, or h3 is not installed.
    """
    cells = touching(box, resolution)
    counts, shares = np.empty(len(cells)), np.empty(len(cells))
    for number, region in enumerate(hexagon_regions(cells, project)):
        found = cell_shares(region, grid.shape)
        rows, columns = found.share.shape
        under = grid.grid[found.row : found.row + rows, found.column : found.column + columns]
        counts[number] = float((under * found.share).sum())
        # A cell on the antimeridian has its polygon twice.
        shares[number] = min(float(found.share.sum()) * len(region) / sum(_area(ring) for (ring,) in region), 1.0)
    kept = shares > 0
    return pa.table({"h3": pa.array(cells).filter(pa.array(kept)), "count": counts[kept], "share": shares[kept]})


def _area(ring: Float64) -> float:
    x, y = (ring - ring[0]).T
    return abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2
