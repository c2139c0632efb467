"""Screens 5 to 8: the pages of a release, for whoever may download it."""

from typing import Annotated

from fastapi import FastAPI, Request
from fastapi.responses import Response

from starling.errors import StarlingError
from starling.server.access import User
from starling.server.authentication import Service
from starling.server.charges import Progress
from starling.server.listing import NEWEST, ReleasePage, list_releases
from starling.server.pages.relayed import frame_of, relayed
from starling.server.releasing import ReleaseId, released

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
        frame = frame_of(request, user, f"/releases/{release}", number=release)
        if path.startswith(COMPARES):
            frame["others"] = _others(service, request, progress, user)
        understanding = service.understanding
        return relayed(
            request,
            user,
            lambda query, into: understanding.page(bundle, f"/{path}", query, frame, into, user=user.name),
        )


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
