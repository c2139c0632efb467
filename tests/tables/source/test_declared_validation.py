"""What custodians are told of custom records: every fault counted, with its line and column, and no value repeated."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from starling.errors import SourceError
from starling.release.domain import Validated
from starling.tables.plan.columns import Codes, Column, Decimals, Integers, Periods, RecordColumns, Unit, codes_of
from starling.tables.source.declared_records import open_declared
from starling.tables.source.declared_validation import validate_declared
from starling.text_format import TextFormat
from tests.tables.source.declared_twin import AGE, COLUMNS, DAY, SEX, TAGS, Row, counted, label, value
from tests.tables.source.test_declared_reading import ROWS, as_arrow

SMALL = RecordColumns(None, (TAGS, AGE), (SEX, DAY))
GOOD: dict[str, str | None] = {"tags": "p", "age": "5", "sex": "F", "day": "2020-03-04"}


def check_records(data: Any, columns: RecordColumns = SMALL, most: int = 99) -> Validated:
    return validate_declared(open_declared(data, columns), most=most).value


def table(*changes: dict[str, str | None]) -> pa.Table:
    return pa.Table.from_pylist(
        [GOOD | change for change in changes], pa.schema([(name, pa.string()) for name in GOOD])
    )


def test_good_records_have_neither_problems_nor_notes() -> None:
    result = check_records(table({}, {}))
    assert result.problems.none
    assert result.notes.none
    assert (result.read, result.values) == ("2 records, 2 of them counted", {"records": 2, "counted": 2})


def test_each_fault_has_its_line(tmp_path: Path) -> None:
    header = "tags,age,sex,day\n"
    lines = (
        "p,5,F,2020-03-04",
        "x;p,5,,2020-03-04",
        "",
        "p",
        'p,"5,F,2020-03-04',
        "p,111,X,1999-01-01",
        ",,F,2020-03-04",
    )
    (tmp_path / "a.csv").write_text(header + "\n".join((*lines, "r;q;p;q,5,F,2020-03-04")))
    result = check_records(tmp_path / "a.csv")
    faults = [(each.line, each.field, each.problem) for each in result.problems.listed]
    record = "has another number of fields than the header, or a quote that is not closed"
    assert sorted(faults) == [
        (3, "sex", "is missing"),
        (3, "tags", "is none of the codes of the plan"),
        (5, "record", record),
        (6, "record", record),
        (7, "age", "is not a whole number from -2 to 110"),
        (7, "day", "is a time in none of the periods"),
        (7, "sex", "is none of the codes of the plan"),
    ]
    assert sorted((each.line, each.field, each.problem) for each in result.notes.listed) == [
        (8, "age", "is missing, and the record is in no group by it"),
        (9, "tags", "holds more values than the 2 that are read; the first of them are"),
    ]
    assert result.values == {"records": 7, "counted": 3}


def faults(column: Column, row: Row) -> int:
    """How many problems a column of a record has."""
    texts = [row[name] for name in column.fields]
    parts = list(label(texts[0]).split(column.separator)) if column.separator else texts
    numbers = [value(column.domain, part) for part in parts]
    if isinstance(column.domain, Codes) and column.domain.other:
        return 0
    return (-1 in numbers) + (column in COLUMNS.single and not any(number is not None for number in numbers))


@pytest.mark.slow
@pytest.mark.examples(8)
@settings(max_examples=40)
@given(ROWS)
def test_counts_are_those_of_plain_python(rows: list[Row]) -> None:
    result = check_records(as_arrow(rows), COLUMNS, most=1)
    wanted = Counter[str]()
    for column in (*COLUMNS.single, *COLUMNS.groups):
        wanted[", ".join(column.fields)] += sum(faults(column, row) for row in rows)
    assert result.problems.by_field == +wanted
    assert result.values == {"records": len(rows), "counted": len(counted(COLUMNS, rows))}
    assert len(result.problems.listed) == min(1, result.problems.total)


def test_a_declared_other_value_is_a_note() -> None:
    columns = RecordColumns(None, (), (Column("sex", Codes((("F", "F"), ("X", "other")), "X")),))
    result = check_records({"sex": ["F", "M", None]}, columns)
    assert result.problems.none
    assert [each.problem for each in result.notes.listed] == [
        "is none of the codes of the plan, and counts as the declared other value",
        "is missing, and counts as the declared other value",
    ]
    assert result.values["counted"] == 3


def test_persons_without_a_name_or_with_many_records_are_told() -> None:
    columns = RecordColumns(None, (), (SEX,), Unit("who", 2))
    result = check_records({"who": ["a", None, "a", "a", "b"], "sex": ["F", "F", "M", "F", None]}, columns)
    assert [(each.field, each.line, each.problem) for each in result.problems.listed] == [
        ("who", 2, "is missing"),
        ("sex", 5, "is missing"),
    ]
    assert [each.problem for each in result.notes.listed] == ["has more than 2 records, 1 time: 2 of them count"]
    assert result.values == {"records": 5, "counted": 3}
    (note,) = check_records({"who": [1, 2, 3], "sex": ["F"] * 3}, columns).notes.listed
    assert note.problem == "is another in each of 3 records: a number of rows would protect single records"


def test_what_most_records_have_in_common_is_told_first(tmp_path: Path) -> None:
    result = check_records(table({"sex": "male"}, {"sex": "male"}, {"sex": "male"}))
    assert [each.problem for each in result.problems.decisive] == [
        "are 3, and none is counted",
        "is none of the codes of the plan, in 3 of 3 records",
        "is none of the codes of the plan: most often 'male' (3)",
    ]
    pq.write_table(table(), tmp_path / "a.parquet")
    (none,) = check_records(tmp_path / "a.parquet").problems.decisive
    assert none.problem == "has no rows, only a header"


def test_values_at_fault_are_shown_to_the_custodian_with_their_cause() -> None:
    columns = RecordColumns(
        Column("area", codes_of(("a", "b"))),
        (
            Column("tags", codes_of(("p", "q")), separator=";", most=2),
            Column("day", Periods(("2020-01-01", "2021-01-01"))),
        ),
        (Column("age", Integers(0, 99)),),
        numbers=(Column("wage", Integers(0, 10**6)),),
    )
    rows = {"area": ["A"], "tags": ["p;Q;x"], "day": ["31.01.2020"], "age": ["200"], "wage": ["1.000,5"]}
    shown = [f"{each.field} {each.problem}; {each.fix}" for each in check_records(rows, columns).problems.decisive]
    for field, words in {
        "area": ("most often 'A' (1), which is a code in other case",),
        "tags": ("'Q' (1)", "'x' (1)"),
        "day": ("is no date: most often '31.01.2020' (1)", 'state dates = "%d.%m.%Y"'),
        "age": ("is not a whole number from 0 to 99: most often '200' (1)",),
        "wage": ("is no number: most often '1.000,5' (1)", 'state thousands = "." and decimal = ","'),
    }.items():
        assert any(each.startswith(field) and all(word in each for word in words) for each in shown)
    form = TextFormat(decimal=",", thousands=".", dates="%d.%m.%Y")
    right = rows | {"area": ["a"], "tags": ["p;q"], "age": ["20"]}
    assert check_records(right, replace(columns, format=form)).problems.none
    late = check_records(right | {"day": ["31.01.2022"]}, replace(columns, format=form)).problems
    assert "is a time in none of the periods: most often '31.01.2022' (1)" in [each.problem for each in late.decisive]


def test_a_file_that_changed_is_refused(tmp_path: Path) -> None:
    pq.write_table(table({}), tmp_path / "a.parquet")
    records = open_declared(tmp_path / "a.parquet", SMALL)
    pq.write_table(table({}, {"tags": "q;p"}), tmp_path / "a.parquet")
    with pytest.raises(SourceError, match="are not what was checked"):
        validate_declared(records)


def test_numbers_of_sums_are_looked_at() -> None:
    columns = RecordColumns(None, (), (), None, (Column("spent", Decimals(0, 1000, 1)),))
    result = check_records(pa.table({"spent": ["1", "", "x", "-0.1", "100.1", "nan"]}), columns)
    assert [(each.line, each.problem) for each in result.problems.listed] == [(3, "is no number")]
    assert Counter(each.problem for each in result.notes.listed) == {
        "is missing, and the record takes no part in sums and quantiles of it": 2,
        "lies below the bounds of the plan, and counts as the nearer one": 1,
        "lies above the bounds of the plan, and counts as the nearer one": 1,
    }
    assert result.values == {"records": 6, "counted": 6}
