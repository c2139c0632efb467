"""A connection on which no request comes is closed: who sends the head of one letter by letter holds no place for ever.

What a proxy in front of this server could read otherwise is no request, so that none can be hidden in another (RFC 9112, sections 2.2, 6.1
and 6.3): a line that ends by a line feed alone, two lengths, though they are equal, a length beside a transfer coding, a coding or a
version of another time. A head is bounded in bytes however it comes: h11 by itself bounds only one that is not whole yet.
"""

import asyncio
import re
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEAD_SECONDS: Final = 10.0
"""How long a connection may go without a whole head of a request; bodies.py bounds what comes after it."""
MOST_HEAD: Final = 1 << 16
"""Bytes of a head."""


_BARE: Final = re.compile(rb"(?<!\r)\n")
"""The end of a line that RFC 9112 lets a reader take for one, or not."""
_FOLDED: Final = re.compile(rb"\r\n[ \t]+")
"""Where a header goes on in the next line."""
_LENGTH: Final = re.compile(rb"\r\ncontent-length[ \t]*:([^\r]*)", re.IGNORECASE)
"""A header of a length; h11 makes one of several that are equal."""


class _Strict(h11.Connection):
    """h11's reading of a connection, which takes all of these."""

    def next_event(self) -> Any:
        """See h11; raises h11.RemoteProtocolError for such a head, too."""
        if self.their_state is h11.IDLE:
            _check_head(self.trailing_data[0].partition(b"\r\n\r\n")[0])
        event = super().next_event()
        if isinstance(event, h11.Request) and _is_doubtful(event):
            raise h11.RemoteProtocolError("its end is doubtful")
        return event


def _check_head(head: bytes) -> None:
    """Raises h11.RemoteProtocolError for the bytes of a head that h11 would take, and another reader otherwise."""
    if len(head) > MOST_HEAD:
        raise h11.RemoteProtocolError("the head is too long")
    if _BARE.search(head):
        raise h11.RemoteProtocolError("a line ends by a line feed alone")
    lengths = _LENGTH.findall(_FOLDED.sub(b" ", head))
    if len(lengths) > 1 or any(b"," in each for each in lengths):
        raise h11.RemoteProtocolError("there are two lengths")


def _is_doubtful(request: h11.Request) -> bool:
    """Whether readers may differ in where a request ends."""
    names = {name for name, _ in request.headers}
    coded = b"transfer-encoding" in names
    return request.http_version not in (b"1.0", b"1.1") or (
        coded and (b"content-length" in names or request.http_version == b"1.0")
    )


class Bounded(H11Protocol):
    """uvicorn's protocol, which waits for the first head for ever."""

    _watched: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """A client connected."""
        # With the empty line behind it.
        self.conn = _Strict(h11.SERVER, MOST_HEAD + 4)
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Something came."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """A reply was sent, and the next head may come."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection ended."""
        self._rest()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Count the time while no request is being answered, from when that began."""
        cycle: RequestResponseCycle | None = self.cycle  # none before the first request, whatever uvicorn declares
        if cycle is not None and not cycle.response_complete:
            self._rest()
        elif self._watched is None and not self.transport.is_closing():
            self._watched = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _rest(self) -> None:
        if self._watched is not None:
            self._watched.cancel()
            self._watched = None
