"""Released flows in the formats of flow maps: the two CSV files that flowmap.gl and Flowmap.blue read, and lines as GeoParquet, in
which trips within an area are a point.

Whole trips are written, of the pairs of areas that surely have some, all together with a probability of 95 %: others would be ghosts of
the noise, of which there are many among so many pairs.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import shapely

from starling.engine.new_folder import new_folder
from starling.places.arrays import Float64, Int64
from starling.places.artifact.geo_files import write_geoparquet
from starling.places.flows.answers.released import ReleasedFlows
from starling.places.flows.pictures import middles

LOCATIONS: Final = "locations.csv"
FLOWS: Final = "flows.csv"
LINES: Final = "flows.parquet"


@dataclass(frozen=True, slots=True)
class Locations:
    """Where flows begin and end.

    Attributes:
        ids: Of each, once.
        names: Of each, for people.
        places: float64 (locations, 2): longitude and latitude.
    """

    ids: Sequence[str]
    names: Sequence[str]
    places: Float64


def write_all(out: Path, released: ReleasedFlows) -> tuple[Path, ...]:
    """Write released flows in all formats into the new folder `out`; raises OutputError where it exists or cannot be written."""
    areas = released.plan.areas
    pairs, trips = released.certain
    margins = released.margins(released.each, released.each)[pairs[:, 0], pairs[:, 1]]
    columns = {released.plan.counted: trips, "margin": margins}
    return write_files(out, Locations(areas.ids, areas.names, middles(areas)), pairs, columns)


def write_files(out: Path, of: Locations, pairs: Int64, columns: Mapping[str, Any]) -> tuple[Path, ...]:
    """Write flows between locations, int64 (flows, 2), with their trips, which are made whole, as the first of the columns; raises as
    `write_all`.
    """
    counted, trips = next(iter(columns.items()))
    whole = np.maximum(np.floor(trips + 0.5), 1).astype(np.int64)
    with new_folder(out) as folder:
        places = zip(of.ids, of.names, of.places.tolist(), strict=True)
        flows = zip(pairs.tolist(), whole.tolist(), strict=True)
        rows: dict[str, list[tuple[Any, ...]]] = {
            LOCATIONS: [("id", "name", "lat", "lon"), *((each, name, y, x) for each, name, (x, y) in places)],
            FLOWS: [("origin", "dest", "count"), *((of.ids[one], of.ids[two], many) for (one, two), many in flows)],
        }
        for name, lines in rows.items():
            with (folder / name).open("x", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows(lines)
        # A line without length would be no valid geometry.
        within = pairs[:, 0] == pairs[:, 1]
        geometries = np.empty(len(pairs), dtype=np.object_)
        geometries[within] = shapely.points(of.places[pairs[within, 0]])
        geometries[~within] = shapely.linestrings(of.places[pairs[~within]])
        types = sorted({"Point" if each else "LineString" for each in within.tolist()})
        ids = pa.array(of.ids, pa.string())
        table = pa.table(
            {
                "origin": ids.take(pa.array(pairs[:, 0])),
                "destination": ids.take(pa.array(pairs[:, 1])),
                **columns,
                counted: whole,
                "geometry": pa.array(shapely.to_wkb(geometries, byte_order=1), pa.binary()),
            }
        )
        write_geoparquet(folder / LINES, table, {"geometry_types": types, "edges": "planar"})
    return tuple(out / name for name in (LOCATIONS, FLOWS, LINES))
