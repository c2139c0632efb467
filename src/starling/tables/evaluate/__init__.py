"""A release against the truth: for the custodian's own eyes, never to be published.

What comes out is exact errors, and whoever has a release and its errors has the counts. So it goes by the second way, `trust.inspect`,
and is marked `NotPrivate`, which no release, worker or server takes.

Errors are given by level, by the group's true size, by the branch it took and by the kind of number. A group that is not in T1 was
suppressed; such groups, and the persons counted in them, are counted by level and size. Persons are in several groups each.
"""

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from starling.engine.held_records import check_session
from starling.engine.spark import DUCKDB, check_engine, cluster_for
from starling.errors import ParameterError, SourceError
from starling.privacy.trust import NotPrivate, inspect
from starling.tables.counts import GroupCounts, count
from starling.tables.evaluate.aggregates import compare_aggregates
from starling.tables.evaluate.detail_rows import DetailRows
from starling.tables.evaluate.errors import NUMBERS, SIZES, Class, Errors, Evaluation, Groups
from starling.tables.measurements import Int64
from starling.tables.mechanism import ExactCounts
from starling.tables.plan import MOST_GROUPS, Geography, Level, Plan, pieces
from starling.tables.plan.detail import TOTAL_ONLY
from starling.tables.plan.labels import level_title
from starling.tables.source import Opened

BATCH: Final = 1 << 18
"""Rows of a release that are compared at a time."""


def evaluate(
    plan: Plan, geography: Geography, persons: Opened, release: Path, *, engine: str = DUCKDB
) -> NotPrivate[Evaluation]:
    """Compare a release with the exact counts it was drawn from.

    Args:
        plan: The plan of the release.
        geography: The geography of the release.
        persons: The records it was made from, opened.
        release: The folder of the release, with data/t1.parquet and data/t2.parquet.
        engine: Counts: duckdb, or spark://local, or the spark://HOST:PORT of a cluster. The counts are the same.

    Raises:
        ParameterError: when there is no such engine, it does not reach the records, or it does not start; or of cross tables.
        SourceError: when the folder holds no tables, or tables of another plan or geography.
    """
    if plan.cross is not None:
        problem = "has cross tables, which are not compared with their records yet"
        raise ParameterError("plan", problem, "preview says how far each number may be off")
    check_engine(engine)
    check_session(persons.files, engine)
    tables = Published(release) if plan.levels else None

    def compared(exact: GroupCounts) -> Evaluation:
        counts = Evaluation(plan.title, {}, (), (), {}) if tables is None else compare(plan, geography, tables, exact)
        return replace(counts, aggregates=compare_aggregates(plan, geography, release, exact))

    with cluster_for(engine, persons.files, persons.sizes) as cluster:
        exact = count(plan, geography, persons, cluster=cluster)
        return inspect(exact.map(compared))


def with_truth(plan: Plan, geography: Geography, persons: Opened, release: Path) -> NotPrivate[pa.Table]:
    """The published totals with the true count of each: T1 of a release and a column `truth`.

    Args and errors as of `evaluate`, but for the engine.
    """
    tables = Published(release)

    def compared(exact: ExactCounts) -> pa.Table:
        parts = []
        for piece in pieces(plan, geography):
            level, totals = plan.levels[piece.level], exact.totals(piece)
            for group, batch in tables.rows("t1", level, geography.regions[level.geography][piece.first : piece.stop]):
                parts.append(pa.Table.from_batches([batch]).append_column("truth", pa.array(totals[group])))
        return pa.concat_tables(parts)

    return inspect(count(plan, geography, persons).map(compared))


class Published:
    """The tables of a release folder, read piece by piece in batches; raises SourceError where one is missing or not readable."""

    def __init__(self, folder: Path) -> None:
        self._tables: dict[str, ds.Dataset] = {}
        for name in ("t1", "t2"):
            try:
                self._tables[name] = ds.dataset(folder / "data" / f"{name}.parquet", format="parquet")
            except (OSError, pa.ArrowException, ValueError):
                raise _refused(name, "is missing or not readable as Parquet", "give the folder of a release") from None

    def rows(self, name: str, level: Level, regions: tuple[str, ...]) -> Iterator[tuple[Int64, pa.RecordBatch]]:
        """The rows of some neighbouring regions of a level, and the group of each among these regions' groups."""
        codes = pa.array([iteration.code for iteration in level.iterations], pa.string())
        known = pa.array(regions, pa.string())
        if not regions:
            return
        # A range of regions, so that what lies elsewhere in the file is not even read.
        region = ds.field("region_id")
        here = (ds.field("region_type") == str(level.geography)) & (region >= regions[0]) & (region <= regions[-1])
        here &= ds.field("iteration_code").isin(codes)
        for batch in self._tables[name].to_batches(filter=here, batch_size=BATCH):
            position = pc.index_in(batch["region_id"].cast(pa.string()), known)
            if position.null_count:
                raise _refused(name, "has a region that the geography has not", "give the geography of the release")
            iteration = pc.index_in(batch["iteration_code"].cast(pa.string()), codes)
            yield _numbers(position) * len(codes) + _numbers(iteration), batch

    def sizes(self) -> tuple[int, int]:
        """Rows of T1 and of T2."""
        return self._tables["t1"].count_rows(), self._tables["t2"].count_rows()


def _refused(name: str, problem: str, fix: str) -> SourceError:
    return SourceError(f"data/{name}.parquet", problem, fix)


def _numbers(values: pa.Array) -> Int64:
    numbers: Int64 = values.to_numpy(zero_copy_only=False).astype(np.int64)
    return numbers


def compare(
    plan: Plan, geography: Geography, tables: Published, exact: ExactCounts, *, most_groups: int = MOST_GROUPS
) -> Evaluation:
    """The errors of published tables, given the exact counts: what runs within the trust boundary, piece by piece.

    Raises:
        SourceError: when the tables are of another plan or geography.
    """
    rows = DetailRows(plan.detail)
    levels = [_Level(level, rows) for level in plan.levels]
    for piece in pieces(plan, geography, most_groups):
        level = plan.levels[piece.level]
        regions = geography.regions[level.geography][piece.first : piece.stop]
        part = _Part(levels[piece.level], regions, tables, exact.totals(piece))
        part.read_t2(partial(exact.cells, piece))
        part.read_t1()
    if tuple(sum(summed.rows[table] for summed in levels) for table in (0, 1)) != tables.sizes():
        raise _refused("t1", "or t2 has rows that are in no level of the plan", "give the plan of the release")
    titles = {level.name: level_title(plan, level) for level in plan.levels}
    classes = tuple(each for summed in levels for each in summed.classes())
    groups = tuple(each for summed in levels for each in summed.groups())
    return Evaluation(plan.title, titles, classes, groups, plan.detail.names)


class _Level:
    """What the pieces of a level add up to: rows of T1 and of T2, sums of each field of Errors by kind of number, size and branch, and
    three numbers of each size class: groups, groups that are not published, persons in those.
    """

    def __init__(self, level: Level, known: DetailRows) -> None:
        self.level, self.known = level, known
        self.branches = len(known.detail.branches)
        self.rows = [0, 0]
        self.sums = np.zeros((len(fields(Errors)), len(NUMBERS) * len(SIZES) * self.branches))
        self.sizes = np.zeros((3, len(SIZES)), dtype=np.int64)

    def classes(self) -> Iterator[Class]:
        """The errors of all numbers that were read."""
        for kind in np.flatnonzero(self.sums[0]).tolist():
            number_and_size, branch = divmod(kind, self.branches)
            number, size = divmod(number_and_size, len(SIZES))
            rows, error, absolute, square, variance, covered = self.sums[:, kind].tolist()
            errors = Errors(int(rows), error, absolute, square, variance, int(covered))
            yield Class(self.level.name, SIZES[size], branch - 1, NUMBERS[number], errors)

    def groups(self) -> list[Groups]:
        """The groups of every size class that has any."""
        return [
            Groups(self.level.name, SIZES[size], *map(int, self.sizes[:, size]))
            for size in np.flatnonzero(self.sizes[0])
        ]


class _Part:
    """Some regions of a level beside their exact totals, int64 (groups,) in plan order."""

    def __init__(self, level: _Level, regions: tuple[str, ...], tables: Published, totals: Int64) -> None:
        self._level, self._regions, self._tables, self._totals = level, regions, tables, totals
        self._size = (np.searchsorted(SIZES, totals, side="right") - 1).astype(np.int8)
        self._branch = np.where(np.tile(level.level.total_only, len(regions)), TOTAL_ONLY, 0).astype(np.int8)
        self._published = np.zeros(len(totals), dtype=np.bool_)

    def read_t2(self, cells_of: Callable[[Int64], Int64]) -> None:
        """Which branch each group took, and the errors of its cells; `cells_of` gives exact cells, (groups, cells)."""
        rows = np.zeros(len(self._totals), dtype=np.int16)
        for group, _ in self._batches("t2"):
            each, count = np.unique(group, return_counts=True)
            rows[each] += count.astype(np.int16)
            self._level.rows[1] += len(group)
        known = self._level.known
        for branch in range(1, len(known.detail.sizes)):
            self._branch[rows == known.detail.row_counts[branch]] = branch
        chosen = np.flatnonzero(rows)
        if (self._branch[chosen] <= 0).any():
            raise _refused("t2", "has a group without all of its rows", "give the release as it was written")
        sums = (cells_of(chosen) @ known.holding.T).astype(np.int64)
        for group, batch in self._batches("t2"):
            row = known.numbers(batch)
            if (row < 0).any():
                raise _refused("t2", "has a row that the plan's detail has not", "give the plan of the release")
            truth = sums[np.searchsorted(chosen, group), row]
            self._add(np.where(known.summed[row, self._branch[group]], 1, 2), group, batch, truth)

    def read_t1(self) -> None:
        """The errors of totals, and which groups are published; after `read_t2`."""
        for group, batch in self._batches("t1"):
            self._published[group] = True
            self._level.rows[0] += len(group)
            self._add(np.zeros(len(group), dtype=np.int64), group, batch, self._totals[group])
        gone = ~self._published
        self._level.sizes += np.stack(
            [
                np.bincount(self._size, minlength=len(SIZES)),
                np.bincount(self._size[gone], minlength=len(SIZES)),
                # Whole numbers far below 2^53, so exact as floats.
                np.bincount(self._size[gone], self._totals[gone], len(SIZES)).astype(np.int64),
            ]
        )

    def _batches(self, name: str) -> Iterator[tuple[Int64, pa.RecordBatch]]:
        return self._tables.rows(name, self._level.level, self._regions)

    def _add(self, number: Int64, group: Int64, batch: pa.RecordBatch, truth: Int64) -> None:
        error = _numbers(batch["count"]) - truth
        variance = batch["standard_deviation"].to_numpy(zero_copy_only=False) ** 2
        covered = (_numbers(batch["lower"]) <= truth) & (truth <= _numbers(batch["upper"]))
        kind = (number * len(SIZES) + self._size[group]) * self._level.branches + self._branch[group] + 1
        # In the order of the fields of Errors.
        values = (np.ones(len(error)), error, np.abs(error), error.astype(np.float64) ** 2, variance, covered)
        sums = self._level.sums
        sums += np.stack([np.bincount(kind, value, sums.shape[1]) for value in values])
