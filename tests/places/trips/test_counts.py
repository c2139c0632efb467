"""Exact trips between cells: what is counted, how many of a person, and that Spark counts what DuckDB counts."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starling.engine.spark import Spark
from starling.places.source.trips import open_records
from starling.places.trips.counts import tally
from starling.places.trips.measurements import Trips
from tests.places.trips.worlds import EXACT, PERSON, RECORDS, plan

KEY = bytes(16)


def counted(trips: Trips) -> dict[tuple[int, ...], int]:
    """The trips by their cells."""
    return {tuple(ends): many for ends, many in zip(trips.ends.tolist(), trips.points.tolist(), strict=True)}


def test_a_trip_counts_where_both_ends_lie_in_the_box(tmp_path: Path) -> None:
    (tmp_path / "records.csv").write_text(RECORDS)
    of = plan(tmp_path)
    assert counted(tally(of, open_records(tmp_path / "records.csv", of), KEY)) == EXACT
    none = {name: np.empty(0) for name in of.columns.names}
    empty = tally(of, open_records(none, of), KEY)
    assert (empty.ends.shape, empty.points.shape) == ((0, 4), (0,))


def test_a_person_has_at_most_k_trips_and_nobody_has_none(tmp_path: Path) -> None:
    (tmp_path / "records.csv").write_text(RECORDS)
    of = plan(tmp_path, **PERSON)
    found = counted(tally(of, open_records(tmp_path / "records.csv", of), KEY))
    assert found == {(0, 0, 2, 3): 2, (1, 1, 1, 1): 1, (2, 3, 0, 0): 1}


def test_the_largest_grid_numbers_its_pairs(tmp_path: Path) -> None:
    of = plan(tmp_path, grid={"crs": "degrees", "box": ["0", "0", "4", "4"], "rows": 1024, "columns": 1024})
    records: dict[str, Any] = {"ax": [3.9999, 0.0], "ay": [3.9999, 0.0], "bx": [3.9999, 3.9999], "by": [3.9999, 0.0]}
    found = counted(tally(of, open_records(records, of), KEY))
    assert found == {(1023, 1023, 1023, 1023): 1, (0, 0, 0, 1023): 1}


@pytest.mark.slow
def test_spark_counts_what_duckdb_counts(tmp_path: Path, spark: Spark) -> None:
    (tmp_path / "records.csv").write_text(RECORDS)
    for changes in ({}, PERSON):
        of = plan(tmp_path, **changes)
        opened = open_records(tmp_path / "records.csv", of)
        there, here = tally(of, opened, KEY, spark), tally(of, opened, KEY)
        assert counted(there) == counted(here)
        assert here.points.sum() == (4 if changes else 6)
