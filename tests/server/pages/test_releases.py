"""The pages of a release at a server: those who may download it read them, under the policy, with the numbers of the API."""

import re

import pytest

from starling.release.text import cell
from starling.server.guard import PAGE_POLICY
from tests.client.conftest import URL, Site
from tests.server.pages.conftest import browser_of

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")


def test_who_may_download_a_release_reads_its_pages_and_nobody_else(site: Site) -> None:
    browser = browser_of(site)
    with site.client() as client:
        number = client.charge("data").id
        assert browser.open(f"/releases/{number}/").status_code == 404, "it has not left yet"
        client.wait(client.progress(number))
        rows = client.answer(number, {"kind": "rows", "table": "regions", "most": 100})["rows"]
    browser.open("/answers")
    assert f'href="/releases/{number}/"' in browser.page.text
    browser.open(f"/releases/{number}/tables/regions")
    assert browser.page.headers["content-security-policy"] == PAGE_POLICY
    assert "ada, analyst" in browser.page.text
    assert rows
    for row in rows:
        for value in row:
            assert cell(value) in browser.text
    report = browser.open(f"/releases/{number}/report")
    assert "sandbox" in report.headers["content-security-policy"]
    csv = browser.open(f"/releases/{number}/download/csv/regions")
    assert csv.headers["content-type"].startswith("text/csv")
    assert int(csv.headers["content-length"]) == len(csv.content)
    assert browser.open(f"/releases/{number}/tables/none").status_code == 404
    site.home.access.add_user("eve", "analyst")
    eve = browser_of(site, "eve")
    for path in ("", "tables/regions", "download/csv/regions", "report", "none"):
        assert eve.open(f"/releases/{number}/{path}").text == eve.open(f"/releases/{number + 99}/{path}").text
        assert eve.page.status_code == 404
    site.home.access.add_user("otto", "auditor")
    assert browser_of(site, "otto").open(f"/releases/{number}/").status_code == 200


def test_in_the_sandbox_every_page_is_marked(both: Site) -> None:
    browser = browser_of(both)
    with both.client(url=f"{URL}/sandbox") as client:
        number = client.charge("data").id
        client.wait(client.progress(number))
    for path in ("", "tables/regions", "none"):
        page = browser.open(f"/sandbox/releases/{number}/{path}")
        assert "Invented data" in page.text
        assert all(
            address.startswith(
                (f"/sandbox/releases/{number}/", "/sandbox/", "/static/", "/sign-out", "?", "#", "data:")
            )
            for address in re.findall(r'(?:href|src|action)="([^"]*)"', page.text)
        )
