"""Exact counts of points: the same from DuckDB, Spark and Python; of a person at most k points, chosen by hash alone."""

import hashlib
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.engine.bounded_records import KEY
from starling.engine.spark import Spark, check_seen
from starling.places.counts import occupied_cells, tally
from starling.places.plan import Plan
from starling.places.source import open_records
from tests.places.plans import PERSON, SLICED, VALUED, plan, write_world

COLUMNS = ["-0.5", "0.5", "1.5", "2.5"]
"""Longitudes of the four columns of the southern row."""


def kept(rows: list[tuple[str, int]], key: bytes, points: int, *, distinct: bool) -> Counter[int]:
    """The readable twin: points by cell, of each person those of smallest hash."""
    by_person = defaultdict(list)
    met: Counter[tuple[str, int]] = Counter()
    for person, cell in rows:
        met[person, cell] += 1
        if not distinct or met[person, cell] == 1:
            text = f"{key.hex()} {cell} {met[person, cell]} {person.encode().hex().upper()}"
            by_person[person].append((hashlib.sha1(text.encode()).hexdigest(), cell))
    return Counter(cell for each in by_person.values() for _, cell in sorted(each)[:points])


def write(path: Path, rows: list[tuple[str, int]]) -> Path:
    path.write_text("who,lon,lat\n" + "".join(f"{person},{COLUMNS[cell]},0.5\n" for person, cell in rows))
    return path


def person_plan(points: int = 2, *, distinct: bool = False, more: Any = None) -> Plan:
    return plan(PERSON, {"privacy": {"points_per_person": points, "distinct_cells": distinct}}, more or {})


def of(plan: Plan, path: Path, key: bytes) -> list[int]:
    result: list[int] = tally(plan, open_records(path, plan), key)[0, 0].tolist()
    return result


ROWS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), max_size=20)


@pytest.mark.slow
@pytest.mark.examples(6)
@settings(max_examples=40, deadline=None)
@given(ROWS, st.integers(1, 3), st.booleans(), st.binary(min_size=KEY, max_size=KEY))
def test_duckdb_keeps_what_the_twin_keeps(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, int]], points: int, distinct: bool, key: bytes
) -> None:
    path = write(tmp_path_factory.mktemp("rows") / "a.csv", rows)
    wanted = kept(rows, key, points, distinct=distinct)
    assert of(person_plan(points, distinct=distinct), path, key) == [wanted[cell] for cell in range(4)]


@pytest.mark.examples(2)
@settings(max_examples=20, deadline=None)
@given(ROWS, st.integers(1, 3), st.booleans(), st.integers(0, 10**6))
def test_a_person_changes_the_counts_by_at_most_k_whatever_the_order(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, int]], points: int, distinct: bool, seed: int
) -> None:
    folder, key = tmp_path_factory.mktemp("rows"), bytes(KEY)
    chosen = person_plan(points, distinct=distinct)
    shuffled = [rows[at] for at in np.random.default_rng(seed).permutation(len(rows))]
    whole = of(chosen, write(folder / "a.csv", rows), key)
    assert of(chosen, write(folder / "b.csv", shuffled), key) == whole
    others = of(chosen, write(folder / "c.csv", [row for row in rows if row[0] != "a"]), key)
    apart = np.array(whole) - np.array(others)
    assert (apart >= 0).all()
    assert apart.sum() <= points


@pytest.mark.statistical
def test_the_kept_points_are_uniform_among_the_persons_own(tmp_path: Path) -> None:
    """A person with 3 points in one cell and 1 in another keeps 1: the other's with chance 1/4.

    600 persons: 150 are expected, standard deviation 10.6; 95 to 205 is missed by chance less than once in 10^6 keys. One hash for each
    cell, not each point, would keep 300 and is rejected.
    """
    rows = [(f"p{at}", cell) for at in range(600) for cell in (0, 0, 0, 1)]
    result = of(person_plan(1), write(tmp_path / "a.csv", rows), bytes(range(KEY)))
    assert sum(result) == 600
    assert 95 <= result[1] <= 205


def test_k_holds_over_all_slices_together(tmp_path: Path) -> None:
    text = "".join(f"a,0.5,0.5,2020-0{month}-02\n" for month in (1, 2) for _ in range(5))
    (tmp_path / "a.csv").write_text("who,lon,lat,time\n" + text)
    chosen = person_plan(3, more=SLICED)
    result = tally(chosen, open_records(tmp_path / "a.csv", chosen), bytes(KEY))
    assert (result.shape, result.sum()) == ((2, 2, 4), 3)


TWO_COLUMNS: Any = {
    "input": {"time": "hour", "category": "kind"},
    "slices": {"names": ["8", "17"], "categories": ["x", "y"]},
}


@st.composite
def sorted_records(draw: st.DrawFn) -> list[tuple[str, int, str, str]]:
    """Person, cell, hour and kind of records, of which some are in no slice."""
    row = st.tuples(
        st.sampled_from("abc"), st.integers(0, 3), st.sampled_from(["8", "17", "9", ""]), st.sampled_from("xyz")
    )
    return draw(st.lists(row, max_size=16))


def write_sorted(path: Path, rows: list[tuple[str, int, str, str]]) -> Path:
    lines = [f"{person},{COLUMNS[cell]},0.5,{hour},{kind}\n" for person, cell, hour, kind in rows]
    path.write_text("who,lon,lat,hour,kind\n" + "".join(lines))
    return path


@pytest.mark.examples(6)
@settings(max_examples=25, deadline=None)
@given(rows=sorted_records())
def test_each_record_lies_in_one_slice_of_two_columns(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, int, str, str]]
) -> None:
    path, chosen = write_sorted(tmp_path_factory.mktemp("rows") / "a.csv", rows), plan(TWO_COLUMNS)
    result = tally(chosen, open_records(path, chosen), b"")
    wanted = Counter((hour, kind, cell) for _, cell, hour, kind in rows)
    for number, (hour, kind) in enumerate([("8", "x"), ("8", "y"), ("17", "x"), ("17", "y")]):
        assert result[number, 0].tolist() == [wanted[hour, kind, cell] for cell in range(4)]
        assert chosen.slice_names[number] == f"{hour}, {kind}"


@pytest.mark.slow
@pytest.mark.examples(4)
@settings(max_examples=15, deadline=None)
@given(rows=sorted_records(), points=st.integers(1, 2))
def test_a_person_has_at_most_k_points_over_all_slices_of_two_columns(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, int, str, str]], points: int
) -> None:
    folder, chosen = tmp_path_factory.mktemp("rows"), person_plan(points, more=TWO_COLUMNS)
    opened = [
        open_records(write_sorted(folder / name, some), chosen)
        for name, some in (("a.csv", rows), ("b.csv", [row for row in rows if row[0] != "a"]))
    ]
    whole, others = (tally(chosen, each, bytes(KEY)) for each in opened)
    assert (whole >= others).all()
    own = sum(person == "a" and hour in ("8", "17") and kind in "xy" for person, _, hour, kind in rows)
    assert (whole - others).sum() == min(own, points)


VALUES_OF_RECORDS = ["-7", "-2", "-0.5", "0.5", "1.5", "3", "1e30", "inf", "nan", "", "x"]
UNITS = [0, 0, 2, 2, 4, 5, 5, None, None, None, None]
"""Units above -2, of values that are rounded, ties to the even one, and clamped to 3; None is dropped."""


def write_values(path: Path, rows: list[tuple[str, int, int]]) -> Path:
    lines = [f"{person},{COLUMNS[cell]},0.5,{VALUES_OF_RECORDS[value]}\n" for person, cell, value in rows]
    path.write_text("who,lon,lat,fare\n" + "".join(lines))
    return path


VALUE_ROWS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3), st.integers(0, 10)), max_size=16)


@pytest.mark.slow
@pytest.mark.examples(3)
@settings(max_examples=25, deadline=None)
@given(rows=VALUE_ROWS)
def test_layers_hold_the_units_above_and_below_the_bounds(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, int, int]]
) -> None:
    path = write_values(tmp_path_factory.mktemp("rows") / "a.csv", rows)
    wanted = np.zeros((2, 4), dtype=np.int64)
    for _, cell, value in rows:
        if (units := UNITS[value]) is not None:
            wanted[:, cell] += units, 5 - units
    for fine in ({}, {"grid": {"rows": 2, "columns": 4}, "method": {"name": "adaptive"}}):
        chosen = plan(VALUED, fine)
        assert tally(chosen, open_records(path, chosen), b"")[:, 0].tolist() == wanted.tolist()
        sparse = occupied_cells(chosen, open_records(path, chosen), b"")
        whole = np.array([[0, 2, 0, 4]], dtype=np.int32)
        assert [each.box_counts(whole).tolist() for each in sparse] == wanted.sum(axis=1)[:, None].tolist()


@pytest.mark.slow
@pytest.mark.examples(4)
@settings(max_examples=15, deadline=None)
@given(rows=VALUE_ROWS, points=st.integers(1, 2))
def test_a_unit_has_so_many_units_of_value_whatever_its_values(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, int, int]], points: int
) -> None:
    """One record has b - a units in both layers, one person at most k times as many: the L1 sensitivity."""
    folder, person = tmp_path_factory.mktemp("rows"), person_plan(points, more=VALUED)
    record = plan(VALUED)
    apart = []
    for chosen, fewer in ((person, [row for row in rows if row[0] != "a"]), (record, rows[1:])):
        paths = write_values(folder / "a.csv", rows), write_values(folder / "b.csv", fewer)
        whole, others = (tally(chosen, open_records(path, chosen), bytes(KEY)) for path in paths)
        assert (whole >= others).all()
        apart.append(int((whole - others).sum()))
    own = sum(name == "a" and UNITS[value] is not None for name, _, value in rows)
    first = sum(UNITS[value] is not None for _, _, value in rows[:1])
    assert apart == [5 * min(own, points), 5 * first]
    assert (person.units, record.units) == (5 * points, 5)


@pytest.mark.slow
def test_spark_counts_what_duckdb_counts(spark: Spark, tmp_path: Path) -> None:
    rows = [(person, cell) for person in "abcdé" for cell in (0, 0, 1, 2, 3, 3, 3)]
    path, key = write(tmp_path / "a.csv", rows), bytes(range(KEY))
    opened = open_records(path, plan())
    check_seen(spark, opened.files, opened.sizes)
    for chosen in (plan(), person_plan(), person_plan(3, distinct=True)):
        opened = open_records(path, chosen)
        there, here = tally(chosen, opened, key, spark), tally(chosen, opened, key)
        assert np.array_equal(there, here)
        if chosen.unit == "person":
            twin = kept(rows, key, chosen.points, distinct=chosen.distinct)
            assert there[0, 0].tolist() == [twin[cell] for cell in range(4)]
    valued = write_values(tmp_path / "b.csv", [(person, at % 4, at % 11) for at, person in enumerate("abcaab" * 4)])
    for chosen in (plan(VALUED), person_plan(more=VALUED)):
        opened = open_records(valued, chosen)
        check_seen(spark, opened.files, opened.sizes)
        assert np.array_equal(tally(chosen, opened, key, spark), tally(chosen, opened, key))


@pytest.mark.parametrize(
    ("file", "box", "inside"),
    [
        ("uber_nyc_2014.parquet", ["-74.3", "40.5", "-73.7", "41"], 389_953),
        ("houston_crime_2010.parquet", ["-95.8", "29.5", "-95", "30.15"], 86_066),
    ],
)
def test_real_points_are_counted_as_their_note_says(file: str, box: list[str], inside: int, shared_data: Path) -> None:
    chosen = plan({"grid": {"box": box, "rows": 1024, "columns": 1024}})
    assert tally(chosen, open_records(shared_data / "places" / file, chosen), b"").sum() == inside


def test_slices_of_real_points_add_up(shared_data: Path) -> None:
    path = shared_data / "places" / "uber_nyc_2014.parquet"
    grid = {"grid": {"box": ["-74.3", "40.5", "-73.7", "41"], "rows": 64, "columns": 64}}
    whole = plan(grid)
    bounds = [f"2014-{month:02}-01" for month in range(4, 11)]
    months = plan(grid, {"input": {"time": "time"}, "slices": {"bounds": bounds}})
    result = tally(months, open_records(path, months), b"")
    assert np.array_equal(result.sum(axis=0), tally(whole, open_records(path, whole), b"")[0])
    assert (result.sum(axis=(1, 2)) > 60_000).all()


FINE: dict[str, Any] = {"grid": {"rows": 1 << 13, "columns": (1 << 13) + 2}, "method": {"name": "adaptive"}}
"""A grid with too many cells to hold a number of each."""


@pytest.mark.series(1)
@pytest.mark.parametrize("changes", [(), (PERSON,), (SLICED,), (PERSON, SLICED)])
def test_the_occupied_cells_of_a_sparse_grid_are_those_of_the_records(changes: tuple[Any, ...], tmp_path: Path) -> None:
    path, key = write_world(tmp_path), bytes(KEY)
    fine, coarse = plan(*changes, FINE), plan(*changes)
    result = occupied_cells(fine, open_records(path, fine), key)
    rows, columns = fine.grid.shape
    # Quarters of both sides are boxes of the tree.
    down, across = ([side * at // 4 for at in range(5)] for side in (rows, columns))
    boxes = np.array([[*a, *b] for a in pairwise(down) for b in pairwise(across)], dtype=np.int32)
    points = [each.box_counts(boxes).reshape(2, 2, 4).sum(axis=1).tolist() for each in result]
    assert points == tally(coarse, open_records(path, coarse), key).tolist()


@pytest.mark.slow
def test_spark_counts_a_sparse_grid_as_duckdb_does(spark: Spark, tmp_path: Path) -> None:
    path, key = write_world(tmp_path), bytes(range(KEY))
    for chosen in (plan(FINE), plan(PERSON, SLICED, FINE)):
        opened = open_records(path, chosen)
        there, here = occupied_cells(chosen, opened, key, spark), occupied_cells(chosen, opened, key)
        for one, two in zip(there, here, strict=True):
            assert np.array_equal(one.places, two.places)
            assert np.array_equal(one.sums, two.sums)


def test_a_sparse_grid_without_points_is_counted(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("lon,lat\n")
    chosen = plan(FINE)
    (result,) = occupied_cells(chosen, open_records(tmp_path / "a.csv", chosen), b"")
    assert result.sums.tolist() == [0]
