"""A real browser signs in at a provider of another site; pages of other sites, this machine's other ports among them, change nothing."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
import uvicorn

from starling.server.app import make_app
from starling.server.charges import Charges
from starling.server.home import Home
from tests.server.providers import Liar, lying, with_provider


@contextmanager
def serving(home: Home, issuer: str) -> Iterator[str]:
    """The URL of a server of the home on this machine, whose users sign in at the provider."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        made = with_provider(home, issuer)
        assert made.settings.oidc is not None
        named = replace(made, settings=replace(made.settings, oidc=replace(made.settings.oidc, url=url)))
        app = make_app(named, Charges(named))
        server = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_config=None, access_log=False))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]})
        thread.start()
        try:
            yield url
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture
def liar() -> Iterator[Liar]:
    """A provider that its browsers reach as localhost, which to them is another site than 127.0.0.1."""
    with lying() as made:
        made.issuer = made.issuer.replace("127.0.0.1", "localhost")
        made.claims["iss"] = made.issuer
        made.replies["/evil"] = lambda: (200, {"Content-Type": "text/html"}, b"<!doctype html><p>evil")
        yield made


ATTACKS = """async url => {
  const sent = [
    fetch(url + "/v1/session", {method: "DELETE", credentials: "include", mode: "no-cors"}),
    fetch(url + "/v1/session", {method: "DELETE", credentials: "include"}),
    fetch(url + "/v1/datasets/census/releases", {
      method: "POST", credentials: "include", mode: "no-cors", body: '{"request_id": "evil"}'}),
    fetch(url + "/v1/session", {
      method: "POST", credentials: "include", mode: "no-cors", body: '{"name": "eve", "password": "x"}'}),
    fetch(url + "/v1/me", {credentials: "include"}).then(reply => reply.text()),
  ];
  return (await Promise.allSettled(sent)).map(each => each.value && each.value.length ? each.value : "");
}"""
"""What a page can make a browser send; what it learns of the replies comes back."""
OWN = """async () => (await fetch("/v1/session", {method: "DELETE"})).status"""


@pytest.mark.slow
def test_a_browser_signs_in_and_no_other_site_acts_by_its_session(
    chromium: Any, served: Home, tokens: dict[str, str], liar: Liar
) -> None:
    with serving(served, liar.issuer) as url:
        # What the API answers may run nothing; the test runs something there, as a page of the server would.
        context = chromium.new_context(bypass_csp=True)
        page = context.new_page()
        page.goto(f"{url}/v1/oidc/login")
        page.wait_for_url(f"{url}/")
        page.goto(f"{url}/v1/me")
        assert page.inner_text("pre") == '{"name":"analyst","role":"analyst"}'
        (kept,) = context.cookies()
        assert (kept["name"], kept["httpOnly"], kept["sameSite"]) == ("starling", True, "Strict")
        assert page.evaluate("() => document.cookie") == ""
        for site in (liar.issuer, liar.issuer.replace("localhost", "127.0.0.1")):
            evil = context.new_page()
            evil.goto(f"{site}/evil")
            assert evil.evaluate(ATTACKS, url) == [""] * 5
            evil.evaluate(
                """url => { const form = document.createElement("form"); form.method = "POST";
                form.action = url + "/v1/session"; form.enctype = "text/plain"; document.body.append(form);
                const field = document.createElement("input"); field.name = '{"name": "eve", "password": "';
                field.value = '"}'; form.append(field); form.submit(); }""",
                url,
            )
            evil.wait_for_url(f"{url}/v1/session")
            assert "another site" in evil.inner_text("body")
            evil.close()
        assert page.goto(f"{url}/v1/me").status == 200
        assert context.cookies() == [kept]
        assert page.evaluate(OWN) == 204, "a page of the server itself signs out"
        assert page.goto(f"{url}/v1/me").status == 401
        context.close()
    said = {each.what for each in served.access.log(after=6, most=100)}
    assert said == {"GET /v1/oidc/callback", "GET /", "GET /v1/me", "DELETE /v1/session"}
