"""The noisy measurements of a release, read back from its folder and checked against its public plan."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from starling.tables import cells
from starling.tables.artifact.data import NARROW, WIDE, measurements_path, measurements_schema
from starling.tables.desiderata import Broken, Wish
from starling.tables.measurements import TOTAL_ONLY, Int64, LevelMeasurements
from starling.tables.plan import Level


def read_measurements(folder: Path, level: Level, regions: tuple[str, ...]) -> LevelMeasurements:
    """What `write_measurements` wrote of a level.

    Raises:
        Broken: the file does not hold every group of the plan, in plan order, with the branch that its first noisy total
            asks for and as many numbers as that branch has.
    """
    name = measurements_path(level)
    try:
        with pq.ParquetFile(folder / name) as file:
            if not any(file.schema_arrow.equals(measurements_schema(number)) for number in (NARROW, WIDE)):
                raise Broken(Wish.INTEGRALITY, name, "has other columns or types than measurements, which are integers")
            if file.metadata.num_rows != len(regions) * len(level.iterations):
                raise Broken(Wish.GROUPS, name, "does not hold one row for each group of the plan")
            reader = _Reader(name, level, regions)
            parts = [reader.part(file.read_row_group(index)) for index in range(file.num_row_groups)]
    except (OSError, pa.ArrowException):
        raise Broken(Wish.FORMS, name, "cannot be read as Parquet") from None
    empty = np.zeros(0, dtype=np.int64)
    parts = parts or [LevelMeasurements(empty, empty.astype(np.int8), empty)]
    return LevelMeasurements(
        np.concatenate([part.stage1 for part in parts]),
        np.concatenate([part.branch for part in parts]),
        np.concatenate([part.values for part in parts]),
    )


class _Reader:
    """Reads the groups of a level in slices, in plan order."""

    def __init__(self, name: str, level: Level, regions: tuple[str, ...]) -> None:
        self._name = name
        self._regions = pa.array(regions, pa.string())
        self._iterations = pa.array([iteration.code for iteration in level.iterations], pa.string())
        self._total_only = level.total_only
        self._thresholds = np.array(level.thresholds, dtype=np.int64)
        self._read = 0

    def part(self, table: pa.Table) -> LevelMeasurements:
        """The next groups."""
        table = table.combine_chunks()
        group = np.arange(self._read, self._read + len(table))
        self._read += len(table)
        region, iteration = np.divmod(group, max(len(self._iterations), 1))
        labels = ((table["region_id"], self._regions, region), (table["iteration_code"], self._iterations, iteration))
        if not all(np.array_equal(_positions(column, names), index) for column, names, index in labels):
            raise Broken(Wish.GROUPS, self._name, "has its groups in another order than the plan")
        stage1, missing = table["stage_1"].fill_null(0), table["stage_1"].is_null()
        measured = LevelMeasurements(
            _int64(stage1), _int64(table["branch"].fill_null(0)).astype(np.int8), self._values(table)
        )
        once = self._total_only[iteration]
        branch = np.searchsorted(self._thresholds, measured.stage1, side="right").astype(np.int8)
        branch[once] = TOTAL_ONLY
        if (
            table["branch"].null_count
            or not np.array_equal(measured.branch, branch)
            or not np.array_equal(_int64(missing), once)
        ):
            raise Broken(
                Wish.ADAPTIVITY,
                self._name,
                "has a branch that its first noisy total and the plan's thresholds do not give",
            )
        return measured

    def _values(self, table: pa.Table) -> Int64:
        """All second measurements, end to end."""
        sizes = np.array(cells.BRANCH_CELLS)[np.clip(_int64(table["branch"].fill_null(0)), 0, 3)]
        lists = table["stage_2"]
        lengths = pc.list_value_length(lists).fill_null(-1)
        values = pc.list_flatten(lists)
        if not np.array_equal(_int64(lengths), sizes) or values.null_count:
            raise Broken(Wish.ADAPTIVITY, self._name, "has more or fewer numbers for a group than its branch has cells")
        return _int64(values)


def _positions(column: pa.ChunkedArray, names: pa.Array) -> Int64:
    """Where each label stands in `names`; -1 for one that does not."""
    found = []
    for chunk in column.chunks:
        place = _int64(pc.index_in(chunk.dictionary, names).fill_null(-1))
        index = _int64(chunk.indices.fill_null(-1))
        # One more place, at the end, for a label that is missing.
        found.append(np.append(place, -1)[index])
    return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)


def _int64(column: pa.ChunkedArray | pa.Array) -> Int64:
    numbers: Int64 = column.to_numpy(zero_copy_only=False).astype(np.int64)
    return numbers
