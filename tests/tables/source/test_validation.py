"""The custodian is told every broken rule with line and field, and never a value; what is told goes no other way."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.engine.delimited import CHUNK
from starling.errors import LISTED, SHOWN, RecordsInvalid
from starling.privacy.trust import NotPrivate
from starling.release.domain import Validated
from starling.tables.plan import Plan, read_geography
from starling.tables.plan.census_records import census_records
from starling.tables.source import open_persons, validate
from starling.tables.source.fields import NOTES, PROBLEMS
from tests.tables.small import with_records
from tests.tables.source.records import GEOGRAPHY, GOOD, PLAN, row
from tests.tables.worlds import COLUMNS, HEADER

SECRET = "8051"
"""A value that no message may repeat."""


def validated(folder: Path, lines: list[bytes], plan: Plan = PLAN, header: bytes = HEADER) -> Validated:
    path = folder / "persons.txt"
    path.write_bytes(b"".join(line + b"\n" for line in (header, *lines)))
    result = validate(plan, GEOGRAPHY, open_persons(path, plan))
    assert isinstance(result, NotPrivate)
    return result.value


def test_clean_records(tmp_path: Path) -> None:
    result = validated(tmp_path, [GOOD, row(QRACE2="1001", QSPAN="2000"), b"", row(HOUSEHOLDER="False", QSPAN="3000")])
    # GOOD has QSPAN Null, which is no code.
    assert (result.values, result.problems.by_field) == ({"lines": 4, "counted": 3}, {"QSPAN": 1})
    assert result.notes.total == 0


FINE = {"QSPAN": "2000"}
FAULTS = {
    "fields": (row(**FINE) + b"|" + SECRET.encode(), "line", "fields"),
    "text": (row(**FINE, HOUSEHOLDER="Tr\0ue"), "line", "NUL"),
    "long": (row(**FINE, HOUSEHOLDER=SECRET * 20_000), "line", "longer"),
    "age": (row(**FINE, QAGE=SECRET), "QAGE", "0 to 115"),
    "sex": (row(**FINE, QSEX=SECRET), "QSEX", "1 or 2"),
    "state": (row(**FINE, TABBLKST=SECRET), "TABBLKST", "two digits"),
    "county": (row(**FINE, TABBLKCOU=SECRET), "TABBLKCOU", "three digits"),
    "tract": (row(**FINE, TABTRACTCE=SECRET), "TABTRACTCE", "six digits"),
    "block": (row(**FINE, TABBLK="x"), "TABBLK", "four digits"),
    "absent block": (row(**FINE, TABBLK=SECRET), "TABBLK", "not in the geography"),
    "no race": (row(**FINE, QRACE1="Null"), "QRACE1", "is Null"),
    "no race, empty": (row(**FINE, QRACE1=""), "QRACE1", "is Null"),
    **{
        f"race {column}": (
            row(**FINE, **{f"QRACE{before}": "1000" for before in range(1, column)}, **{f"QRACE{column}": SECRET}),
            f"QRACE{column}",
            "not a code",
        )
        for column in range(1, 9)
    },
    "two codes in a field": (row(**FINE, QRACE2="1000,1001"), "QRACE2", "not a code"),
    "ethnicity": (row(QSPAN=SECRET), "QSPAN", "not a code"),
    "householder": (row(**FINE, HOUSEHOLDER="true"), "HOUSEHOLDER", "True or False"),
    "longer householder": (row(**FINE, HOUSEHOLDER="Falsehood"), "HOUSEHOLDER", "True or False"),
    "race group": (row(**FINE, CENRACE=SECRET), "CENRACE", "two digits"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_told_with_line_and_field_and_without_its_value(tmp_path: Path, name: str) -> None:
    line, field, words = FAULTS[name]
    result = validated(tmp_path, [row(**FINE), row(**FINE), line, row(**FINE)])
    (problem,) = result.problems.listed
    assert (problem.file, problem.line, problem.field) == ("persons.txt", 4, field)
    assert words in problem.problem
    assert problem.fix
    assert result.problems.total == 1
    assert SECRET not in repr(result)
    with pytest.raises(RecordsInvalid) as refused:
        result.problems.refuse()
    assert SECRET not in str(refused.value)
    assert f"have 1 problem ({field} 1)" in str(refused.value)


def test_every_kind_of_fault_is_tried() -> None:
    tried = {(field, words) for _, field, words in FAULTS.values()}
    assert all(
        any(fault.field == field and words in fault.problem for field, words in tried)
        for fault in PROBLEMS
        if fault.field != "QRACE"  # needs another plan: below
    )


def test_more_codes_than_the_plan_reads(tmp_path: Path) -> None:
    plan = with_records(PLAN, max_race_codes=2)
    result = validated(tmp_path, [row(**FINE, QRACE2="1001", QRACE3="1002"), row(**FINE, QRACE2="1001")], plan)
    assert [(p.line, p.field) for p in result.problems.listed] == [(2, "QRACE")]
    assert "more codes than the plan's max_race_codes" in result.problems.listed[0].problem
    assert result.values["counted"] == 2


def test_codes_after_a_null_are_noted(tmp_path: Path) -> None:
    result = validated(tmp_path, [row(**FINE, QRACE3="1002"), row(**FINE, QRACE1="Null", QRACE2="1000")])
    assert [(note.line, note.field) for note in result.notes.listed] == [(2, "QRACE"), (3, "QRACE")]
    assert result.problems.by_field == {"QRACE1": 1}


def test_records_outside_the_plan_are_noted(tmp_path: Path) -> None:
    result = validated(tmp_path, [row(**FINE, TABBLKST="05"), row(**FINE)])
    assert [(note.line, note.field) for note in result.notes.listed] == [(2, "TABBLKST")]
    assert (result.problems.total, result.values["counted"], result.values["lines"]) == (0, 1, 2)
    assert {note.field for note in NOTES} == {"TABBLKST", "QRACE"}


def test_all_faults_of_a_line_and_only_the_first_are_shown(tmp_path: Path) -> None:
    bad = row(QAGE="x", QSEX="x", QRACE1="x", QSPAN="x", CENRACE="x")
    result = validated(tmp_path, [bad] * 1000)
    assert result.problems.total == 5000
    assert result.problems.by_field == dict.fromkeys(["QAGE", "QSEX", "QRACE1", "QSPAN", "CENRACE"], 1000)
    assert len(result.problems.listed) == SHOWN
    assert [problem.line for problem in result.problems.listed] == [line for line in (2, 3, 4, 5) for _ in range(5)]
    with pytest.raises(RecordsInvalid) as refused:
        result.problems.refuse()
    lines = str(refused.value).splitlines()
    assert (
        lines[0]
        == "persons.txt: records are 1,000, and none is counted; look at the columns, the coding and the plan before anything else"
    )
    assert [line.split()[1] for line in lines[1:6]] == ["QAGE", "QSEX", "QRACE1", "QSPAN", "CENRACE"]
    assert (
        "QAGE is not a whole number from 0 to 115 in one to three digits, in 1,000 of 1,000 records; look at"
        in lines[1]
    )
    assert lines[6].startswith("records have 5,000 problems (QAGE 1,000, QSEX 1,000, ")
    assert lines[7].startswith("persons.txt:2: QAGE is not")
    assert (len(lines), lines[-1]) == (1 + 5 + 1 + SHOWN + 1, "and 4,980 more: --all (in Python `most`) lists them")


def test_all_faults_are_listed_where_all_are_asked_for(tmp_path: Path) -> None:
    validated(tmp_path, [row(**FINE, QAGE="x"), row(**FINE)] * 50)
    result = validate(PLAN, GEOGRAPHY, open_persons(tmp_path / "persons.txt", PLAN), most=LISTED).value.problems
    assert [problem.line for problem in result.listed] == list(range(2, 102, 2))
    assert (result.more, result.decisive) == (0, ())


def test_attack_a29_no_records_and_records_of_elsewhere_are_told_first(tmp_path: Path) -> None:
    """Of no records it said that nothing breaks the rules."""
    (nothing,) = validated(tmp_path, []).problems.decisive
    assert str(nothing) == "persons.txt: the file has no rows, only a header; give the file that holds them"
    (elsewhere,) = validated(tmp_path, [row(**FINE, TABBLKST="05")] * 3).problems.decisive
    assert "persons.txt: records are 3, and none is counted: 3 are outside the states of the plan" in str(elsewhere)
    (most,) = validated(tmp_path, [row(**FINE, QSEX="M")] * 3 + [row(**FINE)]).problems.decisive
    assert "persons.txt: QSEX is not 1 or 2, in 3 of 4 records; look at the columns, the coding" in str(most)


def test_lines_are_counted_across_chunks(tmp_path: Path) -> None:
    good = row(**FINE)
    before = 2 * CHUNK // (len(good) + 1)
    result = validated(tmp_path, [good] * before + [b"", row(**FINE, QAGE="x"), b"\xff" * (CHUNK + 9), b"x"])
    assert [(p.line, p.field) for p in result.problems.listed] == [
        (before + 3, "QAGE"),
        (before + 4, "line"),
        (before + 5, "line"),
    ]
    assert (result.values["lines"], result.values["counted"]) == (before + 4, before)


@pytest.mark.examples(30)
@given(st.lists(st.binary(max_size=30).filter(lambda line: b"\n" not in line), max_size=5))
def test_any_bytes_are_told_and_nothing_fails(tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]) -> None:
    result = validated(tmp_path_factory.mktemp("any"), [row(**FINE), *lines])
    assert result.values["lines"] == 1 + len(lines)
    # Short lines never have all fields.
    assert result.problems.total >= sum(line.removesuffix(b"\r") != b"" for line in lines)
    assert result.values["counted"] == 1


def test_parquet_rows_are_counted_from_one_in_each_part(tmp_path: Path) -> None:
    good = row(**FINE).decode().split("|")
    bad = ["x|y", *good[1:]]
    for name, lines in (("a", [good, bad]), ("b", [good, good, bad])):
        columns = dict(zip(COLUMNS, map(list, zip(*lines, strict=True)), strict=True))
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    result = validate(PLAN, GEOGRAPHY, open_persons(tmp_path, PLAN)).value
    assert [(p.file, p.line, p.field) for p in result.problems.listed] == [
        ("a.parquet", 2, "line"),
        ("b.parquet", 3, "line"),
    ]
    assert (result.values["lines"], result.values["counted"]) == (5, 3)


@pytest.mark.parametrize(("config", "outside"), [("input_dir_puredp", 2), ("input_dir_zcdp", 2)])
def test_the_toy_data_set_is_clean(shared_data: Path, config: str, outside: int) -> None:
    folder = shared_data / "tables" / "toy_dataset"
    plan = Plan.load(folder / config)
    geography = read_geography(folder / "GRF-C.txt", plan)
    result = validate(plan, geography, open_persons(folder / "person-records.txt", plan)).value
    assert (result.values["lines"], result.problems.total) == (10, 0)
    assert result.notes.by_field == ({"TABBLKST": outside} if not census_records(plan).puerto_rico else {})
    result.problems.refuse()
