"""What another process writes is sent as it is, however long, with its status, kind and headers."""

from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import Response

from starling.server.pages.relayed import CHUNK, frame_of, relayed
from tests.server.conftest import Asker


@pytest.mark.parametrize("size", [0, 1, CHUNK, 3 * CHUNK + 1])
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

        return relayed(request, write)

    server = FastAPI()
    server.mount("/below", app)
    reply = Asker(server).ask("GET", "/below/page?a=%ff&b", [("Host", "localhost")], None)
    assert (reply.status_code, reply.content, reply.headers["X-Own"]) == (418, body, "yes")
    assert reply.headers["Content-Length"] == str(size)
