"""A token goes to the server that was named, over TLS or on this machine; what is safe to repeat is repeated, for a while."""

from collections.abc import Iterator

import httpx
import pytest

from starling.client.transport import TRIES, Transport
from starling.errors import IntegrityError, LedgerUnavailable, ParameterError, PolicyRefused, StarlingError


class Scripted(httpx.BaseTransport):
    """Answers with these, one after the other; an exception is raised."""

    def __init__(self, *replies: httpx.Response | Exception) -> None:
        self.replies = [*replies]
        self.seen: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.seen.append(request)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply


def refused(status: int, kind: str, **headers: str) -> httpx.Response:
    problem = {"field": "cap", "problem": "does not cover it\x1b[2J", "fix": "ask for more"}
    return httpx.Response(status, headers=headers, json={"error": {"kind": kind, "problems": [problem]}})


def transport(carrier: httpx.BaseTransport, slept: list[float] | None = None) -> Transport:
    waits: list[float] = [] if slept is None else slept
    return Transport("https://statistics.example", "token", carrier=carrier, sleep=waits.append)


@pytest.mark.parametrize(
    "url",
    [
        "http://statistics.example", "http://10.0.0.1:8470", "http://localhost.example", "ftp://localhost", "localhost:8470", "", "https://",
        "https://ada@statistics.example", "https://statistics.example/v1", "https://statistics.example?token=x",
        "https://statistics.example#x", "http://0.0.0.0:8470", "https://[::1",
    ],
)  # fmt: skip
def test_no_other_url_gets_the_token(url: str) -> None:
    with pytest.raises(ParameterError, match=r"^url "):
        Transport(url, "token")


@pytest.mark.parametrize(
    ("url", "form"),
    [
        ("https://Statistics.example/", "https://statistics.example"),
        ("https://10.0.0.1:8470", "https://10.0.0.1:8470"),
        ("http://localhost:8470/", "http://localhost:8470"),
        ("http://127.0.0.1", "http://127.0.0.1"),
        ("http://[::1]:8470", "http://[::1]:8470"),
    ],
)
def test_a_server_has_one_form(url: str, form: str) -> None:
    assert Transport(url, "token").url == form


@pytest.mark.parametrize("token", ["", " ", "a b", "a\nb", "é", "a\x00"])
def test_what_is_no_token_is_not_sent(token: str) -> None:
    with pytest.raises(ParameterError, match=r"^token "):
        Transport("https://statistics.example", token)


def test_the_token_is_in_its_header_alone_and_follows_no_redirection() -> None:
    carrier = Scripted(httpx.Response(302, headers={"Location": "https://evil.example/"}))
    with pytest.raises(StarlingError, match="status 302"):
        transport(carrier).ask("GET", "/v1/me")
    (asked,) = carrier.seen
    assert asked.headers["authorization"] == "Bearer token"
    assert "token" not in str(asked.url)


def test_what_fails_for_now_is_sent_again() -> None:
    slept: list[float] = []
    carrier = Scripted(
        httpx.ConnectError("x"), refused(503, "LedgerUnavailable"), refused(429, "TooOften", **{"Retry-After": "7"}),
        httpx.Response(502, text="proxy"), httpx.Response(200, json={"a": 1}),
    )  # fmt: skip
    assert transport(carrier, slept).ask("POST", "/v1/x", {"b": 2}) == {"a": 1}
    assert slept == [1, 2, 7, 8]
    assert {request.read() for request in carrier.seen} == {b'{"b":2}'}


def test_at_last_it_is_given_up() -> None:
    slept: list[float] = []
    with pytest.raises(LedgerUnavailable, match="cannot be reached"):
        transport(Scripted(*[httpx.ConnectError("x") for _ in range(TRIES)]), slept).ask("GET", "/v1/x")
    assert slept == [1, 2, 4, 8, 16]
    slept.clear()
    late = [refused(429, "TooOften", **{"Retry-After": "999999999"}) for _ in range(TRIES)]
    with pytest.raises(LedgerUnavailable):
        transport(Scripted(*late), slept).ask("GET", "/v1/x")
    assert slept == [300] * 5


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 500])
def test_what_is_refused_is_not_sent_again(status: int) -> None:
    with pytest.raises(PolicyRefused, match=r"cap does not cover it\\x1b\[2J; ask for more"):
        transport(Scripted(refused(status, "PolicyRefused"))).ask("GET", "/v1/x")


@pytest.mark.parametrize("text", ["", "no json", "[" * 100_000, "<html>"])
def test_what_is_no_json_is_said(text: str) -> None:
    with pytest.raises(StarlingError, match="not as Starling does"):
        transport(Scripted(httpx.Response(200, text=text))).ask("GET", "/v1/x")


def test_an_endless_reply_is_not_read_to_its_end() -> None:
    def endless() -> Iterator[bytes]:
        while True:
            yield b" " * (1 << 20)

    with pytest.raises(StarlingError, match="not as Starling does"):
        transport(Scripted(httpx.Response(200, content=endless()))).ask("GET", "/v1/x")


@pytest.mark.parametrize(
    ("status", "kind", "found"),
    [
        (409, "IntegrityError", IntegrityError),
        (404, "NotThere", ParameterError),
        (403, "object", PolicyRefused),
        (422, "__class__", ParameterError),
    ],
)
def test_a_kind_that_nobody_knows_is_told_by_its_status(status: int, kind: str, found: type[StarlingError]) -> None:
    with pytest.raises(found):
        transport(Scripted(refused(status, kind))).ask("GET", "/v1/x")
