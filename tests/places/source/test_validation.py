"""What is wrong with records of points, for their custodian: each fault with its line, and a wrong file above all."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.errors import SourceError
from starling.places.source import open_records
from starling.places.source.geojson import TYPES
from starling.places.source.validation import validate
from starling.release.domain import Validated
from starling.text_format import TextFormat
from tests.places.plans import KINDS, PERSON, RECORDS, SLICED, plan
from tests.places.source.test_values import wkb


def validated(folder: Path, text: str, *changes: dict[str, Any]) -> Validated:
    chosen = plan(*changes)
    (folder / "records.csv").write_text(text)
    return validate(chosen, open_records(folder / "records.csv", chosen)).value


def test_good_records_have_no_problem(tmp_path: Path) -> None:
    result = validated(tmp_path, RECORDS, PERSON, SLICED)
    assert (result.problems.none, result.notes.none, result.values) == (True, True, {"records": 5})


def test_each_fault_has_its_line(tmp_path: Path) -> None:
    text = (
        RECORDS
        + ",0,0,2020-01-01\na,x,0,2020-01-01\na,0\n\na,0,95,2020-01-01\na,9,0,2020-01-01\na,1e999,0,2020-01-01\n"
    )
    result = validated(tmp_path, text + "a,0,0,1999-01-01\n", PERSON, SLICED)
    assert sorted((each.line, each.field, each.problem) for each in result.problems.listed) == [
        (7, "who", "is missing"),
        (8, "lon, lat", "is missing or no point"),
        (9, "record", "has another number of fields than the header, or a quote that is not closed"),
        (11, "lon, lat", "is beyond latitude 90"),
        (12, "lon, lat", "is outside the box"),
        (13, "lon, lat", "is infinite"),
        (14, "time", "is in no slice"),
    ]
    assert not result.problems.decisive
    assert [each.problem for each in result.notes.listed] == ["has more than 2 records, 1 time: 2 of them count"]
    assert result.notes.listed[0].fix == "raise points_per_person if that is too few"


@pytest.mark.parametrize("kind", ["csv", "tab"])
def test_row_names_of_r_without_a_name_are_the_cause(kind: str, tmp_path: Path) -> None:
    """As write.table(x, sep = ",") writes it: row names lead the rows, and nothing the header."""
    form = TextFormat("tab" if kind == "tab" else ",")
    rows = ["lon,lat", *(f"{number},0.5,1.5" for number in range(1, 6))]
    (tmp_path / "records.csv").write_text("\n".join(rows).replace(",", form.mark) + "\n")
    chosen = replace(plan(), format=form)
    problems = validate(chosen, open_records(tmp_path / "records.csv", chosen)).value.problems
    assert (problems.decisive[0].field, problems.total) == ("the header", 5)
    assert "R's write.table does with row names" in problems.decisive[0].problem
    (tmp_path / "records.csv").write_text("lon,lat\n0.5,1.5\n0.5\n0.5\n0.5,1.5,2\n")
    decisive = validate(plan(), open_records(tmp_path / "records.csv", plan())).value.problems.decisive
    assert "the header" not in [each.field for each in decisive]


def test_a_workbook_has_its_columns_before_a_charge_and_its_faults_their_rows(tmp_path: Path) -> None:
    chosen, path = plan(), tmp_path / "records.xlsx"
    for columns in (("lon", "lat"), ("lon", "Lat")):
        book = openpyxl.Workbook()
        for row in (columns, (), (0.5, 1.5), (), (0, 95)):
            book.active.append(row)
        book.save(path)
        if columns[1] == "lat":
            faults = validate(chosen, open_records(path, chosen)).value.problems.listed
            assert [(each.line, each.problem) for each in faults] == [(5, "is beyond latitude 90")]
    with pytest.raises(SourceError, match="lat is a missing column; did you mean Lat"):
        open_records(path, chosen)


def test_a_number_of_rows_is_no_person(tmp_path: Path) -> None:
    rows = "who,lon,lat\n" + "".join(f"{number},0.5,1.5\n" for number in range(9))
    (note,) = validated(tmp_path, rows, PERSON).notes.listed
    assert (note.field, note.problem) == (
        "who",
        "is another in each of 9 records: a number of rows would protect single records",
    )
    assert not validated(tmp_path, rows + "8,0.5,1.5\n", PERSON).notes.listed
    assert not validated(tmp_path, "who,lon,lat\n1,0.5,1.5\n", PERSON).notes.listed


FEET = {"grid": {"crs": "plain", "crs_name": "EPSG:2263", "box": ["900000", "120000", "1070000", "280000"]}}


@pytest.mark.parametrize(
    ("text", "changes", "cause"),
    [
        ("lon,lat\n", (), "has no rows, only a header"),
        ("lon,lat\n" + "1.5,-0.5\n" * 9, (), "has x and y swapped: most points lie in the box the other way round"),
        ("lon,lat\n" + "-74,40.7\n" * 9, (FEET,), "is EPSG:2263, and most points look like degrees"),
        ("lon,lat\n" + "984000,210000\n" * 9, (), "takes points in degrees, and most look like metres or feet"),
        (
            "lon,lat\n" + "-2.5,0.5\n" * 9,
            (),
            "has coordinates without their sign: most points lie in the box with it changed",
        ),
        (
            "lon,lat\n" + "25000000,5000000\n" * 9,
            (),
            "has degrees times 10,000,000: most points lie in the box when divided",
        ),
        ("lon,lat\n" + "50,50\n" * 9, (), "is outside the box, in 9 of 9 records"),
        ("lon,lat\n" + "50 50,\n" * 9, (), "is missing or no point, in 9 of 9 records"),
    ],
)
def test_attack_a29_a_wrong_file_that_parses_is_named_above_all(
    text: str, changes: tuple[dict[str, Any], ...], cause: str, tmp_path: Path
) -> None:
    assert cause in [each.problem for each in validated(tmp_path, text, *changes).problems.decisive]


@pytest.mark.parametrize("kind", range(2, 8))
def test_geometries_that_are_no_points_are_named(kind: int, tmp_path: Path) -> None:
    geometry = {"input": {"x": None, "y": None, "geometry": "place"}}
    problem = f"is a {TYPES[kind - 1]}, not a point"
    features = [{"type": "Feature", "geometry": {"type": TYPES[kind - 1], "coordinates": []}}]
    result = validated(tmp_path, json.dumps({"type": "FeatureCollection", "features": features}), geometry)
    assert problem in [each.problem for each in result.problems.listed]
    result = validated(tmp_path, f'place\n"{TYPES[kind - 1].upper()} (1 2)"\n', geometry)
    assert problem in [each.problem for each in result.problems.listed]
    pq.write_table(pa.table({"place": [wkb(kind, 1, 2), wkb(1000 + kind, 1, 2), None]}), tmp_path / "a.parquet")
    result = validate(plan(geometry), open_records(tmp_path / "a.parquet", plan(geometry))).value
    assert [(each.line, each.problem) for each in result.problems.listed] == [
        (1, problem),
        (2, problem),
        (3, "is missing or no point"),
    ]


def test_the_pole_and_the_antimeridian_break_no_rule(tmp_path: Path) -> None:
    world = {"grid": {"box": ["-180", "-90", "180", "90"], "rows": 2, "columns": 4}}
    assert validated(tmp_path, "lon,lat\n180,1\n0,90\n-180,-90\n", world).problems.total == 0


def test_a_record_in_no_slice_is_named_by_its_column(tmp_path: Path) -> None:
    text = "lon,lat,time,kind\n0.5,0.5,2020-01-02,theft\n0.5,0.5,2021-01-02,arson\n0.5,0.5,2020-02-02,fraud\n"
    listed = validated(tmp_path, text, SLICED, KINDS).problems.listed
    assert [(each.line, each.field, each.problem) for each in listed] == [
        (3, "time", "is in no slice"),
        (4, "kind", "is in no slice"),
    ]


def test_a_cell_of_h3_that_cannot_be_is_named(tmp_path: Path) -> None:
    cells = {"input": {"x": None, "y": None, "h3": "cell"}}
    result = validated(tmp_path, "cell\n8928308280fffff\n617700169958293503\n", cells)
    assert (2 + 1, "cell", "is missing or no H3 cell in hexadecimal") in [
        (each.line, each.field, each.problem) for each in result.problems.listed
    ]


def test_no_time_is_told_from_a_time_in_no_slice(tmp_path: Path) -> None:
    times = ["2020-01-15 06:30:00 UTC", "2020-01-15 06:30:00+00", "15.1.2020", "1999-01-01"]
    result = validated(tmp_path, "lon,lat,time\n" + "".join(f"0,0,{each}\n" for each in times), SLICED)
    assert [(each.line, each.problem) for each in result.problems.listed] == [(4, "is no time"), (5, "is in no slice")]
