"""What pages have in common: the policy, errors as pages for browsers and JSON for programs, and paths that lead nowhere else."""

import re
from typing import Any
from urllib.parse import quote

import pytest

from starling.genome.plan.choices import UNPROTECTED
from starling.pages.rendering import _environment
from starling.privacy.neighbours import ADD_REMOVE_PERSON, REPLACE_PERSON, REPLACE_PHENOTYPE, Relation
from starling.server.access import ROLES
from starling.server.access_rows import Role
from starling.server.guard import HEADERS, PAGE_POLICY
from starling.server.pages.frame import local_path
from tests.client.conftest import Site
from tests.server.conftest import Asker
from tests.server.pages.browsing import Browser
from tests.server.pages.conftest import browser_of

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

PATHS = (
    "/",
    "/sign-in",
    "/answers",
    "/datasets/data/ask",
    "/questions/1",
    "/datasets/none/ask",
    "/nothing",
    "/questions/x",
)


def test_every_page_has_the_policy_and_nothing_that_it_forbids(site: Site) -> None:
    browser = browser_of(site)
    with site.client() as client:
        number = client.wait(client.charge("data")).id
    for path in (*PATHS, f"/questions/{number}"):
        reply = browser.open(path)
        assert reply.headers["content-type"] == "text/html; charset=utf-8"
        assert reply.headers["content-security-policy"] == PAGE_POLICY
        assert reply.headers["cache-control"] == "no-store"
        assert reply.headers["referrer-policy"] == "same-origin", "by no-referrer a form comes from nowhere"
        assert {name for name in HEADERS if name not in reply.headers} == set()
        # Neither styles nor scripts within the page, and nothing from elsewhere.
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|javascript:", reply.text), path
        assert not re.search(r'(src|href|action)="(https?:)?//', reply.text), path


def test_processes_prepare_from_the_first_page_on(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """And not for a program, which asks for no page."""
    prepared: list[None] = []
    app: Any = site.carrier._app._app  # type: ignore[attr-defined]
    monkeypatch.setattr(app.state, "prepare", lambda: prepared.append(None))
    Asker(site.carrier._app).get("/healthz", "")
    assert not prepared
    Browser(site.carrier._app).open("/sign-in")
    assert prepared


def test_a_program_gets_json_where_a_browser_gets_pages(site: Site) -> None:
    with site.client() as client:
        token = client._transport._http.headers["Authorization"].removeprefix("Bearer ")
    for path in PATHS:
        reply = Asker(site.carrier._app).get(path, token)
        assert reply.status_code in (404, 422), path
        assert reply.json()["error"]["problems"], path
        assert reply.headers["content-security-policy"] == HEADERS["Content-Security-Policy"], path


def test_the_api_is_json_for_a_browser_too(site: Site) -> None:
    browser = browser_of(site)
    for path in ("/v1/me", "/v1/nothing", "/healthz"):
        assert browser.open(path).headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("/answers", "/answers"),
        ("/datasets/study/ask?kind=x", "/datasets/study/ask?kind=x"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("https://evil.example", "/"),
        ("/a b", "/"),
        ("/a\r\nX: y", "/"),
        ("", "/"),
        ("/" + "a" * 2000, "/"),
    ],
)
def test_a_browser_is_led_to_no_other_site(text: str, path: str) -> None:
    assert local_path(text) == path


def test_whoever_is_not_signed_in_is_led_there_and_back(site: Site) -> None:
    """Whatever the letters of the address are: no header could hold them as they are."""
    browser = Browser(site.carrier._app)
    browser_of(site)
    for path in ("/datasets/data/ask", "/releases/9/tables/%C3%A4%22%3Bx%3A%E2%80%AE?a=%C3%B6&b=+c%26"):
        browser.open(path)
        assert browser.path == f"/sign-in?next={quote(path, safe='')}"
        browser.sign_in("ada", "correct horse battery")
        assert browser.path == path
        browser.forget()


def test_what_is_no_form_is_refused(site: Site) -> None:
    browser = browser_of(site)
    for body in (b"a=1&a=2", b"\xff", b"&".join(b"a%d=1" % each for each in range(99))):
        reply = browser._ask("POST", "/datasets/data/ask", body)
        assert (reply.status_code, site.charges()) == (422, 0), body


@pytest.mark.parametrize("role", ROLES)
def test_pages_of_errors_keep_the_menu_of_the_user_and_only_theirs(site: Site, role: Role) -> None:
    """Refused to the role, not there, refused as they are, and led to no route."""
    site.home.access.add_user("eve", role)
    browser = browser_of(site, "eve")
    refused = {"/custody": "custodian", "/datasets/data/ask": "analyst"}
    for path in (*refused, "/datasets/none", "/questions/x", "/questions/9", "/nothing", "/static"):
        status = browser.open(path).status_code
        assert f"eve, {role}" in browser.page.text, path
        assert "Sign out" in browser.page.text, path
        assert status == 200 or "/v1/" not in browser.page.text, "no page sends anybody to an address for programs"
        if path in refused:
            assert (status == 403) == (role != refused[path])
        if status == 403:
            assert f"role {role} cannot open this, which is for {refused[path]}s: ask one of them." in browser.text
    browser.forget()
    assert browser.open("/nothing").status_code == 404
    assert "Sign out" not in browser.page.text


@pytest.mark.parametrize("relation", [REPLACE_PERSON, REPLACE_PHENOTYPE, ADD_REMOVE_PERSON])
def test_pages_of_data_say_first_what_is_not_protected(relation: Relation) -> None:
    template = '{% from "pieces.html" import protected %}{{ protected(dataset) }}'
    text = _environment("starling.server").from_string(template).render(dataset={"neighbours": str(relation)}).strip()
    of_phenotypes = f"{UNPROTECTED}: each person's phenotype alone is."
    assert text == (of_phenotypes if relation is REPLACE_PHENOTYPE else f"Protected: {relation}.")
