"""The table of a release of flows, declared once: trips of every pair of nodes of every pair of levels."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Final

import numpy as np
import pyarrow as pa

from starling.places.areas.plan.polygons import Areas
from starling.places.artifact.columns import declared
from starling.places.artifact.plan_files import sheet
from starling.places.flows.answers.released import ReleasedFlows
from starling.places.flows.artifact.public_plan import FLOWS as MEASURED
from starling.places.flows.artifact.public_plan import TITLE, WORDS
from starling.places.flows.artifact.public_plan import schema as measured_columns
from starling.places.flows.plan import Plan
from starling.release.datapackage import Sheet
from starling.release.table_files import Table

FLOWS: Final = "flows"
PIECE: Final = 1 << 18
"""Rows that are made at a time."""
COLUMNS: Final = {
    "slice": "Public name of the slice",
    "origin_level": "Level of the origin: the whole, larger areas, areas",
    "origin": "Id of the area where trips begin, or name of the larger area",
    "destination_level": "Level of the destination",
    "destination": "Id of the area where trips end, or name of the larger area",
    "trips": "Estimated trips; sums of those between areas, and possibly negative",
    "margin": "95 % of estimates are off by at most so many trips",
}
HUNDREDTHS: Final = 100


def words_of(plan: Plan) -> dict[str, str]:
    """What each column holds: with that of slices, where a plan has some, and of legs, where it counts them."""
    named = {name: words for name, words in COLUMNS.items() if name != "slice" or plan.slices is not None}
    return {
        plan.counted if name == "trips" else name: text.replace("trips", plan.counted) for name, text in named.items()
    }


def schema(plan: Plan) -> pa.Schema:
    """The columns of the table."""
    numbers = (plan.counted, "margin")
    return pa.schema([(name, pa.float64() if name in numbers else pa.string()) for name in words_of(plan)])


def tables(plan: Plan) -> tuple[Table, ...]:
    """The table of a release, as Parquet, and as CSV where it is not long."""
    columns = schema(plan)
    title = f"{plan.what} from area to area"
    return (declared(FLOWS, title, columns, words_of(plan), tuple(columns.names[:-2])),)


def sheets(plan: Plan) -> list[Sheet]:
    """The measurements for the data package."""
    return [sheet(MEASURED, TITLE, measured_columns(plan), WORDS)]


def node_names(areas: Areas, level: int) -> tuple[str, ...]:
    """The nodes of a level as tables have them: ids of areas, names of larger areas; with those above where a name stands twice."""
    if level == len(areas.nodes) - 1:
        return areas.ids
    names = areas.nodes[level]
    if len(set(names)) == len(names):
        return names
    above = node_names(areas, level - 1)
    return tuple(f"{above[at]} / {name}" for at, name in zip(areas.parents[level - 1].tolist(), names, strict=True))


def pieces(released: Sequence[ReleasedFlows]) -> Iterator[Mapping[str, pa.Table]]:
    """Rows of the table, slice after slice and pair of levels after pair of levels."""
    for each in released:
        yield from _of_slice(each)


def _of_slice(released: ReleasedFlows) -> Iterator[Mapping[str, pa.Table]]:
    plan = released.plan
    columns_of_plan = schema(plan)
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
                *([] if released.slice is None else [pa.array([released.slice]).take(nothing)]),
                levels[0].take(nothing),
                names[one].slice(first).take(rows),
                levels[1].take(nothing),
                names[other].take(columns),
            ]
            numbers = [part.reshape(-1), margins[first : first + step].reshape(-1)]
            yield {
                FLOWS: pa.table([*labels, *(pa.array(np.ascontiguousarray(each)) for each in numbers)], columns_of_plan)
            }
