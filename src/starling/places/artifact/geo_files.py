"""Tables with geometries in the formats of others: GeoParquet 1.1, and GeoJSON with a feature a line."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq


def write_geoparquet(path: Path, table: pa.Table, about: Mapping[str, Any]) -> None:
    """Write a table whose column `geometry` has geometries as WKB; `about` is what the metadata `geo` says of it."""
    geo = {"version": "1.1.0", "primary_column": "geometry", "columns": {"geometry": {"encoding": "WKB", **about}}}
    pq.write_table(table.replace_schema_metadata({"geo": json.dumps(geo)}), path, compression="zstd")


def write_features(path: Path, features: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> None:
    """Write geometries with their properties as a feature collection."""
    with path.open("x", encoding="utf-8") as file:
        file.write('{"type": "FeatureCollection", "features": [')
        for number, (geometry, properties) in enumerate(features):
            feature = {"type": "Feature", "geometry": geometry, "properties": properties}
            file.write(("," if number else "") + "\n" + json.dumps(feature, ensure_ascii=False))
        file.write("\n]}\n")
