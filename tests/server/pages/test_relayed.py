"""What another process writes is sent as it is, however long, with its status, kind and headers."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import Response
from starlette.types import Message

from starling.server.access import User
from starling.server.pages.relayed import CHUNK, MOST_SENT, SHORT, frame_of, relayed
from starling.server.rates import TooOften
from tests.server.conftest import Asker


@pytest.mark.parametrize("size", [0, 1, SHORT, SHORT + 1, 3 * CHUNK + 1])
def test_a_body_of_any_length_is_sent(size: int) -> None:
    body, app = (b"0123456789abcdef" * (size // 16 + 1))[:size], FastAPI()

    @app.get("/page")
    def page(request: Request) -> Response:
        user: Any = type("Named", (), {"name": "ada", "role": "analyst"})
        frame = frame_of(request, user, "/of", number=7)
        assert (frame["release"], frame["here"], frame["number"]) == ("/below/of", "/below", 7)
        assert frame["user"] == {"name": "ada", "role": "analyst"}

        def write(query: str, into: Path) -> dict[str, Any]:
            assert query == "a=%ff&b"
            with into.open("r+b") as file:
                file.write(body)
            return {"status": 418, "kind": "text/plain", "headers": {"X-Own": "yes"}}

        return relayed(request, user, write)

    server = FastAPI()
    server.mount("/below", app)
    reply = Asker(server).ask("GET", "/below/page?a=%ff&b", [("Host", "localhost")], None)
    assert (reply.status_code, reply.content, reply.headers["X-Own"]) == (418, body, "yes")
    assert reply.headers["Content-Length"] == str(size)


SCOPE: Any = {"type": "http", "query_string": b"", "headers": [], "app": None}
ADA, BOB = (User(name, "analyst") for name in ("ada", "bob"))


def long_reply(user: User, size: int = SHORT + 1) -> Response:
    def write(_: str, into: Path) -> dict[str, Any]:
        into.write_bytes(b"." * size)
        return {"status": 200, "kind": "text/plain", "headers": {}}

    return relayed(Request(SCOPE), user, write)


async def send_until(reply: Response, ends: str) -> None:
    """Send a reply to a reader who takes all of it, goes away in the middle, or breaks off at the first byte."""
    gone = asyncio.Event()

    async def receive() -> Message:
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if ends == "fault":
            raise OSError
        if ends == "gone" and message["type"] == "http.response.body":
            gone.set()
            await asyncio.Event().wait()

    await reply(SCOPE, receive, send)


@pytest.mark.parametrize("ends", ["whole", "gone", "fault"])
def test_slow_readers_hold_few_files_and_none_once_they_are_gone(
    ends: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    replies = [long_reply(ADA) for _ in range(MOST_SENT)]
    assert len([*tmp_path.iterdir()]) == MOST_SENT
    with pytest.raises(TooOften, match=f"file is one of more than {MOST_SENT} of yours"):
        long_reply(ADA)
    assert long_reply(ADA, SHORT).body == b"." * SHORT, "what is short is sent all the same"
    replies.append(long_reply(BOB))
    for each in replies:
        try:
            asyncio.run(send_until(each, ends))
        except (OSError, ExceptionGroup):
            assert ends == "fault"
    assert not [*tmp_path.iterdir()]
    asyncio.run(send_until(long_reply(ADA), "whole"))
