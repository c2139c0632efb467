"""What a plan of flows states for its reader alone: a number of trips, and which areas are meant."""

from pathlib import Path

from starling.places.flows.preview import Preview
from tests.places.flows import worlds


def test_a_preview_follows_the_number_of_trips(tmp_path: Path) -> None:
    few, many = (worlds.plan(tmp_path, expected=each) for each in (9, 40_000))
    assert str(Preview(few)) != str(Preview(many))


def test_the_areas_that_are_meant_may_be_stated(tmp_path: Path) -> None:
    stated = worlds.plan(tmp_path, areas={**worlds.VALUES["areas"], "sha256": worlds.DIGEST})
    assert stated.areas == worlds.plan(tmp_path).areas
