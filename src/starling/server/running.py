"""Serving a home until it is told to stop. This process opens the socket and keeps web processes and workers running; it answers nothing.

SIGTERM or Ctrl-C ends the web processes first, which let requests end that were begun, then the workers, then this process.
"""

import os
import socket
import threading
from collections.abc import Callable
from importlib.util import find_spec
from typing import Final

from starling.errors import OutputError
from starling.server.accounts import account_of, check_entry, hand_over
from starling.server.home import Home
from starling.server.logs import Form
from starling.server.processes import GRACE, Kind, supervised
from starling.server.secret_files import check_tls, secret_of
from starling.server.settings import Settings

WEB: Final = ("anyio", "argon2", "fastapi", "h11", "prometheus_client", "pydantic", "starlette", "uvicorn")
"""What web processes import, and this one does not."""
if missing := [name for name in WEB if find_spec(name) is None]:
    raise ImportError(f"no {missing[0]}", name=missing[0])

WORKER_GRACE = 5.0
"""Seconds that a worker has to end; what it was doing is taken up by the next one."""


def serve(home: Home, listening: Callable[[str], None], *, workers: int = 1, form: Form = "text") -> None:
    """Serve a home; returns when the process is told to stop.

    `listening` is called with the URL once connections are taken. So many workers are started beside, and end with it; with any, one more
    for the sandbox. `form` says how the processes tell what happens, on standard error.

    Raises:
        PlanError: the files of TLS, or of a provider's secret, are not what they should be.
        OutputError: the address cannot be listened on.
        ParameterError, PolicyRefused: there is no such account for the web process, or it cannot be taken, or cannot read what it needs.
    """
    settings, account = home.settings, account_of(home)
    if account is not None and os.geteuid() == 0:
        check_entry(home, account)
    check_tls(settings)
    if settings.oidc is not None:
        secret_of(settings.oidc)
    with _listening_socket(settings) as taken:
        if account is not None and os.geteuid() == 0:
            hand_over(home, account)
        address, port = taken.getsockname()[:2]
        shown = f"[{address}]" if ":" in address else address
        options = ["--log", form, str(home.folder)]
        web = Kind(["web", "--socket", str(taken.fileno()), *options], GRACE + 5, handles=[taken.fileno()])
        # What a worker makes may be read by the group of the account.
        umask = None if account is None else 0o027
        work = ["worker", "--until-end-of-input", "--log", form]
        worker = Kind([*work, str(home.folder)], WORKER_GRACE, umask=umask)
        # One for invented records, which keep no real ones waiting.
        free = [] if home.sandbox is None else [Kind([*work, str(home.sandbox.folder)], WORKER_GRACE, umask=umask)]
        has_hook = bool(settings.notify_command or settings.notify_url)
        notifiers = [Kind(["notify", *options], WORKER_GRACE)] if has_hook else []
        try:
            with supervised([worker] * workers + free * min(workers, 1) + notifiers), supervised([web]):
                listening(f"{'http' if settings.certificate is None else 'https'}://{shown}:{port}")
                _wait(taken)
        except KeyboardInterrupt:
            return


def _wait(taken: socket.socket) -> None:
    """Until Ctrl-C or SIGTERM; then no connection is taken any more."""
    try:
        threading.Event().wait()
    finally:
        taken.close()


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
