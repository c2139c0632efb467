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
    """Sends requests with a token.

    Args:
        url: The server, as in https://statistics.example:8470, or its sandbox, as in https://statistics.example:8470/sandbox.
        token: Of a user of it.
        carrier: Carries the requests; the network without it.
        sleep: Waits so many seconds.

    Attributes:
        url: The server, in its one form.
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
        with self.reply(method, path, body=body) as found:
            try:
                return _json(found)
            except ValueError:
                raise refusal(found.status_code, None) from None

    @contextmanager
    def reply(
        self, method: str, path: str, *, body: Any = None, headers: dict[str, str] | None = None
    ) -> Iterator[httpx.Response]:
        """A reply that is no refusal, or says that there is no such range, not yet read; raises as `ask`."""
        request = self._http.build_request(method, path, json=body, headers=headers)
        found = self._sent(request)
        try:
            yield found
        finally:
            found.close()

    def _sent(self, request: httpx.Request) -> httpx.Response:
        pauses = [float(2**tried) for tried in range(TRIES - 1)]
        while True:
            try:
                found = _plain(self._http.send(request, stream=True))
                if found.status_code < 400 or found.status_code == NO_SUCH_RANGE:
                    return found
                error, asked = _refusal(found), _retry_after(found)
            except httpx.TransportError:
                fix = f"check that it runs, and its certificate: {self.url}/healthz"
                error, asked = LedgerUnavailable("server", "cannot be reached", fix), None
            if not pauses or not isinstance(error, LedgerUnavailable):
                raise error
            self.sleep(max(pauses.pop(0), asked or 0))

    def close(self) -> None:
        """Let go of connections."""
        self._http.close()


def _plain(found: httpx.Response) -> httpx.Response:
    """A reply as it was asked for; raises IntegrityError for a compressed one."""
    if found.headers.get("content-encoding", "identity") != "identity":
        found.close()
        raise IntegrityError(
            "reply", "is compressed, which was not asked for", "check the address, and what stands between"
        )
    return found


def _refusal(found: httpx.Response) -> StarlingError:
    try:
        return refusal(found.status_code, _json(found))
    except (ValueError, httpx.TransportError):
        return refusal(found.status_code, None)
    finally:
        found.close()


def _json(found: httpx.Response) -> Any:
    """What a reply says; raises ValueError where it is no JSON, or too long."""
    content = b""
    for part in found.iter_bytes():
        content += part
        if len(content) > MOST_BYTES:
            raise ValueError
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError from None


def _retry_after(found: httpx.Response) -> int | None:
    said = found.headers.get("retry-after", "")
    return min(int(said), LONGEST) if said.isascii() and said.isdigit() and len(said) < 10 else None


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
