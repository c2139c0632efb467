"""What a release of flows answers: sums that agree, intervals, the largest flows and their picture."""

import math
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


def test_differences_are_those_of_counts_with_intervals_of_their_own(released: Path) -> None:
    with starling.open_release(released) as opened:
        assert isinstance(opened, FlowsRelease)
        there, back = opened.count(["west"], ["2"]), opened.count(["2"], ["west"])
        answer = opened.difference((["west"], ["2"]), (["2"], ["west"]))
        assert answer.trips == there.trips - back.trips
        assert answer.lower <= answer.trips <= answer.upper
        assert 470 < answer.trips < 530
        assert opened.difference((["2"], ["west"]), (["west"], ["2"])).upper == -answer.lower
        # What both have is not there: all less all but the trips to one area are the trips to it.
        one = opened.difference(((), ()), ((), ["1", "2", "3"]))
        assert one.deviation == pytest.approx(opened.count((), ["4"]).deviation)
        assert one.trips == opened.count((), ["4"]).trips
        with pytest.raises(ParameterError, match="are the trips themselves"):
            opened.difference((["west"], ()), (["1", "3"], ["all"]))
        with pytest.raises(ParameterError, match="minus_to"):
            opened.difference((["west"], ()), ((), ["wst"]))


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


def test_differences_of_slices_have_the_margins_of_the_questions_and_the_surest_first(sliced: Path) -> None:
    with starling.open_release(sliced) as opened:
        assert isinstance(opened, FlowsRelease)
        january, february = opened.slices
        pairs, more = january.certainly_other(february)
        assert pairs.tolist() == [[0, 1], [2, 2]]
        assert more[0] > 250
        assert more[1] < 0
        assert february.certainly_other(january)[1].tolist() == (-more).tolist()
        margins = january.margins_between()
        for one, other in ((0, 1), (2, 2), (3, 0)):
            flow = ([str(one + 1)], [str(other + 1)])
            asked = opened.difference(flow, slice="January", minus_slice="February")
            assert asked.upper == math.floor(asked.trips + margins[one, other])
            assert asked.lower == math.ceil(asked.trips - margins[one, other])
        asked = opened.difference((["1"], ["2"]), slice="January", minus_slice="February")
        drawn = opened.map().make(0, 1).picture.draw()
        assert f"95 % interval: {asked.lower:,} to {asked.upper:,}" in drawn, "the map says what is answered"
