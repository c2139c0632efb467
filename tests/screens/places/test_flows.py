"""The pages of a release of flows: its largest flows as a table, and its map of arcs."""

from pathlib import Path

from starling.places.flows.publish import FLOWS
from starling.release.payment import PaymentOptions
from starling.screens.places.flows import FlowsPages
from starling.screens.places.kinds import pages_of_places
from starling.verification import open_release
from tests.places.flows.worlds import MANY, plan


def test_a_release_of_flows_is_shown_by_its_largest_and_its_map(tmp_path: Path) -> None:
    FLOWS.release(plan(tmp_path), MANY, tmp_path / "out", payment=PaymentOptions(unvalidated=True))
    with open_release(tmp_path / "out") as opened:
        pages = pages_of_places(opened)
        assert isinstance(pages, FlowsPages)
        table = pages.summary()
        assert table.header[:3] == ("from", "to", "trips")
        assert table.rows[0][:2] == ("Area 1", "Area 2")
        (picture,) = pages.pictures()
        assert "flows" in picture.name
        assert "<svg" in picture.draw()
