"""The habits of programs that write tables: each file is read as it was meant, or its true cause is named before or by `validate`."""

import csv
import io
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest

from starling.errors import RecordsInvalid, SourceError
from starling.privacy.trust import NotPrivate
from starling.release.domain import Validated
from starling.tables.plan.columns import Column, Decimals, Integers, Periods, RecordColumns, codes_of
from starling.tables.source.declared_records import open_declared
from starling.tables.source.declared_validation import validate_declared
from starling.text_format import PLAIN, TextFormat

COLUMNS = (
    Column("Größe", codes_of(("klein", "sehr groß; ja"))),
    Column("age", Integers(0, 110)),
    Column("day", Periods(("2020-01-01", "2021-01-01"))),
)
WAGE = Column("wage", Decimals(0, 10**9, 2))
ROWS = [("klein", 5, "2020-03-05", 80448.5), ("sehr groß; ja", 31, "2020-08-31", 1234567.25)]


def checked(path: Path, form: TextFormat) -> Validated:
    columns = RecordColumns(None, COLUMNS[:1], COLUMNS[1:], numbers=(WAGE,), format=form)
    result: NotPrivate[Validated] = validate_declared(open_declared(path, columns))
    return result.value


def frame(dates: str = "%Y-%m-%d") -> pd.DataFrame:
    table = pd.DataFrame(ROWS, columns=["Größe", "age", "day", "wage"])
    table["day"] = pd.to_datetime(table["day"]).dt.strftime(dates)
    return table


def text(
    separator: str, wage: str, dates: str, *, end: str = "\r\n", quoting: Any = csv.QUOTE_MINIMAL, note: str = ""
) -> str:
    """A table as a spreadsheet of some country writes it."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=separator, lineterminator=end, quoting=quoting)
    writer.writerow(["Größe", "age", "day", "wage", "note"])
    for row in frame(dates).itertuples(index=False):
        number = (
            f"{row.wage:,.2f}".translate({ord(","): wage[0].strip("-"), ord("."): wage[1]}) if wage else str(row.wage)
        )
        writer.writerow([row[0], row.age, row.day, number, note])
    return file.getvalue()


GERMAN = TextFormat(separator=";", decimal=",", thousands=".", dates="%d.%m.%Y", encoding="cp1252")
FRENCH = TextFormat(separator=";", decimal=",", thousands="space", dates="%d/%m/%Y")
SWISS = TextFormat(separator=";", thousands="'", dates="%d.%m.%Y", encoding="iso8859-1")
AMERICAN = TextFormat(thousands=",", dates="%m/%d/%Y")
HABITS: dict[str, tuple[bytes, TextFormat]] = {
    "Excel's CSV in Germany": (text(";", ".,", "%d.%m.%Y").encode("cp1252"), GERMAN),
    "Excel's CSV UTF-8 in France": (b"\xef\xbb\xbf" + text(";", "\u202f,", "%d/%m/%Y").encode(), FRENCH),
    "LibreOffice in Switzerland": (text(";", "\u2019.", "%d.%m.%Y").replace("\u2019", "'").encode("latin-1"), SWISS),
    "Excel's CSV in America": (text(",", ",.", "%m/%d/%Y").encode(), AMERICAN),
    "Excel for Mac, CR line ends": (text(";", "", "%Y-%m-%d", end="\r").encode("mac-roman"), TextFormat(";", encoding="mac-roman")),
    "R's write.csv2": (
        text(";", "-,", "%Y-%m-%d", end="\n", quoting=csv.QUOTE_NONNUMERIC).encode(),
        TextFormat(separator=";", decimal=","),
    ),
    "Excel's Unicode text": (text("\t", ".,", "%d.%m.%Y").encode("utf-16"),
        TextFormat("tab", ",", ".", "%d.%m.%Y", "utf-16")),
    "pandas": (frame().to_csv(index=False).encode(), PLAIN),
    "pandas with its index": (frame().to_csv().encode(), PLAIN),
    "tabs": (frame().to_csv(index=False, sep="\t").encode(), TextFormat(separator="tab")),
    "SAS dates": (frame("%d%b%Y").to_csv(index=False).upper().replace("GRÖSSE", "Größe").replace("AGE,DAY,WAGE", "age,day,wage")
        .replace("KLEIN", "klein").replace("SEHR GROSS; JA", "sehr groß; ja").encode(), TextFormat(dates="%d%b%Y")),
    "line breaks within fields": (text(",", "", "%Y-%m-%d", note='two\nlines, "quoted"\r\n').encode(), PLAIN),
    "everything in quotes": (text(",", "", "%Y-%m-%d", quoting=csv.QUOTE_ALL).encode(), PLAIN),
    "blanks in the header": (frame().to_csv(index=False).replace("age,day", " age ,day\u00a0").encode(), PLAIN),
    "no last line break": (frame().to_csv(index=False).rstrip().encode(), PLAIN),
}  # fmt: skip


@pytest.mark.parametrize("habit", HABITS)
def test_a_file_is_read_as_it_was_meant(habit: str, tmp_path: Path) -> None:
    data, form = HABITS[habit]
    (tmp_path / "a.csv").write_bytes(data)
    result = checked(tmp_path / "a.csv", form)
    assert result.problems.none
    assert result.notes.none
    assert result.values == {"records": 2, "counted": 2}


@pytest.mark.parametrize("form", [PLAIN, GERMAN])
def test_a_workbook_is_read_whatever_the_format_of_text(form: TextFormat, tmp_path: Path) -> None:
    table = frame()
    table["day"] = pd.to_datetime(table["day"])
    table.to_excel(tmp_path / "a.xlsx", index=False)
    assert checked(tmp_path / "a.xlsx", form).values == {"records": 2, "counted": 2}
    book = openpyxl.load_workbook(tmp_path / "a.xlsx")
    book.create_sheet("notes")
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(SourceError, match="has several sheets: 'Sheet1', 'notes'"):
        checked(tmp_path / "a.xlsx", form)
    table.rename(columns={"age": "Age"}).to_excel(tmp_path / "a.xlsx", index=False)
    with pytest.raises(SourceError, match="age is a missing column"):
        checked(tmp_path / "a.xlsx", form)


@pytest.mark.parametrize(
    ("habit", "form", "causes"),
    [
        ("Excel's CSV in Germany", PLAIN, ['state encoding = "cp1252"']),
        ("Excel's CSV UTF-8 in France", PLAIN, ['state separator = ";"']),
        (
            "Excel's CSV UTF-8 in France",
            TextFormat(";"),
            ['thousands = "space" and decimal = ","', 'dates = "%d/%m/%Y"'],
        ),
        ("Excel's CSV in America", PLAIN, ['state thousands = ","', 'dates = "%d/%m/%Y"']),
        ("R's write.csv2", TextFormat(";"), ['state decimal = ","']),
        ("tabs", PLAIN, ['state separator = "tab"']),
        ("SAS dates", PLAIN, ['dates = "%d%b%Y"']),
    ],
)
def test_what_is_not_stated_is_named(habit: str, form: TextFormat, causes: list[str], tmp_path: Path) -> None:
    data = HABITS[habit][0]
    if habit == "Excel's CSV in America":
        data = data.replace(b"08/31", b"08/05")
    (tmp_path / "a.csv").write_bytes(data)
    with pytest.raises((SourceError, RecordsInvalid)) as refused:
        checked(tmp_path / "a.csv", form).problems.refuse()
    assert all(cause in str(refused.value) for cause in causes)


def test_the_header_case_and_unicode_text_are_named(tmp_path: Path) -> None:
    for data, cause in (
        (frame().to_csv(index=False).replace("Größe", "größe").encode(), "did you mean größe?"),
        (
            frame().to_csv(index=False, sep="\t").encode("utf-16"),
            'is UTF-16, as Unicode text of a spreadsheet is; state encoding = "utf-16"',
        ),
    ):
        (tmp_path / "a.csv").write_bytes(data)
        with pytest.raises(SourceError) as refused:
            checked(tmp_path / "a.csv", PLAIN)
        assert cause in str(refused.value)
