"""Pages that a process writes which knows domains: what stands around them, and their bytes sent on."""

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from fastapi import Request
from fastapi.responses import StreamingResponse

from starling.server.access import User
from starling.server.pages.frame import base_url, is_invented, strip_above

CHUNK = 1 << 18


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


def relayed(request: Request, write: Callable[[str, Path], dict[str, Any]]) -> StreamingResponse:
    """A reply whose body `write`, given the query of the address, writes into an empty file; it gives status, kind and headers."""
    # Written by another process, and sent from here, however long it is.
    file = NamedTemporaryFile(prefix="starling-")  # noqa: SIM115 - closed once it is sent
    reply = write(request.scope["query_string"].decode("latin-1"), Path(file.name))
    file.seek(0, 2)
    headers = reply["headers"] | {"Content-Length": str(file.tell())}
    return StreamingResponse(_sent(file), reply["status"], headers, reply["kind"])


def _sent(file: Any) -> Iterator[bytes]:
    file.seek(0)
    with file:
        while part := file.read(CHUNK):
            yield part
