"""From noisy measurements to the tables T1 and T2, piece by piece: public in, public out, no randomness, bit for bit the same each time.

    measurements of a piece -> estimates: the numbers of its published groups, with their spread -> rows of T1 and T2

What makes better estimates of the same measurements stands between the first two.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from starling.tables.measurements import BRANCHES, TOTAL_ONLY, Int64, Measurements
from starling.tables.plan import Geography, Piece, Plan, cells
from starling.tables.postprocess.estimates import AddedUp, Numbers, clamp, estimate, rows_of_branch

_GROUP = [("region_id", pa.string()), ("region_type", pa.string()), ("iteration_code", pa.string())]
_CELL = [("age_start", pa.string()), ("age_end", pa.string()), ("sex", pa.string())]
_VALUE = [
    ("count", pa.int64()),
    ("standard_deviation", pa.float64()),
    ("lower", pa.int64()),
    ("upper", pa.int64()),
    ("post_processed", pa.bool_()),
    ("region_name", pa.string()),
    ("iteration_name", pa.string()),
]
T1_SCHEMA = pa.schema([*_GROUP, *_VALUE])
T2_SCHEMA = pa.schema([*_GROUP, *_CELL, *_VALUE])


@dataclass(frozen=True, slots=True)
class Tabulated:
    """What is published of one piece: rows in plan order, text columns dictionary-encoded.

    Attributes:
        piece: The piece.
        branches: How many of its groups took each of BRANCHES, published or not.
        t1: Totals (T1_SCHEMA); `count` in persons, `standard_deviation` of the noise in it, `lower` and `upper` inclusive;
            `post_processed` where clamping changed the count, which is then too high on average.
        t2: Sex by age (T2_SCHEMA): ages inclusive, "*" for all ages; sex "1" or "2".
    """

    piece: Piece
    branches: Int64
    t1: pa.Table
    t2: pa.Table


def tabulate(plan: Plan, geography: Geography, measurements: Measurements) -> Iterator[Tabulated]:
    """T1 and T2, piece by piece.

    Args:
        plan: The released plan.
        geography: The public regions of the plan.
        measurements: What the mechanism drew.
    """
    # Sums reach over all pieces, so these are read once before.
    added_up = AddedUp(plan, geography, measurements) if plan.variants.add_up else None
    for piece, measured in measurements:
        taken = np.bincount(measured.branch - TOTAL_ONLY, minlength=len(BRANCHES))
        consistent = None if added_up is None else added_up.of(piece)
        estimates = estimate(plan, plan.levels[piece.level], measured, consistent)
        sizes = np.array(rows_of_branch())[np.maximum(estimates.branch, 0)]
        group = np.repeat(np.arange(len(sizes)), sizes)
        within = np.arange(len(group)) - (np.cumsum(sizes) - sizes)[group]
        label = within + np.array(_FIRST_LABEL)[estimates.branch[group]]
        labels = {name: _coded(label, column) for name, column in _LABELS.items()}
        t1 = _table(T1_SCHEMA, plan, geography, piece, estimates.groups, estimates.totals, {})
        t2 = _table(T2_SCHEMA, plan, geography, piece, estimates.groups[group], estimates.cells, labels)
        yield Tabulated(piece, taken, t1, t2)


def _table(
    schema: pa.Schema,
    plan: Plan,
    geography: Geography,
    piece: Piece,
    group: Int64,
    numbers: Numbers,
    labels: dict[str, pa.Array],
) -> pa.Table:
    level = plan.levels[piece.level]
    here = slice(piece.first, piece.stop)
    region, iteration = np.divmod(group, max(piece.iterations, 1))
    columns = {
        "region_id": _coded(region, geography.regions[level.geography][here]),
        "region_type": _coded(np.zeros_like(region), (str(level.geography),)),
        "iteration_code": _coded(iteration, [each.code for each in level.iterations]),
        **labels,
        "count": pa.array(numbers.count),
        "standard_deviation": pa.array(numbers.deviation),
        "lower": pa.array(clamp(plan, numbers.lower)),
        "upper": pa.array(clamp(plan, numbers.upper)),
        "post_processed": pa.array(numbers.count != numbers.estimate),
        "region_name": _coded(region, geography.names[level.geography][here]),
        "iteration_name": _coded(iteration, [each.name for each in level.iterations]),
    }
    return pa.table({name: columns[name] for name in schema.names})


def _coded(index: Int64, names: Sequence[str] | pa.Array) -> pa.DictionaryArray:
    """The name of each row, as its place among `names`."""
    return pa.DictionaryArray.from_arrays(pa.array(index.astype(np.int32)), pa.array(names, pa.string()))


def _label_columns() -> dict[str, pa.Array]:
    """Ages and sex of every kind of T2 row: the branches after one another, each as `Estimates.cells` lays it out."""
    labels = [
        (start, end, sex)
        for bands in cells.BRANCH_BANDS[1:]
        for sex in ("1", "2")
        for start, end in [("*", "*"), *((str(first), str(last)) for first, last in cells.age_ranges(bands))]
    ]
    return {
        name: pa.array(column, pa.string()) for (name, _), column in zip(_CELL, zip(*labels, strict=True), strict=True)
    }


_LABELS = _label_columns()
_FIRST_LABEL = (np.cumsum(rows_of_branch()) - rows_of_branch()).tolist()
"""Where the labels of each branch begin; branch 0 has no T2 rows."""
