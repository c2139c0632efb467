"""What is refused before anything is charged: by the file's public shape alone, with every problem, and never with a record's value."""

import os
from dataclasses import fields, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.errors import PlanError, SourceError
from starling.tables.plan.detail import Detail, DetailAttribute
from starling.tables.source import open_persons
from starling.tables.source.census_records import LONGEST_HEADER, Persons, required_columns
from tests.tables.small import with_records
from tests.tables.source.records import GOOD, PLAN
from tests.tables.worlds import COLUMNS, HEADER

TEXT = pa.string()


def refused(path: Path) -> SourceError:
    with pytest.raises(SourceError) as caught:
        open_persons(path, PLAN)
    assert caught.value.exit_code == 65
    assert all(problem.fix for problem in caught.value.problems)
    return caught.value


def text(folder: Path, raw: bytes) -> Path:
    path = folder / "persons.txt"
    path.write_bytes(raw)
    return path


def parquet(folder: Path, names: tuple[str, ...] = COLUMNS, kind: pa.DataType = TEXT) -> Path:
    path = folder / "persons.parquet"
    pq.write_table(pa.table({name: pa.array(["1"], pa.string()).cast(kind) for name in names}), path)
    return path


def test_a_header_is_enough(tmp_path: Path) -> None:
    persons = open_persons(text(tmp_path, HEADER), PLAN)
    assert (persons.source.form, persons.source.columns, persons.source.header) == ("text", COLUMNS, COLUMNS)


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_header_forms(tmp_path: Path, start: bytes, ending: bytes) -> None:
    assert open_persons(text(tmp_path, start + HEADER + ending + GOOD), PLAN).source.columns == COLUMNS


def test_missing_columns_are_named_all_at_once(tmp_path: Path) -> None:
    names = tuple(name for name in COLUMNS if name not in ("QSEX", "QRACE7"))
    for path in (text(tmp_path, "|".join(names).encode()), parquet(tmp_path, names)):
        error = refused(path)
        assert [problem.field for problem in error.problems] == ["QSEX", "QRACE7"]
        assert all(problem.problem == "is a missing column" and problem.file == path.name for problem in error.problems)


def test_columns_that_are_not_read_may_be_absent(tmp_path: Path) -> None:
    plan = with_records(PLAN, max_race_codes=2)
    assert required_columns(plan)[-3:] == ("QRACE1", "QRACE2", "QSPAN")
    open_persons(text(tmp_path, "|".join(required_columns(plan)).encode()), plan)


def test_columns_twice(tmp_path: Path) -> None:
    error = refused(text(tmp_path, HEADER + b"|QAGE|CENRACE|NOTE|NOTE"))
    assert [problem.field for problem in error.problems] == ["QAGE", "CENRACE"]


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.binary(), pa.bool_()])
def test_parquet_columns_must_be_text(tmp_path: Path, kind: pa.DataType) -> None:
    """28 and 028 are one age but 1 and 001 are not one county: numbers have lost what a code needs."""
    error = refused(parquet(tmp_path, kind=kind))
    assert {problem.field for problem in error.problems} == set(COLUMNS)
    assert f"is of type {kind}, not text" in str(error)


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"", "has no header"),
        (b"\xff\xfe" + HEADER, "has a header that is not UTF-8"),
        (b"x" * (LONGEST_HEADER + 9), "has no line end"),
        (HEADER.replace(b"|", b";"), "is separated by semicolons"),
        (HEADER.replace(b"|", b","), "is separated by commas"),
        (HEADER.replace(b"|", b"\t"), "is separated by tabs"),
        (b"PAR1 and then nothing PAR1", "is not readable as Parquet"),
    ],
)
def test_other_files(tmp_path: Path, raw: bytes, problem: str) -> None:
    assert problem in str(refused(text(tmp_path, raw)))


def test_text_that_begins_like_parquet_is_text(tmp_path: Path) -> None:
    open_persons(text(tmp_path, b"PAR1|" + HEADER + b"\n"), PLAN)


def test_what_is_not_a_file(tmp_path: Path) -> None:
    assert "cannot be opened (No such file" in str(refused(tmp_path / "gone.txt"))
    assert "folder without Parquet files" in str(refused(tmp_path))
    os.mkfifo(tmp_path / "pipe")
    assert "is not a plain file" in str(refused(tmp_path / "pipe"))
    assert "cannot be opened" in str(refused(Path("nul\0byte")))
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert "cannot be opened" in str(refused(tmp_path / "loop"))


def test_parts_must_be_alike(tmp_path: Path) -> None:
    parquet(tmp_path).rename(tmp_path / "a.parquet")
    parquet(tmp_path, tuple(name for name in COLUMNS if name != "CENRACE")).rename(tmp_path / "b.parquet")
    assert "has files of different columns" in str(refused(tmp_path))
    (tmp_path / "b.parquet").unlink()
    assert open_persons(tmp_path, PLAN).files == (tmp_path / "a.parquet",)


def test_nothing_of_a_record_is_kept(tmp_path: Path) -> None:
    """The opened file is path, size and header; a Parquet footer's smallest and largest values stay in the file."""
    persons = open_persons(text(tmp_path, HEADER + b"\n" + GOOD + b"\n"), PLAN)
    assert [field.name for field in fields(Persons)] == ["source", "reopened"]
    assert GOOD.decode().split("|")[6] not in repr(replace(persons.source, files=(), sizes=(), parts=()))


def test_a_detail_that_a_record_has_not_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    other = Detail((DetailAttribute("visits", "visits_text", 0, 9),), (((),),))
    plan = replace(PLAN, detail=other, levels=tuple(replace(each, thresholds=()) for each in PLAN.levels))
    with pytest.raises(PlanError, match="other attributes than sex and age"):
        open_persons(tmp_path / "none", plan)
