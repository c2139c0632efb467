"""A released grid in the formats of others: boxes as GeoParquet and GeoJSON, the grid as .npz, counts of H3 cells as Parquet.

GeoParquet 1.1: each box is a polygon in WKB, and the metadata `geo` says in which coordinates. GeoJSON (RFC 7946) is in degrees, longitude
first. A box across the antimeridian is cut there into two polygons, as RFC 7946, Section 3.1.9, asks. All of it is made of released
numbers.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
import shapely

from starling.engine.new_folder import new_folder
from starling.errors import ParameterError
from starling.places.answers.coordinates import (
    CRS84,
    box_in_degrees,
    corners,
    corners_in_degrees,
    cut_at_antimeridian,
    degrees_in_cells,
    reference_system,
)
from starling.places.answers.forms import stated
from starling.places.answers.hexagons import hexagon_rings, touching
from starling.places.answers.means import Means
from starling.places.answers.rectangles import CumulativeGrid
from starling.places.answers.regions import ROUNDING, sum_rings
from starling.places.answers.whole_numbers import whole_boxes, whole_cells, whole_numbers
from starling.places.arrays import Float64, Int32, Int64
from starling.places.artifact import geo_files
from starling.places.plan.grid import EAST, TURN, Grid

Columns: TypeAlias = Mapping[str, npt.NDArray[np.float64] | npt.NDArray[np.int64]]

_RECTANGLE: Final = np.dtype(
    [("order", "u1"), ("kind", "<u4"), ("rings", "<u4"), ("corners", "<u4"), ("corner", "<f8", (5, 2))]
)
"""A polygon of one ring of five corners in WKB, little-endian."""


def write_all(
    out: Path,
    grid: Grid,
    released: CumulativeGrid | None,
    boxes: Int32,
    counts: Float64,
    resolution: int | None = None,
    *,
    rounded: bool = False,
) -> tuple[Path, ...]:
    """Write a release in all formats into the new folder `out`; no GeoJSON of plain units, and boxes alone of a sparse grid.

    `released` is None of a sparse grid; boxes are int32 (boxes, 4) with float64 (boxes,) points, and a resolution of H3 adds a table of
    its cells. If `rounded`, points are whole numbers (whole_numbers.py).

    Raises:
        ParameterError: as `hexagon_table`, and a resolution for a sparse grid.
        OutputError: `out` exists or cannot be written.
    """
    if released is None and resolution is not None:
        raise ParameterError("h3", "needs a table of cells, which a sparse grid has not", "leave it out")
    cells: Float64 | Int64 | None = None if released is None else released.grid
    columns: Columns = {"count": counts}
    if rounded:
        cells, columns = rounded_points(None if released is None else released.grid, boxes, counts)
    names = ["boxes.parquet"]
    with new_folder(out) as folder:
        write_geoparquet(folder / names[0], grid, boxes, columns)
        if cells is not None:
            names.append("grid.npz")
            write_npz(folder / names[-1], grid, cells)
        if grid.crs != "plain":
            names.append("boxes.geojson")
            write_geojson(folder / names[-1], grid, boxes, columns)
        if released is not None and resolution is not None:
            names.append(f"h3-{resolution}.parquet")
            pq.write_table(
                hexagon_table(grid, released, resolution, rounded=rounded), folder / names[-1], compression="zstd"
            )
    return tuple(out / name for name in names)


def write_means(out: Path, grid: Grid, boxes: Int32, means: Means) -> tuple[Path, ...]:
    """Write points, sums and means of a value in boxes, int32 (boxes, 4), into the new folder `out`, as GeoParquet, and as GeoJSON but of
    plain units: `points`, `sum` and `mean`, each with the ends of its sure interval; a mean of no points is missing.

    Raises:
        OutputError: `out` exists or cannot be written.
    """
    named = {
        f"{one}{end}": getattr(means, f"{many}{attribute}")
        for one, many in (("points", "points"), ("sum", "sums"), ("mean", "means"))
        for end, attribute in (("", ""), ("_from", "_lower"), ("_to", "_upper"))
    }
    columns: dict[str, Any] = {name: each for name, each in named.items() if each is not None}
    columns["mean"] = np.array(stated(means.means), dtype=object)
    names = ["boxes.parquet"]
    with new_folder(out) as folder:
        write_geoparquet(folder / names[0], grid, boxes, columns)
        if grid.crs != "plain":
            names.append("boxes.geojson")
            write_geojson(folder / names[-1], grid, boxes, columns)
    return tuple(out / name for name in names)


def rounded_points(cells: Float64 | None, boxes: Int32, counts: Float64) -> tuple[Int64 | None, Columns]:
    """Points of cells, and the columns of boxes, as whole numbers; None of a sparse grid."""
    if cells is None:
        return None, {"count": whole_boxes(boxes, counts)}
    whole, sums = whole_cells(cells, boxes)
    return whole, {"count": sums}


def write_geoparquet(path: Path, grid: Grid, boxes: Int32, columns: Columns) -> None:
    """Write boxes, int32 (boxes, 4), at least one, as polygons with a column `geometry`, behind the others, in units of the grid's box."""
    places, kinds = corners(grid, boxes), ["Polygon"]
    if grid.crosses:
        places, of = cut_at_antimeridian(places, float(TURN[grid.crs]) / 2)
        geometry, kinds = _cut_polygons(places, of), ["Polygon", "MultiPolygon"]
    else:
        geometry = _polygons(places)
    about: dict[str, Any] = {
        "geometry_types": kinds,
        "orientation": "counterclockwise",
        "edges": "planar",
        "bbox": [*places.min(axis=(0, 1)).tolist(), *places.max(axis=(0, 1)).tolist()],
    }
    if (crs := reference_system(grid)) != CRS84:
        about["crs"] = crs
    arrays = {name: pa.array(each, pa.float64() if each.dtype == object else None) for name, each in columns.items()}
    geo_files.write_geoparquet(path, pa.table({**arrays, "geometry": geometry}), about)


def _polygons(places: Float64) -> pa.Array:
    """Rectangles, float64 (boxes, 5, 2), as WKB."""
    records = np.zeros(len(places), dtype=_RECTANGLE)
    records["order"], records["kind"], records["rings"], records["corners"] = 1, 3, 1, 5
    records["corner"] = places
    ends = np.arange(len(places) + 1, dtype=np.int32) * _RECTANGLE.itemsize
    buffers = [None, pa.py_buffer(ends.tobytes()), pa.py_buffer(records.tobytes())]
    return pa.BinaryArray.from_buffers(pa.binary(), len(places), buffers)


def _cut_polygons(places: Float64, of: Int64) -> pa.Array:
    """Rectangles, float64 (pieces, 5, 2), of which those of one box make one geometry, as WKB."""
    pieces, (first, many) = shapely.polygons(places), np.unique(of, return_index=True, return_counts=True)[1:]
    cut = np.repeat(many > 1, many)
    geometries = pieces[first]
    geometries[many > 1] = shapely.multipolygons(pieces[cut], indices=np.repeat(np.arange((many > 1).sum()), 2))
    return pa.array(shapely.to_wkb(geometries), pa.binary())


def write_geojson(path: Path, grid: Grid, boxes: Int32, columns: Columns) -> None:
    """Write boxes as a feature collection in degrees, a feature a line; rows and columns of cells are properties too. Raises ParameterError
    where the grid is in plain units.
    """
    rings, of = corners_in_degrees(grid, boxes), np.arange(len(boxes))
    if grid.crosses:
        rings, of = cut_at_antimeridian(rings, float(EAST))
    pieces = np.split(rings, np.searchsorted(of, np.arange(1, len(boxes)))) if len(boxes) else []
    names = ["first_row", "end_row", "first_column", "end_column", *columns]
    rows = zip(*(each.tolist() for each in (*boxes.T, *columns.values())), strict=True)
    properties = (dict(zip(names, values, strict=True)) for values in rows)
    geo_files.write_features(path, zip(map(_geometry, pieces), properties, strict=True))


def _geometry(rings: Float64) -> dict[str, Any]:
    """Rectangles of one box, float64 (1 or 2, 5, 2), as a geometry of GeoJSON."""
    if len(rings) == 1:
        return {"type": "Polygon", "coordinates": rings.tolist()}
    return {"type": "MultiPolygon", "coordinates": [[ring] for ring in rings.tolist()]}


def write_npz(path: Path, grid: Grid, counts: Float64 | Int64) -> None:
    """Write counts, (rows, columns), with the ends of rows and columns in units of the box: `counts`, `x`, `y`; row 0 is the
    southern one. Across the antimeridian x goes on beyond it.
    """
    x0, y0, x1, y1 = map(float, grid.ends)
    x, y = np.linspace(x0, x1, grid.columns + 1), np.linspace(y0, y1, grid.rows + 1)
    with path.open("xb") as file:
        np.savez_compressed(file, counts=counts, x=x, y=y)


def hexagon_table(grid: Grid, released: CumulativeGrid, resolution: int, *, rounded: bool = False) -> pa.Table:
    """Released points of all H3 cells that touch the box: `h3`, `count`, whole if `rounded`, and `share`, the part of the H3 cell within
    the box. Raises ParameterError where the grid is in plain units, another resolution, too many cells, or h3 is not installed.
    """
    cells = touching(box_in_degrees(grid), resolution)
    rings = hexagon_rings(cells, degrees_in_cells(grid), grid.across)
    points, within, whole = np.zeros((3, len(rings.cells)))
    sum_rings(rings.corners, rings.ends, released.grid, points, within, whole)
    # A cell on the antimeridian has its ring twice.
    counts, areas, wholes, times = (
        np.bincount(rings.cells, each, minlength=len(cells)) for each in (points, within, whole, np.ones_like(points))
    )
    shares = np.minimum(areas / (wholes / times), 1.0)
    # Rounding of a share that is none, as `cell_shares` takes it.
    inside = areas > ROUNDING
    count = np.asarray(counts[inside], dtype=np.float64)
    points = pa.array(whole_numbers(count) if rounded else count)
    return pa.table({"h3": pa.array(cells).filter(pa.array(inside)), "count": points, "share": shares[inside]})
