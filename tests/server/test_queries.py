"""A parameter that a query gives twice is refused at every route, of which one value would be believed."""

import re

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute

from starling.server import app as made
from starling.server.app import make_app
from starling.server.authentication import Service
from starling.server.charges import Charges
from starling.server.home import Home
from starling.server.passwords import Passwords
from starling.server.queries import LISTS
from tests.server.conftest import Asker


@pytest.fixture
def routes(served: Home, monkeypatch: pytest.MonkeyPatch) -> tuple[Asker, list[APIRoute]]:
    """An application, and all its routes: those of pages too, which the OpenAPI does not have."""
    apis: list[FastAPI] = []

    def kept(service: Service, signing_in: Passwords | None) -> FastAPI:
        apis.append(api(service, signing_in))
        return apis[-1]

    api = made._api
    monkeypatch.setattr(made, "_api", kept)
    asker = Asker(make_app(served, Charges(served)))
    return asker, [each for each in apis[0].routes if isinstance(each, APIRoute)]


def test_a_parameter_twice_is_refused_at_every_route(routes: tuple[Asker, list[APIRoute]]) -> None:
    asker, every = routes
    assert len(every) > 50
    for route in every:
        # A number stands for whatever the path names: the query is looked at first.
        path = re.sub(r"\{[^}]*\}", "1", route.path)
        for method in route.methods or ():
            reply = asker.ask(method, f"{path}?a=1&b=1&%61=2", [("Sec-Fetch-Site", "same-origin")])
            assert (reply.status_code, reply.json()["error"]["problems"]) == (
                422,
                [{"field": "query.a", "problem": "is given twice", "fix": "give it once"}],
            ), (method, path)


def test_the_lists_are_those_that_are_published(asker: Asker) -> None:
    paths = asker.get("/v1/openapi.json").json()["paths"].values()
    parameters = [each for path in paths for operation in path.values() for each in operation.get("parameters", ())]
    assert {each["name"] for each in parameters if each["schema"].get("type") == "array"} == LISTS


def test_a_list_takes_many_values(asker: Asker, tokens: dict[str, str]) -> None:
    reply = asker.get("/v1/datasets/census/accuracy?margins=1&margins=2", tokens["analyst"])
    assert "is given twice" not in reply.text


def test_a_browser_gets_a_page(asker: Asker) -> None:
    reply = asker.ask("GET", "/?a=1&a=2", [("Accept", "text/html")])
    assert (reply.status_code, reply.headers["content-type"]) == (422, "text/html; charset=utf-8")
