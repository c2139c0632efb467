"""From noisy measurements to the tables T1 and T2, piece by piece: public in, public out, no randomness, bit for bit the same each time.

    measurements of a piece -> estimates: the numbers of its published groups, with their spread -> rows of T1 and T2

What makes better estimates of the same measurements stands between the first two.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from starling.tables.measurements import Int64, Measurements
from starling.tables.plan import Detail, Geography, Piece, Plan
from starling.tables.plan.detail import TOTAL_ONLY
from starling.tables.postprocess.estimates import AddedUp, Numbers, clamp, estimate
from starling.tables.postprocess.rows import GROUP, GROUP_NAMES, coded, group_columns

_GROUP = [(name, pa.string()) for name in GROUP]
_VALUE = [
    ("count", pa.int64()),
    ("standard_deviation", pa.float64()),
    ("lower", pa.int64()),
    ("upper", pa.int64()),
    ("post_processed", pa.bool_()),
    *((name, pa.string()) for name in GROUP_NAMES),
]
T1_SCHEMA = pa.schema([*_GROUP, *_VALUE])


def t2_schema(detail: Detail) -> pa.Schema:
    """The columns of T2: those of the group, of the classes of each attribute of the detail, and of the number."""
    return pa.schema([*_GROUP, *((name, pa.string()) for name in detail.columns), *_VALUE])


@dataclass(frozen=True, slots=True)
class Tabulated:
    """What is published of one piece: rows in plan order, text columns dictionary-encoded.

    Attributes:
        branches: How many of its groups took each branch of the plan's detail, TOTAL_ONLY first, published or not.
        t1: Totals (T1_SCHEMA); `count` in persons, `standard_deviation` of the noise in it, `lower` and `upper` inclusive;
            `post_processed` where clamping changed the count, which is then too high on average.
        t2: The cells and their sums (t2_schema): bounds inclusive, "*" for all values of an attribute.
    """

    piece: Piece
    branches: Int64
    t1: pa.Table
    t2: pa.Table


def tabulate(plan: Plan, geography: Geography, measurements: Measurements) -> Iterator[Tabulated]:
    """T1 and T2, piece by piece."""
    # Sums reach over all pieces, so these are read once before.
    added_up = AddedUp(plan, geography, measurements) if plan.variants.add_up else None
    detail = plan.detail
    # The columns of every kind of T2 row: the branches after one another, each as `Estimates.cells` lays it out.
    codes = [detail.codes(row) for rows in detail.rows for row in rows]
    columns = {
        name: pa.array([each[place] for each in codes], pa.string()) for place, name in enumerate(detail.columns)
    }
    schema, rows_of_branch = t2_schema(detail), np.array(detail.row_counts)
    first_label = np.cumsum(rows_of_branch) - rows_of_branch
    for piece, measured in measurements:
        taken = np.bincount(measured.branch - TOTAL_ONLY, minlength=len(detail.branches))
        consistent = None if added_up is None else added_up.of(piece)
        estimates = estimate(plan, plan.levels[piece.level], measured, consistent)
        sizes = rows_of_branch[np.maximum(estimates.branch, 0)]
        group = np.repeat(np.arange(len(sizes)), sizes)
        within = np.arange(len(group)) - (np.cumsum(sizes) - sizes)[group]
        label = within + first_label[estimates.branch[group]]
        labels = {name: coded(label, column) for name, column in columns.items()}
        t1 = _table(T1_SCHEMA, plan, geography, piece, estimates.groups, estimates.totals, {})
        t2 = _table(schema, plan, geography, piece, estimates.groups[group], estimates.cells, labels)
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
    columns = {
        **group_columns(geography, plan.levels[piece.level], piece, group),
        **labels,
        "count": pa.array(numbers.count),
        "standard_deviation": pa.array(numbers.deviation),
        "lower": pa.array(clamp(plan, numbers.lower)),
        "upper": pa.array(clamp(plan, numbers.upper)),
        "post_processed": pa.array(numbers.count != numbers.estimate),
    }
    return pa.table({name: columns[name] for name in schema.names})
