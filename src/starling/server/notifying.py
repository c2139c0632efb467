"""Telling a custodian that something waits, by a command or a URL of theirs: a process of its own looks at the requests of a home.

What is sent is empty: that a request waits, and nothing of it. No request of an analyst waits for this process, which shares nothing with
the web process but the file of requests, and is told nothing by it.
"""

import http.client
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any, Final

from starling.errors import StarlingError
from starling.server import logs
from starling.server.home import Home

LOOK: Final = 5.0
"""Seconds between two looks at the requests."""
PAUSES: Final = (1.0, 5.0, 25.0, 125.0)
"""Seconds before each further try, where one failed; after the last, nothing is sent until something new waits."""
SECONDS: Final = 10.0
"""For one try."""
_ENVIRONMENT: Final = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
"""What the command is told of the environment."""


class Notifier:
    """Tells that something waits.

    `wait` waits so many seconds, and says whether to stop; `send` makes one try, and says whether it worked.
    """

    def __init__(
        self, home: Home, *, wait: Callable[[float], bool], send: "Callable[[Home], bool] | None" = None
    ) -> None:
        self._home, self._wait, self._send = home, wait, send or send_notice
        self._notified = 0

    def run(self) -> None:
        """Look and tell, until it is to stop."""
        while not self._wait(LOOK):
            self.look()

    def look(self) -> None:
        """Tell, where a request waits that came after the last of which it was told."""
        try:
            newest = self._home.requests.newest_waiting()
        except StarlingError:
            return
        if newest > self._notified:
            self._notified = newest
            self._tell()

    def _tell(self) -> None:
        for pause in (*PAUSES, None):
            if self._send(self._home):
                return
            if pause is None:
                logs.LOGGER.warning(
                    "the custodian was not told that something waits: notify_command or notify_url fails"
                )
            elif self._wait(pause):
                return


def send_notice(home: Home) -> bool:
    """Make one try by the command and the URL of a home; whether both that there are worked."""
    settings = home.settings
    worked = not settings.notify_command or _run(settings.notify_command)
    return worked and (settings.notify_url is None or _post(settings.notify_url))


def _run(command: tuple[str, ...]) -> bool:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=_ENVIRONMENT,
            cwd="/",
            timeout=SECONDS,
            check=False,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follows no redirection, which could lead anywhere."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """None: the redirection is the reply."""


def _post(url: str) -> bool:
    request = urllib.request.Request(url, data=b"", method="POST", headers={"User-Agent": "starling"})  # noqa: S310 - settings.py checked it
    try:
        with urllib.request.build_opener(_Stay).open(request, timeout=SECONDS) as reply:
            return bool(200 <= reply.status < 300)
    except (OSError, ValueError, http.client.HTTPException):
        # Refused, cut short, or no HTTP at all.
        return False


def notify(home: Home, stop: threading.Event) -> None:
    """Tell the custodian of a home what waits, until `stop` is set."""
    Notifier(home, wait=stop.wait).run()
