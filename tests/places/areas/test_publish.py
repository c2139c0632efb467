"""A release of areas from records to numbers: by coordinates, ids, persons, slices, DuckDB and Spark; what was changed is found."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling import places
from starling.engine.bounded_records import KEY
from starling.errors import ParameterError
from starling.places.areas.publication import AreasPublication
from starling.places.areas.source.cells import cells_of
from starling.places.counts import points_by_cell, units_by_cell
from starling.places.source import open_records
from starling.release.checks import InvalidRelease
from starling.verification import Outcome
from tests.places.areas.worlds import plan

HUGE = {"privacy": {"unit": "point", "epsilon": "100000"}}
POINTS = pd.DataFrame(
    {
        "x": [0.5, 1.5, 1.25, 0.5, 1.5, 2.5, 9.0, None, 1.0],
        "y": [1.5, 1.5, 1.25, 0.5, 0.5, 0.5, 0.5, 0.5, 1.5],
    }
)
COUNTS = [2, 2, 1, 1, 1]
"""Of the squares; the last point lies on the border of a and b, and so in a."""
RECORDS = pd.DataFrame(
    {
        "zone": ["a", "a", "b", "c", "e", "e", "e", "none", None, "d"],
        "who": ["p", "p", "p", "q", "q", "q", "r", "r", "r", None],
        "when": ["am", "am", "pm", "am", "am", "pm", "am", "am", "am", "pm"],
    }
)


def session(folder: Path, **changes: Any) -> places.AreasPlan:
    stated = plan(folder, **changes)
    return places.AreasPlan.of(stated.values(), folder=folder)


@pytest.mark.slow
def test_points_are_counted_by_area_and_add_up(tmp_path: Path) -> None:
    chosen = session(tmp_path, **HUGE)
    release = chosen.release(POINTS)
    assert np.rint(release.points()).tolist() == COUNTS
    assert [round(release.number(each).points) for each in ("north", "south", "e")] == [4, 3, 1]
    assert round(release.number().points) == 7
    assert round(release.number("north", "a", "e").points) == 5, "an area that is named twice counts once"
    assert release.verify().outcome is Outcome.CONSISTENT
    assert chosen.validate(POINTS).problems.total == 2
    asked: Any = release.tell({"kind": "count_areas", "areas": ["north"]})
    assert (asked["lower"], asked["upper"]) == (3, 5)
    assert "areas.svg" in {each.name for each in release.plot().save(tmp_path / "pictures")}


@pytest.mark.series(1)
@pytest.mark.parametrize("distinct", [False, True])
def test_at_most_k_records_of_a_person_count_over_all_slices(tmp_path: Path, distinct: bool) -> None:
    privacy = {"unit": "person", "points_per_person": 2, "distinct_areas": distinct, "epsilon": "1"}
    named = {"input": {"area": "zone", "person": "who", "time": "when"}, "slices": {"names": ["am", "pm"]}}
    chosen = session(tmp_path, privacy=privacy, **named)
    opened = open_records(RECORDS, chosen)
    sums = {
        tuple(points_by_cell(chosen, lambda table: cells_of(chosen, table), opened, bytes([seed]) * KEY).tolist())
        for seed in range(12)
    }
    assert len(sums) > 1, "which are kept is drawn"
    for each in sums:
        assert sum(each) == 5, "two of p, two of q, and the one record of r in an area"
        assert not distinct or max(each[:5]) <= 2


@pytest.mark.slow
def test_spark_adds_up_the_values_that_duckdb_adds_up(tmp_path: Path, spark: Any) -> None:
    random = np.random.default_rng(2)
    table = pa.table(
        {
            "zone": random.choice(["a", "b", "e", "none"], 5000),
            "who": random.integers(0, 900, 5000).astype(str),
            "fare": random.normal(1, 3, 5000),
        }
    )
    pq.write_table(table, tmp_path / "records.parquet")
    privacy = {"unit": "person", "points_per_person": 3, "epsilon": "1"}
    named = {"area": "zone", "person": "who", "value": "fare"}
    for changes in ({"input": named, "privacy": privacy}, {"input": {"area": "zone", "value": "fare"}}):
        chosen = plan(tmp_path, value={"lower": -2, "upper": 5}, **changes)
        opened = open_records(tmp_path / "records.parquet", chosen)
        place = partial(cells_of, chosen)
        one, other = (units_by_cell(chosen, place, opened, bytes(KEY), each) for each in (None, spark))
        assert np.array_equal(one, other)
        assert one.sum() % 7 == 0


@pytest.mark.slow
def test_spark_counts_what_duckdb_counts(tmp_path: Path, spark: Any) -> None:
    random = np.random.default_rng(1)
    table = pa.table(
        {
            "x": random.uniform(-0.5, 3.5, 3000),
            "y": random.uniform(-0.5, 2.5, 3000),
            "who": random.integers(0, 500, 3000),
        }
    )
    pq.write_table(table, tmp_path / "records.parquet")
    for privacy in ({"unit": "point", "rho": "1"}, {"unit": "person", "points_per_person": 3, "rho": "1"}):
        person = {"person": "who"} if privacy["unit"] == "person" else {}
        chosen = plan(tmp_path, privacy=privacy, input={"x": "x", "y": "y", **person})
        opened = open_records(tmp_path / "records.parquet", chosen)
        place = partial(cells_of, chosen)
        there, here = (points_by_cell(chosen, place, opened, bytes(KEY), engine) for engine in (spark, None))
        assert there.tolist() == here.tolist()
        assert here.sum() > 1000


def test_slices_are_compared_with_independent_noise(tmp_path: Path) -> None:
    named = {"input": {"area": "zone", "time": "when"}, "slices": {"names": ["am", "pm"]}}
    release = session(tmp_path, **named).release(RECORDS)
    one, both = release.number("e", slice="am"), release.number("e", slice="am", minus="pm")
    assert both.deviation == pytest.approx(one.deviation * 2**0.5)
    assert both.lower < both.points < both.upper
    more, less = (release.number("all", slice=a, minus=b) for a, b in (("am", "pm"), ("pm", "am")))
    assert (less.lower, less.upper) == (-more.upper, -more.lower), "a difference may be less than 0"
    for wrong in ({"slice": "none"}, {}, {"slice": "am", "minus": "am"}, {"slice": "am", "level": "1"}):
        with pytest.raises(ParameterError):
            release.number("e", **wrong)
    with pytest.raises(ParameterError, match="did you mean"):
        release.number("sout", slice="am")


@pytest.mark.slow
def test_a_release_is_itself_by_its_files_and_not_by_its_numbers(tmp_path: Path) -> None:
    one, other = (session(tmp_path, **HUGE).release(POINTS) for _ in range(2))
    assert one.points().tolist() == other.points().tolist(), "where hardly a draw is not 0"
    assert one.compare(other).points == 0
    with pytest.raises(ParameterError, match="is the release itself"):
        one.compare(one)


def test_measurements_of_another_form_are_refused(tmp_path: Path) -> None:
    session(tmp_path, **HUGE).release(POINTS, tmp_path / "out")
    publication = AreasPublication.reopened(tmp_path / "out")
    file = tmp_path / "out" / "measurements" / "counts.parquet"
    table = pq.read_table(file)
    columns = [table["slice"], table["level"], pa.chunked_array([table["node"].to_numpy()[::-1]]), table["value"]]
    for changed in (table.slice(1), table.drop_columns(["level"]), pa.table(columns, table.schema)):
        pq.write_table(changed, file)
        with pytest.raises(InvalidRelease):
            publication.read(tmp_path / "out")
    file.write_bytes(b"no")
    with pytest.raises(InvalidRelease):
        publication.read(tmp_path / "out")
