"""The pages of a release of areas, which draw their own maps."""

from starling.places.areas.analysis import AreasRelease
from starling.screens.places.views import ViewsPages


class AreasPages(ViewsPages[AreasRelease]):
    """The pages of a release of areas."""

    counted = "points"
