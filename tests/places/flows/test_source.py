"""Between which areas records lead: ids as text and as numbers, coordinates, persons."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from starling.errors import SourceError
from starling.places.flows.counts import tally
from starling.places.flows.plan import Plan
from starling.places.flows.source import areas_named
from starling.places.source.trips import open_records
from tests.places.flows.worlds import EXACT, PERSON, POINTS, RECORDS, VALUES, plan, write_areas

KEY = bytes(16)


def test_csv_numbers_and_texts_count_alike(tmp_path: Path) -> None:
    of = plan(tmp_path)
    (tmp_path / "records.csv").write_text(RECORDS)
    whole = pd.read_csv(tmp_path / "records.csv", dtype={"a": "Int64", "b": "Int64"})
    whole.to_parquet(tmp_path / "records.parquet")
    expected = np.zeros((4, 4), dtype=np.int64)
    for pair, many in EXACT.items():
        expected[pair] = many
    for records in (tmp_path / "records.csv", tmp_path / "records.parquet", whole, whole.astype("string")):
        assert np.array_equal(tally(of, open_records(records, of), KEY), expected[None])


def test_a_person_has_at_most_k_trips_and_nobody_has_none(tmp_path: Path) -> None:
    of = plan(tmp_path, **PERSON)
    (tmp_path / "records.csv").write_text(RECORDS)
    (counts,) = tally(of, open_records(tmp_path / "records.csv", of), KEY)
    assert (counts[0, 1], counts[2, 2], counts[3, 0], counts.sum()) == (2, 1, 1, 4)


def test_coordinates_lie_in_areas_and_outside(tmp_path: Path) -> None:
    of = plan(tmp_path, flows=POINTS)
    records = {"ax": [1.5, 2.5, 9.0, None], "ay": [0.5] * 4, "bx": [3.5, 4.5, 1.5, 1.5], "by": [0.1] * 4}
    (counts,) = tally(of, open_records(records, of), KEY)
    assert (counts[0, 2], counts[1, 3], counts.sum()) == (1, 1, 2)


def test_an_id_with_a_leading_zero_is_another_than_the_number(tmp_path: Path) -> None:
    areas = plan(tmp_path).areas
    assert areas_named(areas, pa.chunked_array([["1", "01", "4", None, "5"]])).tolist() == [0, -1, 3, -1, -1]
    assert areas_named(areas, pa.chunked_array([[1, -1, 4, None, 5, 1 << 40]])).tolist() == [0, -1, 3, -1, -1, -1]


def test_ids_that_pandas_made_floats_of_are_refused_with_what_to_do(tmp_path: Path) -> None:
    of, frame = plan(tmp_path), pd.DataFrame({"a": [1, None], "b": [2, 3]})
    with pytest.raises(SourceError, match=r'a is of type double, .*; store it so, in pandas by astype\("Int64"\)'):
        open_records(frame, of)
    open_records(frame.astype("Int64"), of)


@pytest.mark.parametrize("kind", ["uint8", "uint16", "uint64", "int8", "int64"])
def test_ids_of_every_kind_of_whole_numbers_are_looked_up(kind: str, tmp_path: Path) -> None:
    """Columns without a sign have no -1 for what is missing: filling it in once raised after the charge."""
    areas, largest = plan(tmp_path).areas, np.iinfo(kind).max
    ids = pa.chunked_array([pa.array([1, None, 4, 0, 5, largest], pa.type_for_alias(kind))])
    assert areas_named(areas, ids).tolist() == [0, -1, 3, -1, -1, -1]


@pytest.mark.parametrize("code", [9_999_999, int("7" * 4000), "7" * 5000])
@pytest.mark.parametrize("ids", [[1, 9_999_999, None], ["1", "9999999", "7" * 5000]])
def test_ids_of_areas_may_have_any_digits(code: int | str, ids: list[int | str | None], tmp_path: Path) -> None:
    """Python makes no number of thousands of digits: such an id once raised after the charge."""
    write_areas(tmp_path)
    text = (tmp_path / "areas.geojson").read_text()
    (tmp_path / "areas.geojson").write_text(text.replace('"code": 4', f'"code": {json.dumps(code)}'))
    areas = Plan.of(VALUES, folder=tmp_path).areas
    expected = [{"1": 0, str(code): 3}.get(str(each), -1) for each in ids]
    assert areas_named(areas, pa.chunked_array([ids])).tolist() == expected


def test_all_missing_columns_are_named_at_once(tmp_path: Path) -> None:
    of = plan(tmp_path, **PERSON)
    (tmp_path / "records.csv").write_text("x\n1\n")
    with pytest.raises(SourceError, match=r"a is a missing .*\n.*b is a missing .*\n.*who is a missing"):
        open_records(tmp_path / "records.csv", of)
