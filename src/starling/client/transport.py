"""Requests to a server, sent again where that is safe: every one of them may be repeated, since a charge has a name.

A token is sent over TLS, or to this machine alone; no redirection is followed, which could lead it elsewhere.
"""

import ipaddress
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

try:
    import httpx
except ImportError:
    from starling.distribution import install

    raise ImportError(f"the client needs a package that is missing: {install('client')}") from None

from starling.client.replies import refusal
from starling.errors import IntegrityError, LedgerUnavailable, ParameterError, StarlingError

SECONDS: Final = 30.0
"""How long a server may be silent."""
TRIES: Final = 6
"""How often something is sent, with pauses of 1, 2, 4, 8 and 16 seconds, or as long as the server says."""
LONGEST: Final = 300
"""The longest pause that a server can ask for, in seconds."""
NO_SUCH_RANGE: Final = 416
MOST_BYTES: Final = 1 << 24
"""Bytes of a reply that is no bundle."""


class Transport:
    """Sends requests with the token of a user to a server, or to its sandbox, whose URL in its one form is `url`; `sleep` waits so many
    seconds.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        carrier: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = _checked(url)
        self.sleep = sleep
        # Nothing compressed is asked for, and none is taken: a few bytes of it could fill the memory.
        headers = {"Authorization": f"Bearer {_sendable(token)}", "Accept-Encoding": "identity"}
        self._http = httpx.Client(base_url=self.url, headers=headers, transport=carrier, timeout=SECONDS)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON of a reply.

        Raises:
            StarlingError: the server refused: its own error.
            LedgerUnavailable: it cannot be reached, or is too busy, again and again.
        """
        with self.reply(method, path, body=body) as response:
            try:
                return _json(response)
            except ValueError:
                raise refusal(response.status_code, None) from None

    @contextmanager
    def reply(
        self, method: str, path: str, *, body: Any = None, headers: dict[str, str] | None = None
    ) -> Iterator[httpx.Response]:
        """A reply that is no refusal, or says that there is no such range, not yet read; raises as `ask`."""
        request = self._http.build_request(method, path, json=body, headers=headers)
        response = self._sent(request)
        try:
            yield response
        finally:
            response.close()

    def _sent(self, request: httpx.Request) -> httpx.Response:
        pauses = [float(2**tried) for tried in range(TRIES - 1)]
        while True:
            try:
                response = _plain(self._http.send(request, stream=True))
                if response.status_code < 400 or response.status_code == NO_SUCH_RANGE:
                    return response
                error, seconds = _refusal(response), _retry_after(response)
            except httpx.TransportError:
                fix = f"check that it runs, and its certificate: {self.url}/healthz"
                error, seconds = LedgerUnavailable("server", "cannot be reached", fix), None
            if not pauses or not isinstance(error, LedgerUnavailable):
                raise error
            self.sleep(max(pauses.pop(0), seconds or 0))

    def close(self) -> None:
        """Let go of connections."""
        self._http.close()


def _plain(response: httpx.Response) -> httpx.Response:
    """A reply as it was asked for; raises IntegrityError for a compressed one."""
    if response.headers.get("content-encoding", "identity") != "identity":
        response.close()
        raise IntegrityError(
            "reply", "is compressed, which was not asked for", "check the address, and what stands between"
        )
    return response


def _refusal(response: httpx.Response) -> StarlingError:
    try:
        return refusal(response.status_code, _json(response))
    except (ValueError, httpx.TransportError):
        return refusal(response.status_code, None)
    finally:
        response.close()


def _json(response: httpx.Response) -> Any:
    """What a reply says; raises ValueError where it is no JSON, or too long."""
    content = b""
    for part in response.iter_bytes():
        content += part
        if len(content) > MOST_BYTES:
            raise ValueError
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError from None


def _retry_after(response: httpx.Response) -> int | None:
    text = response.headers.get("retry-after", "")
    return min(int(text), LONGEST) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _checked(url: str) -> str:
    """The URL of a server, or of its sandbox, in its one form; raises ParameterError."""
    fix = "write it like https://statistics.example:8470"
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, TypeError):
        raise ParameterError("url", "is no URL", fix) from None
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ParameterError("url", "is not of a server", fix)
    if parsed.userinfo or parsed.query or parsed.fragment or parsed.path.rstrip("/").endswith("/v1"):
        raise ParameterError("url", "says more than a server", fix)
    if parsed.scheme == "http" and not _is_here(parsed.host):
        raise ParameterError("url", "would send the token in clear text to another machine", "use https://")
    return str(parsed).rstrip("/")


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _sendable(token: str) -> str:
    text = token.strip()
    if not text or not text.isascii() or not text.isprintable() or " " in text:
        raise ParameterError("token", "is not one that a server gave out", "ask a custodian: starling server token")
    return text
