"""The table of a release of flows, declared once: trips of every pair of nodes of every pair of levels."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Final

import numpy as np
import pyarrow as pa

from starling.places.areas.plan.polygons import Areas
from starling.places.flows.answers.released import ReleasedFlows
from starling.places.flows.artifact.public_plan import FLOWS as MEASURED
from starling.places.flows.artifact.public_plan import SCHEMA as MEASUREMENTS
from starling.places.flows.artifact.public_plan import TITLE, WORDS
from starling.places.flows.plan import Plan
from starling.release.datapackage import Sheet
from starling.release.table_files import Table, Text, column

FLOWS: Final = "flows"
PIECE: Final = 1 << 18
"""Rows that are made at a time."""
MOST_TEXT: Final = 1 << 18
"""Rows from which on a table has no CSV."""
COLUMNS: Final = {
    "origin_level": "Level of the origin: the whole, larger areas, areas",
    "origin": "Id of the area where trips begin, or name of the larger area",
    "destination_level": "Level of the destination",
    "destination": "Id of the area where trips end, or name of the larger area",
    "trips": "Estimated trips; sums of those between areas, and possibly negative",
    "margin": "95 % of estimates are off by at most so many trips",
}
SCHEMA: Final = pa.schema([(name, pa.float64() if name in ("trips", "margin") else pa.string()) for name in COLUMNS])
HUNDREDTHS: Final = 100


def tables(plan: Plan) -> tuple[Table, ...]:
    """The table of a release, as Parquet, and as CSV where it is not long."""
    csv = Text("csv", {name: name for name in SCHEMA.names}, most_rows=MOST_TEXT)
    title = f"Trips ({plan.trip}) from area to area"
    return (Table(FLOWS, title, SCHEMA, COLUMNS, tuple(SCHEMA.names[:4]), texts=(csv,)),)


def sheets() -> list[Sheet]:
    """The measurements for the data package."""
    return [Sheet(MEASURED, TITLE, tuple(column(each.name, each.type, WORDS[each.name]) for each in MEASUREMENTS))]


def node_names(areas: Areas, level: int) -> tuple[str, ...]:
    """The nodes of a level as tables have them: ids of areas, names of larger areas; with those above where a name stands twice."""
    if level == len(areas.nodes) - 1:
        return areas.ids
    names = areas.nodes[level]
    if len(set(names)) == len(names):
        return names
    above = node_names(areas, level - 1)
    return tuple(f"{above[at]} / {name}" for at, name in zip(areas.parents[level - 1].tolist(), names, strict=True))


def pieces(released: ReleasedFlows) -> Iterator[Mapping[str, pa.Table]]:
    """Rows of the table, pair of levels after pair of levels."""
    plan = released.plan
    many = len(plan.levels.sizes)
    ends = [released.each if level == many - 1 else released.ends_of_level(level) for level in range(many)]
    names = [pa.array(node_names(plan.areas, level), pa.string()) for level in range(many)]
    for one, other in product(range(many), repeat=2):
        trips = released.of_levels((one, other))
        # In hundredths, upwards: what rounds otherwise elsewhere is out of sight.
        margins = np.ceil(released.margins(ends[one], ends[other]) * HUNDREDTHS - 1e-6) / HUNDREDTHS
        levels = [pa.array([plan.areas.level_names[level]], pa.string()) for level in (one, other)]
        step = max(PIECE // trips.shape[1], 1)
        for first in range(0, len(trips), step):
            part = trips[first : first + step]
            rows, columns = (pa.array(each.reshape(-1)) for each in np.indices(part.shape))
            nothing = pa.array(np.zeros(part.size, dtype=np.int64))
            labels = [
                levels[0].take(nothing),
                names[one].slice(first).take(rows),
                levels[1].take(nothing),
                names[other].take(columns),
            ]
            numbers = [part.reshape(-1), margins[first : first + step].reshape(-1)]
            yield {FLOWS: pa.table([*labels, *(pa.array(np.ascontiguousarray(each)) for each in numbers)], SCHEMA)}
