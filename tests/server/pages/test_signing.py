"""Signing in by a page: by the same rules as by the API, and out again."""

import json
from contextlib import closing
from html import unescape
from typing import Any

import pytest

from starling.ledger.opening import open_ledger
from starling.server import passwords
from starling.server.passwords import BURST_OF_NAME
from tests.client.conftest import Site
from tests.server.conftest import Asker
from tests.server.pages.browsing import Browser
from tests.server.pages.conftest import PASSWORD, browser_of
from tests.server.pages.crawling import forms_of, page_routes

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")


def test_in_and_out(site: Site) -> None:
    browser = browser_of(site)
    assert "ada, analyst" in browser.page.text
    kept = browser.share()
    browser.send(browser.form("Sign out"))
    assert browser.path == "/sign-in"
    assert kept.open("/").request.url.path == "/sign-in", "the session has ended, wherever it is kept"


def test_a_wrong_password_says_so_and_keeps_the_name(site: Site) -> None:
    browser_of(site)
    browser = Browser(site.carrier._app)
    browser.open("/")
    reply = browser.sign_in("ada", "wrong horse battery")
    assert (reply.status_code, "does not fit the name" in browser.text) == (401, True)
    assert browser.form("Sign in").fields["name"] == "ada"
    assert browser.form("Sign in").fields["password"] == ""
    assert PASSWORD not in reply.text


def test_csrf_a_form_of_another_page_signs_nobody_in(site: Site) -> None:
    browser_of(site)
    body = f"name=ada&password={PASSWORD}&next=/".replace(" ", "+").encode()
    foreign: tuple[list[tuple[str, str]], ...] = ([], [("Sec-Fetch-Site", "cross-site")], [("Origin", "null")])
    for headers in foreign:
        reply = Asker(site.carrier._app).ask("POST", "/sign-in", headers, body)
        assert (reply.status_code in (400, 403), "set-cookie" in reply.headers) == (True, False), headers


def test_tries_of_pages_and_of_the_api_count_together(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    asker = Asker(site.carrier._app)
    own = [("Sec-Fetch-Site", "same-origin"), ("Accept", "text/html")]
    statuses = []
    for number in range(int(BURST_OF_NAME) + 2):
        if number % 2:
            reply = asker.ask("POST", "/sign-in", own, b"name=eve&password=wrong")
            assert ("retry-after" in reply.headers) == (reply.status_code == 429)
            statuses.append(reply.status_code)
        else:
            json = [own[0], ("Content-Type", "application/json")]
            statuses.append(asker.ask("POST", "/v1/session", json, b'{"name": "eve", "password": "wrong"}').status_code)
    assert statuses == [401] * int(BURST_OF_NAME) + [429] * 2


def test_one_is_led_nowhere_else(site: Site) -> None:
    browser_of(site)
    browser = Browser(site.carrier._app)
    browser.open("/sign-in?next=//evil.example/")
    browser.sign_in("ada", PASSWORD)
    assert browser.path == "/"


def test_a_form_that_is_sent_after_the_session_ended_leads_to_a_page(both: Site) -> None:
    """In another tab, say: one signs in, and stands at something that is there."""
    browser = browser_of(both)
    for path in ("/sign-out", "/datasets/data/ask", "/sandbox/datasets/data/ask", "/sign-in"):
        browser.forget()
        browser._ask("POST", path, b"")
        assert browser.sign_in("ada", PASSWORD).status_code == 200, path
        assert "ada, analyst" in browser.page.text, path


def test_the_log_has_what_pages_and_the_api_do_alike(site: Site) -> None:
    browser = browser_of(site)
    browser.send(browser.form("Sign out"))
    entries = [(each.user, each.what) for each in site.home.access.log(after=0, most=1000)]
    assert entries[-3:] == [("ada", "POST /sign-in"), ("ada", "GET /"), ("ada", "POST /sign-out")]


def test_the_form_refuses_the_names_and_passwords_that_the_api_refuses(site: Site) -> None:
    browser_of(site)
    site.home.access.set_password("ada", passwords.hashed("a" * 1024))
    browser = Browser(site.carrier._app)
    own = [("Sec-Fetch-Site", "same-origin"), ("Content-Type", "application/json")]
    wrong = [("ada" * 30, PASSWORD), ("", PASSWORD), ("ada", ""), ("ada", "a" * 1024 + "b"), ("a" * 65, "b")]
    for name, password in wrong:
        browser.open("/sign-in")
        assert browser.sign_in(name, password).status_code == 422, (name, password)
        body = json.dumps({"name": name, "password": password}).encode()
        assert browser._asker.ask("POST", "/v1/session", own, body).status_code == 422, (name, password)


def test_every_form_is_sent_to_the_address_of_its_page(site: Site) -> None:
    """There one is led back to, by GET, where the session ended meanwhile; who signs out or in is led there anyway."""
    app: Any = site.carrier._app._app  # type: ignore[attr-defined]
    pages = {each.path for each in page_routes(app)}
    assert {each.path for each in forms_of(app)} - pages == {"/sign-out"}


@pytest.mark.parametrize("reason", ['For a "paper" & <b>10 %</b>; Ä=ö+\u2066', "long " * 400])
def test_what_was_typed_stands_in_the_form_after_signing_in(study_site: Site, reason: str) -> None:
    """As far as an address can hold it; and the id too, so that two tabs pay once."""
    with closing(open_ledger(study_site.home.settings.ledger)) as ledger:
        ledger.custody.set_terms("data", ask_first=True)
    browser = browser_of(study_site)
    browser.open("/datasets/data/ask?kind=num_sig&k=2&epsilon=0.25")
    form = browser.form("Ask the custodian")
    browser.forget()
    browser.send(form, reason=reason)
    browser.sign_in("ada", PASSWORD)
    assert browser.page.status_code == 200
    if len(reason) > 1000:
        assert browser.path == "/datasets/data/ask"
        return
    assert unescape(browser.page.text).partition(">For a ")[2].startswith(reason.removeprefix("For a ")[:-1])
    assert browser.form("Show the price").fields["k"] == "2"
    again = browser.form("Ask the custodian")
    assert {name: again.fields[name] for name in ("request_id", "question")} == {
        name: form.fields[name] for name in ("request_id", "question")
    }
    browser.send(again, reason=reason)
    assert len(study_site.home.requests.listed()) == 1
