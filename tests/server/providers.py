"""A small OpenID Connect provider on this machine whose every word a test can change, and a home whose users sign in there."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet

from starling.server.app import make_app
from starling.server.charges import Charges
from starling.server.home import Home
from starling.server.settings import Oidc
from tests.server.conftest import Asker

URL = "http://localhost:8470"
CLIENT = "starling"
SECRET = "the secret of this server"
CODE = "the-code"
KEY = ECKey.generate_key("P-256", {"kid": "first"})
Reply = tuple[int, dict[str, str], bytes]


class Liar:
    """Answers as a provider does, until a test changes what it says.

    Attributes:
        issuer: Where it is.
        claims: Of the ID token that the next code gets.
        sign: Makes the ID token of the claims.
        replies: Instead of its own replies, by path.
        asked: The paths that it was asked for, and what was sent there.
    """

    def __init__(self, port: int) -> None:
        self.issuer = f"http://127.0.0.1:{port}"
        now = int(time.time())
        self.claims: dict[str, Any] = {"iss": self.issuer, "sub": "1", "aud": CLIENT, "iat": now, "exp": now + 300}
        self.claims |= {"email": "analyst", "email_verified": True}
        self.sign: Callable[[dict[str, Any]], str] = lambda claims: jwt.encode(
            {"alg": "ES256", "kid": "first"}, claims, KEY
        )
        self.replies: dict[str, Callable[[], Reply]] = {}
        self.asked: list[tuple[str, dict[str, str], str]] = []
        self.challenge = ""

    @property
    def metadata(self) -> dict[str, Any]:
        """What discovery says."""
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
        }

    def learn(self, url: str) -> None:
        """Take from the URL to which a browser is led what the ID token has to say."""
        sent = dict(parse_qsl(urlsplit(url).query))
        if "code_challenge" in sent:
            self.challenge = sent["code_challenge"]
            self.claims |= {"nonce": sent["nonce"]}

    def answer(self, path: str, headers: dict[str, str], body: str) -> Reply:
        """The reply to a request."""
        self.asked.append((path, headers, body))
        if path in self.replies:
            return self.replies[path]()
        if path == "/.well-known/openid-configuration":
            return as_json(self.metadata)
        if path == "/keys":
            return as_json(KeySet([KEY]).as_dict(private=False))
        if path.startswith("/authorize?"):
            self.learn(path)
            asked = dict(parse_qsl(urlsplit(path).query))
            back = httpx.URL(asked["redirect_uri"], params={"state": asked["state"], "code": CODE})
            return 302, {"Location": str(back)}, b""
        return self._exchange(dict(parse_qsl(body))) if path == "/token" else as_json({}, 404)

    def _exchange(self, sent: dict[str, str]) -> Reply:
        if sent["code"] != CODE or create_s256_code_challenge(sent["code_verifier"]) != self.challenge:
            return as_json({"error": "invalid_grant", "error_description": "PROVIDER'S OWN WORDS"}, 400)
        return as_json({"access_token": "x", "token_type": "Bearer", "id_token": self.sign(self.claims)})


def as_json(said: Any, status: int = 200) -> Reply:
    return status, {"Content-Type": "application/json"}, json.dumps(said).encode()


@contextmanager
def lying() -> Iterator[Liar]:
    """One that listens on this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            status, headers, content = liar.answer(self.path, dict(self.headers), body)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET  # noqa: N815 - the name that the standard library looks for

        def log_message(self, *_: Any) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        liar = Liar(server.server_port)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield liar
        finally:
            server.shutdown()
            thread.join()


def with_provider(home: Home, issuer: str, claim: str = "email") -> Home:
    """The home, whose users sign in there."""
    file = home.folder / "oidc-secret"
    file.touch(0o600)
    file.write_text(f"{SECRET}\n")
    return replace(home, settings=replace(home.settings, oidc=Oidc(issuer, CLIENT, file, claim, URL)))


def asker_of(home: Home) -> Asker:
    return Asker(make_app(home, Charges(home)))


class Browser:
    """Signs in at a provider that a test is, and keeps the cookie of it.

    Args:
        asker: Asks the server.
        liar: The provider.
    """

    def __init__(self, asker: Asker, liar: Liar) -> None:
        self._asker = asker
        self._liar = liar
        self.cookie = ("Cookie", "")
        self.sent: dict[str, str] = {}

    def begin(self) -> httpx.Response:
        """Go to the provider, who learns what is sent along."""
        reply = self._asker.ask("GET", "/v1/oidc/login")
        if reply.status_code == 303:
            self.cookie = ("Cookie", reply.headers["set-cookie"].partition(";")[0])
            self.sent = dict(parse_qsl(urlsplit(reply.headers["location"]).query))
            self._liar.learn(reply.headers["location"])
        return reply

    def end(self, cookie: tuple[str, str] | None = None, changes: dict[str, str] | None = None) -> httpx.Response:
        """Come back from there, with another cookie or other parameters where they are given."""
        query = httpx.QueryParams({"state": self.sent["state"], "code": CODE} | (changes or {}))
        return self._asker.ask("GET", f"/v1/oidc/callback?{query}", [cookie or self.cookie])
