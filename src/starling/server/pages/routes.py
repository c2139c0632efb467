"""The addresses of pages. A program that asks for one of them gets the JSON of a path that is not there."""

from functools import partial

from fastapi import FastAPI, HTTPException
from fastapi.responses import Response

from starling.pages.rendering import static_file, static_files
from starling.server.authentication import Service
from starling.server.pages import accuracy, answers, ask, audit, custody, home, releases, signing, tour
from starling.server.passwords import Passwords
from starling.server.tour import read_tour

FOR_GOOD = "public, max-age=31536000, immutable"
"""Of a static file, whose name changes with its bytes."""


def add_routes(app: FastAPI, service: Service, passwords: Passwords | None) -> None:
    """Add all pages to an application; those for signing in need `passwords`, and a sandbox leaves them to the server around it."""
    _static(app)
    app.state.prepare = partial(service.understanding.prepare, service.home.catalogue)
    for screen in (home, ask, accuracy, answers, releases, custody, audit):
        screen.add_routes(app, service)
    if passwords is not None:
        signing.add_routes(app, service, passwords)
        if (led := read_tour(service.home.folder)) is not None:
            tour.add_routes(app, service, led)


def _static(app: FastAPI) -> None:
    @app.get("/static/{name}", include_in_schema=False)
    def static(name: str) -> Response:
        # By its own name it could change, and would be kept all the same.
        file = None if name in static_files() else static_file(name)
        if file is None:
            raise HTTPException(404)
        content, kind = file
        return Response(content, media_type=kind, headers={"Cache-Control": FOR_GOOD})
