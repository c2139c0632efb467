"""A file of records, or a folder of parts, by its public shape: every refusal names the file and what to do."""

from pathlib import Path

import pytest

from starling.engine.delimited import Part
from starling.engine.headers import check_columns
from starling.engine.record_files import Records, beginning_of, open_files
from starling.errors import SourceError


def open_file(path: Path) -> Records:
    text, size = beginning_of(path)
    line = text.splitlines(keepends=True)[0]
    header = tuple(line.decode("utf-8").strip().split(","))
    check_columns(path, ("a",), header, "name a")
    return Records((path,), (size,), "text", header, ("a",), (Part(path, len(line), size),))


def test_parts_of_a_folder_stand_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in "ba":
        (tmp_path / f"{name}.parquet").write_text(f"a\n{name}\n")
    found = open_files(tmp_path, open_file, "text")
    assert found.files == (tmp_path / "a.parquet", tmp_path / "b.parquet")
    assert found.sizes == (4, 4)
    assert [part.path.name for part in found.parts] == ["a.parquet", "b.parquet"]


@pytest.mark.parametrize(
    ("files", "cause"),
    [
        ({}, "is a folder without Parquet files"),
        ({"a.parquet": "a", "b.parquet": "a,b"}, "has files of different columns"),
        ({"a.parquet": "b"}, "a is a missing column"),
        ({"a.parquet": "a,a"}, "a is there more than once"),
        ({"a.parquet": "\xff"}, "cannot be opened"),
    ],
)
def test_what_does_not_fit_is_refused(files: dict[str, str], cause: str, tmp_path: Path) -> None:
    for name, text in files.items():
        (tmp_path / name).write_bytes(text.encode("latin-1"))
    with pytest.raises(SourceError, match=cause):
        open_files(tmp_path, open_file, "text")


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.parquet").mkdir()
    for name, cause in (
        ("none", "cannot be opened"),
        ("a\0b", "not a file name"),
        ("", "is not a plain file; give text"),
    ):
        with pytest.raises(SourceError, match=cause):
            open_files(tmp_path / name if name else tmp_path, open_file, "text")
