"""A release of legs: verified, in its own words, with the numbers of the trips' ways; and plans of stops that cannot be."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import starling
from starling.errors import PlanError
from starling.places.flows.analysis import FlowsRelease
from starling.places.flows.generate import records
from starling.places.flows.plan.choices import MOST_STOPS
from starling.places.flows.publish import FLOWS
from starling.places.flows.session import FlowsPlan
from starling.places.flows.source.validation import validate
from starling.places.source.trips import open_records
from starling.release.payment import PaymentOptions
from tests.places.flows.worlds import STOPPING, STOPS, STOPS_AT, plan

WAYS = {"a": [1] * 400, "via": [2] * 300 + [None] * 100, "then": [None] * 300 + [9] * 100, "b": [3] * 400}


def test_legs_are_released_and_said_to_be_legs(tmp_path: Path) -> None:
    FLOWS.release(plan(tmp_path, **STOPS), WAYS, tmp_path / "out", payment=PaymentOptions(unvalidated=True))
    assert starling.verify(tmp_path / "out").findings == ()
    report = (tmp_path / "out" / "report.html").read_text()
    for words in ("Legs (ride) between all areas", "A trip has at most 3 legs", "is passed over", "surely have legs"):
        assert words in report, words
    stated = json.loads((tmp_path / "out" / "privacy.json").read_text())
    assert stated["bounds"]["legs_of_a_trip"] == 3
    assert "legs from each node of level 0 to each of level 0" in json.dumps(stated)
    assert "trips from each node" not in json.dumps(stated)
    assert "trips between" not in json.dumps(stated)
    assert "legs" in pq.read_schema(tmp_path / "out" / "data" / "flows.parquet").names
    with starling.open_release(tmp_path / "out") as opened:
        assert isinstance(opened, FlowsRelease)
        for flow, many in ((("1", "2"), 300), (("2", "3"), 300), (("1", "3"), 100), (("all", "all"), 700)):
            answer = opened.count([flow[0]], [flow[1]])
            assert abs(answer.trips - many) < 150, flow
            assert answer.as_json()["legs"] == answer.trips
            assert "trips" not in str(answer)
        assert opened.largest(2).header()[3] == "legs"
        assert "Released legs (ride)" in opened.map().page()
        *_, lines = opened.export(tmp_path / "exported")
        assert pq.read_schema(lines).names[2] == "legs"


def test_legs_cost_as_many_times_the_noise(tmp_path: Path) -> None:
    legs, trips = (FlowsPlan.of(plan(tmp_path, **each).values(), folder=tmp_path) for each in (STOPS, {}))
    for pair, margin in legs.preview().margins.items():
        assert margin == pytest.approx(3 * trips.preview().margins[pair], abs=1.1)
    assert "so many legs" in str(legs.preview())
    assert "at most 3 of a trip" in str(legs)


@pytest.mark.slow
def test_invented_trips_stop_and_others_are_told_to_their_custodian(tmp_path: Path) -> None:
    of = plan(tmp_path, **STOPPING)
    table = records(of, 200)
    assert set(of.columns.names) == set(table.column_names)
    at = plan(tmp_path, **STOPS_AT)
    located = records(at, 200)
    assert set(at.columns.names) == set(located.column_names)
    assert validate(at, open_records(located, at)).value.problems.total == 0
    assert located["vx"].null_count == located["vy"].null_count == table["via"].null_count
    assert 60 < table["via"].null_count < 140
    assert validate(of, open_records(table, of)).value.problems.total == 0
    found = validate(plan(tmp_path, **STOPS), open_records(WAYS, plan(tmp_path, **STOPS))).value.problems
    assert "then" in str(found.by_field)
    assert "passes over it" in found.listed[0].fix
    assert found.total == 100


@pytest.mark.parametrize(
    ("stops", "problem"),
    [
        ({"stops": ["b"]}, "name a column twice"),
        ({"stops": [""]}, "are not at most"),
        ({"stops": [f"s{at}" for at in range(MOST_STOPS + 1)]}, "are not at most"),
        ({"stops_x": ["x"]}, "do not say where they are"),
        ({"stops_x": ["x"], "stops_y": ["y", "z"], "stops": []}, "do not say where they are"),
        ({"stops_x": ["x"], "stops_y": ["y"]}, "do not say where they are"),
        ({"stops_x": ["x"], "stops_y": ["x"], "stops": []}, "name a column twice"),
        ({"stops_x": ["x"], "stops_y": [""], "stops": []}, "are not at most"),
    ],
)
def test_stops_that_cannot_be_are_refused(tmp_path: Path, stops: dict[str, list[str]], problem: str) -> None:
    with pytest.raises(PlanError, match=problem):
        plan(tmp_path, flows=STOPS["flows"] | stops)


def test_ways_that_no_64_bits_tell_apart_are_refused(tmp_path: Path) -> None:
    of = plan(tmp_path, flows=STOPS["flows"] | {"stops": [f"s{at}" for at in range(MOST_STOPS)]})
    assert of.codes == 16 * 5**16
    assert plan(tmp_path).digest == plan(tmp_path, flows={"origin": "a", "destination": "b", "stops": []}).digest
