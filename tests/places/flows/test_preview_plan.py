"""What a plan of flows states for its reader alone: a number of trips, and which areas are meant."""

from fractions import Fraction
from pathlib import Path

from starling.places.flows.preview import Preview
from tests.places.flows import worlds


def test_a_preview_follows_the_number_of_trips(tmp_path: Path) -> None:
    few, many = (worlds.plan(tmp_path, expected=each) for each in (9, 40_000))
    assert str(Preview(few)) != str(Preview(many))


def test_a_preview_says_what_each_pair_of_levels_gets(tmp_path: Path) -> None:
    preview = Preview(worlds.plan(tmp_path))
    (section,) = preview.sections()
    budget = section.tables[1]
    assert budget.header == ("Measured", "epsilon")
    assert sum(Fraction(amount) for _, amount in budget.rows) == 1
    assert ("area to all", "0.09375") in budget.rows
    assert "area to all" in str(preview)
    assert preview.as_json()["budget"][0] == {"levels": "all to all", "epsilon": "0.015625"}  # type: ignore[index]


def test_the_areas_that_are_meant_may_be_stated(tmp_path: Path) -> None:
    stated = worlds.plan(tmp_path, areas={**worlds.VALUES["areas"], "sha256": worlds.DIGEST})
    assert stated.areas == worlds.plan(tmp_path).areas
