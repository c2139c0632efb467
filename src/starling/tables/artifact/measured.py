"""The noisy measurements of a release: one Parquet file a level, a row group for each piece, written as the pieces are drawn.

    region_id, iteration_code  the group
    stage_1                    noisy total, null for a group that is total-only by plan
    branch                     thresholds at or below it, -1 for total-only
    stage_2                    the noisy values of the cells of that branch, in their order

A release that tops up an earlier one has that one's files too, and those that it added to in its turn (`place_of`); each repeats the
first totals and branches, and has new values. Every group of the plan is there, in plan order, empty or suppressed ones too. All numbers
are int64, so that the type depends on no value; the file is no larger for that, since Parquet keeps each distinct number of a piece once
and then its place among them.

They are written encrypted, and nobody can read a part of them before their charge is committed to all of them (release/commitment.py).
"""

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from starling.release.checks import InvalidRelease
from starling.release.encrypted import Create
from starling.tables.artifact.columns import ADAPTIVITY, FOLDER, GROUPS, MEASURED, measurements_path, place_of
from starling.tables.artifact.group_files import (
    GROUP,
    GroupFile,
    Repeated,
    labels,
    numbers_in,
    read_pieces,
    reading,
    write_pieces,
)
from starling.tables.inference.combined import combined
from starling.tables.measurements import Int64, Measured, Measurements, branches, offsets
from starling.tables.plan import Geography, Piece, Plan
from starling.tables.plan.detail import TOTAL_ONLY

SCHEMA: Final = pa.schema({**MEASURED, **dict(GROUP)})


def keep_measurements(
    folder: Path, create: Create, plan: Plan, geography: Geography, drawn: Measurements
) -> Measurements:
    """Write the pieces as they come; what is read from `folder` once they are there. Raises OSError as `write_pieces` does."""

    def table(each: tuple[Piece, Measured]) -> tuple[int, pa.Table]:
        piece, measured = each
        columns = [
            *labels(geography, plan.levels[piece.level], piece),
            pa.array(measured.stage1, mask=measured.branch == TOTAL_ONLY),
            pa.array(measured.branch),
            pa.LargeListArray.from_arrays(pa.array(measured.offsets(plan.detail)), pa.array(measured.values)),
        ]
        return piece.level, pa.table(columns, schema=SCHEMA)

    write_pieces(create, [(measurements_path(level), SCHEMA) for level in plan.levels], drawn, table)
    return read_measurements(folder, plan, geography)


def read_measurements(folder: Path, plan: Plan, geography: Geography, place: str = FOLDER) -> Measurements:
    """What `keep_measurements` wrote; iterating raises InvalidRelease where a file is not that.

    That is: where it does not hold every group of the plan, in plan order, a piece in each row group, with the branch that its first
    noisy total asks for and as many numbers as that branch has.
    """
    return read_pieces(
        lambda: (_LevelFile(folder, plan, geography, number, place) for number in range(len(plan.levels)))
    )


def read_branches(folder: Path, plan: Plan, geography: Geography, number: int) -> npt.NDArray[np.int8]:
    """The branch that each group of a level took, int8 (regions, iterations); raises InvalidRelease where the file has other groups."""
    level = plan.levels[number]
    name = measurements_path(level)
    with reading(name):
        branch = pq.read_table(folder / name, columns=["branch"])["branch"].to_numpy()
    shape = len(geography.regions[level.geography]), len(level.iterations)
    if len(branch) != shape[0] * shape[1]:
        raise InvalidRelease(GROUPS, name, "does not hold one row for each group of the plan")
    read: npt.NDArray[np.int8] = branch.reshape(shape)
    return read


def read_totals(
    folder: Path, plan: Plan, geography: Geography, number: int, column: int | None = None
) -> tuple[Int64, Int64]:
    """Of an iteration of a level, or of all, each group's first noisy total and the sum of its noisy values, int64 (regions, iterations).

    Raises:
        InvalidRelease: the file has other groups.
    """
    level = plan.levels[number]
    name, first, every = measurements_path(level), column or 0, 1 if column is None else len(level.iterations)
    parts: list[tuple[Int64, Int64]] = []
    with reading(name), pq.ParquetFile(folder / name) as file:
        for index in range(file.num_row_groups):
            table = file.read_row_group(index, columns=["stage_1", "stage_2"], use_threads=False).combine_chunks()
            lists = table["stage_2"].combine_chunks()
            starts = lists.offsets.to_numpy()
            ends = np.stack((starts[first:-1:every], starts[first + 1 :: every]), axis=1).ravel()
            # A sum from each start to its end, and one from there to the next start, which is left out.
            sums = np.add.reduceat(np.append(lists.values.to_numpy(), 0), ends)[::2]
            parts.append((table["stage_1"].fill_null(0).to_numpy()[first::every], sums))
    stage1, sums = (np.concatenate(each) for each in zip(*parts, strict=True))
    shape = len(geography.regions[level.geography]), len(level.iterations) if column is None else 1
    if len(stage1) != shape[0] * shape[1]:
        raise InvalidRelease(GROUPS, name, "does not hold one row for each group of the plan")
    return stage1.reshape(shape), sums.reshape(shape)


def with_earlier(folder: Path, plan: Plan, geography: Geography, drawn: Measurements, back: int = 0) -> Measurements:
    """What post-processing begins with: what was drawn, combined with the measurements of the releases that the plan adds to, if any.

    Iterating raises InvalidRelease where they are not of the same groups in the same detail. `plan` is that of the release, or of one that
    it adds to, so many releases back.
    """
    if plan.variants.top_up is None:
        return drawn
    before = read_measurements(folder, plan.earlier, geography, place_of(back + 1))
    published = with_earlier(folder, plan.earlier, geography, before, back + 1)
    return Repeated(lambda: _combined(plan, published, drawn))


def _combined(plan: Plan, earlier: Measurements, later: Measurements) -> Iterator[tuple[Piece, Measured]]:
    """The measurements of two releases, each value made of both."""
    for before, after in zip_longest(earlier, later):
        same = before is not None and after is not None and before[0] == after[0]
        if not same or not np.array_equal(before[1].stage1, after[1].stage1):
            problem = "has other pieces or first totals than the measurements of the earlier release"
            raise InvalidRelease(ADAPTIVITY, FOLDER, problem)
        piece, measured = before
        yield piece, combined(plan, plan.levels[piece.level], measured, after[1])


class _LevelFile(GroupFile[Measured]):
    """The file of one level. Raises InvalidRelease where it cannot hold the groups of the level."""

    def __init__(self, folder: Path, plan: Plan, geography: Geography, number: int, place: str) -> None:
        level = plan.levels[number]
        super().__init__(folder, measurements_path(level, place), SCHEMA, geography, level, number)
        self._total_only = level.total_only
        self._thresholds = level.thresholds
        self._detail = plan.detail

    def read(self, index: int, piece: Piece) -> Measured:
        table = self.table(index, piece)
        stage1, missing = table["stage_1"].fill_null(0).to_numpy(), table["stage_1"].is_null().to_numpy()
        written = table["branch"].fill_null(0).to_numpy()
        # As many second measurements as the branches ask for, which may be any numbers.
        known = np.clip(written, self._detail.branches[0], self._detail.branches[-1])
        values = numbers_in(table["stage_2"], np.diff(offsets(known, self._detail)))
        if values is None:
            raise self.invalid(ADAPTIVITY, "has more or fewer numbers for a group than its branch has cells")
        once = np.tile(self._total_only, piece.regions)
        branch = branches(stage1, self._thresholds)
        branch[once] = TOTAL_ONLY
        if table["branch"].null_count or not np.array_equal(written, branch) or not np.array_equal(missing, once):
            problem = "has a branch that its first noisy total and the plan's thresholds do not give"
            raise self.invalid(ADAPTIVITY, problem)
        return Measured(stage1, written, values.to_numpy())
