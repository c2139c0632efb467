"""From noisy residuals to the published cross tables, one table of one level of regions at a time: public in, public out, no randomness.

Each cell has its estimate, its standard deviation, and an interval: the normal quantile times the deviation, and a step since draws are
whole (`Shape.step`). Many draws add up in a cell, so that its noise is nearly normal. Under pure epsilon one draw of a long tail may be
nearly all of it: the more of a cell one draw can be, the more deviations (plan/cell_margins.py). By enumeration no interval misses more
often than it says. Whole numbers have intervals that are wider by what rounding may have moved.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from starling.tables.inference.cross_estimates import CrossEstimates, cross_estimates, deviations
from starling.tables.inference.totals import CONFIDENCE
from starling.tables.measurements import CrossMeasurements
from starling.tables.plan import Geography, Plan
from starling.tables.plan.cell_margins import deviations_by_draw, largest_draw_of_cell
from starling.tables.plan.cross import Cross
from starling.tables.plan.custom_families import EVERYBODY, value_texts
from starling.tables.plan.custom_records import custom_records
from starling.tables.plan.region_levels import WHOLE
from starling.tables.plan.residuals import Shape, Table
from starling.tables.postprocess.rows import coded

REGION: Final = ("region_type", "region_id", "region_name")
"""The columns that say the region, where the plan has regions."""
NUMBERS: Final = ("count", "standard_deviation", "lower", "upper")
MOST_ROWS: Final = 1 << 18
"""Rows that are made at a time, but for those of one region."""
_NAME: Final = re.compile(r"[^a-z0-9_]+")


def has_regions(cross: Cross) -> bool:
    """Whether the tables say of which region a number is."""
    return cross.levels != (WHOLE,)


def column_names(cross: Cross) -> tuple[str, ...]:
    """What the columns are called in the published tables; with `_label` after it, the column of their texts."""
    return _distinct(cross.columns, {*REGION, *NUMBERS}, "_label")


def table_names(cross: Cross) -> tuple[str, ...]:
    """What the tables are called: by their columns."""
    columns = column_names(cross)
    named = ("_by_".join(columns[column] for column in table) or EVERYBODY for table in cross.tables)
    return _distinct([each[:100] for each in named], {"measurements"}, "")


def _distinct(names: Sequence[str], taken: set[str], suffix: str) -> tuple[str, ...]:
    """Each name in letters, digits and _, none of them twice, or with the suffix one that is taken."""
    result: list[str] = []
    for at, each in enumerate(names, 1):
        stem = name = _NAME.sub("_", each.lower()).strip("_") or f"column_{at}"
        while {name, name + suffix} & taken:
            name = f"{stem}_{at}" if name == stem else f"{name}_"
        taken |= {name, name + suffix}
        result.append(name)
    return tuple(result)


def schema_of(cross: Cross, table: Table) -> pa.Schema:
    """The columns of a published table."""
    names = column_names(cross)
    labels = [each for column in table for each in (names[column], f"{names[column]}_label")]
    texts = [*(REGION if has_regions(cross) else ()), *labels]
    return pa.schema([*((name, pa.string()) for name in texts), *((name, pa.float64()) for name in NUMBERS)])


def margin(cross: Cross, shape: Shape, table: Table, deviation: float) -> float:
    """How far an estimate of this deviation may be off with the confidence of intervals."""
    largest = largest_draw_of_cell(shape, cross.shares, table)
    deviations = deviations_by_draw(shape, 1 - CONFIDENCE, deviation, largest)
    return deviations * deviation + cross.slack(shape, table)


def tabulate_cross(
    plan: Plan, geography: Geography, measured: CrossMeasurements
) -> Iterator[tuple[int, Table, pa.Table]]:
    """The rows of every published table, and of each table level by level, some regions at a time."""
    assert plan.cross is not None
    estimates = cross_estimates(plan.cross_shape, plan.cross.shares, measured, whole=plan.cross.whole)
    spread = deviations(plan.cross_shape, plan.cross.shares, plan.records_of_one)
    for place, table in enumerate(plan.cross.tables):
        for level in range(len(plan.cross.levels)):
            size = max(MOST_ROWS // plan.cross_shape.cells(table), 1)
            for first in range(0, plan.cross_shape.regions[level], size):
                rows = slice(first, first + size)
                yield level, table, _rows(plan, geography, estimates, level, place, spread[level][rows, place], rows)


def _rows(
    plan: Plan,
    geography: Geography,
    estimates: CrossEstimates,
    level: int,
    place: int,
    spread: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]",
    regions: slice,
) -> pa.Table:
    cross = plan.cross
    assert cross is not None
    table = cross.tables[place]
    counts = estimates.counts(level, table)[regions]
    at = np.unravel_index(np.arange(counts.size), counts.shape)
    columns: dict[str, pa.Array] = {}
    if has_regions(cross):
        name = cross.levels[level]
        columns = {
            "region_type": coded(np.zeros_like(at[0]), (name,)),
            "region_id": coded(at[0], geography.regions[name][regions]),
            "region_name": coded(at[0], geography.names[name][regions]),
        }
    read, names = cross.read(custom_records(plan).by_name), column_names(cross)
    for value, column in zip(at[1:], table, strict=True):
        codes, texts = zip(*value_texts(read[column].domain), strict=True)
        columns |= {names[column]: coded(value, codes), f"{names[column]}_label": coded(value, texts)}
    estimate, deviation = counts.ravel(), spread[at[0]]
    different, which = np.unique(spread, return_inverse=True)
    half = np.array([margin(cross, plan.cross_shape, table, each) for each in different.tolist()])[which][at[0]]
    columns |= dict(zip(NUMBERS, map(pa.array, (estimate, deviation, estimate - half, estimate + half)), strict=True))
    return pa.table(columns)
