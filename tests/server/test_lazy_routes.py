"""Routes are analysed when they are first asked for, once, and are then FastAPI's own."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any

import pytest
from fastapi import Depends, FastAPI
from fastapi.routing import APIRoute
from pydantic import BaseModel

from starling.server.lazy_routes import LazyRoute
from tests.server.conftest import Asker


class Sum(BaseModel):
    value: int


def application(routes: type[APIRoute]) -> FastAPI:
    app = FastAPI()
    app.router.route_class = routes

    @app.get("/sums/{first}", summary="A sum")
    def add(first: int, second: Annotated[int, Depends(lambda second=1: int(second))]) -> Sum:
        return Sum(value=first + second)

    @app.post("/sums/{first}", responses={404: {"model": Sum}})
    def keep(first: int, body: Sum) -> Sum:
        return Sum(value=first * body.value)

    @app.delete("/others")
    def forget() -> None:
        """Nothing."""

    return app


def analysed(app: FastAPI) -> list[str]:
    return [vars(each)["name"] for each in app.routes if isinstance(each, APIRoute) and "name" in vars(each)]


def test_a_lazy_route_answers_as_any_other() -> None:
    eager, lazy = application(APIRoute), application(LazyRoute)
    for method, path, body, status in [
        ("GET", "/sums/2", b"", 200), ("GET", "/sums/2?second=5", b"", 200), ("GET", "/sums/two", b"", 422),
        ("POST", "/sums/3", b'{"value": 4}', 200), ("POST", "/sums/3", b'{"value": "four"}', 422), ("PUT", "/sums/3", b"", 405),
        ("DELETE", "/others", b"", 200), ("GET", "/others", b"", 405), ("GET", "/neither", b"", 404),
    ]:  # fmt: skip
        headers = [("Content-Type", "application/json")]
        first, second = (Asker(app).ask(method, path, headers, body) for app in (eager, lazy))
        assert first.status_code == second.status_code == status
        assert (first.content, first.headers) == (second.content, second.headers)
    assert eager.openapi() == lazy.openapi()
    for one, other in zip(eager.routes, lazy.routes, strict=True):
        assert vars(one).keys() == vars(other).keys()


def test_only_routes_whose_path_is_asked_for_are_analysed() -> None:
    app = application(LazyRoute)
    assert analysed(app) == []
    assert Asker(app).get("/neither").status_code == 404
    assert analysed(app) == []
    Asker(app).ask("DELETE", "/others")
    assert analysed(app) == ["forget"]
    app.openapi()
    assert analysed(app) == ["add", "keep", "forget"]


def test_threads_that_ask_at_once_wait_for_one_analysis(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, goes_on, analyses = threading.Event(), threading.Event(), []

    def analyse(route: APIRoute, *arguments: Any, **options: Any) -> None:
        analyses.append(route)
        begun.set()
        assert goes_on.wait(60)
        plain(route, *arguments, **options)

    plain = APIRoute.__init__
    monkeypatch.setattr(APIRoute, "__init__", analyse)
    route = LazyRoute("/", lambda: None, name="empty")
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(getattr, route, "name")
        assert begun.wait(60)
        second = threads.submit(getattr, route, "name")
        goes_on.set()
        assert first.result() == second.result() == "empty"
    assert analyses == [route]


def test_what_no_route_has_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'absent'"):
        _ = LazyRoute("/", lambda: None).absent
