"""The guard: every reply carries the strict headers, a request for another host or past the proxy is refused, no fault shows itself."""

import logging
import re
from dataclasses import replace

import pytest

from starling.server.access import Access
from starling.server.app import make_app
from starling.server.bodies import MOST_BYTES
from starling.server.charges import Charges
from starling.server.guard import HEADERS, PAGE_POLICY
from starling.server.home import Home
from tests.server.conftest import Asker


@pytest.mark.parametrize("path", ["/healthz", "/v1/me", "/nothing", "/v1/openapi.json"])
def test_every_reply_has_the_strict_headers(asker: Asker, path: str) -> None:
    headers = asker.get(path).headers
    assert {name: headers[name] for name in HEADERS} == HEADERS
    assert "strict-transport-security" not in headers
    assert "server" not in headers


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "127.0.0.1.", "evil@localhost"])
def test_another_host_is_refused(asker: Asker, host: str) -> None:
    reply = asker.ask("GET", "/healthz", [("Host", host)])
    assert reply.status_code == 400
    assert reply.json()["error"]["problems"][0]["field"] == "Host"
    assert {name: reply.headers[name] for name in HEADERS} == HEADERS


def test_two_hosts_are_refused(asker: Asker) -> None:
    assert asker.ask("GET", "/healthz", [("Host", "localhost"), ("Host", "localhost")]).status_code == 400


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:8470"])
def test_a_host_of_the_settings_is_served(asker: Asker, host: str) -> None:
    assert asker.ask("GET", "/healthz", [("Host", host)]).status_code == 200


def test_an_ipv6_host_is_served_with_its_brackets(served: Home) -> None:
    home = replace(served, settings=replace(served.settings, hosts=("::1",)))
    assert Asker(make_app(home, Charges(home))).ask("GET", "/healthz", [("Host", "[::1]:8470")]).status_code == 200


@pytest.mark.parametrize(("peer", "status"), [("10.0.0.2", 200), ("10.0.0.3", 400), ("127.0.0.1", 400)])
def test_only_the_trusted_proxy_is_served(served: Home, peer: str, status: int) -> None:
    home = replace(served, settings=replace(served.settings, trusted_proxy="10.0.0.2"))
    asker = Asker(make_app(home, Charges(home)), peer=peer)
    headers = [("X-Forwarded-For", "10.0.0.2")]
    reply = asker.ask("GET", "/healthz", headers)
    assert reply.status_code == status
    assert "max-age" in reply.headers["strict-transport-security"]


@pytest.mark.parametrize("path", ["/answers/", "/sandbox", "/v1/datasets/", "/sign-in/"])
@pytest.mark.parametrize(("proxy", "scheme"), [(None, "http"), ("127.0.0.1", "https")])
def test_a_redirection_leads_to_the_scheme_by_which_clients_come(
    served: Home, path: str, proxy: str | None, scheme: str
) -> None:
    """To http it would lead a browser that came over TLS out of that."""
    home = replace(served, settings=replace(served.settings, trusted_proxy=proxy))
    reply = Asker(make_app(home, Charges(home))).get(path)
    assert reply.status_code in (307, 404)
    assert reply.headers.get("location", f"{scheme}://localhost:8470/").startswith(f"{scheme}://localhost:8470/")
    assert (reply.status_code == 307) == (path != "/sandbox"), "this home has no sandbox"


def test_a_fault_shows_nothing_of_itself(
    asker: Asker, tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("a value of Ada's record")

    monkeypatch.setattr(Access, "enter", broken)
    with caplog.at_level(logging.DEBUG):
        reply = asker.get("/v1/me", tokens["analyst"])
    assert reply.status_code == 500
    assert reply.json()["error"]["kind"] == "InternalError"
    assert {name: reply.headers[name] for name in HEADERS} == HEADERS
    assert "Ada" not in reply.text + caplog.text
    assert "ValueError" in caplog.text
    assert tokens["analyst"] not in caplog.text


@pytest.mark.parametrize("left_out", [False, True], ids=["passed on", "left out"])
def test_below_a_path_of_a_proxy_everything_is_as_at_the_top(
    selling: Home, tokens: dict[str, str], left_out: bool
) -> None:
    """Whether or not the proxy passes the path on: routes, places, the log, the sandbox's mark and the published address."""
    home = replace(selling, settings=replace(selling.settings, root_path="/statistics"))
    asker = Asker(make_app(home, Charges(home)))
    root = "" if left_out else "/statistics"
    assert asker.get(f"{root}/healthz").status_code == 200
    reply = asker.post(f"{root}/v1/datasets/census/releases", tokens["analyst"], {"request_id": "first"})
    place = reply.headers["location"]
    assert place == f"/statistics/v1/releases/{reply.json()['id']}"
    assert asker.get(place, tokens["analyst"]).json()["id"] == reply.json()["id"]
    assert {each.what for each in home.access.log(after=0, most=100) if each.user == "analyst"} == {
        "POST /v1/datasets/{name}/releases",
        "GET /v1/releases/{release}",
    }
    assert asker.get(f"{root}/v1/openapi.json").json()["servers"] == [{"url": "/statistics"}]
    assert (
        "starling-sandbox" in asker.get(f"{root}/sandbox/x").headers,
        "starling-sandbox" in asker.get("/x").headers,
    ) == (
        True,
        False,
    )
    assert asker.get("/statisticsx/healthz").status_code == 404


@pytest.mark.parametrize("path", ["/", "/answers", "/sandbox/", "/sandbox/datasets/x/ask", "/nothing"])
def test_a_browser_gets_a_page_where_the_guard_refuses(asker: Asker, path: str) -> None:
    """Another host, another site, and what is too long; below the sandbox it says that it is of invented records."""
    accept = ("Accept", "text/html")
    replies = {
        400: asker.ask("GET", path, [accept, ("Host", "evil.example")]),
        403: asker.ask("POST", path, [accept, ("Origin", "https://evil.example")], b"a=1"),
        413: asker.ask("POST", path, [accept, ("Sec-Fetch-Site", "same-origin")], b"a" * (MOST_BYTES + 1)),
    }
    for status, reply in replies.items():
        assert reply.status_code == (400 if status == 403 else status)
        assert reply.headers["content-type"] == "text/html; charset=utf-8"
        assert reply.headers["content-security-policy"] == PAGE_POLICY
        assert ('class="starling invented"' in reply.text) == path.startswith("/sandbox/")
    assert replies[413].headers["connection"] == "close"
    assert asker.ask("GET", f"/v1{path}", [accept, ("Host", "evil.example")]).json()["error"]["problems"]


def test_below_a_path_of_a_proxy_its_links_lead_below_it(served: Home) -> None:
    home = replace(served, settings=replace(served.settings, root_path="/statistics"))
    asker = Asker(make_app(home, Charges(home)))
    reply = asker.ask("GET", "/statistics/answers", [("Accept", "text/html"), ("Host", "evil.example")])
    links = re.findall(r'(?:href|src|action)="(/[^"]*)"', reply.text)
    assert (reply.status_code, bool(links)) == (400, True)
    assert all(link.startswith("/statistics/") for link in links), links
