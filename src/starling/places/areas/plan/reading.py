"""The public file of areas: GeoJSON, gzip or not, or GeoParquet, in degrees of longitude and latitude on WGS 84."""

import gzip
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import shapely

from starling.errors import PlanError
from starling.places.areas.plan.polygons import Areas, Geometries, areas_of
from starling.places.plan.reference_systems import DEGREES, identifier
from starling.planfile.foreign import content

LARGEST: Final = 1 << 28
"""Bytes of a file, and of what is packed in it."""
_PACKED: Final = b"\x1f\x8b"
_PARQUET: Final = b"PAR1"
_CORNERS: Final = 4
"""Of a ring, at least: the last is the first again."""
_WORLD: Final = np.array([180.0, 90.0])
_LEAST: Final = 1e-12
"""Square degrees of a polygon: a square of some 10 cm. What is smaller has no inside that doubles can tell from its border."""


def read_areas(path: Path, properties: tuple[str, str, tuple[str, ...]]) -> Areas:
    """The areas of a file by the names of their properties: of ids, of names ("" for none), of levels.

    Raises:
        PlanError: the file cannot be read, or has what is no area.
    """
    try:
        data = content(path, LARGEST)
        if data.startswith(_PACKED):
            with gzip.open(io.BytesIO(data)) as file:
                data = file.read(LARGEST + 1)
            if len(data) > LARGEST:
                _refuse(f"unpacks to more than {LARGEST >> 20} MiB", "give a smaller file: simplify the polygons")
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or "not gzip"
        _refuse(f"cannot be read ({reason})", "give its path from the plan file")
    rows, geometries = _of_parquet(data) if data.startswith(_PARQUET) else _of_geojson(data)
    return areas_of(properties, rows, _checked(geometries))


def _refuse(problem: str, fix: str) -> NoReturn:
    raise PlanError("areas.file", problem, fix)


def _of_geojson(data: bytes) -> tuple[list[Mapping[str, Any]], Geometries]:
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        _refuse("is neither GeoJSON nor GeoParquet", "give a feature collection of polygons")
    features = document.get("features") if isinstance(document, dict) else None
    if not isinstance(features, list) or not all(isinstance(each, dict) for each in features):
        _refuse("is no feature collection of GeoJSON", "give a feature collection of polygons")
    named = document.get("crs")
    if named is not None and _reference(named.get("properties", {}).get("name") if isinstance(named, dict) else None):
        _refuse("is not in degrees of longitude and latitude", f"transform it to {DEGREES[0]}")
    rows = [each.get("properties") if isinstance(each.get("properties"), dict) else {} for each in features]
    geometries = np.empty(len(features), dtype=np.object_)
    for at, each in enumerate(features):
        geometries[at] = _polygon(each.get("geometry"), at + 1)
    return rows, geometries


def _reference(named: Any) -> bool:
    """Whether a name is of another reference system than degrees."""
    return not isinstance(named, str) or identifier(named) not in DEGREES


def _polygon(geometry: Any, number: int) -> Any:
    """A geometry of GeoJSON; heights are left out."""
    kind = geometry.get("type") if isinstance(geometry, dict) else None
    if kind not in ("Polygon", "MultiPolygon"):
        _refuse(f"has no polygon in feature {number:,}", "give polygons and multipolygons alone")
    try:
        parts = [geometry["coordinates"]] if kind == "Polygon" else geometry["coordinates"]
        polygons = [shapely.polygons(shell, holes or None) for shell, *holes in map(_rings, parts)]
    except (ValueError, TypeError, KeyError, IndexError, shapely.errors.ShapelyError):
        _refuse(f"has a polygon without closed rings in feature {number:,}", "write it again as RFC 7946 has it")
    return polygons[0] if kind == "Polygon" else shapely.multipolygons(polygons)


def _rings(part: Any) -> list[Any]:
    rings = [np.array([corner[:2] for corner in ring], dtype=np.float64) for ring in part]
    if not rings or any(len(ring) < _CORNERS or (ring[0] != ring[-1]).any() for ring in rings):
        raise ValueError
    return [shapely.linearrings(ring) for ring in rings]


def _of_parquet(data: bytes) -> tuple[list[Mapping[str, Any]], Geometries]:
    try:
        table = pq.read_table(pa.BufferReader(data))
        geo = json.loads((table.schema.metadata or {})[b"geo"])
        name = geo["primary_column"]
        stated = geo["columns"][name]
        encoding, named = stated["encoding"], stated.get("crs", DEGREES[0])
        outside = named is None or identifier(named) not in DEGREES
        if encoding != "WKB":
            _refuse("has a geometry that is no WKB", "write polygons as WKB")
        if outside:
            _refuse("is not in degrees of longitude and latitude", f"transform it to {DEGREES[0]}")
        geometries = shapely.force_2d(shapely.from_wkb(table[name].to_numpy(zero_copy_only=False)))
        others = table.drop_columns([name])
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        _refuse("cannot be read as GeoParquet", "write it again as GeoParquet 1.0 or 1.1")
    except shapely.errors.ShapelyError:
        _refuse("has a geometry that is no WKB", "write polygons as WKB")
    return list(_plain(others)), np.asarray(geometries, dtype=np.object_)


def _plain(table: pa.Table) -> Iterator[Mapping[str, Any]]:
    texts = [each for each in table.schema.names if _is_label(table.schema.field(each).type)]
    yield from table.select(texts).to_pylist()


def _is_label(kind: pa.DataType) -> bool:
    types = pa.types
    labels = (types.is_dictionary, types.is_string, types.is_large_string, types.is_integer, types.is_floating)
    return any(each(kind) for each in labels)


def _checked(geometries: Geometries) -> Geometries:
    """Polygons and multipolygons that have an area, in degrees."""
    types = shapely.get_type_id(geometries)
    polygon, several = shapely.GeometryType.POLYGON, shapely.GeometryType.MULTIPOLYGON
    wrong = np.flatnonzero(((types != polygon) & (types != several)) | shapely.is_empty(geometries))
    if len(wrong):
        _refuse(f"has no polygon in feature {wrong[0] + 1:,}", "give polygons and multipolygons alone")
    corners, of = shapely.get_coordinates(geometries, return_index=True)
    beyond = np.flatnonzero(~(np.abs(corners) <= _WORLD).all(axis=1))
    if len(beyond):
        problem = f"has a corner that is no longitude and latitude in feature {of[beyond[0]] + 1:,}"
        _refuse(problem, "give degrees, the longitude first")
    parts, part_of = shapely.get_parts(geometries, return_index=True)
    flat = part_of[shapely.area(shapely.make_valid(parts)) < _LEAST]
    if len(flat):
        _refuse(f"has a polygon without an area in feature {flat[0] + 1:,}", "leave that polygon out")
    return geometries
