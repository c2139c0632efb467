"""A connection on which no request comes is closed: who sends the head of one letter by letter holds no place for ever."""

import asyncio
from typing import Final

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEAD_SECONDS: Final = 10.0
"""How long a connection may go without a whole head of a request; bodies.py bounds what comes after it."""


class Bounded(H11Protocol):
    """uvicorn's protocol, which waits for the first head for ever."""

    _watched: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """A client connected."""
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
