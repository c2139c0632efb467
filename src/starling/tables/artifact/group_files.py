"""Files of noisy numbers of groups: Parquet, a row for each group of a level in plan order, a row group for each piece.

Every group of the plan is there, empty or suppressed ones too. All numbers are int64, so that the type depends on no value.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from starling.engine.machine import in_order
from starling.release.checks import FORMS, InvalidRelease
from starling.release.encrypted import Create
from starling.release.table_files import COMPRESSION
from starling.tables.artifact.columns import GROUPS, INTEGRALITY
from starling.tables.plan import MOST_GROUPS, Geography, Level, Piece
from starling.tables.postprocess.rows import coded

T = TypeVar("T")

LABELS: Final = pa.dictionary(pa.int32(), pa.string())
GROUP: Final = (("region_id", LABELS), ("iteration_code", LABELS))
"""The columns that say the group."""


@contextmanager
def reading(path: str) -> Iterator[None]:
    """While a file of a release is read, by its path in the folder; raises InvalidRelease where it cannot be."""
    try:
        yield
    except (OSError, pa.ArrowException):
        raise InvalidRelease(FORMS, path, "cannot be read as Parquet") from None


def lists_of(numbers: npt.NDArray[Any], kind: pa.DataType) -> pa.LargeListArray:
    """A list of each row of numbers, (rows, numbers of each)."""
    starts = pa.array(np.arange(len(numbers) + 1) * numbers.shape[1])
    return pa.LargeListArray.from_arrays(starts, pa.array(numbers.ravel(), kind.value_type)).cast(kind)


def numbers_in(column: pa.ChunkedArray, lengths: int | npt.NDArray[np.int64]) -> pa.Array | None:
    """The numbers in lists of these lengths, end to end; None where a list has another one, or something is missing."""
    lists = column.combine_chunks()
    values = lists.flatten()
    missing = lists.null_count or values.null_count or (np.diff(lists.offsets.to_numpy()) != lengths).any()
    return None if missing else values


def write_pieces(
    create: Create,
    files: Sequence[tuple[str, pa.Schema]],
    drawn: Iterable[T],
    table_of: Callable[[T], tuple[int, pa.Table]],
) -> None:
    """Write the pieces as they come, a thread writing while the next is drawn.

    `create` makes each file for the first time: what was drawn is never drawn over. `files` are path and columns of each level or
    aggregate, `drawn` each piece once, and `table_of` gives the number of the file of a piece, and its rows.

    Raises:
        OSError: the disk is full or fails, or there are measurements already.
    """
    with ExitStack() as stack:
        writers = []
        for name, schema in files:
            file = stack.enter_context(create(name))
            # Statistics of noise tell nothing.
            writer = pq.ParquetWriter(file, schema, compression=COMPRESSION, write_statistics=False)
            writers.append(stack.enter_context(writer))

        def write(piece: T) -> None:
            number, table = table_of(piece)
            writers[number].write_table(table, row_group_size=max(len(table), 1))

        for _ in in_order(write, drawn, workers=1):
            continue


@dataclass(frozen=True)
class Repeated(Generic[T]):
    """Pieces that are made anew each time they are iterated."""

    make: Callable[[], Iterator[T]]

    def __iter__(self) -> Iterator[T]:
        return self.make()


def read_pieces(files: Callable[[], Iterable["GroupFile[T]"]]) -> Repeated[tuple[Piece, T]]:
    """The pieces of files, in their order; iterating raises InvalidRelease as the files do."""

    def row_groups() -> Iterator[tuple[GroupFile[T], int, Piece]]:
        return ((file, index, piece) for file in files() for index, piece in enumerate(file.pieces))

    # Threads read a little ahead of the piece that is worked on.
    return Repeated(lambda: in_order(lambda group: (group[2], group[0].read(*group[1:])), row_groups()))


def labels(geography: Geography, level: Level, piece: Piece) -> list[pa.Array]:
    """The columns GROUP of a piece."""
    region, iteration = np.divmod(np.arange(piece.groups), max(piece.iterations, 1))
    return [
        coded(region, geography.regions[level.geography][piece.first : piece.stop]),
        coded(iteration, [each.code for each in level.iterations]),
    ]


class GroupFile(ABC, Generic[T]):
    """A file, and its pieces, one in each row group. Raises InvalidRelease where it cannot hold the groups of the level.

    `name` is the path in the folder of the release, and `number` what its pieces have for a level.
    """

    def __init__(
        self, folder: Path, name: str, schema: pa.Schema, geography: Geography, level: Level, number: int
    ) -> None:
        self._name, self._path = name, folder / name
        self._regions = pa.array(geography.regions[level.geography], pa.string())
        self._iterations = pa.array([iteration.code for iteration in level.iterations], pa.string())
        with reading(name), pq.ParquetFile(self._path) as file:
            self._stated = file.metadata
            stored = file.schema_arrow
        if not stored.equals(schema):
            raise self.invalid(INTEGRALITY, "has other columns or types than measurements, which are integers")
        self.pieces = self._pieces(number)

    @abstractmethod
    def read(self, index: int, piece: Piece) -> T:
        """What was drawn of a piece, from its row group; several threads may read."""

    def invalid(self, check: str, problem: str) -> InvalidRelease:
        """The error of a file that is not what was drawn."""
        return InvalidRelease(check, self._name, problem)

    def table(self, index: int, piece: Piece) -> pa.Table:
        """A row group, whose groups are those of the piece; several threads may read."""
        # Opened for each: one open file is not for several threads.
        with reading(self._name), pq.ParquetFile(self._path, metadata=self._stated) as file:
            table = file.read_row_group(index, use_threads=False).combine_chunks()
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
