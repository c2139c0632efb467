"""Legs of trips with stops: counted as one reads them, of trips that are kept whole."""

from collections import Counter
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starling.places.arrays import Int64
from starling.places.flows.counts import add_legs, tally
from starling.places.flows.plan import Plan
from starling.places.flows.publication import mechanism_of
from starling.places.flows.source.validation import validate
from starling.places.source.trips import open_records
from tests.places.flows.worlds import STOPPING, STOPS, STOPS_AT, plan

KEY = bytes(16)
PLACES = (None, 1, 2, 3, 4, 9)
"""Of a record: missing, the four areas, and none."""


def slow(rows: list[tuple[Any, ...]]) -> Int64:
    """The legs of records of an origin, two stops and a destination, each read on its own."""
    legs = Counter[tuple[int, int]]()
    for begin, *stops, end in rows:
        if begin in range(1, 5) and end in range(1, 5):
            legs.update(pairwise([begin, *(each for each in stops if each in range(1, 5)), end]))
    counted = np.zeros((4, 4), dtype=np.int64)
    for (one, other), many in legs.items():
        counted[one - 1, other - 1] = many
    return counted


def records(rows: list[tuple[Any, ...]]) -> dict[str, Any]:
    return dict(zip(("a", "via", "then", "b"), map(list, zip(*rows, strict=True)), strict=True))


def located(rows: list[tuple[Any, ...]]) -> dict[str, Any]:
    """The same records, by coordinates in the squares of `write_areas`; area 9 lies outside."""
    columns = zip("avtb", zip(*rows, strict=True), strict=True)
    there = {name: [None if at is None else at + 0.25 for at in places] for name, places in columns}
    x = {f"{name}x": places for name, places in there.items()}
    return x | {f"{name}y": [at and 0.75 for at in places] for name, places in there.items()}


def counted(of: Plan, rows: list[tuple[Any, ...]], key: bytes = KEY, **more: Any) -> Int64:
    (legs,) = tally(of, open_records({**records(rows), **more}, of), key)
    return np.asarray(legs)


def test_every_way_of_a_trip_is_counted_by_its_legs(tmp_path: Path) -> None:
    of, rows = plan(tmp_path, **STOPS), list(product(PLACES, repeat=4))
    assert np.array_equal(counted(of, rows), slow(rows))
    for row in ((1, 2, 2, 2), (1, 9, 3, 4), (1, 9, 9, 1), (9, 1, 1, 1)):
        assert np.array_equal(counted(of, [row]), slow([row]))


def test_stops_by_coordinates_are_those_by_ids(tmp_path: Path) -> None:
    """Wherever the areas come from, a trip is the same way, and its legs cost the same."""
    by_ids, of, rows = plan(tmp_path, **STOPS), plan(tmp_path, **STOPS_AT), list(product(PLACES, repeat=4))
    assert (of.legs, of.codes, of.counted) == (by_ids.legs, by_ids.codes, "legs")
    assert mechanism_of(of).guarantee == mechanism_of(by_ids).guarantee
    (legs,) = tally(of, open_records(located(rows), of), KEY)
    assert np.array_equal(legs, slow(rows))
    half = tmp_path / "half.csv"
    half.write_text("ax,ay,vx,vy,tx,ty,bx,by\n1.5,0.5,near,0.5,2.5,,4.5,0.5\n")
    (legs,) = tally(of, open_records(half, of), KEY)
    assert np.array_equal(legs, slow([(1, 9, 9, 4)]))
    problems = validate(of, open_records(half, of)).value.problems
    assert [each.field for each in problems.listed] == ["vx, vy", "tx, ty"]
    missing = located([(1, None, None, 4), (1, 2, 3, 4)])
    assert validate(of, open_records(missing, of)).value.problems.total == 0


def test_what_is_kept_of_a_person_is_trips_with_all_their_legs(tmp_path: Path) -> None:
    of = plan(tmp_path, **STOPPING)
    rows = [(1, 2, 3, 4), (4, 3, 2, 1), (2, None, None, 2), (3, 1, 9, 3)]
    pairs = [slow(list(pair)).tolist() for pair in combinations(rows, 2)]
    kept = [counted(of, rows, bytes([at] * 16), who=["x"] * 4).tolist() for at in range(4)]
    assert all(each in pairs for each in kept)
    assert len({str(each) for each in kept}) > 1, "the key chooses"
    every = counted(of, rows, who=["w", "w", "x", "x"])
    assert np.array_equal(every, slow(rows))


def test_no_unit_has_more_legs_than_its_plan_says(tmp_path: Path) -> None:
    """All that one person may have, of up to two trips of up to two stops; a unit more or less adds it to what others have."""
    of = plan(tmp_path, **STOPPING)
    assert of.legs == 6
    each = np.zeros((of.codes, 1, 4, 4), dtype=np.int64)
    for code in range(of.codes):
        add_legs(of, np.array([code]), np.ones(1, dtype=np.int64), each[code])
    legs = each.sum(axis=(1, 2, 3))
    assert legs.min() == 1
    assert legs.max() == 3
    assert of.trips * legs.max() == of.legs


def test_legs_of_parts_that_are_handed_over_add_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A way may stand in several parts."""
    of = plan(tmp_path, **STOPS)
    rows = [(1, 2, 3, 4), (1, 2, 3, 4), (4, None, 3, 1)]
    numbers = [np.array([code]) for code in (7, 7, 20)]
    parts = ((number, np.ones(1, dtype=np.int64)) for number in numbers)
    monkeypatch.setattr("starling.places.flows.counts.parts_of_some", lambda *_: parts)
    legs = counted(of, rows)
    expected = np.zeros((1, 4, 4), dtype=np.int64)
    for number in numbers:
        add_legs(of, number, np.ones(1, dtype=np.int64), expected)
    assert np.array_equal(legs, expected[0])
