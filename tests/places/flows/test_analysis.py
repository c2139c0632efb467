"""What a release of flows answers: sums that agree, intervals, the largest flows and their picture."""

from pathlib import Path

import pytest

import starling
from starling.errors import ParameterError
from starling.places.flows.analysis import FlowsRelease


def test_sums_agree_and_answers_are_near_them(released: Path) -> None:
    with starling.open_release(released) as opened:
        assert isinstance(opened, FlowsRelease)
        rows = opened.to_pandas()
        trips = rows.set_index(["origin_level", "origin", "destination_level", "destination"])["trips"]
        assert len(rows) == 49
        assert trips["all", "all", "all", "all"] == trips["area", :, "area"].sum()
        assert trips["side", "west", "side", "east"] == trips.loc["area", ["1", "3"], "area", ["2", "4"]].sum()
        for origin, destination in (((), ()), (("west",), ("2",)), (("Area 1",), ("east", "1"))):
            answer = opened.count(origin, destination)
            assert answer.lower <= answer.upper
            assert answer.lower - 1 < answer.trips < answer.upper + 1
        assert opened.count().trips == trips["all", "all", "all", "all"]
        with pytest.raises(ParameterError, match="did you mean west"):
            opened.count(["wst"], [])
        assert abs(opened.count().trips - 541) < 60


def test_largest_flows_are_marked_and_drawn(released: Path, tmp_path: Path) -> None:
    with starling.open_release(released) as opened:
        assert isinstance(opened, FlowsRelease)
        largest = opened.largest(2)
        assert largest.pairs.tolist() == [[0, 1], [2, 2]]
        assert largest.sure.tolist() == [True, True]
        with pytest.raises(ParameterError, match="is not in 1 to 16"):
            opened.largest(17)
        (page, picture) = opened.plot().save(tmp_path / "pictures")
        assert "Rides" in page.read_text()
        assert picture.read_text().count('class="') >= 2
