"""Exact numbers of points by slice and cell: counted by the engine, one SQL text for DuckDB and Spark.

Nothing here runs before the charge: `count` gives a deferred computation. Its memory is that of the cells, or of a sparse grid of the cells
with points, and of what the engine may use, whatever the number of records. Where points are protected and no cluster is there, those of
a dense grid are added up as they are read, which is what the engine's sum would give.

Where a person is protected, at most k of a person's points count, over all slices together: those of smallest keyed hash
(engine/bounded_records.py) of their slice and cell. A charge is committed to one draw: a run that is taken up before that counts anew with
a key of its own, and nobody has seen a count of the first; after it no record is read again.
"""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from functools import partial
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from starling.engine import duck
from starling.engine.bounded_records import KEY, PERSON, bounded_sql, bounds_of
from starling.engine.by_person import run_by_person
from starling.engine.delimited import Part, labels
from starling.engine.machine import in_order
from starling.engine.spark import Parts, Spark
from starling.places.arrays import Int64
from starling.places.occupied import Counted, OccupiedCells, occupied
from starling.places.plan import Plan
from starling.places.plan.points import PlanOfPoints
from starling.places.plan.records import PlanOfRecords
from starling.places.source import Held, Records, read_part
from starling.places.source.cells import cells_of, units_of
from starling.privacy.compiled import compiled
from starling.privacy.sampling.entropy import fresh_bytes
from starling.privacy.trust import Confidential

Placed: TypeAlias = Callable[[pa.Table], Int64]
"""The cell of each record among those of all slices, int64; -1 for a record that is dropped."""
Numbers: TypeAlias = tuple[Int64, Int64]
"""Cells, and what is in each."""
DENSE: Final = 1 << 21
"""The most cells of which each part of the records has a count of its own; of more, only those with points are handed over."""
CELLS: Final = pa.schema([("cell", pa.int64()), ("points", pa.int64())])
CELL: Final = pa.schema([("cell", pa.int64())])
PERSONS: Final = pa.schema([PERSON, *CELL])
POINTS_SQL: Final = """
SELECT records.cell AS cell, cast(sum(records.points) AS bigint) AS points
FROM records GROUP BY records.cell
"""
PERSONS_SQL: Final = bounded_sql(
    CELL,
    "SELECT ranked.cell AS cell, cast(count(*) AS bigint) AS points\n"
    "FROM ranked CROSS JOIN bounds WHERE ranked.place <= bounds.most GROUP BY ranked.cell",
)
"""Keeps `most` points of each person, of those in one cell of one slice at most `alike` before."""


def count(plan: Plan, records: Records | Held, cluster: Spark | None = None) -> Confidential[Counted]:
    """The computation of the exact number of points of each slice and cell, by DuckDB or by a Spark that runs; reads nothing yet.

    The computation raises SourceError when a file is no longer what was checked and OutputError when memory or disk do not suffice; never
    because of what a record says.
    """
    counted = occupied_cells if plan.grid.sparse else tally
    return Confidential(lambda: counted(plan, records, fresh_bytes(KEY), cluster))


def tally(plan: Plan, records: Records | Held, key: bytes, cluster: Spark | None = None) -> Int64:
    """The number of points, int64 (slices, rows, columns), of a grid that is not sparse; `key` is that of the hash that chooses a
    person's.
    """
    counts = by_cell(plan, partial(cells_of, plan), records, key, cluster)
    return counts.reshape(len(plan.slice_names), *plan.grid.shape)


def by_cell(
    plan: PlanOfPoints, place: Placed, records: Records | Held, key: bytes, cluster: Spark | None = None
) -> Int64:
    """The number of points of each cell of all slices, or of a plan with a value the units in both layers of each, int64 (cells,)."""
    counted = points_by_cell if plan.value is None else units_by_cell
    return counted(plan, place, records, key, cluster)


def units_by_cell(
    plan: PlanOfPoints, place: Placed, records: Records | Held, key: bytes, cluster: Spark | None = None
) -> Int64:
    """The units of a value in each cell of both layers of all slices, int64 (cells,), as `Plan.layers` says; `place` says which cell
    among those of all slices is a record's, without layers.
    """
    counts = np.zeros(plan.cells, dtype=np.int64)
    with closing(_units(plan, place, records, key, cluster)) as answer:
        for cell, units in answer:
            np.add.at(counts, cell, units)
    return counts


def points_by_cell(
    plan: PlanOfRecords, place: Placed, records: Records | Held, key: bytes, cluster: Spark | None = None
) -> Int64:
    """The number of points of each cell of all slices, int64 (cells,), whatever is a cell: `place` says which is a record's."""
    counts = np.zeros(plan.cells, dtype=np.int64)
    if plan.unit != "person" and cluster is None:
        # Part by part, in one pass: what the engine's sum would give.
        for cells in in_order(lambda part: [place(table) for table in read_part(records, part)], records.parts):
            for each in cells:
                _add(each, counts)
    else:
        with closing(parts_of_some(plan, plan.cells, place, records, key, cluster)) as answer:
            for cell, points in answer:
                counts[cell] += points
    return counts


def occupied_cells(
    plan: Plan, records: Records | Held, key: bytes, cluster: Spark | None = None
) -> tuple[OccupiedCells, ...]:
    """The number of points of the cells of each slice that hold any; arguments as those of `tally`."""
    place = partial(cells_of, plan)
    if plan.value is None:
        cell, summed = points_of_some(plan, plan.cells, place, records, key, cluster)
    else:
        with closing(_units(plan, place, records, key, cluster)) as answer:
            cell, summed = _added_up(answer)
    ends = np.searchsorted(cell, np.arange(len(plan.slice_names) + 1) * plan.grid.cells)
    return tuple(
        occupied(plan.grid.shape, cell[begin:end] - at * plan.grid.cells, summed[begin:end])
        for at, (begin, end) in enumerate(pairwise(ends.tolist()))
    )


def points_of_some(
    plan: PlanOfRecords, many: int, place: Placed, records: Records | Held, key: bytes, cluster: Spark | None = None
) -> Numbers:
    """The cells, of so many, that hold any points, ascending, and how many; further arguments as those of `points_by_cell`."""
    with closing(parts_of_some(plan, many, place, records, key, cluster)) as answer:
        return _added_up(answer)


def parts_of_some(
    plan: PlanOfRecords, many: int, place: Placed, records: Records | Held, key: bytes, cluster: Spark | None = None
) -> Generator[Numbers, None, None]:
    """The engine's answer, cell by cell, of so many, and points of it, as it hands it over: for who needs not hold all of it. The same cell
    may stand there several times.
    """
    person = plan.unit == "person"
    schema, text = (PERSONS, PERSONS_SQL) if person else (CELLS, POINTS_SQL)
    read = partial(persons, plan, place, records) if person else partial(counted, many, place, records)
    bounds = bounds_of(key, plan.most, 1) if plan.distinct else bounds_of(key, plan.most)
    tables = {"bounds": bounds} if person else {}
    if cluster is not None:
        answer = cluster.run(text, {"records": Parts(schema, records.parts, read), **tables})
    else:
        parts = in_order(lambda part: list(read(part)), records.parts)
        batches = (batch for part in parts for batch in part)
        if person:
            answer = run_by_person(text, CELL, batches, tables)
        else:
            answer = duck.run(text, {"records": pa.RecordBatchReader.from_batches(schema, batches)})
    with closing(answer):
        for batch in answer:
            cell, points = (column.to_numpy(zero_copy_only=False) for column in batch.columns)
            yield cell, points


def _added_up(answer: Iterable[Numbers]) -> Numbers:
    """Each cell once, ascending, with the sum of all that stands there of it."""
    none = np.empty(0, dtype=np.int64)
    cell, points = (np.concatenate(each) for each in zip((none, none), *answer, strict=True))
    cell, place = np.unique(cell, return_inverse=True)
    summed = np.zeros(len(cell), dtype=np.int64)
    np.add.at(summed, place, points)
    return cell, summed


def _units(
    plan: PlanOfPoints, place: Placed, records: Records | Held, key: bytes, cluster: Spark | None
) -> Generator[Numbers, None, None]:
    """Cells of all layers that hold any units of a value, and how many; the same cell may stand there several times.

    Records are counted by slice, cell and value, whole and clamped, so that the engines count, and keep of a person, what they count of
    points; each is then so many units above the lower bound in the first layer of its slice, and below the upper one in the second.
    """
    assert plan.value is not None
    width = plan.value.width
    slices = 1 if plan.slices is None else len(plan.slices.labels)
    cells = plan.cells // (2 * slices)
    codes = slices * cells * (width + 1)
    with closing(parts_of_some(plan, codes, partial(coded, plan, place), records, key, cluster)) as answer:
        for code, points in answer:
            whole, above = np.divmod(code, width + 1)
            at, cell = np.divmod(whole, cells)
            yield 2 * at * cells + cell, above * points
            yield (2 * at + 1) * cells + cell, (width - above) * points


def coded(plan: PlanOfPoints, place: Placed, table: pa.Table) -> Int64:
    """int64 (records,): slice and cell of each record times the values from bound to bound, plus the value; -1 for one that is dropped."""
    assert plan.value is not None
    cells, units = place(table), units_of(plan, table)
    return np.where((cells >= 0) & (units >= 0), cells * (plan.value.width + 1) + units, -1)


def counted(many: int, place: Placed, records: Records | Held, part: Part) -> Iterator[pa.RecordBatch]:
    """The points of a part by cell, of so many, as CELLS has them."""
    if many > DENSE:
        for table in read_part(records, part):
            cells = place(table)
            cell, points = np.unique(cells[cells >= 0], return_counts=True)
            yield pa.record_batch([cell, points.astype(np.int64)], schema=CELLS)
        return
    dense = np.zeros(many, dtype=np.int64)
    for table in read_part(records, part):
        _add(place(table), dense)
    cell = np.flatnonzero(dense)
    yield pa.record_batch([cell, dense[cell]], schema=CELLS)


@compiled
def _add(cells: Int64, dense: Int64) -> None:
    for cell in cells:
        if cell >= 0:
            dense[cell] += 1


def persons(plan: PlanOfRecords, place: Placed, records: Records | Held, part: Part) -> Iterator[pa.RecordBatch]:
    """The points of a part with their persons, as PERSONS has them."""
    for table in read_part(records, part):
        cells, person = pa.array(place(table)), labels(table[plan.columns.person])
        rows_of_all = pc.and_(pc.greater_equal(cells, 0), person.is_valid())
        yield pa.record_batch([person.filter(rows_of_all), cells.filter(rows_of_all)], schema=PERSONS)
