"""The pages of a release of groups: every page that its head links is there."""

import re

from starling.release.reading import Release
from tests.screens.conftest import Reader


def test_every_link_of_the_head_leads_to_a_page(releases: dict[str, Release]) -> None:
    reader = Reader(releases["groups"])
    head = reader.read("/").decode().partition("</header>")[0]
    addresses = re.findall(r'href="(/[^"]*)"', head)
    assert "/report" in addresses
    assert [reader.get(each).status for each in addresses if not each.startswith("/static/")] == [200] * (
        len(addresses) - 1
    )
