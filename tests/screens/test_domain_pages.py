"""What a domain adds is found by its name; a domain that adds nothing has the pages of every release."""

from typing import Any

import pytest

from starling import domains
from starling.release.reading import Release
from starling.screens import domain_pages
from starling.screens.domain_pages import DomainPages
from starling.screens.release import pages_of
from tests.screens.conftest import FRAME, Reader


def test_each_domain_has_pages_of_its_own(releases: dict[str, Release]) -> None:
    for name, release in releases.items():
        assert type(pages_of(release)) is not DomainPages
        assert type(pages_of(release)).__name__ == f"{name.capitalize()}Pages"


def test_a_domain_that_adds_nothing_has_the_pages_of_every_release(
    releases: dict[str, Release], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(domains.DOMAINS, "places", domains.Registered("none:NONE", "none:none"))
    reader = Reader(releases["places"])
    assert (reader.get("/").status, reader.get("/map").status) == (200, 404)


def test_the_table_of_an_answer_has_the_columns_of_its_page(releases: dict[str, Release]) -> None:
    for release in releases.values():
        pages = pages_of(release)
        if type(pages).summary is DomainPages.summary:
            name = release.main or next(each for each in release.names if "/" not in each)
            shown = pages.columns(name, release.stored(name).schema)
            assert pages.summary().header == tuple(each.title for each in shown)


def test_of_many_tables_a_page_links_their_list(releases: dict[str, Release], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domain_pages, "MOST_LINKED", 1)
    pages = pages_of(releases["groups"])
    listed: Any = pages.around(FRAME)["links"]
    links = dict(listed)
    assert links["Tables"] == "/#tables"
    assert not any(word.startswith("Table ") for word in links)
