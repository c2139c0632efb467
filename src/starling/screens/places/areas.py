"""The pages of a release of places, by what was released: a grid has a map that is asked, areas the map that they draw of themselves."""

from starling.places.areas.analysis import AreasRelease
from starling.release.reading import Release
from starling.screens.domain_pages import DomainPages
from starling.screens.places.pages import PlacesPages


def pages_of_places(release: Release) -> DomainPages:
    """The pages of a release of places."""
    return AreasPages(release) if isinstance(release, AreasRelease) else PlacesPages(release)


class AreasPages(DomainPages):
    """The pages of a release of areas."""

    counted = "points"
