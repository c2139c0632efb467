"""What releases of groups add to the pages that every release has."""

from starling.screens.domain_pages import DomainPages


class GroupsPages(DomainPages):
    """The pages of a release of groups."""
