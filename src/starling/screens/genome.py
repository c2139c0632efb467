"""What releases of genome add to the pages that every release has."""

from starling.screens.domain_pages import DomainPages


class GenomePages(DomainPages):
    """The pages of a release of genome."""
