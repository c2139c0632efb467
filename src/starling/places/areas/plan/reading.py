"""The public file of areas: GeoJSON, gzip or not, or GeoParquet, in degrees of longitude and latitude on WGS 84, or in the units of a
reference system that plan and file name.
"""

import gzip
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NoReturn, TypeAlias

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

_PLAIN: Final = 10**9
"""Beyond all metres and feet."""
_LEAST_PLAIN: Final = 1e-4
"""Square units: a square of a hundredth of a metre or foot."""
_LABELS: Final = (
    *(pa.types.is_dictionary, pa.types.is_string, pa.types.is_large_string, pa.types.is_integer, pa.types.is_floating),
)
"""Types of columns of which properties are read."""
Read: TypeAlias = tuple[list[Mapping[str, Any]], Geometries, str | None]
"""Properties and geometries of features, and the reference system of the file; None where it cannot be told."""


def read_areas(path: Path, properties: tuple[str, str, tuple[str, ...]], crs_name: str = "") -> Areas:
    """The areas of a file by the names of their properties: of ids, of names ("" for none), of levels.

    Args:
        path: The file.
        properties: The names.
        crs_name: The reference system that the file has to name; empty of degrees.

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
    read = _of_parquet if data.startswith(_PARQUET) else _of_geojson
    rows, geometries, reference = read(data)
    _check_reference(reference, crs_name)
    return areas_of(properties, rows, _checked(geometries, plain=bool(crs_name)), crs_name)


def _refuse(problem: str, fix: str) -> NoReturn:
    raise PlanError("areas.file", problem, fix)


def _check_reference(reference: str | None, crs_name: str) -> None:
    """Refuse another reference system than that of the plan; None is one that nobody can tell."""
    if not crs_name and reference not in DEGREES:
        _refuse(
            "is not in degrees of longitude and latitude", f"transform it to {DEGREES[0]}, or name it by areas.crs_name"
        )
    if crs_name and reference != identifier(crs_name):
        named = "no reference system that is known" if reference is None else reference
        _refuse(f"is in {named}, and not in {crs_name}", "transform it, or name its reference system in the file")


def _of_geojson(data: bytes) -> Read:
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        _refuse("is neither GeoJSON nor GeoParquet", "give a feature collection of polygons")
    features = document.get("features") if isinstance(document, dict) else None
    if not isinstance(features, list) or not all(isinstance(each, dict) for each in features):
        _refuse("is no feature collection of GeoJSON", "give a feature collection of polygons")
    named = document.get("crs")
    reference = DEGREES[0] if named is None else _reference(named)
    rows = [each.get("properties") if isinstance(each.get("properties"), dict) else {} for each in features]
    geometries = np.empty(len(features), dtype=np.object_)
    for at, each in enumerate(features):
        geometries[at] = _polygon(each.get("geometry"), at + 1)
    return rows, geometries, reference


def _reference(named: Any) -> str | None:
    """The reference system that a GeoJSON names; None where it cannot be told."""
    properties = named.get("properties") if isinstance(named, dict) else None
    name = properties.get("name") if isinstance(properties, dict) else None
    return identifier(name) if isinstance(name, str) else None


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


def _of_parquet(data: bytes) -> Read:
    try:
        table = pq.read_table(pa.BufferReader(data))
        geo = json.loads((table.schema.metadata or {})[b"geo"])
        name = geo["primary_column"]
        stated = geo["columns"][name]
        encoding, named = stated["encoding"], stated.get("crs", DEGREES[0])
        reference = None if named is None else identifier(named)
        if encoding != "WKB":
            _refuse("has a geometry that is no WKB", "write polygons as WKB")
        geometries = shapely.force_2d(shapely.from_wkb(table[name].to_numpy(zero_copy_only=False)))
        labels = [
            each.name for each in table.schema if each.name != name and any(is_it(each.type) for is_it in _LABELS)
        ]
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        _refuse("cannot be read as GeoParquet", "write it again as GeoParquet 1.0 or 1.1")
    except shapely.errors.ShapelyError:
        _refuse("has a geometry that is no WKB", "write polygons as WKB")
    return table.select(labels).to_pylist(), np.asarray(geometries, dtype=np.object_), reference


def _checked(geometries: Geometries, *, plain: bool) -> Geometries:
    """Polygons and multipolygons that have an area, in degrees, or in plain units."""
    types = shapely.get_type_id(geometries)
    polygon, several = shapely.GeometryType.POLYGON, shapely.GeometryType.MULTIPOLYGON
    wrong = np.flatnonzero(((types != polygon) & (types != several)) | shapely.is_empty(geometries))
    if len(wrong):
        _refuse(f"has no polygon in feature {wrong[0] + 1:,}", "give polygons and multipolygons alone")
    corners, of = shapely.get_coordinates(geometries, return_index=True)
    beyond = np.flatnonzero(~(np.abs(corners) <= (_PLAIN if plain else _WORLD)).all(axis=1))
    if len(beyond) and plain:
        _refuse(f"has a corner beyond {_PLAIN:,} in feature {of[beyond[0]] + 1:,}", "give the units of areas.crs_name")
    if len(beyond):
        problem = f"has a corner that is no longitude and latitude in feature {of[beyond[0]] + 1:,}"
        _refuse(problem, "give degrees, the longitude first")
    parts, part_of = shapely.get_parts(geometries, return_index=True)
    flat = part_of[shapely.area(shapely.make_valid(parts)) < (_LEAST_PLAIN if plain else _LEAST)]
    if len(flat):
        _refuse(f"has a polygon without an area in feature {flat[0] + 1:,}", "leave that polygon out")
    return geometries
