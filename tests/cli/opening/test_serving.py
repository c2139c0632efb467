"""Pages on loopback: an address that works once, a cookie, one host, no stranger, and an end."""

import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from urllib.parse import urlsplit

import pytest

from starling.cli.opening.serving import COOKIE, HEADERS, HOST, Serving
from starling.errors import OutputError
from starling.screens.replies import Reply, attached

HOSTILE = 'a"; x="\r\nSet-Cookie: \u4e2d\u202e\ud800.csv'


def answer(path: str, query: str) -> Reply:
    if path == "/long":
        return Reply(bytes(1 << 24))
    if path == "/hostile":
        return attached(b"x", HOSTILE, "text/plain")
    if path == "/fault":
        raise ValueError("secret")
    return Reply(f"{path} {query}".encode())


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """It looks at the clock, and whether it is to end, so often that no test waits for that."""
    monkeypatch.setattr("starling.cli.opening.serving.TURN", 0.01)


@pytest.fixture
def serving() -> Iterator[Serving]:
    serving = Serving(answer)
    thread = threading.Thread(target=serving.run, args=(60,))
    thread.start()
    yield serving
    serving.stop()
    thread.join()


def ask(serving: Serving, path: str, **headers: str) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection(urlsplit(serving.address).netloc, timeout=10)
    connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


def begun(serving: Serving) -> str:
    """The cookie of the browser that opened the address."""
    response, _ = ask(serving, urlsplit(serving.address).path)
    assert response.status == 200
    cookie = response.getheader("Set-Cookie") or ""
    assert {"HttpOnly", "SameSite=Strict"} <= {part.strip() for part in cookie.split(";")}
    return cookie.split(";")[0]


def test_the_address_works_once_and_its_cookie_from_then_on(serving: Serving) -> None:
    cookie = begun(serving)
    assert ask(serving, urlsplit(serving.address).path)[0].status == 403
    response, body = ask(serving, "/tables/t%201?a=%20b", Cookie=cookie)
    assert (response.status, body) == (200, b"/tables/t 1 a=%20b")
    assert {name: response.getheader(name) for name in HEADERS} == HEADERS


def test_a_file_of_any_name_is_sent(serving: Serving) -> None:
    response, body = ask(serving, "/hostile", Cookie=begun(serving))
    assert (response.status, body, response.getheader("Set-Cookie")) == (200, b"x", None)


@pytest.mark.cover
@pytest.mark.parametrize("path", ["/", "/begin/", "/begin/x", "/static/starling.css"])
@pytest.mark.parametrize("cookie", ["", f"{COOKIE}=x", f"{COOKIE}=\u00e9"])
def test_without_the_cookie_nothing_is_told(serving: Serving, path: str, cookie: str) -> None:
    begun(serving)
    response, body = ask(serving, path, Cookie=cookie)
    assert response.status == 403
    assert b"{}" not in body
    assert {name: response.getheader(name) for name in HEADERS} == HEADERS


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Host": "localhost"}, {"Sec_Fetch_Site": "cross-site"}])
def test_another_host_or_site_is_refused_though_it_has_the_cookie(serving: Serving, headers: dict[str, str]) -> None:
    cookie = begun(serving)
    assert ask(serving, "/", Cookie=cookie, **headers)[0].status == 403


def test_it_listens_on_loopback_alone_and_refuses_a_port_that_is_taken(serving: Serving) -> None:
    parts = urlsplit(serving.address)
    assert parts.hostname == HOST
    assert parts.port is not None
    with pytest.raises(OutputError, match="port cannot be listened on"):
        Serving(answer, parts.port)


def test_nothing_can_be_changed(serving: Serving) -> None:
    cookie = begun(serving)
    connection = HTTPConnection(urlsplit(serving.address).netloc, timeout=10)
    connection.request("POST", "/", headers={"Cookie": cookie})
    assert connection.getresponse().status == 501
    connection.close()


def test_a_fault_tells_nothing(serving: Serving, capfd: pytest.CaptureFixture[str]) -> None:
    response, body = ask(serving, "/fault", Cookie=begun(serving))
    assert response.status == 500
    assert b"secret" not in body
    assert "secret" not in capfd.readouterr().err


def test_it_ends_when_nobody_asks_any_more() -> None:
    serving = Serving(answer)
    begin = time.monotonic()
    serving.run(0.2)
    assert time.monotonic() - begin >= 0.2


def test_a_browser_that_goes_away_is_no_fault(serving: Serving, capfd: pytest.CaptureFixture[str]) -> None:
    cookie = begun(serving)
    connection = HTTPConnection(urlsplit(serving.address).netloc, timeout=10)
    connection.request("GET", "/long", headers={"Cookie": cookie})
    assert connection.getresponse().status == 200
    connection.close()
    assert ask(serving, "/", Cookie=cookie)[0].status == 200
    assert capfd.readouterr().err == ""
