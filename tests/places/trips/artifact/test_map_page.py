"""The page of arcs of trips on a grid has one view, whose boxes the command takes; how it is read stands with the pages of flows."""

from pathlib import Path

import pytest

import starling
from starling.errors import ParameterError
from starling.places.trips.analysis import TripsRelease


def test_a_page_has_one_view_and_no_slices(released: Path) -> None:
    with starling.open_release(released) as opened:
        assert isinstance(opened, TripsRelease)
        page = opened.map().page()
        assert "--units box" in page
        assert 'id="view-slice"' not in page
        assert page.count("95 % interval, together with all others") == len(opened.trips.certain[1])
        with pytest.raises(ParameterError, match="have none"):
            opened.map("May")
