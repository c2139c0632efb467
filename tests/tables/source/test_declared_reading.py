"""Custom records: every form gives what plain Python gives, whatever the fields say, and no field can stop a run."""

import csv
import io
import tempfile
from collections.abc import Sequence
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.engine import delimited, held_records, record_parts
from starling.errors import SourceError
from starling.tables.plan.columns import Column, RecordColumns
from starling.tables.source.declared_reading import read_declared
from starling.tables.source.declared_records import open_declared
from tests.tables.source.declared_twin import AGE, COLUMNS, SEX, TAGS, Counted, Row, counted, read

FIELDS = COLUMNS.fields
ODD = st.sampled_from(
    ["", " ", '"', '""', "nan", "NaN", "None", "x", "1.5", "1e1", "\uff11", "\x00", "\ufeff", ",", "4" * 40]
)
STATED = {
    "district": st.sampled_from(["a", "b", "ü 1", " a", '"b"', "c"]),
    "coded": st.sampled_from(["1", "2", "9", "01", "+1"]),
    "first": st.sampled_from(["1", "2", "3", "4"]),
    "second": st.sampled_from(["1", "2", "3", "4"]),
    "third": st.sampled_from(["1", "2", "3", "4"]),
    "tags": st.lists(st.sampled_from(["p", "q", "r", "s", "", " p "]), max_size=5).map(";".join),
    "sex": st.sampled_from(["F", "M"]),
    "age": st.sampled_from(["0", "17", "18", "64.0", "+65", "-1", "-2", "110", "111", "007", "0" * 30 + "5"]),
    "day": st.sampled_from(["2020-01-01", "2020-06-30T23:59:59.5", "2020-07-01 00:00", "2020-12-31", "2021-01-01"]),
}
ROWS = st.lists(
    st.fixed_dictionaries({name: st.one_of(stated, stated, stated, ODD, st.none()) for name, stated in STATED.items()}),
    max_size=12,
)


def as_arrow(rows: Sequence[Row]) -> pa.Table:
    return pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in FIELDS})


def as_csv(rows: Sequence[Row]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(FIELDS)
    writer.writerows([row[name] for name in FIELDS] for row in rows)
    return text.getvalue()


@pytest.mark.slow
@pytest.mark.examples(10)
@settings(max_examples=60)
@given(ROWS)
def test_every_form_gives_what_plain_python_gives(rows: list[Row]) -> None:
    wanted, table = counted(COLUMNS, rows), as_arrow(rows)
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        text, parquet = Path(folder) / "a.csv", Path(folder) / "a.parquet"
        text.write_text(as_csv(rows), encoding="utf-8")
        pq.write_table(table, parquet, row_group_size=5)
        connection.register("records", table)
        for data in (text, parquet, table, table.to_pandas(), pl.from_arrow(table), connection.table("records")):
            assert read(open_declared(data, COLUMNS)) == wanted


GOOD = {"district": "b", "coded": "2", "first": "3", "second": "1", "third": "", "tags": "q;p", "sex": "M"}
GOOD |= {"age": "18", "day": "2020-07-04"}
WANTED = Counted(1, (frozenset({1}), frozenset({0, 2}), frozenset({0, 1}), frozenset({2})), (1, 18, 1))
LINE = ",".join(GOOD[name] for name in FIELDS).encode()
HEADER = ",".join(FIELDS).encode()


@pytest.mark.series(3)
@pytest.mark.parametrize(
    "faulty",
    [
        b"b",
        LINE + b",",
        LINE.replace(b"b", b'"b'),
        LINE.replace(b"b", b'"b"b'),
        b"",
        b"\xff\xfe",
        b"\x00" * 5,
        LINE.replace(b"b", b"\xff"),
        LINE.replace(b"18", b"9" * 400),
        b'"' * 9,
        b"," * (len(FIELDS) - 1),
        b"x" * 3000,
    ],
)
def test_a_faulty_line_changes_no_other(faulty: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "LONGEST_RECORD", 2000)
    for end in (b"\n", b"\r\n"):
        for lines in ((LINE, faulty, LINE), (faulty, LINE, LINE), (LINE, LINE, faulty)):
            path = tmp_path / "a.csv"
            path.write_bytes(b"\xef\xbb\xbf" + end.join((HEADER, *lines)))
            assert read(open_declared(path, COLUMNS)) == [WANTED, WANTED]


@given(st.lists(st.binary(max_size=60), max_size=8))
@pytest.mark.examples(30)
@settings(max_examples=60)
def test_no_bytes_can_stop_a_run(lines: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        path.write_bytes(b"\n".join((HEADER, LINE, *lines, LINE)))
        result = read(open_declared(path, COLUMNS))
    assert result[0] == result[-1] == WANTED


@pytest.mark.slow
def test_numbers_of_sets_and_batches_do_not_depend_on_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [GOOD | {"tags": tags, "age": str(age)} for age in range(30) for tags in ("p", "p;q", "r;q", "x;p;q")]
    wanted = counted(COLUMNS, rows)
    (tmp_path / "a.csv").write_text(as_csv(rows))
    pq.write_table(as_arrow(rows), tmp_path / "a.parquet", row_group_size=7)
    for module, name, size in ((delimited, "CHUNK", 100), (record_parts, "ROWS", 5), (held_records, "ROWS", 5)):
        monkeypatch.setattr(module, name, size)
    for data in (tmp_path / "a.csv", tmp_path / "a.parquet", as_arrow(rows), as_arrow(rows).to_pandas()):
        assert read(open_declared(data, COLUMNS)) == wanted


def test_a_plan_without_regions_has_one_area() -> None:
    columns = RecordColumns(None, (TAGS,), (SEX,))
    table = pa.table({"tags": ["p", "q"], "sex": ["F", None]})
    assert read(open_declared(table, columns)) == [Counted(0, (frozenset({0}),), (0,))]


def test_a_column_may_be_read_for_groups_and_for_the_detail() -> None:
    columns = RecordColumns(None, (AGE, Column("sex", SEX.domain)), (SEX,))
    result = read(open_declared({"age": [70, 200], "sex": ["M", "F"]}, columns))
    assert result == [
        Counted(0, (frozenset({3}), frozenset({1})), (1,)),
        Counted(0, (frozenset({4}), frozenset({0})), (0,)),
    ]


def changed_text(path: Path) -> None:
    path.write_bytes(HEADER + b"\n" + LINE + b"\n" + LINE)


def changed_header(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"district", b"disTrict"))


@pytest.mark.parametrize("change", [changed_text, changed_header, Path.unlink], ids=lambda each: each.__name__)
def test_a_file_that_changed_since_it_was_checked_is_refused(change: object, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(HEADER + b"\n" + LINE)
    records = open_declared(path, COLUMNS)
    assert callable(change)
    change(path)
    with pytest.raises(SourceError, match="are not what was checked"):
        list(read_declared(records, lambda batch: batch))


def test_a_parquet_file_that_is_cut_is_refused_and_one_with_damaged_bytes_lacks_those_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(as_arrow([GOOD] * 3), path)
    records, data = open_declared(path, COLUMNS), path.read_bytes()
    path.write_bytes(data[:-1])
    with pytest.raises(SourceError, match="are not what was checked"):
        read(records)
    path.write_bytes(data[:200] + bytes(200) + data[400:])
    assert not read(records)
