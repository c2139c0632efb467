"""The pages of a release of places, by what was released: a grid has a map that is asked, areas, flows and trips the maps that
they draw of themselves.
"""

from starling.places.areas.analysis import AreasRelease
from starling.places.flows.analysis import FlowsRelease
from starling.places.trips.analysis import TripsRelease
from starling.release.reading import Release
from starling.screens.domain_pages import DomainPages
from starling.screens.places.areas import AreasPages
from starling.screens.places.flows import FlowsPages
from starling.screens.places.pages import PlacesPages
from starling.screens.places.trips import TripsPages


def pages_of_places(release: Release) -> DomainPages:
    """The pages of a release of places."""
    if isinstance(release, FlowsRelease):
        return FlowsPages(release)
    if isinstance(release, TripsRelease):
        return TripsPages(release)
    return AreasPages(release) if isinstance(release, AreasRelease) else PlacesPages(release)
