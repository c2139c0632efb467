"""The pages of a release of areas, which draw their own maps."""

from starling.screens.places.views import ViewsPages


class AreasPages(ViewsPages):
    """The pages of a release of areas."""

    counted = "points"
