"""Attacks by bytes on a socket of a real server: what a proxy in front could read in another way, and clients that are slow on purpose.

Each test that a request was refused sends a second one behind it, which a server that lost count would answer.
"""

import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing

import httpx
import pytest

from starling.ledger.opening import create_ledger
from starling.server.connections import MOST_HEAD
from starling.server.home import make_home

SERVES = """
import socket, sys
from pathlib import Path
from starling.server import bodies, connections, web
from starling.server.home import open_home
connections.HEAD_SECONDS = bodies.MOST_SECONDS = 0.5
bodies.received.__kwdefaults__["seconds"] = 0.5
with socket.socket(fileno=int(sys.argv[2])) as taken:
    web.answer(open_home(Path(sys.argv[1])), taken)
"""
"""A web process whose patience is half a second."""
NEXT = b"GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n"
"""What an attacker hides in or behind a request: where it is taken for a request, it is answered with 404."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    """Where a web process of a home listens."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("attacked")
        patch.setenv("STARLING_HOME", str(folder / "keys"))
        home = make_home(folder / "served")
        create_ledger(home.settings.ledger).close()
        with socket.create_server(("127.0.0.1", 0)) as listening:
            process = subprocess.Popen(
                [sys.executable, "-c", SERVES, str(home.folder), str(listening.fileno())],
                stdin=subprocess.PIPE,
                pass_fds=[listening.fileno()],
            )
            address, port = listening.getsockname()
            assert httpx.get(f"http://{address}:{port}/healthz", timeout=60).status_code == 200
            yield address, port
            process.terminate()
            process.communicate()


def told(place: tuple[str, int], sent: bytes) -> bytes:
    """All that a connection says to these bytes until it is closed, which a server does that will read no more of it."""
    with socket.create_connection(place, timeout=60) as connection:
        connection.sendall(sent)
        found = b""
        try:
            while part := connection.recv(1 << 16):
                found += part
        except ConnectionResetError:
            pass  # it was closed with bytes unread
        return found


@pytest.mark.slow
def test_what_is_hidden_is_seen_where_it_is_a_request(place: tuple[str, int]) -> None:
    """The second request is answered when it is one: so its answer would be seen below."""
    assert statuses(told(place, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" + NEXT)) == [200, 404]
    assert statuses(told(place, post("Content-Length: 0"))) == [401, 404]


def statuses(found: bytes) -> list[int]:
    """Of all replies of a connection."""
    return [int(each) for each in re.findall(rb"HTTP/1\.1 ([0-9]{3}) ", found)]


def post(*headers: str, body: bytes = b"") -> bytes:
    """A request that is to be refused, and another behind it."""
    lines = "".join(f"{each}\r\n" for each in headers)
    return f"POST /v1/datasets/x/releases HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n".encode("latin-1") + body + NEXT


SMUGGLED = {
    "two lengths": post("Content-Length: 0", f"Content-Length: {len(NEXT)}"),
    "two equal lengths": post("Content-Length: 0", "Content-Length: 0"),
    "two equal lengths in one": post("Content-Length: 0, 0"),
    "two equal lengths in two lines": post("Content-Length: 0,", " 0"),
    "two lengths in other letters": post("content-length: 0", "X: a", "CONTENT-LENGTH: 0"),
    "two lengths in one": post(f"Content-Length: 0, {len(NEXT)}"),
    "a negative length": post("Content-Length: -1"),
    "a length with a sign": post("Content-Length: +0"),
    "a length that is no number": post("Content-Length: 0x0"),
    "a length of other digits": post("Content-Length: \xb2"),
    "a very long length": post("Content-Length: " + "9" * 40),
    "an unknown coding": post("Transfer-Encoding: xchunked", body=b"0\r\n\r\n"),
    "two codings": post("Transfer-Encoding: chunked", "Transfer-Encoding: identity", body=b"0\r\n\r\n"),
    "a coding of two": post("Transfer-Encoding: gzip, chunked", body=b"0\r\n\r\n"),
    "a blank before the colon": post("Content-Length : 0"),
    "a name with a blank": post("Content Length: 0"),
    "a length beside chunks": post(f"Content-Length: {5 + len(NEXT)}", "Transfer-Encoding: chunked", body=b"0\r\n\r\n"),
    "chunks beside a length": post("Transfer-Encoding: chunked", "Content-Length: 5", body=b"0\r\n\r\n"),
    "chunks of another time": b"POST / HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    + NEXT,
    "another version": b"GET /healthz HTTP/9.9\r\nHost: localhost\r\n\r\n" + NEXT,
    "a chunk whose length is none": post("Transfer-Encoding: chunked", body=b"zz\r\n"),
    "a chunk of a negative length": post("Transfer-Encoding: chunked", body=b"-1\r\n\r\n"),
    "a chunk that is longer than it says": post("Transfer-Encoding: chunked", body=b"1\r\nabc\r\n0\r\n\r\n"),
    "a bare line feed in a header": post("X: a\nContent-Length: 5"),
    "a head that ends by line feeds": b"GET /healthz HTTP/1.1\nHost: localhost\n\n" + NEXT,
    "a bare carriage return": post("X: a\rContent-Length: 5"),
    "a zero byte": post("X: a\0b"),
    "no host": b"GET /healthz HTTP/1.1\r\n\r\n" + NEXT,
    "two hosts": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
    "no version": b"GET /healthz\r\n" + NEXT,
    "a head without an end": b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * (1 << 20),
    "many headers": b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: a\r\n" * 200_000,
    "a very long path": b"GET /" + b"a" * (1 << 20) + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 512,
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0",
}


@pytest.mark.series(7)
@pytest.mark.parametrize("what", list(SMUGGLED))
def test_smuggling_what_is_no_request_ends_the_connection(what: str, place: tuple[str, int]) -> None:
    """It is refused or ended at once, and what stands behind it is nobody's request."""
    found = statuses(told(place, SMUGGLED[what]))
    assert len(found) <= 1
    assert {*found} <= {400}
    assert httpx.get(f"http://{place[0]}:{place[1]}/healthz", timeout=60).status_code == 200


@pytest.mark.slow
def test_smuggling_a_line_that_goes_on_hides_nothing(place: tuple[str, int]) -> None:
    """It belongs to the header before it, as RFC 9112 says: so there is no length, and what follows is the next request."""
    assert statuses(told(place, post("X: a", f" Content-Length: {len(NEXT)}"))) == [401, 404]


@pytest.mark.series(1)
@pytest.mark.parametrize("above", [1, 2000, 200_000])
def test_a_head_above_64_kib_is_refused_however_it_comes(above: int, place: tuple[str, int]) -> None:
    """One of exactly so many bytes is answered; whole in one piece or in two, a longer one is not."""
    begin = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: "
    whole = begin + b"a" * (MOST_HEAD - len(begin))
    assert statuses(told(place, whole + b"\r\n\r\n" + NEXT)) == [200, 404]
    assert statuses(told(place, whole + b"a" * above + b"\r\n\r\n" + NEXT)) == [400]


HOSTS = ["localhost:80:90", "localhost:x", "localhost:80@evil.example", "localhost@evil.example", "evil.example:localhost",
    "[localhost]", "[::1", "[localhost]evil.example", "localhost/evil", "localhost:80/evil", "localhost, evil.example", "localhost evil",
    "localhost:123456", "localhost.", ".localhost", "", ":80", "evil.example", "localhost?", "localhost#x", "\xb2"]  # fmt: skip


@pytest.mark.parametrize("host", HOSTS)
def test_a_host_that_two_readers_read_in_two_ways_is_refused(host: str, place: tuple[str, int]) -> None:
    found = told(place, f"GET /healthz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode("latin-1"))
    assert statuses(found) == [400]


@pytest.mark.parametrize("target", ["http://evil.example/healthz", "evil.example:443", "//evil.example/healthz"])
def test_a_target_of_another_host_is_not_served(target: str, place: tuple[str, int]) -> None:
    found = told(place, f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    assert statuses(found) in ([400], [404])


TRAVERSING = [
    "/../../../../etc/passwd", "/v1/../../server.key", "/v1/datasets/../../server.key",
    "/v1/datasets/..%2f..%2fserver.key", "/v1/datasets/%2e%2e/%2e%2e/server.key", "/v1/datasets/..%5c..%5cserver.key",
    "/v1/releases/..%2f1.zip", "/v1/releases/1/bundle/../../../server.key", "//etc/passwd", "/v1/datasets/%00",
    "/v1/datasets/census%00.json", "/v1/releases/%2e%2e%2fserver.key/bundle", "/server.key",
    "/worker/sources/data.json", "http://localhost/../server.key", "/v1/datasets/....//....//server.key",
    "/v1/datasets/%c0%ae%c0%ae/server.key", "/v1/datasets/data.plan/../../server.key",
]  # fmt: skip


@pytest.mark.parametrize("path", TRAVERSING)
def test_path_traversal_leads_to_no_file(path: str, place: tuple[str, int]) -> None:
    """As they stand on the line, since clients tidy paths up before they send them."""
    found = told(place, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    status, _, rest = found.partition(b"\r\n")
    assert status.split()[1] in (b"400", b"401", b"404")
    assert b"root:" not in rest
    assert b"starling-key" not in rest


@pytest.mark.series(2)
@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"G",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ",
        b"POST /v1/me HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n",
        b"POST /v1/me HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
    ids=["nothing", "a letter", "a head", "a body", "chunks"],
)
def test_slow_clients_hold_no_connection(begun: bytes, place: tuple[str, int]) -> None:
    """Many that send a letter now and then: each is ended by the server, and others are answered meanwhile."""
    ended = threading.Event()

    def drip(connection: socket.socket) -> None:
        letter = b"1\r\na\r\n" if b"chunked" in begun else b"a"
        while begun and not ended.wait(0.05):
            try:
                connection.sendall(letter)
            except OSError:
                return

    connections = [socket.create_connection(place, timeout=60) for _ in range(30)]
    dripping = [threading.Thread(target=drip, args=[each]) for each in connections]
    for each in connections:
        each.sendall(begun)
    for thread in dripping:
        thread.start()
    assert httpx.get(f"http://{place[0]}:{place[1]}/healthz", timeout=60).status_code == 200
    for each in connections:
        with closing(each):
            assert until_the_end(each) in (b"", b"408")
    ended.set()
    for thread in dripping:
        thread.join()


def until_the_end(connection: socket.socket) -> bytes:
    """The status that a connection is told, if any, before it is closed."""
    found = b""
    try:
        while part := connection.recv(1 << 16):
            found += part
    except ConnectionResetError:
        pass  # a letter came after the end
    return found.split()[1] if found else b""
