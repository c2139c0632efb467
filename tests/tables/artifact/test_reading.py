"""Measurements come back as they were written, and no others are taken for those of the plan."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.errors import IntegrityError
from starling.tables.artifact import data
from starling.tables.artifact.data import write_measurements
from starling.tables.artifact.reading import read_measurements
from starling.tables.measurements import TOTAL_ONLY, LevelMeasurements
from starling.tables.plan import GeographyLevel, Level
from tests.tables.small import small_plan

LEVEL = small_plan().levels[0]
REGIONS = ("01", "02", "04")
BRANCH = np.array([0, 3, TOTAL_ONLY, 1, 2, TOTAL_ONLY, 0, 0, TOTAL_ONLY], dtype=np.int8)
VALUES = int(sum((1, 46, 1, 8, 18, 1, 1, 1, 1)))


def measured(scale: int = 1) -> LevelMeasurements:
    stage1 = np.array([4, 20, 0, 9, 19, 0, -7, 0, 0], dtype=np.int64)
    return LevelMeasurements(stage1, BRANCH, (np.arange(VALUES) - 30) * scale)


def folder_of(tmp_path: Path) -> Path:
    (tmp_path / "data" / "measurements").mkdir(parents=True)
    return tmp_path / "data" / "measurements"


def rewrite(folder: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    path = folder / "state-2.parquet"
    pq.write_table(change(pq.read_table(path)), path)


@pytest.mark.parametrize("groups", [1, 2, 1000])
@pytest.mark.parametrize(("scale", "number"), [(1, "int32"), (2**40, "int64")])
def test_they_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, groups: int, scale: int, number: str) -> None:
    monkeypatch.setattr(data, "GROUPS", groups)
    folder = folder_of(tmp_path)
    write_measurements(folder, LEVEL, REGIONS, measured(scale))
    schema = pq.read_schema(folder / "state-2.parquet")
    assert str(schema.field("stage_1").type) == number
    assert number in str(schema.field("stage_2").type)
    again = read_measurements(tmp_path, LEVEL, REGIONS)
    for name in ("stage1", "branch", "values"):
        assert np.array_equal(getattr(again, name), getattr(measured(scale), name))
        assert getattr(again, name).dtype == getattr(measured(scale), name).dtype


def test_a_level_without_regions_comes_back(tmp_path: Path) -> None:
    nothing = np.zeros(0, dtype=np.int64)
    write_measurements(folder_of(tmp_path), LEVEL, (), LevelMeasurements(nothing, nothing.astype(np.int8), nothing))
    assert len(read_measurements(tmp_path, LEVEL, ()).branch) == 0


def column(name: str, values: Sequence[object]) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        place = table.column_names.index(name)
        made = pa.array(
            values,
            table.field(name).type.value_type if name in ("region_id", "iteration_code") else table.field(name).type,
        )
        return table.set_column(
            place, table.field(name), made.dictionary_encode() if name in ("region_id", "iteration_code") else made
        )

    return change


CELLS: list[object] = [[0] * size for size in (1, 46, 1, 8, 18, 1, 1, 1, 1)]
ORDER = "has its groups in another order"
CHANGES: dict[str, tuple[Callable[[pa.Table], pa.Table], str]] = {
    "rows left out": (lambda table: table.slice(1), "one row for each group"),
    "rows added": (lambda table: pa.concat_tables([table, table]), "one row for each group"),
    "rows swapped": (lambda table: table.take(pa.array([1, 0, *range(2, 9)])), ORDER),
    "another region": (column("region_id", ["01"] * 8 + ["05"]), ORDER),
    "a missing region": (column("region_id", ["01"] * 8 + [None]), ORDER),
    "another iteration": (column("iteration_code", ["0001"] * 9), ORDER),
    "a first total": (column("stage_1", [5, 20, None, 9, 19, None, -7, 0, None]), "has a branch"),
    "a first total that was none": (column("stage_1", [4, 20, 0, 9, 19, None, -7, 0, None]), "has a branch"),
    "a missing first total": (column("stage_1", [None, 20, None, 9, 19, None, -7, 0, None]), "has a branch"),
    "a branch": (column("branch", [1, *BRANCH.tolist()[1:]]), "more or fewer numbers"),
    "an absurd branch": (column("branch", [0, 3, -1, 1, 2, -1, 0, 0, 100]), "more or fewer numbers|has a branch"),
    "a missing branch": (column("branch", [None, *BRANCH.tolist()[1:]]), "has a branch"),
    "fewer cells": (column("stage_2", [*CELLS[:1], [0] * 45, *CELLS[2:]]), "more or fewer numbers"),
    "missing cells": (column("stage_2", [None, *CELLS[1:]]), "more or fewer numbers"),
    "a missing cell": (column("stage_2", [[None], *CELLS[1:]]), "more or fewer numbers"),
    "a column": (lambda table: table.drop_columns(["branch"]), "other columns or types"),
}


@pytest.mark.parametrize(("change", "expected"), CHANGES.values(), ids=CHANGES)
def test_others_are_refused(tmp_path: Path, change: Callable[[pa.Table], pa.Table], expected: str) -> None:
    folder = folder_of(tmp_path)
    write_measurements(folder, LEVEL, REGIONS, measured())
    rewrite(folder, change)
    with pytest.raises(IntegrityError, match=expected):
        read_measurements(tmp_path, LEVEL, REGIONS)


def test_numbers_of_other_types_are_refused(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    write_measurements(folder, LEVEL, REGIONS, measured())
    rewrite(folder, lambda table: table.set_column(2, "stage_1", table["stage_1"].cast(pa.float64())))
    with pytest.raises(IntegrityError, match="other columns or types"):
        read_measurements(tmp_path, LEVEL, REGIONS)


def test_a_file_that_is_no_parquet_is_refused(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    for text in ("", "PAR1", "PAR1" * 100):
        (folder / "state-2.parquet").write_text(text)
        with pytest.raises(IntegrityError, match="cannot be read"):
            read_measurements(tmp_path, LEVEL, REGIONS)
    (folder / "state-2.parquet").unlink()
    with pytest.raises(IntegrityError, match="cannot be read"):
        read_measurements(tmp_path, LEVEL, REGIONS)


def test_the_level_is_that_of_the_plan() -> None:
    assert isinstance(LEVEL, Level)
    assert LEVEL.geography is GeographyLevel.STATE
    assert LEVEL.total_only.tolist() == [False, False, True]
