"""The tour leads from step to step over the ordinary pages, and ends with a spent budget and what to do then."""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from starling.server.pages.tour import STEPS, Standing, strip_of
from starling.server.tour import Tour, write_tour
from starling.worker.sources import source_of
from tests.client.conftest import Site, served_source
from tests.groups.worlds import write_world
from tests.server.pages.browsing import Browser
from tests.server.pages.conftest import browser_of

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

TOUR = Tour("first", "second", "third")


@pytest.fixture
def tour_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A server with a tour over three deliveries of the same people, of which ada's budget covers two."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "keys"))
    source = source_of("groups", str(tmp_path / "plan.toml"), {"records": write_world(tmp_path)})

    def prepare(home: object) -> None:
        (tmp_path / "secret").write_text(write_tour(tmp_path / "served", TOUR, "ada"))

    yield from served_source(tmp_path, source, names=TOUR.datasets, grant=2, prepare=prepare)


def _step(browser: Browser) -> int:
    """The step that the strip says; 0 where there is none."""
    strip = re.search(r'<section class="tour".*?</section>', browser.page.text, re.DOTALL)
    names = re.findall(r'aria-current="step">([^<]*)<', "" if strip is None else strip[0])
    return STEPS.index(names[0]) + 1 if names else 0


def _follow(browser: Browser, label: str) -> None:
    """Click on a link of the strip."""
    (path,) = re.findall(rf'href="([^"]+)">{label}<', browser.page.text)
    assert browser.open(path).status_code == 200


@pytest.mark.slow
def test_it_is_walked_to_the_end_of_a_budget(tour_site: Site, tmp_path: Path) -> None:
    browser = Browser(tour_site.carrier._app)
    secret = (tmp_path / "secret").read_text()
    assert browser.open(f"/tour/{secret}").status_code == 200
    _follow(browser, "Begin")
    assert (_step(browser), "Protected" in browser.text, tour_site.charges()) == (1, True, 0)
    _follow(browser, "Next: see the price")
    assert (_step(browser), "Costs epsilon 1 of your 2 ; leaves 1" in browser.text) == (2, True)
    with tour_site.client() as client:
        browser.send(browser.form("Spend epsilon 1"))
        assert (_step(browser), "Next" in browser.page.text) == (3, False), "it waits"
        client.wait(client.progress(next(client.releases()).id))
        browser.open(browser.path)
        assert (_step(browser), "95 % interval" in browser.text) == (3, True)
        _follow(browser, "Next: ask it again")
        assert (_step(browser), "It costs nothing again" in browser.text) == (4, True)
        _follow(browser, "Next: spend the rest")
        assert _step(browser) == 5
        browser.send(browser.form("Spend epsilon 1"))
        client.wait(client.progress(next(client.releases()).id))
        browser.open(browser.path)
        _follow(browser, "Next: ask for more")
        assert client.budget(TOUR.third).available == "0"
    assert _step(browser) == 5
    for text in ("it does not fit", "What you can do", "raise your cap"):
        assert text in browser.text
    assert "Ask for less" not in browser.text
    assert "The tour is finished: the budget for the invented town is spent." in browser.page.text
    assert 'class="starling invented"' in browser.page.text
    assert tour_site.charges() == 2
    for path in ("/releases/1/", "/datasets/first", "/questions/2", "/releases/2/"):
        if browser.open(path).status_code == 200:
            assert 'class="starling invented"' in browser.page.text, path
            assert 'class="tour"' in browser.page.text, path
    for path in ("/", "/answers"):
        browser.open(path)
        assert 'class="starling invented"' not in browser.page.text, "the list has other data, too"
        assert 'class="tour"' not in browser.page.text, "the tour is finished"
    browser.open("/tour")
    assert "The tour is finished" in browser.text
    for path in ("/", "/answers", "/datasets/third/ask"):
        assert f'<a href="{path}">' in browser.page.text.partition("<main")[2], path


def test_its_address_signs_in_once_and_no_other_one_does(tour_site: Site, tmp_path: Path) -> None:
    secret = (tmp_path / "secret").read_text()
    stranger = Browser(tour_site.carrier._app)
    assert stranger.open(f"/tour/{'0' * len(secret)}").status_code == 404
    browser = Browser(tour_site.carrier._app)
    browser.open(f"/tour/{secret}")
    assert "ada, analyst" in browser.page.text
    assert stranger.open(f"/tour/{secret}").status_code == 404
    assert stranger.open("/").request.url.path == "/sign-in"
    assert browser.open("/tour").status_code == 200
    assert secret not in "".join(each.what for each in tour_site.home.access.log(after=0, most=100))


def test_a_server_without_one_has_none(site: Site) -> None:
    browser = browser_of(site)
    assert browser.open("/tour").status_code == 404
    assert 'class="tour"' not in browser.open("/").text


def test_wherever_one_stands_the_strip_leads_on_to_a_page_of_the_tour() -> None:
    for first, second, left in product((None, 7), (None, 9), ("0", "1")):
        if first is None and second is not None:
            continue
        for waiting in ((), tuple(each for each in (first, second) if each)):
            standing = Standing(first, second, waiting, left)
            others = ["/", "/answers", "/datasets/other/ask"]
            own = [f"/datasets/{name}{more}" for name in TOUR.datasets for more in ("", "/ask")]
            for path in (*others, *own, "/questions/7", "/questions/9"):
                strip = strip_of(TOUR, standing, path)
                if strip is None:
                    assert standing.is_finished, path
                    assert path not in own, path
                    continue
                assert not (standing.is_finished and path in others), path
                assert 1 <= strip.step <= len(STEPS)
                for _, link in strip.links:
                    following = strip_of(TOUR, standing, link)
                    if standing.is_finished and link == "/":
                        assert following is None, "out of the tour"
                    else:
                        assert following is not None, (standing, path, link)
                        assert following.step >= strip.step, (standing, path, link)
                        assert following is not strip, (standing, path, link)


def test_sentences_are_short() -> None:
    standing = Standing(7, 9, (), "0")
    paths = [f"/datasets/{name}{more}" for name in TOUR.datasets for more in ("", "/ask")]
    for each in (standing, Standing(7, None, (7,), "1"), Standing(None, None, (), "2")):
        for path in (*paths, "/", "/questions/7", "/questions/9"):
            strip = strip_of(TOUR, each, path)
            for sentence in re.split(r"(?<=[.?])\s", "" if strip is None else strip.text):
                assert len(sentence.split()) <= 20, sentence
