"""A web process: answers requests on a socket that its server opened, until it is told to stop, and then lets end what was begun."""

import asyncio
import socket
import sys
from contextlib import closing, nullcontext
from typing import Final

import uvicorn
from anyio.to_thread import current_default_thread_limiter
from starlette.types import ASGIApp, Message

from starling.server.accounts import account_of, become
from starling.server.app import make_app
from starling.server.charges import Charges
from starling.server.connections import Bounded
from starling.server.home import Home
from starling.server.processes import GRACE, at_end_of_input
from starling.server.question_costs import Understanding
from starling.server.sandbox import FreeCharges
from starling.server.secret_files import check_tls
from starling.server.settings import Settings

THREADS: Final = 128
"""At most: each request that waits for the disk holds one, and those that wait together share a flush."""
SWITCH: Final = 0.0005
"""Seconds after which a thread that waits for the interpreter is let in: the thread that writes for many waits for it several times."""


def answer(home: Home, taken: socket.socket) -> None:
    """Answer requests on a socket; returns when the process is told to stop: by SIGTERM, by Ctrl-C, or by the end of its standard input.

    Raises:
        PlanError: the files of TLS, or of a provider's secret, are not what they should be.
        ParameterError, PolicyRefused: as `account_of`.
    """
    sys.setswitchinterval(SWITCH)
    charges, understanding, account = Charges(home), Understanding(home.settings.question_work), account_of(home)
    free = None if home.sandbox is None else FreeCharges(home.sandbox)
    app = make_app(home, charges, understanding, free=free)
    config = uvicorn.Config(
        app,
        http=Bounded,
        ws="none",
        lifespan="off",
        log_level="error",
        log_config=None,
        access_log=False,  # its lines would hold whole URLs
        server_header=False,
        proxy_headers=False,  # nothing depends on where a client says that it is
        timeout_graceful_shutdown=GRACE,
        ssl_certfile=home.settings.certificate,
        ssl_keyfile=home.settings.private_key,
    )
    check_tls(home.settings)
    config.load()
    if account is not None:
        # Last: the private key of TLS, and what Python loads, may be root's alone.
        charges.open()
        asyncio.run(_warm(app, home.settings))
        become(account)
    server = _Server(config)
    at_end_of_input(server.stop)
    with closing(charges), closing(understanding), nullcontext() if free is None else closing(free):
        try:
            server.run(sockets=[taken])
        except KeyboardInterrupt:
            return


class _Server(uvicorn.Server):
    """One with as many threads as may wait for one flush of the disk."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """See uvicorn."""
        current_default_thread_limiter().total_tokens = THREADS
        await super().startup(sockets)

    def stop(self) -> None:
        """Let end what was begun, then return from `run`."""
        self.should_exit = True


async def _warm(app: ASGIApp, settings: Settings) -> None:
    """Ask the application whether it is ready, by which it loads what it needs."""
    head = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http"}
    path = {"path": "/readyz", "raw_path": b"/readyz", "query_string": b"", "root_path": ""}
    host = {"headers": [(b"host", settings.hosts[0].encode())], "client": (settings.trusted_proxy or "127.0.0.1", 0)}

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(_: Message) -> None:
        return

    await app({**head, **path, **host}, receive, send)
