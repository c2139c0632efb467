"""Files of noisy numbers of groups: Parquet, a row for each group of a level in plan order, a row group for each piece.

Every group of the plan is there, empty or suppressed ones too. All numbers are int64, so that the type depends on no value.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from starling.release.checks import FORMS, InvalidRelease
from starling.release.encrypted import Create
from starling.tables.artifact.columns import GROUPS, INTEGRALITY
from starling.tables.plan import MOST_GROUPS, Geography, Level, Piece
from starling.tables.postprocess.rows import coded

COMPRESSION: Final = "zstd"
LABELS: Final = pa.dictionary(pa.int32(), pa.string())
GROUP: Final = (("region_id", LABELS), ("iteration_code", LABELS))
"""The columns that say the group."""


@contextmanager
def writing(create: Create, name: str, schema: pa.Schema) -> Iterator[pq.ParquetWriter]:
    """A writer of a new file of a release, which `create` makes. Raises OSError."""
    # Statistics of noise tell nothing.
    with (
        create(name) as file,
        pq.ParquetWriter(file, schema, compression=COMPRESSION, write_statistics=False) as writer,
    ):
        yield writer


def labels(geography: Geography, level: Level, piece: Piece) -> list[pa.Array]:
    """The columns GROUP of a piece."""
    region, iteration = np.divmod(np.arange(piece.groups), max(piece.iterations, 1))
    return [
        coded(region, geography.regions[level.geography][piece.first : piece.stop]),
        coded(iteration, tuple(each.code for each in level.iterations)),
    ]


class GroupFile:
    """A file, and its pieces, one in each row group. Raises InvalidRelease where it cannot hold the groups of the level.

    Args:
        folder: The folder of the release.
        name: The path of the file there.
        schema: Its columns.
        geography: The public regions.
        level: The level whose groups it holds.
        number: The number that its pieces have for a level.
    """

    def __init__(
        self, folder: Path, name: str, schema: pa.Schema, geography: Geography, level: Level, number: int
    ) -> None:
        self._name, self._path = name, folder / name
        self._regions = pa.array(geography.regions[level.geography], pa.string())
        self._iterations = pa.array([iteration.code for iteration in level.iterations], pa.string())
        try:
            with pq.ParquetFile(self._path) as file:
                self._stated = file.metadata
                stored = file.schema_arrow
        except (OSError, pa.ArrowException):
            raise self.invalid(FORMS, "cannot be read as Parquet") from None
        if not stored.equals(schema):
            raise self.invalid(INTEGRALITY, "has other columns or types than measurements, which are integers")
        self.pieces = self._pieces(number)

    def invalid(self, check: str, problem: str) -> InvalidRelease:
        """The error of a file that is not what was drawn."""
        return InvalidRelease(check, self._name, problem)

    def table(self, index: int, piece: Piece) -> pa.Table:
        """A row group, whose groups are those of the piece; several threads may read."""
        try:
            # Opened for each: one open file is not for several threads.
            with pq.ParquetFile(self._path, metadata=self._stated) as file:
                table = file.read_row_group(index, use_threads=False).combine_chunks()
        except (OSError, pa.ArrowException):
            raise self.invalid(FORMS, "cannot be read as Parquet") from None
        region, iteration = np.arange(piece.regions, dtype=np.int32), np.arange(piece.iterations, dtype=np.int32)
        regions = self._regions.slice(piece.first, piece.regions)
        columns = (
            (table["region_id"], regions, np.repeat(region, piece.iterations)),
            (table["iteration_code"], self._iterations, np.tile(iteration, piece.regions)),
        )
        if not all(np.array_equal(_positions(column, names), index) for column, names, index in columns):
            raise self.invalid(GROUPS, "has its groups in another order than the plan")
        return table

    def _pieces(self, number: int) -> tuple[Piece, ...]:
        rows = [self._stated.row_group(index).num_rows for index in range(self._stated.num_row_groups)]
        iterations = len(self._iterations)
        if sum(rows) != len(self._regions) * iterations:
            raise self.invalid(GROUPS, "does not hold one row for each group of the plan")
        if any(each % iterations or each > max(MOST_GROUPS, iterations) for each in rows):
            raise self.invalid(FORMS, f"has row groups that are not whole regions, of at most {MOST_GROUPS:,} groups")
        ends = [0, *accumulate(each // iterations for each in rows)]
        return tuple(Piece(number, first, stop, iterations) for first, stop in pairwise(ends))


def _positions(column: pa.ChunkedArray, names: pa.Array) -> npt.NDArray[np.int32]:
    """Where each label stands in `names`; -1 for one that does not."""
    parts = []
    for chunk in column.chunks:
        place = pc.index_in(chunk.dictionary, names).fill_null(-1).to_numpy(zero_copy_only=False)
        index = chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        if chunk.null_count or not np.array_equal(place, np.arange(len(place))):
            # One more place, at the end, for a label that is missing.
            index = np.append(place, np.int32(-1))[index]
        parts.append(index)
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)
