"""Exact numbers of groups by leaf and size: counted by the engine, one SQL text for DuckDB and Spark, then fitted to the public totals.

Nothing here runs before the charge: `count` gives a deferred computation. Its memory is that of the cells and of what the engine may use,
whatever the number of records.
"""

from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa

from starling.engine import duck
from starling.engine.machine import in_order
from starling.engine.spark import Parts, Spark, open_cluster
from starling.errors import Problem, SourceError
from starling.groups.plan import Kind, Plan
from starling.groups.plan.readable import read_register
from starling.groups.source.files import SCHEMAS, Int64, Records, counted, leaves, text
from starling.privacy.trust import Confidential

Cells: TypeAlias = Int64

SIZES_SQL: Final = """
SELECT records.leaf AS leaf, records.size AS size, cast(sum(records.groups) AS bigint) AS groups
FROM records
GROUP BY records.leaf, records.size
"""
EVENTS_SQL: Final = """
WITH sizes AS (
  SELECT records.name AS name, cast(sum(records.quantity) AS bigint) AS size
  FROM records
  GROUP BY records.name
), capped AS (
  SELECT register.leaf AS leaf, least(coalesce(sizes.size, 0), bounds.largest) AS size
  FROM register CROSS JOIN bounds LEFT JOIN sizes ON register.name = sizes.name
)
SELECT capped.leaf AS leaf, capped.size AS size, cast(count(*) AS bigint) AS groups
FROM capped
GROUP BY capped.leaf, capped.size
"""
PERSONS_SQL: Final = """
WITH brought AS (
  SELECT records.person AS person, records.name AS name, cast(sum(records.quantity) AS bigint) AS quantity
  FROM records JOIN register ON records.name = register.name
  GROUP BY records.person, records.name
), home AS (
  SELECT brought.person AS person, min(brought.name) AS name FROM brought GROUP BY brought.person
), sizes AS (
  SELECT brought.name AS name, cast(sum(least(brought.quantity, bounds.quantity)) AS bigint) AS size
  FROM brought CROSS JOIN bounds JOIN home ON brought.person = home.person AND brought.name = home.name
  GROUP BY brought.name
), capped AS (
  SELECT register.leaf AS leaf, least(coalesce(sizes.size, 0), bounds.largest) AS size
  FROM register CROSS JOIN bounds LEFT JOIN sizes ON register.name = sizes.name
)
SELECT capped.leaf AS leaf, capped.size AS size, cast(count(*) AS bigint) AS groups
FROM capped
GROUP BY capped.leaf, capped.size
"""
COUNTING: Final[dict[Kind, str]] = {
    "groups": SIZES_SQL,
    "counts": SIZES_SQL,
    "persons": PERSONS_SQL,
    "events": EVENTS_SQL,
}
"""What counts each kind of records. A person's records in several groups count in the first of these by name, and add up to at most q."""


def count(plan: Plan, records: Records, *, cluster: Spark | None = None) -> Confidential[Cells]:
    """The computation of the exact number of groups of each size in each leaf, int64 (leaves, sizes); reads nothing yet.

    The computation raises SourceError when a file is no longer what was checked and OutputError when memory or disk do not suffice; never
    because of what a record says.

    Args:
        plan: Public choices.
        records: The checked, but unread, records.
        cluster: A Spark that runs, to count instead of DuckDB; the counts are the same.
    """
    return Confidential(partial(_count, plan, records, cluster))


def _count(plan: Plan, records: Records, cluster: Spark | None) -> Cells:
    return fitted(plan, tally(plan, records, cluster))


def tally(plan: Plan, records: Records, cluster: Spark | None = None) -> Cells:
    """The number of groups of each size in each leaf as the records say it, int64 (leaves, sizes)."""
    cells = np.zeros((len(plan.regions.leaves), plan.sizes), dtype=np.int64)
    tables = {} if plan.register is None else _register(plan)
    read = partial(counted, plan, records)
    if cluster is None:
        parts = in_order(lambda part: list(read(part)), records.parts)
        answer = _counted_here(plan, parts, tables)
    else:
        rows = Parts(SCHEMAS[plan.kind], records.parts, read)
        answer = cluster.run(COUNTING[plan.kind], {"records": rows, **tables})
    with closing(answer):
        for batch in answer:
            leaf, size, groups = (column.to_numpy(zero_copy_only=False) for column in batch.columns)
            np.add.at(cells, (leaf, size), groups)
    return cells


def _counted_here(
    plan: Plan, parts: Iterator[list[pa.RecordBatch]], tables: dict[str, pa.Table]
) -> Generator[pa.RecordBatch, None, None]:
    """DuckDB's answer over all parts, which are read as it asks for them."""
    batches = (batch for part in parts for batch in part)
    schema = SCHEMAS[plan.kind]
    yield from duck.run(COUNTING[plan.kind], {"records": pa.RecordBatchReader.from_batches(schema, batches), **tables})


def _register(plan: Plan) -> dict[str, pa.Table]:
    """The public tables that records of persons or events are joined with.

    Raises:
        SourceError: the register is not the one that the plan was made with.
    """
    assert plan.register is not None
    if plan.register.path is None:
        raise SourceError(field="register", problem="is not there", fix="load the plan from its file")
    table, sha256 = read_register(plan.register.path)
    if sha256 != plan.register.sha256:
        raise SourceError(
            field="register", problem="is no longer what the plan was made with", fix="load the plan again"
        )
    register = pa.table({"name": text(table["group"]), "leaf": leaves(plan, table["region"])})
    bounds = pa.table({"largest": [plan.largest], "quantity": [plan.quantity]})
    return {"register": register, "bounds": bounds}


def fitted(plan: Plan, cells: Cells) -> Cells:
    """Counts that have the public totals, from those of the records.

    Of a leaf with too many groups the largest are left out; one with too few gets groups of size 0. Where G alone is public, leaves keep
    their shares of it. So which groups there are decides how many a leaf has; and cumulative counts become min(c, k), with the missing
    groups added everywhere, so that a member moves them by no more than it moved them before.
    """
    found = cells.sum(axis=1)
    totals = plan.regions.totals
    wanted = apportioned(found, plan.groups) if totals is None else np.array(totals, dtype=np.int64)
    if np.array_equal(found, wanted):
        return cells
    cumulative = np.minimum(np.cumsum(cells, axis=1), wanted[:, None])
    made = np.diff(cumulative, axis=1, prepend=0)
    made[:, 0] += np.maximum(wanted - found, 0)
    return made


def apportioned(found: Int64, total: int) -> Int64:
    """Whole numbers in proportion to `found` that add up to `total`: rounded down, the largest remainders up, then the first of equals."""
    whole = int(found.sum())
    if whole == total:
        return found
    if not whole:
        found, whole = np.ones_like(found), len(found)
    shares = [divmod(int(each) * total, whole) for each in found.tolist()]
    made = np.array([share for share, _ in shares], dtype=np.int64)
    order = sorted(range(len(shares)), key=lambda at: -shares[at][1])
    made[order[: total - int(made.sum())]] += 1
    return made


@contextmanager
def cluster_for(engine: str, records: Records) -> Iterator[Spark | None]:
    """The engine of that name, running and seeing the records; None for DuckDB. Before a charge: it opens nothing.

    Raises:
        ParameterError: when there is no such engine or it does not start.
        SourceError: when a worker does not find the records.
    """
    with open_cluster(engine) as cluster:
        if cluster is not None:
            check_seen(cluster, records)
        yield cluster


def check_seen(cluster: Spark, records: Records) -> None:
    """Raises SourceError when a worker that was asked has other files; as many are asked as tasks run at once, twice."""
    files = tuple((path, path.stat().st_size) for path in records.files)
    seen = Parts(_SEEN, tuple(range(2 * cluster.workers)), partial(_same, files))
    with closing(cluster.run("SELECT seen.same FROM seen", {"seen": seen})) as answer:
        if not all(pa.Table.from_batches(list(answer), _SEEN)["same"].to_pylist()):
            problem = "are not there, or not the same, where the workers of the cluster look for them"
            fix = "put them on storage that all of them reach by this path"
            raise SourceError(problems=[Problem("records", problem, fix, records.files[0].name)])


_SEEN: Final = pa.schema([("same", pa.bool_())])


def _same(files: tuple[tuple[Path, int], ...], _: int) -> Iterator[pa.RecordBatch]:
    """In a worker: whether the files are there."""
    try:
        same = all(path.stat().st_size == size for path, size in files)
    except OSError:
        same = False
    yield pa.record_batch([pa.array([same])], schema=_SEEN)
