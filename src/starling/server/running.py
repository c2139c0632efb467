"""Serving a home until it is told to stop: SIGTERM or Ctrl-C lets what was begun end, and then the process."""

import socket
import ssl
from collections.abc import Callable
from contextlib import closing
from typing import Final

import uvicorn

from starling.errors import OutputError
from starling.server.app import make_app
from starling.server.charges import Charges
from starling.server.connections import Bounded
from starling.server.home import Home
from starling.server.settings import Settings, refused_setting
from starling.server.understanding import Understanding
from starling.server.workers import kept_running

GRACE: Final = 10
"""Seconds that requests have to end, once the server is told to stop."""


def serve(home: Home, listening: Callable[[str], None], *, workers: int = 1) -> None:
    """Serve a home; returns when the process is told to stop.

    Args:
        home: The home.
        listening: Is called with the URL once connections are taken.
        workers: How many workers are started beside, and end with it.

    Raises:
        PlanError: the files of TLS are not what they should be.
        OutputError: the address cannot be listened on.
    """
    settings, charges, understanding = home.settings, Charges(home), Understanding()
    config = uvicorn.Config(
        make_app(home, charges, understanding),
        http=Bounded,
        ws="none",
        lifespan="off",
        log_level="error",
        access_log=False,  # its lines would hold whole URLs
        server_header=False,
        proxy_headers=False,  # nothing depends on where a client says that it is
        timeout_graceful_shutdown=GRACE,
        ssl_certfile=settings.certificate,
        ssl_keyfile=settings.private_key,
    )
    try:
        config.load()
    except (OSError, ssl.SSLError):
        fix = "give a certificate with its private key, both in PEM, readable by the server"
        raise refused_setting("certificate", "cannot be used for TLS", fix) from None
    with _listening_socket(settings) as taken:
        address, port = taken.getsockname()[:2]
        shown = f"[{address}]" if ":" in address else address
        listening(f"{'http' if settings.certificate is None else 'https'}://{shown}:{port}")
        with closing(charges), closing(understanding), kept_running(home.folder, workers):
            try:
                uvicorn.Server(config).run(sockets=[taken])
            except KeyboardInterrupt:
                return


def _listening_socket(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.address else socket.AF_INET
    try:
        return socket.create_server((settings.address, settings.port), family=family)
    except OSError as error:
        where = f"{settings.address} port {settings.port}"
        problem = f"{where} cannot be listened on ({error.strerror})"
        raise OutputError(
            "address", problem, "stop what listens there, or choose another port in server.toml"
        ) from None
