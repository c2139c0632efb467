"""Measurements come back as they were written, and no others are taken for those of the plan."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.errors import IntegrityError
from starling.tables.artifact.columns import measurements_path
from starling.tables.artifact.measured import SCHEMA, keep_measurements, read_measurements, read_totals
from starling.tables.measurements import Measured, Measurements
from starling.tables.plan import GeographyLevel, Piece
from starling.tables.plan.detail import TOTAL_ONLY
from tests.release.plain import plain
from tests.tables.small import small_geography, small_plan

REGIONS = ("01", "02", "04")
PLAN = small_plan(geographies=(GeographyLevel.STATE,))
GEOGRAPHY = replace(small_geography(PLAN), regions={GeographyLevel.STATE: REGIONS})
BRANCH = np.array([0, 3, TOTAL_ONLY, 1, 2, TOTAL_ONLY, 0, 0, TOTAL_ONLY], dtype=np.int8)
STAGE1 = np.array([4, 20, 0, 9, 19, 0, -7, 0, 0], dtype=np.int64)
SIZES = (1, 46, 1, 8, 18, 1, 1, 1, 1)
VALUES = np.arange(sum(SIZES)) - 30


def drawn(regions: int = 3, scale: int = 1) -> Measurements:
    """Three states, so many to a piece."""
    ends = np.cumsum([0, *SIZES])
    return tuple(
        (
            Piece(0, first, min(first + regions, 3), 3),
            Measured(STAGE1[here], BRANCH[here], VALUES[ends[here.start] : ends[min(here.stop, 9)]] * scale),
        )
        for first in range(0, 3, regions)
        for here in [slice(3 * first, 3 * first + 3 * regions)]
    )


def keep(folder: Path, pieces: Measurements) -> Measurements:
    return keep_measurements(folder, plain(folder), PLAN, GEOGRAPHY, pieces)


def path_of(folder: Path) -> Path:
    return folder / "data" / "measurements" / "state-2.parquet"


def rewrite(folder: Path, change: Callable[[pa.Table], pa.Table], **options: int) -> None:
    pq.write_table(change(pq.read_table(path_of(folder))), path_of(folder), **options)


def read(folder: Path) -> list[tuple[Piece, Measured]]:
    return list(read_measurements(folder, PLAN, GEOGRAPHY))


@pytest.mark.parametrize("regions", [1, 2, 3])
@pytest.mark.parametrize("scale", [1, 2**40])
def test_they_come_back_piece_by_piece_as_often_as_asked(tmp_path: Path, regions: int, scale: int) -> None:
    expected = drawn(regions, scale)
    remaining = keep(tmp_path, expected)
    for _ in range(2):
        for (piece, measured), (wanted, values) in zip(remaining, expected, strict=True):
            assert piece == wanted
            for name in ("stage1", "branch", "values"):
                assert np.array_equal(getattr(measured, name), getattr(values, name))
                assert getattr(measured, name).dtype == getattr(values, name).dtype


def test_the_file_is_one_row_for_each_group(tmp_path: Path) -> None:
    keep(tmp_path, drawn(2))
    result = pq.read_table(path_of(tmp_path)).to_pydict()
    assert result["region_id"] == ["01"] * 3 + ["02"] * 3 + ["04"] * 3
    assert result["iteration_code"] == ["0001", "0002", "0003"] * 3
    assert result["stage_1"] == [4, 20, None, 9, 19, None, -7, 0, None]
    assert result["branch"] == BRANCH.tolist()
    assert [len(values) for values in result["stage_2"]] == list(SIZES)
    assert np.concatenate(result["stage_2"]).tolist() == VALUES.tolist()


def test_the_types_depend_on_no_value(tmp_path: Path) -> None:
    for scale in (0, 1, 2**50):
        keep(tmp_path / str(scale), drawn(3, scale))
        assert pq.read_schema(path_of(tmp_path / str(scale))).equals(SCHEMA)


def test_what_was_drawn_is_never_drawn_over(tmp_path: Path) -> None:
    keep(tmp_path, drawn())
    before = path_of(tmp_path).read_bytes()
    with pytest.raises(FileExistsError):
        keep(tmp_path, drawn(1))
    assert path_of(tmp_path).read_bytes() == before


def test_a_failure_of_the_drawing_or_of_the_disk_is_not_swallowed(tmp_path: Path) -> None:
    def broken() -> Iterator[tuple[Piece, Measured]]:
        yield from drawn(1)
        raise OverflowError

    with pytest.raises(OverflowError):
        keep_measurements(tmp_path / "drawing", plain(tmp_path / "drawing"), PLAN, GEOGRAPHY, broken())
    full = pytest.MonkeyPatch()
    with full.context() as patch:
        patch.setattr(pq.ParquetWriter, "write_table", lambda *_, **__: (_ for _ in ()).throw(OSError("full")))
        with pytest.raises(OSError, match="full"):
            keep(tmp_path / "disk", drawn(1))


def test_a_level_without_regions_comes_back(tmp_path: Path) -> None:
    nowhere = replace(GEOGRAPHY, regions={GeographyLevel.STATE: ()})
    assert list(keep_measurements(tmp_path, plain(tmp_path), PLAN, nowhere, ())) == []
    assert pq.read_table(path_of(tmp_path)).num_rows == 0


def test_names_tell_the_level() -> None:
    assert measurements_path(small_plan().levels[1]) == "data/measurements/county-2.parquet"
    assert GeographyLevel.PR_TRACT.lower() == "pr-tract"


def column(name: str, values: Sequence[object]) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        place = table.column_names.index(name)
        output = pa.array(
            values,
            table.field(name).type.value_type if name in ("region_id", "iteration_code") else table.field(name).type,
        )
        return table.set_column(
            place, table.field(name), output.dictionary_encode() if name in ("region_id", "iteration_code") else output
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
    keep(tmp_path, drawn())
    rewrite(tmp_path, change)
    with pytest.raises(IntegrityError, match=expected):
        read(tmp_path)


def test_row_groups_are_whole_regions_of_bounded_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(tmp_path, drawn())
    rewrite(tmp_path, lambda table: table, row_group_size=4)
    with pytest.raises(IntegrityError, match="whole regions"):
        read(tmp_path)
    rewrite(tmp_path, lambda table: table, row_group_size=6)
    assert [piece.regions for piece, _ in read(tmp_path)] == [2, 1]
    monkeypatch.setattr("starling.tables.artifact.group_files.MOST_GROUPS", 5)
    with pytest.raises(IntegrityError, match="whole regions"):
        read(tmp_path)


def test_numbers_of_other_types_are_refused(tmp_path: Path) -> None:
    keep(tmp_path, drawn())
    rewrite(tmp_path, lambda table: table.set_column(2, "stage_1", table["stage_1"].cast(pa.float64())))
    with pytest.raises(IntegrityError, match="other columns or types"):
        read(tmp_path)


def test_a_file_that_is_no_parquet_is_refused(tmp_path: Path) -> None:
    path_of(tmp_path).parent.mkdir(parents=True)
    for text in ("", "PAR1", "PAR1" * 100):
        path_of(tmp_path).write_text(text)
        with pytest.raises(IntegrityError, match="cannot be read"):
            read(tmp_path)
    path_of(tmp_path).unlink()
    with pytest.raises(IntegrityError, match="cannot be read"):
        read(tmp_path)


def test_the_level_is_that_of_the_plan() -> None:
    assert PLAN.levels[0].geography is GeographyLevel.STATE
    assert PLAN.levels[0].total_only.tolist() == [False, False, True]


@pytest.mark.parametrize("regions", [1, 2, 3])
def test_totals_of_an_iteration_are_those_of_the_pieces(tmp_path: Path, regions: int) -> None:
    keep(tmp_path, drawn(regions))
    stage1, sums = read_totals(tmp_path, PLAN, GEOGRAPHY, 0)
    assert stage1.tolist() == STAGE1.reshape(3, 3).tolist()
    ends = np.cumsum([0, *SIZES])
    assert sums.ravel().tolist() == [VALUES[first:end].sum() for first, end in pairwise(ends)]
    for column in range(3):
        one = read_totals(tmp_path, PLAN, GEOGRAPHY, 0, column)
        assert [each[:, 0].tolist() for each in one] == [stage1[:, column].tolist(), sums[:, column].tolist()]
    rewrite(tmp_path, lambda table: table.slice(1))
    with pytest.raises(IntegrityError, match="one row for each group"):
        read_totals(tmp_path, PLAN, GEOGRAPHY, 0)
    path_of(tmp_path).write_text("nothing")
    with pytest.raises(IntegrityError, match="Parquet"):
        read_totals(tmp_path, PLAN, GEOGRAPHY, 0)
