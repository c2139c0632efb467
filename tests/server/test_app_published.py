"""The API keeps what its OpenAPI says: schemathesis makes requests from it, right and wrong, and judges every reply by it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.types import ASGIApp

from starling.server import passwords
from starling.server.access import ROLES
from starling.server.access_rows import Role
from starling.server.app import make_app
from starling.server.bodies import MOST_BYTES
from starling.server.charges import Charges
from starling.server.home import Home
from starling.server.rates import Rates
from tests.server.conftest import CHEAP, Asker
from tests.server.providers import Liar, lying, with_provider
from tests.server.test_released_answers import Told
from tests.server.test_releasing import answer

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head"),
]

HOST = "testserver"
"""As which schemathesis reaches an application."""
EXAMPLES = 2
"""Requests of each kind to each operation in each role: right ones for what is there, right ones for any, and wrong ones."""
OWN_PAGE = {"Sec-Fetch-Site": "same-origin"}
"""What a browser says of a page of the server: without it nobody signs in or out."""
LATER = 4e9
"""A time, in seconds since 1970, at which every answer has left."""
WITHOUT_TOKEN = {
    ("get", "/healthz"),
    ("get", "/readyz"),
    ("post", "/v1/session"),
    ("get", "/v1/oidc/login"),
    ("get", "/v1/oidc/callback"),
}
"""What is asked by whoever has not shown who they are."""
BEYOND_SCHEMAS = {"/v1/custody/raise", "/v1/datasets/{name}/preview"}
"""Where values are refused for what ledger or plan say, which no schema can: that there is no such cap, or no margin."""
RELEASES = "/v1/datasets/{name}/releases"
SUCCEEDS: dict[Role, set[str]] = {
    "analyst": {
        "/healthz",
        "/readyz",
        "/v1/me",
        "/v1/datasets",
        "/v1/datasets/{name}",
        "/v1/datasets/{name}/budget",
        RELEASES,
        "/v1/releases/{release}",
        "/v1/releases",
        "/v1/releases/{release}/bundle",
        "/v1/tokens",
        "/v1/oidc/login",
    },
    "auditor": {
        "/v1/log",
        "/v1/metrics",
        "/v1/releases",
        "/v1/tokens",
        "/v1/ledger",
        "/v1/ledger/events",
        "/v1/ledger/verification",
        "/v1/releases/{release}/bundle",
    },
    "custodian": {"/v1/log", "/v1/ledger", "/v1/releases/{release}/bundle"},
}
"""Paths that must have been answered with what was asked for, lest a test of refusals alone passes."""


@pytest.fixture
def liar() -> Iterator[Liar]:
    """A provider at which users sign in."""
    with lying() as made:
        yield made


@pytest.fixture
def app(selling: Home, liar: Liar, monkeypatch: pytest.MonkeyPatch) -> ASGIApp:
    """The application of a home whose answers leave at once, asked as often as one likes."""
    monkeypatch.setattr(Rates, "take", lambda *_: None)
    monkeypatch.setattr(passwords, "_HASHER", CHEAP)
    reached = with_provider(selling, liar.issuer)
    reached = replace(reached, settings=replace(reached.settings, hosts=(*selling.settings.hosts, HOST)))
    return make_app(reached, Charges(reached, now=lambda: LATER), Told())


@pytest.fixture
def released(app: ASGIApp, selling: Home, tokens: dict[str, str]) -> int:
    """The number of a release that was made."""
    reply = Asker(app).post("/v1/datasets/census/releases", tokens["analyst"], {"request_id": "first"})
    number: int = reply.json()["id"]
    answer(selling, number, b"the bytes of a zip")
    return number


@pytest.mark.parametrize("role", ROLES)
def test_every_reply_is_as_it_is_published(app: ASGIApp, released: int, tokens: dict[str, str], role: Role) -> None:
    published: Any = schemathesis.openapi.from_asgi("/v1/openapi.json", app)
    known = {"name": "census", "release": released}
    succeeded = set()
    for found in published.get_all_operations():
        operation = found.ok()
        there = {name: value for name, value in known.items() if f"{{{name}}}" in operation.path}
        kinds = [
            operation.as_strategy(GenerationMode.POSITIVE, path_parameters=there),
            operation.as_strategy(GenerationMode.POSITIVE),
        ]
        # Where nothing can be stated, nothing can be wrong.
        if operation.body or list(operation.iter_parameters()):
            kinds.append(operation.as_strategy(GenerationMode.NEGATIVE))

        @settings(
            max_examples=EXAMPLES, phases=[Phase.generate], database=None, suppress_health_check=list(HealthCheck)
        )
        @given(cases=st.tuples(*kinds))
        def ask(cases: tuple[Any, ...]) -> None:
            for case in cases:
                reply = case.call(headers={"Authorization": f"Bearer {tokens[role]}", **OWN_PAGE})
                judged = case.operation.path in BEYOND_SCHEMAS and reply.status_code == 422
                case.validate_response(reply, excluded_checks=[positive_data_acceptance] if judged else [])
                if reply.status_code < 400:
                    succeeded.add(case.operation.path)

        ask()
        if operation.path == RELEASES and operation.method == "post":
            # Of bodies that are drawn few ask for something that the dataset has: one is stated.
            stated = operation.Case(path_parameters=there, body={"request_id": role}, media_type="application/json")
            reply = stated.call(headers={"Authorization": f"Bearer {tokens[role]}", **OWN_PAGE})
            stated.validate_response(reply, excluded_checks=[positive_data_acceptance])
            if reply.status_code < 400:
                succeeded.add(operation.path)
    assert succeeded >= SUCCEEDS[role]


def test_what_every_route_may_refuse_is_published(app: ASGIApp) -> None:
    asker = Asker(app)
    for path, operations in asker.get("/v1/openapi.json").json()["paths"].items():
        for method, operation in operations.items():
            documented = {int(status) for status in operation["responses"]}
            own = [*OWN_PAGE.items()]
            long = asker.ask(method.upper(), path, own, b" " * (MOST_BYTES + 1)).status_code
            twice = asker.ask(method.upper(), path, own, b'{"a": 1, "a": 2}').status_code
            asked_twice = asker.ask(method.upper(), f"{path}?a=1&a=2", own).status_code
            assert (long, twice, asked_twice) == (413, 422, 422)
            assert documented >= {400, 408, 413, 422}
            if "security" in operation:
                assert operation["security"] == [{"token": []}, {"session": []}]
                assert documented >= {401, 429, 503}
            else:
                assert (method, path) in WITHOUT_TOKEN
