"""Released areas in the formats of others: GeoParquet 1.1 and GeoJSON with the polygons, and CSV, all of the areas of one slice."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import shapely

from starling.engine.new_folder import new_folder
from starling.places.areas.plan.polygons import Areas, coordinates_of
from starling.places.artifact.geo_files import write_features, write_geoparquet
from starling.places.plan.reference_systems import definition

LABELS: Final = ("slice", "level", "node", "id", "name", "within")
"""Columns of the release in place of which the properties of the areas stand."""


def write_all(out: Path, areas: Areas, rows: pa.Table) -> tuple[Path, ...]:
    """Write areas with their numbers into the new folder `out`; `rows` are those of the areas in their order. Plain units have no GeoJSON.

    Raises:
        OutputError: `out` exists or cannot be written.
    """
    names = ["areas.parquet", "areas.csv", *([] if areas.crs_name else ["areas.geojson"])]
    labels = [areas.labels(at) for at in range(len(areas))]
    properties = pa.Table.from_pylist(labels)
    table = properties
    for name in rows.schema.names:
        if name in LABELS:
            continue
        table = table.append_column(_free(name, properties.schema.names), rows[name])
    with new_folder(out) as folder:
        _write_geoparquet(folder / names[0], areas, table)
        pacsv.write_csv(table, folder / names[1])
        if not areas.crs_name:
            geometries = map(coordinates_of, areas.geometries)
            write_features(folder / names[2], zip(geometries, table.to_pylist(), strict=True))
    return tuple(out / name for name in names)


def _free(name: str, taken: Sequence[str]) -> str:
    """The name of a column that no property of the areas has."""
    return name if name not in taken else _free(f"released_{name}", taken)


def _write_geoparquet(path: Path, areas: Areas, table: pa.Table) -> None:
    about: dict[str, Any] = {
        "geometry_types": sorted(set(np.vectorize(lambda each: each.geom_type)(areas.geometries).tolist())),
        "edges": "planar",
        "bbox": shapely.total_bounds(areas.geometries).tolist(),
        **({"crs": definition(areas.crs_name)} if areas.crs_name else {}),
    }
    geometry = pa.array(shapely.to_wkb(areas.geometries, byte_order=1), pa.binary())
    write_geoparquet(path, table.append_column(_free("geometry", table.schema.names), geometry), about)
