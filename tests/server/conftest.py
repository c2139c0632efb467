"""A home with a ledger and a user of each role, and a client of it that needs no socket."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from argon2 import PasswordHasher
from starlette.types import ASGIApp

from starling.ledger.opening import create_ledger, open_ledger
from starling.ledger.rules import canonical
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.server.access import ROLES
from starling.server.app import make_app
from starling.server.charges import Charges
from starling.server.datasets import Catalogue, Dataset
from starling.server.home import Home, make_home
from tests.ledger.worlds import costing

BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)
CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""Hashes passwords of tests, many of them, fast."""


class Asker:
    """Asks an application, without a socket.

    Args:
        app: The application.
        peer: The IP address from which it seems to be asked.
    """

    def __init__(self, app: ASGIApp, *, peer: str = "127.0.0.1") -> None:
        self._app = app
        self._peer = peer

    def ask(
        self, method: str, path: str, headers: Sequence[tuple[str, str]] = (), body: bytes | None = None
    ) -> httpx.Response:
        """One request, for the host localhost unless a header names another."""

        async def once() -> httpx.Response:
            transport = httpx.ASGITransport(self._app, client=(self._peer, 50000))
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8470") as client:
                raw = [(name.encode(), value.encode("latin-1")) for name, value in headers]
                return await client.request(method, path, headers=raw, content=body)

        return asyncio.run(once())

    def get(self, path: str, token: str | None = None) -> httpx.Response:
        """One request with a token or without."""
        return self.ask("GET", path, () if token is None else [("Authorization", f"Bearer {token}")])

    def post(self, path: str, token: str, body: object) -> httpx.Response:
        """One request with a token and a JSON body."""
        headers = [("Authorization", f"Bearer {token}"), ("Content-Type", "application/json")]
        return self.ask("POST", path, headers, json.dumps(body).encode())


def child_of(process: int, word: str) -> int:
    """The one process that a server started with this word as its command."""
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    children = [int(child) for task in tasks for child in task.read_text().split()]
    (found,) = [each for each in children if word.encode() in Path(f"/proc/{each}/cmdline").read_bytes().split(b"\0")]
    return found


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
def selling(served: Home) -> Home:
    """The home, with a dataset that it may charge: a count of persons for rho 1; the dataset has a cap of 4, "analyst" of 3."""
    with closing(open_ledger(served.settings.ledger)) as ledger:
        ledger.custody.add_population("people", "rho", ADD_REMOVE_PERSON, 10)
        ledger.custody.add_dataset("census", "people", {}, 4)
        ledger.custody.grant("people", "analyst", 3)
        ledger.custody.delegate("census", served.key.public, days=1)
        ledger.custody.accept("census", "0" * 64)
    dataset = Dataset("census", "tables", "A count", canonical({"count": "persons"}), costing(1), deadline=8)
    Catalogue(served.folder / "datasets").add(dataset)
    return served


@pytest.fixture
def asker(served: Home) -> Asker:
    """Asks the application of the home."""
    return Asker(make_app(served, Charges(served)))
