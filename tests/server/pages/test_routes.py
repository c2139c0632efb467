"""Static files have names of their bytes, and are kept for good."""

import re

import pytest

from tests.client.conftest import Site
from tests.server.pages.conftest import browser_of

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")


def test_a_page_links_files_that_are_there(site: Site) -> None:
    browser = browser_of(site)
    for path in ("/", "/datasets/data/ask"):
        files = re.findall(r'(?:href|src)="(/static/[^"]+)"', browser.open(path).text)
        assert files
        for file in files:
            reply = browser.open(file)
            assert (reply.status_code, "immutable" in reply.headers["cache-control"]) == (200, True)


def test_nothing_else_is_there(site: Site) -> None:
    browser = browser_of(site)
    for name in ("nothing.css", "..%2f..%2fserver.key", "starling.000000000000.css", "starling.css", "rendering.py"):
        assert browser.open(f"/static/{name}").status_code == 404, name
