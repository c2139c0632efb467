"""A custodian is told that something waits, and nothing of what: once for what is new, again where it failed, never in a request's way."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from starling.ledger.rules import Request
from starling.server import notifying
from starling.server.home import Home
from starling.server.notifying import PAUSES, Notifier, send_notice
from tests.ledger.worlds import costing

SECRET = "a-secret-reason"


def wait_for_approval(home: Home, number: int) -> None:
    """Let one more request wait."""
    home.requests.ask(Request("ada", f"request-{number}", "census", str(number)), SECRET, costing(1), SECRET)


class Tries:
    """Tries to send, which fail so often."""

    def __init__(self, failing: int) -> None:
        self.failing, self.made = failing, 0
        self.waited: list[float] = []

    def send(self, _: Home) -> bool:
        """One try."""
        self.made += 1
        return self.made > self.failing

    def wait(self, seconds: float) -> bool:
        """Wait for no time."""
        self.waited.append(seconds)
        return False


def test_it_is_told_once_for_what_is_new_and_not_for_what_was_decided(served: Home) -> None:
    tries = Tries(0)
    notifier = Notifier(served, wait=tries.wait, send=tries.send)
    notifier.look()
    assert tries.made == 0
    for number in range(1, 4):
        wait_for_approval(served, number)
    for _ in range(3):
        notifier.look()
    assert tries.made == 1, "once for all three"
    served.requests.decide(served.requests.find(3), "declined", "no", lambda: None)
    notifier.look()
    assert tries.made == 1
    wait_for_approval(served, 4)
    notifier.look()
    assert tries.made == 2


@pytest.mark.parametrize("failing", [0, 1, len(PAUSES), len(PAUSES) + 1, 100])
def test_a_failure_is_tried_again_for_some_minutes(served: Home, failing: int) -> None:
    tries = Tries(failing)
    notifier = Notifier(served, wait=tries.wait, send=tries.send)
    wait_for_approval(served, 1)
    notifier.look()
    assert tries.made == min(failing, len(PAUSES)) + 1
    assert tries.waited == list(PAUSES[:failing])
    notifier.look()
    assert tries.made == min(failing, len(PAUSES)) + 1, "not again for the same"


def test_a_file_of_requests_that_cannot_be_read_ends_nothing(served: Home) -> None:
    tries = Tries(0)
    (served.folder / "requests.sqlite").write_bytes(b"not a database" * 100)
    Notifier(served, wait=tries.wait, send=tries.send).look()
    assert tries.made == 0


@contextmanager
def hearing(status: int) -> Iterator[tuple[str, list[tuple[str, str, bytes, str]]]]:
    """A server that answers so, and what it was sent: method, path, body and headers."""
    sent: list[tuple[str, str, bytes, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            sent.append((self.command, self.path, body, str(self.headers)))
            self.send_response(status)
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/hook", sent
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(("status", "worked"), [(200, True), (204, True), (302, False), (500, False)])
def test_a_url_is_sent_an_empty_post_and_nothing_of_the_request(served: Home, status: int, worked: bool) -> None:
    wait_for_approval(served, 1)
    with hearing(status) as (url, sent):
        home = replace(served, settings=replace(served.settings, notify_url=url))
        assert send_notice(home) == worked
    ((method, path, body, headers),) = sent
    assert (method, path, body) == ("POST", "/hook", b"")
    assert not [word for word in ("ada", "census", SECRET, str(served.folder)) if word in headers]
    assert not send_notice(home), "nobody listens any more"


@pytest.mark.parametrize(
    "reply", [b"", b"SSH-2.0\r\n", b"HTTP/1.1 x\r\n\r\n", b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 500]
)
def test_what_is_no_http_did_not_work_and_ends_nothing(served: Home, reply: bytes) -> None:
    """A process that ended would begin anew, and tell the same again every few seconds, for ever."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(reply)

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/hook"
        assert not send_notice(replace(served, settings=replace(served.settings, notify_url=url)))
        thread.join()


def test_a_command_that_cannot_be_run_did_not_work(served: Home) -> None:
    assert not send_notice(replace(served, settings=replace(served.settings, notify_command=("/bin/true", "a\0b"))))


def test_a_command_is_told_nothing_of_the_request(
    served: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STARLING_HOME", SECRET)
    wait_for_approval(served, 1)
    out, command = tmp_path / "out.json", tmp_path / "command"
    command.write_text(
        "#!/usr/bin/python3\nimport json, os, sys\n"
        f"json.dump([sys.argv[1:], sys.stdin.read(), dict(os.environ), os.getcwd()], open({str(out)!r}, 'w'))\n"
    )
    command.chmod(0o700)
    home = replace(served, settings=replace(served.settings, notify_command=(str(command), "--now")))
    assert send_notice(home)
    arguments, text, environment, folder = json.loads(out.read_text())
    assert (arguments, text, folder) == (["--now"], "", "/")
    assert not {"STARLING_HOME", "HOME"} & environment.keys()


@pytest.mark.parametrize("line", ["exit 1", "sleep 60"])
def test_a_command_that_fails_or_hangs_did_not_work(
    served: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.setattr(notifying, "SECONDS", 0.2)
    command = tmp_path / "command"
    command.write_text(f"#!/bin/sh\n{line}\n")
    command.chmod(0o700)
    for path in (command, tmp_path / "nothing"):
        assert not send_notice(replace(served, settings=replace(served.settings, notify_command=(str(path),))))
