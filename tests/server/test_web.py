"""A server that is told to stop lets end what was begun: a request whose body is still coming, and a charge."""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing

import pytest

from starling.ledger.opening import read_ledger
from starling.server.home import Home

COMMAND = [sys.executable, "-c", "from starling.cli import main; main()", "serve", "--workers", "0"]
BODY = b'{"request_id": "first"}'


@pytest.fixture
def server(selling: Home) -> Iterator[tuple["subprocess.Popen[str]", int]]:
    """A server of a home that sells, and its port."""
    file = selling.folder / "server.toml"
    file.write_text(file.read_text().replace("port = 8470", "port = 0"))
    with subprocess.Popen(
        [*COMMAND, str(selling.folder)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        yield process, int(process.stderr.readline().rpartition(":")[2])
        process.kill()


def refuses(port: int) -> bool:
    """Whether no connection is taken."""
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return True
    return False


@pytest.mark.slow
def test_a_request_that_was_begun_is_charged_and_answered_after_sigterm(
    selling: Home, server: tuple["subprocess.Popen[str]", int], tokens: dict[str, str]
) -> None:
    process, port = server
    head = (
        "POST /v1/datasets/census/releases HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {tokens['analyst']}\r\nContent-Length: {len(BODY)}\r\nExpect: 100-continue\r\n\r\n"
    ).encode()
    with socket.create_connection(("127.0.0.1", port)) as connection, connection.makefile("rb") as reply:
        connection.sendall(head)
        # The application asks for the body: the request is begun.
        assert reply.readline().startswith(b"HTTP/1.1 100 ")
        assert reply.readline() == b"\r\n"
        process.send_signal(signal.SIGTERM)
        while not refuses(port):
            continue
        connection.sendall(BODY)
        assert reply.readline().startswith(b"HTTP/1.1 202 ")
        assert b'"state":"charged"' in reply.read()
    assert process.wait() == 0
    with closing(read_ledger(selling.settings.ledger)) as ledger:
        assert [event.kind for event in ledger.reading.events()].count("charge") == 1
