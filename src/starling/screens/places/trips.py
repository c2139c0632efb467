"""The pages of a release of trips on a grid: trips between the quarters of its box, and maps of where they lead, begin and end."""

from collections.abc import Sequence

from starling.pages.parts import Picture, Table
from starling.places.trips.analysis import TripsRelease
from starling.places.trips.artifact.pages import pictures, quarters
from starling.screens.places.views import ViewsPages


class TripsPages(ViewsPages[TripsRelease]):
    """The pages of a release of trips on a grid."""

    counted = "trips"

    def summary(self) -> Table:
        """Trips between quarters, each with its sure interval."""
        return quarters(self.release.trips)

    def pictures(self) -> Sequence[Picture]:
        """Where trips lead, where they begin, and where they end."""
        return pictures(self.release.trips)
