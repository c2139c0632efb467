"""A connection that brings no request is closed in time; one that is answered is not, and is watched again afterwards."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from starling.server import connections
from starling.server.connections import Bounded

HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"


class Held:
    """An application that answers when it is let."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.let = threading.Event()

    async def __call__(self, _: Scope, __: Receive, send: Send) -> None:
        self.asked.set()
        await asyncio.get_running_loop().run_in_executor(None, self.let.wait)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})


class Seen(Bounded):
    """A connection that a test looks at."""

    one: "Seen"
    answered: threading.Event

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        Seen.one, Seen.answered = self, threading.Event()

    def is_watched(self) -> bool:
        return self._watched is not None

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self.answered.set()


@contextmanager
def connected(held: Held) -> Iterator[socket.socket]:
    """A connection to a server of the application."""
    config = uvicorn.Config(held, http=Seen, ws="none", lifespan="off", log_level="critical", timeout_keep_alive=60)
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        running = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        running.start()
        with socket.create_connection(listening.getsockname()) as made:
            made.settimeout(60)
            yield made
        held.let.set()
        server.should_exit = True
        running.join()


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Heads have to come soon."""
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)


@pytest.mark.parametrize("sent", [b"", b"G", HEAD])
def test_a_head_that_does_not_come_ends_the_connection(soon: None, sent: bytes) -> None:
    with connected(Held()) as connection:
        connection.sendall(sent)
        assert connection.recv(100) == b""


def test_letter_by_letter_is_no_way_to_stay(soon: None) -> None:
    ended = threading.Event()

    def drip(connection: socket.socket) -> None:
        for letter in HEAD + b"X: " + b"x" * 100_000:
            if ended.wait(0.01):
                return
            try:
                connection.sendall(bytes([letter]))
            except OSError:
                return

    with connected(Held()) as connection:
        dripping = threading.Thread(target=drip, args=[connection])
        dripping.start()
        try:
            assert connection.recv(100) == b""
        except ConnectionResetError:
            pass  # a letter came after the end
        finally:
            ended.set()
            dripping.join()


def test_a_request_is_answered_however_long_that_takes() -> None:
    held = Held()
    with connected(held) as connection, connection.makefile("rb") as replies:
        for _ in range(2):
            connection.sendall(HEAD + b"\r\n")
            assert held.asked.wait(60)
            assert not Seen.one.is_watched(), "nothing ends it"
            held.let.set()
            while not replies.readline().startswith(b"\r\n"):
                continue
            assert replies.read(2) == b"ok"
            assert Seen.answered.wait(60)
            assert Seen.one.is_watched(), "the next head is awaited, for a while"
            for event in (held.asked, held.let, Seen.answered):
                event.clear()
