"""A file is its lines: however it is cut into chunks, whatever a line holds, in text and in Parquet.

The privacy property is the neighbour test: any line replaced by any bytes without a newline changes at most one record, and fails nothing.
"""

import os
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.engine import delimited, record_parts
from starling.engine.delimited import CHUNK
from starling.errors import SourceError
from starling.tables.source import open_persons
from starling.tables.source.lines import MOST_BYTES
from starling.tables.source.reading import read
from tests.tables.source.records import GOOD, PLAN, book, row
from tests.tables.worlds import COLUMNS, HEADER, codes

WORDS = book()


Record: TypeAlias = tuple[Any, ...]


def in_order(path: Path, chunk: int = CHUNK) -> list[Record]:
    """Every record of a file, with its set of race codes."""
    result: list[Record] = []
    with mock.patch("starling.engine.delimited.CHUNK", chunk):
        parts = list(read(open_persons(path, PLAN), PLAN, WORDS))
    for part in parts:
        remaining = part.records
        sets = [tuple(part.several[-1 - race].tolist()) if race < 0 else race for race in remaining.races.tolist()]
        columns = (
            remaining.unit.tolist(),
            sets,
            remaining.qspan.tolist(),
            remaining.sex.tolist(),
            remaining.age.tolist(),
        )
        result += zip(*columns, strict=True)
    return result


def records(path: Path, chunk: int = CHUNK) -> Counter[Record]:
    """The same, in any order."""
    return Counter(in_order(path, chunk))


def write(folder: str | Path, lines: Sequence[bytes], ending: bytes = b"\n") -> Path:
    path = Path(folder) / "persons.txt"
    path.write_bytes(ending.join([HEADER, *lines]) + ending)
    return path


LINES = st.one_of(
    st.builds(
        lambda age, sex, race, other, span: row(QAGE=str(age), QSEX=sex, QRACE1=race, QRACE2=other, QSPAN=span),
        st.integers(0, 117),
        st.sampled_from("12"),
        *[codes(odd=True)] * 3,
    ),
    st.binary(max_size=200).filter(lambda line: b"\n" not in line),
)


@pytest.mark.examples(25)
@given(st.lists(LINES, max_size=12), st.integers(1, 500), st.booleans(), st.sampled_from([b"\n", b"\r\n"]))
def test_chunks_change_nothing(lines: list[bytes], chunk: int, last: bool, ending: bytes) -> None:
    """Cut anywhere, with or without a last newline: the same records in the same order."""
    with tempfile.TemporaryDirectory() as name:
        path = write(name, lines, ending)
        if not last:
            path.write_bytes(path.read_bytes().removesuffix(b"\n"))
        assert in_order(path, CHUNK) == in_order(path, chunk)


def hostile() -> st.SearchStrategy[bytes]:
    """A line to put in the place of another."""
    piece = st.one_of(
        st.sampled_from(
            [b'"', b"|", b"\r", b"\0", b"\\", b"'", b"\xff", b"\xc3", b"\xef\xbb\xbf", b"#", b",", b"\x1a"]
        ),
        st.binary(max_size=40),
        st.sampled_from([GOOD, GOOD + b"\r" + GOOD, b'"' + GOOD, HEADER]),
    )
    some = st.lists(piece, max_size=6).map(b"".join)
    huge = st.tuples(some, st.sampled_from([100, MOST_BYTES, 3 * MOST_BYTES])).map(
        lambda pair: (pair[0] or b'"') * pair[1]
    )
    return st.one_of(some, some, some, huge).map(lambda line: line.replace(b"\n", b"")[: 4 * MOST_BYTES])


@pytest.mark.slow
@pytest.mark.examples(40)
@settings(max_examples=150)
@given(st.lists(LINES, min_size=1, max_size=20), hostile(), st.integers(60, 900), st.data())
def test_attack_a08_any_bytes_in_a_line_change_at_most_one_record(
    lines: list[bytes], line: bytes, chunk: int, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(lines) - 1))
    chunk += len(line) // 100
    with tempfile.TemporaryDirectory() as name:
        without = records(write(name, [*lines[:at], *lines[at + 1 :]]), chunk)
        replaced = records(write(name, [*lines[:at], line, *lines[at + 1 :]]), chunk)
    assert not without - replaced, "the other records are as they were"
    assert (replaced - without).total() <= 1


@pytest.mark.series(1)
@pytest.mark.parametrize(
    "line",
    [
        b"x" * (2 * CHUNK + 5),
        b'"' * (CHUNK + 1),
        b"|" * (CHUNK - 1),
        b"\r" * 100_000,
        b"\xff" * 3_000_000,
        b"\0" * 70_000,
        GOOD + b"\r" + GOOD,
        b'"' + GOOD,
        b"\xef\xbb\xbf" + GOOD,
        b"",
    ],
    ids=lambda line: f"{line[:1]!r} x {len(line)}",
)
def test_attack_a08_in_a_file_of_several_chunks(tmp_path: Path, line: bytes) -> None:
    """The real chunk size; the hostile line lies across a chunk's end. Every other record is counted."""
    good = 2 * CHUNK // (len(GOOD) + 1)
    lines = [GOOD] * good
    lines[good // 2 - 3] = line
    result = records(write(tmp_path, lines))
    assert sum(result.values()) == good - 1
    assert len(result) == 1


def test_line_across_the_end_of_a_chunk_is_read_once(tmp_path: Path) -> None:
    for chunk in range(len(GOOD) - 2, len(GOOD) + 4):
        assert records(write(tmp_path, [GOOD] * 50), chunk).total() == 50


def table(lines: Sequence[Sequence[str | None]], kind: pa.DataType) -> pa.Table:
    columns = list(zip(*lines, strict=True)) if lines else [()] * len(COLUMNS)
    return pa.table(
        {name: pa.array(list(column), pa.string()).cast(kind) for name, column in zip(COLUMNS, columns, strict=True)}
    )


KINDS = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]


@pytest.mark.slow
@pytest.mark.examples(12)
@settings(max_examples=40)
@given(
    st.lists(st.lists(st.one_of(codes(odd=True), st.text(max_size=5)), min_size=9, max_size=9), max_size=8),
    st.sampled_from(KINDS),
)
def test_parquet_is_read_as_the_line_of_its_fields(fields: list[list[str]], kind: pa.DataType) -> None:
    """A field that no line can hold drops its row; all else is as in text."""
    start = GOOD.decode().split("|")[:8]
    lines = [[*start, *one] for one in fields]
    with tempfile.TemporaryDirectory() as name:
        pq.write_table(table(lines, kind), Path(name) / "persons.parquet")
        as_text = ["|".join(line).encode() for line in lines if not set("".join(line)) & set("|\n\r\0")]
        assert records(Path(name) / "persons.parquet") == records(write(name, as_text))


def test_parquet_missing_values_are_null(tmp_path: Path) -> None:
    start: list[str | None] = [*GOOD.decode().split("|")[:8]]
    lines = [[*start, "1000", *[None] * 8], [*start, None, "1000", *[None] * 7], [None, *start[1:], *[None] * 9]]
    pq.write_table(table(lines, pa.string()), tmp_path / "persons.parquet")
    assert records(tmp_path / "persons.parquet") == records(write(tmp_path, [row(), row(QRACE1="Null")]))


@pytest.mark.parametrize("bad", ["1000|1001", "1000\n", "\r", "\0", "x" * 100_000, '"', "1000\n" + GOOD.decode()])
def test_attack_a08_a_hostile_parquet_value_drops_its_row_alone(tmp_path: Path, bad: str) -> None:
    good: list[str | None] = [*GOOD.decode().split("|")]
    hostile_row = [*good[:2], bad, *good[3:]]
    last = [*good[:-1], bad]
    pq.write_table(table([good, hostile_row, last, good], pa.string()), tmp_path / "persons.parquet")
    total = records(tmp_path / "persons.parquet").total()
    assert total == (4 if bad == '"' else 2), "a quote is text like any other; the rest cannot stand in a line"


def test_parquet_that_is_not_utf8_drops_its_row_alone(tmp_path: Path) -> None:
    lines = [GOOD.split(b"|")] * 3
    lines[1] = [*lines[1][:2], b"\xff\xfe", *lines[1][3:]]
    columns = {
        name: pa.array([line[at] for line in lines], pa.binary()).view(pa.string()) for at, name in enumerate(COLUMNS)
    }
    pq.write_table(pa.table(columns), tmp_path / "persons.parquet")
    assert records(tmp_path / "persons.parquet").total() == 2


@pytest.mark.slow
def test_a_folder_of_parquet_parts_is_one_file(tmp_path: Path) -> None:
    good: list[str | None] = [*GOOD.decode().split("|")]
    (tmp_path / "parts").mkdir()
    for part, rows in enumerate((3, 0, record_parts.ROWS + 2)):
        pq.write_table(table([good] * rows, pa.string()), tmp_path / "parts" / f"part-{part}.parquet")
    assert records(tmp_path / "parts").total() == 3 + record_parts.ROWS + 2


def test_columns_in_any_order_and_more_than_needed(tmp_path: Path) -> None:
    names = (*reversed(COLUMNS), "EXTRA", "EXTRA")
    values = dict(zip(COLUMNS, GOOD.decode().split("|"), strict=True)) | {"EXTRA": ""}
    text = "\n".join("|".join(line) for line in (names, [values[name] for name in names])) + "\n"
    (tmp_path / "persons.txt").write_text(text)
    assert records(tmp_path / "persons.txt").total() == 1


@pytest.mark.parametrize("change", ["removed", "cut", "longer", "header"])
@pytest.mark.parametrize("kind", ["text", "parquet"])
def test_a_file_that_changed_is_not_read(tmp_path: Path, kind: str, change: str) -> None:
    path = write(tmp_path, [GOOD] * 9)
    if kind == "parquet":
        path = tmp_path / "persons.parquet"
        pq.write_table(table([[*GOOD.decode().split("|")]] * 9, pa.string()), path)
    persons = open_persons(path, PLAN)
    raw = path.read_bytes()
    if change == "removed":
        path.unlink()
    else:
        path.write_bytes({"cut": raw[:-1], "longer": raw + b"\n", "header": raw.replace(b"QAGE", b"QAGX")}[change])
    with pytest.raises(SourceError, match="are not what was checked"):
        list(read(persons, PLAN, WORDS))


def test_a_file_cut_off_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, [GOOD] * 4000)
    monkeypatch.setattr(delimited, "CHUNK", 5000)
    persons = open_persons(path, PLAN)
    real, calls = os.pread, []

    def cutting(file: int, size: int, place: int) -> bytes:
        calls.append(place)
        if len(calls) == 4:
            os.truncate(path, place)
        return real(file, size, place)

    monkeypatch.setattr(os, "pread", cutting)
    with pytest.raises(SourceError, match="are not what was checked"):
        list(read(persons, PLAN, WORDS))


def test_a_disk_that_fails_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    persons = open_persons(write(tmp_path, [GOOD] * 10), PLAN)

    def failing(file: int, size: int, place: int) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "pread", failing)
    with pytest.raises(SourceError, match="are not what was checked"):
        list(read(persons, PLAN, WORDS))


def test_reading_may_stop_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that is closed leaves no thread and no file open."""
    opened = Path("/proc/self/fd")
    before = len(list(opened.iterdir())) if opened.is_dir() else 0
    monkeypatch.setattr(delimited, "CHUNK", 100)
    chunks = read(open_persons(write(tmp_path, [GOOD] * 1000), PLAN), PLAN, WORDS)
    next(chunks)
    chunks.close()
    assert not before or len(list(opened.iterdir())) == before
