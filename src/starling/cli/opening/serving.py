"""Pages on loopback for one browser: an address that works once, then a cookie, and an end when nobody looks any more.

Other users of the machine can reach its ports, so the address has a random token; the first request that brings it gets a cookie, HttpOnly
and SameSite=Strict, and the token is worth nothing from then on. A request for another host is refused, so that no name of a stranger leads
here (DNS rebinding), and one that another site sends is, too. Nothing here changes anything: it answers GET and HEAD alone.
"""

import shutil
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from hmac import compare_digest
from http import HTTPStatus
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final
from urllib.parse import unquote, urlsplit

from starling.errors import OutputError
from starling.privacy.sampling.entropy import fresh_bytes
from starling.screens.replies import Reply

HOST: Final = "127.0.0.1"
COOKIE: Final = "starling-open"
SECRET: Final = 32
"""Random bytes of the address and of the cookie."""
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""On every reply, as the server has them."""
TURN: Final = 0.5
"""Seconds between looks at the clock."""


Answer = Callable[[str, str], Reply]
"""The reply to a path, decoded, and to the query of its address."""


class Serving:
    """A server of one browser.

    Args:
        answer: What is replied.
        port: On 127.0.0.1; 0 takes a free one.

    Attributes:
        address: Where the browser begins; it works once.

    Raises:
        OutputError: the port is taken.
    """

    def __init__(self, answer: Answer, port: int = 0) -> None:
        self._answer = answer
        self._token, self._session = fresh_bytes(SECRET).hex(), fresh_bytes(SECRET).hex()
        self._lock, self._last = threading.Lock(), time.monotonic()
        serving = self

        class Handler(BaseHTTPRequestHandler):
            """Hands requests over, and writes no line about them: their addresses are nobody's business."""

            protocol_version = "HTTP/1.1"
            timeout = 30

            def do_GET(self) -> None:
                serving.handle(self)

            do_HEAD = do_GET  # noqa: N815 - the name that http.server calls

            def log_message(self, *_: object) -> None:
                return

            def version_string(self) -> str:
                return "starling"

        try:
            self._server = ThreadingHTTPServer((HOST, port), Handler)
        except OSError as error:
            fix = "name another one, or none"
            raise OutputError("port", f"cannot be listened on ({error.strerror})", fix) from None
        self._server.daemon_threads = True
        self._host = f"{HOST}:{self._server.server_address[1]}"
        self.address = f"http://{self._host}/begin/{self._token}"

    def run(self, idle: float) -> None:
        """Reply until Ctrl-C, `stop`, or `idle` seconds without a request."""
        watch = threading.Thread(target=self._watch, args=(idle,), daemon=True)
        watch.start()
        try:
            self._server.serve_forever(TURN)
        except KeyboardInterrupt:
            return
        finally:
            self._server.server_close()

    def stop(self) -> None:
        """End `run`, which another thread waits in."""
        self._server.shutdown()

    def _watch(self, idle: float) -> None:
        while time.monotonic() - self._last < idle:
            time.sleep(min(TURN, idle))
        self.stop()

    def handle(self, request: BaseHTTPRequestHandler) -> None:
        """Reply to one request."""
        try:
            reply = self._reply(request)
        except Exception:  # noqa: BLE001 - a stack trace would show values, and a browser would wait
            reply = _plain(HTTPStatus.INTERNAL_SERVER_ERROR, "Starling stopped by a fault of its own.")
        # A browser that turns to another page does not wait for the end of this one.
        with reply.opened() as body, suppress(ConnectionError):
            request.send_response(reply.status)
            for name, value in {**HEADERS, "Content-Type": reply.kind, **reply.headers}.items():
                request.send_header(name, value)
            request.send_header("Content-Length", str(reply.size))
            request.end_headers()
            if request.command != "HEAD":
                # A browser goes away in the middle of what it no longer wants.
                with suppress(ConnectionError):
                    shutil.copyfileobj(body, request.wfile)

    def _reply(self, request: BaseHTTPRequestHandler) -> Reply:
        headers = request.headers
        if headers.get_all("Host") != [self._host] or headers.get("Sec-Fetch-Site", "none") == "cross-site":
            return _plain(HTTPStatus.FORBIDDEN, "This address is not the one that Starling printed.")
        parts = urlsplit(request.path)
        if parts.path.startswith("/begin/"):
            return self._begin(parts.path.removeprefix("/begin/"))
        cookie = SimpleCookie(headers.get("Cookie", "")).get(COOKIE)
        if cookie is None or not compare_digest(cookie.value.encode(), self._session.encode()):
            text = "This browser has not opened the address that Starling printed; it works once."
            return _plain(HTTPStatus.FORBIDDEN, text)
        self._last = time.monotonic()
        return self._answer(unquote(parts.path), parts.query)

    def _begin(self, token: str) -> Reply:
        """The cookie for the token, once."""
        with self._lock:
            fits = bool(self._token) and compare_digest(token.encode(), self._token.encode())
            if fits:
                self._token = ""
        if not fits:
            return _plain(HTTPStatus.FORBIDDEN, "This address was used already: run the command again.")
        self._last = time.monotonic()
        cookie = f"{COOKIE}={self._session}; HttpOnly; SameSite=Strict; Path=/"
        # A cookie that is set with a redirect is not sent when another program's link began it; a page that goes on by itself is.
        page = b'<!doctype html><html lang="en"><meta http-equiv="refresh" content="0; url=/"><title>Starling</title><a href="/">Go on</a>'
        return Reply(page, headers={"Set-Cookie": cookie})


def _plain(status: int, text: str) -> Reply:
    return Reply(f"{text}\n".encode(), "text/plain; charset=utf-8", status)
