"""The pages of a release of trips on a grid: trips between quarters as a table, and three maps."""

from pathlib import Path

from starling.places.trips.analysis import TripsRelease
from starling.places.trips.publish import TRIPS
from starling.release.payment import PaymentOptions
from starling.screens.places.kinds import pages_of_places
from starling.screens.places.trips import TripsPages
from starling.verification import open_release
from tests.pages.test_views import stated
from tests.places.trips.worlds import MANY, plan
from tests.screens.conftest import Reader


def test_a_release_of_trips_is_shown_by_its_quarters_and_its_maps(tmp_path: Path) -> None:
    TRIPS.release(plan(tmp_path), MANY, tmp_path / "out", payment=PaymentOptions(unvalidated=True))
    with open_release(tmp_path / "out") as opened:
        pages = pages_of_places(opened)
        assert isinstance(pages, TripsPages)
        table = pages.summary()
        assert len(table.rows) == 16
        assert table.rows[0][:2] == ("south-west", "south-west")
        assert [each.name for each in pages.pictures()] == ["flows", "origins", "destinations"]
        assert all("<svg" in each.draw() for each in pages.pictures())
        reader, shown = Reader(opened), TripsRelease(opened).map().make(0, None)
        assert '/map">Map</a>' in reader.read("/").decode()
        page = reader.read("/map").decode()
        assert [each["svg"] for each in stated(page)["views"].values()] == [shown.picture.draw()], (
            "its arcs say numbers"
        )
        assert "<form" not in page, "there is one view"
