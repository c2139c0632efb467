"""Screens 5 to 8: the pages of a release, for whoever may download it."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Annotated, Any

from fastapi import FastAPI, Request
from fastapi.responses import Response, StreamingResponse

from starling.errors import StarlingError
from starling.server.access import User
from starling.server.authentication import Service
from starling.server.charges import Progress
from starling.server.listing import NEWEST, ReleasePage, list_releases
from starling.server.pages.frame import base_url
from starling.server.releasing import ReleaseId, released

CHUNK = 1 << 18
COMPARES = "map"
"""Begins the paths of pages that compare a release with another."""
MOST_OTHERS = 100
"""Releases among which such a page looks for others."""


def add_routes(app: FastAPI, service: Service) -> None:
    """Add them to an application."""
    readers = service.user()

    @app.get("/releases/{release}/{path:path}", include_in_schema=False)
    def page(release: ReleaseId, path: str, request: Request, user: Annotated[User, readers]) -> Response:
        progress, bundle = released(service.charges, release, user)
        here = request.scope.get("root_path", "")
        frame = {
            "base": base_url(request),
            "number": release,
            "release": f"{here}/releases/{release}",
            "here": here,
            "root": request.scope.get("app_root_path", here),
            "user": {"name": user.name, "role": user.role},
            "invented": progress.invented,
        }
        if path.startswith(COMPARES):
            frame["others"] = _others(service, request, progress, user)
        query = request.scope["query_string"].decode("latin-1")
        # Written by the process that reads the release, and sent from here, however long it is.
        file = NamedTemporaryFile(prefix="starling-")  # noqa: SIM115 - closed once it is sent
        reply = service.understanding.page(bundle, f"/{path}", query, frame, Path(file.name), user=user.name)
        file.seek(0, 2)
        headers = reply["headers"] | {"Content-Length": str(file.tell())}
        return StreamingResponse(_sent(file), reply["status"], headers, reply["kind"])


def _others(service: Service, request: Request, progress: Progress, user: User) -> dict[str, tuple[str, str]]:
    """The newest other releases of the same domain that a user may read, by number; of the one that is chosen where it lies, too."""
    charge, chosen = progress.charge, request.query_params.get("other", "")
    domain = _domain(service, charge.dataset)
    return {
        str(each.id): (
            f"release {each.id} of {each.dataset}, {each.at:%Y-%m-%d}",
            str(released(service.charges, each.id, user)[1]) if str(each.id) == chosen else "",
        )
        for each in list_releases(service, user, ReleasePage(before=NEWEST, most=MOST_OTHERS)).releases
        if each.state == "released" and each.id != charge.seq and domain and _domain(service, each.dataset) == domain
    }


def _domain(service: Service, name: str) -> str:
    """The domain of a dataset; empty where it is there no longer."""
    try:
        return service.home.catalogue.find(name).domain
    except StarlingError:
        return ""


def _sent(file: Any) -> Iterator[bytes]:
    file.seek(0)
    with file:
        while part := file.read(CHUNK):
            yield part
