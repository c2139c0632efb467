"""Pages that a process writes which knows domains: what stands around them, and their bytes sent on."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final

from fastapi import Request
from fastapi.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from starling.server.access import User
from starling.server.pages.frame import base_url, is_invented, strip_above
from starling.server.rates import TooOften

CHUNK: Final = 1 << 18
SHORT: Final = 1 << 19
"""Bytes that are sent from memory, as the longest page has and the numbers of a map."""
MOST_SENT: Final = 4
"""Longer files that one user is sent at once: each lies on the disk for as long as its reader takes."""
_SENT: Final[Counter[str]] = Counter()
"""Of each user how many."""
_CHANGING: Final = threading.Lock()


def frame_of(request: Request, user: User, below: str, **more: Any) -> dict[str, Any]:
    """The values of a `screens.frame.Frame` around the pages below a path of the application."""
    here = request.scope.get("root_path", "")
    return {
        "base": base_url(request),
        "release": f"{here}{below}",
        "here": here,
        "root": request.scope.get("app_root_path", here),
        "user": {"name": user.name, "role": user.role},
        "invented": is_invented(request, strip_above(request, user)),
        **more,
    }


def relayed(request: Request, user: User, write: Callable[[str, Path], dict[str, Any]]) -> Response:
    """A reply whose body `write`, given the query of the address, writes into an empty file; it gives status, kind and headers.

    Raises:
        TooOften: it is long, and the user is being sent as many such as may be.
    """
    # Written by another process, and sent from here, however long it is.
    file = NamedTemporaryFile(prefix="starling-")  # noqa: SIM115 - closed once it is sent
    reply = write(request.scope["query_string"].decode("latin-1"), Path(file.name))
    size = file.seek(0, 2)
    file.seek(0)
    if size <= SHORT:
        with file:
            return Response(file.read(), reply["status"], reply["headers"], reply["kind"])
    headers = reply["headers"] | {"Content-Length": str(size)}
    return _LongReply(file, user.name, reply["status"], headers, reply["kind"])


class _LongReply(StreamingResponse):
    """A file that is sent, and is there no longer however that ends."""

    def __init__(self, file: Any, user: str, status: int, headers: dict[str, str], kind: str) -> None:
        super().__init__(_parts(file), status, headers, kind)
        self._file, self._user = file, user
        with _CHANGING:
            if _SENT[user] >= MOST_SENT:
                raise TooOften(10, "file", f"is one of more than {MOST_SENT} of yours that are being sent")
            _SENT[user] += 1

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See Starlette."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._file.close()
            with _CHANGING:
                _SENT[self._user] -= 1


def _parts(file: Any) -> Iterator[bytes]:
    while part := file.read(CHUNK):
        yield part
