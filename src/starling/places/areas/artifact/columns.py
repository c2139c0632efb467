"""The table of a release of areas, declared once: points of every node of every level, each with its interval."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import pyarrow as pa

from starling.hierarchy.trees import Estimated
from starling.places.areas.answers.unions import LEVEL, deviations
from starling.places.areas.answers.values import factors_of_sum, means_of, points_of, possible_sums, sums_of
from starling.places.areas.artifact.public_plan import COUNTS, SCHEMA, WORDS
from starling.places.areas.plan.model import AreasPlan
from starling.places.artifact.columns import declared
from starling.places.artifact.plan_files import sheet
from starling.privacy.distributions.deviations import UNIT
from starling.release.datapackage import Sheet
from starling.release.table_files import Table

AREAS: Final = "areas"
LARGEST: Final = 2.0**62
"""No true sum is beyond it, and no end of an interval of one needs to be."""
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
VALUE_WORDS: Final = {
    "sum": "Estimated sum of the value; it adds up as points do",
    "sum_lower": "With a probability of 95 % the true sum is no less",
    "sum_upper": "With a probability of 95 % the true sum is no more",
    "mean": "Estimated mean of the value; empty where less than half a point is released",
    "mean_lower": "With a probability of 95 % the true mean is no less",
    "mean_upper": "With a probability of 95 % the true mean is no more",
}
"""Columns of a plan with a value, behind the others."""
_TYPES: Final = {
    **dict.fromkeys(("points", "standard_deviation", *VALUE_WORDS), pa.float64()),
    **dict.fromkeys(("lower", "upper", "sum_lower", "sum_upper"), pa.int64()),
    "node": pa.int32(),
}
_LAYERED: Final = {
    **WORDS,
    "slice": "Number of the layer: two for each slice, in the order of the plan, units above the lower bound before those below the upper",
    "value": "Noisy number of units; may be negative",
}


def words_of(plan: AreasPlan) -> dict[str, str]:
    """The columns of the table of a plan, and what each is."""
    return COLUMN_WORDS if plan.value is None else {**COLUMN_WORDS, **VALUE_WORDS}


def schema_of(plan: AreasPlan) -> pa.Schema:
    """Their types."""
    return pa.schema([(name, _TYPES.get(name, pa.string())) for name in words_of(plan)])


def tables(plan: AreasPlan) -> tuple[Table, ...]:
    """The one table, as Parquet, and as CSV where it is not long."""
    rows = len(plan.slice_names) * sum(map(len, plan.areas.nodes))
    title = f"Points ({plan.point}) by area"
    return (replace(declared(AREAS, title, schema_of(plan), words_of(plan), ("slice", "level", "node")), rows=rows),)


def sheets(plan: AreasPlan) -> list[Sheet]:
    """The measurements for the data package."""
    words, what = (WORDS, "points") if plan.value is None else (_LAYERED, "units")
    return [sheet(COUNTS, f"Noisy numbers of {what} of all nodes, as they were drawn", SCHEMA, words)]


def pieces(plan: AreasPlan, estimated: Sequence[Estimated]) -> Iterator[Mapping[str, pa.Table]]:
    """The rows, slice by slice and level by level."""
    areas, schema = plan.areas, schema_of(plan)
    for number, name in enumerate(plan.slice_names):
        for level, (called, nodes, estimate) in enumerate(zip(areas.level_names, areas.nodes, estimated, strict=True)):
            above = [areas.nodes[level - 1][at] for at in areas.parents[level - 1].tolist()] if level else [""]
            of_points = points_of(plan, estimate)
            points, deviation = of_points.count[:, number], np.sqrt(of_points.variance[:, number])
            lower, upper = ends(plan, of_points, number)
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
                **_of_value(plan, estimate, number),
            }
            yield {AREAS: pa.table(columns, schema)}


def _of_value(plan: AreasPlan, estimate: Estimated, number: int) -> dict[str, np.ndarray | pa.Array]:
    """The columns VALUE_WORDS of a level in a slice; none of a plan without a value."""
    if plan.value is None:
        return {}
    sums, both = sums_of(plan.value, estimate), slice(2 * number, 2 * number + 2)
    low, high = ends_of_sums(plan, estimate, number)
    of_slice = Estimated(estimate.count[:, both], estimate.variance[:, both])
    means = [each[:, 0] for each in means_of(plan.value, of_slice, deviations(plan, 1 - LEVEL))]
    columns = (sums.count[:, number], low.astype(np.int64), high.astype(np.int64), pa.array(means[0], from_pandas=True))
    return dict(zip(VALUE_WORDS, (*columns, *means[1:]), strict=True))


def ends_of_sums(plan: AreasPlan, estimate: Estimated, number: int) -> tuple[np.ndarray, np.ndarray]:
    """The 95 % interval of the sum of each node of a level in a slice, float64 (nodes,) each: rounded outwards, cut at what is possible."""
    assert plan.value is not None
    step = UNIT * max(map(abs, factors_of_sum(plan.value)))
    low, high = (
        np.clip(each, -LARGEST, LARGEST) for each in _outwards(plan, sums_of(plan.value, estimate), number, step)
    )
    return possible_sums(plan.value, low), possible_sums(plan.value, high)


def ends(plan: AreasPlan, estimate: Estimated, number: int) -> tuple[np.ndarray, np.ndarray]:
    """The 95 % interval of each node of a level in a slice, int64 (nodes,) each: rounded outwards, and never below 0."""
    low, high = _outwards(plan, estimate, number)
    return np.maximum(low, 0).astype(np.int64), np.maximum(high, 0).astype(np.int64)


def _outwards(plan: AreasPlan, estimate: Estimated, number: int, step: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """The 95 % interval of each node, float64 (nodes,) each, wider by a step and rounded outwards, of numbers that may be negative."""
    half = deviations(plan, 1 - LEVEL) * np.sqrt(estimate.variance[:, number]) + step
    middle = estimate.count[:, number]
    return np.floor(middle - half), np.ceil(middle + half)
