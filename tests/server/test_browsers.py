"""What browsers say of a page and which cookies they send: no doubtful one counts."""

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.datastructures import Headers
from starlette.responses import Response

from starling.errors import PolicyRefused
from starling.server.browsers import check_own_page, cookie, cookie_name, forget, from_elsewhere, keep
from starling.server.settings import Settings

PLAIN = Settings("127.0.0.1", 8470, ("localhost",), "sqlite:////l", None, None, None, None)
ENCRYPTED = Settings("127.0.0.1", 8470, ("localhost",), "sqlite:////l", Path("/c"), Path("/k"), None, None)


def headers(**said: str) -> Headers:
    return Headers({name.replace("_", "-"): value for name, value in said.items()})


@pytest.mark.parametrize(
    ("sent", "value"),
    [
        ("a=1", "1"),
        ("b=2; a=1", "1"),
        ("b=2;a=1;", "1"),
        ("a=1=2", "1=2"),
        ("a=", ""),
        ("a", ""),
        ("a=1; a=1", None),
        ("A=1", None),
        ("b=a=1", None),
        ("", None),
    ],
)
def test_a_cookie_counts_where_there_is_one(sent: str, value: str | None) -> None:
    assert cookie(headers(cookie=sent), "a") == value


def test_cookies_of_two_headers_are_counted_together() -> None:
    assert cookie(Headers(raw=[(b"cookie", b"a=1"), (b"cookie", b"b=1")]), "a") == "1"
    assert cookie(Headers(raw=[(b"cookie", b"a=1"), (b"cookie", b"a=1")]), "a") is None


@pytest.mark.parametrize(
    ("settings", "said", "own"),
    [
        (PLAIN, {"origin": "http://localhost:8470"}, True),
        (PLAIN, {"origin": "https://localhost:8470"}, False),
        (PLAIN, {"origin": "http://localhost:8471"}, False),
        (PLAIN, {}, False),
        (PLAIN, {"sec_fetch_site": "same-origin"}, True),
        (PLAIN, {"sec_fetch_site": "same-site", "origin": "http://localhost:8470"}, False),
        (ENCRYPTED, {"origin": "https://localhost:8470"}, True),
        (ENCRYPTED, {"origin": "http://localhost:8470"}, False),
    ],
)
def test_a_page_is_the_servers_own_by_scheme_host_and_port(settings: Settings, said: dict[str, str], own: bool) -> None:
    with nullcontext() if own else pytest.raises(PolicyRefused, match="Origin is not said"):
        check_own_page(headers(host="localhost:8470", **said), settings)


@pytest.mark.parametrize(
    ("said", "elsewhere"),
    [
        ({}, False),
        ({"origin": "http://localhost:1"}, False),
        ({"origin": "http://evil.example"}, True),
        ({"origin": "null"}, True),
        ({"sec_fetch_site": "none"}, False),
        ({"sec_fetch_site": "cross-site"}, True),
        ({"sec_fetch_site": "new-word"}, True),
    ],
)
def test_another_site_is_told_from_programs(said: dict[str, str], elsewhere: bool) -> None:
    assert from_elsewhere(headers(**said), ("localhost",)) == elsewhere


def test_a_cookie_is_kept_for_this_host_alone_and_removed_as_it_was_kept() -> None:
    reply, name = Response(), cookie_name(ENCRYPTED)
    keep(reply, ENCRYPTED, name, "v", sites="lax", seconds=60)
    forget(reply, ENCRYPTED, name)
    kept, removed = (value.lower() for value in reply.headers.getlist("set-cookie"))
    assert kept.startswith("__host-starling=v; ")
    for said in (kept, removed):
        assert {"secure", "httponly", "path=/"} <= {*said.split("; ")}
        assert "domain" not in said
    assert "max-age=60" in kept
    assert "max-age=0" in removed


def test_below_a_path_cookies_are_of_that_path() -> None:
    """The prefix __Host- would send them to all that the host offers."""
    for settings, name in ((PLAIN, "starling"), (ENCRYPTED, "__Secure-starling")):
        below = replace(settings, root_path="/statistics")
        assert cookie_name(below) == name
        reply = Response()
        keep(reply, below, cookie_name(below), "x", sites="strict", seconds=None)
        forget(reply, below, cookie_name(below))
        assert all("Path=/statistics;" in line for line in reply.headers.getlist("set-cookie"))
