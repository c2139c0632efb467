"""Every page to which a link or a form leads, for every role: it is sound, small, as open as the API, and shows what is hostile as text."""

import re
from typing import Any, Final

import pytest

from tests.client.conftest import Site
from tests.server.pages.browsing import Browser
from tests.server.pages.crawling import (
    ANY_PAGE,
    FIRST_PAGE,
    Crawl,
    Parsed,
    all_of,
    broken,
    forms_of,
    page_routes,
    route_of,
)
from tests.server.pages.everything import DATASETS, REVOKED, Crawled, crawled, hostile

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

COUNTERPARTS: Final = {
    "/": "/v1/datasets",
    "/answers": "/v1/releases",
    "/ledger": "/v1/ledger/events",
    "/ledger/check": "/v1/ledger/verification",
    "/datasets/{name}": "/v1/datasets/{name}",
    "/datasets/{name}/ask": "/v1/datasets/{name}/budget",
    "/datasets/{name}/accuracy/{path:path}": "/v1/datasets/{name}/accuracy",
    "/questions/{release}": "/v1/releases/{release}",
    "/custody": "/v1/custody",
    "/custody/requests/{number}": "/v1/custody/requests/{number}",
    "/custody/datasets/{name}": "/v1/custody/datasets/{name}",
    "/custody/datasets/{name}/retire": "/v1/custody/datasets/{name}",
    "/releases/{release}/{path:path}": "/v1/releases/{release}/bundle",
}
"""Of each page the route of the API whose values it shows: it is as open as this one."""
SHOWN: Final = (
    *(f"{domain}-title" for domain in ("tables", "groups", "places", "genome")),
    *(f"{name}-purpose" for name in DATASETS),
    *("reason-1", "reason-2", "reason-3", "approval", "decline"),
    *("state", "area-a", "area-b", "family", "sex-a", "sex-b"),
    *("household", "member", "land", "east", "west", "e1", "e2", "w1"),
    *("point", "slice-a", "slice-b", "rs1"),
)
"""Fields with something hostile in them that some page shows."""
ABSENT: Final = {"name": "none", "release": "999", "number": "999"}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    """What `test_routes_every_page_browser.py` looks at too, which ends it. Before a browser runs, whose loop would be in the way."""
    return crawled(tmp_path_factory.mktemp("everything"))


@pytest.fixture(scope="module")
def site(shared: Crawled) -> Site:
    return shared.site


@pytest.fixture(scope="module")
def app(site: Site) -> Any:
    return site.carrier._app._app  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def browsers(shared: Crawled) -> dict[str, Browser]:
    """A browser of each role."""
    return shared.browsers


@pytest.fixture(scope="module")
def crawls(shared: Crawled) -> dict[str, Crawl]:
    return shared.crawls


@pytest.mark.slow
def test_every_route_of_a_page_is_led_to(crawls: dict[str, Crawl], app: Any) -> None:
    reached = {route_of(app, page.path) for page in all_of(crawls.values())}
    assert {each.path for each in page_routes(app)} - reached - {"/sign-in"} == set(), "nothing leads there"


@pytest.mark.slow
def test_every_link_leads_to_something_that_is_there(crawls: dict[str, Crawl]) -> None:
    assert [each for crawl in crawls.values() for each in crawl.dead] == []


@pytest.mark.slow
def test_every_page_is_sound(crawls: dict[str, Crawl]) -> None:
    assert [(page.path, each) for page in all_of(crawls.values()) for each in broken(page)] == []


@pytest.mark.slow
def test_every_page_is_small(crawls: dict[str, Crawl]) -> None:
    for crawl in crawls.values():
        for page in crawl.pages.values():
            limit = FIRST_PAGE if page.path in ("/", "/sign-in") else ANY_PAGE
            assert crawl.size(page) <= limit, page.path


@pytest.mark.slow
def test_every_page_that_can_be_asked_of_is_one_of_each_kind(crawls: dict[str, Crawl], app: Any) -> None:
    """That the search is not of little: each state of an answer, each domain, each kind of question, and the sandbox."""
    paths = "\n".join(crawls["ada"].pages)
    assert len(re.findall(r"^/questions/[0-9]+$", paths, re.MULTILINE)) == 6
    assert {"num_sig", "loc_sig", "loc_block", "snp_pval", "snp_corr"} <= set(
        re.findall(r"genome/ask[?]kind=(\w+)", paths)
    )
    assert re.search(r"^/sandbox/releases/[0-9]+/tables/", paths, re.MULTILINE)
    assert [len(crawls[name].pages) for name in ("anonymous", REVOKED)] == [1, 1], "they are led to sign in"


@pytest.mark.slow
def test_what_is_hostile_is_shown_as_it_is_and_runs_nowhere(crawls: dict[str, Crawl]) -> None:
    """An element, an attribute or an entity of it would be a fault that `broken` finds; here, that every field of it is shown at all."""
    text = "".join(page.parsed.text for page in all_of(crawls.values()))
    assert {each for each in SHOWN if hostile(each) not in text} == set()


@pytest.mark.slow
def test_letters_that_nobody_sees_are_written_out(crawls: dict[str, Crawl]) -> None:
    """Anywhere on a page: they would turn or hide what stands beside them."""
    unseen = {
        (page.path, ascii(letter))
        for page in all_of(crawls.values())
        for letter in page.reply.text
        if not letter.isprintable() and letter not in "\n\t\xa0\u2009\u202f"
    }
    assert unseen == set()
    assert r"\u202e" in "".join(page.parsed.text for page in all_of(crawls.values()))


def asked(browser: Browser, path: str, *headers: tuple[str, str], body: bytes | None = None) -> tuple[int, str]:
    """Status and place to which it leads, by the session of a browser."""
    session = [("Cookie", browser._cookie)] if browser._cookie else []
    reply = browser._asker.ask("GET" if body is None else "POST", path, [*session, *headers], body)
    return reply.status_code, reply.headers.get("location", "")


def as_open(page: tuple[int, str], status: int) -> bool:
    """Whether a page answers as the API does; it leads to where one signs in in place of 401."""
    return page[1].startswith("/sign-in?next=") if status == 401 else page[0] == status


@pytest.mark.slow
def test_a_page_is_as_open_as_the_api(browsers: dict[str, Browser], crawls: dict[str, Crawl], app: Any) -> None:
    """For every role, also of what only another role is led to, and of what is not there."""
    wrong = []
    statuses: dict[tuple[str, str], int] = {}
    paths = {page.path.partition("?")[0] for page in all_of(crawls.values())}
    paths |= {re.sub(r"{(\w+)(:path)?}", lambda name: ABSENT.get(name[1], "x"), each.path) for each in page_routes(app)}
    for path in sorted(paths):
        below = "/sandbox" if path.startswith("/sandbox/") else ""
        pattern = route_of(app, path)
        if pattern == "/sign-in":
            continue
        assert pattern in COUNTERPARTS, f"say in COUNTERPARTS of which route of the API {pattern} shows the values"
        route = next(each for each in page_routes(app) if each.path == pattern)
        values = route.path_regex.match(path.removeprefix(below)).groupdict()  # type: ignore[union-attr]
        counterpart = below + COUNTERPARTS[pattern].format(**values)
        for role, browser in browsers.items():
            page = (200, "") if crawls[role].is_open(path) else asked(browser, path, ("Accept", "text/html"))
            if (role, counterpart) not in statuses:
                statuses[role, counterpart], _ = asked(browser, counterpart)
            status = statuses[role, counterpart]
            if not as_open(page, status):
                wrong.append((role, path, page, counterpart, status))
    assert wrong == []


@pytest.mark.slow
def test_csrf_no_form_of_another_site_is_taken(browsers: dict[str, Browser], site: Site, app: Any) -> None:
    before = site.charges()
    for route in forms_of(app):
        path = re.sub(r"{(\w+)(:path)?}", lambda name: {"name": "fresh"}.get(name[1], "1"), route.path)
        for headers in (
            [("Sec-Fetch-Site", "cross-site")],
            [("Sec-Fetch-Site", "same-site")],
            [("Origin", "null")],
            [],
        ):
            for role in ("ada", "carl"):
                status, _ = asked(
                    browsers[role], path, ("Accept", "text/html"), *headers, body=b"request_id=evil&question="
                )
                assert status in (400, 403), (path, headers)
    assert site.charges() == before
    assert asked(browsers["ada"], "/", ("Accept", "text/html"))[0] == 200, "nobody was signed out"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("<p style='x'>", "has style"),
        ("<p onclick='x'>", "has onclick"),
        ("<script>x</script>", "holds <script>"),
        ("<style>x</style>", "holds <style>"),
        ("<script src='https://a.example/x.js'></script>", "leads elsewhere"),
        ("<a href='javascript:x'>x</a>", "leads elsewhere"),
        ("<a href='//a.example/'>x</a>", "leads elsewhere"),
        ("<a href='data:text/html,x'>x</a>", "leads elsewhere"),
        ("<form action='http://a.example/'></form>", "leads elsewhere"),
        ("<form><button formaction='/x'>x</button></form>", "leads elsewhere"),
        ("<form><input name='a'></form>", "has no label"),
        ("<i id='a'></i><i id='a'></i>", "is there 2 times"),
        ("<i aria-describedby='a'></i>", "the id a is not there"),
        ("<h1>x</h1>", "<h1> is there 2 times"),
        ("<p><b></p></b>", "closes ['b']"),
        ("<table><tr><th> </th></tr></table>", "<th> says nothing"),
        ("<p>", "<p> is not closed"),
        ("<i a='1' a='2'></i>", "an attribute twice"),
        ("<i/>", "closes itself"),
    ],
)
def test_each_fault_of_a_page_is_seen(text: str, problem: str) -> None:
    frame = "<!doctype html><title>x</title><main><h1>x</h1>{}</main>"
    assert Parsed().read(frame.format("<p>x</p>")).problems == []
    assert any(problem in each for each in Parsed().read(frame.format(text)).problems)
