"""Signing in by an OpenID Connect provider: the whole flow with a real small one, and what is bound to the browser that began."""

import logging
import re
import sys
from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest

from starling.errors import ParameterError
from starling.server import oidc
from starling.server.access import SignInRefused
from starling.server.home import Home
from starling.server.oidc import SECONDS, Attempts
from tests.client.conftest import Local
from tests.server.conftest import Asker
from tests.server.providers import CODE, SECRET, URL, Browser, Liar, as_json, asker_of, lying, with_provider

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of the provider, which is of the tests alone
    pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head"),
]


@pytest.fixture
def liar() -> Iterator[Liar]:
    with lying() as made:
        yield made


@pytest.fixture
def asker(served: Home, tokens: dict[str, str], liar: Liar) -> Asker:
    """Asks a server whose users sign in at the provider."""
    return asker_of(with_provider(served, liar.issuer))


@pytest.fixture
def browser(asker: Asker, liar: Liar) -> Browser:
    return Browser(asker, liar)


@pytest.mark.series(1)
@pytest.mark.parametrize(
    ("claim", "role"), [("email", "analyst"), ("sub", "auditor"), ("preferred_username", "analyst")]
)
def test_the_whole_flow_with_a_real_provider(
    served: Home, tokens: dict[str, str], claim: str, role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from oidc_provider_mock import User, run_server_in_thread

    who = User(sub="auditor", claims={"email": "Analyst", "email_verified": True, "preferred_username": "analyst"})
    with run_server_in_thread(require_nonce=True, user_claims=[who, User(sub="eve", claims={})]) as provider:
        app = asker_of(with_provider(served, f"http://localhost:{provider.server_port}", claim))._app
        with httpx.Client(mounts={URL: Local(app)}, base_url=URL) as client:
            there = client.get("/v1/oidc/login")
            assert (there.status_code, there.headers["location"].startswith("http://localhost:")) == (303, True)
            back = client.post(there.headers["location"], data={"sub": "auditor"})
            assert back.status_code == 302
            page = client.get(back.headers["location"])
            assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
            (forward,) = re.findall(r"url=([^\"]+)", page.text)
            assert forward == "/"
            assert client.get("/v1/me").json() == {"name": role, "role": role}
            assert [cookie.name for cookie in client.cookies.jar] == ["starling"], "what began it is forgotten"
            assert client.get(back.headers["location"]).status_code == 401, "and cannot be used again"
            assert client.get("/v1/me").status_code == 200
            out = client.delete("/v1/session", headers={"Sec-Fetch-Site": "same-origin"})
            assert out.status_code == 204
            assert client.get("/v1/me").status_code == 401
            there = client.get("/v1/oidc/login")
            back = client.post(there.headers["location"], data={"action": "deny"})
            assert client.get(back.headers["location"]).status_code in (401, 422)
            there = client.get("/v1/oidc/login")
            back = client.post(there.headers["location"], data={"sub": "eve"})
            assert client.get(back.headers["location"]).status_code == (403 if claim == "sub" else 401)
    said = [(each.user, each.what) for each in served.access.log(after=6, most=20) if "callback" in each.what]
    assert said[0] == (role, "GET /v1/oidc/callback")
    assert {*said[1:]} == {("nobody known", "GET /v1/oidc/callback refused")}


def test_without_a_provider_there_are_no_such_routes_and_nothing_of_it_is_loaded(served: Home) -> None:
    asker = asker_of(served)
    for path in ("/v1/oidc/login", "/v1/oidc/callback"):
        assert asker.ask("GET", path).status_code == 404
        assert path not in asker.get("/v1/openapi.json").json()["paths"]


def test_a_browser_is_sent_with_a_state_a_nonce_and_a_challenge_of_its_own(
    asker: Asker, browser: Browser, liar: Liar
) -> None:
    reply = browser.begin()
    assert reply.headers["location"].startswith(f"{liar.issuer}/authorize?")
    first = dict(browser.sent)
    assert (first["response_type"], first["client_id"], first["scope"]) == ("code", "starling", "openid email")
    assert (first["redirect_uri"], first["code_challenge_method"]) == (f"{URL}/v1/oidc/callback", "S256")
    said = {each.strip().lower() for each in reply.headers["set-cookie"].split(";")}
    assert {"httponly", "samesite=lax", "path=/", f"max-age={SECONDS}"} <= said
    browser.begin()
    for each in ("state", "nonce", "code_challenge"):
        assert browser.sent[each] != first[each]
        assert browser.sent[each] not in browser.cookie[1]


def test_who_comes_back_is_signed_in_and_the_secret_went_to_the_provider_alone(
    asker: Asker, browser: Browser, liar: Liar
) -> None:
    browser.begin()
    reply = browser.end(changes={"iss": liar.issuer, "session_state": "x", "scope": "openid"})
    assert reply.status_code == 200
    kept = next(each for each in reply.headers.get_list("set-cookie") if each.startswith("starling="))
    assert "samesite=strict" in kept.lower()
    assert asker.ask("GET", "/v1/me", [("Cookie", kept.partition(";")[0])]).json()["name"] == "analyst"
    headers = {path: headers for path, headers, _ in liar.asked}
    assert headers["/token"]["Authorization"] == httpx.BasicAuth("starling", SECRET)._auth_header
    assert all("Authorization" not in headers[path] for path in headers if path != "/token")


def test_a_provider_that_asks_for_it_gets_the_secret_in_the_body(browser: Browser, liar: Liar) -> None:
    said = {**liar.metadata, "token_endpoint_auth_methods_supported": ["client_secret_post"]}
    liar.replies["/.well-known/openid-configuration"] = lambda: as_json(said)
    browser.begin()
    assert browser.end().status_code == 200
    ((_, headers, body),) = [each for each in liar.asked if each[0] == "/token"]
    assert "Authorization" not in headers
    assert "client_secret=the" in body


def refused(reply: httpx.Response, status: int = 401) -> None:
    """It let nobody in, in the one shape of errors, and says nothing that the provider said."""
    assert reply.status_code == status, reply.text
    (problem,) = reply.json()["error"]["problems"]
    assert problem.keys() == {"field", "problem", "fix"}
    assert "set-cookie" not in reply.headers
    assert "PROVIDER" not in reply.text


def test_attack_session_fixation_a_state_counts_in_the_browser_that_began_and_once(
    asker: Asker, browser: Browser, liar: Liar
) -> None:
    """Nobody makes another's browser come back with a code of their own, or uses what they have seen pass by."""
    other = Browser(asker, liar)
    other.begin()
    browser.begin()
    refused(browser.end(cookie=other.cookie))
    refused(browser.end(cookie=("Cookie", "")))
    refused(browser.end(cookie=("Cookie", f"{browser.cookie[1]}; {other.cookie[1]}")))
    refused(browser.end(cookie=("Cookie", f"starling-oidc={browser.cookie[1].partition('.')[2]}")))
    refused(browser.end(changes={"state": other.sent["state"]}))
    refused(browser.end(changes={"state": "0" * 64}))
    refused(browser.end(changes={"state": ""}))
    assert browser.end().status_code == 200
    refused(browser.end())
    liar.claims["nonce"] = other.sent["nonce"]
    liar.challenge = browser.sent["code_challenge"]
    # A code that the verifier of another browser was made for.
    refused(other.end())


def test_attack_session_fixation_the_session_before_ends(asker: Asker, browser: Browser, served: Home) -> None:
    before, _ = served.access.begin_session("auditor", "POST /v1/session", left=None)
    browser.begin()
    assert browser.end(cookie=("Cookie", f"{browser.cookie[1]}; starling={before}")).status_code == 200
    assert asker.ask("GET", "/v1/me", [("Cookie", f"starling={before}")]).status_code == 401


@pytest.mark.parametrize(
    "changes", [{"code": "another"}, {"iss": "https://evil.example"}, {"error": "access_denied", "code": ""}], ids=str
)
def test_a_reply_that_is_none_lets_nobody_in(browser: Browser, changes: dict[str, str]) -> None:
    browser.begin()
    refused(browser.end(changes=changes))


def test_somebody_whom_the_server_does_not_know_is_refused(
    asker: Asker, browser: Browser, liar: Liar, served: Home
) -> None:
    liar.claims["email"] = "stranger@example.org"
    browser.begin()
    reply = browser.end()
    refused(reply, 403)
    assert "stranger" not in reply.text + str(served.access.log(after=0, most=100))


def test_attack_token_in_url_or_log_code_and_secret_are_told_nowhere(
    browser: Browser, served: Home, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    browser.begin()
    replies = [browser.end(), browser.end()]
    told = "".join(reply.text for reply in replies) + str(served.access.log(after=0, most=100))
    told += "".join(each.getMessage() for each in caplog.records if each.name.startswith("starling"))
    for secret in (CODE, SECRET, browser.sent["state"], browser.sent["nonce"]):
        assert secret not in told


def test_too_many_replies_are_told_to_wait(
    served: Home, liar: Liar, tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oidc, "BURST", 2.0)
    monkeypatch.setattr(oidc, "PER_SECOND", 0.001)
    browser = Browser(asker_of(with_provider(served, liar.issuer)), liar)
    replies = []
    for _ in range(3):
        browser.begin()
        replies.append(browser.end().status_code)
    assert replies == [200, 200, 429]


def test_an_attempt_ends_by_time_and_what_ended_is_forgotten() -> None:
    now = [1000.0]
    attempts = Attempts(lambda: now[0])
    first, second = attempts.begin(), attempts.begin()
    now[0] += SECONDS - 1
    assert attempts.end(first.cookie, first.state) == first
    now[0] += 1
    with pytest.raises(SignInRefused):
        attempts.end(second.cookie, second.state)
    third = attempts.begin()
    attempts.end(third.cookie, third.state)
    assert len(attempts._ended) == 1


def test_an_attempt_is_of_its_process_and_its_time_cannot_be_changed() -> None:
    attempts, others = Attempts(lambda: 1000.0), Attempts(lambda: 1000.0)
    made = attempts.begin()
    for kept in (made.cookie.replace("1000.", "1001."), "", "x", None):
        with pytest.raises(SignInRefused):
            attempts.end(kept, made.state)
    with pytest.raises(SignInRefused):
        others.end(made.cookie, made.state)
    assert attempts.end(made.cookie, made.state) == made
    assert len({made.cookie, made.state, made.nonce, made.verifier}) == 4
    assert 43 <= len(made.verifier) <= 128


def test_without_its_packages_it_says_what_to_install(served: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "starling.server.provider", raising=False)
    monkeypatch.setitem(sys.modules, "authlib.oauth2.auth", None)
    with pytest.raises(ParameterError, match=re.escape("pip install 'starling-dp[oidc]'")):
        asker_of(with_provider(served, "https://login.example"))


def test_over_tls_the_cookie_of_an_attempt_is_of_this_host_alone(served: Home, liar: Liar) -> None:
    home = with_provider(served, liar.issuer)
    encrypted = replace(home, settings=replace(home.settings, trusted_proxy="127.0.0.1"))
    shown = asker_of(encrypted).ask("GET", "/v1/oidc/login").headers["set-cookie"]
    assert shown.startswith("__Host-starling-oidc=")
    assert "secure" in shown.lower()
