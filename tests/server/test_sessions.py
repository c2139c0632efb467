"""Sessions: a browser signs in, is let in by its cookie, and signs out; the cookie is always a new one, and no other page can use it."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from starling.errors import ParameterError
from starling.server import app, passwords, progress_events
from starling.server.access import IDLE, SESSION, Access, NotSignedIn
from starling.server.app import make_app
from starling.server.backup import back_up, restore
from starling.server.charges import Charges
from starling.server.home import Home, open_home
from starling.server.passwords import hashed
from starling.server.rates import Rates
from starling.server.tokens import fresh
from tests.server.conftest import BEGAN, CHEAP, Asker

PASSWORD = "correct horse battery"
OWN = [("Sec-Fetch-Site", "same-origin")]
RELEASES = "/v1/datasets/census/releases"

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_HASHER", CHEAP)


@pytest.fixture
def home(served: Home, tokens: dict[str, str]) -> Home:
    """The home, whose users have a password."""
    for role in tokens:
        served.access.set_password(role, hashed(PASSWORD))
    return served


def sign_in(
    asker: Asker, name: str = "analyst", password: str = PASSWORD, headers: list[tuple[str, str]] = OWN
) -> httpx.Response:
    """The reply to who signs in with a browser."""
    body = httpx.Request("POST", "http://localhost", json={"name": name, "password": password}).content
    return asker.ask("POST", "/v1/session", [*headers, ("Content-Type", "application/json")], body)


def cookie(asker: Asker, name: str = "analyst") -> tuple[str, str]:
    """The header by which a browser is let in that has signed in."""
    return ("Cookie", sign_in(asker, name).headers["set-cookie"].partition(";")[0])


def me(asker: Asker, *headers: tuple[str, str]) -> int:
    return asker.ask("GET", "/v1/me", headers).status_code


def test_who_signs_in_is_let_in_by_the_cookie_until_they_sign_out(home: Home, asker: Asker) -> None:
    reply = sign_in(asker, "auditor")
    assert (reply.status_code, reply.json()) == (200, {"name": "auditor", "role": "auditor"})
    kept = ("Cookie", f"theme=dark; {reply.headers['set-cookie'].partition(';')[0]}; a")
    assert asker.ask("GET", "/v1/me", [kept]).json() == {"name": "auditor", "role": "auditor"}
    out = asker.ask("DELETE", "/v1/session", [kept, *OWN])
    assert out.status_code == 204
    assert out.headers["set-cookie"].startswith('starling="";')
    assert "Max-Age=0" in out.headers["set-cookie"]
    assert me(asker, kept) == 401
    assert asker.ask("DELETE", "/v1/session", [kept, *OWN]).status_code == 401
    said = [(each.user, each.what) for each in home.access.log(after=9, most=10)]
    assert said == [("auditor", "POST /v1/session"), ("auditor", "GET /v1/me"), ("auditor", "DELETE /v1/session")]


def test_the_cookie_is_for_no_script_and_no_other_site(home: Home, asker: Asker) -> None:
    shown = sign_in(asker).headers["set-cookie"]
    assert shown.startswith("starling=starling_")
    assert sorted(shown.lower().split("; ")[1:]) == ["httponly", "path=/", "samesite=strict"]
    encrypted = replace(home, settings=replace(home.settings, trusted_proxy="127.0.0.1"))
    shown = sign_in(Asker(make_app(encrypted, Charges(encrypted)))).headers["set-cookie"]
    assert shown.startswith("__Host-starling=starling_")
    assert sorted(shown.lower().split("; ")[1:]) == ["httponly", "path=/", "samesite=strict", "secure"]


def test_all_routes_take_the_cookie(selling: Home, home: Home, asker: Asker) -> None:
    kept = cookie(asker)
    body = httpx.Request("POST", "http://localhost", json={"request_id": "first"}).content
    sent = [kept, *OWN, ("Content-Type", "application/json")]
    assert asker.ask("POST", RELEASES, sent, body).status_code == 202
    assert asker.ask("GET", "/v1/log", [kept]).status_code == 403, "the role still counts"


def test_a_session_follows_a_release_until_it_ends(
    selling: Home, home: Home, asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = cookie(asker)
    body = httpx.Request("POST", "http://localhost", json={"request_id": "first"}).content
    place = asker.ask("POST", RELEASES, [kept, *OWN, ("Content-Type", "application/json")], body).json()["id"]
    (session,) = [each for each in home.access.tokens() if each.session]
    waits = 0

    async def ended(_: float) -> None:
        nonlocal waits
        waits += 1
        if waits == 2:
            home.access.revoke(session.id)

    monkeypatch.setattr(progress_events.asyncio, "sleep", ended)  # type: ignore[attr-defined]
    monkeypatch.setattr(progress_events, "BREATH", 0.5)
    told = asker.ask("GET", f"/v1/releases/{place}/events", [kept]).text
    assert told.count("event: charged") == 1
    assert (told.count(": still charged"), waits) == (2, 2)


def test_a_wrong_password_gives_no_cookie(home: Home, asker: Asker) -> None:
    for name, password in (("analyst", "wrong"), ("nobody", PASSWORD)):
        reply = sign_in(asker, name, password)
        assert (reply.status_code, reply.json()["error"]["kind"]) == (401, "SignInRefused")
        assert "set-cookie" not in reply.headers


def test_what_is_no_sign_in_is_refused_and_not_sent_back(home: Home, asker: Asker) -> None:
    for body in (
        b"",
        b"{}",
        b"[]",
        b'{"name": "analyst"}',
        b'{"name": "analyst", "password": ""}',
        b'{"name": "analyst", "password": 1}',
        b'{"name": "analyst", "password": "\\ud800"}',
        b'{"name": "analyst", "password": "%s"}' % (b"secret" * 1000),
        b'{"name": "analyst", "password": "secretsecret", "more": 1}',
        b"name=analyst&password=secretsecret",
    ):
        reply = asker.ask("POST", "/v1/session", [*OWN, ("Content-Type", "application/json")], body)
        assert reply.status_code == 422, body
        assert "secret" not in reply.text


def test_a_session_ends_when_nothing_is_asked_and_in_the_end(home: Home, tmp_path: Path) -> None:
    now = [BEGAN]
    access = Access(tmp_path / "served" / "access.sqlite", now=lambda: now[0])
    session, _ = access.begin_session("analyst", "POST /v1/session", left=None)

    def enters() -> bool:
        try:
            asyncio.run(access.enter(session, "GET /v1/me", lambda: None, session=True))
        except NotSignedIn:
            return False
        return True

    second = timedelta(microseconds=1)
    while now[0] + IDLE < BEGAN + SESSION:
        now[0] += IDLE - second
        assert enters()
    now[0] = BEGAN + SESSION - second
    assert enters()
    now[0] = BEGAN + SESSION
    assert not enters()
    session, _ = access.begin_session("analyst", "POST /v1/session", left=None)
    now[0] += IDLE
    assert not enters()
    access.begin_session("analyst", "POST /v1/session", left=None)
    assert len([each for each in access.tokens() if each.session]) == 1, "those that ended are forgotten"


def test_a_session_and_a_token_are_not_taken_for_each_other(home: Home, asker: Asker, tokens: dict[str, str]) -> None:
    session = cookie(asker)[1].removeprefix("starling=")
    assert me(asker, ("Cookie", f"starling={session}")) == 200
    assert me(asker, ("Authorization", f"Bearer {session}")) == 401
    assert me(asker, ("Cookie", f"starling={tokens['analyst']}")) == 401


def test_with_an_authorization_the_cookie_is_not_looked_at(home: Home, asker: Asker, tokens: dict[str, str]) -> None:
    kept = cookie(asker, "analyst")
    reply = asker.ask("GET", "/v1/me", [kept, ("Authorization", f"Bearer {tokens['auditor']}")])
    assert reply.json()["name"] == "auditor"
    for wrong in ("Bearer x", "Basic YTpi", ""):
        assert me(asker, kept, ("Authorization", wrong)) == 401
    both = [kept, *OWN, ("Authorization", f"Bearer {tokens['auditor']}")]
    assert asker.ask("DELETE", "/v1/session", both).status_code == 403
    assert me(asker, kept) == 200


def test_sessions_are_listed_and_revoked_like_tokens(home: Home, asker: Asker) -> None:
    kept = cookie(asker)
    (session,) = [each for each in home.access.tokens() if each.session]
    assert session.user == "analyst"
    home.access.revoke(session.id)
    assert me(asker, kept) == 401


def test_a_session_asks_as_often_as_a_token(
    home: Home, monkeypatch: pytest.MonkeyPatch, tokens: dict[str, str]
) -> None:
    monkeypatch.setattr(app, "Rates", partial(Rates, per_second=0.001, burst=2.0))
    asker = Asker(app.make_app(home, Charges(home)))
    kept = cookie(asker)
    assert [me(asker, kept) for _ in range(3)] == [200, 200, 429]
    assert me(asker, cookie(asker)) == 200


def test_a_copy_of_a_home_carries_passwords_and_sessions(home: Home, asker: Asker, tmp_path: Path) -> None:
    kept = cookie(asker)
    back_up(home, tmp_path / "copy")
    restored, _ = restore(tmp_path / "copy", tmp_path / "restored")
    there = Asker(make_app(restored, Charges(restored)))
    assert me(there, kept) == 200
    assert sign_in(there).status_code == 200


def test_users_of_another_version_are_told_of_in_a_sentence(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starling.server.access_rows.VERSION", 3)
    with pytest.raises(ParameterError, match="written by another version"):
        open_home(home.folder)


Headers = list[tuple[str, str]]
FOREIGN: list[tuple[int, Headers]] = [
    (403, []),
    (403, [("Sec-Fetch-Site", "none")]),
    (403, [("Origin", "https://localhost:8470")]),
    (403, [("Origin", "http://localhost:1234")]),
    (403, [("Origin", "http://localhost")]),
    (403, [("Origin", "http://127.0.0.1:8470")]),
    (403, [("Sec-Fetch-Site", "none"), ("Origin", "http://localhost:8470")]),
    (403, [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "same-origin")]),
    (403, [("Origin", "http://localhost:8470"), ("Origin", "http://localhost:8470")]),
    (400, [("Sec-Fetch-Site", "same-site")]),
    (400, [("Sec-Fetch-Site", "cross-site")]),
    (400, [("Origin", "null")]),
    (400, [("Origin", "https://evil.example")]),
    (400, [("Sec-Fetch-Site", "same-origin"), ("Origin", "https://evil.example")]),
]
"""What browsers say, or do not, of pages that are none of this server, and the status."""


def test_attack_csrf_a_cookie_changes_nothing_without_a_page_of_this_server(
    selling: Home, home: Home, asker: Asker
) -> None:
    kept = cookie(asker)
    body = httpx.Request("POST", "http://localhost", json={"request_id": "first"}).content
    for status, said in FOREIGN:
        for kind in ("application/json", "text/plain"):
            sent = [kept, *said, ("Content-Type", kind)]
            assert asker.ask("POST", RELEASES, sent, body).status_code == status, said
        assert asker.ask("DELETE", "/v1/session", [kept, *said]).status_code == status, said
        assert sign_in(asker, headers=[kept, *said]).status_code == status, "nor signs the browser in as another"
    assert asker.ask("GET", "/v1/datasets/census/budget", [kept]).json()["more"] == 1, "nothing was charged"
    assert me(asker, kept) == 200


def test_csrf_what_a_page_of_this_server_sends_is_taken(home: Home, asker: Asker) -> None:
    origin = ("Origin", "http://localhost:8470")
    for said in (OWN, [origin], [*OWN, origin]):
        kept = cookie(asker)
        assert sign_in(asker, headers=said).status_code == 200
        assert asker.ask("DELETE", "/v1/session", [kept, *said]).status_code == 204


def test_attack_session_fixation_a_cookie_from_before_lets_nobody_in_afterwards(home: Home, asker: Asker) -> None:
    """Whoever put a cookie into a browser, of their own making or of a session of their own, knows nothing of the session that begins."""
    invented, _ = fresh()
    own = cookie(asker, "auditor")
    for planted in (("Cookie", f"starling={invented}"), own, ("Cookie", "starling=x"), ("Cookie", "starling=")):
        reply = sign_in(asker, "analyst", headers=[*OWN, planted])
        begun = ("Cookie", reply.headers["set-cookie"].partition(";")[0])
        assert reply.status_code == 200
        assert begun != planted
        assert me(asker, planted) == 401
        assert asker.ask("GET", "/v1/me", [begun]).json()["name"] == "analyst"


def test_attack_session_fixation_who_signs_in_again_leaves_no_session_behind(home: Home, asker: Asker) -> None:
    first = cookie(asker)
    second = ("Cookie", sign_in(asker, headers=[*OWN, first]).headers["set-cookie"].partition(";")[0])
    assert (me(asker, first), me(asker, second)) == (401, 200)


def test_attack_session_fixation_nobody_ends_a_session_by_its_id(home: Home, asker: Asker) -> None:
    kept = cookie(asker, "auditor")
    identity = kept[1].split("_")[1]
    forged, _ = fresh()
    sign_in(asker, headers=[*OWN, ("Cookie", f"starling={forged.replace(forged.split('_')[1], identity)}")])
    assert me(asker, kept) == 200


def test_attack_cookie_tossing_two_cookies_of_the_name_let_nobody_in(home: Home, asker: Asker) -> None:
    """A page on another port of this machine may set a cookie beside the server's; nobody knows which one the browser sends first."""
    kept, planted = cookie(asker, "analyst"), cookie(asker, "auditor")
    assert me(asker, ("Cookie", f"{kept[1]}; {planted[1]}")) == 401
    assert me(asker, kept, planted) == 401
    encrypted = replace(home, settings=replace(home.settings, trusted_proxy="127.0.0.1"))
    assert me(Asker(make_app(encrypted, Charges(encrypted))), kept) == 401, (
        "over TLS only the name that browsers protect"
    )


def test_attack_host_header_a_session_is_of_the_hosts_of_this_server(home: Home, asker: Asker) -> None:
    kept = cookie(asker)
    for host in ("evil.example", "localhost.evil.example:8470"):
        evil = [("Host", host), ("Origin", f"http://{host}"), kept, *OWN]
        assert asker.ask("GET", "/v1/me", evil).status_code == 400
        assert asker.ask("DELETE", "/v1/session", evil).status_code == 400
        assert sign_in(asker, headers=evil).status_code == 400
    assert me(asker, kept) == 200


def test_attack_token_in_url_or_log_neither_password_nor_session_is_told(
    home: Home, asker: Asker, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    kept = cookie(asker)
    secret = kept[1].split("_")[2]
    replies = [
        sign_in(asker),
        sign_in(asker, PASSWORD, PASSWORD),
        asker.ask("GET", f"/v1/me?session={secret}"),
        asker.ask("POST", f"/v1/session?name=analyst&password={PASSWORD.replace(' ', '+')}", OWN),
        asker.ask("GET", "/v1/me", [kept]),
        asker.ask("DELETE", "/v1/session", [kept, *OWN]),
    ]
    assert [reply.status_code for reply in replies] == [200, 401, 401, 422, 200, 204]
    told = "".join(f"{reply.text}{dict(reply.headers)}" for reply in replies[1:])
    told += "".join(each.getMessage() for each in caplog.records if each.name.startswith("starling"))
    told += str(home.access.log(after=0, most=1000))
    for each in (secret, PASSWORD, "correct"):
        assert each not in told
    assert secret.encode() not in (home.folder / "access.sqlite").read_bytes()


@pytest.mark.slow
def test_attack_guessing_is_told_to_wait(home: Home, asker: Asker) -> None:
    replies = [sign_in(asker, password="guess") for _ in range(12)]
    assert [reply.status_code for reply in replies] == [401] * 10 + [429] * 2
    assert 30 < int(replies[-1].headers["retry-after"]) <= 60
    assert sign_in(asker).status_code == 429, "nor does the right one tell that it is right"
    assert sign_in(asker, "auditor").status_code == 200


def test_a_sign_in_that_cannot_be_noted_is_none(home: Home, asker: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    plain: Callable[..., Any] = Access._note

    def full(self: Access, connection: Any, who: str, what: str) -> None:
        plain(self, connection, who, what)
        connection.execute("SELECT * FROM nothing")

    monkeypatch.setattr(Access, "_note", full)
    reply = sign_in(asker)
    assert (reply.status_code, "set-cookie" in reply.headers) == (503, False)
    assert not [each for each in home.access.tokens() if each.session]
