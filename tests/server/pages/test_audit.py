"""The auditor's pages show what the API says of the chain, with filters in the address, and a check of all of it."""

import re
import shlex

import pytest

from starling.ledger.checking import CHECKS
from starling.ledger.registered import KINDS
from starling.ledger.rules import shown
from starling.server.pages import audit
from tests.client.conftest import Site
from tests.server.pages.browsing import BASE, Browser
from tests.server.pages.conftest import browser_of
from tests.server.pages.pasting import lines_of

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")


@pytest.fixture
def otto(site: Site) -> Browser:
    site.home.access.add_user("otto", "auditor")
    return browser_of(site, "otto")


def _numbers(browser: Browser) -> list[int]:
    return [int(each) for each in re.findall(r'<tr id="event-(\d+)">', browser.page.text)]


def _api(browser: Browser, path: str) -> dict[str, object]:
    reply: dict[str, object] = browser.share().open(path).json()
    return reply


def test_events_filters_and_pages_are_those_of_the_api(
    site: Site, otto: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    with site.client() as client:
        client.charge("data")
    otto.open("/ledger")
    every = otto.share().open("/v1/ledger/events").json()
    assert _numbers(otto) == [each["number"] for each in every["events"]]
    assert every["head"] in otto.text
    for query in ("kind=charge", "analyst=ada", "dataset=data&kind=accepted", "since=2000-01-01", "until=2000-01-01"):
        listed = otto.share().open(f"/v1/ledger/events?{query}").json()
        otto.open(f"/ledger?{query}")
        assert _numbers(otto) == [each["number"] for each in listed["events"]]
    otto.send(otto.form("Show"), kind="charge", dataset="data", since="", until="")
    assert [f"{each} " in otto.text for each in ("ada", "charge")] == [True, True]
    assert len(_numbers(otto)) == 1
    monkeypatch.setattr(audit, "MOST", 2)
    seen: list[int] = []
    path: str | None = "/ledger?analyst=&kind="
    while path is not None:
        otto.open(path)
        seen += _numbers(otto)
        older = re.findall(r'href="(/ledger\?[^"]*before=[^"]*)">Older', otto.page.text)
        path = older[0].replace("&amp;", "&") if older else None
    assert seen == [each["number"] for each in every["events"]]


@pytest.mark.parametrize(
    "query", ["", "kind=charge", "kind=accepted&dataset=data&analyst=%3B%20id%27&since=2000-01-01&until=2000-01-01"]
)
def test_the_line_of_curl_is_one_command_that_gives_the_same_events(otto: Browser, query: str) -> None:
    otto.open(f"/ledger?{query}")
    (curl,) = [text for place, text in lines_of(otto) if place == "curl"]
    lexer = shlex.shlex(curl, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words = [*lexer]
    assert words[:-1] == ["curl", "-H", "Authorization: Bearer $STARLING_TOKEN"], "no word is another command"
    listed = otto.share().open(words[-1].removeprefix(BASE)).json()
    assert _numbers(otto) == [each["number"] for each in listed["events"]]


def test_today_is_until_its_end(site: Site, otto: Browser) -> None:
    head = otto.share().open("/v1/ledger/events").json()["events"][0]
    otto.open(f"/ledger?until={head['at'][:10]}")
    assert _numbers(otto)[0] == head["number"]


@pytest.mark.parametrize("query", ["since=yesterday", "before=x", "kind=" + "a" * 101, "until=soon", "other=1"])
def test_what_cannot_be_read_is_said_on_the_page(otto: Browser, query: str) -> None:
    reply = otto.open(f"/ledger?{query}")
    assert (reply.status_code, "cannot be read" in otto.text) == (422, True)
    name = query.partition("=")[0]
    if name in audit.LABELS:
        assert f"{audit.LABELS[name]} cannot be read" in otto.text
        assert f"<label>{audit.LABELS[name]}" in otto.page.text


def test_every_kind_of_event_has_a_word_and_a_definition() -> None:
    assert {*KINDS, "create", "charge", "takeover", "drawn", "redrawn", "answer", "void"} == audit.KINDS.keys()
    for word, definition in audit.KINDS.values():
        assert word
        assert all(1 < len(each.split()) <= 20 for each in definition.rstrip(".").split(". ")), definition


def test_amounts_are_in_their_measure_as_the_ledger_shows_them(site: Site, otto: Browser) -> None:
    """No page has an amount in units of the chain, nor the braces of a body."""
    with site.client() as client:
        client.wait(client.charge("data"))
        cost = next(client.releases()).cost
    otto.open("/ledger")
    events = otto.share().open("/v1/ledger/events").json()["events"]
    (charge,) = [each for each in events if each["kind"] == "charge"]
    assert cost == f"epsilon {shown(charge['body']['amount'])}"
    assert charge["amounts"] == dict.fromkeys(("amount", "analyst", "dataset", "population"), cost)
    assert f"cost {cost}; spent so far: analyst {cost}, dataset {cost}, population {cost}" in otto.text
    for each in events:
        for amount in each["amounts"].values():
            assert amount in otto.text
    # As a word: within a hash stand so many digits once in 4,000 pages.
    assert not re.search(r"\b\d{9,}000\b|[{}]", otto.text.partition("Download")[0])


def test_the_check_says_what_was_checked(otto: Browser) -> None:
    reply = otto.open("/ledger/check")
    assert reply.status_code == 200
    assert "The ledger holds together" in otto.text
    for name, says in CHECKS.items():
        assert f"{name} holds {says}" in otto.text


def test_analysts_have_neither(site: Site) -> None:
    browser = browser_of(site)
    assert "/ledger" not in browser.page.text
    for path in ("/ledger", "/ledger/check"):
        assert browser.open(path).status_code == 403
