"""Workbooks as records: every kind of cell, every refusal before a charge, and no bytes that stop a run after it."""

import zipfile
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from starling.engine import workbook_beginning, workbooks
from starling.engine.record_parts import tables, text_records
from starling.engine.workbooks import record_rows
from starling.errors import SourceError
from starling.text_format import PLAIN, TextFormat

COLUMNS = ("sex", "age")
SHEET = "xl/worksheets/sheet1.xml"
CONTENTS = "xl/workbook.xml"
TEXTS = "xl/sharedStrings.xml"


def written(path: Path, rows: list[list[Any]], sheets: tuple[str, ...] = ("data",)) -> Path:
    book = Workbook()
    book.remove(book.active)
    for name in sheets:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def read(path: Path, columns: tuple[str, ...] = COLUMNS, form: TextFormat = PLAIN) -> list[list[bytes | None]]:
    records = text_records(path, columns, "", form)
    assert records.form == "workbook"
    return [
        list(row.values()) for part in records.parts for table in tables(records, part) for row in table.to_pylist()
    ]


def changed(path: Path, change: Callable[[str, bytes], bytes]) -> Path:
    """A copy of which parts are changed."""
    copy = path.with_name("changed.xlsx")
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            target.writestr(name, change(name, source.read(name)))
    return copy


def cut_short(part: str, name: str, data: bytes) -> bytes:
    return b"<" if name == part else data


@pytest.mark.parametrize(
    ("value", "plainly", "in_german"),
    [
        ("F", b"F", b"F"),
        (1, b"1", b"1"),
        (1.0, b"1", b"1"),
        (0.1, b"0.1", b"0,1"),
        (1e300, b"1e+300", b"1e+300"),
        (True, b"TRUE", b"TRUE"),
        (date(2020, 1, 31), b"2020-01-31", b"31.01.2020"),
        (datetime.fromisoformat("2020-01-31T10:11:12"), b"2020-01-31T10:11:12", b"31.01.2020"),
        (time(10, 11), b"10:11:00", b"10:11:00"),
        (timedelta(hours=30), b"1 day, 6:00:00", b"1 day, 6:00:00"),
        ("#N/A", b"#N/A", b"#N/A"),
        ("=1+1", None, None),
        ("a\nb", b"a\nb", b"a\nb"),
        ("Málaga", "Málaga".encode(), "Málaga".encode()),
    ],
)
def test_every_kind_of_cell_has_one_text(
    value: Any, plainly: bytes | None, in_german: bytes | None, tmp_path: Path
) -> None:
    path = written(tmp_path / "a.xlsx", [[], [None, "x", " sex ", "age"], [None, 1, value, 2], [None, None, None]])
    assert read(path) == [[plainly, b"2"]]
    assert read(path, form=TextFormat(decimal=",", dates="%d.%m.%Y")) == [[in_german, b"2"]]


def test_a_sheet_is_the_only_one_or_that_of_the_plan(tmp_path: Path) -> None:
    path = written(tmp_path / "a.xlsx", [["sex", "age"], ["F", 1]], ("2023", "2024"))
    assert read(path, form=TextFormat(sheet="2024")) == [[b"F", b"1"]]
    with pytest.raises(SourceError, match=r"has several sheets: '2023', '2024'; state sheet"):
        text_records(path, COLUMNS, "")
    with pytest.raises(SourceError, match="has no sheet '2025', but '2023', '2024'"):
        text_records(path, COLUMNS, "", TextFormat(sheet="2025"))
    twice = changed(path, lambda name, data: data.replace(b"2023", b"2024") if name == CONTENTS else data)
    with pytest.raises(SourceError, match="has several sheets '2024'; give each"):
        text_records(twice, COLUMNS, "", TextFormat(sheet="2024"))


def test_what_is_no_workbook_is_refused_before_a_charge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "a.xlsx", [["sex", "age"]])
    archive = tmp_path / "b.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("a.csv", "sex,age\n")
    (tmp_path / "c.xlsx").write_bytes(path.read_bytes()[:200])
    binary = tmp_path / "binary.xlsx"
    with zipfile.ZipFile(binary, "w") as file:
        file.writestr("xl/workbook.bin", "")
    parts = (CONTENTS, "xl/styles.xml", "[Content_Types].xml", "xl/_rels/workbook.xml.rels", SHEET)
    broken: list[Path] = []
    for part in parts:
        copy = changed(path, partial(cut_short, part))
        broken.append(copy.rename(tmp_path / f"{len(broken)}.xlsx"))
    monkeypatch.setattr(workbooks, "MOST_UNPACKED", 1 << 16)
    bomb = tmp_path / "d.xlsx"
    bomb.write_bytes(path.read_bytes())
    with zipfile.ZipFile(bomb, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr("xl/media/a", bytes(1 << 20))
    for each, cause in (
        (archive, "is an archive and no workbook"),
        (binary, r"is a binary workbook \(.xlsb\)"),
        (tmp_path / "c.xlsx", "is a workbook that cannot be read"),
        *((each, "is a workbook that cannot be read") for each in broken),
        (bomb, "unpacked"),
    ):
        with pytest.raises(SourceError, match=cause):
            text_records(each, COLUMNS, "")


def test_a_header_is_checked_before_a_charge(tmp_path: Path) -> None:
    path = written(tmp_path / "a.xlsx", [["Sex", "age", "age"], ["F", 1, 1]])
    with pytest.raises(SourceError, match="sex is a missing column; did you mean Sex") as error:
        text_records(path, COLUMNS, "keep one")
    assert [(each.field, each.fix) for each in error.value.problems][1:] == [("age", "keep one")]
    with pytest.raises(SourceError, match="has no header: its sheet is empty"):
        text_records(written(tmp_path / "b.xlsx", [[]]), COLUMNS, "")


def test_the_name_of_a_file_says_nothing(tmp_path: Path) -> None:
    path = written(tmp_path / "a.xlsx", [["sex", "age"], ["F", 1]]).rename(tmp_path / "records")
    assert read(path) == [[b"F", b"1"]]


def test_a_stated_size_of_a_sheet_is_not_relied_upon(tmp_path: Path) -> None:
    path = written(tmp_path / "a.xlsx", [["sex", "age"], ["F", 1]])
    wrong = changed(path, lambda name, data: data.replace(b"A1:B2", b"A1:A1") if name == SHEET else data)
    assert read(wrong) == [[b"F", b"1"]]


@pytest.mark.slow
def test_opening_takes_bounded_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a workbook as Excel writes it, whose cells share their texts in one table."""
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        for at, row in enumerate([COLUMNS, *([f"{at:x}" * 9, at] for at in range(9999))]):
            sheet.write_row(at, 0, row)
    with zipfile.ZipFile(path) as archive:
        sizes = {part: archive.getinfo(part).file_size for part in (SHEET, TEXTS)}
    monkeypatch.setattr(workbook_beginning.Archive, "left", min(sizes.values()) // 4)
    monkeypatch.setattr(workbook_beginning, "MOST_TEXTS", sizes[TEXTS] // 4)
    assert len(read(path)) == 9999
    rows, text, styles = b"<sheetData>", b"<si><t>sex</t></si>", b"</styleSheet>"
    for changes in (
        {SHEET: (rows, rows + b'<row r="1"/>' * 99999)},
        {TEXTS: (text, b"<si/>" * 99999 + text), SHEET: (b"<v>0</v>", b"<v>99999</v>")},
        {"xl/styles.xml": (styles, b" " * sizes[SHEET] + styles)},
    ):

        def beyond(name: str, data: bytes, changes: dict[str, tuple[bytes, bytes]] = changes) -> bytes:
            return data.replace(*changes[name], 1) if name in changes else data

        with pytest.raises(SourceError, match="too far in"):
            text_records(changed(path, beyond), COLUMNS, "")


def test_validate_names_rows_and_where_a_sheet_ends(tmp_path: Path) -> None:
    path = written(tmp_path / "a.xlsx", [[], ["sex", "age"], [], ["F", 1], ["M", 2], [], [None, 3]])
    assert record_rows(path, "").tolist() == [4, 5, 7]
    cut = changed(path, lambda name, data: data.replace(b'<row r="5"', b"<row <") if name == SHEET else data)
    assert read(cut) == [[b"F", b"1"]]
    with pytest.raises(SourceError, match="cannot be read beyond row 4 of its sheet"):
        record_rows(cut, "")


def test_a_cell_far_off_takes_no_room(tmp_path: Path) -> None:
    path = written(tmp_path / "a.xlsx", [["sex", "age"], ["F", 1]])
    far = (b'r="2"', b'r="99999999999"'), (b'"A2"', b'"XFD2"'), (b'"A2"', b'"A1048577"')
    for one, other in far:

        def moved(name: str, data: bytes, one: bytes = one, other: bytes = other) -> bytes:
            return data.replace(one, other) if name == SHEET else data

        hostile = changed(path, moved)
        assert len(read(hostile)) <= 1


@pytest.mark.examples(20)
@given(st.data())
@settings(max_examples=150, deadline=None)
def test_no_bytes_of_a_workbook_stop_a_run(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Every change of every part is refused before the charge, or leaves the header and as many records at most."""
    path = written(tmp_path_factory.mktemp("book") / "a.xlsx", [["sex", "age"], ["F", 1], ["M", 2.5]])
    with zipfile.ZipFile(path) as archive:
        name = data.draw(st.sampled_from(sorted(archive.namelist())))
        content = archive.read(name)
    at = data.draw(st.integers(0, len(content) - 1))
    taken = data.draw(st.integers(0, 9))
    put = data.draw(
        st.one_of(st.binary(max_size=4), st.sampled_from([b"<", b'"', b"9" * 5000, b"&x;", b"-1", b"1e999"]))
    )
    hostile = changed(path, lambda part, text: text[:at] + put + text[at + taken :] if part == name else text)
    try:
        text_records(hostile, COLUMNS, "")
    except SourceError:
        return
    assert len(read(hostile)) <= 2
    assert [each.strip() for each in next(workbooks._rows(hostile, ""))[:2]] == [*COLUMNS]
