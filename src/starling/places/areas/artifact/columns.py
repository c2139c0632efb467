"""The table of a release of areas, declared once: points of every node of every level, each with its interval."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from starling.hierarchy.trees import Estimated
from starling.places.areas.answers import LEVEL, deviations
from starling.places.areas.artifact.public_plan import COUNTS, SCHEMA, WORDS
from starling.places.areas.plan.model import AreasPlan
from starling.release.datapackage import Sheet
from starling.release.table_files import Table, Text, column

AREAS: Final = "areas"
MOST_TEXT: Final = 1 << 18
"""Rows from which on the table has no CSV."""
COLUMN_WORDS: Final = {
    "slice": "Public name of the slice; all where there are none",
    "level": "Name of the level: all, those of the plan, or area",
    "node": "Number of the node in its level, from 0",
    "id": "Id of the area; empty for what lies above the areas",
    "name": "Public name of the area, or of what lies above areas",
    "within": "Name of the node above; empty for the whole",
    "points": "Estimated points; an estimate, so that it need not be whole, and may be negative",
    "standard_deviation": "Of the noise in the estimate, in points",
    "lower": "With a probability of 95 % the true number is no less",
    "upper": "With a probability of 95 % the true number is no more",
}
_TYPES: Final = {
    **dict.fromkeys(("points", "standard_deviation"), pa.float64()),
    **dict.fromkeys(("lower", "upper"), pa.int64()),
    "node": pa.int32(),
}
TABLE: Final = pa.schema([(name, _TYPES.get(name, pa.string())) for name in COLUMN_WORDS])


def tables(plan: AreasPlan) -> tuple[Table, ...]:
    """The one table, as Parquet, and as CSV where it is not long."""
    csv = Text("csv", {name: name for name in TABLE.names}, most_rows=MOST_TEXT)
    rows = len(plan.slice_names) * sum(map(len, plan.areas.nodes))
    title = f"Points ({plan.point}) by area"
    return (Table(AREAS, title, TABLE, COLUMN_WORDS, ("slice", "level", "node"), (), (csv,), rows),)


def sheets(_: AreasPlan) -> list[Sheet]:
    """The measurements for the data package."""
    columns = tuple(column(each.name, each.type, WORDS[each.name]) for each in SCHEMA)
    return [Sheet(COUNTS, "Noisy numbers of points of all nodes, as they were drawn", columns)]


def pieces(plan: AreasPlan, estimated: Sequence[Estimated]) -> Iterator[Mapping[str, pa.Table]]:
    """The rows, slice by slice and level by level."""
    areas = plan.areas
    for number, name in enumerate(plan.slice_names):
        for level, (called, nodes, estimate) in enumerate(zip(areas.level_names, areas.nodes, estimated, strict=True)):
            above = [areas.nodes[level - 1][at] for at in areas.parents[level - 1].tolist()] if level else [""]
            points, deviation = estimate.count[:, number], np.sqrt(estimate.variance[:, number])
            lower, upper = ends(plan, estimate, number)
            columns = {
                "slice": [name] * len(nodes),
                "level": [called] * len(nodes),
                "node": np.arange(len(nodes), dtype=np.int32),
                "id": areas.ids if level == len(areas.nodes) - 1 else [""] * len(nodes),
                "name": nodes,
                "within": above,
                "points": points,
                "standard_deviation": deviation,
                "lower": lower,
                "upper": upper,
            }
            yield {AREAS: pa.table(columns, TABLE)}


def ends(plan: AreasPlan, estimate: Estimated, number: int) -> tuple[np.ndarray, np.ndarray]:
    """The 95 % interval of each node of a level in a slice, int64 (nodes,) each: rounded outwards, and never below 0."""
    half = deviations(plan, 1 - LEVEL) * np.sqrt(estimate.variance[:, number])
    points = estimate.count[:, number]
    low, high = np.floor(points - half), np.ceil(points + half)
    return np.maximum(low, 0).astype(np.int64), np.maximum(high, 0).astype(np.int64)
