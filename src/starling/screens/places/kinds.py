"""The pages of a release of places, by what was released: a grid has a map that is asked, areas, flows and trips the maps that
they draw of themselves.
"""

from typing import Any

from starling.places.analysis import PlacesRelease
from starling.places.areas.analysis import AreasRelease
from starling.places.flows.analysis import FlowsRelease
from starling.places.trips.analysis import TripsRelease
from starling.release.reading import Release
from starling.screens.domain_pages import DomainPages
from starling.screens.places.areas import AreasPages
from starling.screens.places.flows import FlowsPages
from starling.screens.places.pages import PlacesPages
from starling.screens.places.trips import TripsPages


def pages_of_places(release: Release) -> DomainPages[Any]:
    """The pages of a release of places."""
    match release:
        case FlowsRelease():
            return FlowsPages(release)
        case TripsRelease():
            return TripsPages(release)
        case AreasRelease():
            return AreasPages(release)
    assert isinstance(release, PlacesRelease)
    return PlacesPages(release)
