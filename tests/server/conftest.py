"""A home with a ledger and a user of each role, and a client of it that needs no socket."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from starlette.types import ASGIApp

from starling.ledger.opening import create_ledger
from starling.server.access import ROLES
from starling.server.app import make_app
from starling.server.home import Home, make_home

BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Asker:
    """Asks an application, without a socket.

    Args:
        app: The application.
        peer: The IP address from which it seems to be asked.
    """

    def __init__(self, app: ASGIApp, *, peer: str = "127.0.0.1") -> None:
        self._app = app
        self._peer = peer

    def ask(self, method: str, path: str, headers: Sequence[tuple[str, str]] = ()) -> httpx.Response:
        """One request, for the host localhost unless a header names another."""

        async def once() -> httpx.Response:
            transport = httpx.ASGITransport(self._app, client=(self._peer, 50000))
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8470") as client:
                raw = [(name.encode(), value.encode("latin-1")) for name, value in headers]
                return await client.request(method, path, headers=raw)

        return asyncio.run(once())

    def get(self, path: str, token: str | None = None) -> httpx.Response:
        """One request with a token or without."""
        return self.ask("GET", path, () if token is None else [("Authorization", f"Bearer {token}")])


@pytest.fixture
def served(tmp_path: Path) -> Home:
    """A home whose ledger is empty."""
    made = make_home(tmp_path / "served")
    create_ledger(made.settings.ledger).close()
    return made


@pytest.fixture
def tokens(served: Home) -> dict[str, str]:
    """A token of a user of each role, by the role."""
    found = {}
    for role in ROLES:
        served.access.add_user(role, role)
        found[role], _ = served.access.issue(role, days=1)
    return found


@pytest.fixture
def asker(served: Home) -> Asker:
    """Asks the application of the home."""
    return Asker(make_app(served))
