"""What is wrong with records, for their custodian: each fault with its line, and a wrong file above all."""

from pathlib import Path

import openpyxl
import pytest

from starling.errors import SourceError
from starling.groups.source import open_records
from starling.groups.source.validation import validate
from starling.release.domain import Validated
from tests.groups.worlds import world


def validated(folder: Path, text: str, kind: str = "groups", **changed: object) -> Validated:
    plan = world(folder, kind, **changed)
    (folder / "records.csv").write_text(text)
    return validate(plan, open_records(folder / "records.csv", plan)).value


def test_the_world_has_no_problem_and_one_note(tmp_path: Path) -> None:
    plan = world(tmp_path)
    result = validate(plan, open_records(tmp_path / "records.csv", plan)).value
    assert (result.values, result.problems.none) == ({"records": 9, "groups": 9}, True)
    assert [str(each) for each in result.notes.listed] == [
        "records.csv:10: size is beyond 4, and counts as that; correct it; a release goes by its rule: docs/reference/groups.md"
    ]


def test_each_fault_has_its_line(tmp_path: Path) -> None:
    result = validated(
        tmp_path, "region,size\ne1,1\n\nx,1\ne1,1.5\ne1,-2\ne1\ne1,3,4\ne1,4\ne1,\ne1,1\ne1,1\ne2,0\ne2,0\ne2,0\nw1,1\n"
    )
    assert [(each.line, each.field, each.problem) for each in result.problems.listed] == [
        (7, "record", "has another number of fields than the header, or a quote that is not closed"),
        (8, "record", "has another number of fields than the header, or a quote that is not closed"),
        (4, "region", "is no leaf of the plan"),
        (5, "size", "is no whole number from 0 on"),
        (6, "size", "is no whole number from 0 on"),
        (10, "size", "is no whole number from 0 on"),
    ]
    assert result.values["records"] == 14
    assert [each.problem for each in result.problems.decisive] == [
        "have 11 groups in regions of the plan, and 9 are public",
        "is no leaf of the plan: most often 'x' (1)",
        "is no whole number from 0 on: most often '1.5' (1), '-2' (1), '' (1)",
    ]


def test_a_workbook_has_its_columns_before_a_charge_and_its_faults_their_rows(tmp_path: Path) -> None:
    chosen, path = world(tmp_path), tmp_path / "records.xlsx"
    for columns in (("region", "size"), ("region", "Size")):
        book = openpyxl.Workbook()
        for row in (columns, (), ("e1", 1), (), ("e1", -2)):
            book.active.append(row)
        book.save(path)
        if columns[1] == "size":
            faults = validate(chosen, open_records(path, chosen)).value.problems.listed
            assert [(each.line, each.problem) for each in faults] == [(5, "is no whole number from 0 on")]
    with pytest.raises(SourceError, match="size is a missing column; did you mean Size"):
        open_records(path, chosen)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("region,size\n", "has no rows, only a header"),
        ("region,size\n" + "east,1\n" * 9, "is no leaf of the plan, in 9 of 9 records"),
        ("region,size\n" + "e1,one\n" * 9, "is no whole number from 0 on, in 9 of 9 records"),
        ("region,size\n" + "e1,1\n" * 12, "have 12 groups in regions of the plan, and 9 are public"),
    ],
)
def test_a_wrong_file_that_parses_is_named_above_all(text: str, cause: str, tmp_path: Path) -> None:
    assert cause in [each.problem for each in validated(tmp_path, text).problems.decisive]


def test_counts_that_are_too_large_are_a_problem(tmp_path: Path) -> None:
    result = validated(tmp_path, "region,size,groups\ne1,1,100\ne1,2,x\n", "counts")
    assert [(each.line, each.problem) for each in result.problems.listed] == [
        (3, "is no whole number from 0 on"),
        (2, "is beyond 9, and counts as that"),
    ]


def test_persons_in_several_groups_and_unknown_groups_are_counted(tmp_path: Path) -> None:
    text = "person,group\na,e1-0\na,e1-0\nb,e1-1\nb,e2-0\n,e1-0\nc,e9-9\nd,\n"
    result = validated(tmp_path, text, "persons", groups="")
    assert result.problems.by_field == {"person": 2, "group": 2}
    assert (result.read, result.values) == ("7 records of 9 groups", {"records": 7, "groups": 9})


def test_a_register_that_is_given_as_events_is_noted(tmp_path: Path) -> None:
    world(tmp_path, "events")
    names = [line.split(",")[0] for line in (tmp_path / "register.csv").read_text().splitlines()[1:]]
    result = validated(tmp_path, "group\n" + "\n".join(names), "events", groups="")
    assert result.problems.none
    assert [each.problem for each in result.notes.listed] == [
        "have exactly one event of each group of the register, as a list of the groups has"
    ]
    for other in (names[1:], [*names, names[0]], [*names[1:], "e9-9"], [*names[1:], names[1]]):
        assert validated(tmp_path, "group\n" + "\n".join(other), "events", groups="").notes.none
