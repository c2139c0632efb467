"""The pages of a release at a server: those who may download it read them, under the policy, with the numbers of the API."""

import re
from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

import starling
from starling.ledger.opening import open_ledger
from starling.release.text import cell, rounded
from starling.server.guard import PAGE_POLICY
from starling.worker.findings import Inspections
from starling.worker.sources import Sources, source_of
from tests.client.conftest import DEADLINE, URL, Site, served_source
from tests.places.plans import SLICED, write_world
from tests.server.pages.conftest import browser_of

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")


@pytest.mark.slow
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
    for address in (
        "tables/regions?a=%ff",
        "tables/regions?first=x",
        "tables/regions?pick=1",
        "tables/%00?%00=%00",
        "%2e%2e/x",
    ):
        page = browser.open(f"/releases/{number}/{address}")
        assert page.status_code in (404, 422), address
        assert 'role="alert"' in page.text
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
        assert "Sandbox: made-up records" in page.text
        assert all(
            address.startswith(
                (f"/sandbox/releases/{number}/", "/sandbox/", "/static/", "/sign-out", "?", "#", "data:")
            )
            for address in re.findall(r'(?:href|src|action)="([^"]*)"', page.text)
        )


@pytest.fixture
def places_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A server with points in two slices."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "keys"))
    records = write_world(tmp_path, SLICED)
    yield from served_source(tmp_path, source_of("places", str(tmp_path / "plan.toml"), {"records": records}))


def test_the_map_of_an_answer_has_the_numbers_of_the_api(places_site: Site) -> None:
    browser = browser_of(places_site)
    with places_site.client() as client:
        number = client.charge("data").id
        client.wait(client.progress(number))
        ends = {"west": "-0.5", "south": "0.25", "east": "1.75", "north": "2"}
        for chosen in ({"slice": "February"}, {"slice": "February", "minus": "January"}):
            question = {"kind": "count", "rectangles": [list(ends.values())], "units": "box", "typical": True, **chosen}
            (answer,) = client.answer(number, question)
            query = urlencode({**ends, **chosen, "typical": "yes"})
            page = browser.open(f"/releases/{number}/map?{query}").text
            assert f'data-exact="{answer["points"]}"' in page
            assert f"95 % interval: {answer['lower']:,} to {answer['upper']:,}" in browser.text
            assert f"typical error {rounded(answer['typical_error'])}" in browser.text
            reply = browser.open(f"/releases/{number}/map/count?{query}").json()
            assert (reply["counts"], reply["typical_error"]) == (answer["points"], answer["typical_error"])
        data = browser.open(f"/releases/{number}/map/data?slice=February")
        assert (data.status_code, data.content[:2]) == (200, b"\x1f\x8b")
        browser.open(f"/questions/{number}")
        assert "Points of large squares, January" in browser.text
        assert f'href="/releases/{number}/map"' in browser.page.text
        assert "<svg" in browser.page.text
        file = browser.open(f"/releases/{number}/map/download/boxes.geojson?slice=January")
        assert file.json()["type"] == "FeatureCollection"


@pytest.mark.slow
def test_releases_are_compared_that_the_same_user_may_read(places_site: Site, tmp_path: Path) -> None:
    home = places_site.home
    plan, records = str(tmp_path / "plan.toml"), tmp_path / "records.csv"
    home.access.add_user("eve", "analyst")
    with closing(open_ledger(home.settings.ledger)) as ledger:
        ledger.custody.grant("people", "eve", Fraction(1))
        for name in ("more", "hers"):
            Sources(home).register(name, source_of("places", plan, {"records": records}), deadline=DEADLINE)
            ledger.custody.add_dataset(name, "people", {}, Fraction(5))
            ledger.custody.delegate(name, home.key.public, days=1)
            ledger.custody.accept(name, Inspections(home).token(Sources(home).open(name)))
    numbers = {}
    for name, user in (("data", "ada"), ("more", "ada"), ("hers", "eve")):
        with places_site.client(user) as client:
            numbers[name] = client.charge(name).id
            client.wait(client.progress(numbers[name]))
    ada, eve = browser_of(places_site), browser_of(places_site, "eve")
    page = ada.open(f"/releases/{numbers['data']}/map?slice=January").text
    assert re.findall(r'<option value="(\d+)"', page) == [str(numbers["more"])]
    reply = ada.open(f"/releases/{numbers['data']}/map/count?slice=January&other={numbers['more']}")
    with places_site.client() as client:
        files = [client.fetch(numbers[name], f"{tmp_path}/{name}.zip") for name in ("data", "more")]
        opened: list[Any] = list(map(starling.open_release, files))
        one, two = (each.released("January") for each in opened)
        difference = one.minus(two)
        assert reply.json()["counts"] == difference.count([[0, 0, 4, 2]]).counts[0]
    assert not re.findall(r'<option value="(\d+)"', eve.open(f"/releases/{numbers['hers']}/map?slice=January").text)
    refused = eve.open(f"/releases/{numbers['hers']}/map/count?slice=January&other={numbers['data']}")
    assert refused.json()["problems"] == ada.open(f"/releases/{numbers['data']}/map/count?other=999").json()["problems"]
