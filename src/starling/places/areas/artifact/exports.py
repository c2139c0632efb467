"""Released areas in the formats of others: GeoParquet 1.1 and GeoJSON with the polygons, and CSV, all of the areas of one slice."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import shapely

from starling.engine.new_folder import new_folder
from starling.places.areas.plan.polygons import Areas, coordinates_of
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
            _write_geojson(folder / names[2], areas, table)
    return tuple(out / name for name in names)


def _free(name: str, taken: Sequence[str]) -> str:
    """The name of a column that no property of the areas has."""
    return name if name not in taken else _free(f"released_{name}", taken)


def _write_geoparquet(path: Path, areas: Areas, table: pa.Table) -> None:
    about: dict[str, Any] = {
        "encoding": "WKB",
        "geometry_types": sorted(set(np.vectorize(lambda each: each.geom_type)(areas.geometries).tolist())),
        "edges": "planar",
        "bbox": shapely.total_bounds(areas.geometries).tolist(),
        **({"crs": definition(areas.crs_name)} if areas.crs_name else {}),
    }
    geo = {"version": "1.1.0", "primary_column": "geometry", "columns": {"geometry": about}}
    geometry = pa.array(shapely.to_wkb(areas.geometries, byte_order=1), pa.binary())
    whole = table.append_column(_free("geometry", table.schema.names), geometry)
    pq.write_table(whole.replace_schema_metadata({"geo": json.dumps(geo)}), path, compression="zstd")


def _write_geojson(path: Path, areas: Areas, table: pa.Table) -> None:
    with path.open("x", encoding="utf-8") as file:
        file.write('{"type": "FeatureCollection", "features": [')
        for at, values in enumerate(table.to_pylist()):
            geometry = coordinates_of(areas.geometries[at])
            feature = {"type": "Feature", "geometry": geometry, "properties": values}
            file.write(("," if at else "") + "\n" + json.dumps(feature, ensure_ascii=False))
        file.write("\n]}\n")
