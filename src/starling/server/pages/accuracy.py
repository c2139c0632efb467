"""Screen 11: the plan of a dataset by its margins or by its whole cost, for those who choose the next plan. It charges nothing."""

from typing import Annotated

from fastapi import FastAPI, Request
from fastapi.responses import Response

from starling.server.access import User
from starling.server.authentication import Service
from starling.server.pages.relayed import frame_of, relayed


def add_routes(app: FastAPI, service: Service) -> None:
    """Add it to an application."""
    readers = service.user("analyst", "custodian")
    home, understanding = service.home, service.understanding

    @app.get("/datasets/{name}/accuracy/{path:path}", include_in_schema=False)
    def page(name: str, path: str, request: Request, user: Annotated[User, readers]) -> Response:
        frame = frame_of(request, user, f"/datasets/{name}/accuracy")
        return relayed(
            request,
            user,
            lambda query, into: understanding.plan_page(
                home.catalogue, name, f"/{path}", query, frame, into, user=user.name
            ),
        )
