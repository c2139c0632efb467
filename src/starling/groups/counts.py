"""Exact numbers of groups by leaf and size: counted by the engine, one SQL text for DuckDB and Spark, then fitted to the public totals.

Nothing here runs before the charge: `count` gives a deferred computation. Its memory is that of the cells and of what the engine may use,
whatever the number of records.
"""

from collections.abc import Mapping
from contextlib import closing
from functools import partial
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa

from starling.engine import duck
from starling.engine.delimited import labels
from starling.engine.machine import in_order
from starling.engine.spark import Parts, Spark
from starling.errors import SourceError
from starling.groups.optimise.tree import Int64
from starling.groups.plan import Kind, Plan
from starling.groups.plan.register import read_register
from starling.groups.source import SCHEMAS, Held, Records, counted, leaves
from starling.privacy.trust import Confidential

Cells: TypeAlias = Int64
"""int64 (leaves, sizes): numbers of groups."""

MOST: Final = 1 << 62
"""The number of groups of a leaf beyond which they are not told apart."""
GROUPS_SQL: Final = """
WITH cells AS (
  SELECT records.leaf AS leaf, records.size AS size, count(*) AS groups FROM records GROUP BY records.leaf, records.size
)"""
COUNTS_SQL: Final = """
WITH cells AS (
  SELECT records.leaf AS leaf, records.size AS size, sum(cast(records.groups AS decimal(38, 0))) AS groups
  FROM records GROUP BY records.leaf, records.size
)"""
EVENTS_SQL: Final = """
WITH sizes AS (
  SELECT records.name AS name, sum(cast(records.quantity AS decimal(38, 0))) AS size
  FROM records GROUP BY records.name
)"""
PERSONS_SQL: Final = """
WITH brought AS (
  SELECT records.person AS person, records.name AS name, sum(cast(records.quantity AS decimal(38, 0))) AS quantity
  FROM records JOIN register ON records.name = register.name
  GROUP BY records.person, records.name
), home AS (
  SELECT brought.person AS person, min(brought.name) AS name FROM brought GROUP BY brought.person
), sizes AS (
  SELECT brought.name AS name, sum(least(brought.quantity, bounds.quantity)) AS size
  FROM brought CROSS JOIN bounds JOIN home ON brought.person = home.person AND brought.name = home.name
  GROUP BY brought.name
)"""
REGISTERED_SQL: Final = """, capped AS (
  SELECT register.leaf AS leaf, cast(least(coalesce(sizes.size, 0), bounds.largest) AS bigint) AS size
  FROM register CROSS JOIN bounds LEFT JOIN sizes ON register.name = sizes.name
), cells AS (
  SELECT capped.leaf AS leaf, capped.size AS size, count(*) AS groups FROM capped GROUP BY capped.leaf, capped.size
)"""
CELLS_SQL: Final = """
SELECT cells.leaf AS leaf, cells.size AS size, cast(least(cells.groups, bounds.groups) AS bigint) AS groups,
  cast(least(sum(cells.groups) OVER (PARTITION BY cells.leaf), bounds.most) AS bigint) AS total
FROM cells CROSS JOIN bounds
"""
COUNTING: Final[dict[Kind, str]] = {
    "groups": GROUPS_SQL + CELLS_SQL,
    "counts": COUNTS_SQL + CELLS_SQL,
    "persons": PERSONS_SQL + REGISTERED_SQL + CELLS_SQL,
    "events": EVENTS_SQL + REGISTERED_SQL + CELLS_SQL,
}
"""What counts each kind of records. A person's records in several groups count in the first of these by name, and add up to at most q.

Sums have 38 digits, so that none leaves its type whatever the records say. They are then cut: a cell at G, since cumulative counts are cut
at a total of at most G anyway (`fitted`); the number of groups of a leaf, which sizes do not change, at MOST.
"""


def count(plan: Plan, records: Records | Held, cluster: Spark | None = None) -> Confidential[Cells]:
    """The computation of the exact number of groups of each size in each leaf, int64 (leaves, sizes), by DuckDB or by a Spark that runs.

    It reads no record yet. The computation raises SourceError when a file is no longer what was checked and OutputError when memory or
    disk do not suffice; never because of what a record says.

    Raises:
        SourceError: the register is not the one that the plan was made with.
    """
    public = public_tables(plan)
    return Confidential(lambda: fitted(plan, *tally(plan, records, public, cluster)))


def tally(
    plan: Plan, records: Records | Held, public: Mapping[str, pa.Table], cluster: Spark | None = None
) -> tuple[Cells, Int64]:
    """Groups as the records say them, before they are fitted to the public totals.

    Returns:
        int64 (leaves, sizes): the number of groups of each size in each leaf, at most G; int64 (leaves,): that of all sizes.
    """
    regions = len(plan.regions.leaves)
    cells, totals = np.zeros((regions, plan.sizes), np.int64), np.zeros(regions, np.int64)
    read, schema = partial(counted, plan, records), SCHEMAS[plan.kind]
    if cluster is None:
        # Parts are read as DuckDB asks for them.
        batches = (batch for part in in_order(lambda part: list(read(part)), records.parts) for batch in part)
        stream = pa.RecordBatchReader.from_batches(schema, batches)
        answer = duck.run(COUNTING[plan.kind], {"records": stream, **public})
    else:
        answer = cluster.run(COUNTING[plan.kind], {"records": Parts(schema, records.parts, read), **public})
    with closing(answer):
        for batch in answer:
            leaf, size, groups, total = (column.to_numpy(zero_copy_only=False) for column in batch.columns)
            cells[leaf, size], totals[leaf] = groups, total
    return cells, totals


def public_tables(plan: Plan) -> dict[str, pa.Table]:
    """The public tables that records are joined with: bounds, and the register of persons or events.

    Raises:
        SourceError: the register is not the one that the plan was made with.
    """
    most = {"largest": plan.largest, "quantity": plan.quantity, "groups": plan.groups, "most": MOST}
    bounds = pa.table({name: [bound] for name, bound in most.items()})
    if plan.register is None:
        return {"bounds": bounds}
    if plan.register.path is None:
        raise SourceError("register", "is not there", "load the plan from its file")
    table, sha256 = read_register(plan.register.path, plan.format)
    if sha256 != plan.register.sha256:
        raise SourceError("register", "is no longer what the plan was made with", "load the plan again")
    register = pa.table({"name": labels(table["group"]), "leaf": leaves(plan, table["region"])})
    return {"register": register, "bounds": bounds}


def fitted(plan: Plan, cells: Cells, counts: Int64) -> Cells:
    """Counts that have the public totals, from those of the records, as `tally` gives them.

    Of a leaf with too many groups the largest are left out; one with too few gets groups of size 0. Where G alone is public, leaves keep
    their shares of it. So which groups there are decides how many a leaf has; and cumulative counts become min(c, k), with the missing
    groups added everywhere, so that a member moves them by no more than it moved them before.
    """
    totals = plan.regions.totals
    wanted = apportioned(counts, plan.groups) if totals is None else np.array(totals, dtype=np.int64)
    if np.array_equal(counts, wanted):
        return cells
    cumulative = np.minimum(np.cumsum(cells, axis=1), wanted[:, None])
    adjusted = np.diff(cumulative, axis=1, prepend=0)
    adjusted[:, 0] += np.maximum(wanted - counts, 0)
    return adjusted


def apportioned(counts: Int64, total: int) -> Int64:
    """Whole numbers in proportion to `found` that add up to `total`: rounded down, the largest remainders up, then the first of equals."""
    parts = counts.tolist()
    whole = sum(parts)
    if whole == total:
        return counts
    if not whole:
        parts, whole = [1] * len(parts), len(parts)
    shares = [divmod(each * total, whole) for each in parts]
    result = np.array([share for share, _ in shares], dtype=np.int64)
    order = sorted(range(len(shares)), key=lambda at: -shares[at][1])
    result[order[: total - int(result.sum())]] += 1
    return result
