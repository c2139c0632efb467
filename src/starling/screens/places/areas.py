"""The pages of a release of areas, which draw their own map."""

from starling.screens.domain_pages import DomainPages


class AreasPages(DomainPages):
    """The pages of a release of areas."""

    counted = "points"
